//! Sorts: the keys of a row, packed with their positions into integers, which the standard library sorts.
//!
//! A key becomes an unsigned integer of 64 digits that is in the same order, complemented where the greatest comes first. Its last digits
//! make room for its position, as many as that takes: no two are alike then, and a sort that need not be stable gives what a stable one
//! does. Keys that differ in the last digits alone follow each other after that, and are sorted once more, by these and the position.
//!
//! Rows are shared out among threads; where there are fewer of them, all threads sort one row after the other.
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
use rayon::slice::ParallelSliceMut;
use std::sync::OnceLock;

/// The positions that are written together.
const WRITTEN: usize = 1024;
/// From so many elements on all threads sort a row, where there are more of them than rows.
const SHARED_ROW: i64 = 1 << 14;
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
    /// How many digits a position has.
    digits: u32,
    /// The coordinates of the row.
    coords: Vec<i64>,
}

/// A sort in progress.
struct Sort<'a> {
    code: &'a Code,
    env: &'a Env<'a>,
    order: SortOrder,
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
        let sort = Sort {
            code,
            env: &env,
            order,
            lanes: lanes_for(code, OWN_COLUMNS),
            n: extents.last().copied().unwrap_or_default(),
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
            let (mut row, mut machine) = (self.row::<T>()?, self.machine());
            for at in 0..rows {
                self.compute::<T>(&mut machine, at, &mut row);
                row.packed.par_sort_unstable();
                self.finish(at, &mut row);
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
                    self.compute::<T>(&mut machine, at, &mut row);
                    row.packed.sort_unstable();
                    self.finish(at, &mut row);
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
            digits: (u64::BITS - (self.n - 1).leading_zeros()).max(1),
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

    /// Computes the keys of a row.
    fn compute<T: Sortable>(&self, machine: &mut Machine, at: i64, row: &mut Row) {
        row.packed.clear();
        row.keys.clear();
        let outer = &self.env.extents[..row.coords.len()];
        unrank(at, outer, &mut row.coords);
        machine.row(&row.coords);
        let complement = match self.order {
            SortOrder::Ascending => 0,
            SortOrder::Descending => u64::MAX,
        };
        for first in (0..self.n).step_by(self.lanes) {
            let n = (self.n - first).min(self.lanes as i64) as usize;
            machine.block(first, n);
            let column = machine.output(0).cast::<T>();
            // SAFETY: the output is a column of `n` keys, which are of this type, and no other machine writes it.
            let keys = unsafe { std::slice::from_raw_parts(column, n) };
            row.push::<T>(keys, first as u64, complement);
        }
    }

    /// Sorts what packing has made alike, and writes the positions.
    fn finish(&self, at: i64, row: &mut Row) {
        row.sort_alike();
        let mut positions = [0; WRITTEN];
        let mut at = at * self.n;
        for part in row.packed.chunks(WRITTEN) {
            for (to, &packed) in positions.iter_mut().zip(part) {
                *to = row.position(packed) as i32;
            }
            // SAFETY: the output is of `i32` and has the elements of all rows, of which this task has this one.
            unsafe { self.to.store(positions.as_ptr().cast(), at, 1, part.len()) }
            at += part.len() as i64;
        }
    }
}

impl Row {
    fn push<T: Sortable>(&mut self, keys: &[T], first: u64, complement: u64) {
        let digits = self.digits;
        let all = keys.iter().zip(first..);
        let pack = |(&key, at): (&T, u64)| (key.key() ^ complement) >> digits << digits | at;
        self.packed.extend(all.map(pack));
        if T::IS_LONG {
            self.keys
                .extend(keys.iter().map(|key| key.key() ^ complement));
        }
    }

    fn position(&self, packed: u64) -> usize {
        (packed & !(u64::MAX << self.digits)) as usize
    }

    /// Sorts those whose keys have the same first digits by the others.
    fn sort_alike(&mut self) {
        if self.keys.is_empty() {
            return;
        }
        let (digits, mut packed) = (self.digits, std::mem::take(&mut self.packed));
        for alike in packed.chunk_by_mut(|x, y| x >> digits == y >> digits) {
            if alike.len() > 1 {
                for packed in &mut *alike {
                    let at = self.position(*packed);
                    *packed = self.keys[at] << digits | at as u64;
                }
                alike.sort_unstable();
            }
        }
        self.packed = packed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotangent_core::constant::Const;

    /// Positions by keys that are packed.
    fn packed<T: Sortable>(keys: &[T], complement: u64) -> Vec<usize> {
        let mut row = Row {
            digits: (u64::BITS - keys.len().leading_zeros()).max(1),
            ..Row::default()
        };
        let (first, others) = keys.split_at(keys.len() / 2);
        row.push(first, 0, complement);
        row.push(others, first.len() as u64, complement);
        row.packed.sort_unstable();
        row.sort_alike();
        row.packed.iter().map(|&key| row.position(key)).collect()
    }

    #[track_caller]
    fn sorts<T: Sortable + Into<Const>>(keys: &[T]) {
        let consts: Vec<Const> = keys.iter().map(|&key| key.into()).collect();
        assert_eq!(packed(keys, 0), SortOrder::Ascending.positions(&consts));
        let down = packed(keys, u64::MAX);
        assert_eq!(down, SortOrder::Descending.positions(&consts));
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
}
