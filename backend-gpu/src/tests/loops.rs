//! Loops inside of bodies against the host's evaluation of the same code.

use super::rows::{Builder, INNER, ROWS, table};
use super::{Subject, gpu};
use cotangent_core::backend::{Backend, RunError};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::scalar::{self, Surroundings};
use cotangent_core::schedule::*;
use cotangent_core::types::ScalarType::{Bool, I32};

/// One point of a map over arrays of one dimension.
struct Point<'a> {
    inputs: &'a [Vec<Const>],
    at: i32,
}

impl Surroundings for Point<'_> {
    fn symbol(&self, _: SymbolId) -> Const {
        Const::I32(self.inputs[0].len() as i32)
    }

    fn coord(&self, _: u32) -> i32 {
        self.at
    }

    fn arg(&self, position: u32) -> Const {
        panic!("no argument {position}")
    }

    fn load(&self, load: &Load, index: &[i32]) -> Result<Const, RunError> {
        let element = self.inputs[load.array.index()].get(index[0] as usize);
        element
            .copied()
            .ok_or_else(|| RunError::Bug("outside".to_owned()))
    }
}

fn prim(body: &mut Body, prim: Prim, x: ValueId, y: ValueId) -> ValueId {
    let types = [body.type_of(x), body.type_of(y)];
    body.push(
        Op::Prim(prim, vec![x, y]),
        prim.result_type(&types).unwrap(),
    )
}

/// x becomes x + k, k being the trip's number, where that is odd, else x + c; while x is below 40.
fn inner() -> Region {
    let mut body = Body::default();
    let [trip, x, c] = [0, 1, 2].map(|n| body.push(Op::Arg(n), I32));
    let [one, forty] = [1, 40].map(|n| body.push(Op::Const(Const::I32(n)), I32));
    let test = prim(&mut body, Prim::Lt, x, forty);
    let bit = prim(&mut body, Prim::BitAnd, trip, one);
    let odd = prim(&mut body, Prim::Eq, bit, one);
    let step = body.push(Op::Prim(Prim::Select, vec![odd, trip, c]), I32);
    let next = prim(&mut body, Prim::Add, x, step);
    Region {
        body,
        test: Some(test),
        next: vec![next],
    }
}

/// (x, y) become (y, the inner loop's result from x + A0[k]), which makes y mod 8 trips.
fn outer() -> Region {
    let mut body = Body::default();
    let [trip, x, y, c] = [0, 1, 2, 3].map(|n| body.push(Op::Arg(n), I32));
    let index = vec![trip];
    let load = Load {
        array: ArrayId(0),
        index,
        guard: None,
        site: Some(SiteId(0)),
    };
    let element = body.push(Op::Load(load), I32);
    let start = prim(&mut body, Prim::Add, x, element);
    let eight = body.push(Op::Const(Const::I32(8)), I32);
    let trips = prim(&mut body, Prim::ModFloor, y, eight);
    let of = Loop {
        trips,
        init: vec![start],
        captures: vec![c],
        region: inner(),
    };
    let count = body.push(Op::Loop(Box::new(of)), I32);
    let last = body.push(Op::Out(count, 0), I32);
    let next = prim(&mut body, Prim::Add, last, count);
    Region {
        body,
        test: None,
        next: vec![y, next],
    }
}

/// A program with two loops that makes `trips(point)` trips, of which point 5 may make one more.
fn subject(extra: i32) -> (Subject, ValueId) {
    let mut subject = Subject::new();
    let point = subject.body.push(Op::Coord(0), I32);
    let values = (0..30).map(|i| Const::I32(i * 7 % 11));
    let own = subject.load(values.collect(), point, None);
    let body = &mut subject.body;
    let [five, extra] = [5, extra].map(|n| body.push(Op::Const(Const::I32(n)), I32));
    let here = body.push(Op::Prim(Prim::Eq, vec![point, five]), Bool);
    let trips = body.push(Op::Prim(Prim::Select, vec![here, extra, own]), I32);
    let of = Loop {
        trips,
        init: vec![point, own],
        captures: vec![five],
        region: outer(),
    };
    let count = body.push(Op::Loop(Box::new(of)), I32);
    let [x, y] = [0, 1].map(|which| body.push(Op::Out(count, which), I32));
    let product = prim(body, Prim::Mul, x, y);
    let value = prim(body, Prim::Add, product, count);
    (subject, value)
}

#[test]
fn loops_run_as_on_the_host() {
    let Some(gpu) = gpu() else { return };
    let (subject, value) = subject(30);
    let (body, inputs) = (subject.body.clone(), subject.inputs.clone());
    let (found, failed) = subject.run(gpu, value);
    let at = |at: i32| {
        let point = Point {
            inputs: &inputs,
            at,
        };
        scalar::eval(&body, &point).unwrap()[value.index()]
    };
    let expected: Vec<_> = (0..30).map(at).collect();
    assert_eq!((&found[..30], failed), (&expected[..], None));
}

#[test]
fn a_failing_index_in_a_loop_is_told() {
    let Some(gpu) = gpu() else { return };
    let (subject, value) = subject(31);
    assert_eq!(subject.run(gpu, value).1, Some(5));
}

/// A kernel over the rows whose loop makes `trips` trips, each of which adds its number to what is carried.
fn long(trips: i32) -> Checked<Schedule> {
    let mut maker = Builder::new();
    maker.param(I32, &[ROWS, INNER]);
    let mut region = Body::default();
    let [k, x] = [0, 1].map(|n| region.push(Op::Arg(n), I32));
    let next = prim(&mut region, Prim::Add, x, k);
    let i = maker.coord(0);
    let trips = maker.body.push(Op::Const(trips.into()), I32);
    let of = Loop {
        trips,
        init: vec![i],
        captures: vec![],
        region: Region {
            body: region,
            test: None,
            next: vec![next],
        },
    };
    let made = maker.body.push(Op::Loop(Box::new(of)), I32);
    let value = maker.body.push(Op::Out(made, 0), I32);
    let array = maker.result(I32, &[ROWS]);
    let body = std::mem::take(&mut maker.body);
    let outputs = vec![Output { value, array }];
    maker.kernel(&[ROWS], KernelKind::Map { body, outputs })
}

#[test]
fn more_trips_than_a_dispatch_may_make_are_made_in_chunks() {
    let Some(gpu) = gpu() else { return };
    let input = table(I32, &[3, 1], 1);
    for trips in [10, 47_999, 48_000, 48_001, 100_000, 1_000_000] {
        let schedule = long(trips);
        let expected = run::run(&schedule, std::slice::from_ref(&input)).unwrap();
        let found = gpu.run(
            &gpu.prepare(&schedule).unwrap(),
            std::slice::from_ref(&input),
        );
        assert_eq!(found.unwrap(), expected, "{trips}");
    }
}
