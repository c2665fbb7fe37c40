// Each Invocation; parameters [First, End]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> a1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = 0.0f;
    a1[point] = v0;
}

// Each Invocation; parameters [First, End, Symbol(s0), Symbol(s1)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<i32>;
@group(0) @binding(4) var<storage, read_write> to1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = a0[u32(v0)];
    let v2 = true;
    let v3 = 1.0f;
    let inside = (u32(v1) < parameters[3]);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var place = 4294967295u;
    if v2 & inside { place = u32(v1); }
    to0[point] = bitcast<i32>(place);
    to1[point] = v3;
}

// Each Invocation; parameters [First, End, PartLength, Inner, Symbol(s1), Digit, Parts]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let begin = point * parameters[2];
    let end = min(begin + parameters[2], parameters[3]);
    let elements = parameters[4];
    var counts = array<u32, 32>();
    for (var i = begin; i < end; i++) {
    let key = bitcast<u32>(from0[i]);
    let digit = (min(key, elements) >> parameters[5]) & 31u;
    counts[digit] += 1u;
    }
    for (var d = 0u; d < 32u; d++) {
    to0[d * parameters[6] + point] = bitcast<i32>(counts[d]);
    }
}

// Each Invocation; parameters [First, End, PartLength, Inner]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let begin = point * parameters[2];
    let end = min(begin + parameters[2], parameters[3]);
    var sum = 0i;
    for (var i = begin; i < end; i++) {
    sum += from0[i];
    }
    to0[point] = sum;
}

// Each Invocation; parameters [First, End, PartLength, Inner]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> to0: array<i32>;
@group(0) @binding(3) var<storage, read> from0: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let begin = point * parameters[2];
    let end = min(begin + parameters[2], parameters[3]);
    var sum = 0i;
    for (var i = begin; i < end; i++) {
    to0[i] = sum;
    sum += from0[i];
    }
}

// Each Invocation; parameters [First, End, PartLength, Inner]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from1: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<i32>;
@group(0) @binding(4) var<storage, read> from0: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let begin = point * parameters[2];
    let end = min(begin + parameters[2], parameters[3]);
    var sum = from1[point];
    for (var i = begin; i < end; i++) {
    to0[i] = sum;
    sum += from0[i];
    }
}

// Each Invocation; parameters [First, End, PartLength, Inner, Symbol(s1), Parts, Digit]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from1: array<i32>;
@group(0) @binding(3) var<storage, read> from0: array<i32>;
@group(0) @binding(4) var<storage, read_write> to0: array<i32>;
@group(0) @binding(5) var<storage, read_write> to1: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let begin = point * parameters[2];
    let end = min(begin + parameters[2], parameters[3]);
    let elements = parameters[4];
    var next = array<u32, 32>();
    for (var d = 0u; d < 32u; d++) {
    next[d] = bitcast<u32>(from1[d * parameters[5] + point]);
    }
    for (var i = begin; i < end; i++) {
    let key = bitcast<u32>(from0[i]);
    let digit = (min(key, elements) >> parameters[6]) & 31u;
    let at = next[digit];
    next[digit] = at + 1u;
    to0[at] = bitcast<i32>(key);
    to1[at] = bitcast<i32>(i);
    }
}

// Each Invocation; parameters [First, End, PartLength, Inner, Symbol(s1), Parts, Digit]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from1: array<i32>;
@group(0) @binding(3) var<storage, read> from0: array<i32>;
@group(0) @binding(4) var<storage, read_write> to0: array<i32>;
@group(0) @binding(5) var<storage, read> from2: array<i32>;
@group(0) @binding(6) var<storage, read_write> to1: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let begin = point * parameters[2];
    let end = min(begin + parameters[2], parameters[3]);
    let elements = parameters[4];
    var next = array<u32, 32>();
    for (var d = 0u; d < 32u; d++) {
    next[d] = bitcast<u32>(from1[d * parameters[5] + point]);
    }
    for (var i = begin; i < end; i++) {
    let key = bitcast<u32>(from0[i]);
    let digit = (min(key, elements) >> parameters[6]) & 31u;
    let at = next[digit];
    next[digit] = at + 1u;
    to0[at] = bitcast<i32>(key);
    to1[at] = from2[i];
    }
}

// Each Invocation; parameters [First, End, PartLength, Inner, Parts]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> to0: array<i32>;
@group(0) @binding(3) var<storage, read> from0: array<i32>;
@group(0) @binding(4) var<storage, read> from2: array<i32>;
@group(0) @binding(5) var<storage, read> from1: array<f32>;
@group(0) @binding(6) var<storage, read_write> a1: array<f32>;
@group(0) @binding(7) var<storage, read_write> to1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let begin = point * parameters[2];
    let end = min(begin + parameters[2], parameters[3]);
    let is_alone = parameters[4] == 1u;
    let first = 2u * point;
    let last = first + 1u;
    let nowhere = bitcast<i32>(4294967295u);
    to0[first] = nowhere;
    to0[last] = nowhere;
    var has_total = false;
    var is_first = true;
    var place = 0i;
    var total = f32();
    for (var i = begin; i < end; i++) {
    let next = from0[i];
    if next == nowhere { continue; }
    let value = from1[bitcast<u32>(from2[i])];
    if has_total & (next == place) { total = total + value; continue; }
    if has_total {
    if is_alone | !is_first {
    let sum = a1[bitcast<u32>(place)] + total;
    a1[bitcast<u32>(place)] = sum;
    } else {
    to0[first] = place;
    to1[first] = total;
    }
    is_first = false;
    }
    has_total = true;
    place = next;
    total = value;
    }
    if !has_total { return; }
    if is_alone {
    let sum = a1[bitcast<u32>(place)] + total;
    a1[bitcast<u32>(place)] = sum;
    } else {
    to0[last] = place;
    to1[last] = total;
    }
}

// Each Invocation; parameters [First, End, PartLength, Inner, Parts]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> to0: array<i32>;
@group(0) @binding(3) var<storage, read> from0: array<i32>;
@group(0) @binding(4) var<storage, read> from1: array<f32>;
@group(0) @binding(5) var<storage, read_write> a1: array<f32>;
@group(0) @binding(6) var<storage, read_write> to1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let begin = point * parameters[2];
    let end = min(begin + parameters[2], parameters[3]);
    let is_alone = parameters[4] == 1u;
    let first = 2u * point;
    let last = first + 1u;
    let nowhere = bitcast<i32>(4294967295u);
    to0[first] = nowhere;
    to0[last] = nowhere;
    var has_total = false;
    var is_first = true;
    var place = 0i;
    var total = f32();
    for (var i = begin; i < end; i++) {
    let next = from0[i];
    if next == nowhere { continue; }
    let value = from1[i];
    if has_total & (next == place) { total = total + value; continue; }
    if has_total {
    if is_alone | !is_first {
    let sum = a1[bitcast<u32>(place)] + total;
    a1[bitcast<u32>(place)] = sum;
    } else {
    to0[first] = place;
    to1[first] = total;
    }
    is_first = false;
    }
    has_total = true;
    place = next;
    total = value;
    }
    if !has_total { return; }
    if is_alone {
    let sum = a1[bitcast<u32>(place)] + total;
    a1[bitcast<u32>(place)] = sum;
    } else {
    to0[last] = place;
    to1[last] = total;
    }
}

// Each Invocation; parameters [First, End]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> to0: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let nothing = -f32();
    to0[point] = nothing;
}

// Each Invocation; parameters [First, End, Symbol(s1), Inner, Parts]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<f32>;
@group(0) @binding(4) var<storage, read> from1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let elements = parameters[2];
    for (var i = point; i < parameters[3]; i += parameters[4]) {
    let place = bitcast<u32>(from0[i]);
    if place == 4294967295u { continue; }
    let at = point * elements + place;
    let sum = to0[at] + from1[i];
    to0[at] = sum;
    }
}

// Each Invocation; parameters [First, End, Symbol(s1), Inner, PartLength]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<f32>;
@group(0) @binding(3) var<storage, read_write> to0: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let elements = parameters[2];
    let begin = point / elements * parameters[4];
    let end = min(begin + parameters[4], parameters[3]);
    var total = -f32();
    for (var row = begin; row < end; row++) {
    total = total + from0[row * elements + point % elements];
    }
    to0[point] = total;
}

// Each Invocation; parameters [First, End, Symbol(s1), Inner, PartLength]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<f32>;
@group(0) @binding(3) var<storage, read_write> a1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let elements = parameters[2];
    let begin = point / elements * parameters[4];
    let end = min(begin + parameters[4], parameters[3]);
    var total = -f32();
    for (var row = begin; row < end; row++) {
    total = total + from0[row * elements + point % elements];
    }
    let sum = a1[point] + total;
    a1[point] = sum;
}

// Each Invocation; parameters [First, End, Symbol(s0), Symbol(s1)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<i32>;
@group(0) @binding(4) var<storage, read_write> to1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = a0[u32(v0)];
    let v2 = true;
    let v3 = 1.0f;
    let inside = (u32(v1) < parameters[3]);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var place = 4294967295u;
    if v2 & inside { place = u32(v1); }
    to0[point] = bitcast<i32>(place);
    to1[point] = v3;
}

// Each Invocation; parameters [First, End, PartLength, Inner, Symbol(s1), Digit, Parts]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let begin = point * parameters[2];
    let end = min(begin + parameters[2], parameters[3]);
    let elements = parameters[4];
    var counts = array<u32, 32>();
    for (var i = begin; i < end; i++) {
    let key = bitcast<u32>(from0[i]);
    let digit = (min(key, elements) >> parameters[5]) & 31u;
    counts[digit] += 1u;
    }
    for (var d = 0u; d < 32u; d++) {
    to0[d * parameters[6] + point] = bitcast<i32>(counts[d]);
    }
}

// Each Invocation; parameters [First, End, PartLength, Inner]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let begin = point * parameters[2];
    let end = min(begin + parameters[2], parameters[3]);
    var sum = 0i;
    for (var i = begin; i < end; i++) {
    sum += from0[i];
    }
    to0[point] = sum;
}

// Each Invocation; parameters [First, End, PartLength, Inner]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> to0: array<i32>;
@group(0) @binding(3) var<storage, read> from0: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let begin = point * parameters[2];
    let end = min(begin + parameters[2], parameters[3]);
    var sum = 0i;
    for (var i = begin; i < end; i++) {
    to0[i] = sum;
    sum += from0[i];
    }
}

// Each Invocation; parameters [First, End, PartLength, Inner]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from1: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<i32>;
@group(0) @binding(4) var<storage, read> from0: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let begin = point * parameters[2];
    let end = min(begin + parameters[2], parameters[3]);
    var sum = from1[point];
    for (var i = begin; i < end; i++) {
    to0[i] = sum;
    sum += from0[i];
    }
}

// Each Invocation; parameters [First, End, PartLength, Inner, Symbol(s1), Parts, Digit]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from1: array<i32>;
@group(0) @binding(3) var<storage, read> from0: array<i32>;
@group(0) @binding(4) var<storage, read_write> to0: array<i32>;
@group(0) @binding(5) var<storage, read_write> to1: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let begin = point * parameters[2];
    let end = min(begin + parameters[2], parameters[3]);
    let elements = parameters[4];
    var next = array<u32, 32>();
    for (var d = 0u; d < 32u; d++) {
    next[d] = bitcast<u32>(from1[d * parameters[5] + point]);
    }
    for (var i = begin; i < end; i++) {
    let key = bitcast<u32>(from0[i]);
    let digit = (min(key, elements) >> parameters[6]) & 31u;
    let at = next[digit];
    next[digit] = at + 1u;
    to0[at] = bitcast<i32>(key);
    to1[at] = bitcast<i32>(i);
    }
}

// Each Invocation; parameters [First, End, PartLength, Inner, Symbol(s1), Parts, Digit]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from1: array<i32>;
@group(0) @binding(3) var<storage, read> from0: array<i32>;
@group(0) @binding(4) var<storage, read_write> to0: array<i32>;
@group(0) @binding(5) var<storage, read> from2: array<i32>;
@group(0) @binding(6) var<storage, read_write> to1: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let begin = point * parameters[2];
    let end = min(begin + parameters[2], parameters[3]);
    let elements = parameters[4];
    var next = array<u32, 32>();
    for (var d = 0u; d < 32u; d++) {
    next[d] = bitcast<u32>(from1[d * parameters[5] + point]);
    }
    for (var i = begin; i < end; i++) {
    let key = bitcast<u32>(from0[i]);
    let digit = (min(key, elements) >> parameters[6]) & 31u;
    let at = next[digit];
    next[digit] = at + 1u;
    to0[at] = bitcast<i32>(key);
    to1[at] = from2[i];
    }
}

// Each Invocation; parameters [First, End, PartLength, Inner, Parts]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> to0: array<i32>;
@group(0) @binding(3) var<storage, read> from0: array<i32>;
@group(0) @binding(4) var<storage, read> from2: array<i32>;
@group(0) @binding(5) var<storage, read> from1: array<f32>;
@group(0) @binding(6) var<storage, read_write> a1: array<f32>;
@group(0) @binding(7) var<storage, read_write> to1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let begin = point * parameters[2];
    let end = min(begin + parameters[2], parameters[3]);
    let is_alone = parameters[4] == 1u;
    let first = 2u * point;
    let last = first + 1u;
    let nowhere = bitcast<i32>(4294967295u);
    to0[first] = nowhere;
    to0[last] = nowhere;
    var has_total = false;
    var is_first = true;
    var place = 0i;
    var total = f32();
    for (var i = begin; i < end; i++) {
    let next = from0[i];
    if next == nowhere { continue; }
    let value = from1[bitcast<u32>(from2[i])];
    if has_total & (next == place) { total = total + value; continue; }
    if has_total {
    if is_alone | !is_first {
    let sum = a1[bitcast<u32>(place)] + total;
    a1[bitcast<u32>(place)] = sum;
    } else {
    to0[first] = place;
    to1[first] = total;
    }
    is_first = false;
    }
    has_total = true;
    place = next;
    total = value;
    }
    if !has_total { return; }
    if is_alone {
    let sum = a1[bitcast<u32>(place)] + total;
    a1[bitcast<u32>(place)] = sum;
    } else {
    to0[last] = place;
    to1[last] = total;
    }
}

// Each Invocation; parameters [First, End, PartLength, Inner, Parts]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> to0: array<i32>;
@group(0) @binding(3) var<storage, read> from0: array<i32>;
@group(0) @binding(4) var<storage, read> from1: array<f32>;
@group(0) @binding(5) var<storage, read_write> a1: array<f32>;
@group(0) @binding(6) var<storage, read_write> to1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let begin = point * parameters[2];
    let end = min(begin + parameters[2], parameters[3]);
    let is_alone = parameters[4] == 1u;
    let first = 2u * point;
    let last = first + 1u;
    let nowhere = bitcast<i32>(4294967295u);
    to0[first] = nowhere;
    to0[last] = nowhere;
    var has_total = false;
    var is_first = true;
    var place = 0i;
    var total = f32();
    for (var i = begin; i < end; i++) {
    let next = from0[i];
    if next == nowhere { continue; }
    let value = from1[i];
    if has_total & (next == place) { total = total + value; continue; }
    if has_total {
    if is_alone | !is_first {
    let sum = a1[bitcast<u32>(place)] + total;
    a1[bitcast<u32>(place)] = sum;
    } else {
    to0[first] = place;
    to1[first] = total;
    }
    is_first = false;
    }
    has_total = true;
    place = next;
    total = value;
    }
    if !has_total { return; }
    if is_alone {
    let sum = a1[bitcast<u32>(place)] + total;
    a1[bitcast<u32>(place)] = sum;
    } else {
    to0[last] = place;
    to1[last] = total;
    }
}

// Each Invocation; parameters [First, End]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> to0: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let nothing = -f32();
    to0[point] = nothing;
}

// Each Invocation; parameters [First, End, Symbol(s1), Inner, Parts]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<f32>;
@group(0) @binding(4) var<storage, read> from1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let elements = parameters[2];
    for (var i = point; i < parameters[3]; i += parameters[4]) {
    let place = bitcast<u32>(from0[i]);
    if place == 4294967295u { continue; }
    let at = point * elements + place;
    let sum = to0[at] + from1[i];
    to0[at] = sum;
    }
}

// Each Invocation; parameters [First, End, Symbol(s1), Inner, PartLength]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<f32>;
@group(0) @binding(3) var<storage, read_write> to0: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let elements = parameters[2];
    let begin = point / elements * parameters[4];
    let end = min(begin + parameters[4], parameters[3]);
    var total = -f32();
    for (var row = begin; row < end; row++) {
    total = total + from0[row * elements + point % elements];
    }
    to0[point] = total;
}

// Each Invocation; parameters [First, End, Symbol(s1), Inner, PartLength]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<f32>;
@group(0) @binding(3) var<storage, read_write> a1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let elements = parameters[2];
    let begin = point / elements * parameters[4];
    let end = min(begin + parameters[4], parameters[3]);
    var total = -f32();
    for (var row = begin; row < end; row++) {
    total = total + from0[row * elements + point % elements];
    }
    let sum = a1[point] + total;
    a1[point] = sum;
}

// Each Invocation; parameters [First, End, Symbol(s0), Symbol(s1)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<i32>;
@group(0) @binding(4) var<storage, read_write> to1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = a0[u32(v0)];
    let v2 = true;
    let v3 = 1.0f;
    let inside = (u32(v1) < parameters[3]);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var place = 4294967295u;
    if v2 & inside { place = u32(v1); }
    to0[point] = bitcast<i32>(place);
    to1[point] = v3;
}

// Each Invocation; parameters [First, End, Symbol(s0), Symbol(s1)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<i32>;
@group(0) @binding(3) var<storage, read_write> a1: array<atomic<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = a0[u32(v0)];
    let v2 = true;
    let v3 = 1.0f;
    let inside = (u32(v1) < parameters[3]);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var place = 4294967295u;
    if v2 & inside { place = u32(v1); }
    if place == 4294967295u { return; }
    atomicAdd(&a1[place], v3);
}

// Each Invocation; parameters [First, End, Symbol(s0), Symbol(s1)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<i32>;
@group(0) @binding(4) var<storage, read_write> to1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = a0[u32(v0)];
    let v2 = true;
    let v3 = 1.0f;
    let inside = (u32(v1) < parameters[3]);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var place = 4294967295u;
    if v2 & inside { place = u32(v1); }
    to0[point] = bitcast<i32>(place);
    to1[point] = v3;
}

// Each Invocation; parameters [First, End, Symbol(s0), Symbol(s1)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<i32>;
@group(0) @binding(3) var<storage, read_write> a1: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = a0[u32(v0)];
    let v2 = true;
    let v3 = 1.0f;
    let inside = (u32(v1) < parameters[3]);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var place = 4294967295u;
    if v2 & inside { place = u32(v1); }
    if place == 4294967295u { return; }
    {
    var old = atomicLoad(&a1[place]);
    loop {
    let sum = bitcast<u32>(bitcast<f32>(old) + v3);
    let found = atomicCompareExchangeWeak(&a1[place], old, sum);
    if found.exchanged { break; }
    old = found.old_value;
    }
    }
}

// Each Invocation; parameters [First, End]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> to0: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let v0 = 10i;
    to0[0u] = v0;
}

