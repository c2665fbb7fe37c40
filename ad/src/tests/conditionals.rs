//! Array conditionals: exports, nesting, branches without derivative.

use super::{Matrix, Vector, energy, gradient, smooth, some, vector};
use cotangent_core::surface::prelude::*;

#[test]
fn one_branch_counts() {
    let f = |x: Vector| {
        let y = x.map(|x| x.sin());
        let then = y.map(|y| y * y).zip_with(x, |y, x| y * x);
        energy(acond(
            x.at(ix![0]).gt(0.0),
            then,
            y.map(|y| y.exp()).map(|y| y * y),
        ))
    };
    smooth(f, &[vector(&[0.5, 1.5, -0.5])]);
    smooth(f, &[vector(&[-0.5, 1.5, -0.5])]);
}

#[test]
fn branches_nest() {
    let f = |(x, y): (Vector, Vector)| {
        let inner = acond(
            y.at(ix![0]).gt(0.0),
            x.map(|x| x.sin()).product(),
            y.map(|y| y * y).sum(),
        );
        let outer = acond(
            x.at(ix![0]).gt(0.0),
            inner.map(|z| z * z),
            x.zip_with(y, |x, y| x * y).sum(),
        );
        outer.map(|z| z * z + z)
    };
    for (x, y) in [(0.5, 0.7), (0.5, -0.7), (-0.5, 0.7)] {
        smooth(f, &[vector(&[x, 1.5]), vector(&[y, 2.5])]);
    }
}

#[test]
fn branches_really_nest() {
    let f = |x: Vector| {
        let deep = |x: Vector| {
            let y = x.map(|x| x * x).map(|x| x.sin());
            acond(
                x.at(ix![1]).gt(0.0),
                y.scanl1(|a, b| a * b),
                y.map(|y| y * 2.0),
            )
        };
        let first = deep(x.map(|x| x.exp()));
        energy(acond(
            x.at(ix![0]).gt(0.0),
            first.map(|z| z * z),
            deep(x.map(|x| x * 3.0)),
        ))
    };
    smooth(f, &[vector(&[0.5, 1.5])]);
    smooth(f, &[vector(&[-0.5, 1.5])]);
    smooth(f, &[vector(&[-0.5, -1.5])]);
}

#[test]
fn a_branch_without_derivative() {
    let f = |(x, m): (Vector, Matrix)| {
        let zeros = fill(x.shape(), 0.25);
        let (y, z) = acond(
            x.at(ix![0]).gt(0.0),
            (zeros, m.sum()),
            (x.map(|x| x * x), x),
        );
        energy(y.zip_with(z, |y, z| y * z))
    };
    smooth(f, &[vector(&[0.5, 1.5]), some(&[2, 3], 0)]);
    smooth(f, &[vector(&[-0.5, 1.5]), some(&[2, 3], 0)]);
}

#[test]
fn only_the_branch_taken_fails() {
    let f = |x: Vector| acond(x.size().gt(0), x.slice(ix![0]).map(|x| x * x), unit(1.0));
    gradient(f, &[vector(&[])]);
    smooth(f, &[vector(&[3.0])]);
}
