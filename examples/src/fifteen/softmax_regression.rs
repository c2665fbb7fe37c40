//! Softmax regression by gradient descent.

use cotangent::prelude::*;

/// The weights after a hundred steps from `w`, for examples `x` whose classes are `y`.
pub fn fit(w: Matrix, x: Matrix, y: Vector<i32>) -> Matrix {
    let loss = |w| -vmap(|(x, y)| x.vecmat(w).log_softmax().gather(y), (x, y)).mean();
    aiterate(100, |_, w| w - 0.1 * gradient_a(loss, w), w)
}
