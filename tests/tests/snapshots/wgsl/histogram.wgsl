// 0. Each Invocation; parameters [First, End]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> a1: array<f32>;
fn write_a1(at: u32, value: f32) { a1[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = 0.0f;
    write_a1(point, v0);
    }
}

// 1. Each Invocation; parameters [First, End, Symbol(s0), Symbol(s1)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<i32>;
@group(0) @binding(4) var<storage, read_write> to1: array<f32>;
fn read_a0(at: u32) -> i32 { return a0[at]; }
fn write_to0(at: u32, value: i32) { to0[at] = value; }
fn write_to1(at: u32, value: f32) { to1[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = read_a0(u32(v0));
    let v2 = true;
    let v3 = 1.0f;
    let inside = (u32(v1) < parameters[0].w);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var index = 4294967295u;
    if v2 & inside { index = u32(v1); }
    write_to0(point, bitcast<i32>(index));
    write_to1(point, v3);
    }
}

// 2. Each Invocation; parameters [First, End, PartLength, Inner, Symbol(s1), Digit, Parts]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> from0: array<i32>;
@group(0) @binding(2) var<storage, read_write> to0: array<i32>;
fn read_from0(at: u32) -> i32 { return from0[at]; }
fn write_to0(at: u32, value: i32) { to0[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let begin = point * parameters[0].z;
    let end = min(begin + parameters[0].z, parameters[0].w);
    let elements = parameters[1].x;
    var counts = array<u32, 32>();
    for (var i = begin; i < end; i++) {
    let key = bitcast<u32>(read_from0(i));
    let digit = (min(key, elements) >> parameters[1].y) & 31u;
    counts[digit] += 1u;
    }
    for (var d = 0u; d < 32u; d++) {
    write_to0(d * parameters[1].z + point, bitcast<i32>(counts[d]));
    }
    }
}

// 3. Each Invocation; parameters [First, End, PartLength, Inner]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> from0: array<i32>;
@group(0) @binding(2) var<storage, read_write> to0: array<i32>;
fn read_from0(at: u32) -> i32 { return from0[at]; }
fn write_to0(at: u32, value: i32) { to0[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let begin = point * parameters[0].z;
    let end = min(begin + parameters[0].z, parameters[0].w);
    var sum = 0i;
    for (var i = begin; i < end; i++) {
    sum += read_from0(i);
    }
    write_to0(point, sum);
    }
}

// 4. Each Invocation; parameters [First, End, PartLength, Inner]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> to0: array<i32>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
fn write_to0(at: u32, value: i32) { to0[at] = value; }
fn read_from0(at: u32) -> i32 { return from0[at]; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let begin = point * parameters[0].z;
    let end = min(begin + parameters[0].z, parameters[0].w);
    var sum = 0i;
    for (var i = begin; i < end; i++) {
    write_to0(i, sum);
    sum += read_from0(i);
    }
    }
}

// 5. Each Invocation; parameters [First, End, PartLength, Inner]
// As 4, but:
= 1
-@group(0) @binding(1) var<storage, read_write> to0: array<i32>;
-@group(0) @binding(2) var<storage, read> from0: array<i32>;
+@group(0) @binding(1) var<storage, read> from1: array<i32>;
+@group(0) @binding(2) var<storage, read_write> to0: array<i32>;
+@group(0) @binding(3) var<storage, read> from0: array<i32>;
+fn read_from1(at: u32) -> i32 { return from1[at]; }
= 9
-    var sum = 0i;
+    var sum = read_from1(point);
= 6

// 6. Each Invocation; parameters [First, End, PartLength, Inner, Symbol(s1), Parts, Digit]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> from1: array<i32>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<i32>;
@group(0) @binding(4) var<storage, read_write> to1: array<i32>;
fn read_from1(at: u32) -> i32 { return from1[at]; }
fn read_from0(at: u32) -> i32 { return from0[at]; }
fn write_to0(at: u32, value: i32) { to0[at] = value; }
fn write_to1(at: u32, value: i32) { to1[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let begin = point * parameters[0].z;
    let end = min(begin + parameters[0].z, parameters[0].w);
    let elements = parameters[1].x;
    var next = array<u32, 32>();
    for (var d = 0u; d < 32u; d++) {
    next[d] = bitcast<u32>(read_from1(d * parameters[1].y + point));
    }
    for (var i = begin; i < end; i++) {
    let key = bitcast<u32>(read_from0(i));
    let digit = (min(key, elements) >> parameters[1].z) & 31u;
    let at = next[digit];
    next[digit] = at + 1u;
    write_to0(at, bitcast<i32>(key));
    write_to1(at, bitcast<i32>(i));
    }
    }
}

// 7. Each Invocation; parameters [First, End, PartLength, Inner, Symbol(s1), Parts, Digit]
// As 6, but:
= 4
-@group(0) @binding(4) var<storage, read_write> to1: array<i32>;
+@group(0) @binding(4) var<storage, read> from2: array<i32>;
+@group(0) @binding(5) var<storage, read_write> to1: array<i32>;
= 3
+fn read_from2(at: u32) -> i32 { return from2[at]; }
= 19
-    write_to1(at, bitcast<i32>(i));
+    write_to1(at, read_from2(i));
= 3

// 8. Each Invocation; parameters [First, End, PartLength, Inner, Parts]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> to0: array<i32>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
@group(0) @binding(3) var<storage, read> from2: array<i32>;
@group(0) @binding(4) var<storage, read> from1: array<f32>;
@group(0) @binding(5) var<storage, read_write> a1: array<f32>;
@group(0) @binding(6) var<storage, read_write> to1: array<f32>;
fn write_to0(at: u32, value: i32) { to0[at] = value; }
fn read_from0(at: u32) -> i32 { return from0[at]; }
fn read_from2(at: u32) -> i32 { return from2[at]; }
fn read_from1(at: u32) -> f32 { return from1[at]; }
fn read_a1(at: u32) -> f32 { return a1[at]; }
fn write_a1(at: u32, value: f32) { a1[at] = value; }
fn write_to1(at: u32, value: f32) { to1[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let begin = point * parameters[0].z;
    let end = min(begin + parameters[0].z, parameters[0].w);
    let is_alone = parameters[1].x == 1u;
    let first = 2u * point;
    let last = first + 1u;
    let no_index = bitcast<i32>(4294967295u);
    write_to0(first, no_index);
    write_to0(last, no_index);
    var has_total = false;
    var is_first = true;
    var index = 0i;
    var total = f32();
    for (var i = begin; i < end; i++) {
    let next = read_from0(i);
    if next == no_index { continue; }
    let value = read_from1(bitcast<u32>(read_from2(i)));
    if has_total & (next == index) { total = total + value; continue; }
    if has_total {
    if is_alone | !is_first {
    let sum = read_a1(bitcast<u32>(index)) + total;
    write_a1(bitcast<u32>(index), sum);
    } else {
    write_to0(first, index);
    write_to1(first, total);
    }
    is_first = false;
    }
    has_total = true;
    index = next;
    total = value;
    }
    if !has_total { return; }
    if is_alone {
    let sum = read_a1(bitcast<u32>(index)) + total;
    write_a1(bitcast<u32>(index), sum);
    } else {
    write_to0(last, index);
    write_to1(last, total);
    }
    }
}

// 9. Each Invocation; parameters [First, End, PartLength, Inner, Parts]
// As 8, but:
= 3
-@group(0) @binding(3) var<storage, read> from2: array<i32>;
-@group(0) @binding(4) var<storage, read> from1: array<f32>;
-@group(0) @binding(5) var<storage, read_write> a1: array<f32>;
-@group(0) @binding(6) var<storage, read_write> to1: array<f32>;
+@group(0) @binding(3) var<storage, read> from1: array<f32>;
+@group(0) @binding(4) var<storage, read_write> a1: array<f32>;
+@group(0) @binding(5) var<storage, read_write> to1: array<f32>;
= 2
-fn read_from2(at: u32) -> i32 { return from2[at]; }
= 24
-    let value = read_from1(bitcast<u32>(read_from2(i)));
+    let value = read_from1(i);
= 25

// 10. Each Invocation; parameters [First, End]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> to0: array<f32>;
fn write_to0(at: u32, value: f32) { to0[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let nothing = -f32();
    write_to0(point, nothing);
    }
}

// 11. Each Invocation; parameters [First, End, Symbol(s1), Inner, Parts]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> from0: array<i32>;
@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
@group(0) @binding(3) var<storage, read> from1: array<f32>;
fn read_from0(at: u32) -> i32 { return from0[at]; }
fn read_to0(at: u32) -> f32 { return to0[at]; }
fn write_to0(at: u32, value: f32) { to0[at] = value; }
fn read_from1(at: u32) -> f32 { return from1[at]; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let elements = parameters[0].z;
    for (var i = point; i < parameters[0].w; i += parameters[1].x) {
    let index = bitcast<u32>(read_from0(i));
    if index == 4294967295u { continue; }
    let at = point * elements + index;
    let sum = read_to0(at) + read_from1(i);
    write_to0(at, sum);
    }
    }
}

// 12. Each Invocation; parameters [First, End, Symbol(s1), Inner, PartLength]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> from0: array<f32>;
@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
fn read_from0(at: u32) -> f32 { return from0[at]; }
fn write_to0(at: u32, value: f32) { to0[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let elements = parameters[0].z;
    let begin = point / elements * parameters[1].x;
    let end = min(begin + parameters[1].x, parameters[0].w);
    var total = -f32();
    for (var row = begin; row < end; row++) {
    total = total + read_from0(row * elements + point % elements);
    }
    write_to0(point, total);
    }
}

// 13. Each Invocation; parameters [First, End, Symbol(s1), Inner, PartLength]
// As 12, but:
= 2
-@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
+@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
= 1
-fn write_to0(at: u32, value: f32) { to0[at] = value; }
+fn read_a1(at: u32) -> f32 { return a1[at]; }
+fn write_a1(at: u32, value: f32) { a1[at] = value; }
= 12
-    write_to0(point, total);
+    let sum = read_a1(point) + total;
+    write_a1(point, sum);
= 2

// 14. Each Invocation; parameters [First, End, Symbol(s0), Symbol(s1)]
// As 1, but:
= 27

// 15. Each Invocation; parameters [First, End, PartLength, Inner, Symbol(s1), Digit, Parts]
// As 2, but:
= 24

// 16. Each Invocation; parameters [First, End, PartLength, Inner]
// As 3, but:
= 19

// 17. Each Invocation; parameters [First, End, PartLength, Inner]
// As 4, but:
= 19

// 18. Each Invocation; parameters [First, End, PartLength, Inner]
// As 4, but:
= 1
-@group(0) @binding(1) var<storage, read_write> to0: array<i32>;
-@group(0) @binding(2) var<storage, read> from0: array<i32>;
+@group(0) @binding(1) var<storage, read> from1: array<i32>;
+@group(0) @binding(2) var<storage, read_write> to0: array<i32>;
+@group(0) @binding(3) var<storage, read> from0: array<i32>;
+fn read_from1(at: u32) -> i32 { return from1[at]; }
= 9
-    var sum = 0i;
+    var sum = read_from1(point);
= 6

// 19. Each Invocation; parameters [First, End, PartLength, Inner, Symbol(s1), Parts, Digit]
// As 6, but:
= 31

// 20. Each Invocation; parameters [First, End, PartLength, Inner, Symbol(s1), Parts, Digit]
// As 6, but:
= 4
-@group(0) @binding(4) var<storage, read_write> to1: array<i32>;
+@group(0) @binding(4) var<storage, read> from2: array<i32>;
+@group(0) @binding(5) var<storage, read_write> to1: array<i32>;
= 3
+fn read_from2(at: u32) -> i32 { return from2[at]; }
= 19
-    write_to1(at, bitcast<i32>(i));
+    write_to1(at, read_from2(i));
= 3

// 21. Each Invocation; parameters [First, End, PartLength, Inner, Parts]
// As 8, but:
= 60

// 22. Each Invocation; parameters [First, End, PartLength, Inner, Parts]
// As 8, but:
= 3
-@group(0) @binding(3) var<storage, read> from2: array<i32>;
-@group(0) @binding(4) var<storage, read> from1: array<f32>;
-@group(0) @binding(5) var<storage, read_write> a1: array<f32>;
-@group(0) @binding(6) var<storage, read_write> to1: array<f32>;
+@group(0) @binding(3) var<storage, read> from1: array<f32>;
+@group(0) @binding(4) var<storage, read_write> a1: array<f32>;
+@group(0) @binding(5) var<storage, read_write> to1: array<f32>;
= 2
-fn read_from2(at: u32) -> i32 { return from2[at]; }
= 24
-    let value = read_from1(bitcast<u32>(read_from2(i)));
+    let value = read_from1(i);
= 25

// 23. Each Invocation; parameters [First, End]
// As 10, but:
= 12

// 24. Each Invocation; parameters [First, End, Symbol(s1), Inner, Parts]
// As 11, but:
= 23

// 25. Each Invocation; parameters [First, End, Symbol(s1), Inner, PartLength]
// As 12, but:
= 20

// 26. Each Invocation; parameters [First, End, Symbol(s1), Inner, PartLength]
// As 12, but:
= 2
-@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
+@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
= 1
-fn write_to0(at: u32, value: f32) { to0[at] = value; }
+fn read_a1(at: u32) -> f32 { return a1[at]; }
+fn write_a1(at: u32, value: f32) { a1[at] = value; }
= 12
-    write_to0(point, total);
+    let sum = read_a1(point) + total;
+    write_a1(point, sum);
= 2

// 27. Each Invocation; parameters [First, End, Symbol(s0), Symbol(s1)]
// As 1, but:
= 27

// 28. Each Invocation; parameters [First, End, Symbol(s0), Symbol(s1)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<i32>;
@group(0) @binding(3) var<storage, read_write> a1: array<atomic<f32>>;
fn read_a0(at: u32) -> i32 { return a0[at]; }
fn add_to_a1(at: u32, value: f32) { atomicAdd(&a1[at], value); }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = read_a0(u32(v0));
    let v2 = true;
    let v3 = 1.0f;
    let inside = (u32(v1) < parameters[0].w);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var index = 4294967295u;
    if v2 & inside { index = u32(v1); }
    if index == 4294967295u { continue; }
    add_to_a1(index, v3);
    }
}

// 29. Each Invocation; parameters [First, End, Symbol(s0), Symbol(s1)]
// As 1, but:
= 27

// 30. Each Invocation; parameters [First, End, Symbol(s0), Symbol(s1)]
// As 28, but:
= 3
-@group(0) @binding(3) var<storage, read_write> a1: array<atomic<f32>>;
+@group(0) @binding(3) var<storage, read_write> a1: array<atomic<u32>>;
= 1
-fn add_to_a1(at: u32, value: f32) { atomicAdd(&a1[at], value); }
+fn add_to_a1(at: u32, value: f32) { var old = atomicLoad(&a1[at]); loop { let sum = bitcast<u32>(bitcast<f32>(old) + value); let found = atomicCompareExchangeWeak(&a1[at], old, sum); if found.exchanged { break; } old = found.old_value; } }
= 19

// 31. Each Invocation; parameters [First, End]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> to0: array<i32>;
fn write_to0(at: u32, value: i32) { to0[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let v0 = 10i;
    write_to0(0u, v0);
    }
}

