//! Finds the first number of a run that is NaN or infinite, and the line that computes it.
//!
//! Numbers carry their derivatives here, so those are looked at as well: the line is the one where the derivative of
//! something by what is differentiated by ceases to be finite, in the order of the program. The run goes on, and
//! a failure after that does not matter.

use super::array::Array;
use super::check_inputs;
use super::program::Interpreter;
use super::value::Value;
use crate::backend::RunError;
use crate::constant::Const;
use crate::deep::with_deep_stack;
use crate::host::HostArray;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::{Labelled, Program};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// A number that is not finite.
#[derive(Clone, Debug, PartialEq)]
pub struct NonFinite {
    /// What computes it: the name of an operation, of arrays or of scalars.
    pub operation: String,
    /// Where that is written.
    pub loc: Loc,
    /// The number: NaN or an infinity.
    pub value: Const,
    /// Whether it is not the value of the operation, but a derivative of it.
    pub is_derivative: bool,
    /// The trips of the loops around it in which that happens, of the outermost one first.
    pub trips: Vec<i64>,
}

impl fmt::Display for NonFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            operation,
            loc,
            value,
            is_derivative,
            trips,
        } = self;
        let part = if *is_derivative {
            "derivative"
        } else {
            "value"
        };
        write!(f, "{loc}: a {part} of `{operation}` is {}", shown(*value))?;
        match trips.as_slice() {
            [] => Ok(()),
            [trip] => write!(f, ", in trip {trip} of the loop around it"),
            [..] => write!(f, ", in trips {trips:?} of the loops around it"),
        }
    }
}

fn shown(value: Const) -> &'static str {
    let is_nan = Prim::IsNan.eval(&[value]) == Some(Const::Bool(true));
    match (
        is_nan,
        Prim::Signum.eval(&[value]) == Some(Const::small(value.scalar_type(), 1)),
    ) {
        (true, _) => "NaN",
        (false, true) => "∞",
        (false, false) => "−∞",
    }
}

/// Which numbers to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// NaN only.
    Nan,
    /// NaN and infinities.
    NanOrInfinite,
}

/// A watch over a run.
#[derive(Clone, Debug)]
pub(super) struct Watch(Rc<RefCell<Watched>>);

#[derive(Debug)]
struct Watched {
    wanted: Wanted,
    trips: Vec<i64>,
    found: Option<NonFinite>,
}

impl Watch {
    fn new(wanted: Wanted) -> Self {
        Self(Rc::new(RefCell::new(Watched {
            wanted,
            trips: vec![],
            found: None,
        })))
    }

    /// Notes that a loop has begun.
    pub(super) fn enter_loop(&self) {
        self.0.borrow_mut().trips.push(0);
    }

    /// Notes that a trip has been made.
    pub(super) fn next_trip(&self) {
        if let Some(trip) = self.0.borrow_mut().trips.last_mut() {
            *trip += 1;
        }
    }

    /// Notes that the innermost loop has ended.
    pub(super) fn leave_loop(&self) {
        self.0.borrow_mut().trips.pop();
    }

    /// Looks at what an operation gives.
    pub(super) fn see<'v>(
        &self,
        values: impl IntoIterator<Item = &'v Value>,
        operation: impl FnOnce() -> String,
        loc: Loc,
    ) {
        let watched = &mut *self.0.borrow_mut();
        if watched.found.is_some() {
            return;
        }
        let mut values = values.into_iter();
        let wanted = watched.wanted;
        if let Some((value, is_derivative)) = values.find_map(|x| x.find(&|c| wanted.has(c))) {
            watched.found = Some(NonFinite {
                operation: operation(),
                loc,
                value,
                is_derivative,
                trips: watched.trips.clone(),
            });
        }
    }
}

impl Wanted {
    fn has(self, value: Const) -> bool {
        let is = |prim: Prim| prim.eval(&[value]) == Some(Const::Bool(true));
        is(Prim::IsNan) || self == Self::NanOrInfinite && is(Prim::IsInfinite)
    }
}

/// The first number that is wanted, of inputs, of values or of derivatives, that a program meets; it runs as by [`run`](super::run).
///
/// # Errors
/// As for [`run`](super::run), where the program fails before anything is found.
pub fn first_non_finite(
    program: &Program<Labelled>,
    inputs: &[HostArray],
    wanted: Wanted,
) -> Result<Option<NonFinite>, RunError> {
    check_inputs(program, inputs)?;
    with_deep_stack(|| {
        let watch = Watch::new(wanted);
        let mut interpreter = Interpreter::new(&program.uses, 0);
        interpreter.watch = Some(watch.clone());
        let arguments = inputs.iter().map(Array::from_host);
        let arguments: Vec<Array> = arguments.collect::<Result<_, _>>()?;
        for (position, array) in arguments.iter().enumerate() {
            watch.see(
                array.elements(),
                || format!("input {position}"),
                Loc::UNKNOWN,
            );
        }
        interpreter.bind_all(&program.params, arguments)?;
        let end = interpreter.block(&program.body);
        match watch.0.borrow_mut().found.take() {
            Some(found) => Ok(Some(found)),
            None => end.map(|_| None),
        }
    })
}
