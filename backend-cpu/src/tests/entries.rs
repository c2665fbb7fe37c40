//! Arrays `[T; N]` that loops carry: what a trip costs, and what it does.

use super::maker::{Code as Text, Maker};
use crate::code::{Code, Nest, Wanted, compile};
use crate::isa::{Isa, Target};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Loop, Op, Region, ValueId};
use cotangent_core::types::ScalarType::I32;

impl Text {
    /// `x.entry(at)` as the surface writes it.
    fn entry(&mut self, x: &[ValueId], at: ValueId) -> ValueId {
        let mut found = x[x.len() - 1];
        for k in (0..x.len() - 1).rev() {
            let number = self.constant(k as i32);
            let is_it = self.prim(Prim::Le, &[at, number]);
            found = self.prim(Prim::Select, &[is_it, x[k], found]);
        }
        found
    }

    /// `x.with_entry(at, value)` as the surface writes it.
    fn with_entry(&mut self, x: &[ValueId], at: ValueId, value: ValueId) -> Vec<ValueId> {
        let entries = x.iter().enumerate().map(|(k, &entry)| {
            let number = self.constant(k as i32);
            let is_it = self.prim(Prim::Eq, &[at, number]);
            self.prim(Prim::Select, &[is_it, value, entry])
        });
        entries.collect()
    }
}

/// A trip on an array of `n` entries, its number, and the lane's. It adds to an entry, at a place that is the lane's own if that is
/// wanted, and copies one to another, at places that are the same for all lanes; some are out of range.
fn trip(n: usize, has_own_place: bool) -> Region {
    let mut code = Text::default();
    let number = code.arg(0, I32);
    let array: Vec<ValueId> = (1..=n as u32).map(|k| code.arg(k, I32)).collect();
    let lane = code.arg(1 + n as u32, I32);
    let two = code.constant(2);
    let from = code.prim(Prim::Mul, &[number, two]);
    let place = match has_own_place {
        true => code.prim(Prim::Add, &[number, lane]),
        false => from,
    };
    let count = code.constant(n as i32);
    let place = code.prim(Prim::ModFloor, &[place, count]);
    let place = code.prim(Prim::Sub, &[place, two]);
    let found = code.entry(&array, place);
    let sum = code.prim(Prim::Add, &[found, lane]);
    let copied = code.entry(&array, from);
    let first = code.with_entry(&array, place, sum);
    Region {
        next: code.with_entry(&first, number, copied),
        body: code.0,
        test: None,
    }
}

/// The sum of entries that some trips read, of an array of `n`, every other of which is a number.
fn sum_of_read(n: usize, has_own_place: bool, trips_differ: bool) -> (Text, ValueId) {
    let mut trip = Text::default();
    let number = trip.arg(0, I32);
    let sum = trip.arg(1, I32);
    let lane = trip.arg(2, I32);
    let entry = |k: usize| match k % 2 {
        0 => trip.arg(2 + k as u32 / 2, I32),
        _ => trip.constant(k as i32 * 3),
    };
    let array: Vec<ValueId> = (0..n).map(entry).collect();
    let place = match has_own_place {
        true => trip.prim(Prim::Add, &[number, lane]),
        false => number,
    };
    let three = trip.constant(3);
    let count = trip.constant(n as i32 + 2);
    let place = trip.prim(Prim::Mul, &[place, three]);
    let place = trip.prim(Prim::ModFloor, &[place, count]);
    let found = trip.entry(&array, place);
    let next = vec![trip.prim(Prim::Add, &[sum, found])];
    let mut code = Text::default();
    let lane = code.coord(0);
    let nine = code.constant(9);
    let trips = match trips_differ {
        true => code.prim(Prim::ModFloor, &[lane, nine]),
        false => nine,
    };
    let mut capture = lane;
    let captures = (0..n.div_ceil(2)).map(|_| {
        capture = code.prim(Prim::Add, &[capture, nine]);
        capture
    });
    let captures = captures.collect();
    let region = Region {
        next,
        body: trip.0,
        test: None,
    };
    let of = Loop {
        trips,
        init: vec![lane],
        captures,
        region,
    };
    let made = code.0.push(Op::Loop(Box::new(of)), I32);
    let sum = code.0.push(Op::Out(made, 0), I32);
    (code, sum)
}

/// The sum of all entries after some trips; lanes make different numbers of them if that is wanted.
fn body(n: usize, has_own_place: bool, trips_differ: bool) -> (Text, ValueId) {
    let mut code = Text::default();
    let lane = code.coord(0);
    let seven = code.constant(7);
    let trips = match trips_differ {
        true => code.prim(Prim::ModFloor, &[lane, seven]),
        false => seven,
    };
    let of = Loop {
        trips,
        init: vec![lane; n],
        captures: vec![lane],
        region: trip(n, has_own_place),
    };
    let made = code.0.push(Op::Loop(Box::new(of)), I32);
    let mut sum = made;
    for (k, weight) in (0..n as u32).zip(1..) {
        let entry = code.0.push(Op::Out(made, k), I32);
        let weight = code.constant(weight);
        let weighted = code.prim(Prim::Mul, &[entry, weight]);
        sum = code.prim(Prim::Add, &[sum, weighted]);
    }
    (code, sum)
}

fn compiled((code, sum): (Text, ValueId)) -> Code {
    let nest = Nest {
        coords: 1,
        lane: 0..1,
        ..Nest::scalar()
    };
    let target = Target::bytecode(Isa::Baseline);
    compile(target, &code.0, &nest, &Wanted::Columns(vec![sum])).unwrap()
}

#[test]
fn a_trip_costs_what_it_touches() {
    for has_own_place in [false, true] {
        let [few, many] = [9, 200].map(|n| compiled(body(n, has_own_place, false)).loops.remove(0));
        assert_eq!(few.code.len(), many.code.len());
        assert_eq!((many.carried.len(), many.rows.len()), (0, 1));
        let updates = many.rows[0].updates.iter();
        let columns: Vec<_> = updates.map(|update| update.place_is_column).collect();
        assert_eq!(columns, [has_own_place, false]);
    }
    // Of few entries each is in a register.
    assert!(compiled(body(8, true, false)).loops[0].rows.is_empty());
}

#[test]
fn a_trip_costs_what_it_reads() {
    for has_own_place in [false, true] {
        let [few, many] = [9, 200].map(|n| {
            compiled(sum_of_read(n, has_own_place, false))
                .loops
                .remove(0)
        });
        assert_eq!(few.code.len(), many.code.len());
        assert_eq!((many.carried.len(), many.rows.len()), (1, 1));
        assert!(many.rows[0].dst.is_empty());
    }
    assert!(
        compiled(sum_of_read(8, true, false)).loops[0]
            .rows
            .is_empty()
    );
}

#[test]
fn rows_hold_what_the_reference_carries() {
    for lanes in [1, 15, 700] {
        for case in 0..8 {
            let [many, own, differ] = [1, 2, 4].map(|bit| case & bit != 0);
            let (code, sum) = body(if many { 40 } else { 9 }, own, differ);
            let mut maker = Maker::new();
            let input = maker.input(&[lanes], vec![0; lanes]);
            let space = maker.extents(input);
            maker.map(&space, code.0, &[sum]);
            maker.run().unwrap();
        }
        for case in 0..4 {
            let (code, sum) = sum_of_read(40, case & 1 != 0, case & 2 != 0);
            let mut maker = Maker::new();
            let input = maker.input(&[lanes], vec![0; lanes]);
            let space = maker.extents(input);
            maker.map(&space, code.0, &[sum]);
            maker.run().unwrap();
        }
    }
}
