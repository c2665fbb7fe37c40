//! Running one kernel: the choice of its loops, and how the work is shared out.
//!
//! The choice depends on the program and the extents, never on threads or the instruction set, so that
//! the order in which values are combined does not either.

mod border;
mod choice;
mod combine;
mod fold;
mod folder;
mod map;
mod parts;
mod products;
mod ranges;
mod scan;
mod scatter;
mod segments;
mod sequence;
mod share;
mod sort;
mod space;
mod wide;

pub(crate) use parts::{OperatorParts, combine_arrays};
pub(crate) use share::share;
pub(crate) use space::lanes_for;

use crate::code::{Code, MAX_COORDS, Nest, Stores, Wanted, compile};
use crate::contract::{Contraction, Outcome, Start};
use crate::isa::Target;
use crate::machine::coords::product;
use crate::machine::{ArrayRef, failure::FailureCell};
use crate::memory::OutRef;
use crate::passes::Team;
use combine::OperatorCode;
use cotangent_core::backend::{RunError, Site};
use cotangent_core::constant::Const;
use cotangent_core::schedule::associative::Suspect;
use cotangent_core::schedule::{
    ArrayDecl, ArrayId, Body, Kernel, KernelKind, Operator, Output, Role, SymbolId, ValueId,
};
use products::Terms;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// A kernel made ready to run.
#[derive(Debug)]
pub(crate) struct KernelCode {
    /// The kernel.
    pub kernel: Kernel,
    /// Its position among the kernels of the schedule.
    pub number: usize,
    /// Its body under each nest that can be chosen; compiled when first considered.
    variants: Vec<Variant>,
    /// The variant for the ends of a map's rows.
    across: Option<Variant>,
    /// The operator of a fold.
    folded: Option<OperatorParts>,
    /// The operator of a scan.
    scanned: Option<OperatorCode>,
    /// The operator of a fold or scan, unless it is known to be associative.
    pub suspect: Option<Suspect>,
    /// The factors, of folds that add products.
    factors: Option<[ValueId; 2]>,
    /// The same where it has several results.
    terms: Terms,
    /// Where the values of maps go.
    stores: Stores,
    /// The form of contractions that is not a fold.
    contraction: Option<Contraction>,
    /// The results that are computed as wider ones, if there are any.
    wide: Option<Vec<bool>>,
    target: Target,
}

#[derive(Debug)]
struct Variant {
    nest: Nest,
    code: OnceLock<Option<Code>>,
}

/// What a kernel runs on.
pub(crate) struct Launch<'a> {
    /// The symbols' values.
    pub symbols: &'a [Const],
    /// Gives access to an array that is read.
    pub read: &'a (dyn Fn(ArrayId) -> Result<ArrayRef, RunError> + Sync),
    /// The outputs, in the kernel's order.
    pub outputs: &'a [OutRef],
    /// The extents of the outputs of a scatter.
    pub target_extents: &'a [i64],
    /// The threads to share the work among.
    pub team: Team<'a>,
    /// Where failures go.
    pub failure: &'a FailureCell,
}

/// The value of an `i32` symbol; 0 for another type, which checked schedules do not have there.
pub(crate) fn int(symbols: &[Const], symbol: SymbolId) -> i64 {
    let number = symbols[symbol.index()].as_integer();
    number.map_or(0, |number| number as i64)
}

/// The error for something that the checker has excluded.
pub(crate) fn bug(what: &str) -> RunError {
    RunError::Bug(what.to_string())
}

impl KernelCode {
    /// Prepares a kernel, number so and so of its schedule, that works on the given arrays, some of which nobody reads.
    ///
    /// # Errors
    /// Where it has more coordinates than a set can hold.
    pub fn new(
        target: Target,
        (number, kernel): (usize, &Kernel),
        (arrays, unread): (&[ArrayDecl], &BTreeSet<ArrayId>),
    ) -> Result<Self, RunError> {
        let suspect = operator_of(kernel).and_then(Suspect::of);
        let (kernel, wide) = match wide::widened(kernel) {
            Some((wide, which)) => (Cow::Owned(wide), Some(which)),
            None => (Cow::Borrowed(kernel), None),
        };
        let kernel = kernel.as_ref();
        let (folded, scanned) = operators(target, kernel, unread)?;
        let has_loops = folded.as_ref().is_some_and(OperatorParts::has_loops);
        let nests = choice::nests(kernel, has_loops);
        if nests.iter().any(|nest| nest.coords > MAX_COORDS) {
            return Err(RunError::Unsupported {
                what: format!("a kernel of more than {MAX_COORDS} dimensions"),
                engine: "the CPU backend".to_string(),
                way_out: "use arrays of a lower rank".to_string(),
            });
        }
        let variant = |nest| Variant {
            nest,
            code: OnceLock::new(),
        };
        Ok(Self {
            kernel: kernel.clone(),
            number,
            variants: nests.into_iter().map(variant).collect(),
            across: border::across(kernel),
            folded,
            scanned,
            suspect,
            factors: products::factors(kernel),
            terms: Terms::of(kernel),
            stores: Stores::new(kernel.outputs(), arrays),
            contraction: Contraction::new(target, kernel),
            wide,
            target,
        })
    }

    /// The operation that gave the kernel its form.
    pub fn site(&self) -> Site {
        Site {
            construct: self.kernel.name,
            loc: self.kernel.loc,
        }
    }

    /// Whether the kernel writes into arrays that are there already.
    pub fn is_scatter(&self) -> bool {
        match self.kernel.kind {
            KernelKind::Scatter { .. } => true,
            KernelKind::Map { .. }
            | KernelKind::Reduce { .. }
            | KernelKind::Segments { .. }
            | KernelKind::Contract { .. }
            | KernelKind::Scan { .. }
            | KernelKind::Sort { .. } => false,
        }
    }

    /// All extents, those of the space first.
    pub fn extents(&self, symbols: &[Const]) -> Vec<i64> {
        let all = self.kernel.space.iter().chain(self.kernel.inner());
        all.map(|&s| int(symbols, s)).collect()
    }

    /// The work of a launch: points times instructions.
    pub fn size(&self, symbols: &[Const]) -> usize {
        let mut extents = self.extents(symbols);
        if let KernelKind::Segments { .. } = self.kernel.kind {
            // All segments of a row have its elements together.
            extents.remove(self.kernel.space.len() - 1);
        }
        let points = product(&extents).unwrap_or(i64::MAX) as usize;
        points.saturating_mul(self.kernel.body().len().max(1))
    }

    /// The number of elements that each output receives.
    ///
    /// # Errors
    /// Where that cannot be counted.
    pub fn results(&self, symbols: &[Const]) -> Result<i64, RunError> {
        let mut extents = self.extents(symbols);
        match &self.kernel.kind {
            KernelKind::Map { .. } | KernelKind::Sort { .. } | KernelKind::Scatter { .. } => {}
            KernelKind::Reduce { .. }
            | KernelKind::Segments { .. }
            | KernelKind::Contract { .. } => {
                extents.truncate(self.kernel.space.len());
            }
            KernelKind::Scan { init, .. } => {
                if let (Some(last), Some(_)) = (extents.last_mut(), init) {
                    *last += 1;
                }
            }
        }
        product(&extents).ok_or_else(|| bug("an index space has too many points"))
    }

    /// Runs the kernel, from other initial values than its own if they are given; failures go to the launch's
    /// cell.
    ///
    /// # Errors
    /// Where memory for partial results cannot be had, and for defects of the schedule.
    pub fn run(&self, launch: &Launch, init: Option<&[Const]>) -> Result<(), RunError> {
        if self.results(launch.symbols)? == 0 {
            return Ok(());
        }
        let own = self.init(launch.symbols);
        let init = init.or(own.as_deref());
        let Some(is_wide) = &self.wide else {
            return self.run_from(launch, init);
        };
        let init = init.map(|init| wide::wide_init(init, is_wide));
        let run = |launch: &Launch| self.run_from(launch, init.as_deref());
        wide::run_wide(self.target.isa, launch, is_wide, run)
    }

    /// Runs the kernel from initial values, if it has some.
    fn run_from(&self, launch: &Launch, init: Option<&[Const]>) -> Result<(), RunError> {
        let extents = self.extents(launch.symbols);
        let rank = self.kernel.space.len();
        match &self.kernel.kind {
            KernelKind::Map { .. } => self.map(launch, &extents),
            KernelKind::Reduce { .. } => self.fold(launch, &extents, rank, init),
            KernelKind::Segments { site, .. } => self.segments(launch, &extents, *site, init),
            KernelKind::Contract { .. } => {
                let first = init.and_then(|init| init.first().copied());
                let outcome = match &self.contraction {
                    Some(contraction) => contraction.run(launch, &extents, Start::At(first))?,
                    None => Outcome::AsFold,
                };
                match outcome {
                    Outcome::Done => Ok(()),
                    Outcome::AsFold => self.fold(launch, &extents, rank, init),
                }
            }
            KernelKind::Scan { direction, .. } => self.scan(launch, &extents, *direction, init),
            KernelKind::Sort { order, output, .. } => {
                self.sort(launch, &extents, (*order, *output))
            }
            KernelKind::Scatter { site, combine, .. } => {
                self.scatter(launch, &extents, *site, *combine)
            }
        }
    }

    /// Whether results can be combined with what is there by an operator: it must be the kernel's own.
    pub fn combines_by(&self, operator: &Operator) -> bool {
        match &self.kernel.kind {
            KernelKind::Contract { semiring, .. } => operator.as_prim() == Some(semiring.plus()),
            KernelKind::Map { .. }
            | KernelKind::Reduce { .. }
            | KernelKind::Segments { .. }
            | KernelKind::Scan { .. }
            | KernelKind::Sort { .. }
            | KernelKind::Scatter { .. } => false,
        }
    }

    /// Combines what the outputs hold with the results. Whether that was done: where not, nothing was.
    ///
    /// # Errors
    /// For defects of the schedule.
    pub fn run_onto(&self, launch: &Launch) -> Result<bool, RunError> {
        let Some(contraction) = &self.contraction else {
            return Ok(false);
        };
        if self.results(launch.symbols)? == 0 {
            return Ok(true);
        }
        let extents = self.extents(launch.symbols);
        let outcome = contraction.run(launch, &extents, Start::Onto)?;
        Ok(outcome == Outcome::Done)
    }

    /// The initial values.
    pub fn init(&self, symbols: &[Const]) -> Option<Vec<Const>> {
        let init: &[SymbolId] = match &self.kernel.kind {
            KernelKind::Map { .. } | KernelKind::Sort { .. } | KernelKind::Scatter { .. } => {
                return None;
            }
            KernelKind::Reduce { init, .. } | KernelKind::Scan { init, .. } => init.as_ref()?,
            KernelKind::Segments { init, .. } => init,
            KernelKind::Contract { init, .. } => std::slice::from_ref(init.as_ref()?),
        };
        Some(init.iter().map(|s| symbols[s.index()]).collect())
    }

    /// Whether a contraction has no second matrix. It is run as a fold always, and takes numbers that make
    /// arithmetic slow for zeros there.
    fn is_matrix_vector(&self) -> bool {
        match &self.kernel.kind {
            KernelKind::Contract { roles, .. } => {
                !roles.contains(&Role::Left) || !roles.contains(&Role::Right)
            }
            KernelKind::Map { .. }
            | KernelKind::Reduce { .. }
            | KernelKind::Segments { .. }
            | KernelKind::Scan { .. }
            | KernelKind::Sort { .. }
            | KernelKind::Scatter { .. } => false,
        }
    }

    /// The terms of the code under a nest, if it gives such: where lanes are combined with each other.
    fn terms(&self, nest: &Nest) -> Option<&Terms> {
        let is_over_lanes = nest.seq.is_empty() && nest.lane.start >= self.kernel.space.len();
        Some(&self.terms).filter(|terms| is_over_lanes && !terms.is_empty())
    }

    /// The values of the body that are wanted under a nest.
    fn wanted(&self, nest: &Nest) -> Wanted {
        if let Some(terms) = self.terms(nest) {
            return Wanted::Columns(terms.values());
        }
        if let Some(factors) = self.factors {
            return Wanted::Product {
                factors,
                flushed: self.is_matrix_vector(),
            };
        }
        let values = |outputs: &[Output]| outputs.iter().map(|o| o.value).collect::<Vec<_>>();
        Wanted::Columns(match &self.kernel.kind {
            KernelKind::Map { .. } => return Wanted::Stored(self.stores.clone()),
            KernelKind::Contract { output, .. } | KernelKind::Sort { output, .. } => {
                vec![output.value]
            }
            KernelKind::Reduce { outputs, .. }
            | KernelKind::Segments { outputs, .. }
            | KernelKind::Scan { outputs, .. } => values(outputs),
            KernelKind::Scatter {
                body: _,
                guard,
                target,
                site: _,
                combine: _,
                outputs,
            } => [&[*guard], target.as_slice(), &values(outputs)].concat(),
        })
    }

    fn code<'a>(&'a self, variant: &'a Variant) -> Result<&'a Code, RunError> {
        let Variant { nest, code } = variant;
        let body: &Body = self.kernel.body();
        let code = code.get_or_init(|| compile(self.target, body, nest, &self.wanted(nest)));
        code.as_ref()
            .ok_or_else(|| bug("a primitive is applied to wrong types"))
    }
}

/// The operator of a fold or scan; that of a contraction is the semiring's.
fn operator_of(kernel: &Kernel) -> Option<&Operator> {
    match &kernel.kind {
        KernelKind::Reduce { operator, .. } | KernelKind::Scan { operator, .. } => Some(operator),
        KernelKind::Map { .. } | KernelKind::Contract { .. } | KernelKind::Scatter { .. } => None,
        // Segments are folded by primitives that are known to be associative.
        KernelKind::Segments { .. } | KernelKind::Sort { .. } => None,
    }
}

/// The operator of a fold, and that of a scan.
fn operators(
    target: Target,
    kernel: &Kernel,
    unread: &BTreeSet<ArrayId>,
) -> Result<(Option<OperatorParts>, Option<OperatorCode>), RunError> {
    let wrong = || bug("an operator applies a primitive to wrong types");
    let parts = |operator: &Operator| OperatorParts::new(target, operator).ok_or_else(wrong);
    Ok(match &kernel.kind {
        KernelKind::Reduce { operator, .. } | KernelKind::Segments { operator, .. } => {
            (Some(parts(operator)?), None)
        }
        KernelKind::Contract {
            semiring,
            body,
            output,
            ..
        } => {
            let ty = body.type_of(output.value);
            (Some(parts(&Operator::of_prim(semiring.plus(), ty))?), None)
        }
        KernelKind::Scan {
            operator, outputs, ..
        } => {
            let mut code = OperatorCode::new(target, operator).ok_or_else(wrong)?;
            let is_read = |output: &Output| !unread.contains(&output.array);
            code.read = outputs.iter().map(is_read).collect();
            (None, Some(code))
        }
        KernelKind::Map { .. } | KernelKind::Sort { .. } | KernelKind::Scatter { .. } => {
            (None, None)
        }
    })
}
