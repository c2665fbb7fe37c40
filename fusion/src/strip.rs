//! Strip-mining: kernels that share a dimension run chunk by chunk over it.
//!
//! Kernels are candidates for the same strip where each has the dimension in its space, or reduces it and
//! nothing else, and reads what the others make at its own position of the dimension only. So a chunk of the
//! first kernel's results is all that the next one needs for its own chunk. A strip is made where that spares
//! at least one array of the whole dimension: the array then exists for one chunk at a time. Kernels between
//! them that have no part in it move before or after the strip (`members.rs`); `build.rs` writes it.

mod build;
mod members;

use cotangent_core::schedule::{Part, Schedule, Step, SymbolId, steps};
use members::{Members, Surroundings, cut};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How many dimensions of a list of steps are tried.
const MAX_TRIED: usize = 8;

/// Makes strips wherever they spare memory. Gives their number.
pub(crate) fn form_strips(schedule: &mut Schedule) -> usize {
    let surroundings = Surroundings::of(schedule);
    let mut steps = std::mem::take(&mut schedule.steps);
    let count = in_list(schedule, &surroundings, &mut steps);
    schedule.steps = steps;
    count
}

fn in_list(schedule: &mut Schedule, around: &Surroundings, steps: &mut Vec<Step>) -> usize {
    let mut count = 0;
    for step in steps.iter_mut() {
        for list in step.lists_mut() {
            count += in_list(schedule, around, list);
        }
    }
    for over in candidates(steps, &around.short) {
        let best = Members::best(schedule, around, steps, over);
        if let Some(members) = best {
            build::replace(schedule, steps, &members, over);
            count += 1;
        }
    }
    count
}

/// The dimensions that kernels hand arrays to each other along, the most used first, without those that are known to be short.
fn candidates(steps: &[Step], short: &HashSet<SymbolId>) -> Vec<SymbolId> {
    let mut made: HashMap<_, Vec<SymbolId>> = HashMap::new();
    let mut shared: BTreeMap<SymbolId, usize> = BTreeMap::new();
    for kernel in steps.iter().filter_map(Step::as_kernel) {
        for array in kernel.body().reads() {
            for &over in made.get(&array).into_iter().flatten() {
                if !short.contains(&over) && cut(kernel, over).is_some() {
                    *shared.entry(over).or_default() += 1;
                }
            }
        }
        for output in kernel.outputs() {
            made.insert(output.array, kernel.space.clone());
        }
    }
    let mut ranked: Vec<_> = shared.into_iter().collect();
    ranked.sort_by_key(|&(over, count)| (std::cmp::Reverse(count), over));
    let overs = ranked.into_iter().map(|(over, _)| over);
    overs.take(MAX_TRIED).collect()
}

/// The arrays inside of strips that stand for arrays outside.
pub(crate) fn parts(steps: &[Step]) -> Vec<Part> {
    let strips = steps::all(steps).filter_map(Step::as_strip);
    let parts = strips.flat_map(|strip| {
        let totals = strip.totals.iter().flat_map(|total| &total.arrays);
        strip.parts.iter().chain(totals)
    });
    parts.copied().collect()
}
