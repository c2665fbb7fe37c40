// 0. Each Invocation; parameters [First, End, Parts, PartLength, Inner, Symbol(s0), Symbol(s1)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> a0: array<f32>;
@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
fn read_a0(at: u32) -> f32 { return a0[at]; }
fn write_a1(at: u32, value: f32) { a1[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let row = point / parameters[0].z;
    let part = point % parameters[0].z;
    let begin = part * parameters[0].w;
    let count = min(parameters[0].w, parameters[1].x - begin);
    var has_total = false;
    var total0 = f32();
    var has_sum = has_total;
    var sum0 = total0;
    for (var block = 0u; block < count; block += 64u) {
    has_total = false;
    let stop = min(block + 64u, count);
    for (var n = block; n < stop; n++) {
    let i = begin + n;
    var rest0 = i;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = read_a0(u32(v0));
    if has_total {
    {
    let x0 = total0;
    let x1 = v1;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = v1;
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
    let x0 = bitcast<f32>(parameters[1].z);
    let x1 = total0;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = bitcast<f32>(parameters[1].z);
    }
    has_total = true;
    write_a1(row, total0);
    }
}

// 1. Each Invocation; parameters [First, End, Parts, PartLength, Inner, Symbol(s0)]
// As 0, but:
= 2
-@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
+@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
= 1
-fn write_a1(at: u32, value: f32) { a1[at] = value; }
+fn write_to0(at: u32, value: f32) { to0[at] = value; }
= 53
-    if has_total {
-    {
-    let x0 = bitcast<f32>(parameters[1].z);
-    let x1 = total0;
-    {
-    let v0 = x0;
-    let v1 = x1;
-    let v2 = (v0 + v1);
-    total0 = v2;
-    }
-    }
-    } else {
-    total0 = bitcast<f32>(parameters[1].z);
-    }
-    has_total = true;
-    write_a1(row, total0);
+    write_to0(point, total0);
= 2

// 2. Each Invocation; parameters [First, End, Parts, PartLength, Inner]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> from0: array<f32>;
@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
fn read_from0(at: u32) -> f32 { return from0[at]; }
fn write_to0(at: u32, value: f32) { to0[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let row = point / parameters[0].z;
    let part = point % parameters[0].z;
    let begin = part * parameters[0].w;
    let count = min(parameters[0].w, parameters[1].x - begin);
    var has_total = false;
    var total0 = f32();
    var has_sum = has_total;
    var sum0 = total0;
    for (var block = 0u; block < count; block += 64u) {
    has_total = false;
    let stop = min(block + 64u, count);
    for (var n = block; n < stop; n++) {
    let i = begin + n;
    if has_total {
    {
    let x0 = total0;
    let x1 = read_from0(row * parameters[1].x + i);
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = read_from0(row * parameters[1].x + i);
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
    write_to0(point, total0);
    }
}

// 3. Each Invocation; parameters [First, End, Parts, PartLength, Inner, Symbol(s1)]
// As 2, but:
= 2
-@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
+@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
= 1
-fn write_to0(at: u32, value: f32) { to0[at] = value; }
+fn write_a1(at: u32, value: f32) { a1[at] = value; }
= 49
-    write_to0(point, total0);
+    if has_total {
+    {
+    let x0 = bitcast<f32>(parameters[1].y);
+    let x1 = total0;
+    {
+    let v0 = x0;
+    let v1 = x1;
+    let v2 = (v0 + v1);
+    total0 = v2;
= 1
+    }
+    } else {
+    total0 = bitcast<f32>(parameters[1].y);
+    }
+    has_total = true;
+    write_a1(row, total0);
+    }
= 1

// 4. Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s0), Symbol(s1)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> a0: array<f32>;
@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
fn read_a0(at: u32) -> f32 { return a0[at]; }
fn write_a1(at: u32, value: f32) { a1[at] = value; }
var<workgroup> shared0: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32, @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[0].y - parameters[0].x { return; }
    let point = parameters[0].x + number;
    let row = point / parameters[0].z;
    let part = point % parameters[0].z;
    let begin = part * parameters[0].w;
    let count = min(parameters[0].w, parameters[1].x - begin);
    var has_total = false;
    var total0 = f32();
    let valid = min(count, 256u);
    for (var n = local; n < count; n += 256u) {
    let i = begin + n;
    var rest0 = i;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = read_a0(u32(v0));
    if has_total {
    {
    let x0 = total0;
    let x1 = v1;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = v1;
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
    let x0 = bitcast<f32>(parameters[1].z);
    let x1 = total0;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = bitcast<f32>(parameters[1].z);
    }
    has_total = true;
    write_a1(row, total0);
}

// 5. Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s0)]
// As 4, but:
= 2
-@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
+@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
= 1
-fn write_a1(at: u32, value: f32) { a1[at] = value; }
+fn write_to0(at: u32, value: f32) { to0[at] = value; }
= 62
-    if has_total {
-    {
-    let x0 = bitcast<f32>(parameters[1].z);
-    let x1 = total0;
-    {
-    let v0 = x0;
-    let v1 = x1;
-    let v2 = (v0 + v1);
-    total0 = v2;
-    }
-    }
-    } else {
-    total0 = bitcast<f32>(parameters[1].z);
-    }
-    has_total = true;
-    write_a1(row, total0);
+    write_to0(point, total0);
= 1

// 6. Each Workgroup; parameters [First, End, Parts, PartLength, Inner]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> from0: array<f32>;
@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
fn read_from0(at: u32) -> f32 { return from0[at]; }
fn write_to0(at: u32, value: f32) { to0[at] = value; }
var<workgroup> shared0: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32, @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[0].y - parameters[0].x { return; }
    let point = parameters[0].x + number;
    let row = point / parameters[0].z;
    let part = point % parameters[0].z;
    let begin = part * parameters[0].w;
    let count = min(parameters[0].w, parameters[1].x - begin);
    var has_total = false;
    var total0 = f32();
    let valid = min(count, 256u);
    for (var n = local; n < count; n += 256u) {
    let i = begin + n;
    if has_total {
    {
    let x0 = total0;
    let x1 = read_from0(row * parameters[1].x + i);
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = read_from0(row * parameters[1].x + i);
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
    write_to0(point, total0);
}

// 7. Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s1)]
// As 6, but:
= 2
-@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
+@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
= 1
-fn write_to0(at: u32, value: f32) { to0[at] = value; }
+fn write_a1(at: u32, value: f32) { a1[at] = value; }
= 58
-    write_to0(point, total0);
+    if has_total {
+    {
+    let x0 = bitcast<f32>(parameters[1].y);
+    let x1 = total0;
+    {
+    let v0 = x0;
+    let v1 = x1;
+    let v2 = (v0 + v1);
+    total0 = v2;
+    }
+    }
+    } else {
+    total0 = bitcast<f32>(parameters[1].y);
+    }
+    has_total = true;
+    write_a1(row, total0);
= 1

// 8. Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s0), Symbol(s1)]
// As 4, but:
= 5
-var<workgroup> shared0: array<f32, 256>;
+var<workgroup> shared0: array<f32, 32>;
= 1
-@compute @workgroup_size(256)
+@compute @workgroup_size(32)
= 10
-    let valid = min(count, 256u);
-    for (var n = local; n < count; n += 256u) {
+    let valid = min(count, 32u);
+    for (var n = local; n < count; n += 32u) {
= 64

// 9. Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s0)]
// As 6, but:
= 1
-@group(0) @binding(1) var<storage, read> from0: array<f32>;
+@group(0) @binding(1) var<storage, read> a0: array<f32>;
= 1
-fn read_from0(at: u32) -> f32 { return from0[at]; }
+fn read_a0(at: u32) -> f32 { return a0[at]; }
= 1
-var<workgroup> shared0: array<f32, 256>;
+var<workgroup> shared0: array<f32, 32>;
= 1
-@compute @workgroup_size(256)
+@compute @workgroup_size(32)
= 10
-    let valid = min(count, 256u);
-    for (var n = local; n < count; n += 256u) {
+    let valid = min(count, 32u);
+    for (var n = local; n < count; n += 32u) {
= 1
+    var rest0 = i;
+    let c0 = i32(rest0);
+    let v0 = c0;
+    let v1 = read_a0(u32(v0));
= 3
-    let x1 = read_from0(row * parameters[1].x + i);
+    let x1 = v1;
= 8
-    total0 = read_from0(row * parameters[1].x + i);
+    total0 = v1;
= 31

// 10. Each Workgroup; parameters [First, End, Parts, PartLength, Inner]
// As 6, but:
= 5
-var<workgroup> shared0: array<f32, 256>;
+var<workgroup> shared0: array<f32, 32>;
= 1
-@compute @workgroup_size(256)
+@compute @workgroup_size(32)
= 10
-    let valid = min(count, 256u);
-    for (var n = local; n < count; n += 256u) {
+    let valid = min(count, 32u);
+    for (var n = local; n < count; n += 32u) {
= 45

// 11. Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s1)]
// As 6, but:
= 2
-@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
+@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
= 1
-fn write_to0(at: u32, value: f32) { to0[at] = value; }
-var<workgroup> shared0: array<f32, 256>;
+fn write_a1(at: u32, value: f32) { a1[at] = value; }
+var<workgroup> shared0: array<f32, 32>;
= 1
-@compute @workgroup_size(256)
+@compute @workgroup_size(32)
= 10
-    let valid = min(count, 256u);
-    for (var n = local; n < count; n += 256u) {
+    let valid = min(count, 32u);
+    for (var n = local; n < count; n += 32u) {
= 43
-    write_to0(point, total0);
+    if has_total {
+    {
+    let x0 = bitcast<f32>(parameters[1].y);
+    let x1 = total0;
+    {
+    let v0 = x0;
+    let v1 = x1;
+    let v2 = (v0 + v1);
+    total0 = v2;
+    }
+    }
+    } else {
+    total0 = bitcast<f32>(parameters[1].y);
+    }
+    has_total = true;
+    write_a1(row, total0);
= 1

// 12. Each Invocation; parameters [First, End, Rows, PartLength, Inner, Symbol(s0), Parts]
// As 2, but:
= 1
-@group(0) @binding(1) var<storage, read> from0: array<f32>;
+@group(0) @binding(1) var<storage, read> a0: array<f32>;
= 1
-fn read_from0(at: u32) -> f32 { return from0[at]; }
+fn read_a0(at: u32) -> f32 { return a0[at]; }
= 6
-    let row = point / parameters[0].z;
-    let part = point % parameters[0].z;
+    let row = point % parameters[0].z;
+    let part = point / parameters[0].z;
= 11
+    var rest0 = i;
+    let c0 = i32(rest0);
+    let v0 = c0;
+    let v1 = read_a0(u32(v0));
= 3
-    let x1 = read_from0(row * parameters[1].x + i);
+    let x1 = v1;
= 8
-    total0 = read_from0(row * parameters[1].x + i);
+    total0 = v1;
= 18
-    write_to0(point, total0);
+    write_to0(row * parameters[1].z + part, total0);
= 2

// 13. Each Invocation; parameters [First, End]
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

