//! The only element of a vector.

use cotangent::prelude::*;

fn main() {
    //~ this needs an array of a single value
    let _ = cotangent::compile(|v: Acc<Ix1, f64>| unit(v.the()));
}
