//! Numbers by their quotients, and integers by roots, powers of two and divisors.
//!
//! All is made of operations that every engine has. Where Rust panics, the result is said here.

use super::super::functions::cond;
use super::super::lift::{Lift, literal};
use super::super::loops::{iterate, while_};
use super::super::scalar::{Exp, Integral, Num};
use super::super::session::Call;
use super::bits::{is_signed, number, width};
use crate::prim::Prim;

/// Quotients and remainders of Euclid's, of integers and floats: what is left is never negative.
impl<T: Num> Exp<T> {
    /// What is left of this when the other has been taken away, or added, as often as leaves no negative number: less than its size. Self where the
    /// other is the integer 0; NaN where it is the float.
    ///
    /// The derivative in this is 1, that in the other minus how often it was taken away; `jnp.mod` for a positive divisor.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.rem_euclid(2.0));
    /// assert_eq!(interpret(f, Array::vector(vec![5.5, -0.5])?)?.to_vec(), [1.5, 1.5]);
    /// let f = |v: Acc<Ix1, (i32, i32)>| v.map(|(x, y)| x.rem_euclid(y));
    /// let inputs = Array::vector(vec![(7, 3), (-7, 3), (-7, -3), (-7, 0)])?;
    /// assert_eq!(interpret(f, inputs)?.to_vec(), [1, 2, 2, -7]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn rem_euclid<R: Lift<T>>(self, other: R) -> Self {
        let call = Call::here("rem_euclid");
        call.throughout(|| {
            let other = other.lift();
            let rest = self % other;
            cond::<T>(rest.lt(number::<T>(0)), rest + other.abs(), rest)
        })
    }

    /// The integral quotient that [`rem_euclid`](Exp::rem_euclid) belongs to; where the other is the integer 0, 0.
    ///
    /// Its derivative is 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.div_euclid(2.0));
    /// assert_eq!(interpret(f, Array::vector(vec![5.5, -0.5])?)?.to_vec(), [2.0, -1.0]);
    /// let f = |v: Acc<Ix1, (i32, i32)>| v.map(|(x, y)| x.div_euclid(y));
    /// let inputs = Array::vector(vec![(7, 3), (-7, 3), (-7, -3), (-7, 0)])?;
    /// assert_eq!(interpret(f, inputs)?.to_vec(), [2, -3, 3, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn div_euclid<R: Lift<T>>(self, other: R) -> Self {
        let call = Call::here("div_euclid");
        call.throughout(|| {
            let (other, zero) = (other.lift(), number::<T>(0));
            let quotient = match T::TYPE.is_float() {
                true => (self / other).prim(Prim::Trunc, &[]),
                false => self / other,
            };
            cond::<T>((self % other).lt(zero), quotient - other.signum(), quotient)
        })
    }

    /// The number in the middle of both, which never overflows: of integers rounded towards zero, of floats to the nearest.
    ///
    /// Its derivative is a half in each.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, (i8, i8)>| v.map(|(x, y)| x.midpoint(y));
    /// let inputs = Array::vector(vec![(100, 127), (-2, -7), (-128, 127)])?;
    /// assert_eq!(interpret(f, inputs)?.to_vec(), [113, -4, 0]);
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.midpoint(1e308));
    /// assert_eq!(interpret(f, Array::vector(vec![1e308, 0.0])?)?.to_vec(), [1e308, 5e307]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn midpoint<R: Lift<T>>(self, other: R) -> Self {
        let call = Call::here("midpoint");
        call.throughout(|| {
            let other = other.lift();
            match T::TYPE.is_float() {
                true => float_midpoint(self, other),
                false => integer_midpoint(self, other),
            }
        })
    }
}

/// Halves are added where the sum would overflow; where it does not, they might be rounded.
fn float_midpoint<T: Num>(x: Exp<T>, y: Exp<T>) -> Exp<T> {
    let (one, two) = (number::<T>(1), number::<T>(2));
    let is_large = |x: Exp<T>| x.abs().gt(one);
    let halves = x / two + y / two;
    cond::<T>(is_large(x) & is_large(y), halves, (x + y) / two)
}

/// What both have in common, and half of the bits that differ (Dietz; Warren, *Hacker's Delight*, §2-5): that is rounded down.
fn integer_midpoint<T: Num>(x: Exp<T>, y: Exp<T>) -> Exp<T> {
    let (zero, one) = (number::<T>(0), number::<T>(1));
    let bitwise = |op: Prim, x: Exp<T>, y: Exp<T>| x.prim::<T>(op, &[y.raw()]);
    let differ = bitwise(Prim::BitXor, x, y);
    let below = bitwise(Prim::BitAnd, x, y) + bitwise(Prim::Shr, differ, one);
    let is_half = bitwise(Prim::BitAnd, differ, one).ne_(zero);
    cond::<T>(below.lt(zero) & is_half, below + one, below)
}

/// Integers.
impl<T: Integral> Exp<T> {
    /// The quotient towards +∞; 0 where the divisor is.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| x.div_ceil(3));
    /// assert_eq!(interpret(f, Array::vector(vec![6, 7, -7])?)?.to_vec(), [2, 3, -2]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn div_ceil<R: Lift<T>>(self, other: R) -> Self {
        let call = Call::here("div_ceil");
        call.throughout(|| {
            let (other, zero) = (other.lift(), number::<T>(0));
            let rest = self % other;
            let is_above = rest.gt(zero) & other.gt(zero);
            let above = is_above | (rest.lt(zero) & other.lt(zero));
            cond::<T>(above, self / other + number::<T>(1), self / other)
        })
    }

    /// The nearest multiple of the other that is, seen in its direction, no less; wrapping. Self where the other is 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| x.next_multiple_of(8));
    /// assert_eq!(interpret(f, Array::vector(vec![16, 17, -17])?)?.to_vec(), [16, 24, -16]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn next_multiple_of<R: Lift<T>>(self, other: R) -> Self {
        let call = Call::here("next_multiple_of");
        call.throughout(|| {
            let (other, zero) = (other.lift(), number::<T>(0));
            let rest = self.mod_floor(other);
            let is_multiple = rest.eq_(zero) | other.eq_(zero);
            cond::<T>(is_multiple, self, self + (other - rest))
        })
    }

    /// The distance of both, as an integer without a sign, so that it is always right.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, (i8, i8)>| v.map(|(x, y)| x.abs_diff(y));
    /// let inputs = Array::vector(vec![(3, 5), (127, -128)])?;
    /// assert_eq!(interpret(f, inputs)?.to_vec(), [2u8, 255]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn abs_diff<R: Lift<T>>(self, other: R) -> Exp<T::Unsigned> {
        let call = Call::here("abs_diff");
        call.throughout(|| {
            let other = other.lift();
            cond::<T>(self.lt(other), other - self, self - other).to()
        })
    }

    /// The size, as an integer without a sign, so that it is always right.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i8>| v.map(|x| x.unsigned_abs());
    /// assert_eq!(interpret(f, Array::vector(vec![-3, 5, -128])?)?.to_vec(), [3u8, 5, 128]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn unsigned_abs(self) -> Exp<T::Unsigned> {
        let call = Call::here("unsigned_abs");
        call.throughout(|| self.abs().to())
    }

    /// The integral part of the square root; 0 of a negative number. Made bit by bit.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i64>| v.map(|x| x.isqrt());
    /// assert_eq!(interpret(f, Array::vector(vec![15, 16, i64::MAX, -4])?)?.to_vec(), [3, 4, 3_037_000_499, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn isqrt(self) -> Self {
        let call = Call::here("isqrt");
        call.throughout(|| {
            let (zero, one) = (number::<T>(0), number::<T>(1));
            let highest = one << number::<T>(width::<T>() - 2);
            let step = |_, (rest, root, bit): (Self, Self, Self)| {
                let next = root + bit;
                let fits = rest.ge(next);
                let half = root >> one;
                let rest = cond::<T>(fits, rest - next, rest);
                (
                    rest,
                    cond::<T>(fits, half + bit, half),
                    bit >> number::<T>(2),
                )
            };
            let start = (self.max(zero), zero, highest);
            let (_, root, _): (Self, Self, Self) = iterate(width::<T>() / 2, step, start);
            root
        })
    }

    /// The integral part of the binary logarithm: the place of the highest 1. Of a number less than 1, which has none, 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| x.ilog2());
    /// assert_eq!(interpret(f, Array::vector(vec![1, 1023, 1024, 0])?)?.to_vec(), [0, 9, 10, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn ilog2(self) -> Exp<u32> {
        let call = Call::here("ilog2");
        call.throughout(|| {
            let last = literal::<u32>(width::<T>() as u32 - 1);
            cond::<u32>(self.ge(number::<T>(1)), last - self.leading_zeros(), 0)
        })
    }

    /// The integral part of the decimal logarithm; of a number less than 1, which has none, 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, u64>| v.map(|x| x.ilog10());
    /// assert_eq!(interpret(f, Array::vector(vec![9, 10, 1_000_000, u64::MAX])?)?.to_vec(), [0, 1, 6, 19]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn ilog10(self) -> Exp<u32> {
        let call = Call::here("ilog10");
        call.throughout(|| self.ilog(number::<T>(10)))
    }

    /// The integral part of the logarithm to a base; of a number less than 1, or to a base less than 2, where there is none, 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, u32>| v.map(|x| x.ilog(3));
    /// assert_eq!(interpret(f, Array::vector(vec![2, 3, 80, 81, 0])?)?.to_vec(), [0, 1, 3, 4, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn ilog<R: Lift<T>>(self, base: R) -> Exp<u32> {
        let call = Call::here("ilog");
        call.throughout(|| {
            let base = base.lift();
            let is_base = base.gt(number::<T>(1));
            let is_large = |(x, _): (Self, Exp<u32>)| x.ge(base) & is_base;
            let step = |_, (x, digits): (Self, Exp<u32>)| (x / base, digits + 1);
            let (_, digits): (Self, Exp<u32>) = while_(is_large, step, (self, literal::<u32>(0)));
            digits
        })
    }

    /// Whether this is a multiple of a number; of 0, only 0 is one.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, (i32, i32)>| v.map(|(x, y)| x.is_multiple_of(y));
    /// let inputs = Array::vector(vec![(6, 3), (7, -3), (-6, 3), (6, 0), (0, 0)])?;
    /// assert_eq!(interpret(f, inputs)?.to_vec(), [true, false, true, false, true]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn is_multiple_of<R: Lift<T>>(self, other: R) -> Exp<bool> {
        let call = Call::here("is_multiple_of");
        // By 0, all of a number is left.
        call.throughout(|| (self % other.lift()).eq_(number::<T>(0)))
    }

    /// Whether this is 1, 2, 4 and so on: positive, with one bit.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| x.is_power_of_two());
    /// assert_eq!(interpret(f, Array::vector(vec![1, 64, 65, 0, i32::MIN])?)?.to_vec(), [true, true, false, false, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn is_power_of_two(self) -> Exp<bool> {
        let call = Call::here("is_power_of_two");
        call.throughout(|| {
            let (zero, one) = (number::<T>(0), number::<T>(1));
            self.gt(zero) & (self & (self - one)).eq_(zero)
        })
    }

    /// The least power of two that is no less; 1 of numbers less than 1, and 0 where there is none in the type but for a sign.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, u8>| v.map(|x| x.next_power_of_two());
    /// assert_eq!(interpret(f, Array::vector(vec![0, 5, 64, 65, 200])?)?.to_vec(), [1, 8, 64, 128, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn next_power_of_two(self) -> Self {
        let call = Call::here("next_power_of_two");
        call.throughout(|| {
            let one = number::<T>(1);
            let most = width::<T>() as u32 - u32::from(is_signed::<T>());
            let places = literal::<u32>(width::<T>() as u32) - (self - one).leading_zeros();
            let power = cond::<T>(places.lt(most), one << places.to::<T>(), number::<T>(0));
            cond::<T>(self.le(one), one, power)
        })
    }

    /// Whether this is greater than 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| x.is_positive());
    /// assert_eq!(interpret(f, Array::vector(vec![2, 0, -1])?)?.to_vec(), [true, false, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn is_positive(self) -> Exp<bool> {
        let call = Call::here("is_positive");
        call.throughout(|| self.gt(number::<T>(0)))
    }

    /// Whether this is less than 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| x.is_negative());
    /// assert_eq!(interpret(f, Array::vector(vec![2, 0, -1])?)?.to_vec(), [false, false, true]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn is_negative(self) -> Exp<bool> {
        let call = Call::here("is_negative");
        call.throughout(|| self.lt(number::<T>(0)))
    }

    /// The greatest common divisor, which is not negative but where it is the size of the least number; 0 of two zeros. By Euclid's algorithm.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, (i32, i32)>| v.map(|(x, y)| x.gcd(y));
    /// assert_eq!(interpret(f, Array::vector(vec![(12, 18), (-5, 0), (0, 0)])?)?.to_vec(), [6, 5, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn gcd<R: Lift<T>>(self, other: R) -> Self {
        let call = Call::here("gcd");
        call.throughout(|| {
            let is_left = |(_, y): (Self, Self)| y.ne_(number::<T>(0));
            let (found, _): (Self, Self) =
                while_(is_left, |_, (x, y)| (y, x % y), (self, other.lift()));
            found.abs()
        })
    }

    /// The least common multiple, which is not negative; wrapping, and 0 where one of them is.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, (i32, i32)>| v.map(|(x, y)| x.lcm(y));
    /// assert_eq!(interpret(f, Array::vector(vec![(4, 6), (-3, 5), (0, 7)])?)?.to_vec(), [12, 15, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn lcm<R: Lift<T>>(self, other: R) -> Self {
        let call = Call::here("lcm");
        call.throughout(|| {
            let other = other.lift();
            ((self / self.gcd(other)) * other).abs()
        })
    }
}
