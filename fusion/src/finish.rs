//! The finished schedule: only arrays that are used, numbered anew.

use crate::draft::Draft;
use crate::passes::KeptArrays;
use cotangent_core::host::HostArray;
use cotangent_core::schedule::{
    ArrayId, Body, Carried, Kernel, KernelKind, Layout, Output, Part, Repeat, Schedule, Step, Strip,
};

/// What a program is given and gives.
pub(crate) struct Interface {
    pub params: Vec<ArrayId>,
    pub uses: Vec<(ArrayId, HostArray)>,
    pub results: Vec<ArrayId>,
}

/// The schedule, all steps being there.
pub(crate) fn schedule(draft: Draft, interface: Interface) -> (Schedule, KeptArrays) {
    let Interface {
        params,
        uses,
        results,
    } = interface;
    let (steps, symbols) = draft.steps.finish(&draft.codes);
    let mut schedule = Schedule {
        symbols,
        arrays: draft.memory.declarations(),
        sites: draft.sites.into_table(),
        params,
        uses,
        steps,
        results,
    };
    let mut kept = draft.reasons.of_memory();
    drop_unused(&mut schedule, &mut kept);
    (schedule, kept)
}

/// Drops the arrays that nothing refers to, and numbers the others anew, also in what is noted about them.
pub(crate) fn drop_unused(schedule: &mut Schedule, kept: &mut KeptArrays) {
    let new = renumber(schedule);
    let all = std::mem::take(kept).into_iter();
    kept.extend(all.filter_map(|(id, reason)| Some((new[id.index()]?, reason))));
}

/// Drops the arrays that nothing refers to; gives the new numbers of the others.
fn renumber(schedule: &mut Schedule) -> Vec<Option<ArrayId>> {
    let mut used = vec![false; schedule.arrays.len()];
    each_array(schedule, &mut |id| used[id.index()] = true);
    for (array, is_used) in schedule.arrays.iter().zip(used.clone()) {
        if let (Layout::View { of, .. }, true) = (array.layout, is_used) {
            used[of.index()] = true;
        }
    }
    let mut next = 0;
    let new: Vec<_> = used
        .iter()
        .map(|&is_used| {
            next += u32::from(is_used);
            ArrayId(next.saturating_sub(1))
        })
        .collect();
    each_array(schedule, &mut |id| *id = new[id.index()]);
    let mut kept = used.iter();
    schedule.arrays.retain(|_| kept.next() == Some(&true));
    for array in &mut schedule.arrays {
        if let Layout::View { of, .. } = &mut array.layout {
            *of = new[of.index()];
        }
    }
    let numbers = used.into_iter().zip(new);
    numbers.map(|(is_used, id)| is_used.then_some(id)).collect()
}

/// Visits every reference to an array, the owners of views aside.
fn each_array(schedule: &mut Schedule, visit: &mut impl FnMut(&mut ArrayId)) {
    let Schedule {
        symbols: _,
        arrays: _,
        sites: _,
        params,
        uses,
        steps,
        results,
    } = schedule;
    params.iter_mut().for_each(&mut *visit);
    uses.iter_mut().for_each(|(id, _)| visit(id));
    in_steps(steps, visit);
    results.iter_mut().for_each(visit);
}

fn in_steps(steps: &mut [Step], visit: &mut impl FnMut(&mut ArrayId)) {
    for step in steps {
        match step {
            Step::Scalars { body, defines: _ } => in_body(body, visit),
            Step::Check(..) => {}
            Step::Kernel(kernel) => in_kernel(kernel, visit),
            Step::Strip(strip) => in_strip(strip, visit),
            Step::Repeat(repeat) => in_repeat(repeat, visit),
            Step::If {
                cond: _,
                then_,
                else_,
                symbols: _,
                arrays,
            } => {
                in_steps(then_, visit);
                in_steps(else_, visit);
                for (merged, from_then, from_else) in arrays {
                    [merged, from_then, from_else]
                        .into_iter()
                        .for_each(&mut *visit);
                }
            }
        }
    }
}

fn in_repeat(repeat: &mut Repeat, visit: &mut impl FnMut(&mut ArrayId)) {
    let Repeat {
        site: _,
        most: _,
        number: _,
        made: _,
        test,
        body,
        symbols: _,
        arrays,
    } = repeat;
    let test = test.iter_mut().map(|(steps, _)| steps);
    test.chain([body]).for_each(|steps| in_steps(steps, visit));
    for Carried {
        first,
        inside,
        next,
        last,
    } in arrays
    {
        [first, inside, next, last]
            .into_iter()
            .for_each(&mut *visit);
    }
}

fn in_strip(strip: &mut Strip, visit: &mut impl FnMut(&mut ArrayId)) {
    let Strip {
        over: _,
        start: _,
        len: _,
        kernels,
        parts,
        totals,
    } = strip;
    kernels
        .iter_mut()
        .for_each(|kernel| in_kernel(kernel, visit));
    let totals = totals.iter_mut().flat_map(|total| &mut total.arrays);
    for Part { whole, part } in parts.iter_mut().chain(totals) {
        visit(whole);
        visit(part);
    }
}

fn in_kernel(kernel: &mut Kernel, visit: &mut impl FnMut(&mut ArrayId)) {
    match &mut kernel.kind {
        KernelKind::Map { body, outputs }
        | KernelKind::Reduce { body, outputs, .. }
        | KernelKind::Segments { body, outputs, .. }
        | KernelKind::Scan { body, outputs, .. }
        | KernelKind::Scatter { body, outputs, .. } => {
            in_body(body, visit);
            for Output { value: _, array } in outputs {
                visit(array);
            }
        }
        KernelKind::Contract { body, output, .. } | KernelKind::Sort { body, output, .. } => {
            in_body(body, visit);
            visit(&mut output.array);
        }
    }
}

fn in_body(body: &mut Body, visit: &mut impl FnMut(&mut ArrayId)) {
    body.rename_arrays(visit);
}
