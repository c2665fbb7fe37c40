//! Conditionals on scalars: `cond_0` to `ignore_argument`.

use super::input::{ALL_NON_ZERO, V};
use super::{Entry, Real, Scalar, Vector};
use cotangent_core::surface::prelude::*;

pub(super) fn entries<T: Real>() -> Vec<Entry> {
    vec![
        Entry::unary("cond_0", V, cond_0::<T>).starred(),
        Entry::unary("cond_0_friendly", ALL_NON_ZERO, cond_0::<T>),
        Entry::unary("cond_1", V, cond_1::<T>),
        Entry::unary("cond_2", V, cond_2::<T>),
        Entry::unary("cond_3a", V, cond_3a::<T>).starred(),
        Entry::unary("cond_3b", V, cond_3b::<T>).starred(),
        Entry::unary("cond_4", V, cond_4::<T>).starred(),
        Entry::unary("ignore_argument", V, ignore_argument::<T>),
    ]
}

/// Repaired: the input is `a`, not `v`.
fn cond_0<T: Real>(a: Vector<T>) -> Scalar<T> {
    a.map(|x| cond::<T>(x.gt(0.0), x, 2.0 * x)).sum()
}

/// The derivative is continuous at 0.
fn cond_1<T: Real>(a: Vector<T>) -> Scalar<T> {
    let f = |x: Exp<T>| 2.0 * cond::<T>(x.gt(0.0), (x * x).sin(), x * x * x.exp());
    a.map(f).sum()
}

/// The derivative is continuous where the condition switches.
fn cond_2<T: Real>(a: Vector<T>) -> Scalar<T> {
    let modulo = |u: Exp<T>, v: Exp<T>| u - (u / v).floor_to::<i32>().to::<T>() * v;
    let f = |x: Exp<T>| {
        let (pi, turn) = (pi::<T>(), 2.0 * pi::<T>());
        let base = 2.0 - 2.0 / pi * modulo(x - pi / 2.0, turn);
        let dip = pi / 12.0 * (base.powi(6) - 1.0);
        let y = cond::<T>(modulo(x, turn).lt(pi), x.sin(), dip);
        y * y
    };
    a.map(f).sum()
}

/// 2x, and what depends on it in a way that jumps at 2.
fn cond_3<T: Real>(x: Exp<T>) -> (Exp<T>, Exp<T>) {
    let u = 2.0 * x;
    (u, cond::<T>(x.le(2.0), u + 1.0, 2.0 * u - 1.0))
}

fn cond_3a<T: Real>(a: Vector<T>) -> Scalar<T> {
    let f = |(u, v)| u * v;
    a.map(|x| f(cond_3::<T>(x))).sum()
}

fn cond_3b<T: Real>(a: Vector<T>) -> Scalar<T> {
    let f = |(u, v)| v * u;
    a.map(|x| f(cond_3::<T>(x))).sum()
}

/// Repaired: `(log x + 1)` stands there twice. u is continuous, the result is not.
fn cond_4<T: Real>(a: Vector<T>) -> Scalar<T> {
    let f = |x: Exp<T>| {
        let below = cond::<T>((x - 2.0).lt(-3.0), (x + 1.0).exp() - 2.0, x);
        let u = cond::<T>(x.ge(1.0), x.ln() + 1.0, below);
        let y = 2.0 * u.exp();
        u * cond::<T>(u.lt(-1.0), u + y, y)
    };
    a.map(f).sum()
}

fn ignore_argument<T: Real>(a: Vector<T>) -> Scalar<T> {
    a.map(|_| T::literal(42.0)).sum()
}
