//! From a schedule to its explanation.

use crate::boundaries::{Crossing, Crossings, sources};
use crate::events::{Around, Event, events};
use crate::extents::Extents;
use crate::figure::Figure;
use crate::memory::{self, Memory};
use crate::{
    ArrayNote, Boundary, ExplainError, Explanation, KernelNote, Kind, Operation, Reason, Role,
    TestedLoad, flops, traffic,
};
use cotangent_core::schedule::kept::Kept;
use cotangent_core::schedule::{
    ArrayDecl, ArrayId, Kernel, KernelKind, Layout, Schedule, SiteId, SymbolId,
};
use std::collections::{BTreeMap, BTreeSet};

/// What fusion notes while it makes a schedule.
#[derive(Clone, Copy, Debug)]
pub struct Notes<'a> {
    /// How often each rewrite was applied.
    pub fired: &'a BTreeMap<&'static str, usize>,
    /// Why arrays of the schedule are in memory.
    pub kept: &'a BTreeMap<ArrayId, Kept>,
    /// How many of the schedule's parameters are columns of each array that users pass, in order: they have
    /// the extents of that array. Parameters beyond are arrays of their own.
    pub columns: &'a [usize],
}

impl Notes<'_> {
    /// For each parameter of the schedule, its array and its column, where the array has several.
    pub(crate) fn places(&self, params: usize) -> Vec<(usize, Option<usize>)> {
        let single = std::iter::repeat(&1);
        let places = self.columns.iter().chain(single).enumerate();
        let places = places.flat_map(|(array, &count)| {
            (0..count).map(move |column| (array, (count > 1).then_some(column)))
        });
        places.take(params).collect()
    }
}

/// Explains a schedule, for inputs of any shapes or of the given ones: one for each array that users pass.
///
/// # Errors
/// Where the shapes do not fit the parameters.
pub fn explain(
    schedule: &Schedule,
    notes: Notes<'_>,
    shapes: Option<&[Vec<usize>]>,
) -> Result<Explanation, ExplainError> {
    let mut extents = Extents::new(schedule, notes, shapes)?;
    let events = events(&schedule.steps);
    events.iter().for_each(|event| extents.follow(event));
    let strips = events.iter().filter_map(|event| match event {
        Event::Strip(strip) => Some(strip),
        Event::Scalars(..) | Event::Kernel(..) => None,
        Event::Merge(..) | Event::Repeat(_) => None,
    });
    let chunks = strips.flat_map(|strip| strip.made_inside()).collect();
    let kernels = events.into_iter().filter_map(|event| match event {
        Event::Kernel(kernel, around) => Some((kernel, around)),
        Event::Scalars(..) | Event::Merge(..) => None,
        Event::Strip(_) | Event::Repeat(_) => None,
    });
    let builder = Builder {
        schedule,
        notes,
        memory: memory::plan(schedule, &extents),
        sources: sources(&schedule.steps),
        chunks,
        extents,
    };
    Ok(builder.explanation(&kernels.collect::<Vec<_>>()))
}

struct Builder<'a> {
    schedule: &'a Schedule,
    notes: Notes<'a>,
    extents: Extents<'a>,
    memory: Memory,
    /// The arrays that each array of a conditional is taken from.
    sources: BTreeMap<ArrayId, Vec<ArrayId>>,
    /// The arrays inside of strips.
    chunks: BTreeSet<ArrayId>,
}

impl Builder<'_> {
    fn explanation(&self, kernels: &[(&Kernel, Around)]) -> Explanation {
        let mut crossings = Crossings::new(self.schedule, self.notes.kept, &self.sources);
        for (position, (kernel, _)) in kernels.iter().enumerate() {
            crossings.kernel(position, kernel);
        }
        let params = self.schedule.params.iter();
        let inputs = params.chain(self.schedule.uses.iter().map(|(id, _)| id));
        let bytes = |sum: crate::amount::Amount, id: &ArrayId| sum.plus(&self.extents.bytes(*id));
        let inputs = inputs.fold(Default::default(), bytes);
        let temporaries = self
            .memory
            .temporaries
            .iter()
            .fold(Default::default(), bytes);
        let rewrites = self.notes.fired.iter();
        let notes = kernels
            .iter()
            .map(|(kernel, around)| self.kernel(kernel, around));
        Explanation {
            kernels: notes.collect(),
            arrays: self.arrays(),
            boundaries: crossings.found.iter().map(|c| self.boundary(c)).collect(),
            extents: self.extents.meanings(),
            inputs_bytes: self.extents.figure(&inputs),
            temporaries_bytes: self.extents.figure(&temporaries),
            peak_bytes: self.extents.figure(&inputs.plus(&self.memory.peak)),
            bytes_per_thread: match &self.memory.per_thread {
                Some(bytes) => self.extents.figure(bytes),
                None => Figure::DependsOnData,
            },
            assumes: self.extents.assumes.clone(),
            rewrites: rewrites.map(|(&name, &n)| (name.to_owned(), n)).collect(),
        }
    }

    fn kernel(&self, kernel: &Kernel, around: &Around) -> KernelNote {
        let Kernel {
            name,
            loc,
            fused,
            space,
            kind,
        } = kernel;
        let (index_space, sizes) = self.extents.space(space);
        let (inner_space, inner_sizes) = self.extents.space(kernel.inner());
        let trips = self.extents.product(&around.trips);
        let read = traffic::read(self.schedule, kernel, &self.extents).times(&trips);
        let written = traffic::written(self.schedule, kernel, &self.extents).times(&trips);
        let flops = flops::of_kernel(kernel, &self.extents).times(&trips);
        let operation = |site: &cotangent_core::backend::Site| Operation {
            name: site.construct.to_owned(),
            location: site.loc.to_string(),
        };
        let condition = |(symbol, holds): &(SymbolId, bool)| {
            let not = if *holds { "" } else { "not " };
            format!("{not}{}", self.extents.name(*symbol))
        };
        let loaded = traffic::loads(kernel).map(|load| load.array);
        let outputs = kernel.outputs().iter().map(|o| o.array);
        KernelNote {
            name: (*name).to_owned(),
            location: loc.to_string(),
            kind: form(kind),
            conditions: around.conditions.iter().map(condition).collect(),
            trips: around
                .trips
                .iter()
                .map(|&s| self.extents.formula(s))
                .collect(),
            chunked_over: around.strip.map(|over| self.extents.formula(over)),
            index_space,
            sizes,
            inner_space,
            inner_sizes,
            structure: structure(kind),
            flops: self.extents.figure(&flops),
            bytes: self.extents.figure(&read.plus(&written)),
            bytes_read: self.extents.figure(&read),
            bytes_written: self.extents.figure(&written),
            fused: fused.iter().map(operation).collect(),
            tested_loads: self.tested_loads(kernel),
            reads: self.owners(loaded),
            writes: self.owners(outputs),
            time: None,
        }
    }

    /// The names of the memory that arrays are in, each once.
    fn owners(&self, arrays: impl Iterator<Item = ArrayId>) -> Vec<String> {
        let owners: BTreeSet<_> = arrays.map(|a| self.schedule.owner(a)).collect();
        owners.into_iter().map(|a| self.name(a)).collect()
    }

    fn tested_loads(&self, kernel: &Kernel) -> Vec<TestedLoad> {
        let tested = traffic::loads(kernel).filter_map(|load| Some((load.array, load.site?)));
        let mut loads: Vec<_> = tested
            .map(|(array, site)| self.tested_load(array, site))
            .collect();
        loads.dedup();
        loads
    }

    fn tested_load(&self, array: ArrayId, site: SiteId) -> TestedLoad {
        let site = &self.schedule.sites[site.index()];
        TestedLoad {
            array: self.name(array),
            operation: site.construct.to_owned(),
            location: site.loc.to_string(),
        }
    }

    fn name(&self, array: ArrayId) -> String {
        self.extents.array_name(array)
    }

    fn arrays(&self) -> Vec<ArrayNote> {
        let ids = (0..self.schedule.arrays.len() as u32).map(ArrayId);
        ids.map(|id| self.array(id)).collect()
    }

    fn array(&self, id: ArrayId) -> ArrayNote {
        let ArrayDecl {
            elem,
            extents,
            layout,
            site: _,
        } = &self.schedule.arrays[id.index()];
        let (formulas, _) = self.extents.space(extents);
        ArrayNote {
            name: self.name(id),
            element: elem.to_string(),
            extents: formulas,
            bytes: self.extents.figure(&self.extents.bytes(id)),
            role: self.role(id),
            is_result: self.schedule.results.contains(&id),
            view_of: match layout {
                Layout::Own => None,
                Layout::View {
                    of,
                    offset: _,
                    stride: _,
                } => Some(self.name(*of)),
            },
            merged_from: self
                .sources
                .get(&id)
                .map_or(vec![], |from| self.owners(from.iter().copied())),
            kept: self.notes.kept.get(&id).copied().map(Reason),
        }
    }

    fn role(&self, id: ArrayId) -> Role {
        let is_input = self.schedule.params.contains(&id)
            || self.schedule.uses.iter().any(|(used, _)| *used == id);
        let results = &self.schedule.results;
        if is_input {
            Role::Input
        } else if self.schedule.owner(id) != id {
            Role::View
        } else if self.chunks.contains(&id) {
            Role::Chunk
        } else if self.memory.temporaries.contains(&id) {
            Role::Temporary
        } else if results.iter().any(|&r| self.schedule.owner(r) == id) {
            Role::Result
        } else {
            Role::Branch
        }
    }

    fn boundary(&self, crossing: &Crossing) -> Boundary {
        let Crossing {
            from,
            to,
            array,
            kept,
        } = crossing;
        Boundary {
            from: *from,
            to: *to,
            array: self.name(*array),
            bytes: self.extents.figure(&self.extents.bytes(*array)),
            reason: kept.map(Reason),
        }
    }
}

fn structure(kind: &KernelKind) -> Vec<String> {
    match kind {
        KernelKind::Contract { structure, .. } => structure.in_words(),
        KernelKind::Map { .. }
        | KernelKind::Reduce { .. }
        | KernelKind::Scan { .. }
        | KernelKind::Segments { .. }
        | KernelKind::Sort { .. }
        | KernelKind::Scatter { .. } => vec![],
    }
}

fn form(kind: &KernelKind) -> Kind {
    match kind {
        KernelKind::Map { .. } => Kind::Map,
        KernelKind::Reduce { .. } => Kind::Reduce,
        KernelKind::Segments { .. } => Kind::Segments,
        KernelKind::Contract { .. } => Kind::Contract,
        KernelKind::Scan { .. } => Kind::Scan,
        KernelKind::Sort { .. } => Kind::Sort,
        KernelKind::Scatter { .. } => Kind::Scatter,
    }
}
