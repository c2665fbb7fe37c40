//! Sums of narrow floats among components that other ones need, or that are scanned together: such kernels run on `f64`,
//! and their results are rounded in the end.
//!
//! A sum that is combined by itself needs none of this: its loops ([`FoldFns`](crate::lanes::FoldFns)) have states of
//! their own. See the Note \[Sums of narrow floats\] at [`AccOp`](cotangent_core::term::AccOp).

use super::combine::store_as;
use super::{Launch, bug, share};
use crate::isa::Isa;
use crate::lanes::{LaneFn, lane_fn};
use crate::memory::{OutRef, Own};
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Kernel, KernelKind, Op, Operator, Output};
use cotangent_core::types::ScalarType;

/// The type of sums.
const SUM: ScalarType = ScalarType::F64;
/// The results that a task takes at least.
const BLOCK: i64 = 1024;

/// A kernel whose results are `f64` in some components, and which these are; `None` where all are what they should be.
pub(super) fn widened(kernel: &Kernel) -> Option<(Kernel, Vec<bool>)> {
    let mut kernel = kernel.clone();
    let (operator, body, outputs, is_scan) = match &mut kernel.kind {
        KernelKind::Reduce {
            operator,
            body,
            outputs,
            ..
        } => (operator, body, outputs, false),
        KernelKind::Scan {
            operator,
            body,
            outputs,
            ..
        } => (operator, body, outputs, true),
        KernelKind::Map { .. } | KernelKind::Contract { .. } | KernelKind::Scatter { .. } => {
            return None;
        }
        KernelKind::Segments { .. } | KernelKind::Sort { .. } => return None,
    };
    let sums = sums_among_others(operator, is_scan);
    if sums.iter().all(Option::is_none) {
        return None;
    }
    *operator = operator.widened(&sums);
    for (output, sum) in outputs.iter_mut().zip(&sums) {
        *output = wide_output(body, *output, *sum);
    }
    Some((kernel, sums.iter().map(Option::is_some).collect()))
}

/// The components that are sums of narrow floats and not combined by themselves, and the type of their sums.
fn sums_among_others(operator: &Operator, is_scan: bool) -> Vec<Option<ScalarType>> {
    let mut sums: Vec<_> = operator.narrow_sums();
    let parts = operator.parts();
    for part in parts {
        // A scan runs the loops of a primitive only where it has no other components.
        if let ([alone], false) = (&part.components[..], is_scan && sums.len() > 1) {
            sums[*alone] = None;
        }
    }
    sums.into_iter().map(|sum| sum.map(|_| SUM)).collect()
}

fn wide_output(body: &mut Body, output: Output, sum: Option<ScalarType>) -> Output {
    let Some(ty) = sum else { return output };
    let convert = Op::Prim(Prim::Convert(ty), vec![output.value]);
    Output {
        value: body.push(convert, ty),
        array: output.array,
    }
}

/// Initial values of a kernel as those of its wide form.
pub(super) fn wide_init(init: &[Const], is_wide: &[bool]) -> Vec<Const> {
    let value = |(&x, &wide): (&Const, &bool)| match wide {
        true => Prim::Convert(SUM).eval(&[x]).unwrap_or(x),
        false => x,
    };
    init.iter().zip(is_wide).map(value).collect()
}

/// Runs a kernel that has wide results, and rounds them.
///
/// # Errors
/// Where there is no memory for the wide results, and those of `run`.
pub(super) fn run_wide(
    isa: Isa,
    launch: &Launch,
    is_wide: &[bool],
    run: impl FnOnce(&Launch) -> Result<(), RunError>,
) -> Result<(), RunError> {
    let (mut outputs, mut rounded) = (launch.outputs.to_vec(), vec![]);
    for (output, _) in outputs.iter_mut().zip(is_wide).filter(|(_, wide)| **wide) {
        let results = Rounded::new(isa, *output)?;
        *output = results.wide.out;
        rounded.push(results);
    }
    run(&Launch {
        outputs: &outputs,
        ..*launch
    })?;
    rounded.iter().for_each(|results| results.finish(launch));
    Ok(())
}

/// Results of which there are a wide and a rounded form.
struct Rounded {
    wide: Own,
    rounded: OutRef,
    round: LaneFn,
}

impl Rounded {
    fn new(isa: Isa, rounded: OutRef) -> Result<Self, RunError> {
        let round = lane_fn(isa, Prim::Convert(rounded.ty()), SUM, [true; 3]);
        let what = "sums that are components of tuples";
        Ok(Self {
            wide: Own::zeroed(SUM, rounded.len(), what)?,
            rounded,
            round: round.ok_or_else(|| bug("a sum of what is no number"))?,
        })
    }

    fn finish(&self, launch: &Launch) {
        let (wide, len) = (&self.wide.out, self.rounded.len());
        let blocks = (len as u64).div_ceil(BLOCK as u64) as i64;
        share(launch.team, blocks, BLOCK as usize, |claims| {
            for range in claims {
                let elements = range.start * BLOCK..(range.end * BLOCK).min(len);
                // SAFETY: both arrays have `len` elements, the wide one without gaps and of the type that is rounded; only this
                // task has these blocks, and the kernel has ended.
                unsafe { store_as(self.round, wide, &self.rounded, elements) }
            }
        });
    }
}
