//! Runs that are limited, cancelled, watched and traced, on every engine.

use super::loops::{GPU, cpus, vector};
use cotangent::prelude::*;
use cotangent::{Backend, Control, Cpu, Error, Program, RunError, compile};
use cotangent_backend_gpu::Gpu;
use cotangent_tests::skip::skipped;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

type Vector = Acc<Ix1, f64>;

fn gpu() -> Option<&'static Gpu> {
    GPU.as_ref().map_err(|error| skipped(error)).ok()
}

/// Halves until all elements are small, which does not happen to an infinite one.
fn settled() -> Program<Vector, Vector> {
    let step = |_, v: Vector| v.map(|x| x / 2);
    compile(move |v: Vector| awhile(|v: Vector| v.maximum().the().gt(1.0), step, v)).unwrap()
}

/// The same by elements.
fn settled_apart() -> Program<Vector, Vector> {
    let halve = |x: Exp<f64>| while_(|x: Exp<f64>| x.gt(1.0), |_, x| x / 2, x);
    compile(move |v: Vector| v.map(halve)).unwrap()
}

fn failed<B: Backend>(backend: &B, program: &Program<Vector, Vector>, last: f64) -> RunError {
    let mut input = vec![8.0; 100];
    input[70] = last;
    match program.run(backend, vector(input)) {
        Err(Error::Run(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn loops_that_do_not_end_are_errors() {
    for max_trips in [0, 3, 2000] {
        let control = Control::builder().max_trips(max_trips).build();
        let hits = |error: RunError, construct: &str| match error {
            RunError::TooManyTrips {
                site,
                max_trips: found,
                trips,
            } => {
                assert_eq!((found, trips), (max_trips, vec![]));
                assert_eq!(site.map(|s| s.construct), Some(construct));
            }
            other => panic!("{other}"),
        };
        for cpu in cpus() {
            let cpu = cpu.with_control(&control);
            hits(failed(&cpu, &settled(), f64::INFINITY), "loop_a");
            hits(failed(&cpu, &settled_apart(), f64::INFINITY), "map");
        }
        if let Some(gpu) = gpu() {
            let gpu = gpu.with_control(&control);
            hits(failed(&gpu, &settled(), f64::INFINITY), "loop_a");
        }
    }
}

#[test]
fn as_many_trips_as_allowed_are_no_error() {
    // 8 needs three trips; those that are counted need no leave.
    let control = Control::builder().max_trips(3).build();
    let counted = compile(|v: Vector| {
        let v = aiterate(9, |_, v| v.map(|x| x + 1), v);
        v.map(|x| iterate(9, |_, x| x + 1, x))
    });
    let counted = counted.unwrap();
    for cpu in cpus() {
        let cpu = cpu.with_control(&control);
        for program in [settled(), settled_apart()] {
            let found = program.run(&cpu, vector([8.0, 8.0])).unwrap();
            assert_eq!(found.to_vec(), [1.0, 1.0]);
            assert!(matches!(
                failed(&cpu, &program, 9.0),
                RunError::TooManyTrips { .. }
            ));
        }
        assert_eq!(counted.run(&cpu, vector([1.0])).unwrap().to_vec(), [19.0]);
    }
}

#[test]
fn errors_name_the_trips_around() {
    // Trip k of the outer loop makes k of the inner one.
    let count = |k: Exp<i32>| {
        let step = |_, n: Acc<Ix0, i32>| n.map(|n| n + 1);
        awhile(move |n: Acc<Ix0, i32>| n.the().lt(k), step, unit(0))
    };
    let nested = compile(move |n: Acc<Ix0, i32>| {
        let add = |k, sum: Acc<Ix0, i32>| sum.zip_with(count(k), |x, y| x + y);
        aiterate(n.the(), add, unit(0))
    });
    let nested = nested.unwrap();
    let control = Control::builder().max_trips(3).build();
    let cpu = Cpu::default().with_control(&control);
    assert_eq!(nested.run(&cpu, Array::scalar(4)).unwrap().item(), 6);
    match nested.run(&cpu, Array::scalar(9)) {
        Err(Error::Run(RunError::TooManyTrips { trips, .. })) => assert_eq!(trips, [4]),
        other => panic!("{other:?}"),
    }
}

/// Runs the program, which does not end, on a thread of its own, until it is cancelled.
fn cancelled<B: Backend + Send + 'static>(
    backend: B,
    control: &Control,
    program: Program<Vector, Vector>,
) {
    let (begins, begun) = mpsc::channel();
    let run = std::thread::spawn(move || {
        begins.send(()).unwrap();
        failed(&backend, &program, f64::INFINITY)
    });
    begun.recv().unwrap();
    std::thread::sleep(Duration::from_millis(20));
    control.cancel();
    let since = Instant::now();
    assert_eq!(run.join().unwrap(), RunError::Cancelled);
    assert!(since.elapsed() < Duration::from_secs(30));
}

#[test]
fn endless_runs_are_cancelled_from_other_threads() {
    for threads in [1, 2] {
        for program in [settled, settled_apart] {
            let control = Control::new();
            let cpu = Cpu::builder().threads(threads).build().unwrap();
            let input = || vector([8.0, 8.0]);
            cancelled(cpu.with_control(&control), &control, program());
            // Nothing is lost: the backend goes on without the control.
            assert_eq!(program().run(&cpu, input()).unwrap().to_vec(), [1.0, 1.0]);
            let again = program().run(&cpu.with_control(&control), input());
            assert!(matches!(again, Err(Error::Run(RunError::Cancelled))));
        }
    }
    if let Some(gpu) = gpu() {
        let control = Control::new();
        cancelled(gpu.with_control(&control), &control, settled());
        let found = settled().run(gpu, vector([8.0, 8.0])).unwrap();
        assert_eq!(found.to_vec(), [1.0, 1.0]);
    }
}

#[test]
fn progress_is_told() {
    let told: Arc<Mutex<Vec<(i32, i32, bool)>>> = Arc::default();
    let to = told.clone();
    let control = Control::builder().on_progress(move |progress| {
        let [outer, inner] = progress.loops else {
            return;
        };
        assert_eq!((outer.most, outer.has_test), (40, false));
        to.lock()
            .unwrap()
            .push((outer.trip, inner.trip, inner.has_test));
    });
    let program = compile(|v: Vector| {
        let inner = |v: Vector| {
            let step = |_, v: Vector| v.map(|x| iterate(2000, |_, x: Exp<f64>| (x + 1).sin(), x));
            aiterate_while(5, |v: Vector| v.sum().the().lt(1e9), step, v)
        };
        aiterate(40, |_, v| inner(v), v)
    });
    let cpu = Cpu::default().with_control(&control.build());
    program.unwrap().run(&cpu, vector(vec![0.5; 600])).unwrap();
    let told = told.lock().unwrap();
    assert!(!told.is_empty() && told.len() <= 200, "{told:?}");
    assert!(told.is_sorted() && told.iter().all(|&(_, _, has_test)| has_test));
}

#[test]
fn states_are_traced() {
    let program =
        compile(|v: Acc<Ix1, i32>, n: Acc<Ix0, i32>| aiterate(n.the(), |k, v| v.map(|x| x + k), v));
    let program = program.unwrap();
    let trace = |every| {
        let seen: Arc<Mutex<Vec<_>>> = Arc::default();
        let to = seen.clone();
        let control = Control::builder().trace_every(every, move |trace| {
            let trip = trace.loops.last().map(|l| l.trip);
            let state: Vec<_> = trace.state.iter().map(|a| a.column().get(1)).collect();
            to.lock().unwrap().push((trip, state));
        });
        (control.build(), seen)
    };
    let input = || (vector([0, 10, 20]), Array::scalar(7));
    let expected = [(0, 10), (3, 13), (6, 25)];
    let expected = expected.map(|(trip, x)| (Some(trip), vec![Some(x.into())]));
    let (control, seen) = trace(3);
    program
        .run(&Cpu::default().with_control(&control), input())
        .unwrap();
    assert_eq!(*seen.lock().unwrap(), expected);
    if let Some(gpu) = gpu() {
        let (control, seen) = trace(3);
        program.run(&gpu.with_control(&control), input()).unwrap();
        assert_eq!(*seen.lock().unwrap(), expected);
    }
    let calls = Arc::new(AtomicUsize::new(0));
    let to = calls.clone();
    let all = Control::builder().trace_every(0, move |_| {
        to.fetch_add(1, Ordering::Relaxed);
    });
    program
        .run(&Cpu::default().with_control(&all.build()), input())
        .unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 7);
}

/// Loops that are loops of scalar code where nobody watches them.
#[test]
fn loops_of_elements_that_are_apart_are_watched() {
    let counted = Arc::new(AtomicUsize::new(0));
    let to = counted.clone();
    let control = Control::builder().trace_every(1, move |_| {
        to.fetch_add(1, Ordering::Relaxed);
    });
    let cpu = Cpu::default().with_control(&control.build());
    let doubled = compile(|v: Vector| aiterate(7, |_, v| v.map(|x| x + x), v)).unwrap();
    let plain = doubled.run(&Cpu::default(), vector([1.0, 2.0])).unwrap();
    assert_eq!(counted.load(Ordering::Relaxed), 0);
    assert_eq!(doubled.run(&cpu, vector([1.0, 2.0])).unwrap(), plain);
    assert_eq!(counted.load(Ordering::Relaxed), 7);

    type Number = Acc<Ix0, f64>;
    let endless = |x: Number| awhile(|x: Number| x.the().gt(1.0), |_, x| x.map(|x| x / 2), x);
    let endless = compile(endless).unwrap();
    let control = Control::builder().max_trips(2000).build();
    let refused = |error: Error| match error {
        Error::Run(RunError::TooManyTrips { max_trips, .. }) => max_trips,
        other => panic!("{other}"),
    };
    let cpu = Cpu::default().with_control(&control);
    let infinite = || Array::scalar(f64::INFINITY);
    assert_eq!(refused(endless.run(&cpu, infinite()).unwrap_err()), 2000);
    assert_eq!(
        endless.run(&cpu, Array::scalar(1024.0)).unwrap().item(),
        1.0
    );
    if let Some(gpu) = gpu() {
        let gpu = gpu.with_control(&control);
        assert_eq!(refused(endless.run(&gpu, infinite()).unwrap_err()), 2000);
    }
}
