//! The work of one thread on a contraction: tile by tile, packing and multiplying.
//!
//! Unsafe code: micro-kernels write through raw pointers, each tile by one task.

use super::is_wide;
use super::limits::{Axes, Limits, Region};
use super::micro::{Micro, Onto, Scalars, Target, Vectors};
use super::pack::{Bound, Order, Packer, Piece};
use super::place::Walk;
use super::plan::{Plan, Side};
use crate::lanes;
use crate::machine::coords::unrank;
use crate::machine::{Scratch, write_const};
use crate::memory::OutRef;
use cotangent_core::constant::Const;
use cotangent_core::schedule::{Role, Semiring};
use cotangent_core::types::ScalarType;
use std::ops::Range;

/// The chunks whose sums are added in the type of the results, where groups of chunks are added in a wider one.
const GROUP: i64 = 8;

/// What all tasks share.
pub(super) struct Work<'a> {
    pub plan: &'a Plan,
    /// The factor read by vectors, and that read by scalars.
    pub factors: [Bound<'a>; 2],
    /// The factor read by scalars, if that is not packed.
    pub in_place: Option<Walk>,
    /// Where products are zero, or nobody reads them.
    pub limits: &'a Limits,
    pub semiring: Semiring,
    /// The coordinates of both factors.
    pub axes: Axes,
    /// The roles of both factors.
    pub roles: [Role; 2],
    pub ty: ScalarType,
    pub init: Option<Const>,
    /// Whether the first sums are added to what the output holds.
    pub onto: bool,
    pub out: OutRef,
}

/// What a task keeps from tile to tile.
pub(super) struct Task<'a> {
    work: &'a Work<'a>,
    packed: [Packed<'a>; 2],
    /// The initial value, in the form of an element.
    init: u64,
    /// Where the coordinates are.
    region: Region,
    at: At,
    /// The sums of groups of chunks so far, by element of the tile.
    groups: Vec<f64>,
}

/// Where a tile begins.
struct At {
    batch: Vec<i64>,
    places: [Place; 2],
    inner: Vec<i64>,
    /// All coordinates of one factor, in their order.
    rows: Vec<i64>,
}

impl At {
    fn new(plan: &Plan) -> Self {
        Self {
            batch: vec![0; plan.batch.len()],
            places: plan.sides.each_ref().map(Place::new),
            inner: vec![0; plan.inner.len()],
            rows: vec![],
        }
    }

    /// The coordinates of a factor.
    fn rows(&mut self, side: usize) -> &[i64] {
        self.rows.clear();
        self.rows.extend(&self.batch);
        self.rows.extend(&self.places[side].at);
        self.rows.extend(&self.inner);
        &self.rows
    }
}

/// The piece of a factor that was packed last.
struct Packed<'a> {
    memory: Scratch,
    packer: Packer<'a>,
    /// Its batch, tile and chunk.
    key: Option<[i64; 3]>,
}

impl<'a> Task<'a> {
    pub fn new(work: &'a Work<'a>) -> Self {
        let mut init = 0u64;
        if let Some(value) = work.init {
            // SAFETY: no element has more than 8 bytes.
            unsafe { write_const((&raw mut init).cast(), value) }
        }
        let packed = [0, 1].map(|side| {
            let Side { tile, width, .. } = work.plan.sides[side];
            let len = tile * work.plan.chunk + width;
            Packed {
                memory: Scratch::take(len as usize * work.ty.bytes()),
                packer: Packer::new(&work.factors[side]),
                key: None,
            }
        });
        let region = Region::new(work.axes.inner.end);
        Self {
            work,
            packed,
            init,
            region,
            at: At::new(work.plan),
            groups: vec![],
        }
    }

    /// Computes a tile: the sums of one part of the inner space.
    pub fn tile(&mut self, item: i64) {
        let plan = self.work.plan;
        let tiles = plan.sides.each_ref().map(Side::tiles);
        let (batch_and_part, tile) = (item / (tiles[0] * tiles[1]), item % (tiles[0] * tiles[1]));
        let batches: i64 = plan.batch.iter().product();
        let (part, batch) = (batch_and_part / batches, batch_and_part % batches);
        unrank(batch, &plan.batch, &mut self.at.batch);
        for (side, tile) in [tile % tiles[0], tile / tiles[0]].into_iter().enumerate() {
            self.at.places[side].go_to(&plan.sides[side], tile);
        }
        self.region.place(&self.work.axes.batch, &self.at.batch);
        for (place, own) in self.at.places.iter().zip(&self.work.axes.own) {
            self.region.place(own, &place.at);
        }
        let position = part * plan.results
            + dot(&self.at.batch, &plan.batch_strides)
            + self
                .at
                .places
                .iter()
                .map(|place| place.position)
                .sum::<i64>();
        let chunks = cut(plan.chunks, plan.parts, part)..cut(plan.chunks, plan.parts, part + 1);
        let is_long = chunks.end - chunks.start > GROUP && !self.work.onto;
        let is_grouped = is_long && is_wide(self.work.semiring, self.work.ty);
        self.groups.clear();
        for chunk in chunks.clone() {
            let in_group = (chunk - chunks.start) % GROUP;
            let steps = plan.chunk_at(chunk, &mut self.at.inner);
            self.region
                .place_range(self.work.axes.inner.clone(), &self.at.inner, steps);
            for side in [0, 1] {
                let is_shared = self.work.factors[side].factor.is_shared;
                let tile = self.at.places[side].tile;
                let key = [if is_shared { 0 } else { batch }, tile, chunk];
                let in_place = side == 1 && self.work.in_place.is_some();
                if !in_place && self.packed[side].key != Some(key) {
                    self.pack(side, steps);
                    self.packed[side].key = Some(key);
                }
            }
            let onto = match (self.work.onto || chunk > chunks.start, self.work.init) {
                (true, _) if is_grouped && in_group == 0 => Onto::Nothing,
                (true, _) => Onto::Target,
                (false, Some(_)) => Onto::Value((&raw const self.init).cast()),
                (false, None) => Onto::Nothing,
            };
            let scalars = match &self.work.in_place {
                Some(walk) => walk.scalars(self.at.rows(1), plan, self.work.ty),
                None => self.packed_scalars(steps),
            };
            self.multiply(steps, scalars, (position, onto));
            let is_last = chunk + 1 == chunks.end;
            if is_grouped && (in_group + 1 == GROUP || is_last) {
                self.end_group(position, is_last);
            }
        }
    }

    /// Adds the sums of a group of chunks, which are in the output, to those of the groups before; after the last
    /// group the output gets them all. Numbers are `f32`: those of `f16` are not multiplied here.
    fn end_group(&mut self, position: i64, is_last: bool) {
        let [rows, columns] = self.at.places.each_ref().map(|place| place.count);
        let [along_rows, along_columns] = self.work.plan.sides.each_ref().map(|side| side.stride);
        let is_first = self.groups.is_empty();
        let mut at = 0;
        for j in 0..columns {
            for i in 0..rows {
                let element = position + i * along_rows + j * along_columns;
                // SAFETY: the tile is this task's, and its elements are below the output's length.
                let element = unsafe { &mut *self.work.out.element::<f32>(element) };
                match is_first {
                    true => self.groups.push(f64::from(*element)),
                    false => self.groups[at] += f64::from(*element),
                }
                if is_last {
                    *element = self.groups[at] as f32;
                }
                at += 1;
            }
        }
    }

    /// The scalars that were packed.
    fn packed_scalars(&mut self, steps: usize) -> Scalars {
        let at = self.packed[1].memory.as_mut_ptr().cast_const();
        match self.work.factors[1].order {
            Order::Panels => Scalars {
                at,
                unit: 1,
                step: self.work.plan.shape.scalars as isize,
            },
            Order::Rows => Scalars {
                at,
                unit: steps as isize,
                step: 1,
            },
            Order::Steps => Scalars {
                at,
                unit: 1,
                step: self.work.plan.sides[1].last as isize,
            },
        }
    }

    fn pack(&mut self, side: usize, steps: usize) {
        let work = self.work;
        let count = self.at.places[side].count as usize;
        let piece = Piece {
            rows: self.at.rows(side),
            count,
            steps,
            width: work.plan.sides[side].width as usize,
        };
        let to = self.packed[side].memory.as_mut_ptr();
        // SAFETY: the memory has room for a whole tile's panels over a whole chunk, and one width more.
        unsafe { self.packed[side].packer.pack(&piece, to) }
    }

    /// Multiplies what is packed, panel by panel.
    fn multiply(&mut self, steps: usize, scalars: Scalars, (position, onto): (i64, Onto)) {
        let work = self.work;
        let counts = self.at.places.each_ref().map(|place| place.count);
        let firsts = self.at.places.each_ref().map(Place::first);
        let (plan, bytes) = (work.plan, work.ty.bytes());
        let vectors = self.packed[0].memory.as_mut_ptr().cast_const();
        let [lanes, columns] = [plan.shape.lanes, plan.shape.scalars];
        let strides = plan.sides.each_ref().map(|side| side.stride);
        let own = [0, 1].map(|side| work.axes.own[side].last().copied().unwrap_or(0));
        let for_nans = plan.shape.for_nans.filter(|_| self.may_be_nan());
        for j in (0..counts[1]).step_by(columns) {
            let count = columns.min((counts[1] - j) as usize);
            let (panel, micro) = self.scalar_panel(&scalars, (j, count), steps);
            let micro = for_nans.unwrap_or(micro);
            self.region.span(own[1], firsts[1] + j, count);
            for i in (0..counts[0]).step_by(lanes) {
                let width = lanes.min((counts[0] - i) as usize);
                self.region.span(own[0], firsts[0] + i, width);
                let range = self.range(steps);
                if range.is_empty() && matches!(onto, Onto::Target) {
                    continue;
                }
                let target = Target {
                    at: work.out.element(position + i * strides[0] + j * strides[1]),
                    along_vectors: (strides[0] * work.out.stride()) as isize,
                    along_scalars: (strides[1] * work.out.stride()) as isize,
                    lanes: width,
                    scalars: count,
                    onto,
                };
                // Panel `n` starts after `n` panels, whose widths add up to the position of its first element.
                let (first, step) = match work.factors[0].order {
                    Order::Panels | Order::Rows => (i as usize * steps, lanes),
                    Order::Steps => (i as usize, counts[0] as usize),
                };
                let at = vectors.wrapping_add((first + range.start * step) * bytes);
                let panel = panel.starting_at(range.start, bytes);
                // SAFETY: vectors and scalars are all there; the tile is this task's.
                unsafe { micro(range.len(), &Vectors { at, step }, &panel, &target) }
            }
        }
    }

    /// Whether terms of what is packed may be NaN.
    fn may_be_nan(&self) -> bool {
        let [x, y] = self
            .packed
            .each_ref()
            .map(|packed| packed.packer.infinities);
        match self.work.semiring {
            // A zero times an infinity is one.
            Semiring::PlusTimes | Semiring::MinTimes | Semiring::MaxTimes => {
                !x.is_empty() || !y.is_empty()
            }
            // So is a sum of both infinities. What is NaN counts as both.
            Semiring::MinPlus | Semiring::MaxPlus | Semiring::MaxMin | Semiring::MinMax => {
                (x.negative || y.negative) && (x.positive || y.positive)
            }
        }
    }

    /// The steps that count in the region.
    fn range(&self, steps: usize) -> Range<usize> {
        let work = self.work;
        if work.limits.is_empty() {
            return 0..steps;
        }
        let is_finite = |role| {
            let side = work.roles.iter().position(|&r| r == role);
            side.is_some_and(|side| self.packed[side].packer.infinities.is_empty())
        };
        work.limits.steps(&self.region, is_finite)
    }

    /// The panel that begins with scalar `j`, and the kernel to read it.
    fn scalar_panel(
        &mut self,
        all: &Scalars,
        (j, count): (i64, usize),
        steps: usize,
    ) -> (Scalars, Micro) {
        let shape = &self.work.plan.shape;
        let bytes = self.work.ty.bytes();
        if self.work.in_place.is_none() && self.work.factors[1].order == Order::Panels {
            let at = all.at.wrapping_add(j as usize * steps * bytes);
            return (Scalars { at, ..*all }, shape.packed);
        }
        let at = all
            .at
            .wrapping_offset(j as isize * all.unit * bytes as isize);
        let panel = Scalars { at, ..*all };
        match self.work.in_place.is_some() && count < shape.scalars {
            true => (self.padded(&panel, count, steps), shape.apart),
            false => (panel, shape.apart),
        }
    }

    /// A copy of the last scalars of an array, in memory where more may be read.
    fn padded(&mut self, panel: &Scalars, count: usize, steps: usize) -> Scalars {
        let ty = self.work.ty;
        let memory = self.packed[1].memory.as_mut_ptr();
        for row in 0..count {
            let from = panel
                .at
                .wrapping_offset(row as isize * panel.unit * ty.bytes() as isize);
            // SAFETY: the array has the row; the memory has room for a whole tile.
            unsafe {
                let to = memory.add(row * steps * ty.bytes());
                lanes::strided_load(ty, steps, from, panel.step, to);
            }
        }
        Scalars {
            at: memory.cast_const(),
            unit: steps as isize,
            step: 1,
        }
    }
}

impl Walk {
    /// The scalars of a piece at the given rows.
    fn scalars(&self, rows: &[i64], plan: &Plan, ty: ScalarType) -> Scalars {
        let inner = plan.inner.len();
        let own = self.strides.len() - inner - 1;
        let offset = dot(rows, &self.strides) as isize * ty.bytes() as isize;
        Scalars {
            at: self.data.wrapping_offset(offset),
            unit: self.strides[own] as isize,
            step: self.strides.last().map_or(0, |&s| s as isize),
        }
    }
}

/// A tile's place along one factor's coordinates.
struct Place {
    /// Its number.
    tile: i64,
    /// The coordinates of its first element.
    at: Vec<i64>,
    /// How many elements it has along the last coordinate.
    count: i64,
    /// The distance of its results from the first ones.
    position: i64,
}

impl Place {
    /// The last coordinate of its first element.
    fn first(&self) -> i64 {
        self.at.last().copied().unwrap_or(0)
    }

    fn new(side: &Side) -> Self {
        Self {
            tile: 0,
            at: vec![0; side.outer.len() + 1],
            count: 0,
            position: 0,
        }
    }

    fn go_to(&mut self, side: &Side, tile: i64) {
        let per_row = side.tiles_per_row();
        let last = side.outer.len();
        unrank(tile / per_row, &side.outer, &mut self.at[..last]);
        let first = tile % per_row * side.tile;
        self.at[last] = first;
        self.tile = tile;
        self.count = side.tile.min(side.last - first);
        self.position = dot(&self.at[..last], &side.outer_strides) + first * side.stride;
    }
}

/// Where piece `n` begins, of `items` cut into `pieces`.
fn cut(items: i64, pieces: i64, n: i64) -> i64 {
    (i128::from(items) * i128::from(n) / i128::from(pieces)) as i64
}

fn dot(x: &[i64], y: &[i64]) -> i64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
