// 0. Each Invocation; parameters [First, End]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> to0: array<f32>;
fn write_to0(at: u32, value: f32) { to0[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let v0 = 0.0f;
    write_to0(0u, v0);
    }
}

// 1. Each Invocation; parameters [First, End, Inner]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> a5: array<f32>;
@group(0) @binding(2) var<storage, read_write> a4: array<f32>;
fn read_a5(at: u32) -> f32 { return a5[at]; }
fn write_a4(at: u32, value: f32) { a4[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let value = read_a5(point);
    write_a4(parameters[0].z + point, value);
    }
}

