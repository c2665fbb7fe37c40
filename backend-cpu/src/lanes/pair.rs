//! Two operations in one loop: the second takes the result of the first from a register.
//!
//! Each rounds as it does alone, so that pairing never changes a result.
//!
//! Unsafe code: raw pointers, as in the module above.

use super::number::{f16, f32, f64, i8, i16, i32, i64};
use super::{Binary, LaneFn, Lanes, Operand, column, destination, instance};
use crate::isa::Isa;
use cotangent_core::prim::Prim;
use cotangent_core::types::ScalarType;
use std::marker::PhantomData;

/// What both operations of a pair are among.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RingOp {
    Add,
    Sub,
    Mul,
}

impl RingOp {
    /// The primitive as one of these.
    pub fn of(prim: Prim) -> Option<Self> {
        let all = [
            (Prim::Add, Self::Add),
            (Prim::Sub, Self::Sub),
            (Prim::Mul, Self::Mul),
        ];
        let found = all.into_iter().find(|(listed, _)| *listed == prim);
        found.map(|(_, op)| op)
    }
}

impl RingOp {
    /// The primitive that it is.
    pub fn prim(self) -> Prim {
        match self {
            Self::Add => Prim::Add,
            Self::Sub => Prim::Sub,
            Self::Mul => Prim::Mul,
        }
    }
}

/// Two operations on three operands: `outer(inner(a, b), c)`, or `outer(c, inner(a, b))` if `swapped`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    /// What is done first.
    pub inner: RingOp,
    /// What is done with its result.
    pub outer: RingOp,
    /// Whether that is the second operand.
    pub swapped: bool,
}

/// `dst = O(I(a, b), c)`, with `B` and `C` saying which operands are columns; `a` always is.
struct Paired<I, O, const SWAPPED: bool, const B: bool, const C: bool>(PhantomData<(I, O)>);

impl<I, O, const SWAPPED: bool, const B: bool, const C: bool> Lanes for Paired<I, O, SWAPPED, B, C>
where
    I: Binary,
    O: Binary<X = I::R>,
{
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, c: *const u8) {
        // SAFETY: `LaneFn` asks for `n` elements at each operand that is a column, and for a destination of `n`.
        let (out, x, y, z) = unsafe {
            (
                destination::<O::R>(dst, n),
                column::<I::X>(a, n),
                Operand::<I::X, B>::new(b),
                Operand::<I::R, C>::new(c),
            )
        };
        for (i, (out, &x)) in out.iter_mut().zip(x).enumerate() {
            // SAFETY: `i` is below `n`, the length of `out`, and operands that are columns have `n` lanes.
            let (first, other) = unsafe { (I::apply(x, y.get(i)), z.get(i)) };
            *out = if SWAPPED {
                O::apply(other, first)
            } else {
                O::apply(first, other)
            };
        }
    }
}

/// The loop of a pair on numbers of type `ty`, the second and third operand being columns or not; `None` for
/// operations that are not paired.
pub(crate) fn pair_fn(isa: Isa, pair: Pair, ty: ScalarType, columns: [bool; 2]) -> Option<LaneFn> {
    match ty {
        ScalarType::F16 => pair_f16(isa, pair, columns),
        ScalarType::F32 => pair_f32(isa, pair, columns),
        ScalarType::F64 => pair_f64(isa, pair, columns),
        // Sums, differences and products that wrap are the same with and without signs.
        ScalarType::I8 | ScalarType::U8 => pair_i8(isa, pair, columns),
        ScalarType::I16 | ScalarType::U16 => pair_i16(isa, pair, columns),
        ScalarType::I32 | ScalarType::U32 => pair_i32(isa, pair, columns),
        ScalarType::I64 | ScalarType::U64 => pair_i64(isa, pair, columns),
        ScalarType::Bool => None,
    }
}

macro_rules! pairs {
    ($name:ident, $m:ident) => {
        fn $name(isa: Isa, pair: Pair, columns: [bool; 2]) -> Option<LaneFn> {
            match pair.inner {
                RingOp::Add => around::<$m::Add, $m::Add, $m::Sub, $m::Mul>(isa, pair, columns),
                RingOp::Sub => around::<$m::Sub, $m::Add, $m::Sub, $m::Mul>(isa, pair, columns),
                RingOp::Mul => around::<$m::Mul, $m::Add, $m::Sub, $m::Mul>(isa, pair, columns),
            }
        }
    };
}
pairs!(pair_f16, f16);
pairs!(pair_f32, f32);
pairs!(pair_f64, f64);
pairs!(pair_i8, i8);
pairs!(pair_i16, i16);
pairs!(pair_i32, i32);
pairs!(pair_i64, i64);

/// The loop of a pair whose inner operation is `I`. Sums and products do not mind which operand comes first.
fn around<I, Add, Sub, Mul>(isa: Isa, pair: Pair, columns: [bool; 2]) -> Option<LaneFn>
where
    I: Binary,
    Add: Binary<X = I::R>,
    Sub: Binary<X = I::R>,
    Mul: Binary<X = I::R>,
{
    match (pair.outer, pair.swapped) {
        (RingOp::Add, _) => paired::<I, Add, false>(isa, columns),
        (RingOp::Mul, _) => paired::<I, Mul, false>(isa, columns),
        (RingOp::Sub, false) => paired::<I, Sub, false>(isa, columns),
        (RingOp::Sub, true) => paired::<I, Sub, true>(isa, columns),
    }
}

fn paired<I, O, const SWAPPED: bool>(isa: Isa, columns: [bool; 2]) -> Option<LaneFn>
where
    I: Binary,
    O: Binary<X = I::R>,
{
    match columns {
        [true, true] => Some(instance::<Paired<I, O, SWAPPED, true, true>>(isa)),
        [false, true] => Some(instance::<Paired<I, O, SWAPPED, false, true>>(isa)),
        [true, false] => Some(instance::<Paired<I, O, SWAPPED, true, false>>(isa)),
        [false, false] => None,
    }
}
