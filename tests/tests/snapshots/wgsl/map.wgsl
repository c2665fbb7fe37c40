// 0. Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a1: array<i32>;
@group(0) @binding(3) var<storage, read> a0: array<f32>;
@group(0) @binding(4) var<storage, read_write> a2: array<f32>;
fn read_a1(at: u32) -> i32 { return a1[at]; }
fn read_a0(at: u32) -> f32 { return a0[at]; }
fn write_a2(at: u32, value: f32) { a2[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = read_a1(u32(v0));
    var v2 = f32();
    let inside_v2 = (u32(v1) < parameters[0].w);
    if true & inside_v2 { v2 = read_a0(u32(v1)); }
    if true & !inside_v2 { atomicMin(&failure[0], point); }
    let v3 = 2.0f;
    let v4 = (v2 * v3);
    let v5 = 1.0f;
    let v6 = (v4 + v5);
    write_a2(point, v6);
    }
}

