//! Expressions and scalar functions, well typed by construction or by check.

use super::index::{Vars, erased};
use super::op::Op;
use super::types::{Env, Phantom};
use crate::check::{CheckError, Problem, check_fun};
use crate::term::{ArrIx, DeBruijn, ExpBind, ExpBlock, ExpIx, ExpLet, Fun, Slot};
use crate::types::{ArrayType, ScalarType};
use std::collections::HashMap;
use std::marker::PhantomData;

/// An expression over the scalars of `E` and the arrays of `A`, with results `R` (`OpenExp env aenv t` of
/// paper 003).
///
/// Erased, it is an [`ExpBlock`] whose slots number all of `A`, the nearest array first; a [`Fun`] captures
/// only what it uses.
#[derive(Clone, Debug)]
pub struct OpenExp<E, A, R> {
    /// The lets, *last* first, so that one more can be put before them at no cost.
    reversed: Vec<ExpLet<DeBruijn>>,
    results: Vec<ExpIx>,
    types: Phantom<(E, A, R)>,
}

impl<E, A, R> OpenExp<E, A, R> {
    /// The expression that gives these variables.
    pub fn ret(vars: impl Vars<E, ScalarType, Types = R>) -> Self {
        Self {
            reversed: vec![],
            results: erased(vars, ExpIx),
            types: PhantomData,
        }
    }

    /// Binds the results of `op` in `body`.
    pub fn let_<S: Env<ScalarType>>(op: Op<E, A, S>, body: OpenExp<S::On<E>, A, R>) -> Self
    where
        E: Env<ScalarType>,
    {
        let mut reversed = body.reversed;
        reversed.push(op.bound());
        Self {
            reversed,
            results: body.results,
            types: PhantomData,
        }
    }

    /// The block without its types.
    pub fn into_erased(mut self) -> ExpBlock<DeBruijn> {
        self.reversed.reverse();
        ExpBlock {
            lets: self.reversed,
            results: self.results,
        }
    }

    fn from_checked(block: ExpBlock<DeBruijn>) -> Self {
        let ExpBlock { mut lets, results } = block;
        lets.reverse();
        Self {
            reversed: lets,
            results,
            types: PhantomData,
        }
    }

    /// The view of a block as an expression of these types.
    ///
    /// # Errors
    /// Where it is not well typed, or has other results.
    pub fn try_from_erased(block: &ExpBlock<DeBruijn>) -> Result<Self, CheckError>
    where
        E: Env<ScalarType>,
        A: Env<ArrayType>,
        R: Env<ScalarType>,
    {
        let fun = Fun {
            captures: vec![],
            params: binds::<E>(),
            body: block.clone(),
        };
        let mut arrays = A::types();
        arrays.reverse();
        let found = check_fun(&fun, &arrays)?;
        demand("results", R::types(), found)?;
        Ok(Self::from_checked(fun.body))
    }
}

/// A function from `P` to `R` that may read the arrays of `A`.
#[derive(Clone, Debug)]
pub struct OpenFun<A, P, R> {
    body: OpenExp<P, A, R>,
}

impl<A, P, R> From<OpenExp<P, A, R>> for OpenFun<A, P, R> {
    fn from(body: OpenExp<P, A, R>) -> Self {
        Self { body }
    }
}

impl<A, P: Env<ScalarType>, R> OpenFun<A, P, R> {
    /// The function without its types.
    pub fn into_erased(self) -> Fun<DeBruijn> {
        let mut body = self.body.into_erased();
        let (mut captures, mut known) = (vec![], HashMap::new());
        body.renumber(&mut |array| {
            *known.entry(array).or_insert_with(|| {
                captures.push(ArrIx(array.0));
                Slot(captures.len() as u32 - 1)
            })
        });
        Fun {
            captures,
            params: binds::<P>(),
            body,
        }
    }

    /// The view of a function as one of these types.
    ///
    /// # Errors
    /// Where it is not well typed, captures what is not in `A`, or has other parameters or results.
    pub fn try_from_erased(fun: &Fun<DeBruijn>) -> Result<Self, CheckError>
    where
        A: Env<ArrayType>,
        R: Env<ScalarType>,
    {
        demand("parameters", P::types(), fun.param_types())?;
        let mut body = fun.body.clone();
        // A slot beyond the capture list becomes one beyond the environment, for the check to find.
        body.renumber(&mut |Slot(slot)| {
            let array = fun.captures.get(slot as usize);
            Slot(array.map_or(u32::MAX, |array| array.0))
        });
        OpenExp::try_from_erased(&body).map(Self::from)
    }
}

/// One binding per type.
pub(super) fn binds<R: Env<ScalarType>>() -> Vec<ExpBind<DeBruijn>> {
    let bind = |ty| ExpBind { name: (), ty };
    R::types().into_iter().map(bind).collect()
}

/// Demands that types found are those of the view.
pub(super) fn demand<T: PartialEq>(
    what: &'static str,
    expected: Vec<T>,
    found: Vec<T>,
) -> Result<(), CheckError>
where
    crate::check::Types: From<Vec<T>>,
{
    if expected == found {
        return Ok(());
    }
    Err(CheckError::from(Problem::Mismatch {
        what,
        expected: expected.into(),
        found: found.into(),
    }))
}
