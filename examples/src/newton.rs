//! Kepler's equation E − e·sin E = M, which says where a planet is on its ellipse: for a grid of anomalies M from 0 to 2π and
//! eccentricities e from 0 to below 1, by Newton's method.
//!
//! One `while_` for each equation, as long as the residual is too large. From the start E = π the method goes towards the
//! solution from one side, so that it ends for each e < 1.
//!
//! Agreement: the residuals of all solutions are within [`TOLERANCE`], and so are the differences of solutions times the slope
//! 1 − e·cos E, which is what a residual allows for.

use crate::device::Device;
use crate::error::{Result, size};
use crate::picture::heat_colour;
use cotangent::prelude::*;
use cotangent::{Error, Program};
use std::f64::consts::PI;

/// The largest residual; twice that where loops end, for the sine of another engine.
pub const TOLERANCE: f64 = 2.0 * ENOUGH;
/// The residual at which a loop ends.
const ENOUGH: f64 = 1e-12;
/// The eccentricity of the last row.
const MOST_ECCENTRIC: f64 = 0.99;

/// From the numbers of anomalies and of eccentricities to solutions and trips; a row is of one eccentricity.
pub type Solve = Program<Acc<Ix0, (i32, i32)>, Acc<Ix2, (f64, i32)>>;
/// A solution, and how many trips it took.
pub type Solution = (f64, i32);

/// The size of a grid.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Anomalies, from left to right.
    pub anomalies: usize,
    /// Eccentricities, from top to bottom.
    pub eccentricities: usize,
}

/// Compiles the program.
///
/// # Errors
/// None that sizes can cause.
pub fn program() -> std::result::Result<Solve, Error> {
    cotangent::compile(|size: Acc<Ix0, (i32, i32)>| {
        let (anomalies, eccentricities) = size.the();
        generate(ix![eccentricities, anomalies], |ix![row, column]| {
            let anomaly = 2.0 * PI * (column.to_f64() + 0.5) / anomalies.to_f64();
            let eccentricity = MOST_ECCENTRIC * row.to_f64() / eccentricities.to_f64();
            solve(anomaly, eccentricity)
        })
    })
}

fn solve(anomaly: Exp<f64>, eccentricity: Exp<f64>) -> (Exp<f64>, Exp<i32>) {
    let residual = |x: Exp<f64>| x - eccentricity * x.sin() - anomaly;
    while_(
        |(x, _)| residual(x).abs().gt(ENOUGH),
        |_, (x, trips)| (x - residual(x) / (1.0 - eccentricity * x.cos()), trips + 1),
        (pi::<f64>(), 0),
    )
}

/// Runs the program.
///
/// # Errors
/// Where the sizes exceed what arrays may have, or the device fails.
pub fn run(program: &Solve, device: &Device, grid: Grid) -> Result<Vec<Solution>> {
    let anomalies = size("the number of anomalies", grid.anomalies)?;
    let eccentricities = size("the number of eccentricities", grid.eccentricities)?;
    let found = device.run(program, Array::scalar((anomalies, eccentricities)))?;
    Ok(found.into_vec())
}

/// The same in plain Rust.
pub fn reference(grid: Grid) -> Vec<Solution> {
    equations(grid)
        .map(|(m, e)| reference_solve(m, e))
        .collect()
}

fn reference_solve(anomaly: f64, eccentricity: f64) -> Solution {
    let (mut x, mut trips) = (PI, 0);
    loop {
        let residual = x - eccentricity * x.sin() - anomaly;
        if residual.abs() <= ENOUGH {
            return (x, trips);
        }
        x -= residual / (1.0 - eccentricity * x.cos());
        trips += 1;
    }
}

/// The anomaly and the eccentricity of each equation.
fn equations(grid: Grid) -> impl Iterator<Item = (f64, f64)> {
    let Grid {
        anomalies,
        eccentricities,
    } = grid;
    (0..anomalies * eccentricities).map(move |index| {
        let (row, column) = (index / anomalies, index % anomalies);
        let anomaly = 2.0 * PI * (column as f64 + 0.5) / anomalies as f64;
        (anomaly, MOST_ECCENTRIC * row as f64 / eccentricities as f64)
    })
}

/// The largest residual of what was found, or difference times slope; infinite where a solution is no number.
pub fn difference(grid: Grid, found: &[Solution], expected: &[Solution]) -> f64 {
    let apart = equations(grid).zip(found.iter().zip(expected));
    let apart = apart.flat_map(|((anomaly, e), (&(f, _), &(x, _)))| {
        let residual = f - e * f.sin() - anomaly;
        [residual.abs(), ((f - x) * (1.0 - e * x.cos())).abs()]
    });
    apart.fold(0.0, |most, d| {
        if d.is_nan() {
            f64::INFINITY
        } else {
            most.max(d)
        }
    })
}

/// Colours for trips: light where there were many.
pub fn colours(found: &[Solution]) -> Vec<[u8; 3]> {
    let most = found.iter().map(|s| s.1).max().unwrap_or(0).max(1);
    let colour = |s: &Solution| heat_colour(f64::from(s.1) / f64::from(most));
    found.iter().map(colour).collect()
}
