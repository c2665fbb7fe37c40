//! Arrays `[T; N]` of many entries that loops read and overwrite entry by entry, at positions that the program computes: every mode, and what a
//! trip costs, which does not grow with N.

use super::{agrees, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use cotangent_core::host::HostArray;
use cotangent_core::label::label;
use cotangent_core::recover::recover;
use cotangent_core::schedule::{Checked, Schedule, Step, steps};
use cotangent_core::surface::AccFn;
use cotangent_tests::differences::all_agree_between_jumps;
use cotangent_tests::engines::Stages;
use cotangent_tests::generate::Case;

type Vector = Acc<Ix1, f64>;
type Number = Acc<Z, f64>;

fn weighted<const N: usize>(entries: [Exp<f64>; N]) -> Exp<f64> {
    let each = entries.into_iter().enumerate();
    each.map(|(n, y)| y * (1.0 + n as f64))
        .reduce(|a, b| a + b)
        .unwrap()
}

/// A trip replaces one entry, read at another position; some positions are out of range, and some are those of the trip before.
fn replaced<const N: usize>(x: Exp<f64>, lane: Exp<i32>, trips: impl Lift<i32>) -> Exp<f64> {
    let step = move |k: Exp<i32>, v: [Exp<f64>; N]| {
        let to = (lane + k * 3) % (N as i32 + 2) - 1;
        let from = (lane * 2 + k * 5) % (N as i32 + 3) - 1;
        v.with_entry(to, (v.entry(from) + x).sin())
    };
    let first = std::array::from_fn(|n| x * (n as f64 * 0.1));
    weighted(iterate(trips, step, first))
}

/// Two entries change places, and what is read after the first update is what it wrote.
fn swapped<const N: usize>(x: Exp<f64>, lane: Exp<i32>) -> Exp<f64> {
    let step = move |k: Exp<i32>, v: [Exp<f64>; N]| {
        let (i, j) = ((lane + k) % N as i32, (lane * 3 + k * 2) % N as i32);
        let kept = v.entry(i);
        let v = v.with_entry(i, v.entry(j).cos());
        v.with_entry(j, kept + v.entry(i) * x)
    };
    let first = std::array::from_fn(|n| x + n as f64 * 0.2);
    iterate(7, step, first).entry(lane)
}

/// Entries of an array from outside the loop, some of which are numbers; some positions are out of range.
fn looked_up<const N: usize>(x: Exp<f64>, lane: Exp<i32>, trips: impl Lift<i32>) -> Exp<f64> {
    let table: [Exp<f64>; N] = std::array::from_fn(|n| match n % 3 {
        0 => constant(0.1 * n as f64),
        _ => (x * n as f64).cos(),
    });
    let step = move |k: Exp<i32>, y: Exp<f64>| {
        let at = (lane * 2 + k * 5) % (N as i32 + 3) - 1;
        (y + table.entry(at) * x).sin() + table.entry(k) + table[1]
    };
    iterate(trips, step, x)
}

/// The trips of a loop inside look up what the one around it replaces.
fn looked_up_inside<const N: usize>(x: Exp<f64>, lane: Exp<i32>) -> Exp<f64> {
    let step = move |k: Exp<i32>, v: [Exp<f64>; N]| {
        let inner = move |l: Exp<i32>, y: Exp<f64>| (y + v.entry(lane + k + l)).sin();
        let y = iterate(lane % 3 + k, inner, x);
        v.with_entry((lane + k * 2) % N as i32, y)
    };
    weighted(iterate(5, step, [x; N]))
}

/// As long as an entry is small; another array and a number are carried, too, and entries are read by their numbers.
fn until<const N: usize>(x: Exp<f64>, lane: Exp<i32>) -> Exp<f64> {
    let first = (
        x,
        std::array::from_fn(|_| x * 0.3),
        std::array::from_fn(|n| lane + n as i32),
    );
    let goes_on = |(sum, v, _): (Exp<f64>, [Exp<f64>; N], [Exp<i32>; N])| {
        (sum * sum).lt(9.0).and(v.entry(lane).lt(1.5))
    };
    let step = move |k: Exp<i32>, (sum, v, n): (Exp<f64>, [Exp<f64>; N], [Exp<i32>; N])| {
        let at = n.entry(k) % N as i32;
        let v = v.with_entry(at, v[1] + x * 0.4 + v.entry(at) * v.entry(k));
        (sum + v[2] * v.entry(k + 1), v, n.with_entry(at, k))
    };
    let (sum, v, n) = iterate_while(20, goes_on, step, first);
    sum * v.entry(n[3] % N as i32)
}

pub(super) fn lanes(v: Vector, of: impl Fn(Exp<f64>, Exp<i32>) -> Exp<f64>) -> Vector {
    generate(v.shape(), |ix![i]| of(v.at(ix![i]), i))
}

fn along(v: Vector) -> Vector {
    v.map(|x| (x * 7.0).cos())
}

/// The same for numbers that depend on more elements than the loops that they are part of are differentiated forwards by: such
/// loops become loops of arrays.
fn lanes_of_many(v: Vector, of: impl Fn(Exp<f64>, Exp<i32>) -> Exp<f64>) -> Vector {
    generate(v.shape(), |ix![i]| {
        let Snoc(Z, n) = v.shape();
        let part = |d: i32| v.at(ix![(i + d) % n]) * (0.6 / (1.0 + f64::from(d)));
        of((0..5).map(part).reduce(|a, b| a + b).unwrap(), i)
    })
}

pub(super) fn are_right(of: impl Fn(Exp<f64>, Exp<i32>) -> Exp<f64> + Copy) {
    is_right(move |v: Vector| lanes(v, of).sum());
    is_right(move |v: Vector| lanes_of_many(v, of).sum());
}

fn is_right(of: impl Fn(Vector) -> Number + Copy) {
    let input = || vector([0.5, -1.0, 0.25, 1.5, 0.75]);
    let program = compile(of).unwrap();
    let by_reference = program.interpret(input()).unwrap().item();
    let by_cpu = program.run(&Cpu::default(), input()).unwrap().item();
    assert!((by_cpu - by_reference).abs() <= 1e-13 * by_reference.abs());
    let points = || {
        [
            input(),
            vector([0.53, -1.07, 0.27, 1.53, 0.77]),
            vector([-0.7, 0.33, 1.21, 0.9, -0.2]),
        ]
    };
    all_agree_between_jumps(of, points());
    all_agree_between_jumps(|v: Vector| (gradient_a(of, v) * along(v)).sum(), points());
    let empty = compile(|v: Vector| gradient_a(of, v)).unwrap();
    assert!(empty.run(&Cpu::default(), vector([])).unwrap().is_empty());
}

#[test]
fn entries_that_are_replaced() {
    are_right(|x, i| replaced::<17>(x, i, 6));
    are_right(|x, i| replaced::<20>(x, i, i * 4));
}

/// A trip replaces so many entries that what compiles it in a time that doubles with each of them does not end.
#[test]
fn entries_that_are_replaced_in_a_long_row() {
    let many = |x: Exp<f64>, lane: Exp<i32>| {
        let step = move |k: Exp<i32>, v: [Exp<f64>; 9]| {
            let replaced = |v: [Exp<f64>; 9], n: i32| {
                let at = (lane + k + n * 2) % 9;
                v.with_entry(at, (v.entry(at) + v.entry(at + 1) * x).sin())
            };
            (0..30).fold(v, replaced)
        };
        weighted(iterate(2, step, [x; 9]))
    };
    let of = move |v: Vector| lanes(v, many).sum();
    let input = || vector([0.5, -1.0]);
    let second = move |v: Vector| hvp_a(of, v, along(v));
    let expected = compile(second)
        .unwrap()
        .interpret(input())
        .unwrap()
        .to_vec();
    let found = compile(second)
        .unwrap()
        .run(&Cpu::default(), input())
        .unwrap();
    for (found, expected) in found.to_vec().into_iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-10 * expected.abs());
    }
}

#[test]
fn entries_that_change_places() {
    are_right(swapped::<18>);
}

#[test]
fn entries_that_a_test_reads() {
    are_right(until::<19>);
}

#[test]
fn entries_that_are_only_read() {
    are_right(|x, i| looked_up::<9>(x, i, i * 2));
    are_right(|x, i| looked_up::<20>(x, i, 7));
    is_right(|v: Vector| v.sum().map(|x| looked_up::<17>(x, constant(2), 9)));
    are_right(looked_up_inside::<10>);
}

#[test]
fn entries_in_a_branch_and_at_one_point() {
    let in_branch = |x: Exp<f64>, i: Exp<i32>| cond(x.gt(0.3), replaced::<17>(x, i, 5), x * x);
    are_right(in_branch);
    is_right(|v: Vector| v.sum().map(|x| replaced::<17>(x, constant(2), 9)));
}

#[test]
fn entries_of_singles() {
    let of = |v: Acc<Ix2, f32>| {
        let each = v.map(|x| {
            let step = move |k: Exp<i32>, v: [Exp<f32>; 24]| {
                v.with_entry(k % 24, v.entry(k % 5) * x + 1.0)
            };
            iterate(30, step, [x; 24]).entry(6)
        });
        each.sum_all()
    };
    let gradient = compile(|v: Acc<Ix2, f32>| gradient_a(of, v)).unwrap();
    let input = Array::from_fn([3, 4], |[i, j]| 0.1 * (i * 4 + j) as f32 - 0.5).unwrap();
    let expected = gradient.interpret(input.clone()).unwrap().to_vec();
    let found = gradient.run(&Cpu::default(), input).unwrap().to_vec();
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-5 * expected.abs().max(1.0));
    }
}

/// The bytes that kernels in loops of a gradient move.
fn bytes<const N: usize>() -> u64 {
    let of = |v: Vector| lanes_of_many(v, |x, i| replaced::<N>(x, i, 100)).sum();
    let gradient = compile(|v: Vector| gradient_a(of, v)).unwrap();
    let explanation = gradient.explain_for(&[&[1000]]).unwrap();
    let kernels = explanation.kernels.iter();
    let in_loops = kernels.filter(|kernel| !kernel.trips.is_empty());
    in_loops.map(|kernel| kernel.bytes.number().unwrap()).sum()
}

#[test]
fn a_trip_costs_what_it_touches() {
    let [few, many] = [bytes::<8>(), bytes::<64>()];
    assert!(0 < few && many <= few + few / 10, "{few}, then {many}");
}

/// Entries that are replaced in branches, and by their numbers, and read in between.
fn branches<const N: usize>(x: Exp<f64>, lane: Exp<i32>, trips: Exp<i32>) -> Exp<f64> {
    let step = move |k: Exp<i32>, v: [Exp<f64>; N]| {
        let (i, j) = (
            (lane + k) % N as i32,
            (lane * 3 + k * 2) % (N as i32 + 2) - 1,
        );
        let mut v = cond::<[f64; N]>(
            (i + k).lt(j * 2),
            v.with_entry(i, v.entry(j) * 0.5 + x).with_entry(j, x),
            v.with_entry(j, v.entry(k) - x),
        );
        v[3] = v.entry(i) * 0.25;
        v.with_entry(k, v[3] + v[0])
    };
    let first = std::array::from_fn(|n| x * (n as f64 * 0.1));
    weighted(iterate(trips, step, first))
}

/// Asserts that every engine gives what the interpreter gives, for no lanes, for one, and for so many that those which go on move
/// together.
pub(super) fn agree<M, F: AccFn<M> + Copy>(f: F) {
    for lanes in [0, 1, 7, 300] {
        let x = (0..lanes).map(|i| (i * 37 % 64) as f64 / 32.0 - 1.0);
        agrees(f, vec![x.collect::<Vec<_>>().into()]);
    }
}

/// Two entries that are the same for all lanes change places, as they are.
fn exchanged<const N: usize>(x: Exp<f64>, lane: Exp<i32>) -> Exp<f64> {
    let step = move |k: Exp<i32>, v: [Exp<f64>; N]| {
        let (i, j) = (k % N as i32, (k * 2 + 1) % N as i32);
        v.with_entry(i, v.entry(j)).with_entry(j, v.entry(i))
    };
    let first = std::array::from_fn(|n| x + n as f64);
    iterate(9, step, first).entry(lane % N as i32)
}

/// A trip puts two neighbours in order: the first of them is never the last entry, and the second never the first.
fn neighbours<const N: usize>(x: Exp<f64>) -> [Exp<f64>; N] {
    let first = std::array::from_fn(|n| (x * (n as f64 + 0.7)).sin());
    iterate(
        N as i32 - 1,
        move |k, v: [Exp<f64>; N]| ordered(v, k),
        first,
    )
}

fn ordered<const N: usize>(v: [Exp<f64>; N], k: Exp<i32>) -> [Exp<f64>; N] {
    let (a, b) = (v.entry(k), v.entry(k + 1));
    v.with_entry(k, a.min(b)).with_entry(k + 1, a.max(b))
}

/// A bubble sort.
fn bubbled<const N: usize>(x: Exp<f64>, _: Exp<i32>) -> Exp<f64> {
    let sweep = |k: Exp<i32>, v: [Exp<f64>; N]| {
        iterate(N as i32 - 1 - k, |l, v: [Exp<f64>; N]| ordered(v, l), v)
    };
    weighted(iterate(N as i32 - 1, sweep, neighbours::<N>(x)))
}

/// An insertion sort.
fn inserted<const N: usize>(x: Exp<f64>, _: Exp<i32>) -> Exp<f64> {
    let insert = |k: Exp<i32>, v: [Exp<f64>; N]| {
        let key = v.entry(k);
        let is_behind =
            move |(v, j): ([Exp<f64>; N], Exp<i32>)| j.gt(0).and(v.entry(j - 1).gt(key));
        let shift = |_, (v, j): ([Exp<f64>; N], Exp<i32>)| (v.with_entry(j, v.entry(j - 1)), j - 1);
        let (v, j) = while_(is_behind, shift, (v, k));
        v.with_entry(j, key)
    };
    let first = std::array::from_fn(|n| (x * (n as f64 + 0.7)).sin());
    weighted(iterate(N as i32, insert, first))
}

#[test]
fn sorts_are_right() {
    are_right(bubbled::<12>);
    are_right(inserted::<12>);
    assert_eq!(
        held(|v: Vector| v.map(|x| weighted(neighbours::<10>(x)))),
        [(10, 2)]
    );
    let sorted =
        compile(|v: Vector| v.map(|x| (bubbled::<20>(x, x.to()), inserted::<20>(x, x.to()))));
    let found = sorted
        .unwrap()
        .run(&Cpu::default(), vector([0.3, -1.0, 2.0]));
    for (x, (bubbled, inserted)) in [0.3, -1.0, 2.0].into_iter().zip(found.unwrap().to_vec()) {
        let mut entries: Vec<f64> = (0..20)
            .map(|n| f64::sin(x * (f64::from(n) + 0.7)))
            .collect();
        entries.sort_by(f64::total_cmp);
        let weights = 1..;
        let expected: f64 = entries
            .iter()
            .zip(weights)
            .map(|(x, n)| x * f64::from(n))
            .sum();
        assert!(
            (bubbled - expected).abs() < 1e-12 * 210.0,
            "{bubbled} {expected}"
        );
        assert!(
            (inserted - expected).abs() < 1e-12 * 210.0,
            "{inserted} {expected}"
        );
    }
}

#[test]
fn values_in_every_engine() {
    agree(|v: Vector| lanes(v, bubbled::<9>));
    agree(|v: Vector| lanes(v, bubbled::<18>));
    agree(|v: Vector| lanes(v, inserted::<18>));
    agree(|v: Vector| lanes(v, exchanged::<11>));
    agree(|v: Vector| lanes(v, |x, i| replaced::<9>(x, i, i % 13)));
    agree(|v: Vector| lanes(v, |x, i| replaced::<33>(x, i, 20)));
    agree(|v: Vector| lanes(v, swapped::<18>));
    agree(|v: Vector| lanes(v, until::<19>));
    agree(|v: Vector| lanes(v, |x, i| branches::<24>(x, i, i % 7)));
    agree(|v: Vector| lanes(v, |x, i| branches::<10>(x, i, constant(5))));
    agree(|v: Vector| lanes(v, |x, i| looked_up::<9>(x, i, i % 13)));
    agree(|v: Vector| lanes(v, |x, i| looked_up::<33>(x, i, 20)));
    agree(|v: Vector| lanes(v, looked_up_inside::<18>));
}

/// The schedule of a program on a vector.
pub(super) fn fused<M, F: AccFn<M>>(f: F) -> Checked<Schedule> {
    let traced = trace(f).unwrap();
    let program = label(&recover(&traced.graph, &traced.lambda).unwrap());
    let inputs = vec![HostArray::new(vec![1], vec![0.5].into()).unwrap()];
    Stages::new(&Case { program, inputs }).fused().unwrap()
}

/// For each array that the loops of a program hold in rows, its entries and what a trip replaces.
fn held<M, F: AccFn<M>>(f: F) -> Vec<(usize, usize)> {
    let schedule = fused(f);
    let kernels = steps::all(&schedule.steps).filter_map(Step::as_kernel);
    let loops = kernels.flat_map(|kernel| kernel.body().iter());
    let loops = loops.filter_map(|(_, inst)| inst.op.as_loop()?.in_rows(9));
    let rows = loops.flat_map(|held| held.rows);
    rows.map(|rows| (rows.init.len(), rows.updates.len()))
        .collect()
}

#[test]
fn tangents_are_held_as_values_are() {
    let of = |v: Vector| lanes(v, |x, i| replaced::<33>(x, i, 20));
    assert_eq!(held(of), [(33, 1)]);
    assert_eq!(held(|v: Vector| jvp_a(of, v, along(v)).1), [(33, 1); 2]);
    let of = |v: Vector| lanes(v, |x, i| looked_up::<33>(x, i, 40));
    assert_eq!(held(of), [(33, 0)]);
    assert_eq!(held(|v: Vector| jvp_a(of, v, along(v)).1), [(33, 0); 2]);
}

/// A loop with an array of each type, of which a trip replaces entries at one place for all lanes, and at their own.
fn of_type<T: Scalar>(x: Exp<T>, other: Exp<T>, lane: Exp<i32>) -> Exp<T> {
    let step = move |k: Exp<i32>, v: [Exp<T>; 17]| {
        let v = v.with_entry(k * 2, v.entry(lane % 17));
        v.with_entry((lane + k) % 19 - 1, other)
    };
    iterate(8, step, [x; 17]).entry(lane * 5 % 17)
}

#[test]
fn entries_of_every_type() {
    fn converted<T: Scalar>(as_t: impl Fn(Exp<i32>) -> Exp<T>, v: Vector) -> Acc<Ix1, T> {
        generate(v.shape(), |ix![i]| of_type(as_t(i % 3), as_t(i + 7), i))
    }
    agree(|v: Vector| converted(|i| i.gt(8), v));
    agree(|v: Vector| converted(|i| i, v));
    agree(|v: Vector| converted(|i| i.to_f32(), v));
    agree(|v: Vector| converted(|i| i.to_i64(), v));
}

#[test]
fn entries_of_every_type_that_are_only_read() {
    fn converted<T: Scalar>(as_t: impl Fn(Exp<i32>) -> Exp<T>, v: Vector) -> Acc<Ix1, T> {
        generate(v.shape(), |ix![i]| {
            let table: [Exp<T>; 18] = std::array::from_fn(|n| as_t(i % 7 + n as i32));
            iterate(
                4,
                move |k: Exp<i32>, _: Exp<T>| table.entry((i + k * 5) % 20 - 1),
                table[0],
            )
        })
    }
    agree(|v: Vector| converted(|i| i.gt(8), v));
    agree(|v: Vector| converted(|i| i, v));
    agree(|v: Vector| converted(|i| i.to_f32(), v));
    agree(|v: Vector| converted(|i| i.to_i64(), v));
}

#[test]
fn entries_are_inside_of_loops_inside() {
    let nested = |x: Exp<f64>, lane: Exp<i32>| {
        let outer = move |k: Exp<i32>, v: [Exp<f64>; 12]| {
            let inner = move |l: Exp<i32>, (sum, v): (Exp<f64>, [Exp<f64>; 12])| {
                let sum = sum + v.entry(l);
                (sum, v.with_entry(lane + l - k, sum * 0.5))
            };
            let (sum, v) = iterate(lane % 4 + k, inner, (x, v));
            v.with_entry(k, sum)
        };
        iterate(6, outer, [x; 12]).entry(lane % 12)
    };
    agree(move |v: Vector| lanes(v, nested));
}
