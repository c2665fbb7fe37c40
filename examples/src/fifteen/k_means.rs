//! Clusters by Lloyd's method: each centre moves to the mean of the points nearest to it.

use cotangent::prelude::*;

/// The centres after ten steps from `centres`.
pub fn cluster(points: Matrix, centres: Matrix) -> Matrix {
    aiterate(
        10,
        |_, centres| {
            let nearest = vmap(|p| (centres - p.rows()).norm().argmin(), points);
            let mine = nearest.one_hot(centres.nrows()).transpose();
            vmap(|mine| mine.vecmat(points) / mine.sum(), mine)
        },
        centres,
    )
}
