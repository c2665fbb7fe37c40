//! Which loops of steps one workgroup can run, and what of them the host finds out before the first trip.
//!
//! Their lists are of kernels whose points an invocation does one by one, of scalar code, and of checks. No extent changes
//! from trip to trip. Scalar code that extents and checks come from depends on nothing that changes either, so it says the
//! same in every trip: the host runs it *ahead*. All other scalar code is the shader's, and what it defines are variables
//! there.

use cotangent_core::constant::Const;
use cotangent_core::schedule::{
    ArrayId, Body, Check, Kernel, KernelKind, Known, Layout, Output, Repeat, Schedule, Step, Strip,
    SymbolId, ValueId,
};
use cotangent_core::term::Combine;
use cotangent_core::types::ScalarType;
use std::collections::BTreeSet;

/// A loop that one workgroup can run.
pub(super) struct Form<'a> {
    pub repeat: &'a Repeat,
    /// The symbols that the shader computes in each trip.
    pub variables: BTreeSet<SymbolId>,
    /// The scalar code and the checks that the host does ahead, in their order.
    pub ahead: Vec<&'a Step>,
    /// The arrays with memory of their own that come into being inside.
    pub made: Vec<ArrayId>,
}

impl<'a> Form<'a> {
    /// The form of a loop, given the arrays that are its own.
    pub fn of(schedule: &Schedule, repeat: &'a Repeat, own: &BTreeSet<ArrayId>) -> Option<Self> {
        let steps = || steps(repeat);
        let is_of_the_program = repeat.site.is_some();
        let mut kernels = steps().flat_map(Step::kernels);
        let has_kernels = kernels.clone().next().is_some();
        let is_apart = kernels.all(|kernel| reads_apart(schedule, kernel));
        if !is_of_the_program || !has_kernels || !is_apart || !steps().all(is_simple) {
            return None;
        }
        let fixed = fixed(schedule, repeat);
        let is_ahead = ahead(schedule, repeat, &fixed);
        let variables = variables(repeat, &is_ahead);
        let written = written(schedule, repeat);
        // Only that there will be a value matters.
        let known = |s: SymbolId| {
            let value = Const::zero(schedule.symbols[s.index()]);
            (!variables.contains(&s)).then_some(value)
        };
        let are_bounded = steps().all(|step| has_bounded_loops(step, &known));
        let own: BTreeSet<_> = own.iter().copied().chain(in_strips(repeat)).collect();
        if !are_bounded || !variables.is_disjoint(&fixed) || !written.is_subset(&own) {
            return None;
        }
        let inside: BTreeSet<_> = repeat.arrays.iter().map(|c| c.inside).collect();
        let ahead = steps().zip(&is_ahead).filter(|&(step, &is_ahead)| {
            let of_a_trip = |symbol| variables.contains(&symbol);
            is_ahead && !checked(step).iter().copied().any(of_a_trip)
        });
        let ahead = ahead.map(|(step, _)| step).collect();
        Some(Self {
            repeat,
            variables,
            ahead,
            made: written.difference(&inside).copied().collect(),
        })
    }
}

/// The steps of the test and of the body.
pub(super) fn steps(repeat: &Repeat) -> impl DoubleEndedIterator<Item = &Step> + Clone {
    let test = repeat.test.iter().flat_map(|(steps, _)| steps);
    test.chain(&repeat.body)
}

/// Whether one invocation can do a step, or one each of its points.
fn is_simple(step: &Step) -> bool {
    match step {
        Step::Scalars { body, .. } => body.iter().all(|(_, inst)| inst.op.as_loop().is_none()),
        Step::Check(..) => true,
        Step::Kernel(_) | Step::Strip(_) => step.kernels().iter().all(is_simple_kernel),
        Step::If { .. } | Step::Repeat(_) => false,
    }
}

/// Scatters are done one point after the other. Sums of `f16` would be rounded each time.
fn is_simple_kernel(kernel: &Kernel) -> bool {
    match &kernel.kind {
        KernelKind::Map { .. }
        | KernelKind::Reduce { .. }
        | KernelKind::Contract { .. }
        | KernelKind::Scan { .. } => true,
        KernelKind::Segments { .. } | KernelKind::Sort { .. } => false,
        KernelKind::Scatter {
            body,
            combine,
            outputs,
            ..
        } => {
            let is_narrow = |output: &Output| body.type_of(output.value) == ScalarType::F16;
            *combine == Combine::Overwrite || !outputs.iter().any(is_narrow)
        }
    }
}

/// Whether a kernel is no scatter that reads what it writes to: its updates are those of what was there before.
fn reads_apart(schedule: &Schedule, kernel: &Kernel) -> bool {
    let owner = |array: ArrayId| schedule.owner(array);
    let written: Vec<_> = kernel.outputs().iter().map(|o| owner(o.array)).collect();
    let mut reads = kernel.body().reads();
    !kernel.writes_in_place() || !reads.any(|array| written.contains(&owner(array)))
}

/// Whether it is known before the first trip how many trips the loops of scalar code make at the most.
fn has_bounded_loops(step: &Step, known: Known) -> bool {
    let operators = step.kernels().iter().filter_map(Kernel::operator);
    let mut code = step.code().chain(operators);
    code.all(|body| body.most_trips_where(known).is_some())
}

/// The owners of what kernels write.
fn written(schedule: &Schedule, repeat: &Repeat) -> BTreeSet<ArrayId> {
    let written = steps(repeat).flat_map(Step::writes);
    let written = written.chain(in_strips(repeat));
    written.map(|array| schedule.owner(array)).collect()
}

/// The arrays that are visible in a strip only.
fn in_strips(repeat: &Repeat) -> impl Iterator<Item = ArrayId> {
    let strips = steps(repeat).filter_map(Step::as_strip);
    strips.flat_map(Strip::made_inside)
}

/// What a check is about.
fn checked(step: &Step) -> Vec<SymbolId> {
    match step {
        Step::Check(check, _) => check.symbols().collect(),
        Step::Scalars { .. } | Step::Kernel(_) | Step::If { .. } => vec![],
        Step::Strip(_) | Step::Repeat(_) => vec![],
    }
}

/// What a check is about that has to be the same in every trip: shaders verify that an index is in range.
fn checked_ahead(step: &Step) -> Vec<SymbolId> {
    match step {
        Step::Check(Check::InRange { index: _, extent }, _) => vec![*extent],
        Step::Check(..) | Step::Scalars { .. } | Step::Kernel(_) => checked(step),
        Step::If { .. } | Step::Strip(_) | Step::Repeat(_) => checked(step),
    }
}

/// The symbols that have to be the same in every trip: extents, and what is checked.
fn fixed(schedule: &Schedule, repeat: &Repeat) -> BTreeSet<SymbolId> {
    let carried = repeat.symbols.iter().flat_map(|c| [c.inside, c.next]);
    let spaces = steps(repeat).flat_map(Step::kernels);
    let spaces = spaces.flat_map(|kernel| kernel.space.iter().chain(kernel.inner()));
    let strips = steps(repeat).filter_map(Step::as_strip);
    let strips = strips.flat_map(|strip| [strip.over, strip.start, strip.len]);
    let checked = steps(repeat).flat_map(checked_ahead);
    let arrays = arrays(repeat).into_iter();
    let extents = arrays.flat_map(|array| {
        let owner = schedule.owner(array);
        [array, owner].map(|array| &schedule.arrays[array.index()].extents)
    });
    let extents = extents.flatten().copied();
    let all = carried.chain(spaces.copied()).chain(checked);
    all.chain(strips).chain(extents).collect()
}

/// All arrays that are named inside.
fn arrays(repeat: &Repeat) -> Vec<ArrayId> {
    let named = steps(repeat).flat_map(|step| [step.reads(), step.writes()]);
    let carried = repeat.arrays.iter().flat_map(|c| [c.inside, c.next]);
    let named = named.flatten().chain(in_strips(repeat));
    named.chain(carried).collect()
}

/// For each step, whether the host does it ahead: checks, the chunks of strips, and scalar code without elements that fixed
/// symbols or places of views come from.
fn ahead(schedule: &Schedule, repeat: &Repeat, fixed: &BTreeSet<SymbolId>) -> Vec<bool> {
    let offsets = arrays(repeat).into_iter().filter_map(|array| {
        match schedule.arrays[array.index()].layout {
            Layout::Own => None,
            Layout::View { offset, .. } => offset.symbol,
        }
    });
    let mut wanted: BTreeSet<_> = offsets.chain(fixed.iter().copied()).collect();
    let mut is_ahead: Vec<_> = steps(repeat)
        .rev()
        .map(|step| match step {
            Step::Scalars { body, defines } => {
                let mut defined = defines.iter().map(|(symbol, _)| symbol);
                let is_ahead = defined.any(|s| wanted.contains(s)) && body.loads().count() == 0;
                let from = body.symbols().filter(|_| is_ahead);
                wanted.extend(from);
                is_ahead
            }
            Step::Check(..) | Step::Strip(_) => true,
            Step::Kernel(_) | Step::If { .. } | Step::Repeat(_) => false,
        })
        .collect();
    is_ahead.reverse();
    is_ahead
}

/// The symbols that the host does not know ahead.
fn variables(repeat: &Repeat, is_ahead: &[bool]) -> BTreeSet<SymbolId> {
    let mut variables = BTreeSet::from([repeat.number]);
    for (step, &is_ahead) in steps(repeat).zip(is_ahead) {
        let Some((body, defines)) = step.as_scalars() else {
            continue;
        };
        let changes = changing(body, &variables);
        let changes = |v: ValueId| changes[v.index()] || !is_ahead;
        let changing = defines.iter().filter(|&&(_, v)| changes(v));
        variables.extend(changing.map(|&(symbol, _)| symbol));
    }
    variables
}

/// For each value, whether it depends on a variable or on elements.
fn changing(body: &Body, variables: &BTreeSet<SymbolId>) -> Vec<bool> {
    let mut all: Vec<bool> = Vec::with_capacity(body.len());
    for (_, inst) in body.iter() {
        let symbol = inst.op.as_symbol();
        let own = symbol.is_some_and(|s| variables.contains(&s)) || !inst.op.reads().is_empty();
        let changes = own || inst.op.operands().iter().any(|v| all[v.index()]);
        all.push(changes);
    }
    all
}
