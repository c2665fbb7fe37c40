//! Elementary functions: powers, logarithms, angles.

use super::super::lift::{Lift, literal_at};
use super::super::scalar::{Exp, Float, Num, Scalar};
use super::super::session::Call;
use crate::prim::Prim;

/// Powers and logarithms.
impl<T: Scalar> Exp<T> {
    unary! {
        /// The square root; NaN of negative numbers.
        ///
        /// The derivative at 0 is ∞.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.sqrt(), gradient_e(|x| x.sqrt(), x)));
        /// let found = interpret(f, Array::vector(vec![4.0, 0.0])?)?;
        /// assert_eq!(found.to_vec(), [(2.0, 0.25), (0.0, f64::INFINITY)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: sqrt = Sqrt;
        /// e to the power of this.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.exp(), gradient_e(|x| x.exp(), x)));
        /// let found = interpret(f, Array::vector(vec![0.0])?)?;
        /// assert_eq!(found.to_vec(), [(1.0, 1.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: exp = Exp;
        /// eˣ − 1, precise near 0.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.exp_m1(), gradient_e(|x| x.exp_m1(), x)));
        /// let found = interpret(f, Array::vector(vec![0.0, 1e-20])?)?;
        /// assert_eq!(found.to_vec(), [(0.0, 1.0), (1e-20, 1.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: exp_m1 = ExpM1;
        /// The natural logarithm; −∞ of 0, NaN of negative numbers.
        ///
        /// The derivative at 0 is ∞, and 1 / x also where x is negative.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.ln(), gradient_e(|x| x.ln(), x)));
        /// let found = interpret(f, Array::vector(vec![1.0, 0.0])?)?;
        /// assert_eq!(found.to_vec(), [(0.0, 1.0), (f64::NEG_INFINITY, f64::INFINITY)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: ln = Ln;
        /// ln(1 + x), precise near 0; −∞ of −1, NaN below.
        ///
        /// The derivative at −1 is ∞, and 1 / (1 + x) also where x is below −1.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.ln_1p(), gradient_e(|x| x.ln_1p(), x)));
        /// let found = interpret(f, Array::vector(vec![0.0, 1e-20, -1.0])?)?;
        /// assert_eq!(found.to_vec(), [(0.0, 1.0), (1e-20, 1.0), (f64::NEG_INFINITY, f64::INFINITY)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: ln_1p = Ln1p;
    }

    binary! {
        /// This to the power of the other; NaN of a negative number unless the exponent is a whole number.
        ///
        /// The derivative in the base is y·xʸ⁻¹, and 0 where the exponent y is 0. The derivative in the exponent is
        /// xʸ·ln x, and 0 where the base is 0 and the exponent is not negative.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, (f64, f64)>| v.map(|p| gradient_e(|(x, y)| x.powf(y), p));
        /// let found = interpret(f, Array::vector(vec![(1.0, 3.0), (0.0, 2.0), (0.0, 0.0)])?)?;
        /// assert_eq!(found.to_vec(), [(3.0, 0.0), (0.0, 0.0), (0.0, 0.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: powf = Pow -> T;
    }

    /// A constant integer power, by repeated multiplication; 1 for the exponent 0.
    ///
    /// The derivative is that of the multiplications: n·xⁿ⁻¹ also at 0, and 0 for the exponent 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.powi(3), gradient_e(|x| x.powi(3), x)));
    /// let found = interpret(f, Array::vector(vec![-2.0, 0.0])?)?;
    /// assert_eq!(found.to_vec(), [(-8.0, 12.0), (0.0, 0.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
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

    /// 1 / x.
    ///
    /// The derivative at 0 is −∞.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.recip(), gradient_e(|x| x.recip(), x)));
    /// let found = interpret(f, Array::vector(vec![2.0, 0.0])?)?;
    /// assert_eq!(found.to_vec(), [(0.5, -0.25), (f64::INFINITY, f64::NEG_INFINITY)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn recip(self) -> Self
    where
        T: Float,
    {
        1.0 / self
    }

    /// x · x.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.sqr(), gradient_e(|x| x.sqr(), x)));
    /// let found = interpret(f, Array::vector(vec![3.0])?)?;
    /// assert_eq!(found.to_vec(), [(9.0, 6.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn sqr(self) -> Self
    where
        T: Num,
    {
        self * self
    }

    /// The logarithm to a base: ln x / ln base.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.log(2.0));
    /// let found = interpret(f, Array::vector(vec![1.0, 8.0])?)?;
    /// assert_eq!(found.to_vec(), [0.0, 3.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn log<R: Lift<T>>(self, base: R) -> Self
    where
        T: Float,
    {
        self.ln() / base.lift().ln()
    }
}

/// Angles and hyperbolic functions.
impl<T: Scalar> Exp<T> {
    unary! {
        /// The sine of an angle in radians.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.sin(), gradient_e(|x| x.sin(), x)));
        /// let found = interpret(f, Array::vector(vec![0.0])?)?;
        /// assert_eq!(found.to_vec(), [(0.0, 1.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: sin = Sin;
        /// The cosine of an angle in radians.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.cos(), gradient_e(|x| x.cos(), x)));
        /// let found = interpret(f, Array::vector(vec![0.0])?)?;
        /// assert_eq!(found.to_vec(), [(1.0, 0.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: cos = Cos;
        /// The tangent of an angle in radians.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.tan(), gradient_e(|x| x.tan(), x)));
        /// let found = interpret(f, Array::vector(vec![0.0])?)?;
        /// assert_eq!(found.to_vec(), [(0.0, 1.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: tan = Tan;
        /// The arc sine, in radians; NaN outside of −1 to 1.
        ///
        /// The derivative at ±1 is ∞.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.asin(), gradient_e(|x| x.asin(), x)));
        /// let found = interpret(f, Array::vector(vec![0.0, 1.0])?)?;
        /// assert_eq!(found.to_vec(), [(0.0, 1.0), (std::f64::consts::FRAC_PI_2, f64::INFINITY)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: asin = Asin;
        /// The arc cosine, in radians; NaN outside of −1 to 1.
        ///
        /// The derivative at ±1 is −∞.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.acos(), gradient_e(|x| x.acos(), x)));
        /// let found = interpret(f, Array::vector(vec![1.0])?)?;
        /// assert_eq!(found.to_vec(), [(0.0, f64::NEG_INFINITY)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: acos = Acos;
        /// The arc tangent, in radians.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.atan(), gradient_e(|x| x.atan(), x)));
        /// let found = interpret(f, Array::vector(vec![0.0, 1.0])?)?;
        /// assert_eq!(found.to_vec(), [(0.0, 1.0), (std::f64::consts::FRAC_PI_4, 0.5)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: atan = Atan;
        /// The hyperbolic sine.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.sinh(), gradient_e(|x| x.sinh(), x)));
        /// let found = interpret(f, Array::vector(vec![0.0])?)?;
        /// assert_eq!(found.to_vec(), [(0.0, 1.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: sinh = Sinh;
        /// The hyperbolic cosine.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.cosh(), gradient_e(|x| x.cosh(), x)));
        /// let found = interpret(f, Array::vector(vec![0.0])?)?;
        /// assert_eq!(found.to_vec(), [(1.0, 0.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: cosh = Cosh;
        /// The hyperbolic tangent.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.tanh(), gradient_e(|x| x.tanh(), x)));
        /// let found = interpret(f, Array::vector(vec![0.0, 100.0])?)?;
        /// assert_eq!(found.to_vec(), [(0.0, 1.0), (1.0, 0.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: tanh = Tanh;
        /// The inverse hyperbolic sine.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.asinh(), gradient_e(|x| x.asinh(), x)));
        /// let found = interpret(f, Array::vector(vec![0.0])?)?;
        /// assert_eq!(found.to_vec(), [(0.0, 1.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: asinh = Asinh;
        /// The inverse hyperbolic cosine; NaN below 1.
        ///
        /// The derivative at 1 is ∞.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.acosh(), gradient_e(|x| x.acosh(), x)));
        /// let found = interpret(f, Array::vector(vec![1.0])?)?;
        /// assert_eq!(found.to_vec(), [(0.0, f64::INFINITY)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: acosh = Acosh;
        /// The inverse hyperbolic tangent; ±∞ of ±1, NaN beyond.
        ///
        /// The derivative at ±1 is ∞.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.atanh(), gradient_e(|x| x.atanh(), x)));
        /// let found = interpret(f, Array::vector(vec![0.0, 1.0])?)?;
        /// assert_eq!(found.to_vec(), [(0.0, 1.0), (f64::INFINITY, f64::INFINITY)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: atanh = Atanh;
    }

    binary! {
        /// The angle of the point (other, self), in radians; 0 at the origin.
        ///
        /// The derivatives at the origin are NaN.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, (f64, f64)>| v.map(|p| gradient_e(|(y, x)| y.atan2(x), p));
        /// let found = interpret(f, Array::vector(vec![(0.0, 2.0), (2.0, 0.0), (0.0, 0.0)])?)?;
        /// assert_eq!(found.to_vec()[..2], [(0.5, 0.0), (0.0, -0.5)]);
        /// assert!(found.to_vec()[2].0.is_nan() && found.to_vec()[2].1.is_nan());
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: atan2 = Atan2 -> T;
    }

    /// `self · factor + term`, rounded once; in a shader twice, where its driver has no such instruction. An `f16` is computed with as `f64`,
    /// in a shader as `f32`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let rest = |v: Acc<Ix1, f64>| v.map(|x| x.mul_add(x, -(x * x)));
    /// let found = interpret(rest, Array::vector(vec![3.0, 0.1])?)?;
    /// // What the product of 0.1 and itself was rounded by.
    /// assert_eq!(found.to_vec(), [0.0, 0.1f64.mul_add(0.1, -(0.1 * 0.1))]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn mul_add<F: Lift<T>, A: Lift<T>>(self, factor: F, term: A) -> Self
    where
        T: Float,
    {
        let (factor, term) = (factor.lift(), term.lift());
        self.prim_at(
            Call::here("mul_add"),
            Prim::MulAdd,
            &[factor.raw(), term.raw()],
        )
    }
}
