//! Differentiation of array programs: the dual phase (§3.4.4 of paper 003), one file per construct.

mod activity;
mod append;
mod cond;
mod contributions;
mod coupled;
mod custom;
mod elementwise;
mod extremum;
mod fold;
mod forward;
mod in_order;
mod layout;
mod lifted;
mod linear;
mod looping;
mod moves;
mod permute;
mod product;
mod recurrence;
mod replicate;
mod reverse;
mod scan;
mod site;
mod slice;
mod two_sided;

pub(crate) use custom::fitted;
pub(crate) use forward::Forward;
pub(crate) use reverse::Reverse;
