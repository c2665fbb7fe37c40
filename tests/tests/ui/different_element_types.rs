//! Vectors of different types, one after the other.

use cotangent::prelude::*;

fn main() {
    //~ an array of another shape or type is needed here
    let _ = cotangent::compile(|v: Acc<Ix1, f64>, w: Acc<Ix1, f32>| v.append(w));
}
