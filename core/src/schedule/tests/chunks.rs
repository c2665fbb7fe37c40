//! Loops in chunks give what they give in one piece.

use super::*;
use crate::schedule::chunks::{Chunked, chunks};
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
                    schedule,
                    before,
                    kernels,
                } = chunks(&whole, most).unwrap();
                assert_eq!(kernels.len(), schedule.kernels().len());
                assert_eq!((kernels, before.len()), (vec![0; 4], 1));
                let text = schedule.to_string();
                let found = run(&check(schedule).unwrap(), &[vector(input)]).unwrap();
                assert_eq!(found, expected, "{most}\n{text}");
            }
        }
    }
}
