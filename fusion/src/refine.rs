//! Code written again, when all of it is known: what that allows beyond the rules of `algebra.rs`.
//!
//! While code is built, nobody knows who will use a value. Once a kernel's code is complete, its uses say
//! where a value matters (`context.rs`) and whether its sign does (`sign.rs`). Each pass plans on the old code
//! and writes new code with the plan carried out, through the same rules and value numbers as the first time;
//! so what has become equal is computed once.
//!
//! Invariants: at every point the observed values are the same (payloads and signs of NaNs aside), and so is
//! which loads happen and where they read, but that a load may go when nothing needs it any more.

mod context;
mod sign;

use crate::code::{CodeId, Codes, HostValue};
use cotangent_core::constant::Const;
use cotangent_core::schedule::{Load, Op, SymbolId, ValueId};

/// How often conditions are gone through at most: a value that no longer matters elsewhere may now matter
/// under one condition only. Two rounds find nearly all.
const MAX_ROUNDS: usize = 4;

/// The values of a kernel's code that the kernel does something with.
#[derive(Clone, Debug)]
pub(crate) struct Observed<'a> {
    /// The values; with the guard, if it is one.
    pub roots: &'a [ValueId],
    /// A `bool`, itself among the roots, without which the other ones do not matter.
    pub guard: Option<ValueId>,
}

impl<'a> Observed<'a> {
    /// Values that matter at every point.
    pub(crate) fn always(roots: &'a [ValueId]) -> Self {
        Self { roots, guard: None }
    }

    /// Values of which the first says whether the others matter.
    pub(crate) fn guarded(roots: &'a [ValueId]) -> Self {
        Self {
            roots,
            guard: roots.first().copied(),
        }
    }
}

impl Codes {
    /// Writes code again, cheaper if possible; gives the new roots.
    pub(crate) fn refine(&mut self, c: CodeId, observed: &Observed) -> Vec<ValueId> {
        let mut roots = observed.roots.to_vec();
        let guard = observed
            .guard
            .and_then(|g| roots.iter().position(|&r| r == g));
        for _ in 0..MAX_ROUNDS {
            let observed = Observed {
                roots: &roots,
                guard: guard.map(|position| roots[position]),
            };
            match self.select_once(c, &observed) {
                Some(new) => roots = new,
                None => break,
            }
        }
        self.absorb_signs(c, &roots).unwrap_or(roots)
    }

    /// Appends to `to` the instruction that makes `v` in `from`, on other operands.
    fn again(&mut self, (from, v): (CodeId, ValueId), to: CodeId, operands: &[ValueId]) -> ValueId {
        let (ty, range) = (self.type_of(from, v), self.range(from, v));
        match self.op(from, v).clone() {
            Op::Const(value) => self.constant(to, value),
            Op::Symbol(SymbolId(n)) => self.leaf(to, HostValue(ValueId(n))),
            op @ (Op::Coord(_) | Op::Arg(_)) => self.number(to, op, ty, range),
            Op::Loop(of) => self.number(to, Op::Loop(Box::new(of.on(operands))), ty, range),
            Op::Out(_, which) => self.number(to, Op::Out(operands[0], which), ty, range),
            Op::Prim(op, _) => self.prim(to, op, operands),
            Op::Load(load) => {
                let (index, guard) = operands.split_at(load.index.len());
                let guard = guard.first().copied();
                let load = |guard| Load {
                    index: index.to_vec(),
                    guard,
                    ..load
                };
                match guard.and_then(|g| self.as_const(to, g)) {
                    Some(Const::Bool(false)) => self.constant(to, Const::zero(ty)),
                    Some(_true) => self.number(to, Op::Load(load(None)), ty, range),
                    None => self.number(to, Op::Load(load(guard)), ty, range),
                }
            }
        }
    }
}
