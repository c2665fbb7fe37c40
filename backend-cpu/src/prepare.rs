//! From a schedule to what runs: compiled kernels in flat lists of steps, and when memory is given back.
//!
//! The branches of conditionals are lists of their own that refer to each other by position, so that no
//! traversal recurses, however deep conditionals nest.

use crate::isa::Isa;
use crate::kernel::{KernelCode, OperatorParts, bug, int};
use crate::memory::Pool;
use crate::passes::is_large;
use cotangent_core::backend::{RunError, Site};
use cotangent_core::constant::Const;
use cotangent_core::host::HostArray;
use cotangent_core::schedule::{
    ArrayDecl, ArrayId, Body, Check, Kernel, Part, Schedule, SiteId, Step, Strip, SymbolId, ValueId,
};
use cotangent_core::types::ScalarType;
use std::sync::Arc;

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
    /// Whether operators are tried that are not known to be associative.
    pub(crate) tries_operators: bool,
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
    pub operators: Vec<OperatorParts>,
    /// For each kernel, the total that it contributes to.
    pub contributes: Vec<Option<usize>>,
    /// The arrays that hold a chunk in memory of their own.
    pub chunked: Vec<ArrayId>,
}

impl StripCode {
    fn new(isa: Isa, strip: &Strip, arrays: &[ArrayDecl]) -> Result<Self, RunError> {
        let kernels = strip.kernels.iter();
        let kernels = kernels.map(|kernel| KernelCode::new(isa, kernel, arrays));
        let operators = strip.totals.iter().map(|total| {
            let code = OperatorParts::new(isa, &total.operator);
            code.ok_or_else(|| bug("an operator applies a primitive to wrong types"))
        });
        let is_chunk = |a: &ArrayId| {
            let is_part = strip.parts.iter().any(|part| part.part == *a);
            !is_part && arrays[a.index()].extents.contains(&strip.len)
        };
        Ok(Self {
            strip: strip.clone(),
            contributes: strip
                .kernels
                .iter()
                .map(|k| contributes(strip, k))
                .collect(),
            chunked: strip.made_inside().filter(is_chunk).collect(),
            kernels: kernels.collect::<Result<_, _>>()?,
            operators: operators.collect::<Result<_, _>>()?,
        })
    }

    /// Whether it has enough to do for several threads.
    pub fn wants_threads(&self, symbols: &[Const]) -> bool {
        // The length of a chunk is not known outside: kernels are counted for one position of the strip.
        let over = int(symbols, self.strip.over).max(0) as usize;
        let mut whole = symbols.to_vec();
        whole[self.strip.len.index()] = Const::I32(1);
        let sizes = self.kernels.iter().map(|kernel| kernel.size(&whole));
        let size = sizes.fold(0, usize::saturating_add);
        is_large(size.saturating_mul(over))
    }
}

/// The total that a kernel inside contributes to.
fn contributes(strip: &Strip, kernel: &Kernel) -> Option<usize> {
    let makes = |part: &Part| kernel.outputs().iter().any(|o| o.array == part.part);
    let mut totals = strip.totals.iter();
    totals.position(|total| total.arrays.iter().any(makes))
}

impl Executable {
    /// Compiles a schedule; says whether operators are to be tried.
    pub(crate) fn new(
        isa: Isa,
        schedule: &Schedule,
        tries_operators: bool,
    ) -> Result<Self, RunError> {
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
            tries_operators,
        };
        executable.plan_memory(schedule);
        Ok(executable)
    }

    /// The array whose memory holds the elements of `array`.
    pub(crate) fn owner(&self, array: ArrayId) -> ArrayId {
        self.arrays[array.index()].layout.owner(array)
    }

    /// Whether results are in the memory of an array.
    pub(crate) fn holds_results(&self, array: ArrayId) -> bool {
        self.results
            .iter()
            .any(|&result| self.owner(result) == array)
    }

    /// Takes over where each array is used last. Lists have the same numbers there.
    fn plan_memory(&mut self, schedule: &Schedule) {
        let planned = schedule.lifetimes().lists;
        for (list, planned) in self.lists.iter_mut().zip(planned) {
            list.locals = planned.locals;
            for (step, placed) in list.steps.iter_mut().zip(planned.steps) {
                step.release = placed.release;
            }
        }
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
