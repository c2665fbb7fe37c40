//! The verifier of schedules: what backends may rely on.
//!
//! Verified:
//! * every id refers to an entry of its table; extents are `i32` symbols;
//! * views name an owner of `Own` layout and of the same element type; those that are written have a stride of at least 1;
//!   parameters and used arrays have `Own` layout, each is listed once and fits its host array's type; used
//!   arrays that share symbols of extents have one shape, and share none with parameters;
//! * in bodies: types of all instructions, re-derived; values before their uses; coordinates below the rank
//!   of the space; arguments in operators only, loads and coordinates never there; loads have one `i32` per
//!   dimension and a `bool` guard, and read arrays that are finished;
//! * symbols and arrays are defined before they are used, once, and within the branch that uses them; the
//!   two sides of an `If` give what they merge in the same types;
//! * outputs have the type of their value; those of maps and reductions the extents of the space, those of
//!   scans one dimension more (the inner one itself without an initial value); those of scatters are
//!   finished, are no inputs, are not read by the kernel, and have the target's rank;
//! * contractions make their terms of two floats, of which neither depends on the other's own coordinates, by the
//!   operation of their semiring; zeros of factors are those of products;
//! * segments have bounds that are neighbours in a vector, values that do not depend on which segment it is, and primitives
//!   for operators;
//! * operators take 2k values to k values of the outputs' types, initial values have those types;
//! * an owner filled through views: views that begin at the same symbol, or at none, do not overlap, by the
//!   residues of their strides; nobody reads the owner before views that begin at no symbol cover every
//!   residue and all views of it that kernels write are written.
//!   Symbols of offsets are `i64`, defined before the view is used;
//! * if it is told which types the source has ([`check_types`]): no value or element is of another type, but for
//!   [`ScalarTypes::EVERYWHERE`];
//! * strips: the chunk's symbols and the arrays made inside are used inside only, the latter have `Own` layout;
//!   parts and totals have the extents and types of what they become; there are no scatters.
//!
//! Not verified, because extents are symbols: that a load without site is in range (the reference runner
//! tests it), that a view fits into its owner (runners test that), that views which begin at different symbols
//! do not overlap and leave no gap (the reference runner tests that every element is written once before it is
//! read), that an operator is associative, that the chunks of a strip are independent (the reference runner cuts
//! every strip).

mod body;
mod contract;
mod defined;
mod repeat;
mod segments;
mod strip;

#[cfg(test)]
mod tests;

use self::body::BodyChecker;
use self::defined::Defined;
use super::steps::Scope;
use super::{
    ArrayDecl, ArrayId, Check, Kernel, KernelKind, Layout, Operator, Output, Schedule, SiteId,
    Step, SymbolId, ValueId, inputs,
};
use crate::types::{ScalarType, ScalarTypes};
use std::collections::BTreeMap;
use std::fmt::Display;

/// Something that a checker has accepted.
#[derive(Clone, Debug)]
pub struct Checked<T>(T);

impl<T> std::ops::Deref for Checked<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

/// A schedule that breaks a rule: always a defect of the pass that made it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error(
    "{place}: {problem}; this is a defect of the pass that made the schedule, please report it"
)]
pub struct ScheduleError {
    /// Where in the schedule.
    pub place: String,
    /// The rule broken.
    pub problem: Problem,
}

/// The rules of schedules, broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// An id without an entry in its table.
    #[error("{0} does not exist")]
    Unknown(String),
    /// A use before or without the definition.
    #[error("{0} is used but not defined here")]
    Undefined(String),
    /// A second definition.
    #[error("{0} is defined twice")]
    Redefined(String),
    /// A type other than the one that the context asks for.
    #[error("{what} should be of type {expected} and is of type {found}")]
    Type {
        /// What has the type.
        what: String,
        /// The type the context asks for.
        expected: String,
        /// Its type.
        found: String,
    },
    /// Types that the source program does not have.
    #[error("computes with {types}, and the source program with {allowed} only")]
    Foreign {
        /// The types.
        types: ScalarTypes,
        /// Those that the program may have.
        allowed: ScalarTypes,
    },
    /// Any other rule.
    #[error("{0}")]
    Rule(String),
}

type Result<T> = std::result::Result<T, Problem>;

/// Accepts a schedule that keeps all the rules.
///
/// # Errors
/// The first rule broken.
pub fn check(schedule: Schedule) -> std::result::Result<Checked<Schedule>, ScheduleError> {
    verify(&schedule)?;
    Ok(Checked(schedule))
}

/// Whether a schedule keeps all the rules.
///
/// # Errors
/// The first rule broken.
pub fn verify(schedule: &Schedule) -> std::result::Result<(), ScheduleError> {
    let located = |place: &str| {
        let place = place.to_owned();
        move |problem| ScheduleError { place, problem }
    };
    declarations(schedule).map_err(located("declarations"))?;
    let mut checker = Checker {
        schedule,
        defined: Defined::new(schedule),
        place: "inputs".into(),
    };
    let checked = checker.all();
    let place = checker.place;
    checked.map_err(|problem| ScheduleError { place, problem })
}

/// Accepts a schedule that keeps all the rules and asks for no scalar types but those of the source program and those
/// that are everywhere.
///
/// # Errors
/// The first rule broken.
pub fn check_types(
    schedule: Schedule,
    source: ScalarTypes,
) -> std::result::Result<Checked<Schedule>, ScheduleError> {
    let checked = check(schedule)?;
    let allowed = source.with(ScalarTypes::EVERYWHERE);
    let foreign = checked.scalar_types().without(allowed);
    if foreign != ScalarTypes::default() {
        return Err(ScheduleError {
            place: "the whole schedule".to_owned(),
            problem: Problem::Foreign {
                types: foreign,
                allowed,
            },
        });
    }
    Ok(checked)
}

fn arrays_of(outputs: &[Output]) -> Vec<ArrayId> {
    outputs.iter().map(|output| output.array).collect()
}

fn rule(holds: bool, text: impl FnOnce() -> String) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(Problem::Rule(text()))
    }
}

fn same_type<T: PartialEq + Display>(what: impl Display, expected: T, found: T) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(Problem::Type {
        what: what.to_string(),
        expected: expected.to_string(),
        found: found.to_string(),
    })
}

/// What can be said of the tables alone.
fn declarations(s: &Schedule) -> Result<()> {
    for (i, decl) in s.arrays.iter().enumerate() {
        declaration(s, ArrayId(i as u32), decl)?;
    }
    let used = s.uses.iter().map(|(array, _)| array);
    let mut listed: Vec<_> = s.params.iter().chain(used).collect();
    for &&array in &listed {
        let own = array_decl(s, array)?.layout == Layout::Own;
        rule(own, || format!("{array} is an input and a view"))?;
    }
    for (array, host) in &s.uses {
        same_type(
            array,
            array_decl(s, *array)?.array_type(),
            host.array_type(),
        )?;
    }
    shapes_of_inputs(s)?;
    listed.sort();
    let twice = listed.windows(2).find(|w| w[0] == w[1]);
    twice.map_or(Ok(()), |w| Err(Problem::Redefined(w[0].to_string())))
}

/// What the call defines it must be able to define: used arrays that share extents agree on them, and share
/// none with parameters.
fn shapes_of_inputs(s: &Schedule) -> Result<()> {
    let mut extents = BTreeMap::new();
    for (array, host) in &s.uses {
        let bound = inputs::bind(&mut extents, array_decl(s, *array)?, host.shape());
        rule(bound.is_ok(), || {
            format!("{array} shares an extent with another shape")
        })?;
    }
    for &param in &s.params {
        let mut shared = array_decl(s, param)?.extents.iter();
        let shared = shared.any(|e| extents.contains_key(e));
        rule(!shared, || {
            format!("{param} shares an extent with a used array")
        })?;
    }
    Ok(())
}

fn declaration(s: &Schedule, id: ArrayId, decl: &ArrayDecl) -> Result<()> {
    for &extent in &decl.extents {
        same_type(
            format!("extent {extent} of {id}"),
            ScalarType::I32,
            symbol_type(s, extent)?,
        )?;
    }
    site(s, decl.site)?;
    match decl.layout {
        Layout::Own => Ok(()),
        Layout::View {
            of,
            offset,
            stride: _,
        } => {
            if let Some(symbol) = offset.symbol {
                let found = symbol_type(s, symbol)?;
                same_type(format!("offset {symbol} of {id}"), ScalarType::I64, found)?;
            }
            let owner = array_decl(s, of)?;
            rule(owner.layout == Layout::Own, || {
                format!("{id} is a view of {of}, a view")
            })?;
            same_type(format!("{id}, a view of {of},"), owner.elem, decl.elem)
        }
    }
}

fn array_decl(s: &Schedule, id: ArrayId) -> Result<&ArrayDecl> {
    s.arrays
        .get(id.index())
        .ok_or_else(|| Problem::Unknown(id.to_string()))
}

fn symbol_type(s: &Schedule, id: SymbolId) -> Result<ScalarType> {
    s.symbols
        .get(id.index())
        .copied()
        .ok_or_else(|| Problem::Unknown(id.to_string()))
}

fn site(s: &Schedule, id: SiteId) -> Result<()> {
    let known = id.index() < s.sites.len();
    known
        .then_some(())
        .ok_or_else(|| Problem::Unknown(id.to_string()))
}

/// Goes through the steps.
struct Checker<'a> {
    schedule: &'a Schedule,
    defined: Defined<'a>,
    place: String,
}

impl<'a> Checker<'a> {
    fn all(&mut self) -> Result<()> {
        let s = self.schedule;
        self.defined.inputs();
        self.steps(&s.steps, "")?;
        self.place = "results".into();
        s.results
            .iter()
            .try_for_each(|&array| self.defined.need_array(array))
    }

    fn steps(&mut self, steps: &'a [Step], path: &str) -> Result<()> {
        for (i, step) in steps.iter().enumerate() {
            let path = format!("{path}{i}");
            self.place = format!("step {path}");
            match step {
                Step::Scalars { body, defines } => self.scalars(body, defines)?,
                Step::Check(check, at) => self.check(check, *at)?,
                Step::Kernel(kernel) => {
                    self.place = format!("step {path} (`{}` at {})", kernel.name, kernel.loc);
                    self.kernel(kernel)?;
                }
                Step::If { .. } => self.branches(step, &path)?,
                Step::Strip(strip) => self.strip(strip)?,
                Step::Repeat(repeat) => self.repeat(repeat, &path)?,
            }
        }
        Ok(())
    }

    fn scalars(&mut self, body: &super::Body, defines: &[(SymbolId, ValueId)]) -> Result<()> {
        BodyChecker::host(self.schedule, &self.defined).body(body)?;
        for &(symbol, value) in defines {
            let found = body::type_of(body, value)?;
            same_type(symbol, symbol_type(self.schedule, symbol)?, found)?;
            self.defined.define_symbol(symbol)?;
        }
        Ok(())
    }

    fn check(&self, check: &Check, at: SiteId) -> Result<()> {
        site(self.schedule, at)?;
        match check {
            Check::Shape { extents } => self.extents(extents),
            Check::SameSize { from, to } => self.extents(from).and_then(|()| self.extents(to)),
            Check::SameShape { found, expected } => {
                self.extents(found).and_then(|()| self.extents(expected))
            }
            Check::InRange { index, extent } => self.extents(&[*index, *extent]),
            Check::NotEmpty { outer, inner } => {
                self.extents(outer).and_then(|()| self.extents(inner))
            }
        }
    }

    /// Requires `i32` symbols that are defined.
    fn extents(&self, symbols: &[SymbolId]) -> Result<()> {
        symbols.iter().try_for_each(|&symbol| {
            self.defined.need_symbol(symbol)?;
            same_type(symbol, ScalarType::I32, symbol_type(self.schedule, symbol)?)
        })
    }

    /// Checks the lists of a conditional, each by itself, and defines what it takes over from them.
    fn branches(&mut self, step: &'a Step, path: &str) -> Result<()> {
        let before = self.defined.clone();
        let mut ends = vec![];
        for (scope, name) in step.scopes().into_iter().zip(["then", "else"]) {
            if let Some((symbol, _)) = scope.condition {
                self.defined.need_symbol(symbol)?;
                let found = symbol_type(self.schedule, symbol)?;
                same_type(symbol, ScalarType::Bool, found)?;
            }
            self.steps(scope.steps, &format!("{path}.{name}."))?;
            ends.push((scope, std::mem::replace(&mut self.defined, before.clone())));
        }
        self.place = format!("step {path} (merge)");
        for (scope, end) in &ends {
            self.taken_over(scope, end)?;
        }
        for symbol in step.defines() {
            self.defined.define_symbol(symbol)?;
        }
        for array in step.makes() {
            self.extents(&array_decl(self.schedule, array)?.extents)?;
            self.defined.define_array(array)?;
        }
        Ok(())
    }

    /// What a step takes over from a list is there at its end, and of the type of what it becomes.
    fn taken_over(&self, scope: &Scope<'_>, end: &Defined<'_>) -> Result<()> {
        let s = self.schedule;
        for &(defined, from) in &scope.symbols {
            end.need_symbol(from)?;
            same_type(from, symbol_type(s, defined)?, symbol_type(s, from)?)?;
        }
        for &(defined, from) in &scope.arrays {
            end.need_array(from)?;
            for array in [defined, from] {
                let decl = array_decl(s, array)?;
                rule(decl.layout == Layout::Own, || {
                    format!("{array} is merged and a view")
                })?;
                let expected = array_decl(s, defined)?.array_type();
                same_type(array, expected, decl.array_type())?;
            }
        }
        Ok(())
    }

    fn kernel(&mut self, kernel: &'a Kernel) -> Result<()> {
        let s = self.schedule;
        self.extents(&kernel.space)?;
        let rank = kernel.space.len();
        let bodies = BodyChecker::points(s, &self.defined, rank + inner_rank(&kernel.kind));
        bodies.body(kernel.body())?;
        for Output { value, array } in kernel.outputs() {
            let elem = array_decl(s, *array)?.elem;
            let found = body::type_of(kernel.body(), *value)?;
            let written = match kernel.kind.has_positions() {
                true => ScalarType::I32,
                false => found,
            };
            same_type(format!("{value} for {array}"), elem, written)?;
        }
        self.outputs_over(kernel)?;
        match &kernel.kind {
            KernelKind::Map { body: _, outputs } => self.space_outputs(&kernel.space, outputs),
            KernelKind::Reduce {
                inner,
                body: _,
                operator,
                init,
                outputs,
            } => {
                self.extents(inner)?;
                self.operator(operator, init.as_deref(), &arrays_of(outputs))?;
                self.space_outputs(&kernel.space, outputs)
            }
            KernelKind::Segments { .. } => self.segments(kernel),
            KernelKind::Scan {
                inner,
                direction: _,
                body: _,
                operator,
                init,
                outputs,
            } => {
                self.extents(&[*inner])?;
                self.operator(operator, init.as_deref(), &arrays_of(outputs))?;
                self.scan_outputs(&kernel.space, (*inner, init.is_some()), outputs)
            }
            KernelKind::Contract { .. } => self.contract(kernel),
            KernelKind::Sort {
                inner,
                order: _,
                body: _,
                output,
            } => {
                self.extents(&[*inner])?;
                self.scan_outputs(&kernel.space, (*inner, false), &[*output])
            }
            KernelKind::Scatter { .. } => self.scatter(kernel),
        }
    }

    fn space_outputs(&mut self, space: &[SymbolId], outputs: &[Output]) -> Result<()> {
        for Output { value: _, array } in outputs {
            let extents = &array_decl(self.schedule, *array)?.extents;
            rule(extents == space, || {
                format!("{array} has not the extents of the space")
            })?;
            self.defined.define_array(*array)?;
        }
        Ok(())
    }

    fn scan_outputs(
        &mut self,
        space: &[SymbolId],
        (inner, longer): (SymbolId, bool),
        outputs: &[Output],
    ) -> Result<()> {
        for Output { value: _, array } in outputs {
            let extents = &array_decl(self.schedule, *array)?.extents;
            let fits = match extents.split_last() {
                Some((last, outer)) => outer == space && (longer || *last == inner),
                None => false,
            };
            rule(fits, || format!("{array} has not the extents of the rows"))?;
            self.extents(extents)?;
            self.defined.define_array(*array)?;
        }
        Ok(())
    }

    fn operator(
        &self,
        operator: &Operator,
        init: Option<&[SymbolId]>,
        outputs: &[ArrayId],
    ) -> Result<()> {
        let s = self.schedule;
        let elems: Result<Vec<_>> = outputs
            .iter()
            .map(|&array| array_decl(s, array).map(|decl| decl.elem))
            .collect();
        let elems = elems?;
        BodyChecker::operator(s, &self.defined, &elems).body(&operator.body)?;
        rule(operator.results.len() == elems.len(), || {
            format!(
                "{} results of an operator on {}",
                operator.results.len(),
                elems.len()
            )
        })?;
        for (&result, &elem) in operator.results.iter().zip(&elems) {
            same_type(
                format!("result {result}"),
                elem,
                body::type_of(&operator.body, result)?,
            )?;
        }
        let Some(init) = init else { return Ok(()) };
        rule(init.len() == elems.len(), || {
            "not one initial value per output".into()
        })?;
        for (&symbol, &elem) in init.iter().zip(&elems) {
            self.defined.need_symbol(symbol)?;
            same_type(symbol, elem, symbol_type(s, symbol)?)?;
        }
        Ok(())
    }

    /// A kernel that writes over a part of what a loop carries does so once, and reads nothing there.
    fn outputs_over(&self, kernel: &Kernel) -> Result<()> {
        let arrays = kernel.outputs().iter().map(|output| output.array);
        let mut over: Vec<_> = arrays
            .filter(|&array| self.defined.is_over(array))
            .collect();
        over.iter_mut()
            .for_each(|array| *array = self.defined.owner(*array));
        for (i, &owner) in over.iter().enumerate() {
            let twice = over[..i].contains(&owner);
            rule(!twice, || format!("two parts of {owner} are written over"))?;
            let read = body::reads(kernel.body()).any(|array| self.defined.owner(array) == owner);
            rule(!read, || format!("{owner} is read and written over"))?;
        }
        Ok(())
    }

    fn scatter(&mut self, kernel: &Kernel) -> Result<()> {
        let KernelKind::Scatter {
            body,
            guard,
            target,
            site: at,
            combine: _,
            outputs,
        } = &kernel.kind
        else {
            return Ok(());
        };
        let s = self.schedule;
        site(s, *at)?;
        same_type("the guard", ScalarType::Bool, body::type_of(body, *guard)?)?;
        for &coordinate in target {
            same_type(
                "the target",
                ScalarType::I32,
                body::type_of(body, coordinate)?,
            )?;
        }
        for Output { value: _, array } in outputs {
            let decl = array_decl(s, *array)?;
            self.defined.need_array(*array)?;
            self.defined.need_writable(*array)?;
            let fits = decl.extents.len() == target.len()
                && decl.extents == array_decl(s, outputs[0].array)?.extents;
            rule(fits, || format!("{array} has not the shape of the target"))?;
            let read =
                body::reads(body).any(|a| self.defined.owner(a) == self.defined.owner(*array));
            rule(!read, || format!("{array} is read and scattered to"))?;
        }
        Ok(())
    }
}

fn inner_rank(kind: &KernelKind) -> usize {
    match kind {
        KernelKind::Map { .. } | KernelKind::Scatter { .. } => 0,
        KernelKind::Reduce { inner, .. } | KernelKind::Contract { inner, .. } => inner.len(),
        KernelKind::Scan { .. } | KernelKind::Segments { .. } | KernelKind::Sort { .. } => 1,
    }
}
