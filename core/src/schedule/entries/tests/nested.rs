//! Loops within loops, made up at random: those that go on with the rows of the loop around against those that carry entries.

use super::{Code, N};
use crate::constant::Const;
use crate::prim::Prim;
use crate::schedule::scalar;
use crate::schedule::{ArrayId, Body, InRows, Initial, Load, Loop, Op, Region, SiteId, ValueId};
use crate::types::ScalarType::{Bool, I32};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// A row, which several loops may hold.
type Row = Rc<RefCell<Vec<Const>>>;

/// What a loop is run on.
struct Given<'a> {
    of: &'a Loop,
    /// The code around, and its values.
    around: &'a Body,
    values: &'a [Const],
    rows: &'a [Row],
}

impl Given<'_> {
    fn all(&self, of: &[ValueId]) -> Vec<Const> {
        of.iter().map(|v| self.values[v.index()]).collect()
    }

    /// The rows that a loop begins with.
    fn begin(&self, held: &InRows) -> Vec<Row> {
        let initial = |init: &Initial| match init {
            Initial::Value(v) => self.values[v.index()],
            Initial::Const(number) => *number,
        };
        let rows = held.rows.iter().map(|rows| match rows.around(self.around) {
            Some(n) => Rc::clone(&self.rows[n]),
            None => Rc::new(RefCell::new(rows.init.iter().map(initial).collect())),
        });
        rows.collect()
    }

    /// The trips of the loop, and what it carries at last; with rows, if it has any.
    fn run(&self) -> (i32, Vec<Const>) {
        let held = self.of.in_rows(N).unwrap_or_else(|| InRows {
            of: self.of.clone(),
            plain: (0..self.of.init.len()).collect(),
            rows: vec![],
        });
        let (mut state, rows) = (self.all(&held.of.init), self.begin(&held));
        let (trips, mut made) = (scalar::as_i32(self.values[held.of.trips.index()]), 0);
        while made < trips {
            let captures = self.all(&held.of.captures);
            let args = [Const::I32(made)].into_iter().chain(state.iter().copied());
            let args: Vec<_> = args.chain(captures).collect();
            let region = &held.of.region;
            let values = values(&region.body, &args, &rows);
            let value = |v: &ValueId| values[v.index()];
            if region
                .test
                .is_some_and(|test| value(&test) == Const::Bool(false))
            {
                break;
            }
            state = region.next.iter().map(value).collect();
            for (row, of) in rows.iter().zip(&held.rows) {
                for [place, new] in &of.updates {
                    let place = scalar::as_i32(value(place)) as usize;
                    row.borrow_mut()
                        .get_mut(place)
                        .into_iter()
                        .for_each(|entry| *entry = value(new));
                }
            }
            made += 1;
        }
        let mut all = vec![Const::I32(0); self.of.init.len()];
        let plain = held.plain.iter().zip(state);
        plain.for_each(|(&at, x)| all[at] = x);
        for (of, row) in held.rows.iter().zip(&rows) {
            let row = row.borrow();
            of.states
                .iter()
                .zip(row.iter())
                .for_each(|(&at, &x)| all[at] = x);
        }
        (made, all)
    }
}

/// The values of code whose loops hold rows where they can.
fn values(body: &Body, args: &[Const], rows: &[Row]) -> Vec<Const> {
    let mut values = vec![];
    let mut outs: HashMap<ValueId, Vec<Const>> = HashMap::new();
    for (v, inst) in body.iter() {
        let value = match &inst.op {
            Op::Const(number) => *number,
            Op::Arg(n) => args[*n as usize],
            Op::Prim(prim, operands) => {
                let operands: Vec<_> = operands.iter().map(|v| values[v.index()]).collect();
                prim.eval(&operands).expect("operands that fit")
            }
            Op::Load(load) => match load.array.as_rows() {
                Some(n) => {
                    let at = scalar::as_i32(values[load.index[0].index()]);
                    let row = rows[n].borrow();
                    row[at.clamp(0, row.len() as i32 - 1) as usize]
                }
                None => Const::I32(-999),
            },
            Op::Loop(of) => {
                let given = Given {
                    of,
                    around: body,
                    values: &values,
                    rows,
                };
                let (made, all) = given.run();
                outs.insert(v, all);
                made.into()
            }
            Op::Out(of, which) => outs[of][*which as usize],
            Op::Symbol(_) | Op::Coord(_) => unreachable!("closed code"),
        };
        values.push(value);
    }
    values
}

/// Numbers that look random.
struct Random(Cell<u64>);

impl Random {
    fn below(&self, n: usize) -> usize {
        let mut x = self.0.get();
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.0.set(x);
        (x >> 33) as usize % n
    }

    fn of<'a, T>(&self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// The code of a trip, as it is made up.
struct Maker<'a> {
    random: &'a Random,
    code: Code,
    numbers: Vec<ValueId>,
    /// All versions of an array that there were; the last is the one that is carried on.
    versions: Vec<Vec<ValueId>>,
}

impl Maker<'_> {
    fn number(&self) -> ValueId {
        *self.random.of(&self.numbers)
    }

    /// A place that may be out of range.
    fn place(&mut self) -> ValueId {
        let number = self.number();
        self.code.place(number, 1)
    }

    /// The last version, or at times one before.
    fn version(&self) -> Vec<ValueId> {
        let last = &self.versions[self.versions.len() - 1];
        match self.random.below(4) {
            0 => self.random.of(&self.versions).clone(),
            _ => last.clone(),
        }
    }

    fn cond(&mut self) -> ValueId {
        let operands = [self.number(), self.number()];
        self.code.prim(Prim::Lt, &operands)
    }

    fn step(&mut self, depth: usize) {
        let now = self.versions[self.versions.len() - 1].clone();
        match self.random.below(if depth > 0 { 9 } else { 6 }) {
            0 => {
                let prim = *self.random.of(&[Prim::Add, Prim::Sub, Prim::Max]);
                let operands = [self.number(), self.number()];
                let number = self.code.prim(prim, &operands);
                let most = self.code.int(1000);
                self.numbers
                    .push(self.code.prim(Prim::Rem, &[number, most]));
            }
            1 => {
                let (version, place) = (self.version(), self.place());
                self.numbers.push(self.code.entry(&version, place));
            }
            2 => {
                let version = self.version();
                self.numbers.push(*self.random.of(&version));
            }
            3 => {
                let (place, number) = (self.place(), self.number());
                self.versions
                    .push(self.code.with_entry(&now, place, number));
            }
            4 => {
                let (cond, place, number) = (self.cond(), self.place(), self.number());
                let new = self.code.with_entry(&now, place, number);
                self.versions.push(self.code.select(cond, &new, &now));
            }
            5 => {
                let mut new = now;
                new[self.random.below(N)] = self.number();
                self.versions.push(new);
            }
            6 => self.nested(depth - 1, None),
            7 => {
                let cond = self.cond();
                self.nested(depth - 1, Some(cond));
            }
            _ => self.reader(),
        }
    }

    /// A loop within that carries the array on, if a condition holds.
    fn nested(&mut self, depth: usize, cond: Option<ValueId>) {
        let now = self.versions[self.versions.len() - 1].clone();
        let captured = [self.number(), self.number()];
        let (read, own) = (self.version(), self.number());
        let region = region(self.random, depth, true);
        let trips = self.trips(cond);
        let of = Loop {
            trips,
            init: [own].into_iter().chain(now.iter().copied()).collect(),
            captures: captured.into_iter().chain(read).collect(),
            region,
        };
        let of = self.code.0.push(Op::Loop(Box::new(of)), I32);
        self.numbers.push(of);
        let outs = (0..=N as u32).map(|n| self.code.0.push(Op::Out(of, n), I32));
        let mut outs: Vec<_> = outs.collect();
        if let Some(cond) = cond {
            let before: Vec<_> = [own].into_iter().chain(now).collect();
            outs = self.code.select(cond, &outs, &before);
        }
        self.numbers.push(outs.remove(0));
        // It may have been for its number alone.
        if self.random.below(5) > 0 {
            self.versions.push(outs);
        }
    }

    /// A loop within that reads the array.
    fn reader(&mut self) {
        let (version, own) = (self.version(), self.number());
        let captured = [self.number(), self.number()];
        let of = Loop {
            trips: self.trips(None),
            init: vec![own],
            captures: captured.into_iter().chain(version).collect(),
            region: region(self.random, 0, false),
        };
        let of = self.code.0.push(Op::Loop(Box::new(of)), I32);
        self.numbers.push(self.code.0.push(Op::Out(of, 0), I32));
    }

    /// At most three trips, and none where a condition does not hold.
    fn trips(&mut self, cond: Option<ValueId>) -> ValueId {
        let (number, four) = (self.number(), self.code.int(4));
        let trips = self.code.prim(Prim::Rem, &[number, four]);
        let none = self.code.int(0);
        match cond {
            Some(cond) => self.code.prim(Prim::Select, &[cond, trips, none]),
            None => trips,
        }
    }
}

/// A trip on a number, an array if it carries one, two numbers captured, and an array captured.
fn region(random: &Random, depth: usize, carries: bool) -> Region {
    let mut code = Code::default();
    let mut arg = 0..;
    let mut args = |count: usize, code: &mut Code| -> Vec<ValueId> {
        let args = arg.by_ref().take(count);
        args.map(|n| code.arg(n)).collect()
    };
    let mut numbers = args(2, &mut code);
    let carried = args(if carries { N } else { 0 }, &mut code);
    numbers.extend(args(2, &mut code));
    let captured = args(N, &mut code);
    numbers.push(code.int(random.below(9) as i32));
    let versions = [captured, carried]
        .into_iter()
        .filter(|array| !array.is_empty());
    let mut maker = Maker {
        random,
        code,
        numbers,
        versions: versions.collect(),
    };
    let test = (random.below(3) == 0).then(|| maker.cond());
    for _ in 0..2 + random.below(5) {
        maker.step(depth);
    }
    let mut next = vec![maker.number()];
    if carries {
        next.extend(maker.versions[maker.versions.len() - 1].clone());
    }
    assert!(test.is_none_or(|test| maker.code.0.type_of(test) == Bool));
    Region {
        body: maker.code.0,
        test,
        next,
    }
}

/// Whether a loop within goes on with the rows of a loop around it.
fn shares(of: &Loop) -> bool {
    let Some(held) = of.in_rows(N) else {
        return false;
    };
    let body = &held.of.region.body;
    let loops = body.iter().filter_map(|(_, inst)| inst.op.as_loop());
    let mut held = loops.filter_map(|of| of.in_rows(N));
    held.any(|held| held.rows.iter().any(|rows| rows.around(body).is_some()))
}

/// A program with one loop, and others within.
fn program(random: &Random) -> (Body, Vec<ValueId>) {
    let mut body = Body::default();
    let mut int = |k: i32| body.push(Op::Const(k.into()), I32);
    let trips = int(random.below(4) as i32);
    let init = (0..=N).map(|_| int(random.below(90) as i32)).collect();
    let captures = (0..2 + N).map(|_| int(random.below(90) as i32)).collect();
    let of = Loop {
        trips,
        init,
        captures,
        region: region(random, 2, true),
    };
    let of = body.push(Op::Loop(Box::new(of)), I32);
    let outs = (0..=N as u32).map(|n| body.push(Op::Out(of, n), I32));
    let outs = outs.collect();
    (body, outs)
}

#[test]
fn loops_within_go_on_with_rows() {
    let random = Random(Cell::new(0x2545_F491_4F6C_DD1D));
    let mut shared = 0;
    for _ in 0..3000 {
        let (body, outs) = program(&random);
        let found = values(&body, &[], &[]);
        let expected = scalar::eval(
            &body,
            &super::Trip {
                args: vec![],
                rows: &[],
            },
        )
        .unwrap();
        for out in outs {
            assert_eq!(found[out.index()], expected[out.index()], "{body:?}");
        }
        let mut loops = body.iter().filter_map(|(_, inst)| inst.op.as_loop());
        shared += usize::from(loops.any(shares));
    }
    assert!(shared > 600, "{shared}");
}

#[test]
fn entries_are_read_before_loops_within_replace_them() {
    let mut within = Code::default();
    let array: Vec<_> = (1..=N).map(|n| within.arg(n)).collect();
    let (trip, value) = (within.arg(0), within.arg(1 + N));
    let next = within.with_entry(&array, trip, value);
    let of = super::carries(|code, trip, own, array| {
        let of = Loop {
            trips: trip,
            init: array.clone(),
            captures: vec![own],
            region: Region {
                body: within.0,
                test: None,
                next,
            },
        };
        let of = code.0.push(Op::Loop(Box::new(of)), I32);
        let outs = (0..N as u32).map(|n| code.0.push(Op::Out(of, n), I32));
        let outs = outs.collect();
        super::with(code.entry(&array, trip), outs)
    });
    assert!(shares(&of));
    let held = of.in_rows(N).unwrap();
    // The read as it was before is one of memory, and not a chain of selections.
    let body = held.of.region.body.iter();
    assert!(
        body.clone()
            .all(|(_, inst)| inst.op.operands_of::<3>(Prim::Select).is_none())
    );
    let loads = body.filter(|(_, inst)| inst.op.as_load().is_some());
    assert_eq!(loads.count(), 2);
}

/// An element whose index may be out of range, as site number `site`.
fn element(code: &mut Code, index: ValueId, site: u32) -> ValueId {
    let load = Load {
        array: ArrayId(0),
        index: vec![index],
        guard: None,
        site: Some(SiteId(site)),
    };
    code.0.push(Op::Load(load), I32)
}

#[test]
fn failures_keep_their_order() {
    let mut within = Code::default();
    let array: Vec<_> = (1..=N).map(|n| within.arg(n)).collect();
    let trip = within.arg(0);
    let value = element(&mut within, trip, 0);
    let next = within.with_entry(&array, trip, value);
    let of = super::carries(|code, trip, _, array| {
        let of = Loop {
            trips: trip,
            init: array.clone(),
            captures: vec![],
            region: Region {
                body: within.0,
                test: None,
                next,
            },
        };
        let of = code.0.push(Op::Loop(Box::new(of)), I32);
        let place = element(code, trip, 1);
        let outs = (0..N as u32).map(|n| code.0.push(Op::Out(of, n), I32));
        let outs = outs.collect();
        super::with(code.entry(&array, place), outs)
    });
    // To be read before the loop within, the entry would need an element before that fails after it.
    let held = of.in_rows(N);
    let body = held
        .as_ref()
        .map_or(&of.region.body, |held| &held.of.region.body);
    let sites = body.loads().filter_map(|(_, load)| load.site);
    assert!(sites.eq([SiteId(0), SiteId(1)]));
}
