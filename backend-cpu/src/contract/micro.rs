//! Micro-kernels: products of two packed panels, with all sums in registers.
//!
//! A panel of vectors has, for each step of the inner space, `vectors · LANES` neighbours; a packed panel of
//! scalars has `scalars` neighbours. The sums of a tile start at zero, take the products in order, and are then
//! written to memory or added to what is there. So the sum of an element depends on the steps alone, not on
//! the shape of the tile.
//!
//! Unsafe code: raw pointers into panels and outputs. The contract is at [`Micro`].

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};

use super::vector::{Element, Plain, Vector};
use crate::isa::Isa;
use cotangent_core::types::ScalarType;
use std::mem::MaybeUninit;

/// Where a tile goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// The element of the first vector lane and the first scalar.
    pub at: *mut u8,
    /// The distance of neighbouring lanes, in elements.
    pub along_vectors: isize,
    /// The distance of neighbouring scalars, in elements.
    pub along_scalars: isize,
    /// The number of lanes that exist.
    pub lanes: usize,
    /// The number of scalars that exist.
    pub scalars: usize,
    /// What the sums are added to.
    pub onto: Onto,
}

/// What sums are added to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Onto {
    /// Nothing.
    Nothing,
    /// A value, of the element type.
    Value(*const u8),
    /// What the target holds.
    Target,
}

/// A panel of vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vectors {
    /// The first element of the first step.
    pub at: *const u8,
    /// The distance of steps, in elements.
    pub step: usize,
}

/// A panel of scalars.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalars {
    /// The first scalar of the first step.
    pub at: *const u8,
    /// The distance of neighbours, in elements.
    pub unit: isize,
    /// The distance of steps, in elements.
    pub step: isize,
}

impl Scalars {
    /// The same from a later step on, for elements of so many bytes.
    pub fn starting_at(&self, step: usize, bytes: usize) -> Self {
        let offset = step as isize * self.step * bytes as isize;
        Self {
            at: self.at.wrapping_offset(offset),
            ..*self
        }
    }
}

/// Multiplies a panel of vectors by a panel of scalars, of `steps` steps.
///
/// # Safety
/// The panels have that many steps; the target's elements are valid for reading and writing and nobody else
/// uses them; and the machine has the instruction set that the instance was made for.
pub(super) type Micro =
    unsafe fn(steps: usize, vectors: &Vectors, scalars: &Scalars, target: &Target);

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
}

/// The scalars that share a base address where they are not packed.
const GROUP: usize = 3;
/// The groups of the widest panel of scalars.
const MAX_GROUPS: usize = 4;

/// The most elements of a tile.
const MAX_TILE: usize = 512;

/// The shapes that an instruction set has, for a type of floats; none for other types.
pub(super) fn shapes(isa: Isa, ty: ScalarType) -> Vec<Shape> {
    match ty {
        ScalarType::F32 => shapes_f32(isa),
        ScalarType::F64 => shapes_f64(isa),
        ScalarType::Bool | ScalarType::I32 | ScalarType::I64 => vec![],
    }
}

/// The shapes of one kind of vector: numbers of vectors and scalars.
macro_rules! table {
    ($wrapper:ident, $vector:ty, $(($vectors:literal, $scalars:literal))*) => {
        vec![$(Shape {
            lanes: $vectors * <$vector as Vector>::LANES,
            lane_count: <$vector as Vector>::LANES,
            scalars: $scalars,
            packed: $wrapper::<$vector, $vectors, $scalars, true>,
            apart: $wrapper::<$vector, $vectors, $scalars, false>,
        }),*]
    };
}

#[cfg(target_arch = "x86_64")]
fn shapes_f32(isa: Isa) -> Vec<Shape> {
    match isa {
        Isa::Baseline => table!(baseline, Plain<f32, 4>, (3, 4) (2, 6)),
        Isa::Avx2 => table!(avx2, __m256, (3, 4)(2, 6)(1, 8)),
        Isa::Avx512 => table!(avx512, __m512, (4, 6)(3, 8)(2, 12)(1, 12)),
    }
}

#[cfg(target_arch = "x86_64")]
fn shapes_f64(isa: Isa) -> Vec<Shape> {
    match isa {
        Isa::Baseline => table!(baseline, Plain<f64, 2>, (3, 4) (2, 6)),
        Isa::Avx2 => table!(avx2, __m256d, (3, 4)(2, 6)(1, 8)),
        Isa::Avx512 => table!(avx512, __m512d, (4, 6)(3, 8)(2, 12)(1, 12)),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn shapes_f32(_: Isa) -> Vec<Shape> {
    table!(baseline, Plain<f32, 4>, (3, 4) (2, 6))
}

#[cfg(not(target_arch = "x86_64"))]
fn shapes_f64(_: Isa) -> Vec<Shape> {
    table!(baseline, Plain<f64, 2>, (3, 4) (2, 6))
}

macro_rules! wrapper {
    ($(#[$attribute:meta])* $name:ident) => {
        /// # Safety
        /// As for [`Micro`].
        $(#[$attribute])*
        unsafe fn $name<
            V: Vector,
            const VECTORS: usize,
            const SCALARS: usize,
            const PACKED: bool,
        >(
            steps: usize,
            vectors: &Vectors,
            scalars: &Scalars,
            target: &Target,
        ) {
            // SAFETY: the caller keeps the contract of `Micro`.
            unsafe { product::<V, VECTORS, SCALARS, PACKED>(steps, vectors, scalars, target) }
        }
    };
}

wrapper!(baseline);
wrapper! {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    avx2
}
wrapper! {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,fma")]
    avx512
}

/// The text of all kernels.
///
/// # Safety
/// As for [`Micro`].
#[inline(always)]
unsafe fn product<V: Vector, const VECTORS: usize, const SCALARS: usize, const PACKED: bool>(
    steps: usize,
    vectors: &Vectors,
    scalars: &Scalars,
    target: &Target,
) {
    let mut x = vectors.at.cast::<V::Elem>();
    let (unit, step) = match PACKED {
        true => (1, SCALARS as isize),
        false => (scalars.unit, scalars.step),
    };
    let first = scalars.at.cast::<V::Elem>();
    // An address is one of these plus 0, 1 or 2 units, which is what instructions can express.
    let mut rows: [_; MAX_GROUPS] =
        std::array::from_fn(|group| first.wrapping_offset((group * GROUP) as isize * unit));
    // SAFETY: the panels have `steps` steps; a tile has room for all sums.
    unsafe {
        let zero = V::splat(V::Elem::ZERO);
        let mut sums = [[zero; VECTORS]; SCALARS];
        for _ in 0..steps {
            let mut column = [zero; VECTORS];
            for (i, column) in column.iter_mut().enumerate() {
                *column = V::load(x.add(i * V::LANES));
            }
            for (j, sums) in sums.iter_mut().enumerate() {
                let at = match PACKED {
                    true => rows[0].wrapping_add(j),
                    false => rows[j / GROUP].wrapping_offset((j % GROUP) as isize * unit),
                };
                let factor = V::splat(*at);
                for (sum, column) in sums.iter_mut().zip(column) {
                    *sum = sum.multiply_add(column, factor);
                }
            }
            x = x.wrapping_add(vectors.step);
            for row in &mut rows {
                *row = row.wrapping_offset(step);
            }
        }
        let whole = target.lanes == VECTORS * V::LANES && target.scalars == SCALARS;
        if whole && target.along_vectors == 1 {
            write_vectors(&sums, target);
        } else {
            write_elements(&sums, target);
        }
    }
}

/// Writes a tile whose lanes are neighbours.
///
/// # Safety
/// As for [`Micro`].
#[inline(always)]
unsafe fn write_vectors<V: Vector, const VECTORS: usize, const SCALARS: usize>(
    sums: &[[V; VECTORS]; SCALARS],
    target: &Target,
) {
    // SAFETY: the target has all elements of the tile.
    unsafe {
        for (j, sums) in sums.iter().enumerate() {
            let to = target.at.cast::<V::Elem>();
            let to = to.offset(j as isize * target.along_scalars);
            for (i, &sum) in sums.iter().enumerate() {
                write_vector(sum, to.add(i * V::LANES), target.onto);
            }
        }
    }
}

/// Writes neighbours.
///
/// # Safety
/// As for [`Micro`].
#[inline(always)]
unsafe fn write_vector<V: Vector>(sum: V, to: *mut V::Elem, onto: Onto) {
    // SAFETY: the target has the elements.
    unsafe {
        match onto {
            Onto::Nothing => sum.store(to),
            Onto::Value(value) => V::splat(*value.cast()).add(sum).store(to),
            Onto::Target => V::load(to).add(sum).store(to),
        }
    }
}

/// Writes what exists of a tile: vectors where lanes are neighbours, and element by element otherwise.
///
/// # Safety
/// As for [`Micro`].
#[inline(always)]
unsafe fn write_elements<V: Vector, const VECTORS: usize, const SCALARS: usize>(
    sums: &[[V; VECTORS]; SCALARS],
    target: &Target,
) {
    // SAFETY: the tile has room for all sums, and those that the target asks for are written first.
    unsafe {
        let mut tile = MaybeUninit::<[V::Elem; MAX_TILE]>::uninit();
        let tile = tile.as_mut_ptr().cast::<V::Elem>();
        let width = VECTORS * V::LANES;
        for (j, sums) in sums.iter().enumerate() {
            for (i, sum) in sums.iter().enumerate() {
                sum.store(tile.add(j * width + i * V::LANES));
            }
        }
        let vectors = match target.along_vectors {
            1 => target.lanes / V::LANES * V::LANES,
            _apart => 0,
        };
        for j in 0..target.scalars {
            let to = target.at.cast::<V::Elem>();
            let to = to.offset(j as isize * target.along_scalars);
            for i in (0..vectors).step_by(V::LANES) {
                let (sum, to) = (V::load(tile.add(j * width + i)), to.add(i));
                write_vector(sum, to, target.onto);
            }
            let row = std::slice::from_raw_parts(tile.add(j * width), target.lanes);
            for (i, &sum) in row.iter().enumerate().skip(vectors) {
                let to = to.offset(i as isize * target.along_vectors);
                *to = match target.onto {
                    Onto::Nothing => sum,
                    Onto::Value(value) => value.cast::<V::Elem>().read().plus(sum),
                    Onto::Target => (*to).plus(sum),
                };
            }
        }
    }
}
