//! Random loops in scalar code.
//!
//! They make a few trips, or none. What they carry is exact, or is halved by each trip before something that does not
//! depend on it is added: so an error never grows, and the number of trips depends on exact values alone.

use super::nested::Branch;
use super::scalars::{Scalars, Var};
use cotangent_core::prim::Prim;
use cotangent_core::term::{ExpBind, ExpClosure, ExpOp, Labelled};
use cotangent_core::types::ScalarType::{self, Bool, F16, F32, I32};

/// The most trips.
const MOST: i32 = 4;

/// Arrays `[T; N]` that are carried have so many entries: enough to be carried as rows where they are differentiated.
const ENTRIES: i32 = 17;

/// Not exceeded by what is carried and not exact.
const CARRIED: f64 = 8.0;

/// Not exceeded by what a trip adds to that.
const ADDED: f64 = 1.6;

impl Scalars<'_> {
    /// A loop over random state, now and then one that replaces entries of an array.
    pub(super) fn iterate(&mut self) {
        if self.random.chance(8) {
            return self.iterate_entries();
        }
        let init: Vec<_> = (0..self.random.between(1, 3))
            .map(|_| self.first())
            .collect();
        let test = self.random.chance(40).then(|| self.test(&init));
        let trips = match test {
            Some(_) if self.random.chance(50) => self.constant(i32::MAX),
            Some(_) | None => self.trips(),
        };
        let step = self.closure(&init, |s, state| {
            let steps = s.random.between(1, 4);
            s.grow(steps);
            state.iter().map(|&v| s.next(v)).collect()
        });
        self.put_loop(test, step, [&[trips], &init[..]].concat());
    }

    /// A loop over an array `[T; N]`, of which a trip replaces entries by what it makes of others, some under a condition, and some
    /// by their numbers.
    fn iterate_entries(&mut self) {
        let init = vec![self.first(); ENTRIES as usize];
        let test = self.random.chance(30).then(|| self.test(&init));
        let trips = self.trips();
        let step = self.closure(&init, |s, state| {
            let mut array = state.to_vec();
            for _ in 0..s.random.between(1, 2) {
                s.update_entries(state, &mut array);
            }
            array
        });
        self.put_loop(test, step, [&[trips], &init[..]].concat());
    }

    /// Replaces an entry by what a trip makes of one as it is by now, or was before the trip.
    fn update_entries(&mut self, before: &[Var], array: &mut Vec<Var>) {
        let (from, to) = (self.position(), self.position());
        let found = match self.random.chance(50) {
            true => self.entry(before, from),
            false => self.entry(array, from),
        };
        let value = self.next(found);
        if self.random.chance(20) {
            let k = self.random.between(0, ENTRIES as usize - 1);
            array[k] = value;
            return;
        }
        let is_wanted = self.random.chance(30).then(|| {
            let limit = self.constant(ENTRIES / 2);
            self.put(Prim::Lt, &[from, limit], 1.0, true)
        });
        let entries = array.iter().copied().enumerate();
        let next = entries.map(|(k, v)| {
            let replaced = self.replaced(v, k, (to, value));
            match is_wanted {
                Some(cond) => self.either(cond, replaced, v),
                None => replaced,
            }
        });
        *array = next.collect();
    }

    fn either(&mut self, cond: Var, x: Var, y: Var) -> Var {
        let exact = x.exact && y.exact;
        let bound = if y.exact { f64::INFINITY } else { CARRIED };
        self.put(Prim::Select, &[cond, x, y], bound, exact)
    }

    /// A position of an entry, or one next to the first or the last.
    fn position(&mut self) -> Var {
        let (any, most, one) = (
            self.exact(I32),
            self.constant(ENTRIES + 2),
            self.constant(1),
        );
        let some = self.put(Prim::ModFloor, &[any, most], ENTRIES.into(), true);
        self.put(Prim::Sub, &[some, one], ENTRIES.into(), true)
    }

    fn entry(&mut self, entries: &[Var], at: Var) -> Var {
        let bound = if entries[0].exact {
            f64::INFINITY
        } else {
            CARRIED
        };
        let (last, others) = entries.split_last().expect("entries");
        let mut found = *last;
        for (k, &entry) in others.iter().enumerate().rev() {
            let k = self.constant(k as i32);
            let is_it = self.put(Prim::Le, &[at, k], 1.0, true);
            found = self.put(Prim::Select, &[is_it, entry, found], bound, entry.exact);
        }
        found
    }

    fn replaced(&mut self, entry: Var, k: usize, (at, value): (Var, Var)) -> Var {
        let k = self.constant(k as i32);
        let is_it = self.put(Prim::Eq, &[at, k], 1.0, true);
        self.either(is_it, value, entry)
    }

    /// What a loop carries first. In code that is differentiated floats count as not exact: each trip halves them, so that
    /// derivatives do not grow either.
    fn first(&mut self) -> Var {
        let ty = match self.any_type() {
            F16 if self.smooth => F32,
            ty => ty,
        };
        let v = self.some(ty, |_| true);
        let v = Var {
            exact: v.exact && !(self.smooth && ty.is_float()),
            ..v
        };
        match v.exact || v.bound <= CARRIED {
            true => v,
            false => self.squash(v, ADDED),
        }
    }

    /// A number of trips: a literal, or one that differs from element to element.
    fn trips(&mut self) -> Var {
        if self.random.chance(40) {
            let trips = self.random.between(0, MOST as usize + 1) as i32 - 1;
            return self.constant(trips);
        }
        let (any, most, one) = (self.exact(I32), self.constant(MOST + 2), self.constant(1));
        let some = self.put(Prim::ModFloor, &[any, most], MOST.into(), true);
        self.put(Prim::Sub, &[some, one], MOST.into(), true)
    }

    /// Whether to go on: for a few trips, and as long as something else holds.
    fn test(&mut self, init: &[Var]) -> (ExpClosure<Labelled>, Vec<Var>) {
        self.closure(init, |s, _| {
            let number = s.vars[s.vars.len() - 1 - init.len()];
            let steps = s.random.between(0, 2);
            s.grow(steps);
            let most = s.constant(MOST);
            let few = s.put(Prim::Lt, &[number, most], 1.0, true);
            let other = s.exact(Bool);
            vec![s.put(Prim::And, &[few, other], 1.0, true)]
        })
    }

    /// What is carried into the next trip, given what was into this one.
    fn next(&mut self, v: Var) -> Var {
        if v.exact {
            return self.exact(v.ty);
        }
        let half = self.float(v.ty, 0.5);
        let half = self.put(Prim::Mul, &[v, half], CARRIED / 2.0, false);
        let added = self.some(v.ty, |x| x.exact);
        let added = self.squash(added, ADDED);
        self.put(Prim::Add, &[half, added], CARRIED, false)
    }

    /// A function of the number of a trip and a state, which `body` is given.
    fn closure(
        &mut self,
        init: &[Var],
        body: impl FnOnce(&mut Self, &[Var]) -> Vec<Var>,
    ) -> (ExpClosure<Labelled>, Vec<Var>) {
        let mut params = vec![];
        let (body, results): Branch = self.block(|s| {
            let number = s.b.fresh(I32);
            params.push(s.enter(number.name, true, MOST.into()));
            for first in init {
                let bind = s.b.fresh(first.ty);
                let bound = if first.exact { f64::INFINITY } else { CARRIED };
                s.enter(bind.name, first.exact, bound);
                params.push(s.activated(first.active));
            }
            body(s, &params[1..])
        });
        let bind = |v: &Var| ExpBind {
            name: v.id,
            ty: v.ty,
        };
        let params = params.iter().map(bind).collect();
        (ExpClosure { params, body }, results)
    }

    fn put_loop(
        &mut self,
        test: Option<(ExpClosure<Labelled>, Vec<Var>)>,
        (step, results): (ExpClosure<Labelled>, Vec<Var>),
        args: Vec<Var>,
    ) {
        let types: Vec<ScalarType> = args.iter().map(|v| v.ty).collect();
        let op = ExpOp::Loop {
            test: test.map(|(test, _)| test),
            step,
            args: args.iter().map(|v| v.id).collect(),
        };
        let ids = self.b.push(op, &types);
        self.enter(ids[0], true, MOST.into());
        let state = args[1..].iter().zip(&results);
        for (&id, (first, last)) in ids[1..].iter().zip(state) {
            let bound = match first.exact {
                true => f64::INFINITY,
                false => CARRIED,
            };
            self.enter(id, first.exact && last.exact, bound);
            self.activated(first.active || last.active);
        }
    }
}
