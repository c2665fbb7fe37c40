//! Pairs of operations that run in one loop: a sum, difference or product and the only one that reads it.
//!
//! A loop over columns spends as much on reading and writing its columns as on arithmetic, so that a pair costs
//! little more than one of the two.

use super::affine::Analysis;
use super::order::reads;
use crate::lanes::Pair;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Op, ValueId};

/// The pairs of a body.
pub(super) struct Pairs {
    /// By outer operation: the pair and its three operands.
    of: Vec<Option<(Pair, [ValueId; 3])>>,
    is_inner: Vec<bool>,
}

impl Pairs {
    /// Finds pairs among the live values; `outputs` are read from outside.
    pub fn new(analysis: &Analysis, live: &[bool], outputs: &[ValueId]) -> Self {
        let mut uses = vec![0u32; live.len()];
        let all = (0..live.len() as u32).map(ValueId);
        let read = all.filter(|v| live[v.index()]);
        for v in read
            .flat_map(|v| reads(analysis, v))
            .chain(outputs.iter().copied())
        {
            uses[v.index()] += 1;
        }
        let mut pairs = Self {
            of: vec![None; live.len()],
            is_inner: vec![false; live.len()],
        };
        for v in (0..live.len()).filter(|&v| live[v]) {
            pairs.look_at(analysis, ValueId(v as u32), &uses);
        }
        pairs
    }

    /// The pair that `v` is the outer operation of, with its operands.
    pub fn get(&self, v: ValueId) -> Option<(Pair, [ValueId; 3])> {
        self.of[v.index()]
    }

    /// Whether the value is computed within another.
    pub fn is_inner(&self, v: ValueId) -> bool {
        self.is_inner[v.index()]
    }

    /// The values that the code of `v` reads.
    pub fn reads(&self, analysis: &Analysis, v: ValueId) -> Vec<ValueId> {
        match self.get(v) {
            Some((_, operands)) => operands.to_vec(),
            None => reads(analysis, v),
        }
    }

    /// Makes `v` the outer operation of a pair if one of its operands is only there for it.
    fn look_at(&mut self, analysis: &Analysis, v: ValueId, uses: &[u32]) {
        let Some((outer, [x, y])) = operation(analysis, v) else {
            return;
        };
        for (inner, other, swapped) in [(x, y, false), (y, x, true)] {
            let is_free = uses[inner.index()] == 1 && self.of[inner.index()].is_none();
            let operation = operation(analysis, inner).filter(|_| is_free);
            let Some((inner_prim, operands)) = operation else {
                continue;
            };
            let Some([a, b]) = column_first(analysis, inner_prim, operands) else {
                continue;
            };
            let column = |v| !analysis.is_scalar(v);
            if level(analysis, inner) == level(analysis, v) && (column(b) || column(other)) {
                let pair = Pair {
                    inner: inner_prim,
                    outer,
                    swapped,
                };
                self.of[v.index()] = Some((pair, [a, b, other]));
                self.is_inner[inner.index()] = true;
                return;
            }
        }
    }
}

fn level(analysis: &Analysis, v: ValueId) -> super::Level {
    analysis.nest.level(analysis.deps[v.index()])
}

/// A sum, difference or product of floats that is computed for each lane.
fn operation(analysis: &Analysis, v: ValueId) -> Option<(Prim, [ValueId; 2])> {
    let inst = &analysis.insts[v.index()];
    let per_lane = level(analysis, v).is_column() && inst.ty.is_float();
    match &inst.op {
        Op::Prim(prim @ (Prim::Add | Prim::Sub | Prim::Mul), operands) if per_lane => {
            Some((*prim, operands.as_slice().try_into().ok()?))
        }
        Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) | Op::Prim(..) | Op::Load(_) => {
            None
        }
    }
}

/// The operands with a column in front, if they can be put so.
fn column_first(analysis: &Analysis, prim: Prim, [a, b]: [ValueId; 2]) -> Option<[ValueId; 2]> {
    match analysis.is_scalar(a) {
        false => Some([a, b]),
        true => (prim != Prim::Sub).then_some([b, a]),
    }
}
