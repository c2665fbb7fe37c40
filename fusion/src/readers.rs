//! How often the arrays of a schedule are read.

use cotangent_core::schedule::{ArrayId, Kernel, Layout, Schedule, Step, steps};
use std::collections::{HashMap, HashSet};

/// Who reads arrays.
pub(crate) struct Readers {
    /// The number of loads of each array, in all steps.
    loads: HashMap<ArrayId, usize>,
    /// Arrays that are handed on, share memory, or are touched by steps that are no kernels.
    others: HashSet<ArrayId>,
}

impl Readers {
    /// The readers in some steps, all of those of the schedule.
    pub(crate) fn of(schedule: &Schedule, steps: &[Step]) -> Self {
        let mut readers = Self {
            loads: HashMap::new(),
            others: schedule.results.iter().copied().collect(),
        };
        for (i, decl) in schedule.arrays.iter().enumerate() {
            if let Layout::View { of, .. } = decl.layout {
                readers.others.extend([of, ArrayId(i as u32)]);
            }
        }
        for step in steps::all(steps) {
            match step.as_kernel() {
                Some(kernel) => readers.kernel(kernel),
                None => readers
                    .others
                    .extend(step.reads().into_iter().chain(step.writes())),
            }
        }
        readers
    }

    fn kernel(&mut self, kernel: &Kernel) {
        for array in kernel.body().reads() {
            *self.loads.entry(array).or_default() += 1;
        }
    }

    /// Whether one load alone reads the array.
    pub(crate) fn is_read_once(&self, array: ArrayId) -> bool {
        self.loads.get(&array) == Some(&1) && !self.others.contains(&array)
    }
}
