//! Rules on loops.

use super::{fires, fun_of, simplified};
use crate::build::FunBuilder;
use crate::constant::Const;
use crate::prim::Prim;
use crate::simplify::{RuleCounts, simplify_fun};
use crate::term::{ExpId, ExpOp, Fun, Labelled};
use crate::types::ScalarType::{F64, I32, I64, U32};

/// The loops that are left, those inside of loops included.
fn loops(f: &Fun<Labelled>) -> Vec<&ExpOp<Labelled>> {
    let ops = f.body.all_lets().map(|l| &l.op);
    ops.filter(|op| matches!(op, ExpOp::Loop { .. })).collect()
}

#[test]
fn loops_of_no_trip_are_their_first_state() {
    for trips in [0, -3, i32::MIN] {
        let after = fires("loop_no_trips", &[I32, F64], |b, x| {
            let most = b.constant(trips);
            let step = b.closure(&[I32, F64], |b, args| vec![b.prim(Prim::Exp, &[args[1]])]);
            b.loop_(&[most, x[1]], None, step)
        });
        assert!(loops(&after).is_empty());
    }
    // Where the test is known to fail.
    let after = fires("loop_no_trips", &[I32, F64], |b, x| {
        let test = b.closure(&[I32, F64], |b, _| vec![b.constant(Const::Bool(false))]);
        let step = b.closure(&[I32, F64], |b, args| vec![b.prim(Prim::Exp, &[args[1]])]);
        b.loop_(&[x[0], x[1]], Some(test), step)
    });
    assert!(loops(&after).is_empty());
}

#[test]
fn loops_of_one_trip_are_its_code() {
    let after = fires("loop_one_trip", &[F64], |b, x| {
        let one = b.constant(1);
        let step = b.closure(&[I32, F64], |b, args| vec![b.prim(Prim::Exp, &[args[1]])]);
        b.loop_(&[one, x[0]], None, step)
    });
    assert!(loops(&after).is_empty());
    let after = fires("loop_one_trip", &[F64], |b, x| {
        let one = b.constant(1);
        let test = b.closure(&[I32, F64], |b, args| {
            let bound = b.constant(0.5);
            vec![b.prim(Prim::Lt, &[args[1], bound])]
        });
        let step = b.closure(&[I32, F64], |b, args| vec![b.prim(Prim::Exp, &[args[1]])]);
        b.loop_(&[one, x[0]], Some(test), step)
    });
    assert!(loops(&after).is_empty());
}

#[test]
fn state_that_no_trip_changes_is_not_carried() {
    let after = fires("loop_unchanged_state", &[I32, F64, F64], |b, x| {
        let most = few_trips(b, x[0]);
        let step = b.closure(&[I32, F64, F64], |b, args| {
            vec![args[1], b.prim(Prim::Mul, &[args[1], args[2]])]
        });
        b.loop_(&[most, x[1], x[2]], None, step)
    });
    assert_eq!(loops(&after)[0].operands().len(), 2);
}

/// At most three, so that tests end.
fn few_trips(b: &mut FunBuilder, trips: ExpId) -> ExpId {
    let most = b.constant(3);
    b.prim(Prim::Min, &[trips, most])
}

#[test]
fn integers_to_which_each_trip_adds_the_same_are_not_carried() {
    for ty in [I32, I64, U32] {
        let after = fires("loop_affine_state", &[I32, ty, F64], |b, x| {
            let most = few_trips(b, x[0]);
            let step = b.closure(&[I32, ty, F64], |b, args| {
                let two = b.small(ty, 2);
                let float = b.prim(Prim::Convert(F64), &[args[1]]);
                vec![
                    b.prim(Prim::Add, &[two, args[1]]),
                    b.prim(Prim::Add, &[args[2], float]),
                ]
            });
            b.loop_(&[most, x[1], x[2]], None, step)
        });
        assert_eq!(loops(&after)[0].operands().len(), 2, "{ty}");
    }
    // Of floats, sums are not products.
    let before = fun_of(&[I32, F64], |b, x| {
        let most = few_trips(b, x[0]);
        let step = b.closure(&[I32, F64], |b, args| {
            let tenth = b.constant(0.1);
            vec![b.prim(Prim::Add, &[args[1], tenth])]
        });
        b.loop_(&[most, x[1]], None, step)
    });
    assert_eq!(simplified(&before).1.get("loop_affine_state"), 0);
}

#[test]
fn what_nobody_uses_is_not_carried() {
    let after = fires("loop_unused_state", &[I32, F64, F64, F64], |b, x| {
        let most = few_trips(b, x[0]);
        // The second needs the third; the first, itself alone.
        let step = b.closure(&[I32, F64, F64, F64], |b, args| {
            vec![
                b.prim(Prim::Exp, &[args[1]]),
                b.prim(Prim::Mul, &[args[2], args[3]]),
                b.prim(Prim::Sqrt, &[args[3]]),
            ]
        });
        let results = b.loop_(&[most, x[1], x[2], x[3]], None, step);
        vec![results[2]]
    });
    assert_eq!(loops(&after)[0].operands().len(), 3);
}

#[test]
fn total_code_that_is_the_same_in_all_trips_moves_out() {
    let after = fires("loop_invariant", &[I32, F64, F64], |b, x| {
        let most = few_trips(b, x[0]);
        let outside = x[2];
        let step = b.closure(&[I32, F64], |b, args| {
            let y = b.prim(Prim::Exp, &[outside]);
            vec![b.prim(Prim::Mul, &[args[1], y])]
        });
        b.loop_(&[most, x[1]], None, step)
    });
    let ExpOp::Loop { step, .. } = loops(&after)[0] else {
        panic!("a loop is left")
    };
    assert_eq!(step.body.lets.len(), 1);
}

/// In a loop that makes no trip, what is read in it is not.
#[test]
fn code_that_can_fail_stays_inside() {
    let array = crate::build::Arr::new(crate::term::ArrId(0), crate::types::ArrayType::new(F64, 1));
    let mut b = FunBuilder::new();
    let x = b.params(&[I32, F64]);
    let step = b.closure(&[I32, F64], |b, args| {
        let first = b.constant(0);
        let element = b.index(&array, &[first]);
        vec![b.prim(Prim::Mul, &[args[1], element])]
    });
    let results = b.loop_(&x, None, step);
    let f = simplify_fun(b.finish(results), &mut RuleCounts::default());
    let is_index = |op: &ExpOp<Labelled>| matches!(op, ExpOp::Index { .. });
    assert!(!f.body.lets.iter().any(|l| is_index(&l.op)));
    assert!(f.body.all_lets().any(|l| is_index(&l.op)));
}

#[test]
fn a_loop_that_carries_nothing_is_its_trips() {
    let after = fires("loop_of_nothing", &[I32, F64], |b, x| {
        let step = b.closure(&[I32, F64], |_, args| vec![args[1]]);
        let most = few_trips(b, x[0]);
        b.loop_(&[most, x[1]], None, step)
    });
    assert!(loops(&after).is_empty());
}

#[test]
fn a_test_that_always_holds_goes() {
    let after = fires("loop_test_holds", &[I32, F64], |b, x| {
        let test = b.closure(&[I32, F64], |b, _| vec![b.constant(Const::Bool(true))]);
        let step = b.closure(&[I32, F64], |b, args| vec![b.prim(Prim::Sqrt, &[args[1]])]);
        let most = few_trips(b, x[0]);
        b.loop_(&[most, x[1]], Some(test), step)
    });
    let ExpOp::Loop { test, .. } = loops(&after)[0] else {
        panic!("a loop is left")
    };
    assert_eq!(*test, None);
}
