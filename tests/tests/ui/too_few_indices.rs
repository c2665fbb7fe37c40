//! One index for a matrix.

use cotangent::prelude::*;

fn main() {
    //~ mismatch
    let _ = cotangent::compile(|m: Acc<Ix2, f64>| unit(m.at(ix![0])));
}
