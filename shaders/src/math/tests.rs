//! The library without a device: what is in it, and that a validator accepts it.

use super::{Function, function, library};
use cotangent_core::prim::{self, Prim};
use cotangent_core::types::ScalarType;
use naga::valid::{Capabilities, ValidationFlags, Validator};

const FLOATS: [ScalarType; 2] = [ScalarType::F32, ScalarType::F64];

fn functions(ty: ScalarType) -> impl Iterator<Item = &'static Function> {
    prim::ALL.iter().filter_map(move |prim| function(*prim, ty))
}

/// Parses and validates, with the features that the functions on `f64` need.
#[track_caller]
fn validate(source: &str) {
    let module = match naga::front::wgsl::parse_str(source) {
        Ok(module) => module,
        Err(error) => panic!("{}", error.emit_to_string(source)),
    };
    let capabilities = Capabilities::FLOAT64 | Capabilities::SHADER_INT64;
    if let Err(error) = Validator::new(ValidationFlags::all(), capabilities).validate(&module) {
        panic!("{}", error.emit_to_string(source));
    }
}

#[test]
fn each_function_is_valid_with_what_it_calls() {
    for ty in FLOATS {
        for function in functions(ty) {
            let text = library([function].into_iter());
            assert!(text.contains(&format!("fn {}(", function.name)));
            validate(&text);
        }
    }
}

#[test]
fn all_functions_are_valid_together() {
    validate(&library(FLOATS.into_iter().flat_map(functions)));
}

#[test]
fn the_text_does_not_depend_on_the_order_of_use() {
    let all: Vec<_> = FLOATS.into_iter().flat_map(functions).collect();
    let forwards = library(all.iter().copied());
    assert_eq!(forwards, library(all.iter().rev().copied()));
    assert_eq!(forwards.matches("fn pow_f32(").count(), 1);
    assert_eq!(all.len(), 50);
}

#[test]
fn only_floats_need_functions() {
    for prim in prim::ALL {
        for ty in [ScalarType::Bool, ScalarType::I32, ScalarType::I64] {
            assert_eq!(function(prim, ty), None);
        }
    }
    assert_eq!(function(Prim::Sqrt, ScalarType::F64), None);
}
