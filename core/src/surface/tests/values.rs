//! What surface programs compute, by way of sharing recovery and the reference interpreter: that each
//! operation's parts arrive in the right order, which types alone do not show.

use crate::backend::RunError;
use crate::check::check;
use crate::interp;
use crate::label::label;
use crate::recover::recover;
use crate::surface::prelude::*;
use crate::surface::{AccFn, arrays::Arrays};

pub(super) type Vector = Acc<Ix1, f64>;
pub(super) type Matrix = Acc<Ix2, f64>;
type HostOf<A> = <A as Arrays>::Host;

pub(super) fn run<F: AccFn<M>, M>(f: F, input: HostOf<F::In>) -> Result<HostOf<F::Out>, RunError> {
    let traced = trace(f).unwrap();
    let program = recover(&traced.graph, &traced.lambda).unwrap();
    check(&program).unwrap();
    let mut columns = vec![];
    F::In::from_host(input, &mut columns);
    let outputs = interp::run(&label(&program), &columns)?;
    Ok(F::Out::to_host(&mut outputs.into_iter()).unwrap())
}

pub(super) fn vector<T: Elt>(values: impl Into<Vec<T>>) -> Array<Ix1, T> {
    Array::vector(values.into()).unwrap()
}

pub(super) fn matrix<T: Elt, const R: usize, const C: usize>(rows: [[T; C]; R]) -> Array<Ix2, T> {
    Array::from_vec([R, C], rows.into_iter().flatten().collect()).unwrap()
}

#[test]
fn reductions() {
    let f = |m: Matrix| (m.sum(), m.product(), m.maximum(), m.minimum());
    let m = matrix([[1.0, 2.0, -3.0], [4.0, 0.5, 6.0]]);
    let (sum, product, maximum, minimum) = run(f, m.clone()).unwrap();
    assert_eq!(sum.to_vec(), [0.0, 10.5]);
    assert_eq!(product.to_vec(), [-6.0, 12.0]);
    assert_eq!(maximum.to_vec(), [2.0, 6.0]);
    assert_eq!(minimum.to_vec(), [-3.0, 0.5]);
    let all = |m: Matrix| {
        (
            m.sum_all(),
            m.product_all(),
            m.maximum_all(),
            m.minimum_all(),
        )
    };
    let (sum, product, maximum, minimum) = run(all, m).unwrap();
    let values = [sum, product, maximum, minimum].map(|a| a.get([]).unwrap());
    assert_eq!(values, [10.5, -72.0, 6.0, -3.0]);
}

#[test]
fn operators_get_their_operands_in_order() {
    let minus = |v: Acc<Ix1, i32>| {
        let f = |a, b| a - b;
        (
            v.fold(100, f),
            v.fold1(f),
            v.scanl(100, f),
            v.scanl1(f),
            v.scanr1(f),
        )
    };
    let (fold, fold1, scanl, scanl1, scanr1) = run(minus, vector([1, 2])).unwrap();
    assert_eq!((fold.get([]), fold1.get([])), (Some(97), Some(-1)));
    assert_eq!(scanl.to_vec(), [100, 99, 97]);
    assert_eq!(scanl1.to_vec(), [1, -1]);
    assert_eq!(scanr1.to_vec(), [-1, 2]);
}

#[test]
fn tuples_keep_their_order() {
    let f = |v: Acc<Ix1, (f64, [i32; 2])>, w: Acc<Ix1, bool>| {
        let (x, n) = v.unzip();
        (n.zip3(w, x), v.fold((0.0, [9, 9]), |_, x| x), v.enumerate())
    };
    let v = vector([(0.5, [1, 2]), (1.5, [3, 4])]);
    let (zipped, last, numbered) = run(f, (v, vector([true, false]))).unwrap();
    assert_eq!(zipped.to_vec(), [([1, 2], true, 0.5), ([3, 4], false, 1.5)]);
    assert_eq!(last.get([]), Some((1.5, [3, 4])));
    assert_eq!(numbered.to_vec(), [(0, (0.5, [1, 2])), (1, (1.5, [3, 4]))]);
}

#[test]
fn rearrangements() {
    let f = |m: Acc<Ix2, i32>| {
        let by_hand = m.backpermute(ix![3, 2], |ix![i, j]| ix![j, i]);
        (
            m.transpose(),
            by_hand,
            m.reverse(),
            m.flatten(),
            m.slice(ix![1, All]),
        )
    };
    let m = matrix([[1, 2, 3], [4, 5, 6]]);
    let (transposed, by_hand, reversed, flat, row) = run(f, m.clone()).unwrap();
    assert_eq!(transposed, matrix([[1, 4], [2, 5], [3, 6]]));
    assert_eq!(by_hand, transposed);
    assert_eq!(reversed, matrix([[3, 2, 1], [6, 5, 4]]));
    assert_eq!(
        (flat.to_vec(), row.to_vec()),
        (vec![1, 2, 3, 4, 5, 6], vec![4, 5, 6])
    );
    let g = |m: Acc<Ix2, i32>| {
        let row = m.slice(ix![0, All]);
        (
            m.slice(ix![All, 2]),
            row.replicate(ix![2, All]),
            row.replicate(Snoc(any(), 2)),
        )
    };
    let (column, rows, columns) = run(g, m).unwrap();
    assert_eq!(column.to_vec(), [3, 6]);
    assert_eq!(rows, matrix([[1, 2, 3], [1, 2, 3]]));
    assert_eq!(columns, matrix([[1, 1], [2, 2], [3, 3]]));
}

#[test]
fn unpacked_elements_are_the_inner_dimension() {
    let f = |v: Acc<Ix1, [(i32, bool); 2]>| v.unpack();
    let v = vector([[(1, true), (2, false)], [(3, false), (4, true)]]);
    let unpacked = run(f, v).unwrap();
    assert_eq!(
        unpacked,
        matrix([[(1, true), (2, false)], [(3, false), (4, true)]])
    );
}

#[test]
fn scatters() {
    let histogram = |keys: Acc<Ix1, i32>| {
        let ones = fill(keys.shape(), 1);
        let counts = ones.permute(Combine::Add, fill(ix![3], 10), |i| {
            let key = keys.at(i);
            (key.ge(0), ix![key])
        });
        (
            counts,
            keys.scatter(Combine::Overwrite, fill(ix![4], -5), keys.map(|k| k.max(0))),
        )
    };
    let (counts, last) = run(histogram, vector([2, 0, -1, 2])).unwrap();
    assert_eq!(counts.to_vec(), [11, 10, 12]);
    assert_eq!(last.to_vec(), [-1, -5, 2, -5]);
}

#[test]
fn guards_protect_indices() {
    let neighbours = |v: Vector| {
        generate(v.shape(), |ix![i]| {
            let right = cond((i + 1).lt(v.inner()), v.at(ix![i + 1]), 0.0);
            let larger = i.gt(0).and(v.at(ix![i - 1]).gt(v.at(ix![i])));
            (right, larger, i.eq_(0).or(v.at(ix![i - 1]).lt(0.0)))
        })
    };
    let result = run(neighbours, vector([1.0, -2.0, 3.0])).unwrap();
    let expected = [(-2.0, false, true), (3.0, true, false), (0.0, false, true)];
    assert_eq!(result.to_vec(), expected);
    let error = run(|v: Vector| unit(v.at(ix![7])), vector([1.0])).unwrap_err();
    let RunError::IndexOutOfRange { site, index, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(index, [7]);
    assert!(site.loc.to_string().contains("values.rs"), "{site}");
}

#[test]
fn gradients() {
    let f = |a: Vector, b: Vector| {
        value_and_gradient_a(
            |(a, b): (Vector, Vector)| a.zip_with(b, |x, y| x * x * y).sum(),
            (a, b),
        )
    };
    let (value, (da, db)) = run(f, (vector([1.0, 2.0]), vector([3.0, 5.0]))).unwrap();
    assert_eq!(value.get([]), Some(23.0));
    assert_eq!(
        (da.to_vec(), db.to_vec()),
        (vec![6.0, 20.0], vec![1.0, 4.0])
    );
    let g = |v: Vector| v.map(|x| value_and_gradient_e(|(x, y)| x.powi(3) / y, (x, 2.0 * x)));
    let (value, (dx, dy)) = run(g, vector([2.0])).unwrap().get([0]).unwrap();
    assert_eq!((value, dx, dy), (2.0, 3.0, -0.5));
}

#[test]
fn choices_between_arrays() {
    let f = |v: Vector, w: Vector| acond(v.inner().gt(w.inner()), (v, w), (w, v));
    let (long, short) = (vector([1.0, 2.0]), vector([3.0]));
    let expected = (long.clone(), short.clone());
    assert_eq!(run(f, (long.clone(), short.clone())), Ok(expected.clone()));
    assert_eq!(run(f, (short, long)), Ok(expected));
}

#[test]
fn elementary_functions_against_the_host() {
    let f = |v: Acc<Ix1, (f64, f64)>| {
        v.map(|(x, y)| {
            let two = (
                x.powf(y),
                [x.atan2(y), x.log(y), x / y, x - y, 1.0 - x, 3 / y],
            );
            (two, (x.recip(), x.powi(-3), x.clamp(0, 1), pi::<f64>() * x))
        })
    };
    let (x, y) = (2.5f64, 1.7f64);
    let (two, one) = run(f, vector([(x, y)])).unwrap().get([0]).unwrap();
    let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-14 * b.abs(), "{a} {b}");
    close(two.0, x.powf(y));
    let expected = [x.atan2(y), x.log(y), x / y, x - y, 1.0 - x, 3.0 / y];
    two.1
        .into_iter()
        .zip(expected)
        .for_each(|(a, b)| close(a, b));
    close(one.0, 1.0 / x);
    close(one.1, x.powi(-3));
    close(one.2, 1.0);
    close(one.3, std::f64::consts::PI * x);
}

#[test]
fn integers_and_roundings() {
    let f = |v: Acc<Ix1, i32>| {
        v.map(|n| {
            let half = n.to_f64() / 2;
            let rounded = [
                half.floor_to::<i32>(),
                half.ceil_to(),
                half.round_to(),
                half.trunc_to(),
            ];
            (
                [n / 2, n % 2, n.div_floor(2), n.mod_floor(2)],
                rounded,
                (!n, n << 1, n >> 1, n ^ 3),
            )
        })
    };
    let (division, rounded, bits) = run(f, vector([-7])).unwrap().get([0]).unwrap();
    assert_eq!(division, [-3, -1, -4, 1]);
    assert_eq!(rounded, [-4, -3, -4, -3]);
    assert_eq!(bits, (6, -14, -4, -7 ^ 3));
}
