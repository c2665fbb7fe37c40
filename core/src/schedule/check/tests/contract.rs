//! The rules of contractions, each broken once.

use super::*;
use crate::schedule::Role::{self, Batch, Left, Right};
use crate::schedule::{Bound, Semiring, Structure};

fn product(roles: &[Role], change: impl FnOnce(&mut KernelKind)) -> Schedule {
    contraction(Semiring::PlusTimes, roles, change)
}

/// A4[s0, s0] = what the semiring combines over s0 of coord 0 · coord 2 and coord 1 · coord 2, in floats.
fn contraction(
    semiring: Semiring,
    roles: &[Role],
    change: impl FnOnce(&mut KernelKind),
) -> Schedule {
    let mut schedule = good();
    schedule.arrays.push(ArrayDecl {
        elem: ScalarType::F64,
        extents: vec![SymbolId(0); 2],
        layout: Layout::Own,
        site: SiteId(0),
    });
    let mut body = Body::default();
    let at: Vec<_> = (0..3)
        .map(|axis| body.push(Op::Coord(axis), ScalarType::I32))
        .collect();
    let mut factor = |own: ValueId| {
        let product = Op::Prim(Prim::Mul, vec![own, at[2]]);
        let product = body.push(product, ScalarType::I32);
        let convert = Op::Prim(Prim::Convert(ScalarType::F64), vec![product]);
        body.push(convert, ScalarType::F64)
    };
    let (left, right) = (factor(at[0]), factor(at[1]));
    let term = Op::Prim(semiring.times(), vec![left, right]);
    let value = body.push(term, ScalarType::F64);
    let mut kind = KernelKind::Contract {
        semiring,
        inner: vec![SymbolId(0)],
        body,
        roles: roles.to_vec(),
        left,
        right,
        init: Some(SymbolId(1)),
        structure: Structure::default(),
        output: Output {
            value,
            array: ArrayId(4),
        },
    };
    change(&mut kind);
    schedule.steps.push(kernel(kind, vec![SymbolId(0); 2]));
    schedule
}

fn problem(roles: &[Role], change: impl FnOnce(&mut KernelKind)) -> String {
    check(product(roles, change))
        .unwrap_err()
        .problem
        .to_string()
}

#[test]
fn contractions_are_accepted_and_printed() {
    let schedule = product(&[Left, Right], |_| {});
    let text = schedule.to_string();
    assert!(text.contains("contract [left, right] over [s0]"), "{text}");
    assert!(check(schedule).is_ok());
}

#[test]
fn roles_are_those_of_the_factors() {
    assert!(problem(&[Right, Left], |_| {}).contains("coordinate 0, which is the other"));
    assert!(problem(&[Batch, Batch], |_| {}).contains("without a matrix"));
    assert!(problem(&[Left], |_| {}).contains("the roles"));
}

#[test]
fn the_value_is_the_product_of_the_factors() {
    let other = |kind: &mut KernelKind| {
        if let KernelKind::Contract { left, output, .. } = kind {
            output.value = *left;
        }
    };
    assert!(problem(&[Left, Right], other).contains("is not"));
}

#[test]
fn other_semirings_are_accepted_and_printed() {
    for semiring in Semiring::ALL {
        let schedule = contraction(semiring, &[Left, Right], |_| {});
        let text = schedule.to_string();
        let says = |prim: &str| text.lines().any(|line| line.trim() == format!("by {prim}"));
        assert_eq!(says("min"), semiring.plus() == Prim::Min, "{text}");
        assert_eq!(says("max"), semiring.plus() == Prim::Max, "{text}");
        assert!(check(schedule).is_ok());
    }
}

#[test]
fn the_term_is_that_of_the_semiring() {
    let other = |kind: &mut KernelKind| {
        if let KernelKind::Contract { semiring, .. } = kind {
            *semiring = Semiring::MaxPlus;
        }
    };
    assert!(problem(&[Left, Right], other).contains("is not add of"));
}

#[test]
fn zeros_of_factors_are_for_products_alone() {
    let zeros = |kind: &mut KernelKind| {
        if let KernelKind::Contract { structure, .. } = kind {
            structure.left = vec![Bound::new(0, 2, 0)];
        }
    };
    let needed = |kind: &mut KernelKind| {
        if let KernelKind::Contract { structure, .. } = kind {
            structure.needed = vec![Bound::new(0, 1, 0)];
        }
    };
    let schedule = |semiring| contraction(semiring, &[Left, Right], zeros);
    assert!(check(schedule(Semiring::PlusTimes)).is_ok());
    let problem = check(schedule(Semiring::MinPlus)).unwrap_err().problem;
    assert!(problem.to_string().contains("zeros of factors"));
    assert!(check(contraction(Semiring::MinPlus, &[Left, Right], needed)).is_ok());
}
