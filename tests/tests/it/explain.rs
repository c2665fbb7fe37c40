//! Explanations of whole programs: what the ADBench tasks become, and whether the memory foretold is the memory
//! that the CPU backend holds.

use crate::snapshot::snapshot;
use cotangent::prelude::*;
use cotangent::{Cpu, Explanation, Program};
use cotangent_adbench::{ba, gmm};
use cotangent_core::backend::Backend;
use cotangent_core::deep::with_deep_stack;
use cotangent_core::host::HostArray;
use cotangent_core::schedule::{Checked, Schedule, Step, check};
use cotangent_core::term::{DeBruijn, Labelled, Program as Term};
use cotangent_explain::{Notes, explain};
use cotangent_fusion::{Options, Report, schedule_with_report};
use cotangent_tests::corpus::corpus;
use cotangent_tests::engines::Stages;
use cotangent_tests::generate::Case;

fn at<In: Arrays, Out: Arrays>(program: &Program<In, Out>, shapes: &[Vec<usize>]) -> Explanation {
    let shapes: Vec<_> = shapes.iter().map(Vec::as_slice).collect();
    program.explain_for(&shapes).unwrap()
}

#[test]
fn gmm_is_what_it_was() {
    let shapes = gmm::model::shapes(1000, 10, 5);
    let (objective, gradient) = (
        gmm::model::objective_program::<f64>().unwrap(),
        gmm::model::gradient_program::<f64>().unwrap(),
    );
    snapshot("gmm_objective.txt", &at(&objective, &shapes).to_string());
    snapshot("gmm_gradient.txt", &at(&gradient, &shapes).to_string());
    snapshot(
        "gmm_objective_formulas.txt",
        &objective.explain().unwrap().to_string(),
    );
}

#[test]
fn ba_is_what_it_was() {
    let shapes = [vec![21], vec![200], vec![3000]];
    let (residuals, jacobian) = (
        ba::model::residuals_program::<f64>().unwrap(),
        ba::model::jacobian_program::<f64>().unwrap(),
    );
    snapshot("ba_residuals.txt", &at(&residuals, &shapes).to_string());
    snapshot("ba_jacobian.txt", &at(&jacobian, &shapes).to_string());
}

/// What a schedule takes on some inputs, as foretold.
fn foretold(schedule: &Schedule, report: &Report, inputs: &[HostArray]) -> Explanation {
    let notes = Notes {
        fired: &report.fired,
        kept: &report.kept,
        columns: &[],
    };
    let shapes: Vec<_> = inputs.iter().map(|x| x.shape().to_vec()).collect();
    let explanation = explain(schedule, notes, Some(&shapes)).unwrap();
    // Times are told by position.
    let place = |name: &str, loc: &dyn std::fmt::Display| (name.to_owned(), loc.to_string());
    let of_schedule = schedule
        .kernels()
        .into_iter()
        .map(|k| place(k.name, &k.loc));
    let explained = explanation
        .kernels
        .iter()
        .map(|k| place(&k.name, &k.location));
    assert!(of_schedule.eq(explained), "{explanation}");
    explanation
}

fn scheduled(derived: &Term<Labelled>) -> (Checked<Schedule>, Report) {
    let (schedule, report) = schedule_with_report(derived, &Options::default()).unwrap();
    (check::check(schedule).unwrap(), report)
}

/// Whether the schedule has steps whose memory is foretold by a bound.
fn is_bounded(schedule: &Schedule) -> bool {
    let is_bounded =
        |step: &Step| matches!(step, Step::If { .. } | Step::Strip(_) | Step::Repeat(_));
    schedule.steps.iter().any(is_bounded)
}

/// Requires of a program that all kernels are kept apart for a reason, and that the peak is as foretold: no less
/// than what the backend holds, and no more either unless there are conditionals, loops or strips. Gives whether the peak was
/// known beforehand.
fn holds_what_is_foretold(derived: &Term<Labelled>, inputs: &[HostArray]) -> bool {
    let (schedule, report) = scheduled(derived);
    let explanation = foretold(&schedule, &report, inputs);
    let apart = explanation.boundaries.iter();
    assert!(
        apart.clone().all(|b| b.reason.is_some()),
        "{explanation}\n{}",
        *schedule
    );
    let cpu = Cpu::builder().threads(1).build().unwrap();
    let executable = cpu.prepare(&schedule).unwrap();
    let (Ok((_, measures)), Some(peak)) = (
        cpu.run_measured(&executable, inputs),
        explanation.peak_bytes.number(),
    ) else {
        return false;
    };
    let given = explanation.inputs_bytes.number().unwrap();
    let (held, foretold) = (measures.peak_bytes, peak - given);
    let text = format!(
        "{held} held, {foretold} foretold\n{explanation}\n{}",
        *schedule
    );
    assert!(held <= foretold, "{text}");
    assert!(held == foretold || is_bounded(&schedule), "{text}");
    true
}

fn derived(program: &Term<DeBruijn>, inputs: &[HostArray]) -> Term<Labelled> {
    let case = Case {
        program: cotangent_core::label::label(program),
        inputs: inputs.to_vec(),
    };
    Stages::new(&case).derived().unwrap()
}

#[test]
fn the_corpus_holds_what_is_foretold() {
    let mut known = 0;
    for entry in corpus() {
        for program in [&entry.value, &entry.gradient] {
            for inputs in &entry.samples {
                known += usize::from(holds_what_is_foretold(&derived(program, inputs), inputs));
            }
        }
    }
    assert!(known > 100, "{known}");
}

#[test]
fn generated_programs_hold_what_is_foretold() {
    let (mut derivable, mut known) = (0, 0);
    for seed in 0..200 {
        let case = Case::from_seed(seed);
        with_deep_stack(|| {
            let Ok(derived) = Stages::new(&case).derived() else {
                return;
            };
            derivable += 1;
            known += usize::from(holds_what_is_foretold(&derived, &case.inputs));
        });
    }
    assert!(derivable >= 100 && known >= 50, "{known} of {derivable}");
}

#[test]
fn gmm_holds_what_is_foretold() {
    let traced = trace(
        |(alphas, means, icf): gmm::model::Parameters<f64>,
         x: Acc<Ix2, f64>,
         constants: gmm::model::Constants<f64>| {
            gradient_a(
                |parameters| gmm::model::objective(parameters, x, constants),
                (alphas, means, icf),
            )
        },
    )
    .unwrap();
    let program = cotangent_core::recover::recover(&traced.graph, &traced.lambda).unwrap();
    let [n, d, k] = [500, 6, 4];
    let mut shapes = gmm::model::shapes(n, d, k).to_vec();
    shapes.extend([vec![], vec![]]);
    let array = |shape: &Vec<usize>| {
        let values: Vec<f64> = (0..shape.iter().product())
            .map(|i| (i % 7) as f64 * 0.1)
            .collect();
        HostArray::new(shape.clone(), values.into()).unwrap()
    };
    let inputs: Vec<_> = shapes.iter().map(array).collect();
    assert!(holds_what_is_foretold(&derived(&program, &inputs), &inputs));
}
