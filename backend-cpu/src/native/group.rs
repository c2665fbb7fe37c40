//! Which instructions of the bytecode run as one function: neighbours that are made of vector instructions.
//!
//! Instructions are taken in their order. One that can be part of a group is added to the one that is open; one that
//! cannot is put in front of that group, if it reads nothing of it, as most loads do, and else ends it. Stores wait until
//! the group is made.
//!
//! What other code reads of a group is written to its column; what nobody else reads stays in registers.

use super::way::Way;
use crate::code::{Code, Dim, Instr, Level, Slot, Work, uses};
use crate::few::Few;
use crate::lanes::Pair;
use cotangent_core::prim::Prim;
use cotangent_core::types::ScalarType;
use smallvec::SmallVec;
use std::collections::HashMap;

/// The most operations of a group: so that it fits the cache of instructions.
const MOST: usize = 256;

/// The fewest operations for which a call is worth it; one alone is a loop that is there already.
const FEWEST: usize = 2;

/// Where an operand comes from that a group is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// A column, by its pointer.
    Column,
    /// One element, by its pointer.
    Single,
    /// One element, at the slot's place among the scalars.
    Scalar,
}

/// An operand that a group is given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given {
    pub slot: Slot,
    pub ty: ScalarType,
    pub kind: Kind,
}

/// An operand of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// By its number among those that are given.
    Given(u32),
    /// By its number among the operations.
    Result(u32),
}

/// An operation.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub way: Way,
    /// The type of the last operand.
    pub ty: ScalarType,
    pub args: Few<Value>,
    /// The type of the result.
    pub result: ScalarType,
}

/// A result that is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    /// The number of its operation.
    pub result: u32,
    pub slot: Slot,
    /// Whether it is a column.
    pub is_column: bool,
    /// Whether that is a result of the code, which mostly lies in an array.
    pub is_stored: bool,
}

/// Operations that run as one function.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub given: Vec<Given>,
    pub operations: Vec<Operation>,
    pub outputs: Vec<Output>,
    /// The number of instructions that it stands for.
    pub instrs: usize,
}

impl Group {
    /// How many lanes it works on at once.
    pub fn lanes(&self) -> usize {
        let is_wide = |operation: &Operation| {
            operation.ty.bytes() == 8 || operation.result.bytes() == 8 || operation.way.widens()
        };
        match self.operations.iter().any(is_wide) {
            true => 8,
            false => 16,
        }
    }

    /// The slots that it reads.
    pub fn reads(&self) -> Vec<Slot> {
        self.given.iter().map(|given| given.slot).collect()
    }

    /// The slots that it writes.
    pub fn writes(&self) -> Vec<Slot> {
        self.outputs.iter().map(|output| output.slot).collect()
    }
}

/// An instruction, or a group.
#[derive(Debug)]
pub(super) enum Item {
    Instr(Instr),
    Group(Group),
}

/// Forms groups in a segment.
pub(super) fn grouped(code: &Code, level: Level, readers: &Readers) -> Vec<Item> {
    Maker::new(code, readers, level.is_column()).all(code.segment(level))
}

/// How often slots are read, by all code and from outside.
pub(super) struct Readers {
    counts: Vec<u32>,
    /// The results that are stored as they are made.
    stored: Vec<Slot>,
}

impl Readers {
    pub fn of(code: &Code) -> Self {
        let mut counts = vec![0; code.slots];
        let instrs = code.plan.segments.iter().flatten();
        let read = instrs.flat_map(|instr| uses(instr, code).0);
        let outputs = || code.outputs.iter().chain(&code.outputs_again).copied();
        for slot in read.chain(outputs()) {
            counts[slot as usize] += 1;
        }
        let stored = outputs().filter(|_| !code.stores_nothing).collect();
        Self { counts, stored }
    }
}

/// The group that instructions are added to.
#[derive(Default)]
struct Open {
    /// What it is made of, should it stay too small.
    instrs: Vec<Instr>,
    group: Group,
    given: HashMap<(Slot, Kind), u32>,
    /// The result in each slot that it writes.
    results: HashMap<Slot, u32>,
    /// How often it reads its own slots.
    reads: HashMap<Slot, u32>,
    /// What comes after it.
    after: Vec<Instr>,
}

struct Maker<'a> {
    code: &'a Code,
    readers: &'a Readers,
    is_column: bool,
    items: Vec<Item>,
    open: Open,
}

impl<'a> Maker<'a> {
    fn new(code: &'a Code, readers: &'a Readers, is_column: bool) -> Self {
        Self {
            code,
            readers,
            is_column,
            items: vec![],
            open: Open::default(),
        }
    }

    fn all(mut self, instrs: &[Instr]) -> Vec<Item> {
        let mut instrs = instrs;
        while let Some((instr, rest)) = instrs.split_first() {
            instrs = rest;
            let len = match instr {
                Instr::Fork { len, .. } | Instr::Inside { len } => *len as usize,
                Instr::Op { .. } | Instr::Chain { .. } | Instr::Twin { .. } | Instr::Native(_) => {
                    self.operation(instr);
                    continue;
                }
                Instr::Fetch(_) | Instr::Load(_) | Instr::Loop(_) | Instr::Test(_) => {
                    self.other(instr);
                    continue;
                }
                Instr::Entry(_)
                | Instr::Coord { .. }
                | Instr::Store { .. }
                | Instr::StoreRow(_) => {
                    self.other(instr);
                    continue;
                }
            };
            self.close();
            let (general, simple) = rest.split_at(len);
            return self.fork(instr, general, simple);
        }
        self.close();
        self.items
    }

    /// The two ways after a fork are for themselves.
    fn fork(mut self, fork: &Instr, general: &[Instr], simple: &[Instr]) -> Vec<Item> {
        let way = |instrs| Maker::new(self.code, self.readers, self.is_column).all(instrs);
        let (general, simple) = (way(general), way(simple));
        let fork = fork.with_length(general.len() as u32);
        self.items.push(Item::Instr(fork));
        self.items.extend(general);
        self.items.extend(simple);
        self.items
    }

    /// Whether the open group writes what an instruction reads. (What waits for it are stores, which write no slot.)
    fn depends(&self, instr: &Instr) -> bool {
        let waits = |slot: Slot| self.open.results.contains_key(&slot);
        uses(instr, self.code).0.into_iter().any(waits)
            || self.scalars(instr).into_iter().any(waits)
    }

    /// The scalars that an instruction reads without a word: where the index of a load begins, and goes.
    fn scalars(&self, instr: &Instr) -> Vec<Slot> {
        let load = match instr {
            Instr::Fetch(load) | Instr::Load(load) | Instr::Test(load) => *load,
            Instr::Op { .. }
            | Instr::Chain { .. }
            | Instr::Twin { .. }
            | Instr::Native(_)
            | Instr::Entry(_)
            | Instr::Loop(_)
            | Instr::Store { .. }
            | Instr::StoreRow(_)
            | Instr::Fork { .. }
            | Instr::Inside { .. }
            | Instr::Coord { .. } => return vec![],
        };
        let dims = self.code.loads[load as usize].dims.iter();
        dims.flat_map(Dim::slots).collect()
    }

    /// An instruction that is part of no group.
    fn other(&mut self, instr: &Instr) {
        if !self.depends(instr) {
            return self.items.push(Item::Instr(instr.clone()));
        }
        match instr {
            Instr::Store { .. } | Instr::StoreRow(_) => self.open.after.push(instr.clone()),
            Instr::Op { .. }
            | Instr::Chain { .. }
            | Instr::Twin { .. }
            | Instr::Native(_)
            | Instr::Fetch(_)
            | Instr::Load(_)
            | Instr::Entry(_)
            | Instr::Loop(_)
            | Instr::Test(_)
            | Instr::Coord { .. }
            | Instr::Fork { .. }
            | Instr::Inside { .. } => {
                self.close();
                self.items.push(Item::Instr(instr.clone()));
            }
        }
    }

    /// An instruction that may be part of a group.
    fn operation(&mut self, instr: &Instr) {
        let Some((steps, dst)) = steps(instr) else {
            return self.other(instr);
        };
        if self.open.group.operations.len() + steps.len() > MOST {
            self.close();
        }
        let first = self.open.group.operations.len();
        for step in &steps {
            let operands = step.args.iter().zip(&step.types);
            let args = operands.map(|(&arg, &ty)| match arg {
                Operand::Step(number) => Value::Result((first + number) as u32),
                Operand::Slot(slot) => self.operand(slot, ty),
            });
            let args = args.collect();
            self.open.group.operations.push(Operation {
                way: step.way,
                ty: step.types.last().copied().unwrap_or(step.result),
                args,
                result: step.result,
            });
        }
        let last = self.open.group.operations.len() as u32 - 1;
        self.open.results.insert(dst, last);
        self.open.instrs.push(instr.clone());
    }

    fn operand(&mut self, slot: Slot, ty: ScalarType) -> Value {
        if let Some(&result) = self.open.results.get(&slot) {
            *self.open.reads.entry(slot).or_default() += 1;
            return Value::Result(result);
        }
        let kind = self.kind(slot);
        let given = &mut self.open.group.given;
        let new = given.len() as u32;
        let number = *self.open.given.entry((slot, kind)).or_insert(new);
        if number == new {
            given.push(Given { slot, ty, kind });
        }
        Value::Given(number)
    }

    fn kind(&self, slot: Slot) -> Kind {
        let is_argument = self.code.args.iter().any(|&(_, arg)| arg == slot);
        match (self.code.is_column[slot as usize], is_argument) {
            (true, _) => Kind::Column,
            (false, true) => Kind::Single,
            (false, false) => Kind::Scalar,
        }
    }

    /// Ends the open group.
    fn close(&mut self) {
        let Open {
            instrs,
            mut group,
            given: _,
            results,
            reads,
            after,
        } = std::mem::take(&mut self.open);
        if group.operations.len() < FEWEST {
            self.items.extend(instrs.into_iter().map(Item::Instr));
        } else {
            let mut results: Vec<_> = results.into_iter().collect();
            results.sort_unstable();
            for (slot, result) in results {
                let inside = reads.get(&slot).copied().unwrap_or(0);
                // Scalars are read without a word: by indices and bounds.
                if !self.is_column || self.readers.counts[slot as usize] > inside {
                    group.outputs.push(Output {
                        result,
                        slot,
                        is_column: self.is_column,
                        is_stored: self.is_column && self.readers.stored.contains(&slot),
                    });
                }
            }
            group.instrs = instrs.len();
            self.items.push(Item::Group(group));
        }
        self.items.extend(after.into_iter().map(Item::Instr));
    }
}

impl Instr {
    /// The same fork in front of so many instructions.
    fn with_length(&self, len: u32) -> Self {
        let mut fork = self.clone();
        if let Self::Fork { len: before, .. } | Self::Inside { len: before } = &mut fork {
            *before = len;
        }
        fork
    }
}

/// An operand of a step.
#[derive(Clone, Copy)]
enum Operand {
    Slot(Slot),
    /// The result of a step before, by its number.
    Step(usize),
}

/// One operation of an instruction.
struct Step {
    way: Way,
    /// The types of the operands.
    types: Few<ScalarType>,
    result: ScalarType,
    args: Few<Operand>,
}

impl Step {
    fn of(prim: Prim, ty: ScalarType, args: &[Operand]) -> Option<Self> {
        let mut types: Few<_> = SmallVec::from_elem(ty, prim.arity());
        if prim == Prim::Select {
            types[0] = ScalarType::Bool;
        }
        Some(Self {
            way: Way::of(prim, ty)?,
            result: prim.result_type(&types)?,
            args: Few::from_slice(&args[..types.len()]),
            types,
        })
    }

    /// The operand itself.
    fn moving(ty: ScalarType, arg: Operand) -> Option<Self> {
        Way::has_registers(ty).then(|| Self {
            way: Way::Move,
            types: Few::from_slice(&[ty]),
            result: ty,
            args: Few::from_slice(&[arg]),
        })
    }
}

/// The operations of an instruction, if all can be part of a group, and the slot that the last one gives.
fn steps(instr: &Instr) -> Option<(Vec<Step>, Slot)> {
    let (steps, dst) = match *instr {
        Instr::Op {
            work, args, dst, ..
        } => (of_work(work, args.map(Operand::Slot)), dst),
        Instr::Chain {
            pairs,
            ty,
            args,
            dst,
            ..
        } => (of_chain(pairs, ty, args.map(Operand::Slot)), dst),
        Instr::Twin { .. }
        | Instr::Native(_)
        | Instr::Fetch(_)
        | Instr::Load(_)
        | Instr::Entry(_)
        | Instr::Loop(_)
        | Instr::Store { .. }
        | Instr::StoreRow(_)
        | Instr::Fork { .. }
        | Instr::Inside { .. }
        | Instr::Test(_)
        | Instr::Coord { .. } => return None,
    };
    let steps: Option<Vec<Step>> = steps.into_iter().collect();
    Some((steps?, dst))
}

fn of_work(work: Work, args: [Operand; 3]) -> Vec<Option<Step>> {
    match work {
        Work::Prim(prim, ty) => vec![Step::of(prim, ty, &args)],
        Work::Move(ty) => vec![Step::moving(ty, args[0])],
        Work::Pair(pair, ty) => {
            let [a, b, c] = args;
            let inner = Step::of(pair.inner.prim(), ty, &[a, b]);
            vec![inner, outer(pair, ty, Operand::Step(0), c)]
        }
        Work::Other => vec![None],
    }
}

fn of_chain(
    [first, second]: [Pair; 2],
    ty: ScalarType,
    [a, b, x, c, d]: [Operand; 5],
) -> Vec<Option<Step>> {
    vec![
        Step::of(first.inner.prim(), ty, &[a, b]),
        outer(first, ty, Operand::Step(0), x),
        Step::of(second.inner.prim(), ty, &[c, d]),
        outer(second, ty, Operand::Step(2), Operand::Step(1)),
    ]
}

/// The second operation of a pair.
fn outer(pair: Pair, ty: ScalarType, inner: Operand, other: Operand) -> Option<Step> {
    let args = match pair.swapped {
        true => [other, inner],
        false => [inner, other],
    };
    Step::of(pair.outer.prim(), ty, &args)
}
