//! Contractions: blocked matrix products of factors that are computed while they are packed.
//!
//! The space of a contraction is a batch of matrix products, rows and columns being the coordinates that one
//! factor alone has. A task computes tiles of them; for a tile it goes through the inner space in chunks,
//! packs both factors (`pack`), and multiplies panel by panel (`micro`). One factor is read by vectors, the
//! other by scalars; which one, and the shape of the panels, is chosen by the extents. Scalars are read where
//! they are if the factor is an array (`place`).
//!
//! An element of the result is the sum, in order, of the sums of chunks (and of parts of several chunks where
//! the inner space is long and the results are few), whose boundaries depend on the extents alone. So it
//! depends neither on threads nor on tiles. It does not depend on the instruction set either, but for the
//! baseline's lack of fused multiplication and addition.
//!
//! Where a factor reads out of range, and where the products are too small to be worth it, the kernel runs
//! as the fold that it is.
//!
//! Unsafe code: micro-kernels write through raw pointers, each tile by one task.

mod micro;
mod pack;
mod place;
mod plan;
mod vector;

use crate::isa::Isa;
use crate::kernel::{Launch, bug, share};
use crate::lanes;
use crate::machine::coords::unrank;
use crate::machine::failure::FailureCell;
use crate::machine::{Scratch, write_const};
use crate::memory::{OutRef, data_mut, zeroed};
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::host::Column;
use cotangent_core::schedule::{Body, Kernel, KernelKind, Op, Role, ValueId};
use cotangent_core::types::ScalarType;
use micro::{Micro, Onto, Scalars, Shape, Target, shapes};
use pack::{Bound, Coords, Factor, Order, Packer, Piece};
use place::Walk;
use plan::{Plan, Side};

/// A contraction made ready to run.
#[derive(Debug)]
pub(crate) struct Contraction {
    left: Factor,
    right: Factor,
    roles: Vec<Role>,
    ty: ScalarType,
    shapes: Vec<Shape>,
    /// Whether a factor may read out of range.
    may_fail: bool,
}

/// Whether a contraction was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The results are there.
    Done,
    /// The kernel is to be run as a fold.
    AsFold,
}

/// What the results of a contraction start from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start {
    /// An initial value, or the first product.
    At(Option<Const>),
    /// What is there. Nothing is written unless the outcome is [`Outcome::Done`].
    Onto,
}

impl Contraction {
    /// Prepares a kernel, if it is a contraction that can be run as such.
    pub fn new(isa: Isa, kernel: &Kernel) -> Option<Self> {
        let KernelKind::Contract {
            inner,
            body,
            roles,
            left,
            right,
            init: _,
            output,
        } = &kernel.kind
        else {
            return None;
        };
        if !roles.contains(&Role::Left) || !roles.contains(&Role::Right) {
            return None;
        }
        let ty = body.type_of(output.value);
        let inner = roles.len()..roles.len() + inner.len();
        let factor = |value: ValueId, own: Role| -> Option<Factor> {
            let (batch, own) = (axes(roles, Role::Batch), axes(roles, own));
            let coords = Coords {
                batch: &batch,
                own: &own,
                inner: inner.clone(),
            };
            let body: &Body = body;
            (!inner.is_empty()).then(|| Factor::new(isa, body, value, &coords))?
        };
        Some(Self {
            left: factor(*left, Role::Left)?,
            right: factor(*right, Role::Right)?,
            roles: roles.clone(),
            ty,
            shapes: shapes(isa, ty),
            may_fail: body.insts.iter().any(|inst| match &inst.op {
                Op::Load(load) => load.site.is_some(),
                Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) | Op::Prim(..) => false,
            }),
        })
    }

    /// Runs the contraction over the given extents, those of the space first.
    ///
    /// # Errors
    /// Where memory for partial results cannot be had.
    pub fn run(&self, launch: &Launch, extents: &[i64], start: Start) -> Result<Outcome, RunError> {
        let Some(plan) = Plan::new(&self.roles, extents, &self.shapes, launch.team.threads) else {
            return Ok(Outcome::AsFold);
        };
        let (init, onto) = match start {
            Start::At(init) => (init, false),
            Start::Onto => (None, true),
        };
        if onto && (plan.parts > 1 || self.may_fail) {
            return Ok(Outcome::AsFold);
        }
        let failure = FailureCell::default();
        let sides = match plan.vectors {
            Role::Right => [&self.right, &self.left],
            Role::Left | Role::Batch => [&self.left, &self.right],
        };
        let orders = [Order::Panels, sides[1].order()];
        let boxes = [0, 1].map(|side| {
            let (counts, width) = (plan.sides[side].counts(), plan.sides[side].width);
            sides[side].boxes(orders[side], &counts, &plan.steps(), width)
        });
        let [vectors, scalars] =
            [0, 1].map(|i| sides[i].bind(launch, orders[i], &boxes[i], &failure));
        let in_place = self.in_place(&plan, sides[1], launch, extents)?;
        let parts = Parts::new(&plan, launch.outputs[0])?;
        let work = Work {
            plan: &plan,
            factors: [vectors?, scalars?],
            in_place,
            ty: self.ty,
            init: (parts.memory.is_none()).then_some(init).flatten(),
            onto,
            out: parts.out,
        };
        share(launch.team, plan.items(), plan.work(), |range| {
            let mut task = Task::new(&work);
            range.for_each(|item| task.tile(item));
        });
        drop(work);
        if failure.into_inner().is_some() {
            return Ok(Outcome::AsFold);
        }
        parts.finish(&plan, launch, init);
        Ok(Outcome::Done)
    }
}

impl Contraction {
    /// Where the factor read by scalars lies, if it can be read there.
    fn in_place(
        &self,
        plan: &Plan,
        scalars: &Factor,
        launch: &Launch,
        extents: &[i64],
    ) -> Result<Option<Walk>, RunError> {
        let Some(place) = &scalars.place else {
            return Ok(None);
        };
        let own = match plan.vectors {
            Role::Right => Role::Left,
            Role::Left | Role::Batch => Role::Right,
        };
        let coords = Coords {
            batch: &axes(&self.roles, Role::Batch),
            own: &axes(&self.roles, own),
            inner: self.roles.len()..extents.len(),
        };
        place.walk(launch, &coords, extents)
    }
}

/// The coordinates of a role.
fn axes(roles: &[Role], wanted: Role) -> Vec<usize> {
    let all = roles.iter().enumerate();
    all.filter(|&(_, &role)| role == wanted)
        .map(|(axis, _)| axis)
        .collect()
}

/// Where the sums of parts of the inner space go.
struct Parts {
    /// The results themselves if there is one part, else one sheet of results per part.
    out: OutRef,
    memory: Option<Column>,
}

impl Parts {
    fn new(plan: &Plan, out: OutRef) -> Result<Self, RunError> {
        if plan.parts == 1 {
            return Ok(Self { out, memory: None });
        }
        let len = plan.parts * plan.results;
        let mut memory = zeroed(out.ty(), len as usize);
        let data = memory.as_mut().and_then(data_mut);
        let data = data.ok_or_else(|| bug("there is no memory for partial sums"))?;
        // SAFETY: the memory has that many elements, and lives as long as `self`.
        let out = unsafe { OutRef::new(data, out.ty(), 1, len) };
        Ok(Self { out, memory })
    }

    /// Adds up the parts, in order.
    fn finish(&self, plan: &Plan, launch: &Launch, init: Option<Const>) {
        if self.memory.is_none() {
            return;
        }
        launch.team.passes.alone();
        let out = launch.outputs[0];
        for result in 0..plan.results {
            // SAFETY: all tasks have ended; positions are below the lengths.
            unsafe {
                let parts = (0..plan.parts).map(|part| self.out.get(part * plan.results + result));
                let sum = init.into_iter().chain(parts).reduce(add);
                out.set(result, sum.unwrap_or(Const::zero(out.ty())));
            }
        }
    }
}

fn add(x: Const, y: Const) -> Const {
    cotangent_core::prim::Prim::Add.eval(&[x, y]).unwrap_or(x)
}

/// What all tasks share.
struct Work<'a> {
    plan: &'a Plan,
    /// The factor read by vectors, and that read by scalars.
    factors: [Bound<'a>; 2],
    /// The factor read by scalars, if that is not packed.
    in_place: Option<Walk>,
    ty: ScalarType,
    init: Option<Const>,
    /// Whether the first sums are added to what the output holds.
    onto: bool,
    out: OutRef,
}

/// What a task keeps from tile to tile.
struct Task<'a> {
    work: &'a Work<'a>,
    packed: [Packed<'a>; 2],
    /// The initial value, in the form of an element.
    init: u64,
}

/// The piece of a factor that was packed last.
struct Packed<'a> {
    memory: Scratch,
    packer: Packer<'a>,
    /// Its batch, tile and chunk.
    key: Option<[i64; 3]>,
}

impl<'a> Task<'a> {
    fn new(work: &'a Work<'a>) -> Self {
        let mut init = 0u64;
        if let Some(value) = work.init {
            // SAFETY: no element has more than 8 bytes.
            unsafe { write_const((&raw mut init).cast(), value) }
        }
        let packed = [0, 1].map(|side| {
            let len = work.plan.sides[side].tile * work.plan.chunk;
            Packed {
                memory: Scratch::take(len as usize * work.ty.bytes()),
                packer: Packer::new(&work.factors[side]),
                key: None,
            }
        });
        Self { work, packed, init }
    }

    /// Computes a tile: the sums of one part of the inner space.
    fn tile(&mut self, item: i64) {
        let plan = self.work.plan;
        let tiles = plan.sides.each_ref().map(Side::tiles);
        let (batch_and_part, tile) = (item / (tiles[0] * tiles[1]), item % (tiles[0] * tiles[1]));
        let batches: i64 = plan.batch.iter().product();
        let (part, batch) = (batch_and_part / batches, batch_and_part % batches);
        let mut batch_at = vec![0; plan.batch.len()];
        unrank(batch, &plan.batch, &mut batch_at);
        let places = [
            Place::new(&plan.sides[0], tile % tiles[0]),
            Place::new(&plan.sides[1], tile / tiles[0]),
        ];
        let position = part * plan.results
            + dot(&batch_at, &plan.batch_strides)
            + places.iter().map(|place| place.position).sum::<i64>();
        let chunks = cut(plan.chunks, plan.parts, part)..cut(plan.chunks, plan.parts, part + 1);
        for chunk in chunks.clone() {
            let (steps, inner_at) = plan.chunk_at(chunk);
            for (side, place) in places.iter().enumerate() {
                let key = [batch, place.tile, chunk];
                let in_place = side == 1 && self.work.in_place.is_some();
                if !in_place && self.packed[side].key != Some(key) {
                    self.pack(
                        side,
                        &[&batch_at[..], &place.at, &inner_at].concat(),
                        place.count,
                        steps,
                    );
                    self.packed[side].key = Some(key);
                }
            }
            let onto = match (self.work.onto || chunk > chunks.start, self.work.init) {
                (true, _) => Onto::Target,
                (false, Some(_)) => Onto::Value((&raw const self.init).cast()),
                (false, None) => Onto::Nothing,
            };
            let scalars = match &self.work.in_place {
                Some(walk) => walk.scalars(
                    &[&batch_at[..], &places[1].at, &inner_at].concat(),
                    plan,
                    self.work.ty,
                ),
                None => self.packed_scalars(steps),
            };
            self.multiply(&places, steps, scalars, (position, onto));
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
        }
    }

    fn pack(&mut self, side: usize, rows: &[i64], count: i64, steps: usize) {
        let work = self.work;
        let piece = Piece {
            rows,
            count: count as usize,
            steps,
            width: work.plan.sides[side].width as usize,
        };
        let to = self.packed[side].memory.as_mut_ptr();
        // SAFETY: the memory has room for a whole tile's panels over a whole chunk.
        unsafe { self.packed[side].packer.pack(&piece, to) }
    }

    /// Multiplies what is packed, panel by panel.
    fn multiply(
        &mut self,
        places: &[Place; 2],
        steps: usize,
        scalars: Scalars,
        (position, onto): (i64, Onto),
    ) {
        let work = self.work;
        let (plan, bytes) = (work.plan, work.ty.bytes());
        let vectors = self.packed[0].memory.as_mut_ptr();
        let [lanes, columns] = [plan.shape.lanes, plan.shape.scalars];
        let strides = plan.sides.each_ref().map(|side| side.stride);
        for j in (0..places[1].count).step_by(columns) {
            let count = columns.min((places[1].count - j) as usize);
            let (panel, micro) = self.scalar_panel(&scalars, (j, count), steps);
            for i in (0..places[0].count).step_by(lanes) {
                let target = Target {
                    at: work.out.element(position + i * strides[0] + j * strides[1]),
                    along_vectors: (strides[0] * work.out.stride()) as isize,
                    along_scalars: (strides[1] * work.out.stride()) as isize,
                    lanes: lanes.min((places[0].count - i) as usize),
                    scalars: count,
                    onto,
                };
                // SAFETY: panel `n` of the vectors starts after `n` panels, whose widths add up to the position
                // of its first element; the scalars are all there; the tile is this task's.
                unsafe {
                    let x = vectors.add(i as usize * steps * bytes);
                    micro(steps, x, &panel, &target);
                }
            }
        }
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
    fn new(side: &Side, tile: i64) -> Self {
        let per_row = side.tiles_per_row();
        let mut at = vec![0; side.outer.len()];
        unrank(tile / per_row, &side.outer, &mut at);
        let first = tile % per_row * side.tile;
        let position = dot(&at, &side.outer_strides) + first * side.stride;
        at.push(first);
        Self {
            tile,
            at,
            count: side.tile.min(side.last - first),
            position,
        }
    }
}

/// Where piece `n` begins, of `items` cut into `pieces`.
fn cut(items: i64, pieces: i64, n: i64) -> i64 {
    (i128::from(items) * i128::from(n) / i128::from(pieces)) as i64
}

fn dot(x: &[i64], y: &[i64]) -> i64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
