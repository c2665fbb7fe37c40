//! Sums of narrow floats while they arrive: in `f64`, rounded when all has come.
//!
//! Where many points come to each element, all elements are made `f64` before, and rounded after. Of `f32`, that would
//! take longer than the scatter where few come to each: then only the sums of elements that got something of late are
//! `f64`, and rounded when another element takes their place, which an element that gets many seldom has to leave. (An
//! `f16` would lose too much by that.) Either way what an element gets depends on the targets alone.
//!
//! Unsafe code: elements are reached through raw pointers, by targets that were tested.

use super::super::space::share;
use super::NOWHERE;
use crate::lanes::Narrow;
use crate::machine::hint;
use crate::memory::{OutRef, Own};
use crate::passes::Team;
use cotangent_core::backend::RunError;
use cotangent_core::rounding::f16;
use cotangent_core::types::ScalarType;

/// With fewer points for each element, a scatter of `f32` looks only at the elements that it hits.
const POINTS_PER_ELEMENT: i64 = 16;
/// The elements whose sums are kept where not all are.
const RECENT: usize = 1024;
/// How many points before it is added to, an element is asked for.
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
            ScalarType::F64
            | ScalarType::Bool
            | ScalarType::I32
            | ScalarType::I64
            | ScalarType::U32 => {}
        }
    };
}

/// No element's.
const NOTHING: Recent = Recent {
    target: NOWHERE,
    sum: 0.0,
};

/// What has come to an element since it was rounded last.
#[derive(Clone, Copy)]
struct Recent {
    target: i64,
    sum: f64,
}

/// The sums of one output.
pub(super) struct Sums {
    out: OutRef,
    kept: Kept,
}

/// Which are kept.
enum Kept {
    /// As many as there are elements, in memory that is kept as long.
    All(Own),
    /// Those of the elements that got something of late, each in the place that its position has among them.
    Recent(Vec<Recent>),
}

impl Sums {
    /// For an output that so many points add to; none where sums are in the type of the elements.
    pub fn new(out: OutRef, points: i64, team: Team) -> Result<Option<Self>, RunError> {
        let are_few = points / POINTS_PER_ELEMENT < out.len();
        let kept = match out.ty() {
            ScalarType::F32 if are_few => Kept::Recent(vec![NOTHING; RECENT]),
            ScalarType::F32 | ScalarType::F16 => Kept::All(Own::zeroed(
                ScalarType::F64,
                out.len(),
                "the sums of a scatter",
            )?),
            ScalarType::F64
            | ScalarType::Bool
            | ScalarType::I32
            | ScalarType::I64
            | ScalarType::U32 => return Ok(None),
        };
        let sums = Self { out, kept };
        of_narrow!(out.ty(), T => sums.for_all::<T>(team, |element, sum| *sum = element.widened()));
        Ok(Some(sums))
    }

    /// Adds what was sent, in source order.
    pub fn add(&mut self, at: &[i64], sent: &OutRef) {
        of_narrow!(self.out.ty(), T => {
            // SAFETY: the wave has a value for each target, and no task runs.
            let sent = unsafe { sent.slice::<T>(at.len() as i64) };
            match &mut self.kept {
                Kept::All(sums) => add_to_all(&sums.out, at, sent),
                Kept::Recent(recent) => add_to_recent(&self.out, recent, at, sent),
            }
        });
    }

    /// Rounds the sums.
    pub fn finish(self, team: Team) {
        of_narrow!(self.out.ty(), T => match &self.kept {
            Kept::All(_) => self.for_all::<T>(team, |element, sum| *element = T::rounded(*sum)),
            Kept::Recent(recent) => recent.iter().for_each(|kept| put_down::<T>(&self.out, kept)),
        });
    }

    /// Does something with all elements and their sums, if these are kept.
    fn for_all<T: Narrow>(&self, team: Team, work: impl Fn(&mut T, &mut f64) + Sync) {
        let Kept::All(sums) = &self.kept else {
            return;
        };
        let len = self.out.len();
        let blocks = (len as u64).div_ceil(BLOCK as u64) as i64;
        share(
            team,
            blocks,
            WORK * BLOCK.min(len.max(1)) as usize,
            |range| {
                for position in range.start * BLOCK..(range.end * BLOCK).min(len) {
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

fn add_to_all<T: Narrow>(sums: &OutRef, at: &[i64], sent: &[T]) {
    for (&target, x) in at.iter().zip(sent) {
        if target != NOWHERE {
            // SAFETY: targets were tested against the extents, and no task runs.
            let sum = unsafe { &mut *sums.element::<f64>(target) };
            *sum += x.widened();
        }
    }
}

fn add_to_recent<T: Narrow>(out: &OutRef, recent: &mut [Recent], at: &[i64], sent: &[T]) {
    for (i, (&target, x)) in at.iter().zip(sent).enumerate() {
        if let Some(&next) = at.get(i + AHEAD).filter(|&&next| next != NOWHERE) {
            hint(out.element::<u8>(next));
        }
        if target == NOWHERE {
            continue;
        }
        let kept = &mut recent[place(target)];
        if kept.target == target {
            kept.sum += x.widened();
        } else {
            put_down::<T>(out, kept);
            let sum = x.widened();
            *kept = Recent { target, sum };
        }
    }
}

/// Where the sum of an element is kept. Elements at a regular distance, such as those of a column of a matrix, are
/// at places of their own: where hot ones took turns at one place, each of their numbers would be rounded.
fn place(target: i64) -> usize {
    let mixed = (target as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (u64::BITS - RECENT.ilog2())) as usize
}

/// Adds what has come to an element to what is there.
fn put_down<T: Narrow>(out: &OutRef, kept: &Recent) {
    if kept.target != NOWHERE {
        // SAFETY: targets were tested against the extents, and no task runs.
        let element = unsafe { &mut *out.element::<T>(kept.target) };
        *element = T::rounded(element.widened() + kept.sum);
    }
}
