//! How a contraction is cut up, decided from its extents.
//!
//! Chunks and parts of the inner space, which the order of addition depends on, follow from the extents
//! alone. Which factor is read by vectors, the shape of panels and the size of tiles do not change results,
//! and may depend on the instruction set and the number of threads.

use super::limits::Limits;
use super::shapes::{Shape, may_be_vectors};
use crate::machine::coords::{product, strides, unrank};
use cotangent_core::schedule::{Role, Semiring};

/// The most steps of the inner space that are packed at once.
const CHUNK: i64 = 256;
/// The most elements of one dimension of a tile; two packed pieces should stay in the second cache.
const TILE: i64 = 256;
/// The fewest chunks of a part.
const PART_CHUNKS: i64 = 16;
/// The most elements that partial sums take.
const PARTIAL_RESULTS: i64 = 1 << 19;
/// The widest tile that vectors may be read from step by step: where steps lie further apart, they meet in the
/// first cache.
const NARROW: i64 = 128;
/// Products with a dimension below that run as folds,
const LEAST_EXTENT: i64 = 4;
/// and so do those of fewer steps times results, in one element of the batch.
const LEAST_PRODUCT: i64 = 1 << 11;
/// The cost of writing an element, in multiplications and additions of vectors: of neighbours, and apart.
const WRITE: [f64; 2] = [0.5, 6.0];

/// How one factor is cut.
#[derive(Debug)]
pub(super) struct Side {
    /// The extents of its own coordinates but the last.
    pub outer: Vec<i64>,
    /// The distances of results along them.
    pub outer_strides: Vec<i64>,
    /// The extent of the last one.
    pub last: i64,
    /// The distance of results along it.
    pub stride: i64,
    /// The width of a panel.
    pub width: i64,
    /// How much of the last coordinate a tile takes.
    pub tile: i64,
}

impl Side {
    /// Tiles along the last coordinate.
    pub fn tiles_per_row(&self) -> i64 {
        ceil(self.last, self.tile)
    }

    /// All tiles.
    pub fn tiles(&self) -> i64 {
        self.outer.iter().product::<i64>() * self.tiles_per_row()
    }

    /// Whether it is a single tile that is narrow.
    pub fn is_narrow(&self) -> bool {
        self.tiles_per_row() == 1 && self.last <= NARROW
    }

    /// How much of the last coordinate tiles take.
    pub fn counts(&self) -> Vec<i64> {
        let rest = self.last - (self.tiles_per_row() - 1) * self.tile;
        vec![self.tile.min(self.last), rest]
    }

    fn shrink(&mut self) {
        self.tile = round_up(self.tile / 2, self.width);
    }
}

/// How a contraction is cut.
#[derive(Debug)]
pub(super) struct Plan {
    /// The factor that is read by vectors.
    pub vectors: Role,
    /// The kernel and its panels.
    pub shape: Shape,
    /// The extents of the batch.
    pub batch: Vec<i64>,
    /// The distances of results along them.
    pub batch_strides: Vec<i64>,
    /// The factors read by vectors and by scalars.
    pub sides: [Side; 2],
    /// The extents of the inner space.
    pub inner: Vec<i64>,
    /// The most steps of a chunk.
    pub chunk: i64,
    /// The number of chunks.
    pub chunks: i64,
    /// The number of parts that are added up at the end.
    pub parts: i64,
    /// The number of results.
    pub results: i64,
}

fn ceil(x: i64, y: i64) -> i64 {
    (x as u64).div_ceil(y as u64) as i64
}

fn round_up(x: i64, unit: i64) -> i64 {
    ceil(x.max(1), unit) * unit
}

impl Plan {
    /// The plan for the given extents, those of the space first; none where a fold does better, or where
    /// there is nothing to do.
    pub fn new(
        roles: &[Role],
        extents: &[i64],
        (semiring, shapes, limits): (Semiring, &[Shape], &Limits),
        threads: usize,
    ) -> Option<Self> {
        let (space, inner) = extents.split_at(roles.len());
        let results = product(space)?;
        let steps = product(inner)?;
        let side = |role| product(&of_role(space, roles, role));
        let (left, right) = (side(Role::Left)?, side(Role::Right)?);
        let least = left.min(right).min(steps);
        let size = left.saturating_mul(right).saturating_mul(steps);
        if results == 0 || least < LEAST_EXTENT || size < LEAST_PRODUCT {
            return None;
        }
        let last = *inner.last()?;
        let chunks = ceil(last, CHUNK) * (steps / last);
        let (vectors, shape, sides) = choose(roles, extents, steps, (semiring, shapes, limits))?;
        let mut plan = Self {
            vectors,
            shape,
            batch: of_role(space, roles, Role::Batch),
            batch_strides: of_role(&strides(space), roles, Role::Batch),
            sides,
            inner: inner.to_vec(),
            chunk: last.min(CHUNK),
            chunks,
            parts: (chunks / PART_CHUNKS).min(PARTIAL_RESULTS / results).max(1),
            results,
        };
        plan.feed(threads);
        Some(plan)
    }

    /// Makes tiles smaller until there are enough for all threads.
    fn feed(&mut self, threads: usize) {
        let wanted = if threads > 1 { 2 * threads as i64 } else { 1 };
        while self.items() < wanted {
            let [a, b] = self.sides.each_mut();
            let side = if a.tile > b.tile { a } else { b };
            if side.tile <= 4 * side.width {
                return;
            }
            side.shrink();
        }
    }

    /// The length of a chunk; `at` becomes the inner coordinates where it starts.
    pub fn chunk_at(&self, chunk: i64, at: &mut [i64]) -> usize {
        let Some((&last, _)) = self.inner.split_last() else {
            return 0;
        };
        let per_row = ceil(last, CHUNK);
        unrank(chunk / per_row * last, &self.inner, at);
        let first = chunk % per_row * CHUNK;
        let end = at.len() - 1;
        at[end] = first;
        (last - first).min(CHUNK) as usize
    }

    /// The lengths of chunks.
    pub fn steps(&self) -> Vec<i64> {
        let last = self.inner.last().copied().unwrap_or(0);
        vec![self.chunk, last - (ceil(last, CHUNK) - 1) * CHUNK]
    }

    /// The number of tiles, in all parts and elements of the batch.
    pub fn items(&self) -> i64 {
        let tiles = self.sides[0].tiles() * self.sides[1].tiles();
        self.parts * self.batch.iter().product::<i64>() * tiles
    }

    /// The work of a tile.
    pub fn work(&self) -> usize {
        let steps = self.inner.iter().product::<i64>() / self.parts;
        let tile = self
            .sides
            .iter()
            .map(|s| s.tile.min(s.last))
            .product::<i64>();
        (tile.saturating_mul(steps) / 8) as usize
    }
}

fn of_role(of: &[i64], roles: &[Role], wanted: Role) -> Vec<i64> {
    let all = of.iter().zip(roles);
    all.filter(|&(_, &role)| role == wanted)
        .map(|(&x, _)| x)
        .collect()
}

/// The factor to read by vectors, the shape, and how both factors are cut.
type Choice = (Role, Shape, [Side; 2]);

/// The factor to read by vectors, and the shape, that waste least.
fn choose(
    roles: &[Role],
    extents: &[i64],
    steps: i64,
    (semiring, shapes, limits): (Semiring, &[Shape], &Limits),
) -> Option<Choice> {
    let space = &extents[..roles.len()];
    let last = |role| roles.iter().rposition(|&r| r == role);
    let mut best: Option<(f64, Choice)> = None;
    let both = [(Role::Right, Role::Left), (Role::Left, Role::Right)];
    let ways = both.into_iter();
    for (vectors, scalars) in ways.filter(|&(vectors, _)| may_be_vectors(semiring, vectors)) {
        for &shape in shapes {
            let sides = [
                side(roles, space, vectors, shape.lanes)?,
                side(roles, space, scalars, shape.scalars)?,
            ];
            let axes = [last(vectors)?, last(scalars)?];
            let share = limits.share(extents, axes, [shape.lanes, shape.scalars]);
            let cost = cost(&sides, &shape, steps as f64 * share);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, (vectors, shape, sides)));
            }
        }
    }
    best.map(|(_, choice)| choice)
}

fn side(roles: &[Role], space: &[i64], role: Role, width: usize) -> Option<Side> {
    let mut outer = of_role(space, roles, role);
    let mut outer_strides = of_role(&strides(space), roles, role);
    let (last, stride, width) = (outer.pop()?, outer_strides.pop()?, width as i64);
    let tile = round_up(ceil(last, ceil(last, TILE)), width);
    Some(Side {
        outer,
        outer_strides,
        last,
        stride,
        width,
        tile,
    })
}

/// The cost of a tile of the whole last coordinates, in multiplications and additions of vectors.
fn cost([vectors, scalars]: &[Side; 2], shape: &Shape, steps: f64) -> f64 {
    let panels = ceil(vectors.last, vectors.width) as f64;
    let columns = (ceil(scalars.last, scalars.width) * scalars.width) as f64;
    let sums = panels * columns * (vectors.width as f64 / shape.lane_count as f64);
    let reads = (shape.lanes / shape.lane_count + shape.scalars) as f64
        / (shape.lanes / shape.lane_count * shape.scalars) as f64;
    let write = WRITE[usize::from(vectors.stride != 1)];
    sums * (steps * (1.0 + reads) + write * shape.lane_count as f64)
}
