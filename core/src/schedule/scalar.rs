//! Evaluation of a [`Body`] at one point, on the host.
//!
//! Every backend runs [`Step::Scalars`](super::Step::Scalars) with it, and the reference runner runs
//! everything with it. Instructions are evaluated in order; the first load that fails ends the evaluation.

use super::{Body, Inst, Load, Loop, Op, SymbolId, ValueId};
use crate::backend::RunError;
use crate::constant::Const;
use std::collections::HashMap;

/// What surrounds the code: where symbols, coordinates, arguments and elements come from.
pub trait Surroundings {
    /// The value of a symbol that is defined.
    fn symbol(&self, symbol: SymbolId) -> Const;

    /// A coordinate of the point; code on the host has none.
    fn coord(&self, axis: u32) -> i32;

    /// An argument; only operators have any.
    fn arg(&self, position: u32) -> Const;

    /// The element of `load.array` at `index`; the guard holds.
    ///
    /// # Errors
    /// Where the index is out of range.
    fn load(&self, load: &Load, index: &[i32]) -> Result<Const, RunError>;

    /// Asks whether a loop may make the trip of that number, as its test, if it has one, wants it to.
    ///
    /// # Errors
    /// Where the run is to end.
    fn may_go_on(&self, _trip: i32, _has_test: bool) -> Result<(), RunError> {
        Ok(())
    }
}

/// The values of all instructions of `body`, in order.
///
/// # Errors
/// Where a load fails.
pub fn eval(body: &Body, surroundings: &dyn Surroundings) -> Result<Vec<Const>, RunError> {
    let mut evaluation = Evaluation {
        surroundings,
        values: Vec::with_capacity(body.len()),
        outs: HashMap::new(),
    };
    for (v, inst) in body.iter() {
        let value = evaluation.inst(v, inst)?;
        evaluation.values.push(value);
    }
    Ok(evaluation.values)
}

struct Evaluation<'a> {
    surroundings: &'a dyn Surroundings,
    values: Vec<Const>,
    /// What loops carried last.
    outs: HashMap<ValueId, Vec<Const>>,
}

impl Evaluation<'_> {
    fn of(&self, v: &ValueId) -> Const {
        self.values[v.index()]
    }

    fn all(&self, values: &[ValueId]) -> Vec<Const> {
        values.iter().map(|v| self.of(v)).collect()
    }

    fn inst(&mut self, v: ValueId, Inst { op, ty }: &Inst) -> Result<Const, RunError> {
        match op {
            Op::Const(c) => Ok(*c),
            Op::Symbol(s) => Ok(self.surroundings.symbol(*s)),
            Op::Coord(axis) => Ok(Const::I32(self.surroundings.coord(*axis))),
            Op::Arg(position) => Ok(self.surroundings.arg(*position)),
            Op::Prim(prim, operands) => {
                let operands = self.all(operands);
                let value = prim.eval(&operands);
                let bug = || RunError::Bug(format!("`{prim}` does not take {operands:?}"));
                value.ok_or_else(bug)
            }
            Op::Load(load) => match load.guard.as_ref().map(|v| self.of(v)) {
                None | Some(Const::Bool(true)) => {
                    let index = load.index.iter().map(|v| as_i32(self.of(v)));
                    self.surroundings.load(load, &index.collect::<Vec<_>>())
                }
                Some(_) => Ok(Const::zero(*ty)),
            },
            Op::Loop(of) => {
                let (trips, outs) = self.run(of)?;
                self.outs.insert(v, outs);
                Ok(Const::I32(trips))
            }
            // The checker has seen to it that the loop has such a value.
            Op::Out(of, which) => Ok(self.outs[of][*which as usize]),
        }
    }

    /// The number of trips and what was carried last: see [`Loop`].
    fn run(&self, of: &Loop) -> Result<(i32, Vec<Const>), RunError> {
        let (captures, region) = (self.all(&of.captures), &of.region);
        let (mut trip, mut state) = (0, self.all(&of.init));
        while trip < as_i32(self.of(&of.trips)) {
            let inside = Inside {
                around: self.surroundings,
                args: [&[Const::I32(trip)], &state[..], &captures].concat(),
            };
            let values = eval(&region.body, &inside).map_err(|e| e.in_trip(trip.into()))?;
            if region.test.map(|v| values[v.index()]) == Some(Const::Bool(false)) {
                break;
            }
            self.surroundings.may_go_on(trip, region.test.is_some())?;
            state = region.next.iter().map(|v| values[v.index()]).collect();
            trip += 1;
        }
        Ok((trip, state))
    }
}

/// What surrounds the code of a loop.
struct Inside<'a> {
    around: &'a dyn Surroundings,
    args: Vec<Const>,
}

impl Surroundings for Inside<'_> {
    fn symbol(&self, symbol: SymbolId) -> Const {
        self.around.symbol(symbol)
    }

    fn coord(&self, axis: u32) -> i32 {
        self.around.coord(axis)
    }

    fn arg(&self, position: u32) -> Const {
        self.args[position as usize]
    }

    fn load(&self, load: &Load, index: &[i32]) -> Result<Const, RunError> {
        self.around.load(load, index)
    }

    fn may_go_on(&self, trip: i32, has_test: bool) -> Result<(), RunError> {
        self.around.may_go_on(trip, has_test)
    }
}

/// The value of an `i32`; of anything else, which the checker excludes, 0.
pub fn as_i32(value: Const) -> i32 {
    value.as_i32().unwrap_or(0)
}
