//! Conditionals on arrays: `acond_0` to `acond_3b`.

use super::input::{SUM_NOT_2, V};
use super::{Entry, Real, Scalar, Vector};
use cotangent_core::surface::prelude::*;

pub(super) fn entries<T: Real>() -> Vec<Entry> {
    vec![
        Entry::unary("acond_0", V, acond_0::<T>),
        Entry::unary("acond_0a", V, acond_0a::<T>),
        Entry::unary("acond_1", V, acond_1::<T>),
        Entry::unary("acond_2a", V, acond_2a::<T>).starred(),
        Entry::unary("acond_2a_friendly", SUM_NOT_2, acond_2a::<T>),
        Entry::unary("acond_2b", V, acond_2b::<T>).starred(),
        Entry::unary("acond_2b_friendly", SUM_NOT_2, acond_2b::<T>),
        Entry::unary("acond_3a", V, acond_3a::<T>),
        Entry::unary("acond_3b", V, acond_3b::<T>),
    ]
}

fn acond_0<T: Real>(a: Vector<T>) -> Scalar<T> {
    acond(a.sum().the().gt(0.0), a, a.map(|x| x * 2.0)).sum()
}

fn acond_0a<T: Real>(a: Vector<T>) -> Scalar<T> {
    acond(a.sum().the().gt(0.0), a.map(|x| x * 2.0), a).sum()
}

/// Repaired: `T2 a1 - =` is `T2 a1 _ =`.
fn acond_1<T: Real>(a: Vector<T>) -> Scalar<T> {
    let b = a.map(|x| x * 2.0);
    let (a1, _) = acond(a.sum().the().gt(0.0), (a, b), (b, a));
    b.map(|x| x * a1.inner().to::<T>()).sum()
}

/// b, and what depends on Σa in a way that jumps at 2.
fn acond_2<T: Real>(a: Vector<T>) -> (Vector<T>, Vector<T>) {
    let b = a.map(|x| x * 2.0);
    let more = b.map(|x| x + 1.0);
    let less = b.map(|x| x * 2.0).map(|x| x - 1.0);
    (b, acond(a.sum().the().le(2.0), more, less))
}

fn acond_2a<T: Real>(a: Vector<T>) -> Scalar<T> {
    let (b, y) = acond_2(a);
    b.zip_with(y, |b, y| b * y).sum()
}

fn acond_2b<T: Real>(a: Vector<T>) -> Scalar<T> {
    let (b, y) = acond_2(a);
    y.zip_with(b, |y, b| y * b).sum()
}

/// Repaired: the lambda `(_ -> 42)` is `(\_ -> 42)`.
fn acond_3a<T: Real>(a: Vector<T>) -> Scalar<T> {
    acond(true, generate(ix![1], |_| T::literal(42.0)), a).sum()
}

/// Repaired: `IO` is `I0`, `(_ -> 42)` is `(\_ -> 42)`.
fn acond_3b<T: Real>(a: Vector<T>) -> Scalar<T> {
    let ix![n] = a.shape();
    let doubled = a.map(|x| x * 2.0).sum();
    let moved = a.map(|x| x + 3.0).sum();
    acond(
        n.ge(0),
        generate(ix![], |_| T::literal(42.0)),
        doubled.zip_with(moved, |x, y| x + y),
    )
}
