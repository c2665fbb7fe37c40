//! Programs of the benchmark suite GradBench, as `cpp/gradbench/evals/` and `tools/futhark/` of its repository define them:
//! those that are none of ADBench's tasks.
//!
//! Each is a function of this language, of its inputs; the tests compare its derivatives with those of [`plain`], the same
//! program in ordinary Rust, on dual numbers.

pub mod plain;
mod solver;

pub use solver::{Mode, Point, particle, saddle};

use cotangent::prelude::*;

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;
type Number = Acc<Z, f64>;

/// `hello`: the square of a number.
pub fn square(x: Number) -> Number {
    x.map(|x| x * x)
}

/// `lse`: ln Σ exp, with the maximum taken out.
pub fn log_sum_exp(x: Vector) -> Number {
    let top = x.maximum();
    let sum = x.map(|x| (x - top.the()).exp()).sum();
    sum.zip_with(top, |sum, top| sum.ln() + top)
}

/// `llsq`: how far a polynomial of coefficients x is from the sign function, at n points.
pub fn least_squares(x: Vector, n: Acc<Z, i32>) -> Number {
    let n = n.the();
    let residual = |i: Exp<i32>| {
        let t = -1.0 + i.to_f64() * 2.0 / (n - 1).to_f64();
        let step = |j, (sum, power): (Exp<f64>, Exp<f64>)| (sum - x.at(ix![j]) * power, power * t);
        iterate(x.size(), step, (t.signum(), constant(1.0))).0
    };
    let squares = generate(ix![n], |ix![i]| residual(i)).map(|r| r * r);
    squares.sum().map(|sum| sum / 2.0)
}

/// `det`: the determinant of a matrix of a size that the host knows, by minors.
pub fn determinant(size: usize) -> impl Fn(Matrix) -> Number + Copy {
    move |a: Matrix| unit(minor(a, &(0..size).collect::<Vec<_>>(), 0))
}

/// The determinant of the rows from `row` on, and of some columns.
fn minor(a: Matrix, columns: &[usize], row: usize) -> Exp<f64> {
    let mut sum = constant(if columns.is_empty() { 1.0 } else { 0.0 });
    for (j, &column) in columns.iter().enumerate() {
        let others: Vec<usize> = columns.iter().copied().filter(|&c| c != column).collect();
        let term = a.at(ix![row as i32, column as i32]) * minor(a, &others, row + 1);
        sum = if j % 2 == 0 { sum + term } else { sum - term };
    }
    sum
}

/// `ode`: y′₀ = x₀, y′ᵢ = xᵢ·yᵢ₋₁, from 0, until t = 2, by Runge's and Kutta's method.
pub fn runge_kutta<T: Float>(x: Acc<Ix1, T>, steps: Acc<Z, i32>) -> Acc<Ix1, T> {
    let steps = steps.the();
    let slope = |y: Acc<Ix1, T>| {
        let at = |i: Exp<i32>| cond(i.gt(0), x.at(ix![i]) * y.at(ix![i - 1]), x.at(ix![i]));
        generate(x.shape(), |ix![i]| at(i))
    };
    let along = |y: Acc<Ix1, T>, k: Acc<Ix1, T>, h: Exp<T>| y.zip_with(k, |y, k| y + h * k);
    let step = |_, y: Acc<Ix1, T>| {
        let h = 2.0 / steps.to::<T>();
        let k1 = slope(y);
        let k2 = slope(along(y, k1, h / 2.0));
        let k3 = slope(along(y, k2, h / 2.0));
        let k4 = slope(along(y, k3, h));
        let ends = k1.zip_with(k4, |a, d| a + d);
        let middle = k2.zip_with(k3, |b, c| 2.0 * b + 2.0 * c);
        along(y, ends.zip_with(middle, |e, m| e + m), h / 6.0)
    };
    let first = fill(x.shape(), constant(T::from_f64(0.0)));
    aiterate(steps, step, first)
}

/// The last element of [`runge_kutta`], of which `ode` asks the gradient.
pub fn last_of_runge_kutta<T: Float>(x: Acc<Ix1, T>, steps: Acc<Z, i32>) -> Acc<Z, T> {
    let y = runge_kutta(x, steps);
    unit(y.at(ix![y.size() - 1]))
}

/// `kmeans`: the sum of the squared distances of points \[n, d] from the nearest of the centres \[k, d].
pub fn k_means(points: Matrix, centres: Matrix) -> Number {
    let (ix![n, _], ix![k, _]) = (points.shape(), centres.shape());
    let differences = points
        .replicate(ix![All, k, All])
        .zip_with(centres.replicate(ix![n, All, All]), |p, c| c - p);
    differences.map(|d| d * d).sum().minimum().sum()
}

/// What `kmeans` asks: the gradient by the centres, divided by the diagonal of the Hessian, which has nothing else.
pub fn k_means_direction(points: Matrix, centres: Matrix) -> Matrix {
    let cost = |centres: Matrix| k_means(points, centres);
    let gradient = gradient_a(cost, centres);
    let diagonal = hvp_a(cost, centres, fill(centres.shape(), 1.0));
    gradient.zip_with(diagonal, |g, h| g / h)
}
