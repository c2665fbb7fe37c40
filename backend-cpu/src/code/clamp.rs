//! Clamped indices: affine ones that are not to go below a bound, nor above another, as stencils have them at the ends of
//! an array.
//!
//! Any nest of minima and maxima with numbers that are the same for all lanes is one clamp, `min(max(x, low), high)`.
//! So two numbers do at run time; the clamps of terms (`analysis/index_map/clamp.rs` in `cotangent_core`) are lists of bounds,
//! as the simplifier solves for the coordinates between each two of them.

use super::affine::{Analysis, Form};
use cotangent_core::algebra::ScalarCode;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::ValueId;
use cotangent_core::types::ScalarType;

/// `min(max(form, low), high)`, where `low` is at most `high`. Both are the same for all lanes.
#[derive(Clone, Debug)]
pub(super) struct Clamp {
    pub form: Form,
    pub low: ValueId,
    pub high: ValueId,
}

impl Analysis<'_> {
    /// The clamp that a value is, if its operands are known and it has no affine form.
    pub(super) fn clamp(&mut self, v: ValueId) -> Option<Clamp> {
        let is_open = self.body.type_of(v) == ScalarType::I32 && self.forms[v.index()].is_none();
        let op = self.body.op(v).clone();
        let (bounded, x, y) = match (op.operands_of(Prim::Max), op.operands_of(Prim::Min)) {
            (Some(&[x, y]), _) if is_open => (Prim::Max, x, y),
            (_, Some(&[x, y])) if is_open => (Prim::Min, x, y),
            (None | Some(_), None | Some(_)) => return None,
        };
        let (inner, bound) = match (self.is_scalar(x), self.is_scalar(y)) {
            (false, true) => (x, y),
            (true, false) => (y, x),
            (true, true) | (false, false) => return None,
        };
        let Clamp { form, low, high } = self.clamped(inner)?;
        // Both bounds are bounded: maxima and minima distribute over each other, so that this is the same number, and
        // the order of the bounds stays.
        let low = self.prim(bounded, &[low, bound]);
        let high = self.prim(bounded, &[high, bound]);
        Some(Clamp { form, low, high })
    }

    /// A value as a clamp, whose bounds may be the least and the greatest number.
    fn clamped(&mut self, v: ValueId) -> Option<Clamp> {
        if let Some(known) = &self.clamps[v.index()] {
            return Some(known.clone());
        }
        let form = self.forms[v.index()].clone()?;
        Some(Clamp {
            form,
            low: self.int(i32::MIN),
            high: self.int(i32::MAX),
        })
    }
}
