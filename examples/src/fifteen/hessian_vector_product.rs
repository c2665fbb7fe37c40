//! The Hessian of Rosenbrock's function times a vector.

use cotangent::prelude::*;

/// The Hessian at `x` times `v`.
pub fn product(x: Vector, v: Vector) -> Vector {
    let rosenbrock =
        |x: Vector| (100.0 * (x.tail() - x.init().sqr()).sqr() + (1.0 - x.init()).sqr()).sum();
    hvp_a(rosenbrock, x, v)
}
