//! Three extents, from elsewhere, for a matrix.

use cotangent::prelude::*;

fn main() {
    let shape = [1, 2, 3];
    //~ takes one number per dimension here, not `[usize; 3]`
    let _ = Array::<Ix2, f64>::from_fn::<3>(shape, |[i, _, _]| i as f64);
}
