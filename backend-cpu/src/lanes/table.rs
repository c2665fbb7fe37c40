//! From a primitive and its types to the loop that computes it.

use super::flow::select;
use super::fused::mul_add;
use super::number::{boolean, f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64};
use super::{Columns, LaneFn, binary, unary};
use crate::isa::Isa;
use cotangent_core::prim::Prim;
use cotangent_core::types::ScalarType;

/// The loop for a primitive whose last operand is of type `ty`; `None` where the primitive has no meaning
/// for the type, which never happens in checked code.
pub(crate) fn lane_fn(isa: Isa, prim: Prim, ty: ScalarType, columns: Columns) -> Option<LaneFn> {
    if prim == Prim::Select {
        return Some(select(isa, ty, columns));
    }
    if prim == Prim::MulAdd {
        return mul_add(isa, ty, columns);
    }
    if let Prim::Convert(to) = prim {
        return Some(convert(isa, ty, to));
    }
    if let Some(result) = as_bits(prim, ty) {
        // The same bytes.
        return Some(convert(isa, result, result));
    }
    match ty {
        ScalarType::Bool => on_bool(isa, prim, columns),
        ScalarType::I8 => on_i8(isa, prim, columns),
        ScalarType::I16 => on_i16(isa, prim, columns),
        ScalarType::I32 => on_i32(isa, prim, columns),
        ScalarType::I64 => on_i64(isa, prim, columns),
        ScalarType::U8 => on_u8(isa, prim, columns),
        ScalarType::U16 => on_u16(isa, prim, columns),
        ScalarType::U32 => on_u32(isa, prim, columns),
        ScalarType::U64 => on_u64(isa, prim, columns),
        ScalarType::F16 => on_f16(isa, prim, columns),
        ScalarType::F32 => on_f32(isa, prim, columns),
        ScalarType::F64 => on_f64(isa, prim, columns),
    }
}

/// The type that bits go to, if they are to be taken as they are.
fn as_bits(prim: Prim, ty: ScalarType) -> Option<ScalarType> {
    let is_kept = matches!(prim, Prim::ToBits | Prim::FromBits);
    is_kept.then(|| prim.result_type(&[ty]))?
}

fn convert(isa: Isa, from: ScalarType, to: ScalarType) -> LaneFn {
    macro_rules! to {
        ($m:ident) => {
            match to {
                ScalarType::Bool => unary::<$m::ToBool>(isa),
                ScalarType::I8 => unary::<$m::ToI8>(isa),
                ScalarType::I16 => unary::<$m::ToI16>(isa),
                ScalarType::I32 => unary::<$m::ToI32>(isa),
                ScalarType::I64 => unary::<$m::ToI64>(isa),
                ScalarType::U8 => unary::<$m::ToU8>(isa),
                ScalarType::U16 => unary::<$m::ToU16>(isa),
                ScalarType::U32 => unary::<$m::ToU32>(isa),
                ScalarType::U64 => unary::<$m::ToU64>(isa),
                ScalarType::F16 => unary::<$m::ToF16>(isa),
                ScalarType::F32 => unary::<$m::ToF32>(isa),
                ScalarType::F64 => unary::<$m::ToF64>(isa),
            }
        };
    }
    match from {
        ScalarType::Bool => to!(boolean),
        ScalarType::I8 => to!(i8),
        ScalarType::I16 => to!(i16),
        ScalarType::I32 => to!(i32),
        ScalarType::I64 => to!(i64),
        ScalarType::U8 => to!(u8),
        ScalarType::U16 => to!(u16),
        ScalarType::U32 => to!(u32),
        ScalarType::U64 => to!(u64),
        ScalarType::F16 => to!(f16),
        ScalarType::F32 => to!(f32),
        ScalarType::F64 => to!(f64),
    }
}

/// The primitives among those named that are meant, as loops over the types of module `$m`.
macro_rules! table {
    ($name:ident, $m:ident, unary: $($u:ident)*; binary: $($b:ident)*; none: $($n:ident)*;) => {
        fn $name(isa: Isa, prim: Prim, columns: Columns) -> Option<LaneFn> {
            match prim {
                $(Prim::$u => Some(unary::<$m::$u>(isa)),)*
                $(Prim::$b => Some(binary::<$m::$b>(isa, columns)),)*
                Prim::Convert(_) | Prim::ToBits | Prim::FromBits => None,
                Prim::MulAdd | Prim::Select $(| Prim::$n)* => None,
            }
        }
    };
}

table! {
    on_bool, boolean,
    unary: Not;
    binary: Eq Ne And Or;
    none: Neg Abs Signum Sqrt Exp ExpM1 Ln Ln1p Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh
        Floor Ceil Round Trunc IsNan IsInfinite BitNot Add Sub Mul Div Quot Rem DivFloor ModFloor Pow Atan2
        Max Min Lt Le Gt Ge BitAnd BitOr BitXor Shl Shr;
}

macro_rules! int_table {
    ($name:ident, $m:ident) => {
        table! {
            $name, $m,
            unary: Neg Abs Signum BitNot;
            binary: Add Sub Mul Quot Rem DivFloor ModFloor Max Min Eq Ne Lt Le Gt Ge BitAnd BitOr BitXor
                Shl Shr;
            none: Sqrt Exp ExpM1 Ln Ln1p Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Floor
                Ceil Round Trunc IsNan IsInfinite Not Div Pow Atan2 And Or;
        }
    };
}
int_table!(on_i8, i8);
int_table!(on_i16, i16);
int_table!(on_i32, i32);
int_table!(on_i64, i64);
int_table!(on_u8, u8);
int_table!(on_u16, u16);
int_table!(on_u32, u32);
int_table!(on_u64, u64);

macro_rules! float_table {
    ($name:ident, $m:ident) => {
        table! {
            $name, $m,
            unary: Neg Abs Signum Sqrt Exp ExpM1 Ln Ln1p Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh
                Acosh Atanh Floor Ceil Round Trunc IsNan IsInfinite;
            binary: Add Sub Mul Div Rem Pow Atan2 Max Min Eq Ne Lt Le Gt Ge;
            none: Not BitNot Quot DivFloor ModFloor And Or BitAnd BitOr BitXor Shl Shr;
        }
    };
}
float_table!(on_f16, f16);
float_table!(on_f32, f32);
float_table!(on_f64, f64);
