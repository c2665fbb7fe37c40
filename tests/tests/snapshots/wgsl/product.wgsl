// Each Workgroup; parameters [First, End, Symbol(s0), Symbol(s3), Parts, PartLength, Inner, Symbol(s1), Symbol(s2), Symbol(s4)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> a2: array<f32>;
var<workgroup> left: array<f32, 1040>;
var<workgroup> right: array<f32, 1024>;

@compute @workgroup_size(256)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let rows = 1u * parameters[2];
    let columns = 1u * parameters[3];
    let row_tiles = (rows + 63u) / 64u;
    let column_tiles = (columns + 63u) / 64u;
    let part = point % parameters[4];
    let tile = point / parameters[4];
    let first_column = (tile % column_tiles) * 64u;
    let first_row = (tile / column_tiles % row_tiles) * 64u;
    let batch = tile / column_tiles / row_tiles;
    let begin = part * parameters[5];
    let count = min(parameters[5], parameters[6] - begin);
    let own_row = local / 16u;
    let own_column = local % 16u;
    var sum0_0 = f32();
    var sum0_1 = f32();
    var sum0_2 = f32();
    var sum0_3 = f32();
    var sum1_0 = f32();
    var sum1_1 = f32();
    var sum1_2 = f32();
    var sum1_3 = f32();
    var sum2_0 = f32();
    var sum2_1 = f32();
    var sum2_2 = f32();
    var sum2_3 = f32();
    var sum3_0 = f32();
    var sum3_1 = f32();
    var sum3_2 = f32();
    var sum3_3 = f32();
    for (var done = 0u; done < count; done += 16u) {
    workgroupBarrier();
    for (var n = local; n < 1024u; n += 256u) {
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
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
    factor = v3;
    }
    left[along * 65u + across] = factor;
    }
    for (var n = local; n < 1024u; n += 256u) {
    let across = n % 64u;
    let along = n / 64u;
    var factor = f32();
    if first_column + across < columns && done + along < count {
    var rest1 = first_column + across;
    let c1 = i32(rest1);
    var rest2 = begin + done + along;
    let c2 = i32(rest2);
    let v1 = c1;
    let v2 = c2;
    var v4 = f32();
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[3]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[3] + u32(v1))]; }
    if true & !inside_v4 { atomicMin(&failure[0], point); }
    factor = v4;
    }
    right[along * 64u + across] = factor;
    }
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
    let x0 = left[k * 65u + own_row * 4u + 0u];
    let x1 = left[k * 65u + own_row * 4u + 1u];
    let x2 = left[k * 65u + own_row * 4u + 2u];
    let x3 = left[k * 65u + own_row * 4u + 3u];
    let y0 = right[k * 64u + own_column + 0u];
    let y1 = right[k * 64u + own_column + 16u];
    let y2 = right[k * 64u + own_column + 32u];
    let y3 = right[k * 64u + own_column + 48u];
    sum0_0 = (sum0_0 + (x0 * y0));
    sum0_1 = (sum0_1 + (x0 * y1));
    sum0_2 = (sum0_2 + (x0 * y2));
    sum0_3 = (sum0_3 + (x0 * y3));
    sum1_0 = (sum1_0 + (x1 * y0));
    sum1_1 = (sum1_1 + (x1 * y1));
    sum1_2 = (sum1_2 + (x1 * y2));
    sum1_3 = (sum1_3 + (x1 * y3));
    sum2_0 = (sum2_0 + (x2 * y0));
    sum2_1 = (sum2_1 + (x2 * y1));
    sum2_2 = (sum2_2 + (x2 * y2));
    sum2_3 = (sum2_3 + (x2 * y3));
    sum3_0 = (sum3_0 + (x3 * y0));
    sum3_1 = (sum3_1 + (x3 * y1));
    sum3_2 = (sum3_2 + (x3 * y2));
    sum3_3 = (sum3_3 + (x3 * y3));
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum0_0 = bitcast<f32>(parameters[9]); } else { sum0_0 = (bitcast<f32>(parameters[9]) + sum0_0); }
    a2[position] = sum0_0;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum0_1 = bitcast<f32>(parameters[9]); } else { sum0_1 = (bitcast<f32>(parameters[9]) + sum0_1); }
    a2[position] = sum0_1;
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum0_2 = bitcast<f32>(parameters[9]); } else { sum0_2 = (bitcast<f32>(parameters[9]) + sum0_2); }
    a2[position] = sum0_2;
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum0_3 = bitcast<f32>(parameters[9]); } else { sum0_3 = (bitcast<f32>(parameters[9]) + sum0_3); }
    a2[position] = sum0_3;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum1_0 = bitcast<f32>(parameters[9]); } else { sum1_0 = (bitcast<f32>(parameters[9]) + sum1_0); }
    a2[position] = sum1_0;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum1_1 = bitcast<f32>(parameters[9]); } else { sum1_1 = (bitcast<f32>(parameters[9]) + sum1_1); }
    a2[position] = sum1_1;
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum1_2 = bitcast<f32>(parameters[9]); } else { sum1_2 = (bitcast<f32>(parameters[9]) + sum1_2); }
    a2[position] = sum1_2;
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum1_3 = bitcast<f32>(parameters[9]); } else { sum1_3 = (bitcast<f32>(parameters[9]) + sum1_3); }
    a2[position] = sum1_3;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum2_0 = bitcast<f32>(parameters[9]); } else { sum2_0 = (bitcast<f32>(parameters[9]) + sum2_0); }
    a2[position] = sum2_0;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum2_1 = bitcast<f32>(parameters[9]); } else { sum2_1 = (bitcast<f32>(parameters[9]) + sum2_1); }
    a2[position] = sum2_1;
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum2_2 = bitcast<f32>(parameters[9]); } else { sum2_2 = (bitcast<f32>(parameters[9]) + sum2_2); }
    a2[position] = sum2_2;
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum2_3 = bitcast<f32>(parameters[9]); } else { sum2_3 = (bitcast<f32>(parameters[9]) + sum2_3); }
    a2[position] = sum2_3;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum3_0 = bitcast<f32>(parameters[9]); } else { sum3_0 = (bitcast<f32>(parameters[9]) + sum3_0); }
    a2[position] = sum3_0;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum3_1 = bitcast<f32>(parameters[9]); } else { sum3_1 = (bitcast<f32>(parameters[9]) + sum3_1); }
    a2[position] = sum3_1;
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum3_2 = bitcast<f32>(parameters[9]); } else { sum3_2 = (bitcast<f32>(parameters[9]) + sum3_2); }
    a2[position] = sum3_2;
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum3_3 = bitcast<f32>(parameters[9]); } else { sum3_3 = (bitcast<f32>(parameters[9]) + sum3_3); }
    a2[position] = sum3_3;
    }
    }
    }
    }
}

// Each Workgroup; parameters [First, End, Symbol(s0), Symbol(s3), Parts, PartLength, Inner, Symbol(s1), Symbol(s2)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<f32>;
var<workgroup> left: array<f32, 1040>;
var<workgroup> right: array<f32, 1024>;

@compute @workgroup_size(256)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let rows = 1u * parameters[2];
    let columns = 1u * parameters[3];
    let row_tiles = (rows + 63u) / 64u;
    let column_tiles = (columns + 63u) / 64u;
    let part = point % parameters[4];
    let tile = point / parameters[4];
    let first_column = (tile % column_tiles) * 64u;
    let first_row = (tile / column_tiles % row_tiles) * 64u;
    let batch = tile / column_tiles / row_tiles;
    let begin = part * parameters[5];
    let count = min(parameters[5], parameters[6] - begin);
    let own_row = local / 16u;
    let own_column = local % 16u;
    var sum0_0 = f32();
    var sum0_1 = f32();
    var sum0_2 = f32();
    var sum0_3 = f32();
    var sum1_0 = f32();
    var sum1_1 = f32();
    var sum1_2 = f32();
    var sum1_3 = f32();
    var sum2_0 = f32();
    var sum2_1 = f32();
    var sum2_2 = f32();
    var sum2_3 = f32();
    var sum3_0 = f32();
    var sum3_1 = f32();
    var sum3_2 = f32();
    var sum3_3 = f32();
    for (var done = 0u; done < count; done += 16u) {
    workgroupBarrier();
    for (var n = local; n < 1024u; n += 256u) {
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
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
    factor = v3;
    }
    left[along * 65u + across] = factor;
    }
    for (var n = local; n < 1024u; n += 256u) {
    let across = n % 64u;
    let along = n / 64u;
    var factor = f32();
    if first_column + across < columns && done + along < count {
    var rest1 = first_column + across;
    let c1 = i32(rest1);
    var rest2 = begin + done + along;
    let c2 = i32(rest2);
    let v1 = c1;
    let v2 = c2;
    var v4 = f32();
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[3]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[3] + u32(v1))]; }
    if true & !inside_v4 { atomicMin(&failure[0], point); }
    factor = v4;
    }
    right[along * 64u + across] = factor;
    }
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
    let x0 = left[k * 65u + own_row * 4u + 0u];
    let x1 = left[k * 65u + own_row * 4u + 1u];
    let x2 = left[k * 65u + own_row * 4u + 2u];
    let x3 = left[k * 65u + own_row * 4u + 3u];
    let y0 = right[k * 64u + own_column + 0u];
    let y1 = right[k * 64u + own_column + 16u];
    let y2 = right[k * 64u + own_column + 32u];
    let y3 = right[k * 64u + own_column + 48u];
    sum0_0 = (sum0_0 + (x0 * y0));
    sum0_1 = (sum0_1 + (x0 * y1));
    sum0_2 = (sum0_2 + (x0 * y2));
    sum0_3 = (sum0_3 + (x0 * y3));
    sum1_0 = (sum1_0 + (x1 * y0));
    sum1_1 = (sum1_1 + (x1 * y1));
    sum1_2 = (sum1_2 + (x1 * y2));
    sum1_3 = (sum1_3 + (x1 * y3));
    sum2_0 = (sum2_0 + (x2 * y0));
    sum2_1 = (sum2_1 + (x2 * y1));
    sum2_2 = (sum2_2 + (x2 * y2));
    sum2_3 = (sum2_3 + (x2 * y3));
    sum3_0 = (sum3_0 + (x3 * y0));
    sum3_1 = (sum3_1 + (x3 * y1));
    sum3_2 = (sum3_2 + (x3 * y2));
    sum3_3 = (sum3_3 + (x3 * y3));
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum0_0;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum0_1;
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum0_2;
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum0_3;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum1_0;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum1_1;
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum1_2;
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum1_3;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum2_0;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum2_1;
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum2_2;
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum2_3;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum3_0;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum3_1;
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum3_2;
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum3_3;
    }
    }
    }
    }
}

// Each Workgroup; parameters [First, End, Symbol(s0), Symbol(s3), Parts, PartLength, Inner, Symbol(s1), Symbol(s2), Symbol(s4)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> a2: array<f32>;
var<workgroup> left: array<f32, 528>;
var<workgroup> right: array<f32, 512>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let rows = 1u * parameters[2];
    let columns = 1u * parameters[3];
    let row_tiles = (rows + 31u) / 32u;
    let column_tiles = (columns + 31u) / 32u;
    let part = point % parameters[4];
    let tile = point / parameters[4];
    let first_column = (tile % column_tiles) * 32u;
    let first_row = (tile / column_tiles % row_tiles) * 32u;
    let batch = tile / column_tiles / row_tiles;
    let begin = part * parameters[5];
    let count = min(parameters[5], parameters[6] - begin);
    let own_row = local / 8u;
    let own_column = local % 8u;
    var sum0_0 = f32();
    var sum0_1 = f32();
    var sum0_2 = f32();
    var sum0_3 = f32();
    var sum1_0 = f32();
    var sum1_1 = f32();
    var sum1_2 = f32();
    var sum1_3 = f32();
    var sum2_0 = f32();
    var sum2_1 = f32();
    var sum2_2 = f32();
    var sum2_3 = f32();
    var sum3_0 = f32();
    var sum3_1 = f32();
    var sum3_2 = f32();
    var sum3_3 = f32();
    for (var done = 0u; done < count; done += 16u) {
    workgroupBarrier();
    for (var n = local; n < 512u; n += 64u) {
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
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
    factor = v3;
    }
    left[along * 33u + across] = factor;
    }
    for (var n = local; n < 512u; n += 64u) {
    let across = n % 32u;
    let along = n / 32u;
    var factor = f32();
    if first_column + across < columns && done + along < count {
    var rest1 = first_column + across;
    let c1 = i32(rest1);
    var rest2 = begin + done + along;
    let c2 = i32(rest2);
    let v1 = c1;
    let v2 = c2;
    var v4 = f32();
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[3]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[3] + u32(v1))]; }
    if true & !inside_v4 { atomicMin(&failure[0], point); }
    factor = v4;
    }
    right[along * 32u + across] = factor;
    }
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
    let x0 = left[k * 33u + own_row * 4u + 0u];
    let x1 = left[k * 33u + own_row * 4u + 1u];
    let x2 = left[k * 33u + own_row * 4u + 2u];
    let x3 = left[k * 33u + own_row * 4u + 3u];
    let y0 = right[k * 32u + own_column + 0u];
    let y1 = right[k * 32u + own_column + 8u];
    let y2 = right[k * 32u + own_column + 16u];
    let y3 = right[k * 32u + own_column + 24u];
    sum0_0 = (sum0_0 + (x0 * y0));
    sum0_1 = (sum0_1 + (x0 * y1));
    sum0_2 = (sum0_2 + (x0 * y2));
    sum0_3 = (sum0_3 + (x0 * y3));
    sum1_0 = (sum1_0 + (x1 * y0));
    sum1_1 = (sum1_1 + (x1 * y1));
    sum1_2 = (sum1_2 + (x1 * y2));
    sum1_3 = (sum1_3 + (x1 * y3));
    sum2_0 = (sum2_0 + (x2 * y0));
    sum2_1 = (sum2_1 + (x2 * y1));
    sum2_2 = (sum2_2 + (x2 * y2));
    sum2_3 = (sum2_3 + (x2 * y3));
    sum3_0 = (sum3_0 + (x3 * y0));
    sum3_1 = (sum3_1 + (x3 * y1));
    sum3_2 = (sum3_2 + (x3 * y2));
    sum3_3 = (sum3_3 + (x3 * y3));
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum0_0 = bitcast<f32>(parameters[9]); } else { sum0_0 = (bitcast<f32>(parameters[9]) + sum0_0); }
    a2[position] = sum0_0;
    }
    }
    {
    let column = first_column + own_column + 8u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum0_1 = bitcast<f32>(parameters[9]); } else { sum0_1 = (bitcast<f32>(parameters[9]) + sum0_1); }
    a2[position] = sum0_1;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum0_2 = bitcast<f32>(parameters[9]); } else { sum0_2 = (bitcast<f32>(parameters[9]) + sum0_2); }
    a2[position] = sum0_2;
    }
    }
    {
    let column = first_column + own_column + 24u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum0_3 = bitcast<f32>(parameters[9]); } else { sum0_3 = (bitcast<f32>(parameters[9]) + sum0_3); }
    a2[position] = sum0_3;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum1_0 = bitcast<f32>(parameters[9]); } else { sum1_0 = (bitcast<f32>(parameters[9]) + sum1_0); }
    a2[position] = sum1_0;
    }
    }
    {
    let column = first_column + own_column + 8u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum1_1 = bitcast<f32>(parameters[9]); } else { sum1_1 = (bitcast<f32>(parameters[9]) + sum1_1); }
    a2[position] = sum1_1;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum1_2 = bitcast<f32>(parameters[9]); } else { sum1_2 = (bitcast<f32>(parameters[9]) + sum1_2); }
    a2[position] = sum1_2;
    }
    }
    {
    let column = first_column + own_column + 24u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum1_3 = bitcast<f32>(parameters[9]); } else { sum1_3 = (bitcast<f32>(parameters[9]) + sum1_3); }
    a2[position] = sum1_3;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum2_0 = bitcast<f32>(parameters[9]); } else { sum2_0 = (bitcast<f32>(parameters[9]) + sum2_0); }
    a2[position] = sum2_0;
    }
    }
    {
    let column = first_column + own_column + 8u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum2_1 = bitcast<f32>(parameters[9]); } else { sum2_1 = (bitcast<f32>(parameters[9]) + sum2_1); }
    a2[position] = sum2_1;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum2_2 = bitcast<f32>(parameters[9]); } else { sum2_2 = (bitcast<f32>(parameters[9]) + sum2_2); }
    a2[position] = sum2_2;
    }
    }
    {
    let column = first_column + own_column + 24u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum2_3 = bitcast<f32>(parameters[9]); } else { sum2_3 = (bitcast<f32>(parameters[9]) + sum2_3); }
    a2[position] = sum2_3;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum3_0 = bitcast<f32>(parameters[9]); } else { sum3_0 = (bitcast<f32>(parameters[9]) + sum3_0); }
    a2[position] = sum3_0;
    }
    }
    {
    let column = first_column + own_column + 8u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum3_1 = bitcast<f32>(parameters[9]); } else { sum3_1 = (bitcast<f32>(parameters[9]) + sum3_1); }
    a2[position] = sum3_1;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum3_2 = bitcast<f32>(parameters[9]); } else { sum3_2 = (bitcast<f32>(parameters[9]) + sum3_2); }
    a2[position] = sum3_2;
    }
    }
    {
    let column = first_column + own_column + 24u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum3_3 = bitcast<f32>(parameters[9]); } else { sum3_3 = (bitcast<f32>(parameters[9]) + sum3_3); }
    a2[position] = sum3_3;
    }
    }
    }
    }
}

// Each Workgroup; parameters [First, End, Symbol(s0), Symbol(s3), Parts, PartLength, Inner, Symbol(s1), Symbol(s2)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<f32>;
var<workgroup> left: array<f32, 528>;
var<workgroup> right: array<f32, 512>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let rows = 1u * parameters[2];
    let columns = 1u * parameters[3];
    let row_tiles = (rows + 31u) / 32u;
    let column_tiles = (columns + 31u) / 32u;
    let part = point % parameters[4];
    let tile = point / parameters[4];
    let first_column = (tile % column_tiles) * 32u;
    let first_row = (tile / column_tiles % row_tiles) * 32u;
    let batch = tile / column_tiles / row_tiles;
    let begin = part * parameters[5];
    let count = min(parameters[5], parameters[6] - begin);
    let own_row = local / 8u;
    let own_column = local % 8u;
    var sum0_0 = f32();
    var sum0_1 = f32();
    var sum0_2 = f32();
    var sum0_3 = f32();
    var sum1_0 = f32();
    var sum1_1 = f32();
    var sum1_2 = f32();
    var sum1_3 = f32();
    var sum2_0 = f32();
    var sum2_1 = f32();
    var sum2_2 = f32();
    var sum2_3 = f32();
    var sum3_0 = f32();
    var sum3_1 = f32();
    var sum3_2 = f32();
    var sum3_3 = f32();
    for (var done = 0u; done < count; done += 16u) {
    workgroupBarrier();
    for (var n = local; n < 512u; n += 64u) {
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
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
    factor = v3;
    }
    left[along * 33u + across] = factor;
    }
    for (var n = local; n < 512u; n += 64u) {
    let across = n % 32u;
    let along = n / 32u;
    var factor = f32();
    if first_column + across < columns && done + along < count {
    var rest1 = first_column + across;
    let c1 = i32(rest1);
    var rest2 = begin + done + along;
    let c2 = i32(rest2);
    let v1 = c1;
    let v2 = c2;
    var v4 = f32();
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[3]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[3] + u32(v1))]; }
    if true & !inside_v4 { atomicMin(&failure[0], point); }
    factor = v4;
    }
    right[along * 32u + across] = factor;
    }
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
    let x0 = left[k * 33u + own_row * 4u + 0u];
    let x1 = left[k * 33u + own_row * 4u + 1u];
    let x2 = left[k * 33u + own_row * 4u + 2u];
    let x3 = left[k * 33u + own_row * 4u + 3u];
    let y0 = right[k * 32u + own_column + 0u];
    let y1 = right[k * 32u + own_column + 8u];
    let y2 = right[k * 32u + own_column + 16u];
    let y3 = right[k * 32u + own_column + 24u];
    sum0_0 = (sum0_0 + (x0 * y0));
    sum0_1 = (sum0_1 + (x0 * y1));
    sum0_2 = (sum0_2 + (x0 * y2));
    sum0_3 = (sum0_3 + (x0 * y3));
    sum1_0 = (sum1_0 + (x1 * y0));
    sum1_1 = (sum1_1 + (x1 * y1));
    sum1_2 = (sum1_2 + (x1 * y2));
    sum1_3 = (sum1_3 + (x1 * y3));
    sum2_0 = (sum2_0 + (x2 * y0));
    sum2_1 = (sum2_1 + (x2 * y1));
    sum2_2 = (sum2_2 + (x2 * y2));
    sum2_3 = (sum2_3 + (x2 * y3));
    sum3_0 = (sum3_0 + (x3 * y0));
    sum3_1 = (sum3_1 + (x3 * y1));
    sum3_2 = (sum3_2 + (x3 * y2));
    sum3_3 = (sum3_3 + (x3 * y3));
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum0_0;
    }
    }
    {
    let column = first_column + own_column + 8u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum0_1;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum0_2;
    }
    }
    {
    let column = first_column + own_column + 24u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum0_3;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum1_0;
    }
    }
    {
    let column = first_column + own_column + 8u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum1_1;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum1_2;
    }
    }
    {
    let column = first_column + own_column + 24u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum1_3;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum2_0;
    }
    }
    {
    let column = first_column + own_column + 8u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum2_1;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum2_2;
    }
    }
    {
    let column = first_column + own_column + 24u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum2_3;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum3_0;
    }
    }
    {
    let column = first_column + own_column + 8u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum3_1;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum3_2;
    }
    }
    {
    let column = first_column + own_column + 24u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum3_3;
    }
    }
    }
    }
}

// Each Workgroup; parameters [First, End, Symbol(s0), Symbol(s3), Parts, PartLength, Inner, Symbol(s1), Symbol(s2), Symbol(s4)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> a2: array<f32>;
var<workgroup> left: array<f32, 1040>;
var<workgroup> right: array<f32, 128>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let rows = 1u * parameters[2];
    let columns = 1u * parameters[3];
    let row_tiles = (rows + 63u) / 64u;
    let column_tiles = (columns + 7u) / 8u;
    let part = point % parameters[4];
    let tile = point / parameters[4];
    let first_column = (tile % column_tiles) * 8u;
    let first_row = (tile / column_tiles % row_tiles) * 64u;
    let batch = tile / column_tiles / row_tiles;
    let begin = part * parameters[5];
    let count = min(parameters[5], parameters[6] - begin);
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
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
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
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[3]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[3] + u32(v1))]; }
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum0_0 = bitcast<f32>(parameters[9]); } else { sum0_0 = (bitcast<f32>(parameters[9]) + sum0_0); }
    a2[position] = sum0_0;
    }
    }
    {
    let column = first_column + own_column + 4u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum0_1 = bitcast<f32>(parameters[9]); } else { sum0_1 = (bitcast<f32>(parameters[9]) + sum0_1); }
    a2[position] = sum0_1;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum1_0 = bitcast<f32>(parameters[9]); } else { sum1_0 = (bitcast<f32>(parameters[9]) + sum1_0); }
    a2[position] = sum1_0;
    }
    }
    {
    let column = first_column + own_column + 4u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum1_1 = bitcast<f32>(parameters[9]); } else { sum1_1 = (bitcast<f32>(parameters[9]) + sum1_1); }
    a2[position] = sum1_1;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum2_0 = bitcast<f32>(parameters[9]); } else { sum2_0 = (bitcast<f32>(parameters[9]) + sum2_0); }
    a2[position] = sum2_0;
    }
    }
    {
    let column = first_column + own_column + 4u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum2_1 = bitcast<f32>(parameters[9]); } else { sum2_1 = (bitcast<f32>(parameters[9]) + sum2_1); }
    a2[position] = sum2_1;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum3_0 = bitcast<f32>(parameters[9]); } else { sum3_0 = (bitcast<f32>(parameters[9]) + sum3_0); }
    a2[position] = sum3_0;
    }
    }
    {
    let column = first_column + own_column + 4u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum3_1 = bitcast<f32>(parameters[9]); } else { sum3_1 = (bitcast<f32>(parameters[9]) + sum3_1); }
    a2[position] = sum3_1;
    }
    }
    }
    }
}

// Each Workgroup; parameters [First, End, Symbol(s0), Symbol(s3), Parts, PartLength, Inner, Symbol(s1), Symbol(s2)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<f32>;
var<workgroup> left: array<f32, 1040>;
var<workgroup> right: array<f32, 128>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let rows = 1u * parameters[2];
    let columns = 1u * parameters[3];
    let row_tiles = (rows + 63u) / 64u;
    let column_tiles = (columns + 7u) / 8u;
    let part = point % parameters[4];
    let tile = point / parameters[4];
    let first_column = (tile % column_tiles) * 8u;
    let first_row = (tile / column_tiles % row_tiles) * 64u;
    let batch = tile / column_tiles / row_tiles;
    let begin = part * parameters[5];
    let count = min(parameters[5], parameters[6] - begin);
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
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
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
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[3]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[3] + u32(v1))]; }
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum0_0;
    }
    }
    {
    let column = first_column + own_column + 4u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum0_1;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum1_0;
    }
    }
    {
    let column = first_column + own_column + 4u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum1_1;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum2_0;
    }
    }
    {
    let column = first_column + own_column + 4u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum2_1;
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
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum3_0;
    }
    }
    {
    let column = first_column + own_column + 4u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum3_1;
    }
    }
    }
    }
}

// Each Workgroup; parameters [First, End, Symbol(s0), Symbol(s3), Parts, PartLength, Inner, Symbol(s1), Symbol(s2), Symbol(s4)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> a2: array<f32>;
var<workgroup> left: array<f32, 144>;
var<workgroup> right: array<f32, 1024>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let rows = 1u * parameters[2];
    let columns = 1u * parameters[3];
    let row_tiles = (rows + 7u) / 8u;
    let column_tiles = (columns + 63u) / 64u;
    let part = point % parameters[4];
    let tile = point / parameters[4];
    let first_column = (tile % column_tiles) * 64u;
    let first_row = (tile / column_tiles % row_tiles) * 8u;
    let batch = tile / column_tiles / row_tiles;
    let begin = part * parameters[5];
    let count = min(parameters[5], parameters[6] - begin);
    let own_row = local / 16u;
    let own_column = local % 16u;
    var sum0_0 = f32();
    var sum0_1 = f32();
    var sum0_2 = f32();
    var sum0_3 = f32();
    var sum1_0 = f32();
    var sum1_1 = f32();
    var sum1_2 = f32();
    var sum1_3 = f32();
    for (var done = 0u; done < count; done += 16u) {
    workgroupBarrier();
    for (var n = local; n < 128u; n += 64u) {
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
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
    factor = v3;
    }
    left[along * 9u + across] = factor;
    }
    for (var n = local; n < 1024u; n += 64u) {
    let across = n % 64u;
    let along = n / 64u;
    var factor = f32();
    if first_column + across < columns && done + along < count {
    var rest1 = first_column + across;
    let c1 = i32(rest1);
    var rest2 = begin + done + along;
    let c2 = i32(rest2);
    let v1 = c1;
    let v2 = c2;
    var v4 = f32();
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[3]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[3] + u32(v1))]; }
    if true & !inside_v4 { atomicMin(&failure[0], point); }
    factor = v4;
    }
    right[along * 64u + across] = factor;
    }
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
    let x0 = left[k * 9u + own_row * 2u + 0u];
    let x1 = left[k * 9u + own_row * 2u + 1u];
    let y0 = right[k * 64u + own_column + 0u];
    let y1 = right[k * 64u + own_column + 16u];
    let y2 = right[k * 64u + own_column + 32u];
    let y3 = right[k * 64u + own_column + 48u];
    sum0_0 = (sum0_0 + (x0 * y0));
    sum0_1 = (sum0_1 + (x0 * y1));
    sum0_2 = (sum0_2 + (x0 * y2));
    sum0_3 = (sum0_3 + (x0 * y3));
    sum1_0 = (sum1_0 + (x1 * y0));
    sum1_1 = (sum1_1 + (x1 * y1));
    sum1_2 = (sum1_2 + (x1 * y2));
    sum1_3 = (sum1_3 + (x1 * y3));
    }
    }
    {
    let row = first_row + own_row * 2u + 0u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum0_0 = bitcast<f32>(parameters[9]); } else { sum0_0 = (bitcast<f32>(parameters[9]) + sum0_0); }
    a2[position] = sum0_0;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum0_1 = bitcast<f32>(parameters[9]); } else { sum0_1 = (bitcast<f32>(parameters[9]) + sum0_1); }
    a2[position] = sum0_1;
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum0_2 = bitcast<f32>(parameters[9]); } else { sum0_2 = (bitcast<f32>(parameters[9]) + sum0_2); }
    a2[position] = sum0_2;
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum0_3 = bitcast<f32>(parameters[9]); } else { sum0_3 = (bitcast<f32>(parameters[9]) + sum0_3); }
    a2[position] = sum0_3;
    }
    }
    }
    }
    {
    let row = first_row + own_row * 2u + 1u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum1_0 = bitcast<f32>(parameters[9]); } else { sum1_0 = (bitcast<f32>(parameters[9]) + sum1_0); }
    a2[position] = sum1_0;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum1_1 = bitcast<f32>(parameters[9]); } else { sum1_1 = (bitcast<f32>(parameters[9]) + sum1_1); }
    a2[position] = sum1_1;
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum1_2 = bitcast<f32>(parameters[9]); } else { sum1_2 = (bitcast<f32>(parameters[9]) + sum1_2); }
    a2[position] = sum1_2;
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum1_3 = bitcast<f32>(parameters[9]); } else { sum1_3 = (bitcast<f32>(parameters[9]) + sum1_3); }
    a2[position] = sum1_3;
    }
    }
    }
    }
}

// Each Workgroup; parameters [First, End, Symbol(s0), Symbol(s3), Parts, PartLength, Inner, Symbol(s1), Symbol(s2)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<f32>;
var<workgroup> left: array<f32, 144>;
var<workgroup> right: array<f32, 1024>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let rows = 1u * parameters[2];
    let columns = 1u * parameters[3];
    let row_tiles = (rows + 7u) / 8u;
    let column_tiles = (columns + 63u) / 64u;
    let part = point % parameters[4];
    let tile = point / parameters[4];
    let first_column = (tile % column_tiles) * 64u;
    let first_row = (tile / column_tiles % row_tiles) * 8u;
    let batch = tile / column_tiles / row_tiles;
    let begin = part * parameters[5];
    let count = min(parameters[5], parameters[6] - begin);
    let own_row = local / 16u;
    let own_column = local % 16u;
    var sum0_0 = f32();
    var sum0_1 = f32();
    var sum0_2 = f32();
    var sum0_3 = f32();
    var sum1_0 = f32();
    var sum1_1 = f32();
    var sum1_2 = f32();
    var sum1_3 = f32();
    for (var done = 0u; done < count; done += 16u) {
    workgroupBarrier();
    for (var n = local; n < 128u; n += 64u) {
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
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
    factor = v3;
    }
    left[along * 9u + across] = factor;
    }
    for (var n = local; n < 1024u; n += 64u) {
    let across = n % 64u;
    let along = n / 64u;
    var factor = f32();
    if first_column + across < columns && done + along < count {
    var rest1 = first_column + across;
    let c1 = i32(rest1);
    var rest2 = begin + done + along;
    let c2 = i32(rest2);
    let v1 = c1;
    let v2 = c2;
    var v4 = f32();
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[3]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[3] + u32(v1))]; }
    if true & !inside_v4 { atomicMin(&failure[0], point); }
    factor = v4;
    }
    right[along * 64u + across] = factor;
    }
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
    let x0 = left[k * 9u + own_row * 2u + 0u];
    let x1 = left[k * 9u + own_row * 2u + 1u];
    let y0 = right[k * 64u + own_column + 0u];
    let y1 = right[k * 64u + own_column + 16u];
    let y2 = right[k * 64u + own_column + 32u];
    let y3 = right[k * 64u + own_column + 48u];
    sum0_0 = (sum0_0 + (x0 * y0));
    sum0_1 = (sum0_1 + (x0 * y1));
    sum0_2 = (sum0_2 + (x0 * y2));
    sum0_3 = (sum0_3 + (x0 * y3));
    sum1_0 = (sum1_0 + (x1 * y0));
    sum1_1 = (sum1_1 + (x1 * y1));
    sum1_2 = (sum1_2 + (x1 * y2));
    sum1_3 = (sum1_3 + (x1 * y3));
    }
    }
    {
    let row = first_row + own_row * 2u + 0u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum0_0;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum0_1;
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum0_2;
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum0_3;
    }
    }
    }
    }
    {
    let row = first_row + own_row * 2u + 1u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum1_0;
    }
    }
    {
    let column = first_column + own_column + 16u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum1_1;
    }
    }
    {
    let column = first_column + own_column + 32u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum1_2;
    }
    }
    {
    let column = first_column + own_column + 48u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum1_3;
    }
    }
    }
    }
}

// Each Workgroup; parameters [First, End, Symbol(s0), Symbol(s3), Parts, PartLength, Inner, Symbol(s1), Symbol(s2), Symbol(s4)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> a2: array<f32>;
var<workgroup> left: array<f32, 272>;
var<workgroup> right: array<f32, 256>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let rows = 1u * parameters[2];
    let columns = 1u * parameters[3];
    let row_tiles = (rows + 15u) / 16u;
    let column_tiles = (columns + 15u) / 16u;
    let part = point % parameters[4];
    let tile = point / parameters[4];
    let first_column = (tile % column_tiles) * 16u;
    let first_row = (tile / column_tiles % row_tiles) * 16u;
    let batch = tile / column_tiles / row_tiles;
    let begin = part * parameters[5];
    let count = min(parameters[5], parameters[6] - begin);
    let own_row = local / 8u;
    let own_column = local % 8u;
    var sum0_0 = f32();
    var sum0_1 = f32();
    var sum1_0 = f32();
    var sum1_1 = f32();
    for (var done = 0u; done < count; done += 16u) {
    workgroupBarrier();
    for (var n = local; n < 256u; n += 64u) {
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
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
    factor = v3;
    }
    left[along * 17u + across] = factor;
    }
    for (var n = local; n < 256u; n += 64u) {
    let across = n % 16u;
    let along = n / 16u;
    var factor = f32();
    if first_column + across < columns && done + along < count {
    var rest1 = first_column + across;
    let c1 = i32(rest1);
    var rest2 = begin + done + along;
    let c2 = i32(rest2);
    let v1 = c1;
    let v2 = c2;
    var v4 = f32();
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[3]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[3] + u32(v1))]; }
    if true & !inside_v4 { atomicMin(&failure[0], point); }
    factor = v4;
    }
    right[along * 16u + across] = factor;
    }
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
    let x0 = left[k * 17u + own_row * 2u + 0u];
    let x1 = left[k * 17u + own_row * 2u + 1u];
    let y0 = right[k * 16u + own_column + 0u];
    let y1 = right[k * 16u + own_column + 8u];
    sum0_0 = (sum0_0 + (x0 * y0));
    sum0_1 = (sum0_1 + (x0 * y1));
    sum1_0 = (sum1_0 + (x1 * y0));
    sum1_1 = (sum1_1 + (x1 * y1));
    }
    }
    {
    let row = first_row + own_row * 2u + 0u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum0_0 = bitcast<f32>(parameters[9]); } else { sum0_0 = (bitcast<f32>(parameters[9]) + sum0_0); }
    a2[position] = sum0_0;
    }
    }
    {
    let column = first_column + own_column + 8u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum0_1 = bitcast<f32>(parameters[9]); } else { sum0_1 = (bitcast<f32>(parameters[9]) + sum0_1); }
    a2[position] = sum0_1;
    }
    }
    }
    }
    {
    let row = first_row + own_row * 2u + 1u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum1_0 = bitcast<f32>(parameters[9]); } else { sum1_0 = (bitcast<f32>(parameters[9]) + sum1_0); }
    a2[position] = sum1_0;
    }
    }
    {
    let column = first_column + own_column + 8u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    if count == 0u { sum1_1 = bitcast<f32>(parameters[9]); } else { sum1_1 = (bitcast<f32>(parameters[9]) + sum1_1); }
    a2[position] = sum1_1;
    }
    }
    }
    }
}

// Each Workgroup; parameters [First, End, Symbol(s0), Symbol(s3), Parts, PartLength, Inner, Symbol(s1), Symbol(s2)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<f32>;
var<workgroup> left: array<f32, 272>;
var<workgroup> right: array<f32, 256>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let rows = 1u * parameters[2];
    let columns = 1u * parameters[3];
    let row_tiles = (rows + 15u) / 16u;
    let column_tiles = (columns + 15u) / 16u;
    let part = point % parameters[4];
    let tile = point / parameters[4];
    let first_column = (tile % column_tiles) * 16u;
    let first_row = (tile / column_tiles % row_tiles) * 16u;
    let batch = tile / column_tiles / row_tiles;
    let begin = part * parameters[5];
    let count = min(parameters[5], parameters[6] - begin);
    let own_row = local / 8u;
    let own_column = local % 8u;
    var sum0_0 = f32();
    var sum0_1 = f32();
    var sum1_0 = f32();
    var sum1_1 = f32();
    for (var done = 0u; done < count; done += 16u) {
    workgroupBarrier();
    for (var n = local; n < 256u; n += 64u) {
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
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
    factor = v3;
    }
    left[along * 17u + across] = factor;
    }
    for (var n = local; n < 256u; n += 64u) {
    let across = n % 16u;
    let along = n / 16u;
    var factor = f32();
    if first_column + across < columns && done + along < count {
    var rest1 = first_column + across;
    let c1 = i32(rest1);
    var rest2 = begin + done + along;
    let c2 = i32(rest2);
    let v1 = c1;
    let v2 = c2;
    var v4 = f32();
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[3]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[3] + u32(v1))]; }
    if true & !inside_v4 { atomicMin(&failure[0], point); }
    factor = v4;
    }
    right[along * 16u + across] = factor;
    }
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
    let x0 = left[k * 17u + own_row * 2u + 0u];
    let x1 = left[k * 17u + own_row * 2u + 1u];
    let y0 = right[k * 16u + own_column + 0u];
    let y1 = right[k * 16u + own_column + 8u];
    sum0_0 = (sum0_0 + (x0 * y0));
    sum0_1 = (sum0_1 + (x0 * y1));
    sum1_0 = (sum1_0 + (x1 * y0));
    sum1_1 = (sum1_1 + (x1 * y1));
    }
    }
    {
    let row = first_row + own_row * 2u + 0u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum0_0;
    }
    }
    {
    let column = first_column + own_column + 8u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum0_1;
    }
    }
    }
    }
    {
    let row = first_row + own_row * 2u + 1u;
    if row < rows {
    var rest0 = row;
    let c0 = i32(rest0);
    {
    let column = first_column + own_column + 0u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum1_0;
    }
    }
    {
    let column = first_column + own_column + 8u;
    if column < columns {
    var rest1 = column;
    let c1 = i32(rest1);
    let position = (u32(c0) * parameters[3] + u32(c1));
    to0[position * parameters[4] + part] = sum1_1;
    }
    }
    }
    }
}

// Each Invocation; parameters [First, End, Parts, PartLength, Inner, Symbol(s3), Symbol(s0), Symbol(s1), Symbol(s2), Symbol(s4)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> a2: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let row = point / parameters[2];
    let part = point % parameters[2];
    let begin = part * parameters[3];
    let count = min(parameters[3], parameters[4] - begin);
    var has_total = false;
    var total0 = f32();
    var rest0 = row;
    let c1 = i32(rest0 % parameters[5]);
    rest0 = rest0 / parameters[5];
    let c0 = i32(rest0);
    for (var n = 0u; n < count; n++) {
    let i = begin + n;
    var rest2 = i;
    let c2 = i32(rest2);
    let v0 = c0;
    let v1 = c1;
    let v2 = c2;
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
    var v4 = f32();
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[5]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[5] + u32(v1))]; }
    if true & !inside_v4 { atomicMin(&failure[0], point); }
    let v5 = (v3 * v4);
    if has_total {
    {
    let x0 = total0;
    let x1 = v5;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = v5;
    }
    has_total = true;
    }
    if has_total {
    {
    let x0 = bitcast<f32>(parameters[9]);
    let x1 = total0;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = bitcast<f32>(parameters[9]);
    }
    has_total = true;
    a2[row] = total0;
}

// Each Invocation; parameters [First, End, Parts, PartLength, Inner, Symbol(s3), Symbol(s0), Symbol(s1), Symbol(s2)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let row = point / parameters[2];
    let part = point % parameters[2];
    let begin = part * parameters[3];
    let count = min(parameters[3], parameters[4] - begin);
    var has_total = false;
    var total0 = f32();
    var rest0 = row;
    let c1 = i32(rest0 % parameters[5]);
    rest0 = rest0 / parameters[5];
    let c0 = i32(rest0);
    for (var n = 0u; n < count; n++) {
    let i = begin + n;
    var rest2 = i;
    let c2 = i32(rest2);
    let v0 = c0;
    let v1 = c1;
    let v2 = c2;
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
    var v4 = f32();
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[5]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[5] + u32(v1))]; }
    if true & !inside_v4 { atomicMin(&failure[0], point); }
    let v5 = (v3 * v4);
    if has_total {
    {
    let x0 = total0;
    let x1 = v5;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = v5;
    }
    has_total = true;
    }
    to0[point] = total0;
}

// Each Invocation; parameters [First, End, Parts, PartLength, Inner]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<f32>;
@group(0) @binding(3) var<storage, read_write> to0: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let row = point / parameters[2];
    let part = point % parameters[2];
    let begin = part * parameters[3];
    let count = min(parameters[3], parameters[4] - begin);
    var has_total = false;
    var total0 = f32();
    for (var n = 0u; n < count; n++) {
    let i = begin + n;
    if has_total {
    {
    let x0 = total0;
    let x1 = from0[row * parameters[4] + i];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = from0[row * parameters[4] + i];
    }
    has_total = true;
    }
    to0[point] = total0;
}

// Each Invocation; parameters [First, End, Parts, PartLength, Inner, Symbol(s4)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<f32>;
@group(0) @binding(3) var<storage, read_write> a2: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let row = point / parameters[2];
    let part = point % parameters[2];
    let begin = part * parameters[3];
    let count = min(parameters[3], parameters[4] - begin);
    var has_total = false;
    var total0 = f32();
    for (var n = 0u; n < count; n++) {
    let i = begin + n;
    if has_total {
    {
    let x0 = total0;
    let x1 = from0[row * parameters[4] + i];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = from0[row * parameters[4] + i];
    }
    has_total = true;
    }
    if has_total {
    {
    let x0 = bitcast<f32>(parameters[5]);
    let x1 = total0;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = bitcast<f32>(parameters[5]);
    }
    has_total = true;
    a2[row] = total0;
}

// Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s3), Symbol(s0), Symbol(s1), Symbol(s2), Symbol(s4)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> a2: array<f32>;
var<workgroup> shared0: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32, @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let row = point / parameters[2];
    let part = point % parameters[2];
    let begin = part * parameters[3];
    let count = min(parameters[3], parameters[4] - begin);
    var has_total = false;
    var total0 = f32();
    var rest0 = row;
    let c1 = i32(rest0 % parameters[5]);
    rest0 = rest0 / parameters[5];
    let c0 = i32(rest0);
    let valid = min(count, 256u);
    for (var n = local; n < count; n += 256u) {
    let i = begin + n;
    var rest2 = i;
    let c2 = i32(rest2);
    let v0 = c0;
    let v1 = c1;
    let v2 = c2;
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
    var v4 = f32();
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[5]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[5] + u32(v1))]; }
    if true & !inside_v4 { atomicMin(&failure[0], point); }
    let v5 = (v3 * v4);
    if has_total {
    {
    let x0 = total0;
    let x1 = v5;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = v5;
    }
    has_total = true;
    }
    if !has_total { total0 = f32(0); }
    total0 = subgroupAdd(total0);
    if lane == 0u {
    shared0[subgroup] = total0;
    }
    workgroupBarrier();
    if local == 0u && has_total {
    for (var other = 1u; other < subgroups; other++) {
    if has_total {
    {
    let x0 = total0;
    let x1 = shared0[other];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = shared0[other];
    }
    has_total = true;
    }
    }
    if local != 0u { return; }
    if has_total {
    {
    let x0 = bitcast<f32>(parameters[9]);
    let x1 = total0;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = bitcast<f32>(parameters[9]);
    }
    has_total = true;
    a2[row] = total0;
}

// Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s3), Symbol(s0), Symbol(s1), Symbol(s2)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<f32>;
var<workgroup> shared0: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32, @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let row = point / parameters[2];
    let part = point % parameters[2];
    let begin = part * parameters[3];
    let count = min(parameters[3], parameters[4] - begin);
    var has_total = false;
    var total0 = f32();
    var rest0 = row;
    let c1 = i32(rest0 % parameters[5]);
    rest0 = rest0 / parameters[5];
    let c0 = i32(rest0);
    let valid = min(count, 256u);
    for (var n = local; n < count; n += 256u) {
    let i = begin + n;
    var rest2 = i;
    let c2 = i32(rest2);
    let v0 = c0;
    let v1 = c1;
    let v2 = c2;
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
    var v4 = f32();
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[5]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[5] + u32(v1))]; }
    if true & !inside_v4 { atomicMin(&failure[0], point); }
    let v5 = (v3 * v4);
    if has_total {
    {
    let x0 = total0;
    let x1 = v5;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = v5;
    }
    has_total = true;
    }
    if !has_total { total0 = f32(0); }
    total0 = subgroupAdd(total0);
    if lane == 0u {
    shared0[subgroup] = total0;
    }
    workgroupBarrier();
    if local == 0u && has_total {
    for (var other = 1u; other < subgroups; other++) {
    if has_total {
    {
    let x0 = total0;
    let x1 = shared0[other];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = shared0[other];
    }
    has_total = true;
    }
    }
    if local != 0u { return; }
    to0[point] = total0;
}

// Each Workgroup; parameters [First, End, Parts, PartLength, Inner]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<f32>;
@group(0) @binding(3) var<storage, read_write> to0: array<f32>;
var<workgroup> shared0: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32, @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let row = point / parameters[2];
    let part = point % parameters[2];
    let begin = part * parameters[3];
    let count = min(parameters[3], parameters[4] - begin);
    var has_total = false;
    var total0 = f32();
    let valid = min(count, 256u);
    for (var n = local; n < count; n += 256u) {
    let i = begin + n;
    if has_total {
    {
    let x0 = total0;
    let x1 = from0[row * parameters[4] + i];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = from0[row * parameters[4] + i];
    }
    has_total = true;
    }
    if !has_total { total0 = f32(0); }
    total0 = subgroupAdd(total0);
    if lane == 0u {
    shared0[subgroup] = total0;
    }
    workgroupBarrier();
    if local == 0u && has_total {
    for (var other = 1u; other < subgroups; other++) {
    if has_total {
    {
    let x0 = total0;
    let x1 = shared0[other];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = shared0[other];
    }
    has_total = true;
    }
    }
    if local != 0u { return; }
    to0[point] = total0;
}

// Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s4)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<f32>;
@group(0) @binding(3) var<storage, read_write> a2: array<f32>;
var<workgroup> shared0: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32, @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let row = point / parameters[2];
    let part = point % parameters[2];
    let begin = part * parameters[3];
    let count = min(parameters[3], parameters[4] - begin);
    var has_total = false;
    var total0 = f32();
    let valid = min(count, 256u);
    for (var n = local; n < count; n += 256u) {
    let i = begin + n;
    if has_total {
    {
    let x0 = total0;
    let x1 = from0[row * parameters[4] + i];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = from0[row * parameters[4] + i];
    }
    has_total = true;
    }
    if !has_total { total0 = f32(0); }
    total0 = subgroupAdd(total0);
    if lane == 0u {
    shared0[subgroup] = total0;
    }
    workgroupBarrier();
    if local == 0u && has_total {
    for (var other = 1u; other < subgroups; other++) {
    if has_total {
    {
    let x0 = total0;
    let x1 = shared0[other];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = shared0[other];
    }
    has_total = true;
    }
    }
    if local != 0u { return; }
    if has_total {
    {
    let x0 = bitcast<f32>(parameters[5]);
    let x1 = total0;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = bitcast<f32>(parameters[5]);
    }
    has_total = true;
    a2[row] = total0;
}

// Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s3), Symbol(s0), Symbol(s1), Symbol(s2), Symbol(s4)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> a2: array<f32>;
var<workgroup> shared0: array<f32, 32>;

@compute @workgroup_size(32)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32, @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let row = point / parameters[2];
    let part = point % parameters[2];
    let begin = part * parameters[3];
    let count = min(parameters[3], parameters[4] - begin);
    var has_total = false;
    var total0 = f32();
    var rest0 = row;
    let c1 = i32(rest0 % parameters[5]);
    rest0 = rest0 / parameters[5];
    let c0 = i32(rest0);
    let valid = min(count, 32u);
    for (var n = local; n < count; n += 32u) {
    let i = begin + n;
    var rest2 = i;
    let c2 = i32(rest2);
    let v0 = c0;
    let v1 = c1;
    let v2 = c2;
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
    var v4 = f32();
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[5]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[5] + u32(v1))]; }
    if true & !inside_v4 { atomicMin(&failure[0], point); }
    let v5 = (v3 * v4);
    if has_total {
    {
    let x0 = total0;
    let x1 = v5;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = v5;
    }
    has_total = true;
    }
    if !has_total { total0 = f32(0); }
    total0 = subgroupAdd(total0);
    if lane == 0u {
    shared0[subgroup] = total0;
    }
    workgroupBarrier();
    if local == 0u && has_total {
    for (var other = 1u; other < subgroups; other++) {
    if has_total {
    {
    let x0 = total0;
    let x1 = shared0[other];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = shared0[other];
    }
    has_total = true;
    }
    }
    if local != 0u { return; }
    if has_total {
    {
    let x0 = bitcast<f32>(parameters[9]);
    let x1 = total0;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = bitcast<f32>(parameters[9]);
    }
    has_total = true;
    a2[row] = total0;
}

// Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s3), Symbol(s0), Symbol(s1), Symbol(s2)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<f32>;
var<workgroup> shared0: array<f32, 32>;

@compute @workgroup_size(32)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32, @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let row = point / parameters[2];
    let part = point % parameters[2];
    let begin = part * parameters[3];
    let count = min(parameters[3], parameters[4] - begin);
    var has_total = false;
    var total0 = f32();
    var rest0 = row;
    let c1 = i32(rest0 % parameters[5]);
    rest0 = rest0 / parameters[5];
    let c0 = i32(rest0);
    let valid = min(count, 32u);
    for (var n = local; n < count; n += 32u) {
    let i = begin + n;
    var rest2 = i;
    let c2 = i32(rest2);
    let v0 = c0;
    let v1 = c1;
    let v2 = c2;
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
    var v4 = f32();
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[5]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[5] + u32(v1))]; }
    if true & !inside_v4 { atomicMin(&failure[0], point); }
    let v5 = (v3 * v4);
    if has_total {
    {
    let x0 = total0;
    let x1 = v5;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = v5;
    }
    has_total = true;
    }
    if !has_total { total0 = f32(0); }
    total0 = subgroupAdd(total0);
    if lane == 0u {
    shared0[subgroup] = total0;
    }
    workgroupBarrier();
    if local == 0u && has_total {
    for (var other = 1u; other < subgroups; other++) {
    if has_total {
    {
    let x0 = total0;
    let x1 = shared0[other];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = shared0[other];
    }
    has_total = true;
    }
    }
    if local != 0u { return; }
    to0[point] = total0;
}

// Each Workgroup; parameters [First, End, Parts, PartLength, Inner]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<f32>;
@group(0) @binding(3) var<storage, read_write> to0: array<f32>;
var<workgroup> shared0: array<f32, 32>;

@compute @workgroup_size(32)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32, @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let row = point / parameters[2];
    let part = point % parameters[2];
    let begin = part * parameters[3];
    let count = min(parameters[3], parameters[4] - begin);
    var has_total = false;
    var total0 = f32();
    let valid = min(count, 32u);
    for (var n = local; n < count; n += 32u) {
    let i = begin + n;
    if has_total {
    {
    let x0 = total0;
    let x1 = from0[row * parameters[4] + i];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = from0[row * parameters[4] + i];
    }
    has_total = true;
    }
    if !has_total { total0 = f32(0); }
    total0 = subgroupAdd(total0);
    if lane == 0u {
    shared0[subgroup] = total0;
    }
    workgroupBarrier();
    if local == 0u && has_total {
    for (var other = 1u; other < subgroups; other++) {
    if has_total {
    {
    let x0 = total0;
    let x1 = shared0[other];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = shared0[other];
    }
    has_total = true;
    }
    }
    if local != 0u { return; }
    to0[point] = total0;
}

// Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s4)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<f32>;
@group(0) @binding(3) var<storage, read_write> a2: array<f32>;
var<workgroup> shared0: array<f32, 32>;

@compute @workgroup_size(32)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32, @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let row = point / parameters[2];
    let part = point % parameters[2];
    let begin = part * parameters[3];
    let count = min(parameters[3], parameters[4] - begin);
    var has_total = false;
    var total0 = f32();
    let valid = min(count, 32u);
    for (var n = local; n < count; n += 32u) {
    let i = begin + n;
    if has_total {
    {
    let x0 = total0;
    let x1 = from0[row * parameters[4] + i];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = from0[row * parameters[4] + i];
    }
    has_total = true;
    }
    if !has_total { total0 = f32(0); }
    total0 = subgroupAdd(total0);
    if lane == 0u {
    shared0[subgroup] = total0;
    }
    workgroupBarrier();
    if local == 0u && has_total {
    for (var other = 1u; other < subgroups; other++) {
    if has_total {
    {
    let x0 = total0;
    let x1 = shared0[other];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = shared0[other];
    }
    has_total = true;
    }
    }
    if local != 0u { return; }
    if has_total {
    {
    let x0 = bitcast<f32>(parameters[5]);
    let x1 = total0;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = bitcast<f32>(parameters[5]);
    }
    has_total = true;
    a2[row] = total0;
}

// Each Invocation; parameters [First, End, Rows, PartLength, Inner, Symbol(s3), Symbol(s0), Symbol(s1), Symbol(s2), Parts]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read> a1: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let row = point % parameters[2];
    let part = point / parameters[2];
    let begin = part * parameters[3];
    let count = min(parameters[3], parameters[4] - begin);
    var has_total = false;
    var total0 = f32();
    var rest0 = row;
    let c1 = i32(rest0 % parameters[5]);
    rest0 = rest0 / parameters[5];
    let c0 = i32(rest0);
    for (var n = 0u; n < count; n++) {
    let i = begin + n;
    var rest2 = i;
    let c2 = i32(rest2);
    let v0 = c0;
    let v1 = c1;
    let v2 = c2;
    let v3 = a0[(u32(v0) * parameters[7] + u32(v2))];
    var v4 = f32();
    let inside_v4 = (u32(v2) < parameters[8]) & (u32(v1) < parameters[5]);
    if true & inside_v4 { v4 = a1[(u32(v2) * parameters[5] + u32(v1))]; }
    if true & !inside_v4 { atomicMin(&failure[0], point); }
    let v5 = (v3 * v4);
    if has_total {
    {
    let x0 = total0;
    let x1 = v5;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = v5;
    }
    has_total = true;
    }
    to0[row * parameters[9] + part] = total0;
}

// Each Invocation; parameters [First, End]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> to0: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let v0 = 0.0f;
    to0[0u] = v0;
}

