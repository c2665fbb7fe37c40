//! Running a closure once, in the reference interpreter.

use super::arrays::Arrays;
use super::sparsity::SparsityError;
use super::tracing::{AccFn, trace};
use crate::backend::RunError;
use crate::deep::with_deep_stack;
use crate::graph::SurfaceError;
use crate::host::{HostArray, HostArrayError};
use crate::interp;
use crate::label::label;
use crate::recover::recover;
use crate::term::{Labelled, Program};

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
    /// There is no such pattern.
    #[error(transparent)]
    Sparsity(#[from] SparsityError),
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
    let outputs = interpreted(f, inputs, |program, columns| {
        Ok(interp::run(program, columns)?)
    })?;
    let wrong = || RunError::Bug("the interpreter gave results of another type".into());
    Ok(F::Out::to_host(&mut outputs.into_iter()).ok_or_else(wrong)?)
}

/// What `run` makes of the program that a function is, and of the columns of its inputs.
#[track_caller]
pub(super) fn interpreted<M, F: AccFn<M>, R: Send>(
    f: F,
    inputs: <F::In as Arrays>::Host,
    run: impl FnOnce(&Program<Labelled>, &[HostArray]) -> Result<R, InterpretError> + Send,
) -> Result<R, InterpretError> {
    let traced = trace(f)?;
    let mut columns = vec![];
    F::In::from_host(inputs, &mut columns);
    with_deep_stack(|| {
        let program = recover(&traced.graph, &traced.lambda)?;
        run(&label(&program), &columns)
    })
}
