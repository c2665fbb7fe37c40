//! Logistic regression by gradient descent.

use cotangent::prelude::*;

/// The weights after a hundred steps from `w`, for examples `x` with labels `y`, which are 1 and −1.
pub fn fit(w: Vector, x: Matrix, y: Vector) -> Vector {
    let loss = |w| (-y * x.matvec(w)).softplus().mean();
    aiterate(100, |_, w| w - 0.1 * gradient_a(loss, w), w)
}
