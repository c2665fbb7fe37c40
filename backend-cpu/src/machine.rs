//! A machine runs the bytecode of one body, block by block, within one task.
//!
//! Protocol: [`Machine::new`] computes what never changes; [`Machine::row`] moves to a row;
//! [`Machine::block`] computes a range of its lanes (less what was kept from another row), and [`Machine::step`] the same lanes at one step. Then
//! [`Machine::output`] is the column of an output, until the next block or step.
//!
//! Unsafe code: registers are raw memory, and operands are pointers to registers, scalars or the
//! program's arrays. What makes it sound: every slot points to at least `lanes` elements (or one, for
//! scalars) from [`Machine::new`] on; a register is shared only by columns that never live together
//! (`code/registers.rs`); arrays are read inside their bounds only (`load.rs`).

mod ahead;
mod bent;
mod checked;
mod clamped;
pub(crate) mod coords;
mod entries;
pub(crate) mod failure;
mod inside;
mod kept;
mod limits;
mod lists;
mod load;
mod looping;
mod runs;
mod scratch;
mod travel;

pub(crate) use ahead::{LINE, hint};
pub(crate) use load::ArrayRef;
pub(crate) use scratch::Scratch;

use crate::code::{Code, Instr, Level, Plan, Row, Slot};
use crate::lanes::{self, MAX_ROW};
use crate::memory::OutRef;
use crate::native::Functions;
use cotangent_core::constant::Const;
use cotangent_core::types::ScalarType;
use failure::{Failure, FailureCell};
use lists::Lists;
use load::Access;
use std::ops::Range;

/// How many lanes of a row are stored before the next part of them: so many that they stay in the first cache.
const ROW_LANES: usize = 64;

/// The bytes of an array whose lines are brought to the cache before they are written: such a one is not there already.
const LEAST_AHEAD: usize = 2 << 20;

/// What a machine needs to know about the launch.
pub(crate) struct Env<'a> {
    /// The symbols' values.
    pub symbols: &'a [Const],
    /// The arrays that the code reads, in its order.
    pub arrays: Vec<ArrayRef>,
    /// The extents of all coordinates; for an operator, which has none, those of what it combines.
    pub extents: &'a [i64],
    /// Where failures go.
    pub failure: &'a FailureCell,
}

/// Where the column of an output is stored.
#[derive(Clone, Copy)]
struct Target {
    out: OutRef,
    position: i64,
    lane: i64,
}

/// The state of a running body.
pub(crate) struct Machine<'a> {
    code: &'a Code,
    /// What it goes through.
    plan: &'a Plan,
    /// The functions that the plan calls.
    functions: Option<&'a Functions>,
    /// Where the scalars are.
    scalars: *mut u8,
    env: &'a Env<'a>,
    lanes: usize,
    /// Where each slot is written: its scalar or register, or an array of the program.
    home: Vec<*mut u8>,
    /// Where each slot is read: mostly at home.
    at: Vec<*const u8>,
    access: Vec<Access>,
    /// The coordinates; those of the lane are 0.
    coords: Vec<i64>,
    /// The position of the block's first lane in its row.
    start: i64,
    /// The lanes of the row that are inside.
    row_inside: Range<i64>,
    /// Whether the loads of blocks that are not inside are prepared for the row.
    is_outside_set_up: bool,
    /// What is kept of blocks.
    kept: kept::Kept,
    offsets: Vec<i64>,
    /// For each load, the load in whose place its index is remembered; empty until an index is.
    shared: Vec<usize>,
    /// Indices that were computed lane by lane, and the run of the code they are from; empty until one is.
    remembered: Vec<checked::Remembered>,
    /// The number of runs of code so far.
    runs: u64,
    /// The rows of the loop whose trips this makes.
    rows: Vec<entries::RowsRef>,
    /// Where the outputs of the block are stored.
    targets: Vec<Option<Target>>,
    /// What the block is going to write.
    ahead: ahead::Ahead,
    /// The columns of the block that lie in arrays but for some lanes at an end.
    bent: Vec<bent::Bent>,
    /// Keeps the memory of scalars and registers.
    _memory: Scratch,
}

impl<'a> Machine<'a> {
    /// A machine for blocks of up to `lanes` lanes, at the first row.
    pub fn new(code: &'a Code, env: &'a Env<'a>, lanes: usize) -> Self {
        Self::keeping(code, env, lanes, 1)
    }

    /// The same, which remembers what is kept from row to row of so many blocks, the first ones of a row.
    pub fn keeping(code: &'a Code, env: &'a Env<'a>, lanes: usize, blocks: usize) -> Self {
        let register_bytes = (lanes * 8).next_multiple_of(64);
        let scalar_bytes = (code.slots * 8).next_multiple_of(64);
        let points = coords::product(env.extents).unwrap_or(i64::MAX) as u64;
        let work = points.max(lanes as u64).saturating_mul(code.len() as u64);
        let (plan, functions) = code.running(work);
        let mut memory = Scratch::take(scalar_bytes + plan.register_count * register_bytes);
        let base = memory.as_mut_ptr();
        let home = |slot: usize| match plan.registers[slot] {
            // SAFETY: the memory has room for all scalars, then all registers.
            Some(r) => unsafe { base.add(scalar_bytes + r as usize * register_bytes) },
            // SAFETY: `slot` is below the number of slots, for each of which the memory begins with 8 bytes.
            None => unsafe { base.add(slot * 8) },
        };
        let mut lists = Lists::new();
        lists.home.extend((0..code.slots).map(home));
        lists.at.extend(lists.home.iter().map(|p| p.cast_const()));
        lists.access.resize(code.loads.len(), Access::default());
        lists.access.iter_mut().for_each(Access::forget);
        lists.coords.resize(code.nest.coords, 0);
        let mut machine = Self {
            code,
            plan,
            functions,
            scalars: base,
            env,
            lanes,
            at: lists.at,
            home: lists.home,
            access: lists.access,
            coords: lists.coords,
            start: 0,
            row_inside: 0..0,
            is_outside_set_up: false,
            kept: kept::Kept::new(plan, register_bytes, blocks),
            offsets: lists.offsets,
            shared: lists.shared,
            remembered: lists.remembered,
            runs: 0,
            rows: vec![],
            ahead: ahead::Ahead::nothing(),
            targets: lists.targets,
            bent: lists.bent,
            _memory: memory,
        };
        machine.launch();
        machine
    }

    fn launch(&mut self) {
        for &(slot, value) in &self.code.consts {
            self.write_scalar(slot, value);
        }
        for &(slot, symbol) in &self.code.symbols {
            self.write_scalar(slot, self.env.symbols[symbol.index()]);
        }
        for c in 0..self.coords.len() {
            self.set_coord(c, 0);
        }
        self.run(Level::Launch, 1);
        self.fix();
    }

    /// Moves to the row of the given coordinates, one per coordinate that is neither lane nor step.
    pub fn row(&mut self, coords: &[i64]) {
        let code = self.code;
        for (c, &value) in code.nest.rows().zip(coords) {
            if self.coords[c] != value && code.nest.moving >> c & 1 == 0 {
                self.kept.forget();
            }
            self.set_coord(c, value);
        }
        self.first_step();
        self.start = 0;
        self.run(Level::Row, 1);
        self.set_up_rows();
        self.row_inside = self.lanes_inside();
    }

    /// Computes the lanes `start .. start + n` of the row, all that does not depend on the step.
    pub fn block(&mut self, start: i64, n: usize) {
        debug_assert!(n <= self.lanes);
        self.start = start;
        self.first_step();
        self.look_ahead(n);
        self.keep(n);
        self.bent.clear();
        self.run(Level::Block, n);
    }

    /// Notes what a block of `n` lanes is going to write: rows, or lanes of an array that fits no near cache.
    fn look_ahead(&mut self, n: usize) {
        // Functions ask for themselves.
        if self.functions.is_none()
            && let Some(Some(target)) = self.targets.first()
            && let Some(to) = target.out.direct(target.position, target.lane)
            && target.out.bytes() >= LEAST_AHEAD
        {
            let bytes = n * target.out.ty().bytes();
            self.ahead = ahead::Ahead::new(to, bytes, self.code.shortest_block());
        }
        let row = self.code.rows.first();
        let target = row.and_then(|row| *self.targets.get(row.first as usize)?);
        if let (
            Some(row),
            Some(Target {
                out,
                position,
                lane,
            }),
        ) = (row, target)
        {
            let (to, stride) = out.lanes_from(position, lane);
            let bytes = n.saturating_mul(stride.unsigned_abs() * row.bytes);
            let instrs = self.code.shortest_block();
            self.ahead = ahead::Ahead::new(to, bytes, instrs);
        }
    }

    /// Goes to a step, given by one coordinate per dimension, without computing anything.
    pub fn set_step(&mut self, coords: &[i64]) {
        let first = self.code.nest.seq.start;
        for (i, &value) in coords.iter().enumerate() {
            self.set_coord(first + i, value);
        }
    }

    /// Computes the rest of the same `n` lanes at a step, given by one coordinate per dimension of the step.
    pub fn step(&mut self, coords: &[i64], n: usize) {
        self.set_step(coords);
        self.run(Level::StepScalar, 1);
        self.run(Level::Step, n);
    }

    fn first_step(&mut self) {
        for c in self.code.nest.seq.clone() {
            self.set_coord(c, 0);
        }
    }

    /// The column of an output, by its position in the request.
    pub fn output(&self, i: usize) -> *const u8 {
        self.at[self.code.outputs[i] as usize]
    }

    /// Lets an output be written to `to`, where there is room for the next block. Returns whether the column
    /// will be there: a column that lies in an array already is not copied.
    ///
    /// # Safety
    /// `to` is valid for writing the lanes of the next block and overlaps nothing that the code reads.
    pub unsafe fn redirect(&mut self, i: usize, to: *mut u8) {
        let again = self.code.outputs_again.get(i);
        for slot in [self.code.outputs[i]].iter().chain(again) {
            self.home[*slot as usize] = to;
            self.at[*slot as usize] = to;
        }
    }

    /// Says where the next block of an output is to be stored: at `position`, neighbours `lane` apart.
    ///
    /// # Safety
    /// There is room for the block, no other task touches it, and nobody reads it while the machine runs.
    pub unsafe fn store_to(&mut self, i: usize, out: OutRef, position: i64, lane: i64) {
        if self.targets.len() <= i {
            self.targets.resize(i + 1, None);
        }
        if let Some(to) = out.direct(position, lane) {
            // SAFETY: `to` has room for the block, which no other task touches and nobody reads meanwhile: what a
            // redirected output needs.
            unsafe { self.redirect(i, to) }
        }
        self.targets[i] = Some(Target {
            out,
            position,
            lane,
        });
    }

    /// Gives an operator its argument number `n`.
    ///
    /// # Safety
    /// `from` is valid for reading the lanes of the next blocks.
    pub unsafe fn set_argument(&mut self, n: u32, from: *const u8) {
        for &(arg, slot) in &self.code.args {
            if arg == n {
                self.at[slot as usize] = from;
            }
        }
    }

    /// Gives an operator all its arguments.
    ///
    /// # Safety
    /// As for [`set_argument`](Self::set_argument), of each.
    pub unsafe fn set_arguments(&mut self, from: &[*const u8]) {
        for &(arg, slot) in &self.code.args {
            self.at[slot as usize] = from[arg as usize];
        }
    }

    /// Whether the run is to end, so that nobody wants the rest.
    pub fn is_cancelled(&self) -> bool {
        self.env.failure.is_cancelled()
    }

    /// Takes note of a failure.
    pub fn offer(&self, failure: Failure) {
        self.env.failure.offer(failure);
    }

    fn write_scalar(&mut self, slot: Slot, value: Const) {
        // SAFETY: a scalar's home has 8 bytes.
        unsafe { write_const(self.home[slot as usize], value) }
    }

    fn set_coord(&mut self, coord: usize, value: i64) {
        self.coords[coord] = value;
        let code = self.code;
        for &(c, slot) in &code.coords {
            if c as usize == coord {
                self.write_scalar(slot, Const::I32(value as i32));
            }
        }
    }

    fn run(&mut self, level: Level, n: usize) {
        let code = self.code;
        // The columns that indices come from are about to change.
        self.runs += 1;
        let mut instrs = self.plan.segments[level as usize].as_slice();
        while let Some((instr, rest)) = instrs.split_first() {
            instrs = rest;
            self.ahead.ask();
            match *instr {
                Instr::Op { f, dst, args, .. } => {
                    let [a, b, c] = args.map(|slot| self.at[slot as usize]);
                    // SAFETY: operands hold `n` elements, or one where `f` takes one, of the types the
                    // code was checked for; the destination is a register of its own.
                    unsafe { f(n, self.home[dst as usize], a, b, c) }
                }
                Instr::Chain { f, dst, args, .. } => {
                    let [a, b, x, c, d] = args;
                    let at = |slot: Slot| self.at[slot as usize];
                    let args = [at(a), at(b), at(x), at(c), at(d)];
                    // SAFETY: the five operands are columns of `n` lanes of the type the code was checked for; the
                    // destination is a register of its own.
                    unsafe { f(n, self.home[dst as usize], &args) }
                }
                Instr::Twin { f, dst, from } => {
                    let [first, second] = dst.map(|slot| self.home[slot as usize]);
                    let (from, second) = (self.at[from as usize], second.cast_const());
                    // SAFETY: the operand is a column of `n` lanes, and both destinations are registers of their
                    // own.
                    unsafe { f(n, first, from, second, from) }
                }
                Instr::Native(ref call) => self.call(call, n),
                Instr::Fetch(load) => self.fetch(load as usize),
                Instr::Load(load) => self.load(load as usize, n),
                Instr::Entry(entry) => self.entry(&code.entries[entry as usize], n),
                Instr::Loop(which) => self.looping(which as usize, n),
                Instr::Store { from, output } => self.store(from, output as usize, n),
                Instr::StoreRow(row) => self.store_row(&code.rows[row as usize], n),
                Instr::Fork { from, rare, len } => {
                    let (general, simple) = rest.split_at(len as usize);
                    let is_rare = self.somewhere(from, rare, n);
                    instrs = if is_rare { general } else { simple };
                }
                Instr::Inside { len } => {
                    let (general, simple) = rest.split_at(len as usize);
                    instrs = match self.is_inside(n) {
                        true => simple,
                        false => {
                            self.set_up_outside();
                            general
                        }
                    };
                }
                Instr::Test(load) => self.test(load as usize),
                Instr::Coord { dst, coord } => self.coordinate(dst, coord as usize, n),
            }
        }
    }

    /// Whether a condition has an outcome in some lane.
    fn somewhere(&self, cond: Slot, outcome: bool, n: usize) -> bool {
        let column = self.at[cond as usize].cast::<bool>();
        // SAFETY: a condition is a column of `n` truth values.
        let column = unsafe { std::slice::from_raw_parts(column, n) };
        match outcome {
            true => lanes::any(column),
            false => !lanes::all(column),
        }
    }

    fn store(&self, from: Slot, output: usize, n: usize) {
        let Some(Some(target)) = self.targets.get(output) else {
            return;
        };
        let from = self.at[from as usize];
        // SAFETY: who told the machine of the target promised room for the block.
        unsafe { target.out.store(from, target.position, target.lane, n) }
    }

    fn store_row(&self, row: &Row, n: usize) {
        let Some(Some(target)) = self.targets.get(row.first as usize) else {
            return;
        };
        let (to, stride) = target.out.lanes_from(target.position, target.lane);
        for start in (0..n).step_by(ROW_LANES) {
            let lanes = (n - start).min(ROW_LANES);
            let to = to.wrapping_offset(start as isize * stride * row.bytes as isize);
            for (part, slots) in row.slots.chunks(row.width).enumerate() {
                let mut columns = [std::ptr::null(); MAX_ROW];
                for (column, &slot) in columns.iter_mut().zip(slots) {
                    *column = self.at[slot as usize].wrapping_add(start * row.bytes);
                }
                let to = to.wrapping_add(part * row.width * row.bytes);
                // SAFETY: who told the machine of the targets promised room for the block; the other columns of
                // the row lie beside the first.
                unsafe { (row.f)(lanes, &columns, slots.len(), to, stride) }
            }
        }
    }

    fn coordinate(&mut self, dst: Slot, coord: usize, n: usize) {
        let lane = self.code.nest.lane.clone();
        let out = self.home[dst as usize].cast::<i32>();
        let count = |before: usize, first: i64, len: usize| {
            let (to, first) = (out.wrapping_add(before).cast(), first as i32);
            let (first, unused) = ((&raw const first).cast(), std::ptr::null());
            // SAFETY: the home of a column has room for `n` elements, and nothing else refers to it now.
            unsafe { (self.code.index.count)(len, to, first, unused, unused) }
        };
        if lane.len() == 1 {
            return count(0, self.start, n);
        }
        let is_last = coord + 1 == lane.end;
        coords::for_runs(
            &self.env.extents[lane.clone()],
            self.start,
            n,
            |at, before, len| {
                let first = at[coord - lane.start];
                match is_last {
                    true => count(before, first, len),
                    // SAFETY: the run is a part of the block, for which the home of a column has room.
                    false => unsafe {
                        std::slice::from_raw_parts_mut(out.add(before), len).fill(first as i32);
                    },
                }
            },
        );
    }
}

/// Reads one element.
///
/// # Safety
/// `at` is valid for reading a value of that type.
pub(crate) unsafe fn read_const(at: *const u8, ty: ScalarType) -> Const {
    // SAFETY: `at` can be read as a value of type `ty`, and each arm reads one of that type.
    unsafe {
        match ty {
            ScalarType::Bool => Const::Bool(*at != 0),
            ScalarType::I8 => Const::I8(*at.cast()),
            ScalarType::I16 => Const::I16(*at.cast()),
            ScalarType::I32 => Const::I32(*at.cast()),
            ScalarType::I64 => Const::I64(*at.cast()),
            ScalarType::U8 => Const::U8(*at.cast()),
            ScalarType::U16 => Const::U16(*at.cast()),
            ScalarType::U32 => Const::U32(*at.cast()),
            ScalarType::U64 => Const::U64(*at.cast()),
            ScalarType::F16 => Const::F16(*at.cast()),
            ScalarType::F32 => Const::F32(*at.cast()),
            ScalarType::F64 => Const::F64(*at.cast()),
        }
    }
}

/// Writes one element.
///
/// # Safety
/// `at` is valid for writing a value of that type.
pub(crate) unsafe fn write_const(at: *mut u8, value: Const) {
    // SAFETY: `at` can be written with a value of the type of `value`, and each arm writes one of that type.
    unsafe {
        match value {
            Const::Bool(x) => *at.cast() = x,
            Const::I8(x) => *at.cast() = x,
            Const::I16(x) => *at.cast() = x,
            Const::I32(x) => *at.cast() = x,
            Const::I64(x) => *at.cast() = x,
            Const::U8(x) => *at.cast() = x,
            Const::U16(x) => *at.cast() = x,
            Const::U32(x) => *at.cast() = x,
            Const::U64(x) => *at.cast() = x,
            Const::F16(x) => *at.cast() = x,
            Const::F32(x) => *at.cast() = x,
            Const::F64(x) => *at.cast() = x,
        }
    }
}
