//! `<=` instead of `le`, between two expressions of one type.

use cotangent::prelude::*;

fn main() {
    let _ = cotangent::compile(|v: Acc<Ix1, i32>, w: Acc<Ix1, i32>| {
        //~ `<`, `<=`, `>` and `>=` do not compare expressions
        v.zip_with(w, |x, y| cond(x <= y, x, y))
    });
}
