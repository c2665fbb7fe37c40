//! The syntax of programs, generic over how variables are named.
//!
//! One definition serves both forms of the core language:
//!
//! * [`DeBruijn`]: a variable is its distance from its binder. The official form: what is printed, hashed,
//!   stored and compared; equal up to renaming means equal.
//! * [`Labelled`]: every binding has a unique label, so code can be moved without shifting anything. What
//!   the simplifier, AD, fusion and the interpreter work on. `label` and `unlabel` convert (`label.rs`).
//!
//! The language is stratified as in Fig. 1 of paper 003: *arrays* ([`AccBlock`], [`AccOp`]) contain
//! *scalar functions* ([`Fun`]), which contain *expressions* ([`ExpBlock`], [`ExpOp`]). Both strata are in
//! A-normal form: a block is a stack of lets and a list of results, every operand is a variable. So depth
//! of the user's expressions becomes length of a block, and no traversal recurses over it.
//!
//! There are no tuples: a let binds as many variables as its operation has results, and an array of tuples
//! is several arrays of one shape. A [`Fun`] is closed but for the arrays in its capture list.
//!
//! `visit.rs` answers what is inside of an operation or a block, for passes that need no more than that; `moves.rs` what passes
//! ask of operations that only move elements.
//!
//! The prose on each variant is the language reference: typing, evaluation, failure.

mod acc;
mod alike;
mod exp;
mod mode;
mod moves;
mod naming;
mod rules;
mod states;
mod visit;

pub use acc::{
    AccBlock, AccClosure, AccLet, AccOp, ArrBind, Axis, Combine, Direction, LoopClosures, Outside,
    Program, SortOrder, UseId,
};
pub use alike::{Alike, ParamAxis};
pub use exp::{ExpBind, ExpBlock, ExpClosure, ExpLet, ExpOp, Fun, Slot};
pub use mode::Mode;
pub use moves::{Move, MoveFails, MovePart, MoveReads};
pub use naming::{ArrId, ArrIx, DeBruijn, ExpId, ExpIx, Labelled, Naming};
pub use rules::Rules;
pub use states::States;
pub use visit::{Inner, InnerFun, MapAcc, MapExp, Runs};
