//! Updates, and how they are combined with the elements of the outputs: in source order, those of narrow floats in `f64`.
//!
//! Unsafe code: elements are reached through raw pointers, by targets that were tested.

use super::sums::Sums;
use crate::machine::Machine;
use crate::memory::{OutRef, Own};
use crate::passes::Team;
use cotangent_core::backend::RunError;
use cotangent_core::rounding::f16;
use cotangent_core::term::Combine;
use cotangent_core::types::ScalarType;

/// What has been combined so far: in the outputs, or, for sums of narrow floats, in a wider type until all points are done.
pub(super) struct Combining<'a> {
    combine: Combine,
    outputs: &'a [OutRef],
    sums: Vec<Option<Sums>>,
    /// The points of the wave that have an update, where not all have one.
    present: Vec<u32>,
}

/// The targets of points.
#[derive(Clone, Copy)]
pub(super) enum Updates<'a> {
    /// Each has one.
    All(&'a [i64]),
    /// Those of these numbers have one.
    Some(&'a [i64], &'a [u32]),
    /// Each has one, its index in an array of one dimension.
    Indices(&'a [u32]),
}

impl<'a> Combining<'a> {
    /// Before the first of so many points.
    pub fn new(
        (combine, team): (Combine, Team),
        outputs: &'a [OutRef],
        points: i64,
    ) -> Result<Self, RunError> {
        let of_output = |&out: &OutRef| match combine {
            Combine::Add => Sums::new(out, points, team),
            Combine::Overwrite => Ok(None),
        };
        Ok(Self {
            combine,
            outputs,
            sums: outputs.iter().map(of_output).collect::<Result<_, _>>()?,
            present: vec![],
        })
    }

    /// Combines the updates of the first `points` of a wave; no other task touches it or the outputs.
    pub fn wave(&mut self, wave: &Wave, some_are_off: bool, points: i64) {
        if points == 0 {
            return;
        }
        // SAFETY: the wave has so many targets, and no other task touches it.
        let at = unsafe { wave.at.slice::<i64>(points) };
        let updates = match some_are_off {
            true => {
                present(at, &mut self.present);
                Updates::Some(at, &self.present)
            }
            false => Updates::All(at),
        };
        for ((out, values), sums) in self.outputs.iter().zip(&wave.values).zip(&mut self.sums) {
            match sums {
                Some(sums) => sums.add(at, values),
                None => combine_all(self.combine, out, updates, values),
            }
        }
    }

    /// Whether updates need not be in a wave: they are combined with the elements as they are.
    pub fn is_direct(&self) -> bool {
        self.sums.iter().all(Option::is_none)
    }

    /// Combines updates that are in no wave, with the values of the machine's block; no other task touches the outputs.
    pub fn block(&self, machine: &Machine, indices: &[u32]) {
        for (i, out) in self.outputs.iter().enumerate() {
            // SAFETY: the values follow the guard and the index, one for each lane, and registers are not written.
            let values = unsafe {
                let values = machine.output(2 + i).cast_mut();
                OutRef::new(values, out.ty(), 1, indices.len() as i64)
            };
            combine_all(self.combine, out, Updates::Indices(indices), &values);
        }
    }

    /// After the last point: rounds what is in a wider type.
    pub fn finish(self, team: Team) {
        let sums = self.sums.into_iter().flatten();
        sums.for_each(|sums| sums.finish(team));
    }
}

/// Memory for the targets and the values of points that are next to be combined.
pub(super) struct Wave {
    pub at: OutRef,
    pub values: Vec<OutRef>,
    _memory: (Own, Vec<Own>),
}

impl Wave {
    /// For so many points and values of the types of the outputs.
    pub fn new(outputs: &[OutRef], len: i64) -> Result<Self, RunError> {
        let column = |ty| Own::zeroed(ty, len, "the updates of a scatter");
        let at = column(ScalarType::I64)?;
        let values = outputs.iter().map(|out| column(out.ty()));
        let values: Vec<Own> = values.collect::<Result<_, _>>()?;
        Ok(Self {
            at: at.out,
            values: values.iter().map(|column| column.out).collect(),
            _memory: (at, values),
        })
    }
}

/// Combines updates with the elements of an output, in source order; not those of sums of narrow floats.
pub(super) fn combine_all(combine: Combine, out: &OutRef, updates: Updates, values: &OutRef) {
    macro_rules! combine {
        ($t:ty, $add:expr) => {
            match combine {
                Combine::Overwrite => update::<$t>(out, updates, values, |_, new| new),
                Combine::Add => update::<$t>(out, updates, values, $add),
            }
        };
    }
    match out.ty() {
        ScalarType::Bool => combine!(bool, |x, y| x | y),
        ScalarType::I8 => combine!(i8, i8::wrapping_add),
        ScalarType::I16 => combine!(i16, i16::wrapping_add),
        ScalarType::I32 => combine!(i32, i32::wrapping_add),
        ScalarType::I64 => combine!(i64, i64::wrapping_add),
        ScalarType::U8 => combine!(u8, u8::wrapping_add),
        ScalarType::U16 => combine!(u16, u16::wrapping_add),
        ScalarType::U32 => combine!(u32, u32::wrapping_add),
        ScalarType::U64 => combine!(u64, u64::wrapping_add),
        ScalarType::F16 => combine!(f16, |x, y| x + y),
        ScalarType::F32 => combine!(f32, |x, y| x + y),
        ScalarType::F64 => combine!(f64, |x, y| x + y),
    }
}

/// Makes elements what they and updates give.
fn update<T: Copy>(&out: &OutRef, updates: Updates, values: &OutRef, f: impl Fn(T, T) -> T) {
    // SAFETY: there is a value for each target, and no task writes them.
    let values = |count: usize| unsafe { values.slice::<T>(count as i64) };
    let apply = |target: i64, new: T| {
        let element = out.element::<T>(target);
        // SAFETY: targets that are not negative were tested against the extents, and no other task touches the output.
        unsafe { *element = f(*element, new) }
    };
    match updates {
        Updates::All(at) => {
            let updates = at.iter().zip(values(at.len()));
            updates.for_each(|(&target, &new)| apply(target, new));
        }
        Updates::Indices(at) => {
            let updates = at.iter().zip(values(at.len()));
            updates.for_each(|(&target, &new)| apply(target.into(), new));
        }
        Updates::Some(at, present) => {
            let values = values(at.len());
            let present = present.iter().map(|&point| point as usize);
            present.for_each(|point| apply(at[point], values[point]));
        }
    }
}

/// The points that have a target. Whether one has may follow no pattern, so that there is no jump for it.
fn present(at: &[i64], points: &mut Vec<u32>) {
    points.resize(at.len(), 0);
    let mut count = 0;
    for (point, &target) in (0..).zip(at) {
        points[count] = point;
        count += usize::from(target >= 0);
    }
    points.truncate(count);
}
