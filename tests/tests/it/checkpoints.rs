//! Loops whose derivatives make states again: the same on every engine, in the memory that was asked for.

use crate::loop_gradients::{agree, numbers};
use cotangent::prelude::*;
use cotangent::{Cpu, Program, compile};

type Vector = Acc<Ix1, f64>;
type Planets = (Vector, Vector);

fn vector(x: Vec<f64>) -> Array<Ix1, f64> {
    Array::vector(x).unwrap()
}

/// A step of which the derivative needs the state, and whose elements need each other.
fn mixed(k: Exp<i32>, c: Vector, x: Vector) -> Vector {
    let beside = x.roll(ix![1]);
    let sum = x.zip_with(beside, |x, y| x + 0.5 * y);
    sum.zip_with(c, |x, c| (x * c + 1e-3 * k.to_f64()).sin())
}

/// The gradient of a loop by its constants and its first state.
fn gradient(
    f: impl Fn(Vector, Vector) -> Vector + Copy + 'static,
) -> impl Fn(Vector, Vector) -> (Vector, Vector) + Copy {
    move |c, x| {
        let loss = |(c, x): (Vector, Vector)| f(c, x).map(|x| x * x).sum();
        gradient_a(loss, (c, x))
    }
}

#[test]
fn checkpoints_on_every_engine() {
    for (trips, slots) in [(0, 3), (1, 3), (12, 7), (30, 2), (9, 1)] {
        let loops = Checkpoints::Slots(slots);
        let f = move |c, x| loops.aiterate(trips, |k, x| mixed(k, c, x), x);
        let g = gradient(f);
        agree(
            move |c: Vector, x: Vector| g(c, x),
            (vector(numbers(5, 1)), vector(numbers(5, 2))),
            1.0,
        );
    }
}

/// Bodies on springs of different strengths to the origin, by leapfrog: positions and speeds.
fn leapfrog(trips: i32) -> impl Fn(Vector, Vector) -> Vector + Copy {
    let moved = |x: Vector, v: Vector, h: f64| x.zip_with(v, move |x, v| x + h * v);
    let pulled = |k: Vector, x: Vector, v: Vector, h: f64| {
        k.zip_with(x, move |k, x| -h * k * x)
            .zip_with(v, |f, v| v + f)
    };
    move |k, x| {
        let step = move |_, (x, v): Planets| {
            let v = pulled(k, x, v, 0.01);
            (moved(x, v, 0.01), v)
        };
        let inverse = move |_, (x, v): Planets| {
            let x = moved(x, v, -0.01);
            (x, pulled(k, x, v, -0.01))
        };
        let still = x.map(|_| 0.0);
        aiterate_reversible(trips, step, inverse, (x, still)).0
    }
}

#[test]
fn reversible_loops_on_every_engine() {
    for trips in [0, 1, 40] {
        let g = gradient(leapfrog(trips));
        agree(
            move |c: Vector, x: Vector| g(c, x),
            (vector(numbers(4, 1)), vector(numbers(4, 2))),
            1.0,
        );
    }
}

fn peak(program: &Program<(Vector, Vector), (Vector, Vector)>, width: usize) -> u64 {
    let cpu = Cpu::builder().threads(1).build().unwrap();
    let inputs = (vector(numbers(width, 1)), vector(numbers(width, 2)));
    let (_, measures) = program.run_measured(&cpu, inputs).unwrap();
    measures.peak_bytes
}

/// Slots hold states, and a trip needs a few arrays besides.
#[test]
fn checkpoints_take_the_slots_that_they_were_given() {
    let (width, trips) = (100, 2500);
    let state = 8 * width as u64;
    let stored = gradient(|c, x| aiterate(2500, |k, x| mixed(k, c, x), x));
    let stored = compile(move |c: Vector, x: Vector| stored(c, x)).unwrap();
    let all = peak(&stored, width);
    assert!(all > trips * state, "{} states", all / state);
    for (slots, at_most) in [(100, 112), (10, 22), (1, 12)] {
        let loops = Checkpoints::Slots(slots);
        let g = gradient(move |c, x| loops.aiterate(2500, |k, x| mixed(k, c, x), x));
        let program = compile(move |c: Vector, x: Vector| g(c, x)).unwrap();
        let found = peak(&program, width);
        assert!(
            found < at_most * state,
            "{slots} slots: {} states",
            found / state
        );
    }
}

#[test]
fn reversible_loops_take_no_memory_for_trips() {
    let bytes = |trips: i32| {
        let g = gradient(leapfrog(trips));
        peak(&compile(move |c: Vector, x: Vector| g(c, x)).unwrap(), 100)
    };
    let (few, many) = (bytes(10), bytes(3000));
    assert_eq!(few, many);
    assert!(many < 30 * 800, "{many}");
}

/// A function of several steps, each of which keeps an array of its own for the derivative.
fn layer(c: Vector, x: Vector) -> Vector {
    (0..5).fold(x, |x, k: i32| {
        let k = Lift::<i32>::lift(k);
        mixed(k, c, x)
    })
}

#[test]
fn what_a_function_computes_is_made_again() {
    let deep = |layer: fn(Vector, Vector) -> Vector| {
        let g = gradient(move |c, x| (0..6).fold(x, |x, _| layer(c, x)));
        compile(move |c: Vector, x: Vector| g(c, x)).unwrap()
    };
    let again = deep(|c, x| checkpoint(|x| layer(c, x), x));
    let (all, some) = (peak(&deep(layer), 1000), peak(&again, 1000));
    // All 30 states; or 6, and 5 of the function whose derivative is on the way.
    assert!(all > 29 * 8000, "{all}");
    assert!(some < 20 * 8000, "{some}");
    agree(
        |c: Vector, x: Vector| gradient(|c, x| checkpoint(|x| layer(c, x), x))(c, x),
        (vector(numbers(5, 1)), vector(numbers(5, 2))),
        1.0,
    );
}

/// How many trips there are is known only when the loop has run.
#[test]
fn checkpoints_of_loops_that_end_by_a_test() {
    let small = |x: Vector| x.map(|x| x * x).sum().the().lt(1e6);
    let grown =
        |c: Vector| move |_, x: Vector| x.zip_with(c, |x, c| x + 0.001 * (x * c).sin() + 0.5);
    let gradient_of = |loops: Checkpoints| gradient(move |c, x| loops.awhile(small, grown(c), x));
    let program = |loops| {
        let g = gradient_of(loops);
        compile(move |c: Vector, x: Vector| g(c, x)).unwrap()
    };
    let state = 800;
    assert!(peak(&program(Checkpoints::StoreAll), 100) > 190 * state);
    let few = peak(&program(Checkpoints::Slots(5)), 100);
    assert!(few < 20 * state, "{few}");
    let g = gradient_of(Checkpoints::Slots(5));
    agree(
        move |c: Vector, x: Vector| g(c, x),
        (vector(numbers(5, 1)), vector(numbers(5, 2))),
        1.0,
    );
}
