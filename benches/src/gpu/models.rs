//! ADBench's tasks: objective and gradient of GMM, the Jacobian of BA.

use super::Bench;
use super::report::{Name, line};
use super::sides::Times;
use super::values::{Real, Values};
use crate::Failure;
use cotangent::prelude::Arrays;
use cotangent::{Error, Program};
use cotangent_adbench::ba::{self, BaInput};
use cotangent_adbench::gmm::{self, GmmInput};

const SECTION: &str = "models";

/// A gradient of GMM, for peers to compare with.
pub struct Gradient {
    /// What it is called.
    pub name: Name,
    /// Points, dimensions, components.
    pub sizes: [usize; 3],
    /// What the objective took.
    pub objective: Times,
    /// What the gradient took.
    pub gradient: Times,
    /// How far gradients may be apart.
    pub tolerance: f64,
}

/// Measures all tasks in type `T`.
pub fn measure<T: Real>(bench: &Bench) -> Vec<Gradient> {
    bench.begin(format!(
        "\n{SECTION} in {}\n{:<32} {:>6} {:>7}  {}",
        T::NAME,
        "case",
        "passes",
        "submits",
        Times::heading()
    ));
    let gradients = bench.sizes.gmm.iter();
    let gradients = gradients.filter_map(|&sizes| gmm::<T>(bench, sizes));
    let gradients = gradients.collect();
    bench
        .sizes
        .ba
        .iter()
        .for_each(|&sizes| ba::<T>(bench, sizes));
    gradients
}

/// How far gradients may be apart: an exponential amplifies the rounding of a large exponent, which grows with d², and
/// both sides round.
fn tolerance<T: Real>(d: usize) -> f64 {
    T::TOLERANCE.max(16.0 * T::EPSILON * (d * d) as f64)
}

/// Both the objective and the gradient, if anybody wants one of them.
fn gmm<T: Real>(bench: &Bench, sizes: [usize; 3]) -> Option<Gradient> {
    let [n, d, k] = sizes;
    let name = |what: &str| Name::new(SECTION, format!("gmm n{n} d{d} K{k}{what}"), T::NAME);
    let data = || -> Result<_, Failure> {
        let input = GmmInput::generate(n, d, k, 1)?;
        Ok(gmm::model::data::<T>(&input)?.arrays().clone())
    };
    let tolerance = tolerance::<T>(d);
    let objective = gmm::model::objective_program::<T>;
    let objective = task(bench, &name(" objective"), objective, data, tolerance);
    let gradient = gmm::model::gradient_program::<T>;
    let gradient = task(bench, &name(" gradient"), gradient, data, tolerance);
    Some(Gradient {
        name: name(""),
        sizes,
        objective: objective?,
        gradient: gradient?,
        tolerance,
    })
}

fn ba<T: Real>(bench: &Bench, [n, m, p]: [usize; 3]) {
    let name = Name::new(SECTION, format!("ba n{n} m{m} p{p} jacobian"), T::NAME);
    let data = || -> Result<_, Failure> {
        let input = BaInput::generate(n, m, p, 1)?;
        Ok(ba::model::data::<T>(&input)?.arrays().clone())
    };
    let program = ba::model::jacobian_program::<T>;
    task(bench, &name, program, data, T::TOLERANCE);
}

/// Measures a program and prints its line.
fn task<In: Arrays, Out: Arrays>(
    bench: &Bench,
    name: &Name,
    program: impl FnOnce() -> Result<Program<In, Out>, Error>,
    inputs: impl FnOnce() -> Result<In::Host, Failure>,
    tolerance: f64,
) -> Option<Times>
where
    In::Host: Clone,
    Out::Host: Values,
{
    let measured = bench.case(name, || bench.compare(&program()?, &inputs()?, None));
    let times = measured?;
    line(&format!(
        "{:<32} {:>6} {:>7}  {}",
        format!("{} {}", name.case, name.ty),
        times.measures.passes,
        times.measures.submits,
        times.columns()
    ));
    bench.record(name, &times, tolerance);
    Some(times)
}
