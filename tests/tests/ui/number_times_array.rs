//! A number times an array by an operator.

use cotangent::prelude::*;

fn main() {
    //~ and `a.map(|x| 2.0 * x)` for `2.0 * a`
    let _ = cotangent::compile(|a: Acc<Ix2, f32>| 2.0 * a);
}
