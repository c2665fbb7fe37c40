//! Elements of arrays as bytes on the device: as on the host, but for truth values, which are words there. Memory is
//! copied by whole words, so that two bytes of garbage may follow a last `f16`.

use cotangent_core::constant::Const;
use cotangent_core::host::Column;
use cotangent_core::rounding::f16;
use cotangent_core::types::ScalarType;
use std::borrow::Cow;

/// The words of a value: one, or two with the lower one first.
pub(crate) fn words(value: Const) -> Vec<u32> {
    let bits = value.bits();
    if value.scalar_type().bytes() == 8 {
        vec![bits as u32, (bits >> 32) as u32]
    } else {
        vec![bits as u32]
    }
}

/// The elements of a column as bytes.
pub(crate) fn to_bytes(column: &Column) -> Cow<'_, [u8]> {
    match column {
        Column::Bool(values) => {
            let words: Vec<u32> = values.iter().map(|&x| u32::from(x)).collect();
            Cow::Owned(bytemuck::cast_slice(&words).to_vec())
        }
        Column::I32(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
        Column::I64(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
        Column::U32(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
        Column::F16(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
        Column::F32(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
        Column::F64(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
    }
}

/// Bytes as elements; a part of an element at the end is left out.
pub(crate) fn from_bytes(ty: ScalarType, bytes: &[u8]) -> Column {
    macro_rules! numbers {
        ($ty:ty) => {{
            let (chunks, _) = bytes.as_chunks();
            let numbers = chunks.iter().map(|&bytes| <$ty>::from_le_bytes(bytes));
            numbers.collect::<Vec<_>>()
        }};
    }
    match ty {
        ScalarType::Bool => {
            let words: Vec<u32> = numbers!(u32);
            Column::from(words.into_iter().map(|word| word != 0).collect::<Vec<_>>())
        }
        ScalarType::I32 => Column::from(numbers!(i32)),
        ScalarType::I64 => Column::from(numbers!(i64)),
        ScalarType::U32 => Column::from(numbers!(u32)),
        ScalarType::F16 => Column::from(numbers!(f16)),
        ScalarType::F32 => Column::from(numbers!(f32)),
        ScalarType::F64 => Column::from(numbers!(f64)),
    }
}
