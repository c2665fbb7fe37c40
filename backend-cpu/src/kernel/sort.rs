//! Sorts: the keys of a row, packed with their positions into integers, which the standard library sorts.
//!
//! A key becomes an unsigned integer that is in the same order, complemented where the greatest comes first, and its position the digits
//! below. So no two are alike, and a sort that need not be stable gives what a stable one does. Rows are shared out among threads; where
//! there are fewer of them, all threads sort one row after the other.
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
use std::ops::Not;

/// The positions that are written together.
const WRITTEN: usize = 1024;
/// From so many elements on all threads sort a row, where there are more of them than rows.
const SHARED_ROW: i64 = 1 << 14;
/// The other columns of a block.
const OWN_COLUMNS: usize = 1;

/// A key and its position, in the order of both.
trait Packed: Copy + Ord + Send {
    /// A key, in its order.
    type Key: Not<Output = Self::Key>;
    fn new(key: Self::Key, position: u32) -> Self;
    fn position(self) -> u32;
}

impl Packed for u64 {
    type Key = u32;

    fn new(key: u32, position: u32) -> Self {
        Self::from(key) << 32 | Self::from(position)
    }

    fn position(self) -> u32 {
        self as u32
    }
}

impl Packed for u128 {
    type Key = u64;

    fn new(key: u64, position: u32) -> Self {
        Self::from(key) << 32 | Self::from(position)
    }

    fn position(self) -> u32 {
        self as u32
    }
}

/// What arrays are sorted by.
trait Sortable: Copy {
    type Packed: Packed;

    /// The integer in its place: of equal numbers the same, of NaN the greatest.
    fn key(self) -> <Self::Packed as Packed>::Key;
}

impl Sortable for bool {
    type Packed = u64;

    fn key(self) -> u32 {
        self.into()
    }
}

impl Sortable for u32 {
    type Packed = u64;

    fn key(self) -> u32 {
        self
    }
}

impl Sortable for i32 {
    type Packed = u64;

    fn key(self) -> u32 {
        self as u32 ^ 1 << 31
    }
}

impl Sortable for i64 {
    type Packed = u128;

    fn key(self) -> u64 {
        self as u64 ^ 1 << 63
    }
}

impl Sortable for f16 {
    type Packed = u64;

    fn key(self) -> u32 {
        (self.to_f64() as f32).key()
    }
}

impl Sortable for f32 {
    type Packed = u64;

    fn key(self) -> u32 {
        if self.is_nan() {
            return u32::MAX;
        }
        let bits = if self == 0.0 { 0 } else { self.to_bits() };
        bits ^ ((bits as i32 >> 31) as u32 | 1 << 31)
    }
}

impl Sortable for f64 {
    type Packed = u128;

    fn key(self) -> u64 {
        if self.is_nan() {
            return u64::MAX;
        }
        let bits = if self == 0.0 { 0 } else { self.to_bits() };
        bits ^ ((bits as i64 >> 63) as u64 | 1 << 63)
    }
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
            ScalarType::I32 => sort.rows::<i32>(launch),
            ScalarType::I64 => sort.rows::<i64>(launch),
            ScalarType::U32 => sort.rows::<u32>(launch),
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
            let mut packed = self.room::<T::Packed>()?;
            let mut machine = self.machine();
            for row in 0..rows {
                self.pack::<T>(&mut machine, row, &mut packed);
                packed.par_sort_unstable();
                self.write(row, &packed);
            }
            team.passes.alone();
            return Ok(());
        }
        // Of the memory that threads ask for one after the other.
        let room = std::sync::Mutex::new(Ok(()));
        let log = u64::BITS - self.n.unsigned_abs().leading_zeros();
        let work = self.n as usize * (work(self.code) + 4 * log as usize);
        share(team, rows, work, |claims| {
            let mut packed = match self.room::<T::Packed>() {
                Ok(packed) => packed,
                Err(error) => {
                    *room
                        .lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner) = Err(error);
                    return;
                }
            };
            let mut machine = self.machine();
            for row in claims.flatten() {
                self.pack::<T>(&mut machine, row, &mut packed);
                packed.sort_unstable();
                self.write(row, &packed);
            }
        });
        room.into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn machine(&self) -> Machine<'_> {
        Machine::new(self.code, self.env, self.lanes)
    }

    /// Room for the keys of a row.
    fn room<P>(&self) -> Result<Vec<P>, RunError> {
        let mut packed = vec![];
        let n = self.n as usize;
        let bytes = n.saturating_mul(size_of::<P>());
        let is_there = has_room(bytes) && packed.try_reserve_exact(n).is_ok();
        is_there.then_some(packed).ok_or(RunError::OutOfHostMemory {
            what: "the keys of a sort",
            bytes: bytes as u64,
        })
    }

    /// Computes the keys of a row.
    fn pack<T: Sortable>(&self, machine: &mut Machine, row: i64, packed: &mut Vec<T::Packed>) {
        packed.clear();
        let extents = self.env.extents;
        let mut outer = vec![0; extents.len() - 1];
        unrank(row, &extents[..outer.len()], &mut outer);
        machine.row(&outer);
        for first in (0..self.n).step_by(self.lanes) {
            let n = (self.n - first).min(self.lanes as i64) as usize;
            machine.block(first, n);
            let column = machine.output(0).cast::<T>();
            // SAFETY: the output is a column of `n` keys, which are of this type, and no other machine writes it.
            let keys = unsafe { std::slice::from_raw_parts(column, n) };
            let positions = first as u32..;
            match self.order {
                SortOrder::Ascending => {
                    let all = keys.iter().zip(positions);
                    packed.extend(all.map(|(key, at)| T::Packed::new(key.key(), at)));
                }
                SortOrder::Descending => {
                    let all = keys.iter().zip(positions);
                    packed.extend(all.map(|(key, at)| T::Packed::new(!key.key(), at)));
                }
            }
        }
    }

    /// Writes the positions of a row.
    fn write<P: Packed>(&self, row: i64, packed: &[P]) {
        let mut positions = [0; WRITTEN];
        let mut at = row * self.n;
        for part in packed.chunks(WRITTEN) {
            for (to, key) in positions.iter_mut().zip(part) {
                *to = key.position() as i32;
            }
            // SAFETY: the output is of `i32` and has the elements of all rows, of which this task has this one.
            unsafe { self.to.store(positions.as_ptr().cast(), at, 1, part.len()) }
            at += part.len() as i64;
        }
    }
}
