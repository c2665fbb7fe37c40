//! Loops of arrays whose state is small: one workgroup of a device makes all trips, and the results are those of dispatches.

use super::loops::GPU;
use cotangent::prelude::*;
use cotangent::{Control, Cpu, Program, RunMeasures, compile};
use cotangent_backend_gpu::Gpu;
use cotangent_core::host::HostArray;
use cotangent_tests::engines::compare;
use cotangent_tests::skip::skipped;

type Vector = Acc<Ix1, f32>;
type Number = Acc<Ix0, f32>;
type Plane = (Vector, Vector);

fn columns<A: Arrays>(host: A::Host) -> Vec<HostArray> {
    let mut columns = vec![];
    A::from_host(host, &mut columns);
    columns
}

fn numbers(n: usize, seed: usize) -> Array<Ix1, f32> {
    let number = |i: usize| ((i * 7919 + seed * 104_729) % 1009) as f32 / 500.0 - 1.0;
    Array::vector((0..n).map(number).collect()).unwrap()
}

fn matrix(rows: usize, width: usize, seed: usize) -> Array<Ix2, f32> {
    Array::from_vec([rows, width], numbers(rows * width, seed).to_vec()).unwrap()
}

/// Runs a program on the CPU, on the device, and there trip by trip, to the same results; what the runs on the device took.
fn measured<In: Arrays, Out: Arrays>(
    program: &Program<In, Out>,
    input: In::Host,
) -> Option<[RunMeasures; 2]>
where
    In::Host: Clone,
{
    let gpu = GPU.as_ref().map_err(|error| skipped(error)).ok()?;
    let watching = gpu.with_control(&Control::builder().on_progress(|_| {}).build());
    let expected = program.run(&Cpu::default(), input.clone()).unwrap();
    let expected = columns::<Out>(expected);
    let run = |gpu: &Gpu| {
        let (found, measures) = program.run_measured(gpu, input.clone()).unwrap();
        let found = columns::<Out>(found);
        assert_eq!(compare(&expected, &found, 1e-3), None);
        measures
    };
    Some([run(gpu), run(&watching)])
}

/// A step of bodies in a plane that attract each other.
fn step((x, y): Plane, (u, v): Plane, m: Vector) -> (Plane, Plane) {
    let n = x.size();
    let pull = |along: Vector| {
        let pairs = generate(ix![n, n], move |ix![i, j]| {
            let [dx, dy] = [x, y].map(|x| x.at(ix![j]) - x.at(ix![i]));
            let d = along.at(ix![j]) - along.at(ix![i]);
            let square = dx * dx + dy * dy + 0.1;
            m.at(ix![j]) * d / (square * square.sqrt())
        });
        pairs.sum()
    };
    let moved = |x: Vector, by: Vector| x.zip_with(by, |x, by| x + 0.001 * by);
    let (u, v) = (moved(u, pull(x)), moved(v, pull(y)));
    ((moved(x, u), moved(y, v)), (u, v))
}

fn bodies() -> Program<(Vector, Vector, Acc<Ix0, i32>), Plane> {
    let program = |x: Vector, m: Vector, n: Acc<Ix0, i32>| {
        let still = x.map(|_| 0.0f32.into_exp());
        let y = x.map(|x| x * x - 0.3);
        let first = ((x, y), (still, still));
        let ((x, y), _) = aiterate(n.the(), |_, (at, by)| step(at, by, m), first);
        (x, y)
    };
    compile(program).unwrap()
}

#[test]
fn bodies_attract_each_other() {
    let masses = Array::vector(vec![1.0, 0.5, 2.0, 0.1, 0.7]).unwrap();
    let input = (numbers(5, 1), masses, Array::scalar(1000));
    if let Some([at_once, by_trips]) = measured(&bodies(), input) {
        assert!(at_once.passes < 10, "{at_once:?}");
        assert!(by_trips.passes > 1000, "{by_trips:?}");
    }
}

/// Conjugate gradients for a matrix that is symmetric and positive.
#[test]
fn conjugate_gradients() {
    let solve = |b: Vector, n: Acc<Ix0, i32>| {
        let times = |p: Vector| {
            let n = p.size();
            let products = generate(ix![n, n], move |ix![i, j]| {
                let far = (i - j).abs().to::<f32>();
                let entry = cond(far.lt(0.5), 3.0, 1.0 / (1.0 + far * far));
                entry * p.at(ix![j])
            });
            products.sum()
        };
        let dot = |x: Vector, y: Vector| x.zip_with(y, |x, y| x * y).sum();
        let step = |_, (x, r, p, rr): (Vector, Vector, Vector, Number)| {
            let ap = times(p);
            let length = rr.zip_with(dot(p, ap), |rr, pap| rr / pap).the();
            let x = x.zip_with(p, move |x, p| x + length * p);
            let r = r.zip_with(ap, move |r, ap| r - length * ap);
            let next = dot(r, r);
            let turn = next.zip_with(rr, |next, rr| next / rr).the();
            let p = r.zip_with(p, move |r, p| r + turn * p);
            (x, r, p, next)
        };
        let none = b.map(|_| 0.0f32.into_exp());
        let first = (none, b, b, dot(b, b));
        let (x, _, _, rr) = aiterate(n.the(), step, first);
        (x, rr)
    };
    let input = (numbers(64, 1), Array::scalar(12));
    if let Some([at_once, by_trips]) = measured(&compile(solve).unwrap(), input) {
        println!("{at_once:?} {by_trips:?}");
        assert!(at_once.passes < 16, "{at_once:?}");
        assert!(by_trips.passes > 36, "{by_trips:?}");
    }
}

/// A step of a diffusion that is found by iteration until it changes by little.
#[test]
fn implicit_steps() {
    let implicit = |u: Vector| {
        let last = u.size() - 1;
        let better = move |v: Vector| {
            generate(u.shape(), move |ix![i]| {
                let (left, right) = ((i - 1).max(0), (i + 1).min(last));
                (u.at(ix![i]) + 0.5 * (v.at(ix![left]) + v.at(ix![right]))) / 2.0
            })
        };
        let step = move |_, (v, _): (Vector, Number)| {
            let next = better(v);
            let change = next.zip_with(v, |x, y| (x - y).abs()).maximum();
            (next, change)
        };
        awhile(|(_, change)| change.the().gt(1e-5), step, (u, unit(1.0f32)))
    };
    if let Some([at_once, by_trips]) = measured(&compile(implicit).unwrap(), numbers(32, 1)) {
        println!("{at_once:?} {by_trips:?}");
        assert!(at_once.passes < 6 && at_once.submits <= 2, "{at_once:?}");
        assert!(by_trips.submits > 10, "{by_trips:?}");
    }
}

/// A recurrent network and its gradient, whose states are stacked: each is in a row whose place the trip says.
#[test]
fn recurrent_networks() {
    let network = |w: Acc<Ix2, f32>, inputs: Acc<Ix2, f32>| {
        let step = move |_, h: Vector, x: Vector| {
            let rows = h.replicate(ix![w.shape().0.1, All]);
            let h = w.zip_with(rows, |w, h| w * h).sum();
            let h = h.zip_with(x, |h, x| (0.3 * (h + x)).tanh());
            (h, h)
        };
        let (_, all) = ascan(inputs, step, w.sum());
        all.map(|h| h * h).sum_all()
    };
    let input = (matrix(20, 20, 1), matrix(30, 20, 2));
    let loss = compile(network).unwrap();
    if let Some([at_once, by_trips]) = measured(&loss, input.clone()) {
        println!("{at_once:?} {by_trips:?}");
        assert!(at_once.passes < 10, "{at_once:?}");
        assert!(by_trips.passes > 30, "{by_trips:?}");
    }
    let gradient =
        compile(move |w, inputs| gradient_a(|(w, inputs)| network(w, inputs), (w, inputs)));
    if let Some([at_once, by_trips]) = measured(&gradient.unwrap(), input) {
        println!("{at_once:?} {by_trips:?}");
        assert!(at_once.passes < 20, "{at_once:?}");
        assert!(by_trips.passes > 100, "{by_trips:?}");
    }
}

type Ints = Acc<Ix1, i32>;

fn ints(n: i32) -> Array<Ix1, i32> {
    Array::vector((0..n).map(|i| (i * 7919) % 101 - 50).collect()).unwrap()
}

/// Scans, scatters and loops at points, of integers: to the bit.
#[test]
fn scans_scatters_and_loops_at_points() {
    let program = |v: Ints, n: Acc<Ix0, i32>| {
        let last = v.size() - 1;
        let step = move |k: Exp<i32>, v: Ints| {
            let sums = v.scanl(k, |x, y| x + y).map(|x| x % 1000);
            let counts = fill(ix![50], k);
            let to = v.map(|x| x & 31);
            let counts = v.map(|_| 1.into_exp()).scatter(Combine::Add, counts, to);
            generate(v.shape(), move |ix![i]| {
                let turned = sums.at(ix![last - i]) + counts.at(ix![i & 31]);
                iterate(last, move |j, x| (x * 3 + j) % 10_007, turned)
            })
        };
        aiterate(n.the(), step, v)
    };
    let program = compile(program).unwrap();
    for (n, trips) in [(1, 3), (40, 20), (100, 7)] {
        let input = (ints(n), Array::scalar(trips));
        if let Some([at_once, by_trips]) = measured(&program, input) {
            println!("{at_once:?} {by_trips:?}");
            assert!(at_once.passes <= 4, "{at_once:?}");
        }
    }
}

/// A row that is not there ends the loop in the trip that asks for it.
#[test]
fn a_row_that_is_not_there() {
    let Ok(gpu) = GPU.as_ref() else { return };
    let program = |m: Acc<Ix2, i32>| {
        let step = move |k: Exp<i32>, v: Ints| {
            let last = v.size() - 1;
            let row = m.slice(ix![k, All]);
            generate(v.shape(), move |ix![i]| {
                v.at(ix![last - i]) + row.at(ix![i])
            })
        };
        aiterate(20, step, fill(ix![m.inner()], 0))
    };
    let program = compile(program).unwrap();
    let rows = |n: usize| Array::from_vec([n, 9], ints(n as i32 * 9).to_vec()).unwrap();
    let (found, measures) = program.run_measured(gpu, rows(20)).unwrap();
    assert_eq!(found, program.run(&Cpu::default(), rows(20)).unwrap());
    assert!(measures.passes <= 3, "{measures:?}");
    let expected = program.run(&Cpu::default(), rows(13)).unwrap_err();
    let found = program.run(gpu, rows(13)).unwrap_err();
    assert_eq!(found.to_string(), expected.to_string());
}

/// Elements change places and are halved, in branches, by loops and where the state says: no result is rounded, so that no branch
/// differs.
#[test]
fn updates_in_place() {
    let step = |i: Exp<i32>, v: Vector| {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        let j = (x.abs() * 50.0).to::<i32>() % v.inner();
        let v = acond(x.lt(y), v.set(ix![i + 1], x).set(ix![i], y * 0.5), v);
        let v = acond(y.lt(0.5), v, v.set(ix![j], v.at(ix![j]) * 0.5));
        let halve = move |k: Exp<i32>, v: Vector| v.set(ix![i + k], v.at(ix![i]) * x.min(0.5));
        let v = aiterate(i % 2, halve, v);
        acond(y.lt(0.25), aiterate(1, halve, v), v)
    };
    let energy = move |v: Vector| {
        let v = aiterate(v.inner() - 1, step, v);
        (v * v).sum()
    };
    let gradient = compile(move |v: Vector| gradient_a(energy, v)).unwrap();
    for n in [1, 2, 50, 2000] {
        if measured(&gradient, numbers(n, 3)).is_none() {
            return;
        }
    }
}
