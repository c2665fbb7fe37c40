//! Two maps that read no array as one.

use super::merge::{Appended, Numbered, both, together};
use crate::cost::{MAX_SENT, MAX_SHARED_INSTS};
use cotangent_core::schedule::{Body, Kernel, KernelKind, Output};

/// The body and the outputs of a map.
fn map(kernel: &Kernel) -> Option<(&Body, &[Output])> {
    match &kernel.kind {
        KernelKind::Map { body, outputs } => Some((body, outputs)),
        KernelKind::Reduce { .. }
        | KernelKind::Contract { .. }
        | KernelKind::Scan { .. }
        | KernelKind::Segments { .. }
        | KernelKind::Sort { .. }
        | KernelKind::Scatter { .. } => None,
    }
}

/// The kernel that does the work of two maps of one space; none where that would be too much for one.
pub(super) fn merged(first: &Kernel, second: &Kernel) -> Option<Kernel> {
    let ((one, to_first), (other, to_second)) = (map(first)?, map(second)?);
    let small =
        to_first.len() + to_second.len() <= MAX_SENT && one.len() + other.len() <= MAX_SHARED_INSTS;
    if !small {
        return None;
    }
    let mut code = Numbered::new(one.clone());
    let Appended { values, .. } = code.append(other);
    let kind = KernelKind::Map {
        body: code.body,
        outputs: both(to_first, to_second, &values),
    };
    Some(together(first, second, kind))
}
