//! Products of vectors and matrices, and diagonals; derivatives of the library's operations.

use super::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, check_grad, compile};

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

fn square() -> Array<Ix2, f64> {
    matrix([[1.0, 2.0], [3.0, 4.0]])
}

#[test]
fn dot() {
    let f = |x: Vector, y: Vector| x.dot(y);
    gives(
        f,
        (vector([1.0, 2.0]), vector([3.0, 4.0])),
        Array::scalar(11.0),
    );
    gives(f, (vector([]), vector([])), Array::scalar(0.0));
    let error = compile(f)
        .unwrap()
        .run(&Cpu::default(), (vector([1.0, 2.0]), vector([3.0])));
    let text = error.unwrap_err().to_string();
    assert!(text.contains("[1]") && text.contains("[2]"), "{text}");
}

#[test]
fn outer() {
    let f = |x: Acc<Ix1, i32>, y: Acc<Ix1, i32>| x.outer(y);
    gives(
        f,
        (vector([1, 2]), vector([3, 4, 5])),
        matrix([[3, 4, 5], [6, 8, 10]]),
    );
}

#[test]
fn diag() {
    gives(
        |x: Vector| x.diag(),
        vector([1.0, 2.0]),
        matrix([[1.0, 0.0], [0.0, 2.0]]),
    );
    gives(|x: Vector| x.diag(), vector([]), matrix::<_, 0, 0>([]));
}

#[test]
fn matmul() {
    let f = |a: Matrix, b: Matrix| a.matmul(b);
    gives(f, (square(), square()), matrix([[7.0, 10.0], [15.0, 22.0]]));
    gives(
        f,
        (matrix([[1.0, 2.0, 3.0]]), matrix([[1.0], [10.0], [100.0]])),
        matrix([[321.0]]),
    );
    gives(f, (matrix::<_, 0, 2>([]), square()), matrix::<_, 0, 2>([]));
    gives(
        f,
        (matrix([[], []]), matrix::<f64, 0, 2>([])),
        matrix([[0.0; 2]; 2]),
    );
    let program = compile(f).unwrap();
    let error = program.run(&Cpu::default(), (square(), matrix([[1.0, 2.0]])));
    assert!(error.unwrap_err().to_string().contains("[1, 2]"));
    let kernels = program.explain().unwrap().to_string();
    assert!(kernels.contains("contract"), "{kernels}");
    // Two at once, of integers.
    let batch = |a: Acc<Ix3, i32>, b: Acc<Ix3, i32>| a.matmul(b);
    let cube = |values: Vec<i32>| Array::<Ix3, _>::from_vec([2, 2, 2], values).unwrap();
    let (a, b) = (cube((1..9).collect()), cube(vec![1, 0, 0, 1, 0, 1, 1, 0]));
    gives(batch, (a, b), cube(vec![1, 2, 3, 4, 6, 5, 8, 7]));
}

#[test]
fn matvec() {
    let f = |a: Matrix, x: Vector| a.matvec(x);
    gives(f, (square(), vector([1.0, 10.0])), vector([21.0, 43.0]));
    let error = compile(f)
        .unwrap()
        .run(&Cpu::default(), (square(), vector([1.0])));
    assert!(error.is_err());
}

#[test]
fn vecmat() {
    let f = |x: Vector, a: Matrix| x.vecmat(a);
    gives(f, (vector([1.0, 10.0]), square()), vector([31.0, 42.0]));
    let wide = matrix([[1.0, 2.0, 3.0]]);
    gives(f, (vector([2.0]), wide), vector([2.0, 4.0, 6.0]));
    let program = compile(f).unwrap();
    let error = program.run(&Cpu::default(), (vector([1.0]), square()));
    assert!(error.is_err());
    // Two at once, of integers.
    let batch = |x: Acc<Ix2, i32>, a: Acc<Ix3, i32>| x.vecmat(a);
    let a = Array::<Ix3, _>::from_vec([2, 2, 1], vec![1, 2, 3, 4]).unwrap();
    let x = matrix([[1, 10], [1, 10]]);
    gives(batch, (x, a), matrix([[21], [43]]));
}

#[test]
fn diagonal() {
    gives(|m: Matrix| m.diagonal(), square(), vector([1.0, 4.0]));
    gives(
        |m: Matrix| m.diagonal(),
        matrix([[1.0, 2.0, 3.0]]),
        vector([1.0]),
    );
}

#[test]
fn trace() {
    gives(|m: Matrix| m.trace(), square(), Array::scalar(5.0));
    gives(
        |m: Matrix| m.trace(),
        matrix::<_, 0, 2>([]),
        Array::scalar(0.0),
    );
}

fn three() -> Array<Ix2, i32> {
    matrix([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
}

#[test]
fn tril() {
    let f = |m: Acc<Ix2, i32>| (m.tril(0), m.tril(-1));
    let lower = matrix([[1, 0, 0], [4, 5, 0], [7, 8, 9]]);
    gives(f, three(), (lower, matrix([[0; 3], [4, 0, 0], [7, 8, 0]])));
}

#[test]
fn triu() {
    let f = |m: Acc<Ix2, i32>| (m.triu(0), m.triu(1));
    let upper = matrix([[1, 2, 3], [0, 5, 6], [0, 0, 9]]);
    gives(f, three(), (upper, matrix([[0, 2, 3], [0, 0, 6], [0; 3]])));
}

/// Reverse mode, forward mode and finite differences of a function of vectors of several lengths.
#[track_caller]
fn smooth<Y: Arrays>(f: impl Fn(Vector) -> Y + Copy) {
    for n in [1, 2, 5, 9] {
        let x = (0..n).map(|i| ((i * i) as f64 * 0.37).sin() + 0.05);
        let check = check_grad(f, vector(x.collect::<Vec<_>>())).unwrap();
        assert!(check.agrees(), "{n}: {check}");
    }
}

#[test]
fn derivatives_of_parts() {
    smooth(|x| {
        (
            x.take(3),
            x.drop(2),
            x.slit(1, 2),
            x.first(),
            x.last(),
            x.tail() * x.init(),
        )
    });
    smooth(|x| x.slice(ix![..x.size() - 1]).map(|x| x * x));
    smooth(|x| (x.tile(ix![2]), x.pad(ix![1], ix![-1], 0.5).map(|x| x * x)));
    smooth(|x| cotangent::prelude::concat(&[x, x.map(|x| x * x)]));
    smooth(|x| {
        cotangent::prelude::stack(&[x, x.reverse()])
            .move_axis(0, 1)
            .product()
    });
}

#[test]
fn derivatives_of_reductions() {
    smooth(|x| (x.mean(), x.variance(), x.norm()));
    smooth(|x| (x.cumsum(), x.cumprod(), x.prescanl(0.5, |a, b| a * b)));
    smooth(|x| x.postscanr(0.5, |a, b| a * b));
    smooth(|x| x.scanl_and_last(0.5, |a, b| a + b));
}

#[test]
fn derivatives_of_products() {
    smooth(|x| (x.dot(x.reverse()), x.outer(x), x.diag().matvec(x)));
    smooth(|x| {
        let m = x.outer(x.map(|x| x.cos())).tril(0) + x.diag();
        (m.matmul(m).trace(), m.matmul(m.transpose()).triu(1))
    });
}

#[test]
fn derivatives_of_selections() {
    smooth(|x| x.filter(|x| x.gt(0.3)).map(|x| x * x).sum());
    smooth(|x| {
        let (a, b) = x.partition(|x| x.gt(0.3));
        (a.product(), b.map(|x| x.sin()).sum())
    });
    smooth(|x| x.gt(0.2).select(x * x, x.map(|x| x.exp())));
    smooth(|x| x.expand(|_| 2, |x, k| x * x + k.to_f64()));
    let lengths = |x: Vector| generate(x.shape(), |ix![i]| i % 3);
    smooth(move |x| {
        x.take(x.size())
            .gather(generate(ix![4], move |ix![i]| i % x.size()))
    });
    smooth(move |x| {
        let twice = cotangent::prelude::concat(&[x, x.map(|x| x.cos()), x]);
        let segments = twice.fold_segments(1.0, |a, b| a * b, lengths(x));
        (segments, twice.scanl1_segments(|a, b| a * b, lengths(x)))
    });
}
