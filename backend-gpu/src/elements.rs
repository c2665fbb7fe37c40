//! Elements of arrays as bytes on the device: as on the host, but for truth values, which are words there. Memory is
//! copied by whole words, so that two bytes of garbage may follow a last `f16`.
//!
//! Many of them are copied by all processors: new memory is slow to come, and one processor takes in little of it.

use bytemuck::Pod;
use cotangent_core::constant::Const;
use cotangent_core::host::Column;
use cotangent_core::rounding::f16;
use cotangent_core::types::ScalarType;
use std::borrow::Cow;

/// A processor copies about so many bytes at a time.
const CHUNK: usize = 1 << 20;

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
        Column::I8(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
        Column::I16(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
        Column::I32(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
        Column::I64(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
        Column::U8(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
        Column::U16(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
        Column::U32(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
        Column::U64(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
        Column::F16(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
        Column::F32(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
        Column::F64(values) => Cow::Borrowed(bytemuck::cast_slice(values)),
    }
}

/// Bytes as numbers; a part of a number at the end is left out.
fn numbers<T: Pod>(bytes: &[u8]) -> Vec<T> {
    let mut numbers = bytemuck::zeroed_vec(bytes.len() / size_of::<T>());
    let to: &mut [u8] = bytemuck::cast_slice_mut(&mut numbers);
    copy(&bytes[..to.len()], to);
    numbers
}

fn copy(from: &[u8], to: &mut [u8]) {
    if from.len() <= CHUNK {
        return to.copy_from_slice(from);
    }
    let half = from.len() / 2;
    let (first, second) = to.split_at_mut(half);
    rayon::join(
        || copy(&from[..half], first),
        || copy(&from[half..], second),
    );
}

/// Bytes as elements; a part of an element at the end is left out.
pub(crate) fn from_bytes(ty: ScalarType, bytes: &[u8]) -> Column {
    match ty {
        ScalarType::Bool => {
            let words: Vec<u32> = numbers(bytes);
            Column::from(words.into_iter().map(|word| word != 0).collect::<Vec<_>>())
        }
        ScalarType::I8 => Column::from(numbers::<i8>(bytes)),
        ScalarType::I16 => Column::from(numbers::<i16>(bytes)),
        ScalarType::I32 => Column::from(numbers::<i32>(bytes)),
        ScalarType::I64 => Column::from(numbers::<i64>(bytes)),
        ScalarType::U8 => Column::from(numbers::<u8>(bytes)),
        ScalarType::U16 => Column::from(numbers::<u16>(bytes)),
        ScalarType::U32 => Column::from(numbers::<u32>(bytes)),
        ScalarType::U64 => Column::from(numbers::<u64>(bytes)),
        ScalarType::F16 => Column::from(numbers::<f16>(bytes)),
        ScalarType::F32 => Column::from(numbers::<f32>(bytes)),
        ScalarType::F64 => Column::from(numbers::<f64>(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many bytes as one processor copies, and more, with parts of elements at the end.
    #[test]
    fn elements_come_back_from_their_bytes() {
        for len in [0, 1, CHUNK / 4, CHUNK / 4 + 1, CHUNK + 3] {
            let numbers: Vec<i32> = (0..len as i32).collect();
            let column = Column::from(numbers);
            let mut bytes = to_bytes(&column).to_vec();
            assert_eq!(from_bytes(ScalarType::I32, &bytes), column, "{len}");
            bytes.extend([1, 2]);
            assert_eq!(from_bytes(ScalarType::I32, &bytes), column, "{len}");
        }
    }
}
