//! Numbers that are the same for all elements.

use super::columns::simplified;
use crate::prim::Prim;
use crate::surface::prelude::*;
use crate::term::{AccOp, ExpOp, Labelled, Program};

type Number = Acc<Z, f64>;
type Vector = Acc<Ix1, f64>;

const RULE: &str = "uniform_number";

/// The ranks of the arrays whose elements are computed by a division.
fn ranks_of_quotients(program: &Program<Labelled>) -> Vec<usize> {
    let lets = program.body.all_lets();
    let divides = |op: &ExpOp<Labelled>| op.operands_of(Prim::Div).is_some();
    let made = lets.filter(|let_| match &let_.op {
        AccOp::Generate { shape: _, f } | AccOp::Map { f, args: _ } => {
            f.body.all_lets().any(|let_| divides(&let_.op))
        }
        AccOp::Use(_) | AccOp::Fold { .. } | AccOp::Scan { .. } | AccOp::Move { .. } => false,
        AccOp::Permute { .. } | AccOp::Unpack { .. } | AccOp::Append { .. } => false,
        AccOp::Argsort { .. }
        | AccOp::FoldSegments { .. }
        | AccOp::Cond { .. }
        | AccOp::Derivative { .. } => false,
        AccOp::Custom { .. } | AccOp::Loop { .. } => false,
    });
    made.map(|let_| let_.binds[0].ty.rank).collect()
}

fn inputs() -> (Array<Z, f64>, Array<Z, f64>, Array<Ix1, f64>) {
    let x = Array::vector(vec![0.5, -1.0, 2.0]).unwrap();
    (Array::scalar(3.0), Array::scalar(-0.25), x)
}

/// A step of a line search: x + (a / b) · x.
fn step((a, b, x): (Number, Number, Vector)) -> Vector {
    x.map(|x| x + a.the() / b.the() * x)
}

#[test]
fn a_quotient_is_taken_once_where_there_are_derivatives() {
    let (after, fired) = simplified(|a, b, x| step((a, b, x)), inputs(), RULE);
    assert_eq!((fired, ranks_of_quotients(&after)), (0, vec![1]), "{after}");
    let gradient = |a: Number, b: Number, x: Vector| gradient_a(|all| step(all).sum(), (a, b, x));
    let (after, fired) = simplified(gradient, inputs(), RULE);
    assert_eq!((fired, ranks_of_quotients(&after)), (1, vec![0]), "{after}");
}

/// In the branches of a conditional, and of an array that depends on nothing else.
#[test]
fn wherever_it_is_read() {
    let f = |a: Number, b: Number, x: Vector| {
        let chosen = |x: Exp<f64>| {
            let quotient = a.the() / b.the();
            cond(x.gt(0.0), x * quotient, x - quotient)
        };
        let same = generate(ix![x.size()], |_| a.the() / b.the());
        x.map(chosen).zip_with(same, |x, y| x * y).sum()
    };
    let gradient =
        move |a: Number, b: Number, x: Vector| gradient_a(|(a, b, x)| f(a, b, x), (a, b, x));
    let (after, fired) = simplified(gradient, inputs(), RULE);
    assert_eq!((fired, ranks_of_quotients(&after)), (2, vec![0]), "{after}");
}

/// A conditional between such numbers is one of them, and taken outside as a whole.
#[test]
fn conditionals() {
    let f = |a: Number, b: Number, x: Vector| {
        let loss = |(a, b, x): (Number, Number, Vector)| {
            let quotient = cond(b.the().gt(0.0), a.the() / b.the(), 0.0);
            x.map(|x| x + quotient * x).sum()
        };
        gradient_a(loss, (a, b, x))
    };
    let (after, fired) = simplified(f, inputs(), RULE);
    assert_eq!((fired, ranks_of_quotients(&after)), (1, vec![0]), "{after}");
}

/// What is read alone, or an integer, or depends on the element, stays where it is.
#[test]
fn what_stays() {
    let f = |a: Number, b: Number, x: Vector| {
        let loss = |x: Vector| {
            let scaled = x.map(|x| x * a.the() + (x * b.the()).sin());
            generate(ix![x.size()], |ix![i]| {
                2.0 * scaled.at(ix![(i + a.the().to_i32() * 2) % 3])
            })
            .sum()
        };
        gradient_a(loss, x)
    };
    let (after, fired) = simplified(f, inputs(), RULE);
    assert_eq!(fired, 0, "{after}");
}
