//! Making cases smaller.
//!
//! A candidate is the case after one *move*: results dropped, an array replaced by an input that holds its
//! value, a conditional by one of its branches, scalar code by a literal, extents and elements by smaller
//! ones. What is dead after a move goes as well, so that a few moves make a program small. Candidates are
//! made as they are asked for, those that remove most first, and only checked ones come out. Each is smaller than its origin (fewer
//! operations, fewer elements, or simpler ones), so shrinking ends.

mod arrays;
mod inputs;
mod scalars;

use super::Case;
use cotangent_core::check::check;
use cotangent_core::term::{AccBlock, AccLet, AccOp, ArrId, ExpBlock, ExpId, Fun, Labelled, UseId};
use std::collections::{HashMap, HashSet};

/// A way to make a case smaller; `None` where it does not apply.
type Move = Box<dyn Fn(&Case) -> Option<Case>>;

/// Smaller cases, on demand.
pub(super) fn candidates(case: &Case) -> Box<dyn Iterator<Item = Case>> {
    let origin = case.clone();
    let mut moves = vec![];
    arrays::moves(case, &mut moves);
    inputs::moves(case, &mut moves);
    scalars::moves(case, &mut moves);
    inputs::late_moves(case, &mut moves);
    let candidates = moves.into_iter().filter_map(move |shrink: Move| {
        let mut smaller = shrink(&origin)?;
        let extents = std::mem::take(&mut smaller.program.alike.extents);
        clean(&mut smaller);
        if !extents.is_empty() {
            smaller.assume();
        }
        check(&smaller.program).is_ok().then_some(smaller)
    });
    Box::new(candidates)
}

/// Removes what is not used: operations, parameters, host arrays.
fn clean(case: &mut Case) {
    loop {
        let used = case.program.body.reads().collect();
        if !clean_block(&mut case.program.body, &used) {
            break;
        }
    }
    let used: HashSet<_> = case.program.body.reads().collect();
    let wanted: Vec<_> = case
        .program
        .params
        .iter()
        .map(|p| used.contains(&p.name))
        .collect();
    regroup(case, &wanted);
    let mut wanted_inputs = wanted.iter();
    case.inputs.retain(|_| wanted_inputs.next() == Some(&true));
    case.program.params.retain(|p| used.contains(&p.name));
    clean_uses(case);
}

/// Keeps of what is said about shapes what holds for the parameters that stay, counted anew.
fn regroup(case: &mut Case, wanted: &[bool]) {
    let old = std::mem::take(&mut case.program.alike.params);
    let mut firsts: HashMap<u32, (u32, &[usize])> = HashMap::new();
    let kept = (0u32..).zip(&case.inputs).zip(wanted).filter(|(_, w)| **w);
    for (new, ((position, input), _)) in (0u32..).zip(kept) {
        let group = old.get(&position).copied().unwrap_or(position);
        let (first, shape) = *firsts.entry(group).or_insert((new, input.shape()));
        if first != new && shape == input.shape() {
            case.program.alike.params.insert(new, first);
        }
    }
}

/// Removes host arrays that the program does not mention.
fn clean_uses(case: &mut Case) {
    let old = std::mem::take(&mut case.program.uses);
    let (mut kept, mut places) = (vec![], HashMap::new());
    case.program.body.each_block_mut(&mut |block| {
        for let_ in &mut block.lets {
            if let AccOp::Use(id) = &mut let_.op {
                let place = places.entry(*id).or_insert_with(|| {
                    kept.extend(old.get(id.0 as usize).cloned());
                    UseId(kept.len() as u32 - 1)
                });
                *id = *place;
            }
        }
    });
    case.program.uses = kept;
    case.program.alike.uses.clear();
}

/// Removes lets without used results and captures without uses; says whether there were any.
fn clean_block(block: &mut AccBlock<Labelled>, used: &HashSet<ArrId>) -> bool {
    let before = block.lets.len();
    block
        .lets
        .retain(|l| l.binds.iter().any(|b| used.contains(&b.name)));
    let mut changed = block.lets.len() < before;
    for let_ in &mut block.lets {
        clean_columns(let_, used);
        for fun in let_.op.funs_mut() {
            let captures = fun.captures.len();
            clean_fun(fun);
            changed |= fun.captures.len() < captures;
        }
        for inner in let_.op.blocks_mut() {
            changed |= clean_block(inner.block, used);
        }
    }
    changed
}

/// Removes arrays made that nothing uses, where that is easy.
fn clean_columns(let_: &mut AccLet<Labelled>, used: &HashSet<ArrId>) {
    let (AccOp::Generate { f, .. } | AccOp::Map { f, .. }) = &mut let_.op else {
        return;
    };
    let mut wanted = let_.binds.iter().map(|b| used.contains(&b.name));
    f.body.results.retain(|_| wanted.next() != Some(false));
    let_.binds.retain(|b| used.contains(&b.name));
}

/// Removes lets without used results, and captures without uses.
fn clean_fun(fun: &mut Fun<Labelled>) {
    loop {
        let used = fun.body.reads().collect();
        if !clean_exp_block(&mut fun.body, &used) {
            break;
        }
    }
    fun.clean_captures();
}

fn clean_exp_block(block: &mut ExpBlock<Labelled>, used: &HashSet<ExpId>) -> bool {
    let mut changed = false;
    block.each_block_mut(&mut |block| {
        let before = block.lets.len();
        block
            .lets
            .retain(|l| l.binds.iter().any(|b| used.contains(&b.name)));
        changed |= block.lets.len() < before;
    });
    changed
}
