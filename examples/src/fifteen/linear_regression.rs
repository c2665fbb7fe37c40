//! Linear regression by gradient descent.

use cotangent::prelude::*;

/// The weights after a hundred steps from `w`, for examples `x` with targets `y`.
pub fn fit(w: Vector, x: Matrix, y: Vector) -> Vector {
    let loss = |w| (x.matvec(w) - y).sqr().mean();
    aiterate(100, |_, w| w - 0.1 * gradient_a(loss, w), w)
}
