//! Every rule fires where it should, and changes no value; whole programs stay well-formed.

mod arrays;
mod batch;
mod beside;
mod branches;
mod carried;
mod clamped;
mod columns;
mod failures;
mod gather;
mod loops;
mod programs;
pub(crate) mod random;
mod scalars;
mod sums;
mod symmetric;
mod uniform;
mod units;

use super::{RuleCounts, simplify, simplify_fun};
use crate::build::FunBuilder;
use crate::check::{check, check_fun};
use crate::constant::Const;
use crate::host::{Column, HostArray};
use crate::integer_type;
use crate::interp;
use crate::rounding::f16_of_f64;
use crate::term::{ExpId, Fun, Labelled, Program};
use crate::types::{ArrayType, ScalarType};

/// Whether two values are the same: bit for bit, but NaN counts as one value.
fn same(a: Const, b: Const) -> bool {
    match (a, b) {
        (Const::F16(x), Const::F16(y)) if x.is_nan() => y.is_nan(),
        (Const::F32(x), Const::F32(y)) if x.is_nan() => y.is_nan(),
        (Const::F64(x), Const::F64(y)) if x.is_nan() => y.is_nan(),
        (_, _) => a == b,
    }
}

/// Values at which rules tend to be wrong.
fn probes(ty: ScalarType) -> Vec<Const> {
    match ty {
        ScalarType::Bool => vec![Const::Bool(false), Const::Bool(true)],
        integer_type!() => integers(ty),
        ScalarType::F16 => floats()
            .iter()
            .chain(&[6e-8, 4e-5, 65504.0, 300.0])
            .map(|&x| Const::F16(f16_of_f64(x)))
            .collect(),
        ScalarType::F32 => floats().iter().map(|&x| Const::F32(x as f32)).collect(),
        ScalarType::F64 => floats().iter().map(|&x| Const::F64(x)).collect(),
    }
}

fn integers(ty: ScalarType) -> Vec<Const> {
    let width = 8 * ty.bytes() as i128;
    let middle = 1 << (width - 1);
    let all = [0, 1, -1, 2, 5, -7, width - 1, width, middle, middle - 1];
    all.map(|x| Const::integer(ty, x)).to_vec()
}

fn floats() -> [f64; 11] {
    let inf = f64::INFINITY;
    [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.5,
        -0.3,
        1e-308,
        1e200,
        inf,
        -inf,
        f64::NAN,
    ]
}

/// All combinations of probes for the given types.
fn combinations(types: &[ScalarType]) -> Vec<Vec<Const>> {
    types.iter().fold(vec![vec![]], |all, &ty| {
        let extend = |prefix: Vec<Const>| {
            let with = move |c| [prefix.clone(), vec![c]].concat();
            probes(ty).into_iter().map(with)
        };
        all.into_iter().flat_map(extend).collect()
    })
}

/// The function of parameters of the given types that `body` builds.
fn fun_of(
    types: &[ScalarType],
    body: impl FnOnce(&mut FunBuilder, &[ExpId]) -> Vec<ExpId>,
) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let params = b.params(types);
    let results = body(&mut b, &params);
    b.finish(results)
}

/// Simplifies a function without captures; it stays well-typed, and nothing is left to do.
fn simplified(fun: &Fun<Labelled>) -> (Fun<Labelled>, RuleCounts) {
    let mut counts = RuleCounts::default();
    let simple = simplify_fun(fun.clone(), &mut counts);
    let types = check_fun(fun, &[]).unwrap();
    assert_eq!(check_fun(&simple, &[]).unwrap(), types);
    (simple, counts)
}

/// Asserts that two functions give the same values, except where `deviates` says so of the operands.
fn assert_equal_but(
    before: &Fun<Labelled>,
    after: &Fun<Labelled>,
    deviates: impl Fn(&[Const]) -> bool,
) {
    for args in combinations(&before.param_types()) {
        if deviates(&args) {
            continue;
        }
        let expected = interp::eval_fun(before, &[], &args).unwrap();
        let given = interp::eval_fun(after, &[], &args).unwrap();
        let equal = expected.iter().zip(&given).all(|(&e, &g)| same(e, g));
        assert!(
            equal,
            "at {args:?}: {expected:?} became {given:?}\n{before}\n{after}"
        );
    }
}

/// Asserts that `rule` fires on the function that `body` builds, and changes no value.
fn fires(
    rule: &str,
    types: &[ScalarType],
    body: impl FnOnce(&mut FunBuilder, &[ExpId]) -> Vec<ExpId>,
) -> Fun<Labelled> {
    let before = fun_of(types, body);
    let (after, counts) = simplified(&before);
    assert!(
        counts.get(rule) > 0,
        "`{rule}` did not fire:\n{counts}{before}"
    );
    assert_equal_but(&before, &after, |_| false);
    after
}

fn array(shape: &[usize], values: impl Into<Column>) -> HostArray {
    HostArray::new(shape.to_vec(), values.into()).unwrap()
}

/// Arrays of the given types: of some extents, with elements that are all different.
fn inputs(types: &[ArrayType], extents: &[usize]) -> Vec<HostArray> {
    let one = |(position, ty): (usize, &ArrayType)| {
        let shape = extents[..ty.rank].to_vec();
        let values = (0..shape.iter().product()).map(|i: usize| match ty.elem {
            ScalarType::Bool => Const::Bool(i % 3 == 1),
            integer_type!() => Const::small(ty.elem, (i % 2) as i32),
            ScalarType::F16 => Const::F16(f16_of_f64(0.5 + i as f64 + 10.0 * position as f64)),
            ScalarType::F32 => Const::F32(0.5 + i as f32 + 10.0 * position as f32),
            ScalarType::F64 => Const::F64(0.5 + i as f64 + 10.0 * position as f64),
        });
        array(&shape, Column::from_consts(ty.elem, values).unwrap())
    };
    types.iter().enumerate().map(one).collect()
}

/// Whether the program before succeeds on some inputs; asserts that the one after gives the same values.
fn same_values(before: &Program<Labelled>, after: &Program<Labelled>) -> bool {
    let types: Vec<_> = before.params.iter().map(|p| p.ty).collect();
    let mut succeeded = false;
    for extents in [[2, 3, 2], [3, 3, 3], [1, 2, 1]] {
        let inputs = inputs(&types, &extents);
        if let Ok(expected) = interp::run(before, &inputs) {
            let given = interp::run(after, &inputs);
            let equal = given.as_ref() == Ok(&expected);
            assert!(equal, "before:\n{before}\nafter:\n{after}");
            succeeded = true;
        }
    }
    succeeded
}

/// Simplifies a program: well-formed before and after, and nothing left to do.
fn well_formed(before: &Program<Labelled>) -> (Program<Labelled>, RuleCounts) {
    check(before).unwrap();
    let (after, counts) = simplify(before.clone());
    if let Err(error) = check(&after) {
        panic!("{error}\nbefore:\n{before}\nafter:\n{after}");
    }
    let (again, left) = simplify(after.clone());
    assert_eq!(
        (left.total(), &again),
        (0, &after),
        "not a fixed point:\n{left}\n{after}"
    );
    (after, counts)
}

/// The same for a program that has values, which stay the same.
fn simplified_program(before: &Program<Labelled>) -> (Program<Labelled>, RuleCounts) {
    let (after, counts) = well_formed(before);
    assert!(same_values(before, &after), "no input fits:\n{before}");
    (after, counts)
}
