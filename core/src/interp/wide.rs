//! Sums of `f16` and `f32`, which are those in `f64`, rounded once: the Note \[Sums of narrow floats\] at
//! [`AccOp`](crate::term::AccOp).
//!
//! A state is a tuple whose sums are `f64`; what programs see of it is [`Sums::narrowed`].

use super::bug;
use super::scalar::Function;
use super::value::{Value, apply};
use crate::backend::RunError;
use crate::prim::Prim;
use crate::term::{ExpId, Fun, Labelled};
use crate::types::ScalarType;

/// The components of an operator on k-tuples that are sums of narrow floats, and their types.
#[derive(Debug)]
pub(super) struct Sums(Vec<Option<ScalarType>>);

impl Sums {
    /// Those of a function of 2k parameters and k results.
    pub(super) fn of(f: &Fun<Labelled>) -> Self {
        let k = f.body.results.len();
        let sum = |c: usize| {
            let (left, right) = (f.params.get(c)?, f.params.get(k + c)?);
            let operands = sum_operands(f, *f.body.results.get(c)?)?;
            let both = [left.name, right.name];
            let own = operands == both || operands == [both[1], both[0]];
            (own && left.ty.is_narrow_float()).then_some(left.ty)
        };
        Self((0..k).map(sum).collect())
    }

    /// The state that a tuple of values is.
    pub(super) fn widened(&self, values: Vec<Value>) -> Result<Vec<Value>, RunError> {
        let converted = values
            .into_iter()
            .enumerate()
            .map(|(c, x)| match self.0[c] {
                Some(_) => widened(&x),
                None => Ok(x),
            });
        converted.collect()
    }

    /// The tuple of values that a state stands for.
    pub(super) fn narrowed(&self, state: &[Value]) -> Result<Vec<Value>, RunError> {
        let converted = state.iter().zip(&self.0).map(|(x, sum)| match sum {
            Some(ty) => converted(x, *ty),
            None => Ok(x.clone()),
        });
        converted.collect()
    }

    /// The state after one more tuple, by the function on the two in the order that `operands` puts them into.
    pub(super) fn step(
        &self,
        f: &mut Function<'_>,
        state: Vec<Value>,
        next: Vec<Value>,
        operands: impl FnOnce(Vec<Value>, Vec<Value>) -> Vec<Value>,
    ) -> Result<Vec<Value>, RunError> {
        if self.0.iter().all(Option::is_none) {
            return f.call(operands(state, next));
        }
        let mut sums = vec![];
        for ((x, y), sum) in state.iter().zip(&next).zip(&self.0) {
            sums.push(match sum {
                Some(_) => Some(added(x, &widened(y)?)?),
                None => None,
            });
        }
        if sums.iter().all(Option::is_some) {
            return Ok(sums.into_iter().flatten().collect());
        }
        let results = f.call(operands(self.narrowed(&state)?, next))?;
        let chosen = sums.into_iter().zip(results);
        Ok(chosen.map(|(sum, x)| sum.unwrap_or(x)).collect())
    }
}

/// What is added, where `x` is a sum.
fn sum_operands(f: &Fun<Labelled>, x: ExpId) -> Option<[ExpId; 2]> {
    let mut lets = f.body.lets.iter();
    let found = lets.find(|l| l.binds.iter().any(|b| b.name == x))?;
    found.op.operands_of(Prim::Add)?.try_into().ok()
}

/// A number as `f64`.
pub(super) fn widened(x: &Value) -> Result<Value, RunError> {
    converted(x, ScalarType::F64)
}

/// A number as one of another type.
pub(super) fn converted(x: &Value, ty: ScalarType) -> Result<Value, RunError> {
    let converted = apply(Prim::Convert(ty), std::slice::from_ref(x));
    converted.ok_or_else(|| bug("a sum of what is no number"))
}

/// A sum of two numbers of one type.
pub(super) fn added(x: &Value, y: &Value) -> Result<Value, RunError> {
    let sum = apply(Prim::Add, &[x.clone(), y.clone()]);
    sum.ok_or_else(|| bug("values that cannot be added"))
}
