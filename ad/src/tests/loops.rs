//! Loops of scalar code: by tangents in registers, and as loops of arrays.

use super::{
    Matrix, Number, Vector, agree, build, derive, energy, gradient, host, program, smooth, some,
    vector,
};
use cotangent_core::build::{AccBuilder, Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::simplify::simplify;
use cotangent_core::surface::prelude::*;
use cotangent_core::term::{AccOp, Fun, Mode};
use cotangent_core::types::ArrayType;
use cotangent_core::types::ScalarType::{F64, I32};

type Counts = Acc<Ix1, i32>;

const POINTS: [f64; 4] = [0.5, -0.25, 1.5, 0.75];

/// Checks the gradient of `f` on each element, whose second argument is a number of trips.
fn trips(f: impl Fn(Exp<f64>, Exp<i32>) -> Exp<f64> + Copy) {
    let all = |(x, n): (Vector, Counts)| energy(x.zip_with(n, f));
    smooth(all, &[vector(&POINTS), host(&[4], &[0, -2, 3, 7])]);
    smooth(all, &[vector(&[]), host::<i32>(&[0], &[])]);
    let one = |x: Number| energy(x.map(|x| f(x, 4.into_exp())));
    smooth(one, &[host(&[], &[0.5])]);
}

#[test]
fn one_state() {
    trips(|x, n| iterate(n, |_, y| (y * y - 0.5).sin() + x * y, x));
}

#[test]
fn several_states_and_integers() {
    trips(|x, n| {
        let step = |k: Exp<i32>, (a, b, m): (Exp<f64>, Exp<f64>, Exp<i32>)| {
            (b * 0.5 + a.sin(), a * m.to_f64() * 0.1 + x, m + k)
        };
        let (a, b, _) = iterate(n, step, (x, x * 2.0, 1_i32));
        a * b
    });
}

#[test]
fn tests_that_end_loops() {
    trips(|x, n| {
        let far = |y: Exp<f64>| (y * y - x * x - 1.0).abs().gt(1e-12);
        iterate_while(n, far, |_, y| (y + (x * x + 1.0) / y) / 2.0, 2.0)
    });
}

#[test]
fn conditionals_around_and_inside() {
    trips(|x, n| {
        let step = |k: Exp<i32>, y: Exp<f64>| cond((k % 2).eq_(0), y.sin() + x, y * 0.5 * x);
        cond(x.gt(0.0), iterate(n, step, x * 2.0), x * 3.0) * x
    });
}

#[test]
fn loops_in_loops() {
    trips(|x, n| {
        let inner = |k: Exp<i32>, y: Exp<f64>| iterate(k, |_, y| y.sin() * 1.25 + x, y);
        iterate(n, |k, y| inner(k, y) * y.cos(), x)
    });
}

#[test]
fn elements_that_stay() {
    let f = |(x, w): (Vector, Vector)| {
        energy(x.map(|x| iterate(3, |_, y| y * w.at(ix![1]) + w.at(ix![0]).sin(), x)))
    };
    smooth(f, &[vector(&POINTS), vector(&[0.5, 0.75])]);
    let never =
        |(x, w): (Vector, Vector)| energy(x.map(|x| iterate(0, |_, y| y * w.at(ix![7]), x)));
    smooth(never, &[vector(&POINTS), vector(&[0.5, 0.75])]);
    let here = |x: Vector| {
        let power = |ix![i]: Ix1| iterate(i, |_, y| y * x.at(ix![i]), 1.0);
        energy(generate(x.shape(), power))
    };
    smooth(here, &[vector(&POINTS)]);
}

#[test]
fn elements_that_change() {
    let horner = |(c, x): (Vector, Vector)| {
        let value = |x: Exp<f64>| c.fold_in_order(0.0, |_, sum: Exp<f64>, c| sum * x + c);
        energy(x.map(value))
    };
    for n in [0, 1, 3] {
        smooth(horner, &[some(&[n], 1), vector(&POINTS)]);
        smooth(horner, &[some(&[n], 1), vector(&[])]);
    }
    let rows = |m: Matrix| energy(m.fold_seq(0.5, |_, s: Exp<f64>, x| (s * x).sin() + x));
    for shape in [[2, 3], [3, 1], [2, 0], [0, 2]] {
        smooth(rows, &[some(&shape, 2)]);
    }
    let all = |x: Vector| unit(x.fold_in_order(1.0, |_, s: Exp<f64>, x| s.sin() * x + s));
    smooth(all, &[vector(&POINTS)]);
}

#[test]
fn elements_that_change_by_tests_and_branches() {
    let f = |(x, n): (Vector, Counts)| {
        let one = |ix![i]: Ix1| {
            let test = |(s, _): (Exp<f64>, Exp<i32>)| s.lt(2.0);
            let step = |k: Exp<i32>, (s, j): (Exp<f64>, Exp<i32>)| {
                let next = (j + k) % x.size();
                (s + x.at(ix![next]) * x.at(ix![i]) + 0.25, next)
            };
            let (s, _) = iterate_while(n.at(ix![i]), test, step, (x.at(ix![i]), i));
            s * s
        };
        let one = |ix![i]: Ix1| {
            cond(
                n.at(ix![i]).ne_(1),
                one(ix![i]) * x.at(ix![i]),
                x.at(ix![i]),
            )
        };
        energy(generate(x.shape(), one))
    };
    smooth(f, &[vector(&POINTS), host(&[4], &[3, 0, 1, 9])]);
    let nested = |(x, n): (Vector, Counts)| {
        let one = |ix![i]: Ix1| {
            let inner = |k: Exp<i32>, s: Exp<f64>| {
                iterate(k, |j, s| (s * x.at(ix![j % x.size()])).sin() + 0.5, s)
            };
            iterate(n.at(ix![i]), |k, s| inner(k, s) * x.at(ix![i]), 0.5)
        };
        energy(generate(x.shape(), one))
    };
    smooth(nested, &[vector(&POINTS), host(&[4], &[3, 0, 1, 4])]);
}

/// Where the branch is not taken, the loop would read out of range.
#[test]
fn branches_that_are_not_taken_make_no_trips() {
    let f = |x: Vector| {
        let product = |i: Exp<i32>| iterate(3, |k, s: Exp<f64>| s * x.at(ix![i + k]).sin(), 1.0);
        let one = |ix![i]: Ix1| cond((i + 2).lt(x.size()), product(i) * 2.0, x.at(ix![i]));
        energy(generate(x.shape(), one))
    };
    smooth(f, &[vector(&POINTS)]);
    smooth(f, &[vector(&[0.5])]);
}

/// A test that is asked once more after it failed would hold: it sees the number of the trip.
#[test]
fn tests_that_would_hold_again_are_not_asked() {
    let (vectors, unit) = (ArrayType::new(F64, 1), ArrayType::new(F64, 0));
    let body = |b: &mut AccBuilder, x: &Arr| {
        let mut f = FunBuilder::new();
        let i = f.param(I32);
        let (most, start) = (f.constant(4), f.constant(1.0));
        let test = |f: &mut FunBuilder, args: &[_]| vec![f.prim(Prim::Ne, &[args[0], i])];
        let test = f.closure(&[I32, F64], test);
        let step = f.closure(&[I32, F64], |f, args| {
            let at = f.prim(Prim::Min, &[args[0], i]);
            let x = f.index(x, &[at]);
            vec![f.prim(Prim::Mul, &[args[1], x])]
        });
        let last = f.loop_(&[most, start], Some(test), step)[1];
        let each = b.generate(Fun::shape_of(x), f.finish(vec![last]));
        let add = Fun::prim(Prim::Add, &[F64, F64]);
        b.fold(add, Some(Fun::constants(&[Const::F64(0.0)])), &each)
    };
    let gradient = build(&[vectors], |b, params| {
        let x = b.fresh(vectors);
        b.open();
        let sum = body(b, &x);
        let op = AccOp::Derivative {
            mode: Mode::Gradient { with_value: true },
            params: vec![x],
            body: b.close(&sum),
            args: vec![params[0].name],
        };
        b.push(op, &[unit, vectors])
    });
    let found = agree(&gradient, &[vector(&[2.0, 3.0, 5.0])]);
    // Element i makes i trips, and waits for the others.
    assert_eq!(super::floats(&found[0]), [1.0 + 2.0 + 2.0 * 3.0]);
    assert_eq!(super::floats(&found[1]), [1.0 + 3.0, 2.0, 0.0]);
}

#[test]
fn many_inputs() {
    let f = |x: Matrix| {
        let row = |ix![i]: Ix1| {
            let own = |j: i32| x.at(ix![i, j]);
            let terms = (0..10).map(own).reduce(|a, b| a.sin() * b + a);
            let step = |_, s: Exp<f64>| {
                let all = (0..10).map(own).reduce(|a, b| a * 0.5 + b);
                (s * all.unwrap_or(1.0.into_exp())).sin()
            };
            iterate(3, step, terms.unwrap_or(0.0.into_exp()))
        };
        energy(generate(ix![x.shape().0.1], row))
    };
    smooth(f, &[some(&[3, 10], 1)]);
}

/// A loop with a large state that is made of few elements is differentiated by those, unless a branch reads one.
#[test]
fn few_elements() {
    let last = |x: Exp<f64>, y: Exp<f64>| {
        let step = |_, a: [Exp<f64>; 9]| std::array::from_fn(|n| a[n] * a[(n + 1) % 9] + y);
        iterate(3, step, std::array::from_fn(|n| (x * n as f64).sin()))[2]
    };
    let two = move |v: Vector| {
        let one = |ix![i]: Ix1| last(v.at(ix![i]), v.at(ix![0]) * v.at(ix![i]));
        energy(generate(v.shape(), one))
    };
    let in_branch =
        move |v: Vector| energy(v.map(|x| last(x, cond(x.gt(0.0), v.at(ix![1]), x * 0.5))));
    // With no trips, the element at n + 6 may be out of range.
    let in_trips = move |(v, n): (Vector, Counts)| {
        let one = |x: Exp<f64>, n: Exp<i32>| {
            let step = |_, a: [Exp<f64>; 9]| {
                std::array::from_fn(|m| a[m] * v.at(ix![n + 6]) + a[(m + 1) % 9] * v.at(ix![2]))
            };
            iterate(n, step, std::array::from_fn(|m| x + m as f64))[4]
        };
        energy(v.zip_with(n, one))
    };
    let v = vector(&[0.5, -0.25, 1.5, 0.75, 0.25, -0.5, 0.25, 1.25, 0.75]);
    smooth(in_trips, &[v, host(&[9], &[1, 2, 0, -1, 2, 1, 1, 0, -3])]);
    let never = move |v: Vector| in_trips((v, v.map(|_| 0.into_exp())));
    smooth(never, &[vector(&POINTS)]);
    smooth(two, &[vector(&POINTS)]);
    smooth(in_branch, &[vector(&POINTS)]);
    let (primal, _) = simplify(program(move |v: Vector| gradient_a(two, v)));
    let derived = derive(&primal);
    let mut lets = derived.body.all_lets();
    assert!(lets.all(|let_| !matches!(let_.op, AccOp::Loop { .. })));
}

#[test]
fn gradients_of_expressions() {
    let newton = |c: Exp<f64>| {
        let f = |x: Exp<f64>| x * x * x - c;
        let step = |_, x: Exp<f64>| x - f(x) / gradient_e(f, x);
        iterate(5, step, c.abs() + 1.0)
    };
    let f = |x: Vector| energy(x.map(newton));
    smooth(f, &[vector(&POINTS)]);
    let of_loop = |x: Exp<f64>| gradient_e(|x: Exp<f64>| iterate(4, |_, y| (y * x).sin(), x), x);
    smooth(|x: Vector| energy(x.map(of_loop)), &[vector(&POINTS)]);
    let captured = |(x, w): (Vector, Vector)| {
        let f = |x: Exp<f64>| w.fold_in_order(x, |_, s, w| (s * w).sin() + s);
        energy(x.map(|x| gradient_e(f, x)))
    };
    smooth(captured, &[vector(&POINTS), vector(&[0.5, 1.5])]);
}

/// Elements out of range that no trip reads: in a branch that is never taken, and in a loop inside that makes no trip.
#[test]
fn what_no_trip_reads_may_be_anywhere() {
    let f = |(v, w): (Vector, Vector)| {
        let step = |_: Exp<i32>, y: Exp<f64>| {
            let often = cond::<i32>(y.gt(100.0), 2, 0);
            let inside = iterate(often, |_, y: Exp<f64>| y * w.at(ix![-2]), y * 0.5);
            cond::<f64>(y.gt(100.0), inside * w.at(ix![6]), inside + w.at(ix![1]))
        };
        energy(v.map(|x| iterate(3, step, x)))
    };
    smooth(f, &[vector(&POINTS), vector(&[0.5, -1.0, 2.0])]);
}

#[test]
fn second_derivatives() {
    let twice = |x: Vector| {
        let f = |x: Vector| energy(x.map(|x| iterate(4, |_, y| (y * x).sin() + 0.5, x)));
        energy(gradient_a(f, x))
    };
    gradient(twice, &[vector(&POINTS)]);
    let horner = |c: Vector| {
        let f =
            |c: Vector| energy(c.map(|x| c.fold_in_order(0.0, |_, sum: Exp<f64>, c| sum * x + c)));
        energy(gradient_a(f, c))
    };
    gradient(horner, &[vector(&POINTS)]);
}
