//! Where one kernel reads what another has written, and why they are two.

use crate::traffic::loads;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::schedule::{ArrayId, Kernel, Layout, Offset, Schedule, Step, steps};
use std::collections::{BTreeMap, BTreeSet};

/// One kernel reads what another has written.
pub(crate) struct Crossing {
    /// The kernel that writes, by its position.
    pub from: usize,
    /// The kernel that reads.
    pub to: usize,
    /// The array that is read.
    pub array: ArrayId,
    /// Why it is in memory.
    pub kept: Option<Kept>,
}

/// Finds the crossings of a schedule, kernel by kernel.
pub(crate) struct Crossings<'a> {
    schedule: &'a Schedule,
    kept: &'a BTreeMap<ArrayId, Kept>,
    /// The arrays in the memory of each owner, itself included.
    inside: BTreeMap<ArrayId, Vec<ArrayId>>,
    /// The arrays that each array of a step with lists inside is taken from.
    sources: &'a BTreeMap<ArrayId, Vec<ArrayId>>,
    /// The kernels that have written each array.
    writers: BTreeMap<ArrayId, BTreeSet<usize>>,
    /// The kernels that write into arrays which are there already.
    in_place: BTreeSet<usize>,
    pub found: Vec<Crossing>,
}

impl<'a> Crossings<'a> {
    pub(crate) fn new(
        schedule: &'a Schedule,
        kept: &'a BTreeMap<ArrayId, Kept>,
        sources: &'a BTreeMap<ArrayId, Vec<ArrayId>>,
    ) -> Self {
        let mut inside: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for id in (0..schedule.arrays.len() as u32).map(ArrayId) {
            inside.entry(schedule.owner(id)).or_default().push(id);
        }
        Self {
            schedule,
            kept,
            inside,
            sources,
            writers: BTreeMap::new(),
            in_place: BTreeSet::new(),
            found: vec![],
        }
    }

    /// Takes in the kernel at `position`; kernels come in the order of the steps.
    pub(crate) fn kernel(&mut self, position: usize, kernel: &Kernel) {
        let mut read: Vec<_> = loads(kernel).map(|load| load.array).collect();
        let in_place = kernel.writes_in_place();
        let outputs: Vec<_> = kernel.outputs().iter().map(|o| o.array).collect();
        if in_place {
            read.extend(&outputs);
        }
        let mut known = BTreeSet::new();
        for array in read {
            for (from, written) in self.writers_of(array) {
                if known.insert((from, self.schedule.owner(array))) {
                    self.found.push(Crossing {
                        from,
                        to: position,
                        array,
                        kept: self.reason(from, [array, written]),
                    });
                }
            }
        }
        if in_place {
            self.in_place.insert(position);
        }
        for array in outputs {
            let writers = self.writers.entry(array).or_default();
            if in_place {
                // Who reads it from here on waits for this kernel, and by that for all before.
                writers.clear();
            }
            writers.insert(position);
        }
    }

    /// Why an array that the kernel `from` has written is in memory: under its own name, that under which it was
    /// written, or that of its owner.
    fn reason(&self, from: usize, names: [ArrayId; 2]) -> Option<Kept> {
        if self.in_place.contains(&from) {
            return Some(Kept::Permute);
        }
        let owners = names.map(|array| self.schedule.owner(array));
        let names = names.into_iter().chain(owners);
        names
            .filter_map(|array| self.kept.get(&array))
            .copied()
            .next()
    }

    /// The kernels that have written elements of an array, and as what.
    fn writers_of(&self, array: ArrayId) -> BTreeMap<usize, ArrayId> {
        let (mut writers, mut todo, mut seen) = (BTreeMap::new(), vec![array], BTreeSet::new());
        while let Some(array) = todo.pop() {
            let owner = self.schedule.owner(array);
            todo.extend(
                self.sources
                    .get(&owner)
                    .into_iter()
                    .flatten()
                    .filter(|&&a| seen.insert(a)),
            );
            let inside = self.inside.get(&owner).into_iter().flatten();
            for &part in inside.filter(|&&part| self.overlap(array, part)) {
                let kernels = self.writers.get(&part).into_iter().flatten();
                kernels.for_each(|&kernel| {
                    writers.entry(kernel).or_insert(part);
                });
            }
        }
        writers
    }

    /// Whether two arrays in the same memory may have elements in common.
    fn overlap(&self, x: ArrayId, y: ArrayId) -> bool {
        let residue = |array: ArrayId| match self.schedule.arrays[array.index()].layout {
            Layout::Own => (Offset::default(), 1),
            Layout::View {
                of: _,
                offset,
                stride,
            } => (offset, stride),
        };
        let ((x, x_stride), (y, y_stride)) = (residue(x), residue(y));
        // Parts that begin at different symbols lie one after the other.
        let joined = x.symbol == y.symbol || x_stride != y_stride;
        let (x, y) = (x.constant, y.constant);
        joined && (x_stride != y_stride || x_stride == 0 || x % x_stride == y % x_stride)
    }
}

/// The arrays that each array of a step with lists inside is taken from.
pub(crate) fn sources(steps: &[Step]) -> BTreeMap<ArrayId, Vec<ArrayId>> {
    let mut sources: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let scopes = steps::all(steps).flat_map(Step::scopes);
    for (defined, from) in scopes.flat_map(|scope| scope.arrays) {
        sources.entry(defined).or_default().push(from);
    }
    sources
}
