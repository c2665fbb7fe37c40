//! The single value of a vector.

use cotangent::prelude::*;

fn main() {
    let v = Array::vector(vec![1.0, 2.0]).unwrap();
    //~ this needs an array of a single value
    let _ = v.item();
}
