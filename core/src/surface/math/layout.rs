//! Floats by the bits that they are made of, and their neighbours.

use super::super::functions::cond;
use super::super::lift::{Lift, literal};
use super::super::scalar::{Exp, Float};
use super::super::session::Call;
use super::bits::number;
use crate::prim::Prim;

/// Floats as IEEE 754 lays them out: a sign, an exponent, and a mantissa. Devices without subnormal numbers may take their bits for those
/// of a zero. The derivative of each is 0, as that of `jax.lax.bitcast_convert_type` and of `jnp.nextafter`.
impl<T: Float> Exp<T> {
    /// The bits, as an unsigned integer as wide. Of a NaN, they are those of some NaN.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.to_bits());
    /// assert_eq!(interpret(f, Array::vector(vec![1.0, -0.0])?)?.to_vec(), [0x3ff0_0000_0000_0000, 1 << 63]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn to_bits(self) -> Exp<T::Unsigned> {
        self.prim_at(Call::here("to_bits"), Prim::ToBits, &[])
    }

    /// The float that has these bits.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // The square root within 3.5 %: half the exponent.
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| Exp::<f64>::from_bits((x.to_bits() >> 1) + 0x1ff8_0000_0000_0000u64));
    /// let found = interpret(f, Array::vector(vec![1.0, 2.0, 100.0])?)?.to_vec();
    /// assert!((found[1] - 1.5).abs() < 0.1 && (found[2] - 10.0).abs() < 0.35);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn from_bits<B: Lift<T::Unsigned>>(bits: B) -> Self {
        let call = Call::here("from_bits");
        bits.lift().prim_at(call, Prim::FromBits, &[])
    }

    /// The least number that is greater: of the greatest, infinity; of that and of a NaN, the same.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.next_up() - x);
    /// assert_eq!(interpret(f, Array::vector(vec![1.0, -1.0])?)?.to_vec(), [f64::EPSILON, f64::EPSILON / 2.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn next_up(self) -> Self {
        let call = Call::here("next_up");
        call.throughout(|| {
            let (zero, one) = (literal(T::from_i32(0)), number::<T::Unsigned>(1));
            let bits = self.to_bits();
            // The bits of what is farther from zero are those of a greater number.
            let after = cond::<T::Unsigned>(self.gt(zero), bits + one, bits - one);
            let after = cond::<T::Unsigned>(self.eq_(zero), one, after);
            let is_last = self.is_nan() | self.eq_(literal(T::from_f64(f64::INFINITY)));
            cond::<T>(is_last, self, Self::from_bits(after))
        })
    }

    /// The greatest number that is less: of the least, −∞; of that and of a NaN, the same.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.next_down());
    /// assert_eq!(interpret(f, Array::vector(vec![0.0, 1.0])?)?.to_vec(), [-5e-324, 1.0 - f64::EPSILON / 2.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn next_down(self) -> Self {
        let call = Call::here("next_down");
        call.throughout(|| -(-self).next_up())
    }
}
