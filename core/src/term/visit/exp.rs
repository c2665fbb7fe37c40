//! Scalar operations, blocks and functions. The table in the module above says what there is.

use super::{AllLets, Inner, Nested, body, branches, closure};
use crate::term::{
    ArrId, ExpBind, ExpBlock, ExpClosure, ExpId, ExpLet, ExpOp, Fun, Labelled, Naming, Slot,
};
use std::collections::BTreeSet;

/// The variables that an operation reads, as a slice of either kind.
macro_rules! operands {
    ($op:expr, $one:expr) => {
        match $op {
            ExpOp::Const(_) | ExpOp::Extent { array: _, axis: _ } => Default::default(),
            ExpOp::Prim(_, operands) | ExpOp::WithPartials(operands) => operands,
            ExpOp::Index { array: _, index } => index,
            ExpOp::Cond {
                cond,
                then_: _,
                else_: _,
            } => $one(cond),
            ExpOp::Derivative {
                mode: _,
                params: _,
                body: _,
                args,
            }
            | ExpOp::Loop {
                test: _,
                step: _,
                args,
            } => args,
        }
    };
}

/// The slot that an operation names, as a reference of either kind.
macro_rules! slot {
    ($op:expr) => {
        match $op {
            ExpOp::Index { array, index: _ } | ExpOp::Extent { array, axis: _ } => Some(array),
            ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Cond { .. } => None,
            ExpOp::Derivative { .. } | ExpOp::WithPartials(_) | ExpOp::Loop { .. } => None,
        }
    };
}

/// The blocks of an operation, by references of either kind.
macro_rules! blocks {
    ($op:expr) => {
        match $op {
            ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Index { .. } | ExpOp::Extent { .. } => {
                vec![]
            }
            ExpOp::WithPartials(_) => vec![],
            ExpOp::Cond {
                cond: _,
                then_,
                else_,
            } => branches(then_, else_),
            ExpOp::Derivative {
                mode: _,
                params,
                body: block,
                args: _,
            } => body(params, block),
            ExpOp::Loop {
                test: None,
                step: ExpClosure { params, body },
                args: _,
            } => vec![closure("step", params, body)],
            ExpOp::Loop {
                test: Some(test),
                step: ExpClosure { params, body },
                args: _,
            } => {
                let ExpClosure {
                    params: asked,
                    body: test,
                } = test;
                vec![closure("test", asked, test), closure("step", params, body)]
            }
        }
    };
}

/// What the parts of an operation are replaced by, in [`ExpOp::map`].
pub trait MapExp<From: Naming, To: Naming> {
    /// For a variable that is read.
    fn exp(&mut self, name: From::Exp) -> To::Exp;

    /// For a slot.
    fn slot(&mut self, slot: Slot) -> Slot;

    /// For a block and what it binds on entry.
    fn block(
        &mut self,
        binds: &[ExpBind<From>],
        block: &ExpBlock<From>,
    ) -> (Vec<ExpBind<To>>, ExpBlock<To>);

    /// For a block with parameters.
    fn closure(&mut self, closure: &ExpClosure<From>) -> ExpClosure<To> {
        let ExpClosure { params, body } = closure;
        let (params, body) = self.block(params, body);
        ExpClosure { params, body }
    }
}

impl<N: Naming> ExpOp<N> {
    /// The variables this operation reads directly, those inside its blocks not included.
    pub fn operands(&self) -> &[N::Exp] {
        operands!(self, std::slice::from_ref)
    }

    /// The same variables, to be replaced.
    pub fn operands_mut(&mut self) -> &mut [N::Exp] {
        operands!(self, std::slice::from_mut)
    }

    /// The variables that it reads, those inside its blocks included, bound there or not.
    pub fn reads(&self) -> impl Iterator<Item = N::Exp> {
        let inside = self.blocks().into_iter();
        let inside = inside.flat_map(|inner| inner.block.reads());
        self.operands().iter().copied().chain(inside)
    }

    /// The array that this operation itself reads or measures, if it does.
    pub fn slot(&self) -> Option<Slot> {
        slot!(self).copied()
    }

    /// The same, to be replaced.
    pub fn slot_mut(&mut self) -> Option<&mut Slot> {
        slot!(self)
    }

    /// The blocks inside this operation, in order of their text.
    pub fn blocks(&self) -> Vec<Inner<&[ExpBind<N>], &ExpBlock<N>>> {
        blocks!(self)
    }

    /// The same blocks, to be rewritten.
    pub fn blocks_mut(&mut self) -> Vec<Inner<&mut [ExpBind<N>], &mut ExpBlock<N>>> {
        blocks!(self)
    }

    /// The same operation on other parts: of operands first, then of blocks.
    pub fn map<To: Naming>(&self, parts: &mut impl MapExp<N, To>) -> ExpOp<To> {
        let mut all =
            |names: &[N::Exp]| -> Vec<To::Exp> { names.iter().map(|&x| parts.exp(x)).collect() };
        match self {
            Self::Const(value) => ExpOp::Const(*value),
            Self::Prim(prim, operands) => ExpOp::Prim(*prim, all(operands)),
            Self::WithPartials(args) => ExpOp::WithPartials(all(args)),
            Self::Index { array, index } => ExpOp::Index {
                index: all(index),
                array: parts.slot(*array),
            },
            Self::Extent { array, axis } => ExpOp::Extent {
                array: parts.slot(*array),
                axis: *axis,
            },
            Self::Cond { cond, then_, else_ } => ExpOp::Cond {
                cond: parts.exp(*cond),
                then_: parts.block(&[], then_).1,
                else_: parts.block(&[], else_).1,
            },
            Self::Derivative {
                mode,
                params,
                body,
                args,
            } => {
                let args = all(args);
                let (params, body) = parts.block(params, body);
                ExpOp::Derivative {
                    mode: *mode,
                    params,
                    body,
                    args,
                }
            }
            Self::Loop { test, step, args } => ExpOp::Loop {
                args: all(args),
                test: test.as_ref().map(|test| parts.closure(test)),
                step: parts.closure(step),
            },
        }
    }
}

impl<N: Naming> Nested for ExpLet<N> {
    fn nested(&self) -> Vec<&[Self]> {
        let blocks = self.op.blocks().into_iter();
        blocks.map(|inner| &inner.block.lets[..]).collect()
    }
}

impl<N: Naming> ExpBlock<N> {
    /// The block without code or results.
    pub const EMPTY: Self = Self {
        lets: vec![],
        results: vec![],
    };

    /// All lets, those of blocks inside included, in order of their text: a let comes before what is in it.
    ///
    /// ```
    /// use cotangent_core::{build::FunBuilder, prim::Prim, types::ScalarType};
    /// let mut b = FunBuilder::new();
    /// let x = b.param(ScalarType::Bool);
    /// let y = b.cond(x, |b| vec![b.prim(Prim::Not, &[x])], |_| vec![x]);
    /// let f = b.finish(y);
    /// assert_eq!((f.body.lets.len(), f.body.all_lets().count()), (1, 2));
    /// ```
    pub fn all_lets(&self) -> impl Iterator<Item = &ExpLet<N>> {
        AllLets::of(&self.lets)
    }

    /// This block and all inside.
    fn all_blocks(&self) -> impl Iterator<Item = &Self> {
        let inner = self.all_lets().flat_map(|let_| let_.op.blocks());
        std::iter::once(self).chain(inner.map(|inner| inner.block))
    }

    /// Calls `visit` on this block, then on all inside.
    pub fn each_block_mut(&mut self, visit: &mut impl FnMut(&mut Self)) {
        visit(self);
        for let_ in &mut self.lets {
            let inner = let_.op.blocks_mut().into_iter();
            inner.for_each(|inner| inner.block.each_block_mut(visit));
        }
    }

    /// What is bound in this block and in those inside: by lets, and on entry to the blocks inside.
    pub fn bindings(&self) -> impl Iterator<Item = &ExpBind<N>> {
        self.all_lets().flat_map(|let_| {
            let on_entry = let_.op.blocks().into_iter().flat_map(|inner| inner.binds);
            let_.binds.iter().chain(on_entry)
        })
    }

    /// The variables that this block and those inside read, bound there or not; the results are read.
    pub fn reads(&self) -> impl Iterator<Item = N::Exp> {
        self.all_blocks().flat_map(|block| {
            let operands = block.lets.iter().flat_map(|let_| let_.op.operands());
            operands.chain(&block.results).copied()
        })
    }

    /// The slots that are read or measured here or inside.
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        self.all_lets().filter_map(|let_| let_.op.slot())
    }
}

impl ExpBlock<Labelled> {
    /// The variables read here that are bound outside.
    pub fn free(&self) -> BTreeSet<ExpId> {
        let mut free: BTreeSet<_> = self.reads().collect();
        for bind in self.bindings() {
            free.remove(&bind.name);
        }
        free
    }

    /// Replaces the variables that are read here or inside.
    pub fn rename(&mut self, new: &impl Fn(ExpId) -> ExpId) {
        self.each_block_mut(&mut |block| {
            let operands = block
                .lets
                .iter_mut()
                .flat_map(|let_| let_.op.operands_mut());
            operands
                .chain(&mut block.results)
                .for_each(|x| *x = new(*x));
        });
    }
}

impl<N: Naming> ExpBlock<N> {
    /// Replaces the slots that are read or measured here or inside.
    pub fn renumber(&mut self, new: &mut impl FnMut(Slot) -> Slot) {
        for let_ in &mut self.lets {
            let_.op
                .slot_mut()
                .into_iter()
                .for_each(|slot| *slot = new(*slot));
            let inner = let_.op.blocks_mut().into_iter();
            inner.for_each(|inner| inner.block.renumber(new));
        }
    }
}

impl Fun<Labelled> {
    /// Replaces the captured arrays; those that become the same are captured once.
    pub fn rename_captures(&mut self, new: impl Fn(ArrId) -> ArrId) {
        if self.captures.iter().all(|&array| new(array) == array) {
            return;
        }
        let (mut merged, mut slots) = (vec![], vec![]);
        for array in self.captures.drain(..).map(new) {
            let known = merged.iter().position(|&a| a == array);
            slots.push(Slot(known.unwrap_or(merged.len()) as u32));
            if known.is_none() {
                merged.push(array);
            }
        }
        let moved = merged.len() < slots.len();
        self.captures = merged;
        if moved {
            self.body.renumber(&mut |slot| slots[slot.0 as usize]);
        }
    }

    /// Captures, in order of first use, what the code uses, and nothing else; equal captures become one.
    pub fn clean_captures(&mut self) {
        let old = std::mem::take(&mut self.captures);
        let captures = &mut self.captures;
        self.body.renumber(&mut |slot| {
            let array = old[slot.0 as usize];
            let known = captures.iter().position(|&a| a == array);
            Slot(known.unwrap_or_else(|| {
                captures.push(array);
                captures.len() - 1
            }) as u32)
        });
    }
}
