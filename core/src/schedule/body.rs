//! Scalar code: what a kernel does at every point, and what the host computes between kernels.
//!
//! A [`Body`] is a list of instructions in SSA form; each defines the value of its position, from values before it.
//! An instruction may be a [`Loop`], which holds a body of its own. That one is *closed*: it names no value, symbol or
//! coordinate of the code around it, but is given what it needs as arguments. So whoever moves, renames or copies the
//! instructions of a list need not look into its loops.
//!
//! The list itself is private, and there are few ways to it, because what loops hold must not be missed:
//!
//! - [`iter`](Body::iter), [`needed`](Body::needed), [`op`](Body::op): the instructions of this list, one by one. Who
//!   matches on the [`Op`] lists all of them, or asks a method such as [`Op::as_load`].
//! - [`walk`](Body::walk), [`loads`](Body::loads), [`reads`](Body::reads): those of loops, too, each with the body whose
//!   values it names.
//! - [`append`](Body::append), [`prune`](Body::prune), [`change`](Body::change): copies and changes of this list;
//!   [`rename_arrays`](Body::rename_arrays) reaches into loops.

mod region;
mod walk;

pub use region::{Known, Loop, Region};

use super::{ArrayId, SiteId, SymbolId, ValueId};
use crate::constant::Const;
use crate::prim::Prim;
use crate::types::ScalarType;

/// Scalar code in SSA form: each instruction defines the value of its position.
///
/// ```
/// use cotangent_core::prim::Prim;
/// use cotangent_core::schedule::{Body, Op};
/// use cotangent_core::types::ScalarType::I32;
///
/// let mut body = Body::default();
/// let x = body.push(Op::Coord(0), I32);
/// let y = body.push(Op::Coord(1), I32);
/// let mut sum = body.push(Op::Prim(Prim::Add, vec![y, y]), I32);
/// assert_eq!(body.dependencies(), [1, 2, 2]);
/// body.prune([&mut sum]);
/// assert_eq!((body.len(), body.op(sum).operands().len()), (2, 2));
/// # let _ = x;
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Body {
    insts: Vec<Inst>,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inst {
    /// What is computed.
    pub op: Op,
    /// The type of the value.
    pub ty: ScalarType,
}

/// What an instruction computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A literal.
    Const(Const),
    /// A scalar that the host knows.
    Symbol(SymbolId),
    /// A coordinate of the index space, an `i32`; 0 is the outermost.
    Coord(u32),
    /// An argument; in operators and loops only.
    Arg(u32),
    /// A primitive.
    Prim(Prim, Vec<ValueId>),
    /// An element of an array.
    Load(Load),
    /// Code that runs again and again; its value is the number of trips that were made, an `i32`.
    Loop(Box<Loop>),
    /// A value that a loop carried, after its last trip: which loop, and which of its values.
    Out(ValueId, u32),
}

/// The element of an array at an index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Load {
    /// The array; finished before the kernel starts.
    pub array: ArrayId,
    /// One `i32` per dimension, outermost first.
    pub index: Vec<ValueId>,
    /// A `bool` where the load depends on one: where it is false nothing is read, and the value is zero.
    pub guard: Option<ValueId>,
    /// Where an index out of range is reported; `None` where it is proved to be in range.
    pub site: Option<SiteId>,
}

impl Op {
    /// The values this operation reads.
    pub fn operands(&self) -> Vec<ValueId> {
        match self {
            Self::Const(_) | Self::Symbol(_) | Self::Coord(_) | Self::Arg(_) => vec![],
            Self::Prim(_, operands) => operands.clone(),
            Self::Load(Load {
                array: _,
                index,
                guard,
                site: _,
            }) => index.iter().chain(guard).copied().collect(),
            Self::Loop(of) => of.operands(),
            Self::Out(of, _) => vec![*of],
        }
    }

    /// The same operation on other values.
    pub fn renamed(&self, new: &impl Fn(ValueId) -> ValueId) -> Self {
        match self {
            Self::Const(_) | Self::Symbol(_) | Self::Coord(_) | Self::Arg(_) => self.clone(),
            Self::Prim(prim, operands) => {
                Self::Prim(*prim, operands.iter().map(|&v| new(v)).collect())
            }
            Self::Load(Load {
                array,
                index,
                guard,
                site,
            }) => Self::Load(Load {
                array: *array,
                index: index.iter().map(|&v| new(v)).collect(),
                guard: guard.map(new),
                site: *site,
            }),
            Self::Loop(of) => Self::Loop(Box::new(of.renamed(new))),
            Self::Out(of, which) => Self::Out(new(*of), *which),
        }
    }

    /// The literal that this is.
    pub fn as_const(&self) -> Option<Const> {
        match self {
            Self::Const(value) => Some(*value),
            Self::Symbol(_) | Self::Coord(_) | Self::Arg(_) | Self::Prim(..) => None,
            Self::Load(_) | Self::Loop(_) | Self::Out(..) => None,
        }
    }

    /// The symbol that this is.
    pub fn as_symbol(&self) -> Option<SymbolId> {
        match self {
            Self::Symbol(symbol) => Some(*symbol),
            Self::Const(_) | Self::Coord(_) | Self::Arg(_) | Self::Prim(..) => None,
            Self::Load(_) | Self::Loop(_) | Self::Out(..) => None,
        }
    }

    /// The coordinate that this is.
    pub fn as_coord(&self) -> Option<u32> {
        match self {
            Self::Coord(axis) => Some(*axis),
            Self::Const(_) | Self::Symbol(_) | Self::Arg(_) | Self::Prim(..) => None,
            Self::Load(_) | Self::Loop(_) | Self::Out(..) => None,
        }
    }

    /// The argument that this is.
    pub fn as_arg(&self) -> Option<usize> {
        match self {
            Self::Arg(position) => Some(*position as usize),
            Self::Const(_) | Self::Symbol(_) | Self::Coord(_) | Self::Prim(..) => None,
            Self::Load(_) | Self::Loop(_) | Self::Out(..) => None,
        }
    }

    /// The primitive that this applies, and to what.
    pub fn as_prim(&self) -> Option<(Prim, &[ValueId])> {
        match self {
            Self::Prim(prim, operands) => Some((*prim, operands)),
            Self::Const(_) | Self::Symbol(_) | Self::Coord(_) | Self::Arg(_) => None,
            Self::Load(_) | Self::Loop(_) | Self::Out(..) => None,
        }
    }

    /// The operands, if this is that primitive on so many. Rules that look for one primitive ask this.
    pub fn operands_of<const N: usize>(&self, prim: Prim) -> Option<&[ValueId; N]> {
        let (own, operands) = self.as_prim()?;
        operands.try_into().ok().filter(|_| own == prim)
    }

    /// The load that this is.
    pub fn as_load(&self) -> Option<&Load> {
        match self {
            Self::Load(load) => Some(load),
            Self::Const(_) | Self::Symbol(_) | Self::Coord(_) | Self::Arg(_) => None,
            Self::Prim(..) | Self::Loop(_) | Self::Out(..) => None,
        }
    }

    /// The loop that this is.
    pub fn as_loop(&self) -> Option<&Loop> {
        match self {
            Self::Loop(of) => Some(of),
            Self::Const(_) | Self::Symbol(_) | Self::Coord(_) | Self::Arg(_) => None,
            Self::Prim(..) | Self::Load(_) | Self::Out(..) => None,
        }
    }

    /// The arrays that this reads.
    pub fn reads(&self) -> Vec<ArrayId> {
        match self {
            Self::Load(load) => vec![load.array],
            Self::Loop(of) => of.region.body.reads().collect(),
            Self::Const(_) | Self::Symbol(_) | Self::Coord(_) | Self::Arg(_) => vec![],
            Self::Prim(..) | Self::Out(..) => vec![],
        }
    }

    /// Whether running this can fail: an index may be out of range.
    pub fn may_fail(&self) -> bool {
        match self {
            Self::Load(load) => load.site.is_some(),
            Self::Loop(of) => of.region.body.loads().any(|(_, load)| load.site.is_some()),
            Self::Const(_) | Self::Symbol(_) | Self::Coord(_) | Self::Arg(_) => false,
            Self::Prim(..) | Self::Out(..) => false,
        }
    }
}

/// The instructions of this list.
impl Body {
    /// Appends an instruction.
    pub fn push(&mut self, op: Op, ty: ScalarType) -> ValueId {
        self.insts.push(Inst { op, ty });
        ValueId(self.insts.len() as u32 - 1)
    }

    /// The number of instructions.
    pub fn len(&self) -> usize {
        self.insts.len()
    }

    /// Whether there are no instructions.
    pub fn is_empty(&self) -> bool {
        self.insts.is_empty()
    }

    /// The instruction that defines a value.
    pub fn inst(&self, v: ValueId) -> &Inst {
        &self.insts[v.index()]
    }

    /// The instruction that defines a value, if one does.
    pub fn get(&self, v: ValueId) -> Option<&Inst> {
        self.insts.get(v.index())
    }

    /// The operation that makes a value.
    pub fn op(&self, v: ValueId) -> &Op {
        &self.inst(v).op
    }

    /// The type of a value.
    pub fn type_of(&self, v: ValueId) -> ScalarType {
        self.inst(v).ty
    }

    /// The values and what defines them, each after what it reads.
    pub fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = (ValueId, &Inst)> + ExactSizeIterator + Clone {
        let numbered = self.insts.iter().enumerate();
        numbered.map(|(i, inst)| (ValueId(i as u32), inst))
    }

    /// For each value, whether `roots` need it.
    pub fn reachable(&self, roots: &[ValueId]) -> Vec<bool> {
        let mut needed = vec![false; self.insts.len()];
        roots.iter().for_each(|root| needed[root.index()] = true);
        for (i, inst) in self.insts.iter().enumerate().rev() {
            if needed[i] {
                let operands = inst.op.operands();
                operands.iter().for_each(|v| needed[v.index()] = true);
            }
        }
        needed
    }

    /// The values that `roots` need, in order.
    pub fn needed<'a>(
        &'a self,
        roots: &[ValueId],
    ) -> impl Iterator<Item = (ValueId, &'a Inst)> + use<'a> {
        let needed = self.reachable(roots);
        self.iter().filter(move |(v, _)| needed[v.index()])
    }

    /// For each value, the coordinates that it depends on: a set of bits. Those from number 64 on are left out.
    pub fn dependencies(&self) -> Vec<u64> {
        let mut all: Vec<u64> = Vec::with_capacity(self.insts.len());
        for Inst { op, ty: _ } in &self.insts {
            let own = op.as_coord().and_then(|axis| 1u64.checked_shl(axis));
            let operands = op.operands();
            let set = operands.iter().fold(0, |set, v| set | all[v.index()]);
            all.push(set | own.unwrap_or(0));
        }
        all
    }

    /// All symbols, in order, once per use; loops name none.
    pub fn symbols(&self) -> impl Iterator<Item = SymbolId> {
        self.insts.iter().filter_map(|inst| inst.op.as_symbol())
    }
}

/// Changes.
impl Body {
    /// Has a load read whatever its guard says, which must be harmless.
    pub fn unguard(&mut self, v: ValueId) {
        if let Op::Load(load) = &mut self.insts[v.index()].op {
            load.guard = None;
        }
    }

    /// Changes the operations of this list in place: to such as have values of the same types.
    pub fn change(&mut self, change: impl FnMut(&mut Op)) {
        let ops = self.insts.iter_mut().map(|inst| &mut inst.op);
        ops.for_each(change);
    }

    /// Gives the arrays that this code reads, and that its loops read, other names.
    pub fn rename_arrays(&mut self, rename: &mut impl FnMut(&mut ArrayId)) {
        for inst in &mut self.insts {
            match &mut inst.op {
                Op::Load(load) => rename(&mut load.array),
                Op::Loop(of) => of.region.body.rename_arrays(rename),
                Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) => {}
                Op::Prim(..) | Op::Out(..) => {}
            }
        }
    }

    /// Appends what the instructions of `other` become, and gives their values: what `write` says, or the same
    /// operation on what became of its operands. `write` is asked about each instruction in order, and given the
    /// values of those before.
    pub fn append(
        &mut self,
        other: &Self,
        mut write: impl FnMut(&mut Self, (ValueId, &Inst), &[ValueId]) -> Option<ValueId>,
    ) -> Vec<ValueId> {
        let mut new = Vec::with_capacity(other.len());
        for (v, inst) in other.iter() {
            let written = write(self, (v, inst), &new);
            new.push(written.unwrap_or_else(|| self.again(inst, &new)));
        }
        new
    }

    /// Like [`append`](Self::append), but for what `roots` need alone; gives their new values.
    pub fn append_needed(
        &mut self,
        (other, roots): (&Self, &[ValueId]),
        mut write: impl FnMut(&mut Self, (ValueId, &Inst), &[ValueId]) -> Option<ValueId>,
    ) -> Vec<ValueId> {
        let needed = other.reachable(roots);
        let new = self.append(other, |to, (v, inst), new| match needed[v.index()] {
            true => write(to, (v, inst), new),
            // Nothing reads it.
            false => Some(ValueId(0)),
        });
        roots.iter().map(|root| new[root.index()]).collect()
    }

    fn again(&mut self, Inst { op, ty }: &Inst, new: &[ValueId]) -> ValueId {
        self.push(op.renamed(&|v| new[v.index()]), *ty)
    }

    /// Drops the instructions that none of `values` needs, and gives these their new names.
    pub fn prune<'a>(&mut self, values: impl IntoIterator<Item = &'a mut ValueId>) {
        let values: Vec<_> = values.into_iter().collect();
        let roots: Vec<_> = values.iter().map(|v| **v).collect();
        let mut kept = Self::default();
        let new = kept.append_needed((self, &roots), |_, _, _| None);
        for (value, new) in values.into_iter().zip(new) {
            *value = new;
        }
        *self = kept;
    }
}

#[cfg(test)]
impl Body {
    /// The instructions, to be broken.
    pub(crate) fn insts_mut(&mut self) -> &mut Vec<Inst> {
        &mut self.insts
    }
}

#[cfg(test)]
mod tests;
