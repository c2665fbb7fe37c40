//! Functions of floats that are made of others: parts and signs of a number, logarithms and powers to a base, roots, distances, angles, and
//! the sigmoid.

use super::super::custom::custom_vjp_e;
use super::super::functions::cond;
use super::super::lift::{Lift, literal};
use super::super::scalar::{Exp, Float, Scalar};
use super::super::session::Call;

/// Functions that are made of others. Units in the last place are those of CPUs; a GPU's driver may be further off, as for the functions
/// that they are made of.
impl<T: Scalar> Exp<T> {
    /// The part behind the point, with the sign of the number: `x - x.trunc()`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.fract(), gradient_e(|x| x.fract(), x)));
    /// assert_eq!(interpret(f, Array::vector(vec![1.25, -1.5])?)?.to_vec(), [(0.25, 1.0), (-0.5, 1.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn fract(self) -> Self
    where
        T: Float,
    {
        self - self.trunc()
    }

    /// The logarithm to base 2, within 2 units in the last place.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.log2());
    /// assert_eq!(interpret(f, Array::vector(vec![8.0, 0.25])?)?.to_vec(), [3.0, -2.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn log2(self) -> Self
    where
        T: Float,
    {
        self.ln() / literal(T::from_f64(std::f64::consts::LN_2))
    }

    /// The logarithm to base 10, within 2 units in the last place.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.log10());
    /// assert_eq!(interpret(f, Array::vector(vec![100.0])?)?.to_vec(), [2.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn log10(self) -> Self
    where
        T: Float,
    {
        self.ln() / literal(T::from_f64(std::f64::consts::LN_10))
    }

    /// 2ˣ, within 2 units in the last place; exact where x is an integer.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.exp2());
    /// assert_eq!(interpret(f, Array::vector(vec![10.0, -1.0, 0.5])?)?.to_vec(), [1024.0, 0.5, 2.0_f64.sqrt()]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn exp2(self) -> Self
    where
        T: Float,
    {
        literal(T::from_i32(2)).powf(self)
    }

    /// The cube root, of the sign of the number, within 2 units in the last place.
    ///
    /// The derivative at 0 is ∞.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.cbrt(), gradient_e(|x| x.cbrt(), x)));
    /// let found = interpret(f, Array::vector(vec![-8.0, 0.0])?)?;
    /// assert_eq!(found.to_vec(), [(-2.0, 1.0 / 12.0), (0.0, f64::INFINITY)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn cbrt(self) -> Self
    where
        T: Float,
    {
        let call = Call::here("cbrt");
        let slope = |y: Self| (y.sqr() * literal(T::from_i32(3))).recip();
        let forward = move |x: Self| {
            let y = cube_root(x);
            (y, y)
        };
        call.throughout(|| custom_vjp_e(forward, |y: Self, dy: Self| slope(y) * dy, self))
    }

    /// An angle in degrees that is given in radians.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.to_degrees());
    /// assert_eq!(interpret(f, Array::vector(vec![std::f64::consts::PI])?)?.to_vec(), [180.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn to_degrees(self) -> Self
    where
        T: Float,
    {
        self * literal(T::from_f64(180.0 / std::f64::consts::PI))
    }

    /// An angle in radians that is given in degrees.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.to_radians());
    /// assert_eq!(interpret(f, Array::vector(vec![180.0])?)?.to_vec(), [std::f64::consts::PI]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn to_radians(self) -> Self
    where
        T: Float,
    {
        self * literal(T::from_f64(std::f64::consts::PI / 180.0))
    }

    /// The distance of the point (x, y) from the origin, within 2 units in the last place, and without an overflow on the way. It is infinite
    /// where a coordinate is, be the other NaN.
    ///
    /// The derivative at the origin is 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, (f64, f64)>| v.map(|p| gradient_e(|(x, y)| x.hypot(y), p));
    /// let found = interpret(f, Array::vector(vec![(3.0, -4.0), (0.0, 0.0)])?)?;
    /// assert_eq!(found.to_vec(), [(0.6, -0.8), (0.0, 0.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn hypot<R: Lift<T>>(self, other: R) -> Self
    where
        T: Float,
    {
        let call = Call::here("hypot");
        let forward = |(x, y): (Self, Self)| {
            let r = distance(x, y);
            (r, (x, y, r))
        };
        let backward = |(x, y, r): (Self, Self, Self), dr: Self| {
            let zero = literal(T::from_i32(0));
            let of = |x: Self| cond::<T>(r.eq_(zero), zero, x / r * dr);
            (of(x), of(y))
        };
        call.throughout(|| custom_vjp_e(forward, backward, (self, other.lift())))
    }

    /// This with the sign of the other, that of a zero included.
    ///
    /// The derivative is 1 or −1, by whether the sign is kept; that in the other is 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, (f64, f64)>| v.map(|(x, y)| x.copysign(y));
    /// let found = interpret(f, Array::vector(vec![(2.0, -1.0), (-3.0, 0.0), (1.0, -0.0)])?)?;
    /// assert_eq!(found.to_vec(), [-2.0, 3.0, -1.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn copysign<R: Lift<T>>(self, sign: R) -> Self
    where
        T: Float,
    {
        let call = Call::here("copysign");
        call.throughout(|| {
            let differ = self.is_sign_negative().ne_(sign.lift().is_sign_negative());
            cond::<T>(differ, -self, self)
        })
    }

    /// The nearest integral value; of the two that are as near, the even one.
    ///
    /// The derivative is 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.round_ties_even());
    /// assert_eq!(interpret(f, Array::vector(vec![0.5, 1.5, 2.5, -2.6])?)?.to_vec(), [0.0, 2.0, 2.0, -3.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn round_ties_even(self) -> Self
    where
        T: Float,
    {
        let call = Call::here("round_ties_even");
        call.throughout(|| {
            let half: Self = literal(T::from_f64(0.5));
            let even = (self * half).round() / half;
            cond::<T>(self.fract().abs().eq_(half), even, self.round())
        })
    }

    /// Sine and cosine.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.sin_cos());
    /// assert_eq!(interpret(f, Array::vector(vec![0.0])?)?.to_vec(), [(0.0, 1.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn sin_cos(self) -> (Self, Self)
    where
        T: Float,
    {
        let call = Call::here("sin_cos");
        call.throughout(|| (self.sin(), self.cos()))
    }

    /// ln(eˣ + eʸ), without an overflow on the way; `jnp.logaddexp`.
    ///
    /// The derivatives are the shares of both, which add up to 1: of two that are −∞, or +∞, a half each.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, (f64, f64)>| v.map(|(x, y)| x.logaddexp(y));
    /// let never = f64::NEG_INFINITY;
    /// let found = interpret(f, Array::vector(vec![(1e4, 0.0), (never, 2.0), (never, never)])?)?;
    /// assert_eq!(found.to_vec(), [1e4, 2.0, never]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn logaddexp<R: Lift<T>>(self, other: R) -> Self
    where
        T: Float,
    {
        let call = Call::here("logaddexp");
        let distance = |x: Self, y: Self| {
            let zero = literal(T::from_i32(0));
            cond::<T>(x.eq_(y), zero, x - y)
        };
        let forward = move |(x, y): (Self, Self)| {
            let apart = distance(x, y);
            (x.max(y) + (-apart.abs()).exp().ln_1p(), apart)
        };
        let backward = |apart: Self, dz: Self| (apart.sigmoid() * dz, (-apart).sigmoid() * dz);
        call.throughout(|| custom_vjp_e(forward, backward, (self, other.lift())))
    }

    /// Whether the sign is plus, that of a zero included; of NaN, false.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.is_sign_positive());
    /// let found = interpret(f, Array::vector(vec![1.0, 0.0, -0.0, f64::NAN])?)?;
    /// assert_eq!(found.to_vec(), [true, true, false, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn is_sign_positive(self) -> Exp<bool>
    where
        T: Float,
    {
        let call = Call::here("is_sign_positive");
        call.throughout(|| !(self.is_nan() | self.is_sign_negative()))
    }

    /// Whether this is a number with all its digits: neither zero, nor subnormal, infinite or NaN.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.is_normal());
    /// let found = interpret(f, Array::vector(vec![1.0, 0.0, 1e-310, f64::INFINITY])?)?;
    /// assert_eq!(found.to_vec(), [true, false, false, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn is_normal(self) -> Exp<bool>
    where
        T: Float,
    {
        let call = Call::here("is_normal");
        call.throughout(|| self.is_finite() & self.abs().ge(least_normal::<T>()))
    }

    /// Whether this is so near to zero that it has fewer digits. Devices may take such a number for zero.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.is_subnormal());
    /// let found = interpret(f, Array::vector(vec![1.0, 0.0, 1e-310, f64::NAN])?)?;
    /// assert_eq!(found.to_vec(), [false, false, true, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn is_subnormal(self) -> Exp<bool>
    where
        T: Float,
    {
        let call = Call::here("is_subnormal");
        call.throughout(|| {
            let is_zero = self.eq_(literal(T::from_i32(0)));
            !is_zero & self.abs().lt(least_normal::<T>())
        })
    }

    /// Whether the sign is minus, that of a zero included; of NaN, false.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.is_sign_negative());
    /// let found = interpret(f, Array::vector(vec![-1.0, -0.0, 0.0, f64::NAN])?)?;
    /// assert_eq!(found.to_vec(), [true, true, false, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn is_sign_negative(self) -> Exp<bool>
    where
        T: Float,
    {
        let call = Call::here("is_sign_negative");
        call.throughout(|| {
            let zero = literal(T::from_i32(0));
            let of_zero = || self.recip().lt(zero);
            self.lt(zero) | (self.eq_(zero) & of_zero())
        })
    }

    /// Whether this is a number: neither infinite nor NaN.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.is_finite());
    /// let found = interpret(f, Array::vector(vec![f64::NAN, 0.0, f64::INFINITY])?)?;
    /// assert_eq!(found.to_vec(), [false, true, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn is_finite(self) -> Exp<bool>
    where
        T: Float,
    {
        let call = Call::here("is_finite");
        call.throughout(|| !(self.is_nan() | self.is_infinite()))
    }

    /// The logistic function, 1 / (1 + e⁻ˣ), within 2 units in the last place wherever it is; `jax.nn.sigmoid`.
    ///
    /// The derivative, e⁻ˣ / (1 + e⁻ˣ)², is within 3.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.sigmoid(), gradient_e(|x| x.sigmoid(), x)));
    /// let found = interpret(f, Array::vector(vec![0.0, -1e4, 1e4])?)?;
    /// assert_eq!(found.to_vec(), [(0.5, 0.25), (0.0, 0.0), (1.0, 0.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn sigmoid(self) -> Self
    where
        T: Float,
    {
        let one = literal(T::from_i32(1));
        let call = Call::here("sigmoid");
        // What is taken off a number is less than a half of it, and so are its errors.
        let forward = |x: Self| {
            let small = (-x.abs()).exp();
            let whole = cond::<T>(x.ge(literal(T::from_i32(0))), one, small);
            (whole - whole * (small / (small + one)), small)
        };
        let backward = |small: Self, dy: Self| {
            let share = small - small * (small / (small + one));
            (share - share.sqr()) * dy
        };
        call.throughout(|| custom_vjp_e(forward, backward, self))
    }

    /// ln(1 + eˣ), within 2 units in the last place wherever it is; `jax.nn.softplus`.
    ///
    /// The derivative is the [`sigmoid`](Self::sigmoid).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.softplus(), gradient_e(|x| x.softplus(), x)));
    /// let found = interpret(f, Array::vector(vec![0.0, -1e4, 1e4])?)?;
    /// assert_eq!(found.to_vec(), [(2.0f64.ln(), 0.5), (0.0, 0.0), (1e4, 1.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn softplus(self) -> Self
    where
        T: Float,
    {
        let call = Call::here("softplus");
        let forward = |x: Self| {
            let small = (-x.abs()).exp();
            (x.max(literal(T::from_i32(0))) + small.ln_1p(), x)
        };
        call.throughout(|| custom_vjp_e(forward, |x: Self, dy: Self| x.sigmoid() * dy, self))
    }
}

/// The least positive number with all its digits.
fn least_normal<T: Float>() -> Exp<T> {
    literal(T::from_f64(match T::TYPE.bytes() {
        2 => 2f64.powi(-14),
        4 => f64::from(f32::MIN_POSITIVE),
        _ => f64::MIN_POSITIVE,
    }))
}

/// By the logarithm, and a step of Newton's method for what that loses of large and small numbers.
fn cube_root<T: Float>(x: Exp<T>) -> Exp<T> {
    let three = literal(T::from_i32(3));
    let size = x.abs();
    let near = (size.ln() / three).exp();
    let next = near - (near - size / near.sqr()) / three;
    let is_same = x.eq_(literal(T::from_i32(0))) | x.is_infinite();
    let next = cond::<T>(x.lt(literal(T::from_i32(0))), -next, next);
    cond::<T>(is_same, x, next)
}

/// The length of (x, y), by the ratio of the lesser to the greater coordinate.
fn distance<T: Float>(x: Exp<T>, y: Exp<T>) -> Exp<T> {
    let (zero, one) = (literal(T::from_i32(0)), literal(T::from_i32(1)));
    let (x, y) = (x.abs(), y.abs());
    let (most, least) = (x.max(y), x.min(y));
    let scaled = most * ((least / most).sqr() + one).sqrt();
    let finite = cond::<T>(most.eq_(zero), most, scaled);
    cond::<T>(x.is_infinite(), x, cond::<T>(y.is_infinite(), y, finite))
}
