//! Micro-kernels: products of two packed panels, with all sums in registers.
//!
//! A panel of vectors has, for each step of the inner space, `vectors · LANES` neighbours; a packed panel of
//! scalars has `scalars` neighbours. The sums of a tile start at zero, take the products in order, and are then
//! written to memory or added to what is there. So the sum of an element depends on the steps alone, not on
//! the shape of the tile. In other semirings, read: what combines terms, from its neutral element on.
//!
//! Unsafe code: raw pointers into panels and outputs. The contract is at [`Micro`].

use super::algebra::{Algebra, Combine, Operation};
use super::vector::Vector;
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

/// What sums are added to, as the first operand.
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

/// The scalars that share a base address where they are not packed.
const GROUP: usize = 3;
/// The groups of the widest panel of scalars.
const MAX_GROUPS: usize = 4;

/// The most elements of a tile.
const MAX_TILE: usize = 512;

macro_rules! wrapper {
    ($(#[$attribute:meta])* $name:ident) => {
        /// # Safety
        /// As for [`Micro`].
        $(#[$attribute])*
        pub(super) unsafe fn $name<
            V: Vector,
            A: Algebra,
            const VECTORS: usize,
            const SCALARS: usize,
            const PACKED: bool,
        >(
            steps: usize,
            vectors: &Vectors,
            scalars: &Scalars,
            target: &Target,
        ) {
            // SAFETY: `Micro` asks for panels of `steps` steps and for a target of a whole tile, or for its edges;
            // and this wrapper has the features of `V`.
            unsafe { product::<V, A, VECTORS, SCALARS, PACKED>(steps, vectors, scalars, target) }
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
unsafe fn product<
    V: Vector,
    A: Algebra,
    const VECTORS: usize,
    const SCALARS: usize,
    const PACKED: bool,
>(
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
        let zero = V::splat(<A::Plus as Combine>::neutral());
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
                    *sum = A::step(*sum, factor, column);
                }
            }
            x = x.wrapping_add(vectors.step);
            for row in &mut rows {
                *row = row.wrapping_offset(step);
            }
        }
        let whole = target.lanes == VECTORS * V::LANES && target.scalars == SCALARS;
        if whole && target.along_vectors == 1 {
            write_vectors::<V, A::Plus, _, _>(&sums, target);
        } else {
            write_elements::<V, A::Plus, _, _>(&sums, target);
        }
    }
}

/// Writes a tile whose lanes are neighbours.
///
/// # Safety
/// As for [`Micro`].
#[inline(always)]
unsafe fn write_vectors<V: Vector, P: Operation, const VECTORS: usize, const SCALARS: usize>(
    sums: &[[V; VECTORS]; SCALARS],
    target: &Target,
) {
    // SAFETY: the target has all elements of the tile.
    unsafe {
        for (j, sums) in sums.iter().enumerate() {
            let to = target.at.cast::<V::Elem>();
            let to = to.offset(j as isize * target.along_scalars);
            for (i, &sum) in sums.iter().enumerate() {
                write_vector::<V, P>(sum, to.add(i * V::LANES), target.onto);
            }
        }
    }
}

/// Writes neighbours.
///
/// # Safety
/// As for [`Micro`].
#[inline(always)]
unsafe fn write_vector<V: Vector, P: Operation>(sum: V, to: *mut V::Elem, onto: Onto) {
    // SAFETY: the target has the elements.
    unsafe {
        match onto {
            Onto::Nothing => sum.store(to),
            Onto::Value(value) => P::all(V::splat(*value.cast()), sum).store(to),
            Onto::Target => P::all(V::load(to), sum).store(to),
        }
    }
}

/// Writes what exists of a tile: vectors where lanes are neighbours, and element by element otherwise.
///
/// # Safety
/// As for [`Micro`].
#[inline(always)]
unsafe fn write_elements<V: Vector, P: Operation, const VECTORS: usize, const SCALARS: usize>(
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
        let vectors = if target.along_vectors == 1 {
            target.lanes / V::LANES * V::LANES
        } else {
            0
        };
        for j in 0..target.scalars {
            let to = target.at.cast::<V::Elem>();
            let to = to.offset(j as isize * target.along_scalars);
            for i in (0..vectors).step_by(V::LANES) {
                let (sum, to) = (V::load(tile.add(j * width + i)), to.add(i));
                write_vector::<V, P>(sum, to, target.onto);
            }
            let row = std::slice::from_raw_parts(tile.add(j * width), target.lanes);
            for (i, &sum) in row.iter().enumerate().skip(vectors) {
                let to = to.offset(i as isize * target.along_vectors);
                *to = match target.onto {
                    Onto::Nothing => sum,
                    Onto::Value(value) => P::one(value.cast::<V::Elem>().read(), sum),
                    Onto::Target => P::one(*to, sum),
                };
            }
        }
    }
}
