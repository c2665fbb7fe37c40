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

/// An operator on states.
pub(super) struct Wide {
    operator: Operator,
    /// The types of values, and of states.
    types: [Vec<ScalarType>; 2],
}

impl Wide {
    /// The wide form of an operator on values.
    pub(super) fn new(operator: &Operator) -> Self {
        let sums = operator.narrow_sums().into_iter();
        let sums: Vec<_> = sums.map(|sum| sum.map(|_| ScalarType::F64)).collect();
        let wide = operator.widened(&sums);
        Self {
            types: [operator.types(), wide.types()],
            operator: wide,
        }
    }

    /// The state that a tuple of values is.
    pub(super) fn state(&self, values: &[Const]) -> Result<Vec<Const>> {
        let typed = values.iter().zip(&self.types[1]);
        typed.map(|(&x, &ty)| converted(x, ty)).collect()
    }

    /// The tuple of values that a state stands for.
    pub(super) fn values(&self, state: &[Const]) -> Result<Vec<Const>> {
        let typed = state.iter().zip(&self.types[0]);
        typed.map(|(&x, &ty)| converted(x, ty)).collect()
    }
}

/// A number as one of another type; anything as one of its own.
pub(super) fn converted(x: Const, ty: ScalarType) -> Result<Const> {
    if x.scalar_type() == ty {
        return Ok(x);
    }
    let converted = Prim::Convert(ty).eval(&[x]);
    converted.ok_or_else(|| bug("a sum of what is no number"))
}

impl State<'_> {
    /// A state combined with the next values on the way in a direction.
    pub(super) fn combine(
        &self,
        wide: &Wide,
        state: &[Const],
        next: &[Const],
        direction: Direction,
    ) -> Result<Vec<Const>> {
        let next = wide.state(next)?;
        let args = match direction {
            Direction::Left => [state, &next].concat(),
            Direction::Right => [&next, state].concat(),
        };
        let values = self.eval(&wide.operator.body, &[], &args)?;
        Ok(pick(&values, &wide.operator.results))
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
            let elem = self.store.decl(array).elem;
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
