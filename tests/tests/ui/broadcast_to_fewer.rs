//! A matrix is broadcast to the shape of a vector.

use cotangent::prelude::*;

fn main() {
    //~ has more dimensions than
    let _ = cotangent::compile(|a: Acc<Ix2, f64>, b: Acc<Ix1, f64>| a.broadcast(b.shape()));
}
