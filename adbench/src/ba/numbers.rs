//! The numbers that the reference computes with: floats, floats with a bound of their rounding errors, and either
//! of these with partial derivatives.

use super::LOCAL;
use std::array::from_fn;
use std::ops::{Add, Mul, Sub};

/// What the residual needs of a number.
pub trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// A constant that every precision has.
    fn constant(x: f64) -> Self;
    /// A number of the input, which may be rounded on its way into a program.
    fn input(x: f64) -> Self;
    /// The number alone.
    fn value(self) -> f64;
    /// 1/x.
    fn reciprocal(self) -> Self;
    /// √x.
    fn sqrt(self) -> Self;
    /// The sine.
    fn sin(self) -> Self;
    /// The cosine.
    fn cos(self) -> Self;
    /// Stumpff's function number `k`, Σⱼ (−x)ʲ/(k + 2j)!, for x ≥ 0: the cosine of √x, sin √x/√x, (1 − cos √x)/x and so on.
    fn stumpff(self, k: u32) -> Self;
    /// Its derivative, which is made of the next two.
    fn stumpff_derivative(self, k: u32) -> Self {
        Self::constant(0.5) * (Self::constant(k.into()) * self.stumpff(k + 2) - self.stumpff(k + 1))
    }
}

/// Stumpff functions: the series where that is short, and else the recurrence from cosine and sine.
fn stumpff(x: f64, k: u32) -> f64 {
    let inverse_factorial = |n: u32| 1.0 / (1..=n).map(f64::from).product::<f64>();
    if x < 1.0 {
        let term = |j: u32| {
            (1..=j).fold(inverse_factorial(k), |term, i| {
                let n = f64::from(k + 2 * i);
                -term * x / (n * (n - 1.0))
            })
        };
        return (0..12).rev().map(term).sum();
    }
    match k {
        0 => x.sqrt().cos(),
        1 => x.sqrt().sin() / x.sqrt(),
        k => (inverse_factorial(k - 2) - stumpff(x, k - 2)) / x,
    }
}

impl Real for f64 {
    fn constant(x: f64) -> Self {
        x
    }
    fn input(x: f64) -> Self {
        x
    }
    fn value(self) -> f64 {
        self
    }
    fn reciprocal(self) -> Self {
        1.0 / self
    }
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    fn sin(self) -> Self {
        f64::sin(self)
    }
    fn cos(self) -> Self {
        f64::cos(self)
    }
    fn stumpff(self, k: u32) -> Self {
        stumpff(self, k)
    }
}

/// A number, and by how much rounding may change it to first order, in units of the unit roundoff: what an operation
/// inherits from its operands, and its own result once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounded {
    /// The number, computed in f64.
    pub value: f64,
    /// The bound.
    pub error: f64,
}

/// How many roundings a function counts for: its own, and what it is computed through.
const FUNCTION: f64 = 4.0;

impl Bounded {
    fn rounded(value: f64, inherited: f64) -> Self {
        let error = inherited + value.abs();
        Self { value, error }
    }

    /// A function of this number.
    fn function(self, value: f64, derivative: f64) -> Self {
        let inherited = derivative.abs() * self.error + FUNCTION * value.abs();
        Self::rounded(value, inherited)
    }
}

impl Real for Bounded {
    fn constant(value: f64) -> Self {
        Self { value, error: 0.0 }
    }
    fn input(value: f64) -> Self {
        Self::rounded(value, 0.0)
    }
    fn value(self) -> f64 {
        self.value
    }
    fn reciprocal(self) -> Self {
        let value = 1.0 / self.value;
        self.function(value, value * value)
    }
    fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        self.function(value, 0.5 / value)
    }
    fn sin(self) -> Self {
        self.function(self.value.sin(), self.value.cos())
    }
    fn cos(self) -> Self {
        self.function(self.value.cos(), self.value.sin())
    }
    fn stumpff(self, k: u32) -> Self {
        // Programs compute through the root, and round that.
        let through = Self {
            error: self.error + FUNCTION * self.value,
            ..self
        };
        through.function(stumpff(self.value, k), self.value.stumpff_derivative(k))
    }
    fn stumpff_derivative(self, k: u32) -> Self {
        let value = self.value.stumpff_derivative(k);
        let curvature = 0.5
            * (f64::from(k) * self.value.stumpff_derivative(k + 2)
                - self.value.stumpff_derivative(k + 1));
        // Programs divide a difference of numbers as large as the function by its argument, unless that is tiny; only
        // the cosine's derivative is none.
        let cancelled = match k > 0 && self.value > f64::MIN_POSITIVE {
            true => FUNCTION * stumpff(self.value, k).abs() / self.value,
            false => 0.0,
        };
        let Self { value, error } = self.function(value, curvature);
        Self {
            value,
            error: error + cancelled,
        }
    }
}

impl Add for Bounded {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::rounded(self.value + other.value, self.error + other.error)
    }
}

impl Sub for Bounded {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::rounded(self.value - other.value, self.error + other.error)
    }
}

impl Mul for Bounded {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let inherited = self.value.abs() * other.error + other.value.abs() * self.error;
        Self::rounded(self.value * other.value, inherited)
    }
}

/// A number with its partial derivatives by the parameters of one observation.
#[derive(Clone, Copy, Debug)]
pub struct Dual<R> {
    /// The number.
    pub value: R,
    /// Its derivatives.
    pub partials: [R; LOCAL],
}

impl<R: Real> Dual<R> {
    /// Parameter number `position`.
    pub fn variable(value: f64, position: usize) -> Self {
        Self {
            value: R::input(value),
            partials: from_fn(|i| R::constant(f64::from(u8::from(i == position)))),
        }
    }

    fn without_partials(value: R) -> Self {
        Self {
            value,
            partials: [R::constant(0.0); LOCAL],
        }
    }

    /// A function of this number, given its value and its derivative there.
    fn function(self, value: R, derivative: R) -> Self {
        Self {
            value,
            partials: self.partials.map(|p| derivative * p),
        }
    }

    /// By the product rule.
    fn product(self, other: Self) -> Self {
        let value = self.value * other.value;
        let (left, right) = (
            self.function(value, other.value),
            other.function(value, self.value),
        );
        left.partial_by_partial(right, value, |x, y| x + y)
    }

    fn partial_by_partial(self, other: Self, value: R, both: impl Fn(R, R) -> R) -> Self {
        Self {
            value,
            partials: from_fn(|i| both(self.partials[i], other.partials[i])),
        }
    }
}

impl<R: Real> Real for Dual<R> {
    fn constant(x: f64) -> Self {
        Self::without_partials(R::constant(x))
    }
    fn input(x: f64) -> Self {
        Self::without_partials(R::input(x))
    }
    fn value(self) -> f64 {
        self.value.value()
    }
    fn reciprocal(self) -> Self {
        let inverse = self.value.reciprocal();
        self.function(inverse, R::constant(-1.0) * inverse * inverse)
    }
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.function(root, R::constant(0.5) * root.reciprocal())
    }
    fn sin(self) -> Self {
        self.function(self.value.sin(), self.value.cos())
    }
    fn cos(self) -> Self {
        self.function(self.value.cos(), R::constant(-1.0) * self.value.sin())
    }
    fn stumpff(self, k: u32) -> Self {
        self.function(self.value.stumpff(k), self.value.stumpff_derivative(k))
    }
}

impl<R: Real> Add for Dual<R> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.partial_by_partial(other, self.value + other.value, |x, y| x + y)
    }
}

impl<R: Real> Sub for Dual<R> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.partial_by_partial(other, self.value - other.value, |x, y| x - y)
    }
}

impl<R: Real> Mul for Dual<R> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.product(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stumpff_functions() {
        let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-14, "{x} {y}");
        for x in [1e-3f64, 0.3, 0.999_999, 1.000_001, 4.0, 30.0] {
            let angle = x.sqrt();
            near(stumpff(x, 0), angle.cos());
            near(stumpff(x, 1), angle.sin() / angle);
            near(stumpff(x, 2), 2.0 * (0.5 * angle).sin().powi(2) / x);
            for k in 0..3 {
                let quotient = (stumpff(x + 1e-5, k) - stumpff(x - 1e-5, k)) / 2e-5;
                assert!((quotient - x.stumpff_derivative(k)).abs() < 1e-9, "{x} {k}");
            }
        }
        assert_eq!(
            [0, 1, 2, 3].map(|k| stumpff(0.0, k)),
            [1.0, 1.0, 0.5, 1.0 / 6.0]
        );
        assert!(stumpff(f64::NAN, 2).is_nan());
    }

    #[test]
    fn bounds_know_of_cancellation() {
        let (x, y) = (Bounded::input(1000.0), Bounded::input(999.0));
        assert_eq!((x - y).error, 2000.0);
        assert_eq!((x * y).error, 3.0 * 999_000.0);
        assert_eq!(Bounded::constant(2.0).error, 0.0);
    }
}
