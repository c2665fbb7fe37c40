//! Sums of narrow floats in scatters: in `f64`, rounded when all updates are combined.
//!
//! Where elements have many updates each, all of them are made `f64` before, and rounded after. Of `f32`, that would take
//! longer than the scatter where they have few: then only the sums of elements that were updated recently are `f64`, in a
//! direct-mapped cache, and rounded when they are evicted, which an element of many updates seldom is. (An `f16` would lose
//! too much by that.) Either way the sum of an element depends on the targets alone.
//!
//! Unsafe code: elements are reached through raw pointers, by targets that were tested.

use super::super::share::share;
use crate::lanes::Narrow;
use crate::machine::hint;
use crate::memory::{OutRef, Own};
use crate::passes::Team;
use cotangent_core::backend::RunError;
use cotangent_core::integer_type;
use cotangent_core::rounding::f16;
use cotangent_core::types::ScalarType;
use std::ops::Range;

/// With fewer points for each element, a scatter of `f32` looks only at the elements that it hits.
const POINTS_PER_ELEMENT: i64 = 16;
/// The elements whose sums are in the cache.
const SLOTS: usize = 1024;
/// How many points before it is added to, an element is prefetched.
const AHEAD: usize = 24;
/// The elements that a task makes `f64`, or rounds.
const BLOCK: i64 = 1 << 14;
/// The work of doing that with an element, in instructions on lanes.
const WORK: usize = 4;

/// Calls a generic function for the type of the elements.
macro_rules! of_narrow {
    ($ty:expr, $t:ident => $e:expr) => {
        match $ty {
            ScalarType::F16 => {
                type $t = f16;
                $e
            }
            ScalarType::F32 => {
                type $t = f32;
                $e
            }
            ScalarType::F64 | ScalarType::Bool | integer_type!() => {}
        }
    };
}

/// The target of no element.
const NO_TARGET: i64 = -1;

/// An empty slot.
const EMPTY: Slot = Slot {
    target: NO_TARGET,
    sum: 0.0,
};

/// The sum of the updates of an element since it was rounded last.
#[derive(Clone, Copy)]
struct Slot {
    target: i64,
    sum: f64,
}

/// The sums of one output.
pub(super) struct Sums {
    out: OutRef,
    running: Running,
}

/// The sums so far.
enum Running {
    /// One for each element.
    All(Own),
    /// Those of the elements that were updated recently, each in the slot of its position.
    Cached(Vec<Slot>),
}

impl Sums {
    /// For an output that so many points add to; none where sums are in the type of the elements.
    pub fn new(out: OutRef, points: i64, team: Team) -> Result<Option<Self>, RunError> {
        let are_few = points / POINTS_PER_ELEMENT < out.len();
        let running = match out.ty() {
            ScalarType::F32 if are_few => Running::Cached(vec![EMPTY; SLOTS]),
            ScalarType::F32 | ScalarType::F16 => Running::All(Own::zeroed(
                ScalarType::F64,
                out.len(),
                "the sums of a scatter",
            )?),
            ScalarType::F64 | ScalarType::Bool | integer_type!() => return Ok(None),
        };
        let sums = Self { out, running };
        of_narrow!(out.ty(), T => sums.for_all::<T>(team, |element, sum| *sum = element.widened()));
        Ok(Some(sums))
    }

    /// Adds updates, in source order.
    pub fn add(&mut self, at: &[i64], values: &OutRef) {
        of_narrow!(self.out.ty(), T => {
            // SAFETY: the wave has a value for each target, and no task runs.
            let values = unsafe { values.slice::<T>(at.len() as i64) };
            match &mut self.running {
                Running::All(sums) => add_to_all(&sums.out, at, values),
                Running::Cached(slots) => add_to_cached(&self.out, slots, at, values),
            }
        });
    }

    /// Rounds the sums.
    pub fn finish(self, team: Team) {
        of_narrow!(self.out.ty(), T => match &self.running {
            Running::All(_) => self.for_all::<T>(team, |element, sum| *element = T::rounded(*sum)),
            Running::Cached(slots) => slots.iter().for_each(|slot| write_back::<T>(&self.out, slot)),
        });
    }

    /// Does something with all elements and their sums, if each has one.
    fn for_all<T: Narrow>(&self, team: Team, work: impl Fn(&mut T, &mut f64) + Sync) {
        let Running::All(sums) = &self.running else {
            return;
        };
        let len = self.out.len();
        let blocks = (len as u64).div_ceil(BLOCK as u64) as i64;
        share(
            team,
            blocks,
            WORK * BLOCK.min(len.max(1)) as usize,
            |claims| {
                let positions =
                    |range: Range<i64>| range.start * BLOCK..(range.end * BLOCK).min(len);
                for position in claims.flat_map(positions) {
                    // SAFETY: the position is below the length of both, and no other task touches it.
                    let (element, sum) = unsafe {
                        let element = &mut *self.out.element::<T>(position);
                        (element, &mut *sums.out.element::<f64>(position))
                    };
                    work(element, sum);
                }
            },
        );
    }
}

fn add_to_all<T: Narrow>(sums: &OutRef, at: &[i64], values: &[T]) {
    for (&target, x) in at.iter().zip(values) {
        if target >= 0 {
            // SAFETY: targets were tested against the extents, and no task runs.
            let sum = unsafe { &mut *sums.element::<f64>(target) };
            *sum += x.widened();
        }
    }
}

fn add_to_cached<T: Narrow>(out: &OutRef, slots: &mut [Slot], at: &[i64], values: &[T]) {
    for (i, (&target, x)) in at.iter().zip(values).enumerate() {
        if let Some(&next) = at.get(i + AHEAD).filter(|&&next| next >= 0) {
            hint(out.element::<u8>(next));
        }
        if target < 0 {
            continue;
        }
        let slot = &mut slots[slot_of(target)];
        if slot.target == target {
            slot.sum += x.widened();
        } else {
            write_back::<T>(out, slot);
            let sum = x.widened();
            *slot = Slot { target, sum };
        }
    }
}

/// The slot of an element. Elements at a regular distance, such as those of a column of a matrix, have slots of their own:
/// where hot ones evicted each other, each of their numbers would be rounded.
fn slot_of(target: i64) -> usize {
    let mixed = (target as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (u64::BITS - SLOTS.ilog2())) as usize
}

/// Adds the sum of a slot to its element.
fn write_back<T: Narrow>(out: &OutRef, slot: &Slot) {
    if slot.target != NO_TARGET {
        // SAFETY: targets were tested against the extents, and no task runs.
        let element = unsafe { &mut *out.element::<T>(slot.target) };
        *element = T::rounded(element.widened() + slot.sum);
    }
}
