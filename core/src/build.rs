//! Builders of labelled terms: open let-stacks with a hole, as in §3.4.3 of paper 003.
//!
//! [`FunBuilder`] makes scalar functions, [`AccBuilder`] array blocks. Both give out fresh labels, infer the
//! types of what is pushed and never fail: on ill-typed operands they guess, and the checker, which runs
//! after every pass, names the pass that pushed them.

mod acc;
mod fun;
#[cfg(test)]
mod tests;

pub use acc::AccBuilder;
pub use fun::FunBuilder;

use crate::term::{ArrBind, ArrId, Labelled};
use crate::types::ArrayType;

/// A labelled array variable with its type.
pub type Arr = ArrBind<Labelled>;

impl ArrBind<Labelled> {
    /// The variable `name` of type `ty`.
    pub fn new(name: ArrId, ty: ArrayType) -> Self {
        Self { name, ty }
    }
}
