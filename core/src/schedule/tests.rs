//! The runner and the printer on schedules written by hand.

mod chunks;
mod loops;
mod segments;
mod sorts;

use super::check::check;
use super::*;
use crate::backend::RunError;
use crate::host::Column;
use crate::prim::Prim;
use crate::types::ScalarType::{Bool, F64, I32};

fn own(elem: ScalarType, extents: &[u32]) -> ArrayDecl {
    ArrayDecl {
        elem,
        extents: extents.iter().map(|&e| SymbolId(e)).collect(),
        layout: Layout::Own,
        site: SiteId(0),
    }
}

fn view(decl: &ArrayDecl, offset: u32, stride: u32) -> ArrayDecl {
    let layout = Layout::View {
        of: ArrayId(1),
        offset: offset.into(),
        stride,
    };
    ArrayDecl {
        layout,
        ..decl.clone()
    }
}

/// A schedule whose only parameter, A0, is a vector of extent s0.
fn schedule(arrays: Vec<ArrayDecl>, steps: Vec<Step>, results: &[u32]) -> Schedule {
    let site = Site {
        construct: "at",
        loc: Loc::UNKNOWN,
    };
    Schedule {
        symbols: vec![I32, F64, I32, Bool],
        arrays,
        sites: vec![site],
        params: vec![ArrayId(0)],
        uses: vec![],
        steps,
        results: results.iter().map(|&r| ArrayId(r)).collect(),
    }
}

/// Defines s1 = 10.0, s2 = s0 + 1, s3 = s0 > 2.
fn scalars() -> Step {
    let mut b = Body::default();
    let ten = b.push(Op::Const(10.0.into()), F64);
    let n = b.push(Op::Symbol(SymbolId(0)), I32);
    let one = b.push(Op::Const(1.into()), I32);
    let next = b.push(Op::Prim(Prim::Add, vec![n, one]), I32);
    let two = b.push(Op::Const(2.into()), I32);
    let more = b.push(Op::Prim(Prim::Gt, vec![n, two]), Bool);
    Step::Scalars {
        body: b,
        defines: vec![(SymbolId(1), ten), (SymbolId(2), next), (SymbolId(3), more)],
    }
}

/// Loads A0 at its coordinate plus `offset`.
fn load(offset: i32, guarded: bool) -> (Body, ValueId) {
    let mut b = Body::default();
    let i = b.push(Op::Coord(0), I32);
    let offset = b.push(Op::Const(offset.into()), I32);
    let at = b.push(Op::Prim(Prim::Add, vec![i, offset]), I32);
    let n = b.push(Op::Symbol(SymbolId(0)), I32);
    let inside = b.push(Op::Prim(Prim::Lt, vec![at, n]), Bool);
    let load = Load {
        array: ArrayId(0),
        index: vec![at],
        guard: guarded.then_some(inside),
        site: Some(SiteId(0)),
    };
    let x = b.push(Op::Load(load), F64);
    (b, x)
}

fn kernel(space: &[u32], kind: KernelKind) -> Step {
    Step::Kernel(Kernel {
        name: "map",
        loc: Loc::UNKNOWN,
        fused: vec![],
        space: space.iter().map(|&e| SymbolId(e)).collect(),
        kind,
    })
}

fn copy(offset: i32, guarded: bool, array: u32) -> Step {
    let (body, value) = load(offset, guarded);
    let array = ArrayId(array);
    kernel(
        &[0],
        KernelKind::Map {
            body,
            outputs: vec![Output { value, array }],
        },
    )
}

/// `2x + y`, which tells the operands apart.
fn operator() -> Operator {
    let mut b = Body::default();
    let x = b.push(Op::Arg(0), F64);
    let y = b.push(Op::Arg(1), F64);
    let twice = b.push(Op::Prim(Prim::Add, vec![x, x]), F64);
    let sum = b.push(Op::Prim(Prim::Add, vec![twice, y]), F64);
    Operator {
        body: b,
        results: vec![sum],
    }
}

fn vector(elements: &[f64]) -> HostArray {
    HostArray::new(vec![elements.len()], elements.to_vec().into()).unwrap()
}

fn run_on(schedule: Schedule, input: &[f64]) -> Result<Vec<Vec<f64>>, RunError> {
    let results = run::run(&check(schedule).unwrap(), &[vector(input)])?;
    let floats = |a: &HostArray| match a.column() {
        Column::F64(xs) => xs.to_vec(),
        other => panic!("floats, not {other:?}"),
    };
    Ok(results.iter().map(floats).collect())
}

#[test]
fn maps_read_under_guards_and_report_failures() {
    let arrays = vec![own(F64, &[0]), own(F64, &[0])];
    let with = |guarded| schedule(arrays.clone(), vec![copy(1, guarded, 1)], &[1]);
    assert_eq!(run_on(with(true), &[1.0, 2.0]).unwrap(), [[2.0, 0.0]]);
    let error = run_on(with(false), &[1.0, 2.0]).unwrap_err();
    assert!(
        matches!(&error, RunError::IndexOutOfRange { index, extents, .. }
        if index == &[2] && extents == &[2])
    );
}

#[test]
fn reductions_and_scans_keep_the_order() {
    let init = Some(vec![SymbolId(1)]);
    let reduce = |init: &Option<Vec<SymbolId>>, array| {
        let (body, value) = load(0, false);
        let kind = KernelKind::Reduce {
            inner: vec![SymbolId(0)],
            body,
            operator: operator(),
            init: init.clone(),
            outputs: vec![Output {
                value,
                array: ArrayId(array),
            }],
        };
        kernel(&[], kind)
    };
    let scan = |direction, init: &Option<Vec<SymbolId>>, array| {
        let (body, value) = load(0, false);
        let kind = KernelKind::Scan {
            inner: SymbolId(0),
            direction,
            body,
            operator: operator(),
            init: init.clone(),
            outputs: vec![Output {
                value,
                array: ArrayId(array),
            }],
        };
        kernel(&[], kind)
    };
    let arrays = vec![
        own(F64, &[0]),
        own(F64, &[]),
        own(F64, &[]),
        own(F64, &[2]),
        own(F64, &[2]),
        own(F64, &[0]),
        own(F64, &[0]),
    ];
    let steps = vec![
        scalars(),
        reduce(&init, 1),
        reduce(&None, 2),
        scan(Direction::Left, &init, 3),
        scan(Direction::Right, &init, 4),
        scan(Direction::Left, &None, 5),
        scan(Direction::Right, &None, 6),
    ];
    let results = run_on(schedule(arrays, steps, &[1, 2, 3, 4, 5, 6]), &[1.0, 2.0]).unwrap();
    let expected: [&[f64]; 6] = [
        &[44.0],
        &[4.0],
        &[10.0, 21.0, 44.0],
        &[16.0, 14.0, 10.0],
        &[1.0, 4.0],
        &[4.0, 2.0],
    ];
    assert_eq!(results, expected);
}

#[test]
fn views_interleave_and_scatters_combine() {
    let columns = own(F64, &[0]);
    // A1 has the extents (2, s0 + 1) only to be of rank 2; its elements are those of A2 and A3 in turn.
    let arrays = vec![columns.clone(), columns.clone(), view(&columns, 0, 1)];
    let mut body = Body::default();
    let i = body.push(Op::Coord(0), I32);
    let guard = body.push(Op::Const(true.into()), Bool);
    let zero = body.push(Op::Const(0.into()), I32);
    let value = body.push(Op::Prim(Prim::Convert(F64), vec![i]), F64);
    let scatter = |combine| {
        let kind = KernelKind::Scatter {
            body: body.clone(),
            guard,
            target: vec![zero],
            site: SiteId(0),
            combine,
            outputs: vec![Output {
                value,
                array: ArrayId(2),
            }],
        };
        kernel(&[0], kind)
    };
    let with = |combine| {
        let steps = vec![copy(0, false, 1), scatter(combine)];
        run_on(schedule(arrays.clone(), steps, &[1]), &[5.0, 6.0, 7.0]).unwrap()
    };
    assert_eq!(with(Combine::Add), [[8.0, 6.0, 7.0]]);
    assert_eq!(with(Combine::Overwrite), [[2.0, 6.0, 7.0]]);
    let empty = run_on(schedule(arrays.clone(), vec![copy(0, false, 1)], &[2]), &[]).unwrap();
    assert_eq!(empty, [[0.0; 0]]);
}

#[test]
fn branches_define_what_they_merge() {
    let arrays = vec![own(F64, &[0]), own(F64, &[0]), own(F64, &[0])];
    let step = Step::If {
        cond: SymbolId(3),
        then_: vec![copy(1, true, 1)],
        else_: vec![],
        symbols: vec![],
        arrays: vec![(ArrayId(2), ArrayId(1), ArrayId(0))],
    };
    let schedule = schedule(arrays, vec![scalars(), step], &[2]);
    assert_eq!(run_on(schedule.clone(), &[1.0, 2.0]).unwrap(), [[1.0, 2.0]]);
    assert_eq!(
        run_on(schedule, &[1.0, 2.0, 3.0]).unwrap(),
        [[2.0, 3.0, 0.0]]
    );
}

#[test]
fn checks_fail_as_they_say() {
    let with = |check| {
        let steps = vec![scalars(), Step::Check(check, SiteId(0))];
        run_on(schedule(vec![own(F64, &[0])], steps, &[0]), &[1.0, 2.0])
    };
    let (n, next) = (SymbolId(0), SymbolId(2));
    assert!(
        with(Check::Shape {
            extents: vec![n, next]
        })
        .is_ok()
    );
    let size = |to| Check::SameSize { from: vec![n], to };
    assert!(with(size(vec![n])).is_ok());
    assert!(matches!(
        with(size(vec![n, n])),
        Err(RunError::SizeMismatch { .. })
    ));
    let inside = |index, extent| Check::InRange { index, extent };
    assert!(with(inside(n, next)).is_ok());
    assert!(matches!(
        with(inside(n, n)),
        Err(RunError::IndexOutOfRange { .. })
    ));
    let not_empty = Check::NotEmpty {
        outer: vec![],
        inner: vec![n],
    };
    assert!(with(not_empty).is_ok());
}

#[test]
fn inputs_must_fit() {
    let s = check(schedule(vec![own(F64, &[0])], vec![], &[0])).unwrap();
    assert!(matches!(
        run::run(&s, &[]),
        Err(RunError::InputCount { .. })
    ));
    let integers = HostArray::new(vec![1], vec![1].into()).unwrap();
    assert!(matches!(
        run::run(&s, &[integers]),
        Err(RunError::InputType { .. })
    ));
}

#[test]
fn inputs_agree_on_the_extents_they_share() {
    let mut shared = schedule(vec![own(F64, &[0]), own(F64, &[0])], vec![], &[1]);
    shared.params.push(ArrayId(1));
    let shared = check(shared).unwrap();
    let input = |n: usize| HostArray::new(vec![n], vec![1.0; n].into()).unwrap();
    assert_eq!(run::run(&shared, &[input(2), input(2)]), Ok(vec![input(2)]));
    let expected = RunError::InputShape {
        position: 1,
        expected: vec![2],
        given: vec![3],
    };
    assert_eq!(run::run(&shared, &[input(2), input(3)]), Err(expected));
}

#[test]
fn the_text_shows_everything() {
    let arrays = vec![own(F64, &[0]), own(F64, &[0]), view(&own(F64, &[0]), 0, 1)];
    let text = schedule(arrays, vec![scalars(), copy(1, true, 1)], &[2]).to_string();
    for part in [
        "params [A0]",
        "A2: f64[s0] at 0 + 1·p of A1",
        "s2 := v3",
        "kernel map over [s0]",
        "v5: f64 = A0[v2] where v4 else site0",
        "A1 <- v5",
        "results [A2]",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}
