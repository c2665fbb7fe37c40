//! Two reductions of one index space as one.

use crate::cost::{self, MAX_COMBINED, MAX_SHARED_INSTS};
use cotangent_core::schedule::{
    Body, Inst, Kernel, KernelKind, Load, Op, Operator, Output, SymbolId, ValueId,
};
use std::collections::HashMap;

/// A kernel that reduces.
struct Reduction<'a> {
    inner: &'a [SymbolId],
    body: &'a Body,
    operator: &'a Operator,
    init: Option<&'a [SymbolId]>,
    outputs: &'a [Output],
}

impl<'a> Reduction<'a> {
    fn of(kernel: &'a Kernel) -> Option<Self> {
        match &kernel.kind {
            KernelKind::Reduce {
                inner,
                body,
                operator,
                init,
                outputs,
            } => Some(Self {
                inner,
                body,
                operator,
                init: init.as_deref(),
                outputs,
            }),
            KernelKind::Map { .. }
            | KernelKind::Contract { .. }
            | KernelKind::Scan { .. }
            | KernelKind::Segments { .. }
            | KernelKind::Sort { .. }
            | KernelKind::Scatter { .. } => None,
        }
    }
}

/// The kernel that does the work of two reductions of one shape; none where they are better apart.
pub(super) fn merged(first: &Kernel, second: &Kernel) -> Option<Kernel> {
    let (one, other) = (Reduction::of(first)?, Reduction::of(second)?);
    let small = one.outputs.len() + other.outputs.len() <= MAX_COMBINED
        && one.body.len() + other.body.len() <= MAX_SHARED_INSTS;
    if !small || cost::has_loops(one.operator) != cost::has_loops(other.operator) {
        return None;
    }
    let mut code = Numbered::new(one.body.clone());
    let Appended { values, loads } = code.append(other.body);
    if !loads
        .iter()
        .any(|&load| varies(&code.body, load, first.space.len()))
    {
        return None;
    }
    let outputs = both(one.outputs, other.outputs, &values);
    let init = one.init.zip(other.init);
    let kind = KernelKind::Reduce {
        inner: one.inner.to_vec(),
        body: code.body,
        operator: Operator::product(one.operator, other.operator),
        init: init.map(|(one, other)| [one, other].concat()),
        outputs,
    };
    Some(together(first, second, kind))
}

/// What does the work of two kernels of one space.
pub(super) fn together(first: &Kernel, second: &Kernel, kind: KernelKind) -> Kernel {
    let others = second
        .fused
        .iter()
        .filter(|site| !first.fused.contains(site));
    Kernel {
        name: first.name,
        loc: first.loc,
        fused: first.fused.iter().chain(others).copied().collect(),
        space: first.space.clone(),
        kind,
    }
}

/// The outputs of both kernels, the values of the second one by their new numbers.
pub(super) fn both(first: &[Output], second: &[Output], values: &[ValueId]) -> Vec<Output> {
    let moved = second.iter().map(|output| Output {
        value: values[output.value.index()],
        array: output.array,
    });
    first.iter().copied().chain(moved).collect()
}

/// Whether a value depends on coordinates from `rank` on.
fn varies(body: &Body, value: ValueId, rank: usize) -> bool {
    let depends = body.dependencies()[value.index()];
    depends
        .checked_shr(rank as u32)
        .is_some_and(|inner| inner != 0)
}

/// Code in which no two instructions do the same.
pub(super) struct Numbered {
    pub body: Body,
    numbers: HashMap<Op, ValueId>,
}

/// What became of code that was appended.
pub(super) struct Appended {
    /// The values, by their old numbers.
    pub values: Vec<ValueId>,
    /// The loads that were there already.
    loads: Vec<ValueId>,
}

impl Numbered {
    pub fn new(body: Body) -> Self {
        let numbers = body.iter().map(|(v, inst)| (key(&inst.op), v));
        Self {
            numbers: numbers.collect(),
            body,
        }
    }

    pub fn append(&mut self, other: &Body) -> Appended {
        let (numbers, mut loads) = (&mut self.numbers, vec![]);
        let values = self.body.append(other, |body, (_, Inst { op, ty }), new| {
            let op = op.renamed(&|v| new[v.index()]);
            let known = *numbers
                .entry(key(&op))
                .and_modify(|&mut known| loads.extend(op.as_load().map(|_| known)))
                .or_insert_with(|| body.push(op.clone(), *ty));
            Some(known)
        });
        Appended { values, loads }
    }
}

/// The operation; loads without the place that reports an index out of range. Of two loads at one index the
/// first tests it, or it is proved to be in range.
fn key(op: &Op) -> Op {
    match op {
        Op::Load(load) => Op::Load(Load {
            site: None,
            ..load.clone()
        }),
        Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) | Op::Prim(..) => op.clone(),
        Op::Loop(_) | Op::Out(..) => op.clone(),
    }
}
