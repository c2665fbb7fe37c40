//! The meaning of each primitive, on constants: the reference for every engine.

use super::Prim;
use crate::constant::Const;
use crate::integer_type;
use crate::rounding::{f16, f16_of_f64};
use crate::types::ScalarType;
use std::f64::consts::LN_2;

impl Prim {
    /// Applies the primitive.
    ///
    /// `None` where the operands do not fit ([`Prim::result_type`] says `None` too); never for a checked
    /// program.
    pub fn eval(self, operands: &[Const]) -> Option<Const> {
        match *operands {
            [x] => unary(self, x),
            [x, y] => binary(self, x, y),
            [x, y, z] if self == Prim::MulAdd => mul_add(x, y, z),
            [c, x, y] => {
                let alike = self == Prim::Select && x.scalar_type() == y.scalar_type();
                let chosen = if c.as_bool()? { x } else { y };
                alike.then_some(chosen)
            }
            [..] => None,
        }
    }
}

fn unary(op: Prim, x: Const) -> Option<Const> {
    if let Prim::Convert(to) = op {
        return Some(convert(x, to));
    }
    if op == Prim::ToBits {
        return to_bits(x);
    }
    if op == Prim::FromBits {
        return from_bits(x);
    }
    match x {
        Const::Bool(x) => (op == Prim::Not).then_some(Const::Bool(!x)),
        Const::I8(x) => unary_int::<i8>(op, x).map(Const::I8),
        Const::I16(x) => unary_int::<i16>(op, x).map(Const::I16),
        Const::I32(x) => unary_int::<i32>(op, x).map(Const::I32),
        Const::I64(x) => unary_int::<i64>(op, x).map(Const::I64),
        Const::U8(x) => unary_int::<u8>(op, x).map(Const::U8),
        Const::U16(x) => unary_int::<u16>(op, x).map(Const::U16),
        Const::U32(x) => unary_int::<u32>(op, x).map(Const::U32),
        Const::U64(x) => unary_int::<u64>(op, x).map(Const::U64),
        Const::F16(x) => unary_float(op, x),
        Const::F32(x) => unary_float(op, x),
        Const::F64(x) => unary_float(op, x),
    }
}

fn binary(op: Prim, x: Const, y: Const) -> Option<Const> {
    /// The second operand, if it is of that type as well.
    macro_rules! second {
        ($variant:ident) => {{
            let Const::$variant(y) = y else {
                return None;
            };
            y
        }};
    }
    match x {
        Const::Bool(x) => binary_bool(op, x, second!(Bool)).map(Const::Bool),
        Const::I8(x) => binary_int::<i8>(op, x, second!(I8)),
        Const::I16(x) => binary_int::<i16>(op, x, second!(I16)),
        Const::I32(x) => binary_int::<i32>(op, x, second!(I32)),
        Const::I64(x) => binary_int::<i64>(op, x, second!(I64)),
        Const::U8(x) => binary_int::<u8>(op, x, second!(U8)),
        Const::U16(x) => binary_int::<u16>(op, x, second!(U16)),
        Const::U32(x) => binary_int::<u32>(op, x, second!(U32)),
        Const::U64(x) => binary_int::<u64>(op, x, second!(U64)),
        Const::F16(x) => binary_float(op, x, second!(F16)),
        Const::F32(x) => binary_float(op, x, second!(F32)),
        Const::F64(x) => binary_float(op, x, second!(F64)),
    }
}

fn mul_add(x: Const, y: Const, z: Const) -> Option<Const> {
    if let (Const::F64(x), Const::F64(y), Const::F64(z)) = (x, y, z) {
        return Some(Const::F64(x.mul_add(y, z)));
    }
    if let (Const::F32(x), Const::F32(y), Const::F32(z)) = (x, y, z) {
        return Some(Const::F32(x.mul_add(y, z)));
    }
    if let (Const::F16(x), Const::F16(y), Const::F16(z)) = (x, y, z) {
        let [x, y, z] = [x, y, z].map(f16::to_f64);
        return Some(Const::F16(f16_of_f64(x.mul_add(y, z))));
    }
    None
}

fn convert(x: Const, to: ScalarType) -> Const {
    macro_rules! number {
        ($x:expr) => {
            match to {
                ScalarType::Bool => Const::Bool(!x.is_zero()),
                ScalarType::I8 => Const::I8($x as i8),
                ScalarType::I16 => Const::I16($x as i16),
                ScalarType::I32 => Const::I32($x as i32),
                ScalarType::I64 => Const::I64($x as i64),
                ScalarType::U8 => Const::U8($x as u8),
                ScalarType::U16 => Const::U16($x as u16),
                ScalarType::U32 => Const::U32($x as u32),
                ScalarType::U64 => Const::U64($x as u64),
                ScalarType::F16 => Const::F16(f16_of_f64($x as f64)),
                ScalarType::F32 => Const::F32($x as f32),
                ScalarType::F64 => Const::F64($x as f64),
            }
        };
    }
    match x {
        Const::Bool(b) => Const::small(to, i32::from(b)),
        Const::I8(i) => number!(i),
        Const::I16(i) => number!(i),
        Const::I32(i) => number!(i),
        Const::I64(i) => number!(i),
        Const::U8(i) => number!(i),
        Const::U16(i) => number!(i),
        Const::U32(i) => number!(i),
        Const::U64(i) => number!(i),
        // An `f64` has the same value, and where that is a NaN, it is one, too.
        Const::F16(f) if to != ScalarType::F16 => number!(f.to_f64()),
        Const::F16(f) => Const::F16(f),
        Const::F32(f) => number!(f),
        Const::F64(f) => number!(f),
    }
}

fn to_bits(x: Const) -> Option<Const> {
    let unsigned = x.scalar_type().as_bits()?;
    Some(convert(Const::U64(x.bits()), unsigned))
}

fn from_bits(x: Const) -> Option<Const> {
    let bits = x.bits();
    Some(match x.scalar_type().of_bits()? {
        ScalarType::F16 => Const::F16(f16::from_bits(bits as u16)),
        ScalarType::F32 => Const::F32(f32::from_bits(bits as u32)),
        ScalarType::F64 => Const::F64(f64::from_bits(bits)),
        ScalarType::Bool | integer_type!() => return None,
    })
}

fn binary_bool(op: Prim, x: bool, y: bool) -> Option<bool> {
    match op {
        Prim::And => Some(x && y),
        Prim::Or => Some(x || y),
        Prim::Eq => Some(x == y),
        Prim::Ne => Some(x != y),
        other => none(other),
    }
}

/// The operand types do not fit `_op`: the one place where an operation is turned down.
fn none<T>(_op: Prim) -> Option<T> {
    None
}

/// What the integer primitives need of an integer type.
trait Int: Copy + Ord + Into<Const> {
    const ZERO: Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn signum(self) -> Self;
    fn not(self) -> Self;
    fn add(self, y: Self) -> Self;
    fn sub(self, y: Self) -> Self;
    fn mul(self, y: Self) -> Self;
    fn quot(self, y: Self) -> Self;
    fn div_floor(self, y: Self) -> Self;
    fn bits(self, op: Prim, y: Self) -> Option<Self>;
}

macro_rules! int {
    ($ty:ident: $abs:expr, $signum:expr, $is_negative:expr) => {
        impl Int for $ty {
            const ZERO: Self = 0;
            fn neg(self) -> Self {
                self.wrapping_neg()
            }
            fn abs(self) -> Self {
                $abs(self)
            }
            fn signum(self) -> Self {
                $signum(self)
            }
            fn not(self) -> Self {
                !self
            }
            fn add(self, y: Self) -> Self {
                self.wrapping_add(y)
            }
            fn sub(self, y: Self) -> Self {
                self.wrapping_sub(y)
            }
            fn mul(self, y: Self) -> Self {
                self.wrapping_mul(y)
            }
            fn quot(self, y: Self) -> Self {
                if y == 0 { 0 } else { self.wrapping_div(y) }
            }
            fn div_floor(self, y: Self) -> Self {
                let q = self.quot(y);
                let inexact = self.wrapping_sub(q.wrapping_mul(y)) != 0;
                if y != 0 && inexact && $is_negative(self) != $is_negative(y) {
                    q - 1
                } else {
                    q
                }
            }
            fn bits(self, op: Prim, y: Self) -> Option<Self> {
                match op {
                    Prim::BitAnd => Some(self & y),
                    Prim::BitOr => Some(self | y),
                    Prim::BitXor => Some(self ^ y),
                    Prim::Shl => Some(self.wrapping_shl(y as u32)),
                    Prim::Shr => Some(self.wrapping_shr(y as u32)),
                    other => none(other),
                }
            }
        }
    };
}

int!(i8: i8::wrapping_abs, i8::signum, i8::is_negative);
int!(i16: i16::wrapping_abs, i16::signum, i16::is_negative);
int!(i32: i32::wrapping_abs, i32::signum, i32::is_negative);
int!(i64: i64::wrapping_abs, i64::signum, i64::is_negative);
int!(u8: |x| x, |x: u8| x.min(1), |_: u8| false);
int!(u16: |x| x, |x: u16| x.min(1), |_: u16| false);
int!(u32: |x| x, |x: u32| x.min(1), |_: u32| false);
int!(u64: |x| x, |x: u64| x.min(1), |_: u64| false);

fn unary_int<T: Int>(op: Prim, x: T) -> Option<T> {
    match op {
        Prim::Neg => Some(x.neg()),
        Prim::Abs => Some(x.abs()),
        Prim::Signum => Some(x.signum()),
        Prim::BitNot => Some(x.not()),
        other => none(other),
    }
}

fn binary_int<T: Int>(op: Prim, x: T, y: T) -> Option<Const> {
    let value = match op {
        Prim::Add => x.add(y),
        Prim::Sub => x.sub(y),
        Prim::Mul => x.mul(y),
        Prim::Quot => x.quot(y),
        Prim::Rem if y == T::ZERO => x,
        Prim::Rem => x.sub(x.quot(y).mul(y)),
        Prim::DivFloor => x.div_floor(y),
        Prim::ModFloor if y == T::ZERO => x,
        Prim::ModFloor => x.sub(x.div_floor(y).mul(y)),
        Prim::Max => x.max(y),
        Prim::Min => x.min(y),
        other => {
            let bits = x.bits(other, y).map(Into::into);
            return bits.or_else(|| compare(other, x, y).map(Const::Bool));
        }
    };
    Some(value.into())
}

fn compare<T: PartialOrd>(op: Prim, x: T, y: T) -> Option<bool> {
    match op {
        Prim::Eq => Some(x == y),
        Prim::Ne => Some(x != y),
        Prim::Lt => Some(x < y),
        Prim::Le => Some(x <= y),
        Prim::Gt => Some(x > y),
        Prim::Ge => Some(x >= y),
        other => none(other),
    }
}

/// What the float primitives need of a float type; the names are those of the standard library.
trait Float: Copy + PartialOrd + Into<Const> {
    fn one(self, op: Prim) -> Option<Self>;
    fn two(self, op: Prim, y: Self) -> Option<Self>;
    fn infinite(self) -> bool;
}

/// From here on √(x² ± 1) is x, and so the inverse hyperbolic functions are ln 2x.
const LARGE: f64 = 1e9;

macro_rules! float {
    ($ty:ident) => {
        impl Float for $ty {
            fn one(self, op: Prim) -> Option<Self> {
                Some(match op {
                    Prim::Neg => -self,
                    Prim::Abs => self.abs(),
                    Prim::Signum if self == 0.0 || self.is_nan() => self,
                    Prim::Signum => self.signum(),
                    Prim::Sqrt => self.sqrt(),
                    Prim::Exp => self.exp(),
                    Prim::ExpM1 => self.exp_m1(),
                    Prim::Ln => self.ln(),
                    Prim::Ln1p => self.ln_1p(),
                    Prim::Sin => self.sin(),
                    Prim::Cos => self.cos(),
                    Prim::Tan => self.tan(),
                    Prim::Asin => self.asin(),
                    Prim::Acos => self.acos(),
                    Prim::Atan => self.atan(),
                    Prim::Sinh => self.sinh(),
                    Prim::Cosh => self.cosh(),
                    Prim::Tanh => self.tanh(),
                    // The standard library doubles the number, which overflows.
                    Prim::Asinh if self.abs() > LARGE as $ty => {
                        (self.abs().ln() + LN_2 as $ty).copysign(self)
                    }
                    Prim::Asinh => self.asinh(),
                    Prim::Acosh if self > LARGE as $ty => self.ln() + LN_2 as $ty,
                    Prim::Acosh => self.acosh(),
                    Prim::Atanh => self.atanh(),
                    Prim::Floor => self.floor(),
                    Prim::Ceil => self.ceil(),
                    Prim::Round => self.round(),
                    Prim::Trunc => self.trunc(),
                    other => return none(other),
                })
            }
            fn two(self, op: Prim, y: Self) -> Option<Self> {
                Some(match op {
                    Prim::Add => self + y,
                    Prim::Sub => self - y,
                    Prim::Mul => self * y,
                    Prim::Div => self / y,
                    Prim::Rem => self % y,
                    Prim::Pow => self.powf(y),
                    Prim::Atan2 => self.atan2(y),
                    Prim::Max if self >= y || self.is_nan() => self,
                    Prim::Max => y,
                    Prim::Min if self <= y || self.is_nan() => self,
                    Prim::Min => y,
                    other => return none(other),
                })
            }
            fn infinite(self) -> bool {
                self.is_infinite()
            }
        }
    };
}

float!(f32);
float!(f64);

/// In `f64`, and rounded once: that has more than twice the digits, so sums, products, quotients and square
/// roots are the nearest ones.
impl Float for f16 {
    fn one(self, op: Prim) -> Option<Self> {
        match op {
            Prim::Neg => Some(-self),
            Prim::Abs => Some(Self::from_bits(self.to_bits() & 0x7fff)),
            other => self.to_f64().one(other).map(f16_of_f64),
        }
    }
    fn two(self, op: Prim, y: Self) -> Option<Self> {
        self.to_f64().two(op, y.to_f64()).map(f16_of_f64)
    }
    fn infinite(self) -> bool {
        self.is_infinite()
    }
}

fn unary_float<T: Float>(op: Prim, x: T) -> Option<Const> {
    match op {
        Prim::IsNan => Some(Const::Bool(x.partial_cmp(&x).is_none())),
        Prim::IsInfinite => Some(Const::Bool(x.infinite())),
        other => x.one(other).map(Into::into),
    }
}

fn binary_float<T: Float>(op: Prim, x: T, y: T) -> Option<Const> {
    let number = x.two(op, y).map(Into::into);
    number.or_else(|| compare(op, x, y).map(Const::Bool))
}
