//! Elements with more parts than a tuple may have.

use cotangent::prelude::*;

fn main() {
    let _ = cotangent::compile(|v: Acc<Ix1, f64>| {
        //~ is not an expression
        //~| tuple (of up to sixteen)
        v.map(|x| (x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x))
    });
}
