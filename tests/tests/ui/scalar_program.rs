//! A program that gives an expression instead of an array.

use cotangent::prelude::*;

fn main() {
    //~ this is not a function from up to sixteen arrays to arrays
    let _ = cotangent::compile(|v: Acc<Ix1, f64>| v.sum().the());
}
