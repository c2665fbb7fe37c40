//! Sums of narrow floats among components that other ones need, or that are scanned together: such kernels run on `f64`,
//! and their results are rounded in the end.
//!
//! A sum that is combined by itself needs none of this: its loops ([`FoldFns`](crate::lanes::FoldFns)) have states of
//! their own. See the Note \[Sums of narrow floats\] at [`AccOp`](cotangent_core::term::AccOp).

use super::combine::Bank;
use super::{Launch, bug, share};
use crate::isa::Isa;
use crate::lanes::{LaneFn, lane_fn};
use crate::memory::{OutRef, data_mut, zeroed};
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::host::Column;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Kernel, KernelKind, Op, Operator, Output};
use cotangent_core::types::ScalarType;

/// The type of sums.
const SUM: ScalarType = ScalarType::F64;
/// The results that are rounded at once.
const LANES: usize = 1024;

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
        *output = results.wide;
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
    wide: OutRef,
    rounded: OutRef,
    round: LaneFn,
    _memory: Column,
}

impl Rounded {
    fn new(isa: Isa, rounded: OutRef) -> Result<Self, RunError> {
        let len = rounded.len();
        let out_of_memory = || RunError::OutOfHostMemory {
            what: "sums that are components of tuples",
            bytes: (len as u64).saturating_mul(SUM.bytes() as u64),
        };
        let mut memory = zeroed(SUM, len as usize).ok_or_else(out_of_memory)?;
        let data = data_mut(&mut memory).ok_or_else(out_of_memory)?;
        let round = lane_fn(isa, Prim::Convert(rounded.ty()), SUM, [true; 3]);
        Ok(Self {
            // SAFETY: the column is kept as long as the reference, and has `len` elements.
            wide: unsafe { OutRef::new(data, SUM, 1, len) },
            rounded,
            round: round.ok_or_else(|| bug("a sum of what is no number"))?,
            _memory: memory,
        })
    }

    fn finish(&self, launch: &Launch) {
        let blocks = (self.wide.len() as u64).div_ceil(LANES as u64) as i64;
        share(launch.team, blocks, LANES, |range| {
            let mut bank = Bank::new(1, LANES);
            let to = bank.columns()[0];
            for block in range {
                let start = block * LANES as i64;
                let n = (self.wide.len() - start).min(LANES as i64) as usize;
                let from = self.wide.element::<u8>(start).cast_const();
                // SAFETY: both arrays have `n` elements from `start` on, the wide ones without gaps, and the bank room
                // for as many; only this task has the block, and the kernel has ended.
                unsafe {
                    (self.round)(n, to, from, from, from);
                    self.rounded.store(to, start, 1, n);
                }
            }
        });
    }
}
