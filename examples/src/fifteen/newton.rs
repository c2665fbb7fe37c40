//! The minimum of a function by Newton's method.

use cotangent::prelude::*;

/// Where the sum of exp(a x − b) is least, in ten steps from `x`.
pub fn minimum(a: Matrix, b: Vector, x: Vector) -> Vector {
    let f = |x| (a.matvec(x) - b).exp().sum();
    aiterate(10, |_, x| x - hessian(f, x).solve(gradient_a(f, x)), x)
}
