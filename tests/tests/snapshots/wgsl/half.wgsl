// 0. Each Invocation; parameters [First, End, Symbol(s0)]
enable f16;
// Saturates; NaN, which no comparison holds for, gives 0.
fn i32_of_f32(x: f32) -> i32 {
    let limit = 2147483648.0f;
    let is_small = x > -limit;
    let is_large = x >= limit;
    let is_between = is_small & (x < limit);
    let inside = i32(select(f32(), x, is_between));
    let least = -2147483647i - 1i;
    return select(select(select(0i, least, x <= -limit), inside, is_between), 2147483647i, is_large);
}
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> a0: array<f16>;
@group(0) @binding(2) var<storage, read_write> a1: array<f16>;
@group(0) @binding(3) var<storage, read_write> a2: array<f32>;
@group(0) @binding(4) var<storage, read_write> a3: array<i32>;
fn read_a0(at: u32) -> f16 { return a0[at]; }
fn write_a1(at: u32, value: f16) { a1[at] = value; }
fn write_a2(at: u32, value: f32) { a2[at] = value; }
fn write_a3(at: u32, value: i32) { a3[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = read_a0(u32(v0));
    let v2 = (v1 * v1);
    let v3 = f16(0.0999755859375);
    let v4 = (v2 + v3);
    let v5 = f16(3);
    let v6 = f16((f32(v4) / f32(v5)));
    let v7 = f32(v6);
    let v8 = i32_of_f32(f32(v6));
    write_a1(point, v6);
    write_a2(point, v7);
    write_a3(point, v8);
    }
}

