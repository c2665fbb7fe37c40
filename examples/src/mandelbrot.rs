//! The Mandelbrot set: how long each point of a grid stays within the circle of radius 2 under z ↦ z² + c.
//!
//! One `iterate_while` for each pixel; what differs from pixel to pixel is the number of trips.
//!
//! Agreement: of all pixels at most [`TOLERANCE`] have another number of trips than in the reference. Where an
//! engine rounds differently (a GPU may fuse a product with a sum), points near the border escape some trips sooner or later.

use crate::device::Device;
use crate::error::{Result, size};
use crate::picture::heat_colour;
use cotangent::prelude::*;
use cotangent::{Error, Program};

/// The share of pixels that may differ.
pub const TOLERANCE: f64 = 1e-3;
/// The left, the upper, the right and the lower border.
const FRAME: [f64; 4] = [-2.0, 1.0, 1.0, -1.0];

/// From width and height, and the most trips, to the trips of each pixel, row by row.
pub type Trips = Program<(Acc<Ix0, (i32, i32)>, Acc<Ix0, i32>), Acc<Ix2, i32>>;

/// The size of a picture, and the most trips.
#[derive(Clone, Copy, Debug)]
pub struct Picture {
    /// Pixels from left to right.
    pub width: usize,
    /// Pixels from top to bottom.
    pub height: usize,
    /// The most trips.
    pub trips: i32,
}

/// Compiles the program.
///
/// # Errors
/// None that sizes can cause.
pub fn program() -> std::result::Result<Trips, Error> {
    cotangent::compile(|size: Acc<Ix0, (i32, i32)>, trips: Acc<Ix0, i32>| {
        let (width, height) = size.the();
        let [left, top, right, bottom] = FRAME;
        generate(ix![height, width], |ix![row, column]| {
            let a = left + (right - left) * (column.to_f64() + 0.5) / width.to_f64();
            let b = top + (bottom - top) * (row.to_f64() + 0.5) / height.to_f64();
            escape(trips.the(), a, b)
        })
    })
}

/// The trips of one point.
fn escape(trips: Exp<i32>, a: Exp<f64>, b: Exp<f64>) -> Exp<i32> {
    let (_, _, trips) = iterate_while(
        trips,
        |(x, y, _)| (x * x + y * y).le(4.0),
        |_, (x, y, n)| (x * x - y * y + a, 2.0 * x * y + b, n + 1),
        (0.0_f64, 0.0_f64, 0),
    );
    trips
}

/// Runs the program.
///
/// # Errors
/// Where the sizes exceed what arrays may have, or the device fails.
pub fn run(program: &Trips, device: &Device, picture: Picture) -> Result<Vec<i32>> {
    let width = size("the width", picture.width)?;
    let height = size("the height", picture.height)?;
    let inputs = (Array::scalar((width, height)), Array::scalar(picture.trips));
    Ok(device.run(program, inputs)?.into_vec())
}

/// The same in plain Rust.
pub fn reference(picture: Picture) -> Vec<i32> {
    let Picture {
        width,
        height,
        trips,
    } = picture;
    let [left, top, right, bottom] = FRAME;
    let pixel = |index: usize| {
        let (row, column) = (index / width, index % width);
        let a = left + (right - left) * (column as f64 + 0.5) / width as f64;
        let b = top + (bottom - top) * (row as f64 + 0.5) / height as f64;
        reference_escape(trips, a, b)
    };
    (0..width * height).map(pixel).collect()
}

fn reference_escape(trips: i32, a: f64, b: f64) -> i32 {
    let (mut x, mut y, mut n) = (0.0, 0.0, 0);
    while n < trips && x * x + y * y <= 4.0 {
        (x, y) = (x * x - y * y + a, 2.0 * x * y + b);
        n += 1;
    }
    n
}

/// The share of pixels that differ.
pub fn difference(found: &[i32], expected: &[i32]) -> f64 {
    let pairs = found.iter().zip(expected);
    let differ = pairs.filter(|(f, e)| f != e).count() + found.len().abs_diff(expected.len());
    differ as f64 / expected.len().max(1) as f64
}

/// Colours for trips: light where points escape late, dark inside of the set.
pub fn colours(found: &[i32], trips: i32) -> Vec<[u8; 3]> {
    let most = f64::from(trips).ln_1p();
    let colour = |&n: &i32| match n < trips {
        true => heat_colour(f64::from(n).ln_1p() / most),
        false => [0; 3],
    };
    found.iter().map(colour).collect()
}
