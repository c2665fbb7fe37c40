//! Rows of entries: reading and replacing them lane by lane.
//!
//! An entry's column has one element a lane, and a line of the cache more than these need: without it, the entries of a lane would
//! be in the same set of the cache wherever the number of lanes is a power of two.
//!
//! Unsafe code: columns are raw memory, of as many elements as there are lanes. A place is clamped to the row before it is read, and
//! compared with its length before it is written.

use super::{Machine, Scratch};
use crate::code::EntryCode;
use crate::lanes;
use cotangent_core::types::ScalarType;

/// The rows of some lanes.
pub(super) struct RowsMemory {
    memory: Scratch,
    of: RowsRef,
}

/// Where they are, for those who read them.
#[derive(Clone, Copy)]
pub(super) struct RowsRef {
    first: *mut u8,
    ty: ScalarType,
    entries: usize,
    /// The distance of neighbouring entries of a lane, in elements.
    stride: usize,
    /// For each lane, the one whose row is its own; null where that is itself.
    owners: *const u32,
}

impl RowsMemory {
    /// Room for rows of so many entries for so many lanes.
    pub fn new(ty: ScalarType, entries: usize, lanes: usize) -> Self {
        let line = 64 / ty.bytes();
        let stride = lanes.next_multiple_of(line) + line;
        let mut memory = Scratch::take(entries * stride * ty.bytes());
        let first = memory.as_mut_ptr();
        Self {
            memory,
            of: RowsRef {
                first,
                ty,
                entries,
                stride,
                owners: std::ptr::null(),
            },
        }
    }

    /// For those who read them while a trip is made.
    pub fn view(&mut self) -> RowsRef {
        self.of.first = self.memory.as_mut_ptr();
        self.of
    }
}

impl RowsRef {
    /// The entries number `k` of all lanes.
    pub fn column(&self, k: usize) -> *mut u8 {
        debug_assert!(k < self.entries);
        let before = k * self.stride * self.ty.bytes();
        self.first.wrapping_add(before)
    }

    /// The last entry that is not beyond a place, or else the first.
    fn nearest(&self, place: i32) -> usize {
        place.clamp(0, self.entries as i32 - 1) as usize
    }

    /// Reads an entry for each lane, at the place that is said of it.
    ///
    /// # Safety
    /// There is room for `n` elements, none of which is in a row.
    unsafe fn read(&self, n: usize, place: impl Fn(usize) -> i32, to: *mut u8) {
        // SAFETY: an integer of as many bytes holds an entry; there is room for `n` of them.
        unsafe {
            match self.ty.bytes() {
                1 => self.read_as::<u8>(n, place, to.cast()),
                2 => self.read_as::<u16>(n, place, to.cast()),
                4 => self.read_as::<u32>(n, place, to.cast()),
                _ => self.read_as::<u64>(n, place, to.cast()),
            }
        }
    }

    unsafe fn read_as<T: Copy>(&self, n: usize, place: impl Fn(usize) -> i32, to: *mut T) {
        let first = self.first.cast::<T>();
        // SAFETY: there is room for an element a lane, and the place is in the row of the owner.
        let read = |lane: usize, owner: usize| unsafe {
            let k = self.nearest(place(lane));
            *to.add(lane) = *first.add(k * self.stride + owner);
        };
        match self.owners(n) {
            None => (0..n).for_each(|lane| read(lane, lane)),
            Some(owners) => (0..n).for_each(|lane| read(lane, owners[lane] as usize)),
        }
    }

    /// The owners of the rows of so many lanes, where they are not the lanes themselves.
    fn owners(&self, n: usize) -> Option<&[u32]> {
        // SAFETY: who said whose the rows are has a number for each lane.
        (!self.owners.is_null()).then(|| unsafe { std::slice::from_raw_parts(self.owners, n) })
    }

    /// The owners of the rows of some of these lanes.
    pub fn owners_of(&self, lanes: &[u32]) -> Vec<u32> {
        let most = lanes.iter().max().map_or(0, |&most| most as usize + 1);
        match self.owners(most) {
            None => lanes.to_vec(),
            Some(owners) => lanes.iter().map(|&lane| owners[lane as usize]).collect(),
        }
    }

    /// The same rows, for the lanes whose rows have such owners.
    ///
    /// # Safety
    /// The owners are lanes of these rows, as many as lanes read or replace entries, and stay where they are.
    pub unsafe fn of_owners(&self, owners: &[u32]) -> Self {
        Self {
            owners: owners.as_ptr(),
            ..*self
        }
    }

    /// The entries number `k` of all lanes, if they are a column.
    fn common_column(&self, k: usize) -> Option<*mut u8> {
        self.owners.is_null().then(|| self.column(k))
    }

    /// Replaces the entry at one place in the rows of all lanes, if there is one.
    ///
    /// # Safety
    /// There are `n` values, none of which is in the column of that entry.
    pub unsafe fn replace_alike(&self, n: usize, place: i32, values: *const u8) {
        let Some(k) = usize::try_from(place).ok().filter(|&k| k < self.entries) else {
            return;
        };
        match self.common_column(k) {
            // SAFETY: the column has an element for each lane, and is apart from the values.
            Some(column) => unsafe { lanes::copy(self.ty, n, values, column) },
            // SAFETY: the caller has `n` values of the type of the entries.
            None => unsafe { self.replace(n, |_| place, values) },
        }
    }

    /// Replaces an entry in the row of each lane, where there is one at the place that is said of it.
    ///
    /// # Safety
    /// There are `n` values.
    pub unsafe fn replace(&self, n: usize, place: impl Fn(usize) -> i32, values: *const u8) {
        // SAFETY: an integer of as many bytes holds a value; there are `n` of them.
        unsafe {
            match self.ty.bytes() {
                1 => self.replace_as::<u8>(n, place, values.cast()),
                2 => self.replace_as::<u16>(n, place, values.cast()),
                4 => self.replace_as::<u32>(n, place, values.cast()),
                _ => self.replace_as::<u64>(n, place, values.cast()),
            }
        }
    }

    unsafe fn replace_as<T: Copy>(&self, n: usize, place: impl Fn(usize) -> i32, values: *const T) {
        let first = self.first.cast::<T>();
        // SAFETY: there are as many values as lanes; an entry is written where there is one.
        let replace = |lane: usize, owner: usize| unsafe {
            let place = place(lane);
            if (place as u32 as usize) < self.entries {
                *first.add(place as usize * self.stride + owner) = *values.add(lane);
            }
        };
        match self.owners(n) {
            None => (0..n).for_each(|lane| replace(lane, lane)),
            Some(owners) => (0..n).for_each(|lane| replace(lane, owners[lane] as usize)),
        }
    }
}

impl Machine<'_> {
    /// Has the code read entries of these rows.
    ///
    /// # Safety
    /// They have as many lanes as the blocks that follow, and stay as they are while one is computed.
    pub(super) unsafe fn set_rows(&mut self, rows: Vec<RowsRef>) {
        self.rows = rows;
    }

    /// Reads an entry for each of `n` lanes.
    pub(super) fn entry(&mut self, of: &EntryCode, n: usize) {
        let rows = self.rows[of.rows as usize];
        let (at, dst) = (self.at[of.at as usize].cast::<i32>(), of.dst as usize);
        let to = self.home[dst];
        if of.at_is_column {
            // SAFETY: the places are a column of `n`; a register has room for `n` elements, and is in no row.
            unsafe { rows.read(n, |lane| *at.add(lane), to) }
            self.at[dst] = to;
            return;
        }
        // SAFETY: the place is a number that is known by now.
        let place = unsafe { *at };
        match (rows.common_column(rows.nearest(place)), of.is_copied) {
            (Some(column), false) => return self.at[dst] = column,
            // SAFETY: the column has `n` elements, a register has room for them, and is in no row.
            (Some(column), true) => unsafe { lanes::copy(rows.ty, n, column, to) },
            // SAFETY: a register has room for `n` elements, and is in no row.
            (None, _) => unsafe { rows.read(n, |_| place, to) },
        }
        self.at[dst] = to;
    }
}
