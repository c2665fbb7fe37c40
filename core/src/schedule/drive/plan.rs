//! Schedules made ready for an engine: flat lists of steps, with the engine's code, and with what is given back after
//! each step.

use crate::backend::RunError;
use crate::schedule::lifetimes::{Lifetimes, Placed};
use crate::schedule::{
    ArrayId, Body, Carried, Check, Kernel, Repeat, Schedule, SiteId, Step, Strip, SymbolId, ValueId,
};
use std::sync::Arc;

/// A schedule that is ready to run, for any extents: `S`, `K` and `T` are what the engine made of scalar code, kernels
/// and strips.
#[derive(Debug)]
pub struct Plan<S, K, T> {
    /// The tables of the schedule. Its steps are left out, as they are in the lists.
    pub schedule: Arc<Schedule>,
    /// The lists of steps, as [`Lifetimes`] numbers them; the first is the program.
    pub(super) lists: Vec<List<S, K, T>>,
}

/// A list of steps.
#[derive(Debug)]
pub(super) struct List<S, K, T> {
    pub steps: Vec<Planned<S, K, T>>,
    /// The symbols that the step around takes over: what it defines, and what that is inside.
    pub symbols: Vec<(SymbolId, SymbolId)>,
    /// The arrays that it takes over.
    pub arrays: Vec<(ArrayId, ArrayId)>,
    /// The arrays that come into being in this list.
    pub locals: Vec<ArrayId>,
}

/// A step, and the arrays that nobody uses after it.
#[derive(Debug)]
pub(super) struct Planned<S, K, T> {
    pub ready: Ready<S, K, T>,
    pub release: Vec<ArrayId>,
}

/// What a step does; see [`Step`]. Lists are named by their position.
#[derive(Debug)]
pub(super) enum Ready<S, K, T> {
    Scalars {
        body: Body,
        defines: Vec<(SymbolId, ValueId)>,
        code: S,
    },
    Check(Check, SiteId),
    Kernel(K),
    Strip(T),
    If {
        cond: SymbolId,
        then_: usize,
        else_: usize,
    },
    Repeat(Rounds),
}

/// A loop, its lists named by their position.
#[derive(Debug)]
pub(super) struct Rounds {
    pub site: Option<SiteId>,
    pub most: SymbolId,
    pub number: SymbolId,
    pub made: SymbolId,
    /// What finds out whether to make a trip, and the `bool` that says so.
    pub test: Option<(usize, SymbolId)>,
    pub body: usize,
    pub symbols: Vec<Carried<SymbolId>>,
    pub arrays: Vec<Carried<ArrayId>>,
    /// Arrays that nobody uses but as what is carried first.
    pub given_up: Vec<ArrayId>,
}

impl Rounds {
    fn of(repeat: &Repeat, placed: &Placed<'_>, schedule: &Schedule) -> Self {
        let Repeat {
            site,
            most,
            number,
            made,
            test,
            body: _,
            symbols,
            arrays,
        } = repeat;
        Self {
            site: *site,
            most: *most,
            number: *number,
            made: *made,
            test: test.as_ref().map(|&(_, holds)| (placed.lists.start, holds)),
            body: placed.lists.end - 1,
            symbols: symbols.clone(),
            arrays: arrays.clone(),
            given_up: placed.given_up(schedule),
        }
    }
}

impl<S, K, T> Plan<S, K, T> {
    /// Makes a schedule ready, given what makes its scalar code, kernels and strips ready.
    ///
    /// # Errors
    /// Where one of these fails.
    pub fn new<'s>(
        schedule: &'s Schedule,
        scalars: impl Fn(&'s Body, &'s [(SymbolId, ValueId)]) -> S,
        kernel: impl Fn(&'s Kernel) -> Result<K, RunError>,
        strip: impl Fn(&'s Strip) -> Result<T, RunError>,
    ) -> Result<Self, RunError> {
        let ready = |placed: &Placed<'s>| {
            Ok(match placed.step {
                Step::Scalars { body, defines } => Ready::Scalars {
                    body: body.clone(),
                    defines: defines.clone(),
                    code: scalars(body, defines),
                },
                Step::Check(check, site) => Ready::Check(check.clone(), *site),
                Step::Kernel(one) => Ready::Kernel(kernel(one)?),
                Step::Strip(one) => Ready::Strip(strip(one)?),
                Step::If { cond, .. } => Ready::If {
                    cond: *cond,
                    then_: placed.lists.start,
                    else_: placed.lists.start + 1,
                },
                Step::Repeat(repeat) => Ready::Repeat(Rounds::of(repeat, placed, schedule)),
            })
        };
        Ok(Self {
            lists: lists(schedule.lifetimes(), ready)?,
            schedule: Arc::new(schedule.without_steps()),
        })
    }
}

/// What the step around a list takes over from it.
type Taken = (Vec<(SymbolId, SymbolId)>, Vec<(ArrayId, ArrayId)>);

/// The lists of a schedule, given what makes a step ready.
fn lists<'s, S, K, T>(
    lifetimes: Lifetimes<'s>,
    ready: impl Fn(&Placed<'s>) -> Result<Ready<S, K, T>, RunError>,
) -> Result<Vec<List<S, K, T>>, RunError> {
    let mut taken: Vec<Taken> = vec![Taken::default(); lifetimes.lists.len()];
    let mut lists = Vec::with_capacity(taken.len());
    // Lists come after those that refer to them.
    for list in lifetimes.lists {
        let mut steps = Vec::with_capacity(list.steps.len());
        for placed in list.steps {
            for (inside, scope) in placed.lists.clone().zip(placed.step.scopes()) {
                taken[inside] = (scope.symbols, scope.arrays);
            }
            steps.push(Planned {
                ready: ready(&placed)?,
                release: placed.release,
            });
        }
        let (symbols, arrays) = std::mem::take(&mut taken[lists.len()]);
        lists.push(List {
            steps,
            symbols,
            arrays,
            locals: list.locals,
        });
    }
    Ok(lists)
}

impl Schedule {
    /// The tables alone.
    fn without_steps(&self) -> Self {
        let Self {
            symbols,
            arrays,
            sites,
            params,
            uses,
            steps: _,
            results,
        } = self;
        Self {
            symbols: symbols.clone(),
            arrays: arrays.clone(),
            sites: sites.clone(),
            params: params.clone(),
            uses: uses.clone(),
            steps: vec![],
            results: results.clone(),
        }
    }
}
