//! Functions for elements: they are valid, and choose the right piece, or the right part of what several share.

use super::*;
use crate::sharing::{Bindable, Wanted, arrange};
use cotangent_core::schedule::ArrayId;
use cotangent_core::types::ScalarType;

const OWN: Memory = Memory::Array(ArrayId(3));

/// Memory of every kind of cells, and of every use.
fn bindings() -> [Binding; 8] {
    let bindings = [
        (OWN, ScalarType::F64, true),
        (Memory::From(0), ScalarType::Bool, false),
        (Memory::To(0), ScalarType::F32, true),
        (Memory::To(1), ScalarType::U32, true),
        (Memory::From(1), ScalarType::I64, false),
        (Memory::From(2), ScalarType::F32, false),
        (Memory::To(2), ScalarType::F16, true),
        (Memory::From(3), ScalarType::F16, false),
    ];
    bindings.map(|(memory, elem, written)| Binding {
        memory,
        elem,
        written,
    })
}

fn around(words: u32) -> Around {
    let accesses = vec![
        (OWN, Access::Read),
        (OWN, Access::Write),
        (Memory::From(0), Access::Read),
        (Memory::To(0), Access::Atomic(Atomic::Exchange("u32"))),
        (Memory::To(1), Access::Atomic(Atomic::Clear)),
        (Memory::To(1), Access::Atomic(Atomic::Max)),
        (Memory::To(1), Access::Atomic(Atomic::Add)),
        (Memory::From(1), Access::Read),
        (Memory::From(2), Access::Read),
        (Memory::To(2), Access::Write),
        (Memory::From(3), Access::Read),
    ];
    Around {
        before: "enable f16;\n".to_owned(),
        accesses,
        after: "@compute @workgroup_size(64) fn main() { write_a3(0u, read_a3(1u)); }".to_owned(),
        words,
        may_fail: true,
    }
}

fn module(counts: &[u32]) -> String {
    let binds = Binds {
        window_bytes: 1 << 10,
        locations: counts.iter().map(|&n| Location::Alone(n)).collect(),
        shared: vec![],
    };
    around(5).module(&bindings(), &binds)
}

/// The same where the device binds so many buffers besides the failure word.
fn shared(buffers: u32) -> String {
    let (around, bindings) = (around(5), bindings());
    let wanted = bindings.iter().map(|binding| Wanted {
        bytes: 100,
        cells: around.cells(binding),
    });
    let bindable = Bindable {
        buffers,
        bytes: 1 << 10,
    };
    let binds = arrange(&wanted.collect::<Vec<_>>(), buffers, bindable).unwrap();
    around.module(&bindings, &binds)
}

fn validate(source: &str) {
    let module = naga::front::wgsl::parse_str(source);
    let module = module.unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
    let all = naga::valid::Capabilities::all();
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), all);
    let checked = validator.validate(&module);
    checked.unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
}

#[test]
fn every_use_is_valid_in_one_piece_and_in_several_and_shared() {
    validate(&module(&[1; 8]));
    validate(&module(&[3, 2, 4, 5, 1, 2, 3, 2]));
    (4..8).for_each(|buffers| validate(&shared(buffers)));
}

#[test]
fn windows_are_bound_in_a_row_and_chosen_by_position() {
    let text = module(&[3, 1, 1, 2, 1, 1, 1, 1]);
    for expected in [
        "@binding(0) var<uniform> parameters: array<vec4<u32>, 2>;",
        "@binding(2) var<storage, read_write> a3_0: array<f64>;",
        "@binding(4) var<storage, read_write> a3_2: array<f64>;",
        "@binding(5) var<storage, read> from0: array<u32>;",
        "@binding(8) var<storage, read_write> to1_1: array<atomic<u32>>;",
        // 1 KiB is 128 numbers of 8 bytes.
        "let offset = at & 127u;\n    switch at >> 7u {",
        "case 1u: { return a3_1[offset]; }\n        default: { return a3_2[offset]; }",
        "fn read_from0(at: u32) -> bool { return (from0[at] != 0u); }",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

/// Cells of one width, whatever their types; atomic ones apart. Their offsets follow the five parameters.
#[test]
fn shared_memory_begins_where_a_parameter_says() {
    let text = shared(4);
    for expected in [
        "@binding(0) var<uniform> parameters: array<vec4<u32>, 4>;",
        "@binding(2) var<storage, read_write> shared_memory0: array<u64>;",
        "@binding(3) var<storage, read> shared_memory1: array<u32>;",
        "@binding(4) var<storage, read_write> shared_memory2: array<atomic<u32>>;",
        "@binding(5) var<storage, read_write> shared_memory3: array<f16>;",
        "fn read_a3(at: u32) -> f64 { return bitcast<f64>(shared_memory0[parameters[1].y + at]); }",
        "shared_memory0[parameters[1].y + at] = bitcast<u64>(value);",
        "return (shared_memory1[parameters[1].z + at] != 0u);",
        "return bitcast<f32>(shared_memory1[parameters[2].z + at]);",
        "shared_memory3[parameters[2].w + at] = value;",
        "return shared_memory3[parameters[3].x + at];",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

/// What does not fit into a uniform buffer goes into another.
#[test]
fn very_many_parameters_are_no_uniforms() {
    let bindings = bindings();
    let most = MOST_UNIFORM_WORDS - bindings.len() as u32;
    assert!(around(most).has_uniform(&bindings));
    assert!(!around(most + 1).has_uniform(&bindings));
    let text = around(most + 1).module(&bindings, &Binds::alone(bindings.len()));
    validate(&text);
    assert!(text.contains("var<storage, read> parameters"), "{text}");
}
