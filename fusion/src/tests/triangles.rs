//! Zeros of factors and results that nobody reads. The reference runner verifies the zeros, and makes unread
//! results NaN.

use super::*;
use cotangent_core::schedule::{Bound, Structure};

/// The structures of all contractions.
fn structures(s: &Subject) -> Vec<Structure> {
    let of = |kernel: &&Kernel| match &kernel.kind {
        KernelKind::Contract { structure, .. } => Some(structure.clone()),
        KernelKind::Map { .. }
        | KernelKind::Reduce { .. }
        | KernelKind::Scan { .. }
        | KernelKind::Segments { .. }
        | KernelKind::Sort { .. }
        | KernelKind::Scatter { .. } => None,
    };
    s.kernels().iter().filter_map(of).collect()
}

/// The product of two 5×5 matrices, the first one being read at (i, k) where a condition holds and zero elsewhere.
fn masked(cond: impl Fn(&mut FunBuilder, ExpId, ExpId) -> ExpId) -> Subject {
    subject(&[matrix(5, 5), matrix(5, 5)], |b, xs| {
        let mut f = FunBuilder::new();
        let [i, j, k] = [0; 3].map(|_| f.param(I32));
        let inside = cond(&mut f, i, k);
        let x = f.cond(
            inside,
            |f| vec![f.index(&xs[0], &[i, k])],
            |f| vec![f.constant(0.0)],
        )[0];
        let y = f.index(&xs[1], &[k, j]);
        let product = f.prim(Prim::Mul, &[x, y]);
        let cube = b.generate(extents(&[5, 5, 5]), f.finish(vec![product]));
        vec![sum(b, &cube[0])]
    })
}

fn left_of(cond: impl Fn(&mut FunBuilder, ExpId, ExpId) -> ExpId) -> Vec<Bound> {
    let found = structures(&masked(cond));
    assert_eq!(found.len(), 1);
    assert!(found[0].right.is_empty() && found[0].needed.is_empty());
    let mut left = found[0].left.clone();
    left.sort();
    left
}

#[test]
fn comparisons_of_indices_bound_a_factor() {
    let compared = |prim| left_of(move |f, i, k| f.prim(prim, &[i, k]));
    assert_eq!(compared(Prim::Ge), [Bound::new(0, 2, 0)]);
    assert_eq!(compared(Prim::Gt), [Bound::new(0, 2, 1)]);
    assert_eq!(compared(Prim::Le), [Bound::new(2, 0, 0)]);
    assert_eq!(compared(Prim::Lt), [Bound::new(2, 0, 1)]);
    assert_eq!(
        compared(Prim::Eq),
        [Bound::new(0, 2, 0), Bound::new(2, 0, 0)]
    );
    assert_eq!(compared(Prim::Ne), []);
}

#[test]
fn bands_are_found_however_they_are_spelled() {
    let distance = left_of(|f, i, k| {
        let d = f.prim(Prim::Sub, &[i, k]);
        let d = f.prim(Prim::Abs, &[d]);
        let width = f.constant(2);
        f.prim(Prim::Le, &[d, width])
    });
    assert_eq!(distance, [Bound::new(0, 2, -2), Bound::new(2, 0, -2)]);
    let sums = left_of(|f, i, k| {
        let one = f.constant(1);
        let [above, below] = [i, k].map(|x| f.prim(Prim::Add, &[x, one]));
        let [low, high] = [(above, k), (below, i)].map(|(x, y)| f.prim(Prim::Ge, &[x, y]));
        f.prim(Prim::And, &[low, high])
    });
    assert_eq!(sums, [Bound::new(0, 2, -1), Bound::new(2, 0, -1)]);
    let neither = left_of(|f, i, k| {
        let [low, high] = [(i, k), (k, i)].map(|(x, y)| f.prim(Prim::Gt, &[x, y]));
        f.prim(Prim::Or, &[low, high])
    });
    assert_eq!(neither, []);
}

#[test]
fn a_triangle_is_remembered_in_memory() {
    let options = Options::default().without_strips();
    let s = subject_with(options, &[matrix(5, 5), matrix(5, 5)], |b, xs| {
        let mut f = FunBuilder::new();
        let [i, k] = [0; 2].map(|_| f.param(I32));
        let inside = f.prim(Prim::Gt, &[i, k]);
        let expensive = |f: &mut FunBuilder| {
            let x = f.index(&xs[0], &[i, k]);
            vec![f.prim(Prim::Exp, &[x])]
        };
        let x = f.cond(inside, expensive, |f| vec![f.constant(0.0)]);
        let lower = b.generate(extents(&[5, 5]), f.finish(x)).remove(0);
        let mut f = FunBuilder::new();
        let [i, j, k] = [0; 3].map(|_| f.param(I32));
        let (x, y) = (f.index(&lower, &[i, k]), f.index(&xs[1], &[k, j]));
        let product = f.prim(Prim::Mul, &[x, y]);
        let cube = b.generate(extents(&[5, 5, 5]), f.finish(vec![product]));
        vec![sum(b, &cube[0])]
    });
    let found = structures(&s);
    assert_eq!(found[0].left, [Bound::new(0, 2, 1)], "{}", s.fused);
    assert_eq!(s.fired("structure"), 1);
}

#[test]
fn only_what_is_read_is_needed() {
    let options = Options::default().without_strips();
    let s = subject_with(options, &[matrix(5, 5), matrix(5, 5)], |b, xs| {
        let mut f = FunBuilder::new();
        let [i, j, k] = [0; 3].map(|_| f.param(I32));
        let (x, y) = (f.index(&xs[0], &[i, k]), f.index(&xs[1], &[k, j]));
        let product = f.prim(Prim::Mul, &[x, y]);
        let cube = b.generate(extents(&[5, 5, 5]), f.finish(vec![product]));
        let product = sum(b, &cube[0]);
        let mut f = FunBuilder::new();
        let [i, j] = [0; 2].map(|_| f.param(I32));
        let inside = f.prim(Prim::Ge, &[i, j]);
        let x = f.cond(
            inside,
            |f| vec![f.index(&product, &[i, j])],
            |f| vec![f.constant(7.0)],
        );
        b.generate(extents(&[5, 5]), f.finish(x))
    });
    assert_eq!(
        structures(&s)[0].needed,
        [Bound::new(0, 1, 0)],
        "{}",
        s.fused
    );
}

#[test]
fn results_are_needed_whole() {
    let s = masked(|f, i, k| f.prim(Prim::Ge, &[i, k]));
    assert!(structures(&s)[0].needed.is_empty());
}
