//! BA in plain Rust: residuals over any number type, and the Jacobian by dual numbers.
//!
//! Camera \[r, C, f, u₀ v₀, k₁ k₂]; with θ = ‖r‖ and Xo = X − C, by Rodrigues:
//! Xc = Xo cos θ + (r×Xo) sin θ/θ + r(r·Xo) (1 − cos θ)/θ², whose factors are Stumpff functions of θ² and have no
//! singularity; p = Xc.xy / Xc.z, s = ‖p‖², p ← f·p(1 + k₁s + k₂s²) + (u₀, v₀); residual = weight·(p − feature),
//! weight error = 1 − weight².

use super::input::BaInput;
use super::numbers::{Dual, Real};
use super::sparse::{self, Csr};
use super::{CAMERA, LOCAL};
use crate::input::{InputError, reserve};
use std::array::from_fn;

/// Axes are divided by this where their square might overflow.
const VAST: f64 = f64::from_bits((1023 + 520) << 52);

fn dot<T: Real>(x: [T; 3], y: [T; 3]) -> T {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

fn cross<T: Real>(x: [T; 3], y: [T; 3]) -> [T; 3] {
    from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        x[j] * y[k] - x[k] * y[j]
    })
}

fn rotate<T: Real>(r: [T; 3], x: [T; 3]) -> [T; 3] {
    let square = dot(r, r);
    if square.value() > VAST {
        return rotate_by_vast_angle(r, x);
    }
    let [cos, sin, along] = [0, 1, 2].map(|k| square.stumpff(k));
    let (turned, along) = (cross(r, x), dot(r, x) * along);
    from_fn(|i| x[i] * cos + turned[i] * sin + r[i] * along)
}

/// The same through the axis of length 1, as the square of `r` is too large.
fn rotate_by_vast_angle<T: Real>(r: [T; 3], x: [T; 3]) -> [T; 3] {
    let part = r.map(|r| r * T::constant(1.0 / VAST));
    let length = dot(part, part).sqrt();
    let axis = part.map(|r| r * length.reciprocal());
    let half = length * T::constant(0.5 * VAST);
    let (sin, cos) = (half.sin(), half.cos());
    let two = T::constant(2.0);
    let along = dot(axis, x) * (two * sin * sin);
    let turned = cross(axis, x);
    from_fn(|i| x[i] * (cos * cos - sin * sin) + turned[i] * (two * sin * cos) + axis[i] * along)
}

/// The two residuals of one observation.
pub fn residual<T: Real>(camera: [T; CAMERA], point: [T; 3], weight: T, feature: [T; 2]) -> [T; 2] {
    let [r0, r1, r2, c0, c1, c2, f, u0, v0, k1, k2] = camera;
    let centre = [c0, c1, c2];
    let local = rotate([r0, r1, r2], from_fn(|i| point[i] - centre[i]));
    let inverse_depth = local[2].reciprocal();
    let (x, y) = (local[0] * inverse_depth, local[1] * inverse_depth);
    let s = x * x + y * y;
    let scale = f * (T::constant(1.0) + k1 * s + k2 * s * s);
    let project = |p: T, origin: T, seen: T| weight * (p * scale + origin - seen);
    [project(x, u0, feature[0]), project(y, v0, feature[1])]
}

fn local<T: Real>(input: &BaInput, i: usize, lift: impl Fn(f64, usize) -> T) -> [T; 2] {
    let (camera, point) = input.observations[i];
    let (camera, point) = (input.cameras[camera as usize], input.points[point as usize]);
    residual(
        from_fn(|j| lift(camera[j], j)),
        from_fn(|j| lift(point[j], CAMERA + j)),
        lift(input.weights[i], CAMERA + 3),
        input.features[i].map(T::input),
    )
}

/// The residuals \[p, 2].
pub fn residuals<T: Real>(input: &BaInput) -> impl Iterator<Item = T> {
    (0..input.observations.len()).flat_map(|i| local(input, i, |x, _| T::input(x)))
}

/// The weight errors \[p].
pub fn weight_errors<T: Real>(input: &BaInput) -> impl Iterator<Item = T> {
    let weights = input.weights.iter().map(|&w| T::input(w));
    weights.map(|w| T::constant(1.0) - w * w)
}

/// The values of the Jacobian, in the order of their rows.
pub fn values<T: Real>(input: &BaInput) -> impl Iterator<Item = T> {
    let rows = (0..input.observations.len()).flat_map(|i| local(input, i, Dual::<T>::variable));
    let weights = input.weights.iter().map(|&w| T::input(w));
    rows.flat_map(|row| row.partials)
        .chain(weights.map(|w| T::constant(-2.0) * w))
}

/// All residuals \[p, 2] and weight errors \[p].
///
/// # Errors
/// Where there is no memory for them.
pub fn objective(input: &BaInput) -> Result<(Vec<f64>, Vec<f64>), InputError> {
    let p = input.observations.len();
    Ok((
        all(2 * p, "the residuals", residuals(input))?,
        all(p, "the weight errors", weight_errors(input))?,
    ))
}

/// The Jacobian.
///
/// # Errors
/// Where there is no memory for it.
pub fn jacobian(input: &BaInput) -> Result<Csr, InputError> {
    let p = input.observations.len();
    let len = (2 * LOCAL + 1) * p;
    Ok(Csr {
        columns: sparse::column_count(input),
        rows: all(3 * p + 1, "the Jacobian's rows", sparse::row_starts(p))?,
        cols: all(len, "the Jacobian's columns", sparse::columns(input))?,
        values: all(len, "the Jacobian's values", values(input))?,
    })
}

fn all<T>(len: usize, what: &str, values: impl Iterator<Item = T>) -> Result<Vec<T>, InputError> {
    let mut out = reserve(len, what)?;
    out.extend(values);
    Ok(out)
}
