//! Folds of segments: the runner, scans in their places, and what the checker turns down.

use super::*;
use crate::backend::RunError;
use crate::constant::Const;
use crate::prim::Prim;
use crate::schedule::networks::networks;
use crate::schedule::run::run;
use crate::types::ScalarType;

/// The segments of the rows of A0 (s0 × s1), which start at A1 (s3), by an operator from s4 on: A2 (s0 × s2).
fn segments(elem: ScalarType, operator: Operator, damage: impl FnOnce(&mut Kernel)) -> Schedule {
    let mut body = Body::default();
    let load = |body: &mut Body, array, index: &[ValueId], elem| {
        let load = Load {
            array: ArrayId(array),
            index: index.to_vec(),
            guard: None,
            site: None,
        };
        body.push(Op::Load(load), elem)
    };
    let [row, segment, at] = [0, 1, 2].map(|axis| body.push(Op::Coord(axis), I32));
    let value = load(&mut body, 0, &[row, at], elem);
    let one = body.push(Op::Const(Const::I32(1)), I32);
    let next = body.push(Op::Prim(Prim::Add, vec![segment, one]), I32);
    let bounds = [segment, next].map(|at| load(&mut body, 1, &[at], I32));
    let mut kernel = Kernel {
        name: "fold_segments",
        loc: Loc::UNKNOWN,
        fused: vec![],
        space: vec![SymbolId(0), SymbolId(2)],
        kind: KernelKind::Segments {
            inner: SymbolId(1),
            body,
            bounds,
            operator,
            init: vec![SymbolId(5)],
            site: SiteId(0),
            outputs: vec![Output {
                value,
                array: ArrayId(2),
            }],
        },
    };
    damage(&mut kernel);
    let mut code = Body::default();
    let count = code.push(Op::Symbol(SymbolId(3)), I32);
    let minus = code.push(Op::Const(Const::I32(-1)), I32);
    let count = code.push(Op::Prim(Prim::Add, vec![count, minus]), I32);
    let init = code.push(Op::Const(Const::small(elem, 2)), elem);
    let scalars = Step::Scalars {
        body: code,
        defines: vec![(SymbolId(2), count), (SymbolId(5), init)],
    };
    Schedule {
        symbols: vec![I32, I32, I32, I32, I32, elem],
        params: vec![ArrayId(0), ArrayId(1)],
        ..schedule(
            vec![own(elem, &[0, 1]), own(I32, &[3]), own(elem, &[0, 2])],
            vec![scalars, Step::Kernel(kernel)],
            &[2],
        )
    }
}

/// What comes of starts, by the kernel and by scans.
fn both_ways(
    (elem, prim): (ScalarType, Prim),
    starts: &[i32],
    [rows, n]: [usize; 2],
) -> [Result<Column, RunError>; 2] {
    let direct = segments(elem, Operator::of_prim(prim, elem), |_| ());
    let scans = networks(&direct).unwrap();
    let values = (0..rows * n).map(|i| Const::small(elem, (i * 7 % 5) as i32 + 1));
    let values = Column::try_from_consts(elem, values.collect::<Vec<_>>()).unwrap();
    let starts = HostArray::new(vec![starts.len()], starts.to_vec().into()).unwrap();
    let inputs = [HostArray::new(vec![rows, n], values).unwrap(), starts];
    [direct, scans.schedule].map(|schedule| {
        let checked = check(schedule).unwrap();
        run(&checked, &inputs).map(|results| results[0].column().clone())
    })
}

#[test]
fn scans_fold_segments() {
    let kinds = [
        (F64, Prim::Add),
        (ScalarType::I8, Prim::Mul),
        (ScalarType::U16, Prim::Max),
        (ScalarType::F32, Prim::Min),
    ];
    let starts: [&[i32]; 5] = [
        &[0],
        &[0, 0, 0],
        &[0, 7],
        &[0, 1, 1, 5, 6],
        &[0, 0, 3, 7, 7],
    ];
    for kind in kinds {
        for starts in starts {
            for extents in [[1, 7], [3, 7], [0, 7], [2, 9]] {
                let [direct, scans] = both_ways(kind, starts, extents);
                assert_eq!(direct, scans, "{kind:?} {starts:?} {extents:?}");
                assert!(direct.is_ok());
            }
        }
    }
    let [direct, _] = both_ways((F64, Prim::Add), &[0, 2, 2, 3], [1, 4]);
    // 1, 3, 5, 2, from 2 on.
    assert_eq!(direct, Ok(Column::from(vec![6.0, 2.0, 7.0])));
}

#[test]
fn segments_that_are_too_long_fail_alike() {
    for starts in [&[0, 3, 8, 8][..], &[0, i32::MAX, -2], &[0, 5, 7, -2, 4]] {
        let [direct, scans] = both_ways((F64, Prim::Add), starts, [2, 7]);
        assert_eq!(direct, scans, "{starts:?}");
        assert!(direct.is_err());
    }
    let [direct, scans] = both_ways((F64, Prim::Add), &[0, 3, 8], [0, 7]);
    assert_eq!(direct, scans);
    assert!(direct.is_ok());
}

#[test]
fn what_segments_promise_is_checked() {
    let refused = |operator, damage: fn(&mut Kernel)| {
        let error = check(segments(F64, operator, damage)).unwrap_err();
        error.to_string()
    };
    let sum = || Operator::of_prim(Prim::Add, F64);
    let text = refused(sum(), |kernel| {
        if let KernelKind::Segments { bounds, .. } = &mut kernel.kind {
            bounds.swap(0, 1);
        }
    });
    assert!(text.contains("neighbours"), "{text}");
    let text = refused(sum(), |kernel| {
        if let KernelKind::Segments { body, outputs, .. } = &mut kernel.kind {
            let segment = body.push(Op::Coord(1), I32);
            let other = body.push(Op::Prim(Prim::Convert(F64), vec![segment]), F64);
            outputs[0].value = other;
        }
    });
    assert!(text.contains("depend on their segment"), "{text}");
    let text = refused(Operator::of_prim(Prim::Sub, F64), |_| ());
    assert!(text.contains("no primitive"), "{text}");
}
