//! The bits of integers: counts of them, rotations, their order; and powers.
//!
//! All is made of shifts and bitwise operations, word by word of 32 bits (Warren, *Hacker's Delight*, chapters 2 and 5), which every engine has.

use super::super::functions::cond;
use super::super::lift::{Lift, literal};
use super::super::scalar::{Exp, Integral, Num, Scalar};
use super::super::session::Call;

/// Bits, counted from the lowest.
impl<T: Scalar> Exp<T> {
    /// How many bits are 1.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| x.count_ones());
    /// assert_eq!(interpret(f, Array::vector(vec![0, 7, -1])?)?.to_vec(), [0, 3, 32]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn count_ones(self) -> Exp<u32>
    where
        T: Integral,
    {
        let call = Call::here("count_ones");
        call.throughout(|| match words(self) {
            (low, None) => ones(low),
            (low, Some(high)) => ones(low) + ones(high),
        })
    }

    /// How many bits are 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i64>| v.map(|x| x.count_zeros());
    /// assert_eq!(interpret(f, Array::vector(vec![0, 7, -1])?)?.to_vec(), [64, 61, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn count_zeros(self) -> Exp<u32>
    where
        T: Integral,
    {
        let call = Call::here("count_zeros");
        call.throughout(|| (!self).count_ones())
    }

    /// How many bits above the highest 1 there are: all of 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| x.leading_zeros());
    /// assert_eq!(interpret(f, Array::vector(vec![0, 1, -1])?)?.to_vec(), [32, 31, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn leading_zeros(self) -> Exp<u32>
    where
        T: Integral,
    {
        let call = Call::here("leading_zeros");
        call.throughout(|| match words(self) {
            (low, None) => leading(low) - (32 - width::<T>()),
            (low, Some(high)) => cond::<u32>(high.eq_(0), leading(low) + 32, leading(high)),
        })
    }

    /// How many bits below the lowest 1 there are: all of 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, u32>| v.map(|x| x.trailing_zeros());
    /// assert_eq!(interpret(f, Array::vector(vec![0, 1, 12])?)?.to_vec(), [32, 0, 2]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn trailing_zeros(self) -> Exp<u32>
    where
        T: Integral,
    {
        let call = Call::here("trailing_zeros");
        call.throughout(|| match words(self) {
            (low, None) if width::<T>() < 32 => trailing(low | 1 << width::<T>()),
            (low, None) => trailing(low),
            (low, Some(high)) => cond::<u32>(low.eq_(0), trailing(high) + 32, trailing(low)),
        })
    }

    /// How many bits above the highest 0 there are: all of −1.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| x.leading_ones());
    /// assert_eq!(interpret(f, Array::vector(vec![0, -1, -4])?)?.to_vec(), [0, 32, 30]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn leading_ones(self) -> Exp<u32>
    where
        T: Integral,
    {
        let call = Call::here("leading_ones");
        call.throughout(|| (!self).leading_zeros())
    }

    /// How many bits below the lowest 0 there are: all of −1.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| x.trailing_ones());
    /// assert_eq!(interpret(f, Array::vector(vec![0, -1, 7])?)?.to_vec(), [0, 32, 3]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn trailing_ones(self) -> Exp<u32>
    where
        T: Integral,
    {
        let call = Call::here("trailing_ones");
        call.throughout(|| (!self).trailing_zeros())
    }

    /// The bits `by` places further up, those that leave at the top at the bottom; `by` counts modulo their number.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, u32>| v.map(|x| x.rotate_left(8));
    /// assert_eq!(interpret(f, Array::vector(vec![0x1234_5678])?)?.to_vec(), [0x3456_7812]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn rotate_left<R: Lift<u32>>(self, by: R) -> Self
    where
        T: Integral,
    {
        let call = Call::here("rotate_left");
        call.throughout(|| rotated(self, by.lift()))
    }

    /// The bits `by` places further down, those that leave at the bottom at the top; `by` counts modulo their number.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i64>| v.map(|x| x.rotate_right(1));
    /// assert_eq!(interpret(f, Array::vector(vec![1, 2])?)?.to_vec(), [i64::MIN, 1]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn rotate_right<R: Lift<u32>>(self, by: R) -> Self
    where
        T: Integral,
    {
        let call = Call::here("rotate_right");
        call.throughout(|| rotated(self, -by.lift()))
    }

    /// The bits in reverse order.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| x.reverse_bits());
    /// assert_eq!(interpret(f, Array::vector(vec![1, 6])?)?.to_vec(), [i32::MIN, 0x6000_0000]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn reverse_bits(self) -> Self
    where
        T: Integral,
    {
        let call = Call::here("reverse_bits");
        let steps = [
            (1, 0x5555_5555),
            (2, 0x3333_3333),
            (4, 0x0f0f_0f0f),
            (8, 0x00ff_00ff),
            (16, 0x0000_ffff),
        ];
        call.throughout(|| reordered(self, &steps))
    }

    /// The bytes in reverse order.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, u32>| v.map(|x| x.swap_bytes());
    /// assert_eq!(interpret(f, Array::vector(vec![0x1234_5678])?)?.to_vec(), [0x7856_3412]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn swap_bytes(self) -> Self
    where
        T: Integral,
    {
        let call = Call::here("swap_bytes");
        let steps = [(8, 0x00ff_00ff), (16, 0x0000_ffff)];
        call.throughout(|| reordered(self, &steps))
    }

    /// A constant power, by repeated multiplication, wrapping; 1 for the exponent 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| x.pow(3));
    /// assert_eq!(interpret(f, Array::vector(vec![-2, 5])?)?.to_vec(), [-8, 125]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn pow(self, exponent: u32) -> Self
    where
        T: Integral,
    {
        let call = Call::here("pow");
        call.throughout(|| {
            let mut power: Self = literal(T::from_i32(1));
            for place in (0..32).rev().filter(|place| exponent >> place > 0) {
                power = power * power;
                if exponent >> place & 1 == 1 {
                    power *= self;
                }
            }
            power
        })
    }
}

pub(super) fn is_signed<T: Scalar>() -> bool {
    !T::TYPE.is_unsigned()
}

/// A small number.
pub(super) fn number<T: Num>(n: i32) -> Exp<T> {
    literal(T::from_i32(n))
}

/// How many bits there are.
pub(super) fn width<T: Scalar>() -> i32 {
    8 * T::TYPE.bytes() as i32
}

/// The least and the greatest number.
pub(super) fn range<T: Integral>() -> (Exp<T>, Exp<T>) {
    match is_signed::<T>() {
        true => {
            let least = number::<T>(1) << number::<T>(width::<T>() - 1);
            (least, !least)
        }
        false => (number(0), !number(0)),
    }
}

/// The lower 32 bits, zeros in front of fewer; and the upper ones, if there are any.
fn words<T: Integral>(x: Exp<T>) -> (Exp<u32>, Option<Exp<u32>>) {
    let low: Exp<u32> = x.to();
    match width::<T>() {
        64 => (low, Some((x >> literal(T::from_i32(32))).to())),
        32 => (low, None),
        narrow => (low & ((1u32 << narrow) - 1), None),
    }
}

fn ones(x: Exp<u32>) -> Exp<u32> {
    let pairs = x - ((x >> 1) & 0x5555_5555);
    let fours = (pairs & 0x3333_3333) + ((pairs >> 2) & 0x3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f;
    (bytes * 0x0101_0101) >> 24
}

fn leading(x: Exp<u32>) -> Exp<u32> {
    let below = [1u32, 2, 4, 8, 16].into_iter();
    ones(!below.fold(x, |x, by| x | (x >> by)))
}

fn trailing(x: Exp<u32>) -> Exp<u32> {
    ones(!x & (x - 1))
}

/// The bits so many places further up, modulo their number.
fn rotated<T: Integral>(x: Exp<T>, by: Exp<u32>) -> Exp<T> {
    let last = number::<T>(width::<T>() - 1);
    let up = by.to::<T>() & last;
    let down = -up & last;
    // Shifts of signed numbers copy the sign, which these bits are not.
    let own = !(number::<T>(-2) << (last - down));
    (x << up) | ((x >> down) & own)
}

/// The bits with neighbouring groups of them exchanged, step by step; and words, where there are two.
fn reordered<T: Integral>(x: Exp<T>, steps: &[(u32, u32)]) -> Exp<T> {
    let word = |x: Exp<u32>, unused: i32| {
        let exchanged =
            |x: Exp<u32>, &(by, lower): &(u32, u32)| ((x >> by) & lower) | ((x & lower) << by);
        (steps.iter().fold(x, exchanged) >> unused).to::<T>()
    };
    match words(x) {
        (low, None) => word(low, 32 - width::<T>()),
        (low, Some(high)) => (word(low, 0) << literal(T::from_i32(32))) | word(high, 0),
    }
}
