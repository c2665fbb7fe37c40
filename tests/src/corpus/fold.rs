//! Maps and reductions: `map` to `fold1_2_friendly`.

use super::input::{ALL_NON_ZERO, NONEMPTY, UNIQUE_MAX, V};
use super::{Entry, Real, Scalar, Vector};
use cotangent_core::surface::prelude::*;

pub(super) fn entries<T: Real>() -> Vec<Entry> {
    vec![
        Entry::unary("map", V, map::<T>),
        Entry::binary("zipWith", [V, V], zip_with::<T>),
        Entry::unary("fold_1", V, fold_1::<T>),
        Entry::unary("fold_2", V, fold_2::<T>),
        Entry::unary("fold_3", V, fold_3::<T>).starred(),
        Entry::unary("fold_3_friendly", ALL_NON_ZERO, fold_3::<T>),
        Entry::unary("fold1_1", NONEMPTY, fold1_1::<T>),
        Entry::unary("fold1_2", NONEMPTY, fold1_2::<T>).starred(),
        Entry::unary("fold1_2_friendly", UNIQUE_MAX, fold1_2::<T>),
    ]
}

fn map<T: Real>(a: Vector<T>) -> Scalar<T> {
    a.map(|x| x * 3.0).sum()
}

fn zip_with<T: Real>(a: Vector<T>, b: Vector<T>) -> Scalar<T> {
    a.zip_with(b, |x, y| x.sin() * (x + y).cos()).sum()
}

fn fold_1<T: Real>(a: Vector<T>) -> Scalar<T> {
    a.fold(1.0, |x, y| x * y)
}

fn fold_2<T: Real>(a: Vector<T>) -> Scalar<T> {
    a.fold(3.0, |x, y| x.max(y))
}

fn fold_3<T: Real>(a: Vector<T>) -> Scalar<T> {
    let abs = |v: Exp<T>| cond::<T>(v.lt(0.0), -v, v);
    a.fold(0.0, |x, y| abs(x) + abs(y))
}

/// Refined to `#v > 0`.
fn fold1_1<T: Real>(a: Vector<T>) -> Scalar<T> {
    a.fold1(|x, y| x * y)
}

/// Refined to `#v > 0`.
fn fold1_2<T: Real>(a: Vector<T>) -> Scalar<T> {
    a.fold1(|x, y| x.max(y))
}
