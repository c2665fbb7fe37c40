//! A host array as the result of a program.

use cotangent::prelude::*;

fn main() {
    let v = Array::vector(vec![1.0, 2.0]).unwrap();
    //~ this is not a function from up to sixteen arrays to arrays
    //~| a host array with `use_`
    let _ = cotangent::compile(|| v.clone());
}
