//! Strips: kernels chunk by chunk, several groups of chunks at once.
//!
//! How the dimension is cut depends on the extents alone ([`Cuts`]). A group of neighbouring chunks is run by one thread, which combines their
//! contributions as it goes; groups are claimed in order, and each adds its sums to those of the groups
//! before it when these are complete. So the order of combination does not depend on threads, and there are
//! never more sums in memory than threads. Sums of narrow floats are wider than what chunks contribute, and than the
//! totals that they become in the end.
//!
//! Unsafe code: chunks write to rows of arrays that all threads share, each to its own.

use super::state::State;
use crate::kernel::{KernelCode, OperatorParts, bug, combine_arrays};
use crate::memory::{OutRef, Placement, bytes_of, data_mut};
use crate::prepare::StripCode;
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::host::Column;
use cotangent_core::schedule::strip::Cuts;
use cotangent_core::schedule::{ArrayId, Strip, SymbolId, Total};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Runs a strip.
pub(super) fn run(code: &StripCode, state: &mut State) -> Result<(), RunError> {
    let (store, threads) = (&state.store, state.threads);
    let cut = Cuts::new(&code.strip, &store.schedule.arrays, &|s| store.int(s));
    let mut template = state.clone();
    template.passes = Arc::default();
    for part in &code.strip.parts {
        state.allocate(part.whole)?;
        let whole = state.write(part.whole)?;
        template.placed.push((part.part, whole));
    }
    let shared = Shared {
        code,
        template,
        cut,
        claimed: AtomicI64::new(0),
        merging: Mutex::default(),
        merged: Condvar::new(),
    };
    if shared.cut.groups == 1 || threads == 1 {
        shared.work(threads);
    } else {
        let workers = threads.min(shared.cut.groups as usize);
        (0..workers)
            .into_par_iter()
            .with_max_len(1)
            .for_each(|_| shared.work(1));
    }
    let merging = shared.merging.into_inner();
    let Merging { failure, sums, .. } = merging.unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = failure {
        return Err(error);
    }
    state.passes.add(match shared.cut.groups {
        _ if state.store.int(code.strip.over) <= 0 => 0,
        // All threads work on one chunk at a time, and wait for each other wherever they share a kernel.
        1 => shared.template.passes.shared().max(1),
        _ => 1,
    });
    let mut sums = sums.unwrap_or_default().into_iter();
    let mut totals = code.strip.totals.iter();
    let mut operators = code.operators.iter();
    let copied = totals.try_fold(false, |copied, total| {
        let handed = hand_on((total, operators.next()), state, sums.next())?;
        Ok::<_, RunError>(handed | copied)
    })?;
    state.passes.add(u64::from(copied));
    Ok(())
}

/// Makes sums the elements of the arrays outside; no sums if there was no chunk. Whether elements were copied.
fn hand_on(
    (total, operator): (&Total, Option<&OperatorParts>),
    state: &mut State,
    sums: Option<Vec<Column>>,
) -> Result<bool, RunError> {
    let mut copied = false;
    let mut sums = sums.map(|columns| columns.into_iter());
    for (i, part) in total.arrays.iter().enumerate() {
        let column = sums.as_mut().and_then(Iterator::next);
        let ty = state.store.decl(part.whole).elem;
        match column {
            Some(mut sums) if sums.scalar_type() != ty => {
                copied = true;
                state.allocate(part.whole)?;
                let (to, from) = (state.write(part.whole)?, out_ref(&mut sums)?);
                let operator = operator.ok_or_else(|| bug("a total has no operator"))?;
                operator.round(i, &from, &to)?;
                state.held.give(bytes_of(&sums));
            }
            Some(column) if state.store.schedule.owner(part.whole) == part.whole => {
                state.store.memory[part.whole.index()] = Some(column);
            }
            Some(mut column) => {
                copied = true;
                state.allocate(part.whole)?;
                let (to, from) = (state.write(part.whole)?, out_ref(&mut column)?);
                // SAFETY: both have the elements of the array, and only this thread uses them.
                unsafe { to.store(from.element::<u8>(0).cast_const(), 0, 1, to.len() as usize) }
            }
            None => {
                copied = true;
                state.allocate(part.whole)?;
                let to = state.write(part.whole)?;
                let init = total.init.as_ref().map(|init| state.store.symbol(init[i]));
                for position in 0..to.len() {
                    let init = init.ok_or_else(|| bug("an empty reduction passed its check"))?;
                    // SAFETY: the position is below the length, and only this thread uses the array.
                    unsafe { to.set(position, init) }
                }
            }
        }
    }
    Ok(copied)
}

/// All of a column, for writing.
fn out_ref(column: &mut Column) -> Result<OutRef, RunError> {
    let (ty, len) = (column.scalar_type(), column.len() as i64);
    let data = data_mut(column).ok_or_else(|| bug("memory of a strip is shared"))?;
    // SAFETY: the column has that many elements, and callers keep it while they use the reference.
    Ok(unsafe { OutRef::new(data, ty, 1, len) })
}

fn out_refs(columns: &mut [Column]) -> Result<Vec<OutRef>, RunError> {
    columns.iter_mut().map(out_ref).collect()
}

/// The sums of the groups so far, in their order.
#[derive(Default)]
struct Merging {
    /// The next group to be added.
    next: i64,
    sums: Sums,
    /// The failure of the earliest chunk that failed.
    failure: Option<RunError>,
}

/// For each total, a column per component; none if there was no chunk.
type Sums = Option<Vec<Vec<Column>>>;

/// What all workers share.
struct Shared<'a> {
    code: &'a StripCode,
    /// What each worker starts from.
    template: State<'a>,
    cut: Cuts,
    /// The groups that workers have begun.
    claimed: AtomicI64,
    merging: Mutex<Merging>,
    merged: Condvar,
}

impl<'a> Shared<'a> {
    fn lock(&self) -> MutexGuard<'_, Merging> {
        self.merging.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs groups until none is left, the kernels inside on so many threads.
    fn work(&self, threads: usize) {
        let mut state = self.template.clone();
        state.threads = threads;
        let mut worker = Worker {
            shared: self,
            state,
            sums: self.code.strip.totals.iter().map(|_| None).collect(),
        };
        loop {
            let group = self.claimed.fetch_add(1, Ordering::Relaxed);
            if group >= self.cut.groups {
                return;
            }
            let claim = Claim(self);
            let outcome = worker.group(group);
            std::mem::forget(claim);
            let sums = worker.sums.iter_mut().map(Option::take).collect();
            self.merge(group, outcome.map(|()| sums));
        }
    }

    /// Waits for the groups before, and adds what this one has.
    fn merge(&self, group: i64, sums: Result<Sums, RunError>) {
        let mut merging = self.lock();
        while merging.next < group {
            let waited = self.merged.wait(merging);
            merging = waited.unwrap_or_else(PoisonError::into_inner);
        }
        let added = sums.and_then(|sums| self.add(&mut merging, sums));
        if let Err(failure) = added {
            merging.failure.get_or_insert(failure);
        }
        merging.next += 1;
        drop(merging);
        self.merged.notify_all();
    }

    fn add(&self, merging: &mut Merging, sums: Sums) -> Result<(), RunError> {
        let Some(mut sums) = sums else { return Ok(()) };
        let Some(totals) = &mut merging.sums else {
            merging.sums = Some(sums);
            return Ok(());
        };
        for ((operator, left), right) in self.code.operators.iter().zip(totals).zip(&mut sums) {
            let (left, right) = (out_refs(left)?, out_refs(right)?);
            combine_arrays(operator, &self.template.store.symbols, &left, &right);
        }
        let added = sums.iter().flatten().map(bytes_of).sum();
        self.template.held.give(added);
        Ok(())
    }
}

/// A group that is being run. Dropped when that panics only: nobody shall wait for the group then.
struct Claim<'a, 'b>(&'b Shared<'a>);

impl Drop for Claim<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().next = i64::MAX / 2;
        self.0.merged.notify_all();
    }
}

/// Runs groups, one after the other.
struct Worker<'a, 'b> {
    shared: &'b Shared<'a>,
    state: State<'a>,
    /// For each total, what the chunks of the current group contributed so far.
    sums: Vec<Option<Vec<Column>>>,
}

impl Drop for Worker<'_, '_> {
    fn drop(&mut self) {
        let made = self.shared.code.strip.made_inside();
        let columns = made.filter_map(|array| self.state.store.memory[array.index()].as_ref());
        self.state.held.give(columns.map(bytes_of).sum());
    }
}

impl Worker<'_, '_> {
    fn set(&mut self, symbol: SymbolId, value: i64) {
        self.state.store.symbols[symbol.index()] = Const::I32(value as i32);
    }

    /// Runs the chunks of a group.
    fn group(&mut self, group: i64) -> Result<(), RunError> {
        let code = self.shared.code;
        for chunk in self.shared.cut.chunks(group) {
            let is_first = chunk.start == 0;
            self.begin(chunk)?;
            for (kernel, total) in code.kernels.iter().zip(&code.contributes) {
                match total {
                    None => self.state.run_kernel(kernel, None)?,
                    Some(total) => self.contribute(kernel, *total, is_first)?,
                }
            }
        }
        Ok(())
    }

    /// Moves to a chunk: its symbols, its memory and its rows.
    fn begin(&mut self, chunk: Range<i64>) -> Result<(), RunError> {
        let (code, cut) = (self.shared.code, &self.shared.cut);
        let Strip { start, len, .. } = &code.strip;
        self.set(*start, chunk.start);
        // Memory of chunks is made once, for the longest one.
        self.set(*len, cut.longest());
        for &array in &code.chunked {
            self.state.allocate(array)?;
        }
        self.set(*len, chunk.end - chunk.start);
        self.state.placed.clear();
        for (part, whole) in &self.shared.template.placed {
            let rows = self.rows(*part, whole, chunk.start)?;
            self.state.placed.push((*part, rows));
        }
        Ok(())
    }

    /// The rows of `whole` that the current chunk, which is a `part`, begins with.
    fn rows(&self, part: ArrayId, whole: &OutRef, start: i64) -> Result<OutRef, RunError> {
        let store = &self.state.store;
        let len = store.len(part)? as i64;
        let row: i64 = store.shape(part)[1..].iter().product();
        let first = start
            .checked_mul(row)
            .filter(|first| first + len <= whole.len());
        let first = first.ok_or_else(|| bug("a chunk is outside of its array"))?;
        // SAFETY: the elements are inside `whole`, whose memory outlives the strip; chunks are apart.
        Ok(unsafe { whole.part(first, len) })
    }

    /// Runs a kernel that makes a contribution, and adds that to those of the chunks before.
    fn contribute(
        &mut self,
        code: &KernelCode,
        number: usize,
        is_first: bool,
    ) -> Result<(), RunError> {
        let shared = self.shared;
        let total = &shared.code.strip.totals[number];
        let operator = &shared.code.operators[number];
        let Some(sums) = &mut self.sums[number] else {
            let symbols = &self.state.store.symbols;
            let value = |init: &SymbolId| symbols[init.index()];
            let init: Option<Vec<_>> = match &total.init {
                Some(init) if is_first => Some(init.iter().map(value).collect()),
                Some(_) | None => None,
            };
            self.state.run_kernel(code, init.as_deref())?;
            let parts = total.arrays.iter().enumerate();
            let columns = parts.map(|(i, p)| self.first_sums(p.part, (operator, i)));
            self.sums[number] = Some(columns.collect::<Result<_, _>>()?);
            return Ok(());
        };
        let sums = out_refs(sums)?;
        let onto = !operator.is_wide() && code.combines_by(&total.operator);
        if onto && self.state.add_onto(code, &sums)? {
            return Ok(());
        }
        self.state.run_kernel(code, None)?;
        let parts = total.arrays.iter().map(|p| self.state.write(p.part));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        combine_arrays(operator, &self.state.store.symbols, &sums, &parts);
        Ok(())
    }

    /// What the first chunk of a group contributes to a component, as states: the array itself, or a wider copy.
    fn first_sums(
        &mut self,
        part: ArrayId,
        (operator, component): (&OperatorParts, usize),
    ) -> Result<Column, RunError> {
        let ty = operator.states[component];
        let missing = || bug("a contribution was not made");
        let elem = self.state.store.decl(part).elem;
        if elem == ty {
            return self.state.store.memory[part.index()]
                .take()
                .ok_or_else(missing);
        }
        let from = self.state.write(part)?;
        let pool = &self.state.executable.pool;
        let column = pool.take(
            ty,
            from.len() as usize,
            Placement::for_kernels(ty, from.len() as usize),
        );
        let mut column = column.ok_or_else(|| RunError::OutOfMemory {
            site: self.state.store.site_of(part),
            bytes: (from.len() as u64).saturating_mul(ty.bytes() as u64),
        })?;
        self.state.held.take(bytes_of(&column));
        operator.widen(component, &from, &out_ref(&mut column)?)?;
        Ok(column)
    }
}
