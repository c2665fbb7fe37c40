//! A host array beside an array of the program.

use cotangent::prelude::*;

fn main() {
    let weights = Array::vector(vec![1.0, 2.0]).unwrap();
    //~ this array is in host memory: bring it into the program with `use_(&array)`
    let _ = cotangent::compile(|v: Acc<Ix1, f64>| v.zip_with(weights, |x, w| x * w).sum());
}
