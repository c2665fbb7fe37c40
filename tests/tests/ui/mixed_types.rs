//! A float is added to an integer.

use cotangent::prelude::*;

fn main() {
    let _ = cotangent::compile(|v: Acc<Ix1, f64>, w: Acc<Ix1, i32>| {
        //~ Exp<f64>` cannot be used as an expression of `i32`
        v.zip_with(w, |x, n| n + x)
    });
}
