//! Loops in chunks give what they give in one piece.

use super::*;
use crate::schedule::chunks::{Chunked, Nests, chunks};
use crate::schedule::run::run;

/// The trips of a loop at a point: its coordinate times a number.
const TRIPS: i32 = 3;

/// A kernel over [s0] whose loop makes 3·i trips, the k-th of which turns x into 2·x + k, from x = A0[i] on, and ends where x
/// exceeds a limit: A1 = trips, A2 = x.
fn subject(limit: f64) -> Schedule {
    let mut region = Body::default();
    let k = region.push(Op::Arg(0), I32);
    let x = region.push(Op::Arg(1), F64);
    let limit_inside = region.push(Op::Arg(2), F64);
    let double = region.push(Op::Prim(Prim::Add, vec![x, x]), F64);
    let k = region.push(Op::Prim(Prim::Convert(F64), vec![k]), F64);
    let next = region.push(Op::Prim(Prim::Add, vec![double, k]), F64);
    let test = region.push(Op::Prim(Prim::Le, vec![x, limit_inside]), Bool);
    let mut body = Body::default();
    let i = body.push(Op::Coord(0), I32);
    let three = body.push(Op::Const(TRIPS.into()), I32);
    let trips = body.push(Op::Prim(Prim::Mul, vec![i, three]), I32);
    let load = Load {
        array: ArrayId(0),
        index: vec![i],
        guard: None,
        site: None,
    };
    let init = body.push(Op::Load(load), F64);
    let limit = body.push(Op::Const(limit.into()), F64);
    let of = Loop {
        trips,
        init: vec![init],
        captures: vec![limit],
        region: Region {
            body: region,
            test: Some(test),
            next: vec![next],
        },
    };
    let made = body.push(Op::Loop(Box::new(of)), I32);
    let last = body.push(Op::Out(made, 0), F64);
    let outputs = vec![
        Output {
            value: made,
            array: ArrayId(1),
        },
        Output {
            value: last,
            array: ArrayId(2),
        },
    ];
    let step = kernel(&[0], KernelKind::Map { body, outputs });
    let arrays = vec![own(F64, &[0]), own(I32, &[0]), own(F64, &[0])];
    schedule(arrays, vec![step], &[1, 2])
}

#[test]
fn chunks_go_on_where_the_last_one_ended() {
    for limit in [1e3, f64::INFINITY] {
        for input in [&[1.0, 0.5, 2.0, -1.0, 7.0, 0.0][..], &[], &[f64::INFINITY]] {
            let whole = check(subject(limit)).unwrap();
            let expected = run(&whole, &[vector(input)]).unwrap();
            for most in [1, 2, 5, 100] {
                let Chunked {
                    schedule, parts, ..
                } = chunks(&whole, most, Nests::InChunks).unwrap();
                assert_eq!(parts.len(), schedule.kernels().len());
                assert!(parts.iter().all(|part| part.whole == 0));
                let last: Vec<_> = parts.iter().map(|part| part.is_last).collect();
                assert_eq!(last, [false, false, false, true]);
                let text = schedule.to_string();
                let found = run(&check(schedule).unwrap(), &[vector(input)]).unwrap();
                assert_eq!(found, expected, "{most}\n{text}");
            }
            assert!(chunks(&whole, 1, Nests::TripByTrip).is_none());
        }
    }
}

/// Code of a trip with two values carried, x and y, and the trips that loops inside of it make, so deep: x becomes 3·x + k,
/// but what a loop of |x| mod 4 trips makes of x, where there is one, and y becomes x less y. It ends where x is a multiple of 7.
fn nest(depth: u32) -> Region {
    let mut body = Body::default();
    let [k, x, y] = [0, 1, 2].map(|n| body.push(Op::Arg(n), I32));
    let [three, four, seven, zero] = [3, 4, 7, 0].map(|n: i32| body.push(Op::Const(n.into()), I32));
    let mut prim =
        |prim, operands: &[ValueId], ty| body.push(Op::Prim(prim, operands.to_vec()), ty);
    let triple = prim(Prim::Mul, &[x, three], I32);
    let sum = prim(Prim::Add, &[triple, k], I32);
    let difference = prim(Prim::Sub, &[x, y], I32);
    let size = prim(Prim::Abs, &[x], I32);
    let some = prim(Prim::Rem, &[size, four], I32);
    let rest = prim(Prim::Rem, &[x, seven], I32);
    let test = prim(Prim::Ne, &[rest, zero], Bool);
    let mut next = [sum, difference];
    if depth > 0 {
        // One after the other: the trips of the first are those of the second less a number.
        for more in [zero, three] {
            let trips = body.push(Op::Prim(Prim::Sub, vec![some, more]), I32);
            let of = Loop {
                trips,
                init: next.to_vec(),
                captures: vec![],
                region: nest(depth - 1),
            };
            let made = body.push(Op::Loop(Box::new(of)), I32);
            let [x, y] = [0, 1].map(|n| body.push(Op::Out(made, n), I32));
            next = [x, body.push(Op::Prim(Prim::Add, vec![y, made]), I32)];
        }
    }
    Region {
        body,
        test: Some(test),
        next: next.to_vec(),
    }
}

/// A kernel over [s0] with a nest of loops, of A0[i] trips, from A0[i] on.
fn nested(depth: u32) -> Schedule {
    let mut body = Body::default();
    let i = body.push(Op::Coord(0), I32);
    let load = Load {
        array: ArrayId(0),
        index: vec![i],
        guard: None,
        site: None,
    };
    let trips = body.push(Op::Load(load), I32);
    let of = Loop {
        trips,
        init: vec![trips, i],
        captures: vec![],
        region: nest(depth),
    };
    let made = body.push(Op::Loop(Box::new(of)), I32);
    let [x, y] = [0, 1].map(|n| body.push(Op::Out(made, n), I32));
    let outputs = [made, x, y].into_iter().zip(1..);
    let outputs = outputs.map(|(value, array)| Output {
        value,
        array: ArrayId(array),
    });
    let outputs = outputs.collect();
    let step = kernel(&[0], KernelKind::Map { body, outputs });
    let arrays = vec![own(I32, &[0]); 4];
    schedule(arrays, vec![step], &[1, 2, 3])
}

#[test]
fn loops_around_others_are_made_trip_by_trip() {
    let input = [0, 5, -3, 1, 8, 2, 13, 6, 41];
    for (depth, input) in [(1, &input[..]), (2, &input[..]), (3, &input[..4]), (2, &[])] {
        let whole = check(nested(depth)).unwrap();
        let input = [HostArray::new(vec![input.len()], input.to_vec().into()).unwrap()];
        let expected = run(&whole, &input).unwrap();
        for most in [1, 2, 5, 1_000] {
            for nests in [Nests::InChunks, Nests::TripByTrip] {
                let chunked = chunks(&whole, most, nests).unwrap();
                let text = chunked.schedule.to_string();
                let found = run(&check(chunked.schedule).unwrap(), &input).unwrap();
                assert_eq!(found, expected, "{nests:?} {most}\n{text}");
            }
        }
    }
}

#[test]
fn no_loop_makes_many_trips_that_is_made_trip_by_trip() {
    let whole = check(nested(3)).unwrap();
    let chunked = chunks(&whole, 5, Nests::TripByTrip).unwrap();
    let most = |of: &Loop| of.region.body.most_trips();
    for kernel in chunked.schedule.kernels() {
        for (_, inst) in kernel.body().iter() {
            assert_eq!(inst.op.as_loop().map_or(Some(0), most), Some(0));
        }
    }
}

/// Adds A0[index] to the value carried.
fn adding(body: &mut Body, x: ValueId, index: ValueId) -> ValueId {
    let load = Load {
        array: ArrayId(0),
        index: vec![index],
        guard: None,
        site: Some(SiteId(0)),
    };
    let element = body.push(Op::Load(load), I32);
    body.push(Op::Prim(Prim::Add, vec![x, element]), I32)
}

/// A trip of a loop of n trips, n captured, which reads element 0 itself and in a loop inside; it would read one far out of range where
/// its number is n.
fn reading() -> Region {
    let mut inside = Body::default();
    let [x, index] = [1, 2].map(|n| inside.push(Op::Arg(n), I32));
    let next = adding(&mut inside, x, index);
    let mut body = Body::default();
    let [k, x, n] = [0, 1, 2].map(|n| body.push(Op::Arg(n), I32));
    let [zero, far] = [0, 99].map(|n: i32| body.push(Op::Const(n.into()), I32));
    let is_one = body.push(Op::Prim(Prim::Lt, vec![k, n]), Bool);
    let index = body.push(Op::Prim(Prim::Select, vec![is_one, zero, far]), I32);
    let x = adding(&mut body, x, index);
    let of = Loop {
        trips: n,
        init: vec![x],
        captures: vec![index],
        region: Region {
            body: inside,
            test: None,
            next: vec![next],
        },
    };
    let made = body.push(Op::Loop(Box::new(of)), I32);
    let next = body.push(Op::Out(made, 0), I32);
    Region {
        body,
        test: None,
        next: vec![next],
    }
}

/// Where one point has trips to make and another has not, nothing is read for the other.
#[test]
fn trips_that_are_not_made_read_nothing() {
    let mut body = Body::default();
    let i = body.push(Op::Coord(0), I32);
    let zero = body.push(Op::Const(0.into()), I32);
    let trips = adding(&mut body, zero, i);
    let of = Loop {
        trips,
        init: vec![zero],
        captures: vec![trips],
        region: reading(),
    };
    let made = body.push(Op::Loop(Box::new(of)), I32);
    let value = body.push(Op::Out(made, 0), I32);
    let outputs = vec![Output {
        value,
        array: ArrayId(1),
    }];
    let step = kernel(&[0], KernelKind::Map { body, outputs });
    let whole = check(schedule(vec![own(I32, &[0]); 2], vec![step], &[1])).unwrap();
    let input = [HostArray::new(vec![3], vec![5, 1, 3].into()).unwrap()];
    let expected = run(&whole, &input).unwrap();
    for most in [1, 2, 4] {
        let chunked = chunks(&whole, most, Nests::TripByTrip).unwrap();
        let found = run(&check(chunked.schedule).unwrap(), &input).unwrap();
        assert_eq!(found, expected, "{most}");
    }
}
