//! The ways that give numbers, or ask something of them.

use super::super::group::Value;
use super::super::ops::{Arg, Class, Virtual, of_bytes, of_elements};
use super::super::table::{self, Family, Widths};
use super::super::way::{
    FLOOR, GREATER_OR_EQUAL, NOT_EQUAL, ORDERED_NOT_EQUAL, TRUNC, UNORDERED, Way,
};
use super::Lower;
use cotangent_core::constant::Const;
use cotangent_core::types::ScalarType::{self, F32, F64, I32};

/// Of vpcmp: equal.
const EQUAL: u8 = 0;

impl Lower<'_> {
    /// An operation on one number, `x`, or on `x` and `y`, of a type.
    pub(super) fn number(&mut self, way: Way, ty: ScalarType, x: Value, y: Value) -> Virtual {
        match way {
            Way::Move => self.register(x),
            Way::Binary(family, _) => self.binary(family, ty, x, y),
            Way::Unary(family) => {
                let x = self.operand(x, ty);
                self.one(family, ty, x)
            }
            Way::Extremum(family) => self.extremum(family, ty, x, y),
            Way::Compare(family, how) => {
                let operands = (self.register(x), self.operand(y, ty));
                self.compare(family, ty, operands, how)
            }
            Way::Rounded(how) => {
                let x = self.register(x);
                self.rounded(ty, x, how)
            }
            Way::HalfAway => self.half_away(ty, x),
            Way::Negated => self.with_bits(table::XOR, ty, x, sign(ty)),
            Way::Absolute => self.with_bits(table::AND, ty, x, !sign(ty)),
            Way::Sign => self.sign(ty, x),
            Way::IsNan => {
                let x = self.register(x);
                self.compare(table::COMPARE, ty, (x, Arg::Read(x)), UNORDERED)
            }
            Way::IsInfinite => self.is_infinite(ty, x),
            Way::IsNumber => {
                let operands = (self.register(x), self.bits(ty, 0));
                self.compare(table::COMPARE, ty, operands, NOT_EQUAL)
            }
            Way::IntNegated => self.int_negated(ty, x),
            Way::Complement => self.with_bits(table::XOR, ty, x, u64::MAX),
            Way::IntSign => self.int_sign(ty, x),
            Way::IsNonzero => self.is_nonzero(ty, x),
            Way::Shift(family) => self.shift(family, ty, x, y),
            Way::Division { floor, rest } => self.division((floor, rest), x, y),
            Way::Convert(widths) => {
                let x = self.register(x);
                self.convert(widths, x)
            }
            Way::Truncate(widths, to) => self.truncate(widths, (ty, to), x),
            // Others are none of numbers: `Lower::operation` has them.
            Way::Masks(_) | Way::Not | Way::Select | Way::FromBool(_) => self.register(x),
        }
    }

    /// A constant, by its bits.
    fn bits(&mut self, ty: ScalarType, bits: u64) -> Arg<Virtual> {
        Arg::Memory(self.pool.bits(ty.bytes(), bits), true)
    }

    fn literal(&mut self, value: Const) -> Arg<Virtual> {
        Arg::Memory(self.pool.literal(value), true)
    }

    fn with_bits(&mut self, family: Family, ty: ScalarType, x: Value, bits: u64) -> Virtual {
        let (x, bits) = (self.register(x), self.bits(ty, bits));
        self.two(family, ty, x, bits)
    }

    fn rounded(&mut self, ty: ScalarType, x: Virtual, how: u8) -> Virtual {
        let opcode = of_elements(table::ROUND, ty.bytes(), self.lanes);
        let args = [Arg::Read(x), Arg::Literal(how)];
        self.body.push(Class::Vector, opcode, &args)
    }

    /// The instruction gives its last operand if one is NaN or both are equal, so that `x` comes last.
    fn extremum(&mut self, family: Family, ty: ScalarType, x: Value, y: Value) -> Virtual {
        let (x, y) = (self.register(x), self.register(y));
        let extremum = self.two(family, ty, y, Arg::Read(x));
        let nan = self.compare(table::COMPARE, ty, (y, Arg::Read(y)), UNORDERED);
        self.blend(ty, nan, extremum, Arg::Read(y))
    }

    /// Adds what is a little less than a half, with the sign of `x`, and rounds towards zero.
    fn half_away(&mut self, ty: ScalarType, x: Value) -> Virtual {
        let x = self.register(x);
        let sign = self.bits(ty, sign(ty));
        let sign = self.two(table::AND, ty, x, sign);
        let half = match ty {
            F32 => self.literal(Const::F32(0.5_f32.next_down())),
            _ => self.literal(Const::F64(0.5_f64.next_down())),
        };
        let half = self.two(table::OR, ty, sign, half);
        let sum = self.two(table::ADD, ty, x, Arg::Read(half));
        self.rounded(ty, sum, TRUNC)
    }

    fn sign(&mut self, ty: ScalarType, x: Value) -> Virtual {
        let x = self.register(x);
        let (sign, one) = (self.bits(ty, sign(ty)), self.pool.one(ty));
        let sign = self.two(table::AND, ty, x, sign);
        let one = self.two(table::OR, ty, sign, Arg::Memory(one, true));
        let zero = self.bits(ty, 0);
        let is_number = self.compare(table::COMPARE, ty, (x, zero), ORDERED_NOT_EQUAL);
        self.blend(ty, is_number, x, Arg::Read(one))
    }

    fn is_infinite(&mut self, ty: ScalarType, x: Value) -> Virtual {
        let size = self.with_bits(table::AND, ty, x, !sign(ty));
        let infinity = match ty {
            F32 => self.literal(Const::F32(f32::INFINITY)),
            _ => self.literal(Const::F64(f64::INFINITY)),
        };
        self.compare(table::COMPARE, ty, (size, infinity), EQUAL)
    }

    fn int_negated(&mut self, ty: ScalarType, x: Value) -> Virtual {
        let x = self.register(x);
        let zero = self.two(table::XOR, ty, x, Arg::Read(x));
        self.two(table::INT_SUB, ty, zero, Arg::Read(x))
    }

    fn int_sign(&mut self, ty: ScalarType, x: Value) -> Virtual {
        let below = self.with_bits(table::INT_MIN, ty, x, 1);
        let least = self.bits(ty, u64::MAX);
        self.two(table::INT_MAX, ty, below, least)
    }

    fn is_nonzero(&mut self, ty: ScalarType, x: Value) -> Virtual {
        let x = Arg::Read(self.register(x));
        let opcode = of_elements(table::TEST, ty.bytes(), self.lanes);
        self.body.push(Class::Mask, opcode, &[x, x])
    }

    fn shift(&mut self, family: Family, ty: ScalarType, x: Value, y: Value) -> Virtual {
        let places = self.with_bits(table::AND, ty, y, ty.bytes() as u64 * 8 - 1);
        let x = self.register(x);
        self.two(family, ty, x, Arg::Read(places))
    }

    /// Quotients of `i32` are exact enough as floats: two that differ do so by more than is rounded.
    fn division(&mut self, (floor, rest): (bool, bool), x: Value, y: Value) -> Virtual {
        let (x, y) = (self.register(x), self.register(y));
        let [wide, by] = [x, y].map(|v| self.convert(table::I32_TO_F64, v));
        let mut quotient = self.two(table::DIV, F64, wide, Arg::Read(by));
        if floor {
            quotient = self.rounded(F64, quotient, FLOOR);
        }
        let quotient = self.convert(table::F64_TO_I32, quotient);
        let zero = self.bits(I32, 0);
        let by_zero = self.compare(table::INT_COMPARE, I32, (y, zero), EQUAL);
        let quotient = self.blend(I32, by_zero, quotient, zero);
        if !rest {
            return quotient;
        }
        let product = self.two(table::INT_MUL, I32, quotient, Arg::Read(y));
        self.two(table::INT_SUB, I32, x, Arg::Read(product))
    }

    /// A conversion, whose instruction is chosen by the wider of both types.
    fn convert(&mut self, widths: Widths, x: Virtual) -> Virtual {
        let is_narrow = [table::F32_TO_I32, table::I32_TO_F32, table::U32_TO_F32];
        let size = if is_narrow.contains(&widths) { 4 } else { 8 };
        let opcode = of_bytes(widths, size * self.lanes);
        self.body.push(Class::Vector, opcode, &[Arg::Read(x)])
    }

    /// The instruction gives the least integer for all that does not fit, which is right for what is too small.
    fn truncate(
        &mut self,
        widths: Widths,
        (from, to): (ScalarType, ScalarType),
        x: Value,
    ) -> Virtual {
        let x = self.register(x);
        let converted = self.convert(widths, x);
        let (limit, most) = match to {
            I32 => (-f64::from(i32::MIN), i32::MAX as u64),
            _ => (-(i64::MIN as f64), i64::MAX as u64),
        };
        let limit = match from {
            F32 => self.literal(Const::F32(limit as f32)),
            _ => self.literal(Const::F64(limit)),
        };
        let is_large = self.compare(table::COMPARE, from, (x, limit), GREATER_OR_EQUAL);
        let most = self.bits(to, most);
        let limited = self.blend(to, is_large, converted, most);
        let nan = self.compare(table::COMPARE, from, (x, Arg::Read(x)), UNORDERED);
        let zero = self.bits(to, 0);
        self.blend(to, nan, limited, zero)
    }
}

/// The bit of the sign.
fn sign(ty: ScalarType) -> u64 {
    1 << (ty.bytes() * 8 - 1)
}
