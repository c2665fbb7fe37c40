//! Indexing inside of scalar code: `aindex_generate_1` to `aindex_only`.
//!
//! Repaired: as in `movement.rs`, the table has these programs beside earlier names; `\(I1 i -> ..)` is
//! `\(I1 i) -> ..`.

use super::input::{ALL_NICE_ROUND, AT_LEAST_3, NONEMPTY, V};
use super::{Entry, Real, Scalar, Vector};
use cotangent_core::surface::prelude::*;

pub(super) fn entries<T: Real>() -> Vec<Entry> {
    vec![
        Entry::unary("aindex_generate_1", V, aindex_generate_1::<T>),
        Entry::unary("aindex_generate_2", V, aindex_generate_2::<T>),
        Entry::unary("aindex_generate_3", V, aindex_generate_3::<T>),
        Entry::unary("aindex_generate_4", V, aindex_generate_4::<T>),
        Entry::unary("aindex_map_1", AT_LEAST_3, aindex_map_1::<T>),
        Entry::unary("aindex_map_2", V, aindex_map_2::<T>).starred(),
        Entry::unary("aindex_map_2_friendly", ALL_NICE_ROUND, aindex_map_2::<T>),
        Entry::unary("aindex_map_3", V, aindex_map_3::<T>).starred(),
        Entry::unary("aindex_map_4", V, aindex_map_4::<T>).starred(),
        Entry::unary("aindex_acond", V, aindex_acond::<T>).starred(),
        Entry::unary("aindex_only", NONEMPTY, aindex_only::<T>),
    ]
}

fn aindex_generate_1<T: Real>(a: Vector<T>) -> Scalar<T> {
    let ix![n] = a.shape();
    generate(ix![n.div_floor(2)], |ix![i]| a.at(ix![2 * i])).sum()
}

fn aindex_generate_2<T: Real>(a: Vector<T>) -> Scalar<T> {
    let ix![n] = a.shape();
    let f = |ix![i]: Ix1| a.at(ix![i.div_floor(2)]) + a.at(ix![i.mod_floor(2).min(n - 1)]);
    generate(ix![2 * n], f).sum()
}

fn aindex_generate_3<T: Real>(a: Vector<T>) -> Scalar<T> {
    let ix![n] = a.shape();
    let f = |ix![i]: Ix1| cond::<T>(i.lt(5), a.at(ix![i.div_floor(2)]), 42.0);
    generate(ix![2 * n], f).sum()
}

fn aindex_generate_4<T: Real>(a: Vector<T>) -> Scalar<T> {
    let ix![n] = a.shape();
    let f = |ix![i]: Ix1| cond::<T>(i.lt(n), a.at(ix![i]), a.at(ix![i - n]));
    generate(ix![2 * n], f).sum()
}

fn aindex_map_1<T: Real>(a: Vector<T>) -> Scalar<T> {
    a.map(|x| x + a.at(ix![2])).sum()
}

/// |round x| mod n: an index that depends on a float.
fn rounded_index<T: Real>(x: Exp<T>, n: Exp<i32>) -> Ix1 {
    ix![x.round_to::<i32>().abs().mod_floor(n)]
}

fn aindex_map_2<T: Real>(a: Vector<T>) -> Scalar<T> {
    let ix![n] = a.shape();
    a.map(|x| x + a.at(rounded_index(x, n))).sum()
}

fn aindex_map_3<T: Real>(a: Vector<T>) -> Scalar<T> {
    let ix![n] = a.shape();
    let b = a
        .backpermute(ix![n, n], |ix![i, j]| ix![i & j])
        .fold(-20.0, |x, y| x.max(y));
    a.map(|x| x * b.at(rounded_index(x, n))).sum()
}

/// Repaired: the text ends before the body; it is that of `aindex_map_3`.
fn aindex_map_4<T: Real>(a: Vector<T>) -> Scalar<T> {
    let ix![n] = a.shape();
    let b = a
        .backpermute(ix![n, n], |ix![i, j]| ix![(i ^ j).min(n - 1)])
        .sum();
    a.map(|x| x * b.at(rounded_index(x, n))).sum()
}

fn aindex_acond<T: Real>(a: Vector<T>) -> Scalar<T> {
    let ix![n] = a.shape();
    let s = a.sum().the().round_to::<i32>();
    let inside = s.ge(0).and(s.lt(n));
    let found = generate(ix![1], |_| a.at(ix![s]));
    acond(inside, found, generate(ix![1], |_| T::literal(0.0))).sum()
}

/// Refined to `#v > 0`.
fn aindex_only<T: Real>(a: Vector<T>) -> Scalar<T> {
    let ix![n] = a.shape();
    generate(ix![5], |ix![i]| a.at(ix![i.mod_floor(n)])).sum()
}
