//! Three extents for a matrix.

use cotangent::prelude::*;

fn main() {
    //~ mismatched types
    //~| expected an array with a size of 2, found one with a size of 3
    let _ = Array::<Ix2, f64>::from_vec([1, 2, 3], vec![0.0; 6]);
}
