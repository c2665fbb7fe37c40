//! Stores of columns that lie side by side in memory, as rows.
//!
//! An interleaved array written column by column touches every cache line once for each column. Here a few
//! columns are written together: squares of lanes are transposed in registers, so that each row is one store.
//!
//! Unsafe code: raw pointers and intrinsics of instruction sets. The contract is at [`RowsFn`].

use crate::isa::Isa;
use cotangent_core::types::ScalarType;

/// The most columns that are stored together, of any type.
pub(crate) const MAX_ROW: usize = 16;

/// The most columns of type `ty` that are stored together: as many as fill a vector.
pub(crate) fn max_row(ty: ScalarType) -> usize {
    MAX_ROW.min(64 / ty.bytes())
}

/// Stores `n` lanes of `count` columns, at most `max_row` of their type: lane `i` of column `j` goes to element `i · stride + j` of `to`.
///
/// # Safety
/// The first `count` columns are valid for reading `n` elements, those elements of `to` for writing; they do
/// not overlap; and the machine has the instruction set that the instance was made for.
pub(crate) type RowsFn =
    unsafe fn(n: usize, columns: &[*const u8; MAX_ROW], count: usize, to: *mut u8, stride: isize);

/// The way to store columns of type `ty` as rows; `None` for a type that has none.
pub(crate) fn rows_fn(isa: Isa, ty: ScalarType) -> Option<RowsFn> {
    match ty {
        ScalarType::Bool | ScalarType::I8 | ScalarType::U8 => None,
        ScalarType::I16 | ScalarType::U16 | ScalarType::F16 => None,
        ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => Some(narrow(isa)),
        ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => Some(wide(isa)),
    }
}

#[cfg(target_arch = "x86_64")]
fn narrow(isa: Isa) -> RowsFn {
    match isa {
        Isa::Baseline => plain::<u32>,
        Isa::Avx2 => x86::narrow_by_eight,
        Isa::Avx512 => x86::narrow,
    }
}

#[cfg(target_arch = "x86_64")]
fn wide(isa: Isa) -> RowsFn {
    match isa {
        Isa::Baseline => plain::<u64>,
        Isa::Avx2 => x86::wide_by_four,
        Isa::Avx512 => x86::wide,
    }
}

/// `to[k · to_stride + i] = from[i · from_stride + k]` for `i, k < 16`; strides are in elements.
///
/// # Safety
/// Those elements are valid for reading and writing, and do not overlap; and the machine has the instruction set that the instance
/// was made for.
pub(super) type SquareFn =
    unsafe fn(from: *const u8, from_stride: usize, to: *mut u8, to_stride: usize);

/// The way to transpose squares of elements of type `ty`, where there is one beside that of rows.
#[cfg(target_arch = "x86_64")]
pub(super) fn square_fn(isa: Isa, ty: ScalarType) -> Option<SquareFn> {
    (isa == Isa::Avx512 && ty.bytes() == 8).then_some(x86::wide_square)
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn square_fn(_isa: Isa, _ty: ScalarType) -> Option<SquareFn> {
    None
}

#[cfg(not(target_arch = "x86_64"))]
fn narrow(_isa: Isa) -> RowsFn {
    plain::<u32>
}

#[cfg(not(target_arch = "x86_64"))]
fn wide(_isa: Isa) -> RowsFn {
    plain::<u64>
}

/// Element by element, row by row.
///
/// # Safety
/// As for [`RowsFn`].
unsafe fn plain<T: Copy>(
    n: usize,
    columns: &[*const u8; MAX_ROW],
    count: usize,
    to: *mut u8,
    stride: isize,
) {
    // SAFETY: `RowsFn` asks for `count` columns of `n` lanes, and for room for as many rows; the range has no other
    // lanes.
    unsafe { rest::<T>(0..n, columns, count, to, stride) }
}

/// The lanes of a range, element by element.
///
/// # Safety
/// As for [`RowsFn`], for those lanes.
#[inline(always)]
unsafe fn rest<T: Copy>(
    lanes: std::ops::Range<usize>,
    columns: &[*const u8; MAX_ROW],
    count: usize,
    to: *mut u8,
    stride: isize,
) {
    for i in lanes {
        for (j, column) in columns[..count].iter().enumerate() {
            // SAFETY: `i` is one of the lanes and `j` one of the `count` columns, for all of which there is an
            // element to read and a place to write.
            unsafe {
                let to = to.cast::<T>().offset(i as isize * stride + j as isize);
                to.write_unaligned(column.cast::<T>().add(i).read_unaligned());
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    //! Transposes in vector registers. A column that a row lacks is read as another one and masked out.

    use super::{MAX_ROW, rest};
    use std::arch::x86_64::*;

    /// Some columns, the last one repeated to fill the row.
    fn filled<const N: usize>(columns: &[*const u8]) -> [*const u8; N] {
        std::array::from_fn(|j| columns[j.min(columns.len() - 1)])
    }

    /// Rows of up to eight elements of 64 bits, with AVX-512.
    ///
    /// # Safety
    /// As for [`super::RowsFn`].
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) unsafe fn wide(
        n: usize,
        columns: &[*const u8; MAX_ROW],
        count: usize,
        to: *mut u8,
        stride: isize,
    ) {
        let all: [*const f64; 8] = filled(&columns[..count]).map(|column| column.cast());
        let mask = (0xffu16 >> (8 - count)) as __mmask8;
        let mut row = to.cast::<f64>();
        for i in (0..n / 8 * 8).step_by(4) {
            // SAFETY: lanes `i..i + 4` of the columns are there; the mask keeps stores inside the rows.
            unsafe {
                for values in four_rows(&all, i) {
                    if count == 8 {
                        _mm512_storeu_pd(row, values);
                    } else {
                        _mm512_mask_storeu_pd(row, mask, values);
                    }
                    row = row.wrapping_offset(stride);
                }
            }
        }
        // SAFETY: `RowsFn` asks for `n` lanes and rows, of which the first `n / 8 · 8` are done.
        unsafe { rest::<u64>(n / 8 * 8..n, columns, count, to, stride) }
    }

    /// Squares of elements of 64 bits, with AVX-512.
    ///
    /// # Safety
    /// As for [`super::SquareFn`].
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) unsafe fn wide_square(
        from: *const u8,
        from_stride: usize,
        to: *mut u8,
        to_stride: usize,
    ) {
        let (from, to) = (from.cast::<f64>(), to.cast::<f64>());
        for half in [0, 8] {
            let columns = std::array::from_fn(|j| from.wrapping_add((half + j) * from_stride));
            for i in (0..16).step_by(4) {
                // SAFETY: rows `i..i + 4` of the square are there to be read in all columns, and to be written from column `half` on.
                unsafe {
                    for (k, row) in four_rows(&columns, i).into_iter().enumerate() {
                        _mm512_storeu_pd(to.add((i + k) * to_stride + half), row);
                    }
                }
            }
        }
    }

    /// Four rows of eight columns, from lane `i` on. Loading two columns into one vector saves a third of the
    /// shuffles.
    ///
    /// # Safety
    /// The columns have those lanes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    unsafe fn four_rows(columns: &[*const f64; 8], i: usize) -> [__m512d; 4] {
        // Columns j and j + 4.
        let both = |j: usize| {
            // SAFETY: lanes `i .. i + 4` of all eight columns can be read.
            let (low, high) = unsafe {
                let (low, high) = (columns[j].add(i), columns[j + 4].add(i));
                (_mm256_loadu_pd(low), _mm256_loadu_pd(high))
            };
            _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high)
        };
        let [a, b, c, d] = [both(0), both(1), both(2), both(3)];
        let (ab02, ab13) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
        let (cd02, cd13) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
        let first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
        let second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
        [
            _mm512_permutex2var_pd(ab02, first, cd02),
            _mm512_permutex2var_pd(ab13, first, cd13),
            _mm512_permutex2var_pd(ab02, second, cd02),
            _mm512_permutex2var_pd(ab13, second, cd13),
        ]
    }

    /// Rows of up to sixteen elements of 32 bits, with AVX-512.
    ///
    /// # Safety
    /// As for [`super::RowsFn`].
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) unsafe fn narrow(
        n: usize,
        columns: &[*const u8; MAX_ROW],
        count: usize,
        to: *mut u8,
        stride: isize,
    ) {
        let all: [*const u8; MAX_ROW] = filled(&columns[..count]);
        let mask = (0xffffu32 >> (MAX_ROW - count)) as __mmask16;
        let in_turn = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        for i in (0..n / 8).map(|square| square * 8) {
            // SAFETY: lanes `i..i + 8` of the columns are there; the mask keeps stores inside the rows.
            unsafe {
                let column = |j: usize| {
                    let at = all[j].cast::<i32>().add(i);
                    _mm512_castsi256_si512(_mm256_loadu_si256(at.cast()))
                };
                // Two columns side by side are one of elements of 64 bits.
                let pair = |p: usize| {
                    let pair = _mm512_permutex2var_epi32(column(2 * p), in_turn, column(2 * p + 1));
                    _mm512_castsi512_pd(pair)
                };
                let pairs: [__m512d; 8] = std::array::from_fn(pair);
                for (k, row) in transposed_wide(pairs).into_iter().enumerate() {
                    let to = to.cast::<f32>().offset((i + k) as isize * stride);
                    _mm512_mask_storeu_ps(to, mask, _mm512_castpd_ps(row));
                }
            }
        }
        // SAFETY: `RowsFn` asks for `n` lanes and rows; those from `n / 8 · 8` on are left, in all columns.
        unsafe { rest::<u32>(n / 8 * 8..n, columns, count, to, stride) }
    }

    #[target_feature(enable = "avx512f,avx512dq")]
    fn transposed_wide(c: [__m512d; 8]) -> [__m512d; 8] {
        // In each pair of columns, even and odd lanes.
        let even = |p: usize| _mm512_unpacklo_pd(c[2 * p], c[2 * p + 1]);
        let odd = |p: usize| _mm512_unpackhi_pd(c[2 * p], c[2 * p + 1]);
        let [r0, r2, r4, r6] = quarters([even(0), even(1), even(2), even(3)]);
        let [r1, r3, r5, r7] = quarters([odd(0), odd(1), odd(2), odd(3)]);
        [r0, r1, r2, r3, r4, r5, r6, r7]
    }

    /// Takes vectors of four quarters; the results have the first quarters of all four, the second, and so on.
    #[target_feature(enable = "avx512f,avx512dq")]
    fn quarters([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
        let (ab02, ab13) = (
            _mm512_shuffle_f64x2::<0x88>(a, b),
            _mm512_shuffle_f64x2::<0xdd>(a, b),
        );
        let (cd02, cd13) = (
            _mm512_shuffle_f64x2::<0x88>(c, d),
            _mm512_shuffle_f64x2::<0xdd>(c, d),
        );
        [
            _mm512_shuffle_f64x2::<0x88>(ab02, cd02),
            _mm512_shuffle_f64x2::<0x88>(ab13, cd13),
            _mm512_shuffle_f64x2::<0xdd>(ab02, cd02),
            _mm512_shuffle_f64x2::<0xdd>(ab13, cd13),
        ]
    }

    /// Rows of up to eight elements of 64 bits, four at a time, with AVX2.
    ///
    /// # Safety
    /// As for [`super::RowsFn`].
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn wide_by_four(
        n: usize,
        columns: &[*const u8; MAX_ROW],
        count: usize,
        to: *mut u8,
        stride: isize,
    ) {
        for first in (0..count).step_by(4) {
            let width = (count - first).min(4);
            let all: [*const u8; 4] = filled(&columns[first..first + width]);
            let mask = _mm256_setr_epi64x(-1, on(width > 1), on(width > 2), on(width > 3));
            for i in (0..n / 4).map(|square| square * 4) {
                // SAFETY: lanes `i..i + 4` of the columns are there; the mask keeps stores inside the rows.
                unsafe {
                    let square = all.map(|column| _mm256_loadu_pd(column.cast::<f64>().add(i)));
                    for (k, row) in transposed_by_four(square).into_iter().enumerate() {
                        let at = (i + k) as isize * stride + first as isize;
                        _mm256_maskstore_pd(to.cast::<f64>().offset(at), mask, row);
                    }
                }
            }
        }
        // SAFETY: `RowsFn` asks for `n` lanes and rows; those from `n / 4 · 4` on are left, in all columns.
        unsafe { rest::<u64>(n / 4 * 4..n, columns, count, to, stride) }
    }

    fn on(is_on: bool) -> i64 {
        -i64::from(is_on)
    }

    #[target_feature(enable = "avx2")]
    fn transposed_by_four([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
        let (ab02, ab13) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (cd02, cd13) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        [
            _mm256_permute2f128_pd::<0x20>(ab02, cd02),
            _mm256_permute2f128_pd::<0x20>(ab13, cd13),
            _mm256_permute2f128_pd::<0x31>(ab02, cd02),
            _mm256_permute2f128_pd::<0x31>(ab13, cd13),
        ]
    }

    /// Rows of up to sixteen elements of 32 bits, eight at a time, with AVX2.
    ///
    /// # Safety
    /// As for [`super::RowsFn`].
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn narrow_by_eight(
        n: usize,
        columns: &[*const u8; MAX_ROW],
        count: usize,
        to: *mut u8,
        stride: isize,
    ) {
        let lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        for first in (0..count).step_by(8) {
            let all: [*const u8; 8] = filled(&columns[first..count]);
            let mask = _mm256_cmpgt_epi32(_mm256_set1_epi32((count - first) as i32), lane);
            for i in (0..n / 8).map(|square| square * 8) {
                // SAFETY: lanes `i..i + 8` of the columns are there; the mask keeps stores inside the rows.
                unsafe {
                    let square = all.map(|column| _mm256_loadu_ps(column.cast::<f32>().add(i)));
                    for (k, row) in transposed_narrow(square).into_iter().enumerate() {
                        let at = (i + k) as isize * stride + first as isize;
                        _mm256_maskstore_ps(to.cast::<f32>().offset(at), mask, row);
                    }
                }
            }
        }
        // SAFETY: `RowsFn` asks for `n` lanes and rows, and the squares of eight went up to `n / 8 · 8`.
        unsafe { rest::<u32>(n / 8 * 8..n, columns, count, to, stride) }
    }

    #[target_feature(enable = "avx2")]
    fn transposed_narrow(c: [__m256; 8]) -> [__m256; 8] {
        let pair = |p: usize| {
            let (x, y) = (c[2 * p], c[2 * p + 1]);
            let (low, high) = (_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
            (_mm256_castps_pd(low), _mm256_castps_pd(high))
        };
        let (pairs, mut rows) = ([pair(0), pair(1), pair(2), pair(3)], c);
        // Low pairs hold lanes 0, 1 and 4, 5; high pairs 2, 3 and 6, 7.
        for half in 0..2 {
            let of = |p: usize| if half == 0 { pairs[p].0 } else { pairs[p].1 };
            let fours = [
                (
                    _mm256_unpacklo_pd(of(0), of(1)),
                    _mm256_unpacklo_pd(of(2), of(3)),
                ),
                (
                    _mm256_unpackhi_pd(of(0), of(1)),
                    _mm256_unpackhi_pd(of(2), of(3)),
                ),
            ];
            for (k, (left, right)) in fours.into_iter().enumerate() {
                let at = 2 * half + k;
                rows[at] = _mm256_castpd_ps(_mm256_permute2f128_pd::<0x20>(left, right));
                rows[at + 4] = _mm256_castpd_ps(_mm256_permute2f128_pd::<0x31>(left, right));
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stores columns of bytes counted up, and compares with what [`RowsFn`] says.
    fn stored(isa: Isa, ty: ScalarType, n: usize, count: usize, stride: usize) {
        let width = ty.bytes();
        let element = |i: usize, j: usize| -> Vec<u8> {
            let value = (1 + i * MAX_ROW + j) as u64;
            value.to_le_bytes()[..width].to_vec()
        };
        let columns: Vec<Vec<u8>> = (0..count)
            .map(|j| (0..n).flat_map(|i| element(i, j)).collect())
            .collect();
        let mut pointers = [std::ptr::null(); MAX_ROW];
        for (pointer, column) in pointers.iter_mut().zip(&columns) {
            *pointer = column.as_ptr();
        }
        let mut found = vec![0u8; (n * stride).max(1) * width];
        let mut expected = found.clone();
        for (i, j) in (0..n).flat_map(|i| (0..count).map(move |j| (i, j))) {
            let at = (i * stride + j) * width;
            expected[at..at + width].copy_from_slice(&element(i, j));
        }
        let rows = rows_fn(isa, ty).unwrap();
        // SAFETY: the columns have `n` elements, and there is memory for `n` rows.
        unsafe { rows(n, &pointers, count, found.as_mut_ptr(), stride as isize) }
        assert_eq!(found, expected, "{isa:?} {ty} {n} × {count} at {stride}");
    }

    /// Of the numbers of lanes and columns some, in Miri.
    #[test]
    fn rows_are_transposed_columns() {
        let (lanes, apart): (&[usize], usize) = match cfg!(miri) {
            true => (&[0, 1, 9], 5),
            false => (&[0, 1, 7, 8, 9, 16, 37], 1),
        };
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            for ty in [ScalarType::I32, ScalarType::F64] {
                for &n in lanes {
                    for count in (1..=max_row(ty)).step_by(apart) {
                        stored(isa, ty, n, count, count);
                        stored(isa, ty, n, count, count + 3);
                    }
                }
            }
        }
    }
}
