//! Nothing says of which type the results are.

use cotangent::prelude::*;

fn main() {
    //~ type annotations needed
    //~| say which type: `cond::<f64>(test, 1.0, 0.0)`
    let _ = cotangent::compile(|v: Acc<Ix1, f64>| v.map(|x| cond(x.gt(0.0), 1.0, 0.0)));
}
