//! Rules for floats that are not exact, which are for programs as users and AD write them.
//!
//! * `add_zero`: `x + 0.0` and `x - (-0.0)` become `x`, though −0.0 + 0.0 is 0.0. Sums of adjoints would
//!   otherwise be full of zeros.
//! * `pow_integer`, `pow_minus_one`: `x` to a power of 2 or 3 becomes multiplications, `x` to −1 a division.
//!   Both are within two units in the last place of what `pow` gives, but not always the same.
//!
//! The exact rules are in `algebra/float.rs`.

use super::Rewriter;
use crate::algebra::{ScalarCode, is_negative_zero};
use crate::constant::Const;
use crate::prim::Prim;
use crate::term::ExpId;

pub(super) fn rules(r: &mut Rewriter<'_>, op: Prim, operands: &[ExpId]) -> Option<ExpId> {
    let &[x, y] = operands else {
        return None;
    };
    if op == Prim::Pow {
        return pow(r, x, y);
    }
    let adds_zero = op == Prim::Add && r.type_of(y).is_float() && r.is_small(y, 0);
    let subtracts_zero = op == Prim::Sub && is_negative_zero(r, y);
    (adds_zero || subtracts_zero).then(|| r.fired("add_zero", x))?
}

fn pow(r: &mut Rewriter<'_>, x: ExpId, y: ExpId) -> Option<ExpId> {
    let ty = r.type_of(x);
    if r.is_small(y, 0) || is_negative_zero(r, y) {
        return r.becomes_small("pow_zero", ty, 1);
    }
    if r.is_small(y, 1) {
        return r.fired("pow_one", x);
    }
    if r.is_small(y, -1) {
        let one = r.constant(Const::small(ty, 1));
        return r.becomes("pow_minus_one", Prim::Div, &[one, x]);
    }
    if r.is_small(y, 2) {
        return r.becomes("pow_integer", Prim::Mul, &[x, x]);
    }
    if r.is_small(y, 3) {
        let square = r.prim(Prim::Mul, &[x, x]);
        return r.becomes("pow_integer", Prim::Mul, &[square, x]);
    }
    None
}
