//! Replication: `replicate_1` to `replicate_4`.
//!
//! Repaired: the first two are functions without their argument, `$ a`. `foldAll (+)` of the fourth is
//! `fold1All (+)`, as in the others. All but the first are refined to `#v > 0`.

use super::input::{NONEMPTY, V};
use super::{Entry, Real, Scalar, Vector};
use cotangent_core::surface::prelude::*;

pub(super) fn entries<T: Real>() -> Vec<Entry> {
    vec![
        Entry::unary("replicate_1", V, replicate_1::<T>),
        Entry::unary("replicate_2", NONEMPTY, replicate_2::<T>),
        Entry::unary("replicate_3", NONEMPTY, replicate_3::<T>),
        Entry::unary("replicate_4", NONEMPTY, replicate_4::<T>),
    ]
}

fn replicate_1<T: Real>(a: Vector<T>) -> Scalar<T> {
    let polynomial = a.map(|x| x * x + x);
    let rows = polynomial.replicate(ix![All, 5]);
    rows.map(|x| x * 2.0).sum().product()
}

fn replicate_2<T: Real>(a: Vector<T>) -> Scalar<T> {
    let polynomial = a.map(|x| x * x + x);
    let columns = polynomial.replicate(ix![5, All]);
    columns.map(|x| x / 20.0).fold1_all(|x, y| x + y)
}

fn replicate_3<T: Real>(a: Vector<T>) -> Scalar<T> {
    let pairs = a.replicate(ix![All, 2]).map(|x| x * x + x);
    let all = pairs.replicate(ix![All, 5, All, 3]);
    all.map(|x| x * 2.0).fold1_all(|x, y| x + y)
}

fn replicate_4<T: Real>(a: Vector<T>) -> Scalar<T> {
    let pairs = a.replicate(ix![All, 2]).map(|x| x * x + x);
    let all = pairs.replicate(ix![5, All, 3, All]);
    all.map(|x| x * 2.0).fold1_all(|x, y| x + y)
}
