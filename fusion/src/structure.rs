//! Triangles and bands: where the factors of contractions are zero, and which results are read at all.
//!
//! A factor's zeros follow from its code, and from that of the kernels that made the arrays it loads: a select
//! whose other branch is zero, a load under a condition (`facts.rs` knows what conditions say about
//! coordinates). Which results are read follows from all loads of the array: their indices, and the conditions
//! they stand under. What is found goes into the contraction's [`Structure`]; backends leave such products out.
//!
//! Invariant: nothing but the structure of contractions changes.

mod facts;
mod needed;
mod support;

use cotangent_core::schedule::{Kernel, KernelKind, Schedule, Step, Structure};

/// Finds the structure of all contractions of a schedule. The number of those that have any.
pub(crate) fn find(schedule: &mut Schedule) -> usize {
    let any = schedule
        .kernels()
        .into_iter()
        .any(|kernel| is_contraction(&kernel.kind));
    if !any {
        return 0;
    }
    let supports = support::Supports::new(schedule);
    let mut found: Vec<Structure> = schedule
        .kernels()
        .into_iter()
        .filter(|kernel| is_contraction(&kernel.kind))
        .map(|kernel| supports.structure(kernel))
        .collect();
    needed::add(schedule, &mut found);
    let count = found
        .iter()
        .filter(|structure| !structure.is_empty())
        .count();
    let mut found = found.into_iter();
    for_each_kernel(&mut schedule.steps, &mut |kernel| {
        if let KernelKind::Contract { structure, .. } = &mut kernel.kind {
            *structure = found.next().unwrap_or_default();
        }
    });
    count
}

fn is_contraction(kind: &KernelKind) -> bool {
    match kind {
        KernelKind::Contract { .. } => true,
        KernelKind::Map { .. }
        | KernelKind::Reduce { .. }
        | KernelKind::Scan { .. }
        | KernelKind::Segments { .. }
        | KernelKind::Sort { .. }
        | KernelKind::Scatter { .. } => false,
    }
}

/// Visits all kernels, in the order of their steps.
fn for_each_kernel(steps: &mut [Step], visit: &mut impl FnMut(&mut Kernel)) {
    for step in steps {
        step.kernels_mut().iter_mut().for_each(&mut *visit);
        for list in step.lists_mut() {
            for_each_kernel(list, visit);
        }
    }
}
