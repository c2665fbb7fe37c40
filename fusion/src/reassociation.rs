//! Sums of sums: what an outer sum reads of an inner one is added up in the better order.
//!
//! Where a kernel adds up `f·A` over some coordinates and `A` is itself a sum of products that nobody else
//! reads, the whole is one sum of products over both sets of coordinates. The factors that do not depend on
//! the outer sum's coordinates are taken out of it: Σₙ Σᵢ Qᵢⱼ·yₙᵢ becomes Σᵢ Qᵢⱼ·(Σₙ yₙᵢ), two sums over fewer
//! coordinates each. It is done where the inner sum of the two runs over fewer coordinates than before;
//! extents below 2 aside, that is less work. Sums are rounded differently then; nothing else changes. It is not done in
//! `f16`, where sums in another order would overflow that did not before.

mod build;

use crate::contract::{Factor, factors_of};
use crate::readers::Readers;
use crate::visit::{Touched, constants};
use build::Rewrite;
use cotangent_core::constant::Const;
use cotangent_core::integer_const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{
    ArrayId, Body, Kernel, KernelKind, Load, Output, Schedule, Semiring, Step, SymbolId, ValueId,
};
use cotangent_core::types::ScalarType;
use std::collections::{HashMap, HashSet};

/// A kernel that adds up products, with zero as initial value.
struct Sum<'a> {
    kernel: &'a Kernel,
    body: &'a Body,
    inner: &'a [SymbolId],
    init: SymbolId,
    output: Output,
}

impl<'a> Sum<'a> {
    /// The kernel as a sum of floats; none where it is something else.
    fn of(kernel: &'a Kernel, zeros: &HashSet<SymbolId>) -> Option<Self> {
        let (inner, body, init, output) = match &kernel.kind {
            KernelKind::Reduce {
                inner,
                body,
                operator,
                init,
                outputs,
            } => {
                let (Some(&[init]), &[output]) = (init.as_deref(), outputs.as_slice()) else {
                    return None;
                };
                let is_sum = operator.as_prim() == Some(Prim::Add);
                is_sum.then_some((inner, body, init, output))?
            }
            KernelKind::Contract {
                semiring: Semiring::PlusTimes,
                inner,
                body,
                roles: _,
                left: _,
                right: _,
                init,
                structure: _,
                output,
            } => (inner, body, (*init)?, *output),
            KernelKind::Contract { .. }
            | KernelKind::Map { .. }
            | KernelKind::Scan { .. }
            | KernelKind::Segments { .. }
            | KernelKind::Sort { .. }
            | KernelKind::Scatter { .. } => return None,
        };
        let is_sum = matches!(
            body.type_of(output.value),
            ScalarType::F32 | ScalarType::F64
        ) && zeros.contains(&init);
        is_sum.then_some(Self {
            kernel,
            body,
            inner,
            init,
            output,
        })
    }

    /// The number of all coordinates.
    fn rank(&self) -> usize {
        self.kernel.space.len() + self.inner.len()
    }
}

/// Reorders sums of sums in all lists of steps. Gives their number.
pub(crate) fn reorder(schedule: &mut Schedule) -> usize {
    let zeros = zeros(schedule);
    let mut steps = std::mem::take(&mut schedule.steps);
    let readers = Readers::of(schedule, &steps);
    let count = in_list(schedule, &zeros, &readers, &mut steps);
    schedule.steps = steps;
    count
}

fn in_list(
    schedule: &mut Schedule,
    zeros: &HashSet<SymbolId>,
    readers: &Readers,
    steps: &mut Vec<Step>,
) -> usize {
    let mut makers: HashMap<ArrayId, usize> = HashMap::new();
    let mut done: Vec<Step> = Vec::with_capacity(steps.len());
    let mut gone: HashSet<usize> = HashSet::new();
    let mut count = 0;
    for mut step in std::mem::take(steps) {
        for list in step.lists_mut() {
            count += in_list(schedule, zeros, readers, list);
        }
        let kernel = step.as_kernel();
        let found = kernel.and_then(|k| rewrite(schedule, zeros, readers, (k, &makers, &done)));
        match found {
            Some((maker, kernels)) => {
                gone.insert(maker);
                done.extend(kernels.map(Step::Kernel));
                count += 1;
            }
            None => {
                if let Some(kernel) = step.as_kernel() {
                    let outputs = kernel.outputs().iter();
                    makers.extend(outputs.map(|output| (output.array, done.len())));
                }
                done.push(step);
            }
        }
    }
    let kept = done.into_iter().enumerate();
    steps.extend(
        kept.filter(|(i, _)| !gone.contains(i))
            .map(|(_, step)| step),
    );
    count
}

/// The symbols that are zero.
pub(crate) fn zeros(schedule: &Schedule) -> HashSet<SymbolId> {
    let is_zero = |constant: &Const| match *constant {
        Const::F64(x) => x == 0.0,
        Const::F32(x) => x == 0.0,
        Const::Bool(_) | integer_const!() | Const::F16(_) => false,
    };
    let all = constants(&schedule.steps);
    let zeros = all.filter(|(_, constant)| is_zero(constant));
    zeros.map(|(symbol, _)| symbol).collect()
}

/// The two kernels that do the work of `kernel` and of the one that makes what it reads, whose position comes
/// first.
fn rewrite(
    schedule: &mut Schedule,
    zeros: &HashSet<SymbolId>,
    readers: &Readers,
    (kernel, makers, done): (&Kernel, &HashMap<ArrayId, usize>, &[Step]),
) -> Option<(usize, [Kernel; 2])> {
    let outer = Sum::of(kernel, zeros)?;
    let factors = factors_of(outer.body, outer.output.value).factors;
    let mut inner_sums = factors.iter().filter(|f| !f.divides).filter_map(|factor| {
        let load = plain_load(outer.body, factor)?;
        if !is_apart(outer.body, &factors, factor.value) {
            return None;
        }
        let maker = *makers.get(&load.array)?;
        let alone = readers.is_read_once(load.array);
        alone.then_some((factor.value, load, maker))
    });
    let (value, load, maker) = inner_sums.next()?;
    let made_by = done[maker].as_kernel()?;
    let inner = Sum::of(made_by, zeros)?;
    if done[maker + 1..]
        .iter()
        .any(|step| changes(schedule, step, made_by))
    {
        return None;
    }
    let rewrite = Rewrite::new(&outer, &inner, (value, load))?;
    Some((maker, rewrite.kernels(schedule)))
}

/// Whether a step writes to memory that the kernel reads.
fn changes(schedule: &Schedule, step: &Step, kernel: &Kernel) -> bool {
    let owner = |array: ArrayId| schedule.owner(array);
    let touched = Touched::by(schedule, step);
    let written: HashSet<_> = touched.writes.into_iter().map(owner).collect();
    kernel
        .body()
        .reads()
        .any(|array| written.contains(&owner(array)))
}

/// Whether a value is one of the factors, once, and no other factor needs it.
fn is_apart(body: &Body, factors: &[Factor], value: ValueId) -> bool {
    let others: Vec<_> = factors
        .iter()
        .map(|f| f.value)
        .filter(|&v| v != value)
        .collect();
    let once = others.len() + 1 == factors.len();
    once && !body.reachable(&others)[value.index()]
}

/// The load that a factor is, if it reads at coordinates, each at one place, whatever the point.
fn plain_load<'a>(body: &'a Body, factor: &Factor) -> Option<&'a Load> {
    let load = body.op(factor.value).as_load()?;
    let mut coords = HashSet::new();
    let mut index = load.index.iter().map(|&v| body.op(v).as_coord());
    let plain = index.all(|axis| axis.is_some_and(|axis| coords.insert(axis)));
    (plain && load.guard.is_none() && load.site.is_none()).then_some(load)
}

/// The type of coordinates.
const INDEX: ScalarType = ScalarType::I32;
