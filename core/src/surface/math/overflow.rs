//! Arithmetic of integers that says when a result is beyond the range, stops at its end, or gives nothing; and shifts by any number of bits.

use super::super::functions::cond;
use super::super::lift::{Lift, literal};
use super::super::scalar::{Exp, Integral};
use super::super::session::Call;
use super::super::variants::OptionE;
use super::bits::{is_signed, number, range, width};

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

/// Numbers with the other sign, and without one.
impl<T: Integral> Exp<T> {
    /// The number with the other sign, wrapping, and whether it did: the least number does, and all but 0 where there are no signs.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i8>| v.map(|x| x.overflowing_neg());
    /// assert_eq!(interpret(f, Array::vector(vec![5, -128])?)?.to_vec(), [(-5, false), (-128, true)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn overflowing_neg(self) -> (Self, Exp<bool>) {
        let call = Call::here("overflowing_neg");
        call.throughout(|| (number::<T>(0) - self, self.negated_is_beyond()))
    }

    /// The number with the other sign, or the end of the range that it is beyond.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i8>| v.map(|x| x.saturating_neg());
    /// assert_eq!(interpret(f, Array::vector(vec![5, -128])?)?.to_vec(), [-5, 127]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn saturating_neg(self) -> Self {
        let call = Call::here("saturating_neg");
        call.throughout(|| {
            let is_low = (!is_signed::<T>()).then(|| literal(true));
            within(self.overflowing_neg(), is_low)
        })
    }

    /// The number with the other sign, where it is in the range.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i8>| v.map(|x| x.checked_neg());
    /// assert_eq!(interpret(f, Array::vector(vec![5, -128])?)?.to_vec(), [Some(-5), None]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn checked_neg(self) -> OptionE<T> {
        let call = Call::here("checked_neg");
        call.throughout(|| unless_beyond(self.overflowing_neg()))
    }

    /// The number without its sign, wrapping, and whether it did: the least number does.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i8>| v.map(|x| x.overflowing_abs());
    /// assert_eq!(interpret(f, Array::vector(vec![-5, -128])?)?.to_vec(), [(5, false), (-128, true)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn overflowing_abs(self) -> (Self, Exp<bool>) {
        let call = Call::here("overflowing_abs");
        call.throughout(|| {
            let is_beyond = match is_signed::<T>() {
                true => self.negated_is_beyond(),
                false => literal(false),
            };
            (self.abs(), is_beyond)
        })
    }

    /// The number without its sign, or the greatest number.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i8>| v.map(|x| x.saturating_abs());
    /// assert_eq!(interpret(f, Array::vector(vec![-5, -128])?)?.to_vec(), [5, 127]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn saturating_abs(self) -> Self {
        let call = Call::here("saturating_abs");
        call.throughout(|| within(self.overflowing_abs(), None))
    }

    /// The number without its sign, where it is in the range.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i8>| v.map(|x| x.checked_abs());
    /// assert_eq!(interpret(f, Array::vector(vec![-5, -128])?)?.to_vec(), [Some(5), None]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn checked_abs(self) -> OptionE<T> {
        let call = Call::here("checked_abs");
        call.throughout(|| unless_beyond(self.overflowing_abs()))
    }

    fn negated_is_beyond(self) -> Exp<bool> {
        match is_signed::<T>() {
            true => self.eq_(range::<T>().0),
            false => self.ne_(number::<T>(0)),
        }
    }
}

/// Powers, by a known exponent.
impl<T: Integral> Exp<T> {
    /// The power, wrapping, and whether it did; each multiplication takes a division.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i8>| v.map(|x| x.overflowing_pow(7));
    /// assert_eq!(interpret(f, Array::vector(vec![-2, 2])?)?.to_vec(), [(-128, false), (-128, true)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn overflowing_pow(self, exponent: u32) -> (Self, Exp<bool>) {
        let call = Call::here("overflowing_pow");
        call.throughout(|| {
            let Some(first) = exponent.checked_ilog2() else {
                return (number::<T>(1), literal(false));
            };
            // No factor is greater than the power, so that none is beyond the range where that is not.
            let times = |(power, is_beyond): (Self, Exp<bool>), factor: Self| {
                let (product, is_now) = power.overflowing_mul(factor);
                (product, is_beyond | is_now)
            };
            (0..first)
                .rev()
                .fold((self, literal(false)), |power, place| {
                    let square = times(power, power.0);
                    match exponent >> place & 1 {
                        0 => square,
                        1.. => times(square, self),
                    }
                })
        })
    }

    /// The power, or the end of the range that it is beyond.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i8>| v.map(|x| x.saturating_pow(3));
    /// assert_eq!(interpret(f, Array::vector(vec![-9, 5, 9])?)?.to_vec(), [-128, 125, 127]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn saturating_pow(self, exponent: u32) -> Self {
        let call = Call::here("saturating_pow");
        call.throughout(|| {
            let may_be_low = is_signed::<T>() && exponent % 2 == 1;
            let is_low = may_be_low.then(|| self.lt(number::<T>(0)));
            within(self.overflowing_pow(exponent), is_low)
        })
    }

    /// The power, where it is in the range.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, u8>| v.map(|x| x.checked_pow(2));
    /// assert_eq!(interpret(f, Array::vector(vec![15, 16])?)?.to_vec(), [Some(225), None]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn checked_pow(self, exponent: u32) -> OptionE<T> {
        let call = Call::here("checked_pow");
        call.throughout(|| unless_beyond(self.overflowing_pow(exponent)))
    }
}

/// Shifts by any number of bits. (`<<` and `>>` wrap it.)
impl<T: Integral> Exp<T> {
    /// The number shifted to the left, where it is by fewer bits than there are.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, (u8, u8)>| v.map(|(x, by)| x.checked_shl(by));
    /// assert_eq!(interpret(f, Array::vector(vec![(3, 7), (3, 8)])?)?.to_vec(), [Some(128), None]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn checked_shl<R: Lift<T>>(self, by: R) -> OptionE<T> {
        let call = Call::here("checked_shl");
        call.throughout(|| {
            let by = by.lift();
            unless_beyond((self << by, !is_shift(by)))
        })
    }

    /// The number shifted to the right, where it is by fewer bits than there are.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, (i8, i8)>| v.map(|(x, by)| x.checked_shr(by));
    /// assert_eq!(interpret(f, Array::vector(vec![(-3, 1), (-3, 8), (-3, -1)])?)?.to_vec(), [Some(-2), None, None]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn checked_shr<R: Lift<T>>(self, by: R) -> OptionE<T> {
        let call = Call::here("checked_shr");
        call.throughout(|| {
            let by = by.lift();
            unless_beyond((self >> by, !is_shift(by)))
        })
    }

    /// The number shifted to the left: by as many bits as there are, or more, 0. (By a negative number, too.)
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, (u8, u8)>| v.map(|(x, by)| x.unbounded_shl(by));
    /// assert_eq!(interpret(f, Array::vector(vec![(3, 1), (3, 7), (3, 8)])?)?.to_vec(), [6, 128, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn unbounded_shl<R: Lift<T>>(self, by: R) -> Self {
        let call = Call::here("unbounded_shl");
        call.throughout(|| {
            let by = by.lift();
            cond::<T>(is_shift(by), self << by, number::<T>(0))
        })
    }

    /// The number shifted to the right: by as many bits as there are, or more, 0, or −1 if it is negative. (By a negative number, too.)
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, (i8, i8)>| v.map(|(x, by)| x.unbounded_shr(by));
    /// assert_eq!(interpret(f, Array::vector(vec![(-3, 1), (-3, 7), (-3, 8)])?)?.to_vec(), [-2, -1, -1]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn unbounded_shr<R: Lift<T>>(self, by: R) -> Self {
        let call = Call::here("unbounded_shr");
        call.throughout(|| {
            let by = by.lift();
            let all = match is_signed::<T>() {
                // What is left of each is its sign.
                true => self >> number::<T>(width::<T>() - 1),
                false => number::<T>(0),
            };
            cond::<T>(is_shift(by), self >> by, all)
        })
    }
}

/// Whether a number is that of a shift: of fewer bits than there are, and not negative.
fn is_shift<T: Integral>(by: Exp<T>) -> Exp<bool> {
    let is_less = by.lt(number::<T>(width::<T>()));
    match is_signed::<T>() {
        true => is_less & by.ge(number::<T>(0)),
        false => is_less,
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
