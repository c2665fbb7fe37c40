//! Derivatives along a direction: what of them is refused.

use super::{F64, I32, P, fun, op};
use crate::check::check;
use crate::label::samples;
use crate::term::{AccOp, ArrId, ExpOp};
use crate::types::ArrayType;

#[track_caller]
fn refused(mut program: P, plant: impl FnOnce(&mut P), expected: &str) {
    plant(&mut program);
    let message = check(&program).unwrap_err().to_string();
    assert!(
        message.contains(expected),
        "{message}\nshould say: {expected}"
    );
}

fn scalar_args(p: &mut P) -> &mut Vec<crate::term::ExpId> {
    match &mut fun(p, 0, 1).body.lets[1].op {
        ExpOp::Derivative { args, .. } => args,
        other => panic!("{other:?}"),
    }
}

#[test]
fn of_scalars() {
    let arguments =
        "let 1 (x6 = jvp_e): arguments and tangents: expected types (f64, i32, f64, i32), found";
    let refused_args = |plant: fn(&mut P), found: &str| {
        refused(
            samples::scalar_jvp(),
            plant,
            &format!("{arguments} {found}"),
        );
    };
    refused_args(|p| scalar_args(p).truncate(2), "(f64, i32)");
    refused_args(|p| scalar_args(p).swap(2, 3), "(f64, i32, i32, f64)");
    refused(
        samples::scalar_jvp(),
        |p| fun(p, 0, 1).body.lets[1].binds.truncate(2),
        "bindings: expected types (f64, i32, f64, i32), found (f64, i32)",
    );
    refused(
        samples::scalar_jvp(),
        |p| fun(p, 0, 1).body.lets[1].binds[2].ty = I32,
        "found (f64, i32, i32, i32)",
    );
}

#[test]
fn of_arrays() {
    refused(
        samples::array_jvp(),
        |p| *op(p, 0).arguments_mut().remove(1) = ArrId(7),
        "a7 is not in scope",
    );
    refused(
        samples::array_jvp(),
        |p| {
            p.params[1].ty = ArrayType::new(F64, 1);
        },
        "jvp_a): arguments and tangents: expected types (f64[_, _], f64[_, _]), found (f64[_, _], f64[_])",
    );
    refused(
        samples::array_jvp(),
        |p| p.body.lets[0].binds.truncate(3),
        "bindings: expected types (f64[_], f64[_, _], f64[_], f64[_, _]), found (f64[_], f64[_, _], f64[_])",
    );
    refused(
        samples::array_jvp(),
        |p| op(p, 0).blocks_mut().remove(0).block.results = vec![samples::NOWHERE],
        "body: a1000 is not in scope",
    );
}

fn custom(p: &mut P, change: fn(&mut usize, &mut Vec<ArrId>)) {
    match op(p, 1) {
        AccOp::Custom { values, args, .. } => change(values, args),
        other => panic!("{other:?}"),
    }
}

#[test]
fn by_decree() {
    let refused = |plant: fn(&mut P), expected: &str| refused(samples::rules(), plant, expected);
    refused(
        |p| custom(p, |values, _| *values = 0),
        "arguments: expected the values and the inputs",
    );
    refused(
        |p| custom(p, |values, _| *values = 3),
        "arguments: expected the values and the inputs",
    );
    refused(
        |p| custom(p, |_, args| args.truncate(1)),
        "jvp: parameters: expected types (f64[_]), found (f64[_], f64[_])",
    );
    refused(
        |p| op(p, 1).blocks_mut()[1].block.results.clear(),
        "vjp: results: expected types (f64[_]), found ()",
    );
    refused(
        |p| match &mut fun(p, 0, 0).body.lets[1].op {
            ExpOp::WithPartials(args) => args.extend_from_within(..1),
            other => panic!("{other:?}"),
        },
        "operands: expected a value, and pairs of a scalar and a partial derivative",
    );
}
