//! An array of the program where an expression is wanted.

use cotangent::prelude::*;

fn main() {
    //~ cannot be used as an expression of `f64`
    //~| an element of an array is read by `.at(ix![i])`
    let _ = cotangent::compile(|v: Acc<Ix1, f64>, w: Acc<Ix1, f64>| v.map(|x| x * w));
}
