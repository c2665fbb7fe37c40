//! An array is added to another one in place.

use cotangent::prelude::*;

fn main() {
    let _ = cotangent::compile(|mut a: Acc<Ix1, f64>, b: Acc<Ix1, f64>| {
        //~ arrays have no operators
        a += b;
        a
    });
}
