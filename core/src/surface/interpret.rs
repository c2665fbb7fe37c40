//! Running a closure once, in the reference interpreter.

use super::arrays::Arrays;
use super::tracing::{AccFn, trace};
use crate::backend::RunError;
use crate::deep::with_deep_stack;
use crate::graph::SurfaceError;
use crate::host::{HostArray, HostArrayError};
use crate::interp;
use crate::label::label;
use crate::recover::recover;

/// Why [`interpret`] has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InterpretError {
    /// The closures do not make a program.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// The program failed while it ran.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A host array cannot be made.
    #[error(transparent)]
    Array(#[from] HostArrayError),
}

/// Runs a function over arrays once, in the reference interpreter: to try things out. The interpreter is slow, and defines
/// what programs mean; gradients are computed by dual numbers.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let x = Array::vector(vec![1.0, 2.0, 3.0])?;
/// let partials = interpret(|x: Acc<Ix1, f64>| gradient_a(|x| x.product(), x), x)?;
/// assert_eq!(partials.to_vec(), [6.0, 3.0, 2.0]);
/// # Ok::<(), InterpretError>(())
/// ```
///
/// # Errors
/// Where the closures do not make a program, and where the program fails.
#[track_caller]
pub fn interpret<M, F: AccFn<M>>(
    f: F,
    inputs: <F::In as Arrays>::Host,
) -> Result<<F::Out as Arrays>::Host, InterpretError> {
    let traced = trace(f)?;
    let mut columns = vec![];
    F::In::from_host(inputs, &mut columns);
    let run = || -> Result<Vec<HostArray>, InterpretError> {
        let program = recover(&traced.graph, &traced.lambda)?;
        Ok(interp::run(&label(&program), &columns)?)
    };
    let outputs = with_deep_stack(run)?;
    let wrong = || RunError::Bug("the interpreter gave results of another type".into());
    Ok(F::Out::to_host(&mut outputs.into_iter()).ok_or_else(wrong)?)
}
