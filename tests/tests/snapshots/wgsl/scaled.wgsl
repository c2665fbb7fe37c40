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

