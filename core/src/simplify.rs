//! The simplifier: makes programs smaller and cheaper, and keeps their meaning.
//!
//! Works on the labelled form, before AD, after AD and before fusion. A pass simplifies every scalar
//! function ([`exp`]) and the array code around them ([`acc`]); passes repeat until no rule fires, at most
//! [`MAX_PASSES`] times. Each pass takes time in proportion to the length of the program.
//!
//! Every rule has a name and is counted ([`RuleCounts`]). Rules are *exact*: where the program before has
//! values, the program after has the same, bit for bit, NaN counting as one value, but for the deviations
//! that `exp/float.rs` lists by name (`add_zero`, and with it `permute_nothing` for zeros; `pow_integer`;
//! `pow_minus_one`), for the sign of a zero where a sum has one term that is not (`fold_unit`, `unit_product`), for 0 · ∞ where the
//! 0 is a tangent's by a selection (`unit_product`, see `exp/tangent.rs`), for sums of `f32`, which `permute_clamped` rounds after each of a few terms, and for
//! the order of terms where `permute_symmetric` takes neighbours on both sides together. Failures of elements may disappear where nothing depends on the elements; those that the
//! documentation of an array operation names stay (Note \[Failures\] at [`AccOp`](crate::term::AccOp)). None is
//! added, and code guarded by a conditional stays guarded. Rules applied before AD must not make derivatives worse, which is why
//! there is little speculation.
//!
//! Invariants out: those of [`term`](crate::term); moreover all that is bound is used or may fail, functions are closed
//! but for distinct captures which are all used, and functions equal up to names are equal as terms.

mod acc;
pub mod counts;
pub mod exp;
mod table;
mod tangents;
#[cfg(test)]
pub(crate) mod tests;

pub use counts::RuleCounts;
pub use exp::simplify_fun;

use crate::term::{Labelled, Program};

/// How often the program is gone over at most. Rules enable one another along chains that are short in
/// practice: two or three passes find all, and one more sees that nothing is left.
pub const MAX_PASSES: usize = 10;

/// Simplifies a program; says which rules fired.
///
/// ```
/// use cotangent_core::build::{AccBuilder, Arr};
/// use cotangent_core::term::{ArrId, Fun, Program};
/// use cotangent_core::types::{ArrayType, ScalarType};
/// let x = Arr::new(ArrId(0), ArrayType::new(ScalarType::F64, 1));
/// let mut b = AccBuilder::new(1);
/// let copy = b.map(Fun::identity(&[ScalarType::F64]), std::slice::from_ref(&x));
/// let body = b.finish(&copy);
/// let program = Program { params: vec![x], uses: vec![], alike: Default::default(), body };
/// let (simple, counts) = cotangent_core::simplify::simplify(program);
/// assert!(simple.body.lets.is_empty());
/// assert_eq!(counts.get("map_identity"), 1);
/// ```
pub fn simplify(program: Program<Labelled>) -> (Program<Labelled>, RuleCounts) {
    simplify_with(program, ArrayLoops::ByElement)
}

/// What becomes of loops of array code whose elements have nothing to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayLoops {
    /// One map, with a loop in its function.
    ByElement,
    /// They stay, so that a run can tell of their trips.
    Stay,
}

/// The same, for runs that tell of the trips of loops, and others.
pub fn simplify_with(
    mut program: Program<Labelled>,
    loops: ArrayLoops,
) -> (Program<Labelled>, RuleCounts) {
    let mut counts = RuleCounts::default();
    program = rounds(program, loops, &mut counts);
    if tangents::settle(&mut program, &mut counts) {
        program = rounds(program, loops, &mut counts);
    }
    (program, counts)
}

/// Passes until no rule fires.
fn rounds(
    mut program: Program<Labelled>,
    loops: ArrayLoops,
    counts: &mut RuleCounts,
) -> Program<Labelled> {
    for _ in 0..MAX_PASSES {
        let before = counts.total();
        program = acc::pass(program, loops, counts);
        if counts.total() == before {
            break;
        }
    }
    program
}

/// Keeps the elements at the positions where `wanted` holds.
fn keep<T>(xs: &mut Vec<T>, wanted: &[bool]) {
    let mut wanted = wanted.iter();
    xs.retain(|_| wanted.next().copied().unwrap_or(true));
}
