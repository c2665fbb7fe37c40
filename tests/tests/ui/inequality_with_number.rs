//! `!=` instead of `ne_`.

use cotangent::prelude::*;

fn main() {
    //~ `==` and `!=` do not compare expressions
    let _ = cotangent::compile(|v: Acc<Ix1, i64>| v.map(|x| cond(x != 0, x, 1)));
}
