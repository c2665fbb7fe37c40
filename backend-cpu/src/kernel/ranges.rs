//! Folds of segments: parts of a row one after the other, of lengths that elements say.
//!
//! A row is cut into chunks of elements, whatever its segments are. A chunk's task begins the totals of the segments that begin in the
//! chunk, and combines with them what of these is in it; what belongs to a segment that began before is combined apart, and with
//! the rest when all chunks are done. So it does not matter whether segments are short or long, and the order of combination
//! depends on the extents and the lengths alone.
//!
//! Unsafe code: columns are raw pointers to registers, scratch memory or arrays.

use super::combine::broadcast;
use super::parts::OperatorParts;
use super::segments::lanes;
use super::share::share;
use super::space::work;
use super::{KernelCode, Launch, bug};
use crate::code::Code;
use crate::lanes::FoldFns;
use crate::machine::coords::{product, unrank};
use crate::machine::failure::{Failure, Problem};
use crate::machine::{ArrayRef, Env, Machine};
use crate::memory::{OutRef, Own};
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::SiteId;
use cotangent_core::schedule::segments::segment;
use std::borrow::Cow;

/// The elements of a chunk.
const CHUNK: i64 = 1 << 14;

/// Where segments start, and where the last one ends.
struct Starts<'a>(Cow<'a, [i32]>);

/// A fold of segments about to run.
struct Ranges<'a> {
    launch: &'a Launch<'a>,
    code: &'a Code,
    env: &'a Env<'a>,
    starts: &'a Starts<'a>,
    components: Vec<Component>,
    /// The chunks of a row.
    chunks: i64,
}

/// A component of what is combined.
struct Component {
    fns: FoldFns,
    /// The initial value, as a state.
    init: Const,
    /// A state for each segment of each row: the results themselves, where these are states and follow each other.
    totals: OutRef,
    /// A state for each chunk of each row: what is in it of a segment that began before.
    partial: OutRef,
    /// That of the states.
    memory: Vec<Own>,
}

impl KernelCode {
    /// Runs a fold of segments over the given extents, of which the last are the number of segments and that of elements.
    pub(super) fn segments(
        &self,
        launch: &Launch,
        extents: &[i64],
        site: SiteId,
        init: Option<&[Const]>,
    ) -> Result<(), RunError> {
        let (rank, init) = (self.kernel.space.len(), init.unwrap_or_default());
        let starts = self.kernel.kind.starts(rank);
        let starts = starts.ok_or_else(|| bug("segments without starts"))?;
        let array = (launch.read)(starts)?;
        let starts = Starts::of(&array);
        if starts.0.len() as i64 != extents[rank - 1] + 1 {
            return Err(bug("not one start more than segments"));
        }
        if let Some(problem) = starts.problem(extents, site) {
            launch.failure.offer(problem);
            return Ok(());
        }
        let operator = self.folded.as_ref();
        let operator = operator.ok_or_else(|| bug("a fold has no operator"))?;
        let (code, env) = self.choose(launch, extents)?.split(launch, extents);
        let rows = product(&extents[..rank - 1]);
        let rows = rows.ok_or_else(|| bug("an index space has too many points"))?;
        let chunks = starts.chunks();
        let component = |(at, fns)| Component::new(launch, (at, fns), init[at], rows * chunks);
        let components = operator.loops().into_iter().map(component);
        let ranges = Ranges {
            launch,
            code,
            env: &env,
            starts: &starts,
            components: components.collect::<Result<_, _>>()?,
            chunks,
        };
        ranges.run(rows);
        ranges.finish(operator, rows)
    }
}

impl<'a> Starts<'a> {
    fn of(array: &'a ArrayRef) -> Self {
        let len = array.extents.first().map_or(0, |&n| n.max(0) as usize);
        let data = array.data.cast::<i32>();
        if array.strides.first() == Some(&1) {
            // SAFETY: the array has as many elements, which are `i32` and that nobody writes while the kernel runs.
            return Self(Cow::Borrowed(unsafe {
                std::slice::from_raw_parts(data, len)
            }));
        }
        let stride = array.strides.first().map_or(0, |&stride| stride as isize);
        // SAFETY: the same, at that distance.
        let at = |i: usize| unsafe { data.wrapping_offset(i as isize * stride).read() };
        Self(Cow::Owned((0..len).map(at).collect()))
    }

    /// The number of segments.
    fn count(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The number of elements in all segments.
    fn elements(&self) -> i64 {
        self.0.last().map_or(0, |&end| end.into())
    }

    /// The first segment that has not all of its elements.
    fn problem(&self, extents: &[i64], site: SiteId) -> Option<Failure> {
        let (&n, space) = extents.split_last()?;
        // Of all, as vectors count them.
        let descents = self.0.windows(2).filter(|pair| pair[0] > pair[1]);
        if descents.count() == 0 && self.elements() <= n {
            return None;
        }
        let mut bounds = self.0.windows(2).map(|pair| [pair[0], pair[1]]);
        let point = bounds.position(|bounds| segment(bounds, n).is_none())?;
        let last = i64::from(self.0[point + 1].wrapping_sub(1));
        let outer = space.len() - 1;
        Some(Failure {
            point: point as i64,
            order: 0,
            problem: Problem::OutOfRange {
                site: Some(site),
                index: [vec![0; outer], vec![last]].concat(),
                extents: [&space[..outer], &[n]].concat(),
            },
            trips: vec![],
        })
    }

    /// The chunks of a row: at least one, so that segments without elements are in one.
    fn chunks(&self) -> i64 {
        (self.elements().unsigned_abs().div_ceil(CHUNK as u64) as i64).max(1)
    }

    /// The number of segments that begin before a position.
    fn before(&self, position: i64) -> usize {
        let begins = &self.0[..self.count()];
        begins.partition_point(|&start| i64::from(start) < position)
    }

    /// The segment that begins before a position and goes on there.
    fn open_at(&self, position: i64) -> Option<usize> {
        let before = self.before(position);
        let goes_on = i64::from(self.0[before]) > position;
        before.checked_sub(1).filter(|_| goes_on)
    }
}

impl Component {
    fn new(
        launch: &Launch,
        (at, fns): (usize, FoldFns),
        init: Const,
        chunks: i64,
    ) -> Result<Self, RunError> {
        let output = launch.outputs[at];
        let mut memory = vec![Own::zeroed(fns.state, chunks, "parts of segments")?];
        let is_direct = output.ty() == fns.state && output.direct(0, 1).is_some();
        if !is_direct {
            memory.push(Own::zeroed(fns.state, output.len(), "totals of segments")?);
        }
        let state = Prim::Convert(fns.state).eval(&[init]);
        Ok(Self {
            fns,
            init: state
                .filter(|_| fns.state != init.scalar_type())
                .unwrap_or(init),
            totals: if is_direct { output } else { memory[1].out },
            partial: memory[0].out,
            memory,
        })
    }
}

impl Ranges<'_> {
    fn run(&self, rows: i64) {
        let lanes = lanes(self.code);
        let work =
            (work(self.code) + self.components.len()) * CHUNK.min(self.starts.elements()) as usize;
        share(self.launch.team, rows * self.chunks, work, |claims| {
            let mut machine = Machine::new(self.code, self.env, lanes);
            let mut row = vec![0; self.env.extents.len() - 1];
            let outer = row.len() - 1;
            for item in claims.flatten() {
                let (at, chunk) = (item / self.chunks, item % self.chunks);
                unrank(at, &self.env.extents[..outer], &mut row[..outer]);
                machine.row(&row);
                self.chunk(&mut machine, (at, chunk), lanes);
            }
        });
    }

    /// Combines what is in a chunk of a row.
    fn chunk(&self, machine: &mut Machine, (row, chunk): (i64, i64), lanes: usize) {
        let starts = self.starts;
        let (first, end) = (chunk * CHUNK, ((chunk + 1) * CHUNK).min(starts.elements()));
        let begins = starts.before(first);
        let ends = match chunk + 1 == self.chunks {
            true => starts.count(),
            false => starts.before(end),
        };
        let totals = row * starts.count() as i64;
        for component in &self.components {
            component.begin(totals + begins as i64, ends - begins);
        }
        let open = starts.open_at(first);
        let open_end = open.map_or(first, |segment| i64::from(starts.0[segment + 1]).min(end));
        let mut next = begins;
        for start in (first..end).step_by(lanes) {
            let n = (end - start).min(lanes as i64) as usize;
            machine.block(start, n);
            let stop = start + n as i64;
            if start < open_end {
                let own = (open_end.min(stop) - start) as usize;
                let place = row * self.chunks + chunk;
                self.apart(machine, place, (own, start == first));
            }
            // Those that begin in this block, and the one that goes on.
            let from = next;
            next = from + starts.0[from..ends].partition_point(|&s| i64::from(s) < stop);
            let earlier = from > begins && i64::from(starts.0[from]) > start;
            let from = from - usize::from(earlier);
            self.together(machine, (from, next - from), (totals, start, n));
        }
    }

    /// Combines the first elements of a block, which belong to a segment that began before the chunk.
    fn apart(&self, machine: &Machine, place: i64, (n, is_first): (usize, bool)) {
        for (component, at) in self.components.iter().zip(0..) {
            component.apart(machine.output(at), place, (n, is_first));
        }
    }

    /// Combines elements of a block with the totals of so many segments, which begin in the chunk.
    fn together(
        &self,
        machine: &Machine,
        (from, count): (usize, usize),
        (totals, start, n): (i64, i64, usize),
    ) {
        if count == 0 {
            return;
        }
        let starts = &self.starts.0[from..=from + count];
        for (component, at) in self.components.iter().zip(0..) {
            let totals = totals + from as i64;
            component.together(machine.output(at), (totals, starts), (start, n));
        }
    }

    /// Adds what was combined apart, and stores what is not where it belongs.
    fn finish(&self, operator: &OperatorParts, rows: i64) -> Result<(), RunError> {
        let count = self.starts.count() as i64;
        for chunk in 1..self.chunks {
            let Some(segment) = self.starts.open_at(chunk * CHUNK) else {
                continue;
            };
            for (row, component) in
                (0..rows).flat_map(|row| self.components.iter().map(move |c| (row, c)))
            {
                component.join(row * count + segment as i64, row * self.chunks + chunk);
            }
        }
        for ((at, _), component) in operator.loops().into_iter().zip(&self.components) {
            component.store(operator, at, &self.launch.outputs[at])?;
        }
        Ok(())
    }
}

impl Component {
    /// Begins the totals of so many segments.
    fn begin(&self, first: i64, count: usize) {
        if count == 0 {
            return;
        }
        if let Some(totals) = self.totals.direct(first, 1) {
            broadcast(totals, self.init, count);
        }
    }

    /// Combines elements with what is in a place, or begins that with them.
    fn apart(&self, column: *const u8, place: i64, (n, is_first): (usize, bool)) {
        let Some(partial) = self.partial.direct(place, 1) else {
            return;
        };
        let (bounds, block) = ([i32::from(is_first), n as i32], [0, n as i64]);
        let [bounds, block] = [bounds.as_ptr().cast::<u8>(), block.as_ptr().cast()];
        // SAFETY: the place is the task's own, and apart from the column, which has `n` lanes, at least one; the bounds are in range.
        unsafe {
            if is_first {
                (self.fns.load)(1, partial, column, column, column);
            }
            (self.fns.ranges)(1, partial, column, bounds, block);
        }
    }

    /// Combines elements of a block from `start` on with totals, the first of which is given.
    fn together(
        &self,
        column: *const u8,
        (first, starts): (i64, &[i32]),
        (start, n): (i64, usize),
    ) {
        let Some(totals) = self.totals.direct(first, 1) else {
            return;
        };
        let block = [start, n as i64];
        let [bounds, block] = [starts.as_ptr().cast::<u8>(), block.as_ptr().cast()];
        // SAFETY: the totals are those of segments that begin in the task's chunk, with one bound more, and apart from the column, which
        // has `n` lanes.
        unsafe { (self.fns.ranges)(starts.len() - 1, totals, column, bounds, block) }
    }

    /// Adds what was combined apart to a total.
    fn join(&self, total: i64, place: i64) {
        if let (Some(total), Some(partial)) =
            (self.totals.direct(total, 1), self.partial.direct(place, 1))
        {
            let partial = partial.cast_const();
            // SAFETY: both are there, and apart, and no task runs.
            unsafe { (self.fns.join)(1, total, partial, partial, partial) }
        }
    }

    /// Makes the totals results, if they are somewhere else.
    fn store(&self, operator: &OperatorParts, at: usize, output: &OutRef) -> Result<(), RunError> {
        match self.memory.len() {
            2.. => operator.round(at, &self.totals, output),
            0..2 => Ok(()),
        }
    }
}
