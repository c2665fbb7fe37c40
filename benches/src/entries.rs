//! Arrays `[T; N]` that scalar code sorts for each element, as programs and in plain Rust.

use cotangent::prelude::*;

/// The entries that are sorted.
fn sines<const N: usize>(x: f64) -> [f64; N] {
    std::array::from_fn(|n| (x * (n as f64 + 0.7)).sin())
}

/// A sum that depends on the order.
fn weighted<const N: usize>(entries: [f64; N]) -> f64 {
    let each = entries.iter().enumerate();
    each.map(|(n, y)| y * (1.0 + n as f64)).sum()
}

fn sines_of<const N: usize>(x: Exp<f64>) -> [Exp<f64>; N] {
    std::array::from_fn(|n| (x * (n as f64 + 0.7)).sin())
}

fn weighted_of<const N: usize>(entries: [Exp<f64>; N]) -> Exp<f64> {
    let each = entries.into_iter().enumerate();
    each.fold(constant(0.0), |sum, (n, y)| sum + y * (1.0 + n as f64))
}

/// An insertion sort of N sines: how often the inner loop goes on depends on the entries.
pub fn insertion_sorted<const N: usize>(x: Exp<f64>) -> Exp<f64> {
    let insert = |k: Exp<i32>, v: [Exp<f64>; N]| {
        let key = v.entry(k);
        let is_behind =
            move |(v, j): ([Exp<f64>; N], Exp<i32>)| j.gt(0).and(v.entry(j - 1).gt(key));
        let shift = |_, (v, j): ([Exp<f64>; N], Exp<i32>)| (v.with_entry(j, v.entry(j - 1)), j - 1);
        let (v, j) = while_(is_behind, shift, (v, k));
        v.with_entry(j, key)
    };
    weighted_of(iterate(N as i32, insert, sines_of::<N>(x)))
}

/// The same in plain Rust.
pub fn plain_insertion_sorted<const N: usize>(x: f64) -> f64 {
    let mut v = sines::<N>(x);
    for k in 0..N {
        let (key, mut j) = (v[k], k);
        while j > 0 && v[j - 1] > key {
            v[j] = v[j - 1];
            j -= 1;
        }
        v[j] = key;
    }
    weighted(v)
}

/// A bubble sort of N sines.
pub fn bubble_sorted<const N: usize>(x: Exp<f64>) -> Exp<f64> {
    let sweep = |k: Exp<i32>, v: [Exp<f64>; N]| {
        let order = |l: Exp<i32>, v: [Exp<f64>; N]| {
            let (a, b) = (v.entry(l), v.entry(l + 1));
            v.with_entry(l, a.min(b)).with_entry(l + 1, a.max(b))
        };
        iterate(N as i32 - 1 - k, order, v)
    };
    weighted_of(iterate(N as i32 - 1, sweep, sines_of::<N>(x)))
}

/// The same in plain Rust.
pub fn plain_bubble_sorted<const N: usize>(x: f64) -> f64 {
    let mut v = sines::<N>(x);
    for k in 1..N {
        for l in 0..N - k {
            let (a, b) = (v[l], v[l + 1]);
            (v[l], v[l + 1]) = (a.min(b), a.max(b));
        }
    }
    weighted(v)
}
