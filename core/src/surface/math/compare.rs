//! Order and sign, comparisons, and logic.

use super::super::elt;
use super::super::lift::{Lift, literal};
use super::super::node_exp;
use super::super::scalar::{Exp, Float, Integral, Num, Scalar};
use super::super::session::Call;
use crate::prim::Prim;

/// Sign, order and remainders.
impl<T: Scalar> Exp<T> {
    unary! {
        /// The absolute value; wraps at the least integer.
        ///
        /// The derivative at 0 is 0.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.abs(), gradient_e(|x| x.abs(), x)));
        /// let found = interpret(f, Array::vector(vec![-2.0, 0.0, 3.0])?)?;
        /// assert_eq!(found.to_vec(), [(2.0, -1.0), (0.0, 0.0), (3.0, 1.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Num: abs = Abs;
        /// −1, 0 or 1 by the sign; of a float zero or NaN, itself.
        ///
        /// The derivative is 0 everywhere.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.signum(), gradient_e(|x| x.signum(), x)));
        /// let found = interpret(f, Array::vector(vec![-2.0, 0.0, 3.0])?)?;
        /// assert_eq!(found.to_vec(), [(-1.0, 0.0), (0.0, 0.0), (1.0, 0.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Num: signum = Signum;
    }

    binary! {
        /// The greater one; NaN if one of them is.
        ///
        /// The derivative goes to the greater one, and where both are equal to the first, `self`. So that of
        /// `x.max(0.0)` at 0 is 1.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, (f64, f64)>| v.map(|p| gradient_e(|(x, y)| x.max(y), p));
        /// let found = interpret(f, Array::vector(vec![(1.0, 2.0), (2.0, 1.0), (2.0, 2.0)])?)?;
        /// assert_eq!(found.to_vec(), [(0.0, 1.0), (1.0, 0.0), (1.0, 0.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Num: max = Max -> T;
        /// The lesser one; NaN if one of them is.
        ///
        /// The derivative goes to the lesser one, and where both are equal to the first, `self`.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, (f64, f64)>| v.map(|p| gradient_e(|(x, y)| x.min(y), p));
        /// let found = interpret(f, Array::vector(vec![(1.0, 2.0), (2.0, 1.0), (2.0, 2.0)])?)?;
        /// assert_eq!(found.to_vec(), [(1.0, 0.0), (0.0, 1.0), (1.0, 0.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Num: min = Min -> T;
    }

    /// Restricts to a range: `x.max(low).min(high)`.
    ///
    /// The derivative at both ends of the range is 1, as inside; outside it goes to the end.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.clamp(-1.0, 1.0), gradient_e(|x| x.clamp(-1.0, 1.0), x)));
    /// let found = interpret(f, Array::vector(vec![-2.0, -1.0, 0.5, 1.0])?)?;
    /// assert_eq!(found.to_vec(), [(-1.0, 0.0), (-1.0, 1.0), (0.5, 1.0), (1.0, 1.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn clamp<L: Lift<T>, H: Lift<T>>(self, low: L, high: H) -> Self
    where
        T: Num,
    {
        self.max(low).min(high)
    }

    binary! {
        /// The quotient towards −∞; 0 where the divisor is.
        ///
        /// Integers have no derivative.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, (i32, i32)>| v.map(|(x, y)| x.div_floor(y));
        /// let found = interpret(f, Array::vector(vec![(7, 2), (-7, 2), (7, 0)])?)?;
        /// assert_eq!(found.to_vec(), [3, -4, 0]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Integral: div_floor = DivFloor -> T;
        /// What [`div_floor`](Exp::div_floor) leaves: of the divisor's sign, or self where that is 0.
        ///
        /// Integers have no derivative.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, (i32, i32)>| v.map(|(x, y)| x.mod_floor(y));
        /// let found = interpret(f, Array::vector(vec![(7, 2), (-7, 2), (7, -2), (7, 0)])?)?;
        /// assert_eq!(found.to_vec(), [1, 1, -1, 7]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Integral: mod_floor = ModFloor -> T;
    }
}

/// Comparisons. They have no derivative.
impl<T: Scalar> Exp<T> {
    binary! {
        /// `self == other`.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, (f64, f64)>| v.map(|(x, y)| x.eq_(y));
        /// let found = interpret(f, Array::vector(vec![(1.0, 1.0), (1.0, 2.0), (f64::NAN, f64::NAN)])?)?;
        /// assert_eq!(found.to_vec(), [true, false, false]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Scalar: eq_ = Eq -> bool;
        /// `self != other`.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, (f64, f64)>| v.map(|(x, y)| x.ne_(y));
        /// let found = interpret(f, Array::vector(vec![(1.0, 1.0), (1.0, 2.0), (f64::NAN, f64::NAN)])?)?;
        /// assert_eq!(found.to_vec(), [false, true, true]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Scalar: ne_ = Ne -> bool;
        /// `self < other`.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, (i32, i32)>| v.map(|(x, y)| x.lt(y));
        /// let found = interpret(f, Array::vector(vec![(1, 2), (2, 2)])?)?;
        /// assert_eq!(found.to_vec(), [true, false]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Num: lt = Lt -> bool;
        /// `self <= other`.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, (i32, i32)>| v.map(|(x, y)| x.le(y));
        /// let found = interpret(f, Array::vector(vec![(1, 2), (2, 2), (3, 2)])?)?;
        /// assert_eq!(found.to_vec(), [true, true, false]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Num: le = Le -> bool;
        /// `self > other`.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, (i32, i32)>| v.map(|(x, y)| x.gt(y));
        /// let found = interpret(f, Array::vector(vec![(3, 2), (2, 2)])?)?;
        /// assert_eq!(found.to_vec(), [true, false]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Num: gt = Gt -> bool;
        /// `self >= other`.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, (i32, i32)>| v.map(|(x, y)| x.ge(y));
        /// let found = interpret(f, Array::vector(vec![(3, 2), (2, 2), (1, 2)])?)?;
        /// assert_eq!(found.to_vec(), [true, true, false]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Num: ge = Ge -> bool;
    }

    /// Whether this is NaN.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.is_nan());
    /// let found = interpret(f, Array::vector(vec![f64::NAN, 0.0, f64::INFINITY])?)?;
    /// assert_eq!(found.to_vec(), [true, false, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn is_nan(self) -> Exp<bool>
    where
        T: Float,
    {
        self.prim(Prim::IsNan, &[])
    }

    /// Whether this is an infinity.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.is_infinite());
    /// let found = interpret(f, Array::vector(vec![f64::NAN, 0.0, f64::INFINITY])?)?;
    /// assert_eq!(found.to_vec(), [false, false, true]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn is_infinite(self) -> Exp<bool>
    where
        T: Float,
    {
        self.prim(Prim::IsInfinite, &[])
    }
}

/// Logic. `and` and `or` evaluate their right side only where it decides, so an index on the right is
/// guarded by a test on the left; `&` and `|` evaluate both.
impl Exp<bool> {
    /// Both; the other side only where this holds.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // Beyond the end, the element is not read.
    /// let f = |v: Acc<Ix1, i32>| generate(ix![3], |ix![i]| i.lt(v.inner()).and(v.at(ix![i]).gt(0)));
    /// let found = interpret(f, Array::vector(vec![-1, 1])?)?;
    /// assert_eq!(found.to_vec(), [false, true, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn and<R: Lift<bool>>(self, other: R) -> Exp<bool> {
        let other = other.lift();
        self.if_("and", other, literal(false))
    }

    /// One of both; the other side only where this does not hold.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // Beyond the end, the element is not read.
    /// let f = |v: Acc<Ix1, i32>| generate(ix![3], |ix![i]| i.ge(v.inner()).or(v.at(ix![i]).gt(0)));
    /// let found = interpret(f, Array::vector(vec![-1, 1])?)?;
    /// assert_eq!(found.to_vec(), [false, true, true]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn or<R: Lift<bool>>(self, other: R) -> Exp<bool> {
        let other = other.lift();
        self.if_("or", literal(true), other)
    }

    /// The opposite.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, bool>| v.map(|x| x.not());
    /// let found = interpret(f, Array::vector(vec![true, false])?)?;
    /// assert_eq!(found.to_vec(), [false, true]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    #[allow(clippy::should_implement_trait)] // It does; the method reads better after a comparison.
    pub fn not(self) -> Exp<bool> {
        !self
    }

    #[track_caller]
    fn if_(self, name: &'static str, then_: Exp<bool>, else_: Exp<bool>) -> Exp<bool> {
        let call = Call::here(name);
        let results = node_exp::cond(call, self.raw(), &[then_.raw()], &[else_.raw()]);
        elt::from_raw::<bool>(&results)
    }
}
