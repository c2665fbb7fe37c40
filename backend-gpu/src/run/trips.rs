//! Loops whose state is small, as few dispatches: one workgroup makes all trips.
//!
//! A trip as dispatches costs the host and the device some twenty microseconds for each kernel, however little there is to
//! do. One workgroup has a small part of a device, but only a barrier between kernels. So it makes the trips where that is
//! estimated to take less time ([`seconds_alone`]); all else runs trip by trip, and so do runs in which somebody watches
//! trips, and synchronous ones, which find out what failed. Nothing is changed before it is decided: whoever goes on trip by
//! trip finds all as it was.
//!
//! A dispatch makes so many trips as an invocation's loops may make, and as a submission has time for. Where a test ends the
//! loop, the host waits for each dispatch.

use super::Run;
use crate::duration::{SECONDS_OF_DISPATCH, seconds_alone};
use crate::memory::Memory as Buffer;
use crate::recording::Read;
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::schedule::condition::size;
use cotangent_core::schedule::drive::Engine;
use cotangent_core::schedule::{Kernel, Step, SymbolId};
use cotangent_core::types::ScalarType;
use cotangent_shaders::{MOST_TRIPS, Memory, Trips};
use std::ops::Range;

/// What a trip takes.
#[derive(Clone, Copy, Debug)]
struct Work {
    /// The dispatches that it would be otherwise, at the least.
    dispatches: u32,
    /// The estimated time by one workgroup.
    seconds: f64,
    /// The trips of an invocation's loops, that of the trip itself included.
    loops: u32,
}

/// The loop through a row of sums has a loop around it, of a trip for so many positions, at the least.
const BLOCK: u32 = 64;
/// The most points of a scatter, which one invocation does: of so many numbers a sum of `f32` is still right.
const MOST_SCATTERED: u32 = 256;
/// The bytes in which a loop with a test says how many trips it made, and whether they are all.
const STATE: u64 = 8;

impl Run<'_> {
    /// Makes all trips of a loop by one workgroup, if that pays; how many there were.
    pub(super) fn trips_at_once(&mut self, made: SymbolId) -> Result<Option<i32>, RunError> {
        let executable = self.executable;
        let Some(ready) = executable.trips.get(&made) else {
            return Ok(None);
        };
        let most = self.store.int(ready.trips.repeat.most);
        if most < 2 || self.is_watched(&ready.trips) || !self.ahead(&ready.trips)? {
            return Ok(None);
        }
        let work = self.work(&ready.trips);
        let Some(work) = work.filter(|&work| self.pays(&ready.trips, work, most)) else {
            return Ok(None);
        };
        self.recording.borrow_mut().begin_kernel(ready.number);
        self.make_trips(&ready.trips, work, most as u32).map(Some)
    }

    /// Whether somebody has to know of single trips.
    fn is_watched(&self, trips: &Trips) -> bool {
        let control = &self.gpu.control;
        let is_counted = trips.repeat.test.is_some() && control.max_trips().is_some();
        let is_simple = self.synchronous || self.gpu.is_simple;
        is_simple || is_counted || control.listens() || control.watches_loops()
    }

    /// Does what is the same in every trip, as the first one would; whether every trip can go on with that.
    fn ahead(&mut self, trips: &Trips) -> Result<bool, RunError> {
        let repeat = &trips.repeat;
        self.store.symbols[repeat.number.index()] = Const::I32(0);
        for step in &trips.ahead {
            match step {
                Step::Scalars { body, defines } => self.scalars_here(body, defines)?,
                // What comes before it may fail, too, and first: who goes trip by trip says what.
                Step::Check(check, site) => {
                    let site = self.store.site(*site);
                    if check
                        .verify(site, &|symbol| self.store.int(symbol))
                        .is_err()
                    {
                        return Ok(false);
                    }
                }
                Step::Strip(strip) => {
                    let over = self.store.int(strip.over);
                    if over <= 0 {
                        return Ok(false);
                    }
                    self.store.symbols[strip.start.index()] = Const::I32(0);
                    self.store.symbols[strip.len.index()] = Const::I32(over as i32);
                }
                Step::Kernel(_) | Step::If { .. } | Step::Repeat(_) => {}
            }
        }
        let mut extents = repeat.symbols.iter();
        Ok(extents.all(|c| self.store.int(c.inside) == self.store.int(c.next)))
    }

    /// What a trip takes; none where it is beyond one workgroup or beyond what the device binds.
    fn work(&self, trips: &Trips) -> Option<Work> {
        let mut work = Work {
            dispatches: 0,
            seconds: 0.0,
            loops: 1,
        };
        for kernel in trips.kernels() {
            self.add_kernel(&mut work, kernel, trips.shader.workgroup)?;
        }
        // What is taken over, and what strips hand on.
        let carried = trips.repeat.arrays.iter().map(|c| c.inside);
        for array in carried.chain(trips.made.iter().copied()) {
            let length = u32::try_from(self.store.len(array).ok()?).ok()?;
            let each = length.div_ceil(trips.shader.workgroup);
            work.loops = work.loops.checked_add(each)?;
        }
        (work.loops <= MOST_TRIPS && self.is_bindable(trips)).then_some(work)
    }

    fn add_kernel(&self, work: &mut Work, kernel: &Kernel, workgroup: u32) -> Option<()> {
        let count = |symbols: &[SymbolId]| {
            let extents = self.store.ints(symbols);
            let is_possible = extents.iter().all(|&extent| extent >= 0);
            u32::try_from(size(&extents).filter(|_| is_possible)?).ok()
        };
        let (points, inner) = (count(&kernel.space)?, count(kernel.inner())?);
        let each = match kernel.writes_in_place() {
            true if points > MOST_SCATTERED => return None,
            true => points,
            false => points.div_ceil(workgroup),
        };
        work.dispatches += u32::from(points > 0);
        let known = |symbol: SymbolId| {
            let is_here = self.on_device[symbol.index()].is_none();
            is_here.then(|| self.store.symbol(symbol))
        };
        let positions = f64::from(each) * f64::from(inner.max(1));
        work.seconds += seconds_alone(kernel, positions, &known);
        let code = [kernel.body()].into_iter().chain(kernel.operator());
        let own = code.map(|body| body.most_trips_where(&known));
        let own = u32::try_from(own.sum::<Option<i64>>()?).ok()?;
        let own = own.checked_add(1)?;
        let of_row = inner.checked_mul(own)?.checked_add(inner / BLOCK + 2)?;
        work.loops = work.loops.checked_add(each.checked_mul(of_row)?)?;
        Some(())
    }

    /// Whether one workgroup takes less time than dispatches do, what it has to copy before included.
    fn pays(&self, trips: &Trips, work: Work, most: i64) -> bool {
        let carried = trips.repeat.arrays.iter();
        let is_shared = |memory: &Buffer| !memory.is_unshared();
        let copies = carried.filter(|c| self.memory(c.inside).is_ok_and(is_shared));
        let (most, alone) = (most as f64, copies.count() as f64 + 1.0);
        let dispatches = most * f64::from(work.dispatches);
        most * work.seconds + alone * SECONDS_OF_DISPATCH < dispatches * SECONDS_OF_DISPATCH
    }

    /// Whether the device binds the arrays, those included that are not there yet.
    fn is_bindable(&self, trips: &Trips) -> bool {
        let bytes = trips.shader.bindings.iter().map(|b| match b.memory {
            Memory::Array(array) if trips.made.contains(&array) => self.bytes(array),
            Memory::Array(array) => self.memory(array).map(Buffer::bytes),
            Memory::From(_) | Memory::To(_) => Ok(STATE),
        });
        let bytes = bytes.collect::<Result<Vec<_>, _>>();
        let bindable = self.gpu.context.bindable;
        bytes.is_ok_and(|bytes| trips.shader.arranged(&bytes, bindable).is_ok())
    }

    fn make_trips(&mut self, trips: &Trips, work: Work, most: u32) -> Result<i32, RunError> {
        for carried in &trips.repeat.arrays {
            self.unshare(carried.inside)?;
        }
        for &array in &trips.made {
            self.allocate_array(array)?;
        }
        let made = self.dispatches(trips, work, most)?;
        for &array in &trips.made {
            self.release(array);
        }
        Ok(made as i32)
    }

    /// Makes the trips, so many a dispatch as it may make.
    fn dispatches(&mut self, trips: &Trips, work: Work, most: u32) -> Result<u32, RunError> {
        let by_time = (self.gpu.submission_seconds() / work.seconds) as u32;
        let each = by_time.min(MOST_TRIPS / work.loops).max(1);
        let state = match trips.repeat.test {
            Some(_) => Some(self.recording.borrow().memory(STATE)),
            None => None,
        };
        let state = state.transpose().map_err(|e| self.device_error(e))?;
        let mut first = 0;
        while first < most {
            self.gpu.control.go_on()?;
            let end = first.saturating_add(each).min(most);
            self.dispatch_trips(trips, first..end, work, state.as_ref())?;
            if let Some(made) = state.as_ref().map(|s| self.ended(s)).transpose()?.flatten() {
                return Ok(made);
            }
            first = end;
        }
        Ok(most)
    }

    fn dispatch_trips(
        &mut self,
        trips: &Trips,
        range: Range<u32>,
        work: Work,
        state: Option<&Buffer>,
    ) -> Result<(), RunError> {
        let shader = &trips.shader;
        let memory = shader.bindings.iter().map(|b| match (b.memory, state) {
            (Memory::Array(array), _) => self.memory(array).cloned(),
            (Memory::From(_) | Memory::To(_), Some(state)) => Ok(state.clone()),
            (Memory::From(_) | Memory::To(_), None) => Err(RunError::Bug(
                "a loop without a test tells of it".to_owned(),
            )),
        });
        let memory = memory.collect::<Result<Vec<_>, _>>()?;
        let seconds = work.seconds * range.len() as f64;
        let words = |_| self.given(shader, &range, &|parameter| self.no_cut(parameter));
        let mut recording = self.recording.borrow_mut();
        let recorded = recording.dispatch(shader, (1, seconds), &words, &memory);
        drop(recording);
        recorded.map_err(|e| self.refused(shader, e))?;
        self.measures.passes += 1;
        Ok(())
    }

    /// How many trips were made, if the test has ended the loop.
    fn ended(&self, state: &Buffer) -> Result<Option<u32>, RunError> {
        let told = self.wait_for(&Read::all(state, ScalarType::I32))?;
        let word = |at| told.get(at).and_then(Const::as_i32).unwrap_or_default();
        Ok((word(1) != 0).then_some(word(0) as u32))
    }
}
