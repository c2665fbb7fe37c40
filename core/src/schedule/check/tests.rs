//! Each rule is broken once, in a schedule that is otherwise accepted.

mod contract;

use super::*;
use crate::backend::Site;
use crate::host::HostArray;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::schedule::{Body, Inst, Load, Offset, Op, run};
use crate::term::Combine;

/// A0 (a parameter) is mapped to A1, of which A2 is a view; A3 is the sum of A0.
fn good() -> Schedule {
    let own = |extents: &[u32]| ArrayDecl {
        elem: ScalarType::F64,
        extents: extents.iter().map(|&e| SymbolId(e)).collect(),
        layout: Layout::Own,
        site: SiteId(0),
    };
    let view = ArrayDecl {
        layout: Layout::View {
            of: ArrayId(1),
            offset: 0.into(),
            stride: 1,
        },
        ..own(&[0])
    };
    Schedule {
        symbols: vec![ScalarType::I32, ScalarType::F64],
        arrays: vec![own(&[0]), own(&[0]), view, own(&[])],
        sites: vec![Site {
            construct: "map",
            loc: Loc::UNKNOWN,
        }],
        params: vec![ArrayId(0)],
        uses: vec![],
        steps: vec![
            zero(),
            kernel(map_kind(), vec![SymbolId(0)]),
            kernel(sum_kind(), vec![]),
        ],
        results: vec![ArrayId(2), ArrayId(3)],
    }
}

/// Defines s1 as zero.
fn zero() -> Step {
    let mut body = Body::default();
    let value = body.push(Op::Const(0.0.into()), ScalarType::F64);
    Step::Scalars {
        body,
        defines: vec![(SymbolId(1), value)],
    }
}

fn kernel(kind: KernelKind, space: Vec<SymbolId>) -> Step {
    Step::Kernel(Kernel {
        name: "map",
        loc: Loc::UNKNOWN,
        fused: vec![],
        space,
        kind,
    })
}

/// Loads A0 at the coordinate.
fn load() -> Body {
    let mut body = Body::default();
    let at = body.push(Op::Coord(0), ScalarType::I32);
    let load = Load {
        array: ArrayId(0),
        index: vec![at],
        guard: None,
        site: None,
    };
    body.push(Op::Load(load), ScalarType::F64);
    body
}

fn output(value: u32, array: u32) -> Output {
    Output {
        value: ValueId(value),
        array: ArrayId(array),
    }
}

fn map_kind() -> KernelKind {
    let mut body = load();
    body.push(Op::Prim(Prim::Neg, vec![ValueId(1)]), ScalarType::F64);
    KernelKind::Map {
        body,
        outputs: vec![output(2, 1)],
    }
}

fn sum_kind() -> KernelKind {
    let mut body = Body::default();
    let x = body.push(Op::Arg(0), ScalarType::F64);
    let y = body.push(Op::Arg(1), ScalarType::F64);
    let z = body.push(Op::Prim(Prim::Add, vec![x, y]), ScalarType::F64);
    KernelKind::Reduce {
        inner: vec![SymbolId(0)],
        body: load(),
        operator: Operator {
            body,
            results: vec![z],
        },
        init: Some(vec![SymbolId(1)]),
        outputs: vec![output(1, 3)],
    }
}

/// What the checker says after `damage`.
fn broken(damage: impl FnOnce(&mut Schedule)) -> String {
    let mut schedule = good();
    damage(&mut schedule);
    check(schedule).unwrap_err().to_string()
}

/// The same, where the kernel at a step is damaged.
fn broken_kernel(step: usize, damage: impl FnOnce(&mut Kernel)) -> String {
    broken(|s| match &mut s.steps[step] {
        Step::Kernel(kernel) => damage(kernel),
        other => panic!("a kernel, not {other:?}"),
    })
}

fn body_of(kernel: &mut Kernel) -> &mut Body {
    match &mut kernel.kind {
        KernelKind::Map { body, .. }
        | KernelKind::Reduce { body, .. }
        | KernelKind::Segments { body, .. }
        | KernelKind::Contract { body, .. }
        | KernelKind::Scan { body, .. }
        | KernelKind::Sort { body, .. }
        | KernelKind::Scatter { body, .. } => body,
    }
}

#[track_caller]
fn says(message: &str, part: &str) {
    assert!(message.contains(part), "{message}");
}

#[test]
fn a_good_schedule_is_accepted() {
    assert_eq!(*check(good()).unwrap(), good());
}

#[test]
fn declarations_are_checked() {
    says(
        &broken(|s| s.symbols[0] = ScalarType::I64),
        "should be of type i32",
    );
    says(
        &broken(|s| s.arrays[1].extents[0] = SymbolId(9)),
        "s9 does not exist",
    );
    says(
        &broken(|s| s.arrays[1].site = SiteId(9)),
        "site9 does not exist",
    );
    says(
        &broken(|s| s.arrays[2].elem = ScalarType::F32),
        "should be of type f64",
    );
    says(
        &broken(|s| s.params.push(ArrayId(0))),
        "A0 is defined twice",
    );
    says(&broken(|s| s.params[0] = ArrayId(2)), "an input and a view");
    let one_element = |s: &mut Schedule| {
        s.arrays[2].layout = Layout::View {
            of: ArrayId(1),
            offset: 0.into(),
            stride: 0,
        };
    };
    let mut read = good();
    one_element(&mut read);
    assert!(check(read).is_ok());
    let written = broken(|s| {
        one_element(s);
        if let Step::Kernel(kernel) = &mut s.steps[1]
            && let KernelKind::Map { outputs, .. } = &mut kernel.kind
        {
            outputs[0].array = ArrayId(2);
        }
    });
    says(&written, "stride 0");
    let of_view = broken(|s| {
        s.arrays[1].layout = Layout::View {
            of: ArrayId(2),
            offset: 0.into(),
            stride: 1,
        };
    });
    says(&of_view, "a view");
}

#[test]
fn uses_come_after_definitions() {
    says(
        &broken(|s| s.steps.swap(0, 2)),
        "s1 is used but not defined",
    );
    says(
        &broken(|s| s.steps.truncate(2)),
        "A3 is used but not defined",
    );
    says(
        &broken(|s| drop(s.steps.remove(1))),
        "A2 is used but not defined",
    );
    says(&broken(|s| s.steps.push(zero())), "s1 is defined twice");
    let twice = broken(|s| s.steps.push(kernel(map_kind(), vec![SymbolId(0)])));
    says(&twice, "A1 is defined twice");
    says(&broken(|s| s.results.push(ArrayId(7))), "A7 does not exist");
}

#[test]
fn bodies_are_checked() {
    let later = broken_kernel(1, |k| body_of(k).insts_mut().swap(1, 2));
    says(&later, "an operand of v1");
    says(
        &broken_kernel(1, |k| body_of(k).insts_mut()[2].ty = ScalarType::F32),
        "v2 should be of type",
    );
    says(
        &broken_kernel(1, |k| body_of(k).insts_mut()[0].op = Op::Coord(1)),
        "coordinate 1 of 1",
    );
    says(
        &broken_kernel(1, |k| body_of(k).insts_mut()[0].op = Op::Arg(0)),
        "argument 0",
    );
    let of_bool = Op::Prim(Prim::Not, vec![ValueId(1)]);
    says(
        &broken_kernel(1, |k| body_of(k).insts_mut()[2].op = of_bool),
        "`not` on",
    );
    let load_of = |array, index: &[u32], guard| {
        Op::Load(Load {
            array: ArrayId(array),
            index: index.iter().map(|&v| ValueId(v)).collect(),
            guard,
            site: None,
        })
    };
    let with = |op: Op| broken_kernel(1, |k| body_of(k).insts_mut()[1].op = op);
    says(&with(load_of(1, &[0], None)), "A1 is used but not defined");
    says(&with(load_of(0, &[], None)), "the index of A0");
    says(&with(load_of(0, &[0], Some(ValueId(0)))), "a guard");
}

#[test]
fn outputs_are_checked() {
    says(&broken_kernel(1, |k| k.space = vec![]), "coordinate 0 of 0");
    says(
        &broken(|s| s.arrays[3].extents.push(SymbolId(0))),
        "A3 has not the extents",
    );
    let wrong_value = broken_kernel(1, |k| {
        k.kind = KernelKind::Map {
            body: load(),
            outputs: vec![output(0, 1)],
        }
    });
    says(&wrong_value, "v0 for A1 should be of type f64");
}

#[test]
fn operators_are_checked() {
    let with = |damage: &dyn Fn(&mut Operator)| {
        broken_kernel(2, |k| match &mut k.kind {
            KernelKind::Reduce { operator, .. } => damage(operator),
            other => panic!("a reduction, not {other:?}"),
        })
    };
    says(
        &with(&|o| o.results.clear()),
        "0 results of an operator on 1",
    );
    says(
        &with(&|o| o.body.insts_mut()[1].op = Op::Arg(2)),
        "argument 2",
    );
    says(&with(&|o| o.body = load()), "coordinate 0 of 0");
    let init = broken_kernel(2, |k| match &mut k.kind {
        KernelKind::Reduce { init, .. } => *init = Some(vec![SymbolId(0)]),
        other => panic!("a reduction, not {other:?}"),
    });
    says(&init, "s0 should be of type f64");
}

#[test]
fn scatters_are_checked() {
    let scatter = |array, target: &[u32]| {
        let mut body = load();
        let guard = body.push(Op::Const(true.into()), ScalarType::Bool);
        let kind = KernelKind::Scatter {
            body,
            guard,
            target: target.iter().map(|&v| ValueId(v)).collect(),
            site: SiteId(0),
            combine: Combine::Add,
            outputs: vec![output(1, array)],
        };
        broken(|s| {
            let mut damaged = good();
            damaged.steps.push(kernel(kind, vec![SymbolId(0)]));
            // A scatter into A1 is accepted; the caller's is not.
            *s = damaged;
        })
    };
    says(&scatter(0, &[0]), "A0 is written and an input");
    says(&scatter(1, &[]), "A1 has not the shape of the target");
    says(&scatter(1, &[1]), "the target should be of type i32");
}

#[test]
fn branches_are_checked() {
    let branch = |merged, array| Step::If {
        cond: SymbolId(2),
        then_: vec![],
        else_: vec![],
        symbols: vec![],
        arrays: vec![(ArrayId(merged), ArrayId(array), ArrayId(0))],
    };
    let cond = |s: &mut Schedule| {
        s.symbols.push(ScalarType::Bool);
        s.arrays.push(s.arrays[1].clone());
        if let Step::Scalars { body, defines } = &mut s.steps[0] {
            let holds = body.push(Op::Const(true.into()), ScalarType::Bool);
            defines.push((SymbolId(2), holds));
        }
    };
    let with = |step: Step| {
        broken(|s| {
            cond(s);
            s.steps.push(step);
        })
    };
    says(&with(branch(4, 2)), "A2 is merged and a view");
    says(&with(branch(4, 3)), "A3 should be of type");
    says(&with(branch(1, 1)), "A1 is defined twice");
    let inside = with(Step::If {
        cond: SymbolId(2),
        then_: vec![zero()],
        else_: vec![],
        symbols: vec![],
        arrays: vec![],
    });
    says(&inside, "step 3.then.0");
}

#[test]
fn owners_are_covered_by_their_views_once() {
    let parts = |first: (u32, u32), second: (u32, u32)| {
        let mut s = good();
        let view = |(offset, stride): (u32, u32)| ArrayDecl {
            layout: Layout::View {
                of: ArrayId(1),
                offset: offset.into(),
                stride,
            },
            ..s.arrays[0].clone()
        };
        let views = [view(first), view(second)];
        s.arrays.extend(views);
        s.steps = vec![];
        for array in [4, 5] {
            let kind = KernelKind::Map {
                body: load(),
                outputs: vec![output(1, array)],
            };
            s.steps.push(kernel(kind, vec![SymbolId(0)]));
        }
        s.results = vec![ArrayId(1)];
        check(s).map(drop)
    };
    assert_eq!(parts((0, 2), (1, 2)), Ok(()));
    says(&parts((0, 2), (0, 2)).unwrap_err().to_string(), "overlaps");
    says(&parts((0, 2), (2, 4)).unwrap_err().to_string(), "overlaps");
    says(
        &parts((0, 2), (1, 4)).unwrap_err().to_string(),
        "A1 is used but not defined",
    );
}

/// A0 is copied to the beginning of A1, which is twice as long, and from `second` on.
fn doubled(second: Offset) -> Schedule {
    let mut s = good();
    s.symbols.extend([ScalarType::I32, ScalarType::I64]);
    let mut body = Body::default();
    let n = body.push(Op::Symbol(SymbolId(0)), ScalarType::I32);
    let twice = body.push(Op::Prim(Prim::Add, vec![n, n]), ScalarType::I32);
    let convert = Prim::Convert(ScalarType::I64);
    let wide = body.push(Op::Prim(convert, vec![n]), ScalarType::I64);
    let scalars = Step::Scalars {
        body,
        defines: vec![(SymbolId(2), twice), (SymbolId(3), wide)],
    };
    s.steps = vec![scalars];
    s.arrays[1].extents = vec![SymbolId(2)];
    for offset in [Offset::default(), second] {
        let layout = Layout::View {
            of: ArrayId(1),
            offset,
            stride: 1,
        };
        let view = ArrayDecl {
            layout,
            ..s.arrays[0].clone()
        };
        s.arrays.push(view);
        let kind = KernelKind::Map {
            body: load(),
            outputs: vec![output(1, s.arrays.len() as u32 - 1)],
        };
        s.steps.push(kernel(kind, vec![SymbolId(0)]));
    }
    s.results = vec![ArrayId(1)];
    s
}

fn at_symbol(symbol: u32, constant: u32) -> Offset {
    Offset {
        symbol: Some(SymbolId(symbol)),
        constant,
    }
}

#[test]
fn views_at_symbols_are_all_written_first() {
    let fails = |s: Schedule| check(s).unwrap_err().to_string();
    assert_eq!(check(doubled(at_symbol(3, 0))).map(drop), Ok(()));
    says(&fails(doubled(0.into())), "overlaps another view of A1");
    says(
        &fails(doubled(at_symbol(2, 0))),
        "offset s2 of A5 should be of type i64",
    );
    let mut early = doubled(at_symbol(3, 0));
    early.steps.swap(0, 2);
    says(&fails(early), "s2 is used but not defined");
    let mut before = doubled(at_symbol(3, 0));
    before.results.clear();
    let mut reads = load();
    if let Op::Load(load) = &mut reads.insts_mut()[1].op {
        load.array = ArrayId(1);
    }
    before.arrays.push(before.arrays[0].clone());
    let kind = KernelKind::Map {
        body: reads,
        outputs: vec![output(1, 6)],
    };
    let reader = kernel(kind, vec![SymbolId(0)]);
    before.steps.insert(2, reader);
    says(&fails(before.clone()), "A1 is used but not defined");
    before.steps.swap(2, 3);
    assert_eq!(check(before).map(drop), Ok(()));
}

#[test]
fn the_runner_finds_gaps_and_overlaps() {
    let input = HostArray::new(vec![2], vec![1.0, 2.0].into()).unwrap();
    let run = |second| {
        let checked = check(doubled(second)).unwrap();
        run::run(&checked, std::slice::from_ref(&input)).map_err(|e| e.to_string())
    };
    let both = HostArray::new(vec![4], vec![1.0, 2.0, 1.0, 2.0].into()).unwrap();
    assert_eq!(run(at_symbol(3, 0)), Ok(vec![both]));
    says(&run(at_symbol(3, 1)).unwrap_err(), "does not exist");
    let mut overlap = doubled(at_symbol(3, 0));
    let Step::Scalars { body, .. } = &mut overlap.steps[0] else {
        panic!("scalars come first");
    };
    body.insts_mut()[2] = Inst {
        op: Op::Const(1i64.into()),
        ty: ScalarType::I64,
    };
    let overlap = check(overlap).unwrap();
    let error = run::run(&overlap, &[input]).unwrap_err();
    says(&error.to_string(), "element 0 of A5 is written twice");
}
