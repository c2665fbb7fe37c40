//! Loops that update an array pay for what they touch, in every mode: values, derivatives once and twice, and how many bytes
//! kernels move, which are in proportion to the number of trips, not to that times the length of the array.

mod programs;

use super::vector;
use cotangent::prelude::*;
use cotangent::{Cpu, Program, compile};
use cotangent_tests::differences::all_agree;

type Vector = Acc<Ix1, f64>;
type Number = Acc<Z, f64>;

/// `x · sin x`.
fn bent(x: Exp<f64>) -> Exp<f64> {
    x * x.sin()
}

fn energy(v: Vector) -> Number {
    (v * v).sum()
}

/// How many bytes the kernels of a program move for a vector of so many elements, where that is known before the program runs, and
/// conditions do not say which of them run.
fn bytes<Out: Arrays>(program: &Program<Vector, Out>, n: usize) -> Option<u64> {
    let explanation = program.explain_for(&[&[n]]).unwrap();
    let kernels = explanation.kernels.iter();
    let bytes = kernels.map(|kernel| {
        let is_sure = kernel.conditions.is_empty();
        kernel.bytes.number().filter(|_| is_sure)
    });
    bytes.sum()
}

/// How many points the kernels in loops go over in a run. An extent that the data decides is that of a loop inside, a few trips.
fn points<Out: Arrays>(program: &Program<Vector, Out>, n: usize) -> u64 {
    let input = vector((0..n).map(|i| (i as f64 * 0.37).sin()).collect::<Vec<_>>());
    let explanation = program.explain_timed(&Cpu::default(), input).unwrap();
    let kernels = explanation.kernels.iter();
    let in_loops = kernels.filter(|kernel| !kernel.trips.is_empty());
    let points = in_loops.map(|kernel| {
        let sizes = kernel.sizes.iter().chain(&kernel.inner_sizes);
        let points: u64 = sizes.map(|size| size.number().unwrap_or(1)).product();
        kernel.time.map_or(0, |time| time.starts) * points
    });
    points.sum()
}

fn pays_for_what_it_touches<Out: Arrays>(what: &str, program: &Program<Vector, Out>) {
    let [few, many] = match (bytes(program, 1000), bytes(program, 8000)) {
        (Some(few), Some(many)) => [few, many],
        (None, _) | (_, None) => [100, 800].map(|n| points(program, n)),
    };
    // The number of trips inside may depend on the elements.
    assert!(0 < few && many < 12 * few, "{what}: {few}, then {many}");
}

/// Derivatives are right, and cost what they touch, once and twice.
fn pays_twice_differentiated(f: impl Fn(Vector) -> Number + Copy + 'static) {
    all_agree(f, vector([0.5, -1.0, 0.25, 1.5, 0.75]));
    pays_for_what_it_touches("value", &compile(f).unwrap());
    let gradient = move |v: Vector| gradient_a(f, v);
    pays_for_what_it_touches("reverse", &compile(gradient).unwrap());
    let second = move |v: Vector| gradient_a(move |v: Vector| energy(gradient(v)), v);
    pays_for_what_it_touches("second", &compile(second).unwrap());
}

/// Tests of loops: `name(trip, state) { step }`, of as many trips as the state has elements, less 3.
macro_rules! loops {
    ($($name:ident($trip:ident, $v:ident) $step:block)*) => {$(
        mod $name {
            use super::*;

            pub(super) fn step($trip: Exp<i32>, $v: Vector) -> Vector $step

            pub(super) fn of(v: Vector) -> Number {
                energy(aiterate(v.inner() - 3, step, v))
            }

            fn along(v: Vector) -> Vector {
                v.map(|x| (x * 7.0).cos())
            }

            #[test]
            fn values_and_derivatives() {
                let input = || vector([0.53, -1.07, 0.27, 1.53, 0.77, -0.13, 1.03, 0.33]);
                let program = compile(of).unwrap();
                let by_reference = program.interpret(input()).unwrap().item();
                let by_cpu = program.run(&Cpu::default(), input()).unwrap().item();
                assert!((by_cpu - by_reference).abs() <= 1e-14 * by_reference.abs());
                all_agree(of, input());
                all_agree(|v: Vector| (gradient_a(of, v) * along(v)).sum(), input());
            }

            #[test]
            fn cost() {
                pays_for_what_it_touches("value", &compile(of).unwrap());
                pays_for_what_it_touches("reverse", &compile(|v: Vector| gradient_a(of, v)).unwrap());
                let forward = |v: Vector| jvp_a(of, v, along(v)).1;
                pays_for_what_it_touches("forward", &compile(forward).unwrap());
                let second = |v: Vector| hvp_a(of, v, along(v));
                pays_for_what_it_touches("second", &compile(second).unwrap());
                let twice = |v: Vector| gradient_a(|v: Vector| energy(gradient_a(of, v)), v);
                pays_for_what_it_touches("reverse, twice", &compile(twice).unwrap());
            }
        }
    )*};
}

loops! {
    set(i, v) {
        v.set(ix![i + 1], v.at(ix![i + 1]) + bent(v.at(ix![i])))
    }

    add_at(i, v) {
        v.add_at(ix![i + 1], bent(v.at(ix![i])))
    }

    swapped(i, v) {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        v.set(ix![i + 1], x.sin()).set(ix![i], y)
    }

    slice(i, v) {
        let part = generate(ix![2], move |ix![k]| v.at(ix![i + k]).sin());
        v.update_slice(ix![i + 1], part)
    }

    where_it_holds(i, v) {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        acond(x.lt(y), v.set(ix![i + 1], y + bent(x)), v)
    }

    where_it_does_not(i, v) {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        acond(x.lt(y), v, v.set(ix![i + 1], y + bent(x)))
    }

    either_way(i, v) {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        acond(x.lt(y), v.set(ix![i], bent(y)).set(ix![i + 1], x), v.add_at(ix![i + 2], x * y))
    }

    nested(i, v) {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        let inner = acond(x.lt(0.3), v.set(ix![i + 1], bent(y)), v);
        acond(x.lt(y), inner, v.add_at(ix![i + 2], x))
    }

    then_more(i, v) {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        let v = acond(x.lt(y), v.set(ix![i + 1], bent(x)), v);
        v.add_at(ix![i + 2], x * y)
    }

    slice_where_it_holds(i, v) {
        let x = v.at(ix![i]);
        let part = generate(ix![2], move |ix![k]| v.at(ix![i + k]).sin());
        acond(x.lt(0.3), v.update_slice(ix![i + 1], part), v)
    }

    chosen_by_trip(i, v) {
        let j = (i * 7) % v.inner();
        v.set(ix![j], v.at(ix![j]) + bent(v.at(ix![i])))
    }

    chosen_by_state(i, v) {
        let x = v.at(ix![i]);
        let j = (x.abs() * 20.0).to::<i32>() % v.inner();
        v.set(ix![j], v.at(ix![j]) + bent(x) * 0.001)
    }

    chosen_at_no_cost(i, v) {
        let j = v.at(ix![i]).abs().to::<i32>();
        v.set(ix![j], v.at(ix![j]) + bent(v.at(ix![i])) * 0.1)
    }

    chosen_in_a_branch(i, v) {
        let x = v.at(ix![i]);
        let j = (x.abs() * 20.0).to::<i32>() % v.inner();
        acond(x.lt(0.3), v.set(ix![j], v.at(ix![j]) + bent(x) * 0.001), v)
    }

    moved_on(i, v) {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        let v = v.set(ix![i], x.sin());
        let v = v.set(ix![i + 1], v.at(ix![i + 1]) + x);
        v.set(ix![i + 2], v.at(ix![i + 2]) * x + y)
    }

    moved_slices(i, v) {
        let part = generate(ix![2], move |ix![k]| v.at(ix![i + k]).sin());
        let w = v.update_slice(ix![i + 1], part);
        let both = generate(ix![2], move |ix![k]| w.at(ix![i + k]) * v.at(ix![i + k]));
        w.update_slice(ix![i], both)
    }

    swept(i, v) {
        let x = v.at(ix![i + 1]);
        let sweep = move |k: Exp<i32>, v: Vector| v.set(ix![i + k], v.at(ix![i + k]) * x.cos());
        aiterate(2, sweep, v)
    }

    swept_where_it_holds(i, v) {
        let exchange = move |k: Exp<i32>, v: Vector| {
            let (x, y) = (v.at(ix![i + k]), v.at(ix![i + k + 1]));
            let exchanged = v.set(ix![i + k], y).set(ix![i + k + 1], x + bent(y) * 0.01);
            acond(x.gt(y), exchanged, v)
        };
        aiterate(2, exchange, v)
    }

    read_by_a_loop_inside(i, v) {
        let add = move |k: Exp<i32>, s: Number| unit(s.the() * 0.9 + bent(v.at(ix![i + k])));
        let s = aiterate(2, add, unit(0.1));
        v.set(ix![i], s.the().sin())
    }

    swept_by_a_key(i, v) {
        let key = v.at(ix![(i * 3) % v.inner()]);
        let sweep = move |k: Exp<i32>, v: Vector| {
            v.set(ix![i + k], bent(v.at(ix![i + k + 1])) * 0.9 + key * 0.1)
        };
        aiterate(2, sweep, v)
    }

    inserted(i, v) {
        let key = v.at(ix![i]);
        let is_behind = move |(v, j): (Vector, Acc<Z, i32>)| {
            let j = j.the();
            j.gt(0).and(j.gt(i - 3)).and(v.at(ix![j - 1]).gt(key))
        };
        let shift = |_: Exp<i32>, (v, j): (Vector, Acc<Z, i32>)| {
            (v.set(ix![j.the()], bent(v.at(ix![j.the() - 1]))), j.map(|j| j - 1))
        };
        let (v, j) = awhile(is_behind, shift, (v, unit(i)));
        v.set(ix![j.the()], key)
    }

    slice_where_data_says(i, v) {
        let at = (v.at(ix![i]).abs() * 20.0).to::<i32>() % (v.inner() - 2);
        let part = generate(ix![3], move |ix![k]| bent(v.at(ix![i + k])));
        v.update_slice(ix![at], part)
    }

    first_elements(i, v) {
        let part = generate(ix![3], move |ix![k]| bent(v.at(ix![k])));
        v.update_slice(ix![i], part)
    }

    one_after_the_other(i, v) {
        let before = v;
        let v = v.set(ix![i + 1], bent(v.at(ix![i])));
        v.set(ix![i + 2], v.at(ix![i + 1]) * before.at(ix![(i * 5) % v.inner()]))
    }

    summed_by_a_loop(i, v) {
        let add = move |k: Exp<i32>, s: Exp<f64>| s * 0.9 + v.at(ix![i + k]);
        v.set(ix![i + 1], bent(iterate(2, add, 0.1)))
    }

    parts_of_any_length(i, v) {
        let part = generate(ix![i % 4], move |ix![k]| bent(v.at(ix![i + k])));
        v.update_slice(ix![i], part)
    }

    any_length_in_a_branch(i, v) {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        let part = generate(ix![1 + i % 2], move |ix![k]| bent(v.at(ix![i + k])) * y);
        acond(x.lt(y), v.update_slice(ix![i + 1], part), v.set(ix![i], x.sin()))
    }

    any_length_in_a_loop(i, v) {
        let sweep = move |k: Exp<i32>, v: Vector| {
            let part = generate(ix![(i + k) % 3], move |ix![l]| v.at(ix![i + l]).sin());
            v.update_slice(ix![i + k], part)
        };
        aiterate(2, sweep, v)
    }

    many_to_few_places(i, v) {
        let part = generate(ix![40 + i % 2], move |ix![k]| bent(v.at(ix![(i + k) % v.inner()])));
        let place = move |k: Exp<i32>| ix![(i + k / 2) % v.inner()];
        part.permute(Combine::Overwrite, v, move |ix![k]| (k.ne_(2), place(k)))
    }

    sent_to_one_place(i, v) {
        let part = generate(ix![4], move |ix![k]| bent(v.at(ix![i + k % 3])));
        part.permute(Combine::Add, v, move |ix![k]| (true, ix![i + k / 2]))
    }

    overwritten_in_one_place(i, v) {
        let part = generate(ix![4], move |ix![k]| bent(v.at(ix![i + k % 3])));
        part.permute(Combine::Overwrite, v, move |ix![k]| (k.ne_(2), ix![i + k / 2]))
    }

    around_sweeps(i, v) {
        let v = v.set(ix![i + 1], bent(v.at(ix![i])));
        let add = move |k: Exp<i32>, v: Vector| v.add_at(ix![i + k], bent(v.at(ix![k])));
        let v = aiterate(i % 3, add, v);
        let y = v.at(ix![i + 2]);
        let v = v.add_at(ix![i], y * y * 0.5);
        let back = move |k: Exp<i32>, v: Vector| {
            let at = i + 2 - k;
            v.set(ix![at], v.at(ix![at - 1]) * y.sin())
        };
        let v = aiterate(2, back, v);
        v.set(ix![i], v.at(ix![i + 1]) * 0.5)
    }

    swept_then_set(i, v) {
        let v = aiterate(2, move |k, v: Vector| v.set(ix![i + k], bent(v.at(ix![i + k]))), v);
        v.set(ix![i], v.at(ix![i + 1]) * 0.5)
    }

    set_then_swept(i, v) {
        let v = v.set(ix![i], v.at(ix![i + 1]) * 0.5);
        aiterate(2, move |k, v: Vector| v.set(ix![i + k], bent(v.at(ix![i + k]))), v)
    }

    swept_twice(i, v) {
        let sweep = move |k: Exp<i32>, v: Vector| v.set(ix![i + k], bent(v.at(ix![i + k])));
        aiterate(2, sweep, aiterate(3, sweep, v))
    }

    sweeps_of_sweeps(i, v) {
        let middle = move |j: Exp<i32>, v: Vector| {
            let inner = move |k: Exp<i32>, v: Vector| v.add_at(ix![i], v.at(ix![k + 1]).sin());
            aiterate((i + j) % 3, inner, v.set(ix![j], bent(v.at(ix![j]))))
        };
        aiterate(2, middle, v)
    }

    swept_as_the_state_says(i, v) {
        let often = (v.at(ix![i]).abs() * 5.0).to::<i32>() % 3;
        let goes_on = move |v: Vector| v.at(ix![i]).abs().gt(0.1);
        let add = move |k: Exp<i32>, v: Vector| v.add_at(ix![i + k], bent(v.at(ix![i + 1])));
        aiterate_while(often, goes_on, add, v)
    }

    made_new_once(i, v) {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        acond(i.eq_(1), v.map(|x| bent(x) + 0.3), v.set(ix![i + 1], y + bent(x)))
    }

    set_or_made_new(i, v) {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        let w = v.add_at(ix![i + 2], x * y);
        let is_now = i.eq_(0).or(i.eq_(3));
        acond(!is_now, w.set(ix![i + 1], y + bent(x)), generate(ix![v.inner()], move |ix![k]| w.at(ix![k]) * x))
    }

    long_sweeps(i, v) {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        let sweep = move |k: Exp<i32>, v: Vector| v.set(ix![i + k % 3], y + bent(x));
        aiterate(30, sweep, v).set(ix![i], x.sin())
    }

    swept_in_a_branch(i, v) {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        let sweep = move |k: Exp<i32>, v: Vector| v.set(ix![i + k], y + bent(x));
        acond(x.lt(y), aiterate(2, sweep, v), v.set(ix![i], x.sin()))
    }
}

/// What the way back of a trip passes is not made once more for what reads it: the trip would keep what that overwrites, too.
#[test]
fn what_is_passed_is_not_kept_twice() {
    let twice = |v: Vector| gradient_a(|v: Vector| energy(gradient_a(long_sweeps::of, v)), v);
    let (n, cpu) = (300, Cpu::builder().threads(1).build().unwrap());
    let input = vector((0..n).map(|i| (i as f64 * 0.37).sin()).collect::<Vec<_>>());
    let program = compile(twice).unwrap();
    let (_, measures) = program.run_measured(&cpu, input).unwrap();
    let trips_inside = 30 * (n - 3);
    let peak = measures.peak_bytes;
    assert!(peak < 5 * 8 * trips_inside, "five numbers each: {peak}");
}
