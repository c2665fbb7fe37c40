//! Differentiation of scalar functions (§3.5 of paper 003).
//!
//! The dual of a block is built by walking its lets backwards. What it needs of the primal it refers to by
//! name; a conditional exports what is bound inside its branches. Array operations use [`Dual`], the
//! derivative of a whole function; `gradient_e` is replaced in place by [`eliminate`].

mod activity;
mod cond;
mod dual;
mod entries;
mod forward;
mod gradient;
mod guard;
mod jvp;
mod looping;
mod prim;
mod reverse;
mod roots;
mod trim;

pub(crate) use activity::active_results;
pub(crate) use dual::{Dual, Seeds, Site};
pub(crate) use entries::{Entries, Ops};
pub(crate) use gradient::eliminate;
pub(crate) use guard::{Form, Singular, guarded, guarded_product};
pub(crate) use jvp::with_tangents;
pub(crate) use looping::LoopsToLift;
pub(crate) use prim::picks_first;
pub(crate) use reverse::builder_beside;
pub(crate) use trim::{drop_unused_params, trim};
