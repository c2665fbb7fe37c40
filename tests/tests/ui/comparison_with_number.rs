//! `>` instead of `gt`.

use cotangent::prelude::*;

fn main() {
    //~ `<`, `<=`, `>` and `>=` do not compare expressions: use `.gt(0.0)`
    let _ = cotangent::compile(|v: Acc<Ix1, f64>| v.map(|x| cond(x > 0.0, x, -x)));
}
