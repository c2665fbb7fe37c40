//! Small programs of which all figures can be computed by hand.

mod forms;
mod held;
mod work;

use crate::{ExplainError, Explanation, Figure, KernelNote, Kind, Notes, explain};
use cotangent_core::label::label;
use cotangent_core::recover::recover;
use cotangent_core::simplify::simplify;
use cotangent_core::surface::AccFn;
use cotangent_core::surface::prelude::*;
use cotangent_fusion::{Options, schedule_with_report};

/// What the program becomes, on inputs of any shapes or of the given ones.
fn explained_by<M, F: AccFn<M>>(
    f: F,
    shapes: Option<&[&[usize]]>,
) -> Result<Explanation, ExplainError> {
    let traced = trace(f).unwrap();
    let program = recover(&traced.graph, &traced.lambda).unwrap();
    let (program, _) = simplify(label(&program));
    let (schedule, report) = schedule_with_report(&program, &Options::default()).unwrap();
    let mut columns = vec![];
    F::In::column_counts(&mut columns);
    let notes = Notes {
        fired: &report.fired,
        kept: &report.kept,
        columns: &columns,
    };
    let shapes: Option<Vec<_>> = shapes.map(|s| s.iter().map(|s| s.to_vec()).collect());
    explain(&schedule, notes, shapes.as_deref())
}

fn explained<M, F: AccFn<M>>(f: F, shapes: &[&[usize]]) -> Explanation {
    explained_by(f, Some(shapes)).unwrap()
}

fn formulas<M, F: AccFn<M>>(f: F) -> Explanation {
    explained_by(f, None).unwrap()
}

/// Flops, bytes read and bytes written of a kernel.
fn figures(kernel: &KernelNote) -> [u64; 3] {
    let figures = [&kernel.flops, &kernel.bytes_read, &kernel.bytes_written];
    figures.map(|figure| figure.number().unwrap())
}

/// The kinds of all kernels.
fn kinds(explanation: &Explanation) -> Vec<Kind> {
    explanation.kernels.iter().map(|k| k.kind).collect()
}

/// The names of the reasons at all boundaries, with the kernels.
fn reasons(explanation: &Explanation) -> Vec<(usize, usize, &'static str)> {
    let boundaries = explanation.boundaries.iter();
    boundaries
        .map(|b| (b.from, b.to, b.reason.unwrap().0.name()))
        .collect()
}

/// Temporaries and peak.
fn memory(explanation: &Explanation) -> [Option<u64>; 2] {
    [
        explanation.temporaries_bytes.number(),
        explanation.peak_bytes.number(),
    ]
}
