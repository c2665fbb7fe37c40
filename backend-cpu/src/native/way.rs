//! How a primitive is made of instructions, where it is: those that are not, mostly transcendental functions, stay loops
//! of their own (`lanes`).

use super::table::{self, Family, Widths};
use cotangent_core::prim::Prim;
use cotangent_core::types::ScalarType::{
    self, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64,
};
use iced_x86::Code as Opcode;

/// The ways. What each gives is what `Prim::eval` does, bit for bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// The operand.
    Move,
    /// An instruction on two operands; whether they can be exchanged.
    Binary(Family, bool),
    /// An instruction on one operand.
    Unary(Family),
    /// The greater or lesser float, NaN if one is; the first of equal ones.
    Extremum(Family),
    /// A comparison.
    Compare(Family, u8),
    /// A float rounded to an integer, as an immediate says.
    Rounded(u8),
    /// A float rounded to the nearest integer, halves away from zero.
    HalfAway,
    /// A float with its sign changed.
    Negated,
    /// A float without its sign.
    Absolute,
    /// The sign of a float, which zeros and NaN are themselves.
    Sign,
    /// Whether a float is NaN.
    IsNan,
    /// Whether a float is infinite.
    IsInfinite,
    /// Whether a float is something else than zero.
    IsNumber,
    /// An integer with its sign changed.
    IntNegated,
    /// All bits changed.
    Complement,
    /// The sign of an integer.
    IntSign,
    /// Whether an integer is not zero.
    IsNonzero,
    /// Bits moved by a number of places that is taken modulo the size.
    Shift(Family),
    /// A quotient of `i32` (0 by zero), towards zero or rounded down; or what is left.
    Division { floor: bool, rest: bool },
    /// An instruction on two truth values.
    Masks(Opcode),
    /// A truth value changed.
    Not,
    /// One of two by a truth value.
    Select,
    /// 1 where a truth value holds.
    FromBool(ScalarType),
    /// Another type, by an instruction.
    Convert(Widths),
    /// A float as an integer: NaN is 0, and what is too large the greatest.
    Truncate(Widths, ScalarType),
}

/// Of vrndscale: do not report what is inexact.
const QUIET: u8 = 8;
/// Rounding down, up and towards zero.
pub(super) const FLOOR: u8 = QUIET | 1;
const CEIL: u8 = QUIET | 2;
pub(super) const TRUNC: u8 = QUIET | 3;

impl Way {
    /// Whether there are registers with lanes of a type: they are of 32 or 64 bits, and those of masks.
    pub fn has_registers(ty: ScalarType) -> bool {
        match ty {
            Bool | I32 | I64 | U32 | U64 | F32 | F64 => true,
            I8 | I16 | U8 | U16 | F16 => false,
        }
    }

    /// The way of a primitive whose last operand is of a type.
    pub fn of(prim: Prim, ty: ScalarType) -> Option<Self> {
        match (prim, ty) {
            (_, I8 | I16 | U8 | U16 | F16) => None,
            (Prim::Select, _) => Some(Self::Select),
            (Prim::Convert(to), _) => Self::conversion(ty, to),
            (Prim::ToBits | Prim::FromBits, _) => Some(Self::Move),
            (_, Bool) => Self::of_bools(prim),
            (_, F32 | F64) => Self::of_floats(prim),
            (_, I32 | I64 | U32 | U64) => Self::of_integers(prim, ty),
        }
    }

    fn of_bools(prim: Prim) -> Option<Self> {
        use Prim::*;
        let opcode = match prim {
            And => Opcode::VEX_Kandw_kr_kr_kr,
            Or => Opcode::VEX_Korw_kr_kr_kr,
            Eq => Opcode::VEX_Kxnorw_kr_kr_kr,
            Ne => Opcode::VEX_Kxorw_kr_kr_kr,
            Not => return Some(Self::Not),
            Neg | Abs | Signum | Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos
            | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Floor | Ceil | Round | Trunc
            | IsNan | IsInfinite | BitNot | Add | Sub | Mul | Div | Quot | Rem | DivFloor
            | ModFloor | Pow | Atan2 | Max | Min | Lt | Le | Gt | Ge | BitAnd | BitOr | BitXor
            | Shl | Shr | MulAdd | Select | Convert(_) | ToBits | FromBits => return None,
        };
        Some(Self::Masks(opcode))
    }

    fn of_floats(prim: Prim) -> Option<Self> {
        // Ordered comparisons are false where one operand is NaN, the unordered one is true; none traps.
        let compare = |how| Some(Self::Compare(table::COMPARE, how));
        match prim {
            Prim::Add => Some(Self::Binary(table::ADD, true)),
            Prim::Sub => Some(Self::Binary(table::SUB, false)),
            Prim::Mul => Some(Self::Binary(table::MUL, true)),
            Prim::Div => Some(Self::Binary(table::DIV, false)),
            Prim::Max => Some(Self::Extremum(table::MAX)),
            Prim::Min => Some(Self::Extremum(table::MIN)),
            Prim::Sqrt => Some(Self::Unary(table::SQRT)),
            Prim::Floor => Some(Self::Rounded(FLOOR)),
            Prim::Ceil => Some(Self::Rounded(CEIL)),
            Prim::Trunc => Some(Self::Rounded(TRUNC)),
            Prim::Round => Some(Self::HalfAway),
            Prim::Neg => Some(Self::Negated),
            Prim::Abs => Some(Self::Absolute),
            Prim::Signum => Some(Self::Sign),
            Prim::IsNan => Some(Self::IsNan),
            Prim::IsInfinite => Some(Self::IsInfinite),
            Prim::Eq => compare(EQUAL),
            Prim::Ne => compare(NOT_EQUAL),
            Prim::Lt => compare(LESS),
            Prim::Le => compare(LESS_OR_EQUAL),
            Prim::Gt => compare(GREATER),
            Prim::Ge => compare(GREATER_OR_EQUAL),
            Prim::Exp
            | Prim::ExpM1
            | Prim::Ln
            | Prim::Ln1p
            | Prim::Sin
            | Prim::Cos
            | Prim::Tan
            | Prim::Asin
            | Prim::Acos
            | Prim::Atan
            | Prim::Sinh
            | Prim::Cosh
            | Prim::Tanh
            | Prim::Asinh
            | Prim::Acosh
            | Prim::Atanh
            | Prim::Not
            | Prim::BitNot
            | Prim::Quot
            | Prim::Rem
            | Prim::DivFloor
            | Prim::ModFloor
            | Prim::Pow
            | Prim::Atan2
            | Prim::And
            | Prim::Or
            | Prim::BitAnd
            | Prim::BitOr
            | Prim::BitXor
            | Prim::Shl
            | Prim::Shr
            | Prim::MulAdd
            | Prim::Select
            | Prim::ToBits
            | Prim::FromBits
            | Prim::Convert(_) => None,
        }
    }

    fn of_integers(prim: Prim, ty: ScalarType) -> Option<Self> {
        let is_signed = !ty.is_unsigned();
        let by_sign = |signed, unsigned| if is_signed { signed } else { unsigned };
        let compare = |how| {
            Some(Self::Compare(
                by_sign(table::INT_COMPARE, table::NAT_COMPARE),
                how,
            ))
        };
        let binary = |family| Some(Self::Binary(family, true));
        let division = |floor, rest| (ty == I32).then_some(Self::Division { floor, rest });
        match prim {
            Prim::Add => binary(table::INT_ADD),
            Prim::Sub => Some(Self::Binary(table::INT_SUB, false)),
            Prim::Mul => binary(table::INT_MUL),
            Prim::Max => binary(by_sign(table::INT_MAX, table::NAT_MAX)),
            Prim::Min => binary(by_sign(table::INT_MIN, table::NAT_MIN)),
            Prim::BitAnd => binary(table::AND),
            Prim::BitOr => binary(table::OR),
            Prim::BitXor => binary(table::XOR),
            Prim::Shl => Some(Self::Shift(table::SHIFT_LEFT)),
            Prim::Shr => Some(Self::Shift(by_sign(
                table::SHIFT_RIGHT,
                table::NAT_SHIFT_RIGHT,
            ))),
            Prim::Neg => Some(Self::IntNegated),
            Prim::BitNot => Some(Self::Complement),
            Prim::Abs if is_signed => Some(Self::Unary(table::INT_ABS)),
            Prim::Abs => Some(Self::Move),
            Prim::Signum if is_signed => Some(Self::IntSign),
            Prim::Quot => division(false, false),
            Prim::Rem => division(false, true),
            Prim::DivFloor => division(true, false),
            Prim::ModFloor => division(true, true),
            Prim::Eq => compare(0),
            Prim::Lt => compare(1),
            Prim::Le => compare(2),
            Prim::Ne => compare(4),
            Prim::Ge => compare(5),
            Prim::Gt => compare(6),
            Prim::Signum
            | Prim::Sqrt
            | Prim::Exp
            | Prim::ExpM1
            | Prim::Ln
            | Prim::Ln1p
            | Prim::Sin
            | Prim::Cos
            | Prim::Tan
            | Prim::Asin
            | Prim::Acos
            | Prim::Atan
            | Prim::Sinh
            | Prim::Cosh
            | Prim::Tanh
            | Prim::Asinh
            | Prim::Acosh
            | Prim::Atanh
            | Prim::Floor
            | Prim::Ceil
            | Prim::Round
            | Prim::Trunc
            | Prim::IsNan
            | Prim::IsInfinite
            | Prim::Not
            | Prim::Div
            | Prim::Pow
            | Prim::Atan2
            | Prim::And
            | Prim::Or
            | Prim::MulAdd
            | Prim::Select
            | Prim::ToBits
            | Prim::FromBits
            | Prim::Convert(_) => None,
        }
    }

    fn conversion(from: ScalarType, to: ScalarType) -> Option<Self> {
        match (from, to) {
            (I8 | I16 | U8 | U16 | F16, _) | (_, I8 | I16 | U8 | U16 | F16) => None,
            (Bool, to) if to != Bool => Some(Self::FromBool(to)),
            (F32 | F64, Bool) => Some(Self::IsNumber),
            (I32 | I64 | U32 | U64, Bool) => Some(Self::IsNonzero),
            (F64, F32) => Some(Self::Convert(table::F64_TO_F32)),
            (F32, F64) => Some(Self::Convert(table::F32_TO_F64)),
            (I32, F64) => Some(Self::Convert(table::I32_TO_F64)),
            (I32, F32) => Some(Self::Convert(table::I32_TO_F32)),
            (U32, F64) => Some(Self::Convert(table::U32_TO_F64)),
            (U32, F32) => Some(Self::Convert(table::U32_TO_F32)),
            (I64, F64) => Some(Self::Convert(table::I64_TO_F64)),
            (I64, F32) => Some(Self::Convert(table::I64_TO_F32)),
            (I32, I64 | U64) => Some(Self::Convert(table::I32_TO_I64)),
            (U32, I64 | U64) => Some(Self::Convert(table::U32_TO_I64)),
            (I64 | U64, I32 | U32) => Some(Self::Convert(table::I64_TO_I32)),
            (F64, I32) => Some(Self::Truncate(table::F64_TO_I32, I32)),
            (F32, I32) => Some(Self::Truncate(table::F32_TO_I32, I32)),
            (F64, I64) => Some(Self::Truncate(table::F64_TO_I64, I64)),
            (F32, I64) => Some(Self::Truncate(table::F32_TO_I64, I64)),
            (F32 | F64, U32 | U64) | (U64, F32 | F64) => None,
            (Bool, _) | (F32, F32) | (F64, F64) => Some(Self::Move),
            (I32 | U32, I32 | U32) | (I64 | U64, I64 | U64) => Some(Self::Move),
        }
    }

    /// Whether eight-byte elements are computed with on the way.
    pub fn widens(self) -> bool {
        matches!(self, Self::Division { .. })
    }
}

/// Of vcmp, quiet: equal; not equal, or not comparable; and so on; not comparable.
const EQUAL: u8 = 0x00;
pub(super) const NOT_EQUAL: u8 = 0x04;
pub(super) const ORDERED_NOT_EQUAL: u8 = 0x0c;
const LESS: u8 = 0x11;
const LESS_OR_EQUAL: u8 = 0x12;
const GREATER: u8 = 0x1e;
pub(super) const GREATER_OR_EQUAL: u8 = 0x1d;
pub(super) const UNORDERED: u8 = 0x03;
