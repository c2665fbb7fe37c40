//! Methods of scalars: comparisons, logic, elementary functions, rounding, conversion.

use super::lift::{Lift, literal, literal_at};
use super::node_exp;
use super::scalar::{Exp, Float, Integral, Num, Scalar};
use super::session::Call;
use crate::prim::Prim;
use crate::rounding::f16;

macro_rules! unary {
    ($($(#[$doc:meta])* $class:ident: $name:ident = $prim:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name(self) -> Self
        where
            T: $class,
        {
            self.prim(Prim::$prim, &[])
        }
    )*};
}

macro_rules! binary {
    ($($(#[$doc:meta])* $class:ident: $name:ident = $prim:ident -> $out:ty;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<R: Lift<T>>(self, other: R) -> Exp<$out>
        where
            T: $class,
        {
            self.prim(Prim::$prim, &[other.lift().raw()])
        }
    )*};
}

/// Rounding to an integer type.
macro_rules! rounding_to {
    ($($(#[$doc:meta])* $name:ident = $round:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<U: Integral>(self) -> Exp<U>
        where
            T: Float,
        {
            self.$round().to()
        }
    )*};
}

/// Arithmetic and elementary functions.
impl<T: Scalar> Exp<T> {
    unary! {
        /// The absolute value; wraps at the least integer.
        Num: abs = Abs;
        /// −1, 0 or 1 by the sign; of a float zero or NaN, itself.
        Num: signum = Signum;
        /// The square root.
        Float: sqrt = Sqrt;
        /// e to the power of this.
        Float: exp = Exp;
        /// eˣ − 1, precise near 0.
        Float: exp_m1 = ExpM1;
        /// The natural logarithm.
        Float: ln = Ln;
        /// ln(1 + x), precise near 0.
        Float: ln_1p = Ln1p;
        /// The sine of an angle in radians.
        Float: sin = Sin;
        /// The cosine of an angle in radians.
        Float: cos = Cos;
        /// The tangent of an angle in radians.
        Float: tan = Tan;
        /// The arc sine, in radians.
        Float: asin = Asin;
        /// The arc cosine, in radians.
        Float: acos = Acos;
        /// The arc tangent, in radians.
        Float: atan = Atan;
        /// The hyperbolic sine.
        Float: sinh = Sinh;
        /// The hyperbolic cosine.
        Float: cosh = Cosh;
        /// The hyperbolic tangent.
        Float: tanh = Tanh;
        /// The inverse hyperbolic sine.
        Float: asinh = Asinh;
        /// The inverse hyperbolic cosine.
        Float: acosh = Acosh;
        /// The inverse hyperbolic tangent.
        Float: atanh = Atanh;
        /// The greatest integral value that is not above.
        Float: floor = Floor;
        /// The least integral value that is not below.
        Float: ceil = Ceil;
        /// The nearest integral value, halves away from zero.
        Float: round = Round;
        /// The integral part.
        Float: trunc = Trunc;
    }

    binary! {
        /// The greater one; NaN if one of them is.
        Num: max = Max -> T;
        /// The lesser one; NaN if one of them is.
        Num: min = Min -> T;
        /// This to the power of the other.
        Float: powf = Pow -> T;
        /// The angle of the point (other, self).
        Float: atan2 = Atan2 -> T;
        /// The quotient towards −∞; 0 where the divisor is.
        Integral: div_floor = DivFloor -> T;
        /// What [`div_floor`](Exp::div_floor) leaves: of the divisor's sign, or self where that is 0.
        Integral: mod_floor = ModFloor -> T;
        /// `self == other`.
        Scalar: eq_ = Eq -> bool;
        /// `self != other`.
        Scalar: ne_ = Ne -> bool;
        /// `self < other`.
        Num: lt = Lt -> bool;
        /// `self <= other`.
        Num: le = Le -> bool;
        /// `self > other`.
        Num: gt = Gt -> bool;
        /// `self >= other`.
        Num: ge = Ge -> bool;
    }

    rounding_to! {
        /// The greatest integer that is not above.
        floor_to = floor;
        /// The least integer that is not below.
        ceil_to = ceil;
        /// The nearest integer, halves away from zero.
        round_to = round;
        /// The integral part.
        trunc_to = trunc;
    }

    /// 1 / x.
    #[track_caller]
    pub fn recip(self) -> Self
    where
        T: Float,
    {
        1.0 / self
    }

    /// x · x.
    #[track_caller]
    pub fn sqr(self) -> Self
    where
        T: Num,
    {
        self * self
    }

    /// The logarithm to a base: ln x / ln base.
    #[track_caller]
    pub fn log<R: Lift<T>>(self, base: R) -> Self
    where
        T: Float,
    {
        self.ln() / base.lift().ln()
    }

    /// A constant integer power, by repeated multiplication.
    #[track_caller]
    pub fn powi(self, exponent: i32) -> Self
    where
        T: Float,
    {
        let call = Call::here("powi");
        let mut power: Option<Self> = None;
        let mut square = self;
        let mut rest = exponent.unsigned_abs();
        while rest > 0 {
            if rest % 2 == 1 {
                power = Some(match power {
                    Some(power) => power * square,
                    None => square,
                });
            }
            rest /= 2;
            if rest > 0 {
                square = square * square;
            }
        }
        let power = power.unwrap_or_else(|| literal_at(call, T::from_i32(1)));
        if exponent < 0 { power.recip() } else { power }
    }

    /// Restricts to a range.
    #[track_caller]
    pub fn clamp<L: Lift<T>, H: Lift<T>>(self, low: L, high: H) -> Self
    where
        T: Num,
    {
        self.max(low).min(high)
    }

    /// Whether this is NaN.
    #[track_caller]
    pub fn is_nan(self) -> Exp<bool>
    where
        T: Float,
    {
        self.prim(Prim::IsNan, &[])
    }

    /// Whether this is an infinity.
    #[track_caller]
    pub fn is_infinite(self) -> Exp<bool>
    where
        T: Float,
    {
        self.prim(Prim::IsInfinite, &[])
    }

    /// The conversion to another scalar type: floats to integers truncate and saturate, NaN gives 0,
    /// integers wrap, `bool` counts as 0 or 1, a number becomes `true` where it is not 0.
    #[track_caller]
    pub fn to<U: Scalar>(self) -> Exp<U> {
        if T::TYPE == U::TYPE {
            return Exp::from_raw(self.raw());
        }
        self.prim(Prim::Convert(U::TYPE), &[])
    }

    /// `.to::<f64>()`.
    #[track_caller]
    pub fn to_f64(self) -> Exp<f64> {
        self.to()
    }

    /// `.to::<f16>()`.
    #[track_caller]
    pub fn to_f16(self) -> Exp<f16> {
        self.to()
    }

    /// `.to::<f32>()`.
    #[track_caller]
    pub fn to_f32(self) -> Exp<f32> {
        self.to()
    }

    /// `.to::<i32>()`.
    #[track_caller]
    pub fn to_i32(self) -> Exp<i32> {
        self.to()
    }

    /// `.to::<u32>()`.
    #[track_caller]
    pub fn to_u32(self) -> Exp<u32> {
        self.to()
    }

    /// `.to::<i64>()`.
    #[track_caller]
    pub fn to_i64(self) -> Exp<i64> {
        self.to()
    }
}

/// Logic. `and` and `or` evaluate their right side only where it decides, so an index on the right is
/// guarded by a test on the left; `&` and `|` evaluate both.
impl Exp<bool> {
    /// Both; the other side only where this holds.
    #[track_caller]
    pub fn and<R: Lift<bool>>(self, other: R) -> Exp<bool> {
        let other = other.lift();
        self.if_("and", other, literal(false))
    }

    /// One of both; the other side only where this does not hold.
    #[track_caller]
    pub fn or<R: Lift<bool>>(self, other: R) -> Exp<bool> {
        let other = other.lift();
        self.if_("or", literal(true), other)
    }

    /// The opposite.
    #[track_caller]
    #[allow(clippy::should_implement_trait)] // It does; the method reads better after a comparison.
    pub fn not(self) -> Exp<bool> {
        !self
    }

    #[track_caller]
    fn if_(self, name: &'static str, then_: Exp<bool>, else_: Exp<bool>) -> Exp<bool> {
        let call = Call::here(name);
        let results = node_exp::cond(call, self.raw(), &[then_.raw()], &[else_.raw()]);
        super::elt::from_raw::<bool>(&results)
    }
}
