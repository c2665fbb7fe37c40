//! The code of loops.
//!
//! What a trip does is code of its own, in a nest of three coordinates: the lanes, the trips as steps, and one of a row,
//! which stands for what is the same for all lanes and trips. So what does not change from trip to trip is computed once
//! ([`Level`]), like what a fold repeats.
//!
//! Where lanes may make different numbers of trips, there is a further carried value: whether a lane is still at it. A
//! lane that is not reads nothing. What it computes is of no use to anybody: what it carried when it left is kept
//! elsewhere, and it will make room for others (`machine/looping.rs`).

use super::compile::{Compiler, Wanted, compile};
use super::{ARGUMENT, Code, Instr, Level, Nest, Slot, Work};
use crate::lanes::{self, LaneFn};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Inst, Loop, Op, ValueId};
use cotangent_core::types::ScalarType;

/// The coordinate of the trips.
const TRIP: u32 = 1;
/// The coordinate that stands for rows.
const ROW: u32 = 2;

/// A value that a loop is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    /// Where it is.
    pub slot: Slot,
    /// Whether it is a column.
    pub is_column: bool,
}

/// A value that a loop carries.
#[derive(Clone, Debug)]
pub(crate) struct Carried {
    /// Its argument.
    pub arg: u32,
    /// Its type.
    pub ty: ScalarType,
    /// What it is at first.
    pub init: Given,
    /// Fills a column with a scalar.
    pub fill: LaneFn,
    /// Where it is left.
    pub dst: Slot,
}

/// An argument that is the same in all trips.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capture {
    /// The argument.
    pub arg: u32,
    /// Its type.
    pub ty: ScalarType,
    /// What it is.
    pub given: Given,
}

/// A loop.
#[derive(Debug)]
pub(crate) struct LoopCode {
    /// The most trips.
    pub trips: Given,
    /// What is carried. Where lanes differ, the last is whether a lane goes on.
    pub carried: Vec<Carried>,
    /// Whether lanes may make different numbers of trips.
    pub differs: bool,
    /// Whether the first output of a trip says whether it is made: by all lanes, or where lanes differ, by each.
    pub is_tested: bool,
    /// Whether that is for a test of the program's.
    pub has_test: bool,
    /// Arguments that are the same in all trips.
    pub captures: Vec<Capture>,
    /// What a trip does. Its outputs are whether it is made, if that is asked, and what is carried on.
    pub code: Code,
    /// For each output, whether a trip writes its column anew, and nothing else is in it.
    pub is_written: Vec<bool>,
    /// Where the array of each of the code's is among those of the code around.
    pub arrays: Vec<u32>,
    /// Where the number of trips goes.
    pub dst: Slot,
    /// The position in the body around.
    pub order: u32,
}

impl LoopCode {
    /// The slots of the code around that are read, and those that are written.
    pub fn uses(&self) -> (Vec<Slot>, Vec<Slot>) {
        let inits = self.carried.iter().map(|carried| carried.init.slot);
        let captures = self.captures.iter().map(|capture| capture.given.slot);
        let written = self.carried.iter().map(|carried| carried.dst);
        (
            inits.chain(captures).chain([self.trips.slot]).collect(),
            written.chain([self.dst]).collect(),
        )
    }
}

/// The nest of a trip; `args` are what arguments depend on.
fn nest(args: Vec<u64>) -> Nest {
    Nest {
        coords: 3,
        lane: 0..1,
        seq: 1..2,
        moving: 0,
        args,
    }
}

/// What a trip does, as it is compiled.
struct Trip {
    body: Body,
    /// The test, if lanes do not differ and there is one, then what is carried on.
    results: Vec<ValueId>,
    /// What each argument depends on.
    args: Vec<u64>,
}

/// What changes from lane to lane and from trip to trip.
const CHANGING: u64 = ARGUMENT | 1 << TRIP;

impl Trip {
    /// A trip of a loop whose captures are columns where `columns` says so.
    fn of(of: &Loop, columns: &[bool]) -> Self {
        let captures = columns
            .iter()
            .map(|&column| if column { ARGUMENT } else { 1 << ROW });
        let changing = std::iter::repeat_n(CHANGING, of.init.len());
        let mut body = Body::default();
        let values = body.append(&of.region.body, |body, (_, inst), _| {
            trip_number(body, inst)
        });
        let results = of.region.results();
        Self {
            body,
            results: results.iter().map(|v| values[v.index()]).collect(),
            args: [0].into_iter().chain(changing).chain(captures).collect(),
        }
    }

    /// A trip of a loop that lanes leave one by one. The last capture is the lanes' numbers of trips, if these differ.
    fn of_lanes(of: &Loop, columns: &[bool], trips: bool) -> Self {
        let states = of.init.len();
        let captures = columns.iter().chain(trips.then_some(&true));
        let captures = captures.map(|&column| if column { ARGUMENT } else { 1 << ROW });
        let changing = std::iter::repeat_n(CHANGING, states + 1);
        let args: Vec<u64> = [0].into_iter().chain(changing).chain(captures).collect();
        let mut writer = Masked::new(states as u32, trips.then_some(args.len() as u32 - 1));
        let values = writer.append(of);
        let results = writer.results(of, &values);
        Self {
            body: writer.body,
            results,
            args,
        }
    }
}

/// Argument 0 is a coordinate.
fn trip_number(body: &mut Body, inst: &Inst) -> Option<ValueId> {
    let is_number = inst.op.as_arg() == Some(0);
    is_number.then(|| body.push(Op::Coord(TRIP), inst.ty))
}

/// Writes a trip of which lanes may be left out.
struct Masked {
    body: Body,
    /// The number of values that the loop itself carries.
    states: u32,
    /// Whether a lane makes this trip, but for the test.
    on: ValueId,
}

impl Masked {
    fn new(states: u32, trips: Option<u32>) -> Self {
        let mut body = Body::default();
        let active = body.push(Op::Arg(states + 1), ScalarType::Bool);
        let mut on = active;
        if let Some(trips) = trips {
            let trip = body.push(Op::Coord(TRIP), ScalarType::I32);
            let trips = body.push(Op::Arg(trips), ScalarType::I32);
            let below = body.push(Op::Prim(Prim::Lt, vec![trip, trips]), ScalarType::Bool);
            on = body.push(Op::Prim(Prim::And, vec![active, below]), ScalarType::Bool);
        }
        Self { body, states, on }
    }

    /// The loop's own code, which reads nothing for lanes that are off.
    fn append(&mut self, of: &Loop) -> Vec<ValueId> {
        let (on, states) = (self.on, self.states);
        self.body
            .append(&of.region.body, |body, (_, inst), new| match &inst.op {
                Op::Arg(0) => trip_number(body, inst),
                Op::Arg(n) if *n > states => Some(body.push(Op::Arg(n + 1), inst.ty)),
                Op::Load(_) => Some(guarded(body, inst, new, on)),
                Op::Loop(inner) => Some(stopped(body, inner, new, on)),
                Op::Arg(_) | Op::Const(_) | Op::Symbol(_) | Op::Coord(_) => None,
                Op::Prim(..) | Op::Out(..) => None,
            })
    }

    /// Whether a lane makes the trip, and what it carries on.
    fn results(&mut self, of: &Loop, values: &[ValueId]) -> Vec<ValueId> {
        let on = match of.region.test {
            Some(test) => {
                let both = vec![self.on, values[test.index()]];
                self.body.push(Op::Prim(Prim::And, both), ScalarType::Bool)
            }
            None => self.on,
        };
        let next = of.region.next.iter().map(|v| values[v.index()]);
        [on].into_iter().chain(next).collect()
    }
}

/// A load where `on` holds, too.
fn guarded(body: &mut Body, inst: &Inst, new: &[ValueId], on: ValueId) -> ValueId {
    let mut op = inst.op.renamed(&|v| new[v.index()]);
    if let Op::Load(load) = &mut op {
        load.guard = Some(match load.guard {
            Some(guard) => body.push(Op::Prim(Prim::And, vec![on, guard]), ScalarType::Bool),
            None => on,
        });
    }
    body.push(op, inst.ty)
}

/// A loop within, which makes no trips where `on` does not hold.
fn stopped(body: &mut Body, inner: &Loop, new: &[ValueId], on: ValueId) -> ValueId {
    let mut operands: Vec<_> = inner.operands().iter().map(|v| new[v.index()]).collect();
    let none = body.push(Op::Const(Const::I32(0)), ScalarType::I32);
    let trips = Op::Prim(Prim::Select, vec![on, operands[0], none]);
    operands[0] = body.push(trips, ScalarType::I32);
    body.push(Op::Loop(Box::new(inner.on(&operands))), ScalarType::I32)
}

impl Compiler<'_> {
    fn given(&self, v: ValueId) -> Given {
        Given {
            slot: v.0,
            is_column: self.level(v).is_column(),
        }
    }

    /// Compiles a loop, whose value is `v`.
    pub(super) fn looping(&mut self, v: ValueId, level: Level, of: &Loop) -> Option<Instr> {
        let trips = self.given(of.trips);
        let columns: Vec<_> = of
            .captures
            .iter()
            .map(|&v| self.given(v).is_column)
            .collect();
        let differs = level.is_column() && (trips.is_column || of.region.test.is_some());
        let trip = match differs {
            true => Trip::of_lanes(of, &columns, trips.is_column),
            false => Trip::of(of, &columns),
        };
        let nest = nest(trip.args);
        let code = compile(
            self.target,
            &trip.body,
            &nest,
            &Wanted::Columns(trip.results),
        )?;
        let arrays = code.arrays.iter().map(|&array| self.array(array)).collect();
        let inits = of
            .init
            .iter()
            .map(|&init| (self.given(init), self.type_of(init)));
        let mut inits: Vec<_> = inits.collect();
        let captures = of.captures.iter();
        let captures = captures.map(|&v| (self.given(v), self.type_of(v)));
        let mut captures: Vec<_> = captures.collect();
        if differs {
            inits.push(self.all_go_on());
            captures.extend(trips.is_column.then_some((trips, ScalarType::I32)));
        }
        let first = 1 + inits.len() as u32;
        let carried = (1..).zip(inits).map(|(arg, (init, ty))| Carried {
            arg,
            ty,
            init,
            fill: lanes::fill(self.target.isa, ty),
            dst: self.slot(),
        });
        let carried: Vec<_> = carried.collect();
        let outs = carried.iter().take(of.init.len());
        self.outs
            .insert(v, outs.map(|carried| carried.dst).collect());
        self.code.loops.push(LoopCode {
            trips,
            carried,
            differs,
            is_tested: differs || of.region.test.is_some(),
            has_test: of.region.test.is_some(),
            captures: (first..).zip(captures).map(Capture::of).collect(),
            is_written: written(&code),
            code,
            arrays,
            dst: v.0,
            order: v.0,
        });
        Some(Instr::Loop(self.code.loops.len() as u32 - 1))
    }

    fn type_of(&self, v: ValueId) -> ScalarType {
        self.analysis.body.type_of(v)
    }

    /// At first, every lane goes on.
    fn all_go_on(&mut self) -> (Given, ScalarType) {
        let slot = self.slot();
        self.code.consts.push((slot, Const::Bool(true)));
        let given = Given {
            slot,
            is_column: false,
        };
        (given, ScalarType::Bool)
    }

    /// What a loop carried last, as a value of its own.
    pub(super) fn out(
        &self,
        v: ValueId,
        level: Level,
        (of, which): (ValueId, u32),
    ) -> Option<Instr> {
        let from = *self.outs.get(&of)?.get(which as usize)?;
        let ty = self.type_of(v);
        let f = match level.is_column() {
            true => lanes::copies(self.target.isa, ty),
            false => lanes::fill(self.target.isa, ty),
        };
        Some(super::compile::map((Work::Move(ty), f), from, v.0))
    }
}

impl Capture {
    fn of((arg, (given, ty)): (u32, (Given, ScalarType))) -> Self {
        Self { arg, ty, given }
    }
}

/// For each output, whether an instruction of a step writes it, and no other output is the same column.
fn written(code: &Code) -> Vec<bool> {
    let step = code.segment(Level::Step).iter();
    let written: Vec<Slot> = step.flat_map(Instr::columns).collect();
    let is_written = |slot: &Slot| {
        let same = code.outputs.iter().filter(|other| *other == slot);
        written.contains(slot) && same.count() == 1
    };
    code.outputs.iter().map(is_written).collect()
}

impl Instr {
    /// The columns that an operation writes.
    fn columns(&self) -> Vec<Slot> {
        match *self {
            Self::Op { dst, .. } | Self::Chain { dst, .. } => vec![dst],
            Self::Twin { dst, .. } => dst.to_vec(),
            Self::Native(ref call) => call.writes.clone(),
            Self::Fetch(_) | Self::Load(_) | Self::Loop(_) | Self::Coord { .. } => vec![],
            Self::Store { .. } | Self::StoreRow(_) => vec![],
            Self::Fork { .. } | Self::Inside { .. } | Self::Test(_) => vec![],
        }
    }
}
