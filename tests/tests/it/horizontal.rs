//! Reductions of the same elements, in one kernel: which are, and that they give what they give apart.

use cotangent::prelude::*;
use cotangent::{Cpu, Isa};
use cotangent_core::backend::Backend;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::label::label;
use cotangent_core::recover::recover;
use cotangent_core::schedule::{Kernel, KernelKind, Schedule, Step, check};
use cotangent_core::surface::AccFn;
use cotangent_core::term::{Labelled, Program};
use cotangent_fusion::{Options, schedule};
use cotangent_tests::engines::{Stages, all, disagreement};
use cotangent_tests::generate::Case;

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

fn program<F: AccFn<M>, M>(f: F) -> Program<Labelled> {
    let traced = trace(f).unwrap();
    label(&recover(&traced.graph, &traced.lambda).unwrap())
}

/// The program without gradients.
fn derived(program: &Program<Labelled>) -> Program<Labelled> {
    let case = Case {
        program: program.clone(),
        inputs: vec![],
    };
    Stages::new(&case).derived().unwrap()
}

fn host(shape: &[usize], values: Vec<f64>) -> HostArray {
    HostArray::new(shape.to_vec(), values.into()).unwrap()
}

/// Small numbers of many digits.
fn some(shape: &[usize]) -> HostArray {
    let value = |i: usize| ((i * 7919) % 1009) as f64 * 0.002_3 - 1.0;
    host(shape, (0..shape.iter().product()).map(value).collect())
}

/// The kernels that reduce.
fn reductions(schedule: &Schedule) -> Vec<Kernel> {
    let kernels = schedule.steps.iter().flat_map(Step::kernels);
    let reduce = kernels.filter(|kernel| matches!(kernel.kind, KernelKind::Reduce { .. }));
    reduce.cloned().collect()
}

/// How many results each kernel that reduces has.
fn folds(program: &Program<Labelled>, options: &Options) -> Vec<usize> {
    let kernels = reductions(&schedule(&derived(program), options).unwrap());
    kernels.iter().map(|k| k.outputs().len()).collect()
}

/// Requires that all engines agree with the interpreter.
#[track_caller]
fn agree(program: &Program<Labelled>, inputs: &[HostArray]) {
    let case = Case {
        program: program.clone(),
        inputs: inputs.to_vec(),
    };
    if let Err(found) = disagreement(&case, &all()) {
        panic!("{found}\n{:?}", found.fault);
    }
}

fn bits(array: &HostArray) -> Vec<u64> {
    match array.column() {
        Column::F64(values) => values.iter().map(|x| x.to_bits()).collect(),
        other => (0..other.len())
            .map(|i| format!("{:?}", other.get(i)).len() as u64)
            .collect(),
    }
}

/// Requires that the CPU gives the same together and apart, bit for bit, on any number of threads and with all
/// instructions.
#[track_caller]
fn same_bits(program: &Program<Labelled>, inputs: &[HostArray]) {
    let program = derived(program);
    let run = |options: Options, isa, threads| {
        let schedule = check::check(schedule(&program, &options).unwrap()).unwrap();
        let cpu = Cpu::builder().isa(isa).threads(threads).build().unwrap();
        let found = cpu.run(&cpu.prepare(&schedule).unwrap(), inputs).unwrap();
        found.iter().map(bits).collect::<Vec<_>>()
    };
    let apart = run(
        Options::default().without_horizontal_fusion(),
        Isa::detect(),
        1,
    );
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        for threads in [1, 3] {
            let together = run(Options::default(), isa, threads);
            assert!(apart == together, "{isa:?} {threads}");
        }
    }
}

/// The sum, the sum of squares and the extremes of rows.
fn statistics(x: Matrix) -> (Vector, Vector, Vector, Vector) {
    let squares = x.map(|x| x * x + 1.0);
    (x.sum(), squares.sum(), x.maximum(), x.minimum())
}

#[test]
fn statistics_are_one_pass() {
    let program = program(|x: Matrix| {
        let squares = x.map(|x| x * x + 1.0);
        let product = x.fold(1.0, |a, b| a * b);
        let largest = x.fold(-9.0, |a: Exp<f64>, b| a.max(b));
        (x.sum(), squares.sum(), product, largest)
    });
    assert_eq!(folds(&program, &Options::default()), [4]);
    assert_eq!(
        folds(&program, &Options::default().without_horizontal_fusion()),
        [1; 4]
    );
    for shape in [[3, 5], [5, 0], [0, 5], [1, 1], [2, 40]] {
        agree(&program, &[some(&shape)]);
    }
}

#[test]
fn extremes_and_sums_have_passes_of_their_own() {
    let program = program(statistics);
    assert_eq!(folds(&program, &Options::default()), [2, 2]);
    agree(&program, &[some(&[3, 5])]);
    agree(&program, &[some(&[3, 0])]);
    let specials = [f64::NAN, 1.0, -0.0, 0.0, 0.0, -0.0, f64::INFINITY, -1.0];
    agree(&program, &[host(&[4, 2], specials.to_vec())]);
    agree(&program, &[host(&[2, 4], specials.to_vec())]);
}

#[test]
fn together_and_apart_give_the_same_bits() {
    let program = program(statistics);
    let shapes = [
        [1, 100_000],
        [1, 1_000_001],
        [3, 70_001],
        [300, 1000],
        [700, 300],
        [20_000, 7],
        [5_000, 16],
        [5_000, 33],
        [40_000, 1],
    ];
    for shape in shapes {
        same_bits(&program, &[some(&shape)]);
    }
}

#[test]
fn operators_of_many_parts_give_the_same_bits_as_alone() {
    let with = |both: bool| {
        program(move |x: Matrix| {
            let triples = x.map(|x| (x, x, x + 0.5));
            let folded = triples
                .fold1(|(a, b, c), (d, e, f)| (a + d, cond(b.abs().lt(e.abs()), e, b), c.max(f)));
            let sums = x.fold1(|a, b| a + b);
            match both {
                true => folded.map(|(a, b, c)| (a, b, c)),
                false => folded.zip_with(sums, |(_, b, c), a| (a, b, c)),
            }
        })
    };
    let cpu = Cpu::builder().threads(2).build().unwrap();
    for shape in [[1, 100_000], [3, 70_001], [300, 1000], [700, 300], [90, 7]] {
        let run = |both| {
            let schedule = schedule(&derived(&with(both)), &Options::default()).unwrap();
            let schedule = check::check(schedule).unwrap();
            let executable = cpu.prepare(&schedule).unwrap();
            let found = cpu.run(&executable, &[some(&shape)]).unwrap();
            found.iter().map(bits).collect::<Vec<_>>()
        };
        assert!(run(true) == run(false), "{shape:?}");
    }
    agree(&with(true), &[some(&[4, 9])]);
}

#[test]
fn totals_of_a_strip_are_together() {
    let program = program(|x: Matrix| {
        let shifted = x.zip_with(x.maximum().replicate(ix![All, x.inner()]), |x, m| {
            (x - m).exp()
        });
        let rows = shifted.sum().map(|s| s.ln());
        let squares = rows.map(|r| r * r + 0.5);
        (rows.sum(), squares.sum(), rows)
    });
    let found = schedule(&derived(&program), &Options::default()).unwrap();
    assert_eq!(folds(&program, &Options::default()), [1, 1, 2]);
    assert!(
        found
            .steps
            .iter()
            .any(|step| matches!(step, Step::Strip(_)))
    );
    agree(&program, &[some(&[7, 4])]);
    same_bits(&program, &[some(&[30_000, 6])]);
}

/// Of rows, one fold of pairs; of a single row, which may be long, two simple ones.
#[test]
fn gradients_of_extremes_have_few_folds() {
    let of_rows = program(|x: Matrix| value_and_gradient_a(|x: Matrix| x.maximum().sum(), x));
    assert_eq!(folds(&of_rows, &Options::default()), [2, 1]);
    let of_vector = program(|x: Vector| value_and_gradient_a(|x: Vector| x.maximum(), x));
    assert_eq!(folds(&of_vector, &Options::default()), [1, 1]);
    let specials: [&[f64]; 5] = [
        &[1.0, 5.0, 5.0, -2.0],
        &[1.0, f64::NAN, 5.0, f64::NAN],
        &[-0.0, 0.0],
        &[0.0, -0.0],
        &[-3.0],
    ];
    for values in specials {
        agree(&of_vector, &[host(&[values.len()], values.to_vec())]);
    }
    agree(&of_vector, &[host(&[0], vec![])]);
    let with_init = program(|x: Matrix| {
        let f = |x: Matrix| {
            let least = x.fold(0.25, |a: Exp<f64>, b| a.min(b));
            least.map(|x| x * x).sum()
        };
        value_and_gradient_a(f, x)
    });
    for shape in [[3, 4], [3, 0], [0, 3]] {
        agree(&with_init, &[some(&shape)]);
    }
}

#[test]
fn the_gradient_of_a_softmax_has_a_fold_less() {
    let program = program(|x: Matrix| {
        let f = |x: Matrix| {
            let m = x.maximum();
            let spread = m.replicate(ix![All, x.inner()]);
            let powers = x.zip_with(spread, |x, m| (x - m).exp());
            powers.sum().zip_with(m, |s, m| s.ln() + m).sum()
        };
        gradient_a(f, x)
    });
    let kernels = reductions(&schedule(&derived(&program), &Options::default()).unwrap());
    let extremes = kernels.iter().filter(|kernel| kernel.name == "fold1");
    assert_eq!(extremes.count(), 1);
    agree(&program, &[some(&[4, 5])]);
}
