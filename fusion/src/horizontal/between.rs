//! What is between two kernels that become one: where these steps go, and how far along each step is.

use crate::visit::Touched;
use cotangent_core::schedule::{ArrayId, KernelKind, Output, Schedule, Step, SymbolId};
use cotangent_core::term::Combine;
use std::collections::{BTreeSet, HashMap};

/// What kernels must have in common to become one.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Reduction {
        space: Vec<SymbolId>,
        inner: Vec<SymbolId>,
        has_init: bool,
    },
    Scatter {
        space: Vec<SymbolId>,
        combine: Combine,
        /// The extents of the arrays that receive.
        target: Vec<SymbolId>,
    },
    /// A map that reads no array.
    Fill { space: Vec<SymbolId> },
}

/// The shape of a step, if it is a kernel that others may join.
pub(super) fn shape(schedule: &Schedule, step: &Step) -> Option<Shape> {
    let kernel = step.as_kernel()?;
    let space = kernel.space.clone();
    match &kernel.kind {
        KernelKind::Reduce { inner, init, .. } => Some(Shape::Reduction {
            space,
            inner: inner.clone(),
            has_init: init.is_some(),
        }),
        KernelKind::Scatter {
            combine, outputs, ..
        } => {
            let Output { array, .. } = outputs.first()?;
            Some(Shape::Scatter {
                space,
                combine: *combine,
                target: schedule.arrays[array.index()].extents.clone(),
            })
        }
        KernelKind::Map { body, .. } => {
            let reads_nothing = body.reads().next().is_none();
            reads_nothing.then_some(Shape::Fill { space })
        }
        KernelKind::Segments { .. } => None,
        KernelKind::Contract { .. } | KernelKind::Scan { .. } | KernelKind::Sort { .. } => None,
    }
}

/// A step, and what it depends on.
pub(super) struct Planned {
    pub step: Step,
    /// Its shape, if it is a kernel that others may join.
    pub shape: Option<Shape>,
    /// The number of passes over data, one after the other, that it waits for.
    pub level: usize,
    /// The arrays it reads.
    pub reads: BTreeSet<ArrayId>,
    /// Whether something it writes is in the memory of another array.
    pub shares: bool,
    /// The arrays in whose memory it reads and writes.
    from: BTreeSet<ArrayId>,
    to: BTreeSet<ArrayId>,
    /// The symbols it needs, those of the memory it touches included.
    uses: BTreeSet<SymbolId>,
    defines: BTreeSet<SymbolId>,
}

impl Planned {
    /// The step, which is that far along.
    pub fn new(schedule: &Schedule, step: Step, level: usize) -> Self {
        let Touched {
            reads,
            writes,
            uses,
            defines,
        } = Touched::by(schedule, &step);
        let owner = |&array: &ArrayId| schedule.owner(array);
        Self {
            shape: shape(schedule, &step),
            step,
            level,
            from: reads.iter().map(owner).collect(),
            to: writes.iter().map(owner).collect(),
            shares: writes.iter().any(|array| schedule.owner(*array) != *array),
            reads,
            uses,
            defines,
        }
    }

    /// Whether it is a map that reads no array.
    pub fn is_fill(&self) -> bool {
        matches!(self.shape, Some(Shape::Fill { .. }))
    }
}

/// The steps of a list with what they depend on.
pub(super) fn plan(schedule: &Schedule, steps: Vec<Step>) -> Vec<Planned> {
    let (mut of_arrays, mut of_symbols) = (HashMap::new(), HashMap::new());
    let mut list = vec![];
    for step in steps {
        let ends_pass = ends_pass(&step);
        let mut planned = Planned::new(schedule, step, 0);
        // What is written in place is there already, and is waited for as well.
        let arrays = planned.from.iter().chain(&planned.to);
        let arrays = arrays.filter_map(|array| of_arrays.get(array));
        let symbols = planned.uses.iter().filter_map(|s| of_symbols.get(s));
        planned.level = arrays.chain(symbols).copied().max().unwrap_or(0);
        let level = planned.level + usize::from(ends_pass);
        of_arrays.extend(planned.to.iter().map(|&array| (array, level)));
        of_symbols.extend(planned.defines.iter().map(|&symbol| (symbol, level)));
        list.push(planned);
    }
    list
}

/// Whether what a step makes is complete only when all of it has run.
fn ends_pass(step: &Step) -> bool {
    match step {
        Step::Scalars { .. } | Step::Check(..) => false,
        Step::If { .. } | Step::Strip(_) | Step::Repeat(_) => true,
        Step::Kernel(kernel) => match &kernel.kind {
            KernelKind::Map { .. } => false,
            KernelKind::Reduce { .. }
            | KernelKind::Contract { .. }
            | KernelKind::Scan { .. }
            | KernelKind::Segments { .. }
            | KernelKind::Sort { .. }
            | KernelKind::Scatter { .. } => true,
        },
    }
}

/// Which of the steps between the first and the last must come after both, if the first moves to the last; none
/// where the last is among those.
pub(super) fn after(list: &[Planned]) -> Option<Vec<bool>> {
    let (first, others) = list.split_first()?;
    let mut late = Late {
        written: first.to.clone(),
        touched: first.from.union(&first.to).copied().collect(),
        defined: first.defines.clone(),
    };
    let mut places: Vec<bool> = others.iter().map(|planned| late.place(planned)).collect();
    let last_is_late = places.pop()?;
    (!last_is_late).then_some(places)
}

/// What is done late.
struct Late {
    /// The memory written then.
    written: BTreeSet<ArrayId>,
    /// The memory read or written then.
    touched: BTreeSet<ArrayId>,
    /// The symbols defined then.
    defined: BTreeSet<SymbolId>,
}

impl Late {
    /// Whether a step, the next one, must be late, too.
    fn place(&mut self, next: &Planned) -> bool {
        let is_late = !next.from.is_disjoint(&self.written)
            || !next.to.is_disjoint(&self.touched)
            || !next.uses.is_disjoint(&self.defined);
        if is_late {
            self.written.extend(&next.to);
            self.touched.extend(next.from.iter().chain(&next.to));
            self.defined.extend(&next.defines);
        }
        is_late
    }
}
