//! Gradients and Jacobians in forward mode, which the simplifier's algebra of unit vectors is for, against reverse mode and
//! against plain Rust that was written by hand: paper 004, "Efficient Differentiable Programming in a Functional Array-Processing
//! Language", section 6. Ratios are to forward mode: above 1, it is faster.

#![expect(
    clippy::print_stdout,
    reason = "a table on standard output is what this is for"
)]

use clap::Parser;
use cotangent::Cpu;
use cotangent::prelude::*;

use cotangent::compile;
use cotangent_adbench::ba::numbers::Dual;
use cotangent_adbench::ba::reference::residual;
use cotangent_benches::Failure;
use cotangent_benches::timing::by_turns;
use cotangent_tests::papers::factors::likelihood;
use std::hint::black_box;

/// Forward mode against reverse mode and plain Rust.
#[derive(Parser)]
struct Options {
    /// Threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Seconds for each line.
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;
type Number = Acc<Ix0, f64>;

/// The largest difference of results that agree, relative to the greatest number.
const TOLERANCE: f64 = 1e-9;

type Run = Box<dyn Fn() -> Result<Vec<f64>, Failure>>;

/// The three of a line: they give the same.
struct Line {
    name: String,
    forward: Run,
    reverse: Run,
    rust: Run,
}

impl Line {
    /// Checks that all agree, and prints how long each takes.
    fn print(&self, seconds: f64) -> Result<(), Failure> {
        let expected = (self.rust)()?;
        for run in [&self.forward, &self.reverse] {
            check(&self.name, &run()?, &expected)?;
        }
        let mut works = vec![];
        for run in [&self.forward, &self.reverse, &self.rust] {
            let work = move || run().map(|found| drop(black_box(found)));
            works.push(Box::new(work) as Box<dyn FnMut() -> Result<(), Failure> + '_>);
        }
        let times = by_turns(seconds, &mut works)?;
        let [forward, reverse, rust] = [0, 1, 2].map(|k| times[k] * 1e3);
        println!(
            "{:<28} {forward:>9.3} {reverse:>9.3} {rust:>9.3} {:>8.2} {:>8.2}",
            self.name,
            reverse / forward,
            rust / forward
        );
        Ok(())
    }
}

/// A run of a program on inputs.
macro_rules! run {
    ($cpu:expr, $program:expr, $input:expr) => {{
        let (cpu, program, input) = ($cpu.clone(), $program, $input.clone());
        Box::new(move || Ok(program.run(&cpu, input.clone())?.to_vec())) as Run
    }};
}

fn check(name: &str, found: &[f64], expected: &[f64]) -> Result<(), Failure> {
    let greatest = expected.iter().fold(1.0, |a: f64, x| a.max(x.abs()));
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= TOLERANCE * greatest;
    let agree = found.len() == expected.len() && found.iter().zip(expected).all(close);
    agree
        .then_some(())
        .ok_or_else(|| format!("{name}: results differ").into())
}

fn numbers(count: usize, from: f64) -> Vec<f64> {
    (0..count)
        .map(|i| from + (i % 1009) as f64 * 0.001)
        .collect()
}

fn dot(v: Vector, w: Vector) -> Number {
    v.zip_with(w, |a, b| a * b).sum()
}

fn inner_product(cpu: &Cpu, n: usize) -> Result<Line, Failure> {
    let (v, w) = (numbers(n, 0.5), numbers(n, 1.0));
    let input = (Array::vector(v)?, Array::vector(w.clone())?);
    let forward = compile(|v: Vector, w: Vector| jacobian_forward(|v| dot(v, w), v))?;
    let reverse = compile(|v: Vector, w: Vector| gradient_a(|v| dot(v, w), v))?;
    Ok(Line {
        name: format!("v·w by v, {n}"),
        forward: run!(cpu, forward, input),
        reverse: run!(cpu, reverse, input),
        rust: Box::new(move || Ok(w.clone())),
    })
}

fn factors(cpu: &Cpu, n: usize) -> Result<Line, Failure> {
    let (a, u, v) = (numbers(n * n, 0.5), numbers(n, 1.0), numbers(n, 2.0));
    let input = (
        Array::from_vec([n, n], a.clone())?,
        Array::vector(u.clone())?,
        Array::vector(v.clone())?,
    );
    let rust = move || {
        let mut gradient = vec![0.0; n];
        for (row, u) in a.chunks(n).zip(&u) {
            for ((sum, a), v) in gradient.iter_mut().zip(row).zip(&v) {
                let guess = u * v;
                *sum += u * (1.0 / guess - a / (guess * guess));
            }
        }
        Ok(gradient)
    };
    let forward =
        compile(|a: Matrix, u: Vector, v: Vector| jacobian_forward(|v| likelihood(a, u, v), v))?;
    let reverse =
        compile(|a: Matrix, u: Vector, v: Vector| gradient_a(|v| likelihood(a, u, v), v))?;
    Ok(Line {
        name: format!("factorization by v, {n} x {n}"),
        forward: run!(cpu, forward, input),
        reverse: run!(cpu, reverse, input),
        rust: Box::new(rust),
    })
}

type Triple = [Exp<f64>; 3];

fn inner([a, b, c]: Triple, [x, y, z]: Triple) -> Exp<f64> {
    a * x + b * y + c * z
}

fn rodrigues(rotation: Triple, x: Triple) -> Triple {
    let angle = inner(rotation, rotation).sqrt();
    let [a, b, c] = rotation.map(|r| r / angle);
    let along = inner([a, b, c], x) * (1.0 - angle.cos());
    let turned = [
        b * x[2] - c * x[1],
        c * x[0] - a * x[2],
        a * x[1] - b * x[0],
    ];
    let axis = [a, b, c];
    [0, 1, 2].map(|k| x[k] * angle.cos() + turned[k] * angle.sin() + axis[k] * along)
}

/// Where a camera sees points.
fn project(camera: Vector, points: Matrix) -> Matrix {
    let number = |k: i32| camera.at(ix![k]);
    let three = |first: i32| [0, 1, 2].map(|k| number(first + k));
    generate(ix![points.shape().0.1, 2], |ix![i, side]| {
        let (centre, point) = (three(3), [0, 1, 2].map(|k| points.at(ix![i, k])));
        let [x, y, z] = rodrigues(three(0), [0, 1, 2].map(|k| point[k] - centre[k]));
        let (x, y) = (x / z, y / z);
        let square = x * x + y * y;
        let distortion = 1.0 + number(9) * square + number(10) * square * square;
        let on_side = cond(side.eq_(0), x, y) * distortion * number(6);
        on_side + cond(side.eq_(0), number(7), number(8))
    })
}

const CAMERA: [f64; 11] = [0.3, -0.2, 0.5, 0.1, 0.4, -4.0, 1.7, 0.2, -0.3, 0.05, 0.01];

fn projections(cpu: &Cpu, n: usize) -> Result<Line, Failure> {
    let points = numbers(3 * n, -0.5);
    let input = (
        Array::vector(CAMERA.to_vec())?,
        Array::from_vec([n, 3], points.clone())?,
    );
    // By dual numbers with a direction for each parameter.
    let rust = move || {
        let mut camera = CAMERA.into_iter().enumerate();
        let camera = [(); 11].map(|()| camera.next().map_or(constant(0.0), variable));
        let rows = points.chunks(3).flat_map(|point| {
            let point = [0, 1, 2].map(|k| constant(point[k]));
            residual(camera, point, constant(1.0), [constant(0.0); 2])
        });
        Ok(rows
            .flat_map(|row| row.partials.into_iter().take(11))
            .collect())
    };
    let forward = compile(|c: Vector, x: Matrix| jacobian_forward(|c| project(c, x), c))?;
    let reverse = compile(|c: Vector, x: Matrix| jacobian_reverse(|c| project(c, x), c))?;
    Ok(Line {
        name: format!("projection by camera, {n}"),
        forward: run!(cpu, forward, input),
        reverse: run!(cpu, reverse, input),
        rust: Box::new(rust),
    })
}

fn variable((position, value): (usize, f64)) -> Dual<f64> {
    Dual::variable(value, position)
}

fn constant(value: f64) -> Dual<f64> {
    let mut number = Dual::variable(value, 0);
    number.partials = number.partials.map(|_| 0.0);
    number
}

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let cpu = Cpu::builder().threads(options.threads).build()?;
    println!("times in ms\n");
    println!(
        "{:<28} {:>9} {:>9} {:>9} {:>8} {:>8}",
        "", "forward", "reverse", "Rust", "reverse÷", "Rust÷"
    );
    for n in [1000, 100_000] {
        inner_product(&cpu, n)?.print(options.seconds)?;
    }
    for n in [100, 1000] {
        factors(&cpu, n)?.print(options.seconds)?;
    }
    for n in [10, 100] {
        projections(&cpu, n)?.print(options.seconds)?;
    }
    Ok(())
}
