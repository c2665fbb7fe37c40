//! States that are made again from a few of them: checkpoints.
//!
//! The dual carries what it keeps: states, the numbers of the trips before which they were, and the place of the last of them. A
//! trip of the dual for trip i drops what comes after i, and goes forward from the last state that is left. On the way it keeps
//! states where there is room, as far apart as makes the steps that are made again the fewest: with c states and l trips to go back
//! through, no trip runs again more than r times, where r is the least number with C(c + r, c) ≥ l (Griewank and Walther 2000,
//! algorithm 799, "revolve"). The primal keeps nothing, so all trips run once more than in
//! that algorithm.
//!
//! The number of trips need not be known before the loop runs.

use super::Counted;
use super::settle::trim;
use super::stacks::first_or_row;
use super::{NUMBER, Trip, element};
use crate::acc::reverse::Reverse;
use crate::rename::ArrMap;
use cotangent_core::analysis::shape::{Size, TripExtents};
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{
    AccClosure, AccLet, AccOp, ArrId, Axis, Combine, ExpId, Fun, Labelled, States,
};
use cotangent_core::types::{ArrayType, ScalarType};
use std::collections::BTreeSet;

/// The trips before which states were, by place.
const PLACES: ArrayType = ArrayType::new(ScalarType::I32, 1);
const F32: ScalarType = ScalarType::F32;

/// What the dual of a loop keeps.
pub(super) struct Checkpoints {
    slots: i32,
    /// The columns of the state that are kept: those that a trip of the dual needs, and that these are made of.
    columns: Vec<usize>,
    /// What a trip of the dual is given: the place of the last state, the numbers of trips, and the columns.
    kept: Kept,
}

/// The states that are kept.
#[derive(Clone)]
struct Kept {
    /// The place of the last one.
    top: Arr,
    places: Arr,
    columns: Vec<Arr>,
}

impl Kept {
    fn fresh(reverse: &mut Reverse, states: &[ArrayType]) -> Self {
        let rows = states.iter().map(|ty| ArrayType::new(ty.elem, ty.rank + 1));
        Self {
            top: reverse.b.fresh(NUMBER),
            places: reverse.b.fresh(PLACES),
            columns: rows.map(|ty| reverse.b.fresh(ty)).collect(),
        }
    }

    fn arrays(&self) -> Vec<Arr> {
        [&[self.top.clone(), self.places.clone()], &self.columns[..]].concat()
    }
}

impl Checkpoints {
    /// What there is to be kept for a trip that reads the state as `needed` says.
    pub(super) fn of(
        reverse: &mut Reverse,
        (counted, slots): (&Counted, u32),
        needed: &BTreeSet<ArrId>,
        trip: &Trip,
    ) -> Option<Self> {
        let read = trip.before.iter().map(|array| needed.contains(&array.name));
        let columns = made_of(counted, read.collect());
        if columns.is_empty() {
            return None;
        }
        let types: Vec<ArrayType> = columns.iter().map(|&at| trip.before[at].ty).collect();
        Some(Self {
            slots: i32::try_from(slots.max(1)).unwrap_or(i32::MAX),
            kept: Kept::fresh(reverse, &types),
            columns,
        })
    }

    /// What a trip of the dual is given.
    pub(super) fn params(&self) -> Vec<Arr> {
        self.kept.arrays()
    }

    /// Pushes the code by which a trip of the dual makes the state before it; gives what it keeps for the next one.
    pub(super) fn read(&self, reverse: &mut Reverse, counted: &Counted, trip: &Trip) -> Vec<Arr> {
        let wanted = &trip.number;
        let top = computed(reverse, |b| self.last_before(b, wanted));
        let start = computed(reverse, |b| {
            let top = b.index(&top, &[]);
            b.index(&self.kept.places, &[top])
        });
        let states = self.last(reverse, counted, (&start, &top));
        let first = Progress {
            start,
            kept: Kept {
                top,
                ..self.kept.clone()
            },
            states,
        };
        let mut last = self.fresh(reverse, trip);
        last.states = self
            .columns
            .iter()
            .map(|&at| trip.before[at].clone())
            .collect();
        let op = AccOp::Loop {
            trips: way(&first.start, wanted),
            test: Some(self.test(reverse, trip)),
            step: self.step(reverse, counted, trip),
            states: States::Stored,
            args: first.arrays().iter().map(|array| array.name).collect(),
        };
        let made = reverse.b.fresh(NUMBER);
        reverse.b.push_let(AccLet {
            binds: [&[made], &last.arrays()[..]].concat(),
            op,
            loc: reverse.b.loc(),
        });
        last.kept.arrays()
    }

    /// The last state that is kept, which is before trip `start`.
    fn last(
        &self,
        reverse: &mut Reverse,
        counted: &Counted,
        (start, top): (&Arr, &Arr),
    ) -> Vec<Arr> {
        let mut states = vec![];
        for (&at, rows) in self.columns.iter().zip(&self.kept.columns) {
            states.push(match &counted.extents[at] {
                TripExtents::Kept | TripExtents::Open => row(reverse, rows, top),
                TripExtents::Settled(sizes) => {
                    let ty = counted.step.params[at + 1].ty;
                    let (first, state) = (Arr::new(counted.args[at], ty), reverse.b.fresh(ty));
                    let place = |b: &mut FunBuilder| b.index(top, &[]);
                    let of = (rows, &first, &state);
                    let let_ = first_or_row(reverse, of, (start, &place), sizes);
                    reverse.b.push_let(let_);
                    state
                }
            });
        }
        states
    }

    /// The place of the last state that was before the wanted trip, or one before it.
    fn last_before(&self, b: &mut FunBuilder, wanted: &Arr) -> ExpId {
        let top = b.index(&self.kept.top, &[]);
        let at = b.index(&self.kept.places, &[top]);
        let wanted = b.index(wanted, &[]);
        let is_late = b.prim(Prim::Gt, &[at, wanted]);
        let one = b.constant(1);
        let below = b.prim(Prim::Sub, &[top, one]);
        b.prim(Prim::Select, &[is_late, below, top])
    }

    fn fresh(&self, reverse: &mut Reverse, trip: &Trip) -> Progress {
        let states = self.columns.iter().map(|&at| trip.before[at].ty);
        let states: Vec<ArrayType> = states.collect();
        Progress {
            start: reverse.b.fresh(NUMBER),
            kept: Kept::fresh(reverse, &states),
            states: states.iter().map(|&ty| reverse.b.fresh(ty)).collect(),
        }
    }

    /// Whether the way to the wanted state goes on.
    fn test(&self, reverse: &mut Reverse, trip: &Trip) -> AccClosure<Labelled> {
        let at = self.fresh(reverse, trip);
        let number = reverse.b.fresh(NUMBER);
        reverse.b.open();
        let goes_on = computed(reverse, |b| is_before(b, &at.start, &trip.number));
        AccClosure {
            params: [&[number], &at.arrays()[..]].concat(),
            body: reverse.b.close(&[goes_on]),
        }
    }

    /// Some trips forward, and a state that is kept unless it is the wanted one.
    fn step(&self, reverse: &mut Reverse, counted: &Counted, trip: &Trip) -> AccClosure<Labelled> {
        let at = self.fresh(reverse, trip);
        let number = reverse.b.fresh(NUMBER);
        let wanted = &trip.number;
        reverse.b.open();
        let stride = computed(reverse, |b| self.stride(b, &at, wanted));
        let states = self.trips_forward(reverse, counted, (&at, &stride));
        let start = computed(reverse, |b| {
            let (start, stride) = (b.index(&at.start, &[]), b.index(&stride, &[]));
            b.prim(Prim::Add, &[start, stride])
        });
        let kept = keep(reverse, (&start, wanted), &at.kept, &states);
        let next = Progress {
            start,
            kept,
            states,
        };
        AccClosure {
            params: [&[number], &at.arrays()[..]].concat(),
            body: reverse.b.close(&next.arrays()),
        }
    }

    /// The states so many trips later.
    fn trips_forward(
        &self,
        reverse: &mut Reverse,
        counted: &Counted,
        (at, stride): (&Progress, &Arr),
    ) -> Vec<Arr> {
        let k = reverse.b.fresh(NUMBER);
        let params: Vec<Arr> = at.states.iter().map(|s| reverse.b.fresh(s.ty)).collect();
        reverse.b.open();
        let number = computed(reverse, |b| {
            let (start, k) = (b.index(&at.start, &[]), b.index(&k, &[]));
            b.prim(Prim::Add, &[start, k])
        });
        let mut names = ArrMap::from([(counted.step.params[0].name, number.name)]);
        for (column, param) in counted.step.params[1..].iter().enumerate() {
            if counted.stays(column) {
                names.insert(param.name, counted.args[column]);
            }
        }
        let own = self.columns.iter().zip(&params);
        names.extend(own.map(|(&at, param)| (counted.step.params[at + 1].name, param.name)));
        let mut body = counted.step.body.clone();
        body.results = self.columns.iter().map(|&at| body.results[at]).collect();
        trim(&mut body);
        let copy = reverse.b.copied(&body, &mut names);
        copy.lets
            .into_iter()
            .for_each(|let_| reverse.b.push_let(let_));
        let mut body = reverse.b.close(&[]);
        body.results = copy.results;
        let mut types = vec![NUMBER];
        types.extend(params.iter().map(|param| param.ty));
        let op = AccOp::Loop {
            trips: element(stride),
            test: None,
            step: AccClosure {
                params: [&[k], &params[..]].concat(),
                body,
            },
            states: States::Stored,
            args: at.states.iter().map(|array| array.name).collect(),
        };
        reverse.b.push(op, &types).split_off(1)
    }

    /// How many trips to go before the next state is kept: all, if there is no room.
    fn stride(&self, b: &mut FunBuilder, at: &Progress, wanted: &Arr) -> ExpId {
        let way = distance(b, &at.start, wanted);
        let (top, most) = (b.index(&at.kept.top, &[]), b.constant(self.slots - 1));
        let room = b.prim(Prim::Sub, &[most, top]);
        stride(b, way, room)
    }

    /// What is kept before the first trip of the dual: the first state.
    pub(super) fn first(&self, reverse: &mut Reverse, counted: &Counted) -> Vec<Arr> {
        let zero = |rank| {
            let mut b = FunBuilder::new();
            b.params(&vec![ScalarType::I32; rank]);
            let zero = b.constant(0);
            b.finish(vec![zero])
        };
        let top = reverse.b.generate(Fun::constants(&[]), zero(0)).remove(0);
        let places = reverse.b.generate(self.room(counted), zero(1)).remove(0);
        let mut first = vec![top, places];
        for (&at, rows) in self.columns.iter().zip(&self.kept.columns) {
            first.push(match &counted.extents[at] {
                TripExtents::Kept | TripExtents::Open => {
                    let mut axes = vec![Axis::All; rows.ty.rank];
                    axes[0] = Axis::Fixed;
                    let state = Arr::new(counted.args[at], counted.step.params[at + 1].ty);
                    reverse.b.replicate(axes, self.room(counted), &state)
                }
                TripExtents::Settled(sizes) => self.no_rows(reverse, counted, (rows, sizes)),
            });
        }
        first
    }

    /// Room for states of the shape that they have after the first trip. The first state need not be kept.
    fn no_rows(
        &self,
        reverse: &mut Reverse,
        counted: &Counted,
        (rows, sizes): (&Arr, &[Size]),
    ) -> Arr {
        let mut b = FunBuilder::new();
        let mut extents = b.inline(&self.room(counted), &[]);
        extents.extend(sizes.iter().map(|&size| reverse.shapes.emit(&mut b, size)));
        let shape = b.finish(extents);
        let mut b = FunBuilder::new();
        b.params(&vec![ScalarType::I32; rows.ty.rank]);
        let zero = b.constant(Const::zero(rows.ty.elem));
        reverse.b.generate(shape, b.finish(vec![zero])).remove(0)
    }

    /// How many states there is room for: no more than there are trips.
    fn room(&self, counted: &Counted) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let n = b.inline(&counted.trips, &[])[0];
        let (slots, one) = (b.constant(self.slots), b.constant(1));
        let n = b.prim(Prim::Min, &[n, slots]);
        let n = b.prim(Prim::Max, &[n, one]);
        b.finish(vec![n])
    }
}

/// On the way forward to the state that a trip of the dual wants.
struct Progress {
    /// The number of the next trip.
    start: Arr,
    kept: Kept,
    /// The state before that trip.
    states: Vec<Arr>,
}

impl Progress {
    fn arrays(&self) -> Vec<Arr> {
        [
            std::slice::from_ref(&self.start),
            &self.kept.arrays()[..],
            &self.states,
        ]
        .concat()
    }
}

/// Keeps a state as well, if it is before the wanted one.
fn keep(reverse: &mut Reverse, (start, wanted): (&Arr, &Arr), kept: &Kept, states: &[Arr]) -> Kept {
    let above = |b: &mut FunBuilder| {
        let (top, one) = (b.index(&kept.top, &[]), b.constant(1));
        b.prim(Prim::Add, &[top, one])
    };
    let top = computed(reverse, |b| {
        let (is_kept, above) = (is_before(b, start, wanted), above(b));
        let top = b.index(&kept.top, &[]);
        b.prim(Prim::Select, &[is_kept, above, top])
    });
    let mut written = |rows: &Arr, row: &Arr| {
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; row.ty.rank]);
        let place = [is_before(&mut b, start, wanted), above(&mut b)];
        let target = b.finish([&place, &index[..]].concat());
        let (rows, row) = (std::slice::from_ref(rows), std::slice::from_ref(row));
        let made = reverse
            .b
            .permute_back(Combine::Overwrite, rows, target, row);
        made.into_iter().next().unwrap_or_else(|| rows[0].clone())
    };
    Kept {
        top,
        places: written(&kept.places, start),
        columns: kept
            .columns
            .iter()
            .zip(states)
            .map(|(rows, row)| written(rows, row))
            .collect(),
    }
}

/// The columns that change and that the chosen ones depend on, these included.
fn made_of(counted: &Counted, mut chosen: Vec<bool>) -> Vec<usize> {
    let Counted { step, .. } = counted;
    loop {
        let results = step.body.results.iter().zip(&chosen);
        let results = results.filter(|(_, chosen)| **chosen);
        let mut needed: BTreeSet<ArrId> = results.map(|(&result, _)| result).collect();
        for let_ in step.body.lets.iter().rev() {
            if let_.binds.iter().any(|bind| needed.contains(&bind.name)) {
                needed.extend(let_.op.free());
            }
        }
        let next = |at: usize| chosen[at] || needed.contains(&step.params[at + 1].name);
        let next: Vec<bool> = (0..chosen.len())
            .map(|at| next(at) && !counted.stays(at))
            .collect();
        if next == chosen {
            return (0..chosen.len()).filter(|&at| chosen[at]).collect();
        }
        chosen = next;
    }
}

/// A number as an array without dimensions.
fn computed(reverse: &mut Reverse, number: impl FnOnce(&mut FunBuilder) -> ExpId) -> Arr {
    let mut b = FunBuilder::new();
    let number = number(&mut b);
    let f = b.finish(vec![number]);
    reverse.b.generate(Fun::constants(&[]), f).remove(0)
}

/// Row `at` of an array.
fn row(reverse: &mut Reverse, rows: &Arr, at: &Arr) -> Arr {
    let mut axes = vec![Axis::All; rows.ty.rank];
    axes[0] = Axis::Fixed;
    reverse.b.slice(axes, element(at), rows)
}

/// The trips from one number to another, as an expression.
fn distance(b: &mut FunBuilder, from: &Arr, to: &Arr) -> ExpId {
    let (from, to) = (b.index(from, &[]), b.index(to, &[]));
    b.prim(Prim::Sub, &[to, from])
}

/// The same as a function.
fn way(from: &Arr, to: &Arr) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let distance = distance(&mut b, from, to);
    b.finish(vec![distance])
}

/// Whether a number is less than another.
fn is_before(b: &mut FunBuilder, x: &Arr, y: &Arr) -> ExpId {
    let (x, y) = (b.index(x, &[]), b.index(y, &[]));
    b.prim(Prim::Lt, &[x, y])
}

/// How far to go from a state that is kept before the next one is kept, if the wanted one is `way` trips away and there is room for
/// `room` more: at least one trip, all of them if there is no room.
///
/// With c = room + 1 and l = way + 1, r is the least number with C(c + r, c) ≥ l. What comes after the next state is done with
/// c − 1 states in r repetitions if it is at most C(c + r − 1, c − 1) long; what is before it, with c in r − 1, if it is at
/// most C(c + r − 1, c). Of the lengths that fulfil both, this is the least. Rounded: what is not the best is right, too.
fn stride(b: &mut FunBuilder, way: ExpId, room: ExpId) -> ExpId {
    let one = b.constant(1);
    let float = Prim::Convert(F32);
    let (l, c) = (
        b.prim(Prim::Add, &[way, one]),
        b.prim(Prim::Add, &[room, one]),
    );
    let (l, c) = (b.prim(float, &[l]), b.prim(float, &[c]));
    let [r, all] = repetitions(b, (way, room), (l, c));
    let one = b.constant(Const::F32(1.0));
    let sum = b.prim(Prim::Add, &[c, r]);
    let right = b.prim(Prim::Mul, &[all, c]);
    let right = b.prim(Prim::Div, &[right, sum]);
    let right = b.prim(Prim::Floor, &[right]);
    let after = b.prim(Prim::Sub, &[l, right]);
    let [below, sum_below] = [r, sum].map(|x| b.prim(Prim::Sub, &[x, one]));
    let left = b.prim(Prim::Sub, &[all, right]);
    let left = b.prim(Prim::Mul, &[left, below]);
    let sum_below = b.prim(Prim::Max, &[sum_below, one]);
    let left = b.prim(Prim::Div, &[left, sum_below]);
    let left = b.prim(Prim::Floor, &[left]);
    let best = b.prim(Prim::Max, &[left, after]);
    let best = b.prim(Prim::Convert(ScalarType::I32), &[best]);
    let one = b.constant(1);
    let best = b.prim(Prim::Max, &[best, one]);
    let best = b.prim(Prim::Min, &[best, way]);
    let zero = b.constant(0);
    let is_full = b.prim(Prim::Le, &[room, zero]);
    b.prim(Prim::Select, &[is_full, way, best])
}

/// The least r with C(c + r, c) ≥ l, and that binomial coefficient; none of it matters if there is no room.
fn repetitions(
    b: &mut FunBuilder,
    (way, room): (ExpId, ExpId),
    (l, c): (ExpId, ExpId),
) -> [ExpId; 2] {
    let zero = b.constant(0);
    let has_room = b.prim(Prim::Gt, &[room, zero]);
    let trips = b.prim(Prim::Select, &[has_room, way, zero]);
    let types = [ScalarType::I32, F32, F32];
    let test = b.closure(&types, |b, args| vec![b.prim(Prim::Lt, &[args[2], l])]);
    let step = b.closure(&types, |b, args| {
        let one = b.constant(Const::F32(1.0));
        let r = b.prim(Prim::Add, &[args[1], one]);
        let sum = b.prim(Prim::Add, &[c, r]);
        let all = b.prim(Prim::Mul, &[args[2], sum]);
        vec![r, b.prim(Prim::Div, &[all, r])]
    });
    let (none, one) = (b.constant(Const::F32(0.0)), b.constant(Const::F32(1.0)));
    let found = b.loop_(&[trips, none, one], Some(test), step);
    [found[1], found[2]]
}
