//! The bytecode of a body: what is computed how often, and where it is kept.
//!
//! A body runs in a loop nest ([`Nest`]): *rows*, the coordinates that are the same for all lanes of a
//! block; *lanes*, a group of neighbouring coordinates counted together in row-major order; and *steps*,
//! the coordinates that a block goes through one after the other (those a fold reduces). Every value is
//! computed in the outermost segment that knows all it depends on ([`Level`]), once for all lanes where it
//! is the same for all of them. What does not depend on the rows is kept from row to row where the same lanes
//! are visited in many of them, one after the other.
//!
//! Each value has a *slot*: a scalar where it is the same for all lanes, a column otherwise.

mod affine;
mod clamp;
mod compile;
mod entries;
mod fork;
mod inside;
mod looping;
mod order;
mod outputs;
mod pairs;
mod registers;
mod stores;

pub(crate) use compile::{Wanted, compile};
pub(crate) use entries::EntryCode;
pub(crate) use inside::{Inside, Line, Side};
pub(crate) use looping::{Capture, Carried, Given, LoopCode};
pub(crate) use registers::uses;
pub(crate) use stores::{Row, Stores};

use crate::isa::Target;
use crate::lanes::{ChainFn, GatherFns, IndexFns, LaneFn, Pair};
use crate::native::{Call, Compiled, Functions};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{ArrayId, SiteId, SymbolId};
use cotangent_core::types::ScalarType;
use std::ops::Range;
use std::sync::Arc;

/// The most coordinates a kernel may have; a set of coordinates is a `u64`.
pub(crate) const MAX_COORDS: usize = 60;

/// The bit that stands for "differs from lane to lane, as an operator's arguments do".
pub(crate) const ARGUMENT: u64 = 1 << 63;

/// The position of a value in the tables of a [`Machine`](crate::machine::Machine).
pub(crate) type Slot = u32;

/// Which coordinates are rows, lanes and steps. Lanes and steps do not overlap; the rest are rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Nest {
    /// The number of coordinates.
    pub coords: usize,
    /// The coordinates of the lane.
    pub lane: Range<usize>,
    /// The coordinates of the step.
    pub seq: Range<usize>,
    /// The rows' coordinates, as a set, that move while a block of lanes stays where it is: columns that do not
    /// depend on them are kept. None if rows are visited one by one.
    pub moving: u64,
    /// The coordinates that each argument depends on, as a set; those of operators differ from lane to lane.
    pub args: Vec<u64>,
}

impl Nest {
    /// No coordinates: code that runs once.
    pub fn scalar() -> Self {
        Self::default()
    }

    /// Whether a load can read the same in every row, but for where it begins: lanes along one coordinate, and no steps.
    pub fn travels(&self) -> bool {
        self.lane.len() == 1 && self.seq.is_empty()
    }

    /// The same, with lanes that stay while some of the rows' coordinates move.
    pub fn with_moving(self, moving: impl IntoIterator<Item = usize>) -> Self {
        Self {
            moving: moving.into_iter().fold(0, |mask, c| mask | 1 << c),
            ..self
        }
    }

    /// The lane's coordinates as a set.
    pub fn lane_mask(&self) -> u64 {
        self.lane.clone().fold(ARGUMENT, |mask, c| mask | 1 << c)
    }

    /// The step's coordinates as a set.
    pub fn seq_mask(&self) -> u64 {
        self.seq.clone().fold(0, |mask, c| mask | 1 << c)
    }

    /// The coordinates that are neither.
    pub fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.coords).filter(|c| !self.lane.contains(c) && !self.seq.contains(c))
    }

    /// What an argument depends on.
    pub fn arg(&self, position: u32) -> u64 {
        let known = self.args.get(position as usize);
        known.copied().unwrap_or(ARGUMENT)
    }

    /// How often something must be computed that depends on the given coordinates.
    pub fn level(&self, deps: u64) -> Level {
        let lane = deps & self.lane_mask() != 0;
        let seq = deps & self.seq_mask() != 0;
        match (lane, seq) {
            (true, true) => Level::Step,
            (true, false) if self.moving != 0 && deps & (self.moving | ARGUMENT) == 0 => {
                Level::Kept
            }
            (true, false) => Level::Block,
            (false, true) => Level::StepScalar,
            (false, false) if deps != 0 => Level::Row,
            (false, false) => Level::Launch,
        }
    }
}

/// A segment of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Once per task, for one lane.
    Launch,
    /// Once per row, for one lane.
    Row,
    /// Once for all rows that have the same block, for all lanes.
    Kept,
    /// Once per block, for all lanes.
    Block,
    /// Once per block and step, for one lane.
    StepScalar,
    /// Once per block and step, for all lanes.
    Step,
}

impl Level {
    /// Whether values of this segment are columns.
    pub fn is_column(self) -> bool {
        match self {
            Self::Kept | Self::Block | Self::Step => true,
            Self::Launch | Self::Row | Self::StepScalar => false,
        }
    }
}

/// All segments, in the order in which they run first.
pub(crate) const LEVELS: [Level; 6] = [
    Level::Launch,
    Level::Row,
    Level::Kept,
    Level::Block,
    Level::StepScalar,
    Level::Step,
];

/// What a loop computes, for those who compile it once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// A primitive, on a last operand of that type.
    Prim(Prim, ScalarType),
    /// Two of them.
    Pair(Pair, ScalarType),
    /// The first operand, for all lanes if it is a single element.
    Move(ScalarType),
    /// What only the loop knows.
    Other,
}

/// One instruction.
#[derive(Clone, Debug)]
pub(crate) enum Instr {
    /// Runs a loop.
    Op {
        /// What it computes.
        work: Work,
        /// The loop, made for the operands' forms and the instruction set.
        f: LaneFn,
        /// Where the result goes.
        dst: Slot,
        /// The operands; unused ones repeat the first.
        args: [Slot; 3],
    },
    /// Runs a loop on five columns.
    Chain {
        /// What it computes.
        pairs: [Pair; 2],
        /// The type of all numbers.
        ty: ScalarType,
        /// The loop.
        f: ChainFn,
        /// Where the result goes.
        dst: Slot,
        /// The operands.
        args: [Slot; 5],
    },
    /// Runs a loop with two results.
    Twin {
        /// The loop.
        f: LaneFn,
        /// Where the results go.
        dst: [Slot; 2],
        /// The operand.
        from: Slot,
    },
    /// Runs machine code.
    Native(Arc<Call>),
    /// Reads one element for all lanes: a position in [`Code::loads`].
    Fetch(u32),
    /// Reads an element per lane: a position in [`Code::loads`].
    Load(u32),
    /// Reads an entry of a row for each lane: a position in [`Code::entries`].
    Entry(u32),
    /// Runs code again and again: a position in [`Code::loops`].
    Loop(u32),
    /// Stores the column of an output of [`Wanted::Stored`], by its position there.
    Store {
        /// Where the column is.
        from: Slot,
        /// Which output.
        output: u32,
    },
    /// Stores columns that lie side by side in memory: a position in [`Code::rows`].
    StoreRow(u32),
    /// If a condition has the outcome `rare` in some lane, goes on with the next `len` instructions, and leaves out
    /// those after them; else the other way round.
    Fork {
        /// The condition.
        from: Slot,
        /// The outcome.
        rare: bool,
        /// The number of instructions.
        len: u32,
    },
    /// If all comparisons of [`Code::inside`] hold in all lanes, leaves out the next `len` instructions, and goes on with
    /// those after them; else the other way round.
    Inside {
        /// The number of instructions.
        len: u32,
    },
    /// Reports a load that is the same for all lanes if its index is out of range: a position in [`Code::loads`].
    Test(u32),
    /// Writes the values of a coordinate of the lane.
    Coord {
        /// Where they go.
        dst: Slot,
        /// Which coordinate.
        coord: u32,
    },
}

/// An index of a load, along one dimension.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Dim {
    /// `base + Σ step · coordinate`, in wrapping arithmetic, over coordinates of lane and step; base and
    /// steps are scalars. Then kept within bounds.
    Affine {
        /// The value where those coordinates are 0.
        base: Slot,
        /// Coordinates and their factors.
        steps: Vec<(u32, Slot)>,
        /// The bounds, if there are any.
        clamp: Option<Bounds<Slot>>,
    },
    /// Anything else: a column.
    Column(Slot),
}

impl Dim {
    /// The slots that it is computed from.
    pub fn slots(&self) -> Vec<Slot> {
        match self {
            Self::Column(slot) => vec![*slot],
            Self::Affine { base, steps, clamp } => {
                let bounds = clamp.iter().flat_map(Bounds::numbers);
                let steps = steps.iter().map(|(_, step)| *step);
                std::iter::once(*base).chain(steps).chain(bounds).collect()
            }
        }
    }
}

/// How an index is kept within an array. All numbers are the same for all lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Bounds<N> {
    /// It is reflected, then clamped.
    Ends {
        /// An index x is made `max(x, sum − x)` of the first, then `min(x, sum − x)` of the second, where there are such.
        sums: [Option<N>; 2],
        /// Then it is at least the first and at most the second, which is no less.
        ends: Option<[N; 2]>,
    },
    /// This is added where it is negative.
    Around(N),
}

impl<N: Copy> Bounds<N> {
    /// All that it is kept by.
    pub fn numbers(&self) -> impl Iterator<Item = N> {
        let (sums, ends, around) = match *self {
            Self::Ends { sums, ends } => (sums, ends, None),
            Self::Around(around) => ([None, None], None, Some(around)),
        };
        let ends = ends.into_iter().flatten();
        sums.into_iter().flatten().chain(ends).chain(around)
    }

    /// The same by other names.
    pub fn map<M>(self, f: impl Fn(N) -> M) -> Bounds<M> {
        match self {
            Self::Ends { sums, ends } => Bounds::Ends {
                sums: sums.map(|sum| sum.map(&f)),
                ends: ends.map(|ends| ends.map(&f)),
            },
            Self::Around(around) => Bounds::Around(f(around)),
        }
    }
}

/// How the offsets of a load go along the lane, as far as is known before the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// The lane's coordinates are the last dimensions of the index: contiguous where extents agree.
    Aligned,
    /// Affine, along the last dimension only.
    Near,
    /// Affine otherwise.
    Far,
    /// Affine between bounds, along some dimension.
    Clamped,
    /// Anything else.
    Indexed,
}

/// How an element is read.
#[derive(Clone, Debug)]
pub(crate) struct LoadCode {
    /// The type of the element.
    pub ty: ScalarType,
    /// Where the value goes.
    pub dst: Slot,
    /// A position in [`Code::arrays`].
    pub array: u32,
    /// The index.
    pub dims: Vec<Dim>,
    /// The first load with the same index and condition.
    pub index: u32,
    /// The loops that read at that index.
    pub gather: GatherFns,
    /// The condition.
    pub guard: Option<Slot>,
    /// Whether the condition is a column.
    pub guard_is_column: bool,
    /// Where an index out of range is reported.
    pub site: Option<SiteId>,
    /// Whether it is reported by a test of its own: only some blocks need what is read for all.
    pub is_tested_apart: bool,
    /// The position of the instruction in the body; the first to fail is reported.
    pub order: u32,
    /// When base and steps are known: `Row` (or earlier), or `StepScalar`.
    pub setup: Level,
    /// The dimensions whose index changes from row to row, unless lanes move along one of them.
    pub travels: Option<Vec<u32>>,
    /// The way of the offsets along the lane.
    pub pattern: Pattern,
    /// How often it is read.
    pub level: Level,
}

/// What a machine goes through: the instructions of each segment, and the registers of their columns.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The code, by level.
    pub segments: [Vec<Instr>; 6],
    /// The register of each slot that has one.
    pub registers: Vec<Option<u32>>,
    /// The number of registers: columns of 8 bytes per lane.
    pub register_count: usize,
    /// How many of these are filled at once in most blocks: those that lie in arrays are not.
    pub filled: usize,
    /// The columns that are kept from row to row: those of that segment which others read.
    pub kept: Vec<Slot>,
    /// For each slot, whether it is read, and by functions only.
    pub only_called: Vec<bool>,
    /// For each load, whether only blocks read it that are not inside.
    pub outside_only: Vec<bool>,
}

/// A body in bytecode, for one nest and one instruction set.
#[derive(Debug)]
pub(crate) struct Code {
    /// What it is made for.
    pub target: Target,
    /// The loops over indices.
    pub index: IndexFns,
    /// The loops it runs in.
    pub nest: Nest,
    /// The number of slots.
    pub slots: usize,
    /// Which slots are columns, or an element of one for each lane.
    pub is_column: Vec<bool>,
    /// Scalars known now.
    pub consts: Vec<(Slot, Const)>,
    /// Scalars known at the launch.
    pub symbols: Vec<(Slot, SymbolId)>,
    /// The scalar slots of coordinates of rows and steps.
    pub coords: Vec<(u32, Slot)>,
    /// The slots of an operator's arguments, by number.
    pub args: Vec<(u32, Slot)>,
    /// The arrays that are read.
    pub arrays: Vec<ArrayId>,
    /// The reading instructions.
    pub loads: Vec<LoadCode>,
    /// What reads entries of rows.
    pub entries: Vec<EntryCode>,
    /// The loops.
    pub loops: Vec<LoopCode>,
    /// What holds in all lanes of the blocks that take the simpler way at [`Instr::Inside`].
    pub inside: Vec<Inside>,
    /// The columns that are stored together.
    pub rows: Vec<Row>,
    /// The bytecode, and what costs are counted by: choices do not depend on machine code.
    pub plan: Plan,
    /// The machine code, once there is some.
    pub compiled: Compiled,
    /// The column of each output asked for.
    pub outputs: Vec<Slot>,
    /// The same where blocks may take the other way at a fork.
    pub outputs_again: Vec<Slot>,
    /// Whether the last output is a scalar, of a [`Wanted::Product`].
    pub scalar_output: bool,
    /// Whether outputs stay in their columns to the end.
    pub stores_nothing: bool,
}

impl Code {
    /// The instructions of a level.
    pub fn segment(&self, level: Level) -> &[Instr] {
        &self.plan.segments[level as usize]
    }

    /// What a machine goes through that is about to do some work, and the functions that it calls.
    pub fn running(&self, work: u64) -> (&Plan, Option<&Functions>) {
        match self.compiled.get(self, work) {
            Some((plan, functions)) => (plan, Some(functions)),
            None => (&self.plan, None),
        }
    }

    /// What is run from now on.
    pub fn ready(&self) -> &Plan {
        self.compiled.ready().unwrap_or(&self.plan)
    }

    /// The number of instructions, which is the work for a lane.
    pub fn len(&self) -> usize {
        self.plan.segments.iter().map(Vec::len).sum()
    }

    /// The number of instructions of a block that takes the simpler way at a fork.
    pub fn shortest_block(&self) -> usize {
        self.usual(Level::Block).count()
    }

    /// The instructions of a level, without those that blocks leave out which take the simpler way at a fork.
    pub fn usual(&self, level: Level) -> impl Iterator<Item = &Instr> {
        usual(self.segment(level))
    }

    /// Whether there are columns that are kept from row to row.
    pub fn keeps(&self) -> bool {
        !self.plan.kept.is_empty()
    }

    /// Whether blocks go through steps.
    pub fn has_steps(&self) -> bool {
        !self.nest.seq.is_empty()
    }
}

/// The instructions of a segment, without those that blocks leave out which take the simpler way at a fork.
fn usual(segment: &[Instr]) -> impl Iterator<Item = &Instr> {
    let mut skipped = 0;
    segment.iter().filter(move |instr| {
        let is_usual = skipped == 0;
        skipped = match instr {
            Instr::Fork { len, .. } | Instr::Inside { len } => *len as usize,
            Instr::Op { .. }
            | Instr::Chain { .. }
            | Instr::Twin { .. }
            | Instr::Native(_)
            | Instr::Fetch(_)
            | Instr::Entry(_)
            | Instr::Loop(_)
            | Instr::Load(_)
            | Instr::Test(_)
            | Instr::Store { .. }
            | Instr::StoreRow(_)
            | Instr::Coord { .. } => skipped.saturating_sub(1),
        };
        is_usual
    })
}
