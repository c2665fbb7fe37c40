//! Whole programs, with the types of their parameters and results or without.
//!
//! Invariants: the program was checked when it was made, and nobody has changed it since; the types of a [`TypedProgram`] are those
//! that the check found. Clones share the program. It may be nested deeply, so that it is dropped on a deep stack.

use super::acc::{OpenAcc, Uses};
use super::exp::demand;
use super::types::{Env, Phantom};
use crate::check::{CheckError, Types, check_results};
use crate::deep::with_deep_stack;
use crate::term::{AccBlock, Alike, DeBruijn, Program};
use crate::types::ArrayType;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A program from arrays `A` to arrays `X`: an [`OpenAcc`], the host arrays that it uses, and which inputs have one shape.
pub struct TypedProgram<A, X> {
    shared: Arc<Shared>,
    types: Phantom<(A, X)>,
}

impl<A: Env<ArrayType>, X: Env<ArrayType>> TypedProgram<A, X> {
    /// The view of a program as one from `A` to `X`.
    ///
    /// # Errors
    /// Where it is not well typed, or has other parameters or results.
    pub fn try_from_erased(program: Program<DeBruijn>) -> Result<Self, CheckError> {
        Self::view(&program)?;
        Ok(Self::of(Arc::new(Shared(program))))
    }

    /// The same for what a pass of the given name made: an error names it and shows the program.
    ///
    /// # Errors
    /// Where it is not well typed, or has other parameters or results.
    pub fn try_from_pass(
        pass: &'static str,
        program: Program<DeBruijn>,
    ) -> Result<Self, CheckError> {
        Self::view(&program).map_err(|error| CheckError {
            pass: Some(pass),
            dump: program.to_string(),
            ..error
        })?;
        Ok(Self::of(Arc::new(Shared(program))))
    }

    fn view(program: &Program<DeBruijn>) -> Result<(), CheckError> {
        let results = check_results(program)?;
        demand("parameters", A::types(), param_types(program))?;
        demand("results", X::types(), results)
    }

    /// The same program, whose inputs are columns of these arrays. That extents of inputs are equal is forgotten
    /// where columns are put together in another way than before.
    pub fn with_columns(self, counts: impl IntoIterator<Item = usize>) -> Self {
        let Alike { params, .. } = Alike::of_columns(counts);
        if self.erased().alike.params == params {
            return self;
        }
        let mut program = self.into_erased();
        program.alike = Alike {
            params,
            uses: std::mem::take(&mut program.alike.uses),
            extents: Default::default(),
        };
        Self::of(Arc::new(Shared(program)))
    }
}

impl<A, X> TypedProgram<A, X> {
    fn of(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            types: PhantomData,
        }
    }

    /// The program without its types.
    pub fn erased(&self) -> &Program<DeBruijn> {
        &self.shared.0
    }

    /// The program without its types, by value: copied where it has clones.
    pub fn into_erased(self) -> Program<DeBruijn> {
        match Arc::try_unwrap(self.shared) {
            Ok(mut alone) => std::mem::replace(&mut alone.0, nothing()),
            Err(shared) => with_deep_stack(|| shared.0.clone()),
        }
    }

    /// The expression that it is, over its parameters.
    pub fn body(&self) -> OpenAcc<A, X> {
        OpenAcc::from_checked(with_deep_stack(|| self.erased().body.clone()))
    }

    /// The host arrays that it uses.
    pub fn uses(&self) -> Uses {
        Uses::of(self.erased().uses.clone())
    }
}

impl<A, X> Clone for TypedProgram<A, X> {
    fn clone(&self) -> Self {
        Self::of(self.shared.clone())
    }
}

impl<A, X> fmt::Display for TypedProgram<A, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_deep_stack(|| self.erased().to_string()))
    }
}

impl<A, X> fmt::Debug for TypedProgram<A, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = std::any::type_name::<fn(A) -> X>();
        write!(f, "TypedProgram({name})")
    }
}

/// A program whose types are known at run time only: a pair of types that exist, and a program of these.
///
/// [`cast`](Self::cast) eliminates it, for types that the caller names.
#[derive(Clone)]
pub struct AnyProgram {
    shared: Arc<Shared>,
    results: Vec<ArrayType>,
}

impl AnyProgram {
    /// A program of whatever types it has.
    ///
    /// # Errors
    /// Where it is not well typed.
    pub fn try_from_erased(program: Program<DeBruijn>) -> Result<Self, CheckError> {
        let results = check_results(&program)?;
        let shared = Arc::new(Shared(program));
        Ok(Self { shared, results })
    }

    /// The program without its types.
    pub fn erased(&self) -> &Program<DeBruijn> {
        &self.shared.0
    }

    /// This program as one from `A` to `X`, if these are its types.
    ///
    /// # Errors
    /// Where it has other parameters or results.
    pub fn cast<A, X>(&self) -> Result<TypedProgram<A, X>, CastError>
    where
        A: Env<ArrayType>,
        X: Env<ArrayType>,
    {
        fits("parameters", A::types(), param_types(self.erased()))?;
        fits("results", X::types(), self.results.clone())?;
        Ok(TypedProgram::of(self.shared.clone()))
    }
}

impl fmt::Debug for AnyProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let params = Types::from(param_types(self.erased()));
        let results = Types::from(self.results.clone());
        write!(f, "AnyProgram({params} -> {results})")
    }
}

/// A program was taken for one of other types.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the program's {what} are {found}, not {expected}; name the types that it has")]
pub struct CastError {
    /// Which of its types: of parameters or of results.
    pub what: &'static str,
    /// The types that were named, one for each column.
    pub expected: Types,
    /// The types that it has.
    pub found: Types,
}

fn fits(
    what: &'static str,
    expected: Vec<ArrayType>,
    found: Vec<ArrayType>,
) -> Result<(), CastError> {
    match expected == found {
        true => Ok(()),
        false => Err(CastError {
            what,
            expected: expected.into(),
            found: found.into(),
        }),
    }
}

fn param_types(program: &Program<DeBruijn>) -> Vec<ArrayType> {
    program.params.iter().map(|p| p.ty).collect()
}

/// A program that is dropped where its nesting does no harm.
struct Shared(Program<DeBruijn>);

impl Drop for Shared {
    fn drop(&mut self) {
        let program = std::mem::replace(&mut self.0, nothing());
        if !program.body.lets.is_empty() {
            with_deep_stack(|| drop(program));
        }
    }
}

/// The program from nothing to nothing.
fn nothing() -> Program<DeBruijn> {
    let (lets, results) = (vec![], vec![]);
    Program {
        params: vec![],
        uses: vec![],
        alike: Alike::default(),
        body: AccBlock { lets, results },
    }
}
