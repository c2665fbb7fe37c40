//! `permute`, adding and overwriting.

use super::{Vector, agree, build, energy, host, smooth, some};
use cotangent_core::surface::prelude::*;

fn histogram(combine: Combine) {
    let f = |(d, x, to): (Vector, Vector, Acc<Ix1, i32>)| {
        let target = |i: Ix1| (to.at(i).ge(0), to.at(i));
        let send = |i| {
            let (goes, at) = target(i);
            (goes, ix![at])
        };
        energy(x.map(|x| x * x).permute(combine, d.map(|d| d.sin()), send))
    };
    let to = host(&[6], &[2, 0, -1, 2, 1, 2]);
    smooth(f, &[some(&[4], 0), some(&[6], 1), to]);
}

#[test]
fn adding() {
    histogram(Combine::Add);
}

#[test]
fn overwriting() {
    histogram(Combine::Overwrite);
}

/// Sources that differ in one coordinate only meet at one target, whichever coordinate that is.
#[test]
fn overwriting_by_matrices() {
    let f = |(d, x): (Vector, Acc<Ix2, f64>)| {
        let target = |ix![i, j]| (true, ix![(2 * i + j) % 5]);
        let x = x.map(|x| x * x);
        energy(x.permute(Combine::Overwrite, d.map(|d| d.sin()), target))
    };
    smooth(f, &[some(&[6], 0), some(&[4, 3], 1)]);
    let rows = |(d, x): (Vector, Acc<Ix2, f64>)| {
        energy(x.permute(Combine::Overwrite, d, |ix![i, _]| (true, ix![i])))
    };
    smooth(rows, &[some(&[4], 0), some(&[4, 3], 1)]);
    let columns = |(d, x): (Vector, Acc<Ix2, f64>)| {
        energy(x.permute(Combine::Overwrite, d, |ix![_, j]| (true, ix![j])))
    };
    smooth(columns, &[some(&[3], 0), some(&[4, 3], 1)]);
}

/// An index without coordinates is a source like any other.
#[test]
fn overwriting_by_a_single_number() {
    let f = |(d, x): (Vector, Acc<Ix0, f64>)| {
        energy(x.permute(Combine::Overwrite, d, |_| (true, ix![1])))
    };
    smooth(f, &[some(&[3], 0), some(&[], 1)]);
}

#[test]
fn of_several_columns_of_different_lengths() {
    use cotangent_core::build::FunBuilder;
    use cotangent_core::prim::Prim;
    use cotangent_core::term::{AccOp, Fun, Mode};
    use cotangent_core::types::{ArrayType, ScalarType::F64, ScalarType::I32};
    for combine in [Combine::Add, Combine::Overwrite] {
        let ty = ArrayType::new(F64, 1);
        let p = build(&[ty; 5], |b, params| {
            let inner: Vec<_> = params[..4].iter().map(|p| b.fresh(p.ty)).collect();
            b.open();
            let mut target = FunBuilder::new();
            let i = target.param(I32);
            let two = target.constant(2i32);
            let (at, goes) = (target.prim(Prim::Quot, &[i, two]), target.constant(true));
            let target = target.finish(vec![goes, at]);
            let out = b.permute(combine, &inner[..2], target, &inner[2..]);
            let args = [out[0].clone(), out[1].clone(), params[4].clone()];
            let mut f = FunBuilder::new();
            let xs = f.params(&[F64; 3]);
            let product = f.prim(Prim::Mul, &xs[..2]);
            let product = f.prim(Prim::Mul, &[product, xs[2]]);
            let weighed = b.map(f.finish(vec![product]), &args);
            let sum = b.fold(Fun::prim(Prim::Add, &[F64, F64]), None, &weighed);
            let body = b.close(&sum);
            let op = AccOp::Derivative {
                mode: Mode::Gradient { with_value: false },
                params: inner,
                body,
                args: params[..4].iter().map(|p| p.name).collect(),
            };
            b.push(op, &[ty; 4])
        });
        let shapes = [5, 4, 6, 7, 4];
        let inputs: Vec<_> = (0u32..).zip(shapes).map(|(k, n)| some(&[n], k)).collect();
        agree(&p, &inputs);
    }
}
