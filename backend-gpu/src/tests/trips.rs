//! Loops of steps that one workgroup makes, against the reference and against dispatches.

mod maker;

use super::gpu;
use crate::Gpu;
use cotangent_core::backend::{Backend, Control, RunError, RunMeasures};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::*;
use cotangent_core::types::ScalarType::{self, Bool, F32, I32, I64};
use maker::{Inside, Maker, N, looped};

fn ints(n: usize, seed: i32) -> HostArray {
    let elements = (0..n as i32).map(|i| Const::I32((i * 7919 + seed * 104_729) % 1009 - 500));
    vector(I32, elements.collect())
}

fn floats(n: usize, seed: i32) -> HostArray {
    let elements = (0..n as i32).map(|i| ((i * 7919 + seed * 104_729) % 1009) as f32 / 500.0 - 1.0);
    vector(F32, elements.map(Const::F32).collect())
}

fn vector(ty: ScalarType, elements: Vec<Const>) -> HostArray {
    let shape = vec![elements.len()];
    HostArray::new(shape, Column::try_from_consts(ty, elements).unwrap()).unwrap()
}

fn measured(
    gpu: &Gpu,
    schedule: &Checked<Schedule>,
    inputs: &[HostArray],
) -> Result<(Vec<HostArray>, RunMeasures), RunError> {
    gpu.run_measured(&gpu.prepare(schedule).unwrap(), inputs)
}

/// A device whose trips somebody watches, so that each is dispatches.
fn watching(gpu: &Gpu) -> Gpu {
    gpu.with_control(&Control::builder().on_progress(|_| {}).build())
}

/// Runs a loop in both ways, which are the reference's; the passes of one workgroup.
fn passes(gpu: &Gpu, schedule: &Checked<Schedule>, inputs: &[HostArray]) -> u64 {
    let expected = run::run(schedule, inputs).unwrap();
    let (found, measures) = measured(gpu, schedule, inputs).unwrap();
    assert_eq!(found, expected);
    let (found, by_trips) = measured(&watching(gpu), schedule, inputs).unwrap();
    assert_eq!(found, expected);
    assert!(measures.passes <= by_trips.passes);
    measures.passes
}

/// x(i) becomes x(i - 1) + 3 x(i) - x(i + 1) + k, the border standing for what is beyond it, k being the trip's number.
fn stencil(maker: &mut Maker, x: ArrayId, number: SymbolId) -> (Step, ArrayId) {
    let next = maker.vector(I32);
    let step = maker.map(next, |code| {
        let (i, one, zero) = (code.coord(0), code.int(1), code.int(0));
        let n = code.symbol(N);
        let last = code.prim(Prim::Sub, &[n, one]);
        let left = code.prim(Prim::Sub, &[i, one]);
        let left = code.prim(Prim::Max, &[left, zero]);
        let right = code.prim(Prim::Add, &[i, one]);
        let right = code.prim(Prim::Min, &[right, last]);
        let [left, own, right] = [left, i, right].map(|at| code.load(x, &[at], true));
        let three = code.int(3);
        let own = code.prim(Prim::Mul, &[own, three]);
        let sum = code.prim(Prim::Add, &[left, own]);
        let sum = code.prim(Prim::Sub, &[sum, right]);
        let k = code.symbol(number);
        code.prim(Prim::Add, &[sum, k])
    });
    (step, next)
}

fn stencils(trips: i32) -> Checked<Schedule> {
    looped(&[I32], trips, |maker, seen, number| {
        let (step, next) = stencil(maker, seen[0], number);
        Inside {
            test: None,
            body: vec![step],
            next: vec![next],
        }
    })
}

#[test]
fn stencils_of_any_size_are_one_dispatch() {
    let Some(gpu) = gpu() else { return };
    for n in [0, 1, 2, 63, 64, 65, 200, 1000] {
        for trips in [-3, 0, 1, 2, 3, 50] {
            let passes = passes(gpu, &stencils(trips), &[ints(n, 1)]);
            // The loop, a copy of the input, and the map that tells of the trips.
            let most = if trips > 3 {
                3
            } else {
                1 + trips.max(0) as u64
            };
            assert!(passes <= most, "{n}, {trips}: {passes}");
        }
    }
    let (_, by_trips) = measured(&watching(gpu), &stencils(1000), &[ints(32, 1)]).unwrap();
    let (_, at_once) = measured(gpu, &stencils(1000), &[ints(32, 1)]).unwrap();
    assert_eq!((by_trips.passes, at_once.passes), (1001, 3));
}

/// More trips than the loops of an invocation may make, and longer than a submission may take, are several dispatches.
#[test]
fn long_loops_are_cut() {
    let Some(gpu) = gpu() else { return };
    let schedule = stencils(70_000);
    let expected = run::run(&schedule, &[ints(33, 2)]).unwrap();
    let (found, measures) = measured(gpu, &schedule, &[ints(33, 2)]).unwrap();
    assert_eq!(found, expected);
    assert!((4..60).contains(&measures.passes), "{}", measures.passes);
    let hasty = gpu.clone().with_submission_seconds(1e-4);
    let (found, more) = measured(&hasty, &stencils(1000), &[ints(33, 2)]).unwrap();
    assert_eq!(found, run::run(&stencils(1000), &[ints(33, 2)]).unwrap());
    assert!((10..500).contains(&more.passes), "{}", more.passes);
}

/// Bodies that pull at each other: f(i) is the sum of x(j) - x(i), v becomes v + f / 100, and x becomes x + v / 100.
#[test]
fn bodies_pull_at_each_other() {
    let Some(gpu) = gpu() else { return };
    let schedule = looped(&[F32, F32], 1000, |maker, seen, _| {
        let (x, v) = (seen[0], seen[1]);
        let [f, next_v, next_x] = [(); 3].map(|()| maker.vector(F32));
        let (zero, none) = maker.scalars(F32, |code| code.float(0.0));
        let force = maker.sum(f, none, |code| {
            let [i, j] = [0, 1].map(|axis| code.coord(axis));
            let [own, other] = [i, j].map(|at| code.load(x, &[at], false));
            code.prim(Prim::Sub, &[other, own])
        });
        let moved = |to, from, by| {
            maker.map(to, |code| {
                let i = code.coord(0);
                let [from, by] = [from, by].map(|array| code.load(array, &[i], false));
                let step = code.float(0.01);
                let by = code.prim(Prim::Mul, &[by, step]);
                code.prim(Prim::Add, &[from, by])
            })
        };
        let (faster, further) = (moved(next_v, v, f), moved(next_x, x, next_v));
        Inside {
            test: None,
            body: vec![zero, force, faster, further],
            next: vec![next_x, next_v],
        }
    });
    let inputs = [floats(5, 1), floats(5, 2)];
    let (found, measures) = measured(gpu, &schedule, &inputs).unwrap();
    for (found, expected) in found.iter().zip(run::run(&schedule, &inputs).unwrap()) {
        let values = |array: &HostArray| -> Vec<f64> {
            let all = (0..array.column().len()).filter_map(|i| array.column().get(i));
            all.filter_map(Const::as_f64).collect()
        };
        let (found, expected) = (values(found), values(&expected));
        let close = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-3;
        assert!(
            found.iter().zip(&expected).all(close),
            "{found:?} {expected:?}"
        );
    }
    // Two copies of inputs, and the map that tells of the trips.
    assert_eq!(measures.passes, 4);
}

/// A kernel reads what another one has written in the same trip, at points that other invocations did.
#[test]
fn kernels_wait_for_each_other() {
    let Some(gpu) = gpu() else { return };
    let schedule = looped(&[I32], 40, |maker, seen, number| {
        let (first, between) = stencil(maker, seen[0], number);
        let (second, next) = stencil(maker, between, number);
        Inside {
            test: None,
            body: vec![first, second],
            next: vec![next],
        }
    });
    for n in [20, 64, 300] {
        assert!(passes(gpu, &schedule, &[ints(n, 1)]) <= 3, "{n}");
    }
}

/// (a, b, c) become (b, c, the stencil of a): arrays change places, all at once.
#[test]
fn arrays_change_places() {
    let Some(gpu) = gpu() else { return };
    for trips in 0..8 {
        let schedule = looped(&[I32; 3], trips, |maker, seen, number| {
            let (step, next) = stencil(maker, seen[0], number);
            Inside {
                test: None,
                body: vec![step],
                next: vec![seen[1], seen[2], next],
            }
        });
        let inputs = [1, 2, 3].map(|seed| ints(70, seed));
        let passes = passes(gpu, &schedule, &inputs);
        assert!(trips < 5 || passes <= 5, "{passes}");
    }
}

/// x(i) becomes x(max(i + k - 7, 0)), which is out of range from some trip k on: trip and index are told.
#[test]
fn a_failing_index_names_its_trip() {
    let Some(gpu) = gpu() else { return };
    let schedule = looped(&[I32], 100, |maker, seen, number| {
        let next = maker.vector(I32);
        let step = maker.map(next, |code| {
            let i = code.coord(0);
            let k = code.symbol(number);
            let at = code.prim(Prim::Add, &[i, k]);
            let limit = code.int(7);
            let at = code.prim(Prim::Sub, &[at, limit]);
            let zero = code.int(0);
            let at = code.prim(Prim::Max, &[at, zero]);
            code.load(seen[0], &[at], true)
        });
        Inside {
            test: None,
            body: vec![step],
            next: vec![next],
        }
    });
    let inputs = [ints(10, 1)];
    let expected = run::run(&schedule, &inputs).unwrap_err();
    let found = measured(gpu, &schedule, &inputs).unwrap_err();
    assert_eq!(found.to_string(), expected.to_string());
    assert!(
        matches!(&found, RunError::IndexOutOfRange { trips, .. } if trips == &[8]),
        "{found:?}"
    );
}

/// The stencil, while the sum is below a bound.
fn until(most: i32, bound: i32) -> Checked<Schedule> {
    looped(&[I32], most, |maker, seen, number| {
        let x = seen[0];
        let [sum, flag] = [I32, Bool].map(|ty| maker.array(ty, &[], Layout::Own));
        let (zero, none) = maker.scalars(I32, |code| code.int(0));
        let total = maker.sum(sum, none, |code| {
            let i = code.coord(0);
            code.load(x, &[i], false)
        });
        let compared = maker.map(flag, |code| {
            let (sum, bound) = (code.load(sum, &[], false), code.int(bound));
            code.prim(Prim::Lt, &[sum, bound])
        });
        let (known, holds) = maker.scalars(Bool, |code| code.load(flag, &[], false));
        let (step, next) = stencil(maker, x, number);
        Inside {
            test: Some((vec![zero, total, compared, known], holds)),
            body: vec![step],
            next: vec![next],
        }
    })
}

#[test]
fn tests_are_made_by_the_device() {
    let Some(gpu) = gpu() else { return };
    let input = [vector(I32, vec![Const::I32(1); 20])];
    for most in [0, 1, 2, 5, 40, i32::MAX] {
        for bound in [-1, 20, 21, 1000, 1 << 28] {
            let schedule = until(most, bound);
            let passes = passes(gpu, &schedule, &input);
            assert!(most < 2 || passes <= 3, "{most} {bound}: {passes}");
            let (_, measures) = measured(gpu, &schedule, &input).unwrap();
            assert!(most < 2 || measures.submits <= 2, "{}", measures.submits);
        }
    }
}

/// With a limit for the trips of loops that have a test, they are made one by one.
#[test]
fn trips_are_counted() {
    let Some(gpu) = gpu() else { return };
    let limited = gpu.with_control(&Control::builder().max_trips(3).build());
    let input = [vector(I32, vec![Const::I32(1); 20])];
    let found = measured(&limited, &until(100, i32::MAX), &input);
    assert!(
        matches!(found, Err(RunError::TooManyTrips { .. })),
        "{found:?}"
    );
}

/// Row k of what is carried becomes what is carried besides, doubled: a view that begins elsewhere in each trip.
#[test]
fn views_begin_where_the_trip_says() {
    let Some(gpu) = gpu() else { return };
    let schedule = looped(&[I32, I32], 9, |maker, seen, number| {
        let (table, x) = (seen[0], seen[1]);
        let next = maker.vector(I32);
        let (place, begin) = maker.scalars(I64, |code| {
            let k = code.symbol(number);
            code.prim(Prim::Convert(I64), &[k])
        });
        let offset = Offset {
            symbol: Some(begin),
            constant: 1,
        };
        let view = Layout::View {
            of: table,
            offset,
            stride: 1,
        };
        let element = maker.array(I32, &[], view);
        let doubled = maker.map(next, |code| {
            let i = code.coord(0);
            let x = code.load(x, &[i], false);
            code.prim(Prim::Add, &[x, x])
        });
        let written = maker.map(element, |code| {
            let two = code.int(2);
            code.load(next, &[two], true)
        });
        Inside {
            test: None,
            body: vec![place, doubled, written],
            next: vec![table, next],
        }
    });
    let inputs = [ints(12, 1), ints(12, 2)];
    let passes = passes(gpu, &schedule, &inputs);
    // Without `i64` the trips are made one by one.
    assert!(passes <= 4 || !gpu.target().has_i64, "{passes}");
}

/// Where the device binds few buffers, arrays share some.
#[test]
fn few_buffers_are_enough() {
    let Some(gpu) = gpu() else { return };
    let schedule = looped(&[I32; 6], 30, |maker, seen, number| {
        let (steps, next): (Vec<_>, Vec<_>) =
            seen.iter().map(|&x| stencil(maker, x, number)).unzip();
        let turned = [&next[1..], &next[..1]].concat();
        Inside {
            test: None,
            body: steps,
            next: turned,
        }
    });
    let inputs = [1, 2, 3, 4, 5, 6].map(|seed| ints(70, seed));
    for buffers in [4, 8, 12, 13] {
        let few = gpu.clone().with_storage_buffers(buffers);
        assert!(passes(&few, &schedule, &inputs) <= 8, "{buffers}");
    }
}
