//! Scalar types and literals.
//!
//! A `bool` is a word in memory, 0 or 1, as no buffer holds truth values. WGSL has no integers of 8 and 16 bits: values are of
//! 32 bits, and always in the range of their type; memory holds several in a word ([`is_packed`]). Literals that the parser
//! would reject or fold (infinities, NaNs, the least integers) are made of their bits when the shader runs.

use cotangent_core::constant::Const;
use cotangent_core::integer_type;
use cotangent_core::types::ScalarType;

/// The type of values.
pub(crate) fn of_value(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool => "bool",
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 => "i32",
        ScalarType::I64 => "i64",
        ScalarType::U8 | ScalarType::U16 | ScalarType::U32 => "u32",
        ScalarType::U64 => "u64",
        ScalarType::F16 => "f16",
        ScalarType::F32 => "f32",
        ScalarType::F64 => "f64",
    }
}

/// Whether several elements of a type are in a word of memory.
pub(crate) fn is_packed(ty: ScalarType) -> bool {
    match ty {
        ScalarType::I8 | ScalarType::I16 | ScalarType::U8 | ScalarType::U16 => true,
        ScalarType::Bool | integer_type!() => false,
        ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => false,
    }
}

/// The type of the cells of memory that holds elements of a type.
pub(crate) fn of_element(ty: ScalarType) -> &'static str {
    match is_packed(ty) {
        true => "u32",
        false => of_shared(ty),
    }
}

/// The type of elements in the memory of a workgroup, where none are packed.
pub(crate) fn of_shared(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool => "u32",
        integer_type!() | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => of_value(ty),
    }
}

/// The bytes of an element in memory: a `bool` is a word.
pub fn bytes_of(ty: ScalarType) -> u64 {
    match ty {
        ScalarType::Bool => 4,
        integer_type!() | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => ty.bytes() as u64,
    }
}

/// An integer of 32 bits as one of a type that values of 32 bits stand for: the lower bits of it.
pub(crate) fn wrapped(ty: ScalarType, text: &str) -> String {
    format!("extractBits({text}, 0u, {}u)", 8 * ty.bytes())
}

/// The value of an element.
pub(crate) fn read(ty: ScalarType, element: &str) -> String {
    match ty {
        ScalarType::Bool => format!("({element} != 0u)"),
        integer_type!() | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => element.into(),
    }
}

/// The element that holds a value.
pub(crate) fn written(ty: ScalarType, value: &str) -> String {
    match ty {
        ScalarType::Bool => format!("select(0u, 1u, {value})"),
        integer_type!() | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => value.into(),
    }
}

/// The value of a cell that memory of several types consists of: two, four or eight bytes.
pub(crate) fn from_cell(ty: ScalarType, cell: &str) -> String {
    match is_cell(ty) {
        true => read(ty, cell),
        false => format!("bitcast<{}>({cell})", of_value(ty)),
    }
}

/// The cell that holds a value.
pub(crate) fn to_cell(ty: ScalarType, value: &str) -> String {
    match is_cell(ty) {
        true => written(ty, value),
        false => format!("bitcast<u{}>({value})", 8 * ty.bytes()),
    }
}

/// Whether elements of a type are cells: those of others have the bits of one.
fn is_cell(ty: ScalarType) -> bool {
    ty.is_unsigned() || ty == ScalarType::Bool || ty == ScalarType::F16
}

/// The type in which values of a type are added up: sums of `f16` are those of `f32`, rounded once, as 2048 + 1 is 2048 in
/// `f16`.
pub(crate) fn of_sum(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::F16 => ScalarType::F32,
        ScalarType::Bool | integer_type!() | ScalarType::F32 | ScalarType::F64 => ty,
    }
}

/// A value of one of the types as one of the other, where they are that of values and that of their sums.
pub(crate) fn converted(value: &str, from: ScalarType, to: ScalarType) -> String {
    match from == to {
        true => value.to_owned(),
        false => format!("{}({value})", of_value(to)),
    }
}

/// A value made of words: the lower one first where there are two, and of an `f16` the lower half. (naga turns down
/// `bitcast<vec2<f16>>` of a word.)
pub(crate) fn from_words(ty: ScalarType, words: &[String]) -> String {
    let wide = || format!("u64({}) | (u64({}) << 32u)", words[0], words[1]);
    match ty {
        ScalarType::Bool => format!("({} != 0u)", words[0]),
        ScalarType::F16 => format!("f16(unpack2x16float({}).x)", words[0]),
        ScalarType::U64 => wide(),
        ScalarType::I64 | ScalarType::F64 => format!("bitcast<{}>({})", of_value(ty), wide()),
        ScalarType::U32 => words[0].clone(),
        // What follows in the word may be anything.
        ScalarType::U8 | ScalarType::U16 => wrapped(ty, &words[0]),
        ScalarType::I8 | ScalarType::I16 => wrapped(ty, &format!("bitcast<i32>({})", words[0])),
        integer_type!() | ScalarType::F32 => format!("bitcast<{}>({})", of_value(ty), words[0]),
    }
}

/// A literal; none where there is no text for it, and it must be made of its bits.
pub(crate) fn literal(value: Const) -> Option<String> {
    match value {
        Const::Bool(x) => Some(x.to_string()),
        Const::I32(x) => (x != i32::MIN).then(|| format!("{x}i")),
        Const::I64(x) => (x != i64::MIN).then(|| format!("{x}li")),
        Const::U32(x) => Some(format!("{x}u")),
        Const::U64(x) => Some(format!("{x}lu")),
        Const::I8(x) => Some(format!("{x}i")),
        Const::I16(x) => Some(format!("{x}i")),
        Const::U8(x) => Some(format!("{x}u")),
        Const::U16(x) => Some(format!("{x}u")),
        Const::F16(x) => {
            is_plain(x.to_f64(), x.is_normal()).then(|| format!("f16({})", x.to_f64()))
        }
        Const::F32(x) => is_plain(x.into(), x.is_normal()).then(|| format!("{x:?}f")),
        Const::F64(x) => is_plain(x, x.is_normal()).then(|| format!("{x:?}lf")),
    }
}

fn is_plain(x: f64, is_normal: bool) -> bool {
    is_normal || (x == 0.0 && x.is_sign_positive())
}
