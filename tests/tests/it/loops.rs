//! Loops in scalar code, in whole programs: in every construct that has scalar code, on every engine.

use cotangent::prelude::*;
use cotangent::{Cpu, Error, Isa, Program, RunError, compile};
use cotangent_backend_cpu::Native;
use cotangent_backend_gpu::{Gpu, GpuError};
use cotangent_core::host::HostArray;
use cotangent_core::surface::AccFn;
use cotangent_tests::engines::compare;
use cotangent_tests::skip::skipped;
use std::sync::LazyLock;

/// The first device, opened once.
pub(crate) static GPU: LazyLock<Result<Gpu, GpuError>> = LazyLock::new(|| Gpu::open(None));

pub(crate) type HostOf<A> = <A as Arrays>::Host;

fn columns<A: Arrays>(host: A::Host) -> Vec<HostArray> {
    let mut columns = vec![];
    A::from_host(host, &mut columns);
    columns
}

/// All CPU engines: on each instruction set, and with machine code from the first run on.
pub(crate) fn cpus() -> Vec<Cpu> {
    let isas = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    let usual = isas.map(|isa| Cpu::builder().isa(isa));
    let ways = usual.chain([Cpu::builder().native(Native::AtOnce)]);
    let all = ways.flat_map(|way| [1, 2, 7].map(|threads| way.clone().threads(threads).build()));
    all.collect::<Result<_, _>>().unwrap()
}

/// What a program gives, which is the same everywhere: to the bit on CPUs, up to `tolerance` on a GPU.
#[track_caller]
pub(crate) fn runs<In: Arrays, Out: Arrays>(
    program: &Program<In, Out>,
    input: HostOf<In>,
    tolerance: f64,
) -> HostOf<Out>
where
    HostOf<In>: Clone,
    HostOf<Out>: Clone,
{
    let expected = program.interpret(input.clone()).unwrap();
    let all = columns::<Out>(expected.clone());
    for cpu in cpus() {
        let found = columns::<Out>(program.run(&cpu, input.clone()).unwrap());
        assert_eq!(compare(&all, &found, 0.0), None, "{cpu:?}");
    }
    match GPU.as_ref() {
        Err(error) => skipped(error),
        Ok(gpu) => {
            let found = columns::<Out>(program.run(gpu, input).unwrap());
            assert_eq!(compare(&all, &found, tolerance), None, "GPU");
        }
    }
    expected
}

/// What a program of exact arithmetic gives, the same to the bit everywhere.
#[track_caller]
pub(crate) fn exact<M, F: AccFn<M>>(f: F, input: HostOf<F::In>) -> HostOf<F::Out>
where
    HostOf<F::In>: Clone,
    HostOf<F::Out>: Clone,
{
    runs(&compile(f).unwrap(), input, 0.0)
}

pub(crate) fn vector<T: Elt>(values: impl Into<Vec<T>>) -> Array<Ix1, T> {
    Array::vector(values.into()).unwrap()
}

fn gcd(x: Exp<i32>, y: Exp<i32>) -> Exp<i32> {
    while_(|(_, y)| y.ne_(0), |_, (x, y)| (y, x % y), (x, y))
        .0
        .abs()
}

fn host_gcd(x: i32, y: i32) -> i32 {
    if y == 0 { x.abs() } else { host_gcd(y, x % y) }
}

/// Steps of x ↦ x/2 or 3x + 1 down to 1.
fn collatz(n: Exp<i32>) -> Exp<i32> {
    let step = |_, (n, k): (Exp<i32>, Exp<i32>)| (cond((n % 2).eq_(0), n / 2, 3 * n + 1), k + 1);
    while_(|(n, _): (Exp<i32>, Exp<i32>)| n.gt(1), step, (n, 0)).1
}

fn host_collatz(mut n: i32) -> i32 {
    let mut k = 0;
    while n > 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        k += 1;
    }
    k
}

#[test]
fn elements_make_as_many_trips_as_each_needs() {
    for n in [0, 1, 7, 1000, 100_000] {
        let input: Vec<i32> = (0..n).map(|i| i % 997).collect();
        let expected: Vec<i32> = input.iter().map(|&n| host_collatz(n)).collect();
        let found = exact(|v: Acc<Ix1, i32>| v.map(collatz), vector(input));
        assert_eq!(found.to_vec(), expected, "{n} elements");
    }
}

/// What is read is the same in all trips of an element, and may be out of range: it stays in the loop, where elements move together when
/// others are done.
#[test]
fn elements_read_the_same_in_each_of_their_trips() {
    let read = |v: Acc<Ix1, i32>, table: Acc<Ix1, i32>| {
        let each = |x: Exp<i32>| {
            let step = |_, (k, sum): (Exp<i32>, Exp<i32>)| (k + 1, sum + table.at(ix![x % 7]));
            let often = |_, sum: Exp<i32>| sum + table.at(ix![x % 7]);
            let tested = while_(|(k, _)| k.lt(x % 50), step, (0, 0)).1;
            (tested, iterate(x % 50, often, 0))
        };
        v.map(each).unzip()
    };
    let table = [3, 1, 4, 1, 5, 9, 2];
    for n in [1, 40, 1000] {
        let input: Vec<i32> = (0..n).map(|i| i * i % 997).collect();
        let expected = input.iter().map(|&x| x % 50 * table[x as usize % 7]);
        let expected: Vec<i32> = expected.collect();
        let found = exact(read, (vector(input), vector(table)));
        assert_eq!(found.0.to_vec(), expected, "{n} elements");
        assert_eq!(found.1.to_vec(), expected, "{n} elements");
    }
}

#[test]
fn folds_and_scans_take_operators_with_loops() {
    let input: Vec<i32> = (1..500).map(|i| 2310 * (i % 13 + 1)).collect();
    let program = |v: Acc<Ix1, i32>| (v.fold(0, gcd), v.scanl1(gcd), v.scanr(0, gcd), v.fold1(gcd));
    let (all, so_far, from_right, all1) = exact(program, vector(input.clone()));
    let mut state = 0;
    let scanned: Vec<i32> = input
        .iter()
        .map(|&x| {
            state = host_gcd(state, x);
            state
        })
        .collect();
    assert_eq!((all.item(), all1.item()), (state, state));
    assert_eq!(so_far.to_vec(), scanned);
    assert_eq!(
        (from_right.to_vec()[0], from_right.to_vec()[499]),
        (state, 0)
    );
}

#[test]
fn loops_nest() {
    // How many primes are below each number, the slow way: while inside iterate.
    let primes = |n: Exp<i32>| {
        let divides = |k: Exp<i32>| {
            let smallest: Exp<i32> = while_(
                |d: Exp<i32>| (d * d).le(k).and((k % d).ne_(0)),
                |_, d| d + 1,
                constant(2),
            );
            (smallest * smallest).le(k)
        };
        iterate(
            n - 2,
            |k, count: Exp<i32>| cond(divides(k + 2), count, count + 1),
            constant(0),
        )
    };
    let found = exact(
        |v: Acc<Ix1, i32>| v.map(primes),
        vector([-3, 0, 2, 3, 10, 100]),
    );
    assert_eq!(found.to_vec(), [0, 0, 0, 1, 4, 25]);
}

#[test]
fn states_are_exchanged() {
    let swap = |v: Acc<Ix1, (i32, f64)>| {
        v.map(|(n, x)| {
            iterate(
                n,
                |k, (a, b, c)| (b, c, a + k.to::<f64>()),
                (x, 2.0 * x, 3.0 * x),
            )
        })
    };
    let found = exact(swap, vector([(0, 1.0), (1, 1.0), (4, 1.0), (-7, 2.0)]));
    let expected = [
        (1.0, 2.0, 3.0),
        (2.0, 3.0, 1.0),
        (3.0 + 1.0 - 1.0, 3.0 + 0.0, 4.0),
    ];
    assert_eq!(found.to_vec()[..2], expected[..2]);
    assert_eq!(found.to_vec()[2], (3.0, 5.0, 4.0));
    assert_eq!(found.to_vec()[3], (2.0, 4.0, 6.0));
}

#[test]
fn states_have_any_types() {
    let program = |v: Acc<Ix1, f32>| {
        v.map(|x| {
            let init = (
                x,
                constant(true),
                x.to::<f64>(),
                constant(7u32),
                constant(-1i64),
            );
            let step = |k: Exp<i32>, (x, up, d, u, i)| {
                let _: Exp<bool> = up;
                (
                    cond(up, x + 1.0, x - 0.5),
                    !up,
                    d * 0.5,
                    u + 3,
                    i - k.to::<i64>(),
                )
            };
            iterate(5, step, init)
        })
    };
    let found = exact(program, vector([1.0f32, -2.0]));
    assert_eq!(
        found.to_vec(),
        [
            (3.0, false, 1.0 / 32.0, 22, -11),
            (0.0, false, -2.0 / 32.0, 22, -11)
        ]
    );
}

#[test]
fn not_a_number_ends_a_test_of_convergence() {
    let converge = |v: Acc<Ix1, f64>| {
        v.map(|x| {
            let step = |_, (x, n): (Exp<f64>, Exp<i32>)| (x - x / 2, n + 1);
            while_(|(x, _)| x.abs().gt(0.25), step, (x, 0)).1
        })
    };
    let found = exact(converge, vector([1.0, f64::NAN, 0.0, -1.0]));
    assert_eq!(found.to_vec(), [2, 0, 0, 2]);
}

#[test]
fn arrays_are_read_in_loops() {
    // A binary search: how many elements are less.
    let search = |sorted: Acc<Ix1, f64>, v: Acc<Ix1, f64>| {
        v.map(|x| {
            let step = |_, (low, high)| {
                let middle: Exp<i32> = (low + high) / 2;
                let less = sorted.at(ix![middle]).lt(x);
                (cond(less, middle + 1, low), cond(less, high, middle))
            };
            while_(
                |(low, high): (Exp<i32>, Exp<i32>)| low.lt(high),
                step,
                (constant(0), sorted.size()),
            )
            .0
        })
    };
    let sorted: Vec<f64> = (0..1000).map(|i| f64::from(i) * 0.5).collect();
    let v = [-1.0, 0.0, 0.25, 250.0, 499.5, 1000.0];
    let found = exact(search, (vector(sorted), vector(v)));
    assert_eq!(found.to_vec(), [0, 0, 1, 500, 999, 1000]);
    // Over an empty array, and for no element.
    assert_eq!(exact(search, (vector([]), vector([1.0]))).to_vec(), [0]);
    assert_eq!(
        exact(search, (vector([1.0]), vector([]))).to_vec(),
        [0i32; 0]
    );
}

#[test]
fn what_a_test_excludes_is_not_read() {
    // The length of the first run of positive numbers, from each place.
    let runs = |v: Acc<Ix1, i32>| {
        let n = v.size();
        generate(ix![n], |ix![i]| {
            while_(
                |j: Exp<i32>| j.lt(n).and(v.at(ix![j]).gt(0)),
                |_, j| j + 1,
                i,
            ) - i
        })
    };
    assert_eq!(
        exact(runs, vector([1, 2, 0, 5, 5, 5])).to_vec(),
        [2, 1, 0, 3, 2, 1]
    );
    // The step runs under the test as well.
    let guarded = |v: Acc<Ix1, i32>| {
        let sum = |_, (j, sum): (Exp<i32>, Exp<i32>)| (j + 1, sum + v.at(ix![j]));
        generate(ix![3], |ix![i]| {
            while_(|(j, _)| j.lt(v.size()), sum, (i, 0)).1
        })
    };
    assert_eq!(exact(guarded, vector([1, 2, 4])).to_vec(), [7, 6, 4]);
    assert_eq!(exact(guarded, vector([])).to_vec(), [0, 0, 0]);
}

#[test]
fn a_branch_that_is_not_taken_makes_no_trip() {
    let program = |v: Acc<Ix1, i32>| {
        generate(ix![4], |ix![i]| {
            let outside = iterate(3, |k, s: Exp<i32>| s + v.at(ix![i + k]), constant(0));
            cond(i.lt(2), outside, -1)
        })
    };
    assert_eq!(
        exact(program, vector([1, 2, 3, 4])).to_vec(),
        [6, 9, -1, -1]
    );
}

#[test]
fn sparse_rows_are_added_up() {
    let spmv =
        |starts: Acc<Ix1, i32>, columns: Acc<Ix1, i32>, values: Acc<Ix1, f64>, x: Acc<Ix1, f64>| {
            generate(ix![starts.size() - 1], |ix![row]| {
                let (first, end) = (starts.at(ix![row]), starts.at(ix![row + 1]));
                let term = |k: Exp<i32>, sum: Exp<f64>| {
                    let at = first + k;
                    sum + values.at(ix![at]) * x.at(ix![columns.at(ix![at])])
                };
                iterate(end - first, term, constant(0.0))
            })
        };
    let input = (
        vector([0, 2, 2, 3]),
        vector([0, 2, 1]),
        vector([1.0, 2.0, 4.0]),
        vector([1.0, 10.0, 100.0]),
    );
    assert_eq!(exact(spmv, input).to_vec(), [201.0, 0.0, 40.0]);
}

#[test]
fn elements_are_folded_in_order() {
    let program = |m: Acc<Ix2, i32>, x: Acc<Ix1, i32>| {
        x.map(|x| m.fold_in_order(0, |ix![i, j], sum, e| sum * 2 + e * x + i - j))
    };
    let m = Array::from_vec([2, 3], vec![1, 2, 3, 4, 5, 6]).unwrap();
    let by_hand = |x: i32| (0..6).fold(0, |sum, k| sum * 2 + (k + 1) * x + k / 3 - k % 3);
    let found = exact(program, (m, vector([1, -2])));
    assert_eq!(found.to_vec(), [by_hand(1), by_hand(-2)]);
    let empty = Array::from_vec([2, 0], vec![]).unwrap();
    assert_eq!(exact(program, (empty, vector([5]))).to_vec(), [0]);
}

#[test]
fn rows_are_gone_through_in_order() {
    let filter = |m: Acc<Ix2, f64>| m.fold_seq((0.0, 0), |k, (y, n), x| (y + 0.5 * (x - y), n + k));
    let m = Array::from_vec([3, 2], vec![4.0, 0.0, 0.0, 8.0, 1.0, 1.0]).unwrap();
    assert_eq!(exact(filter, m).to_vec(), [(1.0, 1), (4.0, 1), (0.75, 1)]);
    let empty = Array::from_vec([2, 0], vec![]).unwrap();
    assert_eq!(exact(filter, empty).to_vec(), [(0.0, 0); 2]);
    let no_row = Array::from_vec([0, 2], vec![]).unwrap();
    assert_eq!(exact(filter, no_row).to_vec(), []);
    let horner = |c: Acc<Ix1, i32>| c.fold_seq(constant(0), |_, sum: Exp<i32>, c| 10 * sum + c);
    assert_eq!(exact(horner, vector([1, 2, 3])).item(), 123);
}

#[test]
fn the_host_runs_loops() {
    // In shapes, conditions, indices of slices, and initial values.
    let program = |v: Acc<Ix1, i32>| {
        let power = |n: Exp<i32>| -> Exp<i32> { iterate(n, |_, p: Exp<i32>| p * 2, constant(1)) };
        let first = v.at(ix![0]);
        let made = generate(ix![power(first)], |ix![i]| i);
        let sliced = v.slice(ix![power(first) - 7]);
        let chosen = acond(power(first).gt(5), v, v.map(|x| -x));
        (
            made.sum(),
            sliced,
            chosen,
            v.fold(power(first), |x, y| x.max(y)),
        )
    };
    let (made, sliced, chosen, most) = exact(program, vector([3, 5, 6]));
    assert_eq!((made.item(), sliced.item(), most.item()), (28, 5, 8));
    assert_eq!(chosen.to_vec(), [3, 5, 6]);
}

#[test]
fn scatters_compute_targets_by_loops() {
    let program = |v: Acc<Ix1, i32>| {
        let digits = |n: Exp<i32>| {
            while_(
                |(n, _): (Exp<i32>, Exp<i32>)| n.gt(9),
                |_, (n, d)| (n / 10, d + 1),
                (n, 0),
            )
            .1
        };
        v.permute(Combine::Add, fill(ix![5], 0), |ix![i]| {
            (true, ix![digits(v.at(ix![i]))])
        })
    };
    let found = exact(program, vector([3, 12, 99, 1000, 7]));
    assert_eq!(found.to_vec(), [10, 111, 0, 1000, 0]);
}

#[test]
fn loops_fuse_with_what_is_around_them() {
    let program = compile(|v: Acc<Ix1, i32>| v.map(|x| x + 1).map(collatz).map(|k| 2 * k)).unwrap();
    assert_eq!(program.explain().unwrap().kernels.len(), 1);
    assert_eq!(runs(&program, vector([2, 6]), 0.0).to_vec(), [14, 32]);
}

/// The trips that an error tells of, and its line.
pub(crate) fn failed(error: Error) -> (Vec<i64>, u32) {
    match error {
        Error::Run(RunError::IndexOutOfRange { trips, site, .. }) => {
            (trips, site.loc.location().unwrap().line())
        }
        other => panic!("{other}"),
    }
}

#[test]
fn failures_name_line_and_trips() {
    let line = line!() + 3;
    let program = compile(|v: Acc<Ix1, i32>| {
        let inner =
            |i: Exp<i32>, k: Exp<i32>, s: Exp<i32>| iterate(k, |l, s| s + v.at(ix![i + k + l]), s);
        generate(ix![v.size()], |ix![i]| {
            iterate(3, |k, s| inner(i, k, s), constant(0))
        })
    });
    let program = program.unwrap();
    // Of six elements, the third is the first to fail: at index 2 + 2 + 2.
    let input = vector([1, 1, 1, 1, 1]);
    let expected = (vec![2, 1], line);
    assert_eq!(
        failed(program.interpret(input.clone()).unwrap_err()),
        expected
    );
    for cpu in cpus() {
        assert_eq!(
            failed(program.run(&cpu, input.clone()).unwrap_err()),
            expected
        );
    }
    if let Ok(gpu) = GPU.as_ref() {
        assert_eq!(failed(program.run(gpu, input).unwrap_err()), expected);
    }
    let text = program
        .interpret(vector([1, 1, 1, 1, 1]))
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("in trips [2, 1] of the loops around it"),
        "{text}"
    );
}

#[test]
fn what_is_no_derivative_passes_through_loops() {
    let program = |v: Acc<Ix1, f64>| {
        // The weights depend on the places alone.
        let weighted = |v: Acc<Ix1, f64>| {
            let weights = generate(ix![v.size()], |ix![i]| collatz(i + 1).to::<f64>());
            v.zip_with(weights, |x, w| w * x * x).sum()
        };
        gradient_a(weighted, v)
    };
    let found = exact(program, vector([1.0, 1.0, 1.0, 2.0]));
    assert_eq!(found.to_vec(), [0.0, 2.0, 14.0, 8.0]);
    let e = |v: Acc<Ix1, f64>| {
        v.map(|x| gradient_e(|x| collatz((x * 0.0 + 3.0).to::<i32>()).to::<f64>() * x, x))
    };
    assert_eq!(exact(e, vector([2.0])).to_vec(), [7.0]);
}

/// What does not change from trip to trip is computed once, unless it can fail.
#[test]
fn invariants_leave_loops() {
    let program = compile(|v: Acc<Ix1, f64>, n: Acc<Ix0, i32>| {
        v.map(|x| iterate(n.the(), |_, s: Exp<f64>| s + (x * 2.0).exp(), constant(0.0)))
    });
    let program = program.unwrap();
    let (x, n) = (vector([0.0, 0.5]), Array::scalar(3));
    let found: Vec<f64> = runs(&program, (x, n), 1e-12).to_vec();
    assert!((found[1] - 3.0 * 1f64.exp()).abs() < 1e-12);
    // No trip: what would fail in the first does not.
    let reads = |v: Acc<Ix1, i32>, n: Acc<Ix0, i32>| {
        generate(ix![2], |ix![i]| {
            iterate(n.the(), |_, s: Exp<i32>| s + v.at(ix![5]), i)
        })
    };
    let found = exact(reads, (vector([1]), Array::scalar(0)));
    assert_eq!(found.to_vec(), [0, 1]);
}
