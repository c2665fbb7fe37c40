//! Loops inside of bodies: what they mean, what the checker refuses, and how they are printed.

use super::*;
use crate::constant::Const;
use crate::schedule::scalar::{self, Surroundings};

/// Code without anything around it but one array, 10, 20, 30.
struct Alone;

impl Surroundings for Alone {
    fn symbol(&self, symbol: SymbolId) -> Const {
        panic!("no {symbol}")
    }

    fn coord(&self, axis: u32) -> i32 {
        panic!("no coordinate {axis}")
    }

    fn arg(&self, position: u32) -> Const {
        panic!("no argument {position}")
    }

    fn load(&self, _: &Load, index: &[i32]) -> Result<Const, RunError> {
        let element = [10, 20, 30].get(index[0] as usize);
        let outside = || RunError::Bug(format!("no element {index:?}"));
        element.map(|&x| Const::I32(x)).ok_or_else(outside)
    }
}

fn int(body: &mut Body, value: i32) -> ValueId {
    body.push(Op::Const(value.into()), I32)
}

fn prim(body: &mut Body, prim: Prim, x: ValueId, y: ValueId) -> ValueId {
    let types = [body.type_of(x), body.type_of(y)];
    body.push(
        Op::Prim(prim, vec![x, y]),
        prim.result_type(&types).unwrap(),
    )
}

/// The values of a loop on integers: the trips, then what it carries.
fn run_loop(
    trips: i32,
    init: &[i32],
    captures: &[i32],
    region: Region,
) -> Result<Vec<i32>, RunError> {
    let mut body = Body::default();
    let trips = int(&mut body, trips);
    let init: Vec<_> = init.iter().map(|&x| int(&mut body, x)).collect();
    let captures = captures.iter().map(|&x| int(&mut body, x)).collect();
    let carried = init.len() as u32;
    let of = Loop {
        trips,
        init,
        captures,
        region,
    };
    let count = body.push(Op::Loop(Box::new(of)), I32);
    let outs = (0..carried).map(|which| body.push(Op::Out(count, which), I32));
    let results: Vec<_> = [count]
        .into_iter()
        .chain(outs.collect::<Vec<_>>())
        .collect();
    let values = scalar::eval(&body, &Alone)?;
    Ok(results
        .iter()
        .map(|v| scalar::as_i32(values[v.index()]))
        .collect())
}

/// (a, b) becomes (b, a + b).
fn fibonacci() -> Region {
    let mut body = Body::default();
    let [a, b] = [1, 2].map(|n| body.push(Op::Arg(n), I32));
    let sum = prim(&mut body, Prim::Add, a, b);
    Region {
        body,
        test: None,
        next: vec![b, sum],
    }
}

/// While x > 1: x/2 or 3x + 1.
fn collatz() -> Region {
    let mut body = Body::default();
    let x = body.push(Op::Arg(1), I32);
    let [zero, one, two, three] = [0, 1, 2, 3].map(|n| int(&mut body, n));
    let test = prim(&mut body, Prim::Gt, x, one);
    let half = prim(&mut body, Prim::Quot, x, two);
    let tripled = prim(&mut body, Prim::Mul, x, three);
    let more = prim(&mut body, Prim::Add, tripled, one);
    let rest = prim(&mut body, Prim::Rem, x, two);
    let even = prim(&mut body, Prim::Eq, rest, zero);
    let next = body.push(Op::Prim(Prim::Select, vec![even, half, more]), I32);
    Region {
        body,
        test: Some(test),
        next: vec![next],
    }
}

/// Adds up the elements of the array, each times what is captured.
fn weighted_sum() -> Region {
    let mut body = Body::default();
    let [trip, sum, weight] = [0, 1, 2].map(|n| body.push(Op::Arg(n), I32));
    let load = Load {
        array: ArrayId(0),
        index: vec![trip],
        guard: None,
        site: Some(SiteId(0)),
    };
    let element = body.push(Op::Load(load), I32);
    let product = prim(&mut body, Prim::Mul, element, weight);
    let next = prim(&mut body, Prim::Add, sum, product);
    Region {
        body,
        test: None,
        next: vec![next],
    }
}

#[test]
fn a_counted_loop_makes_as_many_trips() {
    assert_eq!(
        run_loop(10, &[0, 1], &[], fibonacci()),
        Ok(vec![10, 55, 89])
    );
    for trips in [0, -1, i32::MIN] {
        assert_eq!(
            run_loop(trips, &[3, 4], &[], fibonacci()),
            Ok(vec![0, 3, 4])
        );
    }
    assert_eq!(run_loop(3, &[1], &[2], weighted_sum()), Ok(vec![3, 121]));
    assert!(run_loop(4, &[1], &[2], weighted_sum()).is_err());
}

#[test]
fn a_test_ends_a_loop_before_the_trip() {
    assert_eq!(run_loop(i32::MAX, &[27], &[], collatz()), Ok(vec![111, 1]));
    assert_eq!(run_loop(i32::MAX, &[1], &[], collatz()), Ok(vec![0, 1]));
    assert_eq!(run_loop(3, &[8], &[], collatz()), Ok(vec![3, 1]));
    assert_eq!(run_loop(2, &[8], &[], collatz()), Ok(vec![2, 2]));
}

#[test]
fn loops_nest() {
    let mut body = Body::default();
    let [trip, sum] = [0, 1].map(|n| body.push(Op::Arg(n), I32));
    let start = prim(&mut body, Prim::Add, trip, trip);
    let inner = Loop {
        trips: start,
        init: vec![trip, start],
        captures: vec![],
        region: fibonacci(),
    };
    let count = body.push(Op::Loop(Box::new(inner)), I32);
    let last = body.push(Op::Out(count, 0), I32);
    let next = prim(&mut body, Prim::Add, sum, last);
    let region = Region {
        body,
        test: None,
        next: vec![next],
    };
    // Trip k adds the 2k-th of the sequence k, 2k, 3k, 5k, 8k, 13k, 21k …: 0, 3·1, 8·2, 21·3.
    assert_eq!(run_loop(4, &[0], &[], region), Ok(vec![4, 3 + 16 + 63]));
}

/// A kernel that runs a loop at each point, as a schedule.
fn with_loop(region: Region, damage: impl FnOnce(&mut Body)) -> Schedule {
    let mut body = Body::default();
    let point = body.push(Op::Coord(0), I32);
    let of = Loop {
        trips: point,
        init: vec![point; region.next.len()],
        captures: vec![],
        region,
    };
    let count = body.push(Op::Loop(Box::new(of)), I32);
    let value = body.push(Op::Out(count, 0), I32);
    damage(&mut body);
    let array = ArrayId(1);
    let outputs = vec![Output { value, array }];
    let arrays = vec![own(F64, &[0]), own(I32, &[0])];
    let map = kernel(&[0], KernelKind::Map { body, outputs });
    schedule(arrays, vec![map], &[1])
}

fn problem(region: Region, damage: impl FnOnce(&mut Body)) -> String {
    let checked = check(with_loop(region, damage));
    checked.err().map_or("none".to_owned(), |e| e.to_string())
}

#[test]
fn kernels_run_loops_at_each_point() {
    let checked = check(with_loop(collatz(), |_| {})).unwrap();
    let results = run::run(&checked, &[vector(&[0.0; 8])]).unwrap();
    // So many trips as the point has, at most.
    assert_eq!(
        results[0].column(),
        &Column::from(vec![0, 1, 1, 16, 1, 1, 4, 13])
    );
}

fn says(problem: &str, part: &str) {
    assert!(problem.contains(part), "{problem}: {part}");
}

#[test]
fn regions_are_checked() {
    assert_eq!(problem(fibonacci(), |_| {}), "none");
    let inside = |change: &dyn Fn(&mut Region)| {
        let mut region = fibonacci();
        change(&mut region);
        problem(region, |_| {})
    };
    let with = |op: Op| {
        inside(&|region| {
            region.body.push(op.clone(), I32);
        })
    };
    says(&with(Op::Coord(0)), "coordinate 0 of 0");
    says(&with(Op::Symbol(SymbolId(0))), "s0 inside of a loop");
    says(&with(Op::Arg(3)), "argument 3");
    says(
        &inside(&|region| region.test = Some(ValueId(0))),
        "the test of a loop",
    );
    says(&inside(&|region| region.next[1] = ValueId(7)), "v7");
    let of_other_type = |region: &mut Region| {
        region.next[1] = region.body.push(Op::Const(1.0.into()), F64);
    };
    says(&inside(&of_other_type), "a value carried");
    let fewer = |body: &mut Body| {
        body.change(|op| {
            if let Op::Loop(of) = op {
                of.init.pop();
            }
        });
    };
    says(&problem(fibonacci(), fewer), "argument 2");
}

#[test]
fn what_loops_carried_is_checked() {
    let outs = |change: fn(&mut Op)| problem(fibonacci(), move |body| body.change(change));
    let third = |op: &mut Op| {
        if let Op::Out(_, which) = op {
            *which = 2;
        }
    };
    says(&outs(third), "value 2 carried by v1");
    let of_coord = |op: &mut Op| {
        if let Op::Out(of, _) = op {
            *of = ValueId(0);
        }
    };
    says(&outs(of_coord), "value 0 carried by v0");
}

#[test]
fn loops_are_printed_with_what_they_hold() {
    let text = with_loop(collatz(), |_| {}).to_string();
    for part in [
        "v1: i32 = loop v0 from [v0] with []",
        "while v5",
        "next [v11]",
        "v2: i32 = v1.0",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn walking_meets_what_loops_hold() {
    let schedule = with_loop(weighted_sum(), |_| {});
    let body = schedule.kernels()[0].body();
    assert_eq!(body.walk().count(), body.len() + weighted_sum().body.len());
    assert_eq!(body.reads().collect::<Vec<_>>(), [ArrayId(0)]);
    let (around, load) = body.loads().next().unwrap();
    assert_eq!(around.op(load.index[0]), &Op::Arg(0));
    let mut renamed = body.clone();
    renamed.rename_arrays(&mut |array| array.0 += 5);
    assert_eq!(renamed.reads().collect::<Vec<_>>(), [ArrayId(5)]);
}
