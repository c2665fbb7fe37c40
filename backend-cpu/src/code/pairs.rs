//! Operations that run in one loop.
//!
//! *Pairs*: a sum, difference or product and the only one that reads it. A loop over columns spends as much on
//! reading and writing its columns as on arithmetic, so that a pair costs little more than one of the two.
//!
//! *Chains*: a pair of a product and a sum, and the only such pair that adds to it.
//!
//! *Twins*: sine and cosine of one number, which are both there once most of either is done.

use super::affine::Analysis;
use super::order::reads;
use crate::isa::Isa;
use crate::lanes::{Pair, RingOp, chain_fn};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::ValueId;
use std::collections::HashMap;

/// The pairs of a body.
pub(super) struct Pairs {
    /// By outer operation: the pair and its three operands.
    of: Vec<Option<(Pair, [ValueId; 3])>>,
    is_inner: Vec<bool>,
    /// By outer operation of the second pair: that of the first.
    chained: Vec<Option<ValueId>>,
    /// The cosine of each sine that is computed with it.
    twin: Vec<Option<ValueId>>,
    /// For each value, the one it is computed with: mostly itself.
    leader: Vec<ValueId>,
}

impl Pairs {
    /// Finds pairs among the live values; `outputs` are read from outside. Values from number `versions` on may run
    /// in other blocks than those before.
    pub fn new(analysis: &Analysis, live: &[bool], outputs: &[ValueId], versions: usize) -> Self {
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
            chained: vec![None; live.len()],
            twin: vec![None; live.len()],
            leader: (0..live.len() as u32).map(ValueId).collect(),
        };
        pairs.find_twins(analysis, live, versions);
        for v in (0..live.len()).filter(|&v| live[v]) {
            pairs.look_at(analysis, ValueId(v as u32), &uses);
        }
        for v in (0..live.len()).filter(|&v| live[v]) {
            pairs.extend(analysis, ValueId(v as u32), &uses);
        }
        pairs
    }

    /// The pair that `v` is the outer operation of, with its operands.
    pub fn get(&self, v: ValueId) -> Option<(Pair, [ValueId; 3])> {
        self.of[v.index()]
    }

    /// The value that is computed along with `v`, and after which it is asked for.
    pub fn twin(&self, v: ValueId) -> Option<ValueId> {
        self.twin[v.index()]
    }

    /// The value whose code computes `v`, if that is not computed within another.
    pub fn leader(&self, v: ValueId) -> ValueId {
        self.leader[v.index()]
    }

    fn find_twins(&mut self, analysis: &Analysis, live: &[bool], versions: usize) {
        let mut halves: HashMap<(ValueId, bool), [Option<ValueId>; 2]> = HashMap::new();
        for v in (0..live.len() as u32)
            .map(ValueId)
            .filter(|v| live[v.index()])
        {
            let half = match analysis.body.op(v).as_prim() {
                Some((Prim::Sin, operands)) => Some((operands[0], 0)),
                Some((Prim::Cos, operands)) => Some((operands[0], 1)),
                Some(_) | None => None,
            };
            if let Some((x, half)) = half.filter(|_| level(analysis, v).is_column()) {
                let known = halves.entry((x, v.index() < versions)).or_default();
                known[half] = known[half].or(Some(v));
                if let [Some(sin), Some(cos)] = *known {
                    self.twin[sin.index()] = Some(cos);
                    self.leader[cos.index()] = sin;
                }
            }
        }
    }

    /// Whether the value is computed within another.
    pub fn is_inner(&self, v: ValueId) -> bool {
        self.is_inner[v.index()]
    }

    /// The two pairs that `v` is the outer operation of the second of, and the operands of the first and the factors
    /// of the second.
    pub fn chain(&self, v: ValueId) -> Option<([Pair; 2], [ValueId; 5])> {
        let (first, [a, b, x]) = self.get(self.chained[v.index()]?)?;
        let (second, [c, d, _]) = self.get(v)?;
        Some(([first, second], [a, b, x, c, d]))
    }

    /// The values that the code of `v` reads.
    pub fn reads(&self, analysis: &Analysis, v: ValueId) -> Vec<ValueId> {
        match (self.chain(v), self.get(v)) {
            (Some((_, operands)), _) => operands.to_vec(),
            (None, Some((_, operands))) => operands.to_vec(),
            (None, None) => reads(analysis, v),
        }
    }

    /// Makes the pair of `v` the second of a chain if what it adds to is a pair, only there for it.
    fn extend(&mut self, analysis: &Analysis, v: ValueId, uses: &[u32]) {
        let Some((second, [c, d, sum])) = self.get(v) else {
            return;
        };
        let is_free = uses[sum.index()] == 1 && self.chained[sum.index()].is_none();
        let Some((first, operands)) = self.get(sum).filter(|_| is_free) else {
            return;
        };
        let mut columns = operands.iter().chain([&c, &d]);
        let ty = analysis.body.type_of(v);
        if columns.all(|&v| !analysis.is_scalar(v))
            && level(analysis, sum) == level(analysis, v)
            && chain_fn(Isa::Baseline, [first, second], ty).is_some()
        {
            self.chained[v.index()] = Some(sum);
            self.is_inner[sum.index()] = true;
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
            let Some((inner_op, operands)) = operation else {
                continue;
            };
            let Some([a, b]) = column_first(analysis, inner_op, operands) else {
                continue;
            };
            let column = |v| !analysis.is_scalar(v);
            if level(analysis, inner) == level(analysis, v) && (column(b) || column(other)) {
                let pair = Pair {
                    inner: inner_op,
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

/// A sum, difference or product that is computed for each lane.
fn operation(analysis: &Analysis, v: ValueId) -> Option<(RingOp, [ValueId; 2])> {
    let inst = analysis.body.inst(v);
    let per_lane = level(analysis, v).is_column() && inst.ty.is_number();
    let (prim, operands) = inst.op.as_prim().filter(|_| per_lane)?;
    Some((RingOp::of(prim)?, operands.try_into().ok()?))
}

/// The operands with a column in front, if they can be put so.
fn column_first(analysis: &Analysis, op: RingOp, [a, b]: [ValueId; 2]) -> Option<[ValueId; 2]> {
    match analysis.is_scalar(a) {
        false => Some([a, b]),
        true => (op != RingOp::Sub).then_some([b, a]),
    }
}
