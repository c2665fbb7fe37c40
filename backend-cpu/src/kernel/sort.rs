//! Sorts: the keys of a row, packed with their positions into integers, which the standard library sorts.
//!
//! A key becomes an unsigned integer of 64 digits that is in the same order, complemented where the greatest comes first. Its last digits
//! make room for its position, as many as that takes: no two are alike then, and a sort that need not be stable gives what a stable one
//! does. Keys that differ in the last digits alone follow each other after that, and are sorted once more, by these and the position.
//!
//! Rows are shared out among threads; where there are fewer of them, all threads sort one row after the other, and compute its keys and
//! write its positions part by part.
//!
//! Unsafe code: keys are read from a machine's column, positions written to memory that tasks share.

use super::share::share;
use super::space::{lanes_for, work};
use super::{KernelCode, Launch, bug};
use crate::code::Code;
use crate::machine::coords::{product, unrank};
use crate::machine::{Env, Machine};
use crate::memory::OutRef;
use cotangent_core::backend::RunError;
use cotangent_core::host::has_room;
use cotangent_core::rounding::f16;
use cotangent_core::schedule::Output;
use cotangent_core::term::SortOrder;
use cotangent_core::types::ScalarType;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// The positions that are written together.
const WRITTEN: usize = 1024;
/// From so many elements on all threads sort a row, where there are more of them than rows.
const SHARED_ROW: i64 = 1 << 14;
/// The elements of a part of a row that all threads sort.
const PART: usize = 1 << 14;
/// The other columns of a block.
const OWN_COLUMNS: usize = 1;

/// What arrays are sorted by.
trait Sortable: Copy {
    /// Whether the last 32 digits of keys may differ from zero.
    const IS_LONG: bool;

    /// The integer in its place: of equal numbers the same, of NaN the greatest.
    fn key(self) -> u64;
}

/// Of a type that has its digits in front.
macro_rules! short {
    ($($ty:ty: |$x:ident| $key:expr;)*) => {$(
        impl Sortable for $ty {
            const IS_LONG: bool = false;

            fn key(self) -> u64 {
                let $x = self;
                let key: u32 = $key;
                u64::from(key) << 32
            }
        }
    )*};
}

short! {
    bool: |x| x.into();
    u8: |x| x.into();
    u16: |x| x.into();
    u32: |x| x;
    i8: |x| i32::from(x) as u32 ^ 1 << 31;
    i16: |x| i32::from(x) as u32 ^ 1 << 31;
    i32: |x| x as u32 ^ 1 << 31;
    f16: |x| key_of_single(x.to_f64() as f32);
    f32: |x| key_of_single(x);
}

fn key_of_single(x: f32) -> u32 {
    if x.is_nan() {
        return u32::MAX;
    }
    let bits = if x == 0.0 { 0 } else { x.to_bits() };
    bits ^ ((bits as i32 >> 31) as u32 | 1 << 31)
}

impl Sortable for u64 {
    const IS_LONG: bool = true;

    fn key(self) -> u64 {
        self
    }
}

impl Sortable for i64 {
    const IS_LONG: bool = true;

    fn key(self) -> u64 {
        self as u64 ^ 1 << 63
    }
}

impl Sortable for f64 {
    const IS_LONG: bool = true;

    fn key(self) -> u64 {
        if self.is_nan() {
            return u64::MAX;
        }
        let bits = if self == 0.0 { 0 } else { self.to_bits() };
        bits ^ ((bits as i64 >> 63) as u64 | 1 << 63)
    }
}

/// The keys of a row.
#[derive(Default)]
struct Row {
    /// Whole; where they are packed without loss, none.
    keys: Vec<u64>,
    /// Packed with their positions.
    packed: Vec<u64>,
    /// The coordinates of the row.
    coords: Vec<i64>,
}

/// How keys are packed with positions.
#[derive(Clone, Copy, Debug)]
struct Packing {
    /// How many digits a position has.
    digits: u32,
    /// All digits if the greatest key comes first.
    complement: u64,
}

/// Room for the keys of some elements of a row, the first of which is given.
struct Room<'a> {
    first: usize,
    packed: &'a mut [MaybeUninit<u64>],
    /// None where they are packed without loss.
    keys: &'a mut [MaybeUninit<u64>],
}

/// A sort in progress.
struct Sort<'a> {
    code: &'a Code,
    env: &'a Env<'a>,
    packing: Packing,
    lanes: usize,
    /// The number of elements of a row.
    n: i64,
    to: OutRef,
}

impl KernelCode {
    /// Sorts over the given extents, along the last, by the keys that are this value of the body.
    pub(super) fn sort(
        &self,
        launch: &Launch,
        extents: &[i64],
        (order, output): (SortOrder, Output),
    ) -> Result<(), RunError> {
        let (code, env) = self.choose(launch, extents)?.split(launch, extents);
        let to = launch.outputs.first();
        let n = extents.last().copied().unwrap_or_default();
        let sort = Sort {
            code,
            env: &env,
            packing: Packing::new(n as usize, order),
            lanes: lanes_for(code, OWN_COLUMNS),
            n,
            to: *to.ok_or_else(|| bug("a sort has no output"))?,
        };
        match self.kernel.body().type_of(output.value) {
            ScalarType::Bool => sort.rows::<bool>(launch),
            ScalarType::I8 => sort.rows::<i8>(launch),
            ScalarType::I16 => sort.rows::<i16>(launch),
            ScalarType::I32 => sort.rows::<i32>(launch),
            ScalarType::I64 => sort.rows::<i64>(launch),
            ScalarType::U8 => sort.rows::<u8>(launch),
            ScalarType::U16 => sort.rows::<u16>(launch),
            ScalarType::U32 => sort.rows::<u32>(launch),
            ScalarType::U64 => sort.rows::<u64>(launch),
            ScalarType::F16 => sort.rows::<f16>(launch),
            ScalarType::F32 => sort.rows::<f32>(launch),
            ScalarType::F64 => sort.rows::<f64>(launch),
        }
    }
}

impl Sort<'_> {
    fn rows<T: Sortable>(&self, launch: &Launch) -> Result<(), RunError> {
        let outer = &self.env.extents[..self.env.extents.len() - 1];
        let rows = product(outer).ok_or_else(|| bug("too many rows to sort"))?;
        let team = launch.team;
        if rows < team.threads as i64 && self.n >= SHARED_ROW {
            let mut row = self.row::<T>()?;
            for at in 0..rows {
                self.go_to(at, &mut row);
                self.sort_together::<T>(at, &mut row);
            }
            team.passes.alone();
            return Ok(());
        }
        let lacking = OnceLock::new();
        let log = u64::BITS - self.n.unsigned_abs().leading_zeros();
        let work = self.n as usize * (work(self.code) + 4 * log as usize);
        share(team, rows, work, |claims| match self.row::<T>() {
            Err(error) => {
                lacking.get_or_init(|| error);
            }
            Ok(mut row) => {
                let mut machine = self.machine();
                for at in claims.flatten() {
                    self.go_to(at, &mut row);
                    machine.row(&row.coords);
                    let compute = |room: Room| self.compute::<T>(&mut machine, room);
                    // SAFETY: all of the room is filled.
                    unsafe { row.fill(self.n as usize, compute) }
                    row.packed.sort_unstable();
                    self.finish(at * self.n, &mut row.packed, &row.keys);
                }
            }
        });
        lacking.into_inner().map_or(Ok(()), Err)
    }

    fn machine(&self) -> Machine<'_> {
        Machine::new(self.code, self.env, self.lanes)
    }

    /// Room for the keys of a row.
    fn row<T: Sortable>(&self) -> Result<Row, RunError> {
        let n = self.n as usize;
        let bytes = n.saturating_mul(if T::IS_LONG { 16 } else { 8 });
        let mut row = Row {
            coords: vec![0; self.env.extents.len() - 1],
            ..Row::default()
        };
        let is_there = has_room(bytes)
            && row.packed.try_reserve_exact(n).is_ok()
            && (!T::IS_LONG || row.keys.try_reserve_exact(n).is_ok());
        is_there.then_some(row).ok_or(RunError::OutOfHostMemory {
            what: "the keys of a sort",
            bytes: bytes as u64,
        })
    }

    /// Goes to a row.
    fn go_to(&self, at: i64, row: &mut Row) {
        let outer = &self.env.extents[..row.coords.len()];
        unrank(at, outer, &mut row.coords);
    }

    /// Sorts a row, by all threads.
    fn sort_together<T: Sortable>(&self, at: i64, row: &mut Row) {
        let coords = std::mem::take(&mut row.coords);
        let start = || {
            let mut machine = self.machine();
            machine.row(&coords);
            machine
        };
        let compute = |room: Room| {
            let parts = room.parts().into_par_iter();
            parts.for_each_init(start, |machine, part| self.compute::<T>(machine, part));
        };
        // SAFETY: the parts are the whole of the room, and each is filled.
        unsafe { row.fill(self.n as usize, compute) }
        row.coords = coords;
        row.packed.par_sort_unstable();
        let (first, keys) = (at * self.n, &row.keys);
        let parts = self.packing.parts(&mut row.packed).into_par_iter();
        parts.for_each(|(at, part)| self.finish(first + at as i64, part, keys));
    }

    /// Computes the keys of some elements of the machine's row.
    fn compute<T: Sortable>(&self, machine: &mut Machine, room: Room) {
        let mut keys = room.keys.chunks_mut(self.lanes);
        let mut first = room.first;
        for packed in room.packed.chunks_mut(self.lanes) {
            let n = packed.len();
            machine.block(first as i64, n);
            let column = machine.output(0).cast::<T>();
            // SAFETY: the output is a column of `n` keys, which are of this type, and no other machine writes it.
            let found = unsafe { std::slice::from_raw_parts(column, n) };
            self.packing.pack(
                found,
                Room {
                    first,
                    packed,
                    keys: keys.next().unwrap_or_default(),
                },
            );
            first += n;
        }
    }

    /// Sorts what packing has made alike in a part that has all keys that are alike, and writes the positions from `at` on.
    fn finish(&self, mut at: i64, part: &mut [u64], keys: &[u64]) {
        self.packing.sort_alike(part, keys);
        let mut positions = [0; WRITTEN];
        for part in part.chunks(WRITTEN) {
            for (to, &packed) in positions.iter_mut().zip(part) {
                *to = self.packing.position(packed) as i32;
            }
            // SAFETY: the output is of `i32` and has the elements of all rows, of which this task has these.
            unsafe { self.to.store(positions.as_ptr().cast(), at, 1, part.len()) }
            at += part.len() as i64;
        }
    }
}

impl Row {
    /// Fills room for `n` elements, which was reserved.
    ///
    /// # Safety
    /// The function writes all of the room.
    unsafe fn fill(&mut self, n: usize, fill: impl FnOnce(Room)) {
        self.packed.clear();
        self.keys.clear();
        let (packed, keys) = (
            self.packed.spare_capacity_mut(),
            self.keys.spare_capacity_mut(),
        );
        let whole = n.min(keys.len());
        fill(Room {
            first: 0,
            packed: &mut packed[..n],
            keys: &mut keys[..whole],
        });
        // SAFETY: the function has written all of it.
        unsafe {
            self.packed.set_len(n);
            self.keys.set_len(whole);
        }
    }
}

impl<'a> Room<'a> {
    /// It in parts.
    fn parts(self) -> Vec<Self> {
        let mut keys = self.keys.chunks_mut(PART);
        let packed = self
            .packed
            .chunks_mut(PART)
            .zip((self.first..).step_by(PART));
        let part = |(packed, first)| Room {
            first,
            packed,
            keys: keys.next().unwrap_or_default(),
        };
        packed.map(part).collect()
    }
}

impl Packing {
    /// For rows of `n` elements.
    fn new(n: usize, order: SortOrder) -> Self {
        let last = n.saturating_sub(1) as u64;
        Self {
            digits: (u64::BITS - last.leading_zeros()).max(1),
            complement: match order {
                SortOrder::Ascending => 0,
                SortOrder::Descending => u64::MAX,
            },
        }
    }

    /// Fills room for as many elements as there are keys.
    fn pack<T: Sortable>(self, keys: &[T], room: Room) {
        let Self { digits, complement } = self;
        let all = room.packed.iter_mut().zip(keys).zip(room.first as u64..);
        for ((packed, key), at) in all {
            packed.write((key.key() ^ complement) >> digits << digits | at);
        }
        for (whole, key) in room.keys.iter_mut().zip(keys) {
            whole.write(key.key() ^ complement);
        }
    }

    fn position(self, packed: u64) -> usize {
        (packed & !(u64::MAX << self.digits)) as usize
    }

    fn are_alike(self, x: u64, y: u64) -> bool {
        x >> self.digits == y >> self.digits
    }

    /// Sorts those whose keys have the same first digits by the others, if they have any.
    fn sort_alike(self, packed: &mut [u64], keys: &[u64]) {
        if keys.is_empty() {
            return;
        }
        for alike in packed.chunk_by_mut(|&x, &y| self.are_alike(x, y)) {
            if alike.len() > 1 {
                for packed in &mut *alike {
                    let at = self.position(*packed);
                    *packed = keys[at] << self.digits | at as u64;
                }
                alike.sort_unstable();
            }
        }
    }

    /// What is sorted in parts, none of which ends between keys that are alike, and where they begin.
    fn parts(self, sorted: &mut [u64]) -> Vec<(usize, &mut [u64])> {
        let (mut parts, mut rest, mut first) = (vec![], sorted, 0);
        while !rest.is_empty() {
            let mut len = PART.min(rest.len());
            while len < rest.len() && self.are_alike(rest[len - 1], rest[len]) {
                len += 1;
            }
            let (part, behind) = rest.split_at_mut(len);
            parts.push((first, part));
            (rest, first) = (behind, first + len);
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotangent_core::constant::Const;

    /// Positions by keys that are packed.
    fn packed<T: Sortable>(keys: &[T], order: SortOrder) -> Vec<usize> {
        let packing = Packing::new(keys.len(), order);
        let mut row = Row::default();
        row.packed.reserve_exact(keys.len());
        if T::IS_LONG {
            row.keys.reserve_exact(keys.len());
        }
        // SAFETY: a key is written to each place.
        unsafe { row.fill(keys.len(), |room| packing.pack(keys, room)) }
        row.packed.sort_unstable();
        packing.sort_alike(&mut row.packed, &row.keys);
        row.packed
            .iter()
            .map(|&key| packing.position(key))
            .collect()
    }

    #[track_caller]
    fn sorts<T: Sortable + Into<Const>>(keys: &[T]) {
        let consts: Vec<Const> = keys.iter().map(|&key| key.into()).collect();
        for order in [SortOrder::Ascending, SortOrder::Descending] {
            assert_eq!(packed(keys, order), order.positions(&consts));
        }
    }

    /// Numbers without much order.
    fn scattered() -> impl Iterator<Item = u64> {
        (1..500u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7)
    }

    #[test]
    fn keys_of_all_types() {
        sorts(&scattered().map(|k| k as i8).collect::<Vec<_>>());
        sorts(&scattered().map(|k| k as u8).collect::<Vec<_>>());
        sorts(&scattered().map(|k| k as i16).collect::<Vec<_>>());
        sorts(&scattered().map(|k| k as u16).collect::<Vec<_>>());
        let around = |k: u64| if k.is_multiple_of(2) { k } else { !k };
        sorts(&scattered().map(around).collect::<Vec<u64>>());
        let odd = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.5];
        let pick = |k: u64| odd[(k % 6) as usize];
        sorts(&scattered().map(pick).collect::<Vec<f64>>());
        sorts(&scattered().map(|k| pick(k) as f32).collect::<Vec<_>>());
        sorts(
            &scattered()
                .map(|k| f16::from_f64(pick(k)))
                .collect::<Vec<_>>(),
        );
        sorts(&scattered().map(|k| k % 3 == 0).collect::<Vec<_>>());
        sorts(&scattered().map(|k| k as u32).collect::<Vec<_>>());
        sorts(&scattered().map(|k| k as i32).collect::<Vec<_>>());
        sorts(
            &scattered()
                .map(|k| k as i64 - (1 << 56))
                .collect::<Vec<_>>(),
        );
        sorts(&[i64::MIN, i64::MAX, 0, -1, i64::MIN]);
        sorts::<f64>(&[]);
        sorts(&[1.5f64]);
    }

    /// Packing leaves these alike: they differ in the last digits.
    #[test]
    fn keys_that_differ_in_their_last_digits() {
        let close = |k: u64| f64::from_bits(1.5f64.to_bits() + k % 100);
        sorts(&scattered().map(close).collect::<Vec<_>>());
        let two = |k: u64| f64::from_bits(((k % 3) << 52) | (k % 5));
        sorts(&scattered().map(two).collect::<Vec<_>>());
        sorts(&scattered().map(|k| (k % 40) as i64).collect::<Vec<_>>());
    }

    /// Whose keys are alike in one part, and whose parts are all there.
    #[test]
    fn parts_end_between_keys_that_differ() {
        let packing = Packing::new(4 * PART, SortOrder::Ascending);
        for alike in [1, 2, 3, 1000, PART, 5 * PART] {
            let mut sorted: Vec<u64> = (0..4 * PART)
                .map(|at| ((at / alike) << packing.digits | at) as u64)
                .collect();
            let parts = packing.parts(&mut sorted);
            let mut next = 0;
            for (first, part) in parts {
                assert_eq!(first, next, "{alike}");
                assert_eq!(packing.position(part[0]), first);
                next += part.len();
                assert!(next == 4 * PART || next % alike == 0, "{alike}");
            }
            assert_eq!(next, 4 * PART);
        }
    }
}
