//! The demand-driven reference: what of a program fails because a result needs it.
//!
//! The interpreter runs everything, in order, and stops at the first failure. Other engines compute what results
//! need, and Note \[Failures\] at [`AccOp`](crate::term::AccOp) says what that is. This is the same interpreter
//! made to go on: an operation that fails as its documentation says fails all that takes its results for
//! arguments, and nothing else; an element that cannot be read, or is read of such a result, is replaced by a
//! *stand-in*. If the results differ from one choice of stand-ins to another, or are failures themselves, the
//! program needs what failed. If they do not, nobody can tell.
//!
//! For tests only: programs are run by [`run`](super::run).

use super::array::Array;
use super::program::Interpreter;
use super::value::Value;
use super::{bug, check_inputs};
use crate::backend::RunError;
use crate::constant::Const;
use crate::deep::with_deep_stack;
use crate::host::HostArray;
use crate::integer_type;
use crate::term::{Labelled, Program};
use crate::types::ScalarType;
use std::cell::RefCell;
use std::rc::Rc;

/// How many choices of stand-ins there are.
pub const STAND_INS: usize = 3;

/// What stands in for integers, in each choice.
const INTEGERS: [i32; STAND_INS] = [1, -7, 3];

/// What becomes of the results of a scatter that fails, whose shape is known all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scatters {
    /// They are failures, as those of all operations that fail.
    Fail,
    /// They are the defaults, so that failures are met that have to do with the shape alone.
    Keep,
}

/// What stands in for extents.
const EXTENTS: [i32; STAND_INS] = [2, 0, 5];

/// A run that goes on after failures.
#[derive(Clone, Debug)]
pub(super) struct Lenient {
    choice: usize,
    scatters: Scatters,
    met: Rc<RefCell<Vec<RunError>>>,
}

impl Lenient {
    /// How many trips a loop makes at most: tests of what stands in for floats may hold for ever.
    pub(super) const MOST_TRIPS: i32 = 10_000;

    /// Whether the run can go on after an error; notes it.
    pub(super) fn takes(&self, error: &RunError) -> bool {
        let of_values = matches!(
            error,
            RunError::IndexOutOfRange { .. }
                | RunError::EmptyReduction { .. }
                | RunError::SizeMismatch { .. }
                | RunError::ShapeMismatch { .. }
                | RunError::BadShape { .. }
        );
        if of_values {
            self.met.borrow_mut().push(error.clone());
        }
        of_values
    }

    /// Whether a scatter that fails has results nevertheless.
    pub(super) fn keeps_scatters(&self) -> bool {
        self.scatters == Scatters::Keep
    }

    /// The element, or what stands in for it: something else for each index, as elements differ.
    pub(super) fn element_or(
        this: Option<&Self>,
        element: Result<Value, RunError>,
        ty: ScalarType,
    ) -> Result<Value, RunError> {
        element.or_else(|error| {
            let lenient = this.filter(|lenient| lenient.takes(&error));
            let stand_in = lenient.map(|lenient| lenient.times(ty, factor(&error)));
            stand_in.ok_or(error)
        })
    }

    /// What stands in for a scalar.
    pub(super) fn value(&self, ty: ScalarType) -> Value {
        self.times(ty, 1)
    }

    fn times(&self, ty: ScalarType, factor: i32) -> Value {
        let integer = INTEGERS[self.choice] * factor;
        Value::Plain(match ty {
            ScalarType::Bool => Const::Bool(integer > 0),
            integer_type!() | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => {
                let has_sign = !ty.is_unsigned();
                Const::small(ty, if has_sign { integer } else { integer.abs() })
            }
        })
    }

    /// What stands in for an extent.
    pub(super) fn extent(&self) -> Value {
        Value::Plain(Const::I32(EXTENTS[self.choice]))
    }
}

/// What tells the stand-ins of elements at different indices apart, mostly.
fn factor(error: &RunError) -> i32 {
    let RunError::IndexOutOfRange { index, .. } = error else {
        return 1;
    };
    let sum = index.iter().fold(0i64, |sum, &i| sum.wrapping_add(i));
    1 + sum.rem_euclid(5) as i32
}

/// What a lenient run gives.
#[derive(Clone, Debug)]
pub struct ByNeed {
    /// The results, or why they fail.
    pub results: Vec<Result<HostArray, RunError>>,
    /// All failures that were met, needed or not, in order.
    pub met: Vec<RunError>,
}

/// Runs a program with the stand-ins of a choice, a number below [`STAND_INS`].
///
/// Engines check shapes before they compute elements. So all failures that one may report are those that are met
/// with scatters that [fail](Scatters::Fail) and with those that [do not](Scatters::Keep).
///
/// # Errors
/// Where the inputs do not fit the parameters, and where memory does not suffice.
pub fn run_by_need(
    program: &Program<Labelled>,
    inputs: &[HostArray],
    choice: usize,
    scatters: Scatters,
) -> Result<ByNeed, RunError> {
    check_inputs(program, inputs)?;
    with_deep_stack(|| {
        let lenient = Lenient {
            choice: choice % STAND_INS,
            scatters,
            met: Rc::default(),
        };
        let mut interpreter = Interpreter::new(&program.uses, 0);
        interpreter.lenient = Some(lenient.clone());
        let arguments = inputs.iter().map(Array::from_host);
        let arguments = arguments.collect::<Result<_, _>>()?;
        interpreter.bind_all(&program.params, arguments)?;
        interpreter.lets(&program.body)?;
        let results = program.body.results.iter().map(|&a| {
            let result = interpreter.get(a).and_then(|array| array.to_host());
            match result {
                Err(error @ RunError::Bug(_)) => Err(bug(error.to_string())),
                result => Ok(result),
            }
        });
        Ok(ByNeed {
            results: results.collect::<Result<_, _>>()?,
            met: lenient.met.take(),
        })
    })
}
