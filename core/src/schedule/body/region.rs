//! Loops inside of scalar code.
//!
//! ```text
//! state = init; k = 0
//! while k < trips:
//!     run the body on (k, state, captures)
//!     stop if there is a test, and it is false
//!     state = next; k = k + 1
//! ```
//!
//! What a trip computes beside the test is thrown away where that is false, so code that can fail and is not meant to
//! run then is guarded by the test. A loop that may go on for ever is one of `i32::MAX` trips.

use super::{Body, Op, ValueId};
use crate::constant::Const;
use crate::prim::Prim;
use crate::schedule::SymbolId;

/// The values of symbols that are known.
pub type Known<'a> = &'a dyn Fn(SymbolId) -> Option<Const>;

/// Code that runs again and again, on values carried from trip to trip.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loop {
    /// The most trips, an `i32`; a negative number is none.
    pub trips: ValueId,
    /// What is carried into the first trip.
    pub init: Vec<ValueId>,
    /// Values of the surrounding code that every trip reads.
    pub captures: Vec<ValueId>,
    /// What a trip does.
    pub region: Region,
}

/// The code of one trip. It is closed: argument 0 is the number of the trip, from 0; then come the values carried, then
/// those captured. There are no coordinates and no symbols in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// The code.
    pub body: Body,
    /// A `bool` that is false where the loop ends before this trip.
    pub test: Option<ValueId>,
    /// What is carried into the next trip, of the types of the initial values.
    pub next: Vec<ValueId>,
}

impl Loop {
    /// The values of the surrounding code that the loop reads.
    pub fn operands(&self) -> Vec<ValueId> {
        let Self {
            trips,
            init,
            captures,
            region: _,
        } = self;
        let all = [trips].into_iter().chain(init).chain(captures);
        all.copied().collect()
    }

    /// The same loop on other values.
    pub(super) fn renamed(&self, new: &impl Fn(ValueId) -> ValueId) -> Self {
        let all = |values: &[ValueId]| values.iter().map(|&v| new(v)).collect();
        Self {
            trips: new(self.trips),
            init: all(&self.init),
            captures: all(&self.captures),
            region: self.region.clone(),
        }
    }

    /// The same loop on other values, in the order of [`operands`](Self::operands).
    pub fn on(&self, operands: &[ValueId]) -> Self {
        let (trips, given) = operands.split_first().unwrap_or((&self.trips, &[]));
        let (init, captures) = given.split_at(self.init.len());
        Self {
            trips: *trips,
            init: init.to_vec(),
            captures: captures.to_vec(),
            region: self.region.clone(),
        }
    }
}

impl Loop {
    /// The trips that the loop makes at the most, and those of the loops in it, if their numbers are literal; `around` is the body
    /// that the loop is in.
    pub fn most_trips(&self, around: &Body) -> Option<i64> {
        self.most_trips_where(around, &|_| None)
    }

    /// The same where some symbols are known; the numbers of loops in it have to be literal.
    pub fn most_trips_where(&self, around: &Body, known: Known) -> Option<i64> {
        let most = around.most(self.trips, known)?;
        let each = self.region.body.most_trips()?.saturating_add(1);
        Some(i64::from(most.max(0)).saturating_mul(each))
    }
}

impl Body {
    /// The trips that the loops of this list make at the most, and those of loops in them, if their numbers are literal.
    pub fn most_trips(&self) -> Option<i64> {
        self.most_trips_where(&|_| None)
    }

    /// The same where some symbols are known, for the loops of this list.
    pub fn most_trips_where(&self, known: Known) -> Option<i64> {
        let loops = self.iter().filter_map(|(_, inst)| inst.op.as_loop());
        let mut trips = loops.map(|of| of.most_trips_where(self, known));
        trips.try_fold(0, |all: i64, trips| Some(all.saturating_add(trips?)))
    }

    /// The largest that a number can be: the larger one of a selection.
    fn most(&self, v: ValueId, known: Known) -> Option<i32> {
        let value = |v| self.known_value(v, known)?.as_i32();
        match self.op(v).operands_of(Prim::Select) {
            Some(&[_, x, y]) => Some(value(x)?.max(value(y)?)),
            None => value(v),
        }
    }

    /// A literal, a known symbol, or a primitive of these.
    pub fn known_value(&self, v: ValueId, known: Known) -> Option<Const> {
        let plain = |v: ValueId| match self.op(v) {
            Op::Const(value) => Some(*value),
            Op::Symbol(symbol) => known(*symbol),
            Op::Coord(_) | Op::Arg(_) | Op::Prim(..) => None,
            Op::Load(_) | Op::Loop(_) | Op::Out(..) => None,
        };
        let Some((prim, operands)) = self.op(v).as_prim() else {
            return plain(v);
        };
        let operands: Option<Vec<_>> = operands.iter().map(|&v| plain(v)).collect();
        prim.eval(&operands?)
    }
}

impl Region {
    /// What a trip computes: the test, if there is one, then what is carried on.
    pub fn results(&self) -> Vec<ValueId> {
        self.test.iter().chain(&self.next).copied().collect()
    }
}
