//! One index for an element of a host matrix.

use cotangent::prelude::*;

fn main() {
    let m = Array::<Ix2, f64>::from_vec([2, 3], vec![0.0; 6]).unwrap();
    //~ mismatched types
    //~| expected an array with a size of 2, found one with a size of 1
    let _ = m.get([4]);
}
