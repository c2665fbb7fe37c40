//! Memory of arrays: allocation that can fail, reuse between runs, and access for kernels that write.
//!
//! Unsafe code: elements are written through raw pointers, because the tasks of a kernel write to
//! disjoint parts of the same arrays.

use crate::lanes;
use crate::machine::{read_const, write_const};
use bytemuck::allocation::try_zeroed_vec;
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::host::{Buffer, Column, Home, has_room};
use cotangent_core::rounding::f16;
use cotangent_core::types::ScalarType;
use cotangent_core::with_column;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Arrays of fewer bytes are not worth keeping from run to run.
pub(crate) const KEEP_FROM: usize = 4096;
/// The most arrays kept.
const KEEP_COUNT: usize = 64;
/// The bytes of a line of the cache.
const LINE: usize = 64;
/// More bytes are not in the second cache together.
const ALIGNED_UP_TO: usize = 4 << 20;
/// For how many runs an array is kept that none of them uses: programs may run on other extents each time.
const KEEP_RUNS: u64 = 2;

/// Where elements lie in their allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// They are the whole of it, and may become a vector of the caller's.
    Whole,
    /// They begin with a line of the cache: vectors that lie across two of them take twice as long.
    Aligned,
}

impl Placement {
    /// For arrays that kernels alone read. What the caches do not hold is not read faster for being aligned, and large
    /// results may well use its memory.
    pub fn for_kernels(ty: ScalarType, len: usize) -> Self {
        match len.saturating_mul(ty.bytes()) <= ALIGNED_UP_TO {
            true => Self::Aligned,
            false => Self::Whole,
        }
    }

    /// Whether the elements of a column lie like that.
    pub fn is_of(self, column: &Column) -> bool {
        with_column!(column, v => match self {
            Self::Aligned => v.as_ptr().align_offset(LINE) == 0,
            Self::Whole => v.is_whole(),
        })
    }
}

/// Memory that no array uses at the moment, for arrays of exactly the same size.
///
/// A program that runs again on the same extents finds all its memory here: that of its intermediate arrays,
/// which come back during the run, and that of results that the caller has dropped since.
#[derive(Debug, Default)]
pub(crate) struct Pool(Mutex<Kept>);

/// What a pool holds.
#[derive(Debug, Default)]
struct Kept {
    /// The arrays, each with the run in which it came back.
    columns: Vec<(u64, Column)>,
    /// The number of runs so far.
    runs: u64,
}

impl Pool {
    /// Memory for `len` elements, with unspecified contents, which comes back when it is dropped; `None` where
    /// there is none to be had.
    pub fn take(
        self: &Arc<Self>,
        ty: ScalarType,
        len: usize,
        placement: Placement,
    ) -> Option<Column> {
        let new = || match placement {
            Placement::Whole => zeroed(ty, len),
            Placement::Aligned => aligned(ty, len),
        };
        let mut column = self.kept(ty, len, placement).or_else(new)?;
        let home: Weak<Self> = Arc::downgrade(self);
        column.set_home(&(home as Weak<dyn Home>));
        Some(column)
    }

    /// Lets go what no recent run used.
    pub fn begin_run(&self) {
        let mut kept = self.lock();
        kept.runs += 1;
        let runs = kept.runs;
        let columns = std::mem::take(&mut kept.columns).into_iter();
        let (recent, old) = columns.partition(|(run, _)| run + KEEP_RUNS >= runs);
        kept.columns = recent;
        // Freeing large arrays takes time, which others need not wait for.
        drop(kept);
        drop::<Vec<_>>(old);
    }

    fn kept(&self, ty: ScalarType, len: usize, placement: Placement) -> Option<Column> {
        let columns = &mut self.lock().columns;
        let fits =
            |(_, c): &(u64, Column)| c.scalar_type() == ty && c.len() == len && placement.is_of(c);
        let found = columns.iter().rposition(fits)?;
        Some(columns.remove(found).1)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of arrays that nobody uses.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.lock().columns.len()
    }
}

impl Home for Pool {
    fn take_back(&self, column: Column) {
        if column.len() * column.scalar_type().bytes() < KEEP_FROM {
            return;
        }
        let mut kept = self.lock();
        let is_full = kept.columns.len() == KEEP_COUNT;
        let oldest = is_full.then(|| kept.columns.remove(0));
        let run = kept.runs;
        kept.columns.push((run, column));
        drop(kept);
        drop(oldest);
    }
}

/// How many bytes of arrays a run holds, and the most so far.
#[derive(Debug, Default)]
pub(crate) struct Held {
    now: AtomicU64,
    peak: AtomicU64,
}

impl Held {
    /// An array came into being.
    pub fn take(&self, bytes: u64) {
        let now = self.now.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(now, Ordering::Relaxed);
    }

    /// An array is held once more for a moment: who held it before gives it up next, or it will be copied.
    pub fn take_over(&self, bytes: u64) {
        self.now.fetch_add(bytes, Ordering::Relaxed);
    }

    /// An array is gone.
    pub fn give(&self, bytes: u64) {
        self.now.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// The most bytes held at a time.
    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }
}

/// The size of a column.
pub(crate) fn bytes_of(column: &Column) -> u64 {
    column.len() as u64 * column.scalar_type().bytes() as u64
}

/// Zeros; `None` where there is no memory for them.
pub(crate) fn zeroed(ty: ScalarType, len: usize) -> Option<Column> {
    if !has_room(len.checked_mul(ty.bytes())?) {
        return None;
    }
    Some(match ty {
        ScalarType::Bool => Column::from(try_zeroed_vec::<bool>(len).ok()?),
        ScalarType::I8 => Column::from(try_zeroed_vec::<i8>(len).ok()?),
        ScalarType::I16 => Column::from(try_zeroed_vec::<i16>(len).ok()?),
        ScalarType::I32 => Column::from(try_zeroed_vec::<i32>(len).ok()?),
        ScalarType::I64 => Column::from(try_zeroed_vec::<i64>(len).ok()?),
        ScalarType::U8 => Column::from(try_zeroed_vec::<u8>(len).ok()?),
        ScalarType::U16 => Column::from(try_zeroed_vec::<u16>(len).ok()?),
        ScalarType::U32 => Column::from(try_zeroed_vec::<u32>(len).ok()?),
        ScalarType::U64 => Column::from(try_zeroed_vec::<u64>(len).ok()?),
        ScalarType::F16 => Column::from(try_zeroed_vec::<f16>(len).ok()?),
        ScalarType::F32 => Column::from(try_zeroed_vec::<f32>(len).ok()?),
        ScalarType::F64 => Column::from(try_zeroed_vec::<f64>(len).ok()?),
    })
}

/// Zeros that begin with a line of the cache; `None` where there is no memory for them.
fn aligned(ty: ScalarType, len: usize) -> Option<Column> {
    if !has_room(len.checked_mul(ty.bytes())?) {
        return None;
    }
    Some(match ty {
        ScalarType::Bool => Column::from(aligned_buffer::<bool>(len)?),
        ScalarType::I8 => Column::from(aligned_buffer::<i8>(len)?),
        ScalarType::I16 => Column::from(aligned_buffer::<i16>(len)?),
        ScalarType::I32 => Column::from(aligned_buffer::<i32>(len)?),
        ScalarType::I64 => Column::from(aligned_buffer::<i64>(len)?),
        ScalarType::U8 => Column::from(aligned_buffer::<u8>(len)?),
        ScalarType::U16 => Column::from(aligned_buffer::<u16>(len)?),
        ScalarType::U32 => Column::from(aligned_buffer::<u32>(len)?),
        ScalarType::U64 => Column::from(aligned_buffer::<u64>(len)?),
        ScalarType::F16 => Column::from(aligned_buffer::<f16>(len)?),
        ScalarType::F32 => Column::from(aligned_buffer::<f32>(len)?),
        ScalarType::F64 => Column::from(aligned_buffer::<f64>(len)?),
    })
}

/// The same of one type.
fn aligned_buffer<T: bytemuck::Zeroable>(len: usize) -> Option<Buffer<T>>
where
    Column: From<Buffer<T>>,
{
    let per_line = LINE / size_of::<T>();
    let mut values = try_zeroed_vec::<T>(len.checked_add(per_line)?).ok()?;
    let start = values.as_ptr().align_offset(LINE).min(per_line);
    values.truncate(start + len);
    Some(Buffer::starting_at(values, start))
}

/// The first element, for reading.
pub(crate) fn data(column: &Column) -> *const u8 {
    with_column!(column, v => v.as_ptr().cast())
}

/// Whether nobody else uses the memory.
pub(crate) fn is_alone(column: &mut Column) -> bool {
    with_column!(column, v => Arc::get_mut(v).is_some())
}

/// The first element, for writing; where the memory is shared, of a copy. `None` where there is no memory
/// for that copy.
pub(crate) fn data_mut(column: &mut Column) -> Option<*mut u8> {
    if let Some(data) = own_data(column) {
        return Some(data);
    }
    *column = copied(column)?;
    own_data(column)
}

/// The same, unless the memory is shared.
fn own_data(column: &mut Column) -> Option<*mut u8> {
    with_column!(column, v => Arc::get_mut(v).map(|v| v.as_mut_ptr().cast()))
}

fn copied(column: &Column) -> Option<Column> {
    let mut copy = zeroed(column.scalar_type(), column.len())?;
    macro_rules! copy {
        ($from:expr, $($variant:ident)*) => {
            match $from {
                $(Column::$variant(from) => {
                    let Column::$variant(to) = &mut copy else {
                        return None;
                    };
                    Arc::get_mut(to)?.copy_from_slice(from);
                })*
            }
        };
    }
    copy!(column, Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64);
    Some(copy)
}

/// Memory that a kernel makes for itself, zeros at first.
pub(crate) struct Own {
    /// All of it, for as long as this lives.
    pub out: OutRef,
    _column: Column,
}

impl Own {
    /// Memory for so many elements; `what` they are, for the error.
    ///
    /// # Errors
    /// Where there is no such memory.
    pub fn zeroed(ty: ScalarType, len: i64, what: &'static str) -> Result<Self, RunError> {
        let out_of_memory = || RunError::OutOfHostMemory {
            what,
            bytes: (len as u64).saturating_mul(ty.bytes() as u64),
        };
        let mut column = zeroed(ty, len as usize).ok_or_else(out_of_memory)?;
        let data = data_mut(&mut column).ok_or_else(out_of_memory)?;
        // SAFETY: the column has `len` elements without gaps, and is kept with the reference.
        let out = unsafe { OutRef::new(data, ty, 1, len) };
        let _column = column;
        Ok(Self { out, _column })
    }
}

/// An array that the running kernel writes, or a part of memory seen as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutRef {
    data: *mut u8,
    ty: ScalarType,
    stride: i64,
    len: i64,
}

// SAFETY: the methods that write ask the caller to keep tasks apart.
unsafe impl Send for OutRef {}
// SAFETY: a shared reference allows to write by unsafe methods only, and these ask the caller to keep tasks apart.
unsafe impl Sync for OutRef {}

impl OutRef {
    /// `len` elements, `stride` apart, the first at `data`.
    ///
    /// # Safety
    /// They are valid for reading and writing as long as the result is used.
    pub unsafe fn new(data: *mut u8, ty: ScalarType, stride: i64, len: i64) -> Self {
        Self {
            data,
            ty,
            stride,
            len,
        }
    }

    /// `len` elements from `first` on.
    ///
    /// # Safety
    /// They are inside, and valid as long as the result is used.
    pub unsafe fn part(&self, first: i64, len: i64) -> Self {
        let data = match len {
            0 => self.data,
            _ => self.at(first),
        };
        Self { data, len, ..*self }
    }

    /// The type of the elements.
    pub fn ty(&self) -> ScalarType {
        self.ty
    }

    /// The number of elements.
    pub fn len(&self) -> i64 {
        self.len
    }

    /// The size of the elements.
    pub fn bytes(&self) -> usize {
        self.len as usize * self.ty.bytes()
    }

    /// The distance of neighbours, in elements.
    pub fn stride(&self) -> i64 {
        self.stride
    }

    fn at(&self, position: i64) -> *mut u8 {
        debug_assert!((0..self.len.max(1)).contains(&position));
        let offset = position * self.stride * self.ty.bytes() as i64;
        self.data.wrapping_offset(offset as isize)
    }

    /// The address of an element, if its neighbours at distance `lane` are neighbours in memory.
    pub fn direct(&self, position: i64, lane: i64) -> Option<*mut u8> {
        (self.stride * lane == 1).then(|| self.at(position))
    }

    /// The address of an element, and the distance in memory of elements `lane` apart.
    pub fn lanes_from(&self, position: i64, lane: i64) -> (*mut u8, isize) {
        (self.at(position), (self.stride * lane) as isize)
    }

    /// Stores `n` elements at `position + i · lane`.
    ///
    /// # Safety
    /// The positions are below `len`, no other task touches them, and `from` holds `n` elements.
    pub unsafe fn store(&self, from: *const u8, position: i64, lane: i64, n: usize) {
        let (to, stride) = self.lanes_from(position, lane);
        // SAFETY: `n` elements from `position` on, at that stride, are inside and no other task touches them;
        // `from` holds as many, which are either those or apart.
        unsafe {
            match stride {
                1 if from == to.cast_const() => {}
                1 => lanes::copy(self.ty, n, from, to),
                _ => lanes::strided_store(self.ty, n, from, to, stride),
            }
        }
    }

    /// Reads `n` elements from `position` on.
    ///
    /// # Safety
    /// The positions are below `len`, no task writes them, and `to` has room for `n` elements.
    pub unsafe fn load(&self, position: i64, to: *mut u8, n: usize) {
        // SAFETY: `n` elements from `position` on are inside and nobody writes them; `to` has room for as many,
        // apart from the array.
        unsafe {
            match self.stride {
                1 => lanes::copy(self.ty, n, self.at(position), to),
                stride => lanes::strided_load(self.ty, n, self.at(position), stride as isize, to),
            }
        }
    }

    /// Stores one element.
    ///
    /// # Safety
    /// The position is below `len`, and no other task touches it.
    pub unsafe fn set(&self, position: i64, value: Const) {
        // SAFETY: the position is inside, and no other task touches its element, which has the type of `value`.
        unsafe { write_const(self.at(position), value) }
    }

    /// Reads one element.
    ///
    /// # Safety
    /// The position is below `len`, and no other task writes it.
    pub unsafe fn get(&self, position: i64) -> Const {
        // SAFETY: the position is inside, and no other task writes its element, which has type `ty`.
        unsafe { read_const(self.at(position), self.ty) }
    }

    /// The address of an element.
    pub fn element<T>(&self, position: i64) -> *mut T {
        self.at(position).cast()
    }

    /// The first elements, of memory without gaps.
    ///
    /// # Safety
    /// The stride is 1, there are `n` elements of type `T`, and nobody writes them meanwhile.
    pub unsafe fn slice<T>(&self, n: i64) -> &[T] {
        // SAFETY: there are `n` elements of type `T` side by side, as the stride is 1, which nobody writes while
        // they are referred to.
        unsafe { std::slice::from_raw_parts(self.data.cast(), n as usize) }
    }
}
