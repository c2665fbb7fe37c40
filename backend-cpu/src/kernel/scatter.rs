//! Scatters: updates, which are targets and values, are computed in parallel, wave by wave, and combined in source order;
//! sums of narrow floats in `f64` ([`sums`]).

mod sums;

use super::share::share;
use super::space::{Blocks, Place, lanes_for, work};
use super::{KernelCode, Launch, bug};
use crate::few::Few;
use crate::machine::Machine;
use crate::machine::coords::{product, strides};
use crate::machine::failure::{Failure, Problem};
use crate::memory::{OutRef, data_mut, zeroed};
use cotangent_core::backend::RunError;
use cotangent_core::rounding::f16;
use cotangent_core::schedule::SiteId;
use cotangent_core::schedule::drive::Ints;
use cotangent_core::term::Combine;
use cotangent_core::types::ScalarType;
use sums::Sums;

/// The points of a wave, whose updates are in memory until they are combined.
const WAVE: i64 = 1 << 16;
/// The target of a point without an update.
const NO_TARGET: i64 = -1;

/// What a task needs for each block.
#[derive(Default)]
struct Scratch {
    /// The row-major position of each lane's target.
    targets: Vec<i64>,
    /// Whether it is inside.
    inside: Vec<bool>,
}

/// The target, and where indices outside of it are reported.
struct Targets<'a> {
    extents: &'a [i64],
    strides: Ints,
    site: SiteId,
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
        let targets = Targets {
            extents: launch.target_extents,
            strides: strides(launch.target_extents),
            site,
        };
        let lanes_per_block = (lanes as i64).min(blocks.row_len.max(1));
        let per_wave = (WAVE / lanes_per_block).clamp(1, blocks.count.max(1));
        let mut wave = Wave::new(launch, (per_wave * lanes_per_block) as usize)?;
        let (at, values) = wave.refs()?;
        let mut combining = Combining::new(launch, combine, product(extents).unwrap_or(i64::MAX))?;
        let new_machine = || Machine::new(code, &env, lanes);
        let mut machine = (launch.team.threads == 1).then(new_machine);
        for first in (0..blocks.count).step_by(per_wave as usize) {
            let last = (first + per_wave).min(blocks.count);
            let origin = wave_start(&blocks, first);
            let work = work(code) * lanes_per_block as usize;
            let compute = |machine: &mut Machine, range: std::ops::Range<i64>| {
                let mut scratch = Scratch::default();
                let range = first + range.start..first + range.end;
                blocks.visit(machine, range, |machine, row, start, n| {
                    machine.block(start, n);
                    let position = place.position(row, start) - origin;
                    // SAFETY: the wave has room for its blocks, and each is computed by one task.
                    unsafe { targets.store(machine, &mut scratch, n, &at, position) }
                    for (i, values) in values.iter().enumerate() {
                        let column = machine.output(1 + targets.extents.len() + i);
                        // SAFETY: the wave has room for each lane of a block, which one task computes.
                        unsafe { values.store(column, position, 1, n) }
                    }
                });
            };
            match &mut machine {
                Some(machine) => {
                    launch.team.begin(last - first, work);
                    compute(machine, 0..last - first);
                }
                None => share(launch.team, last - first, work, |claims| {
                    let mut machine = new_machine();
                    claims.for_each(|claim| compute(&mut machine, claim));
                }),
            }
            let points = wave_start(&blocks, last) - origin;
            launch.team.passes.alone();
            combining.wave(&at, &values, points);
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
        })
    }

    /// Combines the updates of the first `points` of a wave; no task runs.
    fn wave(&mut self, at: &OutRef, values: &[OutRef], points: i64) {
        // SAFETY: the wave has so many targets, and no task runs.
        let at = unsafe { at.slice::<i64>(points) };
        for ((out, values), sums) in self.outputs.iter().zip(values).zip(&mut self.sums) {
            match sums {
                Some(sums) => sums.add(at, values),
                None => combine_all(self.combine, out, at, values),
            }
        }
    }

    fn finish(self, launch: &Launch) {
        for sums in self.sums.into_iter().flatten() {
            sums.finish(launch.team);
        }
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

impl Targets<'_> {
    /// Stores the targets of the machine's block; those out of range are reported.
    ///
    /// # Safety
    /// `at` has room for `n` elements from `position` on, which no other task touches.
    unsafe fn store(
        &self,
        machine: &Machine,
        scratch: &mut Scratch,
        n: usize,
        at: &OutRef,
        position: i64,
    ) {
        // SAFETY: the first output is a column of truth values, with `n` lanes.
        let on = unsafe { std::slice::from_raw_parts(machine.output(0).cast::<bool>(), n) };
        let index: Few<&[i32]> = (0..self.extents.len())
            .map(|d| {
                // SAFETY: the next outputs are columns of `i32`, with `n` lanes.
                unsafe { std::slice::from_raw_parts(machine.output(1 + d).cast::<i32>(), n) }
            })
            .collect();
        let Scratch { targets, inside } = scratch;
        targets.clear();
        targets.resize(n, 0);
        inside.clear();
        inside.resize(n, true);
        for (d, index) in index.iter().enumerate() {
            let (extent, stride) = (self.extents[d].max(0) as u32, self.strides[d]);
            for (i, &index) in index.iter().enumerate() {
                inside[i] &= (index as u32) < extent;
                targets[i] = targets[i].wrapping_add(i64::from(index).wrapping_mul(stride));
            }
        }
        if let Some(lane) = (0..n).find(|&i| on[i] && !inside[i]) {
            self.fail(
                machine,
                lane,
                index.iter().map(|index| i64::from(index[lane])).collect(),
            );
        }
        for i in 0..n {
            if !(on[i] && inside[i]) {
                targets[i] = NO_TARGET;
            }
        }
        // SAFETY: `targets` has `n` elements, for which `at` has room from `position` on, and no other task touches
        // these.
        unsafe { at.store(targets.as_ptr().cast(), position, 1, n) }
    }

    #[cold]
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
fn combine_all(combine: Combine, out: &OutRef, at: &[i64], values: &OutRef) {
    macro_rules! combine {
        ($t:ty, $old:ident, $new:ident => $add:expr) => {{
            // SAFETY: the wave has a value for each target, and no task runs.
            let values = unsafe { values.slice::<$t>(at.len() as i64) };
            for (&target, &$new) in at.iter().zip(values) {
                if target != NO_TARGET {
                    // SAFETY: targets were tested against the extents, and no task runs.
                    let element = unsafe { &mut *out.element::<$t>(target) };
                    *element = match combine {
                        Combine::Overwrite => $new,
                        Combine::Add => {
                            let $old = *element;
                            $add
                        }
                    };
                }
            }
        }};
    }
    match out.ty() {
        ScalarType::Bool => combine!(bool, x, y => x | y),
        ScalarType::I32 => combine!(i32, x, y => x.wrapping_add(y)),
        ScalarType::I64 => combine!(i64, x, y => x.wrapping_add(y)),
        ScalarType::U32 => combine!(u32, x, y => x.wrapping_add(y)),
        ScalarType::F16 => combine!(f16, x, y => x + y),
        ScalarType::F32 => combine!(f32, x, y => x + y),
        ScalarType::F64 => combine!(f64, x, y => x + y),
    }
}
