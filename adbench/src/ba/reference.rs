//! BA in plain Rust: residuals over any number type, and the Jacobian by dual numbers.
//!
//! Camera \[r, C, f, u₀ v₀, k₁ k₂]; with θ = ‖r‖ and w = r/θ: Xo = X − C;
//! Xc = Xo cos θ + (w×Xo) sin θ + w(w·Xo)(1 − cos θ), or Xo + r×Xo where θ² = 0;
//! p = Xc.xy / Xc.z, s = ‖p‖², p ← f·p(1 + k₁s + k₂s²) + (u₀, v₀); residual = weight·(p − feature), weight
//! error = 1 − weight².

use super::input::BaInput;
use super::sparse::{self, Csr};
use super::{CAMERA, LOCAL};
use std::array::from_fn;
use std::ops::{Add, Mul, Sub};

/// What the residual needs of a number.
pub trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// A constant.
    fn constant(x: f64) -> Self;
    /// The value without derivatives.
    fn value(self) -> f64;
    /// `f(self)`, where `f` has the value and the derivative given.
    fn chain(self, value: f64, derivative: f64) -> Self;
}

impl Real for f64 {
    fn constant(x: f64) -> Self {
        x
    }
    fn value(self) -> f64 {
        self
    }
    fn chain(self, value: f64, _derivative: f64) -> Self {
        value
    }
}

/// A value with its partial derivatives by the parameters of one observation.
#[derive(Clone, Copy, Debug)]
pub struct Dual {
    value: f64,
    partials: [f64; LOCAL],
}

impl Dual {
    fn variable(value: f64, position: usize) -> Self {
        Self {
            value,
            partials: from_fn(|i| f64::from(u8::from(i == position))),
        }
    }
}

impl Dual {
    fn plus_partials(mut self, other: Self) -> Self {
        self.partials
            .iter_mut()
            .zip(other.partials)
            .for_each(|(x, y)| *x += y);
        self
    }
}

impl Real for Dual {
    fn constant(value: f64) -> Self {
        Self {
            value,
            partials: [0.0; LOCAL],
        }
    }
    fn value(self) -> f64 {
        self.value
    }
    fn chain(self, value: f64, derivative: f64) -> Self {
        Self {
            value,
            partials: self.partials.map(|p| derivative * p),
        }
    }
}

impl Add for Dual {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let value = self.value + other.value;
        Self {
            value,
            ..self.plus_partials(other)
        }
    }
}

impl Sub for Dual {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        let partials = from_fn(|i| self.partials[i] - other.partials[i]);
        Self {
            value: self.value - other.value,
            partials,
        }
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (left, right) = (self.chain(0.0, other.value), other.chain(0.0, self.value));
        let value = self.value * other.value;
        Self {
            value,
            ..left.plus_partials(right)
        }
    }
}

fn dot<T: Real>(x: [T; 3], y: [T; 3]) -> T {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

fn cross<T: Real>(x: [T; 3], y: [T; 3]) -> [T; 3] {
    from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        x[j] * y[k] - x[k] * y[j]
    })
}

fn reciprocal<T: Real>(x: T) -> T {
    let r = 1.0 / x.value();
    x.chain(r, -r * r)
}

fn rotate<T: Real>(r: [T; 3], x: [T; 3]) -> [T; 3] {
    let square = dot(r, r);
    if square.value() == 0.0 {
        let turned = cross(r, x);
        return from_fn(|i| x[i] + turned[i]);
    }
    let root = square.value().sqrt();
    let theta = square.chain(root, 0.5 / root);
    let (sin, cos) = theta.value().sin_cos();
    let (sin, cos) = (theta.chain(sin, cos), theta.chain(cos, -sin));
    let w = r.map(|r| r * reciprocal(theta));
    let (turned, along) = (cross(w, x), dot(w, x) * (T::constant(1.0) - cos));
    from_fn(|i| x[i] * cos + turned[i] * sin + w[i] * along)
}

/// The two residuals of one observation.
pub fn residual<T: Real>(
    camera: [T; CAMERA],
    point: [T; 3],
    weight: T,
    feature: [f64; 2],
) -> [T; 2] {
    let [r0, r1, r2, c0, c1, c2, f, u0, v0, k1, k2] = camera;
    let centre = [c0, c1, c2];
    let local = rotate([r0, r1, r2], from_fn(|i| point[i] - centre[i]));
    let inverse_depth = reciprocal(local[2]);
    let (x, y) = (local[0] * inverse_depth, local[1] * inverse_depth);
    let s = x * x + y * y;
    let scale = f * (T::constant(1.0) + k1 * s + k2 * s * s);
    let project = |p: T, origin: T, seen: f64| weight * (p * scale + origin - T::constant(seen));
    [project(x, u0, feature[0]), project(y, v0, feature[1])]
}

fn local<T: Real>(input: &BaInput, i: usize, lift: impl Fn(f64, usize) -> T) -> [T; 2] {
    let (camera, point) = input.observations[i];
    let (camera, point) = (input.cameras[camera as usize], input.points[point as usize]);
    residual(
        from_fn(|j| lift(camera[j], j)),
        from_fn(|j| lift(point[j], CAMERA + j)),
        lift(input.weights[i], CAMERA + 3),
        input.features[i],
    )
}

/// All residuals \[p, 2] and weight errors \[p].
pub fn objective(input: &BaInput) -> (Vec<f64>, Vec<f64>) {
    let residuals = (0..input.observations.len()).flat_map(|i| local(input, i, |x, _| x));
    (
        residuals.collect(),
        input.weights.iter().map(|w| 1.0 - w * w).collect(),
    )
}

/// The Jacobian.
pub fn jacobian(input: &BaInput) -> Csr {
    let (n, m, p) = input.sizes();
    let rows = (0..p).flat_map(|i| local(input, i, Dual::variable));
    Csr {
        columns: CAMERA * n + 3 * m + p,
        rows: sparse::row_starts(p),
        cols: sparse::columns(n, m, &input.observations),
        values: rows
            .flat_map(|row| row.partials)
            .chain(input.weights.iter().map(|w| -2.0 * w))
            .collect(),
    }
}
