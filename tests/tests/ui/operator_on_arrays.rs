//! The sum of two arrays by an operator.

use cotangent::prelude::*;

fn main() {
    //~ arrays have no operators: write `a.zip_with(b, |x, y| x + y)` for `a + b`
    let _ = cotangent::compile(|a: Acc<Ix1, f64>, b: Acc<Ix1, f64>| a + b);
}
