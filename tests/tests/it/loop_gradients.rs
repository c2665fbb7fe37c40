//! Derivatives of programs with loops on every engine: by the interpreter's dual numbers, on CPUs and on a GPU.

use crate::loops::{GPU, HostOf, cpus, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use cotangent_core::host::HostArray;
use cotangent_core::surface::AccFn;
use cotangent_tests::differences::all_agree;
use cotangent_tests::engines::compare;
use cotangent_tests::skip::skipped;

fn columns<A: Arrays>(host: A::Host) -> Vec<HostArray> {
    let mut columns = vec![];
    A::from_host(host, &mut columns);
    columns
}

/// Checks that engines agree on what a program with gradients gives, relative to numbers of the size `scale`.
#[track_caller]
pub fn agree<M, F: AccFn<M>>(f: F, input: HostOf<F::In>, scale: f64)
where
    HostOf<F::In>: Clone,
{
    let program = compile(f).unwrap();
    let expected = columns::<F::Out>(program.interpret(input.clone()).unwrap());
    for cpu in cpus() {
        let found = columns::<F::Out>(program.run(&cpu, input.clone()).unwrap());
        assert_eq!(compare(&expected, &found, scale), None, "{cpu:?}");
    }
    match GPU.as_ref() {
        Err(error) => skipped(error),
        Ok(gpu) => {
            let found = columns::<F::Out>(program.run(gpu, input).unwrap());
            assert_eq!(compare(&expected, &found, scale), None, "GPU");
        }
    }
}

pub fn numbers(n: usize, seed: usize) -> Vec<f64> {
    let number = |i: usize| ((i * 7919 + seed * 104_729) % 1000) as f64 / 1000.0 - 0.4;
    (0..n).map(number).collect()
}

pub(crate) fn matrix(rows: usize, columns: usize, seed: usize) -> Array<Ix2, f64> {
    Array::from_vec([rows, columns], numbers(rows * columns, seed)).unwrap()
}

pub(crate) fn narrow(rows: usize, columns: usize, seed: usize) -> Array<Ix2, f32> {
    let all = numbers(rows * columns, seed);
    let all = all.into_iter().map(|x| x as f32).collect();
    Array::from_vec([rows, columns], all).unwrap()
}

/// The loss of a recurrent network, by its weights and inputs.
fn network<T: Float>(w: Acc<Ix2, T>, inputs: Acc<Ix2, T>) -> Acc<Z, T> {
    let step = |_, h: Acc<Ix1, T>, x: Acc<Ix1, T>| {
        let rows = h.replicate(ix![w.shape().0.1, All]);
        let h = w.zip_with(rows, |w, h| w * h).sum();
        let h = h.zip_with(x, |h, x| (h + x).tanh());
        (h, h)
    };
    let first = w.sum().map(|x| x * x);
    let (last, all) = ascan(inputs, step, first);
    let all = all.map(|h| h * h).sum_all();
    all.zip_with(last.sum(), |a, b| a + b)
}

#[test]
fn recurrent_networks() {
    for (n, width) in [(0, 3), (1, 1), (4, 3), (30, 20)] {
        let gradient = |(w, x): (Acc<Ix2, f64>, Acc<Ix2, f64>)| {
            value_and_gradient_a(|(w, x)| network(w, x), (w, x))
        };
        agree(
            gradient,
            (matrix(width, width, 1), matrix(n, width, 2)),
            10.0,
        );
        let gradient = |(w, x): (Acc<Ix2, f32>, Acc<Ix2, f32>)| {
            value_and_gradient_a(|(w, x)| network(w, x), (w, x))
        };
        agree(
            gradient,
            (narrow(width, width, 1), narrow(n, width, 2)),
            10.0,
        );
    }
}

#[test]
fn stencils_over_time() {
    let heat = |v: Acc<Ix1, f64>, n: Acc<Ix0, i32>| {
        let step = |v: Acc<Ix1, f64>| {
            let last = v.size() - 1;
            generate(v.shape(), |ix![i]| {
                let (left, right) = ((i - 1).max(0), (i + 1).min(last));
                let here = v.at(ix![i]);
                here + 0.2 * (v.at(ix![left]) - 2.0 * here + v.at(ix![right])) * here.cos()
            })
        };
        let run = |v| aiterate(n.the(), |_, v| step(v), v);
        value_and_gradient_a(|v| run(v).map(|x| x * x).sum(), v)
    };
    for (size, trips) in [(0, 3), (1, 2), (2, 3), (3, 0), (300, 12)] {
        let input = (vector(numbers(size, 3)), Array::scalar(trips));
        agree(heat, input, 10.0);
    }
}

#[test]
fn scalar_loops() {
    let newton = |v: Acc<Ix1, f64>| {
        let root = |c: Exp<f64>| {
            let far = |x: Exp<f64>| (x * x - c * c - 1.0).abs().gt(1e-12);
            iterate_while(50, far, |_, x: Exp<f64>| (x + (c * c + 1.0) / x) / 2.0, 3.0)
        };
        value_and_gradient_a(|v: Acc<Ix1, f64>| v.map(root).sum(), v)
    };
    for size in [0, 1, 1000] {
        agree(newton, vector(numbers(size, 4)), 10.0);
    }
    let horner = |c: Acc<Ix1, f64>, x: Acc<Ix1, f64>| {
        let value =
            |c: Acc<Ix1, f64>, x: Exp<f64>| c.fold_in_order(0.0, |_, sum: Exp<f64>, c| sum * x + c);
        let total = |(c, x): (Acc<Ix1, f64>, Acc<Ix1, f64>)| x.map(|x| value(c, x)).sum();
        value_and_gradient_a(total, (c, x))
    };
    for (n, size) in [(0, 3), (1, 0), (5, 1), (20, 300)] {
        agree(
            horner,
            (vector(numbers(n, 5)), vector(numbers(size, 6))),
            100.0,
        );
    }
    let filter = |m: Acc<Ix2, f32>| {
        let total = |m: Acc<Ix2, f32>| {
            let smooth = m.fold_seq(0.5_f32, |_, s: Exp<f32>, x| s * 0.75 + x.sin() * s);
            smooth.map(|x| x * x).sum()
        };
        value_and_gradient_a(total, m)
    };
    for (rows, length) in [(0, 2), (1, 1), (3, 0), (40, 30)] {
        agree(filter, narrow(rows, length, 7), 10.0);
    }
}

/// Elements out of range that no trip reads: in a branch that is never taken, in a loop inside that makes no trip. Found by a generated
/// program.
#[test]
fn what_no_trip_reads_may_be_anywhere() {
    let f = |(v, w): (Acc<Ix1, f64>, Acc<Ix1, f64>)| {
        let step = |_: Exp<i32>, y: Exp<f64>| {
            let often = cond::<i32>(y.gt(100.0), 2, 0);
            let inside = iterate(often, |_, y: Exp<f64>| y * w.at(ix![-2]), y * 0.5);
            cond::<f64>(y.gt(100.0), inside * w.at(ix![6]), inside + w.at(ix![1]))
        };
        v.map(|x| iterate(3, step, x)).sum()
    };
    let input = || (vector(numbers(5, 1)), vector(numbers(3, 2)));
    all_agree(f, input());
    let gradient = move |p: (Acc<Ix1, f64>, Acc<Ix1, f64>)| gradient_a(f, p);
    agree(gradient, input(), 1.0);
}

/// Each element of a chain depends on the one before it.
fn bones(v: Acc<Ix1, f64>) -> Acc<Z, f64> {
    let step = |k: Exp<i32>, s: Acc<Ix1, f64>| {
        let parent = cond(k.gt(0), s.at(ix![(k - 1).max(0)]), 1.0);
        let next = unit(parent * s.at(ix![k]).cos() + 0.1);
        let next = next.reshape(ix![1]);
        next.permute(Combine::Overwrite, s, |_| (true, ix![k]))
    };
    aiterate(v.size(), step, v).map(|x| x * x).sum()
}

#[test]
fn elements_written_one_by_one() {
    for n in [0, 1, 2, 25] {
        let gradient = |v: Acc<Ix1, f64>| value_and_gradient_a(bones, v);
        agree(gradient, vector(numbers(n, 8)), 10.0);
    }
}

/// Trips that write one element keep one element: a stack of all states would take 8 n² bytes.
#[test]
fn updates_keep_what_they_overwrite() {
    let program = compile(|v: Acc<Ix1, f64>| gradient_a(bones, v)).unwrap();
    let n = 3000;
    let cpu = Cpu::builder().threads(1).build().unwrap();
    let (_, measures) = program.run_measured(&cpu, vector(numbers(n, 8))).unwrap();
    assert!(
        measures.peak_bytes < 200 * n as u64,
        "{}",
        measures.peak_bytes
    );
    let foretold = program.explain_for(&[&[n]]).unwrap().peak_bytes;
    assert!(foretold.number().unwrap() < 200 * n as u64, "{foretold:?}");
}

#[test]
fn tests_and_shapes_that_change() {
    let halves = |v: Acc<Ix1, f64>| {
        let step = |_, v: Acc<Ix1, f64>| {
            let n = v.size() / 2;
            generate(ix![n], |ix![i]| {
                (v.at(ix![2 * i]) * v.at(ix![2 * i + 1])).sin() + 0.5
            })
        };
        let run = |v: Acc<Ix1, f64>| awhile(|v: Acc<Ix1, f64>| v.size().gt(1), step, v);
        value_and_gradient_a(|v| run(v).sum(), v)
    };
    for n in [0, 1, 2, 7, 64] {
        agree(halves, vector(numbers(n, 9)), 10.0);
    }
}

#[test]
fn coupled_folds_and_scans() {
    let product = |m: Acc<Ix2, f64>| {
        let total = |m: Acc<Ix2, f64>| {
            let pairs = m.map(|x| (x.cos(), x.sin() + 0.1));
            let times = |(a, b): (Exp<f64>, Exp<f64>), (c, d): (Exp<f64>, Exp<f64>)| {
                (a * c - b * d, a * d + b * c)
            };
            let all = pairs.scanl1(times).map(|(a, b)| a * b).sum_all();
            let last = pairs.fold((1.0, 0.0), times).map(|(a, b)| a + b).sum();
            all.zip_with(last, |a, b| a + b)
        };
        value_and_gradient_a(total, m)
    };
    for (rows, length) in [(0, 2), (1, 1), (3, 0), (20, 30)] {
        agree(product, matrix(rows, length, 10), 100.0);
    }
}

#[test]
fn second_derivatives() {
    let curvature = |w: Acc<Ix2, f64>, x: Acc<Ix2, f64>| {
        let slope = |w: Acc<Ix2, f64>| gradient_a(|w| network(w, x), w).map(|g| g * g).sum_all();
        value_and_gradient_a(slope, w)
    };
    agree(curvature, (matrix(3, 3, 11), matrix(4, 3, 12)), 100.0);
    let loops = |v: Acc<Ix1, f64>| {
        let f = |v: Acc<Ix1, f64>| {
            v.map(|x| iterate(5, |_, y: Exp<f64>| (y * x).sin() + 0.5, x))
                .sum()
        };
        let slope = |v| gradient_a(f, v).map(|g: Exp<f64>| g * g).sum();
        value_and_gradient_a(slope, v)
    };
    agree(loops, vector(numbers(50, 13)), 100.0);
}
