//! Moving elements about: `reshape`, `replicate`, `slice`, `backpermute`, `unpack`.

use super::{Matrix, Number, Vector, energy, smooth, some, vector};
use cotangent_core::surface::prelude::*;

#[test]
fn reshape() {
    smooth(
        |x: Matrix| energy(x.map(|x| x * x).flatten()),
        &[some(&[2, 3], 0)],
    );
    smooth(
        |x: Matrix| energy(x.reshape(ix![3, 2])),
        &[some(&[2, 3], 0)],
    );
}

#[test]
fn replicate_inner_outer_and_both() {
    let weigh = |x: Acc<Ix3, f64>| {
        let weights = generate(x.shape(), |Snoc(Snoc(Snoc(Z, i), j), k): Ix3| {
            (i * 7 + j * 3 + k).to_f64()
        });
        energy(x.zip_with(weights, |x, w| x * w))
    };
    smooth(
        |x: Matrix| weigh(x.replicate(ix![All, All, 2])),
        &[some(&[2, 3], 0)],
    );
    smooth(
        |x: Matrix| weigh(x.replicate(ix![2, All, All])),
        &[some(&[2, 3], 0)],
    );
    smooth(
        |x: Matrix| weigh(x.replicate(ix![All, 2, All])),
        &[some(&[2, 3], 0)],
    );
    smooth(
        |x: Vector| weigh(x.replicate(ix![2, All, 4])),
        &[some(&[3], 0)],
    );
    smooth(
        |x: Vector| weigh(x.replicate(ix![All, 2, 4])),
        &[some(&[3], 0)],
    );
    smooth(
        |x: Vector| weigh(x.replicate(ix![4, 2, All])),
        &[some(&[3], 0)],
    );
    smooth(
        |x: Number| weigh(x.replicate(ix![2, 3, 4])),
        &[super::host(&[], &[2.0])],
    );
    smooth(
        |x: Vector| weigh(x.replicate(ix![0, All, 4])),
        &[some(&[3], 0)],
    );
    smooth(
        |x: Vector| weigh(x.replicate(ix![0, All, 4])),
        &[vector(&[])],
    );
}

#[test]
fn slices() {
    smooth(
        |x: Matrix| energy(x.slice(ix![1, All])),
        &[some(&[2, 3], 0)],
    );
    smooth(
        |x: Matrix| energy(x.slice(ix![All, 2])),
        &[some(&[2, 3], 0)],
    );
    smooth(|x: Matrix| energy(x.slice(ix![1, 2])), &[some(&[2, 3], 0)]);
    let at = |(x, i): (Matrix, Acc<Z, i32>)| energy(x.slice(ix![i.the(), All]));
    smooth(at, &[some(&[2, 3], 0), super::host(&[], &[1])]);
}

#[test]
fn backpermutes() {
    smooth(|x: Matrix| energy(x.transpose()), &[some(&[2, 3], 0)]);
    smooth(|x: Vector| energy(x.reverse()), &[some(&[4], 0)]);
    let corner = |x: Matrix| {
        let turn = |Snoc(Snoc(Z, i), j): Ix2| ix![j, i];
        energy(x.backpermute(ix![2, 1], turn))
    };
    smooth(corner, &[some(&[2, 3], 0)]);
    let repeat = |x: Vector| energy(x.backpermute(ix![7], |Snoc(Z, i): Ix1| ix![i % 3]));
    smooth(repeat, &[some(&[4], 0)]);
    let first = |x: Vector| energy(x.backpermute(ix![2], |i: Ix1| i));
    smooth(first, &[some(&[4], 0)]);
}

#[test]
fn unpack() {
    let f = |x: Vector| energy(x.map(|x| [x.sin(), x * x, x]).unpack());
    smooth(f, &[some(&[4], 0)]);
    let twice = |x: Vector| energy(x.map(|x| [x, x]).unpack());
    smooth(twice, &[some(&[4], 0)]);
}

#[test]
fn unpack_of_different_lengths() {
    use super::{agree, build};
    use cotangent_core::prim::Prim;
    use cotangent_core::term::{AccOp, Fun, Mode};
    use cotangent_core::types::{ArrayType, ScalarType::F64};
    let (flat, wide) = (ArrayType::new(F64, 1), ArrayType::new(F64, 2));
    let p = build(&[flat, flat, wide], |b, params| {
        let inner = vec![b.fresh(flat), b.fresh(flat)];
        b.open();
        let both = b.unpack(&inner);
        let weighed = b.map(
            Fun::prim(Prim::Mul, &[F64, F64]),
            &[both, params[2].clone()],
        );
        let sums = b.fold(Fun::prim(Prim::Add, &[F64, F64]), None, &weighed);
        let sum = b.fold(Fun::prim(Prim::Add, &[F64, F64]), None, &sums);
        let body = b.close(&sum);
        let args = vec![params[0].name, params[1].name];
        let op = AccOp::Derivative {
            mode: Mode::Gradient { with_value: true },
            params: inner,
            body,
            args,
        };
        b.push(op, &[ArrayType::new(F64, 0), flat, flat])
    });
    agree(&p, &[some(&[3], 0), some(&[2], 1), some(&[3, 2], 2)]);
}

#[test]
fn append() {
    let f = |(x, y): (Vector, Vector)| energy(x.append(y.map(|y| y.sin())).append(x));
    smooth(f, &[some(&[4], 0), some(&[2], 1)]);
    let parts = |x: Vector| {
        let halves = x.map(|x| [x.cos(), x * x]).unpack().flatten();
        energy(halves.append(x).scanl1(|a, b| a + b))
    };
    smooth(parts, &[some(&[3], 0)]);
}

#[test]
fn append_of_different_widths() {
    type Matrix = Acc<Ix2, f64>;
    let f = |(x, y): (Matrix, Matrix)| {
        let columns = x.inner().min(y.inner());
        let [x, y] = [x, y].map(|m| m.slice(ix![All, ..columns]));
        energy(x.append(y).append(x).flatten())
    };
    smooth(f, &[some(&[2, 3], 0), some(&[3, 2], 1)]);
    smooth(f, &[some(&[0, 1], 0), some(&[2, 2], 1)]);
}
