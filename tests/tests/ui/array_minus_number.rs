//! An array minus a number of the program by an operator.

use cotangent::prelude::*;

fn main() {
    //~ arrays have no operators
    let _ = cotangent::compile(|a: Acc<Ix1, f64>, b: Acc<Ix0, f64>| a - b.the());
}
