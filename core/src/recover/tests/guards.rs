//! Array operations that can fail by the code in their closures stay behind their conditions.

use crate::host::HostArray;
use crate::interp;
use crate::label::label;
use crate::recover::recover;
use crate::surface::prelude::*;
use crate::surface::{Traced, trace};
use crate::term::{AccBlock, Labelled};

fn vector(values: Vec<f64>) -> HostArray {
    HostArray::new(vec![values.len()], values.into()).unwrap()
}

/// `b` is needed in branches of two conditionals, neither of which is taken: it must not run, since it would
/// fail.
#[test]
fn an_index_inside_of_a_map_is_guarded() {
    let traced = trace(|a: Acc<Ix1, f64>, v: Acc<Ix1, f64>| {
        let b = a.map(|x| x + v.at(ix![5]));
        let large = |limit: f64| a.sum().the().gt(limit);
        let (first, second) = (acond(large(100.0), b, a), acond(large(200.0), b, a));
        first.zip_with(second, |x, y| x * y)
    })
    .unwrap();
    let program = label(&recover(&traced.graph, &traced.lambda).unwrap());
    let run = |a: Vec<f64>| interp::run(&program, &[vector(a), vector(vec![1.0, 2.0])]);
    assert_eq!(run(vec![3.0, 4.0]).unwrap(), [vector(vec![9.0, 16.0])]);
    assert!(run(vec![300.0]).is_err());
}

/// Operations that may fail by themselves, shared by two branches of which neither is taken: they must not run
/// outside of them. `k` is −1.
#[test]
fn what_may_fail_by_itself_is_guarded() {
    type Vector = Acc<Ix1, f64>;
    let operations: [fn(Vector, Exp<i32>) -> Vector; 8] = [
        |a, k| a.replicate(ix![2, All]).slice(ix![k, All]),
        |a, k| a.replicate(ix![2, All]).slice(ix![k + 3, All]),
        |a, k| a.replicate(ix![k, All]).flatten(),
        |_, k| generate(ix![k], |ix![i]| i.to_f64()),
        |_, k| generate(ix![2, k, 3], |_| 1.0).flatten(),
        |a, k| a.reshape(ix![k + 4]),
        |a, k| a.permute(Combine::Add, a, |ix![i]| (true, ix![i + k])),
        |a, k| a.replicate(ix![All, k + 1]).fold1(|x, y| x + y),
    ];
    for (position, operation) in operations.into_iter().enumerate() {
        let traced = trace(|a: Vector, v: Vector| {
            let b = operation(a, v.inner() - 3);
            let large = |limit: f64| a.sum().the().gt(limit);
            let (first, second) = (acond(large(100.0), b, a), acond(large(200.0), b, a));
            first.zip_with(second, |x, y| x * y)
        })
        .unwrap();
        let program = label(&recover(&traced.graph, &traced.lambda).unwrap());
        let run = |a: Vec<f64>| interp::run(&program, &[vector(a), vector(vec![1.0, 2.0])]);
        let squares = [vector(vec![9.0, 16.0])];
        assert_eq!(
            run(vec![3.0, 4.0]),
            Ok(squares.into()),
            "operation {position}"
        );
        assert!(run(vec![300.0, 0.0]).is_err(), "operation {position}");
    }
}

type Vector = Acc<Ix1, f64>;
type Number = Acc<Z, f64>;

/// The operations of a program, and those that a loop at its end has in a trip.
fn operations(f: impl FnOnce(Vector) -> Number) -> [Vec<&'static str>; 2] {
    let traced = trace(f).unwrap();
    let program = label(&recover(&traced.graph, &traced.lambda).unwrap());
    let names = |block: &AccBlock<Labelled>| block.lets.iter().map(|let_| let_.op.name()).collect();
    let last = program.body.lets.iter().rev();
    let step = last.filter_map(|let_| let_.op.blocks().pop()).next();
    [names(&program.body), names(step.unwrap().block)]
}

/// What is written before a loop is computed before it, though it may fail and the loop alone needs it; what is written in the step stays
/// there.
#[test]
fn what_is_written_before_a_loop_stays_before_it() {
    let total = |s: Number, x: Exp<f64>| s.map(move |s: Exp<f64>| s + x);
    let [all, inside] = operations(|v| {
        let table = v.map(|x| x + v.at(ix![5])).scanl1(|x, y| x + y);
        aiterate(3, |i: Exp<i32>, s| total(s, table.at(ix![i])), unit(0.0))
    });
    assert_eq!(all, ["map", "scanl1", "generate", "loop_a"]);
    assert_eq!(inside, ["map"]);
    let [all, inside] = operations(|v| {
        let step = |i: Exp<i32>, s| {
            let table = v.map(|x| x + v.at(ix![5])).scanl1(|x, y| x + y);
            total(s, table.at(ix![i]))
        };
        aiterate(3, step, unit(0.0))
    });
    assert_eq!(all, ["generate", "loop_a"]);
    assert_eq!(inside, ["map", "scanl1", "map"]);
}

/// The same goes for what a derivative in the step needs.
#[test]
fn what_is_written_before_a_loop_of_derivatives_stays_before_it() {
    let [all, inside] = operations(|v| {
        let table = v.map(|x| x + v.at(ix![5])).scanl1(|x, y| x + y);
        let step = |i: Exp<i32>, s: Number| {
            gradient_a(
                |s: Number| s.map(move |s: Exp<f64>| s * table.at(ix![i])),
                s,
            )
        };
        aiterate(3, step, unit(0.0))
    });
    assert_eq!(all, ["map", "scanl1", "generate", "loop_a"]);
    assert_eq!(inside, ["gradient_a"]);
}

/// Of a branch of a conditional in a loop's step, the meaning is by need, wherever it was written.
#[test]
fn what_a_branch_in_a_trip_needs_stays_there() {
    let [all, inside] = operations(|v| {
        let table = v.map(|x| x + v.at(ix![5])).scanl1(|x, y| x + y);
        let step = |i: Exp<i32>, s: Number| {
            let more = s.map(move |s: Exp<f64>| s + table.at(ix![i]));
            acond(i.gt(1), more, s)
        };
        aiterate(3, step, unit(0.0))
    });
    assert_eq!(all, ["generate", "loop_a"]);
    assert_eq!(inside, ["acond"]);
    let [all, inside] = operations(|v| {
        let table = v.map(|x| x + v.at(ix![5])).scanl1(|x, y| x + y);
        let step = |i: Exp<i32>, s: Number| {
            let more = |s: Number| s.map(move |s: Exp<f64>| s + table.at(ix![i]));
            let s = acond(i.gt(1), more(s), s);
            acond(i.lt(0), more(s), s)
        };
        aiterate(3, step, unit(0.0))
    });
    assert_eq!(all, ["generate", "loop_a"]);
    assert_eq!(inside, ["acond", "acond"]);
}

/// Where it cannot fail, and was written before the loop, it is computed before it: in a branch it would be computed again and again.
#[test]
fn what_a_branch_in_a_trip_needs_and_cannot_fail_stays_before_the_loop() {
    let step = |table: Vector| {
        move |i: Exp<i32>, s: Number| {
            let more = s.map(move |s: Exp<f64>| s + table.size().to_f64());
            acond(i.gt(1), more.zip_with(table.sum(), |x, y| x + y), s)
        }
    };
    let [all, inside] = operations(|v| {
        let table = v.map(|x| x * 2.0).scanl1(|x, y| x + y);
        aiterate(3, step(table), unit(0.0))
    });
    assert_eq!(all, ["map", "scanl1", "generate", "loop_a"]);
    assert_eq!(inside, ["acond"]);
    let [all, inside] = operations(|v| {
        let within = |i: Exp<i32>, s: Number| step(v.map(|x| x * 2.0).scanl1(|x, y| x + y))(i, s);
        aiterate(3, within, unit(0.0))
    });
    assert_eq!(all, ["generate", "loop_a"]);
    assert_eq!(inside, ["acond"]);
}

/// It may fail though no trip is made.
#[test]
fn what_is_written_before_a_loop_runs_without_trips() {
    let table_of = |v: Vector| v.map(move |x| x + v.at(ix![5])).scanl1(|x, y| x + y);
    let before = |v: Vector| {
        let table = table_of(v);
        aiterate(
            0,
            move |i: Exp<i32>, _: Number| unit(table.at(ix![i])),
            unit(0.5),
        )
    };
    let within = |v: Vector| {
        let step = move |i: Exp<i32>, _: Number| unit(table_of(v).at(ix![i]));
        aiterate(0, step, unit(0.5))
    };
    let run = |traced: Traced<_, _>| {
        let program = label(&recover(&traced.graph, &traced.lambda).unwrap());
        interp::run(&program, &[vector(vec![1.0, 2.0])])
    };
    assert!(run(trace(before).unwrap()).is_err());
    assert!(run(trace(within).unwrap()).is_ok());
}
