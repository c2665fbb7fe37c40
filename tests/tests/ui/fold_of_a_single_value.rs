//! A fold where there is no dimension.

use cotangent::prelude::*;

fn main() {
    //~ this needs an array with at least one dimension
    let _ = cotangent::compile(|x: Acc<Ix0, f64>| x.fold(0.0, |x, y| x + y));
}
