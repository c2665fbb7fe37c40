//! Derivatives of derivatives at points where a rule chooses, and derivatives of code in places where it is rare; against numbers
//! worked out by hand.

use crate::operations::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};

type Scalar = Acc<Ix0, f64>;
type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;
type X = Exp<f64>;

/// The derivative of xʸ by x is y·xʸ⁻¹, which is 0 at y = 0, but not near it.
#[test]
fn of_powers_at_an_exponent_of_zero() {
    let mixed = |x: Vector| {
        let by_x = |y: X, x: X| gradient_e(move |x: X| x.powf(y), x);
        x.map(|x| gradient_e(move |y: X| by_x(y, x), 0.0))
    };
    gives(mixed, vector([2.0, 4.0]), vector([0.5, 0.25]));
    let by_base = |x: Vector, y: Vector| {
        let powers = |x: Vector, y: Vector| x.zip_with(y, |x, y| x.powf(y)).sum();
        let of = move |y| (gradient_a(move |x| powers(x, y), x) * x).sum();
        (gradient_a(move |x| powers(x, y), x), gradient_a(of, y))
    };
    let input = (vector([2.0, 0.0]), vector([0.0, 0.0]));
    // At x = 0, y·xʸ has no derivative that is a number: 0 by the rule.
    gives(by_base, input, (vector([0.0, 0.0]), vector([1.0, 0.0])));
}

/// 1/√(1 + x²) bends at 0.
#[test]
fn third_of_asinh() {
    let f = |x: X| x.asinh();
    let third = move |x: Vector| {
        x.map(|x| gradient_e(move |x| gradient_e(move |x| gradient_e(f, x), x), x))
    };
    let far = move |x: Vector| x.map(|x| gradient_e(f, x));
    gives(third, vector([0.0, -0.0]), vector([-1.0, -1.0]));
    gives(
        far,
        vector([1e200, -1e200, 0.0]),
        vector([1e-200, 1e-200, 1.0]),
    );
}

/// The fold that looks for a product as a number of a wider range is associative: it is tried as others are.
#[test]
fn of_products_that_are_tried() {
    let careful = Cpu::builder().check_associativity(true).build().unwrap();
    let product = compile(|x: Vector| gradient_a(|x: Vector| x.product(), x)).unwrap();
    let run = |x: Vec<f64>| product.run(&careful, vector(x)).unwrap().to_vec();
    assert_eq!(run(vec![3.0, 0.0, 2.0]), [0.0, 6.0, 0.0]);
    assert_eq!(run(vec![1.0, 0.0, 2.0]), [0.0, 2.0, 0.0]);
    assert_eq!(run(vec![0.0, 0.0, 2.0]), [0.0; 3]);
    let infinite = run(vec![f64::INFINITY, 2.0]);
    assert_eq!(infinite, [2.0, f64::INFINITY]);
    // Far from 1, both ways, and back again.
    for n in [2, 40, 3000] {
        let power = |i: usize| [1e300, 1e-300, 3e-290, 1e290][i % 4];
        let x: Vec<f64> = (0..n).map(power).collect();
        let all: f64 = if n % 4 == 0 {
            3f64.powi(n as i32 / 4)
        } else {
            1.0
        };
        for (found, x) in run(x.clone()).into_iter().zip(x) {
            let others = all / x;
            let is_near = (found / others - 1.0).abs() < 1e-9 || found == others;
            assert!(is_near || n > 2000, "{n}: {found}, not {others}");
        }
    }
    let narrow = compile(|x: Acc<Ix1, f32>| gradient_a(|x: Acc<Ix1, f32>| x.product(), x)).unwrap();
    let x = vec![1e30f32, 1e-30, 1e-35, 1e35, 0.5];
    let found = narrow.run(&careful, vector(x.clone())).unwrap().to_vec();
    for (found, x) in found.into_iter().zip(x) {
        assert!((found * x / 0.5 - 1.0).abs() < 1e-5, "{found} at {x}");
    }
}

/// A loop that reads what is differentiated by, where a fold or scan begins.
#[test]
fn of_loops_where_folds_begin() {
    let first = |c: Vector| c.fold_in_order(1.0, |_, s: X, c| s * c);
    let sum = move |a: Vector, c: Vector| gradient_a(move |c| a.fold(first(c), |x, y| x + y), c);
    gives(sum, (vector([1.0]), vector([2.0, 3.0])), vector([3.0, 2.0]));
    gives(sum, (vector([]), vector([2.0, 3.0])), vector([3.0, 2.0]));
    let product = move |a: Vector, c: Vector| {
        let f = move |c| a.fold(first(c), |x, y| x * y);
        (
            gradient_a(f, c),
            gradient_a(move |a| a.fold(first(c), |x, y| x * y), a),
        )
    };
    let input = (vector([4.0, 5.0]), vector([2.0, 3.0]));
    gives(product, input, (vector([60.0, 40.0]), vector([30.0, 24.0])));
    let scanned =
        move |a: Vector, c: Vector| gradient_a(move |c| a.scanl(first(c), |x, y| x + y).sum(), c);
    gives(
        scanned,
        (vector([1.0]), vector([2.0, 3.0])),
        vector([6.0, 4.0]),
    );
    let pairs = move |a: Vector, c: Vector| {
        let f = move |c| {
            let both = a
                .map(|a| (a, a))
                .fold((first(c), 1.0), |(a, b), (c, d)| (a + c, b * d));
            both.map(|(a, b)| a * b)
        };
        gradient_a(f, c)
    };
    gives(
        pairs,
        (vector([2.0]), vector([2.0, 3.0])),
        vector([6.0, 4.0]),
    );
}

/// What a loop gives is infinite, and what it is multiplied with is cut off.
#[test]
fn of_infinite_results_of_loops() {
    let f = |x: Vector, w: Vector, n: Acc<Ix0, i32>| {
        let value = |w: Vector| {
            let factor = |x| iterate(n.the(), |_, y: X| 1.0 / y, x);
            x.zip_with(w, |x, w| factor(x) * w).slice(ix![0])
        };
        gradient_a(value, w)
    };
    let input = (vector([2.0, 0.0]), vector([1.0, 3.0]), Array::scalar(1));
    gives(f, input, vector([0.5, 0.0]));
}

/// A loop of no trips, whose number of the trip counts those of a loop inside.
#[test]
fn of_loops_of_no_trips() {
    let f = |x: Vector, v: Vector| {
        let inner = |k, a: Vector| aiterate(k, |_, s: Vector| s.map(|s| s * s), a);
        hvp_a(
            |v: Vector| aiterate(0, |k, a: Vector| inner(k, a), v).sum(),
            x,
            v,
        )
    };
    gives(
        f,
        (vector([1.0, 2.0]), vector([1.0, 1.0])),
        vector([0.0, 0.0]),
    );
}

/// Matrices are more columns than a recurrence of adjoints is scanned for: their folds are differentiated by what is on both sides.
#[test]
fn of_products_of_matrices() {
    type Four = (X, X, X, X);
    let times = |(a, b, c, d): Four, (e, f, g, h): Four| {
        (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
    };
    let trace = move |m: Matrix| {
        let at = |i: i32| m.slice(ix![All, i]);
        let all = at(0).zip_with4(at(1), at(2), at(3), |a, b, c, d| (a, b, c, d));
        all.fold((1.0, 0.0, 0.0, 1.0), times)
            .map(|(a, _, _, d)| a + d)
    };
    let f = move |m: Matrix| gradient_a(trace, m);
    let m = matrix([[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 1.0, 0.0]]);
    // tr(A·B) by A is Bᵀ, by B is Aᵀ.
    let expected = matrix([[0.0, 1.0, 1.0, 0.0], [1.0, 3.0, 2.0, 4.0]]);
    gives(f, m, expected);
    let one = move |x: Scalar| gradient_a(move |x: Scalar| trace(x.broadcast(ix![1, 4])), x);
    gives(one, Array::scalar(3.0), Array::scalar(2.0));
}

/// A gradient that is the same all along a dimension, and ends before that does.
#[test]
fn of_arrays_that_are_shorter_by_rows() {
    let f = |x: Scalar| {
        let one = fill(ix![1, 1], x.the());
        let sum = |a: Matrix| one.zip_with(a, |_, a| a).sum_all();
        gradient_a(sum, one.append(one)).sum().sum()
    };
    gives(f, Array::scalar(0.5), Array::scalar(1.0));
}
