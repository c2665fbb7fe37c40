//! Integers are multiplied by numbers of another type.

use cotangent::prelude::*;

fn main() {
    //~ cannot stand beside an array
    let _ = cotangent::compile(|a: Acc<Ix1, f64>, n: Acc<Ix1, i32>| a * n);
}
