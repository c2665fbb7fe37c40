//! Sums that are written in the order of their copies.

use super::*;
use cotangent_core::schedule::Role::{Left, Right};

/// The name of the rewrite.
const REWRITE: &str = "layout-permutation";

/// Σₖ x\[i, k] · y\[k, j], at (i, j).
fn product(b: &mut AccBuilder, xs: &[Arr], sizes: [i32; 3]) -> Arr {
    let f = fun([I32; 3], |b, [i, j, k]| {
        let (x, y) = (b.index(&xs[0], &[i, k]), b.index(&xs[1], &[k, j]));
        vec![b.prim(Prim::Mul, &[x, y])]
    });
    let products = b.generate(extents(&sizes), f).remove(0);
    sum(b, &products)
}

/// The array with its dimensions in another order, over the given extents.
fn permuted<const N: usize>(b: &mut AccBuilder, x: &Arr, order: [usize; N], to: [i32; N]) -> Arr {
    let f = fun([I32; N], |_, at| order.map(|d| at[d]).to_vec());
    b.backpermute(extents(&to), f, x)
}

#[test]
fn a_transposed_product() {
    let s = subject(&[matrix(3, 4), matrix(4, 5)], |b, xs| {
        let z = product(b, xs, [3, 5, 4]);
        vec![permuted(b, &z, [1, 0], [5, 3])]
    });
    assert_eq!((s.names(), s.fired(REWRITE)), (vec!["fold"], 1));
    let roles = match &s.kernels()[0].kind {
        KernelKind::Contract { roles, .. } => Some(roles.clone()),
        KernelKind::Map { .. }
        | KernelKind::Reduce { .. }
        | KernelKind::Scan { .. }
        | KernelKind::Segments { .. }
        | KernelKind::Sort { .. }
        | KernelKind::Scatter { .. } => None,
    };
    assert_eq!(roles, Some(vec![Right, Left]));
    assert_eq!(s.temporaries(), 0);
}

#[test]
fn dimensions_may_go_round() {
    let cube: Vec<_> = (0..120).map(f64::from).collect();
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]] {
        let s = subject(&[host(&[2, 3, 4, 5], &cube)], |b, xs| {
            let sums = sum(b, &xs[0]);
            let shape = fun([], |b, []| {
                let shape = b.shape(&xs[0]);
                let mut to = shape[..3].to_vec();
                for (d, at) in order.into_iter().enumerate() {
                    to[at] = shape[d];
                }
                to
            });
            let f = fun([I32; 3], |_, at| order.map(|d| at[d]).to_vec());
            vec![b.backpermute(shape, f, &sums)]
        });
        assert_eq!((s.names(), s.fired(REWRITE)), (vec!["fold"], 1));
        s.outcome.unwrap();
    }
}

#[test]
fn what_others_read_and_copies_of_parts_stay() {
    let inputs = [matrix(3, 4), matrix(4, 5)];
    let s = subject(&inputs, |b, xs| {
        let z = product(b, xs, [3, 5, 4]);
        vec![permuted(b, &z, [1, 0], [5, 3]), z]
    });
    assert_eq!((s.kernels().len(), s.fired(REWRITE)), (2, 0));
    let s = subject(&inputs, |b, xs| {
        let z = product(b, xs, [3, 5, 4]);
        vec![permuted(b, &z, [1, 0], [4, 2])]
    });
    assert_eq!((s.kernels().len(), s.fired(REWRITE)), (2, 0));
    let s = subject(&inputs, |b, xs| {
        let z = product(b, xs, [3, 5, 4]);
        vec![permuted(b, &z, [0, 0], [3, 3])]
    });
    assert_eq!((s.kernels().len(), s.fired(REWRITE)), (2, 0));
}

#[test]
fn copies_in_branches() {
    let s = subject(&[matrix(3, 4), matrix(4, 5)], |b, xs| {
        let cond = fun([], |b, []| {
            let (n, five) = (b.extent(xs[0].name, 0), b.constant(5));
            vec![b.prim(Prim::Lt, &[n, five])]
        });
        b.open();
        let z = product(b, xs, [3, 5, 4]);
        let turned = permuted(b, &z, [1, 0], [5, 3]);
        let then_ = b.close(std::slice::from_ref(&turned));
        b.open();
        let z = product(b, xs, [3, 5, 4]);
        let else_ = b.close(&[z]);
        let op = cotangent_core::term::AccOp::Cond { cond, then_, else_ };
        b.push(op, &[turned.ty])
    });
    assert_eq!(s.fired(REWRITE), 1);
    s.outcome.unwrap();
}
