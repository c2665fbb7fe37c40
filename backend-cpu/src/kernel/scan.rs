//! Scans: every row from one end to the other; long rows, where there are few, in chunks.
//!
//! A chunked row is scanned in three phases: each chunk by itself, the totals of the chunks, and the
//! combination of each chunk with what precedes it. Chunks have a constant size, so that the way in which
//! values are combined depends on the extents alone. Where what goes on from one element to the next is wider than the
//! results (sums of narrow floats), the first phase keeps the totals of chunks only, and the last one scans again. So it is for
//! operators that are no primitives, whose elements are combined with what precedes their chunk on the way, and for primitives that
//! are quick and give the same in any order, as sums of integers: these fold in the first phase. A thread by itself needs one phase
//! only: other primitives scan each chunk by itself and combine it with what precedes it on the way, which is the same. Operators that
//! start again where a flag says so go by loops of their own, too (`flagged.rs`).

mod flagged;
mod running;
mod runs;

use super::combine::OperatorCode;
use super::folder::TREE_LANES as LANES;
use super::share::share;
use super::space::{lanes_for, work};
use super::{KernelCode, Launch, bug};
use crate::code::Code;
use crate::few::Few;
use crate::lanes::SIDE;
use crate::machine::coords::{product, unrank};
use crate::machine::{Env, Machine};
use crate::memory::{OutRef, Own};
use crate::passes::Team;
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::Direction;
pub(super) use flagged::Flagged;
use running::Running;

/// The elements of a chunk.
const CHUNK: i64 = 8192;
/// The elements of a chunk for an operator that is no primitive: as many as are combined together, so that going on after what precedes
/// it is the same as combining it with that.
const TREE_CHUNK: i64 = (SIDE * LANES) as i64;
/// The columns that a scan by a primitive has besides those of its elements.
const OWN_COLUMNS: usize = 2;
/// With at least as many rows, each row is one chunk.
const MANY_ROWS: i64 = 16;

/// What precedes a chunk.
enum Before<'a> {
    Nothing,
    States(&'a [Const]),
    /// The chunk that the task had before it.
    Previous,
    /// States that its own are combined with when it has been scanned by itself.
    Apart(&'a [Const]),
    /// All that the task had before it, in this way.
    AllApart,
}

impl<'a> From<Option<&'a [Const]>> for Before<'a> {
    fn from(states: Option<&'a [Const]>) -> Self {
        states.map_or(Self::Nothing, Self::States)
    }
}

/// A scan in progress.
struct Scan<'a> {
    operator: &'a OperatorCode,
    /// The operator as one that starts again, if the scan goes by that.
    flagged: Option<&'a Flagged>,
    direction: Direction,
    outputs: &'a [OutRef],
    /// The number of elements of a row.
    n: i64,
    /// The number of results of a row.
    results: i64,
    /// The place of the first element's result in its row.
    shift: i64,
    /// The lanes of a block: the same in all runs, as elements of a block are combined first.
    lanes: usize,
    chunk: i64,
    chunks: i64,
}

impl KernelCode {
    /// Runs a scan over the given extents, along the last.
    pub(super) fn scan(
        &self,
        launch: &Launch,
        extents: &[i64],
        direction: Direction,
        init: Option<&[Const]>,
    ) -> Result<(), RunError> {
        let operator = self.scanned.as_ref();
        let operator = operator.ok_or_else(|| bug("a scan has no operator"))?;
        let rank = extents.len() - 1;
        let rows = product(&extents[..rank]).ok_or_else(|| bug("too many rows to scan"))?;
        let n = extents[rank].max(0);
        let flagged = operator.flagged.as_ref();
        let flagged = flagged.filter(|flagged| flagged.fits(direction, &operator.read));
        let has_loops = operator.fns.is_some() || flagged.is_some();
        let chunk = match has_loops {
            _ if rows >= MANY_ROWS => n.max(1),
            true => CHUNK,
            false => TREE_CHUNK,
        };
        let mut scan = Scan {
            operator,
            flagged,
            direction,
            outputs: launch.outputs,
            n,
            results: n + i64::from(init.is_some()),
            shift: i64::from(init.is_some() && direction == Direction::Left),
            lanes: LANES,
            chunk,
            chunks: (n as u64).div_ceil(chunk as u64) as i64,
        };
        scan.store_init(rows, init);
        if rows == 0 || n == 0 {
            launch.team.passes.alone();
            return Ok(());
        }
        let (code, env) = self.choose(launch, extents)?.split(launch, extents);
        if has_loops {
            let in_place = operator.is_quick() && code.ready().filled == 0;
            scan.lanes = match in_place {
                true => CHUNK as usize,
                false => lanes_for(code, OWN_COLUMNS),
            };
        }
        let operator_env = OperatorCode::env(launch.symbols, extents, launch.failure);
        let envs = [&env, &operator_env];
        let init = init.map(|init| operator.states_of(init.iter().copied()));
        let task = Task { launch, code, envs };
        scan.rows(&task, rows, init.as_deref())
    }
}

/// What runs the code of elements and the operator.
struct Task<'a> {
    launch: &'a Launch<'a>,
    code: &'a Code,
    envs: [&'a Env<'a>; 2],
}

impl Scan<'_> {
    /// Scans all rows, after what the first element is combined with.
    fn rows(&self, task: &Task, rows: i64, init: Option<&[Const]>) -> Result<(), RunError> {
        let is_first = |item: i64| item % self.chunks == 0;
        let first = |item: i64| Before::from(init.filter(|_| is_first(item)));
        let alone = task.launch.team.threads == 1;
        if self.chunks == 1 {
            self.chunks(task, rows, &first, &[]);
        } else if self.combines_chunks() && alone {
            let go_on = |item| match (is_first(item), init) {
                (true, None) => Before::Nothing,
                (true, Some(init)) => Before::Apart(init),
                (false, _) => Before::AllApart,
            };
            self.chunks(task, rows, &go_on, &[]);
            // Several threads combine chunks in a pass of its own.
            task.launch.team.passes.alone();
        } else if self.operator.is_wide() {
            let ends = self.ends(rows)?;
            let outs: Vec<OutRef> = ends.iter().map(|end| end.out).collect();
            self.chunks(task, rows, &|_| Before::Nothing, &outs);
            let before = self.sums_before(&outs[0], rows, init);
            let after_sums = |item: i64| match &before[item as usize] {
                None => Before::Nothing,
                Some(sum) => Before::Apart(std::slice::from_ref(sum)),
            };
            self.chunks(task, rows, &after_sums, &[]);
        } else if self.combines_chunks() {
            self.chunks(task, rows, &|_| Before::Nothing, &[]);
            let before = self.totals(task.envs[1], rows, init);
            self.combine(task.launch.team, task.envs[1], rows, &before);
        } else if alone {
            let go_on = |item| match is_first(item) {
                true => first(item),
                false => Before::Previous,
            };
            self.chunks(task, rows, &go_on, &[]);
        } else {
            let ends = self.ends(rows)?;
            let outs: Vec<OutRef> = ends.iter().map(|end| end.out).collect();
            self.chunks(task, rows, &first, &outs);
            let before = self.ends_before(task.envs[1], rows, &outs);
            let after_ends = |item| match is_first(item) {
                true => first(item),
                false => Before::States(&before[item as usize]),
            };
            self.chunks(task, rows, &after_ends, &[]);
        }
        Ok(())
    }

    /// Whether chunks are scanned by themselves, and then combined with what precedes them. Operators without loops go on from one
    /// chunk to the next, and so do quick ones, which give the same in any order.
    fn combines_chunks(&self) -> bool {
        self.operator.fns.is_some() && !self.operator.is_quick()
    }

    /// The chunk that comes `i`-th in the direction of the scan.
    fn range(&self, i: i64) -> (i64, i64) {
        let chunk = match self.direction {
            Direction::Left => i,
            Direction::Right => self.chunks - 1 - i,
        };
        let start = chunk * self.chunk;
        (start, (start + self.chunk).min(self.n))
    }

    /// A chunk in pieces of so many blocks, in the direction of the scan; what is left behind the last whole block is by itself.
    fn pieces(
        &self,
        (start, end): (i64, i64),
        blocks: usize,
    ) -> impl Iterator<Item = (i64, i64)> + use<> {
        let (lanes, size) = (self.lanes as i64, (self.lanes * blocks) as i64);
        let whole = start + (end - start).max(0) / lanes * lanes;
        let count = ((whole - start) as u64).div_ceil(size as u64) as i64;
        let all = count + i64::from(whole < end);
        let direction = self.direction;
        (0..all).map(move |i| {
            let piece = match direction {
                Direction::Left => i,
                Direction::Right => all - 1 - i,
            };
            let first = start + piece * size;
            match piece < count {
                true => (first, (first + size).min(whole)),
                false => (whole, end),
            }
        })
    }

    fn store_init(&self, rows: i64, init: Option<&[Const]>) {
        let at = match self.direction {
            Direction::Left => 0,
            Direction::Right => self.n,
        };
        for (out, &value) in self.outputs.iter().zip(init.unwrap_or_default()) {
            for row in 0..rows {
                // SAFETY: the outputs have a result before the first element of each row, and no task runs.
                unsafe { out.set(row * self.results + at, value) }
            }
        }
    }

    /// Memory for the states after chunks.
    fn ends(&self, rows: i64) -> Result<Vec<Own>, RunError> {
        let own = |&ty| Own::zeroed(ty, rows * self.chunks, "the ends of a scan's chunks");
        self.operator.states.iter().map(own).collect()
    }

    /// Scans every chunk, after what precedes it if that is given. With `ends`, the states after chunks are kept, and
    /// nothing else.
    fn chunks<'a>(
        &self,
        &Task {
            launch,
            code,
            envs: [env, operator_env],
        }: &Task,
        rows: i64,
        before: &(dyn Fn(i64) -> Before<'a> + Sync),
        ends: &[OutRef],
    ) {
        let work = work(code) * self.chunk.min(self.n) as usize * 4;
        share(launch.team, rows * self.chunks, work, |claims| {
            let mut machine = Machine::new(code, env, self.lanes);
            let mut running = Running::new(self, operator_env);
            let mut row = vec![0; env.extents.len() - 1];
            for item in claims.flatten() {
                let (at, chunk) = (item / self.chunks, item % self.chunks);
                unrank(at, &env.extents[..row.len()], &mut row);
                machine.row(&row);
                let range = self.range(chunk);
                running.start_after(&before(item));
                running.begin(range.1 - range.0);
                let position = |start: i64| {
                    let position = at * self.results + self.shift + start;
                    ends.is_empty().then_some(position)
                };
                for (first, end) in self.pieces(range, running.blocks_of_piece()) {
                    running.begin_piece(position(first));
                    for start in (first..end).step_by(self.lanes) {
                        let n = (end - start).min(self.lanes as i64) as usize;
                        machine.block(start, n);
                        let k = self.outputs.len();
                        let values: Few<_> = (0..k).map(|i| machine.output(i)).collect();
                        // SAFETY: the columns have `n` lanes, and the positions belong to this chunk.
                        unsafe { running.block(&values, n, position(start)) }
                    }
                    running.end_piece();
                }
                running.go_on();
                for (end, state) in ends.iter().zip(running.carry()) {
                    // SAFETY: there is an element per chunk, and this task has the chunk.
                    unsafe { end.set(item, state) }
                }
            }
        });
    }

    /// For every row and chunk, the sum of what precedes it, given the sums of chunks.
    fn sums_before(&self, ends: &OutRef, rows: i64, init: Option<&[Const]>) -> Vec<Option<Const>> {
        let mut before = vec![];
        for row in 0..rows {
            let mut sum = init.and_then(|init| init.first().copied());
            for chunk in 0..self.chunks {
                before.push(sum);
                // SAFETY: all chunks have ended, and no task runs.
                let end = unsafe { ends.get(row * self.chunks + chunk) };
                let after = sum.and_then(|sum| Prim::Add.eval(&[sum, end]));
                sum = Some(after.unwrap_or(end));
            }
        }
        before
    }

    /// For every row and chunk but the first, what precedes it, given the states after chunks.
    fn ends_before(&self, env: &Env, rows: i64, ends: &[OutRef]) -> Vec<Few<Const>> {
        let mut running = Running::new(self, env);
        let mut before = vec![];
        for row in 0..rows {
            running.start(None);
            for chunk in 0..self.chunks {
                before.push(running.carry());
                let at = row * self.chunks + chunk;
                // SAFETY: all chunks have ended, and no task runs.
                let end: Few<_> = ends.iter().map(|end| unsafe { end.get(at) }).collect();
                running.add(&end);
            }
        }
        before
    }

    /// For every row and chunk but the first, what precedes it.
    fn totals(&self, env: &Env, rows: i64, init: Option<&[Const]>) -> Vec<Few<Const>> {
        let mut running = Running::new(self, env);
        let mut before = vec![];
        for row in 0..rows {
            running.start(init);
            for chunk in 0..self.chunks {
                before.push(running.carry());
                let (start, end) = self.range(chunk);
                let last = match self.direction {
                    Direction::Left => end - 1,
                    Direction::Right => start,
                };
                let at = row * self.results + self.shift + last;
                // SAFETY: all chunks are scanned, and no task runs.
                let total: Few<_> = self.outputs.iter().map(|o| unsafe { o.get(at) }).collect();
                running.add(&total);
            }
        }
        before
    }

    /// Combines chunks with what precedes them.
    fn combine(&self, team: Team, env: &Env, rows: i64, before: &[Few<Const>]) {
        let work = 4 * self.chunk.min(self.n) as usize;
        share(team, rows * self.chunks, work, |claims| {
            let mut running = Running::new(self, env);
            for item in claims.flatten() {
                let carry = &before[item as usize];
                if carry.is_empty() {
                    continue;
                }
                let (row, chunk) = (item / self.chunks, item % self.chunks);
                running.start(Some(carry));
                for (start, end) in self.pieces(self.range(chunk), 1) {
                    let n = (end - start) as usize;
                    let position = row * self.results + self.shift + start;
                    // SAFETY: the positions belong to this chunk.
                    unsafe { running.add_carry(position, n) }
                }
            }
        });
    }
}
