//! Passes that bring in a type.

use crate::build::{AccBuilder, FunBuilder};
use crate::check::{Problem, check_pass, scalar_types};
use crate::host::HostArray;
use crate::label::samples;
use crate::prim::Prim;
use crate::term::{Labelled, Program};
use crate::types::ScalarType::{F16, F64, I32, I64};
use crate::types::{ArrayType, ScalarType, ScalarTypes};

fn types(types: &[ScalarType]) -> ScalarTypes {
    types.iter().copied().collect()
}

/// A type of the source is no news, nor is one that is everywhere.
#[test]
fn a_pass_brings_in_no_types() {
    let program = samples::dot();
    assert_eq!(scalar_types(&program), Ok(types(&[F64])));
    assert_eq!(check_pass("simplify", &program, types(&[F64])), Ok(()));
    let error = check_pass("simplify", &program, types(&[F16])).unwrap_err();
    let allowed = ScalarTypes::EVERYWHERE.with(types(&[F16]));
    assert_eq!(*error.problem, Problem::Foreign { ty: F64, allowed });
    let expected = "computes with f64, and the source program with bool, i32, f16, f32 only";
    assert!(error.to_string().contains(expected), "{error}");
}

/// Schedules hold them, too.
#[test]
fn host_arrays_that_nothing_uses_have_types() {
    let mut program = samples::dot();
    let unused = HostArray::new(vec![2], vec![1i64, 2].into()).unwrap();
    program.uses.push(unused);
    assert_eq!(scalar_types(&program), Ok(types(&[F64, I64])));
}

/// From `i32` to `i32` by way of `i64`.
fn by_way_of_another_type() -> Program<Labelled> {
    let mut b = FunBuilder::new();
    let i = b.param(I32);
    let wide = b.prim(Prim::Convert(I64), &[i]);
    let narrow = b.prim(Prim::Convert(I32), &[wide]);
    let f = b.finish(vec![narrow]);
    let mut b = AccBuilder::new(0);
    let x = b.fresh(ArrayType::new(I32, 1));
    let y = b.map(f, std::slice::from_ref(&x));
    Program {
        params: vec![x],
        uses: vec![],
        alike: Default::default(),
        body: b.finish(&y),
    }
}

/// In scalar code, too, with the place.
#[test]
fn a_type_inside_of_a_function_is_found() {
    let program = by_way_of_another_type();
    let error = check_pass("ad", &program, ScalarTypes::default()).unwrap_err();
    let path: Vec<_> = error.path.iter().map(ToString::to_string).collect();
    assert!(path[0].contains("map"), "{path:?}");
    assert_eq!(path[1], "f");
    let own = scalar_types(&program).unwrap();
    assert_eq!(own, types(&[I32, I64]));
    assert_eq!(check_pass("ad", &program, own), Ok(()));
}
