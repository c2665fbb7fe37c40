//! GradBench's programs: values and derivatives against the same programs in plain Rust, on every engine.

use crate::loop_gradients::{agree, numbers};
use cotangent::compile;
use cotangent::prelude::*;
use cotangent_tests::gradbench::plain::{self, Dual};
use cotangent_tests::gradbench::{self, Mode};

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

fn vector(x: &[f64]) -> Array<Ix1, f64> {
    Array::vector(x.to_vec()).unwrap()
}

fn scalar(n: usize) -> Array<Ix0, i32> {
    Array::scalar(n as i32)
}

/// As near as the suite asks.
#[track_caller]
fn near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() <= 1e-8 * y.abs().max(1e-3), "{x} is not {y}");
    }
}

#[test]
fn hello() {
    let double = |x: Acc<Ix0, f64>| gradient_a(gradbench::square, x);
    let found = compile(double)
        .unwrap()
        .interpret(Array::scalar(3.5))
        .unwrap();
    assert_eq!(found.item(), 7.0);
    agree(double, Array::scalar(3.5), 1.0);
}

#[test]
fn lse() {
    let gradient = |x: Vector| value_and_gradient_a(gradbench::log_sum_exp, x);
    let x = [1.5, -2.0, 100.0, 99.0];
    let (value, softmax) = compile(gradient).unwrap().interpret(vector(&x)).unwrap();
    let sum: f64 = x.iter().map(|x| (x - 100.0).exp()).sum();
    near(&[value.item()], &[sum.ln() + 100.0]);
    let expected: Vec<f64> = x.iter().map(|x| (x - 100.0).exp() / sum).collect();
    near(&softmax.to_vec(), &expected);
    agree(gradient, vector(&numbers(1000, 3)), 10.0);
}

#[test]
fn llsq() {
    let gradient =
        |x: Vector, n: Acc<Z, i32>| value_and_gradient_a(|x| gradbench::least_squares(x, n), x);
    let (x, n) = (numbers(6, 1), 25);
    let point: Vec<Dual> = x.iter().copied().map(Dual::of).collect();
    let found = compile(gradient).unwrap();
    let (value, found) = found.interpret((vector(&x), scalar(n))).unwrap();
    near(&[value.item()], &[plain::least_squares(&point, n).value]);
    near(
        &found.to_vec(),
        &plain::gradient(|x| plain::least_squares(x, n), &x),
    );
    agree(gradient, (vector(&x), scalar(n)), 100.0);
    agree(gradient, (vector(&numbers(1, 2)), scalar(2)), 100.0);
}

#[test]
fn det() {
    for size in [1, 2, 5] {
        let a = numbers(size * size, 4);
        let f = gradbench::determinant(size);
        let gradient = move |a: Matrix| value_and_gradient_a(f, a);
        let columns: Vec<usize> = (0..size).collect();
        let matrix = || Array::from_vec([size, size], a.clone()).unwrap();
        let (_, found) = compile(gradient).unwrap().interpret(matrix()).unwrap();
        let expected = plain::gradient(|a| plain::determinant(a, &columns, 0), &a);
        near(&found.to_vec(), &expected);
        agree(gradient, matrix(), 1.0);
    }
}

#[test]
fn ode() {
    let gradient =
        |x: Vector, s: Acc<Z, i32>| gradient_a(|x| gradbench::last_of_runge_kutta(x, s), x);
    let program = compile(gradient).unwrap();
    for (n, steps) in [(1, 3), (4, 10), (20, 100)] {
        let x: Vec<f64> = numbers(n, 5).iter().map(|x| x + 1.5).collect();
        let found = program
            .run(&cotangent::Cpu::default(), (vector(&x), scalar(steps)))
            .unwrap();
        near(
            &found.to_vec(),
            &plain::gradient(|x| plain::runge_kutta(x, steps), &x),
        );
    }
    let x: Vec<f64> = numbers(8, 5).iter().map(|x| x + 1.5).collect();
    agree(gradient, (vector(&x), scalar(12)), 10.0);
}

#[test]
fn kmeans() {
    let points = numbers(40, 6);
    let centres = numbers(6, 7);
    let nearest = |p: &[f64]| {
        let distance = |k: &usize| -> f64 {
            let centre = &centres[2 * k..2 * k + 2];
            p.iter().zip(centre).map(|(p, c)| (p - c) * (p - c)).sum()
        };
        (0..3)
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .unwrap()
    };
    let mut expected = vec![0.0; 6];
    let mut counts = [0.0; 3];
    for p in points.chunks(2) {
        let k = nearest(p);
        counts[k] += 1.0;
        (0..2).for_each(|i| expected[2 * k + i] += centres[2 * k + i] - p[i]);
    }
    assert!(counts.iter().all(|&count| count > 0.0));
    (0..6).for_each(|i| expected[i] /= counts[i / 2]);
    let inputs = || {
        let of = |x: &[f64]| Array::from_vec([x.len() / 2, 2], x.to_vec()).unwrap();
        (of(&points), of(&centres))
    };
    let direction = gradbench::k_means_direction;
    let found = compile(direction).unwrap().interpret(inputs()).unwrap();
    near(&found.to_vec(), &expected);
    agree(direction, inputs(), 1.0);
}

const MODES: [(Mode, Mode); 4] = [
    (Mode::Forward, Mode::Forward),
    (Mode::Forward, Mode::Reverse),
    (Mode::Reverse, Mode::Reverse),
    (Mode::Reverse, Mode::Forward),
];

#[test]
fn saddle() {
    let expected = plain::saddle([1.0, 1.0]);
    // As many as the suite's own programs make.
    assert_eq!((expected.outer, expected.all_inner), (170, 26_350));
    for modes in MODES {
        let program = compile(move |start: Acc<Ix0, (f64, f64)>| {
            start.map(move |start| gradbench::saddle(modes, start))
        });
        let found = program.unwrap();
        let found = found
            .run(&cotangent::Cpu::default(), Array::scalar((1.0, 1.0)))
            .unwrap();
        let ((found_p, found_q), trips) = found.item();
        let expected_trips = (expected.outer as i32, expected.inner as i32);
        assert_eq!(trips, expected_trips, "{modes:?}");
        let found = [found_p.0, found_p.1, found_q.0, found_q.1];
        near(&found, &expected.points.concat());
    }
}

#[test]
fn particle() {
    let (w, trips) = plain::particle(0.0);
    for modes in MODES {
        let program =
            compile(move |w: Acc<Ix0, f64>| w.map(move |w| gradbench::particle(modes, w)));
        let found = program.unwrap();
        let found = found
            .run(&cotangent::Cpu::default(), Array::scalar(0.0))
            .unwrap();
        assert_eq!(found.item().1, trips as i32, "{modes:?}");
        near(&[found.item().0], &[w]);
    }
}
