//! The operator of a fold gives a truth value.

use cotangent::prelude::*;

fn main() {
    //~ Exp<bool>` cannot be used as an expression of `f64`
    let _ = cotangent::compile(|v: Acc<Ix1, f64>| v.fold(0.0, |x, y| x.lt(y)));
}
