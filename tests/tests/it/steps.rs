//! Gradients of programs of many steps: by both modes, by differences, by hand in plain Rust, and on every engine.

use crate::loop_gradients::{agree, numbers};
use crate::papers::check;
use cotangent::prelude::*;
use cotangent::{Cpu, Program, compile};
use cotangent_adbench::hand::model::{Inputs, Kind, Pose, residuals};
use cotangent_adbench::hand::{self, HandInput};
use cotangent_adbench::host::HostFloat;
use cotangent_adbench::lstm::{self, LstmInput};
use cotangent_tests::gradbench;
use cotangent_tests::steps::heat::{self, Heat};
use cotangent_tests::steps::{ode, recurrent};

type Vector<T> = Acc<Ix1, T>;
type Matrix<T> = Acc<Ix2, T>;
type Number<T> = Acc<Z, T>;

/// Roundings of results found in another order.
const EXACT: f64 = 1e-11;

#[track_caller]
fn near(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let greatest = expected.iter().fold(1.0, |a: f64, x| a.max(x.abs()));
    for (x, y) in found.iter().zip(expected) {
        assert!(
            (x - y).abs() <= tolerance * greatest,
            "{what}: {x}, not {y}"
        );
    }
}

/// What a program gives on the CPU.
fn run<X: Arrays, Y: Arrays>(program: &Program<X, Y>, x: X::Host) -> Y::Host {
    program.run(&Cpu::default(), x).unwrap()
}

fn converted<T: HostFloat>(x: &[f64]) -> Vec<T> {
    x.iter().map(|&x| T::from_f64(x)).collect()
}

fn equations<T: HostFloat>(n: usize, steps: usize, tolerance: f64) {
    let f = |x: Vector<T>, s: Acc<Z, i32>| gradbench::last_of_runge_kutta(x, s);
    let gradient = move |x: Vector<T>, s: Acc<Z, i32>| value_and_gradient_a(|x| f(x, s), x);
    let x: Vec<f64> = numbers(n, 5).iter().map(|x| x + 1.5).collect();
    let input = || {
        let x = Array::vector(converted::<T>(&x)).unwrap();
        (x, Array::scalar(steps as i32))
    };
    let what = format!("{n} equations, {steps} steps");
    check(move |(x, s)| f(x, s), input());
    agree(gradient, input(), 10.0);
    let (value, found) = run(&compile(gradient).unwrap(), input());
    let (expected, by_x) = ode::gradient(&x, steps);
    assert_eq!(expected, ode::last(&x, steps));
    let value = T::elements(value).unwrap();
    near(&what, &value, &[expected], tolerance);
    near(&what, &T::elements(found).unwrap(), &by_x, tolerance);
}

#[test]
fn ordinary_differential_equations() {
    for (n, steps) in [(1, 0), (1, 3), (4, 0), (2, 1), (7, 5), (20, 100)] {
        equations::<f64>(n, steps, EXACT);
        equations::<f32>(n, steps, 1e-5);
    }
}

fn plates<T: HostFloat>(heat: Heat, [rows, columns]: [usize; 2], tolerance: f64) {
    let f = move |x: (Matrix<T>, Number<T>)| heat.energy(x);
    let plate = numbers(rows * columns, 3);
    let host = heat::plain::Input {
        columns,
        plate: plate.clone(),
        rate: 0.75,
    };
    let input = || {
        let plate = Array::from_vec([rows, columns], converted::<T>(&plate)).unwrap();
        (plate, Array::scalar(T::from_f64(0.75)))
    };
    let what = format!("{rows} × {columns}, {heat:?}");
    check(f, input());
    let gradient = move |plate, rate| value_and_gradient_a(f, (plate, rate));
    agree(gradient, input(), 10.0);
    let (value, (by_plate, by_rate)) = run(&compile(gradient).unwrap(), input());
    let (expected, expected_plate, expected_rate) = heat.plain_gradient(&host);
    assert_eq!(expected, heat.plain_energy(&host));
    let elements = |x: Array<Ix0, T>| T::elements(x).unwrap();
    near(&what, &elements(value), &[expected], tolerance);
    let by_plate = T::elements(by_plate).unwrap();
    near(&what, &by_plate, &expected_plate, tolerance);
    near(&what, &elements(by_rate), &[expected_rate], tolerance);
}

#[test]
fn implicit_steps_of_heat() {
    let sizes = [[1, 1], [1, 5], [3, 4], [0, 3]];
    for (steps, trips) in [(0, 3), (2, 0), (1, 1), (3, 4)] {
        for (size, ends) in sizes
            .into_iter()
            .flat_map(|size| [(size, false), (size, true)])
        {
            let heat = |enough| Heat {
                steps,
                trips,
                enough,
                ends,
            };
            plates::<f64>(heat(1e-26), size, EXACT);
            plates::<f32>(heat(1e-12), size, 1e-4);
        }
    }
}

/// Iterations that find the solution before their trips are over.
#[test]
fn implicit_steps_that_are_solved() {
    for ends in [false, true] {
        let heat = Heat {
            steps: 3,
            trips: 25,
            enough: 1e-26,
            ends,
        };
        plates::<f64>(heat, [3, 4], 1e-9);
        plates::<f64>(heat, [1, 2], 1e-9);
    }
}

fn batches<T: HostFloat>(sizes: [usize; 4], tolerance: f64) {
    let [time, batch, features, hidden] = sizes;
    let network = recurrent::plain::Network {
        sizes,
        w: numbers(hidden * hidden, 1),
        u: numbers(features * hidden, 2),
        b: numbers(hidden, 3),
        inputs: numbers(time * batch * features, 4),
    };
    let matrix = |rows, columns, of: &[f64]| {
        Array::<Ix2, T>::from_vec([rows, columns], converted(of)).unwrap()
    };
    let input = || {
        let weights = (
            matrix(hidden, hidden, &network.w),
            matrix(features, hidden, &network.u),
            Array::vector(converted::<T>(&network.b)).unwrap(),
        );
        let inputs = converted::<T>(&network.inputs);
        let inputs = Array::from_vec([time, batch, features], inputs).unwrap();
        (weights, inputs)
    };
    let f = |(weights, inputs)| recurrent::loss::<T>(weights, inputs);
    check(f, input());
    let gradient = |weights: recurrent::Weights<T>, inputs: Acc<Ix3, T>| {
        value_and_gradient_a(|weights| recurrent::loss(weights, inputs), weights)
    };
    agree(gradient, input(), 10.0);
    let (value, (w, u, b)) = run(&compile(gradient).unwrap(), input());
    let (expected, by) = network.gradient();
    assert!((expected - network.loss()).abs() <= EXACT * expected);
    let what = format!("{sizes:?}");
    near(&what, &T::elements(value).unwrap(), &[expected], tolerance);
    let found = [T::elements(w), T::elements(u), T::elements(b)];
    for (found, expected) in found.into_iter().zip(&by) {
        near(&what, &found.unwrap(), expected, tolerance);
    }
}

#[test]
fn recurrent_networks_over_batches() {
    for sizes in [
        [0, 2, 3, 4],
        [1, 1, 1, 1],
        [4, 3, 2, 5],
        [3, 0, 2, 2],
        [9, 5, 8, 7],
    ] {
        batches::<f64>(sizes, EXACT);
        batches::<f32>(sizes, 1e-4);
    }
}

fn characters<T: HostFloat>(c: usize, b: usize) {
    type Parameters<T> = lstm::model::Parameters<T>;
    let input = LstmInput::generate(2, c, b, 5).unwrap();
    let data = || lstm::model::data::<T>(&input).unwrap();
    let f = |(main, extra, state, sequence): lstm::model::Inputs<T>| {
        lstm::model::objective::<T, 2>((main, extra), state, sequence)
    };
    check(f, data());
    let gradient = move |main, extra, state: Matrix<T>, sequence: Matrix<T>| {
        let loss = |(main, extra): Parameters<T>| f((main, extra, state, sequence));
        value_and_gradient_a(loss, (main, extra))
    };
    agree(gradient, data(), 10.0);
}

/// [`adbench_loops`](crate::adbench_loops) compares with plain Rust.
#[test]
fn long_short_term_memory() {
    for (c, b) in [(2, 1), (2, 3), (6, 2)] {
        characters::<f64>(c, b);
        characters::<f32>(c, b);
    }
}

fn hands<T: HostFloat>(input: &HandInput, tolerance: f64) {
    let kind = Kind::of(input);
    let f = move |(theta, us, hand, measured): Inputs<T>| {
        residuals((theta, us), (hand, measured), kind)
    };
    let data = || hand::model::data::<T>(input).unwrap();
    check(f, data());
    let gradient =
        move |theta, us, hand: hand::model::Hand<T>, measured: hand::model::Measured<T>| {
            let by_pose =
                |(theta, us): Pose<T>| f((theta, us, hand, measured)).map(|r| r * r).sum_all();
            value_and_gradient_a(by_pose, (theta, us))
        };
    agree(gradient, data(), 100.0);
    let (_, (theta, _)) = run(&compile(gradient).unwrap(), data());
    // Twice the residuals times the Jacobian, whose last columns are those by the parameters.
    let (rest, jacobian) = (
        hand::reference::residuals(input),
        hand::reference::jacobian(input),
    );
    let columns = input.columns();
    let by = |at: usize| {
        let rows = rest.iter().zip(jacobian.chunks(columns));
        rows.map(|(r, row)| 2.0 * r * row[columns - hand::THETA + at])
            .sum()
    };
    let expected: Vec<f64> = (0..hand::THETA).map(by).collect();
    near("a hand", &T::elements(theta).unwrap(), &expected, tolerance);
}

#[test]
fn hand_tracking() {
    for (n, v, in_triangles) in [(1, 1, false), (6, 9, false), (1, 3, true), (5, 9, true)] {
        let input = HandInput::generate(n, v, in_triangles, 5).unwrap();
        hands::<f64>(&input, EXACT);
        hands::<f32>(&input, 1e-4);
    }
}
