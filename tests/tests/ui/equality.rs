//! `==` instead of `eq_`.

use cotangent::prelude::*;

fn main() {
    //~ `==` and `!=` do not compare expressions: use `.eq_(..)` and `.ne_(..)`
    let _ = cotangent::compile(|v: Acc<Ix1, f64>| v.map(|x| cond::<f64>(x == x, 1.0, 0.0)));
}
