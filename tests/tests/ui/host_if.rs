//! `if` instead of `cond`.

use cotangent::prelude::*;

fn main() {
    //~ mismatched types
    let _ = cotangent::compile(|v: Acc<Ix1, f64>| v.map(|x| if x.gt(0.0) { x } else { -x }));
}
