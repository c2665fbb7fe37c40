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
use super::entries::{LEAST, RowsCode};
use super::{ARGUMENT, Code, Instr, Level, Nest, Slot, Work};
use crate::lanes::{self, LaneFn};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, InRows, Inst, Loop, Op, ValueId};
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
    /// What is held in rows.
    pub rows: Vec<RowsCode>,
    /// Whether lanes may make different numbers of trips.
    pub differs: bool,
    /// Whether the first output of a trip says whether it is made: by all lanes, or where lanes differ, by each.
    pub is_tested: bool,
    /// Whether that is for a test of the program's.
    pub has_test: bool,
    /// Arguments that are the same in all trips.
    pub captures: Vec<Capture>,
    /// What a trip does. Its outputs are whether it is made, if that is asked, what is carried on, and the values and the places of
    /// entries that are replaced.
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
        let entries = self.rows.iter().flat_map(|rows| rows.begin.given());
        let inits = inits.chain(entries.map(|init| init.slot));
        let captures = self.captures.iter().map(|capture| capture.given.slot);
        let written = self.carried.iter().map(|carried| carried.dst);
        let entries = self.rows.iter().flat_map(|rows| rows.dst.iter().copied());
        (
            inits.chain(captures).chain([self.trips.slot]).collect(),
            written.chain(entries).chain([self.dst]).collect(),
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
    /// The test, if lanes do not differ and there is one, then what is carried on, then values and places of updates.
    results: Vec<ValueId>,
    /// What each argument depends on.
    args: Vec<u64>,
}

/// What changes from lane to lane and from trip to trip.
const CHANGING: u64 = ARGUMENT | 1 << TRIP;

impl Trip {
    /// A trip of a loop that computes such results, and whose captures are columns where `columns` says so.
    fn of(of: &Loop, results: &Results, columns: &[bool]) -> Self {
        let captures = columns
            .iter()
            .map(|&column| if column { ARGUMENT } else { 1 << ROW });
        let changing = std::iter::repeat_n(CHANGING, of.init.len());
        let mut body = Body::default();
        let values = body.append(&of.region.body, |body, (_, inst), _| {
            trip_number(body, inst)
        });
        let results = of.region.test.iter().chain(results.all());
        Self {
            body,
            results: results.map(|v| values[v.index()]).collect(),
            args: [0].into_iter().chain(changing).chain(captures).collect(),
        }
    }

    /// A trip of a loop that lanes leave one by one. The last capture is the lanes' numbers of trips, if these differ.
    fn of_lanes(of: &Loop, results: &Results, columns: &[bool], trips: bool) -> Self {
        let states = of.init.len();
        let captures = columns.iter().chain(trips.then_some(&true));
        let captures = captures.map(|&column| if column { ARGUMENT } else { 1 << ROW });
        let changing = std::iter::repeat_n(CHANGING, states + 1);
        let args: Vec<u64> = [0].into_iter().chain(changing).chain(captures).collect();
        let mut writer = Masked::new(states as u32, trips.then_some(args.len() as u32 - 1));
        let values = writer.append(of);
        let results = writer.results(of, results, &values);
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
                // An entry is there, wanted or not.
                Op::Load(load) if load.array.is_of_rows() => None,
                Op::Load(_) => Some(guarded(body, inst, new, on)),
                Op::Loop(inner) => Some(stopped(body, inner, new, on)),
                Op::Arg(_) | Op::Const(_) | Op::Symbol(_) | Op::Coord(_) => None,
                Op::Prim(..) | Op::Out(..) => None,
            })
    }

    /// Whether a lane makes the trip, what it carries on, and what it replaces: nothing where it does not make it.
    fn results(&mut self, of: &Loop, results: &Results, values: &[ValueId]) -> Vec<ValueId> {
        let on = match of.region.test {
            Some(test) => {
                let both = vec![self.on, values[test.index()]];
                self.body.push(Op::Prim(Prim::And, both), ScalarType::Bool)
            }
            None => self.on,
        };
        let [next, replaced, places] = [&results.next, &results.values, &results.places]
            .map(|all| all.iter().map(|v| values[v.index()]));
        let all: Vec<_> = [on].into_iter().chain(next).chain(replaced).collect();
        let places = places.map(|place| {
            let none = self.body.push(Op::Const(Const::I32(-1)), ScalarType::I32);
            let place = Op::Prim(Prim::Select, vec![on, place, none]);
            self.body.push(place, ScalarType::I32)
        });
        all.into_iter().chain(places).collect()
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

/// What a trip computes beside the test.
struct Results {
    /// What is carried on.
    next: Vec<ValueId>,
    /// The values of entries that are replaced.
    values: Vec<ValueId>,
    /// Their places.
    places: Vec<ValueId>,
}

impl Results {
    fn of(of: &Loop, held: Option<&InRows>) -> Self {
        let rows = held.iter().flat_map(|held| &held.rows);
        let updates = rows.flat_map(|rows| &rows.updates);
        Self {
            next: of.region.next.clone(),
            values: updates.clone().map(|[_, value]| *value).collect(),
            places: updates.map(|[place, _]| *place).collect(),
        }
    }

    fn all(&self) -> impl Iterator<Item = &ValueId> {
        self.next.iter().chain(&self.values).chain(&self.places)
    }
}

impl Compiler<'_> {
    pub(super) fn given(&self, v: ValueId) -> Given {
        Given {
            slot: v.0,
            is_column: self.level(v).is_column(),
        }
    }

    /// Compiles a loop, whose value is `v`.
    pub(super) fn looping(&mut self, v: ValueId, level: Level, of: &Loop) -> Option<Instr> {
        let held = of.in_rows(LEAST);
        let whole = of;
        let of = held.as_ref().map_or(of, |held| &held.of);
        let trips = self.given(of.trips);
        let differs = level.is_column() && (trips.is_column || of.region.test.is_some());
        let mut code = self.trip(of, held.as_ref(), (trips, differs))?;
        code.copy_entries_given();
        let carried = self.carried(of, differs);
        let is_tested = differs || of.region.test.is_some();
        let first = usize::from(is_tested) + of.init.len();
        let rows = held.as_ref();
        let rows = rows.map_or(vec![], |held| self.rows(held, &code, first));
        let outs = outs(whole.init.len(), &carried, held.as_ref().zip(Some(&rows)));
        self.outs.insert(v, outs);
        let arrays = code.arrays.iter().map(|&array| self.array(array)).collect();
        self.code.loops.push(LoopCode {
            trips,
            captures: self.captures(of, (carried.len(), trips, differs)),
            carried,
            rows,
            differs,
            is_tested,
            has_test: of.region.test.is_some(),
            is_written: written(&code),
            code,
            arrays,
            dst: v.0,
            order: v.0,
        });
        Some(Instr::Loop(self.code.loops.len() as u32 - 1))
    }

    /// The code of a trip of a loop, some of whose state may be held in rows.
    fn trip(
        &self,
        of: &Loop,
        held: Option<&InRows>,
        (trips, differs): (Given, bool),
    ) -> Option<Code> {
        let is_column = |&v: &ValueId| self.given(v).is_column;
        let columns: Vec<_> = of.captures.iter().map(is_column).collect();
        let results = Results::of(of, held);
        let trip = match differs {
            true => Trip::of_lanes(of, &results, &columns, trips.is_column),
            false => Trip::of(of, &results, &columns),
        };
        let mut columns = trip.results;
        let places = columns.split_off(columns.len() - results.places.len());
        let wanted = Wanted::Trip { columns, places };
        compile(self.target, &trip.body, &nest(trip.args), &wanted)
    }

    /// What is carried in columns, and at last whether lanes go on, where they differ.
    fn carried(&mut self, of: &Loop, differs: bool) -> Vec<Carried> {
        let inits = of.init.iter();
        let inits = inits.map(|&init| (self.given(init), self.type_of(init)));
        let mut inits: Vec<_> = inits.collect();
        if differs {
            // At first, every lane goes on.
            inits.push((self.given_number(Const::Bool(true)), ScalarType::Bool));
        }
        let carried = (1..).zip(inits).map(|(arg, (init, ty))| Carried {
            arg,
            ty,
            init,
            fill: lanes::fill(self.target.isa, ty),
            dst: self.slot(),
        });
        carried.collect()
    }

    /// What is the same in all trips. Where lanes differ in their numbers of trips, these are the last.
    fn captures(&self, of: &Loop, (carried, trips, differs): (usize, Given, bool)) -> Vec<Capture> {
        let captures = of.captures.iter();
        let captures = captures.map(|&v| (self.given(v), self.type_of(v)));
        let trips = (trips, ScalarType::I32);
        let captures = captures.chain((differs && trips.0.is_column).then_some(trips));
        (1 + carried as u32..)
            .zip(captures)
            .map(Capture::of)
            .collect()
    }

    fn type_of(&self, v: ValueId) -> ScalarType {
        self.analysis.body.type_of(v)
    }

    /// A number that is no value of the body.
    pub(super) fn given_number(&mut self, number: Const) -> Given {
        let slot = self.slot();
        self.code.consts.push((slot, number));
        Given {
            slot,
            is_column: false,
        }
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

/// Where each of so many values is left that a loop carries, in columns or in rows.
fn outs(count: usize, carried: &[Carried], held: Option<(&InRows, &Vec<RowsCode>)>) -> Vec<Slot> {
    let Some((held, rows)) = held else {
        return carried
            .iter()
            .take(count)
            .map(|carried| carried.dst)
            .collect();
    };
    let mut outs = vec![0; count];
    for (&at, carried) in held.plain.iter().zip(carried) {
        outs[at] = carried.dst;
    }
    for (held, rows) in held.rows.iter().zip(rows) {
        for (&at, &dst) in held.states.iter().zip(&rows.dst) {
            outs[at] = dst;
        }
    }
    outs
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
            Self::Fetch(_) | Self::Load(_) | Self::Entry(_) | Self::Loop(_) => vec![],
            Self::Coord { .. } => vec![],
            Self::Store { .. } | Self::StoreRow(_) => vec![],
            Self::Fork { .. } | Self::Inside { .. } | Self::Test(_) => vec![],
        }
    }
}
