//! From the de Bruijn form to the labelled form and back.
//!
//! [`label`] numbers bindings in order of evaluation: arrays from 0 throughout the program, scalars from 0
//! in each function, parameters first; what a block inside an operation binds comes before what the
//! operation's let binds. [`unlabel`] forgets the labels. `unlabel(label(p)) == p` for every `p`, source
//! locations included; `label(unlabel(p))` is `p` up to renaming.
//!
//! Both are total: a variable that is bound nowhere becomes one that is bound nowhere (so the identity
//! holds for ill-scoped programs too), which the [checker](crate::check) reports. Linear time; nested
//! blocks recurse.

mod number;
#[cfg(test)]
pub(crate) mod samples;
mod scope;
#[cfg(test)]
mod tests;

pub use number::Numbered;
pub use scope::Scope;

use crate::term::{
    AccBlock, AccLet, ArrBind, DeBruijn, ExpBind, ExpBlock, ExpLet, Fun, Labelled, MapAcc, MapExp,
    Program, Slot,
};
use std::marker::PhantomData;

/// Gives every binding a label.
pub fn label(program: &Program<DeBruijn>) -> Program<Labelled> {
    Converter::<_, _, Labels>::default().program(program)
}

/// Replaces labels by distances.
pub fn unlabel(program: &Program<Labelled>) -> Program<DeBruijn> {
    Converter::<_, _, Distances>::default().program(program)
}

/// How names of one stratum are converted.
trait Renaming: Default {
    /// Enters a variable; gives the label for its binder, where that has one.
    fn bind(&mut self, label: Option<u32>) -> u32;
    /// The new name of a variable in use.
    fn rename(&self, number: u32) -> u32;
    fn depth(&self) -> usize;
    fn leave(&mut self, depth: usize);
}

/// From distances to labels.
#[derive(Default)]
struct Labels {
    scope: Scope<u32>,
    next: u32,
}

impl Renaming for Labels {
    fn bind(&mut self, _: Option<u32>) -> u32 {
        let label = self.next;
        self.next += 1;
        self.scope.bind(None, label);
        label
    }

    /// Variables beyond the outermost binder are counted down from the largest label.
    fn rename(&self, index: u32) -> u32 {
        let beyond = || u32::MAX - (index - self.scope.depth() as u32);
        self.scope.at_index(index).copied().unwrap_or_else(beyond)
    }

    fn depth(&self) -> usize {
        self.scope.depth()
    }

    fn leave(&mut self, depth: usize) {
        self.scope.leave(depth);
    }
}

/// From labels to distances.
#[derive(Default)]
struct Distances {
    scope: Scope<()>,
}

impl Renaming for Distances {
    fn bind(&mut self, label: Option<u32>) -> u32 {
        self.scope.bind(label, ());
        label.unwrap_or_default()
    }

    fn rename(&self, label: u32) -> u32 {
        let depth = self.scope.depth() as u32;
        match self.scope.level(label) {
            Some(level) => depth - 1 - level as u32,
            None => depth.saturating_add(u32::MAX - label),
        }
    }

    fn depth(&self) -> usize {
        self.scope.depth()
    }

    fn leave(&mut self, depth: usize) {
        self.scope.leave(depth);
    }
}

/// Rebuilds a program with other names.
struct Converter<From, To, R> {
    arrays: R,
    scalars: R,
    direction: PhantomData<(From, To)>,
}

impl<From, To, R: Renaming> Default for Converter<From, To, R> {
    fn default() -> Self {
        Self {
            arrays: R::default(),
            scalars: R::default(),
            direction: PhantomData,
        }
    }
}

impl<From: Numbered, To: Numbered, R: Renaming> Converter<From, To, R> {
    fn program(&mut self, program: &Program<From>) -> Program<To> {
        let Program {
            params,
            uses,
            alike,
            body,
        } = program;
        Program {
            params: self.arr_binds(params),
            uses: uses.clone(),
            alike: alike.clone(),
            body: self.acc_block(body),
        }
    }

    fn arrs(&mut self, names: &[From::Arr]) -> Vec<To::Arr> {
        names.iter().map(|&name| self.arr(name)).collect()
    }

    fn arr_binds(&mut self, binds: &[ArrBind<From>]) -> Vec<ArrBind<To>> {
        let bind = |b: &ArrBind<From>| ArrBind {
            name: To::bind_arr(self.arrays.bind(From::arr_label(b.name))),
            ty: b.ty,
        };
        binds.iter().map(bind).collect()
    }

    fn acc_block(&mut self, block: &AccBlock<From>) -> AccBlock<To> {
        let AccBlock { lets, results } = block;
        let depth = self.arrays.depth();
        let converted = AccBlock {
            lets: lets.iter().map(|l| self.acc_let(l)).collect(),
            results: self.arrs(results),
        };
        self.arrays.leave(depth);
        converted
    }

    fn acc_let(&mut self, let_: &AccLet<From>) -> AccLet<To> {
        let AccLet { binds, op, loc } = let_;
        let op = op.map(self);
        AccLet {
            binds: self.arr_binds(binds),
            op,
            loc: *loc,
        }
    }

    fn exps(&mut self, names: &[From::Exp]) -> Vec<To::Exp> {
        names.iter().map(|&name| self.exp(name)).collect()
    }

    fn exp_binds(&mut self, binds: &[ExpBind<From>]) -> Vec<ExpBind<To>> {
        let bind = |b: &ExpBind<From>| ExpBind {
            name: To::bind_exp(self.scalars.bind(From::exp_label(b.name))),
            ty: b.ty,
        };
        binds.iter().map(bind).collect()
    }

    fn exp_block(&mut self, block: &ExpBlock<From>) -> ExpBlock<To> {
        let ExpBlock { lets, results } = block;
        let depth = self.scalars.depth();
        let converted = ExpBlock {
            lets: lets.iter().map(|l| self.exp_let(l)).collect(),
            results: self.exps(results),
        };
        self.scalars.leave(depth);
        converted
    }

    fn exp_let(&mut self, let_: &ExpLet<From>) -> ExpLet<To> {
        let ExpLet { binds, op, loc } = let_;
        let op = op.map(self);
        ExpLet {
            binds: self.exp_binds(binds),
            op,
            loc: *loc,
        }
    }
}

impl<From: Numbered, To: Numbered, R: Renaming> MapAcc<From, To> for Converter<From, To, R> {
    fn arr(&mut self, name: From::Arr) -> To::Arr {
        To::arr_named(self.arrays.rename(From::arr(name)))
    }

    fn fun(&mut self, fun: &Fun<From>) -> Fun<To> {
        let Fun {
            captures,
            params,
            body,
        } = fun;
        self.scalars = R::default();
        Fun {
            captures: self.arrs(captures),
            params: self.exp_binds(params),
            body: self.exp_block(body),
        }
    }

    fn block(
        &mut self,
        binds: &[ArrBind<From>],
        block: &AccBlock<From>,
    ) -> (Vec<ArrBind<To>>, AccBlock<To>) {
        let depth = self.arrays.depth();
        let converted = (self.arr_binds(binds), self.acc_block(block));
        self.arrays.leave(depth);
        converted
    }
}

impl<From: Numbered, To: Numbered, R: Renaming> MapExp<From, To> for Converter<From, To, R> {
    fn exp(&mut self, name: From::Exp) -> To::Exp {
        To::exp_named(self.scalars.rename(From::exp(name)))
    }

    fn slot(&mut self, slot: Slot) -> Slot {
        slot
    }

    fn block(
        &mut self,
        binds: &[ExpBind<From>],
        block: &ExpBlock<From>,
    ) -> (Vec<ExpBind<To>>, ExpBlock<To>) {
        let depth = self.scalars.depth();
        let converted = (self.exp_binds(binds), self.exp_block(block));
        self.scalars.leave(depth);
        converted
    }
}
