//! Code under construction as the rules of [`cotangent_core::algebra`] see it: what is known of integers decides more
//! comparisons, quotients and extrema here than literals do.

use crate::code::{CodeId, Codes};
use cotangent_core::algebra::ScalarCode;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::ValueId;
use cotangent_core::types::ScalarType;

/// One piece of code among all of a program.
pub(crate) struct Piece<'a> {
    pub codes: &'a mut Codes,
    pub code: CodeId,
}

impl ScalarCode for Piece<'_> {
    type Value = ValueId;

    fn type_of(&self, x: ValueId) -> ScalarType {
        self.codes.type_of(self.code, x)
    }

    fn constant_of(&self, x: ValueId) -> Option<Const> {
        self.codes.as_const(self.code, x)
    }

    fn prim_of(&self, x: ValueId) -> Option<(Prim, &[ValueId])> {
        self.codes.op(self.code, x).as_prim()
    }

    fn constant(&mut self, value: Const) -> ValueId {
        self.codes.constant(self.code, value)
    }

    fn prim(&mut self, op: Prim, operands: &[ValueId]) -> ValueId {
        self.codes.prim(self.code, op, operands)
    }

    fn is_less(&mut self, x: ValueId, y: ValueId) -> bool {
        let [x_range, y_range] = [x, y].map(|v| self.codes.range(self.code, v));
        let by_extent = |codes: &mut Codes| {
            let extent = codes.as_host(self.code, y);
            extent.is_some_and(|extent| codes.is_below(self.code, x, extent))
        };
        x_range.high < y_range.low || by_extent(self.codes)
    }

    fn is_at_most(&mut self, x: ValueId, y: ValueId) -> bool {
        let known = [x, y].map(|v| self.codes.as_host(self.code, v));
        let by_minimum = matches!(known, [Some(x), Some(y)] if self.codes.is_at_most(x, y));
        let [x_range, y_range] = [x, y].map(|v| self.codes.range(self.code, v));
        x == y || x_range.high <= y_range.low || by_minimum
    }

    fn is_within(&mut self, x: ValueId, y: ValueId) -> bool {
        self.is_less(x, y) && self.codes.range(self.code, x).low >= 0
    }

    fn implies(&self, x: ValueId, y: ValueId) -> bool {
        self.codes.implies(self.code, x, y)
    }

    /// What the host knows, it computes once.
    fn is_free(&mut self, x: ValueId) -> bool {
        self.codes.as_host(self.code, x).is_some()
    }
}
