//! Programs as typed terms: how they are looked at, and how they are made without closures.

use super::Program;
use crate::error::Error;
use cotangent_core::surface::Arrays;
use cotangent_core::typed::TypedProgram;

impl<In: Arrays, Out: Arrays> Program<In, Out> {
    /// The program as a term: what sharing recovery made of the closure, in an environment of its arguments, with derivatives still to be
    /// taken. One array of each column, in order, the last one nearest.
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// use cotangent::typed::{self, One, TypedProgram};
    /// type Vector = typed::Array<typed::Snoc<typed::Z>, f64>;
    ///
    /// let squares = cotangent::compile(|x: Acc<Ix1, f64>| x.map(|x| x * x))?;
    /// let term: &TypedProgram<One<Vector>, One<Vector>> = squares.typed();
    /// assert_eq!(term.erased().body.lets[0].op.name(), "map");
    /// assert_eq!(term.to_string(), squares.to_string());
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn typed(&self) -> &TypedProgram<In::Types, Out::Types> {
        &self.source
    }

    /// Compiles a term, as [`compile`](crate::compile) does what a closure builds. Parts of it may be terms of other programs.
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// use cotangent::typed::{Ix, OpenAcc, One, Snoc, Z, arr};
    /// use cotangent::{Cpu, Program, compile};
    /// type Vector = cotangent::typed::Array<Snoc<Z>, f64>;
    ///
    /// // The gradient of a program that was compiled before, as a term: \x -> gradient_a (\y -> norm y) at x
    /// let norm = compile(|x: Acc<Ix1, f64>| x.map(|x| x * x).sum())?;
    /// let x: Ix<One<Vector>, Vector> = Ix::zero();
    /// let inner = norm.typed().body().inside::<One<Vector>>();
    /// let term = OpenAcc::let_(arr::gradient(x, inner), OpenAcc::ret(Ix::zero()));
    ///
    /// let term = term.program(&norm.typed().uses())?;
    /// let gradient: Program<Acc<Ix1, f64>, Acc<Ix1, f64>> = Program::from_typed(term)?;
    /// let x = Array::vector(vec![1.0, 2.5])?;
    /// assert_eq!(gradient.run(&Cpu::default(), x)?.to_vec(), [2.0, 5.0]);
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    ///
    /// Columns of the inputs that are one array in `In` have one shape. Columns of results that are one array in `Out` should have: a
    /// run fails by [`Error::Columns`] where they have not, which closures cannot say.
    ///
    /// # Errors
    /// As [`compile`](crate::compile), but for those of closures.
    pub fn from_typed(term: TypedProgram<In::Types, Out::Types>) -> Result<Self, Error> {
        let mut counts = vec![];
        In::column_counts(&mut counts);
        Self::compiled(term.with_columns(counts))
    }
}

/// The columns of an array of tuples came out with different shapes, as a program made of a [term](Program::from_typed) may say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "result {result} has columns of shapes {shapes:?}; let the term give columns of one shape, or take them for arrays of their own"
)]
pub struct ColumnsError {
    /// Which array among the results.
    pub result: usize,
    /// The shapes of its columns.
    pub shapes: Vec<Vec<usize>>,
}

/// Demands that the columns of each array have one shape, of shapes of all columns.
pub(crate) fn of_one_shape<'s, Out: Arrays>(
    shapes: impl Iterator<Item = &'s [usize]>,
) -> Result<(), ColumnsError> {
    let (mut counts, mut shapes) = (vec![], shapes);
    Out::column_counts(&mut counts);
    for (result, count) in counts.into_iter().enumerate() {
        let array: Vec<_> = shapes.by_ref().take(count).collect();
        if array.windows(2).any(|pair| pair[0] != pair[1]) {
            let shapes = array.into_iter().map(<[_]>::to_vec).collect();
            return Err(ColumnsError { result, shapes });
        }
    }
    Ok(())
}
