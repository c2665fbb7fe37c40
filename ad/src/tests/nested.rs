//! Gradients of gradients.

use super::{Matrix, Vector, agree, energy, program, smooth, some, vector};
use cotangent_core::surface::prelude::*;

/// The gradient of |∇f|².
fn second(f: impl Fn(Vector) -> super::Number + Copy, x: &[f64]) {
    smooth(|x: Vector| energy(gradient_a(f, x)), &[vector(x)]);
}

const POINT: [f64; 4] = [0.5, -1.25, 2.0, 0.75];

#[test]
fn of_maps() {
    second(|x| x.map(|x| x.sin() * x.exp()).sum(), &POINT);
    second(
        |x| x.map(|x| cond(x.gt(0.0), x.ln() * x, x * x * x)).sum(),
        &POINT,
    );
    second(
        |x| energy(x.zip_with(x.map(|x| x * x), |a, b| a * b)),
        &POINT,
    );
}

#[test]
fn of_folds() {
    second(|x| x.product(), &POINT);
    second(|x| x.product(), &[0.0, 1.5, 2.0]);
    second(|x| energy(x.sum()), &POINT);
    second(|x| energy(x.maximum()), &POINT);
    second(|x| x.fold(0.5, |a, b| a + b + a * b), &POINT);
    second(|x| x.fold1(|a, b| a + b + a * b), &POINT);
}

#[test]
fn of_scans() {
    second(|x| energy(x.scanl(1.0, |a, b| a + b)), &POINT);
    second(|x| energy(x.scanr1(|a, b| a + b)), &POINT);
}

#[test]
fn of_layout() {
    second(|x| energy(x.reverse().zip_with(x, |a, b| a * b)), &POINT);
    second(
        |x| energy(x.reshape(ix![2, 2]).transpose().map(|x| x * x)),
        &POINT,
    );
    second(
        |x| energy(x.replicate(ix![2, All, 3]).map(|x| x * x)),
        &POINT,
    );
    second(|x| energy(x.map(|x| [x * x, x.sin()]).unpack()), &POINT);
    second(|x| energy(x.slice(ix![1]).map(|x| x * x * x)), &POINT);
}

#[test]
fn of_indexing() {
    second(
        |x| {
            generate(ix![4, 4], |Snoc(Snoc(Z, i), j): Ix2| {
                x.at(ix![i]) * x.at(ix![j]).sin()
            })
            .sum_all()
        },
        &POINT,
    );
    second(
        |x| energy(x.map(|v| v * x.at(ix![v.abs().to_i32()]))),
        &[0.5, -1.25, 2.25, 0.75],
    );
}

#[test]
fn of_conditionals() {
    second(
        |x| {
            energy(acond(
                x.at(ix![0]).gt(0.0),
                x.map(|x| x * x),
                x.map(|x| x.sin()),
            ))
        },
        &POINT,
    );
}

#[test]
fn with_something_around() {
    let p = program(|x: Vector, m: Matrix| {
        let rows = |v: Vector| {
            let p = m
                .zip_with(v.replicate(ix![m.shape().0.1, All]), |a, b| a * b)
                .sum();
            energy(p)
        };
        gradient_a(
            |x: Vector| {
                let g = gradient_a(rows, x);
                energy(g.zip_with(x, |a, b| a * b))
            },
            x,
        )
    });
    agree(&p, &[some(&[3], 1), some(&[2, 3], 2)]);
}

#[test]
fn third_order() {
    let f = |x: Vector| x.map(|x| x.sin() * x * x).sum();
    let p = program(move |x: Vector| {
        gradient_a(
            move |x: Vector| energy(gradient_a(move |x: Vector| energy(gradient_a(f, x)), x)),
            x,
        )
    });
    agree(&p, &[vector(&POINT)]);
}

#[test]
fn the_inner_gradient_in_a_branch() {
    let f = |x: Vector| {
        let g = gradient_a(|x: Vector| x.product(), x);
        energy(acond(x.at(ix![0]).gt(0.0), g, x))
    };
    smooth(f, &[vector(&POINT)]);
    smooth(f, &[vector(&[-0.5, 2.0])]);
}
