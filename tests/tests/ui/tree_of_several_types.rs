//! A function of floats on a struct that counts, too.

use cotangent::prelude::*;

#[derive(Clone, Copy, Arrays)]
struct Counted {
    weights: Acc<Ix1, f64>,
    steps: Acc<Ix0, i32>,
}

fn main() {
    //~ not all of type
    let _ = cotangent::compile(|model: Counted| tree_map(|x| x / 2, model));
}
