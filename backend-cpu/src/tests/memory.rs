//! Views, conditionals, and the reuse of memory.

use super::maker::{Code, Maker};
use crate::Cpu;
use crate::memory::{Placement, data_mut};
use cotangent_core::backend::Backend;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::check::check;
use cotangent_core::schedule::*;
use cotangent_core::term::Combine;
use cotangent_core::types::ScalarType::{self, Bool, F16, F32, F64, I32, I64};

fn floats(n: usize) -> Vec<f64> {
    (0..n).map(|i| i as f64 * 0.5).collect()
}

#[test]
fn columns_of_an_interleaved_array() {
    for n in [0usize, 1, 5, 64, 3000] {
        let mut maker = Maker::new();
        let x = maker.input(&[n], floats(n));
        let space = maker.extents(x);
        let three = maker.known(3);
        let owner = maker.own(F64, &[space[0], three]);
        for c in 0..3 {
            let layout = Layout::View {
                of: owner,
                offset: c.into(),
                stride: 3,
            };
            let view = maker.array(F64, &space, layout);
            let mut code = Code::default();
            let i = code.coord(0);
            let x = code.load(x, F64, &[i]);
            let k = code.constant(f64::from(c));
            let body_value = code.prim(Prim::Add, &[x, k]);
            let outputs = vec![Output {
                value: body_value,
                array: view,
            }];
            let kind = KernelKind::Map {
                body: code.0,
                outputs,
            };
            maker.kernel(&space, kind);
            maker.schedule.results.push(view);
        }
        maker.schedule.results.push(owner);
        // The matrix under another shape, and reads through a column.
        let size = maker.known(3 * n as i32);
        let layout = Layout::View {
            of: owner,
            offset: 0.into(),
            stride: 1,
        };
        let flat = maker.array(F64, &[size], layout);
        maker.schedule.results.push(flat);
        let column = maker.schedule.results[1];
        let mut code = Code::default();
        let i = code.coord(0);
        let y = code.load(column, F64, &[i]);
        let z = code.prim(Prim::Mul, &[y, y]);
        maker.map(&space, code.0, &[z]);
        maker.run().unwrap();
    }
}

/// One kernel that writes most columns of an interleaved array, in any order, some of them the same or constant.
fn interleaved(ty: ScalarType, n: usize) -> Maker {
    let mut maker = Maker::new();
    let x = maker.input(&[n], floats(n));
    let space = maker.extents(x);
    let width = maker.known(23);
    let owner = maker.own(ty, &[space[0], width]);
    let mut code = Code::default();
    let i = code.coord(0);
    let x = code.load(x, F64, &[i]);
    let mut outputs = vec![];
    for column in (0..23u32).map(|c| c * 7 % 23).filter(|c| c % 11 != 5) {
        let layout = Layout::View {
            of: owner,
            offset: column.into(),
            stride: 23,
        };
        let k = code.constant(f64::from(column));
        let value = match column % 4 {
            0 => k,
            1 => x,
            _ => code.prim(Prim::Add, &[x, k]),
        };
        outputs.push(Output {
            value: code.prim(Prim::Convert(ty), &[value]),
            array: maker.array(ty, &space, layout),
        });
    }
    maker.schedule.results = outputs.iter().map(|o| o.array).collect();
    let kind = KernelKind::Map {
        body: code.0,
        outputs,
    };
    maker.kernel(&space, kind);
    maker
}

#[test]
fn rows_of_an_interleaved_array() {
    for ty in [Bool, I32, I64, F16, F32, F64] {
        for n in [0usize, 1, 7, 8, 65, 3000] {
            interleaved(ty, n).run().unwrap();
        }
    }
}

/// A conditional both of whose sides make an array, one of them from an input.
fn conditional(holds: bool) -> Maker {
    let mut maker = Maker::new();
    let x = maker.input(&[1000], floats(1000));
    let space = maker.extents(x);
    let cond = maker.known(holds);
    let merged = maker.own(F64, &space);
    let side = |maker: &mut Maker, k: f64| {
        let steps = maker.schedule.steps.len();
        let mut code = Code::default();
        let i = code.coord(0);
        let x = code.load(x, F64, &[i]);
        let k = code.constant(k);
        let y = code.prim(Prim::Mul, &[x, k]);
        let made = maker.map(&space, code.0, &[y])[0];
        maker.schedule.results.pop();
        let number = maker.known(7);
        (maker.schedule.steps.split_off(steps), made, number)
    };
    let (then_, from_then, s) = side(&mut maker, 2.0);
    let (else_, _, t) = side(&mut maker, 3.0);
    let symbol = maker.symbol(I32);
    maker.schedule.steps.push(Step::If {
        cond,
        then_,
        else_,
        symbols: vec![(symbol, s, t)],
        arrays: vec![(merged, from_then, x)],
    });
    let mut code = Code::default();
    let at = code.symbol(symbol, I32);
    let y = code.load(merged, F64, &[at]);
    maker.map(&space, code.0, &[y]);
    // The merged array is written: an input that it shares memory with must not change.
    let mut code = Code::default();
    let i = code.coord(0);
    let guard = code.constant(true);
    let value = code.constant(1.0);
    let outputs = vec![Output {
        value,
        array: merged,
    }];
    let kind = KernelKind::Scatter {
        body: code.0,
        guard,
        target: vec![i],
        site: SiteId(0),
        combine: Combine::Add,
        outputs,
    };
    maker.kernel(&space, kind);
    maker.schedule.results.extend([merged, x]);
    maker
}

#[test]
fn conditionals_merge_and_leave_inputs_alone() {
    for holds in [true, false] {
        let maker = conditional(holds);
        let input = maker.inputs[0].clone();
        let found = maker.run().unwrap();
        assert_eq!(found[2], input);
        assert_eq!(*input.column(), Column::from(floats(1000)));
    }
}

#[test]
fn deeply_nested_conditionals() {
    let mut maker = Maker::new();
    let cond = maker.known(true);
    let mut steps = vec![];
    for _ in 0..2000 {
        steps = vec![Step::If {
            cond,
            then_: steps,
            else_: vec![],
            symbols: vec![],
            arrays: vec![],
        }];
    }
    maker.schedule.steps.extend(steps);
    let schedule = cotangent_core::deep::with_deep_stack(|| check(maker.schedule).unwrap());
    let cpu = Cpu::default();
    let executable = cpu.prepare(&schedule).unwrap();
    assert_eq!(cpu.run(&executable, &[]).unwrap(), []);
    cotangent_core::deep::with_deep_stack(move || drop(schedule));
}

/// A chain of maps whose intermediate arrays all have one size.
fn chain(n: usize, length: usize) -> Maker {
    let mut maker = Maker::new();
    let mut x = maker.input(&[n], floats(n));
    let space = maker.extents(x);
    for _ in 0..length {
        let mut code = Code::default();
        let i = code.coord(0);
        let value = code.load(x, F64, &[i]);
        let one = code.constant(1.0);
        let next = code.prim(Prim::Add, &[value, one]);
        x = maker.map(&space, code.0, &[next])[0];
    }
    maker.schedule.results = vec![x];
    maker
}

#[test]
fn memory_is_reused_within_a_run_and_between_runs() {
    // Two arrays live at a time, and the last is the result, which leaves. Small ones that kernels alone read lie
    // elsewhere than results; large ones do not.
    let small = (10_000, 2);
    let large = (1_000_000, 1);
    for (n, stays) in [small, large] {
        let maker = chain(n, 10);
        let schedule = check(maker.schedule).unwrap();
        let cpu = Cpu::builder().threads(1).build().unwrap();
        let executable = cpu.prepare(&schedule).unwrap();
        // Small ones that lie elsewhere by intention may lie well for both by chance.
        let holds = |expected: usize| match executable.pool.count() {
            count if n == large.0 => assert_eq!(count, expected),
            count => assert!((1..=expected).contains(&count), "{count} of {expected}"),
        };
        let results: Vec<_> = (0..3)
            .map(|_| {
                let result = cpu.run(&executable, &maker.inputs).unwrap();
                holds(stays);
                result
            })
            .collect();
        drop(results);
        holds(stays + 3);
        // Some of them are used again; the others go once some runs have not used them.
        let used = stays + 1;
        for left in [stays + 3, stays + 3, used, used] {
            drop(cpu.run(&executable, &maker.inputs).unwrap());
            holds(left);
        }
    }
}

#[test]
fn arrays_of_kernels_begin_with_a_line() {
    let maker = chain(10_000, 3);
    let schedule = check(maker.schedule).unwrap();
    let executable = Cpu::default().prepare(&schedule).unwrap();
    for (len, placement) in [
        (1, Placement::Aligned),
        (1000, Placement::Aligned),
        (1000, Placement::Whole),
    ] {
        let mut column = executable.pool.take(F64, len, placement).unwrap();
        assert_eq!(column.len(), len);
        let at = data_mut(&mut column).unwrap();
        assert!(placement == Placement::Whole || at.align_offset(64) == 0);
    }
}

#[test]
fn runs_at_the_same_time_do_not_meet() {
    let maker = chain(50_000, 5);
    let schedule = check(maker.schedule).unwrap();
    let cpu = Cpu::default();
    let executable = cpu.prepare(&schedule).unwrap();
    std::thread::scope(|scope| {
        for t in 0..4 {
            let (cpu, executable) = (&cpu, &executable);
            scope.spawn(move || {
                let values: Vec<f64> = (0..50_000).map(|i| f64::from(i * t)).collect();
                let expected: Vec<f64> = values.iter().map(|x| x + 5.0).collect();
                let input = HostArray::new(vec![50_000], values.into()).unwrap();
                for _ in 0..5 {
                    let found = cpu.run(executable, std::slice::from_ref(&input)).unwrap();
                    assert_eq!(*found[0].column(), Column::from(expected.clone()));
                }
            });
        }
    });
}
