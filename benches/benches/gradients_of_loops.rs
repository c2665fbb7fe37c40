//! What the derivatives of programs of many steps cost: time beside the limit, memory, and both of value and derivative beside plain
//! Rust, whose derivative is written by hand (for hand tracking: by numbers with a tangent) and compiled for any machine of the
//! architecture, as this is.

use cotangent::prelude::*;
use cotangent_adbench::hand::model::{Inputs, Kind, Pose, jacobian, residuals};
use cotangent_adbench::hand::{self, HandInput};
use cotangent_adbench::lstm::{self, LstmInput};
use cotangent_benches::Failure;
use cotangent_benches::ratios::{Ratios, matrix, numbers, vector};
use cotangent_tests::gradbench;
use cotangent_tests::steps::heat::{self, Heat};
use cotangent_tests::steps::{ode, recurrent};

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;
type Number = Acc<Z, f64>;

/// What a gradient may cost.
const LIMIT: f64 = 5.0;

fn main() -> Result<(), Failure> {
    let bench = Ratios::parse()?;
    equations(&bench)?;
    implicit_heat(&bench)?;
    batches(&bench)?;
    characters(&bench)?;
    hands(&bench)
}

fn equations(bench: &Ratios) -> Result<(), Failure> {
    let steps = bench.size(100, 5);
    for n in [20, bench.size(100_000, 1000)] {
        let value = |x: Vector, s: Acc<Z, i32>| gradbench::last_of_runge_kutta(x, s);
        let gradient =
            move |(x, s): (Vector, Acc<Z, i32>)| value_and_gradient_a(|x| value(x, s), x);
        let x = numbers(n);
        let input = (vector(n)?, Array::scalar(steps as i32));
        let name = format!("ode, {n} equations × {steps} steps");
        let plain: [&dyn Fn() -> f64; 2] =
            [&|| ode::last(&x, steps), &|| ode::gradient(&x, steps).1[0]];
        let of = (move |(x, s)| value(x, s), gradient);
        bench.beside((&name, LIMIT), of, input, Some(plain))?;
    }
    Ok(())
}

fn implicit_heat(bench: &Ratios) -> Result<(), Failure> {
    for (side, ends) in [(32, false), (256, false), (256, true)] {
        let side = bench.size(side, 8);
        let heat = Heat {
            steps: bench.size(20, 2) as i32,
            trips: if ends { 100 } else { 20 },
            enough: 1e-16,
            ends,
        };
        let value = move |x: (Matrix, Number)| heat.energy(x);
        let gradient = move |x: (Matrix, Number)| value_and_gradient_a(value, x);
        let host = heat::plain::Input {
            columns: side,
            plate: numbers(side * side),
            rate: 1.0,
        };
        let plain: [&dyn Fn() -> f64; 2] = [&|| heat.plain_energy(&host), &|| {
            heat.plain_gradient(&host).2
        }];
        let trips = if ends {
            "until solved"
        } else {
            "20 trips each"
        };
        let name = format!("implicit heat, {side}², {} steps, {trips}", heat.steps);
        let input = (matrix(side, side)?, Array::scalar(1.0));
        bench.beside((&name, LIMIT), (value, gradient), input, Some(plain))?;
    }
    Ok(())
}

fn batches(bench: &Ratios) -> Result<(), Failure> {
    for [time, batch, features, hidden] in [[100, 32, 64, 128], [50, 64, 256, 256]] {
        let (time, batch) = (bench.size(time, 3), bench.size(batch, 2));
        let (features, hidden) = (bench.size(features, 3), bench.size(hidden, 4));
        let value = |(weights, inputs): (recurrent::Weights<f64>, Acc<Ix3, f64>)| {
            recurrent::loss(weights, inputs)
        };
        let gradient = |(weights, inputs): (recurrent::Weights<f64>, Acc<Ix3, f64>)| {
            value_and_gradient_a(|weights| recurrent::loss(weights, inputs), weights)
        };
        // Small weights, around zero.
        let small = |len| numbers(len).iter().map(|x| (x - 1.0) * 0.2).collect();
        let network = recurrent::plain::Network {
            sizes: [time, batch, features, hidden],
            w: small(hidden * hidden),
            u: small(features * hidden),
            b: small(hidden),
            inputs: numbers(time * batch * features),
        };
        let plain: [&dyn Fn() -> f64; 2] = [&|| network.loss(), &|| network.gradient().0];
        let weights = (
            Array::from_vec([hidden, hidden], network.w.clone())?,
            Array::from_vec([features, hidden], network.u.clone())?,
            Array::vector(network.b.clone())?,
        );
        let inputs = Array::from_vec([time, batch, features], network.inputs.clone())?;
        let name = format!("recurrent, {time} × batch of {batch}, {features} → {hidden}");
        let of = (value, gradient);
        bench.beside((&name, LIMIT), of, (weights, inputs), Some(plain))?;
    }
    Ok(())
}

fn characters(bench: &Ratios) -> Result<(), Failure> {
    type Inputs = lstm::model::Inputs<f64>;
    let input = LstmInput::generate(2, bench.size(1000, 10), 14, 1)?;
    let value = |(main, extra, state, sequence): Inputs| {
        lstm::model::objective::<f64, 2>((main, extra), state, sequence)
    };
    let gradient = move |(main, extra, state, sequence): Inputs| {
        let loss = |(main, extra)| value((main, extra, state, sequence));
        value_and_gradient_a(loss, (main, extra))
    };
    let plain: [&dyn Fn() -> f64; 2] = [&|| lstm::reference::objective(&input), &|| {
        lstm::reference::gradient(&input).0
    }];
    let name = format!("LSTM, 2 layers × {} characters", input.c);
    let data = lstm::model::data(&input)?;
    bench.beside((&name, LIMIT), (value, gradient), data, Some(plain))
}

fn hands(bench: &Ratios) -> Result<(), Failure> {
    let (n, v) = (bench.size(1000, 9), bench.size(544, 12));
    for in_triangles in [false, true] {
        let input = HandInput::generate(n, v, in_triangles, 1)?;
        let kind = Kind::of(&input);
        let what = if in_triangles { "triangles" } else { "points" };
        let value = move |(theta, us, hand, measured): Inputs<f64>| {
            residuals((theta, us), (hand, measured), kind)
        };
        let squares = move |x: Inputs<f64>| value(x).map(|r| r * r).sum_all();
        let gradient = move |(theta, us, hand, measured): Inputs<f64>| {
            let by_pose = |(theta, us): Pose<f64>| squares((theta, us, hand, measured));
            value_and_gradient_a(by_pose, (theta, us))
        };
        let data = hand::model::data::<f64>(&input)?;
        let name = format!("hand, {n} {what}: sum of squares, gradient");
        bench.pair((&name, LIMIT), (squares, gradient), data.clone())?;
        let jacobian = move |(theta, us, hand, measured): Inputs<f64>| {
            jacobian((theta, us), (hand, measured), kind)
        };
        let plain: [&dyn Fn() -> f64; 2] = [&|| hand::reference::residuals(&input)[0], &|| {
            hand::reference::jacobian(&input)[0]
        }];
        // A pass of forward mode for each column.
        let limit = input.columns() as f64;
        let name = format!("hand, {n} {what}: Jacobian of {limit} columns");
        bench.beside((&name, limit), (value, jacobian), data, Some(plain))?;
    }
    Ok(())
}
