//! The scalar functions on floats that WGSL lacks, or has only roughly, as WGSL text of our own.
//!
//! Built-in functions on `f64` pass every validator and return garbage; those on `f32` may err by hundreds
//! of units in the last place, and what they make of NaN, infinities and signed zeros is up to the
//! driver. The functions here have the meaning that `Prim::eval` defines, but for these:
//!
//! - A device may flush subnormal numbers to zero of the same sign, as arguments and as results.
//! - Results are within [`MAX_ERROR`] units in the last place where addition, multiplication, division and
//!   square root are correctly rounded: at most 3 units were found, for tangent and hyperbolic tangent, 2 or
//!   1 for the others, over a million arguments each, on Mesa's lavapipe (`tests/math` tries fewer). Vulkan
//!   requires less of division and square root on `f32` (2.5 units), which can add as much.
//! - Which NaN results is not said.
//!
//! Drivers treat floats as if they were real numbers: `(x + c) - c` becomes `x`. So reductions of range
//! use `floor` and integers, what is NaN or infinite is told by bits, and where the rounding error of a
//! sum is needed, the last bit of the sum is cut off first, which no compiler sees through. A driver may
//! fuse multiplications and additions; where a product must be exact it is so by the lengths of its factors.
//!
//! Functions on `f64` need the device features for `f64` and for 64-bit integers: WGSL has no other way to
//! the bits of an `f64` (naga rejects `bitcast<vec2<u32>>` of one).
//!
//! The methods and polynomials are those of the CPU backend (`backend-cpu/src/math`). The text is in
//! `math/wgsl`, a template for each family of functions (`template.rs`), with the constants and coefficients of both
//! types beside each other. All names in it end in `_f32` or `_f64`, as no others in a kernel may.

#[cfg(test)]
mod tests;

use crate::template::{Letter, Width, instance};
use cotangent_core::integer_type;
use cotangent_core::prim::Prim;
use cotangent_core::types::ScalarType;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The largest error of any function, in units in the last place.
pub const MAX_ERROR: u64 = 4;

/// A function of the library.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name in WGSL. It has the operands of the primitive, and its result.
    pub name: &'static str,
    family: Family,
    width: Width,
}

/// The text that a function is in, for each type. In the order in which they call each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Family {
    Bits,
    Basic,
    Exp,
    Ln,
    Arc,
    Pow,
    Trig,
    Remainder,
}

impl Family {
    const ALL: [Self; 8] = [
        Self::Bits,
        Self::Basic,
        Self::Exp,
        Self::Ln,
        Self::Arc,
        Self::Pow,
        Self::Trig,
        Self::Remainder,
    ];

    fn template(self) -> &'static str {
        match self {
            Self::Bits => include_str!("math/wgsl/bits.wgsl"),
            Self::Basic => include_str!("math/wgsl/basic.wgsl"),
            Self::Exp => include_str!("math/wgsl/exp.wgsl"),
            Self::Ln => include_str!("math/wgsl/ln.wgsl"),
            Self::Arc => include_str!("math/wgsl/arc.wgsl"),
            Self::Pow => include_str!("math/wgsl/pow.wgsl"),
            Self::Trig => include_str!("math/wgsl/trig.wgsl"),
            Self::Remainder => include_str!("math/wgsl/remainder.wgsl"),
        }
    }

    /// The families it calls, directly or not.
    fn calls(self) -> &'static [Self] {
        match self {
            Self::Bits => &[],
            Self::Basic | Self::Exp | Self::Ln | Self::Arc | Self::Trig | Self::Remainder => {
                &[Self::Bits]
            }
            Self::Pow => &[Self::Bits, Self::Exp, Self::Ln],
        }
    }
}

/// The text of each family for each type, made of its template once.
static TEXTS: LazyLock<BTreeMap<(Width, Family), String>> = LazyLock::new(|| {
    let of_width = |width| Family::ALL.map(|family| ((width, family), text(family, width)));
    let both = [Width::Bits32, Width::Bits64].map(of_width);
    both.into_iter().flatten().collect()
});

fn text(family: Family, width: Width) -> String {
    let letters = match width {
        Width::Bits32 => [Letter::F32, Letter::U32],
        Width::Bits64 => [Letter::F64, Letter::U64],
    };
    instance(family.template(), &letters)
}

/// A function on `f32` and on `f64`.
type Both = [Function; 2];

macro_rules! both {
    ($name:literal, $family:ident) => {
        Some(&[
            Function {
                name: concat!($name, "_f32"),
                family: Family::$family,
                width: Width::Bits32,
            },
            Function {
                name: concat!($name, "_f64"),
                family: Family::$family,
                width: Width::Bits64,
            },
        ])
    };
}

/// The function for a primitive whose first operand has a type.
///
/// `None` where that is no float or an `f16`, which is computed with as `f32`, or where an operator or an exact built-in function of WGSL does.
pub fn function(prim: Prim, ty: ScalarType) -> Option<&'static Function> {
    let [single, double] = both(prim)?;
    match ty {
        ScalarType::F32 => Some(single),
        ScalarType::F64 => Some(double),
        ScalarType::Bool | integer_type!() | ScalarType::F16 => None,
    }
}

fn both(prim: Prim) -> Option<&'static Both> {
    use Prim::*;
    match prim {
        Signum => both!("signum", Basic),
        Round => both!("round", Basic),
        Rem => both!("remainder", Remainder),
        Max => both!("max", Basic),
        Min => both!("min", Basic),
        IsNan => both!("is_nan", Bits),
        IsInfinite => both!("is_infinite", Bits),
        Exp => both!("exp", Exp),
        ExpM1 => both!("exp_m1", Exp),
        Sinh => both!("sinh", Exp),
        Cosh => both!("cosh", Exp),
        Tanh => both!("tanh", Exp),
        Ln => both!("ln", Ln),
        Ln1p => both!("ln_1p", Ln),
        Asinh => both!("asinh", Ln),
        Acosh => both!("acosh", Ln),
        Atanh => both!("atanh", Ln),
        Sin => both!("sin", Trig),
        Cos => both!("cos", Trig),
        Tan => both!("tan", Trig),
        Asin => both!("asin", Arc),
        Acos => both!("acos", Arc),
        Atan => both!("atan", Arc),
        Atan2 => both!("atan2", Arc),
        Pow => both!("pow", Pow),
        Neg | Abs | Sqrt | Floor | Ceil | Trunc | Add | Sub | Mul | Div | MulAdd => None,
        Not | BitNot | Quot | DivFloor | ModFloor | Eq | Ne | Lt | Le | Gt | Ge | And | Or
        | BitAnd | BitOr | BitXor | Shl | Shr | Select | Convert(_) | ToBits | FromBits => None,
    }
}

/// The text that declares the functions and all that they call, each family once, in a fixed order.
pub fn library(used: impl Iterator<Item = &'static Function>) -> String {
    let mut parts = BTreeSet::new();
    for function in used {
        let called = function.family.calls().iter();
        parts.extend(called.map(|family| (function.width, *family)));
        parts.insert((function.width, function.family));
    }
    let texts = parts.iter().filter_map(|part| TEXTS.get(part));
    texts.map(String::as_str).collect::<Vec<_>>().join("\n")
}
