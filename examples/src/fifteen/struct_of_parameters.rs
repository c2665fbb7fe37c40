//! Poisson regression by gradient descent, with its parameters in a struct.

use cotangent::prelude::*;

/// The parameters.
#[derive(Clone, Copy, Arrays)]
pub struct Model {
    /// One for each number of an example.
    pub weights: Vector,
    /// What is added.
    pub bias: Number,
}

/// The model after a hundred steps, for examples `x` with counts `y`.
pub fn fit(model: Model, x: Matrix, y: Vector) -> Model {
    let loss = |Model { weights, bias }| {
        let z = x.matvec(weights) + bias;
        (z.exp() - y * z).mean()
    };
    aiterate(
        100,
        |_, m| tree_zip_with(|p, g| p - 0.1 * g, m, gradient_a(loss, m)),
        model,
    )
}
