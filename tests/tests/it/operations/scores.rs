//! Scores of classes, at the ends of the range of floats, too, and their derivatives.

use super::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, check_grad, compile};

const INFINITE: f64 = f64::INFINITY;

/// Shares of ½, ¼ and ¼.
fn scores() -> Array<Ix1, f64> {
    vector([2.0_f64, 1.0, 1.0].map(f64::ln))
}

#[track_caller]
fn near(found: &[f64], expected: &[f64]) {
    let pairs = found.iter().zip(expected);
    let all = pairs.clone().all(|(f, e)| (f - e).abs() < 1e-14);
    assert!(all && found.len() == expected.len(), "{found:?}");
}

#[test]
fn logsumexp() {
    let program = compile(|v: Vector| v.logsumexp()).unwrap();
    near(
        &program.run(&Cpu::default(), scores()).unwrap().to_vec(),
        &[4.0_f64.ln()],
    );
    let rows = |m: Matrix| m.logsumexp();
    let input = matrix([
        [1000.0, -INFINITE],
        [-1000.0, -INFINITE],
        [INFINITE, 0.0],
        [-INFINITE, -INFINITE],
    ]);
    let expected = vector([1000.0, -1000.0, INFINITE, -INFINITE]);
    gives(rows, input, expected);
    assert!(program.run(&Cpu::default(), vector([])).is_err());
    let nan = program.run(&Cpu::default(), vector([0.0, f64::NAN]));
    assert!(nan.unwrap().item().is_nan());
}

#[test]
fn softmax() {
    let program = compile(|v: Vector| v.softmax()).unwrap();
    near(
        &program.run(&Cpu::default(), scores()).unwrap().to_vec(),
        &[0.5, 0.25, 0.25],
    );
    let input = matrix([[1000.0, 1000.0], [-1000.0, -INFINITE]]);
    let expected = matrix([[0.5, 0.5], [1.0, 0.0]]);
    gives(|m: Matrix| m.softmax(), input, expected);
}

#[test]
fn log_softmax() {
    let program = compile(|v: Vector| v.log_softmax().exp()).unwrap();
    near(
        &program.run(&Cpu::default(), scores()).unwrap().to_vec(),
        &[0.5, 0.25, 0.25],
    );
    let input = matrix([[0.0, -1000.0], [-1000.0, -INFINITE]]);
    let expected = matrix([[0.0, -1000.0], [0.0, -INFINITE]]);
    gives(|m: Matrix| m.log_softmax(), input, expected);
}

#[test]
fn derivatives_of_scores() {
    let x = || matrix([[0.3, -1.2, 800.5], [0.1, 0.2, -0.7]]);
    let weights = |m: Matrix| m.zip_with(iota(6).reshape(ix![2, 3]), |x, i| x * i.to_f64());
    for f in [
        (|m: Matrix| m.logsumexp().sum()) as fn(Matrix) -> Number,
        |m: Matrix| m.softmax().powi(3).sum_all(),
        |m: Matrix| m.log_softmax().sin().sum_all(),
    ] {
        let check = check_grad(move |m| f(m) + weights(m).sin().sum_all(), x()).unwrap();
        assert!(check.agrees(), "{check}");
    }
    // That of `logsumexp` is `softmax`, where scores are infinite, too.
    let shares = compile(|v: Vector| gradient_a(|v: Vector| v.logsumexp(), v)).unwrap();
    let found = shares
        .run(&Cpu::default(), vector([0.0, -INFINITE, 0.0]))
        .unwrap();
    assert_eq!(found.to_vec(), [0.5, 0.0, 0.5]);
}

#[test]
fn one_hot() {
    let classes = vector([2, 0, -1, 3]);
    let expected = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0; 3], [0.0; 3]];
    gives(
        |c: Vector<i32>| c.one_hot::<f64>(3),
        classes,
        matrix(expected),
    );
    gives(
        |c: Acc<Ix0, i32>| c.one_hot::<i32>(2),
        Array::scalar(1),
        vector([0, 1]),
    );
}
