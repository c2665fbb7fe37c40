// 0. Each Invocation; parameters [First, End, Symbol(s0)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> to0: array<i32>;
@group(0) @binding(2) var<storage, read_write> to1: array<f32>;
@group(0) @binding(3) var<storage, read_write> to2: array<i32>;
fn write_to0(at: u32, value: i32) { to0[at] = value; }
fn write_to1(at: u32, value: f32) { to1[at] = value; }
fn write_to2(at: u32, value: i32) { to2[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let v0 = 2147483647i;
    let v1 = 0.0f;
    let v2 = -1i;
    let v3 = bitcast<i32>(parameters[0].z);
    let v4 = (v3 + v2);
    write_to0(0u, v0);
    write_to1(0u, v1);
    write_to2(0u, v4);
    }
}

// 1. Each Invocation; parameters [First, End]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> a4: array<u32>;
@group(0) @binding(2) var<storage, read_write> to0: array<u32>;
fn read_a4(at: u32) -> bool { return (a4[at] != 0u); }
fn write_to0(at: u32, value: bool) { to0[at] = select(0u, 1u, value); }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let v0 = read_a4(0u);
    write_to0(0u, v0);
    }
}

// 2. Each Workgroup; parameters [First, End, Symbol(s0), Symbol(s5), Symbol(s4)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> a3: array<f32>;
@group(0) @binding(3) var<storage, read_write> a4: array<u32>;
@group(0) @binding(4) var<storage, read_write> a2: array<f32>;
@group(0) @binding(5) var<storage, read_write> a5: array<f32>;
@group(0) @binding(6) var<storage, read_write> a6: array<f32>;
@group(0) @binding(7) var<storage, read_write> to0: array<i32>;
fn read_a3(at: u32) -> f32 { return a3[at]; }
fn write_a3(at: u32, value: f32) { a3[at] = value; }
fn write_a4(at: u32, value: bool) { a4[at] = select(0u, 1u, value); }
fn read_a4(at: u32) -> bool { return (a4[at] != 0u); }
fn read_a2(at: u32) -> f32 { return a2[at]; }
fn write_a2(at: u32, value: f32) { a2[at] = value; }
fn write_a5(at: u32, value: f32) { a5[at] = value; }
fn read_a5(at: u32) -> f32 { return a5[at]; }
fn write_a6(at: u32, value: f32) { a6[at] = value; }
fn read_a6(at: u32) -> f32 { return a6[at]; }
fn write_to0(at: u32, value: i32) { to0[at] = value; }
var<workgroup> goes_on: array<u32, 1>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    var trip = parameters[0].x;
    var has_ended = false;
    for (; trip < parameters[0].y; trip++) {
    let s2 = i32(trip);
    for (var point = local; point < 1u; point += 64u) {
    let v0 = read_a3(0u);
    let v1 = 0.1f;
    let v2 = (v0 > v1);
    write_a4(point, v2);
    }
    storageBarrier();
    var s3: bool;
    {
    let point = 0u;
    let v0 = read_a4(0u);
    s3 = v0;
    }
    if local == 0u { goes_on[0] = select(0u, 1u, s3); }
    has_ended = workgroupUniformLoad(&goes_on[0]) == 0u;
    if has_ended { break; }
    for (var point = local; point < parameters[0].z; point += 64u) {
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = 1i;
    let v2 = -1i;
    let v3 = bitcast<i32>(parameters[0].w);
    let v4 = (v0 + v2);
    let v5 = 0i;
    let v6 = max(v4, v5);
    var v7 = f32();
    let inside_v7 = (u32(v6) < parameters[0].z);
    if true & inside_v7 { v7 = read_a2(u32(v6)); }
    if true & !inside_v7 { atomicMin(&failure[0], point); }
    let v8 = (v0 + v1);
    let v9 = min(v8, v3);
    var v10 = f32();
    let inside_v10 = (u32(v9) < parameters[0].z);
    if true & inside_v10 { v10 = read_a2(u32(v9)); }
    if true & !inside_v10 { atomicMin(&failure[0], point); }
    let v11 = (v7 + v10);
    let v12 = 0.5f;
    let v13 = (v11 * v12);
    write_a5(point, v13);
    }
    storageBarrier();
    for (var point = local; point < 1u; point += 64u) {
    let row = point;
    let count = parameters[0].z;
    var has_total = false;
    var total0 = f32();
    var has_sum = has_total;
    var sum0 = total0;
    for (var block = 0u; block < count; block += 64u) {
    has_total = false;
    let stop = min(block + 64u, count);
    for (var n = block; n < stop; n++) {
    let i = n;
    var rest0 = i;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = read_a5(u32(v0));
    let v2 = read_a2(u32(v0));
    let v3 = (v1 - v2);
    let v4 = abs(v3);
    if has_total {
    {
    let x0 = total0;
    let x1 = v4;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = v4;
    }
    has_total = true;
    }
    if has_sum {
    {
    let x0 = sum0;
    let x1 = total0;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    }
    has_sum = true;
    sum0 = total0;
    }
    if has_total {
    {
    let x0 = bitcast<f32>(parameters[1].x);
    let x1 = total0;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = bitcast<f32>(parameters[1].x);
    }
    has_total = true;
    write_a6(row, total0);
    }
    storageBarrier();
    for (var point = local; point < max(parameters[0].z, 1u); point += 64u) {
    var next0: f32;
    if point < parameters[0].z { next0 = read_a5(point); }
    var next1: f32;
    if point < 1u { next1 = read_a6(point); }
    if point < parameters[0].z {
    write_a2(point, next0);
    }
    if point < 1u {
    write_a3(point, next1);
    }
    }
    storageBarrier();
    }
    if local == 0u {
    write_to0(0u, i32(trip));
    write_to0(1u, select(0i, 1i, has_ended));
    }
}

