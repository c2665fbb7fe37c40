//! The Mandelbrot set.

use cotangent::prelude::*;

/// How many of fifty points of the sequence z² + c lie within the circle of radius 2.
pub fn mandelbrot(c: Matrix<Complex>) -> Matrix<i32> {
    c.map(|c| {
        iterate_while(
            50,
            |(z, _)| z.abs().lt(2.0),
            |_, (z, n)| (z * z + c, n + 1),
            (c, 0),
        )
        .1
    })
}
