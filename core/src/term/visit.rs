//! What is inside of operations and blocks: the variables they read, their functions, their blocks with what these
//! bind, and all that for blocks in blocks.
//!
//! For each operation of both strata, these questions are answered here and nowhere else, so a pass that needs no
//! more than the answers works for every operation, those to come included. A pass that depends on what an operation
//! *means* matches on it and lists all variants, so that it fails to compile when there is one more.
//!
//! | question | of arrays ([`AccOp`], [`AccBlock`]) | of scalars ([`ExpOp`], [`ExpBlock`]) |
//! |---|---|---|
//! | what an operation reads itself | `operands`: `arguments`, `arguments_mut` and captures | `operands`, `operands_mut`; `slot`, `slot_mut` |
//! | its scalar functions | `functions`, `funs`, `funs_mut` | |
//! | its blocks | `blocks`, `blocks_mut` | `blocks`, `blocks_mut` |
//! | a copy of the same form | `map` | `map` |
//! | all lets, blocks in blocks included | `all_lets`, `each_block_mut` | `all_lets`, `each_block_mut` |
//! | all that is read inside, or bound | `reads`, `bindings` | `reads`, `bindings`, `slots` |
//! | all that is free in it | `free` | `free` |
//! | other names for what is read | `rename` | `rename`, `renumber`; [`Fun::rename_captures`], [`Fun::clean_captures`] |
//!
//! Scope: a block sees all that is bound around it, and what it binds on entry ([`Inner::binds`]); nobody else sees
//! that. A scalar function sees its parameters only, and arrays by its captures. So free scalars are those of one
//! function, and the arrays free in a block include the captures of all functions in it.
//!
//! What binders bind matters for [`free`](ExpBlock::free) alone: labels are unique, so renaming what is read needs no
//! regard for scope, and is there for the labelled form only.

mod acc;
mod exp;
mod parts;
#[cfg(test)]
mod tests;

pub use exp::MapExp;
pub use parts::MapAcc;

use super::MovePart;
#[cfg(doc)]
use super::{AccBlock, AccOp, ExpBlock, ExpOp, Fun};

/// How often a function or a block inside of an operation runs where the operation runs.
///
/// What runs [`Once`](Self::Once) can be relied on: what it computes could be computed outside of it. Of
/// [`Alternative`](Self::Alternative)s that holds for what all compute. Of what runs
/// [`Repeatedly`](Self::Repeatedly), nothing may be moved outside that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Runs {
    /// Once, whenever the operation does.
    Once,
    /// Once, or one of the other alternatives of the operation does.
    Alternative,
    /// Any number of times, perhaps never.
    Repeatedly,
}

/// A scalar function of an array operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InnerFun<F> {
    /// What it is called in the text of programs.
    pub name: &'static str,
    /// How often it runs.
    pub runs: Runs,
    /// The function.
    pub fun: F,
}

/// A block inside of an operation of the same stratum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inner<Binds, Block> {
    /// What it is called in the text of programs.
    pub name: &'static str,
    /// How often it runs.
    pub runs: Runs,
    /// The variables that it binds on entry.
    pub binds: Binds,
    /// The block.
    pub block: Block,
}

/// Functions of an operation by their names.
fn named<F, const K: usize>(funs: [(&'static str, Runs, F); K]) -> Vec<InnerFun<F>> {
    let fun = |(name, runs, fun)| InnerFun { name, runs, fun };
    funs.into_iter().map(fun).collect()
}

/// A function of a move.
fn part<F>(part: MovePart<F, F>) -> InnerFun<F> {
    let (name, runs, fun) = match part {
        MovePart::Closed(name, fun) => (name, Runs::Once, fun),
        MovePart::OfIndex(name, fun) => (name, Runs::Repeatedly, fun),
    };
    InnerFun { name, runs, fun }
}

/// The two blocks of a conditional.
fn branches<Binds: Default, Block>(then_: Block, else_: Block) -> Vec<Inner<Binds, Block>> {
    let branch = |(name, block)| Inner {
        name,
        runs: Runs::Alternative,
        binds: Binds::default(),
        block,
    };
    [("then", then_), ("else", else_)].map(branch).into()
}

/// The block of a gradient.
fn body<Binds, Block>(binds: Binds, block: Block) -> Vec<Inner<Binds, Block>> {
    vec![Inner {
        name: "body",
        runs: Runs::Once,
        binds,
        block,
    }]
}

/// A closure of a loop, or a rule, which runs for derivatives only.
fn closure<Binds, Block>(name: &'static str, binds: Binds, block: Block) -> Inner<Binds, Block> {
    Inner {
        name,
        runs: Runs::Repeatedly,
        binds,
        block,
    }
}

/// A let with blocks inside, of either stratum.
trait Nested: Sized {
    /// The lets of each block.
    fn nested(&self) -> Vec<&[Self]>;
}

/// Lets in order of their text, each before those inside of it.
struct AllLets<'a, Let> {
    /// What is left of the blocks at hand, innermost last.
    open: Vec<std::slice::Iter<'a, Let>>,
}

impl<'a, Let> AllLets<'a, Let> {
    fn of(lets: &'a [Let]) -> Self {
        Self {
            open: vec![lets.iter()],
        }
    }
}

impl<'a, Let: Nested> Iterator for AllLets<'a, Let> {
    type Item = &'a Let;

    fn next(&mut self) -> Option<&'a Let> {
        while let Some(lets) = self.open.last_mut() {
            if let Some(let_) = lets.next() {
                let nested = let_.nested().into_iter().rev();
                self.open.extend(nested.map(|lets| lets.iter()));
                return Some(let_);
            }
            self.open.pop();
        }
        None
    }
}
