//! The choice as a function of sizes, and runs on either side of it.

use super::choice::{Device, choose, refusal};
use super::estimate::{FREE, Rates};
use super::*;
use crate::compile;
use crate::prelude::*;
use cotangent_backend_gpu::DeviceKind;
use cotangent_explain::Work;

const KINDS: [DeviceKind; 5] = [
    DeviceKind::Discrete,
    DeviceKind::Integrated,
    DeviceKind::Virtual,
    DeviceKind::Other,
    DeviceKind::Software,
];

fn device(kind: DeviceKind) -> Device {
    Device {
        rates: Rates::of_gpu(kind),
        max_array_bytes: 1 << 31,
    }
}

/// A program of ten kernels over arrays of n elements: so many operations for each.
fn work(n: u64, flops: u64) -> Work {
    let mut work = Work::default();
    (work.kernels, work.launches) = (10, 10);
    work.flops = n * flops;
    work.bytes = 10 * 4 * n;
    work.inputs_bytes = 4 * n;
    work.results_bytes = 4 * n;
    work.largest_array_bytes = 4 * n;
    work
}

fn on(work: &Work, threads: usize, device: &Device) -> Chosen {
    choose(Some(work), &Rates::of_cpu(threads), Ok(device)).on
}

#[test]
fn little_work_stays_on_the_cpu_and_much_goes_to_the_gpu() {
    let discrete = device(DeviceKind::Discrete);
    for threads in [1, 16] {
        assert_eq!(on(&work(1, 1000), threads, &discrete), Chosen::Cpu);
        assert_eq!(on(&work(1 << 24, 1000), threads, &discrete), Chosen::Gpu);
        // One operation an element is not worth the way there and back.
        let mut copied = work(1 << 24, 1);
        (copied.kernels, copied.launches, copied.bytes) = (1, 1, 8 << 24);
        assert_eq!(on(&copied, threads, &discrete), Chosen::Cpu);
    }
}

#[test]
fn what_is_on_the_gpu_stays_there_as_it_grows() {
    for kind in KINDS {
        for (threads, flops) in [(1, 1), (1, 1000), (8, 10), (64, 10_000)] {
            let sizes = (0..29).map(|log| work(1 << log, flops));
            let chosen: Vec<_> = sizes.map(|w| on(&w, threads, &device(kind))).collect();
            assert!(chosen.is_sorted_by_key(|&c| c == Chosen::Gpu), "{chosen:?}");
        }
    }
}

#[test]
fn times_grow_with_every_figure() {
    let base = work(1000, 10);
    let more: [fn(&mut Work); 5] = [
        |w| w.flops += 1 << 20,
        |w| w.flops_f64 += 1 << 20,
        |w| w.bytes += 1 << 20,
        |w| w.inputs_bytes += 1 << 20,
        |w| w.results_bytes += 1 << 20,
    ];
    let gpu = Rates::of_gpu(DeviceKind::Discrete);
    for more in more {
        let mut larger = base;
        more(&mut larger);
        assert!(gpu.seconds(&larger, 10) > gpu.seconds(&base, 10));
    }
    assert!(gpu.seconds(&base, 11) > gpu.seconds(&base, 10));
    let cpu = |threads| Rates::of_cpu(threads).seconds(&base, 10);
    assert!(cpu(2) < cpu(1) && cpu(0) == cpu(1));
}

#[test]
fn operations_on_f64_are_expensive_on_gpus() {
    let narrow = work(1 << 24, 300);
    let mut wide = narrow;
    (wide.flops, wide.flops_f64) = (0, narrow.flops);
    let chosen = [narrow, wide].map(|w| on(&w, 32, &device(DeviceKind::Discrete)));
    assert_eq!(chosen, [Chosen::Gpu, Chosen::Cpu]);
}

#[test]
fn the_gpu_is_charged_for_every_chunk_of_a_strip() {
    let mut chunked = work(1 << 22, 100);
    assert_eq!(on(&chunked, 4, &device(DeviceKind::Discrete)), Chosen::Gpu);
    chunked.launches = 100_000;
    assert_eq!(on(&chunked, 4, &device(DeviceKind::Discrete)), Chosen::Cpu);
}

#[test]
fn without_a_gpu_that_can_it_is_the_cpu() {
    let much = work(1 << 28, 10_000);
    let cpu = Rates::of_cpu(1);
    assert_eq!(on(&much, 1, &device(DeviceKind::Discrete)), Chosen::Gpu);
    let reasons = [
        Reason::NoGpu("there is no GPU".to_owned()),
        Reason::Software("llvmpipe".to_owned()),
        Reason::Unsupported("f64 is not supported".to_owned()),
    ];
    for reason in reasons {
        let choice = choose(Some(&much), &cpu, Err(&reason));
        assert_eq!((choice.on, choice.reason), (Chosen::Cpu, reason));
    }
    let unknown = choose(None, &cpu, Ok(&device(DeviceKind::Discrete)));
    assert_eq!(
        (unknown.on, unknown.reason),
        (Chosen::Cpu, Reason::DependsOnData)
    );
    let mut small = device(DeviceKind::Discrete);
    small.max_array_bytes = much.largest_array_bytes - 1;
    let choice = choose(Some(&much), &cpu, Ok(&small));
    assert_eq!(choice.on, Chosen::Cpu);
    let (bytes, most) = (1 << 30, (1 << 30) - 1);
    assert_eq!(choice.reason, Reason::TooLarge { bytes, most });
}

#[test]
fn refusals_are_what_is_missing_and_nothing_else() {
    let missing = RunError::Unsupported {
        what: "f64".to_owned(),
        engine: "a GPU".to_owned(),
        way_out: "use the CPU".to_owned(),
    };
    let text = missing.to_string();
    assert_eq!(refusal(missing), Ok(Reason::Unsupported(text)));
    let lost = RunError::DeviceLost {
        device: "a GPU".to_owned(),
        reason: "pulled out".to_owned(),
    };
    assert!(refusal(lost).is_ok());
    let too_long = RunError::LoopTooLong {
        site: None,
        most: 48_000,
        engine: "a GPU".to_owned(),
    };
    assert!(refusal(too_long).is_ok());
    let defect = RunError::Bug("a defect".to_owned());
    assert_eq!(refusal(defect.clone()), Err(defect));
}

#[test]
fn choices_are_told_in_a_line() {
    let estimate = choose(
        Some(&work(1 << 24, 1000)),
        &Rates::of_cpu(1),
        Ok(&device(DeviceKind::Discrete)),
    );
    let text = estimate.to_string();
    assert!(text.starts_with("gpu: estimated at "), "{text}");
    let reason = Reason::Software("llvmpipe".to_owned());
    let text = choose(None, &Rates::of_cpu(1), Err(&reason)).to_string();
    assert_eq!(
        text,
        "cpu: llvmpipe is no GPU, but a driver that computes on the CPU"
    );
}

/// The sums of rows, which are compared below.
fn sums(x: Acc<Ix2, f32>) -> Acc<Ix1, f32> {
    x.map(|x| x * x).sum()
}

fn matrix(n: usize) -> Array<Ix2, f32> {
    Array::from_vec([n, n], (0..n * n).map(|i| (i % 7) as f32).collect()).unwrap()
}

#[test]
fn both_sides_of_the_choice_run() {
    let Ok(gpu) = Gpu::open(None) else {
        return println!("skipped: no GPU adapter");
    };
    // What is tested is the way, not the speed.
    let free = Device {
        rates: FREE,
        ..device(DeviceKind::Other)
    };
    let program = compile(sums).unwrap();
    let expected = program.run(&Cpu::default(), matrix(50)).unwrap().to_vec();
    for (device, on) in [
        (device(DeviceKind::Discrete), Chosen::Cpu),
        (free, Chosen::Gpu),
    ] {
        let gpu = gpu.clone();
        let auto = Auto {
            cpu: Cpu::default(),
            gpu: Ok(Accelerator { gpu, device }),
        };
        let choice = auto.choice_for(&program, &[&[50, 50]]).unwrap();
        assert_eq!(choice.on, on, "{choice}");
        let (found, measures) = program.run_measured(&auto, matrix(50)).unwrap();
        assert_eq!(found.to_vec(), expected);
        assert!(measures.passes > 0);
    }
}

#[test]
fn a_driver_that_computes_on_the_cpu_is_never_chosen() {
    let Some(software) = devices().into_iter().find(DeviceInfo::is_software) else {
        return println!("skipped: no GPU adapter");
    };
    let gpu = Gpu::open(Some(&software.name)).unwrap();
    let auto = Auto::builder().gpu(gpu).build();
    assert!(auto.gpu().is_none());
    let choice = auto.choice_for(&compile(sums).unwrap(), &[&[40_000, 40_000]]);
    let choice = choice.unwrap();
    assert_eq!(choice.on, Chosen::Cpu);
    assert_eq!(choice.reason, Reason::Software(software.name));
}

#[test]
fn shapes_that_do_not_fit_are_an_error_about_arrays() {
    let pairs = |x: Acc<Ix1, (f32, f32)>| x.map(|(x, y)| x * y).sum();
    let (auto, program) = (Auto::new(), compile(pairs).unwrap());
    assert!(auto.choice_for(&program, &[&[10]]).is_ok());
    let error = auto.choice_for(&program, &[&[10], &[10]]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the program takes 1 arrays, 2 shapes were given"
    );
}
