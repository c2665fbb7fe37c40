//! Array operations that can fail by the code in their closures stay behind their conditions.

use crate::host::HostArray;
use crate::interp;
use crate::label::label;
use crate::recover::recover;
use crate::surface::prelude::*;
use crate::surface::trace;

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
