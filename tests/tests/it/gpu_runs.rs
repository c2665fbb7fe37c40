//! How programs run on a device, rather than what they compute: submits, memory, threads, arrays that stay, failures.

use cotangent::prelude::*;
use cotangent::{Backend, Cpu, Error, Placed, Program, RunError, RunMeasures, compile};
use cotangent_backend_gpu::{Gpu, GpuError};
use cotangent_tests::skip::skipped;
use std::sync::LazyLock;

/// The first device, opened once.
static GPU: LazyLock<Result<Gpu, GpuError>> = LazyLock::new(|| Gpu::open(None));

fn gpu() -> Option<&'static Gpu> {
    let gpu = GPU.as_ref();
    gpu.map_err(|error| skipped(error)).ok()
}

fn vector(n: usize) -> Array<Ix1, f32> {
    Array::vector((0..n).map(|i| (i % 17) as f32 * 0.5).collect()).unwrap()
}

type Vector = Acc<Ix1, f32>;

/// One step of gradient descent on the distance from `c`.
fn descent() -> Program<(Vector, Vector), Vector> {
    compile(|x: Vector, c: Vector| {
        let loss = move |x: Vector| x.zip_with(c, |x, c| (x - c) * (x - c)).sum();
        x.zip_with(gradient_a(loss, x), |x, dx| x - 0.25 * dx)
    })
    .unwrap()
}

#[test]
fn arrays_stay_on_the_device_from_run_to_run() {
    let Some(gpu) = gpu() else { return };
    let step = descent();
    let c = Placed::put(gpu, vector(1000)).unwrap();
    let zero = Array::vector(vec![0.0; 1000]).unwrap();
    let start = Placed::put(gpu, zero).unwrap();
    let mut x = start.clone();
    for _ in 0..40 {
        let (next, measures) = step
            .run_there_measured(gpu, &Placed::from((x, c.clone())))
            .unwrap();
        assert_eq!(measures.submits, 1);
        x = next;
    }
    let found = x.get(gpu).unwrap().to_vec();
    assert!(
        found
            .iter()
            .zip(vector(1000).to_vec())
            .all(|(x, c)| (x - c).abs() < 1e-5)
    );
    // What a run began with is as it was.
    assert_eq!(start.get(gpu).unwrap().to_vec(), [0.0; 1000]);
}

/// A scatter writes over the array that it begins with: not over one that the caller has.
#[test]
fn arrays_of_the_caller_are_not_written_over() {
    let Some(gpu) = gpu() else { return };
    let count = compile(|counts: Acc<Ix1, i32>, to: Acc<Ix1, i32>| {
        to.map(|_| 1.into_exp()).scatter(Combine::Add, counts, to)
    });
    let counts = Placed::put(gpu, Array::vector(vec![0; 4]).unwrap()).unwrap();
    let to = Placed::put(gpu, Array::vector(vec![1, 3, 1]).unwrap()).unwrap();
    let count = count.unwrap();
    for _ in 0..2 {
        let inputs = Placed::from((counts.clone(), to.clone()));
        let counted = count.run_there(gpu, &inputs).unwrap();
        assert_eq!(counted.get(gpu).unwrap().to_vec(), [0, 2, 0, 1]);
    }
    assert_eq!(counts.get(gpu).unwrap().to_vec(), [0; 4]);
}

/// What a program results in is taken apart, each array with all of its columns.
#[test]
fn placed_tuples_come_apart() {
    let program =
        compile(|x: Acc<Ix1, (f32, i32)>, y: Vector| (y.map(|y| y + 1.0), x, y.map(|y| y * 2.0)));
    let program = program.unwrap();
    let pairs = Array::vector(vec![(1.0f32, 2), (3.0, 4)]).unwrap();
    let cpu = Cpu::default();
    let x = Placed::put(&cpu, pairs.clone()).unwrap();
    let y = Placed::put(&cpu, vector(3)).unwrap();
    let results = program.run_there(&cpu, &Placed::from((x, y))).unwrap();
    let (more, same, double) = results.into_parts();
    assert_eq!(more.get(&cpu).unwrap().to_vec(), [1.0, 1.5, 2.0]);
    assert_eq!(same.get(&cpu).unwrap(), pairs);
    assert_eq!(double.get(&cpu).unwrap().to_vec(), [0.0, 1.0, 2.0]);
}

#[test]
fn arrays_of_another_device_are_refused() {
    let Some(gpu) = gpu() else { return };
    let Ok(other) = Gpu::open(None) else { return };
    let x = Placed::put(gpu, vector(3)).unwrap();
    let error = descent()
        .run_there(&other, &Placed::from((x.clone(), x.clone())))
        .unwrap_err();
    assert!(error.to_string().contains("another device"), "{error}");
    let error = x.get(&other).unwrap_err();
    assert!(error.to_string().contains("another device"), "{error}");
}

/// A program and the arrays in it are for all devices of a name: each brings the arrays to itself.
#[test]
fn a_program_runs_on_one_device_after_the_other() {
    let Some(gpu) = gpu() else { return };
    let Ok(other) = Gpu::open(None) else { return };
    let table = Array::vector(vec![1.0f32, 2.0, 4.0]).unwrap();
    let look_up = compile(move |at: Acc<Ix1, i32>| {
        let table = use_(&table);
        at.map(move |i| table.at(ix![i]))
    });
    let look_up = look_up.unwrap();
    for device in [gpu, &other, gpu] {
        let at = Array::vector(vec![2, 0]).unwrap();
        assert_eq!(look_up.run(device, at).unwrap().to_vec(), [4.0, 1.0]);
    }
}

/// The submits of a run from arrays of the host.
fn submits<In: Arrays, Out: Arrays>(
    gpu: &Gpu,
    program: &Program<In, Out>,
    inputs: In::Host,
) -> (Out::Host, u64) {
    let (results, measures): (_, RunMeasures) = program.run_measured(gpu, inputs).unwrap();
    (results, measures.submits)
}

/// What scalar code computes from elements stays on the device, if it says neither how much is done nor whether.
#[test]
fn numbers_that_only_kernels_need_are_not_waited_for() {
    let Some(gpu) = gpu() else { return };
    let scaled = compile(|x: Acc<Ix1, f32>| {
        let norm = x.map(|x| x * x).sum().the().sqrt();
        let scaled = x.map(move |x| x / norm);
        let most = scaled.maximum_all().the();
        scaled.map(move |x| x / most).fold(most, |x, y| x + y)
    });
    let scaled = scaled.unwrap();
    let on_cpu = scaled.run(&Cpu::default(), vector(5000)).unwrap().to_vec();
    let (found, submits) = submits(gpu, &scaled, vector(5000));
    assert!((found.to_vec()[0] - on_cpu[0]).abs() < 1e-3 * on_cpu[0].abs());
    assert_eq!(submits, 1);
}

/// An extent that depends on elements is waited for, once.
#[test]
fn extents_that_depend_on_elements_are_waited_for() {
    let Some(gpu) = gpu() else { return };
    let iota = compile(|n: Acc<Ix1, i32>| {
        let most = n.map(|n| n + 1).maximum_all().the();
        generate(ix![most], |ix![i]| i * 2)
    });
    let n = Array::vector(vec![1, 4, 2]).unwrap();
    let (found, submits) = submits(gpu, &iota.unwrap(), n);
    assert_eq!((found.to_vec(), submits), (vec![0, 2, 4, 6, 8], 2));
}

/// Large inputs are on their way while the rest is prepared.
#[test]
fn large_inputs_take_a_submit_of_their_own() {
    let Some(gpu) = gpu() else { return };
    let double = compile(|x: Acc<Ix1, f32>| x.map(|x| x + x)).unwrap();
    for (n, expected) in [(1000, 1), (1 << 20, 2)] {
        let (found, submits) = submits(gpu, &double, vector(n));
        let doubled = vector(n).to_vec().into_iter().map(|x| x + x);
        assert!(found.to_vec().into_iter().eq(doubled));
        assert_eq!(submits, expected, "{n}");
    }
}

/// Of two kernels that fail, the first is reported; and then the next run is as if nothing had happened.
#[test]
fn the_first_failure_is_reported_and_forgotten() {
    let Some(gpu) = gpu() else { return };
    let gather = compile(|x: Acc<Ix1, f32>, at: Acc<Ix1, i32>, also: Acc<Ix1, i32>| {
        let first = at.map(move |i| x.at(ix![i])).sum();
        let second = also.map(move |i| x.at(ix![i])).sum();
        first.zip_with(second, |x, y| x + y)
    });
    let gather = gather.unwrap();
    let run = |at: [i32; 2], also: [i32; 2]| {
        let [at, also] = [at, also].map(|at| Array::vector(at.to_vec()).unwrap());
        gather.run(gpu, (vector(3), at, also))
    };
    for (at, also, index) in [([0, 7], [9, 0], 7), ([0, 1], [1, 9], 9)] {
        match run(at, also) {
            Err(Error::Run(RunError::IndexOutOfRange { index: found, .. })) => {
                assert_eq!(found, [index]);
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(run([0, 1], [2, 2]).unwrap().to_vec(), [2.5]);
    }
}

/// Of several elements of a long scan that fail, the same one is reported as elsewhere, from whichever end it goes.
#[test]
fn the_first_failure_of_a_scan_is_reported() {
    let Some(gpu) = gpu() else { return };
    let left = |x: Vector, at: Acc<Ix1, i32>| at.map(move |i| x.at(ix![i])).scanl1(|x, y| x + y);
    let right = |x: Vector, at: Acc<Ix1, i32>| at.map(move |i| x.at(ix![i])).scanr1(|x, y| x + y);
    let programs = [compile(left).unwrap(), compile(right).unwrap()];
    for n in [50, 3000, 100_000] {
        for wrong in [vec![n / 3, n - 2], vec![1, n / 2, n - 1]] {
            let mut at: Vec<i32> = (0..n).map(|i| i % 3).collect();
            for &place in &wrong {
                at[place as usize] = 1000 + place;
            }
            for program in &programs {
                let inputs = || (vector(3), Array::vector(at.clone()).unwrap());
                let expected = program.interpret(inputs()).unwrap_err().to_string();
                let by_cpu = program.run(&Cpu::default(), inputs()).unwrap_err();
                let found = program.run(gpu, inputs()).unwrap_err();
                assert_eq!(by_cpu.to_string(), expected);
                assert_eq!(found.to_string(), expected);
            }
        }
    }
}

/// Threads share a device, its memory and its shaders.
#[test]
fn threads_share_a_device() {
    let Some(gpu) = gpu() else { return };
    let sums = compile(|x: Acc<Ix1, f32>| x.scanl(0.0, |x, y| x + y));
    let (sums, step) = (sums.unwrap(), descent());
    let work = |seed: usize| {
        for n in (1..20).map(|i| i * 97 + seed) {
            let found = sums.run(gpu, vector(n)).unwrap();
            assert_eq!(found, sums.run(&Cpu::default(), vector(n)).unwrap(), "{n}");
            let found = step.run(gpu, (vector(n), vector(n))).unwrap();
            assert_eq!(found, vector(n));
        }
    };
    std::thread::scope(|scope| {
        for seed in 0..4 {
            scope.spawn(move || work(seed));
        }
    });
}

/// Arrays that no device has the memory for are an error that names the line.
#[test]
fn too_large_an_array_is_an_error_with_its_line() {
    let Some(gpu) = gpu() else { return };
    let huge = compile(|n: Acc<Ix0, i32>| generate(ix![n.the(), 1 << 20], |ix![i, j]| i + j));
    let n = Array::from_vec([], vec![1 << 10]).unwrap();
    match huge.unwrap().run(gpu, n) {
        Err(Error::Run(error @ RunError::DeviceMemory { .. })) => {
            let text = error.to_string();
            let parts = ["gpu_runs.rs", "4294967296 bytes", &gpu.info().name];
            assert!(parts.iter().all(|part| text.contains(part)), "{text}");
            let way_out = "use smaller arrays, or fewer at a time, or the CPU";
            assert!(text.ends_with(way_out), "{text}");
        }
        // A device with so much memory.
        Ok(_) => {}
        Err(other) => panic!("{other:?}"),
    }
}

/// What is beyond the limit of a device says so, with line and size.
#[test]
fn the_limit_of_a_device_is_named() {
    let gpu = match Gpu::builder().portable_limits().open() {
        Ok(gpu) => gpu,
        Err(error) => return skipped(&error),
    };
    let most = gpu.info().max_array_bytes;
    let limit = format!("an array on this device has at most {most} bytes");
    let large = compile(|n: Acc<Ix0, i32>| fill(ix![n.the(), 1 << 20], 1.0f32)).unwrap();
    let n = Array::from_vec([], vec![512]).unwrap();
    let Err(Error::Run(error @ RunError::DeviceMemory { .. })) = large.run(&gpu, n) else {
        panic!("2 GiB on a device of portable limits");
    };
    let text = error.to_string();
    let parts = [
        "`generate` at ",
        "gpu_runs.rs",
        "2147483648 bytes",
        &limit,
        &gpu.info().name,
    ];
    assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    let text = Placed::<Vector, _>::put(&gpu, vector(most as usize / 4 + 1)).map(drop);
    let text = text.unwrap_err().to_string();
    assert!(text.contains(&limit), "{text}");
}

/// What is estimated to keep a device for too long is submitted in several, and gives what it gives at once.
#[test]
fn long_work_is_submitted_in_pieces() {
    let Some(gpu) = gpu() else { return };
    let program = compile(|x: Acc<Ix1, f32>| {
        let y = x.map(|x| (x * 0.01).sin());
        let sums = y.scanl1(|a, b| a + b);
        let spread = generate(ix![300, 100], move |ix![i, j]| y.at(ix![i]) * y.at(ix![j]));
        (sums, spread.sum())
    });
    let program = program.unwrap();
    let (whole, at_once) = submits(gpu, &program, vector(5000));
    assert!(at_once <= 2, "{at_once}");
    let hasty = gpu.clone().with_submission_seconds(1e-7);
    let (pieces, several) = submits(&hasty, &program, vector(5000));
    assert!(several > 10 * at_once, "{several}");
    assert_eq!(pieces, whole);
}

/// Arrays may be larger than what drivers bind at a time: lavapipe's limit is 128 MiB, these take 144.
#[test]
fn arrays_may_be_larger_than_a_binding() {
    let Some(gpu) = gpu() else { return };
    let program = compile(|x: Vector| {
        let n = x.inner();
        let last_first = x.backpermute(ix![n], move |ix![i]| ix![n - 1 - i]);
        let differences = x.zip_with(last_first, |x, y| x - y);
        (differences, x.sum())
    });
    let program = program.unwrap();
    let x = vector(36 << 20);
    let (differences, sum) = program.run(gpu, x.clone()).unwrap();
    let (expected, other_sum) = program.run(&Cpu::default(), x).unwrap();
    assert_eq!(differences, expected);
    // Sums of halves: exact as long as they are below 2^23, and rounded after that.
    let [sum, other] = [sum, other_sum].map(|sum| sum.to_vec()[0]);
    assert!((sum - other).abs() <= 1e-4 * other, "{sum} and {other}");
}

/// Axes that change places: tiles of all kinds of rests, and none where an axis is short.
#[test]
fn transpositions_are_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let turned = compile(|x: Acc<Ix3, f32>| {
        let ix![a, b, c] = x.shape();
        let outermost_last = x.backpermute(ix![b, c, a], |ix![j, k, i]| ix![i, j, k]);
        let all_turned = x.backpermute(ix![c, b, a], |ix![k, j, i]| ix![i, j, k]);
        let inner = x.backpermute(ix![a, c, b], |ix![i, k, j]| ix![i, j, k]);
        let both = inner.zip_with(inner.map(|x| x * 2.0), |x, y| x - y);
        (outermost_last, all_turned, both)
    });
    let turned = turned.unwrap();
    for shape in [
        [1, 100, 70],
        [40, 33, 47],
        [3, 32, 32],
        [129, 5, 64],
        [0, 40, 40],
    ] {
        let n = shape.iter().product();
        let x = Array::from_vec(shape, vector(n).to_vec()).unwrap();
        let found = turned.run(gpu, x.clone()).unwrap();
        assert_eq!(found, turned.run(&Cpu::default(), x).unwrap(), "{shape:?}");
    }
}

/// What does not fit into a chunk is done in several, to the same results.
#[test]
fn strips_run_in_chunks() {
    let Some(gpu) = gpu() else { return };
    let softmax = compile(|x: Acc<Ix2, f32>| {
        let spread = |row: Vector| row.replicate(ix![All, x.inner()]);
        let powers = x.zip_with(spread(x.maximum()), |x, m| (x - m).exp());
        powers.zip_with(spread(powers.sum()), |p, sum| p / sum)
    });
    let softmax = softmax.unwrap();
    let x = Array::from_vec([300, 7], vector(2100).to_vec()).unwrap();
    let run = |gpu: &Gpu| softmax.run_measured(gpu, x.clone()).unwrap();
    let (whole, few) = run(gpu);
    let (in_chunks, many) = run(&gpu.clone().with_chunk_bytes(1 << 11));
    assert_eq!(whole, in_chunks);
    assert!(many.passes > 5 * few.passes, "{many:?}");
    assert!(many.peak_bytes < few.peak_bytes, "{many:?} {few:?}");
    assert_eq!(many.submits, few.submits);
}

/// Every kernel of a program without conditionals has a time; those of a strip, too.
#[test]
fn kernels_are_timed() {
    let Some(gpu) = gpu() else { return };
    if !gpu.has_clock() {
        return println!("skipped: a device without a clock");
    }
    let program = compile(|x: Vector| {
        let e = x.map(|x| x.exp());
        let sums = e.scanl(0.0, |x, y| x + y);
        let whole = e.sum();
        let n = x.inner();
        let shares = e.zip_with(whole.replicate(ix![n]), |e, sum| e / sum);
        (sums, shares)
    });
    let explanation = program.unwrap().explain_timed(gpu, vector(3000)).unwrap();
    assert!(explanation.kernels.len() >= 3);
    for kernel in &explanation.kernels {
        let time = kernel.time.unwrap_or_else(|| panic!("{}", kernel.name));
        assert!(time.starts >= 1 && time.seconds < 60.0, "{time:?}");
    }
    assert!(
        explanation
            .kernels
            .iter()
            .any(|k| k.time.unwrap().seconds > 0.0)
    );
    assert!(explanation.to_string().contains(" ms in "), "{explanation}");
    assert!(explanation.to_json().contains("\"starts\""));
}

#[test]
fn devices_have_names_of_their_own() {
    let Some(gpu) = gpu() else { return };
    assert!(gpu.name().contains(&gpu.info().name));
}
