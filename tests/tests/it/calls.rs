//! Programs that are called in others: what is called is there as if its closure had been called.

use cotangent::prelude::*;
use cotangent::{Cpu, Error, Hosts, Program, compile, compile_text};
use cotangent_core::graph::SurfaceError;
use cotangent_core::surface::AccFn;
use cotangent_tests::differences::all_agree;
use std::thread;

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;
type Number = Acc<Z, f64>;

fn vector(values: &[f64]) -> Array<Ix1, f64> {
    Array::vector(values.to_vec()).unwrap()
}

/// A program that calls another is that program, word by word.
fn is_the_same<M, F: AccFn<M>>(f: F) -> Program<F::In, F::Out> {
    let direct = compile(f).unwrap();
    let called = compile(|args: F::In| direct.call(args)).unwrap();
    assert_eq!(called.to_string(), direct.to_string());
    direct
}

#[test]
fn operations_of_arrays() {
    is_the_same(|v: Vector| generate(ix![v.size() + 2], move |ix![i]| v.at(ix![i % 2]) + 1.0));
    is_the_same(|v: Vector, w: Vector| {
        v.zip_with(w, |x, y| (x * y, x.lt(y)))
            .map(|(x, b)| cond::<f64>(b, x, 0.0))
    });
    is_the_same(|m: Matrix| (m.sum(), m.fold(1.0, |x, y| x * y), m.fold1(|x, y| x.max(y))));
    is_the_same(|v: Vector| (v.scanl(0.5, |x, y| x + y), v.scanr1(|x, y| x * y)));
    is_the_same(|m: Matrix| {
        (
            m.transpose(),
            m.slice(ix![1, All]),
            m.reshape(ix![m.size()]),
            m.reverse(),
        )
    });
    is_the_same(|v: Vector| v.replicate(ix![3, All]).append(v.replicate(ix![2, All])));
    is_the_same(|v: Vector| v.permute(Combine::Add, v, |ix![i]| (i.gt(1), ix![i / 2])));
    is_the_same(|v: Vector, i: Acc<Z, i32>| acond(i.at(ix![]).gt(0), v.tail(), v.map(|x| x.sin())));
    is_the_same(|v: Vector| (v.set(ix![1], 0.5), stack(&[v, v * 2.0])));
}

#[test]
fn loops() {
    is_the_same(|v: Vector| {
        aiterate(
            4,
            |k: Exp<i32>, v: Vector| v.map(move |x| x.sin() * k.to_f64()),
            v,
        )
    });
    is_the_same(|v: Vector| {
        let goes_on = |v: Vector| v.sum().at(ix![]).lt(10.0);
        aiterate_while(9, goes_on, |_: Exp<i32>, v: Vector| v * 1.5, v)
    });
    is_the_same(|v: Vector| {
        let step = |_: Exp<i32>, v: Vector| v * 2.0;
        let back = |_: Exp<i32>, v: Vector| v * 0.5;
        aiterate_reversible(3, step, back, v)
    });
    is_the_same(|v: Vector| {
        v.map(|x| iterate(5, |k: Exp<i32>, y: Exp<f64>| y * x + k.to_f64(), x))
    });
    is_the_same(|v: Vector| {
        v.map(|x| while_(|y: Exp<f64>| y.lt(3.0), |_, y| y * 2.0, x.abs() + 0.1))
    });
}

#[test]
fn derivatives_and_rules() {
    let energy = |v: Vector| v.map(|x| x.sin() * x).sum();
    is_the_same(move |v: Vector| (gradient_a(energy, v), jvp_a(energy, v, v)));
    is_the_same(move |v: Vector| value_and_gradient_a(move |v| gradient_a(energy, v).sum(), v));
    is_the_same(|v: Vector| v.map(|x| gradient_e(|x: Exp<f64>| x.exp() * stop_gradient_e(x), x)));
    is_the_same(|v: Vector| {
        let rule = |_: Vector, roots: Vector, dv: Vector| dv / (roots * 2.0);
        custom_jvp(|v: Vector| v.map(|x| x.sqrt()), rule, v)
    });
    is_the_same(|v: Vector| checkpoint(|v: Vector| v.map(|x| x.exp()).sum(), v));
    is_the_same(|m: Matrix| vmap(|v: Vector| v.scanl1(|x, y| x * y).sum(), m));
}

#[test]
fn arrays_of_the_host() {
    let pairs = Array::vector(vec![(1.0, 2), (2.0, 3)]).unwrap();
    let weighted = is_the_same(move |v: Vector| {
        use_(&pairs).zip_with(v, |(x, n): (Exp<f64>, Exp<i32>), y| x * n.to_f64() * y)
    });
    // The same array in both is one.
    let twice = compile(|v: Vector| weighted.call(v) + weighted.call(v)).unwrap();
    let found = twice.run(&Cpu::default(), vector(&[1.0, 10.0])).unwrap();
    assert_eq!(found.to_vec(), [4.0, 120.0]);
    assert_eq!(twice.typed().erased().uses.len(), 2);
}

#[test]
fn what_is_called_is_differentiated_and_fused() {
    let norm = compile(|v: Vector| v.map(|x| x * x).sum()).unwrap();
    let of = |v: Vector| norm.call(v.map(|x| x.exp())) * norm.call(v).at(ix![]);
    all_agree(of, vector(&[0.5, -0.25]));
    all_agree(of, vector(&[]));
    let scaled = compile(|v: Vector| v * 2.0).unwrap();
    let thrice = compile(|v: Vector| scaled.call(scaled.call(scaled.call(v))) + v).unwrap();
    assert_eq!(thrice.explain().unwrap().kernels.len(), 1);
    let in_loop = |v: Vector| aiterate(3, |_: Exp<i32>, v: Vector| scaled.call(v), v);
    let found = compile(in_loop)
        .unwrap()
        .run(&Cpu::default(), vector(&[1.0]));
    assert_eq!(found.unwrap().to_vec(), [8.0]);
}

#[test]
fn what_is_called_gives_the_same_values() {
    let sorted = compile(|v: Vector| v.sort()).unwrap();
    let called = compile(|v: Vector| sorted.call(v.map(|x| -x))).unwrap();
    for values in [&[][..], &[1.0], &[2.0, -1.0, 3.0, 0.5, 2.0]] {
        let found = called.run(&Cpu::default(), vector(values)).unwrap();
        let mut expected: Vec<f64> = values.iter().map(|x| -x).collect();
        expected.sort_by(f64::total_cmp);
        assert_eq!(found.to_vec(), expected);
    }
}

#[test]
fn programs_are_kept_sent_and_run_at_any_extents() {
    let programs: Vec<Program<Vector, Number>> = vec![
        compile(|v: Vector| v.sum()).unwrap(),
        compile(|v: Vector| v.map(|x| x * x).sum()).unwrap(),
    ];
    let cpu = Cpu::default();
    let results: Vec<Vec<f64>> = thread::scope(|scope| {
        let run = |n: usize| {
            let (programs, cpu) = (programs.clone(), &cpu);
            scope.spawn(move || {
                let input = Array::from_fn([n], |[i]| i as f64).unwrap();
                let run = |p: &Program<Vector, Number>| p.run(cpu, input.clone()).unwrap().item();
                programs.iter().map(run).collect()
            })
        };
        let threads: Vec<_> = [0, 1, 3, 1000].map(run).into();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert_eq!(
        results,
        [
            [0.0, 0.0],
            [0.0, 0.0],
            [3.0, 5.0],
            [499_500.0, 332_833_500.0]
        ]
    );
}

/// Programs that no closure made are called, too; what no closure can say is told.
#[test]
fn programs_from_text_are_called() {
    let f = |v: Vector| v.permute(Combine::Add, v, |ix![i]| (i.gt(0), ix![i - 1]));
    let text = compile(f).unwrap().to_string();
    let read = |text: &str| compile_text(text, Hosts::Given(&[])).unwrap();
    let shifted = read(&text).cast::<Vector, Vector>().unwrap();
    let called = compile(|v: Vector| shifted.call(v)).unwrap();
    assert_eq!(called.to_string(), text);
    let leaves_out = text.replace("permute add", "permute add inside");
    assert_ne!(leaves_out, text);
    let shifted = read(&leaves_out).cast::<Vector, Vector>().unwrap();
    let error = compile(|v: Vector| shifted.call(v))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`call`: a `permute` that leaves out"),
        "{error}"
    );
}

#[test]
fn errors_name_the_place_of_what_is_called() {
    let second = compile(|v: Vector| generate(ix![1], move |_: Ix1| v.at(ix![1]))).unwrap();
    let line = line!() - 1;
    let called = compile(|v: Vector| second.call(v) * 2.0).unwrap();
    let error = called.run(&Cpu::default(), vector(&[1.0])).unwrap_err();
    assert!(
        error.to_string().contains(&format!("calls.rs:{line}")),
        "{error}"
    );
    // A program is no function of scalars.
    let nested = compile(|v: Vector| v.map(|x| second.call(unit(x).replicate(ix![2])).at(ix![0])));
    assert!(matches!(
        nested,
        Err(Error::Surface(SurfaceError::NestedParallelism { .. }))
    ));
}
