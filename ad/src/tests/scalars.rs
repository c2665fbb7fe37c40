//! Scalar functions: conditionals, shared values, captured arrays, `gradient_e`.

use super::{Matrix, Vector, agree, energy, gradient, host, program, smooth, some, vector};
use cotangent_core::surface::prelude::*;

#[test]
fn shared_values_add_up() {
    let f = |x: Vector| {
        x.map(|x| {
            let y = x.sin();
            let z = y * x + y;
            z * z * y
        })
        .sum()
    };
    smooth(f, &[some(&[5], 1)]);
}

#[test]
fn conditionals_take_one_branch() {
    let f = |x: Vector| {
        let g = |x: Exp<f64>| cond(x.gt(0.5), x.ln() * x, (x * 3.0).exp() + x * x);
        x.map(g).sum()
    };
    smooth(f, &[vector(&[-1.0, 0.2, 0.7, 3.0])]);
}

#[test]
fn conditionals_nest() {
    let f = |x: Vector, y: Vector| {
        let g = |x: Exp<f64>, y: Exp<f64>| {
            let a = x * y;
            let inner = cond(y.lt(0.0), (a.sin() * x, y.to_i32()), (a.cos() + a.sqr(), 3));
            let outer = cond(x.gt(0.0), (inner.0 * a).exp() * inner.1.to_f64(), a * a * x);
            outer + inner.0 * outer
        };
        x.zip_with(y, g).sum()
    };
    let (x, y) = (
        vector(&[0.5, 0.6, -0.7, -0.3]),
        vector(&[1.5, -2.5, 0.25, -1.5]),
    );
    smooth(|(x, y)| f(x, y), &[x, y]);
}

#[test]
fn conditionals_without_derivative_in_one_branch() {
    let f = |x: Vector| x.map(|x| cond(x.lt(0.0), 1.5, x * x) * x).sum();
    smooth(f, &[vector(&[-1.0, 0.5, 2.0])]);
}

#[test]
fn indexing_in_branches() {
    let f = |(x, i): (Vector, Acc<Ix1, i32>)| {
        let g = |k: Exp<i32>| {
            let inside = k.ge(0).and(k.lt(x.size()));
            let y = cond(inside, x.at(ix![k]) * x.at(ix![k]).sin(), 2.0);
            cond(y.gt(1.0), y * x.at(ix![0]), y * y * y)
        };
        i.map(g).sum()
    };
    let i = host(&[7], &[0, 3, -1, 2, 9, 3, 1]);
    let results = smooth(f, &[vector(&[0.5, -0.7, 2.0, 1.3]), i]);
    assert_eq!(results[2], host(&[7], &[0; 7]), "integers have zeros");
}

#[test]
fn indexing_of_nothing_is_not_executed() {
    let f = |(x, y): (Vector, Vector)| {
        y.map(|v| cond(x.size().gt(0), x.at(ix![0]) * v, v * v))
            .sum()
    };
    gradient(f, &[vector(&[]), vector(&[1.0, 2.0])]);
    gradient(f, &[vector(&[3.0]), vector(&[1.0, 2.0])]);
}

#[test]
fn indexing_several_arrays_several_times() {
    let f = |(a, m): (Vector, Matrix)| {
        let n = a.size();
        let g =
            move |Snoc(Snoc(Z, i), j): Ix2| a.at(ix![i]) * m.at(ix![j, i]) + a.at(ix![n - 1 - j]);
        energy(generate(ix![n, n], g))
    };
    smooth(f, &[some(&[3], 1), some(&[3, 3], 2)]);
}

#[test]
fn gradients_of_scalar_functions() {
    let p = program(|x: Vector, y: Vector| {
        x.zip_with(y, |x, y| {
            let f = |x: Exp<f64>| cond(x.gt(y), (x * y).sin(), x * x * x);
            let (v, dx) = value_and_gradient_e(f, x * 2.0);
            v * dx + gradient_e(|y| x * y.exp(), y)
        })
    });
    agree(&p, &[some(&[6], 1), some(&[6], 4)]);
}

#[test]
fn gradients_of_scalar_functions_by_pairs() {
    let p = program(|x: Vector| {
        x.map(|x| {
            let ((a, b), n) = gradient_e(|((a, b), _n)| a * b.sin() + a * a, ((x, x * x), 3));
            (a, b, n)
        })
    });
    let results = agree(&p, &[some(&[4], 2)]);
    assert_eq!(results[2], host(&[4], &[0; 4]));
}

#[test]
fn scalar_gradients_nest() {
    let p = program(|x: Vector| {
        x.map(|x| {
            gradient_e(
                |x| gradient_e(|y| (x * y).sin() * y * y, x * 2.0) + x * x,
                x,
            )
        })
    });
    agree(&p, &[some(&[5], 3)]);
}

#[test]
fn scalar_gradients_inside_array_gradients() {
    let f = |x: Vector| x.map(|x| gradient_e(|x| x.sin() * x.exp(), x) * x).sum();
    smooth(f, &[some(&[5], 3)]);
}

#[test]
fn scalar_gradients_count_surroundings_as_constant() {
    let p = program(|x: Vector| x.map(|x| gradient_e(|y| x * y, x)));
    let x = vector(&[2.0, -3.0]);
    assert_eq!(agree(&p, std::slice::from_ref(&x)), [x]);
}

#[test]
fn conversions_between_float_types() {
    let f = |x: Vector| x.map(|x| (x.to_f32() * x.to_f32()).to_f64() * x).sum();
    let p = program(|x: Vector| gradient_a(f, x));
    let derived = super::derive(&p);
    let inputs = [vector(&[0.5, -1.25, 2.0])];
    let (by_ad, by_duals) = (
        cotangent_core::interp::run(&derived, &inputs).unwrap(),
        cotangent_core::interp::run(&p, &inputs).unwrap(),
    );
    assert!(super::close(&by_ad[0], &by_duals[0], super::EXACT_F32));
}

#[test]
fn quotients_with_one_active_operand() {
    let above = |x: Vector| {
        x.map(|x| (x / 3.0).sin() + x / (x.sqr() + 1.0) + 2.0 * x.cos() / x)
            .sum()
    };
    let below = |x: Vector| {
        x.map(|x| 3.0 / x + (x + 4.0).sqrt() / 7.0 + (0.5 / x).sin())
            .sum()
    };
    let both = |x: Vector, y: Vector| x.zip_with(y, |x, y| (x / y) / (y + x / 5.0)).sum();
    let (x, y) = (some(&[5], 1), vector(&[1.5, -2.5, 0.25, -1.5, 3.0]));
    smooth(above, std::slice::from_ref(&x));
    smooth(below, std::slice::from_ref(&x));
    smooth(|(x, y)| both(x, y), &[x, y]);
}
