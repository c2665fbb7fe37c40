//! GMM and BA against ADBench's golden module, against the plain-Rust references, and on odd inputs.

use crate::data::{adbench, numbers};
use cotangent::Cpu;
use cotangent_adbench::ba::{self, BaInput};
use cotangent_adbench::compare::max_difference;
use cotangent_adbench::gmm::{self, GmmInput};
use cotangent_adbench::host::HostFloat;
use cotangent_core::backend::{Backend, RunError, RunMeasures};
use cotangent_core::host::HostArray;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{ArrayId, Body, Checked, Kernel, Layout, Op, Schedule, Step};
use std::cell::RefCell;
use std::path::Path;

/// ADBench's tolerance in f64.
const TOLERANCE: f64 = 1e-8;

pub(crate) fn assert_close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    let difference = max_difference(found.iter().copied(), expected.iter().copied());
    assert!(difference <= tolerance, "{what}: differs by {difference:e}");
}

/// Objective and gradient by cotangent.
fn gmm_by_cotangent<T: HostFloat>(input: &GmmInput) -> (f64, Vec<f64>) {
    let model = gmm::model::Model::<T>::compile(Cpu::default()).unwrap();
    let data = model.data(input).unwrap();
    (
        model.objective(&data).unwrap(),
        model.gradient(&data).unwrap().flatten(),
    )
}

/// Residuals with weight errors, and Jacobian, by cotangent.
fn ba_by_cotangent<T: HostFloat>(input: &BaInput) -> (Vec<f64>, ba::Csr) {
    let model = ba::model::Model::<T>::compile(Cpu::default()).unwrap();
    let data = model.data(input).unwrap();
    let residuals = model.residuals(&data).unwrap();
    (
        [residuals.errors, residuals.weight_errors].concat(),
        model.jacobian(&data).unwrap(),
    )
}

fn check_gmm_golden(data: &Path, file: &str) {
    let name = file.replace('/', "_");
    let golden = |kind: &str| numbers(&data.join(format!("golden/gmm_{name}_{kind}_Manual.txt")));
    let input = GmmInput::load(&data.join(format!("gmm/{file}.txt")), false).unwrap();
    let (value, gradient) = gmm::reference::gradient(&input).unwrap();
    assert_close(
        &format!("{file}: plain F"),
        &[value],
        &golden("F"),
        TOLERANCE,
    );
    assert_close(
        &format!("{file}: plain J"),
        &gradient.flatten(),
        &golden("J"),
        TOLERANCE,
    );
    let (value, gradient) = gmm_by_cotangent::<f64>(&input);
    assert_close(&format!("{file}: F"), &[value], &golden("F"), TOLERANCE);
    assert_close(&format!("{file}: J"), &gradient, &golden("J"), TOLERANCE);
}

#[test]
fn gmm_equals_the_golden_results() {
    let Some(data) = adbench("gmm_equals_the_golden_results") else {
        return;
    };
    for file in [
        "test",
        "1k/gmm_d2_K5",
        "1k/gmm_d2_K50",
        "1k/gmm_d10_K5",
        "1k/gmm_d20_K10",
        "1k/gmm_d64_K5",
    ] {
        check_gmm_golden(&data, file);
    }
}

#[test]
fn ba_equals_the_golden_results() {
    let Some(data) = adbench("ba_equals_the_golden_results") else {
        return;
    };
    let input = BaInput::load(&data.join("ba/test.txt")).unwrap();
    let (values, jacobian) = ba_by_cotangent::<f64>(&input);
    assert_close(
        "F",
        &values,
        &numbers(&data.join("golden/ba_test_F_Manual.txt")),
        TOLERANCE,
    );
    let dump = numbers(&data.join("golden/ba_test_J_Manual.txt"));
    let indices = |values: &[i32]| values.iter().map(|&i| f64::from(i)).collect::<Vec<_>>();
    let found = [
        vec![
            jacobian.row_count() as f64,
            jacobian.columns as f64,
            jacobian.rows.len() as f64,
        ],
        indices(&jacobian.rows),
        vec![jacobian.cols.len() as f64],
        indices(&jacobian.cols),
        jacobian.values,
    ];
    assert_close("J", &found.concat(), &dump, TOLERANCE);
}

/// All observations of ba1 are alike: the golden file has the values of one.
#[test]
fn ba1_equals_its_golden_block() {
    let Some(data) = adbench("ba1_equals_its_golden_block") else {
        return;
    };
    let input = BaInput::load(&data.join("ba/ba1_n49_m7776_p31843.txt")).unwrap();
    let (_, jacobian) = ba_by_cotangent::<f64>(&input);
    let text = std::fs::read_to_string(data.join("golden/ba_ba1_compact.txt")).unwrap();
    let line = |i: usize| {
        let line = text.lines().filter(|l| !l.starts_with('#')).nth(i).unwrap();
        line.split_whitespace()
            .map(|w| w.parse().unwrap())
            .collect::<Vec<f64>>()
    };
    assert_eq!(
        (
            jacobian.row_count(),
            jacobian.columns,
            jacobian.values.len()
        ),
        (95_529, 55_710, 987_133)
    );
    let (residuals, weights) = jacobian.values.split_at(30 * 31_843);
    for block in residuals.chunks_exact(30) {
        assert_close("block", block, &line(1), TOLERANCE);
    }
    assert_close("weights", weights, &vec![line(2)[0]; 31_843], TOLERANCE);
}

/// Sizes that are no multiple of anything, one of each, and other priors.
#[test]
fn gmm_of_odd_sizes_equals_the_closed_form() {
    let cases = [
        (1, 1, 1, 1.0, 0),
        (7, 3, 5, 0.5, 2),
        (33, 17, 2, 2.0, 1),
        (129, 5, 11, 1.0, 0),
        (65, 2, 1, 3.5, 7),
    ];
    for (n, d, k, gamma, m) in cases {
        let input = GmmInput {
            gamma,
            m,
            ..GmmInput::generate(n, d, k, 3).unwrap()
        };
        let (value, exact) = gmm::reference::gradient(&input).unwrap();
        let (found, gradient) = gmm_by_cotangent::<f64>(&input);
        assert_close(&format!("{n} {d} {k}: F"), &[found], &[value], TOLERANCE);
        assert_close(
            &format!("{n} {d} {k}: J"),
            &gradient,
            &exact.flatten(),
            TOLERANCE,
        );
        let (found, gradient) = gmm_by_cotangent::<f32>(&input);
        assert_close(&format!("{n} {d} {k}: F in f32"), &[found], &[value], 1e-3);
        assert_close(
            &format!("{n} {d} {k}: J in f32"),
            &gradient,
            &exact.flatten(),
            1e-3,
        );
    }
}

#[test]
fn ba_of_varied_data_equals_dual_numbers() {
    for (n, m, p) in [(1, 1, 1), (3, 5, 17), (7, 31, 301)] {
        let mut input = BaInput::generate(n, m, p, 3).unwrap();
        input.observations.reverse();
        input.cameras[0][..3].fill(0.0);
        let exact = ba::reference::jacobian(&input).unwrap();
        let (errors, weight_errors) = ba::reference::objective(&input).unwrap();
        let (values, jacobian) = ba_by_cotangent::<f64>(&input);
        assert_close("F", &values, &[errors, weight_errors].concat(), TOLERANCE);
        assert_eq!((&jacobian.rows, &jacobian.cols), (&exact.rows, &exact.cols));
        assert_close("J", &jacobian.values, &exact.values, TOLERANCE);
    }
}

/// A backend that keeps the schedule it is given.
#[derive(Default)]
pub(crate) struct Recorder(pub RefCell<Option<Checked<Schedule>>>);

impl Backend for Recorder {
    type Executable = ();

    fn name(&self) -> String {
        "recorder".to_owned()
    }

    fn prepare(&self, schedule: &Checked<Schedule>) -> Result<(), RunError> {
        self.0.replace(Some(schedule.clone()));
        Ok(())
    }

    fn run_measured(
        &self,
        _: &(),
        _: &[HostArray],
    ) -> Result<(Vec<HostArray>, RunMeasures), RunError> {
        Err(RunError::Bug("it only records".to_owned()))
    }
}

/// The largest body of a schedule.
fn largest(schedule: &Schedule) -> &Body {
    let kernels = schedule.steps.iter().filter_map(Step::as_kernel);
    let bodies = kernels.map(Kernel::body);
    bodies.max_by_key(|body| body.len()).unwrap()
}

fn count(body: &Body, prim: Prim) -> usize {
    let made_by = |op: &Op| matches!(op, Op::Prim(found, _) if *found == prim);
    body.walk().filter(|(_, inst)| made_by(&inst.op)).count()
}

/// All values lie in one array and all their columns in another; one kernel writes both where they stay, and
/// one the row starts.
#[test]
fn a_jacobian_is_written_in_place_by_two_kernels() {
    let model = ba::model::Model::<f64>::compile(Cpu::default()).unwrap();
    let recorder = Recorder::default();
    model.jacobian_program().prepare(&recorder).unwrap();
    let schedule = recorder.0.take().unwrap();
    let kernels = schedule.steps.iter().filter_map(Step::as_kernel);
    let kernels: Vec<_> = kernels.collect();
    assert_eq!(kernels.len(), 2, "{}", *schedule);
    let [values, starts, columns] = schedule.results[..] else {
        panic!("three results, not {:?}", schedule.results);
    };
    let owner = |array: ArrayId| match schedule.arrays[array.index()].layout {
        Layout::Own => array,
        Layout::View { of, .. } => of,
    };
    let written = |kernel: &Kernel, array: ArrayId| {
        let outputs = kernel.outputs().iter();
        outputs.filter(|o| owner(o.array) == array).count()
    };
    let counts = kernels
        .iter()
        .map(|kernel| [values, starts, columns].map(|array| written(kernel, array)));
    assert_eq!(counts.collect::<Vec<_>>(), [[0, 1, 0], [31, 0, 31]]);
    let tested = largest(&schedule)
        .loads()
        .filter(|(_, load)| load.site.is_some());
    // The indices of cameras and points are data.
    assert_eq!(tested.count(), 14);
}

/// Both rows of the Jacobian share the residuals' code, and what they do beyond is mostly multiply and add:
/// one reciprocal for each of two divisors; one angle; selects of results, and for adjoints of 0; negations of results, and
/// three that both rows use.
#[test]
fn the_rows_of_a_jacobian_share_their_expensive_parts() {
    let model = ba::model::Model::<f64>::compile(Cpu::default()).unwrap();
    let recorder = Recorder::default();
    model.jacobian_program().prepare(&recorder).unwrap();
    let schedule = recorder.0.take().unwrap();
    let body = largest(&schedule);
    let found = [
        Prim::Div,
        Prim::Sqrt,
        Prim::Sin,
        Prim::Cos,
        Prim::Select,
        Prim::Neg,
    ];
    let found = found.map(|prim| count(body, prim));
    assert_eq!(found, [2, 1, 1, 1, 6, 8]);
    let floats = body.walk().filter(|(_, inst)| inst.ty.is_float()).count();
    assert!(floats <= 385, "{floats}");
}

/// What AD sends to the diagonal, to the packed triangle and past the diagonal is gathered from there.
#[test]
fn the_gradient_of_gmm_has_no_scatter() {
    let model = gmm::model::Model::<f64>::compile(Cpu::default()).unwrap();
    let recorder = Recorder::default();
    model.gradient_program().prepare(&recorder).unwrap();
    let text = recorder.0.take().unwrap().to_string();
    assert!(text.contains("kernel fold"), "{text}");
    assert!(!text.contains("kernel permute"), "{text}");
}
