//! Loops of scalar code as loops of arrays, where they cannot be differentiated in place
//! ([`LoopsToLift`])
//!
//! `generate(shape, i ↦ code; loop; rest)` is the same as three steps: arrays of what the code makes; a loop of arrays that
//! carries the states of all elements; and `generate` of the rest from the last states. Elements may make different numbers of
//! trips: those that are done keep their state. The number of trips that an element has made is carried, too, and says
//! whether it is done, since a test that sees the number of the trip may hold again later.
//!
//! Arrays `[T; N]` that a step overwrites entry by entry are carried as one array ([`entries`]).
//!
//! A loop in a branch of a conditional makes no trips where the branch is not taken; with that, it is taken out of it
//! ([`unbranch`]).

mod entries;
mod parts;
mod unbranch;

use super::reverse::{Node, Reverse};
use crate::error::AdError;
use crate::exp::{Entries, LoopsToLift};
use cotangent_core::build::{AccBuilder, Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccClosure, AccOp, ArrId, ExpId, Fun, Labelled, States};
use cotangent_core::types::{ArrayType, ScalarType};
use parts::Parts;
use unbranch::unbranch;

/// Where the parameters of a function come from.
enum Source {
    /// They are the index.
    Index,
    /// They are elements of these arrays at the index.
    Elements(Vec<Arr>),
}

/// A loop of scalar code on its way to be one of arrays.
struct Lift<'a> {
    b: &'a mut AccBuilder,
    parts: Parts,
    /// The arrays of entries of the state, which are carried after all others.
    entries: Vec<Entries>,
    source: Source,
    /// The extents of all arrays.
    shape: Fun<Labelled>,
    /// What the code before the loop makes for the others.
    live: Vec<Arr>,
    /// By element, the most trips, if they differ.
    most: Option<Arr>,
}

impl Reverse<'_> {
    /// The parts of a function of elements of `args`, or of the index, that has a loop to be lifted.
    pub(super) fn parts_to_lift(&self, f: &Fun<Labelled>, args: &[ArrId]) -> Option<Parts> {
        let active = self.activity.flags(args);
        let loops = |f: &Fun<Labelled>| LoopsToLift::of(f, &active, |a| self.is_active(a));
        let found = loops(f)?;
        let f = unbranch(f.clone(), found.position(&f.body)?, &found);
        let at = loops(&f)?.position(&f.body)?;
        Parts::of(&f, at)
    }

    /// The dual of an operation on each element whose function has a loop to be lifted; it takes elements of `args`, or, if
    /// there are none, the index.
    pub(super) fn lifted(
        &mut self,
        node: &Node,
        parts: Parts,
        args: &[ArrId],
    ) -> Result<(), AdError> {
        let args = self.arrays(args)?;
        self.b.open();
        let entries = parts.entries();
        let lift = Lift {
            b: self.b,
            parts,
            entries,
            source: match args[..] {
                [] => Source::Index,
                [..] => Source::Elements(args),
            },
            shape: Fun::shape_of(&node.binds[0]),
            live: vec![],
            most: None,
        };
        let results = lift.run();
        let block = self.b.close(&results);
        self.through(block, node.adjoints)
    }
}

impl Lift<'_> {
    /// The results of the operation.
    fn run(mut self) -> Vec<Arr> {
        let plain = self.parts.plain(&self.entries);
        let first = self.before();
        let first = self.first_rows(&first, &plain);
        let rank = self.rank();
        self.parts = self.parts.in_rows(&self.entries, rank);
        let last = self.loop_(&first);
        let rest = self.parts.rest.clone();
        self.generate(&rest, &[], &last)
    }

    fn rank(&self) -> usize {
        self.shape.body.results.len()
    }

    /// A function of the index that reads what `f` takes: `numbers`, elements of `own`, what is live, and the parameters of the whole.
    /// Parts from the loop on have the rows at the end of `own`, and take the index, too.
    fn at_index(&self, f: &Fun<Labelled>, (numbers, own): (&[&Arr], &[Arr])) -> Fun<Labelled> {
        let is_before = own.is_empty();
        let rows = if is_before { 0 } else { self.entries.len() };
        let (own, rows) = own.split_at(own.len() - rows);
        let f = &entries::with_rows(f, rows);
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; self.rank()]);
        let mut args: Vec<ExpId> = numbers.iter().map(|n| b.index(n, &[])).collect();
        let elements = own.iter().chain(&self.live);
        args.extend(elements.map(|array| b.index(array, &index)));
        match &self.source {
            Source::Index => args.extend(&index),
            Source::Elements(arrays) => args.extend(arrays.iter().map(|a| b.index(a, &index))),
        }
        if !is_before {
            args.extend(index);
        }
        let results = b.inline(f, &args);
        b.finish(results)
    }

    fn generate(&mut self, f: &Fun<Labelled>, numbers: &[&Arr], own: &[Arr]) -> Vec<Arr> {
        let f = self.at_index(f, (numbers, own));
        self.b.generate(self.shape.clone(), f)
    }

    /// What is live, and the first state, which begins with the number of trips made.
    fn before(&mut self) -> Vec<Arr> {
        let before = self.parts.before.clone();
        let mut made = self.generate(&before, &[], &[]);
        self.live = made.split_off(made.len() - self.parts.live);
        if self.parts.trips.is_none() {
            self.most = Some(made.remove(0));
        }
        let mut state = self.zero_trips();
        state.extend(made);
        state
    }

    /// The same state with rows in place of entries.
    fn first_rows(&mut self, state: &[Arr], plain: &[usize]) -> Vec<Arr> {
        let mut first = vec![state[0].clone()];
        first.extend(plain.iter().map(|&at| state[1 + at].clone()));
        for array in &self.entries {
            let entries = array.states.iter().map(|&at| state[1 + at].clone());
            first.push(self.b.unpack(&entries.collect::<Vec<_>>()));
        }
        first
    }

    fn zero_trips(&mut self) -> Vec<Arr> {
        let mut b = FunBuilder::new();
        b.params(&vec![ScalarType::I32; self.rank()]);
        let zero = b.constant(0);
        let f = b.finish(vec![zero]);
        self.b.generate(self.shape.clone(), f)
    }

    /// The last state.
    fn loop_(&mut self, first: &[Arr]) -> Vec<Arr> {
        let trips = match (&self.parts.trips, &self.most) {
            (Some(trips), _) => trips.clone(),
            (None, most) => {
                let most = most.clone();
                self.greatest(most)
            }
        };
        let test = self.parts.test.clone().map(|test| self.test(first, &test));
        let step = self.step(first);
        let mut types = vec![ArrayType::new(ScalarType::I32, 0)];
        types.extend(first.iter().map(|array| array.ty));
        let args = first.iter().map(|array| array.name).collect();
        let op = AccOp::Loop {
            trips,
            test,
            step,
            states: States::Stored,
            args,
        };
        self.b.push(op, &types).split_off(1)
    }

    /// The parameters of a closure of the loop.
    fn params(&mut self, first: &[Arr]) -> (Arr, Vec<Arr>) {
        let number = self.b.fresh(ArrayType::new(ScalarType::I32, 0));
        let state = first.iter().map(|array| self.b.fresh(array.ty)).collect();
        (number, state)
    }

    /// Whether any element makes another trip.
    fn test(&mut self, first: &[Arr], test: &Fun<Labelled>) -> AccClosure<Labelled> {
        let (number, state) = self.params(first);
        self.b.open();
        let goes_on = self.goes_on(Some(test));
        let own = [&self.most.iter().cloned().collect::<Vec<_>>()[..], &state].concat();
        let flags = self.generate(&goes_on, &[&number], &own).remove(0);
        let any = self.reduce(flags, (Prim::Or, Const::Bool(false)));
        AccClosure {
            params: [&[number], &state[..]].concat(),
            body: self.b.close(&[any]),
        }
    }

    fn step(&mut self, first: &[Arr]) -> AccClosure<Labelled> {
        let (number, state) = self.params(first);
        self.b.open();
        let step = self.masked();
        let own = [&self.most.iter().cloned().collect::<Vec<_>>()[..], &state].concat();
        let mut next = self.generate(&step, &[&number], &own);
        let updates = next.split_off(1 + self.parts.state);
        next.extend(self.next_rows(&state[next.len()..], &updates));
        AccClosure {
            params: [&[number], &state[..]].concat(),
            body: self.b.close(&next),
        }
    }

    /// Rows after a trip, from those before it and from positions and values of updates.
    fn next_rows(&mut self, rows: &[Arr], updates: &[Arr]) -> Vec<Arr> {
        let mut updates = updates.chunks_exact(2);
        let arrays = self.entries.iter().zip(rows);
        let next = arrays.map(|(array, rows)| {
            let len = array.states.len();
            let own = updates.by_ref().take(array.updates.len());
            own.fold(rows.clone(), |rows, update| {
                entries::replaced(self.b, (&rows, len), (&update[0], &update[1]))
            })
        });
        next.collect()
    }

    /// The types of what functions of a trip take: its number, the most trips if they differ, the trips made, the state, and
    /// the rest.
    fn types(&self) -> Vec<ScalarType> {
        let most = self.most.iter().map(|_| ScalarType::I32);
        let numbers = std::iter::once(ScalarType::I32).chain(most);
        // The step takes the number of the trip, the state and the rest: the trips made stand for the former.
        numbers.chain(self.parts.step.param_types()).collect()
    }

    /// Whether an element makes a trip.
    fn goes_on(&self, test: Option<&Fun<Labelled>>) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let params = b.params(&self.types());
        let goes_on = self.holds(&mut b, test, &params);
        b.finish(vec![goes_on])
    }

    fn holds(&self, b: &mut FunBuilder, test: Option<&Fun<Labelled>>, params: &[ExpId]) -> ExpId {
        let (k, rest) = (params[0], &params[1..]);
        let (most, rest) = rest.split_at(usize::from(self.most.is_some()));
        let (made, state) = (rest[0], &rest[1..]);
        let mut holds = b.prim(Prim::Eq, &[made, k]);
        for &most in most {
            let below = b.prim(Prim::Lt, &[k, most]);
            holds = b.prim(Prim::And, &[holds, below]);
        }
        let Some(test) = test else { return holds };
        let args = [&[k], state].concat();
        b.cond(
            holds,
            |b| b.inline(test, &args),
            |b| vec![b.constant(false)],
        )[0]
    }

    /// The step of those elements that make a trip: from the number of the trip, the trips made and the state to the latter
    /// two.
    fn masked(&self) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let params = b.params(&self.types());
        let at = 1 + usize::from(self.most.is_some());
        let (k, rest) = (params[0], &params[at..]);
        let (made, state) = (rest[0], &rest[1..=self.parts.state]);
        let trip = |b: &mut FunBuilder| {
            let one = b.constant(1);
            let mut next = vec![b.prim(Prim::Add, &[made, one])];
            let args = [&[k], &rest[1..]].concat();
            next.extend(b.inline(&self.parts.step, &args));
            next
        };
        let results = if self.parts.test.is_none() && self.most.is_none() {
            trip(&mut b)
        } else {
            let holds = self.holds(&mut b, self.parts.test.as_ref(), &params);
            let still = |b: &mut FunBuilder| {
                let mut same = [&[made], state].concat();
                for array in &self.entries {
                    for _ in &array.updates {
                        same.extend([b.constant(-1), b.small(array.ty, 0)]);
                    }
                }
                same
            };
            b.cond(holds, trip, still)
        };
        b.finish(results)
    }

    /// The greatest number of an array, and 0.
    fn greatest(&mut self, array: Option<Arr>) -> Fun<Labelled> {
        let Some(array) = array else {
            return Fun::constants(&[Const::I32(0)]);
        };
        let greatest = self.reduce(array, (Prim::Max, Const::I32(0)));
        let mut b = FunBuilder::new();
        let n = b.index(&greatest, &[]);
        b.finish(vec![n])
    }

    /// All elements of an array, combined by `op`.
    fn reduce(&mut self, array: Arr, (op, init): (Prim, Const)) -> Arr {
        let elem = array.ty.elem;
        let flat = match array.ty.rank {
            0 => return array,
            1 => array,
            _ => self.b.reshape(Fun::merged(&array, 0), &array),
        };
        let (f, init) = (Fun::prim(op, &[elem, elem]), Fun::constants(&[init]));
        self.b.fold(f, Some(init), &[flat]).remove(0)
    }
}
