// Each Workgroup; parameters [First, End, Symbol(s0), Symbol(s3), Parts, PartLength, Inner, Symbol(s1), Symbol(s2), Symbol(s4)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 3>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> a2: array<f32>;
fn read_a0(at: u32) -> f32 { return a0[at]; }
fn read_a1(at: u32) -> f32 { return a1[at]; }
fn write_a2(at: u32, value: f32) { a2[at] = value; }
var<workgroup> left: array<f32, 1032>;
var<workgroup> right: array<f32, 1024>;

@compute @workgroup_size(256)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[0].y - parameters[0].x { return; }
    let point = parameters[0].x + number;
    let rows = 1u * parameters[0].z;
    let columns = 1u * parameters[0].w;
    let row_tiles = (rows + 127u) / 128u;
    let column_tiles = (columns + 127u) / 128u;
    let part = point % parameters[1].x;
    let tile = point / parameters[1].x;
    let first_column = (tile % column_tiles) * 128u;
    let first_row = (tile / column_tiles % row_tiles) * 128u;
    let batch = tile / column_tiles / row_tiles;
    let begin = part * parameters[1].y;
    let count = min(parameters[1].y, parameters[1].z - begin);
    let own_row = local / 16u;
    let own_column = local % 16u;
    var sum0_0 = f32();
    var sum0_1 = f32();
    var sum0_2 = f32();
    var sum0_3 = f32();
    var sum0_4 = f32();
    var sum0_5 = f32();
    var sum0_6 = f32();
    var sum0_7 = f32();
    var sum1_0 = f32();
    var sum1_1 = f32();
    var sum1_2 = f32();
    var sum1_3 = f32();
    var sum1_4 = f32();
    var sum1_5 = f32();
    var sum1_6 = f32();
    var sum1_7 = f32();
    var sum2_0 = f32();
    var sum2_1 = f32();
    var sum2_2 = f32();
    var sum2_3 = f32();
    var sum2_4 = f32();
    var sum2_5 = f32();
    var sum2_6 = f32();
    var sum2_7 = f32();
    var sum3_0 = f32();
    var sum3_1 = f32();
    var sum3_2 = f32();
    var sum3_3 = f32();
    var sum3_4 = f32();
    var sum3_5 = f32();
    var sum3_6 = f32();
    var sum3_7 = f32();
    var sum4_0 = f32();
    var sum4_1 = f32();
    var sum4_2 = f32();
    var sum4_3 = f32();
    var sum4_4 = f32();
    var sum4_5 = f32();
    var sum4_6 = f32();
    var sum4_7 = f32();
    var sum5_0 = f32();
    var sum5_1 = f32();
    var sum5_2 = f32();
    var sum5_3 = f32();
    var sum5_4 = f32();
    var sum5_5 = f32();
    var sum5_6 = f32();
    var sum5_7 = f32();
    var sum6_0 = f32();
    var sum6_1 = f32();
    var sum6_2 = f32();
    var sum6_3 = f32();
    var sum6_4 = f32();
    var sum6_5 = f32();
    var sum6_6 = f32();
    var sum6_7 = f32();
    var sum7_0 = f32();
    var sum7_1 = f32();
    var sum7_2 = f32();
    var sum7_3 = f32();
    var sum7_4 = f32();
    var sum7_5 = f32();
    var sum7_6 = f32();
    var sum7_7 = f32();
    for (var done = 0u; done < count; done += 8u) {
    workgroupBarrier();
    for (var n = local; n < 1024u; n += 256u) {
    let across = n / 8u;
    let along = n % 8u;
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
    left[along * 129u + across] = factor;
    }
    for (var n = local; n < 1024u; n += 256u) {
    let across = n % 128u;
    let along = n / 128u;
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
    right[along * 128u + across] = factor;
    }
    workgroupBarrier();
    for (var k = 0u; k < 8u; k++) {
    let x0 = left[k * 129u + own_row * 8u + 0u];
    let x1 = left[k * 129u + own_row * 8u + 1u];
    let x2 = left[k * 129u + own_row * 8u + 2u];
    let x3 = left[k * 129u + own_row * 8u + 3u];
    let x4 = left[k * 129u + own_row * 8u + 4u];
    let x5 = left[k * 129u + own_row * 8u + 5u];
    let x6 = left[k * 129u + own_row * 8u + 6u];
    let x7 = left[k * 129u + own_row * 8u + 7u];
    let y0 = right[k * 128u + own_column + 0u];
    let y1 = right[k * 128u + own_column + 16u];
    let y2 = right[k * 128u + own_column + 32u];
    let y3 = right[k * 128u + own_column + 48u];
    let y4 = right[k * 128u + own_column + 64u];
    let y5 = right[k * 128u + own_column + 80u];
    let y6 = right[k * 128u + own_column + 96u];
    let y7 = right[k * 128u + own_column + 112u];
    sum0_0 = (sum0_0 + (x0 * y0));
    sum0_1 = (sum0_1 + (x0 * y1));
    sum0_2 = (sum0_2 + (x0 * y2));
    sum0_3 = (sum0_3 + (x0 * y3));
    sum0_4 = (sum0_4 + (x0 * y4));
    sum0_5 = (sum0_5 + (x0 * y5));
    sum0_6 = (sum0_6 + (x0 * y6));
    sum0_7 = (sum0_7 + (x0 * y7));
    sum1_0 = (sum1_0 + (x1 * y0));
    sum1_1 = (sum1_1 + (x1 * y1));
    sum1_2 = (sum1_2 + (x1 * y2));
    sum1_3 = (sum1_3 + (x1 * y3));
    sum1_4 = (sum1_4 + (x1 * y4));
    sum1_5 = (sum1_5 + (x1 * y5));
    sum1_6 = (sum1_6 + (x1 * y6));
    sum1_7 = (sum1_7 + (x1 * y7));
    sum2_0 = (sum2_0 + (x2 * y0));
    sum2_1 = (sum2_1 + (x2 * y1));
    sum2_2 = (sum2_2 + (x2 * y2));
    sum2_3 = (sum2_3 + (x2 * y3));
    sum2_4 = (sum2_4 + (x2 * y4));
    sum2_5 = (sum2_5 + (x2 * y5));
    sum2_6 = (sum2_6 + (x2 * y6));
    sum2_7 = (sum2_7 + (x2 * y7));
    sum3_0 = (sum3_0 + (x3 * y0));
    sum3_1 = (sum3_1 + (x3 * y1));
    sum3_2 = (sum3_2 + (x3 * y2));
    sum3_3 = (sum3_3 + (x3 * y3));
    sum3_4 = (sum3_4 + (x3 * y4));
    sum3_5 = (sum3_5 + (x3 * y5));
    sum3_6 = (sum3_6 + (x3 * y6));
    sum3_7 = (sum3_7 + (x3 * y7));
    sum4_0 = (sum4_0 + (x4 * y0));
    sum4_1 = (sum4_1 + (x4 * y1));
    sum4_2 = (sum4_2 + (x4 * y2));
    sum4_3 = (sum4_3 + (x4 * y3));
    sum4_4 = (sum4_4 + (x4 * y4));
    sum4_5 = (sum4_5 + (x4 * y5));
    sum4_6 = (sum4_6 + (x4 * y6));
    sum4_7 = (sum4_7 + (x4 * y7));
    sum5_0 = (sum5_0 + (x5 * y0));
    sum5_1 = (sum5_1 + (x5 * y1));
    sum5_2 = (sum5_2 + (x5 * y2));
    sum5_3 = (sum5_3 + (x5 * y3));
    sum5_4 = (sum5_4 + (x5 * y4));
    sum5_5 = (sum5_5 + (x5 * y5));
    sum5_6 = (sum5_6 + (x5 * y6));
    sum5_7 = (sum5_7 + (x5 * y7));
    sum6_0 = (sum6_0 + (x6 * y0));
    sum6_1 = (sum6_1 + (x6 * y1));
    sum6_2 = (sum6_2 + (x6 * y2));
    sum6_3 = (sum6_3 + (x6 * y3));
    sum6_4 = (sum6_4 + (x6 * y4));
    sum6_5 = (sum6_5 + (x6 * y5));
    sum6_6 = (sum6_6 + (x6 * y6));
    sum6_7 = (sum6_7 + (x6 * y7));
    sum7_0 = (sum7_0 + (x7 * y0));
    sum7_1 = (sum7_1 + (x7 * y1));
    sum7_2 = (sum7_2 + (x7 * y2));
    sum7_3 = (sum7_3 + (x7 * y3));
    sum7_4 = (sum7_4 + (x7 * y4));
    sum7_5 = (sum7_5 + (x7 * y5));
    sum7_6 = (sum7_6 + (x7 * y6));
    sum7_7 = (sum7_7 + (x7 * y7));
    }
    }
    {
    let row = first_row + own_row * 8u + 0u;
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
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum0_1 = bitcast<f32>(parameters[2].y); } else { sum0_1 = (bitcast<f32>(parameters[2].y) + sum0_1); }
    write_a2(position, sum0_1);
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum0_2 = bitcast<f32>(parameters[2].y); } else { sum0_2 = (bitcast<f32>(parameters[2].y) + sum0_2); }
    write_a2(position, sum0_2);
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum0_3 = bitcast<f32>(parameters[2].y); } else { sum0_3 = (bitcast<f32>(parameters[2].y) + sum0_3); }
    write_a2(position, sum0_3);
    }
    }
    {
    let column = first_column + own_column + 64u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum0_4 = bitcast<f32>(parameters[2].y); } else { sum0_4 = (bitcast<f32>(parameters[2].y) + sum0_4); }
    write_a2(position, sum0_4);
    }
    }
    {
    let column = first_column + own_column + 80u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum0_5 = bitcast<f32>(parameters[2].y); } else { sum0_5 = (bitcast<f32>(parameters[2].y) + sum0_5); }
    write_a2(position, sum0_5);
    }
    }
    {
    let column = first_column + own_column + 96u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum0_6 = bitcast<f32>(parameters[2].y); } else { sum0_6 = (bitcast<f32>(parameters[2].y) + sum0_6); }
    write_a2(position, sum0_6);
    }
    }
    {
    let column = first_column + own_column + 112u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum0_7 = bitcast<f32>(parameters[2].y); } else { sum0_7 = (bitcast<f32>(parameters[2].y) + sum0_7); }
    write_a2(position, sum0_7);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 8u + 1u;
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
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum1_1 = bitcast<f32>(parameters[2].y); } else { sum1_1 = (bitcast<f32>(parameters[2].y) + sum1_1); }
    write_a2(position, sum1_1);
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum1_2 = bitcast<f32>(parameters[2].y); } else { sum1_2 = (bitcast<f32>(parameters[2].y) + sum1_2); }
    write_a2(position, sum1_2);
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum1_3 = bitcast<f32>(parameters[2].y); } else { sum1_3 = (bitcast<f32>(parameters[2].y) + sum1_3); }
    write_a2(position, sum1_3);
    }
    }
    {
    let column = first_column + own_column + 64u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum1_4 = bitcast<f32>(parameters[2].y); } else { sum1_4 = (bitcast<f32>(parameters[2].y) + sum1_4); }
    write_a2(position, sum1_4);
    }
    }
    {
    let column = first_column + own_column + 80u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum1_5 = bitcast<f32>(parameters[2].y); } else { sum1_5 = (bitcast<f32>(parameters[2].y) + sum1_5); }
    write_a2(position, sum1_5);
    }
    }
    {
    let column = first_column + own_column + 96u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum1_6 = bitcast<f32>(parameters[2].y); } else { sum1_6 = (bitcast<f32>(parameters[2].y) + sum1_6); }
    write_a2(position, sum1_6);
    }
    }
    {
    let column = first_column + own_column + 112u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum1_7 = bitcast<f32>(parameters[2].y); } else { sum1_7 = (bitcast<f32>(parameters[2].y) + sum1_7); }
    write_a2(position, sum1_7);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 8u + 2u;
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
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum2_1 = bitcast<f32>(parameters[2].y); } else { sum2_1 = (bitcast<f32>(parameters[2].y) + sum2_1); }
    write_a2(position, sum2_1);
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum2_2 = bitcast<f32>(parameters[2].y); } else { sum2_2 = (bitcast<f32>(parameters[2].y) + sum2_2); }
    write_a2(position, sum2_2);
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum2_3 = bitcast<f32>(parameters[2].y); } else { sum2_3 = (bitcast<f32>(parameters[2].y) + sum2_3); }
    write_a2(position, sum2_3);
    }
    }
    {
    let column = first_column + own_column + 64u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum2_4 = bitcast<f32>(parameters[2].y); } else { sum2_4 = (bitcast<f32>(parameters[2].y) + sum2_4); }
    write_a2(position, sum2_4);
    }
    }
    {
    let column = first_column + own_column + 80u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum2_5 = bitcast<f32>(parameters[2].y); } else { sum2_5 = (bitcast<f32>(parameters[2].y) + sum2_5); }
    write_a2(position, sum2_5);
    }
    }
    {
    let column = first_column + own_column + 96u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum2_6 = bitcast<f32>(parameters[2].y); } else { sum2_6 = (bitcast<f32>(parameters[2].y) + sum2_6); }
    write_a2(position, sum2_6);
    }
    }
    {
    let column = first_column + own_column + 112u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum2_7 = bitcast<f32>(parameters[2].y); } else { sum2_7 = (bitcast<f32>(parameters[2].y) + sum2_7); }
    write_a2(position, sum2_7);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 8u + 3u;
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
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum3_1 = bitcast<f32>(parameters[2].y); } else { sum3_1 = (bitcast<f32>(parameters[2].y) + sum3_1); }
    write_a2(position, sum3_1);
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum3_2 = bitcast<f32>(parameters[2].y); } else { sum3_2 = (bitcast<f32>(parameters[2].y) + sum3_2); }
    write_a2(position, sum3_2);
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum3_3 = bitcast<f32>(parameters[2].y); } else { sum3_3 = (bitcast<f32>(parameters[2].y) + sum3_3); }
    write_a2(position, sum3_3);
    }
    }
    {
    let column = first_column + own_column + 64u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum3_4 = bitcast<f32>(parameters[2].y); } else { sum3_4 = (bitcast<f32>(parameters[2].y) + sum3_4); }
    write_a2(position, sum3_4);
    }
    }
    {
    let column = first_column + own_column + 80u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum3_5 = bitcast<f32>(parameters[2].y); } else { sum3_5 = (bitcast<f32>(parameters[2].y) + sum3_5); }
    write_a2(position, sum3_5);
    }
    }
    {
    let column = first_column + own_column + 96u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum3_6 = bitcast<f32>(parameters[2].y); } else { sum3_6 = (bitcast<f32>(parameters[2].y) + sum3_6); }
    write_a2(position, sum3_6);
    }
    }
    {
    let column = first_column + own_column + 112u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum3_7 = bitcast<f32>(parameters[2].y); } else { sum3_7 = (bitcast<f32>(parameters[2].y) + sum3_7); }
    write_a2(position, sum3_7);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 8u + 4u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum4_0 = bitcast<f32>(parameters[2].y); } else { sum4_0 = (bitcast<f32>(parameters[2].y) + sum4_0); }
    write_a2(position, sum4_0);
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum4_1 = bitcast<f32>(parameters[2].y); } else { sum4_1 = (bitcast<f32>(parameters[2].y) + sum4_1); }
    write_a2(position, sum4_1);
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum4_2 = bitcast<f32>(parameters[2].y); } else { sum4_2 = (bitcast<f32>(parameters[2].y) + sum4_2); }
    write_a2(position, sum4_2);
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum4_3 = bitcast<f32>(parameters[2].y); } else { sum4_3 = (bitcast<f32>(parameters[2].y) + sum4_3); }
    write_a2(position, sum4_3);
    }
    }
    {
    let column = first_column + own_column + 64u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum4_4 = bitcast<f32>(parameters[2].y); } else { sum4_4 = (bitcast<f32>(parameters[2].y) + sum4_4); }
    write_a2(position, sum4_4);
    }
    }
    {
    let column = first_column + own_column + 80u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum4_5 = bitcast<f32>(parameters[2].y); } else { sum4_5 = (bitcast<f32>(parameters[2].y) + sum4_5); }
    write_a2(position, sum4_5);
    }
    }
    {
    let column = first_column + own_column + 96u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum4_6 = bitcast<f32>(parameters[2].y); } else { sum4_6 = (bitcast<f32>(parameters[2].y) + sum4_6); }
    write_a2(position, sum4_6);
    }
    }
    {
    let column = first_column + own_column + 112u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum4_7 = bitcast<f32>(parameters[2].y); } else { sum4_7 = (bitcast<f32>(parameters[2].y) + sum4_7); }
    write_a2(position, sum4_7);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 8u + 5u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum5_0 = bitcast<f32>(parameters[2].y); } else { sum5_0 = (bitcast<f32>(parameters[2].y) + sum5_0); }
    write_a2(position, sum5_0);
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum5_1 = bitcast<f32>(parameters[2].y); } else { sum5_1 = (bitcast<f32>(parameters[2].y) + sum5_1); }
    write_a2(position, sum5_1);
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum5_2 = bitcast<f32>(parameters[2].y); } else { sum5_2 = (bitcast<f32>(parameters[2].y) + sum5_2); }
    write_a2(position, sum5_2);
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum5_3 = bitcast<f32>(parameters[2].y); } else { sum5_3 = (bitcast<f32>(parameters[2].y) + sum5_3); }
    write_a2(position, sum5_3);
    }
    }
    {
    let column = first_column + own_column + 64u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum5_4 = bitcast<f32>(parameters[2].y); } else { sum5_4 = (bitcast<f32>(parameters[2].y) + sum5_4); }
    write_a2(position, sum5_4);
    }
    }
    {
    let column = first_column + own_column + 80u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum5_5 = bitcast<f32>(parameters[2].y); } else { sum5_5 = (bitcast<f32>(parameters[2].y) + sum5_5); }
    write_a2(position, sum5_5);
    }
    }
    {
    let column = first_column + own_column + 96u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum5_6 = bitcast<f32>(parameters[2].y); } else { sum5_6 = (bitcast<f32>(parameters[2].y) + sum5_6); }
    write_a2(position, sum5_6);
    }
    }
    {
    let column = first_column + own_column + 112u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum5_7 = bitcast<f32>(parameters[2].y); } else { sum5_7 = (bitcast<f32>(parameters[2].y) + sum5_7); }
    write_a2(position, sum5_7);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 8u + 6u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum6_0 = bitcast<f32>(parameters[2].y); } else { sum6_0 = (bitcast<f32>(parameters[2].y) + sum6_0); }
    write_a2(position, sum6_0);
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum6_1 = bitcast<f32>(parameters[2].y); } else { sum6_1 = (bitcast<f32>(parameters[2].y) + sum6_1); }
    write_a2(position, sum6_1);
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum6_2 = bitcast<f32>(parameters[2].y); } else { sum6_2 = (bitcast<f32>(parameters[2].y) + sum6_2); }
    write_a2(position, sum6_2);
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum6_3 = bitcast<f32>(parameters[2].y); } else { sum6_3 = (bitcast<f32>(parameters[2].y) + sum6_3); }
    write_a2(position, sum6_3);
    }
    }
    {
    let column = first_column + own_column + 64u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum6_4 = bitcast<f32>(parameters[2].y); } else { sum6_4 = (bitcast<f32>(parameters[2].y) + sum6_4); }
    write_a2(position, sum6_4);
    }
    }
    {
    let column = first_column + own_column + 80u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum6_5 = bitcast<f32>(parameters[2].y); } else { sum6_5 = (bitcast<f32>(parameters[2].y) + sum6_5); }
    write_a2(position, sum6_5);
    }
    }
    {
    let column = first_column + own_column + 96u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum6_6 = bitcast<f32>(parameters[2].y); } else { sum6_6 = (bitcast<f32>(parameters[2].y) + sum6_6); }
    write_a2(position, sum6_6);
    }
    }
    {
    let column = first_column + own_column + 112u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum6_7 = bitcast<f32>(parameters[2].y); } else { sum6_7 = (bitcast<f32>(parameters[2].y) + sum6_7); }
    write_a2(position, sum6_7);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 8u + 7u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum7_0 = bitcast<f32>(parameters[2].y); } else { sum7_0 = (bitcast<f32>(parameters[2].y) + sum7_0); }
    write_a2(position, sum7_0);
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum7_1 = bitcast<f32>(parameters[2].y); } else { sum7_1 = (bitcast<f32>(parameters[2].y) + sum7_1); }
    write_a2(position, sum7_1);
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum7_2 = bitcast<f32>(parameters[2].y); } else { sum7_2 = (bitcast<f32>(parameters[2].y) + sum7_2); }
    write_a2(position, sum7_2);
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum7_3 = bitcast<f32>(parameters[2].y); } else { sum7_3 = (bitcast<f32>(parameters[2].y) + sum7_3); }
    write_a2(position, sum7_3);
    }
    }
    {
    let column = first_column + own_column + 64u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum7_4 = bitcast<f32>(parameters[2].y); } else { sum7_4 = (bitcast<f32>(parameters[2].y) + sum7_4); }
    write_a2(position, sum7_4);
    }
    }
    {
    let column = first_column + own_column + 80u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum7_5 = bitcast<f32>(parameters[2].y); } else { sum7_5 = (bitcast<f32>(parameters[2].y) + sum7_5); }
    write_a2(position, sum7_5);
    }
    }
    {
    let column = first_column + own_column + 96u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum7_6 = bitcast<f32>(parameters[2].y); } else { sum7_6 = (bitcast<f32>(parameters[2].y) + sum7_6); }
    write_a2(position, sum7_6);
    }
    }
    {
    let column = first_column + own_column + 112u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    if count == 0u { sum7_7 = bitcast<f32>(parameters[2].y); } else { sum7_7 = (bitcast<f32>(parameters[2].y) + sum7_7); }
    write_a2(position, sum7_7);
    }
    }
    }
    }
}

// Each Workgroup; parameters [First, End, Symbol(s0), Symbol(s3), Parts, PartLength, Inner, Symbol(s1), Symbol(s2)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 3>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<f32>;
fn read_a0(at: u32) -> f32 { return a0[at]; }
fn read_a1(at: u32) -> f32 { return a1[at]; }
fn write_to0(at: u32, value: f32) { to0[at] = value; }
var<workgroup> left: array<f32, 1032>;
var<workgroup> right: array<f32, 1024>;

@compute @workgroup_size(256)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[0].y - parameters[0].x { return; }
    let point = parameters[0].x + number;
    let rows = 1u * parameters[0].z;
    let columns = 1u * parameters[0].w;
    let row_tiles = (rows + 127u) / 128u;
    let column_tiles = (columns + 127u) / 128u;
    let part = point % parameters[1].x;
    let tile = point / parameters[1].x;
    let first_column = (tile % column_tiles) * 128u;
    let first_row = (tile / column_tiles % row_tiles) * 128u;
    let batch = tile / column_tiles / row_tiles;
    let begin = part * parameters[1].y;
    let count = min(parameters[1].y, parameters[1].z - begin);
    let own_row = local / 16u;
    let own_column = local % 16u;
    var sum0_0 = f32();
    var sum0_1 = f32();
    var sum0_2 = f32();
    var sum0_3 = f32();
    var sum0_4 = f32();
    var sum0_5 = f32();
    var sum0_6 = f32();
    var sum0_7 = f32();
    var sum1_0 = f32();
    var sum1_1 = f32();
    var sum1_2 = f32();
    var sum1_3 = f32();
    var sum1_4 = f32();
    var sum1_5 = f32();
    var sum1_6 = f32();
    var sum1_7 = f32();
    var sum2_0 = f32();
    var sum2_1 = f32();
    var sum2_2 = f32();
    var sum2_3 = f32();
    var sum2_4 = f32();
    var sum2_5 = f32();
    var sum2_6 = f32();
    var sum2_7 = f32();
    var sum3_0 = f32();
    var sum3_1 = f32();
    var sum3_2 = f32();
    var sum3_3 = f32();
    var sum3_4 = f32();
    var sum3_5 = f32();
    var sum3_6 = f32();
    var sum3_7 = f32();
    var sum4_0 = f32();
    var sum4_1 = f32();
    var sum4_2 = f32();
    var sum4_3 = f32();
    var sum4_4 = f32();
    var sum4_5 = f32();
    var sum4_6 = f32();
    var sum4_7 = f32();
    var sum5_0 = f32();
    var sum5_1 = f32();
    var sum5_2 = f32();
    var sum5_3 = f32();
    var sum5_4 = f32();
    var sum5_5 = f32();
    var sum5_6 = f32();
    var sum5_7 = f32();
    var sum6_0 = f32();
    var sum6_1 = f32();
    var sum6_2 = f32();
    var sum6_3 = f32();
    var sum6_4 = f32();
    var sum6_5 = f32();
    var sum6_6 = f32();
    var sum6_7 = f32();
    var sum7_0 = f32();
    var sum7_1 = f32();
    var sum7_2 = f32();
    var sum7_3 = f32();
    var sum7_4 = f32();
    var sum7_5 = f32();
    var sum7_6 = f32();
    var sum7_7 = f32();
    for (var done = 0u; done < count; done += 8u) {
    workgroupBarrier();
    for (var n = local; n < 1024u; n += 256u) {
    let across = n / 8u;
    let along = n % 8u;
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
    left[along * 129u + across] = factor;
    }
    for (var n = local; n < 1024u; n += 256u) {
    let across = n % 128u;
    let along = n / 128u;
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
    right[along * 128u + across] = factor;
    }
    workgroupBarrier();
    for (var k = 0u; k < 8u; k++) {
    let x0 = left[k * 129u + own_row * 8u + 0u];
    let x1 = left[k * 129u + own_row * 8u + 1u];
    let x2 = left[k * 129u + own_row * 8u + 2u];
    let x3 = left[k * 129u + own_row * 8u + 3u];
    let x4 = left[k * 129u + own_row * 8u + 4u];
    let x5 = left[k * 129u + own_row * 8u + 5u];
    let x6 = left[k * 129u + own_row * 8u + 6u];
    let x7 = left[k * 129u + own_row * 8u + 7u];
    let y0 = right[k * 128u + own_column + 0u];
    let y1 = right[k * 128u + own_column + 16u];
    let y2 = right[k * 128u + own_column + 32u];
    let y3 = right[k * 128u + own_column + 48u];
    let y4 = right[k * 128u + own_column + 64u];
    let y5 = right[k * 128u + own_column + 80u];
    let y6 = right[k * 128u + own_column + 96u];
    let y7 = right[k * 128u + own_column + 112u];
    sum0_0 = (sum0_0 + (x0 * y0));
    sum0_1 = (sum0_1 + (x0 * y1));
    sum0_2 = (sum0_2 + (x0 * y2));
    sum0_3 = (sum0_3 + (x0 * y3));
    sum0_4 = (sum0_4 + (x0 * y4));
    sum0_5 = (sum0_5 + (x0 * y5));
    sum0_6 = (sum0_6 + (x0 * y6));
    sum0_7 = (sum0_7 + (x0 * y7));
    sum1_0 = (sum1_0 + (x1 * y0));
    sum1_1 = (sum1_1 + (x1 * y1));
    sum1_2 = (sum1_2 + (x1 * y2));
    sum1_3 = (sum1_3 + (x1 * y3));
    sum1_4 = (sum1_4 + (x1 * y4));
    sum1_5 = (sum1_5 + (x1 * y5));
    sum1_6 = (sum1_6 + (x1 * y6));
    sum1_7 = (sum1_7 + (x1 * y7));
    sum2_0 = (sum2_0 + (x2 * y0));
    sum2_1 = (sum2_1 + (x2 * y1));
    sum2_2 = (sum2_2 + (x2 * y2));
    sum2_3 = (sum2_3 + (x2 * y3));
    sum2_4 = (sum2_4 + (x2 * y4));
    sum2_5 = (sum2_5 + (x2 * y5));
    sum2_6 = (sum2_6 + (x2 * y6));
    sum2_7 = (sum2_7 + (x2 * y7));
    sum3_0 = (sum3_0 + (x3 * y0));
    sum3_1 = (sum3_1 + (x3 * y1));
    sum3_2 = (sum3_2 + (x3 * y2));
    sum3_3 = (sum3_3 + (x3 * y3));
    sum3_4 = (sum3_4 + (x3 * y4));
    sum3_5 = (sum3_5 + (x3 * y5));
    sum3_6 = (sum3_6 + (x3 * y6));
    sum3_7 = (sum3_7 + (x3 * y7));
    sum4_0 = (sum4_0 + (x4 * y0));
    sum4_1 = (sum4_1 + (x4 * y1));
    sum4_2 = (sum4_2 + (x4 * y2));
    sum4_3 = (sum4_3 + (x4 * y3));
    sum4_4 = (sum4_4 + (x4 * y4));
    sum4_5 = (sum4_5 + (x4 * y5));
    sum4_6 = (sum4_6 + (x4 * y6));
    sum4_7 = (sum4_7 + (x4 * y7));
    sum5_0 = (sum5_0 + (x5 * y0));
    sum5_1 = (sum5_1 + (x5 * y1));
    sum5_2 = (sum5_2 + (x5 * y2));
    sum5_3 = (sum5_3 + (x5 * y3));
    sum5_4 = (sum5_4 + (x5 * y4));
    sum5_5 = (sum5_5 + (x5 * y5));
    sum5_6 = (sum5_6 + (x5 * y6));
    sum5_7 = (sum5_7 + (x5 * y7));
    sum6_0 = (sum6_0 + (x6 * y0));
    sum6_1 = (sum6_1 + (x6 * y1));
    sum6_2 = (sum6_2 + (x6 * y2));
    sum6_3 = (sum6_3 + (x6 * y3));
    sum6_4 = (sum6_4 + (x6 * y4));
    sum6_5 = (sum6_5 + (x6 * y5));
    sum6_6 = (sum6_6 + (x6 * y6));
    sum6_7 = (sum6_7 + (x6 * y7));
    sum7_0 = (sum7_0 + (x7 * y0));
    sum7_1 = (sum7_1 + (x7 * y1));
    sum7_2 = (sum7_2 + (x7 * y2));
    sum7_3 = (sum7_3 + (x7 * y3));
    sum7_4 = (sum7_4 + (x7 * y4));
    sum7_5 = (sum7_5 + (x7 * y5));
    sum7_6 = (sum7_6 + (x7 * y6));
    sum7_7 = (sum7_7 + (x7 * y7));
    }
    }
    {
    let row = first_row + own_row * 8u + 0u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum0_0);
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum0_1);
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum0_2);
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum0_3);
    }
    }
    {
    let column = first_column + own_column + 64u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum0_4);
    }
    }
    {
    let column = first_column + own_column + 80u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum0_5);
    }
    }
    {
    let column = first_column + own_column + 96u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum0_6);
    }
    }
    {
    let column = first_column + own_column + 112u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum0_7);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 8u + 1u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum1_0);
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum1_1);
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum1_2);
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum1_3);
    }
    }
    {
    let column = first_column + own_column + 64u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum1_4);
    }
    }
    {
    let column = first_column + own_column + 80u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum1_5);
    }
    }
    {
    let column = first_column + own_column + 96u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum1_6);
    }
    }
    {
    let column = first_column + own_column + 112u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum1_7);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 8u + 2u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum2_0);
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum2_1);
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum2_2);
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum2_3);
    }
    }
    {
    let column = first_column + own_column + 64u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum2_4);
    }
    }
    {
    let column = first_column + own_column + 80u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum2_5);
    }
    }
    {
    let column = first_column + own_column + 96u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum2_6);
    }
    }
    {
    let column = first_column + own_column + 112u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum2_7);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 8u + 3u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum3_0);
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum3_1);
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum3_2);
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum3_3);
    }
    }
    {
    let column = first_column + own_column + 64u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum3_4);
    }
    }
    {
    let column = first_column + own_column + 80u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum3_5);
    }
    }
    {
    let column = first_column + own_column + 96u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum3_6);
    }
    }
    {
    let column = first_column + own_column + 112u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum3_7);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 8u + 4u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum4_0);
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum4_1);
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum4_2);
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum4_3);
    }
    }
    {
    let column = first_column + own_column + 64u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum4_4);
    }
    }
    {
    let column = first_column + own_column + 80u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum4_5);
    }
    }
    {
    let column = first_column + own_column + 96u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum4_6);
    }
    }
    {
    let column = first_column + own_column + 112u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum4_7);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 8u + 5u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum5_0);
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum5_1);
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum5_2);
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum5_3);
    }
    }
    {
    let column = first_column + own_column + 64u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum5_4);
    }
    }
    {
    let column = first_column + own_column + 80u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum5_5);
    }
    }
    {
    let column = first_column + own_column + 96u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum5_6);
    }
    }
    {
    let column = first_column + own_column + 112u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum5_7);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 8u + 6u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum6_0);
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum6_1);
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum6_2);
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum6_3);
    }
    }
    {
    let column = first_column + own_column + 64u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum6_4);
    }
    }
    {
    let column = first_column + own_column + 80u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum6_5);
    }
    }
    {
    let column = first_column + own_column + 96u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum6_6);
    }
    }
    {
    let column = first_column + own_column + 112u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum6_7);
    }
    }
    }
    }
    {
    let row = first_row + own_row * 8u + 7u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum7_0);
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum7_1);
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum7_2);
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum7_3);
    }
    }
    {
    let column = first_column + own_column + 64u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum7_4);
    }
    }
    {
    let column = first_column + own_column + 80u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum7_5);
    }
    }
    {
    let column = first_column + own_column + 96u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum7_6);
    }
    }
    {
    let column = first_column + own_column + 112u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    write_to0(position * parameters[1].x + part, sum7_7);
    }
    }
    }
    }
}

