//! The sum of a matrix and a vector by an operator.

use cotangent::prelude::*;

fn main() {
    //~ cannot stand beside an array
    let _ = cotangent::compile(|a: Acc<Ix2, f64>, b: Acc<Ix1, f64>| a + b);
}
