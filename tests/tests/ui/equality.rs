//! `==` instead of `eq_`.

use cotangent::prelude::*;

fn main() {
    //~ binary operation `==` cannot be applied
    let _ = cotangent::compile(|v: Acc<Ix1, f64>| v.map(|x| cond(x == x, 1.0, 0.0)));
}
