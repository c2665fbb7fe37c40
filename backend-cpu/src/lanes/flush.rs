//! Subnormal numbers made zeros, for the factors of contractions.
//!
//! Arithmetic on subnormal numbers takes a hundred times as long as on others. The weights of a mixture's
//! components, to name a common case, underflow gradually, and a matrix product reads each of them many
//! times.

use super::{Binary, Columns, LaneFn, Unary, binary, unary};
use crate::isa::Isa;
use cotangent_core::integer_type;
use cotangent_core::types::ScalarType;

/// The loop that makes subnormal numbers of type `ty` zeros of their sign; `None` for types that have none.
pub(crate) fn flush_fn(isa: Isa, ty: ScalarType) -> Option<LaneFn> {
    match ty {
        ScalarType::F32 => Some(unary::<Single>(isa)),
        ScalarType::F64 => Some(unary::<Double>(isa)),
        ScalarType::Bool | integer_type!() | ScalarType::F16 => None,
    }
}

/// The loop that multiplies, and does the same to the products.
pub(crate) fn flushed_product_fn(isa: Isa, ty: ScalarType, columns: Columns) -> Option<LaneFn> {
    match ty {
        ScalarType::F32 => Some(binary::<SingleProduct>(isa, columns)),
        ScalarType::F64 => Some(binary::<DoubleProduct>(isa, columns)),
        ScalarType::Bool | integer_type!() | ScalarType::F16 => None,
    }
}

macro_rules! flushes {
    ($($name:ident, $product:ident: $float:ty, $bits:ty, $exponent:literal;)*) => {$(
        /// On the bits of a float: without an exponent, only the sign stays.
        struct $name;

        impl Unary for $name {
            type X = $bits;
            type R = $bits;

            #[inline(always)]
            fn apply(x: $bits) -> $bits {
                let sign: $bits = 1 << (<$bits>::BITS - 1);
                if x & $exponent == 0 { x & sign } else { x }
            }
        }

        /// The product of two floats, subnormal numbers being made zeros.
        struct $product;

        impl Binary for $product {
            type X = $float;
            type R = $float;

            #[inline(always)]
            fn apply(x: $float, y: $float) -> $float {
                <$float>::from_bits($name::apply((x * y).to_bits()))
            }
        }
    )*};
}

flushes! {
    Single, SingleProduct: f32, u32, 0x7f80_0000;
    Double, DoubleProduct: f64, u64, 0x7ff0_0000_0000_0000;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_subnormal_numbers_change() {
        let kept = [0.0, -0.0, 1.5, f64::MIN_POSITIVE, -1e-300, f64::INFINITY];
        for x in kept {
            assert_eq!(Double::apply(x.to_bits()), x.to_bits());
        }
        assert!(f64::from_bits(Double::apply(f64::NAN.to_bits())).is_nan());
        assert_eq!(Double::apply(1e-310f64.to_bits()), 0);
        assert_eq!(Double::apply((-5e-324f64).to_bits()), (-0.0f64).to_bits());
        assert_eq!(
            DoubleProduct::apply(1e-200, -1e-115).to_bits(),
            (-0.0f64).to_bits()
        );
        assert_eq!(DoubleProduct::apply(1e-200, 1e-100), 1e-200 * 1e-100);
        assert_eq!(SingleProduct::apply(1e-20, 1e-20), 0.0);
        assert_eq!(Single::apply(1e-40f32.to_bits()), 0);
        assert_eq!(
            Single::apply(f32::MIN_POSITIVE.to_bits()),
            f32::MIN_POSITIVE.to_bits()
        );
    }
}
