//! Derivatives by decree on every engine.

use crate::loop_gradients::{agree, numbers};
use cotangent::errors::AdError;
use cotangent::prelude::*;
use cotangent::{Error, compile};

type Vector = Acc<Ix1, f64>;

/// ln(1 + eˣ) for any x, with a rule for reverse mode.
fn softplus<T: Float>(x: Acc<Ix1, T>) -> Acc<Ix1, T> {
    let forward = |x: Acc<Ix1, T>| (x.map(|x| x.exp().ln_1p()), x);
    let backward = |x: Acc<Ix1, T>, dy: Acc<Ix1, T>| {
        x.zip_with(dy, |x, dy| dy / (constant(T::from_f64(1.0)) + (-x).exp()))
    };
    custom_vjp(forward, backward, x)
}

/// Running sums, with rules that are scans.
fn sums(x: Vector) -> Vector {
    let rule = |_: Vector, _: Vector, dx: Vector| dx.scanl1(|a, b| a + b);
    custom_jvp(|x: Vector| x.scanl1(|a, b| a + b), rule, x)
}

fn input<T: Float>(n: usize) -> Array<Ix1, T> {
    Array::vector(numbers(n, 1).into_iter().map(T::from_f64).collect()).unwrap()
}

#[test]
fn gradients_in_both_precisions() {
    for n in [0, 1, 300] {
        let f = |x: Acc<Ix1, f64>| value_and_gradient_a(|x| softplus(x).sum(), x);
        agree(f, input(n), 1000.0);
        let f = |x: Acc<Ix1, f32>| value_and_gradient_a(|x| softplus(x).sum(), x);
        agree(f, input(n), 1000.0);
    }
}

#[test]
fn transposed_rules_and_second_derivatives() {
    let loss = |x: Vector| sums(x.map(|x| x.sin())).map(|y| y * y).sum();
    for n in [0, 1, 100] {
        agree(move |x: Vector| gradient_a(loss, x), input(n), 1e5);
        let again = move |x: Vector| gradient_a(|x| gradient_a(loss, x).map(|d| d * d).sum(), x);
        agree(again, input(n), 1e12);
        agree(move |x: Vector| hvp_a(loss, x, x), input(n), 1e6);
        agree(
            move |x: Vector| jvp_a(sums, x, x.map(|x| 2.0 * x)),
            input(n),
            1e3,
        );
    }
}

#[test]
fn in_loops() {
    let f = |x: Vector| {
        let step = |_, h: Vector| softplus(sums(h).zip_with(x, |a, b| 0.1 * a + b));
        aiterate(5, step, x).map(|h| h * h).sum()
    };
    agree(
        move |x: Vector| value_and_gradient_a(f, x),
        input(20),
        100.0,
    );
    agree(move |x: Vector| hvp_a(f, x, x), input(20), 1000.0);
}

/// The reciprocal by Newton's iteration, differentiated as the function that it finds: no loop is gone through backwards.
fn reciprocal(x: Vector) -> Vector {
    let solve = |x: Vector| {
        let step = |_, y: Vector| y.zip_with(x, |y, x| y * (2.0 - x * y));
        aiterate(40, step, x.map(|x| 0.1 / x.abs().max(1.0)))
    };
    let rule = |_: Vector, y: Vector, dx: Vector| y.zip_with(dx, |y, dx| -y * y * dx);
    custom_jvp(solve, rule, x)
}

#[test]
fn implicit_functions() {
    let gradient = |x: Vector| gradient_a(|x| reciprocal(x).sum(), x);
    let program = compile(gradient).unwrap();
    let dx = program
        .interpret(Array::vector(vec![0.5, 2.0]).unwrap())
        .unwrap();
    for (d, expected) in dx.to_vec().into_iter().zip([-4.0, -0.25]) {
        assert!((d - expected).abs() < 1e-12, "{d}");
    }
    let x = || Array::vector(numbers(50, 2).into_iter().map(|x| x + 1.5).collect()).unwrap();
    agree(gradient, x(), 10.0);
    agree(
        move |x: Vector| gradient_a(|x| gradient(x).map(|d| d * d).sum(), x),
        x(),
        100.0,
    );
}

#[test]
fn rules_of_scalars() {
    let norm = |p: (Exp<f64>, Exp<f64>)| {
        let f = |(x, y): (Exp<f64>, Exp<f64>)| (x * x + y * y).sqrt();
        let rule = |(x, y): (Exp<f64>, Exp<f64>), r: Exp<f64>, (dx, dy): (Exp<f64>, Exp<f64>)| {
            cond(r.gt(0.0), (x * dx + y * dy) / r, 0.0)
        };
        custom_jvp_e(f, rule, p)
    };
    let loss = move |x: Vector| x.map(move |x| norm((x, x * x))).sum();
    for n in [0, 1, 1000] {
        agree(move |x: Vector| gradient_a(loss, x), input(n), 10.0);
        agree(move |x: Vector| hvp_a(loss, x, x), input(n), 100.0);
    }
    let zero = compile(move |x: Vector| gradient_a(loss, x)).unwrap();
    let zero = zero.interpret(Array::vector(vec![0.0]).unwrap()).unwrap();
    assert_eq!(zero.to_vec(), [0.0]);
    let cubes = |x: Vector| x.map(|x| stop_gradient_e(x * x) * x).sum();
    agree(move |x: Vector| gradient_a(cubes, x), input(100), 1.0);
}

#[test]
fn forward_mode_without_a_rule_names_the_line() {
    let line = line!() + 2;
    let program = compile(|x: Vector| {
        let y = |x| custom_vjp(|x: Vector| (x, ()), |(), dy: Vector| dy, x);
        jvp_a(y, x, x).1
    });
    let Err(Error::Ad(error @ AdError::NoForwardRule { .. })) = program else {
        panic!("{program:?}");
    };
    let place = format!("custom_rules.rs:{line}");
    assert!(error.to_string().contains(&place), "{error}");
}
