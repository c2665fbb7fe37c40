//! A float as an index.

use cotangent::prelude::*;

fn main() {
    //~ Exp<f64>` cannot be used as an expression of `i32`
    let _ = cotangent::compile(|v: Acc<Ix1, f64>| v.map(|x| v.at(ix![x])));
}
