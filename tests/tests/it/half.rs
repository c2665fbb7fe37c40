//! Programs of `f16`, through every engine: interpreter, reference runner, CPU and GPU.
//!
//! An `f16` has 11 bits, so results that are rounded in another order (sums, scans, products of matrices) may differ by
//! 1e-2 of the largest number of the program. What is computed element by element is the same to the bit. Lengths are
//! odd where they can be: two elements share a word on the device.

use crate::operations::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, Placed, compile, f16};
use cotangent_backend_gpu::{Gpu, Groups};
use cotangent_core::host::{Column, HostArray};
use cotangent_core::label::label;
use cotangent_core::recover::recover;
use cotangent_core::rounding::f16_of_f64 as half;
use cotangent_core::surface::AccFn;
use cotangent_core::types::ScalarType;
use cotangent_tests::engines::{Engine, all, disagreement, gpu, gpu_in_windows};
use cotangent_tests::generate::Case;
use cotangent_tests::skip::skipped;

type Vector = Acc<Ix1, f16>;
type Matrix = Acc<Ix2, f16>;

/// Every engine; those on a GPU if there is one with the type.
fn engines() -> Vec<Engine> {
    let mut engines = all();
    match Gpu::open(None) {
        Ok(device) if device.target().has(ScalarType::F16) => {
            let together = device.clone().with_groups(Groups::Always);
            engines.extend([gpu(device.clone()), gpu(together), gpu_in_windows(device)]);
        }
        Ok(device) => println!("skipped: {} has no f16", device.info().name),
        Err(error) => skipped(&error),
    }
    engines
}

/// Asserts that every engine gives what the interpreter gives.
#[track_caller]
fn agree<M, F: AccFn<M>>(f: F, inputs: &[Vec<HostArray>]) {
    let traced = trace(f).unwrap();
    let program = label(&recover(&traced.graph, &traced.lambda).unwrap());
    let engines = engines();
    for inputs in inputs {
        let (program, inputs) = (program.clone(), inputs.clone());
        match disagreement(&Case { program, inputs }, &engines) {
            Ok(summary) => assert_eq!(summary.unsupported, 0),
            Err(found) => panic!("{:?}", found.fault),
        }
    }
}

/// Numbers of that shape, between -2 and 2.
fn some(shape: &[usize], seed: usize) -> HostArray {
    let value = |i: usize| half(((i * 37 + seed * 11) % 64) as f64 / 16.0 - 2.0);
    host(
        shape,
        (0..shape.iter().product()).map(value).collect::<Vec<_>>(),
    )
}

fn host(shape: &[usize], values: impl Into<Column>) -> HostArray {
    HostArray::new(shape.to_vec(), values.into()).unwrap()
}

/// So many places, each below `below`.
fn places(n: usize, below: usize) -> HostArray {
    let place = |i: usize| ((i * 29 + 3) % below) as i32;
    host(&[n], (0..n).map(place).collect::<Vec<_>>())
}

const LENGTHS: [usize; 7] = [0, 1, 2, 3, 5, 64, 1001];

fn vectors() -> Vec<Vec<HostArray>> {
    LENGTHS.map(|n| vec![some(&[n], 1)]).to_vec()
}

fn pairs() -> Vec<Vec<HostArray>> {
    LENGTHS.map(|n| vec![some(&[n], 1), some(&[n], 5)]).to_vec()
}

#[test]
fn maps_of_any_length() {
    agree(
        |x: Vector| x.map(|x| (x * x + 0.5, -x, x.lt(0.25))),
        &vectors(),
    );
    agree(
        |x: Vector, y: Vector| x.zip_with(y, |x, y| (x / y).max(x - y)),
        &pairs(),
    );
}

/// Engines compute in wider types, and round after each operation: also where the next one widens again.
#[test]
fn each_operation_is_rounded() {
    let x = Array::vector(vec![half(2048.0), half(0.1), half(1e-4), half(60000.0)]).unwrap();
    let chain = |x: Vector| {
        x.map(|x| {
            let narrowed = (x.to_f32() * 1.001).to_f16().to_f32() * 3.0;
            (
                x + 1.0 - x,
                x * 3.0 / 3.0,
                (x / 3.0).sqrt(),
                (x * 2.0) * 0.5,
                narrowed,
            )
        })
    };
    let by_hand = |x: f16| {
        let narrowed = half(f64::from(x.to_f32() * 1.001)).to_f32() * 3.0;
        (
            half((half(x.to_f64() + 1.0) - x).to_f64()),
            half(half(x.to_f64() * 3.0).to_f64() / 3.0),
            half(half(x.to_f64() / 3.0).to_f64().sqrt()),
            half(half(x.to_f64() * 2.0).to_f64() * 0.5),
            narrowed,
        )
    };
    let expected: Vec<_> = x.to_vec().into_iter().map(by_hand).collect();
    assert_eq!(expected[0].0, half(0.0));
    assert_eq!(expected[3].3, f16::INFINITY);
    let program = compile(chain).unwrap();
    assert_eq!(program.interpret(x.clone()).unwrap().to_vec(), expected);
    let by_cpu = program.run(&cotangent::Cpu::default(), x).unwrap();
    assert_eq!(by_cpu.to_vec(), expected);
}

/// The parts that drivers may not take for real numbers: a conversion to `f16` and back. Lavapipe rounds to the nearest.
#[test]
fn narrowing_is_no_detour_on_the_device() {
    let gpu = match Gpu::open(None) {
        Ok(gpu) if gpu.target().has(ScalarType::F16) && gpu.info().is_software() => gpu,
        Ok(_) => return println!("skipped: how a GPU rounds is its choice"),
        Err(error) => return skipped(&error),
    };
    let program = compile(|x: Acc<Ix1, f32>| {
        x.map(|x| {
            (
                x.to_f16().to_f32(),
                (x.to_f16() / 3.0).abs().sqrt(),
                x.to_f64().to_f16(),
            )
        })
    });
    let program = program.unwrap();
    let values: Vec<f32> = (0..999)
        .map(|i| (i as f32 * 0.37).sin() * 10f32.powi(i % 11 - 5))
        .collect();
    let x = Array::vector(values).unwrap();
    let expected = program.interpret(x.clone()).unwrap().to_vec();
    assert_eq!(program.run(&gpu, x).unwrap().to_vec(), expected);
}

#[test]
fn reductions() {
    agree(
        |x: Vector, y: Vector| x.zip_with(y, |x, y| x * y).sum(),
        &pairs(),
    );
    let nonempty = &vectors()[1..];
    agree(
        |x: Vector| (x.maximum(), x.minimum(), x.fold(1.0, |x, y| x.min(y))),
        nonempty,
    );
    let rows = [[3, 5], [1, 1], [33, 129]].map(|shape| vec![some(&shape, 2)]);
    agree(
        |x: Matrix| (x.sum(), x.transpose().sum(), x.maximum(), x.transpose()),
        &rows,
    );
}

#[test]
fn scans() {
    agree(
        |x: Vector| (x.scanl(0.0, |x, y| x + y), x.scanr(0.5, |x, y| x.max(y))),
        &vectors(),
    );
}

#[test]
fn products_of_matrices() {
    let product = |x: Matrix, y: Matrix| {
        let (ix![n, k], ix![_, m]) = (x.shape(), y.shape());
        let terms = generate(ix![n, m, k], |ix![i, j, l]| {
            x.at(ix![i, l]) * y.at(ix![l, j])
        });
        terms.sum()
    };
    let sizes = [[1, 1, 1], [3, 5, 7], [17, 9, 33], [70, 40, 21]];
    let inputs = sizes.map(|[n, k, m]| vec![some(&[n, k], 1), some(&[k, m], 2)]);
    agree(product, &inputs);
    agree(
        move |x: Matrix, y: Matrix| gradient_a(|x| product(x, y).map(|z| z * z).sum().sum(), x),
        &inputs[..2],
    );
}

/// Products of `f16` are taken as they were written: put together in another way, these overflow.
#[test]
fn products_are_not_taken_apart() {
    let f = |x: Matrix, y: Matrix, z: Vector| {
        let (ix![n, k], ix![_, m]) = (x.shape(), y.shape());
        let term =
            |ix![i, j, l]: Ix3| (x.at(ix![i, l]) * z.at(ix![j])) * (y.at(ix![l, j]) * z.at(ix![i]));
        generate(ix![n, m, k], term).sum()
    };
    let (large, small) = (half(1000.0), half(1e-3));
    let inputs = (
        matrix([[large; 3]; 2]),
        matrix([[large; 2]; 3]),
        vector(vec![small; 2]),
    );
    let one = half(1000.0) * half(1e-3);
    let sum = one * one + one * one + one * one;
    gives(f, inputs, matrix([[sum; 2]; 2]));
}

#[test]
fn scatters_and_gathers() {
    let to = |n: usize| vec![some(&[n], 1), places(n, 7), some(&[7], 3)];
    let inputs = [1, 5, 501].map(to);
    agree(
        |x: Vector, to: Acc<Ix1, i32>, y: Vector| {
            (
                x.scatter(Combine::Add, y, to),
                x.scatter(Combine::Overwrite, y, to),
                to.map(move |i| y.at(ix![i])),
            )
        },
        &inputs,
    );
    // To so many elements that points are sorted.
    let many = vec![some(&[3001], 1), places(3001, 2503), some(&[2503], 3)];
    agree(
        |x: Vector, to: Acc<Ix1, i32>, y: Vector| x.scatter(Combine::Add, y, to),
        &[many],
    );
}

/// Parts of other arrays begin in the middle of words.
#[test]
fn parts_of_arrays() {
    agree(
        |x: Vector, y: Vector| {
            let both = x.append(y.map(|y| y * 0.5)).append(x);
            let pairs = x.map(|x| [x, x + 1.0, x * x]).unpack();
            (both, pairs, x.map(|x| (x, x.lt(0.0))))
        },
        &pairs(),
    );
}

/// Losses are computed in `f32`, weights are kept in `f16`: a derivative passes through both conversions.
#[test]
fn gradients_through_conversions() {
    let loss = |w: Vector, x: Matrix, y: Acc<Ix1, f32>| {
        let (ix![n], ix![_, d]) = (y.shape(), x.shape());
        let terms = generate(ix![n, d], |ix![i, j]| {
            x.at(ix![i, j]).to_f32() * w.at(ix![j]).to_f32()
        });
        let error = terms.sum().zip_with(y, |found, y| (found - y).to_f16());
        error.map(|e| e.to_f32() * e.to_f32()).sum()
    };
    let step = move |w: Vector, x: Matrix, y: Acc<Ix1, f32>| {
        let (value, gradient) = value_and_gradient_a(|w| loss(w, x, y), w);
        (value, w.zip_with(gradient, |w, g| w - 0.01 * g))
    };
    let inputs = [[1, 1], [3, 5], [21, 7]].map(|[n, d]| {
        let y: Vec<f32> = (0..n).map(|i| i as f32 * 0.25 - 1.0).collect();
        vec![some(&[d], 1), some(&[n, d], 2), host(&[n], y)]
    });
    agree(step, &inputs);
    let partial = |x: Exp<f16>| gradient_e(|x: Exp<f16>| (x.to_f32() * 0.5).to_f16() * x, x);
    gives(
        move |x: Vector| x.map(partial),
        vector([half(3.0), half(-0.5)]),
        vector([half(3.0), half(-0.5)]),
    );
}

/// Squares of ordinary numbers, and reciprocals of small ones, are infinite in `f16`; partial derivatives are not.
#[test]
fn partials_do_not_overflow_on_the_way() {
    let partials = |x: Vector, y: Vector| {
        let of = |f: fn(Exp<f16>) -> Exp<f16>| gradient_a(move |x: Vector| x.map(f).sum(), x);
        let one = (
            of(|x| x.asinh()),
            of(|x| x.atan()),
            of(|x| x.ln_1p()),
            of(|x| x.sqrt()),
        );
        let by_both = |f: fn(Exp<f16>, Exp<f16>) -> Exp<f16>| {
            gradient_a(
                move |(x, y): (Vector, Vector)| x.zip_with(y, f).sum(),
                (x, y),
            )
        };
        (one, by_both(|x, y| x.atan2(y)), by_both(|x, y| x / y))
    };
    let large = [300.0, 20000.0, 1e-5].map(half);
    let inputs = vec![host(&[3], large.to_vec()), host(&[3], large.to_vec())];
    agree(partials, &[inputs]);
    let program = compile(partials).unwrap();
    let x = || Array::vector(large.to_vec()).unwrap();
    let ((asinh, atan, _, _), (by_x, by_y), _) = program.run(&Cpu::default(), (x(), x())).unwrap();
    for (found, expected) in [
        (asinh, 1.0 / 300.0),
        (atan, 1.1111e-5),
        (by_x, 1.0 / 600.0),
        (by_y, -1.0 / 600.0),
    ] {
        let found = found.to_vec()[0].to_f64();
        assert!((found / expected - 1.0).abs() < 1e-2, "{found} {expected}");
    }
}

#[test]
fn strips_and_scalar_code() {
    let softmax = |x: Matrix| {
        let spread = |row: Vector| row.replicate(ix![All, x.inner()]);
        let powers = x.zip_with(spread(x.maximum()), |x, m| (x - m).exp());
        powers.zip_with(spread(powers.sum()), |p, sum| p / sum)
    };
    agree(
        softmax,
        &[[3, 5], [65, 33]].map(|shape| vec![some(&shape, 4)]),
    );
    let scaled = |x: Vector| {
        let norm = x.map(|x| x * x).sum().the().sqrt();
        let first = x.at(ix![2]);
        x.map(move |x| x / norm + first)
    };
    agree(scaled, &vectors()[3..5]);
}

/// An odd number of elements is copied to the device and back, and before a scatter writes over it.
#[test]
fn arrays_that_stay_on_the_device() {
    let gpu = match Gpu::open(None) {
        Ok(gpu) if gpu.target().has(ScalarType::F16) => gpu,
        Ok(_) => return,
        Err(error) => return skipped(&error),
    };
    let add = compile(|x: Vector, to: Acc<Ix1, i32>| {
        to.map(|_| constant(f16::ONE)).scatter(Combine::Add, x, to)
    });
    let add = add.unwrap();
    for n in [1, 3, 5] {
        let x: Placed<Vector, Gpu> = Placed::put(&gpu, vector(vec![half(0.5); n])).unwrap();
        let last = Placed::put(&gpu, vector([n as i32 - 1; 2])).unwrap();
        let inputs = Placed::from((x.clone(), last));
        let mut expected = vec![half(0.5); n];
        assert_eq!(x.get(&gpu).unwrap().to_vec(), expected);
        let found = add.run_there(&gpu, &inputs).unwrap();
        expected[n - 1] = half(2.5);
        assert_eq!(found.get(&gpu).unwrap().to_vec(), expected);
        assert_eq!(x.get(&gpu).unwrap().to_vec(), vec![half(0.5); n]);
    }
}
