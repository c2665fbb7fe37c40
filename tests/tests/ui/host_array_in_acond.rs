//! A choice between host arrays.

use cotangent::prelude::*;

fn main() {
    let v = Array::vector(vec![1.0, 2.0]).unwrap();
    let _ = cotangent::compile(|n: Acc<Ix0, i32>| {
        let is_even = (n.the() % 2).eq_(0);
        //~ is not an array of a program, nor a tuple of such
        //~| a host array with `use_`
        acond(is_even, v.clone(), v.clone())
    });
}
