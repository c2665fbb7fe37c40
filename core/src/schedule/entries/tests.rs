//! Loops that hold entries in rows against those that carry them one by one.

mod nested;

use crate::backend::RunError;
use crate::constant::Const;
use crate::prim::Prim;
use crate::schedule::scalar::{self, Surroundings};
use crate::schedule::{
    ArrayId, Body, InRows, Initial, Load, Loop, Op, Region, SiteId, SymbolId, ValueId,
};
use crate::types::ScalarType::{Bool, I32};

/// The entries of the arrays of these tests.
const N: usize = 5;

/// A trip, given its arguments and what rows hold.
struct Trip<'a> {
    args: Vec<i32>,
    rows: &'a [Vec<i32>],
}

impl Surroundings for Trip<'_> {
    fn symbol(&self, _: SymbolId) -> Const {
        unreachable!("no symbols in loops")
    }

    fn coord(&self, _: u32) -> i32 {
        unreachable!("no coordinates in loops")
    }

    fn arg(&self, position: u32) -> Const {
        self.args[position as usize].into()
    }

    fn load(&self, load: &Load, index: &[i32]) -> Result<Const, RunError> {
        let rows = load.array.as_rows().map(|n| &self.rows[n]);
        let row = rows.ok_or_else(|| RunError::Bug("an array".to_owned()))?;
        let last = row.len() as i32 - 1;
        Ok(row[index[0].clamp(0, last) as usize].into())
    }
}

/// Code of a trip.
#[derive(Default)]
struct Code(Body);

impl Code {
    fn arg(&mut self, n: usize) -> ValueId {
        self.0.push(Op::Arg(n as u32), I32)
    }

    fn int(&mut self, value: i32) -> ValueId {
        self.0.push(Op::Const(value.into()), I32)
    }

    fn prim(&mut self, prim: Prim, operands: &[ValueId]) -> ValueId {
        let types: Vec<_> = operands.iter().map(|&v| self.0.type_of(v)).collect();
        let ty = prim.result_type(&types).unwrap();
        self.0.push(Op::Prim(prim, operands.to_vec()), ty)
    }

    /// `x.entry(at)` as the surface writes it.
    fn entry(&mut self, x: &[ValueId], at: ValueId) -> ValueId {
        self.entry_from(0, x, at)
    }

    /// The same where the entries before one are known not to be meant.
    fn entry_from(&mut self, first: usize, x: &[ValueId], at: ValueId) -> ValueId {
        let mut found = x[N - 1];
        for k in (first..N - 1).rev() {
            let number = self.int(k as i32);
            let cond = self.prim(Prim::Le, &[at, number]);
            found = self.prim(Prim::Select, &[cond, x[k], found]);
        }
        found
    }

    /// `x.with_entry(at, value)` as the surface writes it.
    fn with_entry(&mut self, x: &[ValueId], at: ValueId, value: ValueId) -> Vec<ValueId> {
        let entries = x.iter().enumerate().map(|(k, &entry)| {
            let number = self.int(k as i32);
            let cond = self.prim(Prim::Eq, &[at, number]);
            self.prim(Prim::Select, &[cond, value, entry])
        });
        entries.collect()
    }

    fn select(&mut self, cond: ValueId, x: &[ValueId], y: &[ValueId]) -> Vec<ValueId> {
        let both = x.iter().zip(y);
        both.map(|(&x, &y)| self.prim(Prim::Select, &[cond, x, y]))
            .collect()
    }

    /// A place that differs from trip to trip, and is out of range at times.
    fn place(&mut self, trip: ValueId, factor: i32) -> ValueId {
        let [factor, count, one] = [factor, N as i32 + 2, 1].map(|k| self.int(k));
        let place = self.prim(Prim::Mul, &[trip, factor]);
        let place = self.prim(Prim::Rem, &[place, count]);
        self.prim(Prim::Sub, &[place, one])
    }
}

/// A loop that carries a number and reads an array that it captures; what a trip makes of both is given.
fn captures(trip: impl FnOnce(&mut Code, ValueId, ValueId, Vec<ValueId>) -> ValueId) -> Loop {
    let mut code = Code::default();
    let (number, own) = (code.arg(0), code.arg(1));
    let array = (0..N).map(|k| code.arg(2 + k)).collect();
    let next = trip(&mut code, number, own, array);
    Loop {
        trips: ValueId(0),
        init: vec![ValueId(0)],
        captures: (1..=N as u32).map(ValueId).collect(),
        region: Region {
            body: code.0,
            test: None,
            next: vec![next],
        },
    }
}

/// A loop that carries a number, then one array; what a trip makes of both is given.
fn carries(trip: impl FnOnce(&mut Code, ValueId, ValueId, Vec<ValueId>) -> Vec<ValueId>) -> Loop {
    let mut code = Code::default();
    let number = code.arg(0);
    let own = code.arg(1);
    let array = (0..N).map(|k| code.arg(2 + k)).collect();
    let next = trip(&mut code, number, own, array);
    assert_eq!(next.len(), 1 + N);
    Loop {
        trips: ValueId(0),
        init: (0..=N as u32).map(ValueId).collect(),
        captures: vec![],
        region: Region {
            body: code.0,
            test: None,
            next,
        },
    }
}

/// A value of the code around.
fn around(v: &ValueId) -> i32 {
    10 * v.0 as i32 + 7
}

/// The arguments of a trip.
fn args(of: &Loop, trip: i32, state: Vec<i32>) -> Vec<i32> {
    let captures = of.captures.iter().map(around);
    [trip].into_iter().chain(state).chain(captures).collect()
}

/// What a loop carries after some trips.
fn carried(of: &Loop, trips: i32) -> Vec<i32> {
    let mut state: Vec<i32> = of.init.iter().map(around).collect();
    for trip in 0..trips {
        let args = args(of, trip, state);
        let values = scalar::eval(&of.region.body, &Trip { args, rows: &[] }).unwrap();
        let next = of.region.next.iter();
        state = next.map(|v| scalar::as_i32(values[v.index()])).collect();
    }
    state
}

/// The same of one that holds rows, in the order of the loop that it is made from.
fn carried_in_rows(held: &InRows, trips: i32) -> Vec<i32> {
    let initial = |init: &Initial| match init {
        Initial::Value(v) => around(v),
        Initial::Const(number) => scalar::as_i32(*number),
    };
    let mut state: Vec<i32> = held.of.init.iter().map(around).collect();
    let rows = held.rows.iter();
    let mut rows: Vec<Vec<i32>> = rows
        .map(|rows| rows.init.iter().map(initial).collect())
        .collect();
    for trip in 0..trips {
        let args = args(&held.of, trip, state);
        let body = &held.of.region.body;
        let values = scalar::eval(body, &Trip { args, rows: &rows }).unwrap();
        let value = |v: &ValueId| scalar::as_i32(values[v.index()]);
        state = held.of.region.next.iter().map(value).collect();
        for (row, of) in rows.iter_mut().zip(&held.rows) {
            for [place, new] in &of.updates {
                let place = usize::try_from(value(place)).ok();
                if let Some(entry) = place.and_then(|place| row.get_mut(place)) {
                    *entry = value(new);
                }
            }
        }
    }
    let entries = held.rows.iter().map(|rows| rows.states.len());
    let mut all = vec![0; held.plain.len() + entries.sum::<usize>()];
    held.plain
        .iter()
        .zip(state)
        .for_each(|(&at, x)| all[at] = x);
    for (of, row) in held.rows.iter().zip(rows) {
        of.states.iter().zip(row).for_each(|(&at, x)| all[at] = x);
    }
    all
}

/// A trip holds so many updates and selections, and does what the loop does.
fn is_held(of: &Loop, updates: usize, selections: usize) {
    let held = of.in_rows(N).expect("an array");
    assert_eq!(held.rows.len(), 1);
    assert_eq!(held.rows[0].updates.len(), updates);
    let is_selection = |op: &Op| op.as_prim().is_some_and(|(prim, _)| prim == Prim::Select);
    let all = held.of.region.body.iter();
    let found = all.filter(|(_, inst)| is_selection(&inst.op)).count();
    assert_eq!(found, selections);
    for trips in [0, 1, 2, 20] {
        assert_eq!(
            carried_in_rows(&held, trips),
            carried(of, trips),
            "{trips} trips"
        );
    }
    assert!(of.in_rows(N + 1).is_none());
}

fn with(own: ValueId, array: Vec<ValueId>) -> Vec<ValueId> {
    [own].into_iter().chain(array).collect()
}

#[test]
fn an_entry_is_read_and_another_replaced() {
    let of = carries(|code, trip, own, array| {
        let [from, to] = [2, 3].map(|factor| code.place(trip, factor));
        let found = code.entry(&array, from);
        let sum = code.prim(Prim::Add, &[own, found]);
        with(found, code.with_entry(&array, to, sum))
    });
    is_held(&of, 1, 0);
}

#[test]
fn entries_are_read_as_updates_have_left_them() {
    let of = carries(|code, trip, own, array| {
        let [i, j, k] = [1, 2, 5].map(|factor| code.place(trip, factor));
        let kept = code.entry(&array, i);
        let first = code.with_entry(&array, i, own);
        let other = code.entry(&first, j);
        let second = code.with_entry(&first, j, kept);
        let last = code.entry(&second, k);
        let sum = code.prim(Prim::Sub, &[last, other]);
        with(sum, second)
    });
    is_held(&of, 2, 3);
}

/// The code tells places apart that are known to occur: elsewhere an entry stays, and the nearest one is read.
#[test]
fn ends_may_lack_places() {
    let of = carries(|code, trip, own, array| {
        let [i, j, k] = [1, 2, 5].map(|factor| code.place(trip, factor));
        let first = code.with_entry(&array, i, own);
        let mut second = code.with_entry(&first, j, trip);
        second[0] = first[0];
        second[N - 1] = code.with_entry(&array, j, trip)[N - 1];
        let found = code.entry_from(1, &second, k);
        let before = code.entry_from(2, &array, i);
        let sum = code.prim(Prim::Sub, &[found, before]);
        with(sum, second)
    });
    // An entry that stays in each of two updates, and in one of those before the read, which goes through both.
    is_held(&of, 2, 5);
    let table = captures(|code, trip, own, array| {
        let place = code.place(trip, 3);
        let [all, later] = [0, 1].map(|first| code.entry_from(first, &array, place));
        let both = code.prim(Prim::Sub, &[all, later]);
        code.prim(Prim::Add, &[own, both])
    });
    let held = table.in_rows(N - 1).expect("arrays");
    let lengths: Vec<usize> = held.rows.iter().map(|rows| rows.init.len()).collect();
    assert_eq!(lengths, [N, N - 1]);
    for trips in [0, 1, 20] {
        assert_eq!(carried_in_rows(&held, trips), carried(&table, trips));
    }
}

#[test]
fn updates_may_be_made_under_conditions() {
    let of = carries(|code, trip, own, array| {
        let [i, j] = [1, 4].map(|factor| code.place(trip, factor));
        let sum = code.prim(Prim::Add, &[own, trip]);
        let cond = code.prim(Prim::Lt, &[i, j]);
        let before = code.with_entry(&array, j, own);
        let inner = code.with_entry(&before, i, sum);
        let other = code.with_entry(&before, j, trip);
        let either = code.select(cond, &inner, &other);
        let found = code.entry(&either, i);
        with(found, either)
    });
    // Two places of updates under a condition, and a read after three.
    is_held(&of, 3, 7);
}

#[test]
fn conditions_and_places_may_be_one_condition() {
    let of = carries(|code, trip, own, array| {
        let [i, j] = [1, 4].map(|factor| code.place(trip, factor));
        let cond = code.prim(Prim::Lt, &[i, j]);
        let entries = array.iter().enumerate().map(|(k, &entry)| {
            let number = code.int(k as i32);
            let is_there = code.prim(Prim::Eq, &[i, number]);
            let both = code.prim(Prim::And, &[cond, is_there]);
            code.prim(Prim::Select, &[both, own, entry])
        });
        let entries = entries.collect();
        with(trip, entries)
    });
    is_held(&of, 1, 1);
}

#[test]
fn entries_that_are_only_read_are_rows() {
    let of = captures(|code, trip, own, mut array| {
        let [i, j] = [1, 4].map(|factor| code.place(trip, factor));
        array[1] = code.int(31);
        let found = code.entry(&array, i);
        let again = code.entry(&array, j);
        let both = code.prim(Prim::Sub, &[found, again]);
        code.prim(Prim::Add, &[own, both])
    });
    is_held(&of, 0, 0);
    let held = of.in_rows(N).expect("an array");
    assert!(held.rows[0].states.is_empty());
    assert!(matches!(held.rows[0].init[1], Initial::Const(_)));
}

#[test]
fn what_a_trip_computes_is_no_entry_that_is_only_read() {
    for changing in 0..2 {
        let of = captures(|code, trip, own, mut array| {
            let place = code.place(trip, 3);
            array[N - 1] = [trip, own][changing];
            code.entry(&array, place)
        });
        assert!(of.in_rows(N).is_none());
    }
}

#[test]
fn entries_may_be_set_by_their_numbers() {
    for set_first in [true, false] {
        let of = carries(|code, trip, own, mut array| {
            let [i, j] = [1, 3].map(|factor| code.place(trip, factor));
            let sum = code.prim(Prim::Add, &[own, trip]);
            if set_first {
                array[2] = sum;
            }
            let mut array = code.with_entry(&array, i, own);
            if !set_first {
                array[3] = sum;
                array[0] = trip;
            }
            let found = code.entry(&array, j);
            with(found, array)
        });
        let (updates, selections) = if set_first { (2, 2) } else { (3, 3) };
        is_held(&of, updates, selections);
    }
}

#[test]
fn other_selections_are_left_alone() {
    // What an entry becomes is the entry of another number.
    let turned = carries(|code, trip, own, array| {
        let place = code.place(trip, 2);
        let mut next = code.with_entry(&array, place, own);
        next.rotate_left(1);
        with(own, next)
    });
    let literal = carries(|_, trip, own, mut array| {
        array[1] = trip;
        with(own, array)
    });
    // One entry is replaced where the place is the number of another.
    let misnumbered = carries(|code, trip, own, array| {
        let place = code.place(trip, 2);
        let mut next = code.with_entry(&array, place, own);
        let other = code.int(1);
        let cond = code.prim(Prim::Eq, &[place, other]);
        next[2] = code.prim(Prim::Select, &[cond, own, array[2]]);
        with(own, next)
    });
    for of in [turned, literal, misnumbered] {
        assert!(of.in_rows(N).is_none());
    }
}

#[test]
fn what_may_fail_is_kept() {
    let site = Some(SiteId(0));
    let of = carries(|code, trip, own, array| {
        let load = Load {
            array: ArrayId(0),
            index: vec![own],
            guard: None,
            site,
        };
        code.0.push(Op::Load(load), I32);
        let place = code.place(trip, 2);
        with(own, code.with_entry(&array, place, trip))
    });
    let held = of.in_rows(N).expect("an array");
    let mut loads = held.of.region.body.loads();
    assert!(loads.any(|(_, load)| load.site == site));
}

#[test]
fn long_chains_of_selections_are_not_gone_through() {
    let of = carries(|code, trip, own, array| {
        let (mut last, mut both) = (own, code.prim(Prim::Eq, &[own, trip]));
        for k in 0..50_000 {
            let number = code.int(k);
            let cond = code.prim(Prim::Lt, &[trip, number]);
            both = code.prim(Prim::And, &[both, cond]);
            last = code.prim(Prim::Select, &[cond, own, last]);
        }
        let last = code.prim(Prim::Select, &[both, own, last]);
        let place = code.place(trip, 2);
        with(last, code.with_entry(&array, place, trip))
    });
    assert!(of.in_rows(N).is_some());
}

#[test]
fn tests_read_entries_before_the_trip() {
    let mut of = carries(|code, trip, own, array| {
        let place = code.place(trip, 2);
        with(own, code.with_entry(&array, place, trip))
    });
    let array: Vec<ValueId> = (1..=N as u32).map(|k| ValueId(1 + k)).collect();
    let mut code = Code(of.region.body.clone());
    let first = code.entry(&array, ValueId(0));
    let test = code.prim(Prim::Lt, &[first, ValueId(1)]);
    (of.region.body, of.region.test) = (code.0, Some(test));
    let held = of.in_rows(N).expect("an array");
    let test = held.of.region.test.expect("a test");
    assert_eq!(held.of.region.body.type_of(test), Bool);
    let args = vec![3, 5];
    let rows = [vec![1, 2, 3, 4, 9]];
    let values = scalar::eval(&held.of.region.body, &Trip { args, rows: &rows }).unwrap();
    assert_eq!(values[test.index()], Const::Bool(true));
}
