//! Packing: the elements of one factor, in the order in which micro-kernels read them.
//!
//! The factor's part of the kernel's body is compiled for a nest of its own, whose lanes count through
//! panels, steps of the inner space, and the width of a panel, in this order: a column of lanes *is* a
//! packed panel, and is computed in place. The factor's last own coordinate and the last inner coordinate
//! are cut into tiles and chunks; all other coordinates are rows.
//!
//! Where its arrays lie like that, a factor that is read by scalars may also be computed row by row, steps being
//! neighbours ([`Order::Rows`]), and a narrow one that is read by vectors step by step ([`Order::Steps`]): then
//! lanes count through memory as the arrays do. A factor that is nothing but an array is not copied at all where
//! it is read by scalars (`place.rs`).
//!
//! Unsafe code: columns are written to memory that the caller hands in.

use super::place::{Place, lies_in_rows};
use crate::code::{Code, MAX_COORDS, Nest, Wanted, compile};
use crate::isa::Target;
use crate::kernel::{Launch, lanes_for};
use crate::lanes::{self, Infinities};
use crate::machine::failure::FailureCell;
use crate::machine::{Env, Machine, Scratch};
use cotangent_core::backend::RunError;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Inst, Op, ValueId};
use cotangent_core::types::ScalarType;

/// The most lanes of which something is kept from one element of the batch to the next.
const KEPT_LANES: usize = 1 << 14;

/// The order in which a factor is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Panel by panel, in each step by step.
    Panels,
    /// Position by position of the own coordinate, and for each step by step.
    Rows,
    /// Step by step, and for each position by position of the own coordinate.
    Steps,
}

impl Order {
    /// The coordinates of lanes.
    fn lanes(self) -> usize {
        match self {
            Self::Panels => 3,
            Self::Rows | Self::Steps => 2,
        }
    }

    /// The coordinates that it adds to the rows: the width of a panel, and those of lanes.
    fn added(self) -> usize {
        1 + self.lanes()
    }
}

/// One factor, made ready to be packed.
#[derive(Debug)]
pub(super) struct Factor {
    panels: Code,
    /// The same in the order in which its arrays lie.
    flat: Option<(Order, Code)>,
    ty: ScalarType,
    /// The row coordinate at which panels start.
    cut: usize,
    /// Whether it is the same in the whole batch.
    pub is_shared: bool,
    /// Where the factor is, if it is an array.
    pub place: Option<Place>,
}

/// Which coordinates a factor has.
pub(super) struct Coords<'a> {
    /// Those of the space that both factors have.
    pub batch: &'a [usize],
    /// Those of the space that this factor alone has; at least one.
    pub own: &'a [usize],
    /// Those of the inner space; at least one.
    pub inner: std::ops::Range<usize>,
}

impl Coords<'_> {
    /// All of them, in the order of rows.
    pub fn all(&self) -> Vec<usize> {
        let space = self.batch.iter().chain(self.own).copied();
        space.chain(self.inner.clone()).collect()
    }
}

/// Where a piece of a factor is: coordinates in the order of [`Coords`].
pub(super) struct Piece<'a> {
    /// All row coordinates: the batch, the own and the inner ones, the last two cut ones being first
    /// positions.
    pub rows: &'a [i64],
    /// How many of the last own coordinate.
    pub count: usize,
    /// How many of the last inner coordinate.
    pub steps: usize,
    /// The width of a panel.
    pub width: usize,
}

impl Factor {
    /// Compiles a factor, whose subnormal numbers may become zeros; `None` where it has too many coordinates.
    pub fn new(
        target: Target,
        body: &Body,
        (value, flushed): (ValueId, bool),
        coords: &Coords,
    ) -> Option<Self> {
        let form = |order: Order| {
            let rows = coords.batch.len() + coords.own.len() + coords.inner.len();
            let nest = Nest {
                // One element of the batch after the other.
                moving: (1 << coords.batch.len()) - 1,
                coords: rows + order.added(),
                lane: rows + 1..rows + order.added(),
                seq: 0..0,
                args: vec![],
            };
            if nest.coords > MAX_COORDS {
                return None;
            }
            let (body, value) = rewritten(body, value, coords, order);
            compile(target, &body, &nest, &Wanted::Factor { value, flushed })
        };
        let flat = match lies_in_rows(body, value, coords) {
            true => Order::Rows,
            false => Order::Steps,
        };
        Some(Self {
            panels: form(Order::Panels)?,
            flat: form(flat).map(|code| (flat, code)),
            ty: body.type_of(value),
            cut: coords.batch.len() + coords.own.len() - 1,
            is_shared: is_shared(body, value, coords),
            place: Place::of(body, value, coords),
        })
    }

    /// An order, if its arrays lie like that, and panels otherwise.
    pub fn order_or_panels(&self, wanted: Order) -> Order {
        match &self.flat {
            Some((flat, _)) if *flat == wanted => wanted,
            Some(_) | None => Order::Panels,
        }
    }

    fn code(&self, order: Order) -> &Code {
        match &self.flat {
            Some((flat, code)) if *flat == order => code,
            Some(_) | None => &self.panels,
        }
    }

    /// All extents of boxes of lanes that pieces are packed in, for pieces of some `counts` along the own
    /// coordinate and some numbers of `steps`.
    pub fn boxes(&self, order: Order, counts: &[i64], steps: &[i64], width: i64) -> Vec<Vec<i64>> {
        let nest = &self.code(order).nest;
        let mut boxes = vec![];
        for (&count, &steps) in counts
            .iter()
            .flat_map(|c| steps.iter().map(move |s| (c, s)))
        {
            let lanes = match order {
                Order::Panels => vec![
                    vec![count / width, steps, width],
                    vec![1, steps, count % width],
                ],
                Order::Rows => vec![vec![count, steps]],
                Order::Steps => vec![vec![steps, count]],
            };
            for lanes in lanes {
                let mut extents = vec![1; nest.coords];
                extents[nest.lane.clone()].copy_from_slice(&lanes);
                if !lanes.contains(&0) && !boxes.contains(&extents) {
                    boxes.push(extents);
                }
            }
        }
        boxes
    }

    /// Binds the factor to the arrays of a launch, once per box.
    pub fn bind<'a>(
        &'a self,
        launch: &Launch<'a>,
        (order, searched): (Order, bool),
        boxes: &'a [Vec<i64>],
        failure: &'a FailureCell,
    ) -> Result<Bound<'a>, RunError> {
        let arrays = self
            .code(order)
            .arrays
            .iter()
            .map(|&array| (launch.read)(array));
        let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
        let env = |extents: &'a Vec<i64>| Env {
            symbols: launch.symbols,
            arrays: arrays.clone(),
            extents,
            failure,
        };
        Ok(Bound {
            factor: self,
            order,
            searched,
            envs: boxes.iter().map(env).collect(),
        })
    }
}

/// A factor with its arrays.
pub(super) struct Bound<'a> {
    pub factor: &'a Factor,
    /// The order in which it is computed.
    pub order: Order,
    /// Whether somebody asks for its infinities.
    searched: bool,
    /// For each box.
    envs: Vec<Env<'a>>,
}

/// Packs pieces of a factor, within one task.
pub(super) struct Packer<'a> {
    bound: &'a Bound<'a>,
    /// The machines for boxes that were met.
    machines: Vec<Option<Machine<'a>>>,
    /// The row coordinates.
    rows: Vec<i64>,
    /// The infinities of the last piece, if somebody asks.
    pub infinities: Infinities,
}

impl<'a> Packer<'a> {
    pub fn new(bound: &'a Bound<'a>) -> Self {
        Self {
            bound,
            machines: bound.envs.iter().map(|_| None).collect(),
            rows: vec![],
            infinities: Infinities::default(),
        }
    }

    /// Packs a piece.
    ///
    /// # Safety
    /// `to` is valid for writing as many panels as the piece has, the last one padded with zeros, or as many
    /// rows, or as many steps and one panel's width more; and overlaps no array.
    pub unsafe fn pack(&mut self, piece: &Piece, to: *mut u8) {
        let Piece {
            rows: _,
            count,
            steps,
            width,
        } = *piece;
        let ty = self.bound.factor.ty;
        let bytes = ty.bytes();
        self.infinities = Infinities::default();
        match self.bound.order {
            Order::Panels => {}
            // SAFETY: `to` has room for `count` rows of `steps` elements, which is all that is computed.
            Order::Rows => return unsafe { self.columns(piece, 0, &[count, steps], to) },
            // SAFETY: `to` has room for `steps` times `count` elements and, beyond them, for the width of a panel,
            // which the last panel of the last step may read.
            Order::Steps => unsafe {
                self.columns(piece, 0, &[steps, count], to);
                return std::ptr::write_bytes(to.add(count * steps * bytes), 0, width * bytes);
            },
        }
        let (panels, rest) = (count / width, count % width);
        let panel_bytes = steps * width * bytes;
        // SAFETY: `to` has room for all panels, the last one included; the scratch memory has `panel_bytes`, of
        // which `rest < width` columns are used.
        unsafe {
            if panels > 0 {
                let extents = [panels, steps, width];
                self.columns(piece, 0, &extents, to);
            }
            if rest > 0 {
                let mut scratch = Scratch::take(panel_bytes);
                let edge = scratch.as_mut_ptr();
                self.columns(piece, panels, &[1, steps, rest], edge);
                let to = to.add(panels * panel_bytes);
                std::ptr::write_bytes(to, 0, panel_bytes);
                for step in 0..steps {
                    let from = edge.add(step * rest * bytes);
                    lanes::copy(ty, rest, from, to.add(step * width * bytes));
                }
            }
        }
    }

    /// Computes panels from number `first` on, whose extents may be less than the width of whole ones.
    ///
    /// # Safety
    /// `to` is valid for writing all elements and overlaps no array.
    unsafe fn columns(&mut self, piece: &Piece, first: usize, extents: &[usize], to: *mut u8) {
        let Bound {
            factor,
            order,
            searched,
            envs,
        } = self.bound;
        let code = factor.code(*order);
        let lane = code.nest.lane.clone();
        let extents_of = |env: &Env| {
            let mut lanes = extents.iter().zip(&env.extents[lane.clone()]);
            lanes.all(|(&here, &there)| here as i64 == there)
        };
        let Some(number) = envs.iter().position(extents_of) else {
            unreachable!("boxes were made for all counts and steps that there are")
        };
        let total: usize = extents.iter().product();
        // Instructions of packing are few and quick: it pays to start them less often.
        let lanes = 2 * lanes_for(code, 1);
        let kept = if total <= KEPT_LANES { total } else { lanes };
        let new = || Machine::keeping(code, &envs[number], lanes, kept.div_ceil(lanes));
        let machine = self.machines[number].get_or_insert_with(new);
        self.rows.clear();
        self.rows.extend_from_slice(piece.rows);
        self.rows[factor.cut] += (first * piece.width) as i64;
        self.rows.push(piece.width as i64);
        machine.row(&self.rows);
        for start in (0..total).step_by(lanes) {
            let n = (total - start).min(lanes);
            // SAFETY: the lanes `start .. start + n` are elements of `to`, which overlaps no array; a machine's
            // output has the `n` lanes of its block.
            unsafe {
                let to = to.add(start * factor.ty.bytes());
                machine.redirect(0, to);
                machine.block(start as i64, n);
                let from = machine.output(0);
                if from != to.cast_const() {
                    lanes::copy(factor.ty, n, from, to);
                }
                // While the first cache has them.
                if *searched {
                    self.infinities |= lanes::infinities(code.target.isa, factor.ty, n, to);
                }
            }
        }
    }
}

/// Whether a value does not depend on the batch.
fn is_shared(body: &Body, value: ValueId, coords: &Coords) -> bool {
    let depends = body.dependencies()[value.index()];
    coords.batch.iter().all(|&axis| depends >> axis & 1 == 0)
}

/// The part of a body that `value` needs, on the coordinates of packing; and the value in it.
fn rewritten(body: &Body, value: ValueId, coords: &Coords, order: Order) -> (Body, ValueId) {
    let mut rewriter = Rewriter {
        body: Body::default(),
        rows: coords.all(),
        own: coords.own.last().copied(),
        inner: coords.inner.end - 1,
        order,
    };
    let mut new = vec![ValueId(0); body.len()];
    for (v, inst) in body.needed(&[value]) {
        new[v.index()] = rewriter.inst(inst, &new);
    }
    (rewriter.body, new[value.index()])
}

struct Rewriter {
    body: Body,
    /// The coordinates that become rows, by their new number.
    rows: Vec<usize>,
    /// The own coordinate that is cut into panels.
    own: Option<usize>,
    /// The inner coordinate that is cut into chunks.
    inner: usize,
    order: Order,
}

impl Rewriter {
    fn inst(&mut self, Inst { op, ty }: &Inst, new: &[ValueId]) -> ValueId {
        match op.as_coord() {
            Some(axis) => self.coord(axis as usize),
            None => self.body.push(op.renamed(&|v| new[v.index()]), *ty),
        }
    }

    /// A coordinate of the kernel: a row, or a row and lanes.
    fn coord(&mut self, axis: usize) -> ValueId {
        // Checked bodies have no others: a factor does not depend on the other factor's coordinates.
        let row = self.rows.iter().position(|&a| a == axis).unwrap_or(0);
        let first = self.new_coord(row);
        let (width, lane) = (self.rows.len(), self.rows.len() + 1);
        if Some(axis) == self.own {
            let position = match self.order {
                Order::Panels => {
                    let (panel, width) = (self.new_coord(lane), self.new_coord(width));
                    let before = self.int(Prim::Mul, panel, width);
                    let within = self.new_coord(lane + 2);
                    self.int(Prim::Add, before, within)
                }
                Order::Rows => self.new_coord(lane),
                Order::Steps => self.new_coord(lane + 1),
            };
            self.int(Prim::Add, first, position)
        } else if axis == self.inner {
            let step = match self.order {
                Order::Panels | Order::Rows => self.new_coord(lane + 1),
                Order::Steps => self.new_coord(lane),
            };
            self.int(Prim::Add, first, step)
        } else {
            first
        }
    }

    fn new_coord(&mut self, axis: usize) -> ValueId {
        self.body.push(Op::Coord(axis as u32), ScalarType::I32)
    }

    fn int(&mut self, prim: Prim, x: ValueId, y: ValueId) -> ValueId {
        self.body.push(Op::Prim(prim, vec![x, y]), ScalarType::I32)
    }
}
