//! The primitives on one lane, for each type; the meaning is that of `Prim::eval`, bit for bit.

use super::lane_ops;

macro_rules! comparisons {
    ($t:ty) => {
        lane_ops! {
            Eq: $t => bool = |x, y| x == y;
            Ne: $t => bool = |x, y| x != y;
            Lt: $t => bool = |x, y| x < y;
            Le: $t => bool = |x, y| x <= y;
            Gt: $t => bool = |x, y| x > y;
            Ge: $t => bool = |x, y| x >= y;
        }
    };
}

macro_rules! conversions {
    ($t:ty) => {
        use cotangent_core::rounding::{f16, f16_of_f64};

        lane_ops! {
            ToI8: $t => i8 = |x| x as i8;
            ToI16: $t => i16 = |x| x as i16;
            ToI32: $t => i32 = |x| x as i32;
            ToI64: $t => i64 = |x| x as i64;
            ToU8: $t => u8 = |x| x as u8;
            ToU16: $t => u16 = |x| x as u16;
            ToU32: $t => u32 = |x| x as u32;
            ToU64: $t => u64 = |x| x as u64;
            ToF16: $t => f16 = |x| f16_of_f64(x as f64);
            ToF32: $t => f32 = |x| x as f32;
            ToF64: $t => f64 = |x| x as f64;
        }
    };
}

macro_rules! float_module {
    ($m:ident, $t:ident, $math:ident) => {
        /// On this float type.
        pub(in crate::lanes) mod $m {
            use super::lane_ops;
            use crate::math::$math as math;

            comparisons!($t);
            conversions!($t);
            lane_ops! {
                ToBool: $t => bool = |x| x != 0.0;
                Neg: $t => $t = |x| -x;
                Abs: $t => $t = |x| x.abs();
                Signum: $t => $t = |x| if x == 0.0 || x.is_nan() { x } else { (1.0 as $t).copysign(x) };
                Sqrt: $t => $t = |x| x.sqrt();
                Exp: $t => $t = |x| math::exp(x);
                ExpM1: $t => $t = |x| math::exp_m1(x);
                Ln: $t => $t = |x| math::ln(x);
                Ln1p: $t => $t = |x| math::ln_1p(x);
                Sin: $t => $t = |x| math::sin(x), all math::sin_lanes;
                Cos: $t => $t = |x| math::cos(x), all math::cos_lanes;
                Tan: $t => $t = |x| math::tan(x), all math::tan_lanes;
                Asin: $t => $t = |x| math::asin(x);
                Acos: $t => $t = |x| math::acos(x);
                Atan: $t => $t = |x| math::atan(x);
                Sinh: $t => $t = |x| math::sinh(x);
                Cosh: $t => $t = |x| math::cosh(x);
                Tanh: $t => $t = |x| math::tanh(x);
                Asinh: $t => $t = |x| math::asinh(x);
                Acosh: $t => $t = |x| math::acosh(x);
                Atanh: $t => $t = |x| math::atanh(x);
                Floor: $t => $t = |x| x.floor();
                Ceil: $t => $t = |x| x.ceil();
                Round: $t => $t = |x| x.round();
                Trunc: $t => $t = |x| x.trunc();
                IsNan: $t => bool = |x| x.is_nan();
                IsInfinite: $t => bool = |x| x.is_infinite();
                Add: $t => $t = |x, y| x + y;
                Sub: $t => $t = |x, y| x - y;
                Mul: $t => $t = |x, y| x * y;
                Div: $t => $t = |x, y| x / y;
                Rem: $t => $t = |x, y| x % y;
                Pow: $t => $t = |x, y| math::pow(x, y);
                Atan2: $t => $t = |x, y| math::atan2(x, y);
                Max: $t => $t = |x, y| if x >= y || x.is_nan() { x } else { y };
                Min: $t => $t = |x, y| if x <= y || x.is_nan() { x } else { y };
            }
        }
    };
}

/// What does not ask whether there are negative numbers.
macro_rules! integer_lanes {
    ($t:ident) => {
        #[inline(always)]
        fn quot(x: $t, y: $t) -> $t {
            if y == 0 { 0 } else { x.wrapping_div(y) }
        }

        comparisons!($t);
        conversions!($t);
        lane_ops! {
            ToBool: $t => bool = |x| x != 0;
            Neg: $t => $t = |x| x.wrapping_neg();
            BitNot: $t => $t = |x| !x;
            Add: $t => $t = |x, y| x.wrapping_add(y);
            Sub: $t => $t = |x, y| x.wrapping_sub(y);
            Mul: $t => $t = |x, y| x.wrapping_mul(y);
            Quot: $t => $t = |x, y| quot(x, y);
            Rem: $t => $t = |x, y| x.wrapping_sub(quot(x, y).wrapping_mul(y));
            Max: $t => $t = |x, y| x.max(y);
            Min: $t => $t = |x, y| x.min(y);
            BitAnd: $t => $t = |x, y| x & y;
            BitOr: $t => $t = |x, y| x | y;
            BitXor: $t => $t = |x, y| x ^ y;
            Shl: $t => $t = |x, y| x.wrapping_shl(y as u32);
            Shr: $t => $t = |x, y| x.wrapping_shr(y as u32);
        }
    };
}

macro_rules! signed_module {
    ($t:ident) => {
        /// On this integer type.
        pub(in crate::lanes) mod $t {
            use super::lane_ops;

            #[inline(always)]
            fn div_floor(x: $t, y: $t) -> $t {
                let q = quot(x, y);
                let inexact = x.wrapping_sub(q.wrapping_mul(y)) != 0;
                q - <$t>::from(y != 0 && inexact && (x < 0) != (y < 0))
            }

            integer_lanes!($t);
            lane_ops! {
                Abs: $t => $t = |x| x.wrapping_abs();
                Signum: $t => $t = |x| x.signum();
                DivFloor: $t => $t = |x, y| div_floor(x, y);
                ModFloor: $t => $t = |x, y| x.wrapping_sub(div_floor(x, y).wrapping_mul(y));
            }
        }
    };
}

macro_rules! unsigned_module {
    ($t:ident) => {
        /// On this integer type.
        pub(in crate::lanes) mod $t {
            use super::lane_ops;

            integer_lanes!($t);
            lane_ops! {
                Abs: $t => $t = |x| x;
                Signum: $t => $t = |x| x.min(1);
                DivFloor: $t => $t = |x, y| quot(x, y);
                ModFloor: $t => $t = |x, y| x.wrapping_sub(quot(x, y).wrapping_mul(y));
            }
        }
    };
}

float_module!(f32, f32, single);
float_module!(f64, f64, double);
/// On `f16`: each operation is done on `f32`, and its result rounded.
pub(in crate::lanes) mod f16 {
    use super::lane_ops;
    use crate::math::single as math;
    use cotangent_core::rounding::{f16, f16_of_f32 as narrow, f32_of_f16 as wide};

    macro_rules! lane_ops_on_f32 {
        (unary { $($unary:ident = |$x:ident| $e:expr;)* } binary { $($binary:ident = |$a:ident, $b:ident| $f:expr;)* }) => {
            lane_ops! {
                $($unary: f16 => f16 = |x| { let $x = wide(x); narrow($e) };)*
                $($binary: f16 => f16 = |x, y| { let ($a, $b) = (wide(x), wide(y)); narrow($f) };)*
            }
        };
    }

    lane_ops! {
        Eq: f16 => bool = |x, y| wide(x) == wide(y);
        Ne: f16 => bool = |x, y| wide(x) != wide(y);
        Lt: f16 => bool = |x, y| wide(x) < wide(y);
        Le: f16 => bool = |x, y| wide(x) <= wide(y);
        Gt: f16 => bool = |x, y| wide(x) > wide(y);
        Ge: f16 => bool = |x, y| wide(x) >= wide(y);
        ToBool: f16 => bool = |x| wide(x) != 0.0;
        ToI8: f16 => i8 = |x| wide(x) as i8;
        ToI16: f16 => i16 = |x| wide(x) as i16;
        ToI32: f16 => i32 = |x| wide(x) as i32;
        ToI64: f16 => i64 = |x| wide(x) as i64;
        ToU8: f16 => u8 = |x| wide(x) as u8;
        ToU16: f16 => u16 = |x| wide(x) as u16;
        ToU32: f16 => u32 = |x| wide(x) as u32;
        ToU64: f16 => u64 = |x| wide(x) as u64;
        ToF16: f16 => f16 = |x| x;
        ToF32: f16 => f32 = |x| wide(x);
        ToF64: f16 => f64 = |x| f64::from(wide(x));
        Neg: f16 => f16 = |x| f16::from_bits(x.to_bits() ^ 0x8000);
        Abs: f16 => f16 = |x| f16::from_bits(x.to_bits() & 0x7fff);
        IsNan: f16 => bool = |x| wide(x).is_nan();
        IsInfinite: f16 => bool = |x| wide(x).is_infinite();
        Max: f16 => f16 = |x, y| if wide(x) >= wide(y) || wide(x).is_nan() { x } else { y };
        Min: f16 => f16 = |x, y| if wide(x) <= wide(y) || wide(x).is_nan() { x } else { y };
    }

    lane_ops_on_f32! {
        unary {
        Signum = |x| if x == 0.0 || x.is_nan() { x } else { 1.0f32.copysign(x) };
        Sqrt = |x| x.sqrt();
        Exp = |x| math::exp(x);
        ExpM1 = |x| math::exp_m1(x);
        Ln = |x| math::ln(x);
        Ln1p = |x| math::ln_1p(x);
        Sin = |x| math::sin(x);
        Cos = |x| math::cos(x);
        Tan = |x| math::tan(x);
        Asin = |x| math::asin(x);
        Acos = |x| math::acos(x);
        Atan = |x| math::atan(x);
        Sinh = |x| math::sinh(x);
        Cosh = |x| math::cosh(x);
        Tanh = |x| math::tanh(x);
        Asinh = |x| math::asinh(x);
        Acosh = |x| math::acosh(x);
        Atanh = |x| math::atanh(x);
        Floor = |x| x.floor();
        Ceil = |x| x.ceil();
        Round = |x| x.round();
        Trunc = |x| x.trunc();
        }
        binary {
        Add = |x, y| x + y;
        Sub = |x, y| x - y;
        Mul = |x, y| x * y;
        Div = |x, y| x / y;
        Rem = |x, y| x % y;
        Pow = |x, y| math::pow(x, y);
        Atan2 = |x, y| math::atan2(x, y);
        }
    }
}

signed_module!(i8);
signed_module!(i16);
signed_module!(i32);
signed_module!(i64);
unsigned_module!(u8);
unsigned_module!(u16);
unsigned_module!(u32);
unsigned_module!(u64);

/// On truth values.
pub(in crate::lanes) mod boolean {
    use super::lane_ops;
    use cotangent_core::rounding::f16;

    lane_ops! {
        ToBool: bool => bool = |x| x;
        ToI8: bool => i8 = |x| i8::from(x);
        ToI16: bool => i16 = |x| i16::from(x);
        ToI32: bool => i32 = |x| i32::from(x);
        ToI64: bool => i64 = |x| i64::from(x);
        ToU8: bool => u8 = |x| u8::from(x);
        ToU16: bool => u16 = |x| u16::from(x);
        ToU32: bool => u32 = |x| u32::from(x);
        ToU64: bool => u64 = |x| u64::from(x);
        ToF16: bool => f16 = |x| if x { f16::ONE } else { f16::ZERO };
        ToF32: bool => f32 = |x| if x { 1.0 } else { 0.0 };
        ToF64: bool => f64 = |x| if x { 1.0 } else { 0.0 };
        Not: bool => bool = |x| !x;
        Eq: bool => bool = |x, y| x == y;
        Ne: bool => bool = |x, y| x != y;
        And: bool => bool = |x, y| x & y;
        Or: bool => bool = |x, y| x | y;
    }
}
