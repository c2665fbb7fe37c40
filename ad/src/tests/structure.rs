//! What derived code looks like: no scatter, no copy, no export that is not needed.

use super::{Matrix, Vector, energy, program};
use crate::differentiate;
use cotangent_core::print::Printer;
use cotangent_core::simplify::simplify;
use cotangent_core::surface::prelude::*;
use cotangent_core::term::{AccOp, Labelled};

/// The operations of the derived program, outermost block only.
fn derived<X: Arrays>(f: impl Fn(X) -> super::Number + Copy) -> Vec<AccOp<Labelled>> {
    let program = differentiate(program(|x: X| gradient_a(f, x))).unwrap();
    program.body.lets.into_iter().map(|l| l.op).collect()
}

fn count(ops: &[AccOp<Labelled>], name: &str) -> usize {
    ops.iter().filter(|op| op.name() == name).count()
}

#[test]
fn own_coordinates_need_no_scatter() {
    let ops = derived(|x: Matrix| {
        let transposed = generate(x.shape(), |i: Ix2| x.at(i) * 2.0);
        energy(transposed)
    });
    assert_eq!(count(&ops, "permute"), 0);
}

#[test]
fn other_coordinates_stay_a_function_of_the_index() {
    let ops =
        derived(|x: Vector| energy(generate(ix![3, 4], |Snoc(Snoc(Z, i), _): Ix2| x.at(ix![i]))));
    let target = ops.iter().find_map(|op| match op {
        AccOp::Permute { target, .. } => Some(target),
        _ => None,
    });
    assert_eq!(target.unwrap().captures, []);
}

#[test]
fn equal_shapes_need_no_extension() {
    let ops = derived(|x: Vector| energy(x.map(|x| x * x).zip_with(x, |a, b| a * b)));
    assert_eq!(count(&ops, "generate"), 1, "only the seed: {ops:?}");
}

#[test]
fn folds_that_need_their_states_go_through_the_elements_once() {
    // Once from the left for value and states, once from the right; the sum is that of `energy`.
    let ops = derived(|x: Matrix| energy(x.fold(0.5, |a, b| a + b + a * b)));
    assert_eq!((count(&ops, "scanl"), count(&ops, "scanr1")), (1, 1));
    assert_eq!(count(&ops, "fold"), 1, "only the sum: {ops:?}");
    let complex = |x: Vector| {
        let product = x
            .map(|x| (x, x * x))
            .fold((1.0, 0.0), |(a, b), (c, d)| (a * c - b * d, a * d + b * c));
        product.map(|(a, b)| a * b)
    };
    let ops = derived(complex);
    assert_eq!(
        (count(&ops, "scanl"), count(&ops, "fold")),
        (1, 0),
        "{ops:?}"
    );
}

#[test]
fn a_conditional_exports_only_what_is_needed() {
    let ops = derived(|x: Vector| {
        let y = acond(x.at(ix![0]).gt(0.0), x.map(|x| x * 2.0).map(|x| x + 1.0), x);
        energy(y)
    });
    let conds: Vec<usize> = ops
        .iter()
        .filter_map(|op| match op {
            AccOp::Cond { then_, .. } => Some(then_.results.len()),
            _ => None,
        })
        .collect();
    assert_eq!(conds, [1, 1]);
}

#[test]
fn constants_get_no_adjoint() {
    let table = cotangent_core::surface::Array::<Ix1, f64>::from_vec([2], vec![1.0, 2.0]).unwrap();
    let p = program(|x: Vector| {
        let t = use_(&table);
        gradient_a(
            |x: Vector| generate(ix![9], |_: Ix1| t.at(ix![1]) * x.at(ix![0])).sum(),
            x,
        )
    });
    let derived = differentiate(p).unwrap();
    let permutes = derived
        .body
        .lets
        .iter()
        .filter(|l| l.op.name() == "permute");
    assert_eq!(permutes.count(), 1);
}

/// Several cotangents of one quotient, or root, have one division in common.
#[test]
fn rows_share_reciprocals() {
    let rows = |x: Vector, y: Vector| {
        x.zip_with(y, |x, y| {
            let row = |k: usize| {
                let f = move |(x, y): (Exp<f64>, Exp<f64>)| {
                    let z = x / (x + y).sqrt();
                    [z.sin() * y, z.cos(), z * z.asin() + x][k]
                };
                gradient_e(f, (x, y))
            };
            [row(0), row(1), row(2)]
        })
    };
    let (program, _) = simplify(program(rows));
    let (derived, _) = simplify(differentiate(program).unwrap());
    let text = Printer::default().program(&derived).to_string();
    // The quotient itself, 1 / √(x + y), and 1 / √(1 − z²).
    assert_eq!(text.matches("= div (").count(), 3, "{text}");
    assert_eq!(text.matches("= asin (").count(), 1, "{text}");
}

/// The primal runs the inner loop once, and the dual once more, without its test: for as many trips as the primal made.
#[test]
fn the_dual_does_not_count_the_trips_of_inner_loops() {
    let halved = |v: Vector| {
        let far = |v: Vector| v.map(|x| x * x).sum().the().gt(0.3);
        awhile(far, |_, v| v.map(|x| 0.5 * x.sin()), v)
    };
    let f = |v: Vector| energy(aiterate(5, |_, v| halved(v.map(|x| x + 1.0)), v));
    let program = differentiate(program(|x: Vector| gradient_a(f, x))).unwrap();
    let text = program.to_string();
    let tests = text
        .lines()
        .filter(|line| line.trim_start().starts_with("test: "));
    assert_eq!(tests.count(), 1, "{text}");
}
