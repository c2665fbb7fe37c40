//! What work costs that is next to none: a submit, a further dispatch, copies.

use super::Bench;
use super::report::{Name, line};
use super::sides::beyond;
use crate::Failure;
use crate::matrices::numbers;
use cotangent::prelude::*;
use cotangent::{Error, Placed, Program, compile};

const SECTION: &str = "overhead";

/// Kernels that depend on each other in the longer of two programs.
const CHAIN: usize = 64;

/// Measures all of it.
pub fn measure(bench: &Bench) {
    bench.begin(format!("\n{SECTION}"));
    single(
        bench,
        "submit",
        "µs a submit of one small kernel, waited for",
        submit,
    );
    single(
        bench,
        "dispatch",
        "µs for each further dependent kernel in a submit",
        dispatch,
    );
    single(
        bench,
        "run",
        "µs for one small kernel from and to the host",
        run,
    );
    let name = |case| Name::new(SECTION, case, "f32");
    let (to, from) = (name("to the device"), name("from the device"));
    if bench.wants(&to) || bench.wants(&from) {
        let both = bench.case(&to, || copies(bench));
        for (name, seconds) in [to, from].iter().zip(both.into_iter().flatten()) {
            let rate = bench.sizes.bytes as f64 / seconds;
            bench.csv.borrow_mut().record(name, &[("bytes", rate)]);
            let mebibytes = bench.sizes.bytes >> 20;
            line(&format!(
                "{:>10.3} GB/s {}, {mebibytes} MiB at once",
                rate * 1e-9,
                name.case
            ));
        }
    }
}

fn single(bench: &Bench, case: &str, what: &str, measure: fn(&Bench) -> Result<f64, Failure>) {
    let name = Name::new(SECTION, case, "f32");
    if let Some(seconds) = bench.case(&name, || measure(bench)) {
        bench
            .csv
            .borrow_mut()
            .record(&name, &[("seconds", seconds)]);
        line(&format!("{:>10.1} {what}", seconds * 1e6));
    }
}

type Vector = Acc<Ix1, f32>;

fn small() -> Result<Program<Vector, Vector>, Error> {
    compile(|x: Vector| x.map(|x| x * 2.0 + 1.0))
}

fn one() -> Result<Array<Ix1, f32>, Failure> {
    Ok(Array::vector(vec![1.0])?)
}

fn submit(bench: &Bench) -> Result<f64, Failure> {
    Ok(bench.resident(&small()?, &one()?)?.seconds)
}

fn run(bench: &Bench) -> Result<f64, Failure> {
    let (program, one) = (small()?, one()?);
    Ok(bench.shortest(|| program.run(&bench.gpu, one.clone()).map(drop))?)
}

/// The slope between chains of scans, which do not fuse.
fn dispatch(bench: &Bench) -> Result<f64, Failure> {
    let chain =
        |scans: usize| compile(move |x: Vector| (0..scans).fold(x, |x, _| x.scanl1(|x, y| x + y)));
    let (short, long) = (chain(1)?, chain(1 + CHAIN)?);
    let short = bench.resident(&short, &one()?)?;
    let long = bench.resident(&long, &one()?)?;
    let further = long.measures.passes.saturating_sub(short.measures.passes);
    Ok((long.seconds - short.seconds).max(0.0) / further.max(1) as f64)
}

/// The seconds to the device, and from there.
fn copies(bench: &Bench) -> Result<[f64; 2], Failure> {
    let len = bench.sizes.bytes / size_of::<f32>();
    let x = Array::<Ix1, f32>::vector(numbers(len, 1))?;
    let put = || Placed::<Vector, _>::put(&bench.gpu, x.clone());
    // What is put is copied at the next submit: a small program's.
    let (program, one) = (small()?, one()?);
    let submit = || program.run(&bench.gpu, one.clone()).map(drop);
    let both = bench.shortest(|| put().map(drop).and_then(|()| submit()))?;
    let alone = bench.shortest(submit)?;
    let there = put()?;
    let from = bench.shortest(|| there.get(&bench.gpu).map(drop))?;
    Ok([beyond(both, alone), from])
}
