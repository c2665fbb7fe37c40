//! Functions for elements: they are valid, and choose the right piece.

use super::*;
use cotangent_core::schedule::ArrayId;
use cotangent_core::types::ScalarType;

fn module(counts: &[u32]) -> String {
    let own = Memory::Array(ArrayId(3));
    let bindings = [
        (own, ScalarType::F64, true),
        (Memory::From(0), ScalarType::Bool, false),
        (Memory::To(0), ScalarType::F32, true),
        (Memory::To(1), ScalarType::U32, true),
    ];
    let bindings = bindings.map(|(memory, elem, written)| Binding {
        memory,
        elem,
        written,
    });
    let accesses = vec![
        (own, Access::Read),
        (own, Access::Write),
        (Memory::From(0), Access::Read),
        (Memory::To(0), Access::Atomic(Atomic::Exchange("u32"))),
        (Memory::To(1), Access::Atomic(Atomic::Clear)),
        (Memory::To(1), Access::Atomic(Atomic::Max)),
        (Memory::To(1), Access::Atomic(Atomic::Add)),
    ];
    let around = Around {
        before: String::new(),
        accesses,
        after: "@compute @workgroup_size(64) fn main() { write_a3(0u, read_a3(1u)); }".to_owned(),
    };
    let windows = Windows {
        bytes: 1 << 10,
        counts,
    };
    around.module(&bindings, &windows)
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
fn every_use_is_valid_in_one_piece_and_in_several() {
    validate(&module(&[]));
    validate(&module(&[3, 2, 4, 5]));
}

#[test]
fn windows_are_bound_in_a_row_and_chosen_by_position() {
    let text = module(&[3, 1, 1, 2]);
    for expected in [
        "@binding(2) var<storage, read_write> a3_0: array<f64>;",
        "@binding(4) var<storage, read_write> a3_2: array<f64>;",
        "@binding(5) var<storage, read> from0: array<u32>;",
        "@binding(8) var<storage, read_write> to1_1: array<atomic<u32>>;",
        // 1 KiB is 128 numbers of 8 bytes.
        "let place = at & 127u;\n    switch at >> 7u {",
        "case 1u: { return a3_1[place]; }\n        default: { return a3_2[place]; }",
        "fn read_from0(at: u32) -> bool { return (from0[at] != 0u); }",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}
