//! A vector and a matrix, element by element.

use cotangent::prelude::*;

fn main() {
    //~ an array of another shape or type is needed here
    let _ = cotangent::compile(|v: Acc<Ix1, f64>, m: Acc<Ix2, f64>| v.zip_with(m, |x, y| x * y));
}
