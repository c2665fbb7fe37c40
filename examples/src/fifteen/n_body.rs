//! Bodies under their gravity.

use cotangent::prelude::*;

/// Positions and velocities after a hundred steps, of bodies with these masses.
pub fn simulate(mass: Vector, x: Matrix, v: Matrix) -> (Matrix, Matrix) {
    aiterate(
        100,
        |_, (x, v)| {
            let pull = vmap(
                |here| {
                    let far = x - here.rows();
                    (mass / (far.sqr().sum() + 0.01).powf(1.5)).vecmat(far)
                },
                x,
            );
            let v = v + 0.01 * pull;
            (x + 0.01 * v, v)
        },
        (x, v),
    )
}
