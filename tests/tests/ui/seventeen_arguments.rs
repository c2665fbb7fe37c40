//! More arguments than a program can have.

use cotangent::prelude::*;

type V = Acc<Ix1, f64>;

fn main() {
    let _ = cotangent::compile(
        //~ this is not a function from up to sixteen arrays to arrays
        //~| more than sixteen arguments go into tuples
        |a: V, _: V, _: V, _: V, _: V, _: V, _: V, _: V, _: V, _: V, _: V, _: V, _: V, _: V, _: V, _: V, _: V| a,
    );
}
