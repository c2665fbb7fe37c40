//! Nothing is wrong here: what the other programs say is not the fault of their frame.

use cotangent::prelude::*;

fn main() {
    let _ = cotangent::compile(|v: Acc<Ix1, f64>| v.map(|x| x * 2.0).sum());
}
