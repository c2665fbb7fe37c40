//! What symbols are, as far as it is a symbol and a number, or a product of such sums.

use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Op, Schedule, Step, SymbolId, ValueId, steps};
use cotangent_core::types::ScalarType::{I32, I64};
use std::collections::HashMap;

/// A symbol and a number, or a number alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Linear {
    pub symbol: Option<SymbolId>,
    pub plus: i64,
}

impl Linear {
    /// The same and so much more.
    pub fn add(self, plus: i64) -> Option<Self> {
        let plus = self.plus.checked_add(plus)?;
        Some(Self { plus, ..self })
    }
}

/// The scalar code that defines symbols.
pub(super) struct Definitions<'a> {
    by_symbol: HashMap<SymbolId, (&'a Body, ValueId)>,
}

impl<'a> Definitions<'a> {
    /// Those of a schedule, in all its lists.
    pub fn of(schedule: &'a Schedule) -> Self {
        let scalars = steps::all(&schedule.steps).filter_map(Step::as_scalars);
        let defined = scalars.flat_map(|(body, defines)| {
            let value = move |&(symbol, value)| (symbol, (body, value));
            defines.iter().map(value)
        });
        Self {
            by_symbol: defined.collect(),
        }
    }

    /// An `i32` as a symbol that nothing more is known of, and a number.
    pub fn linear(&self, symbol: SymbolId) -> Linear {
        let itself = Linear {
            symbol: Some(symbol),
            plus: 0,
        };
        let known = self.by_symbol.get(&symbol);
        let known = known.and_then(|&(body, value)| self.linear_value(body, value));
        known.unwrap_or(itself)
    }

    fn linear_value(&self, body: &Body, value: ValueId) -> Option<Linear> {
        match body.op(value) {
            Op::Const(value) => Some(Linear {
                symbol: None,
                plus: value.as_i32()?.into(),
            }),
            Op::Symbol(symbol) => Some(self.linear(*symbol)),
            Op::Prim(Prim::Add, operands) => {
                let sides = [operands[0], operands[1]].map(|v| self.linear_value(body, v));
                let (x, y) = (sides[0]?, sides[1]?);
                let plus = x.plus.checked_add(y.plus)?;
                match (x.symbol, y.symbol) {
                    (symbol, None) | (None, symbol) => Some(Linear { symbol, plus }),
                    (Some(_), Some(_)) => None,
                }
            }
            Op::Prim(..) | Op::Coord(_) | Op::Arg(_) | Op::Load(_) | Op::Loop(_) | Op::Out(..) => {
                None
            }
        }
    }

    /// The row at which a position, an `i64`, begins: what it is a product of with the extents of a row.
    pub fn row(&self, position: SymbolId, extents: &[SymbolId]) -> Option<Linear> {
        let (mut factors, mut left) = (self.factors(position)?, 1i64);
        for extent in extents.iter().map(|&extent| self.linear(extent)) {
            match extent.symbol {
                None => left = left.checked_mul(extent.plus)?,
                Some(_) => {
                    let at = factors.iter().position(|factor| *factor == extent)?;
                    factors.swap_remove(at);
                }
            }
        }
        let numbers = factors.iter().filter(|factor| factor.symbol.is_none());
        let number = numbers.fold(1i64, |product, number| product.wrapping_mul(number.plus));
        factors.retain(|factor| factor.symbol.is_some());
        match factors[..] {
            [row] if number == left => Some(row),
            [..] => None,
        }
    }

    /// What a position is a product of.
    fn factors(&self, symbol: SymbolId) -> Option<Vec<Linear>> {
        let &(body, value) = self.by_symbol.get(&symbol)?;
        self.factors_of_value(body, value)
    }

    fn factors_of_value(&self, body: &Body, value: ValueId) -> Option<Vec<Linear>> {
        match body.op(value) {
            Op::Const(Const::I64(value)) => Some(vec![Linear {
                symbol: None,
                plus: *value,
            }]),
            Op::Symbol(symbol) => self.factors(*symbol),
            Op::Prim(Prim::Mul, operands) => {
                let mut factors = self.factors_of_value(body, operands[0])?;
                factors.extend(self.factors_of_value(body, operands[1])?);
                Some(factors)
            }
            Op::Prim(Prim::Convert(I64), operands) if body.type_of(operands[0]) == I32 => {
                Some(vec![self.linear_value(body, operands[0])?])
            }
            Op::Const(_) | Op::Prim(..) | Op::Coord(_) | Op::Arg(_) => None,
            Op::Load(_) | Op::Loop(_) | Op::Out(..) => None,
        }
    }
}
