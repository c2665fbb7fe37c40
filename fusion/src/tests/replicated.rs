//! Folds whose results are the same along a dimension.

use super::*;
use cotangent_core::schedule::ArrayDecl;

/// The name of the rewrite.
const REWRITE: &str = "fold of what is the same along a dimension";

/// The elements of the second array, a matrix, at (row, i, column), for as many i as the first one has elements.
fn spread(b: &mut AccBuilder, xs: &[Arr]) -> Arr {
    let axes = vec![Axis::All, Axis::Fixed, Axis::All];
    let count = fun([], |b, []| vec![b.shape(&xs[0])[0]]);
    b.replicate(axes, count, &xs[1])
}

/// The ranks of the arrays that the folds make.
fn ranks_of_folds(s: &Subject) -> Vec<usize> {
    let is_fold = |k: &&Kernel| matches!(k.kind, KernelKind::Reduce { .. });
    let folds = s.kernels().into_iter().filter(is_fold);
    let made = folds.flat_map(|k| k.outputs().iter());
    let rank = |array: &ArrayDecl| array.extents.len();
    made.map(|output| rank(&s.fused.arrays[output.array.index()]))
        .collect()
}

#[test]
fn sums_are_made_once_and_replicated() {
    for (rows, columns, count) in [(3, 4, 5), (3, 4, 1), (3, 4, 0), (0, 4, 2), (3, 0, 2)] {
        let inputs = [vector(&vec![0.5; count]), matrix(rows, columns)];
        let s = subject(&inputs, |b, xs| {
            let all = spread(b, xs);
            vec![sum(b, &all)]
        });
        assert_eq!(s.names(), ["fold", "fold"], "{}", s.fused);
        assert_eq!(s.fired(REWRITE), 1);
        assert_eq!(ranks_of_folds(&s), [1]);
    }
}

#[test]
fn who_reads_them_needs_no_copy() {
    let inputs = [vector(&[0.5; 3]), matrix(4, 5)];
    let s = subject(&inputs, |b, xs| {
        let all = spread(b, xs);
        let sums = sum(b, &all);
        vec![map(b, Prim::Exp, &sums)]
    });
    assert_eq!(s.names(), ["fold", "map"], "{}", s.fused);
}

/// Without an initial value a fold of nothing is refused where there are results of it, so it stays as it is.
#[test]
fn any_operator_and_a_single_row() {
    for (init, rank) in [(zero(), 0), (None, 1)] {
        for (count, size) in [(3, 4), (0, 4), (0, 0)] {
            let inputs = [vector(&vec![0.5; count]), vector(&vec![3.0; size])];
            let s = subject(&inputs, |b, xs| {
                let count = fun([], |b, []| vec![b.shape(&xs[0])[0]]);
                let rows = b.replicate(vec![Axis::Fixed, Axis::All], count, &xs[1]);
                b.fold(binary(Prim::Max), init.clone(), &[rows])
            });
            assert_eq!(ranks_of_folds(&s), [rank], "{}", s.fused);
            s.outcome.unwrap();
        }
    }
}

/// The row sums of a matrix, at those (row, i) where i is below a limit.
#[test]
fn a_part_that_is_the_same_along_a_dimension() {
    for (limit, count) in [(2, 3), (9, 3), (0, 3), (2, 0)] {
        let inputs = [
            vector(&vec![0.5; count]),
            matrix(3, 4),
            vector(&vec![0.5; limit]),
        ];
        let s = subject(&inputs, |b, xs| {
            let shape = fun([], |b, []| {
                let (count, x) = (b.shape(&xs[0]), b.shape(&xs[1]));
                vec![x[0], count[0], x[1]]
            });
            let f = fun([I32; 3], |b, [row, i, column]| {
                let limit = b.extent(xs[2].name, 0);
                let inside = b.prim(Prim::Lt, &[i, limit]);
                let x = b.index(&xs[1], &[row, column]);
                let zero = b.constant(0.0);
                vec![b.prim(Prim::Select, &[inside, x, zero])]
            });
            let all = b.generate(shape, f).remove(0);
            vec![sum(b, &all)]
        });
        assert_eq!(s.fired(REWRITE), 1, "{}", s.fused);
        assert_eq!(ranks_of_folds(&s), [1]);
    }
}

/// The row before the last of as many as there are elements elsewhere: there is none, where there are none.
#[test]
fn what_depends_on_the_extent_stays() {
    for count in [0, 2] {
        let inputs = [vector(&vec![0.5; count]), matrix(2, 4)];
        let s = subject(&inputs, |b, xs| {
            let shape = fun([], |b, []| {
                let (count, x) = (b.shape(&xs[0]), b.shape(&xs[1]));
                vec![count[0], x[1]]
            });
            let f = fun([I32; 2], |b, [_, column]| {
                let (count, one) = (b.extent(xs[0].name, 0), b.constant(1));
                let last = b.prim(Prim::Sub, &[count, one]);
                vec![b.index(&xs[1], &[last, column])]
            });
            let all = b.generate(shape, f).remove(0);
            vec![sum(b, &all)]
        });
        assert_eq!(s.fired(REWRITE), 0, "{}", s.fused);
        s.outcome.unwrap();
    }
}
