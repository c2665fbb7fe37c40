//! The reference interpreter: the meaning of programs.
//!
//! Slow, obvious and bounds-checked: what every other engine is tested against. It runs labelled programs,
//! before and after any pass, and evaluates gradients by dual numbers (`value.rs`; conventions at points
//! where a primitive is not smooth: `partial.rs`), without any code in common with reverse-mode AD.
//!
//! Reductions go from the first element to the last (scans from the right: from the last to the first), one
//! after the other, sums of `f16` and `f32` in `f64` (`wide.rs`). Everything else that the language leaves to the engine does not matter for the result.
//!
//! `sparsity.rs` runs it on numbers that know what they depend on.
//!
//! `need.rs` makes it go on after failures, to find out which of them a result needs.
//!
//! A checked program never panics here and never gives [`RunError::Bug`]; an ill-formed one gives that.

mod array;
mod collective;
mod custom;
mod dependence;
mod derivative;
mod forward;
mod moves;
mod need;
mod partial;
mod program;
mod scalar;
mod sparsity;
#[cfg(test)]
mod tests;
mod value;
mod watch;
mod wide;

pub use derivative::{finite_differences, gradient_by_duals, jvp};
pub use need::{ByNeed, STAND_INS, Scatters, run_by_need};
pub use sparsity::dependences;
pub use watch::{NonFinite, Wanted, first_non_finite};

use crate::backend::RunError;
use crate::constant::Const;
use crate::deep::with_deep_stack;
use crate::host::HostArray;
use crate::term::{Alike, Fun, Labelled, Program};
use array::Array;
use program::Interpreter;
use scalar::Function;
use value::Value;

/// Runs a program on one array per parameter.
///
/// ```
/// use cotangent_core::build::AccBuilder;
/// use cotangent_core::host::HostArray;
/// use cotangent_core::prim::Prim;
/// use cotangent_core::term::{Fun, Program};
/// use cotangent_core::types::{ArrayType, ScalarType};
///
/// let mut b = AccBuilder::new(0);
/// let x = b.fresh(ArrayType::new(ScalarType::F64, 1));
/// let square = Fun::prim(Prim::Mul, &[ScalarType::F64; 2]);
/// let y = b.map(square, &[x.clone(), x.clone()]);
/// let program = Program {
///     params: vec![x],
///     uses: vec![],
///     alike: Default::default(),
///     body: b.finish(&y),
/// };
///
/// let input = HostArray::new(vec![2], vec![3.0, -0.5].into())?;
/// let output = cotangent_core::interp::run(&program, &[input])?;
/// assert_eq!(output, [HostArray::new(vec![2], vec![9.0, 0.25].into())?]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where the inputs do not fit the parameters, and where the program fails.
pub fn run(program: &Program<Labelled>, inputs: &[HostArray]) -> Result<Vec<HostArray>, RunError> {
    check_inputs(program, inputs)?;
    with_deep_stack(|| {
        let arguments = inputs.iter().map(Array::from_host);
        let results = results_of(program, arguments.collect::<Result<_, _>>()?, 0)?;
        results.iter().map(Array::to_host).collect()
    })
}

/// Calls a scalar function on the given arguments, with the given arrays as its captures.
///
/// # Errors
/// Where the function fails; [`RunError::Bug`] where the arguments do not fit.
pub fn eval_fun(
    fun: &Fun<Labelled>,
    captures: &[HostArray],
    args: &[Const],
) -> Result<Vec<Const>, RunError> {
    with_deep_stack(|| {
        let captures = captures.iter().map(Array::from_host).collect();
        let args = args.iter().copied().map(Value::Plain).collect();
        let results = Function::new(fun, captures, 0).call(args)?;
        Ok(results.iter().map(Value::constant).collect())
    })
}

/// Runs the program inside `level` gradients.
fn results_of(
    program: &Program<Labelled>,
    arguments: Vec<Array>,
    level: value::Level,
) -> Result<Vec<Array>, RunError> {
    let Program {
        params,
        uses,
        alike: _,
        body,
    } = program;
    let mut interpreter = Interpreter::new(uses, level);
    interpreter.bind_all(params, arguments)?;
    interpreter.block(body)
}

fn check_inputs(program: &Program<Labelled>, inputs: &[HostArray]) -> Result<(), RunError> {
    if inputs.len() != program.params.len() {
        return Err(RunError::InputCount {
            expected: program.params.len(),
            given: inputs.len(),
        });
    }
    for (position, (param, input)) in program.params.iter().zip(inputs).enumerate() {
        let (expected, given) = (param.ty, input.array_type());
        if expected != given {
            return Err(RunError::InputType {
                position,
                expected,
                given,
            });
        }
    }
    check_columns(&program.alike, inputs)
}

fn check_columns(alike: &Alike, inputs: &[HostArray]) -> Result<(), RunError> {
    let shape = |position: u32| inputs.get(position as usize).map(HostArray::shape);
    let differs = |(of, first): &(&u32, &u32)| shape(**of) != shape(**first);
    match alike.params.iter().find(differs) {
        None => Ok(()),
        Some((&of, &first)) => Err(RunError::InputShape {
            position: of as usize,
            expected: shape(first).unwrap_or_default().to_vec(),
            given: shape(of).unwrap_or_default().to_vec(),
        }),
    }
}

fn bug(what: impl Into<String>) -> RunError {
    RunError::Bug(what.into())
}
