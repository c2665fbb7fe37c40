// 0. Each Workgroup; parameters [First, End, Symbol(s0), Symbol(s3), Parts, PartLength, Inner, Symbol(s1), Symbol(s2), Symbol(s4)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 3>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> a2: array<f32>;
fn read_a0(at: u32) -> f32 { return a0[at]; }
fn read_a1(at: u32) -> f32 { return a1[at]; }
fn write_a2(at: u32, value: f32) { a2[at] = value; }
var<workgroup> left: array<f32, 1040>;
var<workgroup> right: array<f32, 128>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[0].y - parameters[0].x { return; }
    let point = parameters[0].x + number;
    let rows = 1u * parameters[0].z;
    let columns = 1u * parameters[0].w;
    let row_tiles = (rows + 63u) / 64u;
    let column_tiles = (columns + 7u) / 8u;
    let part = point % parameters[1].x;
    let tile = point / parameters[1].x;
    let first_column = (tile % column_tiles) * 8u;
    let first_row = (tile / column_tiles % row_tiles) * 64u;
    let batch = tile / column_tiles / row_tiles;
    let begin = part * parameters[1].y;
    let count = min(parameters[1].y, parameters[1].z - begin);
    let own_row = local / 4u;
    let own_column = local % 4u;
    var sum0_0 = f32();
    var sum0_1 = f32();
    var sum1_0 = f32();
    var sum1_1 = f32();
    var sum2_0 = f32();
    var sum2_1 = f32();
    var sum3_0 = f32();
    var sum3_1 = f32();
    for (var done = 0u; done < count; done += 16u) {
    workgroupBarrier();
    for (var n = local; n < 1024u; n += 64u) {
    let across = n / 16u;
    let along = n % 16u;
    var factor = f32();
    if first_row + across < rows && done + along < count {
    var rest0 = first_row + across;
    let c0 = i32(rest0);
    var rest2 = begin + done + along;
    let c2 = i32(rest2);
    let v0 = c0;
    let v2 = c2;
    let v3 = read_a0((u32(v0) * parameters[1].w + u32(v2)));
    factor = v3;
    }
    left[along * 65u + across] = factor;
    }
    for (var n = local; n < 128u; n += 64u) {
    let across = n % 8u;
    let along = n / 8u;
    var factor = f32();
    if first_column + across < columns && done + along < count {
    var rest1 = first_column + across;
    let c1 = i32(rest1);
    var rest2 = begin + done + along;
    let c2 = i32(rest2);
    let v1 = c1;
    let v2 = c2;
    var v4 = f32();
    let inside_v4 = (u32(v2) < parameters[2].x) & (u32(v1) < parameters[0].w);
    if true & inside_v4 { v4 = read_a1((u32(v2) * parameters[0].w + u32(v1))); }
    if true & !inside_v4 { atomicMin(&failure[0], point); }
    factor = v4;
    }
    right[along * 8u + across] = factor;
    }
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
    let x0 = left[k * 65u + own_row * 4u + 0u];
    let x1 = left[k * 65u + own_row * 4u + 1u];
    let x2 = left[k * 65u + own_row * 4u + 2u];
    let x3 = left[k * 65u + own_row * 4u + 3u];
    let y0 = right[k * 8u + own_column + 0u];
    let y1 = right[k * 8u + own_column + 4u];
    sum0_0 = (sum0_0 + (x0 * y0));
    sum0_1 = (sum0_1 + (x0 * y1));
    sum1_0 = (sum1_0 + (x1 * y0));
    sum1_1 = (sum1_1 + (x1 * y1));
    sum2_0 = (sum2_0 + (x2 * y0));
    sum2_1 = (sum2_1 + (x2 * y1));
    sum3_0 = (sum3_0 + (x3 * y0));
    sum3_1 = (sum3_1 + (x3 * y1));
    }
    }
    {
    let row = first_row + own_row * 4u + 0u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum0_0 = bitcast<f32>(parameters[2].y); } else { sum0_0 = (bitcast<f32>(parameters[2].y) + sum0_0); }
    write_a2(position, sum0_0);
    }
    }
    {
    let column = first_column + own_column + 4u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum0_1 = bitcast<f32>(parameters[2].y); } else { sum0_1 = (bitcast<f32>(parameters[2].y) + sum0_1); }
    write_a2(position, sum0_1);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 4u + 1u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum1_0 = bitcast<f32>(parameters[2].y); } else { sum1_0 = (bitcast<f32>(parameters[2].y) + sum1_0); }
    write_a2(position, sum1_0);
    }
    }
    {
    let column = first_column + own_column + 4u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum1_1 = bitcast<f32>(parameters[2].y); } else { sum1_1 = (bitcast<f32>(parameters[2].y) + sum1_1); }
    write_a2(position, sum1_1);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 4u + 2u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum2_0 = bitcast<f32>(parameters[2].y); } else { sum2_0 = (bitcast<f32>(parameters[2].y) + sum2_0); }
    write_a2(position, sum2_0);
    }
    }
    {
    let column = first_column + own_column + 4u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum2_1 = bitcast<f32>(parameters[2].y); } else { sum2_1 = (bitcast<f32>(parameters[2].y) + sum2_1); }
    write_a2(position, sum2_1);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 4u + 3u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum3_0 = bitcast<f32>(parameters[2].y); } else { sum3_0 = (bitcast<f32>(parameters[2].y) + sum3_0); }
    write_a2(position, sum3_0);
    }
    }
    {
    let column = first_column + own_column + 4u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum3_1 = bitcast<f32>(parameters[2].y); } else { sum3_1 = (bitcast<f32>(parameters[2].y) + sum3_1); }
    write_a2(position, sum3_1);
    }
    }
    }
    }
}

// 1. Each Workgroup; parameters [First, End, Symbol(s0), Symbol(s3), Parts, PartLength, Inner, Symbol(s1), Symbol(s2)]
// As 0, but:
= 4
-@group(0) @binding(4) var<storage, read_write> a2: array<f32>;
+@group(0) @binding(4) var<storage, read_write> to0: array<f32>;
= 2
-fn write_a2(at: u32, value: f32) { a2[at] = value; }
+fn write_to0(at: u32, value: f32) { to0[at] = value; }
= 95
-    if count == 0u { sum0_0 = bitcast<f32>(parameters[2].y); } else { sum0_0 = (bitcast<f32>(parameters[2].y) + sum0_0); }
-    write_a2(position, sum0_0);
+    write_to0(position * parameters[1].x + part, sum0_0);
= 8
-    if count == 0u { sum0_1 = bitcast<f32>(parameters[2].y); } else { sum0_1 = (bitcast<f32>(parameters[2].y) + sum0_1); }
-    write_a2(position, sum0_1);
+    write_to0(position * parameters[1].x + part, sum0_1);
= 15
-    if count == 0u { sum1_0 = bitcast<f32>(parameters[2].y); } else { sum1_0 = (bitcast<f32>(parameters[2].y) + sum1_0); }
-    write_a2(position, sum1_0);
+    write_to0(position * parameters[1].x + part, sum1_0);
= 8
-    if count == 0u { sum1_1 = bitcast<f32>(parameters[2].y); } else { sum1_1 = (bitcast<f32>(parameters[2].y) + sum1_1); }
-    write_a2(position, sum1_1);
+    write_to0(position * parameters[1].x + part, sum1_1);
= 15
-    if count == 0u { sum2_0 = bitcast<f32>(parameters[2].y); } else { sum2_0 = (bitcast<f32>(parameters[2].y) + sum2_0); }
-    write_a2(position, sum2_0);
+    write_to0(position * parameters[1].x + part, sum2_0);
= 8
-    if count == 0u { sum2_1 = bitcast<f32>(parameters[2].y); } else { sum2_1 = (bitcast<f32>(parameters[2].y) + sum2_1); }
-    write_a2(position, sum2_1);
+    write_to0(position * parameters[1].x + part, sum2_1);
= 15
-    if count == 0u { sum3_0 = bitcast<f32>(parameters[2].y); } else { sum3_0 = (bitcast<f32>(parameters[2].y) + sum3_0); }
-    write_a2(position, sum3_0);
+    write_to0(position * parameters[1].x + part, sum3_0);
= 8
-    if count == 0u { sum3_1 = bitcast<f32>(parameters[2].y); } else { sum3_1 = (bitcast<f32>(parameters[2].y) + sum3_1); }
-    write_a2(position, sum3_1);
+    write_to0(position * parameters[1].x + part, sum3_1);
= 5

