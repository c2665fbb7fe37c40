//! The model in plain Rust, and its Jacobian by numbers with a derivative, one direction after the other.
//!
//! Each bone is turned about its first, second and third axis, R = R₃R₂R₁, and moved with the bone that it is joined to:
//! Aᵢ = A_parent · Bᵢ · R. A point p of the skin is at Σᵢ wᵢ Aᵢ Bᵢ⁻¹ p, and after that rotated about an axis and translated
//! with the whole hand. A residual is what was measured less a point of the skin, or less the point of a triangle with
//! barycentric coordinates u₁, u₂ and 1 - u₁ - u₂.

use super::input::HandInput;
use super::{THETA, angles};
use std::ops::{Add, Mul, Neg, Sub};

/// A number and its derivative in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Dual {
    value: f64,
    tangent: f64,
}

impl From<f64> for Dual {
    fn from(value: f64) -> Self {
        let tangent = 0.0;
        Self { value, tangent }
    }
}

impl Add for Dual {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.with(self.value + other.value, self.tangent + other.tangent)
    }
}

impl Sub for Dual {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        self.with(-self.value, -self.tangent)
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let tangent = self.tangent * other.value + self.value * other.tangent;
        self.with(self.value * other.value, tangent)
    }
}

impl Dual {
    fn with(self, value: f64, tangent: f64) -> Self {
        Self { value, tangent }
    }

    /// A function of this number.
    fn map(self, value: f64, derivative: f64) -> Self {
        self.with(value, derivative * self.tangent)
    }

    fn sin(self) -> Self {
        self.map(self.value.sin(), self.value.cos())
    }

    fn cos(self) -> Self {
        self.map(self.value.cos(), -self.value.sin())
    }

    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.map(root, 0.5 / root)
    }

    fn reciprocal(self) -> Self {
        let value = 1.0 / self.value;
        self.map(value, -value * value)
    }
}

/// A matrix of three rows and four columns: a linear map and a translation.
type Transform = [[Dual; 4]; 3];

fn composed(a: &Transform, b: &Transform) -> Transform {
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let translation = if j == 3 { a[i][3] } else { Dual::default() };
            (0..3).fold(translation, |sum, k| sum + a[i][k] * b[k][j])
        })
    })
}

fn transform(matrix: &[f64; 16]) -> Transform {
    std::array::from_fn(|i| std::array::from_fn(|j| matrix[4 * i + j].into()))
}

/// A turn about the first axis, then the third one.
fn turned(first: Dual, third: Dual) -> Transform {
    let (zero, one) = (Dual::default(), Dual::from(1.0));
    let about_first = [
        [one, zero, zero, zero],
        [zero, first.cos(), -first.sin(), zero],
        [zero, first.sin(), first.cos(), zero],
    ];
    let about_third = [
        [third.cos(), -third.sin(), zero, zero],
        [third.sin(), third.cos(), zero, zero],
        [zero, zero, one, zero],
    ];
    composed(&about_third, &about_first)
}

/// The rotation about an axis by its length; none where that is less than 1e-4.
fn rotation(axis: [Dual; 3]) -> [[Dual; 3]; 3] {
    let one = Dual::from(1.0);
    let squares = axis.map(|x| x * x);
    let angle = squares[0] + squares[1] + squares[2];
    if angle.value.sqrt() < 1e-4 {
        let of = |i, j| if i == j { one } else { Dual::default() };
        return std::array::from_fn(|i| std::array::from_fn(|j| of(i, j)));
    }
    let angle = angle.sqrt();
    let (sin, cos) = (angle.sin(), angle.cos());
    let [x, y, z] = axis.map(|x| x * angle.reciprocal());
    let diagonal = |x: Dual| x * x + (one - x * x) * cos;
    let (xy, xz, yz) = (
        x * y * (one - cos),
        x * z * (one - cos),
        y * z * (one - cos),
    );
    [
        [diagonal(x), xy - z * sin, xz + y * sin],
        [xy + z * sin, diagonal(y), yz - x * sin],
        [xz - y * sin, yz + x * sin, diagonal(z)],
    ]
}

/// What moves each bone's points from where they are at rest.
fn transforms(input: &HandInput, theta: &[Dual]) -> Vec<Transform> {
    let mut absolute: Vec<Transform> = vec![];
    for (number, bone) in input.model.bones.iter().enumerate() {
        let [first, third] =
            angles(number).map(|angle| angle.map_or(Dual::default(), |at| theta[at]));
        let relative = composed(&transform(&bone.relative), &turned(first, third));
        absolute.push(match bone.parent {
            None => relative,
            Some(parent) => composed(&absolute[parent], &relative),
        });
    }
    let bones = input.model.bones.iter().zip(&absolute);
    bones
        .map(|(bone, at)| composed(at, &transform(&bone.inverse)))
        .collect()
}

/// The points of the skin in a pose.
fn skin(input: &HandInput, theta: &[Dual]) -> Vec<[Dual; 3]> {
    let transforms = transforms(input, theta);
    let global = rotation([theta[0], theta[1], theta[2]]);
    let of_vertex = |(position, weights): (&[f64], &[f64])| {
        let mut sum = [Dual::default(); 3];
        for (transform, &weight) in transforms.iter().zip(weights) {
            for (sum, row) in sum.iter_mut().zip(transform) {
                let at = (0..3).fold(row[3], |at, k| at + row[k] * position[k].into());
                *sum = *sum + at * weight.into();
            }
        }
        std::array::from_fn(|i| (0..3).fold(theta[3 + i], |at, k| at + global[i][k] * sum[k]))
    };
    let positions = input.model.positions.chunks(3);
    positions
        .zip(input.model.weights.chunks(super::BONES))
        .map(of_vertex)
        .collect()
}

/// The residuals, \[n, 3], in a direction: of the parameters, and of the coordinates of all points.
fn along(input: &HandInput, theta: [f64; THETA], u: [f64; 2]) -> Vec<Dual> {
    let theta: Vec<Dual> = (input.theta.iter().zip(theta))
        .map(|(&value, tangent)| Dual { value, tangent })
        .collect();
    let skin = skin(input, &theta);
    let point = |i: usize| {
        let at = input.correspondences[i];
        let Some(us) = &input.us else {
            return skin[at];
        };
        let coordinate = |k: usize| Dual {
            value: us[2 * i + k],
            tangent: u[k],
        };
        let (first, second) = (coordinate(0), coordinate(1));
        let parts = [first, second, Dual::from(1.0) - first - second];
        let corners = input.model.triangles[at].map(|corner| skin[corner]);
        std::array::from_fn(|j| (0..3).fold(Dual::default(), |at, k| at + parts[k] * corners[k][j]))
    };
    let rows = (0..input.len()).map(|i| (point(i), &input.points[3 * i..3 * i + 3]));
    rows.flat_map(|(at, measured)| {
        std::array::from_fn::<_, 3, _>(|j| Dual::from(measured[j]) - at[j])
    })
    .collect()
}

/// The residuals, \[n, 3].
pub fn residuals(input: &HandInput) -> Vec<f64> {
    let all = along(input, [0.0; THETA], [0.0; 2]);
    all.iter().map(|x| x.value).collect()
}

/// The Jacobian, \[n, 3, [`columns`](HandInput::columns)].
pub fn jacobian(input: &HandInput) -> Vec<f64> {
    let unit = |k: usize, at: usize| f64::from(k == at);
    let mut columns = vec![];
    if input.us.is_some() {
        columns.extend([0, 1].map(|k| along(input, [0.0; THETA], [unit(k, 0), unit(k, 1)])));
    }
    let of_theta = |k: usize| along(input, std::array::from_fn(|at| unit(k, at)), [0.0; 2]);
    columns.extend((0..THETA).map(of_theta));
    let rows = 0..3 * input.len();
    rows.flat_map(|row| columns.iter().map(move |column| column[row].tangent))
        .collect()
}
