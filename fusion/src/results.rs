//! What holds of an operation's results before any element is computed: their extents, and the checks that the operation
//! makes whatever its elements are.

use crate::code::{HOST, HostValue};
use crate::draft::Draft;
use crate::env::Environment;
use crate::inline::Inliner;
use crate::moves::check_move;
use crate::shapes::{intersection, outer_sums};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::Check;
use cotangent_core::term::{AccLet, AccOp, ArrId, Fun, Labelled};

/// The extents of the results of an operation, all of one shape. None for those of which only what makes them knows: arrays of
/// the host, and results of blocks.
pub(crate) fn extents(
    env: &Environment<'_>,
    draft: &mut Draft,
    op: &AccOp<Labelled>,
) -> Option<Vec<HostValue>> {
    let closed = |draft, fun: &Fun<Labelled>| Inliner::new(env, draft).closed(fun);
    Some(match op {
        AccOp::Generate { shape, f: _ } => closed(draft, shape),
        AccOp::Move { how, arg } => {
            let said = how.said().map_or(vec![], |said| closed(draft, said));
            // Where none are taken, nothing may be known of the argument: nobody reads it.
            let own = how.keeps_extents().then(|| env.extents(*arg));
            how.extents(said, own.unwrap_or_default())
        }
        AccOp::Map { f: _, args } => intersection(env, &mut draft.codes, args),
        AccOp::Fold {
            f: _,
            init: _,
            args,
        } => {
            let mut extents = intersection(env, &mut draft.codes, args);
            extents.pop();
            extents
        }
        AccOp::FoldSegments { lengths, args, .. } => {
            let mut extents = intersection(env, &mut draft.codes, args);
            extents.pop();
            extents.extend(env.extents(*lengths));
            extents
        }
        AccOp::Scan {
            direction: _,
            f: _,
            init,
            args,
        } => {
            let mut extents = intersection(env, &mut draft.codes, args);
            if let (Some(last), Some(_)) = (extents.last_mut(), init) {
                let one = draft.codes.host_constant(1);
                *last = draft.codes.host_prim(Prim::Add, &[*last, one]);
            }
            extents
        }
        AccOp::Permute { defaults, .. } => intersection(env, &mut draft.codes, defaults),
        AccOp::Argsort { order: _, arg } => env.extents(*arg).to_vec(),
        AccOp::Unpack { args } => {
            let mut extents = intersection(env, &mut draft.codes, args);
            extents.push(draft.codes.host_constant(args.len() as i32));
            extents
        }
        AccOp::Append { args } => appended(env, draft, args),
        AccOp::Use(_) | AccOp::Cond { .. } => return None,
        AccOp::Derivative { .. } | AccOp::Custom { .. } | AccOp::Loop { .. } => return None,
    })
}

fn appended(env: &Environment<'_>, draft: &mut Draft, args: &[ArrId]) -> Vec<HostValue> {
    let mut extents = intersection(env, &mut draft.codes, args);
    let sums = outer_sums(env, &mut draft.codes, args);
    if let (Some(outer), Some(&sum)) = (extents.first_mut(), sums.last()) {
        *outer = sum;
    }
    extents
}

/// Appends the checks that an operation with results of these extents makes.
pub(crate) fn check(
    env: &Environment<'_>,
    draft: &mut Draft,
    let_: &AccLet<Labelled>,
    extents: &[HostValue],
) {
    match &let_.op {
        AccOp::Generate { .. } | AccOp::FoldSegments { .. } => draft.check_shape(let_, extents),
        AccOp::Move { how, arg } => check_move(env, draft, let_, (how, *arg), extents),
        AccOp::Fold {
            f: _,
            init: None,
            args,
        } => {
            let inner = intersection(env, &mut draft.codes, args).split_off(extents.len());
            let low = |e: &HostValue| draft.codes.range(HOST, e.0).low;
            if inner.iter().any(|e| low(e) < 1) {
                let (outer, inner) = (draft.symbols(extents), draft.symbols(&inner));
                draft.check(Check::NotEmpty { outer, inner }, let_);
            }
        }
        // Each sum of two extents is negative if it overflows; the next may not be.
        AccOp::Append { args } => {
            let sums = outer_sums(env, &mut draft.codes, args);
            let partial = sums.len().saturating_sub(1);
            sums[..partial]
                .iter()
                .for_each(|&sum| draft.check_shape(let_, &[sum]));
            draft.check_shape(let_, extents);
        }
        AccOp::Fold { init: Some(_), .. }
        | AccOp::Use(_)
        | AccOp::Map { .. }
        | AccOp::Scan { .. }
        | AccOp::Permute { .. }
        | AccOp::Unpack { .. }
        | AccOp::Argsort { .. }
        | AccOp::Cond { .. }
        | AccOp::Derivative { .. }
        | AccOp::Custom { .. }
        | AccOp::Loop { .. } => {}
    }
}
