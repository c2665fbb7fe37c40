//! The shapes of tiles that there are micro-kernels for: by instruction set, type of elements and semiring.
//!
//! Sums of products have several, and kernels of their own for packed scalars. Other semirings have two; a kernel
//! for terms that are known not to be NaN, and one for any.

#[cfg(target_arch = "x86_64")]
use cotangent_core::integer_type;
use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};

use super::algebra::{Greatest, Least, MayBeNan, NeverNan, Of, Product, Products, Sum};
use super::micro::{Micro, baseline};
#[cfg(target_arch = "x86_64")]
use super::micro::{avx2, avx512};
use super::vector::{Plain, Vector};
use crate::isa::Isa;
use cotangent_core::schedule::{Role, Semiring};
use cotangent_core::types::ScalarType;

/// A shape of tiles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The width of a panel of vectors, in elements.
    pub lanes: usize,
    /// The number of lanes of a vector.
    pub lane_count: usize,
    /// The width of a panel of scalars.
    pub scalars: usize,
    /// The kernel for scalars that are neighbours, as are those of the next step.
    pub packed: Micro,
    /// The kernel for scalars at any distance.
    pub apart: Micro,
    /// The same for terms of which some may be NaN; none where that is no matter.
    pub for_nans: Option<Micro>,
}

/// Whether a factor may be read by vectors: terms have their left factor first, which kernels take for the one
/// that is read by scalars. Of sums and products either may go first.
pub(super) fn may_be_vectors(semiring: Semiring, role: Role) -> bool {
    match semiring {
        Semiring::PlusTimes
        | Semiring::MinPlus
        | Semiring::MaxPlus
        | Semiring::MinTimes
        | Semiring::MaxTimes => true,
        Semiring::MaxMin | Semiring::MinMax => role == Role::Right,
    }
}

/// The shapes that an instruction set has, for a type of floats; none for other types.
pub(super) fn shapes(isa: Isa, ty: ScalarType, semiring: Semiring) -> Vec<Shape> {
    match ty {
        ScalarType::F32 => shapes_f32(isa, semiring),
        ScalarType::F64 => shapes_f64(isa, semiring),
        ScalarType::Bool | integer_type!() | ScalarType::F16 => vec![],
    }
}

/// The shapes of one kind of vector: numbers of vectors and scalars.
macro_rules! products {
    ($wrapper:ident, $vector:ty, $(($vectors:literal, $scalars:literal))*) => {
        vec![$(Shape {
            lanes: $vectors * <$vector as Vector>::LANES,
            lane_count: <$vector as Vector>::LANES,
            scalars: $scalars,
            packed: $wrapper::<$vector, Products, $vectors, $scalars, true>,
            apart: $wrapper::<$vector, Products, $vectors, $scalars, false>,
            for_nans: None,
        }),*]
    };
}

/// The same for two operations.
macro_rules! combined {
    ($wrapper:ident, $vector:ty, [$($shapes:tt)*], $plus:ident $times:ty, $any:ty) => {
        combined!(@ $wrapper, $vector, [$($shapes)*], Of<$plus<NeverNan>, $times>, Of<$plus<MayBeNan>, $any>)
    };
    (@ $wrapper:ident, $vector:ty, [$(($vectors:literal, $scalars:literal))*], $no_nans:ty, $any:ty) => {
        vec![$(Shape {
            lanes: $vectors * <$vector as Vector>::LANES,
            lane_count: <$vector as Vector>::LANES,
            scalars: $scalars,
            packed: $wrapper::<$vector, $no_nans, $vectors, $scalars, false>,
            apart: $wrapper::<$vector, $no_nans, $vectors, $scalars, false>,
            for_nans: Some($wrapper::<$vector, $any, $vectors, $scalars, false>),
        }),*]
    };
}

/// The shapes for sums of products, and those for the others.
macro_rules! by_semiring {
    ($semiring:expr, $wrapper:ident, $vector:ty, [$($products:tt)*], $shapes:tt) => {
        match $semiring {
            Semiring::PlusTimes => products!($wrapper, $vector, $($products)*),
            Semiring::MinPlus => combined!($wrapper, $vector, $shapes, Least Sum, Sum),
            Semiring::MaxPlus => combined!($wrapper, $vector, $shapes, Greatest Sum, Sum),
            Semiring::MinTimes => combined!($wrapper, $vector, $shapes, Least Product, Product),
            Semiring::MaxTimes => combined!($wrapper, $vector, $shapes, Greatest Product, Product),
            Semiring::MaxMin => {
                combined!($wrapper, $vector, $shapes, Greatest Least<NeverNan>, Least<MayBeNan>)
            }
            Semiring::MinMax => {
                combined!($wrapper, $vector, $shapes, Least Greatest<NeverNan>, Greatest<MayBeNan>)
            }
        }
    };
}

/// The shapes of one type, with its vectors. Sums, vectors and a scalar fit in the registers, of which AVX-512 has 32 and
/// the others 16, with one to spare: with 3 vectors and 4 scalars compilers keep a sum in memory, and each step waits for
/// it.
macro_rules! of_type {
    ($name:ident: $plain:ty, $avx2:ty, $avx512:ty) => {
        #[cfg(target_arch = "x86_64")]
        fn $name(isa: Isa, semiring: Semiring) -> Vec<Shape> {
            match isa {
                Isa::Baseline => {
                    by_semiring!(semiring, baseline, $plain, [(2, 6)(2, 4)], [(2, 4)])
                }
                Isa::Avx2 => {
                    by_semiring!(
                        semiring,
                        avx2,
                        $avx2,
                        [(3, 3)(2, 6)(2, 4)(1, 8)],
                        [(2, 5)(1, 8)]
                    )
                }
                Isa::Avx512 => by_semiring!(
                    semiring,
                    avx512,
                    $avx512,
                    [(4, 6)(4, 4)(3, 8)(2, 12)(2, 8)(1, 12)],
                    [(4, 6)(1, 12)]
                ),
            }
        }

        #[cfg(not(target_arch = "x86_64"))]
        fn $name(_: Isa, semiring: Semiring) -> Vec<Shape> {
            by_semiring!(semiring, baseline, $plain, [(2, 6)(2, 4)], [(2, 4)])
        }
    };
}

of_type!(shapes_f32: Plain<f32, 4>, __m256, __m512);
of_type!(shapes_f64: Plain<f64, 2>, __m256d, __m512d);
