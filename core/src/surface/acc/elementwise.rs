//! Operators and methods of scalars, on each element of an array.
//!
//! What they mean, and what their derivatives are, is said at [`Exp`].

use super::Acc;
use super::operand::{Operand, each};
use crate::rounding::f16;
use crate::surface::given::IntoAcc;
use crate::surface::lift::Lift;
use crate::surface::lift::literal;
use crate::surface::scalar::{Bits, Exp, Float, Integral, Num, Scalar};
use crate::surface::session::Call;
use crate::surface::shape::Shape;
use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Rem,
    RemAssign, Shl, Shr, Sub, SubAssign,
};

macro_rules! operators {
    ($($class:ident: $trait:ident $method:ident $op:tt;)*) => {$(
        impl<Sh: Shape, T: $class, R: Operand<Sh, T>> $trait<R> for Acc<Sh, T> {
            type Output = Acc<R::Shape, T>;

            #[track_caller]
            fn $method(self, right: R) -> Acc<R::Shape, T> {
                right.beside(Call::here(stringify!($op)), self, |x, y| x $op y)
            }
        }
    )*};
}

operators! {
    Num: Add add +;
    Num: Sub sub -;
    Num: Mul mul *;
    Num: Div div /;
    Num: Rem rem %;
    Bits: BitAnd bitand &;
    Bits: BitOr bitor |;
    Bits: BitXor bitxor ^;
    Integral: Shl shl <<;
    Integral: Shr shr >>;
}

macro_rules! assigning {
    ($($class:ident: $trait:ident $method:ident $op:tt;)*) => {$(
        impl<Sh: Shape, T: $class, R: Operand<Sh, T, Shape = Sh>> $trait<R> for Acc<Sh, T> {
            #[track_caller]
            fn $method(&mut self, right: R) {
                *self = *self $op right;
            }
        }
    )*};
}

assigning! {
    Num: AddAssign add_assign +;
    Num: SubAssign sub_assign -;
    Num: MulAssign mul_assign *;
    Num: DivAssign div_assign /;
    Num: RemAssign rem_assign %;
}

macro_rules! literal_left {
    ($($class:ident $ty:ty, $from:ident: $trait:ident $method:ident $op:tt;)*) => {$(
        impl<Sh: Shape, T: $class> $trait<Acc<Sh, T>> for $ty {
            type Output = Acc<Sh, T>;

            #[track_caller]
            fn $method(self, right: Acc<Sh, T>) -> Acc<Sh, T> {
                let left: Exp<T> = literal(T::$from(self));
                each(Call::here(stringify!($op)), right, |x| left $op x)
            }
        }
    )*};
}

literal_left! {
    Float f64, from_f64: Add add +;
    Float f64, from_f64: Sub sub -;
    Float f64, from_f64: Mul mul *;
    Float f64, from_f64: Div div /;
    Num i32, from_i32: Add add +;
    Num i32, from_i32: Sub sub -;
    Num i32, from_i32: Mul mul *;
    Num i32, from_i32: Div div /;
    Float f64, from_f64: Rem rem %;
    Num i32, from_i32: Rem rem %;
}

impl<Sh: Shape, T: Num> Neg for Acc<Sh, T> {
    type Output = Self;

    #[track_caller]
    fn neg(self) -> Self {
        each(Call::here("-"), self, |x| -x)
    }
}

impl<Sh: Shape, T: Bits> Not for Acc<Sh, T> {
    type Output = Self;

    #[track_caller]
    fn not(self) -> Self {
        each(Call::here("!"), self, |x| !x)
    }
}

macro_rules! unary {
    ($($class:ident: $($name:ident)*;)*) => {$($(
        #[doc = concat!("[`", stringify!($name), "`](Exp::", stringify!($name), ") of each element.")]
        #[track_caller]
        pub fn $name(self) -> Self
        where
            T: $class,
        {
            each(Call::here(stringify!($name)), self, |x| x.$name())
        }
    )*)*};
}

macro_rules! unary_to {
    ($($class:ident -> $out:ty: $($name:ident)*;)*) => {$($(
        #[doc = concat!("[`", stringify!($name), "`](Exp::", stringify!($name), ") of each element.")]
        #[track_caller]
        pub fn $name(self) -> Acc<Sh, $out>
        where
            T: $class,
        {
            each(Call::here(stringify!($name)), self, |x| x.$name())
        }
    )*)*};
}

macro_rules! binary {
    ($($class:ident -> $out:ty: $($name:ident)*;)*) => {$($(
        #[doc = concat!("[`", stringify!($name), "`](Exp::", stringify!($name), ") of each element and an operand's.")]
        #[track_caller]
        pub fn $name<R: Operand<Sh, T>>(self, other: R) -> Acc<R::Shape, $out>
        where
            T: $class,
        {
            other.beside(Call::here(stringify!($name)), self, |x, y| x.$name(y))
        }
    )*)*};
}

macro_rules! powers {
    ($($name:ident -> $out:ty;)*) => {$(
        #[doc = concat!("[`", stringify!($name), "`](Exp::", stringify!($name), ") of each element.")]
        #[track_caller]
        pub fn $name(self, exponent: u32) -> Acc<Sh, $out>
        where
            T: Integral,
        {
            each(Call::here(stringify!($name)), self, |x| x.$name(exponent))
        }
    )*};
}

macro_rules! conversions {
    ($($name:ident $ty:ty),*) => {$(
        #[doc = concat!("Each element as `", stringify!($ty), "`; see [`", stringify!($name), "`](Exp::", stringify!($name), ").")]
        #[track_caller]
        pub fn $name(self) -> Acc<Sh, $ty> {
            each(Call::here(stringify!($name)), self, |x| x.$name())
        }
    )*};
}

macro_rules! rounding_to {
    ($($name:ident)*) => {$(
        #[doc = concat!("Each element as an integer; see [`", stringify!($name), "`](Exp::", stringify!($name), ").")]
        #[track_caller]
        pub fn $name<U: Integral>(self) -> Acc<Sh, U>
        where
            T: Float,
        {
            each(Call::here(stringify!($name)), self, |x| x.$name::<U>())
        }
    )*};
}

/// Operators and elementary functions on each element: `+`, `-`, `*`, `/`, `%`, and on integers and truth values `&`, `|` and `^`, all between arrays of one shape, or an array and a scalar; and the methods of [`Exp`].
///
/// Arrays of different shapes are an error that tells both, and the line. So `x + y` is not `x.zip_with(y, |x, y| x + y)`, which takes what
/// both shapes have in common. Scalars are expressions and literals, on the left only literals, and arrays without dimensions;
/// an array of fewer dimensions is taken as each row by [`rows`](Acc::rows), or is [`broadcast`](Acc::broadcast).
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let normal = |x: Acc<Ix1, f64>| {
///     let mean = x.sum() / x.size().to_f64();
///     let far = x - mean;
///     let variance = (far * far).sum() / x.size().to_f64();
///     far / variance.sqrt()
/// };
/// let found = interpret(normal, Array::vector(vec![1.0, 3.0])?)?;
/// assert_eq!(found.to_vec(), [-1.0, 1.0]);
///
/// let sum = |x: Acc<Ix1, f64>, y: Acc<Ix1, f64>| 2.0 * x + y;
/// let error = interpret(sum, (Array::vector(vec![1.0, 3.0])?, Array::vector(vec![0.0])?)).unwrap_err();
/// assert!(error.to_string().contains("shape [1] meets [2]"), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl<Sh: Shape, T: Scalar> Acc<Sh, T> {
    unary! {
        Num: abs signum sqr;
        Float: sqrt exp exp_m1 ln ln_1p recip;
        Float: sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh;
        Float: floor ceil round round_ties_even trunc fract;
        Float: exp2 log2 log10 cbrt to_degrees to_radians sigmoid softplus;
        Float: erf erfc lgamma digamma;
        Float: next_up next_down;
        Integral: reverse_bits swap_bytes isqrt next_power_of_two saturating_neg saturating_abs;
    }

    unary_to! {
        Float -> bool: is_finite is_normal is_subnormal is_sign_positive is_sign_negative;
        Integral -> bool: is_positive is_negative is_power_of_two;
        Integral -> u32: count_ones count_zeros leading_zeros trailing_zeros leading_ones trailing_ones;
        Integral -> u32: ilog2 ilog10;
        Integral -> <T as Integral>::Unsigned: unsigned_abs;
        Integral -> (T, bool): overflowing_neg overflowing_abs;
        Integral -> Option<T>: checked_neg checked_abs;
        Float -> <T as Float>::Unsigned: to_bits;
    }

    binary! {
        Num -> T: max min midpoint div_euclid rem_euclid;
        Float -> T: powf atan2 hypot copysign logaddexp;
        Integral -> T: div_floor mod_floor div_ceil next_multiple_of gcd lcm;
        Integral -> T: saturating_add saturating_sub saturating_mul;
        Integral -> T::Unsigned: abs_diff;
        Integral -> (T, bool): overflowing_add overflowing_sub overflowing_mul;
        Integral -> Option<T>: checked_add checked_sub checked_mul checked_div checked_rem;
        Integral -> Option<T>: checked_shl checked_shr;
        Integral -> T: unbounded_shl unbounded_shr;
        Integral -> u32: ilog;
        Integral -> bool: is_multiple_of;
        Scalar -> bool: eq_ ne_;
        Num -> bool: lt le gt ge;
    }

    /// [`powi`](Exp::powi) of each element.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let cubes = |x: Acc<Ix1, f64>| x.powi(3);
    /// assert_eq!(interpret(cubes, Array::vector(vec![2.0, -1.0])?)?.to_vec(), [8.0, -1.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn powi(self, exponent: i32) -> Self
    where
        T: Float,
    {
        each(Call::here("powi"), self, |x| x.powi(exponent))
    }

    /// [`pow`](Exp::pow) of each element.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let cubes = |x: Acc<Ix1, i32>| x.pow(3);
    /// assert_eq!(interpret(cubes, Array::vector(vec![2, -1])?)?.to_vec(), [8, -1]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn pow(self, exponent: u32) -> Self
    where
        T: Integral,
    {
        each(Call::here("pow"), self, |x| x.pow(exponent))
    }

    powers! {
        overflowing_pow -> (T, bool);
        saturating_pow -> T;
        checked_pow -> Option<T>;
    }

    /// [`rotate_left`](Exp::rotate_left) of each element.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let turned = |x: Acc<Ix1, u32>| x.rotate_left(4);
    /// assert_eq!(interpret(turned, Array::vector(vec![0xf000_0001])?)?.to_vec(), [0x1f]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn rotate_left<R: Lift<u32>>(self, by: R) -> Self
    where
        T: Integral,
    {
        let by = by.lift();
        each(Call::here("rotate_left"), self, |x| x.rotate_left(by))
    }

    /// [`rotate_right`](Exp::rotate_right) of each element.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let turned = |x: Acc<Ix1, u32>| x.rotate_right(4);
    /// assert_eq!(interpret(turned, Array::vector(vec![0x1f])?)?.to_vec(), [0xf000_0001]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn rotate_right<R: Lift<u32>>(self, by: R) -> Self
    where
        T: Integral,
    {
        let by = by.lift();
        each(Call::here("rotate_right"), self, |x| x.rotate_right(by))
    }

    /// Each element, but no less than `low` and no more than `high`; see [`clamp`](Exp::clamp).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let bounded = |x: Acc<Ix1, f64>| x.clamp(0.0, 1.0);
    /// assert_eq!(interpret(bounded, Array::vector(vec![-2.0, 0.5, 7.0])?)?.to_vec(), [0.0, 0.5, 1.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn clamp<L, H>(self, low: L, high: H) -> Acc<H::Shape, T>
    where
        T: Num,
        L: Operand<Sh, T>,
        H: Operand<L::Shape, T>,
    {
        self.max(low).min(high)
    }

    /// Each element times that of `factor`, and that of `term` added, [rounded once](Exp::mul_add); fails where shapes differ.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let line = |x: Acc<Ix1, f64>, a: Acc<Ix1, f64>| x.mul_add(a, x);
    /// let inputs = (Array::vector(vec![1.0, 2.0])?, Array::vector(vec![0.5, 3.0])?);
    /// assert_eq!(interpret(line, inputs)?.to_vec(), [1.5, 8.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn mul_add<F: IntoAcc<Sh, T>, A: IntoAcc<Sh, T>>(self, factor: F, term: A) -> Self
    where
        T: Float,
    {
        let call = Call::here("mul_add");
        let pairs: Acc<Sh, (T, T)> = self.zip_with_strict(factor, |x, y| (x, y));
        let fused = move |(x, y): (Exp<T>, Exp<T>), z: Exp<T>| call.throughout(|| x.mul_add(y, z));
        pairs.zip_with_strict(term, fused)
    }

    /// Whether each element is [not a number](Exp::is_nan).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let strange = |x: Acc<Ix1, f64>| x.sqrt().is_nan();
    /// assert_eq!(interpret(strange, Array::vector(vec![-1.0, 1.0])?)?.to_vec(), [true, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn is_nan(self) -> Acc<Sh, bool>
    where
        T: Float,
    {
        each(Call::here("is_nan"), self, |x| x.is_nan())
    }

    /// Whether each element is [infinite](Exp::is_infinite).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let endless = |x: Acc<Ix1, f64>| (1.0 / x).is_infinite();
    /// assert_eq!(interpret(endless, Array::vector(vec![0.0, 1.0])?)?.to_vec(), [true, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn is_infinite(self) -> Acc<Sh, bool>
    where
        T: Float,
    {
        each(Call::here("is_infinite"), self, |x| x.is_infinite())
    }

    /// Each element as another type; see [`to`](Exp::to).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let halves = |n: Acc<Ix1, i32>| n.to::<f64>() / 2.0;
    /// assert_eq!(interpret(halves, Array::vector(vec![1, 2])?)?.to_vec(), [0.5, 1.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn to<U: Scalar>(self) -> Acc<Sh, U> {
        each(Call::here("to"), self, |x| x.to::<U>())
    }

    conversions! {
        to_f16 f16, to_f32 f32, to_f64 f64, to_i32 i32, to_i64 i64, to_u32 u32
    }

    rounding_to! { floor_to ceil_to round_to trunc_to }

    /// [`log`](Exp::log) of each element to the base of an operand's.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |x: Acc<Ix1, f64>| x.log(2.0);
    /// assert_eq!(interpret(f, Array::vector(vec![1.0, 8.0])?)?.to_vec(), [0.0, 3.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn log<R: Operand<Sh, T>>(self, base: R) -> Acc<R::Shape, T>
    where
        T: Float,
    {
        base.beside(Call::here("log"), self, |x, base| x.log(base))
    }
}
