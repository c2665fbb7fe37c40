//! Slices, reshapes and gathers: `slice_1` to `backpermute_2`.
//!
//! Repaired: from `slice_2` on the table has each program beside a later name, and programs run on in one
//! cell; here they stand with the names that fit in order.

use super::input::{EVEN, NONEMPTY, V};
use super::{Entry, Input, Matrix, Number, Real, Scalar, Vector};
use cotangent_core::surface::prelude::*;

pub(super) fn entries<T: Real>() -> Vec<Entry> {
    let position = || Input::Number(0..=61);
    let size = || Input::Number(5..=15);
    vec![
        Entry::unary("slice_1", V, slice_1::<T>),
        Entry::new("slice_2", &[NONEMPTY, position(), position()], slice_2::<T>),
        Entry::unary("reshape_1", EVEN, reshape_1::<T>),
        Entry::unary("reshape_2", EVEN, reshape_2::<T>),
        Entry::new("backpermute_1", &[NONEMPTY, size()], backpermute_1::<T>),
        Entry::new("backpermute_2", &[NONEMPTY, size()], backpermute_2::<T>),
    ]
}

fn slice_1<T: Real>(a: Vector<T>) -> Scalar<T> {
    let ix![n] = a.shape();
    let m = n.div_floor(4) + 3;
    let a1 = a.replicate(ix![m, m, All]);
    a1.slice(ix![2, 1, All]).sum()
}

/// Refined to `#v > 0`.
fn slice_2<T: Real>(a: Vector<T>, (p1, p2): (Number, Number)) -> Scalar<T> {
    let ix![n] = a.shape();
    let a1 = a.backpermute(ix![n, n, n + 1], |ix![i, j, k]| {
        ix![(i + j + k).mod_floor(n)]
    });
    let at = |p: Number| p.the().mod_floor(n);
    a1.slice(ix![at(p1), at(p2), All]).sum()
}

fn reshape_1<T: Real>(a: Vector<T>) -> Scalar<T> {
    let ix![n] = a.shape();
    let b = a.reshape(ix![2, n.div_floor(2)]);
    b.sum().product()
}

fn reshape_2<T: Real>(a: Vector<T>) -> Scalar<T> {
    let ix![n] = a.shape();
    let b = a.reshape(ix![2, n.div_floor(2)]);
    let c = b.reshape(ix![n, 1]);
    c.product().sum()
}

/// `m` rows of `2m`, all of them windows of `a`, which starts over at its end.
fn windows<T: Real>(a: Vector<T>, m: Exp<i32>) -> Matrix<T> {
    let ix![n] = a.shape();
    a.backpermute(ix![m, 2 * m], |ix![i, j]| ix![(i + j).mod_floor(n)])
}

/// Repaired: `foldAll (+)` is `fold1All (+)`.
fn backpermute_1<T: Real>(a: Vector<T>, m: Number) -> Scalar<T> {
    windows(a, m.the()).fold1_all(|x, y| x + y)
}

/// Repaired: `foldAll (+)` is `fold1All (+)`; `b` is as in `backpermute_1`.
fn backpermute_2<T: Real>(a: Vector<T>, m: Number) -> Scalar<T> {
    let m = m.the();
    let c = windows(a, m).sum();
    let d = c.backpermute(ix![2, 3, m], |ix![_, i, j]| ix![(m - 1).min(i * j)]);
    let e = d.map(|x| x / 2.0);
    e.slice(ix![All, All, 2]).fold1_all(|x, y| x + y)
}
