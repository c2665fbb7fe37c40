//! Programs and their schedules: the values must be those of the interpreter, fused and unfused, and the
//! structure what was meant.

mod appending;
mod conditionals;
mod contractions;
mod dead_stores;
mod distribution;
mod factors;
mod guards;
mod horizontal;
mod layouts;
mod operations;
mod padding;
mod properties;
mod ranges;
mod reasons;
mod refining;
mod replicated;
mod scatters;
mod size;
mod structure;
mod triangles;
mod unpacking;
mod updates;

use crate::{Options, Report, schedule, schedule_with_report};
use cotangent_core::backend::RunError;
use cotangent_core::build::{AccBuilder, Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::interp;
use cotangent_core::loc::Loc;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::check::check;
use cotangent_core::schedule::{Kernel, KernelKind, Layout, Schedule, Step, Strip, run, steps};
use cotangent_core::term::{Axis, Combine, Direction, ExpId, Fun, Labelled, Program};
use cotangent_core::types::ScalarType::{F64, I32};
use cotangent_core::types::{ArrayType, ScalarType};

/// A host array.
fn host<T>(shape: &[usize], elements: &[T]) -> HostArray
where
    T: Clone,
    Column: From<Vec<T>>,
{
    HostArray::new(shape.to_vec(), elements.to_vec().into()).unwrap()
}

fn vector(elements: &[f64]) -> HostArray {
    host(&[elements.len()], elements)
}

/// A matrix of small numbers that all differ.
fn matrix(rows: usize, columns: usize) -> HostArray {
    let elements: Vec<_> = (0..rows * columns).map(|i| i as f64 * 0.75 - 2.0).collect();
    host(&[rows, columns], &elements)
}

/// A scalar function of parameters of the given types.
fn fun<const N: usize>(
    types: [ScalarType; N],
    body: impl FnOnce(&mut FunBuilder, [ExpId; N]) -> Vec<ExpId>,
) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let params = types.map(|ty| b.param(ty));
    let results = body(&mut b, params);
    b.finish(results)
}

fn binary(op: Prim) -> Fun<Labelled> {
    Fun::prim(op, &[F64; 2])
}

fn unary(op: Prim) -> Fun<Labelled> {
    Fun::prim(op, &[F64])
}

fn zero() -> Option<Fun<Labelled>> {
    Some(Fun::constants(&[Const::F64(0.0)]))
}

fn extents(of: &[i32]) -> Fun<Labelled> {
    let constants: Vec<_> = of.iter().copied().map(Const::I32).collect();
    Fun::constants(&constants)
}

/// The sum along the inner dimension.
#[track_caller]
fn sum(b: &mut AccBuilder, x: &Arr) -> Arr {
    b.set_loc(Loc::caller());
    b.fold(binary(Prim::Add), zero(), std::slice::from_ref(x))
        .remove(0)
}

#[track_caller]
fn map(b: &mut AccBuilder, op: Prim, x: &Arr) -> Arr {
    b.set_loc(Loc::caller());
    b.map(unary(op), std::slice::from_ref(x)).remove(0)
}

fn zip(b: &mut AccBuilder, op: Prim, x: &Arr, y: &Arr) -> Arr {
    b.map(binary(op), &[x.clone(), y.clone()]).remove(0)
}

/// A program on inputs of the given types.
fn program(
    types: &[ArrayType],
    body: impl FnOnce(&mut AccBuilder, &[Arr]) -> Vec<Arr>,
) -> Program<Labelled> {
    let mut b = AccBuilder::new(0);
    let params: Vec<_> = types.iter().map(|&ty| b.fresh(ty)).collect();
    let results = body(&mut b, &params);
    Program {
        params,
        uses: vec![],
        alike: Default::default(),
        body: b.finish(&results),
    }
}

/// A program with all that the tests ask of it.
struct Subject {
    fused: Schedule,
    outcome: Result<Vec<HostArray>, RunError>,
    report: Report,
}

/// Runs a program in the interpreter, unfused and fused, and requires that they agree.
fn subject(
    inputs: &[HostArray],
    body: impl FnOnce(&mut AccBuilder, &[Arr]) -> Vec<Arr>,
) -> Subject {
    subject_with(Options::default(), inputs, body)
}

/// The same with other options than the usual ones.
fn subject_with(
    options: Options,
    inputs: &[HostArray],
    body: impl FnOnce(&mut AccBuilder, &[Arr]) -> Vec<Arr>,
) -> Subject {
    let types: Vec<_> = inputs.iter().map(HostArray::array_type).collect();
    let program = program(&types, body);
    cotangent_core::check::check(&program).unwrap();
    let expected = interp::run(&program, inputs);
    let outcome = |options| {
        let (schedule, report) = schedule_with_report(&program, &options).unwrap();
        let text = schedule.to_string();
        let checked = check(schedule).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let outcome = run::run(&checked, inputs);
        agree(&expected, &outcome, &text);
        ((*checked).clone(), outcome, report)
    };
    let _ = outcome(Options::unfused());
    let (fused, outcome, report) = outcome(options);
    Subject {
        fused,
        outcome,
        report,
    }
}

/// Where the interpreter succeeds, the values must be the same; a failure must be of the same kind.
fn agree(
    expected: &Result<Vec<HostArray>, RunError>,
    found: &Result<Vec<HostArray>, RunError>,
    text: &str,
) {
    match (expected, found) {
        (Ok(_), _) => assert_eq!(format!("{expected:?}"), format!("{found:?}"), "{text}"),
        (Err(_), Ok(_)) => {}
        (Err(expected), Err(found)) => assert_eq!(
            std::mem::discriminant(expected),
            std::mem::discriminant(found),
            "{expected:?} and {found:?}\n{text}"
        ),
    }
}

impl Subject {
    fn kernels(&self) -> Vec<&Kernel> {
        self.fused.kernels()
    }

    /// The names of all kernels.
    fn names(&self) -> Vec<&'static str> {
        self.kernels().iter().map(|k| k.name).collect()
    }

    /// Arrays that are neither inputs nor results, and not made of chunks.
    fn temporaries(&self) -> usize {
        let strips = self.fused.steps.iter().filter_map(Step::as_strip);
        let inside = strips.flat_map(Strip::made_inside).count();
        let named: std::collections::BTreeSet<_> = self
            .fused
            .params
            .iter()
            .chain(&self.fused.results)
            .collect();
        self.fused.arrays.len() - named.len() - inside
    }

    /// How often a rewrite was applied.
    fn fired(&self, rewrite: &str) -> usize {
        self.report.fired.get(rewrite).copied().unwrap_or(0)
    }

    /// All loads that are tested.
    fn tested_loads(&self) -> usize {
        let bodies = self.kernels();
        let insts = bodies
            .iter()
            .flat_map(|k| k.body().walk())
            .map(|(_, inst)| inst);
        let tested = |op: &cotangent_core::schedule::Op| matches!(op, cotangent_core::schedule::Op::Load(load) if load.site.is_some());
        insts.filter(|inst| tested(&inst.op)).count()
    }
}
