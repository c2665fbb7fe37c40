//! Horizontal fusion: reductions over one index space that read the same elements become one kernel, and so do scatters
//! that send to the same places, and maps that read nothing.
//!
//! Two kernels that reduce the same inner space, at the same points, become one that reduces pairs (`merge.rs`):
//! its body computes the values of both, what they have in common once, and its operator combines each by
//! itself. So memory is gone through once instead of twice; `cost.rs` says when that is worth it. The first
//! of the two moves to the second; steps between them that need its results move behind both (`between.rs`).
//!
//! Two scatters from one space whose points send to the same index of arrays of one shape, under the same condition, become
//! one that sends to all these arrays: the adjoint of a gather of tuples is a scatter for each component. Maps of one space that
//! read no array are one (`fills.rs`) if nothing else is done between them, so that no array is in memory for longer: these
//! are the zeros that scatters add to.
//!
//! It is done only for kernels that are equally far from where the list of steps begins, counted in
//! reductions on the way. Of such two none depends on the other, and none waits for a pass over the data that
//! the other does not wait for, so that strips find the passes that they would find without. For them, too,
//! results that share memory with other arrays are not mixed with results that do not.

mod between;
mod fills;
mod merge;
mod scatters;

use between::{Planned, Shape, shape};
use cotangent_core::schedule::{Kernel, Schedule, Step};
use merge::merged;
use std::collections::HashMap;

/// Merges reductions, scatters and fills in all lists of steps. Gives the number of kernels that are gone.
pub(crate) fn merge_kernels(schedule: &mut Schedule) -> usize {
    let mut steps = std::mem::take(&mut schedule.steps);
    let count = in_list(schedule, &mut steps);
    schedule.steps = steps;
    count
}

fn in_list(schedule: &Schedule, steps: &mut Vec<Step>) -> usize {
    let mut count = 0;
    for step in steps.iter_mut() {
        for list in step.lists_mut() {
            count += in_list(schedule, list);
        }
    }
    if !has_candidates(schedule, steps) {
        return count;
    }
    let mut list = between::plan(schedule, std::mem::take(steps));
    // What stood between two fills may be gone when all others are merged.
    count += in_plan(schedule, &mut list, |planned| !planned.is_fill());
    count += in_plan(schedule, &mut list, Planned::is_fill);
    steps.extend(list.into_iter().map(|planned| planned.step));
    count
}

/// Merges those kernels of a list that are wanted.
fn in_plan(
    schedule: &Schedule,
    list: &mut Vec<Planned>,
    is_wanted: impl Fn(&Planned) -> bool,
) -> usize {
    let (mut second, mut count) = (0, 0);
    while second < list.len() {
        let wanted = is_wanted(&list[second]);
        match wanted.then(|| pair_with(list, second)).flatten() {
            // The step that follows has this position then.
            Some(pair) => {
                apply(schedule, list, pair);
                count += 1;
            }
            None => second += 1,
        }
    }
    count
}

/// Whether two kernels have one shape.
fn has_candidates(schedule: &Schedule, steps: &[Step]) -> bool {
    let mut counts: HashMap<Shape, usize> = HashMap::new();
    let shapes = steps.iter().filter_map(|step| shape(schedule, step));
    shapes.for_each(|shape| *counts.entry(shape).or_default() += 1);
    counts.values().any(|&count| count > 1)
}

/// Two kernels that become one.
struct Pair {
    first: usize,
    second: usize,
    kernel: Kernel,
    /// Which of the steps between them come after the merged kernel.
    after: Vec<bool>,
}

/// A kernel before `second` that becomes one with it.
fn pair_with(list: &[Planned], second: usize) -> Option<Pair> {
    let Planned {
        level,
        shape: Some(shape),
        shares,
        ..
    } = &list[second]
    else {
        return None;
    };
    let alike = |first: &usize| {
        let first = &list[*first];
        first.level == *level && first.shares == *shares && first.shape.as_ref() == Some(shape)
    };
    (0..second).filter(alike).find_map(|first| {
        let (one, other) = (
            list[first].step.as_kernel()?,
            list[second].step.as_kernel()?,
        );
        let kernel = match shape {
            Shape::Reduction { .. } => {
                let mut arrays = other.body().reads();
                let meet = arrays.any(|array| list[first].reads.contains(&array));
                meet.then(|| merged(one, other))??
            }
            Shape::Scatter { .. } => scatters::merged(one, other)?,
            Shape::Fill { .. } => {
                let mut between = list[first + 1..second].iter();
                between
                    .all(Planned::is_fill)
                    .then(|| fills::merged(one, other))??
            }
        };
        Some(Pair {
            first,
            second,
            kernel,
            after: between::after(&list[first..=second])?,
        })
    })
}

/// Puts the merged kernel in the place of the two.
fn apply(schedule: &Schedule, list: &mut Vec<Planned>, pair: Pair) {
    let level = list[pair.first].level;
    let tail = list.split_off(pair.second + 1);
    list.truncate(pair.second);
    let between = list.split_off(pair.first + 1);
    list.truncate(pair.first);
    let (mut before, mut after) = (vec![], vec![]);
    for (planned, late) in between.into_iter().zip(pair.after) {
        let side = if late { &mut after } else { &mut before };
        side.push(planned);
    }
    let merged = Planned::new(schedule, Step::Kernel(pair.kernel), level);
    list.extend(before.into_iter().chain([merged]).chain(after).chain(tail));
}
