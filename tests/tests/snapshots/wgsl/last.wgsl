// Each Invocation; parameters [First, End, Symbol(s0)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a0: array<f32>;
@group(0) @binding(3) var<storage, read_write> a2: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = a0[u32(v0)];
    a2[point] = v1;
}

// Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a1: array<i32>;
@group(0) @binding(3) var<storage, read> a0: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<i32>;
@group(0) @binding(5) var<storage, read_write> to1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    var v1 = i32();
    let inside_v1 = (u32(v0) < parameters[2]);
    if true & inside_v1 { v1 = a1[u32(v0)]; }
    if true & !inside_v1 { atomicMin(&failure[0], point); }
    let v2 = true;
    let v3 = a0[u32(v0)];
    let inside = (u32(v1) < parameters[3]);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var place = 4294967295u;
    if v2 & inside { place = u32(v1); }
    to0[point] = bitcast<i32>(place);
    to1[point] = v3;
}

// Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a1: array<i32>;
@group(0) @binding(3) var<storage, read> a0: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<i32>;
@group(0) @binding(5) var<storage, read_write> to1: array<f32>;
@group(0) @binding(6) var<storage, read_write> to2: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    var v1 = i32();
    let inside_v1 = (u32(v0) < parameters[2]);
    if true & inside_v1 { v1 = a1[u32(v0)]; }
    if true & !inside_v1 { atomicMin(&failure[0], point); }
    let v2 = true;
    let v3 = a0[u32(v0)];
    let inside = (u32(v1) < parameters[3]);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var place = 4294967295u;
    if v2 & inside { place = u32(v1); }
    to0[point] = bitcast<i32>(place);
    to1[point] = v3;
    if place != 4294967295u { atomicStore(&to2[place], 0u); }
}

// Each Invocation; parameters [First, End]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let place = bitcast<u32>(from0[point]);
    if place != 4294967295u { atomicMax(&to0[place], point + 1u); }
}

// Each Invocation; parameters [First, End]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
@group(0) @binding(3) var<storage, read> from1: array<i32>;
@group(0) @binding(4) var<storage, read> from2: array<f32>;
@group(0) @binding(5) var<storage, read_write> a2: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let place = bitcast<u32>(from0[point]);
    if place == 4294967295u { return; }
    if bitcast<u32>(from1[place]) != point + 1u { return; }
    a2[place] = from2[point];
}

// Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a1: array<i32>;
@group(0) @binding(3) var<storage, read> a0: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<i32>;
@group(0) @binding(5) var<storage, read_write> to1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    var v1 = i32();
    let inside_v1 = (u32(v0) < parameters[2]);
    if true & inside_v1 { v1 = a1[u32(v0)]; }
    if true & !inside_v1 { atomicMin(&failure[0], point); }
    let v2 = true;
    let v3 = a0[u32(v0)];
    let inside = (u32(v1) < parameters[3]);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var place = 4294967295u;
    if v2 & inside { place = u32(v1); }
    to0[point] = bitcast<i32>(place);
    to1[point] = v3;
}

// Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a1: array<i32>;
@group(0) @binding(3) var<storage, read> a0: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<i32>;
@group(0) @binding(5) var<storage, read_write> to1: array<f32>;
@group(0) @binding(6) var<storage, read_write> to2: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    var v1 = i32();
    let inside_v1 = (u32(v0) < parameters[2]);
    if true & inside_v1 { v1 = a1[u32(v0)]; }
    if true & !inside_v1 { atomicMin(&failure[0], point); }
    let v2 = true;
    let v3 = a0[u32(v0)];
    let inside = (u32(v1) < parameters[3]);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var place = 4294967295u;
    if v2 & inside { place = u32(v1); }
    to0[point] = bitcast<i32>(place);
    to1[point] = v3;
    if place != 4294967295u { atomicStore(&to2[place], 0u); }
}

// Each Invocation; parameters [First, End]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let place = bitcast<u32>(from0[point]);
    if place != 4294967295u { atomicMax(&to0[place], point + 1u); }
}

// Each Invocation; parameters [First, End]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
@group(0) @binding(3) var<storage, read> from1: array<i32>;
@group(0) @binding(4) var<storage, read> from2: array<f32>;
@group(0) @binding(5) var<storage, read_write> a2: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let place = bitcast<u32>(from0[point]);
    if place == 4294967295u { return; }
    if bitcast<u32>(from1[place]) != point + 1u { return; }
    a2[place] = from2[point];
}

// Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a1: array<i32>;
@group(0) @binding(3) var<storage, read> a0: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<i32>;
@group(0) @binding(5) var<storage, read_write> to1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    var v1 = i32();
    let inside_v1 = (u32(v0) < parameters[2]);
    if true & inside_v1 { v1 = a1[u32(v0)]; }
    if true & !inside_v1 { atomicMin(&failure[0], point); }
    let v2 = true;
    let v3 = a0[u32(v0)];
    let inside = (u32(v1) < parameters[3]);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var place = 4294967295u;
    if v2 & inside { place = u32(v1); }
    to0[point] = bitcast<i32>(place);
    to1[point] = v3;
}

// Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a1: array<i32>;
@group(0) @binding(3) var<storage, read> a0: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<i32>;
@group(0) @binding(5) var<storage, read_write> to1: array<f32>;
@group(0) @binding(6) var<storage, read_write> to2: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    var v1 = i32();
    let inside_v1 = (u32(v0) < parameters[2]);
    if true & inside_v1 { v1 = a1[u32(v0)]; }
    if true & !inside_v1 { atomicMin(&failure[0], point); }
    let v2 = true;
    let v3 = a0[u32(v0)];
    let inside = (u32(v1) < parameters[3]);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var place = 4294967295u;
    if v2 & inside { place = u32(v1); }
    to0[point] = bitcast<i32>(place);
    to1[point] = v3;
    if place != 4294967295u { atomicStore(&to2[place], 0u); }
}

// Each Invocation; parameters [First, End]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let place = bitcast<u32>(from0[point]);
    if place != 4294967295u { atomicMax(&to0[place], point + 1u); }
}

// Each Invocation; parameters [First, End]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
@group(0) @binding(3) var<storage, read> from1: array<i32>;
@group(0) @binding(4) var<storage, read> from2: array<f32>;
@group(0) @binding(5) var<storage, read_write> a2: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let place = bitcast<u32>(from0[point]);
    if place == 4294967295u { return; }
    if bitcast<u32>(from1[place]) != point + 1u { return; }
    a2[place] = from2[point];
}

// Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a1: array<i32>;
@group(0) @binding(3) var<storage, read> a0: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<i32>;
@group(0) @binding(5) var<storage, read_write> to1: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    var v1 = i32();
    let inside_v1 = (u32(v0) < parameters[2]);
    if true & inside_v1 { v1 = a1[u32(v0)]; }
    if true & !inside_v1 { atomicMin(&failure[0], point); }
    let v2 = true;
    let v3 = a0[u32(v0)];
    let inside = (u32(v1) < parameters[3]);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var place = 4294967295u;
    if v2 & inside { place = u32(v1); }
    to0[point] = bitcast<i32>(place);
    to1[point] = v3;
}

// Each Invocation; parameters [First, End, Symbol(s1), Symbol(s0)]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> a1: array<i32>;
@group(0) @binding(3) var<storage, read> a0: array<f32>;
@group(0) @binding(4) var<storage, read_write> to0: array<i32>;
@group(0) @binding(5) var<storage, read_write> to1: array<f32>;
@group(0) @binding(6) var<storage, read_write> to2: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    var v1 = i32();
    let inside_v1 = (u32(v0) < parameters[2]);
    if true & inside_v1 { v1 = a1[u32(v0)]; }
    if true & !inside_v1 { atomicMin(&failure[0], point); }
    let v2 = true;
    let v3 = a0[u32(v0)];
    let inside = (u32(v1) < parameters[3]);
    if v2 & !inside { atomicMin(&failure[0], point); }
    var place = 4294967295u;
    if v2 & inside { place = u32(v1); }
    to0[point] = bitcast<i32>(place);
    to1[point] = v3;
    if place != 4294967295u { atomicStore(&to2[place], 0u); }
}

// Each Invocation; parameters [First, End]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
@group(0) @binding(3) var<storage, read_write> to0: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let place = bitcast<u32>(from0[point]);
    if place != 4294967295u { atomicMax(&to0[place], point + 1u); }
}

// Each Invocation; parameters [First, End]
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read_write> failure: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> from0: array<i32>;
@group(0) @binding(3) var<storage, read> from1: array<i32>;
@group(0) @binding(4) var<storage, read> from2: array<f32>;
@group(0) @binding(5) var<storage, read_write> a2: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= parameters[1] - parameters[0] { return; }
    let point = parameters[0] + number;
    let place = bitcast<u32>(from0[point]);
    if place == 4294967295u { return; }
    if bitcast<u32>(from1[place]) != point + 1u { return; }
    a2[place] = from2[point];
}

