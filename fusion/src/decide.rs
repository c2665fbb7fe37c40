//! Which arrays are delayed, by the rules of `cost.rs`.

use crate::cost;
use crate::env::{Environment, Storage};
use crate::moves::cost_of_place;
use crate::positions::Split;
use crate::uses::Uses;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::term::{AccLet, AccOp, ArrId, Labelled};

/// What becomes of the results of an operation that may be delayed.
#[derive(Default)]
pub(crate) struct Decision {
    /// How many of them are delayed as they are cheap.
    pub cheap: usize,
    /// How many are delayed as they are read once.
    pub read_once: usize,
    /// The other ones, which come into memory, and why.
    pub kept: Vec<(ArrId, Kept)>,
}

/// Whether a reshape of a delayed array can be delayed too: its index costs no division, or the fold that
/// reads it takes the dimensions apart.
pub(crate) fn may_delay_reshape(
    env: &Environment<'_>,
    uses: &Uses,
    result: ArrId,
    arg: ArrId,
) -> bool {
    let split = Split::of(env.extents(arg), env.extents(result));
    match env.storage(arg) {
        Storage::Manifest(_) => false,
        Storage::Delayed(..) | Storage::Padded(..) | Storage::Known(..) => {
            split.from.len() <= 1 || (split.is_simple() && uses.feeds_fold(result))
        }
    }
}

/// Notes what the results of an operation that are read cost.
pub(crate) fn note_costs(env: &mut Environment<'_>, let_: &AccLet<Labelled>, read: &[usize]) {
    let depth = depth_of_results(env, &let_.op);
    for &r in read {
        let cost = cost_of_results(env, &let_.op, &[r]);
        env.note_cost(let_.binds[r].name, cost, depth);
    }
}

/// Delays the results that are read, or keeps them, by the rules of `cost.rs`. Their costs are noted.
pub(crate) fn decide(
    env: &Environment<'_>,
    uses: &Uses,
    fuse: bool,
    (let_, read): (&AccLet<Labelled>, &[usize]),
) -> Decision {
    let name = |r: &usize| let_.binds[*r].name;
    let too_deep = |r: &usize| env.depth(name(r)) > cost::MAX_DEPTH;
    let cost = |r: &usize| env.cost(name(r));
    let (forced, free): (Vec<usize>, Vec<usize>) = read
        .iter()
        .partition(|r| is_forced(uses, name(r)) || !fuse || too_deep(r));
    let (cheap, expensive): (Vec<usize>, Vec<usize>) =
        free.iter().partition(|r| cost(r) <= cost::CHEAP);
    let inlined = expensive.iter().map(cost).fold(0, u64::saturating_add) <= cost::MAX_INLINED;
    let readers: Vec<_> = expensive
        .iter()
        .map(|r| uses.sole_reader(name(r)))
        .collect();
    let read_once = readers.iter().all(Option::is_some);
    let feeds_fork = expensive.iter().any(|r| uses.feeds_fork(name(r)));
    let together = readers.iter().all(|r| *r == readers[0]);
    let delayed = forced.is_empty()
        && inlined
        && read_once
        && !feeds_fork
        && (together
            || shared_cost(env, &let_.op, &expensive) <= cost::of_keeping(expensive.len()));
    let forced = forced
        .iter()
        .map(|r| (name(r), reason_for_forced(uses, fuse, name(r))));
    let kept = expensive
        .iter()
        .map(|r| (name(r), reason_for_expensive(env, uses, name(r), inlined)));
    Decision {
        cheap: cheap.len(),
        read_once: if delayed { expensive.len() } else { 0 },
        kept: match delayed {
            true => vec![],
            false => forced.chain(kept).collect(),
        },
    }
}

/// Whether a result is in memory whatever it costs.
fn is_forced(uses: &Uses, array: ArrId) -> bool {
    uses.is_forced(array) || uses.is_early(array)
}

/// The number of delayed arrays that the results of an operation are made of, one in the other.
fn depth_of_results(env: &Environment<'_>, op: &AccOp<Labelled>) -> usize {
    1 + op.operands().map(|a| env.depth(a)).max().unwrap_or(0)
}

/// What is computed more than once if each of some results is computed by itself.
fn shared_cost(env: &Environment<'_>, op: &AccOp<Labelled>, results: &[usize]) -> u64 {
    let apart = results.iter().map(|&r| cost_of_results(env, op, &[r]));
    let apart = apart.fold(0, u64::saturating_add);
    apart.saturating_sub(cost_of_results(env, op, results))
}

/// The cost of an element of some results.
fn cost_of_results(env: &Environment<'_>, op: &AccOp<Labelled>, results: &[usize]) -> u64 {
    let element = |a: ArrId| env.cost(a);
    match op {
        AccOp::Generate { shape: _, f } => cost::fun(f, results, &element),
        AccOp::Map { f, args } => cost::map((f, args), results, &element),
        AccOp::Move { how, arg } => {
            let place = cost_of_place(env, how, *arg);
            place.saturating_add(element(*arg))
        }
        AccOp::Unpack { args } => args
            .iter()
            .map(|&a| element(a))
            .fold(0, u64::saturating_add),
        AccOp::Use(_)
        | AccOp::Fold { .. }
        | AccOp::Scan { .. }
        | AccOp::Permute { .. }
        | AccOp::Argsort { .. }
        | AccOp::FoldSegments { .. }
        | AccOp::Append { .. }
        | AccOp::Cond { .. }
        | AccOp::Derivative { .. }
        | AccOp::Custom { .. }
        | AccOp::Loop { .. } => cost::LOAD,
    }
}

/// Why a result must be in memory whatever it costs.
fn reason_for_forced(uses: &Uses, fuse: bool, array: ArrId) -> Kept {
    match (uses.is_forced(array), fuse) {
        (true, _) => Kept::Branch,
        (false, _) if uses.is_early(array) => Kept::ReadBeforeUpdate,
        (false, true) => Kept::NestedTooDeep {
            limit: cost::MAX_DEPTH,
        },
        (false, false) => Kept::NotFused,
    }
}

/// Why a result is kept that could be delayed; `inlined` says whether the code is short enough.
fn reason_for_expensive(env: &Environment<'_>, uses: &Uses, array: ArrId, inlined: bool) -> Kept {
    let (cost, limit) = (env.cost(array), cost::CHEAP);
    let mut readers: Vec<_> = uses.accesses(array).iter().collect();
    readers.dedup_by_key(|access| access.consumer);
    match (readers.len(), uses.sole_reader(array)) {
        (_, Some(_)) if !inlined => Kept::TooLong {
            cost,
            limit: cost::MAX_INLINED,
        },
        (_, Some(_)) if uses.feeds_fork(array) => Kept::ReadForSeveral,
        (_, Some(_)) => Kept::SharesWork,
        (0 | 1, None) => Kept::ReadRepeatedly { cost, limit },
        (readers, None) => Kept::ReadBySeveral {
            readers,
            cost,
            limit,
        },
    }
}
