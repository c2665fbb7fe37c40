//! Sums of `f16` and `f32`, which are those in `f64`, rounded once: the Note \[Sums of narrow floats\] at
//! [`AccOp`](crate::term::AccOp).
//!
//! A state is a tuple whose sums are `f64`.

use super::{Result, State, bug, pick};
use crate::constant::Const;
use crate::prim::Prim;
use crate::schedule::{Operator, Output};
use crate::term::Direction;
use crate::types::ScalarType;

/// The state that a tuple of values is.
pub(super) fn widened(operator: &Operator, values: &[Const]) -> Result<Vec<Const>> {
    let sums = operator.narrow_sums();
    let columns = values.iter().zip(sums).map(|(&x, sum)| match sum {
        Some(_) => converted(x, ScalarType::F64),
        None => Ok(x),
    });
    columns.collect()
}

/// The tuple of values that a state stands for.
pub(super) fn narrowed(operator: &Operator, state: &[Const]) -> Result<Vec<Const>> {
    let sums = operator.narrow_sums();
    let columns = state.iter().zip(sums).map(|(&x, sum)| match sum {
        Some(ty) => converted(x, ty),
        None => Ok(x),
    });
    columns.collect()
}

/// A number as one of another type.
pub(super) fn converted(x: Const, ty: ScalarType) -> Result<Const> {
    let converted = Prim::Convert(ty).eval(&[x]);
    converted.ok_or_else(|| bug("a sum of what is no number"))
}

impl State<'_> {
    /// A state combined with the next values on the way in a direction.
    pub(super) fn combine(
        &self,
        operator: &Operator,
        state: &[Const],
        next: &[Const],
        direction: Direction,
    ) -> Result<Vec<Const>> {
        let so_far = narrowed(operator, state)?;
        let args = match direction {
            Direction::Left => [&so_far[..], next].concat(),
            Direction::Right => [next, &so_far[..]].concat(),
        };
        let values = self.eval(&operator.body, &[], &args)?;
        let mut combined = pick(&values, &operator.results);
        let terms = widened(operator, next)?;
        for (c, sum) in operator.narrow_sums().into_iter().enumerate() {
            if sum.is_some() {
                let sum = Prim::Add.eval(&[state[c], terms[c]]);
                combined[c] = sum.ok_or_else(|| bug("a sum of what is no number"))?;
            }
        }
        Ok(combined)
    }

    /// Makes the elements of arrays `f64` that a scatter is about to add to, if they are narrow floats.
    pub(super) fn widen(&mut self, outputs: &[Output]) -> Result<()> {
        self.retype(outputs, |_| ScalarType::F64)
    }

    /// Makes them what they were.
    pub(super) fn narrow(&mut self, outputs: &[Output]) -> Result<()> {
        self.retype(outputs, |own| own)
    }

    fn retype(&mut self, outputs: &[Output], ty: fn(ScalarType) -> ScalarType) -> Result<()> {
        for &Output { value: _, array } in outputs {
            let elem = self.schedule.arrays[array.index()].elem;
            if !elem.is_narrow_float() {
                continue;
            }
            for position in 0..self.elements(array) {
                let element = converted(self.get(array, position)?, ty(elem))?;
                self.set(array, position, element)?;
            }
        }
        Ok(())
    }
}
