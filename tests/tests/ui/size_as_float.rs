//! A number of the host of another type than the expression's.

use cotangent::prelude::*;

fn main() {
    let n = vec![1.0, 2.0].len();
    //~ `usize` cannot be used as an expression of `f64`
    //~| a number of the host by `as`
    let _ = cotangent::compile(|v: Acc<Ix1, f64>| v.map(|x| x / n));
}
