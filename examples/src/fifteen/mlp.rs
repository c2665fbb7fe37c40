//! A network with one hidden layer, trained by gradient descent.

use cotangent::prelude::*;

/// Weights and biases of the hidden layer and of the last one.
type Layers = (Matrix, Vector, Matrix, Vector);

/// The layers after a hundred steps, for examples `x` with targets `y`.
pub fn train(layers: Layers, x: Matrix, y: Matrix) -> Layers {
    let loss = |(w, b, v, c): Layers| {
        ((x.matmul(w) + b.rows()).tanh().matmul(v) + c.rows() - y)
            .sqr()
            .mean_all()
    };
    aiterate(
        100,
        |_, l| tree_zip_with(|p, g| p - 0.1 * g, l, gradient_a(loss, l)),
        layers,
    )
}
