//! Loops in kernels that make more trips than a GPU may make in one dispatch: 65,535 in all end them without a word on old
//! drivers of Mesa. They go on in another dispatch, or are refused.

use super::loops::{GPU, exact, failed, vector};
use cotangent::prelude::*;
use cotangent::{Error, RunError, compile};
use cotangent_tests::skip::skipped;

type Ints = Acc<Ix1, i32>;

/// A step of a generator of random numbers, which depends on the number of the trip.
fn mixed(x: Exp<i32>, k: Exp<i32>) -> Exp<i32> {
    (x * 1_103 + k * 12_345 + 7) % 1_000_003
}

/// The numbers of trips of the elements.
fn trips() -> Array<Ix1, i32> {
    vector([0, 70_000, 1, -5, 200_001, 65_535, 47_999, 48_000, 24_000])
}

#[test]
fn loops_make_as_many_trips_as_they_are_to() {
    let counted = |v: Ints| v.map(|n| iterate(n, |k, x| mixed(x, k), n));
    exact(counted, trips());
    let constant = |v: Ints| v.map(|n| iterate(100_000, |k, x| mixed(x, k), n));
    exact(constant, vector([1, 2, 3]));
    // Several in one kernel, the trips of one the state of another, and what is captured.
    let several = |v: Ints| {
        v.map(|n| {
            let a = iterate(n, |k, x| mixed(x, k), n);
            let b = iterate(a % 90_000, |k, (x, y)| (y, mixed(x + n, k)), (a, n));
            iterate(40_000, |k, x| mixed(x, k), b.0) + iterate(40_000, |k, x| x + k % 3, b.1)
        })
    };
    exact(several, trips());
    exact(several, vector([]));
}

#[test]
fn tests_end_long_loops() {
    let until = |v: Ints| {
        v.map(|n| {
            let (x, trips) = while_(
                |(x, trips): (Exp<i32>, Exp<i32>)| (trips.lt(n)).and((x % 150_001).ne_(77)),
                |k, (x, trips)| (mixed(x, k), trips + 1),
                (n, 0),
            );
            x + trips
        })
    };
    exact(until, trips());
}

#[test]
fn loops_inside_of_loops_count() {
    let nested = |v: Ints| {
        v.map(|n| {
            let inner = |k: Exp<i32>, x: Exp<i32>| {
                let most = (x % 300).abs();
                iterate(most, move |l, y| mixed(y, k + l), x)
            };
            iterate(n % 3_000, inner, n)
        })
    };
    exact(nested, trips());
}

#[test]
fn loops_inside_of_loops_are_long() {
    let inside = |v: Ints| {
        v.map(|n| {
            let long = |k: Exp<i32>, x: Exp<i32>| {
                let most = n % 3 * 40_000 + k;
                let y = iterate(most, move |l, y| mixed(y, k + l), x);
                iterate(most - 70_000, move |l, z| z + l % (k + 2), y)
            };
            iterate(n.abs().min(3), long, n)
        })
    };
    exact(inside, trips());
    let deep = |v: Ints| {
        v.map(|n| {
            iterate(
                n,
                |k, x| {
                    iterate_while(
                        3,
                        |y: Exp<i32>| (y % 5).ne_(0),
                        move |l, y| iterate(25_000 * n, move |m, z| mixed(z, k + l + m), y),
                        x,
                    )
                },
                n,
            )
        })
    };
    exact(deep, vector([0, 1, 2, 3]));
    let reduced = |v: Ints| {
        let long = |n| iterate(2, |k, x| iterate(90_000, move |l, y| mixed(y, k + l), x), n);
        v.map(long).fold(0, |x, y| x.max(y))
    };
    exact(reduced, vector([1, 2, 3]));
}

#[test]
fn elements_of_reductions_have_loops() {
    let v = || vector((0..80).collect::<Vec<i32>>());
    let long = |n: Exp<i32>| iterate(n * 1_000, |k, x| mixed(x, k), n);
    exact(move |v: Ints| v.map(long).fold(0, |x, y| x + y), v());
    exact(move |v: Ints| v.map(long).scanl(0, |x, y| x + y), v());
    // Few trips for each element, and too many for all of them.
    let short = |n: Exp<i32>| iterate(30, |k, x| mixed(x, k), n);
    let many = vector((0..100_000).collect::<Vec<i32>>());
    exact(
        move |v: Ints| v.map(short).fold(0, |x, y| x.max(y)),
        many.clone(),
    );
    let histogram = move |v: Ints| {
        let zeros = fill(ix![5], 0);
        v.permute(Combine::Add, zeros, |ix![i]| {
            (true, ix![(long(i) % 5).abs()])
        })
    };
    exact(histogram, v());
}

/// What fails is told by the interpreter and by the GPU with the same line and the same trips.
fn fails_alike(program: impl Fn(Ints) -> Ints, line: u32, inputs: [Array<Ix1, i32>; 2]) {
    let program = compile(program).unwrap();
    for input in inputs {
        let expected = program.interpret(input.clone());
        match (GPU.as_ref(), expected) {
            (Err(error), _) => skipped(error),
            (Ok(gpu), Ok(expected)) => {
                assert_eq!(program.run(gpu, input).unwrap().to_vec(), expected.to_vec());
            }
            (Ok(gpu), Err(expected)) => {
                let expected = failed(expected);
                assert_eq!(expected.1, line);
                assert_eq!(failed(program.run(gpu, input).unwrap_err()), expected);
            }
        }
    }
}

#[test]
fn failures_tell_the_trip() {
    let line = line!() + 2;
    let program = |v: Ints| {
        v.map(move |n| iterate(100_000, |k, x| x + v.at(ix![(k - 99_990).max(0) / n]), n))
    };
    fails_alike(program, line, [vector([1; 20]), vector([3, 2, 1])]);
}

#[test]
fn failures_tell_the_trips_of_loops_around() {
    let line = line!() + 2;
    let at = |v: &Ints, n: Exp<i32>, k: Exp<i32>, l: Exp<i32>| {
        v.at(ix![(l + k * 1_000 - 62_990).max(0) / n])
    };
    let inner = move |v: Ints| {
        v.map(move |n| {
            let long = |k, x| iterate(60_000, |l, y| y + at(&v, n, k, l), x);
            iterate(4, long, n)
        })
    };
    fails_alike(inner, line, [vector([1; 20]), vector([3, 2, 1])]);
    // In the trip of the outer loop itself.
    let line = line!() + 1;
    let outer = |v: &Ints, k: Exp<i32>| v.at(ix![k]);
    let outer = move |v: Ints| {
        v.map(move |n| {
            let long = |k, x| {
                let step = outer(&v, k);
                iterate(60_000, move |l, y| mixed(y, l) + step, x)
            };
            iterate(4, long, n)
        })
    };
    fails_alike(outer, line, [vector([1; 20]), vector([3, 2, 1])]);
}

/// The line of what fails in [`until`].
const FAILS: u32 = line!() + 4;

/// Fails in trips after the given one.
fn until(v: &Ints, last: impl Lift<i32>, trip: Exp<i32>) -> Exp<i32> {
    v.at(ix![(trip - last).max(0) * 1_000])
}

/// The first element to fail is told, though others fail in an earlier chunk.
#[test]
fn of_failures_in_several_chunks_that_of_the_first_element_is_told() {
    let ends = || {
        let later = vector([100_000, 95_000, 60_000, 70_000, 30_000, 5]);
        [later, vector([100_000, 100_001])]
    };
    let long = |v: &Ints, n: Exp<i32>| {
        let v = *v;
        iterate(100_000, move |k, x| x + until(&v, n, k), n)
    };
    fails_alike(move |v| v.map(|n| long(&v, n)), FAILS, ends());
    let sum = move |v: Ints| v.map(|n| long(&v, n)).scanl1(|x, y| x + y);
    fails_alike(sum, FAILS, ends());
    let to_left = move |v: Ints| v.map(|n| long(&v, n)).scanr1(|x, y| x + y);
    fails_alike(to_left, FAILS, ends());
    let sent = move |v: Ints| {
        v.permute(Combine::Add, fill(ix![1], 0), |ix![i]| {
            (true, ix![long(&v, v.at(ix![i])).min(0)])
        })
    };
    fails_alike(sent, FAILS, ends());
    // From what an index that is out of range reads, the last element would not come to an end.
    let endless =
        move |v: Ints| v.map(|n| while_(|x| x.ge(1), |k, x| x - until(&v, n, k).signum(), n + 2));
    fails_alike(endless, FAILS, [vector([90_000, 1]), vector([3, -1])]);
}

/// Trips of a loop around, which are made one by one, fail as well as those inside.
#[test]
fn of_failures_in_and_around_long_loops_that_of_the_first_element_is_told() {
    let around = |v: Ints| {
        let trip = |k: Exp<i32>, x, n: Exp<i32>| {
            let part = iterate(30_000, |l, y| y + until(&v, n, k * 30_000 + l), x);
            part + until(&v, n - 40_000, k * 30_000)
        };
        v.map(|n| iterate(4, |k, x| trip(k, x, n), n))
    };
    let first_around = vector([200_000, 90_000, 30_000]);
    let first_inside = vector([200_000, 75_000, 39_000, 10_000]);
    fails_alike(around, FAILS, [first_around, first_inside]);
    fails_alike(around, FAILS, [vector([]), vector([1_000_000; 2])]);
}

/// Loops over some of a kernel's coordinates: its first element to fail is told, and none where it has no elements.
#[test]
fn failures_in_loops_over_rows_and_columns_are_those_of_the_first_element() {
    for first in [10_000, 94_000] {
        let table = move |v: Ints| {
            let row = |i: Exp<i32>| {
                let last = i * -5_000 + first;
                iterate(90_000, |k, x| x + until(&v, last, k), i)
            };
            let column = |j: Exp<i32>| iterate(90_000, |k, x| x + until(&v, 60_000, k), j);
            let extents = ix![v.size(), v.at(ix![0])];
            generate(extents, |ix![i, j]| row(i) + column(j)).flatten()
        };
        fails_alike(table, FAILS, [vector([2, 1]), vector([0, 1, 2])]);
    }
    // A loop that is the same for all elements.
    let same = |v: Ints| {
        let long = iterate(90_000, |k, x| x + until(&v, 60_000, k), 1);
        generate(ix![v.at(ix![0])], |ix![i]| i + long)
    };
    fails_alike(same, FAILS, [vector([2, 1]), vector([0, 1, 2])]);
}

#[test]
fn what_cannot_go_on_is_refused() {
    let operator = compile(|v: Ints| v.fold(0, |x, y| iterate(100_000, |_, z| z.max(x), y.max(x))));
    let Ok(gpu) = GPU.as_ref() else {
        return skipped(GPU.as_ref().unwrap_err());
    };
    let found = operator.unwrap().run(gpu, vector([1, 2, 3]));
    let Err(Error::Run(error @ RunError::LoopTooLong { site: Some(_), .. })) = found else {
        panic!("{found:?}");
    };
    assert!(error.to_string().contains("use the CPU"), "{error}");
}
