//! What steps contain, read and define.

use super::*;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::schedule::{Check, Load, Op, Operator, Output, Part, SiteId, Total};
use crate::types::ScalarType::{F64, I32};

/// A step that can be told from others.
fn check(number: u32) -> Step {
    let shape = Check::Shape {
        extents: vec![SymbolId(number)],
    };
    Step::Check(shape, SiteId(0))
}

fn branches(then_: Vec<Step>, else_: Vec<Step>) -> Step {
    Step::If {
        cond: SymbolId(99),
        then_,
        else_,
        symbols: vec![],
        arrays: vec![],
    }
}

fn number(step: &Step) -> u32 {
    step.uses().first().map_or(0, |s| s.0)
}

const fn symbol(number: u32) -> SymbolId {
    SymbolId(number)
}

/// A sum over symbol 1 of elements of one array times symbol 2 for each point of symbol 0, from symbol 3 on.
fn sum(from: u32, to: u32) -> Kernel {
    let mut body = Body::default();
    let coord = body.push(Op::Coord(0), I32);
    let factor = body.push(Op::Symbol(symbol(2)), F64);
    let load = Load {
        array: ArrayId(from),
        index: vec![coord],
        guard: None,
        site: None,
    };
    let load = body.push(Op::Load(load), F64);
    let value = body.push(Op::Prim(Prim::Mul, vec![factor, load]), F64);
    let array = ArrayId(to);
    Kernel {
        name: "fold",
        loc: Loc::UNKNOWN,
        fused: vec![],
        space: vec![symbol(0)],
        kind: KernelKind::Reduce {
            inner: vec![symbol(1)],
            body,
            operator: Operator::of_prim(Prim::Add, F64),
            init: Some(vec![symbol(3)]),
            outputs: vec![Output { value, array }],
        },
    }
}

fn arrays(numbers: &[u32]) -> Vec<ArrayId> {
    numbers.iter().map(|&n| ArrayId(n)).collect()
}

fn sorted(mut symbols: Vec<SymbolId>) -> Vec<u32> {
    symbols.sort();
    symbols.into_iter().map(|s| s.0).collect()
}

#[test]
fn a_kernel_reads_what_its_code_loads() {
    let step = Step::Kernel(sum(4, 5));
    assert_eq!(step.reads(), arrays(&[4]));
    assert_eq!((step.writes(), step.makes()), (arrays(&[5]), arrays(&[5])));
    assert_eq!(sorted(step.uses()), [0, 1, 2, 3]);
    assert_eq!(step.code().count(), 1);
    assert!(step.as_kernel().is_some_and(|k| k.operator().is_some()));
}

#[test]
fn what_is_written_in_place_is_there_already() {
    let mut kernel = sum(4, 5);
    let body = kernel.body().clone();
    kernel.kind = KernelKind::Scatter {
        body,
        guard: ValueId(0),
        target: vec![],
        site: SiteId(0),
        combine: crate::term::Combine::Add,
        outputs: kernel.outputs().to_vec(),
    };
    let step = Step::Kernel(kernel);
    assert_eq!((step.writes(), step.makes()), (arrays(&[5]), vec![]));
}

#[test]
fn a_strip_keeps_its_chunks_inside() {
    let strip = Strip {
        over: symbol(7),
        start: symbol(8),
        len: symbol(1),
        kernels: vec![sum(4, 5), sum(5, 6)],
        parts: vec![],
        totals: vec![Total {
            operator: Operator::of_prim(Prim::Add, F64),
            init: Some(vec![symbol(9)]),
            arrays: vec![Part {
                whole: ArrayId(10),
                part: ArrayId(6),
            }],
        }],
    };
    let step = Step::Strip(strip);
    assert_eq!((step.reads(), step.makes()), (arrays(&[4]), arrays(&[10])));
    let uses: std::collections::BTreeSet<_> = step.uses().into_iter().collect();
    assert_eq!(sorted(uses.into_iter().collect()), [0, 2, 3, 7, 9]);
}

#[test]
fn a_conditional_takes_over_from_the_list_that_runs() {
    let step = Step::If {
        cond: symbol(0),
        then_: vec![check(1)],
        else_: vec![],
        symbols: vec![(symbol(2), symbol(3), symbol(4))],
        arrays: vec![(ArrayId(5), ArrayId(6), ArrayId(7))],
    };
    let [then_, else_] = &step.scopes()[..] else {
        panic!("two lists");
    };
    assert_eq!((then_.steps.len(), else_.steps.len()), (1, 0));
    assert_eq!(then_.condition, Some((symbol(0), true)));
    assert_eq!(else_.condition, Some((symbol(0), false)));
    assert_eq!(then_.arrays, [(ArrayId(5), ArrayId(6))]);
    assert_eq!(else_.symbols, [(symbol(2), symbol(4))]);
    assert_eq!(
        (step.reads(), step.makes()),
        (arrays(&[6, 7]), arrays(&[5]))
    );
    assert_eq!(sorted(step.uses()), [0, 3, 4]);
    assert_eq!(step.defines(), [symbol(2)]);
}

#[test]
fn steps_come_in_the_order_of_print() {
    let inner = branches(vec![check(2)], vec![check(3), check(4)]);
    let mut outer = branches(vec![check(1), inner, check(5)], vec![check(6)]);
    let steps = [check(0), outer.clone(), check(7)];
    let numbers: Vec<_> = all(&steps).map(number).collect();
    assert_eq!(numbers, [0, 99, 1, 99, 2, 3, 4, 5, 6, 7]);
    let lengths: Vec<_> = outer.lists().iter().map(|list| list.len()).collect();
    assert_eq!(lengths, [3, 1]);
    outer.lists_mut().into_iter().for_each(Vec::clear);
    assert_eq!(all(&[outer]).count(), 1);
}

#[test]
fn deep_nesting_does_not_recurse() {
    let nested = (0..100_000).fold(check(1), |step, _| branches(vec![step], vec![]));
    let steps = std::mem::ManuallyDrop::new([nested]);
    assert_eq!(all(&*steps).count(), 100_001);
}
