//! Arrays `[T; N]` that loops within loops read and overwrite entry by entry: they go on with what the loop around holds, so that a trip around
//! costs what is touched.

use super::entries::{agree, are_right, fused, lanes};
use cotangent::prelude::*;
use cotangent_core::schedule::{Body, Loop, Step, steps};
use cotangent_core::surface::AccFn;

type Vector = Acc<Ix1, f64>;

/// The largest value of things of some weights that fit: after each of them, what is best for each capacity.
fn packed<const N: usize>(x: Exp<f64>, lane: Exp<i32>) -> Exp<f64> {
    let thing = move |k: Exp<i32>, best: [Exp<f64>; N]| {
        let (weight, value) = ((k * 3 + lane) % 4 + 1, (x * k.to_f64()).cos() + 1.0);
        let fits = move |n: Exp<i32>, best: [Exp<f64>; N]| {
            let at = N as i32 - 1 - n;
            best.with_entry(at, best.entry(at).max(best.entry(at - weight) + value))
        };
        iterate(N as i32 - weight, fits, best)
    };
    iterate(6, thing, [x * 0.0; N]).entry(N as i32 - 1 - lane % 3)
}

/// The sieve of Eratosthenes: the sum of what it leaves, and of how often each number was struck out.
fn sieved<const N: usize>(x: Exp<f64>, lane: Exp<i32>) -> Exp<f64> {
    let strike = move |k: Exp<i32>, struck: [Exp<i32>; N]| {
        let p = k + 2;
        let multiple = move |l: Exp<i32>, struck: [Exp<i32>; N]| {
            let at = p * (l + 2);
            struck.with_entry(at, struck.entry(at) + 1)
        };
        let others = iterate(N as i32 / p - 1, multiple, struck);
        cond::<[i32; N]>(struck.entry(p).lt(1).or(lane.gt(3)), others, struck)
    };
    let struck = iterate(N as i32 - 2, strike, [constant(0); N]);
    let each = struck.into_iter().enumerate();
    let sum = each.map(|(n, often)| often.to_f64() * (x + n as f64));
    sum.reduce(|a, b| a + b).unwrap()
}

/// Entries replaced before a loop within, in it, in one in that, and after, and versions read that came before.
fn layered<const N: usize>(x: Exp<f64>, lane: Exp<i32>) -> Exp<f64> {
    let outer = move |k: Exp<i32>, (sum, v): (Exp<f64>, [Exp<f64>; N])| {
        let first = v.entry(lane + k);
        let v = v.with_entry(k % 7, first * 0.5 + x);
        let middle = move |l: Exp<i32>, (sum, v): (Exp<f64>, [Exp<f64>; N])| {
            let inner = move |m: Exp<i32>, v: [Exp<f64>; N]| {
                v.with_entry(m + l, v.entry(k + m) * 0.75 + v.entry(l) * 0.125 + x)
            };
            let w = iterate((lane + l) % 3, inner, v);
            (sum + v.entry(l) * 0.25, w.with_entry(l, w[2] + sum * 0.125))
        };
        let (sum, w) = iterate((lane * 5 + k) % 4, middle, (sum, v));
        (
            sum * 0.5 + v.entry(k),
            w.with_entry(k + 1, w.entry(k) + first),
        )
    };
    let first = std::array::from_fn(|n| (x * (n as f64 + 0.7)).sin());
    let (sum, v) = iterate(7, outer, (x, first));
    sum + v.entry(lane % 11) + v[4]
}

/// A loop within looks for a place in what the loop around replaces; another one in what nobody does.
fn searched<const N: usize>(x: Exp<f64>, lane: Exp<i32>) -> Exp<f64> {
    let limits: [Exp<f64>; N] = std::array::from_fn(|n| x + n as f64 * 0.3);
    let step = move |k: Exp<i32>, v: [Exp<f64>; N]| {
        let key = (x * k.to_f64()).sin();
        let small = move |at: Exp<i32>| at.lt(N as i32 - 1).and(v.entry(at).lt(key));
        let place = while_(small, |_, at| at + 1, lane % 4);
        let below = move |at: Exp<i32>| at.lt(N as i32 - 1).and(limits.entry(at).lt(key + 1.0));
        let other = while_(below, |_, at| at + 1, constant(0));
        v.with_entry(place, key)
            .with_entry(other, key * 0.5 + v.entry(place))
    };
    let v = iterate(9, step, [x * 0.1; N]);
    v.entry(lane % N as i32) + v[1] + v.entry(3 - lane)
}

/// Loops within that cannot go on with what the loop around holds: what was before them is read where they say.
fn looked_back<const N: usize>(x: Exp<f64>, lane: Exp<i32>) -> Exp<f64> {
    let outer = move |k: Exp<i32>, v: [Exp<f64>; N]| {
        let inner = move |l: Exp<i32>, (at, w): (Exp<i32>, [Exp<f64>; N])| {
            (at + l, w.with_entry(at + k, w.entry(l) * 0.5 + x))
        };
        let (at, w) = iterate((lane + k) % 4, inner, (k % 3, v));
        w.with_entry(k, v.entry(at) + w.entry(at))
    };
    let first = std::array::from_fn(|n| (x * (n as f64 + 0.7)).sin());
    iterate(5, outer, first).entry(lane % N as i32)
}

/// As long as the largest entry is large, the loop within makes it smaller.
fn tested<const N: usize>(x: Exp<f64>, lane: Exp<i32>) -> Exp<f64> {
    let goes_on = move |(at, v): (Exp<i32>, [Exp<f64>; N])| v.entry(at).gt(0.125);
    let step = move |k: Exp<i32>, (at, v): (Exp<i32>, [Exp<f64>; N])| {
        let halved =
            move |l: Exp<i32>, v: [Exp<f64>; N]| v.with_entry(at + l, v.entry(at + l) * 0.5);
        ((at + k) % N as i32, iterate(lane % 4 + 1, halved, v))
    };
    let first = std::array::from_fn(|n| x * x + n as f64 * 0.1);
    let (at, v) = iterate_while(30, goes_on, step, (lane % N as i32, first));
    v.entry(at) + v.entry(at + 1) * 2.0
}

#[test]
fn values_in_every_engine() {
    agree(|v: Vector| lanes(v, packed::<17>));
    agree(|v: Vector| lanes(v, sieved::<20>));
    agree(|v: Vector| lanes(v, layered::<18>));
    agree(|v: Vector| lanes(v, layered::<11>));
    agree(|v: Vector| lanes(v, searched::<17>));
    agree(|v: Vector| lanes(v, looked_back::<17>));
    agree(|v: Vector| lanes(v, tested::<17>));
}

#[test]
fn derivatives() {
    are_right(layered::<9>);
    are_right(searched::<10>);
    are_right(looked_back::<9>);
    are_right(tested::<9>);
}

/// How many rows of loops in code are those of a loop around.
fn shared_in(body: &Body) -> usize {
    let of_loop = |of: &Loop| {
        let held = of.in_rows(9);
        let rows = held.iter().flat_map(|held| &held.rows);
        let own = rows.filter(|rows| rows.around(body).is_some()).count();
        let within = held.as_ref().map_or(of, |held| &held.of);
        own + shared_in(&within.region.body)
    };
    let loops = body.iter().filter_map(|(_, inst)| inst.op.as_loop());
    loops.map(of_loop).sum()
}

fn shared<M, F: AccFn<M>>(f: F) -> usize {
    let schedule = fused(f);
    let kernels = steps::all(&schedule.steps).filter_map(Step::as_kernel);
    kernels.map(|kernel| shared_in(kernel.body())).sum()
}

#[test]
fn loops_within_go_on_with_what_the_loop_around_holds() {
    assert_eq!(shared(|v: Vector| lanes(v, packed::<17>)), 1);
    assert_eq!(shared(|v: Vector| lanes(v, sieved::<20>)), 1);
    // The update before the loops within is a loop of one trip, too.
    assert_eq!(shared(|v: Vector| lanes(v, layered::<11>)), 3);
    assert_eq!(shared(|v: Vector| lanes(v, searched::<17>)), 2);
    assert_eq!(shared(|v: Vector| lanes(v, tested::<17>)), 1);
    assert_eq!(shared(|v: Vector| lanes(v, looked_back::<17>)), 0);
}
