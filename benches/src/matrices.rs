//! Numbers to compute with, and the product of matrices as programs spell it.

use cotangent::prelude::*;
use cotangent_adbench::host::HostFloat;

/// Numbers in (−1, 1), the same on each run.
pub fn numbers<T: HostFloat>(len: usize, seed: u64) -> Vec<T> {
    let mut state = seed;
    let next = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        T::from_f64((state >> 40) as f64 / (1u64 << 23) as f64 - 1.0)
    };
    (0..len).map(next).collect()
}

/// The product of two matrices.
pub fn product<T: Float>(a: Acc<Ix2, T>, b: Acc<Ix2, T>) -> Acc<Ix2, T> {
    let (ix![m, k], ix![_, n]) = (a.shape(), b.shape());
    let columns = b.backpermute(ix![n, k], |ix![j, l]| ix![l, j]);
    a.replicate(ix![All, n, All])
        .zip_with(columns.replicate(ix![m, All, All]), |a, b| a * b)
        .sum()
}
