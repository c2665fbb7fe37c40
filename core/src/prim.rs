//! The primitive operations of the expression language and their typing rules.
//!
//! Every primitive is *total*: it has a value for all arguments, NaN and zero divisors included, so that a
//! vectorising backend may compute it for lanes whose result is not used. The meaning of each is defined
//! by [`Prim::eval`] (`prim/eval.rs`); its derivative by `cotangent-ad`.

mod eval;
#[cfg(test)]
mod tests;

use crate::types::ScalarType;
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

/// A primitive operation.
///
/// `T` below stands for the type of the first operand; operands named alike have the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Prim {
    /// `-x`, wrapping; number → T.
    Neg,
    /// `|x|`, wrapping at the least signed integer; number → T.
    Abs,
    /// −1, 0 or 1 by the sign of `x`; of a float zero or NaN, `x` itself; number → T.
    Signum,
    /// Square root; float → T.
    Sqrt,
    /// eˣ; float → T.
    Exp,
    /// eˣ − 1, precise near 0; float → T.
    ExpM1,
    /// Natural logarithm; float → T.
    Ln,
    /// ln(1 + x), precise near 0; float → T.
    Ln1p,
    /// Sine of radians; float → T.
    Sin,
    /// Cosine of radians; float → T.
    Cos,
    /// Tangent of radians; float → T.
    Tan,
    /// Arc sine, in radians; float → T.
    Asin,
    /// Arc cosine, in radians; float → T.
    Acos,
    /// Arc tangent, in radians; float → T.
    Atan,
    /// Hyperbolic sine; float → T.
    Sinh,
    /// Hyperbolic cosine; float → T.
    Cosh,
    /// Hyperbolic tangent; float → T.
    Tanh,
    /// Inverse hyperbolic sine; float → T.
    Asinh,
    /// Inverse hyperbolic cosine; float → T.
    Acosh,
    /// Inverse hyperbolic tangent; float → T.
    Atanh,
    /// Greatest integral value ≤ x; float → T.
    Floor,
    /// Least integral value ≥ x; float → T.
    Ceil,
    /// Nearest integral value, halves away from zero; float → T.
    Round,
    /// The integral part, towards zero; float → T.
    Trunc,
    /// Whether `x` is NaN; float → bool.
    IsNan,
    /// Whether `x` is an infinity; float → bool.
    IsInfinite,
    /// Logical negation; bool → bool.
    Not,
    /// Bitwise complement; integer → T.
    BitNot,
    /// Conversion between any two scalar types: floats to integers truncate and saturate, NaN gives 0;
    /// integers wrap; `bool` counts as 0 or 1; a number becomes `true` where it is not 0.
    Convert(ScalarType),
    /// The bits of `x`, as IEEE 754 lays them out; float → the unsigned integer as wide. Of a NaN, they are those of some NaN.
    ToBits,
    /// The float whose bits those of `x` are; unsigned integer of 16, 32 or 64 bits → the float as wide.
    FromBits,

    /// `x + y`, wrapping; number → T.
    Add,
    /// `x − y`, wrapping; number → T.
    Sub,
    /// `x · y`, wrapping; number → T.
    Mul,
    /// `x / y`; float → T.
    Div,
    /// Quotient towards zero; `x / 0 = 0`, wrapping; integer → T.
    Quot,
    /// `x − y · trunc(x / y)`, exact, of the sign of `x`; of integers `x % 0 = x`, of floats NaN; number → T.
    Rem,
    /// Quotient towards −∞; `x / 0 = 0`, wrapping; integer → T.
    DivFloor,
    /// `x − y · div_floor(x, y)`: the sign of `y`, and `x mod 0 = x`; integer → T.
    ModFloor,
    /// xʸ; float → T.
    Pow,
    /// The angle of the point (y, x): first operand `y`; float → T.
    Atan2,
    /// `x` where `x ≥ y` or `x` is NaN, else `y`: NaN wins, and of equals the first; number → T.
    Max,
    /// `x` where `x ≤ y` or `x` is NaN, else `y`: NaN wins, and of equals the first; number → T.
    Min,
    /// `x = y`; any scalar → bool.
    Eq,
    /// `x ≠ y`; any scalar → bool.
    Ne,
    /// `x < y`; number → bool.
    Lt,
    /// `x ≤ y`; number → bool.
    Le,
    /// `x > y`; number → bool.
    Gt,
    /// `x ≥ y`; number → bool.
    Ge,
    /// Logical and, both operands evaluated; bool → bool.
    And,
    /// Logical or, both operands evaluated; bool → bool.
    Or,
    /// Bitwise and; integer → T.
    BitAnd,
    /// Bitwise or; integer → T.
    BitOr,
    /// Bitwise exclusive or; integer → T.
    BitXor,
    /// Shift left by `y` modulo the width; integer → T.
    Shl,
    /// Shift right by `y` modulo the width, which copies the sign of signed integers; integer → T.
    Shr,

    /// `x · y + z`, rounded once, but for an `f16`, which is computed with as `f64`; float → T. Drivers of shaders may round twice.
    MulAdd,
    /// `Select(c, x, y)`: `x` where `c`, else `y`, both evaluated; (bool, T, T) → T.
    Select,
}

/// What a primitive takes on a processor, roughly: the classes by which costs are estimated and operations are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Choosing among operands.
    Move,
    /// From one type to another.
    Conversion,
    /// About as much as an addition.
    Simple,
    /// About as much as a division.
    Division,
    /// A function with a series of its own.
    Elementary,
    /// A function that is made of one or two elementary ones.
    Composed,
}

/// Every primitive, conversions to each type included, in order of declaration.
pub const ALL: [Prim; 69] = [
    Prim::Neg,
    Prim::Abs,
    Prim::Signum,
    Prim::Sqrt,
    Prim::Exp,
    Prim::ExpM1,
    Prim::Ln,
    Prim::Ln1p,
    Prim::Sin,
    Prim::Cos,
    Prim::Tan,
    Prim::Asin,
    Prim::Acos,
    Prim::Atan,
    Prim::Sinh,
    Prim::Cosh,
    Prim::Tanh,
    Prim::Asinh,
    Prim::Acosh,
    Prim::Atanh,
    Prim::Floor,
    Prim::Ceil,
    Prim::Round,
    Prim::Trunc,
    Prim::IsNan,
    Prim::IsInfinite,
    Prim::Not,
    Prim::BitNot,
    Prim::Convert(ScalarType::Bool),
    Prim::Convert(ScalarType::I8),
    Prim::Convert(ScalarType::I16),
    Prim::Convert(ScalarType::I32),
    Prim::Convert(ScalarType::I64),
    Prim::Convert(ScalarType::U8),
    Prim::Convert(ScalarType::U16),
    Prim::Convert(ScalarType::U32),
    Prim::Convert(ScalarType::U64),
    Prim::Convert(ScalarType::F16),
    Prim::Convert(ScalarType::F32),
    Prim::Convert(ScalarType::F64),
    Prim::ToBits,
    Prim::FromBits,
    Prim::Add,
    Prim::Sub,
    Prim::Mul,
    Prim::Div,
    Prim::Quot,
    Prim::Rem,
    Prim::DivFloor,
    Prim::ModFloor,
    Prim::Pow,
    Prim::Atan2,
    Prim::Max,
    Prim::Min,
    Prim::Eq,
    Prim::Ne,
    Prim::Lt,
    Prim::Le,
    Prim::Gt,
    Prim::Ge,
    Prim::And,
    Prim::Or,
    Prim::BitAnd,
    Prim::BitOr,
    Prim::BitXor,
    Prim::Shl,
    Prim::Shr,
    Prim::MulAdd,
    Prim::Select,
];

impl Prim {
    /// The number of operands.
    pub fn arity(self) -> usize {
        use Prim::*;
        match self {
            Neg | Abs | Signum | Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos
            | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Floor | Ceil | Round | Trunc
            | IsNan | IsInfinite | Not | BitNot | Convert(_) | ToBits | FromBits => 1,
            Add | Sub | Mul | Div | Quot | Rem | DivFloor | ModFloor | Pow | Atan2 | Max | Min
            | Eq | Ne | Lt | Le | Gt | Ge | And | Or | BitAnd | BitOr | BitXor | Shl | Shr => 2,
            MulAdd | Select => 3,
        }
    }

    /// The type of the result for operands of the given types, or `None` where they do not fit.
    pub fn result_type(self, operands: &[ScalarType]) -> Option<ScalarType> {
        use Prim::*;
        if operands.len() != self.arity() {
            return None;
        }
        let t = operands[operands.len() - 1];
        let alike = |fits: bool| (fits && operands.iter().all(|&o| o == t)).then_some(t);
        let test = |fits: bool| alike(fits).map(|_| ScalarType::Bool);
        match self {
            Neg | Abs | Signum | Add | Sub | Mul | Rem | Max | Min => alike(t.is_number()),
            Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh
            | Tanh | Asinh | Acosh | Atanh | Floor | Ceil | Round | Trunc | Div | Pow | Atan2
            | MulAdd => alike(t.is_float()),
            BitNot | Quot | DivFloor | ModFloor | BitAnd | BitOr | BitXor | Shl | Shr => {
                alike(t.is_integer())
            }
            IsNan | IsInfinite => test(t.is_float()),
            Not | And | Or => alike(t == ScalarType::Bool),
            Eq | Ne => test(true),
            Lt | Le | Gt | Ge => test(t.is_number()),
            Convert(to) => Some(to),
            ToBits => t.as_bits(),
            FromBits => t.of_bits(),
            Select => (operands[0] == ScalarType::Bool && operands[1] == t).then_some(t),
        }
    }

    /// Whether its partial derivatives are computed from its operands by other functions: that of no linear function, nor of a
    /// product, nor of one that has no partial derivative.
    pub fn is_curved(self) -> bool {
        use Prim::*;
        match self {
            Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh
            | Tanh | Asinh | Acosh | Atanh | Div | Pow | Atan2 => true,
            Neg | Abs | Add | Sub | Mul | Max | Min | MulAdd | Select | Convert(_) => false,
            Signum | Floor | Ceil | Round | Trunc | IsNan | IsInfinite | Not | BitNot | ToBits
            | FromBits | Quot | Rem | DivFloor | ModFloor | Eq | Ne | Lt | Le | Gt | Ge | And
            | Or | BitAnd | BitOr | BitXor | Shl | Shr => false,
        }
    }

    /// What it takes.
    pub fn effort(self) -> Effort {
        use Prim::*;
        match self {
            Select | ToBits | FromBits => Effort::Move,
            Convert(_) => Effort::Conversion,
            Neg | Abs | Signum | Floor | Ceil | Round | Trunc | IsNan | IsInfinite | Not
            | BitNot | Add | Sub | Mul | Max | Min | Eq | Ne | Lt | Le | Gt | Ge | And | Or
            | BitAnd | BitOr | BitXor | Shl | Shr | MulAdd => Effort::Simple,
            Sqrt | Div | Quot | Rem | DivFloor | ModFloor => Effort::Division,
            Exp | ExpM1 | Ln | Ln1p | Sin | Cos => Effort::Elementary,
            Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Pow | Atan2 => {
                Effort::Composed
            }
        }
    }

    /// Whether `x ∘ y = y ∘ x` for all operands, bit for bit.
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            Prim::Add
                | Prim::Mul
                | Prim::Eq
                | Prim::Ne
                | Prim::And
                | Prim::Or
                | Prim::BitAnd
                | Prim::BitOr
                | Prim::BitXor
        )
    }

    /// The comparison that holds where this one does not, of a comparison of anything but NaN.
    pub fn negated(self) -> Option<Prim> {
        use Prim::*;
        match self {
            Eq => Some(Ne),
            Ne => Some(Eq),
            Lt => Some(Ge),
            Le => Some(Gt),
            Gt => Some(Le),
            Ge => Some(Lt),
            Neg | Abs | Signum | Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos
            | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Floor | Ceil | Round | Trunc
            | IsNan | IsInfinite | Not | BitNot | Convert(_) | ToBits | FromBits | Add | Sub
            | Mul | Div | Quot | Rem | DivFloor | ModFloor | Pow | Atan2 | Max | Min | And | Or
            | BitAnd | BitOr | BitXor | Shl | Shr | MulAdd | Select => None,
        }
    }

    /// The comparison that holds where this one does not, of values of this type: of a NaN, both an inequality and the
    /// opposite one are false.
    pub fn opposite(self, of: ScalarType) -> Option<Prim> {
        let exact = matches!(self, Prim::Eq | Prim::Ne) || !of.is_float();
        self.negated().filter(|_| exact)
    }

    /// The primitive of that name.
    ///
    /// ```
    /// use cotangent_core::{prim::Prim, types::ScalarType};
    /// assert_eq!(Prim::named("exp_m1"), Some(Prim::ExpM1));
    /// assert_eq!(Prim::named("convert_i64"), Some(Prim::Convert(ScalarType::I64)));
    /// assert_eq!(Prim::named("square"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        static NAMES: LazyLock<HashMap<String, Prim>> =
            LazyLock::new(|| ALL.into_iter().map(|prim| (prim.name(), prim)).collect());
        NAMES.get(name).copied()
    }

    /// The name in the text form: lower case, `convert` followed by its target.
    pub fn name(self) -> String {
        match self {
            Prim::Convert(to) => format!("convert_{to}"),
            other => snake_case(&format!("{other:?}")),
        }
    }
}

fn snake_case(camel: &str) -> String {
    let mut out = String::new();
    for (i, c) in camel.chars().enumerate() {
        if c.is_ascii_uppercase() && i > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

impl fmt::Display for Prim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}
