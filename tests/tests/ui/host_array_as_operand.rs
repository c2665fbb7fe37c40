//! An array in host memory is added to one of the program.

use cotangent::prelude::*;

fn main() {
    let given: Array<Ix1, f64> = Array::vector(vec![1.0]).unwrap();
    //~ cannot stand beside an array
    let _ = cotangent::compile(|a: Acc<Ix1, f64>| a + given);
}
