//! One extent for a matrix.

use cotangent::prelude::*;

fn main() {
    let program = cotangent::compile(|m: Acc<Ix2, f64>| m.sum()).unwrap();
    let m = Array::from_vec([6], vec![0.0; 6]).unwrap();
    //~ mismatched types
    //~| expected `Array<Snoc<Snoc<Z>>, f64>`, found `Array<Snoc<Z>, {float}>`
    let _ = program.run(&cotangent::Cpu::default(), m);
}
