//! The checker: re-derives every type and scope of a program.
//!
//! Verified, in both forms:
//!
//! * scope: every variable in use is bound before, in its block or around it; a [`Fun`] sees only its
//!   parameters and what it binds; labels are bound once only, throughout the program (arrays) and
//!   the function (scalars);
//! * captures: bound array variables without duplicates; slots within the capture list; host arrays
//!   within the program's;
//! * primitives: operands as [`Prim::result_type`](crate::prim::Prim::result_type) asks for;
//! * indexing: one `i32` coordinate per dimension; axes below the rank;
//! * every function of a collective operation: number and types of its parameters and results;
//! * every collective operation: arguments as the documentation of [`AccOp`](crate::term::AccOp) asks for
//!   (at least one, equal ranks, ranks of at least 1 for folds and scans, equal types, `Add` on numbers
//!   only), axes that fit the argument;
//! * conditionals: a `bool`; branches alike; gradients: one float (rank 0) result, arguments of the types
//!   of the parameters;
//! * lets: as many bindings as results, of the results' types;
//! * after a pass, if it is told which types the source has ([`check_pass`]): no scalar is of another type, but for
//!   [`ScalarTypes::EVERYWHERE`]. A device that lacks a type runs every program that was written without it.
//!
//! Not verified: that every slot is used; that operators of folds and scans are associative; anything about
//! extents and values; that source locations make sense; that gradients are gone where a later pass wants
//! that. A wrong variable of the right type passes: only numbers show that.
//!
//! Allowed on purpose: an operation without results (a `map` that only might fail, a `cond` of nothing)
//! and a gradient by no parameters.
//!
//! Linear time; nested blocks recurse.

mod acc;
mod error;
mod exp;
#[cfg(test)]
mod tests;

pub use error::{CheckError, Problem, Step, Types};

use crate::label::{Numbered, Scope};
use crate::loc::Loc;
use crate::print::Printer;
use crate::term::{Fun, Mode, Program};
use crate::types::{ArrayType, ScalarType, ScalarTypes};
use std::collections::HashSet;

/// Whether `program` keeps all the rules of the language.
///
/// # Errors
/// Says the first place where it does not.
pub fn check<N: Numbered>(program: &Program<N>) -> Result<(), CheckError> {
    check_results(program).map(drop)
}

/// The same; gives the types of the program's results.
///
/// # Errors
/// Says the first place where the program breaks a rule.
pub fn check_results<N: Numbered>(program: &Program<N>) -> Result<Vec<ArrayType>, CheckError> {
    let mut checker = Checker::of(program);
    let checked = checker.program(program);
    checked.map_err(|problem| checker.error(problem))
}

/// The same, after the pass of the given name: an error names it and shows the program.
///
/// # Errors
/// Says the first place where the program breaks a rule.
pub fn check_after<N: Numbered>(
    pass: &'static str,
    program: &Program<N>,
) -> Result<(), CheckError> {
    check_pass(pass, program, ScalarTypes::ALL)
}

/// The same, where the pass may bring in no scalar types but those of the source program and those that are everywhere.
///
/// # Errors
/// Says the first place where the program breaks a rule, or computes with a type that its source does not have.
pub fn check_pass<N: Numbered>(
    pass: &'static str,
    program: &Program<N>,
    source: ScalarTypes,
) -> Result<(), CheckError> {
    let mut checker = Checker::of(program);
    checker.allowed = source.with(ScalarTypes::EVERYWHERE);
    let checked = checker.program(program);
    checked.map(drop).map_err(|problem| CheckError {
        pass: Some(pass),
        dump: Printer::default().program(program),
        ..checker.error(problem)
    })
}

/// The types of all scalars and elements that a program names, those of its host arrays included, used or not.
///
/// # Errors
/// Says the first place where the program breaks a rule.
pub fn scalar_types<N: Numbered>(program: &Program<N>) -> Result<ScalarTypes, CheckError> {
    let mut checker = Checker::of(program);
    let checked = checker.program(program);
    checked.map_err(|problem| checker.error(problem))?;
    let mut types = checker.met;
    for used in &program.uses {
        types.insert(used.array_type().elem);
    }
    Ok(types)
}

/// Checks a scalar function by itself; gives the types of its results.
///
/// `captures` says the types of the arrays in its capture list.
///
/// # Errors
/// Says the first place where it breaks a rule.
pub fn check_fun<N: Numbered>(
    fun: &Fun<N>,
    captures: &[ArrayType],
) -> Result<Vec<ScalarType>, CheckError> {
    let mut checker = Checker::new(vec![]);
    let checked = checker.closed_fun(fun, captures.to_vec());
    checked.map_err(|problem| checker.error(problem))
}

pub(crate) type Checks<T> = Result<T, Problem>;

/// What is known at one place of the program.
struct Checker {
    uses: Vec<ArrayType>,
    arrays: Stratum<ArrayType>,
    scalars: Stratum<ScalarType>,
    /// The types of the arrays that the current function captures.
    captures: Vec<ArrayType>,
    /// The types that scalars and elements may have, and those that they had so far.
    allowed: ScalarTypes,
    met: ScalarTypes,
    /// The way to the place of an error, innermost first.
    path: Vec<Step>,
    /// The innermost location known.
    loc: Loc,
}

/// What is in scope of one stratum, and all labels ever bound.
pub(crate) struct Stratum<T> {
    pub(crate) scope: Scope<T>,
    bound: HashSet<u32>,
}

impl<T> Default for Stratum<T> {
    fn default() -> Self {
        Self {
            scope: Scope::default(),
            bound: HashSet::new(),
        }
    }
}

impl<T> Stratum<T> {
    pub(crate) fn bind(
        &mut self,
        label: Option<u32>,
        ty: T,
        name: impl std::fmt::Debug,
    ) -> Checks<()> {
        if label.is_some_and(|label| !self.bound.insert(label)) {
            return Err(Problem::Rebound {
                variable: format!("{name:?}"),
            });
        }
        self.scope.bind(label, ty);
        Ok(())
    }
}

impl Checker {
    fn of<N: Numbered>(program: &Program<N>) -> Self {
        Self::new(program.uses.iter().map(|u| u.array_type()).collect())
    }

    fn new(uses: Vec<ArrayType>) -> Self {
        Self {
            uses,
            arrays: Stratum::default(),
            scalars: Stratum::default(),
            captures: vec![],
            allowed: ScalarTypes::ALL,
            met: ScalarTypes::default(),
            path: vec![],
            loc: Loc::UNKNOWN,
        }
    }

    /// Notes that something is of a type.
    fn meet(&mut self, ty: ScalarType) -> Checks<()> {
        self.met.insert(ty);
        match self.allowed.contains(ty) {
            true => Ok(()),
            false => Err(Problem::Foreign {
                ty,
                allowed: self.allowed,
            }),
        }
    }

    /// The error at the place where the checker stopped.
    fn error(&mut self, problem: Problem) -> CheckError {
        CheckError {
            path: self.path.drain(..).rev().collect(),
            loc: self.loc,
            ..CheckError::from(problem)
        }
    }

    /// Checks a part of something. Where that fails, the place is noted.
    fn at<T>(
        &mut self,
        step: impl FnOnce() -> Step,
        check: impl FnOnce(&mut Self) -> Checks<T>,
    ) -> Checks<T> {
        let checked = check(self);
        if checked.is_err() {
            self.path.push(step());
        }
        checked
    }

    fn part<T>(
        &mut self,
        name: &'static str,
        check: impl FnOnce(&mut Self) -> Checks<T>,
    ) -> Checks<T> {
        self.at(|| Step::Part(name), check)
    }
}

/// Demands that two lists of types agree.
fn same<T: PartialEq>(what: &'static str, expected: Vec<T>, found: Vec<T>) -> Checks<()>
where
    Types: From<Vec<T>>,
{
    if expected == found {
        return Ok(());
    }
    Err(Problem::Mismatch {
        what,
        expected: expected.into(),
        found: found.into(),
    })
}

/// The types of the results of a derivative of a function, given those of what the function takes and gives; the arguments
/// must fit.
fn derivative<T: Clone + PartialEq>(
    mode: Mode,
    (params, results): (Vec<T>, Vec<T>),
    args: Vec<T>,
) -> Checks<Vec<T>>
where
    Types: From<Vec<T>>,
{
    match mode {
        Mode::Gradient { with_value } => {
            same("arguments", params.clone(), args)?;
            let value = results.into_iter().filter(|_| with_value);
            Ok(value.chain(params).collect())
        }
        Mode::Jvp => {
            same(
                "arguments and tangents",
                [&params[..], &params].concat(),
                args,
            )?;
            Ok([&results[..], &results].concat())
        }
    }
}

/// Demands that a condition on types holds.
fn fits<T: Clone>(
    holds: bool,
    what: &'static str,
    expected: &'static str,
    found: &[T],
) -> Checks<()>
where
    Types: From<Vec<T>>,
{
    if holds {
        return Ok(());
    }
    Err(Problem::Unfit {
        what,
        expected,
        found: found.to_vec().into(),
    })
}
