//! Loops over products to which something is added, rounded once.
//!
//! Unsafe code: raw pointers, as in the module above.

use super::flow::ternary;
use super::{Columns, LaneFn, Lanes, Operand, destination, instance};
use crate::isa::Isa;
use cotangent_core::integer_type;
use cotangent_core::rounding::{f16, f16_of_f64};
use cotangent_core::types::ScalarType;
use std::marker::PhantomData;

/// Floats that have the operation.
trait MulAdd: Copy {
    fn fused(self, y: Self, z: Self) -> Self;
}

impl MulAdd for f64 {
    #[inline(always)]
    fn fused(self, y: Self, z: Self) -> Self {
        self.mul_add(y, z)
    }
}

impl MulAdd for f32 {
    #[inline(always)]
    fn fused(self, y: Self, z: Self) -> Self {
        self.mul_add(y, z)
    }
}

impl MulAdd for f16 {
    #[inline(always)]
    fn fused(self, y: Self, z: Self) -> Self {
        let [x, y, z] = [self, y, z].map(f16::to_f64);
        f16_of_f64(x.mul_add(y, z))
    }
}

/// `dst = a · b + c`.
struct Fused<T, const A: bool, const B: bool, const C: bool>(PhantomData<T>);

impl<T: MulAdd, const A: bool, const B: bool, const C: bool> Lanes for Fused<T, A, B, C> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, c: *const u8) {
        // SAFETY: `LaneFn` asks for `n` elements at each operand that is a column, and for a destination of `n`.
        let (out, x, y, z) = unsafe {
            (
                destination::<T>(dst, n),
                Operand::<T, A>::new(a),
                Operand::<T, B>::new(b),
                Operand::<T, C>::new(c),
            )
        };
        for (i, out) in out.iter_mut().enumerate() {
            // SAFETY: `i` is below `n`, the length of `out`, and operands that are columns have `n` lanes.
            let (x, y, z) = unsafe { (x.get(i), y.get(i), z.get(i)) };
            *out = x.fused(y, z);
        }
    }
}

/// The loop of `Prim::MulAdd` on floats of a type; none of another.
pub(super) fn mul_add(isa: Isa, ty: ScalarType, columns: Columns) -> Option<LaneFn> {
    Some(match ty {
        ScalarType::F16 => of::<f16>(isa, columns),
        ScalarType::F32 => of::<f32>(isa, columns),
        ScalarType::F64 => of::<f64>(isa, columns),
        ScalarType::Bool | integer_type!() => return None,
    })
}

fn of<T: MulAdd>(isa: Isa, columns: Columns) -> LaneFn {
    ternary!(isa, columns, Fused<T>)
}
