//! Special functions: the error function and the logarithm of the gamma function, with what belongs to them.
//!
//! All are made of other functions, with coefficients for each type; `f16` goes by `f32`. The methods are
//!
//! - near 0, erf x = x · p(x²) with a polynomial p; further out, erfc x = e^(−x²) · (1 + r(s)) / (1 + 2x) with a polynomial r of
//!   s = (a·x − b) / (x + 2), which goes from −1 to 1, and with the roundings of x², of the denominator and of the quotient made good;
//! - Stirling's series from 10 on, to which smaller numbers are brought by Γ(x + 1) = x Γ(x), and those below ½ by
//!   Γ(x) Γ(1 − x) = π / sin πx (Abramowitz and Stegun, *Handbook of Mathematical Functions*, 6.1 and 6.3).

use super::super::custom::custom_vjp_e;
use super::super::functions::cond;
use super::super::lift::literal;
use super::super::scalar::{Exp, Float, Scalar};
use super::super::session::Call;
use crate::types::ScalarType;
use std::f64::consts::{FRAC_2_SQRT_PI, PI};

/// Of the polynomial for erf x / x, less 1, in x², where x² ≤ 1; lowest first. Interpolated at Chebyshev's points with 50 digits.
const NEAR: [f64; 15] = [
    0.1283791670955126,
    -0.37612638903183754,
    0.11283791670955126,
    -0.026866170645131218,
    0.005223977625441674,
    -0.0008548327023403001,
    0.00012055332978879483,
    -1.4925650236967501e-5,
    1.6462110782018636e-6,
    -1.636576864883207e-7,
    1.4806027146128752e-8,
    -1.2277734486795524e-9,
    9.323723518153027e-11,
    -6.1967364287877e-12,
    2.8067128195611264e-13,
];

const NEAR_SINGLE: [f64; 9] = [
    0.1283791670946768,
    -0.3761263888963531,
    0.11283791308604582,
    -0.026866133235095593,
    0.005223783477189248,
    -0.0008542637997087229,
    0.0001195656256820733,
    -1.3909340021874599e-5,
    1.058938064107502e-6,
];

/// Of the polynomial for e^(x²) · erfc x · (1 + 2x), less 1, in s, from x = ½ to where erfc x is less than all positive numbers.
const FAR: [f64; 24] = [
    0.26202965718162063,
    -0.09446340421414474,
    -0.057188123410173514,
    0.052896750747720156,
    -0.016536408016022953,
    -0.00016757841790395213,
    0.0014168882554153927,
    -5.69532784380552e-5,
    -0.00014890090805329772,
    -2.5458011033153463e-6,
    1.7896459641162885e-5,
    2.939558650354936e-6,
    -1.9152013094821243e-6,
    -8.338708280589347e-7,
    8.276543402083631e-8,
    1.5286080842004118e-7,
    3.253036606518901e-8,
    -1.5390256914608706e-8,
    -1.117259310644074e-8,
    -9.782622240478915e-10,
    1.8272727536018239e-9,
    6.568172163851365e-10,
    -1.3856489656831379e-10,
    -8.587786930251756e-11,
];

const FAR_SINGLE: [f64; 12] = [
    0.2711654789629521,
    -0.07239911062781063,
    -0.06001804731920645,
    0.04297221462325711,
    -0.010458055815456417,
    -0.0006092400178987752,
    0.0007317093093559355,
    2.922240128576808e-5,
    -5.676726029309931e-5,
    -6.560233448232596e-6,
    3.7891203619196786e-6,
    8.924111496294308e-7,
];

/// Stirling's series of ln Γ: B₂ₖ / (2k(2k − 1)), from k = 1 on.
const STIRLING: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360_360.0,
    1.0 / 156.0,
    -3617.0 / 122_400.0,
];

/// The series of its derivative: −B₂ₖ / 2k.
const STIRLING_SLOPE: [f64; 8] = [
    -1.0 / 12.0,
    1.0 / 120.0,
    -1.0 / 252.0,
    1.0 / 240.0,
    -1.0 / 132.0,
    691.0 / 32_760.0,
    -1.0 / 12.0,
    3617.0 / 8160.0,
];

/// From where on Stirling's series are precise enough.
const LARGE: i32 = 10;

/// Special functions. Units in the last place are those of CPUs; a GPU's driver may be further off, as for the functions that they are
/// made of.
impl<T: Scalar> Exp<T> {
    /// The error function, 2/√π ∫₀ˣ e^(−t²) dt, within 2 units in the last place; `jax.scipy.special.erf`.
    ///
    /// The derivative is 2/√π e^(−x²).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.erf(), gradient_e(|x| x.erf(), x)));
    /// let found = interpret(f, Array::vector(vec![0.0, -40.0])?)?;
    /// assert_eq!(found.to_vec(), [(0.0, std::f64::consts::FRAC_2_SQRT_PI), (-1.0, 0.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn erf(self) -> Self
    where
        T: Float,
    {
        let call = Call::here("erf");
        let value = |x: Self| {
            let size = x.abs();
            let far = number(1.0) - complement(size.max(number(1.0)));
            let far = cond::<T>(x.lt(number(0.0)), -far, far);
            cond::<T>(size.lt(number(1.0)), x + x * slope_less_one(x), far)
        };
        call.throughout(|| match is_half::<T>() {
            true => self.to::<f32>().erf().to(),
            false => with_bell(value, FRAC_2_SQRT_PI, self),
        })
    }

    /// 1 − erf x, within 2 units in the last place where it is no subnormal number, however small; `jax.scipy.special.erfc`.
    ///
    /// The derivative is −2/√π e^(−x²).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.erfc());
    /// let found = interpret(f, Array::vector(vec![0.0, 40.0, -40.0])?)?;
    /// assert_eq!(found.to_vec(), [1.0, 0.0, 2.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn erfc(self) -> Self
    where
        T: Float,
    {
        let call = Call::here("erfc");
        let value = |x: Self| {
            let size = x.abs();
            let far = complement(size.max(number(0.75)));
            let far = cond::<T>(x.lt(number(0.0)), number(2.0) - far, far);
            // The first difference is exact from ½ on, and what is taken from it is small.
            let near = number::<T>(1.0) - x - x * slope_less_one(x);
            cond::<T>(size.lt(number(0.75)), near, far)
        };
        call.throughout(|| match is_half::<T>() {
            true => self.to::<f32>().erfc().to(),
            false => with_bell(value, -FRAC_2_SQRT_PI, self),
        })
    }

    /// ln |Γ(x)|, with a relative error below 10⁻¹⁴ (of `f32` below 4·10⁻⁶), and near its zeros an absolute one; infinite at 0, −1, −2 and so on.
    /// `jax.scipy.special.gammaln`.
    ///
    /// The derivative is the [`digamma`](Self::digamma) function.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.lgamma() - 6.0_f64.ln()).abs().lt(1e-14));
    /// assert_eq!(interpret(f, Array::vector(vec![4.0, 5.0])?)?.to_vec(), [true, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn lgamma(self) -> Self
    where
        T: Float,
    {
        let call = Call::here("lgamma");
        let forward = |x: Self| (log_gamma(x), x);
        call.throughout(|| match is_half::<T>() {
            true => self.to::<f32>().lgamma().to(),
            false => custom_vjp_e(forward, |x: Self, dy: Self| x.digamma() * dy, self),
        })
    }

    /// The derivative of ln |Γ(x)|, with a relative error below 10⁻¹⁴ (of `f32` below 2·10⁻⁶), and near its zeros an absolute one; NaN at 0, −1, −2 and
    /// so on. `jax.scipy.special.digamma`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.digamma() + 0.5772156649015329).abs().lt(1e-14));
    /// assert_eq!(interpret(f, Array::vector(vec![1.0, 2.0])?)?.to_vec(), [true, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn digamma(self) -> Self
    where
        T: Float,
    {
        let call = Call::here("digamma");
        call.throughout(|| match is_half::<T>() {
            true => self.to::<f32>().digamma().to(),
            false => log_gamma_slope(self),
        })
    }
}

fn is_half<T: Scalar>() -> bool {
    T::TYPE == ScalarType::F16
}

fn is_double<T: Scalar>() -> bool {
    T::TYPE == ScalarType::F64
}

fn number<T: Float>(x: f64) -> Exp<T> {
    literal(T::from_f64(x))
}

/// A polynomial by its coefficients, those of the lowest powers first (Horner's rule).
fn polynomial<T: Float>(coefficients: &[f64], x: Exp<T>) -> Exp<T> {
    let (last, others) = coefficients.split_last().unwrap_or((&0.0, &[]));
    let others = others.iter().rev();
    others.fold(number(*last), |sum, &c| sum * x + number(c))
}

/// A function whose derivative is a multiple of e^(−x²).
fn with_bell<T: Float>(value: impl Fn(Exp<T>) -> Exp<T>, scale: f64, x: Exp<T>) -> Exp<T> {
    let forward = |x: Exp<T>| (value(x), x);
    let backward = |x: Exp<T>, dy: Exp<T>| {
        let (coarse, rest) = bell(x);
        (coarse + coarse * rest) * number(scale) * dy
    };
    custom_vjp_e(forward, backward, x)
}

/// e^(−x²), as `coarse` · (1 + `rest`): the square of a number of few digits is exact, and the rest is small.
fn bell<T: Float>(x: Exp<T>) -> (Exp<T>, Exp<T>) {
    // Further out it is 0 in all types.
    let x = cond::<T>(x.abs().gt(number(30.0)), number(30.0), x);
    let digits = number(256.0);
    let near = (x * digits).round() / digits;
    let rest = (near - x) * (near + x);
    ((-(near * near)).exp(), rest.exp_m1())
}

/// erf x / x, less 1, for |x| ≤ 1.
fn slope_less_one<T: Float>(x: Exp<T>) -> Exp<T> {
    let coefficients = match is_double::<T>() {
        true => &NEAR[..],
        false => &NEAR_SINGLE,
    };
    polynomial(coefficients, x * x)
}

/// erfc x for x ≥ ¾.
fn complement<T: Float>(x: Exp<T>) -> Exp<T> {
    let (end, coefficients, [a, b]) = match is_double::<T>() {
        true => (28.0, &FAR[..], [13.0 / 11.0, 34.0 / 11.0]),
        false => (12.0, &FAR_SINGLE[..], [33.0 / 23.0, 74.0 / 23.0]),
    };
    let x = cond::<T>(x.gt(number(end)), number(end), x);
    let (one, doubled) = (number::<T>(1.0), x * number(2.0));
    let s = (x * number(a) - number(b)) / (x + number(2.0));
    let more = polynomial(coefficients, s);
    let below = doubled + one;
    // The sum of two numbers of which the first is not less than the second: what is lost is exact.
    let lost = one - (below - doubled);
    let (coarse, rest) = bell(x);
    let first = coarse / below;
    let left = remainder((coarse, below), first) / below;
    let scale = more + one;
    first + (first * (more + (rest - lost / below) * scale) + left * scale)
}

/// What a quotient leaves of a division, which is exact where nothing underflows (Dekker 1971, *A floating-point technique for extending the
/// available precision*).
fn remainder<T: Float>((x, y): (Exp<T>, Exp<T>), quotient: Exp<T>) -> Exp<T> {
    let (a, b) = halves(quotient);
    let (c, d) = halves(y);
    let product = quotient * y;
    let error = ((a * c - product) + a * d + b * c) + b * d;
    (x - product) - error
}

/// A number as the sum of two with half as many digits.
fn halves<T: Float>(x: Exp<T>) -> (Exp<T>, Exp<T>) {
    let factor = match is_double::<T>() {
        true => 134_217_729.0,
        false => 4097.0,
    };
    let scaled = x * number(factor);
    let high = scaled - (scaled - x);
    (high, x - high)
}

/// A number brought to what is at least [`LARGE`], from `x` ≥ ½, with the steps to it: what `step` makes of them, from `none`.
fn enlarged<T: Float>(
    x: Exp<T>,
    none: f64,
    step: impl Fn(Exp<T>, Exp<T>) -> Exp<T>,
) -> (Exp<T>, Exp<T>) {
    let first = (x, number::<T>(none));
    (0..LARGE).fold(first, |(y, made), _| {
        let is_small = y.lt(number(LARGE.into()));
        let next = (y + number(1.0), step(made, y));
        (
            cond::<T>(is_small, next.0, y),
            cond::<T>(is_small, next.1, made),
        )
    })
}

/// Whether a number is to be reflected; what is then taken of 1 − x in place of x; and the distance of x from the next integer.
fn reflected<T: Float>(x: Exp<T>) -> (Exp<bool>, Exp<T>, Exp<T>) {
    let is_small = x.lt(number(0.5));
    let taken = cond::<T>(is_small, number::<T>(1.0) - x, x);
    (is_small, taken, x - x.round())
}

fn log_gamma<T: Float>(x: Exp<T>) -> Exp<T> {
    let (is_small, taken, off) = reflected(x);
    let (y, product) = enlarged(taken, 1.0, |product, y| product * y);
    let inverse = y.recip();
    let series = polynomial(&STIRLING, inverse * inverse) * inverse;
    let log = y.ln();
    let value =
        (y - number(0.5)) * log - y + (series + number((2.0 * PI).ln() / 2.0)) - product.ln();
    let sine = (off * number(PI)).sin().abs();
    let value = cond::<T>(is_small, (number::<T>(PI) / sine).ln() - value, value);
    cond::<T>(x.is_infinite(), x.abs(), value)
}

fn log_gamma_slope<T: Float>(x: Exp<T>) -> Exp<T> {
    let (is_small, taken, off) = reflected(x);
    let (y, steps) = enlarged(taken, 0.0, |sum, y| sum + y.recip());
    let inverse = y.recip();
    let square = inverse * inverse;
    let series = polynomial(&STIRLING_SLOPE, square) * square - inverse * number(0.5);
    let value = y.ln() + series - steps;
    let angle = off * number(PI);
    let slope = number::<T>(PI) * angle.cos() / angle.sin();
    let is_pole = x.le(number(0.0)) & off.eq_(number(0.0));
    cond::<T>(
        is_pole,
        number(f64::NAN),
        cond::<T>(is_small, value - slope, value),
    )
}
