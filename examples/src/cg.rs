//! Linear systems with a symmetric positive definite matrix, by conjugate gradients: with a dense matrix, and with a sparse
//! one, the Laplacian of a grid with five points.
//!
//! One `aiterate_while` until the residual is small. The same code is for both matrices, as what it needs of a matrix is only
//! its product with a vector.
//!
//! Agreement: of both solutions the residual, relative to the right side, is within [`TOLERANCE`]. Trips may differ by a few,
//! as rounding leads to other directions.

use crate::device::Device;
use crate::error::{Result, size};
use crate::sparse::{self, Rows, Sparse};
use cotangent::prelude::*;
use cotangent::{Error, Program};

/// The largest residual of a solution; ten times that where loops end, as those carry theirs along with roundings.
pub const TOLERANCE: f64 = 10.0 * ENOUGH;
/// The residual, relative to the right side, at which loops end.
pub const ENOUGH: f64 = 1e-9;

type Vector = Acc<Ix1, f64>;
type Number = Acc<Ix0, f64>;
type Count = Acc<Ix0, i32>;
/// The solution, its residual, the direction, the square of the residual, and trips.
type State = (Vector, Vector, Vector, Number, Count);

/// From a dense matrix, the right side and the most trips to the solution and trips.
pub type Dense = Program<(Acc<Ix2, f64>, Vector, Count), (Vector, Count)>;
/// The same for a sparse matrix.
pub type SparseRows = Program<(Rows, Vector, Count), (Vector, Count)>;

/// A linear system.
#[derive(Clone, Debug)]
pub struct Task<M> {
    /// The matrix.
    pub matrix: M,
    /// The right side.
    pub right: Vec<f64>,
    /// The most trips.
    pub trips: i32,
}

/// A square matrix, row by row.
#[derive(Clone, Debug)]
pub struct Square(pub Vec<f64>);

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The solution.
    pub x: Vec<f64>,
    /// How many trips were made.
    pub trips: i32,
}

/// Compiles the program for dense matrices.
///
/// # Errors
/// None that inputs can cause.
pub fn dense() -> std::result::Result<Dense, Error> {
    cotangent::compile(|matrix: Acc<Ix2, f64>, right: Vector, trips: Count| {
        let ix![rows, _] = matrix.shape();
        let times = |x: Vector| {
            matrix
                .zip_with(x.replicate(ix![rows, All]), |a, x| a * x)
                .sum()
        };
        solve(times, right, trips.the())
    })
}

/// Compiles the program for sparse matrices.
///
/// # Errors
/// None that inputs can cause.
pub fn sparse() -> std::result::Result<SparseRows, Error> {
    cotangent::compile(|matrix: Rows, right: Vector, trips: Count| {
        solve(|x| sparse::times(matrix, x), right, trips.the())
    })
}

/// Conjugate gradients, from 0.
fn solve(times: impl Fn(Vector) -> Vector, right: Vector, trips: Exp<i32>) -> (Vector, Count) {
    let square = dot(right, right);
    let enough = ENOUGH * ENOUGH * square.the();
    let start = (right.map(|_| constant(0.0)), right, right, square, unit(0));
    let goes_on = |(_, _, _, square, _): State| square.the().gt(enough);
    let (x, _, _, _, made) = aiterate_while(trips, goes_on, |_, state| step(&times, state), start);
    (x, made)
}

fn step(times: impl Fn(Vector) -> Vector, (x, rest, along, square, trips): State) -> State {
    let image = times(along);
    let length = square.the() / dot(along, image).the();
    let x = x.zip_with(along, |x, along| x + length * along);
    let rest = rest.zip_with(image, |rest, image| rest - length * image);
    let next = dot(rest, rest);
    let turn = next.the() / square.the();
    let along = rest.zip_with(along, |rest, along| rest + turn * along);
    (x, rest, along, next, trips.map(|trips| trips + 1))
}

fn dot(x: Vector, y: Vector) -> Number {
    x.zip_with(y, |x, y| x * y).sum()
}

/// Runs the program for dense matrices.
///
/// # Errors
/// Where the matrix is not square, or the device fails.
pub fn run_dense(program: &Dense, device: &Device, task: &Task<Square>) -> Result<Solution> {
    let rows = task.right.len();
    let matrix = Array::from_vec([rows, rows], task.matrix.0.clone()).map_err(Error::from)?;
    let (right, trips) = inputs(task)?;
    Ok(solution(device.run(program, (matrix, right, trips))?))
}

/// Runs the program for sparse matrices.
///
/// # Errors
/// Where the device fails.
pub fn run_sparse(program: &SparseRows, device: &Device, task: &Task<Sparse>) -> Result<Solution> {
    let (right, trips) = inputs(task)?;
    Ok(solution(
        device.run(program, (task.matrix.to_host()?, right, trips))?,
    ))
}

fn inputs<M>(task: &Task<M>) -> Result<(Array<Ix1, f64>, Array<Ix0, i32>)> {
    let right = Array::vector(task.right.clone()).map_err(Error::from)?;
    Ok((right, Array::scalar(task.trips)))
}

fn solution((x, trips): (Array<Ix1, f64>, Array<Ix0, i32>)) -> Solution {
    let (x, trips) = (x.into_vec(), trips.item());
    Solution { x, trips }
}

/// What plain Rust needs of a matrix.
pub trait Times {
    /// The product with a vector.
    fn times(&self, x: &[f64]) -> Vec<f64>;
}

impl Times for Square {
    fn times(&self, x: &[f64]) -> Vec<f64> {
        let rows = self.0.chunks_exact(x.len().max(1));
        rows.map(|row| reference_dot(row, x)).collect()
    }
}

impl Times for Sparse {
    fn times(&self, x: &[f64]) -> Vec<f64> {
        Sparse::times(self, x)
    }
}

/// The same in plain Rust.
pub fn reference<M: Times>(task: &Task<M>) -> Solution {
    let (mut x, mut rest, mut along) = (
        vec![0.0; task.right.len()],
        task.right.clone(),
        task.right.clone(),
    );
    let (mut square, mut trips) = (reference_dot(&rest, &rest), 0);
    let enough = ENOUGH * ENOUGH * square;
    while square > enough && trips < task.trips {
        let image = task.matrix.times(&along);
        let length = square / reference_dot(&along, &image);
        add(&mut x, length, &along);
        add(&mut rest, -length, &image);
        let next = reference_dot(&rest, &rest);
        let turn = next / square;
        let directions = along.iter_mut().zip(&rest);
        directions.for_each(|(along, rest)| *along = rest + turn * *along);
        square = next;
        trips += 1;
    }
    Solution { x, trips }
}

fn reference_dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn add(to: &mut [f64], factor: f64, x: &[f64]) {
    to.iter_mut().zip(x).for_each(|(to, x)| *to += factor * x);
}

/// The residual, relative to the right side; infinite where the solution has numbers that are none.
pub fn residual<M: Times>(task: &Task<M>, found: &Solution) -> f64 {
    let image = task.matrix.times(&found.x);
    let rest = task
        .right
        .iter()
        .zip(&image)
        .map(|(b, a)| (b - a) * (b - a));
    let norm = rest.sum::<f64>().sqrt();
    match norm {
        0.0 => 0.0,
        norm if norm.is_nan() => f64::INFINITY,
        norm => norm / reference_dot(&task.right, &task.right).sqrt(),
    }
}

/// A dense system: the inverse of 1 + the distance between positions, with more on the diagonal.
pub fn dense_task(rows: usize) -> Task<Square> {
    let entry = |index: usize| {
        let apart = (index / rows).abs_diff(index % rows);
        1.0 / (1.0 + apart as f64) + f64::from(u8::from(apart == 0))
    };
    Task {
        matrix: Square((0..rows * rows).map(entry).collect()),
        right: right_side(rows),
        trips: 10_000,
    }
}

/// The Laplacian of a square grid with the given side, and zeros around it.
///
/// # Errors
/// Where there are more points than an `i32` counts.
pub fn laplace_task(side: usize) -> Result<Task<Sparse>> {
    let (side, points) = (
        size("the side", side)?,
        size("the number of points", side * side)?,
    );
    let mut matrix = Sparse::new();
    for point in 0..points {
        let (i, j) = (point / side, point % side);
        let around = [
            (i > 0, -side),
            (j > 0, -1),
            (true, 0),
            (j < side - 1, 1),
            (i < side - 1, side),
        ];
        let there = around.into_iter().filter(|(is_inside, _)| *is_inside);
        let value = |apart: i32| if apart == 0 { 4.0 } else { -1.0 };
        matrix.push_row(there.map(|(_, apart)| (point + apart, value(apart))))?;
    }
    let right = right_side(matrix.starts.len() - 1);
    Ok(Task {
        matrix,
        right,
        trips: 10_000,
    })
}

fn right_side(rows: usize) -> Vec<f64> {
    (0..rows).map(|i| 1.0 + (i % 7) as f64).collect()
}
