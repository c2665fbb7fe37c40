// 0. Each Invocation; parameters [First, End, Symbol(s0)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> a0: array<f32>;
@group(0) @binding(2) var<storage, read_write> a2: array<f32>;
fn read_a0(at: u32) -> f32 { return a0[at]; }
fn write_a2(at: u32, value: f32) { a2[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = read_a0(u32(v0));
    write_a2(point, v1);
    }
}

// 1. Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a1: array<i32>;
@group(0) @binding(3) var<storage, read> a0: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<i32>;
@group(0) @binding(5) var<storage, read_write> to1: array<f32>;
fn read_a1(at: u32) -> i32 { return a1[at]; }
fn read_a0(at: u32) -> f32 { return a0[at]; }
fn write_to0(at: u32, value: i32) { to0[at] = value; }
fn write_to1(at: u32, value: f32) { to1[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    var v1 = i32();
    let inside_v1 = (u32(v0) < parameters[0].z);
    if true & inside_v1 { v1 = read_a1(u32(v0)); }
    if true & !inside_v1 { atomicMin(&failure[0], point); }
    let v2 = true;
    let v3 = read_a0(u32(v0));
    let inside = (u32(v1) < parameters[0].w);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var index = 4294967295u;
    if v2 & inside { index = u32(v1); }
    write_to0(point, bitcast<i32>(index));
    write_to1(point, v3);
    }
}

// 2. Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
// As 1, but:
= 6
+@group(0) @binding(6) var<storage, read_write> to2: array<atomic<u32>>;
= 4
+fn clear_to2(at: u32) { atomicStore(&to2[at], 0u); }
= 20
+    if index != 4294967295u { clear_to2(index); }
= 2

// 3. Each Invocation; parameters [First, End]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> from0: array<i32>;
@group(0) @binding(2) var<storage, read_write> to0: array<atomic<u32>>;
fn read_from0(at: u32) -> i32 { return from0[at]; }
fn raise_to0(at: u32, value: u32) { atomicMax(&to0[at], value); }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let index = bitcast<u32>(read_from0(point));
    if index != 4294967295u { raise_to0(index, point + 1u); }
    }
}

// 4. Each Invocation; parameters [First, End]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> from0: array<i32>;
@group(0) @binding(2) var<storage, read> from1: array<i32>;
@group(0) @binding(3) var<storage, read> from2: array<f32>;
@group(0) @binding(4) var<storage, read_write> a2: array<f32>;
fn read_from0(at: u32) -> i32 { return from0[at]; }
fn read_from1(at: u32) -> i32 { return from1[at]; }
fn read_from2(at: u32) -> f32 { return from2[at]; }
fn write_a2(at: u32, value: f32) { a2[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let index = bitcast<u32>(read_from0(point));
    if index == 4294967295u { continue; }
    if bitcast<u32>(read_from1(index)) != point + 1u { continue; }
    write_a2(index, read_from2(point));
    }
}

// 5. Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
// As 1, but:
= 32

// 6. Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
// As 1, but:
= 6
+@group(0) @binding(6) var<storage, read_write> to2: array<atomic<u32>>;
= 4
+fn clear_to2(at: u32) { atomicStore(&to2[at], 0u); }
= 20
+    if index != 4294967295u { clear_to2(index); }
= 2

// 7. Each Invocation; parameters [First, End]
// As 3, but:
= 14

// 8. Each Invocation; parameters [First, End]
// As 4, but:
= 20

// 9. Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
// As 1, but:
= 32

// 10. Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
// As 1, but:
= 6
+@group(0) @binding(6) var<storage, read_write> to2: array<atomic<u32>>;
= 4
+fn clear_to2(at: u32) { atomicStore(&to2[at], 0u); }
= 20
+    if index != 4294967295u { clear_to2(index); }
= 2

// 11. Each Invocation; parameters [First, End]
// As 3, but:
= 14

// 12. Each Invocation; parameters [First, End]
// As 4, but:
= 20

// 13. Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
// As 1, but:
= 32

// 14. Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
// As 1, but:
= 6
+@group(0) @binding(6) var<storage, read_write> to2: array<atomic<u32>>;
= 4
+fn clear_to2(at: u32) { atomicStore(&to2[at], 0u); }
= 20
+    if index != 4294967295u { clear_to2(index); }
= 2

// 15. Each Invocation; parameters [First, End]
// As 3, but:
= 14

// 16. Each Invocation; parameters [First, End]
// As 4, but:
= 20

