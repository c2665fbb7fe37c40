//! The sum of truth values.

use cotangent::prelude::*;

fn main() {
    //~ arithmetic is not defined on `bool`
    let _ = cotangent::compile(|v: Acc<Ix1, bool>| v.sum());
}
