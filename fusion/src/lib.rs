//! Fusion: from labelled programs to schedules of kernels.
//!
//! [`schedule`] goes once through a program, which contains no gradients any more (`lower.rs`), and decides for each
//! array whether it is kept in memory or *delayed*: computed wherever an element is read (`decide.rs`, by the
//! rules of `cost.rs`; `uses.rs` counts the readers). What must be kept becomes a kernel: a map, or what `fold.rs`,
//! `scatter.rs` and `join.rs` make; `conditional.rs` and `aloop.rs` have the steps with steps inside. There are four layers,
//! each of which knows of those before it alone:
//!
//! * *parts*, each with a state of its own: scalar code that is simplified as it is built (`code.rs`, `algebra.rs`, `facts.rs`,
//!   `looping.rs`, `positions.rs`) and once more when it is complete (`refine.rs`, `strength.rs`); steps, and what the host must
//!   know before each (`steps.rs`); which arrays share memory (`memory.rs`) and why they have any (`reasons.rs`); the places that
//!   errors name (`sites.rs`); maps that wait for others over their space, to share a kernel (`groups.rs`);
//! * the *draft* of the schedule, which is all of these (`draft.rs`), and the *environment*: what is known of the arrays of the
//!   program (`env.rs`);
//! * the *inliner*, which reads the environment and writes the code of elements into the draft, that of all delayed producers
//!   inside of it (`inline.rs`, `element.rs`, `moves.rs`, `combine.rs`; `padded.rs` and `inside.rs` have elements of what is padded
//!   with zeros, and tests of their indices);
//! * the *driver*, which goes over operations and changes both (`lower.rs` and the files of kernels and control).
//!
//! `results.rs` and `shapes.rs` have extents of results and checks, `inputs.rs` what a program is given, `contract.rs` finds
//! matrix products, and
//! `finish.rs` numbers what is left. Then come the passes of `passes.rs`, each by its name: `dead_stores.rs` leaves out what a loop writes anew, `layout_permutation.rs` has sums
//! written in the order of their copies, `distribution.rs` takes sums of several matrix products apart, `reassociation.rs` adds up sums of sums in the better order, `horizontal.rs` lets
//! reductions that read the same share a kernel, `strip.rs` lets kernels that share a dimension run chunk by chunk over it,
//! and `structure.rs` finds the triangles and bands in contractions.
//!
//! The schedule gives the values that the program has. It may succeed where the program fails, because what
//! nobody needs is not computed; it fails only where the program does.

mod algebra;
mod aloop;
mod code;
mod combine;
mod conditional;
mod contract;
mod cost;
mod dead_stores;
mod decide;
mod distribution;
mod draft;
mod element;
mod env;
mod facts;
mod finish;
mod fold;
mod groups;
mod horizontal;
mod in_place;
mod inline;
mod inputs;
mod inside;
mod join;
mod layout_permutation;
mod looping;
mod lower;
mod memory;
mod moves;
mod padded;
mod passes;
mod positions;
mod readers;
mod reasons;
mod reassociation;
mod refine;
mod results;
mod scatter;
mod segments;
mod shapes;
mod sites;
mod slice;
mod sort;
mod steps;
mod strength;
mod strip;
mod structure;
#[cfg(test)]
mod tests;
mod uses;
mod visit;
mod zeros;

use cotangent_core::backend::Site;
use cotangent_core::schedule::check::ScheduleError;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::schedule::{ArrayId, Schedule};
use cotangent_core::segments::with_simple_segments;
use cotangent_core::term::{AccBlock, AccLet, AccOp, ExpOp, Fun, Labelled, Program};
use std::collections::BTreeMap;

/// What fusion may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Whether anything is delayed at all. Without, every array that the program names is in memory and has
    /// a kernel of its own: the oracle for the other setting.
    pub fuse: bool,
    /// Whether folds of products become contractions; only where `fuse` holds.
    pub contract: bool,
    /// Whether reductions that read the same share a kernel; only where `fuse` holds.
    pub horizontal: bool,
    /// Whether kernels that share a dimension run chunk by chunk over it; only where `fuse` holds.
    pub strip: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            fuse: true,
            contract: true,
            horizontal: true,
            strip: true,
        }
    }
}

impl Options {
    /// The same without contractions.
    pub fn without_contractions(self) -> Self {
        Self {
            contract: false,
            ..self
        }
    }

    /// The same with a kernel for each reduction.
    pub fn without_horizontal_fusion(self) -> Self {
        Self {
            horizontal: false,
            ..self
        }
    }

    /// The same without strips.
    pub fn without_strips(self) -> Self {
        Self {
            strip: false,
            ..self
        }
    }

    /// Every array in memory, every operation a kernel.
    pub fn unfused() -> Self {
        Self {
            fuse: false,
            contract: false,
            horizontal: false,
            strip: false,
        }
    }
}

/// Why a program has no schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FusionError {
    /// Differentiation comes first.
    #[error("{site} is still in the program: differentiate it (`cotangent_ad`) before scheduling")]
    Gradient {
        /// The gradient.
        site: Site,
    },
    /// A pass made a schedule that breaks a rule: a defect of this library.
    #[error("the pass `{pass}`: {error}")]
    IllFormed {
        /// The pass, one of [`stages`].
        pass: &'static str,
        /// The rule, and where it is broken.
        error: Box<ScheduleError>,
    },
    /// A fold or scan whose operator looks something up.
    #[error(
        "{site}: the operator of a fold or scan reads an array at an index that depends on its operands, \
         which kernels cannot do; look the element up in a `map` before, and combine what was found"
    )]
    OperatorLoad {
        /// The access.
        site: Site,
    },
}

/// What was done to make a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How often each rewrite was applied, by name.
    pub fired: BTreeMap<&'static str, usize>,
    /// Why the arrays of the schedule that kernels write, or that conditionals define, are in memory.
    pub kept: BTreeMap<ArrayId, Kept>,
}

/// The schedule of a program.
///
/// Conditionals nested deeply need a deep stack (`cotangent_core::deep`).
///
/// # Errors
/// Where the program contains a gradient or an operator that kernels cannot run.
pub fn schedule(program: &Program<Labelled>, options: &Options) -> Result<Schedule, FusionError> {
    schedule_with_report(program, options).map(|(schedule, _)| schedule)
}

/// The schedule of a program, and what was done to make it.
///
/// # Errors
/// As for [`schedule`].
pub fn schedule_with_report(
    program: &Program<Labelled>,
    options: &Options,
) -> Result<(Schedule, Report), FusionError> {
    schedule_observed(program, options, &mut |_, _| {})
}

/// The same; calls `observe` on what lowering makes, and on the schedule after each pass, with a name of [`stages`].
///
/// # Errors
/// As for [`schedule`].
pub fn schedule_observed(
    program: &Program<Labelled>,
    options: &Options,
    observe: &mut dyn FnMut(&'static str, &Schedule),
) -> Result<(Schedule, Report), FusionError> {
    match gradient(&program.body) {
        Some(site) => Err(FusionError::Gradient { site }),
        None => lower::program(&with_simple_segments(program), *options, observe),
    }
}

/// The names of lowering and of all passes over schedules, in order.
pub fn stages() -> impl Iterator<Item = &'static str> {
    let passes = passes::PASSES.iter().map(|pass| pass.name);
    std::iter::once(passes::LOWERING).chain(passes)
}

/// The first gradient in a block.
fn gradient(block: &AccBlock<Labelled>) -> Option<Site> {
    block.all_lets().find_map(|AccLet { binds: _, op, loc }| {
        let own = matches!(op, AccOp::Derivative { .. } | AccOp::Custom { .. }).then(|| Site {
            construct: op.name(),
            loc: *loc,
        });
        own.or_else(|| op.funs().into_iter().find_map(exp_gradient))
    })
}

fn exp_gradient(fun: &Fun<Labelled>) -> Option<Site> {
    let mut lets = fun.body.all_lets();
    lets.find_map(|let_| match &let_.op {
        ExpOp::Derivative { mode, .. } => Some(Site {
            construct: mode.exp_name(),
            loc: let_.loc,
        }),
        ExpOp::WithPartials(_) => Some(Site {
            construct: "custom_jvp_e",
            loc: let_.loc,
        }),
        ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Index { .. } | ExpOp::Extent { .. } => None,
        ExpOp::Cond { .. } | ExpOp::Loop { .. } => None,
    })
}
