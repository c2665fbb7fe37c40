//! Array operations and blocks. The table in the module above says what there is.

use super::{AllLets, Inner, InnerFun, Nested, Runs, body, branches, closure, named, part};
use crate::constant::Const;
use crate::term::{AccBlock, AccClosure, AccLet, AccOp, ArrBind, ArrId, Fun, Labelled, Naming};
use std::collections::BTreeSet;

/// The arrays that an operation takes, by references of either kind.
macro_rules! arguments {
    ($op:expr) => {
        match $op {
            AccOp::Use(_)
            | AccOp::Generate { shape: _, f: _ }
            | AccOp::Cond {
                cond: _,
                then_: _,
                else_: _,
            } => vec![],
            AccOp::Map { f: _, args }
            | AccOp::Fold {
                f: _,
                init: _,
                args,
            }
            | AccOp::Scan {
                direction: _,
                f: _,
                init: _,
                args,
            }
            | AccOp::Unpack { args }
            | AccOp::Append { args }
            | AccOp::Derivative {
                mode: _,
                params: _,
                body: _,
                args,
            }
            | AccOp::Custom {
                values: _,
                rules: _,
                args,
            }
            | AccOp::Loop {
                trips: _,
                test: _,
                step: _,
                states: _,
                args,
            } => Vec::from_iter(args),
            AccOp::Move { how: _, arg } | AccOp::Argsort { order: _, arg } => vec![arg],
            AccOp::Permute {
                combine: _,
                outside: _,
                defaults,
                target: _,
                args,
            } => [defaults, args].into_iter().flatten().collect(),
            AccOp::FoldSegments {
                f: _,
                init: _,
                lengths,
                args,
            } => [lengths].into_iter().chain(args).collect(),
        }
    };
}

/// The functions of an operation, by references of either kind; `$parts` gives those of a move.
macro_rules! functions {
    ($op:expr, $parts:ident) => {
        match $op {
            AccOp::Use(_)
            | AccOp::Unpack { args: _ }
            | AccOp::Argsort { .. }
            | AccOp::Append { args: _ }
            | AccOp::Derivative {
                mode: _,
                params: _,
                body: _,
                args: _,
            }
            | AccOp::Custom {
                values: _,
                rules: _,
                args: _,
            } => vec![],
            AccOp::Generate { shape, f } => {
                named([("shape", Runs::Once, shape), ("f", Runs::Repeatedly, f)])
            }
            AccOp::Move { how, arg: _ } => how.$parts().into_iter().map(part).collect(),
            AccOp::Map { f, args: _ }
            | AccOp::Fold {
                f,
                init: None,
                args: _,
            }
            | AccOp::Scan {
                direction: _,
                f,
                init: None,
                args: _,
            } => named([("f", Runs::Repeatedly, f)]),
            AccOp::Fold {
                f,
                init: Some(init),
                args: _,
            }
            | AccOp::Scan {
                direction: _,
                f,
                init: Some(init),
                args: _,
            }
            | AccOp::FoldSegments {
                f,
                init,
                lengths: _,
                args: _,
            } => named([("f", Runs::Repeatedly, f), ("init", Runs::Once, init)]),
            AccOp::Permute {
                combine: _,
                outside: _,
                defaults: _,
                target,
                args: _,
            } => named([("target", Runs::Repeatedly, target)]),
            AccOp::Cond {
                cond,
                then_: _,
                else_: _,
            } => named([("condition", Runs::Once, cond)]),
            AccOp::Loop {
                trips,
                test: _,
                step: _,
                states: _,
                args: _,
            } => named([("trips", Runs::Once, trips)]),
        }
    };
}

/// The blocks of an operation, by references of either kind: `$named` gives those of rules, `$inverse` that of a loop backwards,
/// `$slice` what they bind.
macro_rules! blocks {
    ($op:expr, $named:ident, $inverse:ident, $slice:ident) => {
        match $op {
            AccOp::Cond {
                cond: _,
                then_,
                else_,
            } => branches(then_, else_),
            AccOp::Derivative {
                mode: _,
                params,
                body: block,
                args: _,
            } => body(params, block),
            AccOp::Custom {
                values: _,
                rules,
                args: _,
            } => {
                let rules = rules.$named().into_iter();
                let rules = rules.map(|(name, AccClosure { params, body })| {
                    closure(name, params.$slice(), body)
                });
                rules.collect()
            }
            AccOp::Loop {
                trips: _,
                test,
                step,
                states,
                args: _,
            } => {
                let test = test.into_iter().map(|test| ("test", test));
                let inverse = states.$inverse().into_iter();
                let inverse = inverse.map(|inverse| ("inverse", inverse));
                let closures = test.chain([("step", step)]).chain(inverse);
                let closures = closures.map(|(name, AccClosure { params, body })| {
                    closure(name, params.$slice(), body)
                });
                closures.collect()
            }
            AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Move { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Append { .. } => vec![],
        }
    };
}

impl<N: Naming> AccOp<N> {
    /// The arrays this operation takes as direct arguments; captures and blocks not included.
    pub fn arguments(&self) -> Vec<N::Arr> {
        arguments!(self).into_iter().copied().collect()
    }

    /// The same arguments, to be replaced.
    pub fn arguments_mut(&mut self) -> Vec<&mut N::Arr> {
        arguments!(self)
    }

    /// The scalar functions of this operation, in order of declaration.
    pub fn functions(&self) -> Vec<InnerFun<&Fun<N>>> {
        functions!(self, parts)
    }

    /// The same functions without their names.
    pub fn funs(&self) -> Vec<&Fun<N>> {
        self.functions()
            .into_iter()
            .map(|inner| inner.fun)
            .collect()
    }

    /// The same functions, to be rewritten.
    pub fn funs_mut(&mut self) -> Vec<&mut Fun<N>> {
        let functions: Vec<InnerFun<&mut Fun<N>>> = functions!(self, parts_mut);
        functions.into_iter().map(|inner| inner.fun).collect()
    }

    /// The arrays this operation reads directly, as arguments or by the functions that capture them; those that are
    /// read inside its blocks not included.
    pub fn operands(&self) -> impl Iterator<Item = N::Arr> {
        let captures = self.funs().into_iter().flat_map(|fun| &fun.captures);
        self.arguments().into_iter().chain(captures.copied())
    }

    /// The arrays that it reads, those inside its blocks included, bound there or not.
    pub fn reads(&self) -> impl Iterator<Item = N::Arr> {
        let inside = self.blocks().into_iter();
        let inside = inside.flat_map(|inner| inner.block.reads());
        self.operands().chain(inside)
    }

    /// The blocks inside this operation, in order of their text.
    pub fn blocks(&self) -> Vec<Inner<&[ArrBind<N>], &AccBlock<N>>> {
        blocks!(self, named, inverse, as_slice)
    }

    /// The same blocks, to be rewritten.
    pub fn blocks_mut(&mut self) -> Vec<Inner<&mut [ArrBind<N>], &mut AccBlock<N>>> {
        blocks!(self, named_mut, inverse_mut, as_mut_slice)
    }
}

impl AccOp<Labelled> {
    /// The arrays that this operation needs, its blocks included.
    pub fn free(&self) -> BTreeSet<ArrId> {
        let mut free: BTreeSet<_> = self.operands().collect();
        for inner in self.blocks() {
            let bound: BTreeSet<_> = inner.binds.iter().map(|bind| bind.name).collect();
            free.extend(inner.block.free().difference(&bound));
        }
        free
    }

    /// Whether this is a loop that asks its test, or without one makes a trip, whatever happens.
    pub fn asks_for_trips(&self) -> bool {
        let Self::Loop { trips, .. } = self else {
            return false;
        };
        let trips = trips.constant_result(0).and_then(Const::as_i32);
        trips.is_some_and(|trips| trips > 0)
    }

    /// Replaces the arrays that the operation reads directly.
    pub fn rename(&mut self, new: &impl Fn(ArrId) -> ArrId) {
        for array in self.arguments_mut() {
            *array = new(*array);
        }
        for fun in self.funs_mut() {
            fun.rename_captures(new);
        }
    }
}

impl<N: Naming> AccOp<N> {
    /// The arrays that a `permute` or a loop starts from; none for other operations.
    pub fn starts(&self) -> &[N::Arr] {
        match self {
            Self::Permute { defaults, .. } => defaults,
            Self::Loop { args, .. } => args,
            Self::Use(_)
            | Self::Generate { .. }
            | Self::Map { .. }
            | Self::Fold { .. }
            | Self::Scan { .. }
            | Self::Move { .. }
            | Self::Unpack { .. }
            | Self::Argsort { .. }
            | Self::FoldSegments { .. }
            | Self::Append { .. }
            | Self::Cond { .. }
            | Self::Derivative { .. }
            | Self::Custom { .. } => &[],
        }
    }

    /// What a `permute` or a loop starts from, with what it makes of that: of the results that it binds.
    pub fn updates<'a>(
        &'a self,
        binds: &'a [ArrBind<N>],
    ) -> impl Iterator<Item = (&'a N::Arr, &'a ArrBind<N>)> {
        // The first result of a loop is the number of its trips.
        let first = usize::from(matches!(self, Self::Loop { .. }));
        self.starts().iter().zip(binds.iter().skip(first))
    }
}

impl<N: Naming> Nested for AccLet<N> {
    fn nested(&self) -> Vec<&[Self]> {
        let blocks = self.op.blocks().into_iter();
        blocks.map(|inner| &inner.block.lets[..]).collect()
    }
}

impl<N: Naming> AccBlock<N> {
    /// The block without code or results.
    pub const EMPTY: Self = Self {
        lets: vec![],
        results: vec![],
    };

    /// All lets, those of blocks inside included, in order of their text: a let comes before what is in it.
    pub fn all_lets(&self) -> impl Iterator<Item = &AccLet<N>> {
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

    /// Calls `visit` on all functions of this block and of those inside.
    pub fn each_fun_mut(&mut self, visit: &mut impl FnMut(&mut Fun<N>)) {
        self.each_block_mut(&mut |block| {
            let ops = block.lets.iter_mut().map(|let_| &mut let_.op);
            ops.flat_map(AccOp::funs_mut).for_each(&mut *visit);
        });
    }

    /// What is bound in this block and in those inside: by lets, and on entry to the blocks inside.
    pub fn bindings(&self) -> impl Iterator<Item = &ArrBind<N>> {
        self.all_lets().flat_map(|let_| {
            let on_entry = let_.op.blocks().into_iter().flat_map(|inner| inner.binds);
            let_.binds.iter().chain(on_entry)
        })
    }

    /// The arrays that this block and those inside read, bound there or not; captures and results are read.
    pub fn reads(&self) -> impl Iterator<Item = N::Arr> {
        self.all_blocks().flat_map(|block| {
            let operands = block.lets.iter().flat_map(|let_| let_.op.operands());
            operands.chain(block.results.iter().copied())
        })
    }
}

impl AccBlock<Labelled> {
    /// The arrays read here that are bound outside.
    pub fn free(&self) -> BTreeSet<ArrId> {
        let mut free: BTreeSet<_> = self.reads().collect();
        for bind in self.bindings() {
            free.remove(&bind.name);
        }
        free
    }

    /// Replaces the arrays that are read here or inside.
    pub fn rename(&mut self, new: &impl Fn(ArrId) -> ArrId) {
        self.each_block_mut(&mut |block| {
            for let_ in &mut block.lets {
                let_.op.rename(new);
            }
            for array in &mut block.results {
                *array = new(*array);
            }
        });
    }
}
