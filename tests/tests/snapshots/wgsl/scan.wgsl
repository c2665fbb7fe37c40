// 0. Each Invocation; parameters [First, End, Parts, PartLength, Inner, Symbol(s1), Symbol(s0)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> a1: array<f32>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
fn write_a1(at: u32, value: f32) { a1[at] = value; }
fn read_a0(at: u32) -> f32 { return a0[at]; }

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
    if has_total {
    {
    let x0 = total0;
    let x1 = bitcast<f32>(parameters[1].y);
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = bitcast<f32>(parameters[1].y);
    }
    has_total = true;
    write_a1(row * (parameters[1].x + 1u) + 0u, total0);
    var has_sum = has_total;
    var sum0 = total0;
    for (var block = 0u; block < count; block += 64u) {
    has_total = false;
    let stop = min(block + 64u, count);
    for (var n = block; n < stop; n++) {
    let step = begin + n;
    let i = step;
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
    {
    let own_total0 = total0;
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
    write_a1(row * (parameters[1].x + 1u) + step + 1u, total0);
    total0 = own_total0;
    }
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
    }
}

// 1. Each Invocation; parameters [First, End, Parts, PartLength, Inner, Symbol(s0)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> a0: array<f32>;
@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
fn read_a0(at: u32) -> f32 { return a0[at]; }
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
    let step = begin + n;
    let i = step;
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
    write_to0(point, total0);
    }
}

// 2. Each Invocation; parameters [First, End, Parts, Symbol(s1)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> from0: array<f32>;
@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
fn read_from0(at: u32) -> f32 { return from0[at]; }
fn write_to0(at: u32, value: f32) { to0[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    var has_total = false;
    var total0 = f32();
    if has_total {
    {
    let x0 = total0;
    let x1 = bitcast<f32>(parameters[0].w);
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = bitcast<f32>(parameters[0].w);
    }
    has_total = true;
    let count = parameters[0].z;
    var has_sum = has_total;
    var sum0 = total0;
    for (var block = 0u; block < count; block += 64u) {
    has_total = false;
    let stop = min(block + 64u, count);
    for (var n = block; n < stop; n++) {
    {
    let own_total0 = total0;
    if !has_total { total0 = sum0; }
    if has_total {
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
    }
    write_to0(point * parameters[0].z + n, total0);
    total0 = own_total0;
    }
    if has_total {
    {
    let x0 = total0;
    let x1 = read_from0(point * parameters[0].z + n);
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = read_from0(point * parameters[0].z + n);
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
    }
}

// 3. Each Invocation; parameters [First, End, Parts, PartLength, Inner, Symbol(s0)]
// As 0, but:
= 1
-@group(0) @binding(1) var<storage, read_write> a1: array<f32>;
-@group(0) @binding(2) var<storage, read> a0: array<f32>;
+@group(0) @binding(1) var<storage, read> from0: array<f32>;
+@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
+@group(0) @binding(3) var<storage, read> a0: array<f32>;
+fn read_from0(at: u32) -> f32 { return from0[at]; }
= 13
+    if true {
= 3
-    let x1 = bitcast<f32>(parameters[1].y);
+    let x1 = read_from0(point);
= 8
-    total0 = bitcast<f32>(parameters[1].y);
+    total0 = read_from0(point);
= 2
+    }
+    if part == 0u {
= 1
+    }
= 62

// 4. Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s0), Symbol(s1)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> a0: array<f32>;
@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
fn read_a0(at: u32) -> f32 { return a0[at]; }
fn write_a1(at: u32, value: f32) { a1[at] = value; }
var<workgroup> items0: array<f32, 3840>;
var<workgroup> shared0: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[0].y - parameters[0].x { return; }
    let point = parameters[0].x + number;
    let row = point / parameters[0].z;
    let part = point % parameters[0].z;
    let begin = part * parameters[0].w;
    let count = min(parameters[0].w, parameters[1].x - begin);
    var has_total = false;
    var total0 = f32();
    for (var n = local; n < count; n += 256u) {
    let step = begin + n;
    let i = step;
    var rest0 = i;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = read_a0(u32(v0));
    items0[n] = v1;
    }
    workgroupBarrier();
    let piece = max((count + 255u) / 256u, 1u);
    let valid = (count + piece - 1u) / piece;
    let stop = min((local + 1u) * piece, count);
    for (var n = local * piece; n < stop; n++) {
    if has_total {
    {
    let x0 = total0;
    let x1 = items0[n];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = items0[n];
    }
    has_total = true;
    }
    shared0[local] = total0;
    for (var distance = 1u; distance < valid; distance = distance * 2u) {
    let takes = local >= distance && local < valid;
    var other0 = f32();
    workgroupBarrier();
    if takes {
    other0 = shared0[local - distance];
    }
    workgroupBarrier();
    if takes {
    if has_total {
    {
    let x0 = other0;
    let x1 = total0;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = other0;
    }
    has_total = true;
    shared0[local] = total0;
    }
    }
    workgroupBarrier();
    has_total = false;
    if has_total {
    {
    let x0 = total0;
    let x1 = bitcast<f32>(parameters[1].z);
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
    if part == 0u && local == 0u {
    write_a1(row * (parameters[1].x + 1u) + 0u, total0);
    }
    if local > 0u && local < valid {
    if has_total {
    {
    let x0 = total0;
    let x1 = shared0[local - 1u];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = shared0[local - 1u];
    }
    has_total = true;
    }
    for (var n = local * piece; n < stop; n++) {
    let next0 = items0[n];
    if has_total {
    {
    let x0 = total0;
    let x1 = next0;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = next0;
    }
    has_total = true;
    items0[n] = total0;
    }
    workgroupBarrier();
    for (var n = local; n < count; n += 256u) {
    let step = begin + n;
    total0 = items0[n];
    write_a1(row * (parameters[1].x + 1u) + step + 1u, total0);
    }
}

// 5. Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s0)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> a0: array<f32>;
@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
fn read_a0(at: u32) -> f32 { return a0[at]; }
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
    let step = begin + n;
    let i = step;
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
    write_to0(point, total0);
}

// 6. Each Workgroup; parameters [First, End, Parts, PartLength, Inner]
// As 5, but:
= 1
-@group(0) @binding(1) var<storage, read> a0: array<f32>;
+@group(0) @binding(1) var<storage, read> from0: array<f32>;
= 1
-fn read_a0(at: u32) -> f32 { return a0[at]; }
+fn read_from0(at: u32) -> f32 { return from0[at]; }
= 17
-    let i = step;
-    var rest0 = i;
-    let c0 = i32(rest0);
-    let v0 = c0;
-    let v1 = read_a0(u32(v0));
= 3
-    let x1 = v1;
+    let x1 = read_from0(row * parameters[1].x + step);
= 8
-    total0 = v1;
+    total0 = read_from0(row * parameters[1].x + step);
= 31

// 7. Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s1)]
// As 4, but:
= 1
-@group(0) @binding(1) var<storage, read> a0: array<f32>;
-@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
-fn read_a0(at: u32) -> f32 { return a0[at]; }
-fn write_a1(at: u32, value: f32) { a1[at] = value; }
+@group(0) @binding(1) var<storage, read> from0: array<f32>;
+@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
+fn read_from0(at: u32) -> f32 { return from0[at]; }
+fn write_to0(at: u32, value: f32) { to0[at] = value; }
= 16
-    let i = step;
-    var rest0 = i;
-    let c0 = i32(rest0);
-    let v0 = c0;
-    let v1 = read_a0(u32(v0));
-    items0[n] = v1;
+    items0[n] = read_from0(row * parameters[1].x + step);
= 55
-    let x1 = bitcast<f32>(parameters[1].z);
+    let x1 = bitcast<f32>(parameters[1].y);
= 8
-    total0 = bitcast<f32>(parameters[1].z);
+    total0 = bitcast<f32>(parameters[1].y);
= 2
-    if part == 0u && local == 0u {
-    write_a1(row * (parameters[1].x + 1u) + 0u, total0);
-    }
= 19
+    items0[n] = total0;
= 15
-    items0[n] = total0;
= 5
-    write_a1(row * (parameters[1].x + 1u) + step + 1u, total0);
+    write_to0(row * parameters[1].x + step, total0);
= 2

// 8. Each Workgroup; parameters [First, End, Parts, PartLength, Inner]
// As 4, but:
= 1
-@group(0) @binding(1) var<storage, read> a0: array<f32>;
-@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
-fn read_a0(at: u32) -> f32 { return a0[at]; }
-fn write_a1(at: u32, value: f32) { a1[at] = value; }
+@group(0) @binding(1) var<storage, read> from0: array<f32>;
+@group(0) @binding(2) var<storage, read> from1: array<f32>;
+@group(0) @binding(3) var<storage, read_write> to0: array<f32>;
+fn read_from0(at: u32) -> f32 { return from0[at]; }
+fn read_from1(at: u32) -> f32 { return from1[at]; }
+fn write_to0(at: u32, value: f32) { to0[at] = value; }
= 16
-    let i = step;
-    var rest0 = i;
-    let c0 = i32(rest0);
-    let v0 = c0;
-    let v1 = read_a0(u32(v0));
-    items0[n] = v1;
+    items0[n] = read_from0(row * parameters[1].x + step);
= 52
+    if true || part > 0u {
= 3
-    let x1 = bitcast<f32>(parameters[1].z);
+    let x1 = read_from1(point);
= 8
-    total0 = bitcast<f32>(parameters[1].z);
+    total0 = read_from1(point);
= 2
-    if part == 0u && local == 0u {
-    write_a1(row * (parameters[1].x + 1u) + 0u, total0);
= 20
+    items0[n] = total0;
= 15
-    items0[n] = total0;
= 5
-    write_a1(row * (parameters[1].x + 1u) + step + 1u, total0);
+    write_to0(row * parameters[1].x + step, total0);
= 2

// 9. Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s0)]
// As 4, but:
= 2
-@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
+@group(0) @binding(2) var<storage, read> from0: array<f32>;
+@group(0) @binding(3) var<storage, read_write> a1: array<f32>;
= 1
+fn read_from0(at: u32) -> f32 { return from0[at]; }
= 75
+    if true || part > 0u {
= 3
-    let x1 = bitcast<f32>(parameters[1].z);
+    let x1 = read_from0(point);
= 8
-    total0 = bitcast<f32>(parameters[1].z);
+    total0 = read_from0(point);
= 2
+    }
= 46

// 10. Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s0), Symbol(s1)]
// As 4, but:
= 5
-var<workgroup> items0: array<f32, 3840>;
-var<workgroup> shared0: array<f32, 256>;
+var<workgroup> items0: array<f32, 480>;
+var<workgroup> shared0: array<f32, 32>;
= 1
-@compute @workgroup_size(256)
+@compute @workgroup_size(32)
= 10
-    for (var n = local; n < count; n += 256u) {
+    for (var n = local; n < count; n += 32u) {
= 9
-    let piece = max((count + 255u) / 256u, 1u);
+    let piece = max((count + 31u) / 32u, 1u);
= 104
-    for (var n = local; n < count; n += 256u) {
+    for (var n = local; n < count; n += 32u) {
= 5

// 11. Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s0)]
// As 5, but:
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
= 50

// 12. Each Workgroup; parameters [First, End, Parts, PartLength, Inner]
// As 5, but:
= 1
-@group(0) @binding(1) var<storage, read> a0: array<f32>;
+@group(0) @binding(1) var<storage, read> from0: array<f32>;
= 1
-fn read_a0(at: u32) -> f32 { return a0[at]; }
+fn read_from0(at: u32) -> f32 { return from0[at]; }
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
-    let i = step;
-    var rest0 = i;
-    let c0 = i32(rest0);
-    let v0 = c0;
-    let v1 = read_a0(u32(v0));
= 3
-    let x1 = v1;
+    let x1 = read_from0(row * parameters[1].x + step);
= 8
-    total0 = v1;
+    total0 = read_from0(row * parameters[1].x + step);
= 31

// 13. Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s1)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> from0: array<f32>;
@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
fn read_from0(at: u32) -> f32 { return from0[at]; }
fn write_to0(at: u32, value: f32) { to0[at] = value; }
var<workgroup> items0: array<f32, 480>;
var<workgroup> shared0: array<f32, 32>;

@compute @workgroup_size(32)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x + group.y * groups.x;
    if number >= parameters[0].y - parameters[0].x { return; }
    let point = parameters[0].x + number;
    let row = point / parameters[0].z;
    let part = point % parameters[0].z;
    let begin = part * parameters[0].w;
    let count = min(parameters[0].w, parameters[1].x - begin);
    var has_total = false;
    var total0 = f32();
    for (var n = local; n < count; n += 32u) {
    let step = begin + n;
    items0[n] = read_from0(row * parameters[1].x + step);
    }
    workgroupBarrier();
    let piece = max((count + 31u) / 32u, 1u);
    let valid = (count + piece - 1u) / piece;
    let stop = min((local + 1u) * piece, count);
    for (var n = local * piece; n < stop; n++) {
    if has_total {
    {
    let x0 = total0;
    let x1 = items0[n];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = items0[n];
    }
    has_total = true;
    }
    shared0[local] = total0;
    for (var distance = 1u; distance < valid; distance = distance * 2u) {
    let takes = local >= distance && local < valid;
    var other0 = f32();
    workgroupBarrier();
    if takes {
    other0 = shared0[local - distance];
    }
    workgroupBarrier();
    if takes {
    if has_total {
    {
    let x0 = other0;
    let x1 = total0;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = other0;
    }
    has_total = true;
    shared0[local] = total0;
    }
    }
    workgroupBarrier();
    has_total = false;
    if has_total {
    {
    let x0 = total0;
    let x1 = bitcast<f32>(parameters[1].y);
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = bitcast<f32>(parameters[1].y);
    }
    has_total = true;
    if local > 0u && local < valid {
    if has_total {
    {
    let x0 = total0;
    let x1 = shared0[local - 1u];
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = shared0[local - 1u];
    }
    has_total = true;
    }
    for (var n = local * piece; n < stop; n++) {
    let next0 = items0[n];
    items0[n] = total0;
    if has_total {
    {
    let x0 = total0;
    let x1 = next0;
    {
    let v0 = x0;
    let v1 = x1;
    let v2 = (v0 + v1);
    total0 = v2;
    }
    }
    } else {
    total0 = next0;
    }
    has_total = true;
    }
    workgroupBarrier();
    for (var n = local; n < count; n += 32u) {
    let step = begin + n;
    total0 = items0[n];
    write_to0(row * parameters[1].x + step, total0);
    }
}

// 14. Each Workgroup; parameters [First, End, Parts, PartLength, Inner]
// As 13, but:
= 2
-@group(0) @binding(2) var<storage, read_write> to0: array<f32>;
+@group(0) @binding(2) var<storage, read> from1: array<f32>;
+@group(0) @binding(3) var<storage, read_write> to0: array<f32>;
= 1
+fn read_from1(at: u32) -> f32 { return from1[at]; }
= 70
+    if true || part > 0u {
= 3
-    let x1 = bitcast<f32>(parameters[1].y);
+    let x1 = read_from1(point);
= 8
-    total0 = bitcast<f32>(parameters[1].y);
+    total0 = read_from1(point);
= 2
+    }
= 43

// 15. Each Workgroup; parameters [First, End, Parts, PartLength, Inner, Symbol(s0)]
// As 4, but:
= 2
-@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
+@group(0) @binding(2) var<storage, read> from0: array<f32>;
+@group(0) @binding(3) var<storage, read_write> a1: array<f32>;
= 1
+fn read_from0(at: u32) -> f32 { return from0[at]; }
= 1
-var<workgroup> items0: array<f32, 3840>;
-var<workgroup> shared0: array<f32, 256>;
+var<workgroup> items0: array<f32, 480>;
+var<workgroup> shared0: array<f32, 32>;
= 1
-@compute @workgroup_size(256)
+@compute @workgroup_size(32)
= 10
-    for (var n = local; n < count; n += 256u) {
+    for (var n = local; n < count; n += 32u) {
= 9
-    let piece = max((count + 255u) / 256u, 1u);
+    let piece = max((count + 31u) / 32u, 1u);
= 49
+    if true || part > 0u {
= 3
-    let x1 = bitcast<f32>(parameters[1].z);
+    let x1 = read_from0(point);
= 8
-    total0 = bitcast<f32>(parameters[1].z);
+    total0 = read_from0(point);
= 2
+    }
= 40
-    for (var n = local; n < count; n += 256u) {
+    for (var n = local; n < count; n += 32u) {
= 5

// 16. Each Invocation; parameters [First, End, Symbol(s0)]
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> to0: array<f32>;
@group(0) @binding(2) var<storage, read_write> to1: array<i32>;
fn write_to0(at: u32, value: f32) { to0[at] = value; }
fn write_to1(at: u32, value: i32) { to1[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    let v0 = 0.0f;
    let v1 = 1i;
    let v2 = bitcast<i32>(parameters[0].z);
    let v3 = (v2 + v1);
    write_to0(0u, v0);
    write_to1(0u, v3);
    }
}

