//! The sine and the cosine of one number, which have most of their work in common.
//!
//! Unsafe code: raw pointers, as in the module above.

use super::{LaneFn, Lanes, column, destination, instance};
use crate::isa::Isa;
use crate::math::{double, single};
use cotangent_core::integer_type;
use cotangent_core::types::ScalarType;

/// `dst[i] = sin a[i]` and `b[i] = cos a[i]`, of floats of type `ty`: the second operand is written.
pub(crate) fn twin_fn(isa: Isa, ty: ScalarType) -> Option<LaneFn> {
    match ty {
        ScalarType::F32 => Some(instance::<Single>(isa)),
        ScalarType::F64 => Some(instance::<Double>(isa)),
        ScalarType::Bool | integer_type!() | ScalarType::F16 => None,
    }
}

macro_rules! twins {
    ($($name:ident: $t:ty, $math:ident;)*) => {$(
        struct $name;

        impl Lanes for $name {
            #[inline(always)]
            unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, _: *const u8) {
                // SAFETY: the contract of `LaneFn`, and of what is written here besides.
                let (sin, cos, x) = unsafe {
                    let cos = destination::<$t>(b.cast_mut(), n);
                    (destination::<$t>(dst, n), cos, column::<$t>(a, n))
                };
                $math::sin_cos_lanes(sin, cos, x);
            }
        }
    )*};
}

twins! {
    Single: f32, single;
    Double: f64, double;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::lane_fn;
    use cotangent_core::prim::Prim;

    #[test]
    fn twins_have_the_bits_of_sine_and_cosine() {
        let x: Vec<f64> = (-300..300)
            .map(|i| f64::from(i) * 0.37)
            .chain([0.0, -0.0, 1e300, -1e7, f64::INFINITY, f64::NAN, 1e-310])
            .collect();
        let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            let ty = ScalarType::F64;
            let mut found = [x.clone(), x.clone()];
            let mut alone = found.clone();
            let (from, n) = (x.as_ptr().cast::<u8>(), x.len());
            let [sin, cos] = found.each_mut().map(|v| v.as_mut_ptr().cast::<u8>());
            // SAFETY: all columns have `n` elements.
            unsafe {
                twin_fn(isa, ty).unwrap()(n, sin, from, cos, from);
                for (prim, to) in [Prim::Sin, Prim::Cos].into_iter().zip(&mut alone) {
                    let f = lane_fn(isa, prim, ty, [true; 3]).unwrap();
                    f(n, to.as_mut_ptr().cast(), from, from, from);
                }
            }
            assert_eq!(found.map(|v| bits(&v)), alone.map(|v| bits(&v)));
        }
    }
}
