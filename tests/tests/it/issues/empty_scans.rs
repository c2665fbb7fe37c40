//! The interpreter went through all rows of a scan, also where they are empty and there are 2⁶² of them. Found by
//! generated programs.

use cotangent::prelude::*;
use cotangent::{Cpu, compile};

#[test]
fn scans_of_empty_rows() {
    let program = compile(|n: Acc<Z, i32>| {
        let n = n.the();
        generate(ix![n, n, 0], |ix![i, j, k]| i + j + k).scanl1(|x, y| x + y)
    })
    .unwrap();
    for n in [0, 5, i32::MAX] {
        let n = Array::scalar(n);
        let expected = program.interpret(n.clone()).unwrap();
        assert_eq!(program.run(&Cpu::default(), n).unwrap(), expected);
    }
}
