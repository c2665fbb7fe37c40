//! Derivatives of loops: the peak of memory that is foretold is the one that a run takes.

use cotangent::prelude::*;
use cotangent::{Cpu, Program, compile};
use cotangent_adbench::hand::{self, HandInput};
use cotangent_adbench::lstm::{LstmInput, model};
use cotangent_tests::gradbench;
use cotangent_tests::steps::heat::Heat;
use cotangent_tests::steps::recurrent;

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;
type Number = Acc<Ix0, f64>;

/// Foretold and measured may differ by so much of the measured peak.
const TOLERANCE: f64 = 0.1;

fn numbers(len: usize) -> Vec<f64> {
    (0..len)
        .map(|i| ((i * 7919) % 1000) as f64 * 1e-3)
        .collect()
}

fn check<X: Arrays, Y: Arrays>(
    what: &str,
    program: &Program<X, Y>,
    shapes: &[&[usize]],
    x: X::Host,
) {
    let explanation = program.explain_for(shapes).unwrap();
    let number = |figure: &cotangent::explain::Figure| figure.number().unwrap();
    let foretold = number(&explanation.peak_bytes) - number(&explanation.inputs_bytes);
    let cpu = Cpu::builder().threads(1).build().unwrap();
    let (_, measures) = program.run_measured(&cpu, x).unwrap();
    let apart = foretold as f64 / measures.peak_bytes as f64 - 1.0;
    let found = measures.peak_bytes;
    assert!(
        apart.abs() <= TOLERANCE,
        "{what}: {foretold} was foretold, {found} was taken"
    );
}

/// A matrix whose gradient by a loop is taken.
fn of_matrix(what: &str, f: impl Fn(Matrix) -> Number, [rows, columns]: [usize; 2]) {
    let program = compile(|m: Matrix| value_and_gradient_a(f, m)).unwrap();
    let m = Array::from_vec([rows, columns], numbers(rows * columns)).unwrap();
    check(what, &program, &[&[rows, columns]], m);
}

/// A step of which the derivative needs the state.
fn smoothed(m: Matrix) -> Matrix {
    let Snoc(_, columns) = m.shape();
    generate(m.shape(), |ix![i, j]| {
        let right = (j + 1).min(columns - 1);
        m.at(ix![i, j]).sin() + 0.1 * m.at(ix![i, right])
    })
}

#[test]
fn states_that_are_made_again() {
    for slots in [3, 12] {
        let kept = Checkpoints::Slots(slots);
        let loss = move |m: Matrix| kept.aiterate(40, |_, m| smoothed(m), m).sum_all();
        of_matrix(&format!("{slots} states"), loss, [30, 50]);
    }
    let layer = |m: Matrix| smoothed(smoothed(smoothed(m)));
    let layers = move |m: Matrix| (0..4).fold(m, |m, _| checkpoint(layer, m)).sum_all();
    of_matrix("layers that are made again", layers, [30, 50]);
}

#[test]
fn stacks_of_states() {
    let smoothed = |m: Matrix| aiterate(40, |_, m| smoothed(m), m).sum_all();
    of_matrix("neighbours", smoothed, [30, 50]);
    let linear =
        |m: Matrix| aiterate(40, |_, m: Matrix| m.roll(ix![1, 2]).map(|x| x * 0.5), m).sum_all();
    of_matrix("a linear loop", linear, [30, 50]);
}

#[test]
fn rows_in_order() {
    let network = |m: Matrix| {
        let step = |_, h: Vector, x: Vector| {
            let mixed = h.replicate(ix![h.size(), All]).zip_with(
                m.slice(ix![0, All]).replicate(ix![h.size(), All]),
                |h, w| h * w,
            );
            let h = mixed.sum().zip_with(x, |h, x| (h * 0.01 + x).tanh());
            (h, h)
        };
        let (_, all) = ascan(m, step, fill(ix![m.inner()], 0.5));
        all.sum_all()
    };
    of_matrix("a network", network, [200, 30]);
}

#[test]
fn loops_of_scalars() {
    let horner = |(c, x): (Vector, Vector)| {
        let at = |x: Exp<f64>| c.fold_in_order(0.0, |_, sum: Exp<f64>, c| sum * x + c);
        x.map(at).sum()
    };
    let program = compile(|cx: (Vector, Vector)| value_and_gradient_a(horner, cx)).unwrap();
    let input = (
        Array::vector(numbers(20)).unwrap(),
        Array::vector(numbers(1000)).unwrap(),
    );
    check("Horner's scheme", &program, &[&[20], &[1000]], input);
}

#[test]
fn a_recurrent_network() {
    for (l, c) in [(1, 400), (2, 300), (4, 200)] {
        let program = model::gradient_program::<f64>(l).unwrap();
        let input = LstmInput::generate(l, c, 14, 5).unwrap();
        let shapes: [&[usize]; 4] = [&[2 * l, 56], &[3, 14], &[2 * l, 14], &[c, 14]];
        check(
            &format!("{l} layers"),
            &program,
            &shapes,
            model::data(&input).unwrap(),
        );
    }
}

#[test]
fn ordinary_differential_equations() {
    // The number of steps is the program's, as data tell nothing before a run.
    let gradient = |x: Vector| {
        let last = |x| gradbench::last_of_runge_kutta(x, unit(50));
        value_and_gradient_a(last, x)
    };
    let program = compile(gradient).unwrap();
    for n in [20, 5000] {
        let x = Array::vector(numbers(n)).unwrap();
        check(&format!("{n} equations"), &program, &[&[n]], x);
    }
}

/// A loop in a loop; both have as many trips as the program says, as none is known of a loop with a test.
#[test]
fn implicit_steps_of_heat() {
    let heat = Heat {
        steps: 6,
        trips: 10,
        enough: 1e-20,
        ends: false,
    };
    let gradient = move |x: (Matrix, Number)| value_and_gradient_a(|x| heat.energy(x), x);
    let program = compile(gradient).unwrap();
    for [rows, columns] in [[8, 8], [40, 60]] {
        let plate = Array::from_vec([rows, columns], numbers(rows * columns)).unwrap();
        let input = (plate, Array::scalar(0.5));
        check("steps of heat", &program, &[&[rows, columns], &[]], input);
    }
}

#[test]
fn recurrent_networks_over_batches() {
    type Weights = recurrent::Weights<f64>;
    let gradient = |(weights, inputs): (Weights, Acc<Ix3, f64>)| {
        value_and_gradient_a(|weights| recurrent::loss(weights, inputs), weights)
    };
    let program = compile(gradient).unwrap();
    let (time, batch, features, hidden) = (30, 20, 24, 40);
    let of = |shape: [usize; 2]| Array::from_vec(shape, numbers(shape[0] * shape[1])).unwrap();
    let bias = Array::vector(numbers(hidden)).unwrap();
    let weights = (of([hidden, hidden]), of([features, hidden]), bias);
    let inputs = [time, batch, features];
    let inputs = Array::from_vec(inputs, numbers(time * batch * features)).unwrap();
    let shapes: [&[usize]; 4] = [
        &[hidden, hidden],
        &[features, hidden],
        &[hidden],
        &[time, batch, features],
    ];
    check("batches", &program, &shapes, (weights, inputs));
}

#[test]
fn hand_tracking() {
    for in_triangles in [false, true] {
        let (n, v) = (300, 200);
        let input = HandInput::generate(n, v, in_triangles, 5).unwrap();
        let kind = hand::model::Kind::of(&input);
        let us = if in_triangles { n } else { 0 };
        let bones = hand::BONES;
        let shapes: [&[usize]; 10] = [
            &[hand::THETA],
            &[us],
            &[bones],
            &[bones],
            &[bones],
            &[bones],
            &[v],
            &[v, bones],
            &[n],
            &[n],
        ];
        let data = || hand::model::data::<f64>(&input).unwrap();
        let jacobian = hand::model::jacobian_program::<f64>(kind).unwrap();
        check("a Jacobian", &jacobian, &shapes, data());
    }
}
