//! Where the updates of a scatter go: targets are stored as positions, and those out of range are reported.
//!
//! Unsafe code: raw columns of a machine's registers, and stores into memory that a wave has for them.

use super::updates::Wave;
use crate::few::Few;
use crate::isa::Isa;
use crate::lanes::{Sent, TargetDim, TargetFns, target_fns};
use crate::machine::Machine;
use crate::machine::coords::strides;
use crate::machine::failure::{Failure, Problem};
use cotangent_core::schedule::SiteId;
use std::sync::atomic::{AtomicBool, Ordering};

/// The target, and where indices outside of it are reported.
pub(super) struct Targets<'a> {
    extents: &'a [i64],
    dims: Few<TargetDim>,
    fns: TargetFns,
    site: SiteId,
    /// Whether some points have no update: these have a negative target.
    some_are_off: AtomicBool,
}

impl<'a> Targets<'a> {
    pub fn new(isa: Isa, extents: &'a [i64], site: SiteId) -> Self {
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
    pub fn are_off(&self) -> bool {
        self.some_are_off.load(Ordering::Relaxed)
    }

    /// Stores the targets and the values of the machine's block; targets out of range are reported.
    ///
    /// # Safety
    /// The wave has room for `n` elements from `position` on, which no other task touches.
    pub unsafe fn store(&self, machine: &Machine, n: usize, wave: &Wave, position: i64) {
        for (i, values) in wave.values.iter().enumerate() {
            let column = machine.output(1 + self.dims.len() + i);
            // SAFETY: the column has `n` lanes, and there is room for them.
            unsafe { values.store(column, position, 1, n) }
        }
        let targets = wave.at.element::<i64>(position);
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

    /// The targets of the machine's block as they are, if all lanes have one, in one dimension and in range.
    pub fn indices<'m>(&self, machine: &'m Machine, n: usize) -> Option<&'m [u32]> {
        let [dim] = self.dims[..] else { return None };
        let (on, index) = (machine.output(0), machine.output(1));
        let mut are_inside = false;
        let (outcome, dim) = ((&raw mut are_inside).cast(), (&raw const dim).cast());
        // SAFETY: the first output is a column of truth values, the next one a column of `i32`, of `n` lanes; the outcome and the
        // dimension are what is asked for; and the machine has the instruction set.
        unsafe { (self.fns.inside)(n, outcome, index, on, dim) }
        // SAFETY: the next output is a column of `i32`, of `n` lanes, which in range are not negative; the machine keeps it.
        are_inside.then(|| unsafe { std::slice::from_raw_parts(index.cast::<u32>(), n) })
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
