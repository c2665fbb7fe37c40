//! Failing programs: the error is that of the first point, whoever computed it.

use super::maker::{Code, Maker, operator};
use cotangent_core::backend::RunError;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::*;
use cotangent_core::term::Combine;
use cotangent_core::types::ScalarType::{F64, I32};

fn index_of(error: &RunError) -> (&'static str, Vec<i64>) {
    match error {
        RunError::IndexOutOfRange { site, index, .. } => (site.construct, index.clone()),
        other => panic!("{other}"),
    }
}

#[test]
fn the_first_point_that_fails_is_reported() {
    for n in [1usize, 70, 5000, 200_000] {
        for bad in [0, n / 2, n - 1] {
            let mut index: Vec<i32> = (0..n as i32).collect();
            index[bad] = -1;
            index[n - 1] = n as i32;
            let mut maker = Maker::new();
            let x = maker.input(&[n], vec![1.0; n]);
            let at = maker.input(&[n], index.clone());
            let (first, second) = (maker.site("first"), maker.site("second"));
            let space = maker.extents(x);
            let mut code = Code::default();
            let i = code.coord(0);
            let at = code.load(at, I32, &[i]);
            let a = code.guarded(x, F64, &[at], None, Some(first));
            code.guarded(x, F64, &[at], None, Some(second));
            maker.map(&space, code.0, &[a]);
            let expected = ("first", vec![i64::from(index[bad])]);
            assert_eq!(index_of(&maker.run().unwrap_err()), expected);
        }
    }
}

#[test]
fn affine_indices_fail_at_their_first_point() {
    for (m, n) in [(3, 4), (2, 1000), (1000, 2)] {
        let mut maker = Maker::new();
        let x = maker.input(&[m, n], vec![1.0; m * n]);
        let space = maker.extents(x);
        let mut code = Code::default();
        let (i, j, one) = (code.coord(0), code.coord(1), code.constant(1));
        let next = code.prim(Prim::Add, &[j, one]);
        let x = code.load(x, F64, &[i, next]);
        maker.map(&space, code.0, &[x]);
        let error = maker.run().unwrap_err();
        assert_eq!(index_of(&error).1, [0, n as i64]);
    }
}

#[test]
fn a_wrong_proof_is_a_defect_and_not_an_access() {
    let mut maker = Maker::new();
    let x = maker.input(&[3], vec![1.0; 3]);
    let space = maker.extents(x);
    let mut code = Code::default();
    let (i, one) = (code.coord(0), code.constant(1));
    let next = code.prim(Prim::Add, &[i, one]);
    let x = code.guarded(x, F64, &[next], None, None);
    maker.map(&space, code.0, &[x]);
    let schedule = check::check(maker.schedule).unwrap();
    let error = super::run_all(&schedule, &maker.inputs).unwrap_err();
    assert!(matches!(error, RunError::Bug(_)), "{error}");
}

#[test]
fn folds_and_scatters_report_indices() {
    for n in [3usize, 10_000] {
        let mut maker = Maker::new();
        let x = maker.input(&[n], vec![1.0; n]);
        let inner = maker.extents(x);
        let outer = maker.known(2);
        let init = Some(vec![maker.known(0.0)]);
        let mut code = Code::default();
        let (i, j) = (code.coord(0), code.coord(1));
        let at = code.prim(Prim::Add, &[i, j]);
        let x = code.load(x, F64, &[at]);
        let outputs = maker.outputs(&[outer], &code.0, &[x]);
        let operator = operator(Prim::Add, F64);
        let body = code.0;
        let kind = KernelKind::Reduce {
            inner,
            body,
            operator,
            init,
            outputs,
        };
        maker.kernel(&[outer], kind);
        assert_eq!(index_of(&maker.run().unwrap_err()).1, [n as i64]);
    }
}

#[test]
fn a_scatter_out_of_range() {
    let n = 100_000;
    let mut maker = Maker::new();
    let x = maker.input(&[n], vec![1.0; n]);
    let space = maker.extents(x);
    let mut zero = Code::default();
    let zeros = [zero.constant(0.0)];
    let target = maker.map(&space, zero.0, &zeros)[0];
    let mut code = Code::default();
    let (i, k) = (code.coord(0), code.constant(70_000));
    let x = code.load(x, F64, &[i]);
    let at = code.prim(Prim::Add, &[i, k]);
    let guard = code.constant(true);
    let outputs = vec![Output {
        value: x,
        array: target,
    }];
    let kind = KernelKind::Scatter {
        body: code.0,
        guard,
        target: vec![at],
        site: SiteId(0),
        combine: Combine::Add,
        outputs,
    };
    maker.kernel(&space, kind);
    assert_eq!(index_of(&maker.run().unwrap_err()).1, [n as i64]);
}

fn filled(shape: &[i32]) -> Result<Vec<cotangent_core::host::HostArray>, RunError> {
    let mut maker = Maker::new();
    let space: Vec<_> = shape.iter().map(|&e| maker.known(e)).collect();
    let mut code = Code::default();
    let one = code.constant(1.0);
    maker.map(&space, code.0, &[one]);
    maker.run()
}

#[test]
fn impossible_shapes() {
    let bad = |shape: &[i32]| matches!(filled(shape), Err(RunError::BadShape { .. }));
    assert!(bad(&[-1]));
    assert!(bad(&[2, -3]));
    assert!(bad(&[i32::MAX, i32::MAX, i32::MAX]));
    let huge = filled(&[i32::MAX, i32::MAX]);
    assert!(
        matches!(huge, Err(RunError::OutOfMemory { .. })),
        "{huge:?}"
    );
    let empty = filled(&[i32::MAX, i32::MAX, i32::MAX, 0]).unwrap();
    assert_eq!(empty[0].column().len(), 0);
}

#[test]
fn wrong_inputs() {
    let mut maker = Maker::new();
    let x = maker.input(&[2], vec![1.0, 2.0]);
    maker.schedule.results.push(x);
    let schedule = maker.schedule.clone();
    assert_eq!(maker.run().unwrap()[0].shape(), [2]);
    let none = super::against_reference(schedule.clone(), &[]);
    assert!(matches!(none, Err(RunError::InputCount { .. })));
    let ints = cotangent_core::host::HostArray::new(vec![1], vec![1].into()).unwrap();
    let wrong = super::against_reference(schedule, &[ints]);
    assert!(matches!(wrong, Err(RunError::InputType { .. })));
}

#[test]
fn checks_fail_as_in_the_reference() {
    let cases = |a: SymbolId, b: SymbolId| {
        vec![
            Check::Shape {
                extents: vec![a, b],
            },
            Check::SameSize {
                from: vec![a, b],
                to: vec![b],
            },
            Check::SameShape {
                found: vec![a, b],
                expected: vec![b, b],
            },
            Check::InRange {
                index: a,
                extent: b,
            },
            Check::NotEmpty {
                outer: vec![a],
                inner: vec![b],
            },
        ]
    };
    for (a, b) in [
        (0, 0),
        (1, 0),
        (0, 1),
        (1, 4),
        (-1, 2),
        (3, 3),
        (i32::MAX, i32::MAX),
    ] {
        for which in 0..5 {
            let mut maker = Maker::new();
            let (a, b) = (maker.known(a), maker.known(b));
            let check = cases(a, b).swap_remove(which);
            maker.schedule.steps.push(Step::Check(check, SiteId(0)));
            let outcome = maker.run();
            assert!(outcome.is_ok() || outcome.is_err());
        }
    }
}

#[test]
fn columns_of_one_array_must_have_its_shape() {
    let mut maker = Maker::new();
    let x = maker.input(&[3], vec![1.0; 3]);
    let y = maker.input(&[2], vec![1.0; 2]);
    maker.schedule.arrays[y.index()].extents = maker.extents(x);
    let schedule = check::check(maker.schedule).unwrap();
    let error = super::run_all(&schedule, &maker.inputs).unwrap_err();
    let expected = RunError::InputShape {
        position: 1,
        expected: vec![3],
        given: vec![2],
    };
    assert_eq!(error, expected);
}
