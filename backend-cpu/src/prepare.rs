//! From a schedule to what runs: compiled kernels in flat lists of steps, and when memory is given back.
//!
//! The branches of conditionals are lists of their own that refer to each other by position, so that no
//! traversal recurses, however deep conditionals nest.

use crate::isa::Isa;
use crate::kernel::{KernelCode, OperatorCode, bug, int, is_large};
use crate::memory::Pool;
use cotangent_core::backend::{RunError, Site};
use cotangent_core::constant::Const;
use cotangent_core::host::HostArray;
use cotangent_core::schedule::{
    ArrayDecl, ArrayId, Body, Check, Kernel, Layout, Op, Schedule, SiteId, Step, Strip, SymbolId,
    ValueId,
};
use cotangent_core::types::ScalarType;
use std::collections::BTreeSet;
use std::sync::Arc;

/// With more lists than that, memory is given back at the end of lists only, which takes less time to
/// plan.
const PLANNED_LISTS: usize = 4096;

/// A schedule made ready to run, for any extents. It keeps the memory of its arrays, and of results that are
/// dropped, for the next run.
#[derive(Debug)]
pub struct Executable {
    pub(crate) symbols: Vec<ScalarType>,
    pub(crate) arrays: Vec<ArrayDecl>,
    pub(crate) sites: Vec<Site>,
    pub(crate) params: Vec<ArrayId>,
    pub(crate) uses: Vec<(ArrayId, HostArray)>,
    pub(crate) results: Vec<ArrayId>,
    /// The lists of steps; the first is the program.
    pub(crate) lists: Vec<List>,
    pub(crate) pool: Arc<Pool>,
}

/// A list of steps.
#[derive(Debug, Default)]
pub(crate) struct List {
    pub steps: Vec<StepCode>,
    /// The arrays with memory of their own that come into being in this list.
    pub locals: Vec<ArrayId>,
}

/// A step and the arrays that nobody uses after it.
#[derive(Debug)]
pub(crate) struct StepCode {
    pub kind: StepKind,
    pub release: Vec<ArrayId>,
}

/// What a step does; see [`Step`].
#[derive(Debug)]
pub(crate) enum StepKind {
    Scalars {
        body: Body,
        defines: Vec<(SymbolId, ValueId)>,
    },
    Check(Check, SiteId),
    Kernel(Box<KernelCode>),
    If {
        cond: SymbolId,
        then_: usize,
        else_: usize,
        symbols: Vec<(SymbolId, SymbolId, SymbolId)>,
        arrays: Vec<(ArrayId, ArrayId, ArrayId)>,
    },
    Strip(Box<StripCode>),
}

/// A strip made ready to run.
#[derive(Debug)]
pub(crate) struct StripCode {
    pub strip: Strip,
    pub kernels: Vec<KernelCode>,
    /// The operators of its totals.
    pub operators: Vec<OperatorCode>,
    chunked: BTreeSet<ArrayId>,
}

impl StripCode {
    fn new(isa: Isa, strip: &Strip, arrays: &[ArrayDecl]) -> Result<Self, RunError> {
        let kernels = strip.kernels.iter();
        let kernels = kernels.map(|kernel| KernelCode::new(isa, kernel, arrays));
        let operators = strip.totals.iter().map(|total| {
            let code = OperatorCode::new(isa, &total.operator);
            code.ok_or_else(|| bug("an operator applies a primitive to wrong types"))
        });
        let made = strip.made_inside();
        let chunked = made.filter(|a| arrays[a.index()].extents.contains(&strip.len));
        Ok(Self {
            strip: strip.clone(),
            chunked: chunked.collect(),
            kernels: kernels.collect::<Result<_, _>>()?,
            operators: operators.collect::<Result<_, _>>()?,
        })
    }

    /// Whether an array inside has the extent of a chunk.
    pub fn is_chunked(&self, array: ArrayId) -> bool {
        self.chunked.contains(&array)
    }

    /// Whether it has enough to do for several threads.
    pub fn wants_threads(&self, symbols: &[Const]) -> bool {
        // Kernels inside count one position of the strip: their chunks' length is 0 or an old one.
        let over = int(symbols, self.strip.over).max(0) as usize;
        let mut whole = symbols.to_vec();
        whole[self.strip.len.index()] = Const::I32(1);
        let sizes = self.kernels.iter().map(|kernel| kernel.size(&whole));
        let size = sizes.fold(0, usize::saturating_add);
        is_large(size.saturating_mul(over))
    }
}

impl Executable {
    /// Compiles a schedule.
    pub(crate) fn new(isa: Isa, schedule: &Schedule) -> Result<Self, RunError> {
        let Schedule {
            symbols,
            arrays,
            sites,
            params,
            uses,
            steps,
            results,
        } = schedule;
        let mut lists = vec![];
        let mut sources: Vec<&[Step]> = vec![steps];
        while let Some(&source) = sources.get(lists.len()) {
            let steps: Result<Vec<_>, _> = source
                .iter()
                .map(|step| step_code(isa, step, arrays, &mut sources))
                .collect();
            lists.push(List {
                steps: steps?,
                locals: vec![],
            });
        }
        let mut executable = Self {
            symbols: symbols.clone(),
            arrays: arrays.clone(),
            sites: sites.clone(),
            params: params.clone(),
            uses: uses.clone(),
            results: results.clone(),
            lists,
            pool: Arc::default(),
        };
        executable.plan_memory();
        Ok(executable)
    }

    /// The array whose memory holds the elements of `array`.
    pub(crate) fn owner(&self, array: ArrayId) -> ArrayId {
        match self.arrays[array.index()].layout {
            Layout::Own => array,
            Layout::View {
                of,
                offset: _,
                stride: _,
            } => of,
        }
    }

    /// Finds where each array is used last. Lists are visited after all that they refer to.
    fn plan_memory(&mut self) {
        let early = self.lists.len() <= PLANNED_LISTS;
        let merged = self.merged();
        let mut used_in: Vec<BTreeSet<ArrayId>> = vec![BTreeSet::new(); self.lists.len()];
        for list in (0..self.lists.len()).rev() {
            let mut locals = BTreeSet::new();
            for step in &self.lists[list].steps {
                locals.extend(self.made_by(step));
            }
            let mut later: BTreeSet<ArrayId> = merged[list].iter().copied().collect();
            if list == 0 {
                later.extend(self.results.iter().map(|&a| self.owner(a)));
            }
            for step in (0..self.lists[list].steps.len()).rev().filter(|_| early) {
                let used = self.used_by(&self.lists[list].steps[step], &used_in);
                let last = used
                    .iter()
                    .filter(|a| !later.contains(a) && locals.contains(a));
                self.lists[list].steps[step].release = last.copied().collect();
                later.extend(used);
            }
            used_in[list] = later;
            self.lists[list].locals = locals.into_iter().collect();
        }
    }

    /// For each list, the arrays that the conditional around it takes over from it.
    fn merged(&self) -> Vec<Vec<ArrayId>> {
        let mut merged = vec![vec![]; self.lists.len()];
        for step in self.lists.iter().flat_map(|list| &list.steps) {
            if let StepKind::If {
                cond: _,
                then_,
                else_,
                symbols: _,
                arrays,
            } = &step.kind
            {
                merged[*then_].extend(arrays.iter().map(|&(_, from, _)| from));
                merged[*else_].extend(arrays.iter().map(|&(_, _, from)| from));
            }
        }
        merged
    }

    /// The arrays with memory of their own that a step may bring into being.
    fn made_by(&self, step: &StepCode) -> Vec<ArrayId> {
        match &step.kind {
            StepKind::Scalars { .. } | StepKind::Check(..) => vec![],
            StepKind::Kernel(code) if code.is_scatter() => vec![],
            StepKind::Kernel(code) => {
                let outputs = code.kernel.outputs().iter();
                outputs.map(|o| self.owner(o.array)).collect()
            }
            StepKind::If { arrays, .. } => arrays.iter().map(|&(made, _, _)| made).collect(),
            StepKind::Strip(code) => code.strip.wholes().map(|array| self.owner(array)).collect(),
        }
    }

    fn used_by(&self, step: &StepCode, used_in: &[BTreeSet<ArrayId>]) -> BTreeSet<ArrayId> {
        match &step.kind {
            StepKind::Check(..) => BTreeSet::new(),
            StepKind::Scalars { body, defines: _ } => self.loaded(body).collect(),
            StepKind::Kernel(code) => {
                let outputs = code.kernel.outputs().iter().map(|o| self.owner(o.array));
                self.loaded(code.kernel.body()).chain(outputs).collect()
            }
            StepKind::If {
                cond: _,
                then_,
                else_,
                symbols: _,
                arrays,
            } => {
                let made = arrays.iter().map(|&(made, _, _)| made);
                let inside = used_in[*then_].union(&used_in[*else_]).copied();
                made.chain(inside).collect()
            }
            StepKind::Strip(code) => {
                let bodies = code.strip.kernels.iter().map(Kernel::body);
                let inside: BTreeSet<_> = code.strip.made_inside().collect();
                let loaded = bodies.flat_map(|body| self.loaded(body));
                let wholes = code.strip.wholes().map(|array| self.owner(array));
                loaded
                    .filter(|a| !inside.contains(a))
                    .chain(wholes)
                    .collect()
            }
        }
    }

    fn loaded<'a>(&'a self, body: &'a Body) -> impl Iterator<Item = ArrayId> + 'a {
        body.insts.iter().filter_map(|inst| match &inst.op {
            Op::Load(load) => Some(self.owner(load.array)),
            Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) | Op::Prim(..) => None,
        })
    }
}

/// Compiles a step; its branches are added to `sources`.
fn step_code<'a>(
    isa: Isa,
    step: &'a Step,
    arrays: &[ArrayDecl],
    sources: &mut Vec<&'a [Step]>,
) -> Result<StepCode, RunError> {
    let kind = match step {
        Step::Scalars { body, defines } => StepKind::Scalars {
            body: body.clone(),
            defines: defines.clone(),
        },
        Step::Check(check, site) => StepKind::Check(check.clone(), *site),
        Step::Kernel(kernel) => StepKind::Kernel(Box::new(KernelCode::new(isa, kernel, arrays)?)),
        Step::Strip(strip) => StepKind::Strip(Box::new(StripCode::new(isa, strip, arrays)?)),
        Step::If {
            cond,
            then_,
            else_,
            symbols,
            arrays,
        } => {
            sources.push(then_);
            sources.push(else_);
            StepKind::If {
                cond: *cond,
                then_: sources.len() - 2,
                else_: sources.len() - 1,
                symbols: symbols.clone(),
                arrays: arrays.clone(),
            }
        }
    };
    Ok(StepCode {
        kind,
        release: vec![],
    })
}
