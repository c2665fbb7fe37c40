//! Parts of arrays replaced: values, failures, and that loops which do so pay for what they touch.

use super::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use cotangent_tests::differences::all_agree;

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

#[test]
fn elements() {
    let m = || matrix([[1.0, 2.0], [3.0, 4.0]]);
    gives(
        |m: Matrix| m.set(ix![1, 0], 9.0),
        m(),
        matrix([[1.0, 2.0], [9.0, 4.0]]),
    );
    gives(
        |m: Matrix| m.add_at(ix![1, 0], 9.0),
        m(),
        matrix([[1.0, 2.0], [12.0, 4.0]]),
    );
    gives(
        |x: Acc<Z, i32>| x.set(ix![], 3),
        Array::scalar(1),
        Array::scalar(3),
    );
    let pairs = |v: Acc<Ix1, (i32, bool)>| v.set(ix![0], (5, true));
    gives(
        pairs,
        vector([(1, false), (2, false)]),
        vector([(5, true), (2, false)]),
    );
    for at in [-1, 2] {
        let f = move |v: Vector| v.set(ix![at], 0.0);
        let error = compile(f).unwrap().run(&Cpu::default(), vector([1.0, 2.0]));
        let text = error.unwrap_err().to_string();
        assert!(text.contains("updates.rs"), "{text}");
    }
}

#[test]
fn slices() {
    let f = |m: Matrix, part: Matrix| m.update_slice(ix![0, 1], part);
    let m = || matrix([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    gives(
        f,
        (m(), matrix([[8.0], [9.0]])),
        matrix([[1.0, 8.0, 3.0], [4.0, 9.0, 6.0]]),
    );
    gives(f, (m(), matrix::<f64, 0, 2>([])), m());
    let error = compile(f)
        .unwrap()
        .run(&Cpu::default(), (m(), matrix([[1.0, 2.0, 3.0]])));
    assert!(error.unwrap_err().to_string().contains("updates.rs"));
}

#[test]
fn entries_of_elements() {
    let f = |v: Acc<Ix1, [i32; 3]>, at: Acc<Ix1, i32>| {
        v.zip_with(at, |x, at| (x.entry(at), x.with_entry(at, 7)))
    };
    let input = || vector([[1, 2, 3]; 5]);
    let expected = vector([
        (1, [1, 2, 3]),
        (1, [7, 2, 3]),
        (2, [1, 7, 3]),
        (3, [1, 2, 7]),
        (3, [1, 2, 3]),
    ]);
    gives(f, (input(), vector([-1, 0, 1, 2, 3])), expected);
    // As the state of a loop: reversed by exchanges.
    let reversed = |v: Acc<Ix1, [f64; 4]>| {
        v.map(|x| {
            iterate(
                2,
                |i, x: [Exp<f64>; 4]| {
                    let other = x.entry(3 - i);
                    x.with_entry(3 - i, x.entry(i)).with_entry(i, other)
                },
                x,
            )
        })
    };
    gives(
        reversed,
        vector([[1.0, 2.0, 3.0, 4.0]]),
        vector([[4.0, 3.0, 2.0, 1.0]]),
    );
    let energy =
        move |v: Acc<Ix1, [f64; 4]>| reversed(v).map(|[a, b, c, d]| a * b + c * d * d).sum();
    all_agree(
        energy,
        vector([[0.5, 1.0, -2.0, 3.0], [1.0, 2.0, 0.25, -1.0]]),
    );
}

/// Each element from the one before it: what is overwritten is kept, and not an array for each trip.
#[test]
fn loops_pay_for_what_they_touch() {
    let chain = |v: Vector| {
        let step = |i: Exp<i32>, v: Vector| {
            let (before, old) = (v.at(ix![i]), v.at(ix![i + 1]));
            v.set(ix![i + 1], old + before.sin() * before)
        };
        aiterate(v.inner() - 1, step, v)
    };
    gives(chain, vector([0.0, 1.0]), vector([0.0, 1.0]));
    let energy = move |v: Vector| {
        let v = chain(v);
        (v * v).sum()
    };
    all_agree(energy, vector([0.5, 1.0, -0.25, 0.125, 0.75]));
    let n = 2000;
    let input = Array::vector((0..n).map(|i| f64::from(i) * 1e-3).collect()).unwrap();
    let gradient = compile(move |v: Vector| gradient_a(energy, v)).unwrap();
    let (_, measures) = gradient.run_measured(&Cpu::default(), input).unwrap();
    let arrays = measures.peak_bytes / (8 * n as u64);
    assert!(arrays <= 8, "{arrays} arrays");
}
