//! The gradient of a function that gives an integer.

use cotangent::prelude::*;

fn main() {
    //~ a floating-point number is needed here, not `i32`
    let _ = cotangent::compile(|v: Acc<Ix1, i32>| gradient_a(|v: Acc<Ix1, i32>| v.sum(), v));
}
