//! Conditionals nested as deeply as a loop over handles makes them: everything that is asked of such a program works on
//! a small stack.

use cotangent::prelude::*;
use cotangent::{Cpu, Program, compile};

/// Conditionals in each other.
const DEPTH: i32 = 20_000;
/// The same between arrays, whose schedules take time that grows faster.
const ARRAY_DEPTH: i32 = 1_000;
/// The stack of the thread that asks.
const STACK: usize = 256 << 10;

fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    thread.unwrap().join().unwrap();
}

/// 1 at 0, 2 at 1 and so on: the last test is in all the branches of those before it.
fn nested_scalars() -> Program<Acc<Ix1, i32>, Acc<Ix1, i32>> {
    let ladder = |x: Exp<i32>| {
        let steps = (0..DEPTH).rev();
        steps.fold(x.min(0), |rest, i| {
            cond(x.eq_(i), x + 1, rest * 3 - 2 * rest)
        })
    };
    compile(move |x: Acc<Ix1, i32>| x.map(ladder)).unwrap()
}

/// What the second program takes: how many steps, and what to begin with.
type Inputs = (Acc<Ix0, i32>, Acc<Ix1, i32>);

/// The same between arrays.
fn nested_arrays() -> Program<Inputs, Acc<Ix1, i32>> {
    let ladder = |k: Acc<Ix0, i32>, x: Acc<Ix1, i32>| {
        let steps = (0..ARRAY_DEPTH).rev();
        steps.fold(x, |rest, i| {
            let other = rest.map(|y| y + 1);
            acond(k.the().eq_(i), x.map(|y| y * 2), other)
        })
    };
    compile(ladder).unwrap()
}

#[test]
fn scalars_in_many_conditionals() {
    on_small_stack(|| {
        let program = nested_scalars();
        let x = Array::vector(vec![0, 1, 77, DEPTH - 1, DEPTH]).unwrap();
        let expected = [1, 2, 78, DEPTH, 0];
        assert_eq!(program.interpret(x.clone()).unwrap().to_vec(), expected);
        assert!(program.to_string().contains("cond"));
        assert_eq!(program.run(&Cpu::default(), x).unwrap().to_vec(), expected);
    });
}

#[test]
fn arrays_in_many_conditionals() {
    on_small_stack(|| {
        let program = nested_arrays();
        let x = Array::vector(vec![1, 2]).unwrap();
        for (k, expected) in [(0, [2, 4]), (3, [5, 7])] {
            let inputs = (Array::scalar(k), x.clone());
            assert_eq!(
                program.interpret(inputs.clone()).unwrap().to_vec(),
                expected
            );
            let found = program.run(&Cpu::default(), inputs).unwrap();
            assert_eq!(found.to_vec(), expected);
        }
        assert!(!program.explain().unwrap().to_string().is_empty());
    });
}
