//! Two scatters to the same places as one.

use super::merge::{Appended, Numbered, both, together};
use crate::cost::{MAX_SENT, MAX_SHARED_INSTS};
use cotangent_core::schedule::{Body, Kernel, KernelKind, Output, SiteId, ValueId};
use cotangent_core::term::Combine;

/// A kernel that scatters.
struct Scatter<'a> {
    body: &'a Body,
    guard: ValueId,
    target: &'a [ValueId],
    site: SiteId,
    combine: Combine,
    outputs: &'a [Output],
}

impl<'a> Scatter<'a> {
    fn of(kernel: &'a Kernel) -> Option<Self> {
        match &kernel.kind {
            KernelKind::Scatter {
                body,
                guard,
                target,
                site,
                combine,
                outputs,
            } => Some(Self {
                body,
                guard: *guard,
                target,
                site: *site,
                combine: *combine,
                outputs,
            }),
            KernelKind::Map { .. }
            | KernelKind::Reduce { .. }
            | KernelKind::Contract { .. }
            | KernelKind::Scan { .. }
            | KernelKind::Segments { .. }
            | KernelKind::Sort { .. } => None,
        }
    }
}

/// The kernel that does the work of two scatters of one shape; none where they send to different places, or too much.
pub(super) fn merged(first: &Kernel, second: &Kernel) -> Option<Kernel> {
    let (one, other) = (Scatter::of(first)?, Scatter::of(second)?);
    let small = one.outputs.len() + other.outputs.len() <= MAX_SENT
        && one.body.len() + other.body.len() <= MAX_SHARED_INSTS;
    if !small {
        return None;
    }
    let mut code = Numbered::new(one.body.clone());
    let Appended { values, .. } = code.append(other.body);
    let new = |value: &ValueId| values[value.index()];
    let alike = new(&other.guard) == one.guard
        && other.target.iter().map(new).eq(one.target.iter().copied());
    if !alike {
        return None;
    }
    let kind = KernelKind::Scatter {
        body: code.body,
        guard: one.guard,
        target: one.target.to_vec(),
        site: one.site,
        combine: one.combine,
        outputs: both(one.outputs, other.outputs, &values),
    };
    Some(together(first, second, kind))
}
