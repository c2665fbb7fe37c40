//! Array programs, well typed by construction or by check.

use super::arr::ArrOp;
use super::index::{Vars, erased};
use super::program::TypedProgram;
use super::types::{Array, Env, Phantom, Scalar, Shape, Typed};
use crate::check::CheckError;
use crate::host::HostArray;
use crate::term::{AccBlock, AccLet, Alike, ArrBind, ArrIx, DeBruijn, Program, UseId};
use crate::types::ArrayType;
use std::marker::PhantomData;

/// An array expression over the arrays of `A`, with results `X` (`OpenAcc aenv arrs` of paper 003).
#[derive(Clone, Debug)]
pub struct OpenAcc<A, X> {
    /// The lets, *last* first, so that one more can be put before them at no cost.
    reversed: Vec<AccLet<DeBruijn>>,
    results: Vec<ArrIx>,
    types: Phantom<(A, X)>,
}

impl<A, X> OpenAcc<A, X> {
    /// The expression that gives these variables.
    pub fn ret(vars: impl Vars<A, ArrayType, Types = X>) -> Self {
        Self {
            reversed: vec![],
            results: erased(vars, ArrIx),
            types: PhantomData,
        }
    }

    /// Binds the results of `op` in `body`.
    pub fn let_<Y: Env<ArrayType>>(op: ArrOp<A, Y>, body: OpenAcc<Y::On<A>, X>) -> Self
    where
        A: Env<ArrayType>,
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
    pub fn into_erased(mut self) -> AccBlock<DeBruijn> {
        self.reversed.reverse();
        AccBlock {
            lets: self.reversed,
            results: self.results,
        }
    }

    pub(super) fn from_checked(block: AccBlock<DeBruijn>) -> Self {
        let AccBlock { mut lets, results } = block;
        lets.reverse();
        Self {
            reversed: lets,
            results,
            types: PhantomData,
        }
    }

    /// The same expression where the arrays of `B` are bound further out: weakening, which changes no variable, as these count from
    /// the nearest. So the body of a whole program becomes a part of another one.
    pub fn inside<B: Env<ArrayType>>(self) -> OpenAcc<A::On<B>, X>
    where
        A: Env<ArrayType>,
    {
        OpenAcc {
            reversed: self.reversed,
            results: self.results,
            types: PhantomData,
        }
    }

    /// The program from `A` to `X` that uses the given host arrays.
    ///
    /// # Errors
    /// Where the expression refers to host arrays of another table: the one thing that types do not tie.
    pub fn program(self, uses: &Uses) -> Result<TypedProgram<A, X>, CheckError>
    where
        A: Env<ArrayType>,
        X: Env<ArrayType>,
    {
        TypedProgram::try_from_erased(Program {
            params: arr_binds::<A>(),
            uses: uses.arrays.clone(),
            alike: Alike::default(),
            body: self.into_erased(),
        })
    }
}

/// One binding per type.
pub(super) fn arr_binds<X: Env<ArrayType>>() -> Vec<ArrBind<DeBruijn>> {
    let bind = |ty| ArrBind { name: (), ty };
    X::types().into_iter().map(bind).collect()
}

/// The host arrays of a program under construction.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    arrays: Vec<HostArray>,
}

impl Uses {
    pub(super) fn of(arrays: Vec<HostArray>) -> Self {
        Self { arrays }
    }

    /// Enters an array; `None` if its type is another.
    pub fn add<Sh: Shape, T: Scalar>(&mut self, array: HostArray) -> Option<Use<Sh, T>> {
        if array.array_type() != <Array<Sh, T> as Typed>::TYPE {
            return None;
        }
        self.arrays.push(array);
        Some(Use {
            id: UseId(self.arrays.len() as u32 - 1),
            types: PhantomData,
        })
    }
}

/// A host array of a [table](Uses).
#[derive(Clone, Copy, Debug)]
pub struct Use<Sh, T> {
    pub(super) id: UseId,
    types: Phantom<(Sh, T)>,
}
