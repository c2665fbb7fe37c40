//! Scatters: updates, which are targets and values, are computed in parallel, wave by wave, and combined in source order;
//! sums of narrow floats in `f64` ([`sums`]).

mod sums;

use super::share::share;
use super::space::{Blocks, Place, lanes_for, work};
use super::{KernelCode, Launch, bug};
use crate::few::Few;
use crate::isa::Isa;
use crate::lanes::{Sent, TargetDim, TargetFns, target_fns};
use crate::machine::Machine;
use crate::machine::coords::{product, strides};
use crate::machine::failure::{Failure, Problem};
use crate::memory::{OutRef, data_mut, zeroed};
use crate::passes::Team;
use cotangent_core::backend::RunError;
use cotangent_core::rounding::f16;
use cotangent_core::schedule::SiteId;
use cotangent_core::term::Combine;
use cotangent_core::types::ScalarType;
use std::sync::atomic::{AtomicBool, Ordering};
use sums::Sums;

/// The points of a wave, whose updates are in memory until they are combined.
const WAVE: i64 = 1 << 16;
/// The same for a thread by itself, which has none to share them with: so few that they stay in the first cache.
const OWN_WAVE: i64 = 1 << 11;

/// The target, and where indices outside of it are reported.
struct Targets<'a> {
    extents: &'a [i64],
    dims: Few<TargetDim>,
    fns: TargetFns,
    site: SiteId,
    /// Whether some points have no update: these have a negative target.
    some_are_off: AtomicBool,
}

impl KernelCode {
    /// Runs a scatter from a space of the given extents.
    pub(super) fn scatter(
        &self,
        launch: &Launch,
        extents: &[i64],
        site: SiteId,
        combine: Combine,
    ) -> Result<(), RunError> {
        let (code, env) = self.choose(launch, extents)?.split(launch, extents);
        let lanes = lanes_for(code, launch.outputs.len());
        let blocks = Blocks::new(&code.nest, extents, lanes)
            .ok_or_else(|| bug("an index space has too many points"))?;
        let place = Place::new(&code.nest, extents, extents.len());
        let targets = Targets::new(code.target.isa, launch.target_extents, site);
        let lanes_per_block = (lanes as i64).min(blocks.row_len.max(1));
        let blocks_of = |points: i64| (points / lanes_per_block).clamp(1, blocks.count.max(1));
        let work = work(code) * lanes_per_block as usize;
        let is_alone = launch.team.threads == 1;
        let per_wave = blocks_of(if is_alone { OWN_WAVE } else { WAVE });
        if is_alone {
            count_waves(launch.team, (blocks.count, blocks_of(WAVE)), work);
        }
        let mut wave = Wave::new(launch, (per_wave * lanes_per_block) as usize)?;
        let (at, values) = wave.refs()?;
        let mut combining = Combining::new(launch, combine, product(extents).unwrap_or(i64::MAX))?;
        let new_machine = || Machine::new(code, &env, lanes);
        let mut machine = is_alone.then(new_machine);
        for first in (0..blocks.count).step_by(per_wave as usize) {
            let last = (first + per_wave).min(blocks.count);
            let origin = wave_start(&blocks, first);
            let compute = |machine: &mut Machine, range: std::ops::Range<i64>| {
                let range = first + range.start..first + range.end;
                blocks.visit(machine, range, |machine, row, start, n| {
                    machine.block(start, n);
                    let position = place.position(row, start) - origin;
                    // SAFETY: the wave has room for its blocks, and each is computed by one task.
                    unsafe { targets.store(machine, n, (&at, &values), position) }
                });
            };
            match &mut machine {
                Some(machine) => compute(machine, 0..last - first),
                None => share(launch.team, last - first, work, |claims| {
                    let mut machine = new_machine();
                    claims.for_each(|claim| compute(&mut machine, claim));
                }),
            }
            if launch.failure.is_cancelled() {
                // Some blocks of the wave may not be there; nobody reads what has been combined.
                return Ok(());
            }
            let points = wave_start(&blocks, last) - origin;
            if !is_alone {
                launch.team.passes.alone();
            }
            combining.wave((&at, targets.are_off()), &values, points);
        }
        combining.finish(launch);
        Ok(())
    }
}

/// What has been combined so far: in the outputs, or, for sums of narrow floats, in a wider type until all points are done.
struct Combining<'a> {
    combine: Combine,
    outputs: &'a [OutRef],
    sums: Vec<Option<Sums>>,
    /// The points of the wave that have an update, where not all have one.
    present: Vec<u32>,
}

/// The updates of a wave: the targets of its points, and which points have one, if not all.
#[derive(Clone, Copy)]
struct Updates<'a> {
    at: &'a [i64],
    present: Option<&'a Vec<u32>>,
}

impl<'a> Combining<'a> {
    fn new(launch: &Launch<'a>, combine: Combine, points: i64) -> Result<Self, RunError> {
        let of_output = |&out: &OutRef| match combine {
            Combine::Add => Sums::new(out, points, launch.team),
            Combine::Overwrite => Ok(None),
        };
        Ok(Self {
            combine,
            outputs: launch.outputs,
            sums: launch
                .outputs
                .iter()
                .map(of_output)
                .collect::<Result<_, _>>()?,
            present: vec![],
        })
    }

    /// Combines the updates of the first `points` of a wave; no task runs.
    fn wave(&mut self, (at, some_are_off): (&OutRef, bool), values: &[OutRef], points: i64) {
        // SAFETY: the wave has so many targets, and no task runs.
        let at = unsafe { at.slice::<i64>(points) };
        if some_are_off {
            present(at, &mut self.present);
        }
        let updates = Updates {
            at,
            present: some_are_off.then_some(&self.present),
        };
        for ((out, values), sums) in self.outputs.iter().zip(values).zip(&mut self.sums) {
            match sums {
                Some(sums) => sums.add(at, values),
                None => combine_all(self.combine, out, updates, values),
            }
        }
    }

    fn finish(self, launch: &Launch) {
        for sums in self.sums.into_iter().flatten() {
            sums.finish(launch.team);
        }
    }
}

/// Counts the passes that several threads would make, in waves of so many blocks.
fn count_waves(team: Team, (blocks, per_wave): (i64, i64), work: usize) {
    for first in (0..blocks).step_by(per_wave as usize) {
        team.begin(per_wave.min(blocks - first), work);
        team.passes.alone();
    }
}

/// The number of points before a block.
fn wave_start(blocks: &Blocks, block: i64) -> i64 {
    let (row, at) = (block / blocks.per_row.max(1), block % blocks.per_row.max(1));
    row * blocks.row_len + at * blocks.lanes as i64
}

/// The updates of a wave.
struct Wave {
    at: cotangent_core::host::Column,
    values: Vec<cotangent_core::host::Column>,
    len: usize,
}

impl Wave {
    fn new(launch: &Launch, len: usize) -> Result<Self, RunError> {
        let column = |ty: ScalarType| {
            zeroed(ty, len).ok_or(RunError::OutOfHostMemory {
                what: "the updates of a scatter",
                bytes: len as u64 * ty.bytes() as u64,
            })
        };
        let values = launch.outputs.iter().map(|out| column(out.ty()));
        Ok(Self {
            at: column(ScalarType::I64)?,
            values: values.collect::<Result<_, _>>()?,
            len,
        })
    }

    fn refs(&mut self) -> Result<(OutRef, Vec<OutRef>), RunError> {
        let len = self.len as i64;
        let reference = |column: &mut cotangent_core::host::Column| {
            let data = data_mut(column).ok_or_else(|| bug("a wave is shared"))?;
            // SAFETY: the column is kept by the wave and has `len` elements.
            Ok(unsafe { OutRef::new(data, column.scalar_type(), 1, len) })
        };
        let at = reference(&mut self.at)?;
        Ok((
            at,
            self.values
                .iter_mut()
                .map(reference)
                .collect::<Result<_, RunError>>()?,
        ))
    }
}

impl<'a> Targets<'a> {
    fn new(isa: Isa, extents: &'a [i64], site: SiteId) -> Self {
        let dims = extents.iter().zip(strides(extents));
        let dims = dims.map(|(&extent, stride)| TargetDim {
            extent: extent.max(0) as u32,
            stride,
        });
        Self {
            extents,
            dims: dims.collect(),
            fns: target_fns(isa),
            site,
            some_are_off: AtomicBool::new(false),
        }
    }

    /// Whether some points so far had no update.
    fn are_off(&self) -> bool {
        self.some_are_off.load(Ordering::Relaxed)
    }

    /// Stores the targets and the values of the machine's block; targets out of range are reported.
    ///
    /// # Safety
    /// `at` and `values` have room for `n` elements from `position` on, which no other task touches.
    unsafe fn store(
        &self,
        machine: &Machine,
        n: usize,
        (at, values): (&OutRef, &[OutRef]),
        position: i64,
    ) {
        for (i, values) in values.iter().enumerate() {
            let column = machine.output(1 + self.dims.len() + i);
            // SAFETY: the column has `n` lanes, and there is room for them.
            unsafe { values.store(column, position, 1, n) }
        }
        let targets = at.element::<i64>(position);
        let mut sent = Sent::default();
        let (outcome, unused) = ((&raw mut sent).cast_const().cast(), std::ptr::null());
        // SAFETY: there is room for `n` targets, which nothing else refers to; the first output is a column of truth values, the
        // next ones are columns of `i32`, of `n` lanes; and the machine has the instruction set.
        unsafe {
            std::ptr::write_bytes(targets, 0, n);
            for (d, dim) in self.dims.iter().enumerate() {
                let index = machine.output(1 + d);
                (self.fns.along)(n, targets.cast(), index, (&raw const *dim).cast(), unused);
            }
            let on = machine.output(0);
            (self.fns.guard)(n, targets.cast(), on, outcome, unused);
        }
        if sent.some_are_off {
            self.some_are_off.store(true, Ordering::Relaxed);
        }
        if sent.some_fail {
            self.fail_first(machine, n);
        }
    }

    /// Reports the first lane that is on and has an index out of range.
    #[cold]
    fn fail_first(&self, machine: &Machine, n: usize) {
        // SAFETY: the outputs are columns of truth values and of `i32`, of `n` lanes.
        let on = unsafe { std::slice::from_raw_parts(machine.output(0).cast::<bool>(), n) };
        let index_of = |lane: usize| -> Vec<i64> {
            let dims = 0..self.extents.len();
            // SAFETY: the same; the lane is below `n`.
            let index = dims.map(|d| unsafe { *machine.output(1 + d).cast::<i32>().add(lane) });
            index.map(i64::from).collect()
        };
        let is_inside = |index: &[i64]| {
            let mut dims = index.iter().zip(self.extents);
            dims.all(|(index, &extent)| (0..extent).contains(index))
        };
        let lanes = (0..n).filter(|&lane| on[lane]);
        if let Some((lane, index)) = lanes
            .map(|lane| (lane, index_of(lane)))
            .find(|(_, index)| !is_inside(index))
        {
            self.fail(machine, lane, index);
        }
    }

    fn fail(&self, machine: &Machine, lane: usize, index: Vec<i64>) {
        machine.offer(Failure {
            point: machine.point(lane),
            // The index is tested last: loads of the same point fail first.
            order: u32::MAX,
            problem: Problem::OutOfRange {
                site: Some(self.site),
                index,
                extents: self.extents.to_vec(),
            },
            trips: vec![],
        });
    }
}

/// Combines updates with the elements of an output, in source order; not those of sums of narrow floats.
fn combine_all(combine: Combine, out: &OutRef, updates: Updates, values: &OutRef) {
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
fn update<T: Copy>(out: &OutRef, updates: Updates, values: &OutRef, f: impl Fn(T, T) -> T) {
    // SAFETY: the wave has a value for each target, and no task runs.
    let values = unsafe { values.slice::<T>(updates.at.len() as i64) };
    let apply = |(&target, &new): (&i64, &T)| {
        let element = out.element::<T>(target);
        // SAFETY: targets that are not negative were tested against the extents, and no task runs.
        unsafe { *element = f(*element, new) }
    };
    match updates.present {
        None => updates.at.iter().zip(values).for_each(apply),
        Some(present) => present.iter().for_each(|&point| {
            let point = point as usize;
            apply((&updates.at[point], &values[point]));
        }),
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
