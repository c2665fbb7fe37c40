//! Tests of the backend: every kernel, instruction set and number of threads against the reference runner.

mod contract;
mod entries;
mod errors;
mod forks;
mod guards;
mod kept;
mod kernels;
mod loops;
pub(crate) mod maker;
mod memory;
mod parts;
mod prims;
mod random;
mod scatters;
mod sequences;
mod strips;

use crate::{Cpu, Isa, Native};
use cotangent_core::backend::{Backend, RunError, Timed};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::integer_const;
use cotangent_core::rounding::f16;
use cotangent_core::schedule::check::check;
use cotangent_core::schedule::{Checked, Kernel, KernelKind, Schedule, Semiring, run};

/// Every instruction set of this machine with every number of threads, and with machine code where there is some.
fn engines() -> Vec<Cpu> {
    let available = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    let threads = available.flat_map(|isa| [1, 2, 3].map(|n| (isa, Native::Off, n)));
    let native = [1, 3].map(|n| (Isa::detect(), Native::AtOnce, n));
    threads
        .chain(native)
        .map(|(isa, native, n)| {
            Cpu::builder()
                .isa(isa)
                .native(native)
                .threads(n)
                .build()
                .unwrap()
        })
        .collect()
}

thread_local! {
    static ENGINES: Vec<Cpu> = engines();
}

fn bits(arrays: &[HostArray]) -> Vec<(Vec<usize>, Vec<Const>)> {
    // Which NaN an operation gives is not specified, by Rust or by IEEE 754.
    let canonical = |c: Const| match c {
        Const::F16(x) if x.is_nan() => Const::F16(f16::NAN),
        Const::F32(x) if x.is_nan() => Const::F32(f32::NAN),
        Const::F64(x) if x.is_nan() => Const::F64(f64::NAN),
        Const::Bool(_) | integer_const!() | Const::F16(_) | Const::F32(_) | Const::F64(_) => c,
    };
    let consts = |c: &Column| {
        let values = (0..c.len()).filter_map(|i| c.get(i));
        values.map(canonical).collect()
    };
    let bits = |a: &HostArray| (a.shape().to_vec(), consts(a.column()));
    arrays.iter().map(bits).collect()
}

/// Whether a schedule contains sums of products, which are rounded differently on the baseline.
fn contracts(schedule: &Schedule) -> bool {
    let is_contraction = |kernel: &Kernel| {
        let semiring = Semiring::PlusTimes;
        matches!(kernel.kind, KernelKind::Contract { semiring: s, .. } if s == semiring)
    };
    schedule.kernels().into_iter().any(is_contraction)
}

fn assert_close(expected: &[HostArray], found: &[HostArray], text: &str) {
    for (r, ((shape, x), (found_shape, y))) in
        bits(expected).into_iter().zip(bits(found)).enumerate()
    {
        assert_eq!(shape, found_shape, "shape of result {r} of\n{text}");
        for (i, (&x, &y)) in x.iter().zip(&y).enumerate() {
            assert!(close(x, y), "result {r} at {i}: {x} or {y} in\n{text}");
        }
    }
}

/// Runs on all engines, which must agree to the bit, and gives the result.
fn run_all(schedule: &Checked<Schedule>, inputs: &[HostArray]) -> Result<Vec<HostArray>, RunError> {
    ENGINES.with(|engines| {
        let results: Vec<_> = engines
            .iter()
            .map(|cpu| {
                let executable = cpu.prepare(schedule)?;
                let first = cpu.run(&executable, inputs);
                // The second run finds the memory of the first.
                let second = cpu.run_timed(&executable, inputs);
                let second = second.map(|(second, times)| {
                    let kernels = schedule.kernels().len();
                    assert!(
                        times
                            .iter()
                            .all(|time| time.kernel < kernels && time.starts > 0)
                    );
                    second
                });
                match (&first, &second) {
                    (Ok(first), Ok(second)) => assert_eq!(bits(first), bits(second)),
                    (Err(first), Err(second)) => assert_eq!(first, second),
                    (Ok(_), Err(_)) | (Err(_), Ok(_)) => panic!("{first:?} then {second:?}"),
                }
                first
            })
            .collect();
        for (result, cpu) in results.iter().zip(engines) {
            match (&results[0], result) {
                (Ok(first), Ok(result)) if cpu.isa() != Isa::Baseline && contracts(schedule) => {
                    let other = engines.iter().position(|cpu| cpu.isa() != Isa::Baseline);
                    let alike = results[other.unwrap()].as_ref().unwrap();
                    assert_eq!(bits(alike), bits(result), "{} differs", cpu.name());
                    assert_close(first, result, cpu.name().as_str());
                }
                (Ok(first), Ok(result)) => {
                    assert_eq!(bits(first), bits(result), "{} differs", cpu.name());
                }
                (Err(first), Err(result)) => assert_eq!(first, result),
                (Ok(_), Err(_)) | (Err(_), Ok(_)) => panic!("{:?} or {result:?}", results[0]),
            }
        }
        results[0].clone()
    })
}

fn close(x: Const, y: Const) -> bool {
    let near = |x: f64, y: f64, eps: f64| {
        x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= eps * x.abs().max(y.abs()).max(1.0)
    };
    match (x, y) {
        (Const::F64(x), Const::F64(y)) => near(x, y, 1e-11),
        // Sums of some hundred terms.
        (Const::F16(x), Const::F16(y)) => near(x.into(), y.into(), 1e-2),
        (Const::F32(x), Const::F32(y)) => near(x.into(), y.into(), 1e-4),
        (x, y) => x == y,
    }
}

/// Checks a schedule, runs it on all engines, and compares with the reference runner; gives the result.
fn against_reference(schedule: Schedule, inputs: &[HostArray]) -> Result<Vec<HostArray>, RunError> {
    let text = schedule.to_string();
    let schedule = check(schedule).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let expected = run::run(&schedule, inputs);
    let found = run_all(&schedule, inputs);
    match (&expected, &found) {
        (Ok(expected), Ok(found)) => {
            assert_close(expected, found, &text);
        }
        (Err(expected), Err(found)) => assert_eq!(expected, found, "\n{text}"),
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => panic!("{expected:?}\nor {found:?}\nin {text}"),
    }
    found
}
