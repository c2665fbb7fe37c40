//! The heat equation on a plate: in each step every point moves towards the mean of its four neighbours. Points at the
//! border are their own neighbours there, so that no heat is lost.
//!
//! One `aiterate`, whose state is the plate: the points of one step are computed in parallel.
//!
//! Agreement: all temperatures, which are from 0 to 1, within [`TOLERANCE`].

use crate::device::Device;
use crate::error::{Result, size};
use crate::picture::heat_colour;
use cotangent::prelude::*;
use cotangent::{Error, Program};
use rayon::prelude::*;

/// The largest difference of temperatures.
pub const TOLERANCE: f64 = 1e-12;
/// How far points move: the scheme is stable up to ¼.
const RATE: f64 = 0.2;

/// From a plate and a number of steps to the plate after these steps.
pub type Steps = Program<(Acc<Ix2, f64>, Acc<Ix0, i32>), Acc<Ix2, f64>>;

/// A plate, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Plate {
    /// Points from left to right.
    pub width: usize,
    /// Points from top to bottom.
    pub height: usize,
    /// The temperatures.
    pub points: Vec<f64>,
}

/// Compiles the program.
///
/// # Errors
/// None that inputs can cause.
pub fn program() -> std::result::Result<Steps, Error> {
    cotangent::compile(|plate: Acc<Ix2, f64>, steps: Acc<Ix0, i32>| {
        aiterate(steps.the(), |_, plate| step(plate), plate)
    })
}

fn step(plate: Acc<Ix2, f64>) -> Acc<Ix2, f64> {
    let ix![height, width] = plate.shape();
    generate(ix![height, width], |ix![i, j]| {
        let (up, down) = ((i - 1).max(0), (i + 1).min(height - 1));
        let (left, right) = ((j - 1).max(0), (j + 1).min(width - 1));
        let around = plate.at(ix![up, j])
            + plate.at(ix![down, j])
            + plate.at(ix![i, left])
            + plate.at(ix![i, right]);
        let here = plate.at(ix![i, j]);
        here + RATE * (around - 4.0 * here)
    })
}

/// Runs the program.
///
/// # Errors
/// Where the sizes exceed what arrays may have, or the device fails.
pub fn run(program: &Steps, device: &Device, plate: &Plate, steps: i32) -> Result<Plate> {
    let Plate {
        width,
        height,
        points,
    } = plate;
    size("the width", *width)?;
    size("the height", *height)?;
    let array = Array::from_vec([*height, *width], points.clone()).map_err(Error::from)?;
    let found = device.run(program, (array, Array::scalar(steps)))?;
    Ok(Plate {
        points: found.into_vec(),
        ..*plate
    })
}

/// The same in plain Rust: two plates that take turns, rows in parallel.
pub fn reference(plate: &Plate, steps: i32) -> Plate {
    let (mut now, mut next) = (plate.clone(), plate.clone());
    if plate.points.is_empty() {
        return now;
    }
    for _ in 0..steps {
        let rows = next.points.par_chunks_mut(plate.width).enumerate();
        rows.for_each(|(i, row)| reference_row(&now, i, row));
        std::mem::swap(&mut now, &mut next);
    }
    now
}

/// One row: its ends, and what is between them, which has all neighbours.
fn reference_row(plate: &Plate, i: usize, out: &mut [f64]) {
    let row = |i: usize| &plate.points[i * plate.width..][..plate.width];
    let last = plate.width - 1;
    let (up, here, down) = (
        row(i.saturating_sub(1)),
        row(i),
        row((i + 1).min(plate.height - 1)),
    );
    let point = |j: usize, left: usize, right: usize| {
        here[j] + RATE * (up[j] + down[j] + here[left] + here[right] - 4.0 * here[j])
    };
    out[0] = point(0, 0, 1.min(last));
    out[last] = point(last, last.saturating_sub(1), last);
    let rows = up.windows(3).zip(here.windows(3)).zip(down.windows(3));
    for (((up, here), down), out) in rows.zip(&mut out[1..]) {
        *out = here[1] + RATE * (up[1] + down[1] + here[0] + here[2] - 4.0 * here[1]);
    }
}

/// A cold plate with two hot discs.
pub fn start(width: usize, height: usize) -> Plate {
    let side = width.min(height) as f64;
    let disc = |x: f64, y: f64| (x * x + y * y).sqrt() < 0.15 * side;
    let point = |index: usize| {
        let (x, y) = ((index % width) as f64, (index / width) as f64);
        let (centre_x, centre_y) = (0.5 * width as f64, 0.5 * height as f64);
        let (x, y) = (x - centre_x, y - centre_y);
        let is_hot = disc(x - 0.2 * side, y) || disc(x + 0.2 * side, y - 0.1 * side);
        f64::from(u8::from(is_hot))
    };
    let points = (0..width * height).map(point).collect();
    Plate {
        width,
        height,
        points,
    }
}

/// The largest difference; infinite where a temperature is no number.
pub fn difference(found: &Plate, expected: &Plate) -> f64 {
    let apart = found
        .points
        .iter()
        .zip(&expected.points)
        .map(|(f, e)| (f - e).abs());
    apart.fold(0.0, |most, d| {
        if d.is_nan() {
            f64::INFINITY
        } else {
            most.max(d)
        }
    })
}

/// Colours for temperatures.
pub fn colours(plate: &Plate) -> Vec<[u8; 3]> {
    plate.points.iter().map(|&t| heat_colour(t)).collect()
}
