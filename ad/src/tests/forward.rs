//! Forward mode: every operation, by the interpreter's dual numbers and by differences of reverse mode.

use super::{
    EXACT, Matrix, Number, Vector, agree, close, energy, floats, host, program, some, vector,
};
use cotangent_core::interp::run;
use cotangent_core::surface::prelude::*;

/// Checks the tangents of what `f` gives, at some point and in some direction.
#[track_caller]
fn forward<X: Arrays, Y: Arrays>(
    f: impl Fn(X) -> Y + Copy,
    point: &[cotangent_core::host::HostArray],
    direction: &[cotangent_core::host::HostArray],
) {
    let both = program(|(x, dx): (X, X)| jvp_a(f, x, dx));
    agree(&both, &[point, direction].concat());
}

/// The same for a vector of several lengths.
#[track_caller]
fn vectors<Y: Arrays>(f: impl Fn(Vector) -> Y + Copy) {
    for n in [0, 1, 4] {
        forward(f, &[some(&[n], 1)], &[some(&[n], 2)]);
    }
}

#[test]
fn maps_and_generates() {
    vectors(|x| x.map(|x| x.sin() * x + 2.0));
    vectors(|x| x.map(|x| (x * x, x.gt(0.5), x.to_i32())));
    vectors(|x| generate(x.shape(), |ix![i]| x.at(ix![i]) * x.at(ix![0]) + i.to_f64()));
    vectors(|x| x.map(|x| cond(x.gt(0.0), x.exp(), x * x * x)));
}

#[test]
fn folds_and_scans() {
    vectors(|x| x.sum());
    vectors(|x| x.product());
    vectors(|x| x.fold(2.0, |a, b| a.max(b)));
    vectors(|x| (x.scanl1(|a, b| a * b), x.scanr(0.5, |a, b| a + b + a * b)));
    vectors(|x| x.fold(x.size().to_f64(), |a, b| a + b));
    let complex =
        |(a, b): (Exp<f64>, Exp<f64>), (c, d): (Exp<f64>, Exp<f64>)| (a * c - b * d, a * d + b * c);
    vectors(move |x| x.map(|x| (x, x.cos())).scanl((1.0, 0.0), complex));
    let x = [vector(&[0.5, 1.5])];
    forward(
        |x: Vector| x.fold(0.0, |a, b| a + b * x.at(ix![1])),
        &x,
        &[vector(&[1.0, -2.0])],
    );
    forward(
        |x: Vector| x.scanl(x.at(ix![0]), |a, b| a * b),
        &x,
        &[vector(&[1.0, -2.0])],
    );
}

#[test]
fn moves_and_scatters() {
    vectors(|x| x.replicate(ix![2, All]).transpose().sum());
    vectors(|x| x.append(x.map(|x| x * x)));
    vectors(|x| x.roll(ix![1]));
    vectors(|x| {
        let zeros = fill(ix![2], 1.0);
        x.permute(Combine::Add, zeros, |ix![i]| (true, ix![i % 2]))
    });
    vectors(|x| {
        let squares = x.map(|x| x * x);
        x.permute(Combine::Overwrite, squares, |ix![i]| (i.gt(0), ix![i / 2]))
    });
}

#[test]
fn conditionals_and_loops() {
    vectors(|x| acond(x.size().gt(2), x.map(|x| x * x), x));
    vectors(|x| acond(x.size().gt(2), fill(x.shape(), 1.0), x));
    vectors(|x| {
        aiterate(
            3,
            |k, v: Vector| v.zip_with(x, |v, x| v.sin() * x + k.to_f64()),
            x,
        )
    });
    vectors(|x| {
        let step = |_, (v, m): (Vector, Acc<Ix1, i32>)| (v.map(|v| v * 0.5), m.map(|m| m + 1));
        aiterate(2, step, (x, x.map(|x| x.to_i32())))
    });
    vectors(|x| {
        awhile(
            |v: Vector| v.sum().the().gt(0.5),
            |_, v| v.map(|v| v * 0.5),
            x,
        )
    });
    vectors(|x| x.map(|x| iterate(4, |_, y: Exp<f64>| y.sin() * x + 0.5, x)));
    vectors(|x| x.map(|y| x.fold_in_order(0.0, |_, s: Exp<f64>, x| s * y + x)));
}

/// A factor of 0 cuts off what is infinite, as it does in reverse mode.
#[test]
fn poles_that_are_cut_off() {
    let at = [vector(&[0.0, 4.0]), vector(&[1.0, 1.0])];
    let f = |x: Vector| x.map(|x| x.sqrt() * 0.0 + x.sqrt().max(1.0));
    let both = agree(&program(move |x: Vector, dx: Vector| jvp_a(f, x, dx)), &at);
    assert_eq!(floats(&both[1]), [0.0, 0.25]);
    let trips = |x: Vector| x.map(|x| iterate(1, |_, y: Exp<f64>| y.sqrt() * 0.0 + y, x));
    let both = agree(
        &program(move |x: Vector, dx: Vector| jvp_a(trips, x, dx)),
        &at,
    );
    assert_eq!(floats(&both[1]), [1.0, 1.0]);
    let back = program(move |x: Vector| gradient_a(|x| trips(x).sum(), x));
    assert_eq!(floats(&agree(&back, &at[..1])[0]), [1.0, 1.0]);
}

#[test]
fn several_arguments_and_integers() {
    let f = |(m, k): (Matrix, Acc<Ix1, i32>)| {
        let rows = m.sum();
        (rows.zip_with(k, |x, k| x * k.to_f64()), k)
    };
    let (m, dm) = (some(&[3, 2], 1), some(&[3, 2], 2));
    let k = host(&[3], &[1, 2, 3]);
    forward(f, &[m, k.clone()], &[dm, k]);
}

#[test]
fn tangents_of_other_shapes_are_cut_or_padded() {
    let f = |x: Vector| x.map(|x| x * x);
    forward(f, &[some(&[3], 1)], &[some(&[2], 2)]);
    forward(f, &[some(&[3], 1)], &[some(&[5], 2)]);
    forward(f, &[some(&[3], 1)], &[some(&[0], 2)]);
}

#[test]
fn in_expressions() {
    let f = |x: Vector| {
        let both = |x: Exp<f64>| jvp_e(|x: Exp<f64>| (x * x).sin(), x, x * 0.5);
        x.map(|x| {
            let (value, tangent) = both(x);
            value * tangent
        })
    };
    agree(&program(f), &[some(&[4], 1)]);
    agree(
        &program(|x: Vector| gradient_a(|x| f(x).sum(), x)),
        &[some(&[4], 1)],
    );
    let of_loop = |x: Vector| {
        x.map(|x| {
            jvp_e(
                |y: Exp<f64>| iterate(3, |_, z: Exp<f64>| z.sin() * y, x),
                x,
                1.0,
            )
            .1
        })
    };
    agree(&program(of_loop), &[some(&[4], 1)]);
}

#[test]
fn nested_with_gradients() {
    let f = |x: Vector| energy(x.map(|x| (x * x).sin()).scanl1(|a, b| a * b + a));
    let x = [some(&[3], 1), some(&[3], 2)];
    let forward_over_reverse =
        program(|(x, v): (Vector, Vector)| jvp_a(|x| gradient_a(f, x), x, v).1);
    let reverse_over_forward =
        program(|(x, v): (Vector, Vector)| gradient_a(|x| jvp_a(f, x, v).1, x));
    let first = agree(&forward_over_reverse, &x);
    let second = agree(&reverse_over_forward, &x);
    assert!(close(&first[0], &second[0], EXACT), "{first:?} {second:?}");
    let twice = program(|(x, v): (Vector, Vector)| jvp_a(|x| jvp_a(f, x, v).1, x, v).1);
    let twice = agree(&twice, &x);
    let along: f64 = floats(&first[0])
        .iter()
        .zip(floats(&x[1]))
        .map(|(h, v)| h * v)
        .sum();
    assert!((floats(&twice[0])[0] - along).abs() < 1e-9 * along.abs().max(1.0));
}

#[test]
fn no_perturbation_is_taken_for_another() {
    // d/dx (x · d/dy (x + y)) = 1, at any x.
    let f = |x: Number| {
        let inner = jvp_a(|y: Number| x.zip_with(y, |x, y| x + y), x, unit(1.0)).1;
        x.zip_with(inner, |x, d| x * d)
    };
    let p = program(move |x: Number| jvp_a(f, x, unit(1.0)).1);
    assert_eq!(floats(&run(&p, &[host(&[], &[3.0])]).unwrap()[0]), [1.0]);
    assert_eq!(floats(&agree(&p, &[host(&[], &[3.0])])[0]), [1.0]);
    let mixed = program(move |x: Number| gradient_a(f, x));
    assert_eq!(floats(&agree(&mixed, &[host(&[], &[3.0])])[0]), [1.0]);
}
