//! From a schedule to what runs: compiled kernels in the plan of a run.

use crate::isa::Target;
use crate::kernel::{KernelCode, OperatorParts, bug, int};
use crate::memory::Pool;
use crate::passes::is_large;
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::schedule::drive::Plan;
use cotangent_core::schedule::{ArrayDecl, ArrayId, Kernel, Part, Schedule, Strip};
use std::collections::HashMap;
use std::sync::Arc;

/// A schedule made ready to run, for any extents. It keeps the memory of its arrays, and of results that are
/// dropped, for the next run.
#[derive(Debug)]
pub struct Executable {
    pub(crate) plan: Plan<(), Box<KernelCode>, Box<StripCode>>,
    /// The number of kernels.
    pub(crate) kernels: usize,
    pub(crate) pool: Arc<Pool>,
    /// Whether operators are tried that are not known to be associative.
    pub(crate) tries_operators: bool,
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
    fn new(
        target: Target,
        strip: &Strip,
        arrays: &[ArrayDecl],
        kernel: impl Fn(&Kernel) -> Result<KernelCode, RunError>,
    ) -> Result<Self, RunError> {
        let kernels = strip.kernels.iter().map(kernel);
        let operators = strip.totals.iter().map(|total| {
            let code = OperatorParts::new(target, &total.operator);
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
        target: Target,
        schedule: &Schedule,
        tries_operators: bool,
    ) -> Result<Self, RunError> {
        let (arrays, unread) = (&schedule.arrays, schedule.unread());
        let numbers: HashMap<*const Kernel, usize> = (schedule.kernels().into_iter())
            .map(std::ptr::from_ref)
            .zip(0..)
            .collect();
        let code = |kernel: &Kernel| {
            let number = numbers.get(&std::ptr::from_ref(kernel)).copied();
            let number = number.ok_or_else(|| bug("a kernel is not one of its schedule"))?;
            KernelCode::new(target, (number, kernel), (arrays, &unread))
        };
        let kernel = |kernel: &Kernel| code(kernel).map(Box::new);
        let strip = |strip: &Strip| StripCode::new(target, strip, arrays, code).map(Box::new);
        Ok(Self {
            plan: Plan::new(schedule, |_, _| (), kernel, strip)?,
            kernels: numbers.len(),
            pool: Arc::default(),
            tries_operators,
        })
    }

    /// Whether results are in the memory of an array.
    pub(crate) fn holds_results(&self, array: ArrayId) -> bool {
        let schedule = &self.plan.schedule;
        let mut results = schedule.results.iter();
        results.any(|&result| schedule.owner(result) == array)
    }
}
