//! Tuples of arrays, and conditionals on them: `tuple1` to `tuple4`.
//!
//! Repaired: the table has `tuple1` and `tuple2` without line breaks beside `logsumexp3` and `tuple1`, and
//! `tuple4` at the end of the row of `tuple3`.

use super::input::{NONEMPTY, V};
use super::{Entry, Matrix, Real, Scalar, Vector};
use cotangent_core::surface::prelude::*;

pub(super) fn entries<T: Real>() -> Vec<Entry> {
    vec![
        Entry::unary("tuple1", V, tuple1::<T>),
        Entry::binary("tuple2", [V, V], tuple2::<T>).starred(),
        Entry::binary("tuple3", [NONEMPTY, NONEMPTY], tuple3::<T>),
        Entry::binary("tuple4", [V, V], tuple4::<T>),
    ]
}

fn tuple1<T: Real>(a: Vector<T>) -> Scalar<T> {
    let (b, _) = (a.map(|x| x * 2.0), a.map(|x| x + 3.0));
    let (a1, a2, a3) = (b.zip_with(a, |x, y| x.sin() * y), a, b);
    let sum = a1.zip(a2).zip_with(a3, |(x, y), z| x + y * z).sum();
    sum.map(|x| x + 5.0)
}

fn tuple2<T: Real>(a: Vector<T>, b: Vector<T>) -> Scalar<T> {
    let (a1, a2) = (b, a.zip_with(b, |x, y| x * y));
    let (b1, b2) = (a2.zip_with(b, |x, y| x + y), a1);
    let (c1, c2) = (b2, a1.zip_with(b2, |x, y| x + y));
    let (d1, d2) = (c2.sum(), b1.sum());
    d1.zip_with(d2.zip(c1.sum()), |x, (y, z)| (y * z).ln() + x)
}

fn tuple3<T: Real>(a: Vector<T>, b: Vector<T>) -> Scalar<T> {
    let ix![n] = a.shape();
    let sums = generate(ix![1, 2], |ix![i, j]| (i + j).to::<T>());
    let pair: (Matrix<T>, Vector<T>) = acond(
        n.mod_floor(3).eq_(0),
        (b.replicate(ix![All, 3]), a),
        (sums, b),
    );
    let (a1, a2) = pair;
    let (ix![rows, _], ix![len]) = (a1.shape(), a2.shape());
    let test = cond::<T>(rows.gt(0), a1.at(ix![0, 1]), 42.0).gt(0.0);
    let square = a2.backpermute(ix![4, 4], |ix![i, j]| ix![(i * j).mod_floor(len)]);
    let (b1, b2) = acond(test, pair, (square, a1.slice(ix![All, 0])));
    b2.zip_with(b1.sum(), |x, y| x + y).sum()
}

fn tuple4<T: Real>(a: Vector<T>, b: Vector<T>) -> Scalar<T> {
    let nested = ((b, a.sum(), (b.sum(), a, ()), a.sum()), b);
    let ((a1, s1, (s2, a2, ()), s3), a3) = nested;
    let products = a1.sum().zip_with(a2.product(), |x, y| x * y);
    let right = products
        .zip_with(s2, |x, y| x + y)
        .zip_with(s3, |x, y| x * y);
    s1.zip_with(a3.sum(), |x, y| x * y)
        .zip_with(right, |x, y| x + y)
}
