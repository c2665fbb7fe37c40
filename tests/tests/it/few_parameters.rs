//! Loops of scalar code with more state than the function around them has parameters: derivatives by the parameters, of the first
//! order and of the second, on every engine, and how much such a loop carries.

use crate::loop_gradients::{agree, numbers};
use crate::loops::vector;
use cotangent::compile;
use cotangent::prelude::*;
use cotangent_core::host::HostArray;
use cotangent_core::label::label;
use cotangent_core::recover::recover;
use cotangent_core::schedule::{Step, steps};
use cotangent_core::surface::AccFn;
use cotangent_tests::differences::all_agree_between_jumps;
use cotangent_tests::engines::Stages;
use cotangent_tests::generate::Case;

type Vector = Acc<Ix1, f64>;
type X = Exp<f64>;

/// A state of N scalars, made of three.
fn mixed<const N: usize>((x, y, z): (X, X, X), trips: impl Lift<i32>) -> X {
    let first: [X; N] = std::array::from_fn(|n| (x * (n as f64 * 0.3 + 1.0)).sin() + y);
    let step = move |_, a: [X; N]| std::array::from_fn(|n| a[n] * a[(n + 1) % N] + z * 0.1);
    let last = iterate(trips, step, first);
    last[0] + last[N / 2] * x
}

fn alone<const N: usize>(x: X) -> X {
    mixed::<N>((x, constant(0.25), constant(0.5)), 4)
}

fn triples(v: Vector) -> Acc<Ix1, (f64, f64, f64)> {
    v.map(|x| (x, x * 0.5 - 0.2, x * x))
}

/// Asserts that every engine gives the gradient of `of` and that gradient's, and that they are what differences of values say.
fn is_right<F: Fn(Vector) -> Vector + Copy + 'static>(of: F) {
    let sum = move |v: Vector| of(v).sum();
    let first = move |v: Vector| value_and_gradient_a(sum, v);
    let second =
        move |v: Vector| gradient_a(move |v: Vector| (gradient_a(sum, v) * of(v)).sum(), v);
    for n in [0, 1, 70] {
        agree(first, vector(numbers(n, 3)), 1.0);
    }
    agree(second, vector(numbers(5, 3)), 1.0);
    let points = || [4, 5, 6].map(|seed| vector(numbers(5, seed)));
    all_agree_between_jumps(sum, points());
    all_agree_between_jumps(
        move |v: Vector| (gradient_a(sum, v) * of(v)).sum(),
        points(),
    );
}

#[test]
fn one_parameter() {
    is_right(|v: Vector| v.map(alone::<3>));
    is_right(|v: Vector| v.map(alone::<8>));
    is_right(|v: Vector| v.map(|x| gradient_e(alone::<9>, x)));
    is_right(|v: Vector| v.map(|x| gradient_e(|x| gradient_e(alone::<20>, x), x)));
}

#[test]
fn several_parameters_and_results() {
    is_right(|v: Vector| triples(v).map(|t| mixed::<12>(t, 3)));
    is_right(|v: Vector| {
        let both = triples(v).map(|t| (mixed::<5>(t, 2), t.0 * mixed::<6>(t, 3)));
        both.map(|(a, b)| a * b)
    });
    is_right(|v: Vector| {
        let gradient = triples(v).map(|t| gradient_e(|t| mixed::<12>(t, 3), t));
        gradient.map(|(a, b, c)| a + b * c)
    });
}

/// What is read outside of the loop is like a parameter; what is read in a branch is not.
#[test]
fn elements_for_parameters() {
    let neighbours = |v: Vector, i: Exp<i32>| {
        let next = v.at(ix![cond(i.gt(0), i - 1, i)]);
        (v.at(ix![i]), next, v.at(ix![i / 2]))
    };
    is_right(move |v: Vector| generate(v.shape(), |ix![i]| mixed::<12>(neighbours(v, i), i % 4)));
    is_right(move |v: Vector| {
        v.map(|x| {
            let y = cond(x.gt(0.1), x * v.at(ix![0]), 0.5);
            mixed::<12>((x, y, v.at(ix![0])), 3)
        })
    });
}

/// Those that all trips read are like parameters, too, where there are trips.
#[test]
fn elements_that_all_trips_read() {
    is_right(|v: Vector| {
        let of = |x: X, i: Exp<i32>| {
            let step = |_, a: [X; 9]| {
                let next = |n: usize| a[n] * v.at(ix![i / 2]) + a[(n + 1) % 9] * v.at(ix![i]).sin();
                std::array::from_fn(next)
            };
            iterate(i % 4, step, std::array::from_fn(|n| x * n as f64))[3]
        };
        generate(v.shape(), |ix![i]| of(v.at(ix![i]), i))
    });
}

/// Trips that states count, and none; loops in branches, and branches in loops.
#[test]
fn loops_of_every_kind() {
    is_right(|v: Vector| triples(v).map(|t| mixed::<9>(t, 0)));
    is_right(|v: Vector| triples(v).map(|t| cond(t.0.gt(0.0), mixed::<9>(t, 2), t.1 * t.2)));
    is_right(|v: Vector| {
        let step = |_, a: [X; 9]| {
            let next =
                std::array::from_fn(|n| cond(a[n].gt(a[(n + 1) % 9]), a[n] * 0.9, a[n].cos()));
            iterate(
                2,
                |_, a: [X; 9]| std::array::from_fn(|n| a[n] * a[(n + 2) % 9]),
                next,
            )
        };
        let goes_on = |a: [X; 9]| a[0].lt(5.0);
        v.map(|x| iterate_while(4, goes_on, step, std::array::from_fn(|n| x + n as f64))[3])
    });
}

/// Partial derivatives are of the types of the parameters, and integers have none.
#[test]
fn parameters_of_several_types() {
    let of = |(x, y, k): (Exp<f32>, X, Exp<i32>)| {
        let first: [X; 6] = std::array::from_fn(|n| x.to_f64() * n as f64 + y);
        let last = iterate(
            3,
            move |_, a: [X; 6]| std::array::from_fn(|n| a[n] * a[5 - n] * 0.5),
            first,
        );
        last[2] * k.to_f64()
    };
    let program = |v: Vector| {
        v.map(|y| gradient_e(of, (y.to_f32() * 0.5, y, constant(3))))
            .map(|(x, y, _)| (x, y))
    };
    agree(program, vector(numbers(9, 5)), 1.0);
}

/// Where a root's derivative is infinite but nothing depends on it, it is zero.
#[test]
fn poles_that_nothing_depends_on() {
    let of = |x: X| {
        let last = iterate(
            3,
            |_, a: [X; 6]| std::array::from_fn(|n| a[n] * a[(n + 1) % 6]),
            std::array::from_fn(|n| x.sqrt() * n as f64),
        );
        cond(x.gt(0.0), last[0] + x, x * 2.0)
    };
    let gradient = compile(|v: Vector| gradient_a(|v: Vector| v.map(of).sum(), v)).unwrap();
    let input = || vector(vec![0.0, 1.0]);
    let expected = gradient.interpret(input()).unwrap().to_vec();
    assert_eq!(expected[0], 2.0);
    agree(|v: Vector| v.map(|x| gradient_e(of, x)), input(), 1.0);
}

/// The most scalars that a loop in the code of a program carries.
fn carried<M, F: AccFn<M>>(f: F) -> usize {
    let traced = trace(f).unwrap();
    let program = label(&recover(&traced.graph, &traced.lambda).unwrap());
    let inputs = vec![HostArray::new(vec![1], vec![0.5].into()).unwrap()];
    let schedule = Stages::new(&Case { program, inputs }).fused().unwrap();
    assert!(steps::all(&schedule.steps).all(|step| !matches!(step, Step::Repeat(_))));
    let kernels = steps::all(&schedule.steps).filter_map(Step::as_kernel);
    let loops = kernels.flat_map(|kernel| kernel.body().iter());
    let carried = loops.filter_map(|(_, inst)| Some(inst.op.as_loop()?.init.len()));
    carried.max().unwrap()
}

/// Each derivative by one parameter carries a tangent beside each value.
#[test]
fn derivatives_carry_tangents_of_parameters_alone() {
    assert_eq!(carried(|v: Vector| v.map(alone::<20>)), 20);
    assert_eq!(
        carried(|v: Vector| v.map(|x| gradient_e(alone::<20>, x))),
        40
    );
    let first = |v: Vector| gradient_a(|v: Vector| v.map(alone::<20>).sum(), v);
    assert_eq!(carried(first), 40);
    assert!(carried(|v: Vector| v.map(|x| gradient_e(|x| gradient_e(alone::<20>, x), x))) <= 80);
    assert!(carried(move |v: Vector| gradient_a(move |v: Vector| first(v).sum(), v)) <= 80);
    let of_three = |v: Vector| triples(v).map(|t| mixed::<20>(t, 3)).sum();
    assert_eq!(carried(move |v: Vector| gradient_a(of_three, v)), 80);
}
