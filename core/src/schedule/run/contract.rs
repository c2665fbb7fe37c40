//! Contractions, and the verification of what they claim to know.

use super::wide::Wide;
use super::{Result, State, bug, points};
use crate::constant::Const;
use crate::integer_const;
use crate::rounding::f16;
use crate::schedule::{Bound, KernelKind, Operator, ValueId};
use crate::term::Direction;

impl State<'_> {
    /// Combines the terms of one point of the space.
    pub(super) fn contract(&mut self, kind: &KernelKind, row: usize, coords: &[i32]) -> Result<()> {
        let KernelKind::Contract {
            semiring,
            inner,
            body,
            roles: _,
            left,
            right,
            init,
            structure,
            output,
        } = kind
        else {
            return Ok(());
        };
        let ty = body.type_of(output.value);
        let wide = Wide::new(&Operator::of_prim(semiring.plus(), ty));
        let init = init.map(|init| wide.state(&[self.store.symbol(init)]));
        let mut total = init.transpose()?;
        for inner in points(&self.store.ints(inner)) {
            let coords = [coords, &inner].concat();
            let values = self.eval(body, &coords, &[])?;
            is_zero_outside(&values, *left, &structure.left, &coords)?;
            is_zero_outside(&values, *right, &structure.right, &coords)?;
            let term = [values[output.value.index()]];
            total = Some(match total {
                Some(total) => self.combine(&wide, &total, &term, Direction::Left)?,
                None => wide.state(&term)?,
            });
        }
        let total = total.ok_or_else(|| bug("an empty contraction passed its check"))?;
        let total = wide.values(&total)?[0];
        let total = match structure.is_needed(coords) {
            true => total,
            false => not_a_number(total),
        };
        self.write(&[*output], row, &[total])
    }
}

/// Requires that a factor is zero where one of its bounds does not hold.
fn is_zero_outside(
    values: &[Const],
    factor: ValueId,
    bounds: &[Bound],
    coords: &[i32],
) -> Result<()> {
    let value = values[factor.index()];
    match bounds.iter().find(|bound| !bound.holds(coords)) {
        Some(bound) if !value.is_zero() => Err(bug(format!(
            "{factor} is {value} at {coords:?}, where {bound} does not hold"
        ))),
        Some(_) | None => Ok(()),
    }
}

/// What nobody may look at.
fn not_a_number(like: Const) -> Const {
    match like {
        Const::F16(_) => Const::F16(f16::NAN),
        Const::F32(_) => Const::F32(f32::NAN),
        Const::F64(_) => Const::F64(f64::NAN),
        Const::Bool(_) | integer_const!() => like,
    }
}
