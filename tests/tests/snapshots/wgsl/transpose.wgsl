// 0. Each Invocation; parameters [First, End, Symbol(s0), Symbol(s1)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> a0: array<f32>;
@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
fn read_a0(at: u32) -> f32 { return a0[at]; }
fn write_a1(at: u32, value: f32) { a1[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    var rest0 = point;
    let c1 = i32(rest0 % parameters[0].z);
    rest0 = rest0 / parameters[0].z;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = c1;
    let v2 = read_a0((u32(v1) * parameters[0].w + u32(v0)));
    write_a1(point, v2);
    }
}

// 1. Each Workgroup; parameters [First, End, Symbol(s1), Symbol(s0)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> a0: array<f32>;
@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
fn read_a0(at: u32) -> f32 { return a0[at]; }
fn write_a1(at: u32, value: f32) { a1[at] = value; }

@compute @workgroup_size(256)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[0].y - parameters[0].x { return; }
    let point = parameters[0].x + number;
    var tile = point;
    let p1 = tile % ((parameters[0].w - 1u) / 16u + 1u) * 16u + local % 16u;
    tile = tile / ((parameters[0].w - 1u) / 16u + 1u);
    if p1 >= parameters[0].w { return; }
    let c1 = i32(p1);
    let p0 = tile % ((parameters[0].z - 1u) / 16u + 1u) * 16u + local / 16u;
    tile = tile / ((parameters[0].z - 1u) / 16u + 1u);
    if p0 >= parameters[0].z { return; }
    let c0 = i32(p0);
    let position = (u32(c0) * parameters[0].w + u32(c1));
    let v0 = c0;
    let v1 = c1;
    let v2 = read_a0((u32(v1) * parameters[0].z + u32(v0)));
    write_a1(position, v2);
}

