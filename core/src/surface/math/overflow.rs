//! Arithmetic of integers that says when a result is beyond the range, stops at its end, or gives nothing.

use super::super::functions::cond;
use super::super::lift::{Lift, literal};
use super::super::scalar::{Exp, Integral};
use super::super::session::Call;
use super::super::variants::OptionE;
use super::bits::{is_signed, number, range};

/// Sums, differences, products and quotients, and whether they are in the range.
impl<T: Integral> Exp<T> {
    /// The sum, wrapping, and whether it did.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, u8>| v.map(|x| x.overflowing_add(10));
    /// assert_eq!(interpret(f, Array::vector(vec![1, 250])?)?.to_vec(), [(11, false), (4, true)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn overflowing_add<R: Lift<T>>(self, other: R) -> (Self, Exp<bool>) {
        let call = Call::here("overflowing_add");
        call.throughout(|| {
            let other = other.lift();
            let sum = self + other;
            let is_beyond = match is_signed::<T>() {
                true => ((self ^ sum) & (other ^ sum)).lt(number::<T>(0)),
                false => sum.lt(self),
            };
            (sum, is_beyond)
        })
    }

    /// The difference, wrapping, and whether it did.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, u8>| v.map(|x| x.overflowing_sub(10));
    /// assert_eq!(interpret(f, Array::vector(vec![11, 4])?)?.to_vec(), [(1, false), (250, true)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn overflowing_sub<R: Lift<T>>(self, other: R) -> (Self, Exp<bool>) {
        let call = Call::here("overflowing_sub");
        call.throughout(|| {
            let other = other.lift();
            let difference = self - other;
            let is_beyond = match is_signed::<T>() {
                true => ((self ^ other) & (self ^ difference)).lt(number::<T>(0)),
                false => self.lt(other),
            };
            (difference, is_beyond)
        })
    }

    /// The product, wrapping, and whether it did; that takes a division.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i8>| v.map(|x| x.overflowing_mul(2));
    /// assert_eq!(interpret(f, Array::vector(vec![-64, 64])?)?.to_vec(), [(-128, false), (-128, true)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn overflowing_mul<R: Lift<T>>(self, other: R) -> (Self, Exp<bool>) {
        let call = Call::here("overflowing_mul");
        call.throughout(|| {
            let (other, zero) = (other.lift(), number::<T>(0));
            let product = self * other;
            let differs = self.ne_(zero) & (product / self).ne_(other);
            let is_beyond = match is_signed::<T>() {
                // The quotient by −1 wraps as the product does.
                true => differs | (self.eq_(number::<T>(-1)) & other.eq_(range::<T>().0)),
                false => differs,
            };
            (product, is_beyond)
        })
    }

    /// The sum, or the end of the range that it is beyond.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| x.saturating_add(x));
    /// let found = interpret(f, Array::vector(vec![1 << 30, 7, i32::MIN])?)?;
    /// assert_eq!(found.to_vec(), [i32::MAX, 14, i32::MIN]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn saturating_add<R: Lift<T>>(self, other: R) -> Self {
        let call = Call::here("saturating_add");
        call.throughout(|| {
            let other = other.lift();
            within(
                self.overflowing_add(other),
                is_signed::<T>().then(|| other.lt(number::<T>(0))),
            )
        })
    }

    /// The difference, or the end of the range that it is beyond.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, u32>| v.map(|x| x.saturating_sub(3));
    /// assert_eq!(interpret(f, Array::vector(vec![7, 3, 1])?)?.to_vec(), [4, 0, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn saturating_sub<R: Lift<T>>(self, other: R) -> Self {
        let call = Call::here("saturating_sub");
        call.throughout(|| {
            let is_low = match is_signed::<T>() {
                true => self.lt(number::<T>(0)),
                false => literal(true),
            };
            within(self.overflowing_sub(other), Some(is_low))
        })
    }

    /// The product, or the end of the range that it is beyond.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i8>| v.map(|x| x.saturating_mul(3));
    /// assert_eq!(interpret(f, Array::vector(vec![7, 60, -60])?)?.to_vec(), [21, 127, -128]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn saturating_mul<R: Lift<T>>(self, other: R) -> Self {
        let call = Call::here("saturating_mul");
        call.throughout(|| {
            let other = other.lift();
            let is_low = is_signed::<T>().then(|| (self ^ other).lt(number::<T>(0)));
            within(self.overflowing_mul(other), is_low)
        })
    }

    /// The sum, where it is in the range.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, u8>| v.map(|x| x.checked_add(10));
    /// assert_eq!(interpret(f, Array::vector(vec![1, 250])?)?.to_vec(), [Some(11), None]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn checked_add<R: Lift<T>>(self, other: R) -> OptionE<T> {
        let call = Call::here("checked_add");
        call.throughout(|| unless_beyond(self.overflowing_add(other)))
    }

    /// The difference, where it is in the range.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, u8>| v.map(|x| x.checked_sub(10));
    /// assert_eq!(interpret(f, Array::vector(vec![11, 4])?)?.to_vec(), [Some(1), None]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn checked_sub<R: Lift<T>>(self, other: R) -> OptionE<T> {
        let call = Call::here("checked_sub");
        call.throughout(|| unless_beyond(self.overflowing_sub(other)))
    }

    /// The product, where it is in the range.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i8>| v.map(|x| x.checked_mul(2));
    /// assert_eq!(interpret(f, Array::vector(vec![-64, 64])?)?.to_vec(), [Some(-128), None]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn checked_mul<R: Lift<T>>(self, other: R) -> OptionE<T> {
        let call = Call::here("checked_mul");
        call.throughout(|| unless_beyond(self.overflowing_mul(other)))
    }

    /// The quotient towards zero, where there is one in the range: neither of 0 nor of the least number and −1.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, (i8, i8)>| v.map(|(x, y)| x.checked_div(y));
    /// let inputs = Array::vector(vec![(7, -2), (7, 0), (-128, -1)])?;
    /// assert_eq!(interpret(f, inputs)?.to_vec(), [Some(-3), None, None]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn checked_div<R: Lift<T>>(self, other: R) -> OptionE<T> {
        let call = Call::here("checked_div");
        call.throughout(|| divided(self, other.lift(), |x, y| x / y))
    }

    /// What the quotient towards zero leaves, where there is one in the range.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, (i8, i8)>| v.map(|(x, y)| x.checked_rem(y));
    /// let inputs = Array::vector(vec![(7, -2), (7, 0), (-128, -1)])?;
    /// assert_eq!(interpret(f, inputs)?.to_vec(), [Some(1), None, None]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn checked_rem<R: Lift<T>>(self, other: R) -> OptionE<T> {
        let call = Call::here("checked_rem");
        call.throughout(|| divided(self, other.lift(), |x, y| x % y))
    }
}

/// A result, or the end of the range where it is beyond: the least number where that is so, which it never is where nothing says so.
fn within<T: Integral>(
    (value, is_beyond): (Exp<T>, Exp<bool>),
    is_low: Option<Exp<bool>>,
) -> Exp<T> {
    let (least, most) = range::<T>();
    let end = match is_low {
        Some(is_low) => cond::<T>(is_low, least, most),
        None => most,
    };
    cond::<T>(is_beyond, end, value)
}

fn unless_beyond<T: Integral>((value, is_beyond): (Exp<T>, Exp<bool>)) -> OptionE<T> {
    cond::<Option<T>>(is_beyond, OptionE::none(), OptionE::some(value))
}

/// What a division gives, unless the quotient is none or beyond the range.
fn divided<T: Integral>(
    x: Exp<T>,
    y: Exp<T>,
    f: impl FnOnce(Exp<T>, Exp<T>) -> Exp<T>,
) -> OptionE<T> {
    let is_zero = y.eq_(number::<T>(0));
    let is_none = match is_signed::<T>() {
        true => is_zero | (y.eq_(number::<T>(-1)) & x.eq_(range::<T>().0)),
        false => is_zero,
    };
    unless_beyond((f(x, y), is_none))
}
