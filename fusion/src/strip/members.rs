//! Which kernels belong to a strip, and what becomes of the steps between them.

use crate::visit::{Touched, short_extents};
use cotangent_core::schedule::{
    ArrayId, Body, Kernel, KernelKind, Layout, Operator, Schedule, Step, SymbolId, ValueId, steps,
};
use cotangent_core::types::ScalarType;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What a dimension is to a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Coordinate `axis` of its space.
    Space(usize),
    /// All that it reduces.
    Inner,
}

/// What the dimension is to the kernel; none where the kernel cannot be cut along it.
pub(super) fn cut(kernel: &Kernel, over: SymbolId) -> Option<Cut> {
    let axis = kernel.space.iter().position(|&extent| extent == over);
    match (&kernel.kind, axis) {
        (KernelKind::Scatter { .. } | KernelKind::Sort { .. }, _) => None,
        (KernelKind::Segments { .. }, _) => None,
        (
            KernelKind::Map { .. }
            | KernelKind::Reduce { .. }
            | KernelKind::Contract { .. }
            | KernelKind::Scan { .. },
            Some(axis),
        ) => Some(Cut::Space(axis)),
        (KernelKind::Reduce { inner, .. } | KernelKind::Contract { inner, .. }, None) => {
            (*inner == [over] && !adds_halves(kernel)).then_some(Cut::Inner)
        }
        (KernelKind::Map { .. } | KernelKind::Scan { .. }, None) => None,
    }
}

/// Whether a kernel sums up numbers of `f16`. What a chunk contributes to the total would be rounded, or beyond the
/// greatest number where the total is not.
fn adds_halves(kernel: &Kernel) -> bool {
    let half = Some(ScalarType::F16);
    match &kernel.kind {
        KernelKind::Reduce { operator, .. } => operator.narrow_sums().contains(&half),
        KernelKind::Contract {
            semiring,
            body,
            output,
            ..
        } => {
            let plus = Operator::of_prim(semiring.plus(), body.type_of(output.value));
            plus.narrow_sums().contains(&half)
        }
        KernelKind::Map { .. } | KernelKind::Scan { .. } | KernelKind::Scatter { .. } => false,
        KernelKind::Segments { .. } | KernelKind::Sort { .. } => false,
    }
}

/// What the schedule around a list of steps asks of arrays.
pub(super) struct Surroundings {
    /// The results of the program, and what steps take over from the lists inside of them.
    lasting: HashSet<ArrayId>,
    /// Arrays that share memory with others.
    shared: HashSet<ArrayId>,
    /// Extents that are known to be small: such dimensions are not cut.
    pub short: HashSet<SymbolId>,
}

impl Surroundings {
    pub fn of(schedule: &Schedule) -> Self {
        let mut lasting: HashSet<_> = schedule.results.iter().copied().collect();
        lasting.extend(steps::all(&schedule.steps).flat_map(Step::takes));
        let mut shared = HashSet::new();
        for (i, decl) in schedule.arrays.iter().enumerate() {
            if let Layout::View { of, .. } = decl.layout {
                shared.extend([of, ArrayId(i as u32)]);
            }
        }
        Self {
            lasting,
            shared,
            short: short_extents(&schedule.steps),
        }
    }
}

/// Where a step goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Before,
    Inside,
    After,
}

/// The kernels of a strip, and where the other steps go.
pub(super) struct Members {
    /// The steps before the strip, the members, and the steps after it, by position.
    pub before: Vec<usize>,
    pub inside: Vec<usize>,
    pub after: Vec<usize>,
    /// The arrays that members make chunk by chunk, and their dimension that is cut.
    pub chunked: BTreeMap<ArrayId, usize>,
    /// Those of them that are needed as a whole.
    pub lasting: BTreeSet<ArrayId>,
}

impl Members {
    /// The strip over a dimension that spares most arrays, if one spares any.
    pub fn best(
        schedule: &Schedule,
        around: &Surroundings,
        steps: &[Step],
        over: SymbolId,
    ) -> Option<Self> {
        let touched = steps.iter().map(|step| Touched::by(schedule, step));
        let mut search = Search {
            schedule,
            around,
            steps,
            over,
            touched: touched.collect(),
            banned: BTreeSet::new(),
        };
        let all = search.settle();
        let connected = all.largest_part(steps)?;
        let strangers = (0..steps.len()).filter(|step| !connected.contains(step));
        search.banned.extend(strangers);
        let members = search.settle();
        let spared = members.chunked.len() - members.lasting.len();
        (spared > 0 && members.inside.len() > 1).then_some(members)
    }

    /// The members that hand most arrays to each other.
    fn largest_part(&self, steps: &[Step]) -> Option<BTreeSet<usize>> {
        let mut part: BTreeMap<usize, usize> = self.inside.iter().map(|&i| (i, i)).collect();
        let mut maker = BTreeMap::new();
        for &i in &self.inside {
            for array in steps[i].reads() {
                if let Some(&from) = maker.get(&array) {
                    let (old, new) = (part[&i], part[&from]);
                    part.values_mut()
                        .filter(|p| **p == old)
                        .for_each(|p| *p = new);
                }
            }
            maker.extend(steps[i].writes().into_iter().map(|array| (array, i)));
        }
        let temporaries = |root: usize| {
            let spared = self.chunked.keys().filter(|a| !self.lasting.contains(a));
            spared
                .filter(|a| maker.get(a).is_some_and(|i| part[i] == root))
                .count()
        };
        let roots: BTreeSet<usize> = part.values().copied().collect();
        let rated = roots
            .into_iter()
            .map(|root| (temporaries(root), std::cmp::Reverse(root)));
        let (_, std::cmp::Reverse(best)) = rated.max()?;
        let of_best = part.into_iter().filter(|(_, root)| *root == best);
        Some(of_best.map(|(i, _)| i).collect())
    }
}

struct Search<'a> {
    schedule: &'a Schedule,
    around: &'a Surroundings,
    steps: &'a [Step],
    over: SymbolId,
    touched: Vec<Touched>,
    /// Kernels that may not be members.
    banned: BTreeSet<usize>,
}

impl Search<'_> {
    /// Finds the members, banning those whose chunks could not be put together in the end.
    fn settle(&mut self) -> Members {
        loop {
            let members = self.members();
            let maker = |array: &ArrayId| {
                let makes = |i: &&usize| self.touched[**i].writes.contains(array);
                members.inside.iter().find(makes).copied()
            };
            let scattered = members.lasting.iter().filter(|a| members.chunked[*a] != 0);
            let bad: Vec<usize> = scattered.filter_map(maker).collect();
            if bad.is_empty() {
                return members;
            }
            self.banned.extend(bad);
        }
    }

    fn members(&self) -> Members {
        let mut sorter = Sorter {
            search: self,
            late_arrays: BTreeSet::new(),
            late_symbols: BTreeSet::new(),
            late_touched: BTreeSet::new(),
            found: Members {
                before: vec![],
                inside: vec![],
                after: vec![],
                chunked: BTreeMap::new(),
                lasting: BTreeSet::new(),
            },
        };
        for (i, step) in self.steps.iter().enumerate() {
            sorter.sort(i, step);
        }
        let mut found = sorter.found;
        let asked = found
            .chunked
            .keys()
            .filter(|a| self.around.lasting.contains(a));
        let asked: Vec<_> = asked.copied().collect();
        found.lasting.extend(asked);
        found
    }

    /// The array in whose memory this one is.
    fn owner(&self, array: ArrayId) -> ArrayId {
        self.schedule.owner(array)
    }
}

/// Goes through the steps in order and decides where each goes.
struct Sorter<'a, 'b> {
    search: &'a Search<'b>,
    /// Owners of arrays that are there only after the strip.
    late_arrays: BTreeSet<ArrayId>,
    late_symbols: BTreeSet<SymbolId>,
    /// Owners of all that the members and the steps after them read or write.
    late_touched: BTreeSet<ArrayId>,
    found: Members,
}

impl Sorter<'_, '_> {
    fn sort(&mut self, i: usize, step: &Step) {
        let place = self.place(i, step);
        let search = self.search;
        let touched = &search.touched[i];
        let owners = |arrays: &BTreeSet<ArrayId>| -> Vec<ArrayId> {
            arrays.iter().map(|&array| search.owner(array)).collect()
        };
        if place != Place::Before {
            self.late_touched.extend(owners(&touched.reads));
            self.late_touched.extend(owners(&touched.writes));
        }
        match place {
            Place::Before => self.found.before.push(i),
            Place::Inside => self.found.inside.push(i),
            Place::After => {
                self.found.after.push(i);
                self.late_arrays.extend(owners(&touched.writes));
                self.late_symbols.extend(&touched.defines);
                // What is written in place is there already.
                let whole = touched.reads.iter().chain(&touched.writes);
                let whole = whole.filter(|a| self.found.chunked.contains_key(a));
                self.found.lasting.extend(whole);
            }
        }
    }

    fn place(&mut self, i: usize, step: &Step) -> Place {
        let search = self.search;
        let touched = &search.touched[i];
        let late = |array: &ArrayId| self.late_arrays.contains(&search.owner(*array));
        let is_late = touched.reads.iter().any(late)
            || touched.uses.iter().any(|s| self.late_symbols.contains(s));
        if is_late {
            return Place::After;
        }
        if let Some(kernel) = step.as_kernel()
            && !search.banned.contains(&i)
            && let Some(cut) = cut(kernel, search.over)
            && self.fits(kernel, cut)
        {
            self.join(kernel, cut);
            return Place::Inside;
        }
        let clashes = |array: &ArrayId| self.late_touched.contains(&search.owner(*array));
        let reads_chunks = touched
            .reads
            .iter()
            .any(|a| self.found.chunked.contains_key(a));
        match reads_chunks || touched.writes.iter().any(clashes) {
            true => Place::After,
            false => Place::Before,
        }
    }

    /// Whether the kernel writes memory of its own and reads chunks at its own position.
    fn fits(&self, kernel: &Kernel, cut: Cut) -> bool {
        let around = self.search.around;
        let own = |array: ArrayId| !around.shared.contains(&array);
        let coord = match cut {
            Cut::Space(axis) => axis,
            Cut::Inner => kernel.space.len(),
        };
        let is_coord = |body: &Body, v: ValueId| body.op(v).as_coord() == Some(coord as u32);
        let mut loads = kernel.body().loads();
        let reads_own = loads.all(|(body, load)| match self.found.chunked.get(&load.array) {
            Some(&axis) => load.site.is_none() && is_coord(body, load.index[axis]),
            None => true,
        });
        reads_own && kernel.outputs().iter().all(|output| own(output.array))
    }

    fn join(&mut self, kernel: &Kernel, cut: Cut) {
        for output in kernel.outputs() {
            match cut {
                Cut::Space(axis) => {
                    self.found.chunked.insert(output.array, axis);
                }
                Cut::Inner => {
                    self.late_arrays.insert(output.array);
                }
            }
        }
    }
}
