//! An array of structs that are not elements.

use cotangent::prelude::*;

#[derive(Clone)]
struct Point;

fn main() {
    //~ `Point` cannot be an element of an array
    let _ = cotangent::compile(|| fill(ix![3], constant(Point)));
}
