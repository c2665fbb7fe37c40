//! A closure gives a struct that is not an element.

use cotangent::prelude::*;

struct Point {
    x: Exp<f64>,
}

fn main() {
    //~ `Point` is not an expression
    let _ = cotangent::compile(|v: Acc<Ix1, f64>| v.map(|x| Point { x }));
}
