//! The passes over schedules, by name and in order. The checker runs on what lowering makes and after each pass, in every
//! build; what it finds wrong bears the name of the pass.
//!
//! What lowering notes of arrays (why each is in memory) goes along with the schedule, as passes number arrays anew.

use crate::{FusionError, Options, finish};
use crate::{
    dead_stores, distribution, horizontal, layout_permutation, reassociation, strip, structure,
};
use cotangent_core::schedule::check::verify;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::schedule::{ArrayId, Part, Schedule};
use std::collections::BTreeMap;

/// Why arrays are in memory.
pub(crate) type KeptArrays = BTreeMap<ArrayId, Kept>;

/// The name of what comes before the passes: from operations to kernels.
pub(crate) const LOWERING: &str = "lowering";

/// A pass.
pub(crate) struct Pass {
    /// Its name: in dumps, in reports, and where the checker finds something wrong.
    pub name: &'static str,
    /// Whether it is asked for.
    is_wanted: fn(&Options) -> bool,
    /// Rewrites a schedule; gives how often it found something to do.
    run: fn(&mut Schedule, &mut KeptArrays) -> usize,
}

/// All passes.
pub(crate) const PASSES: [Pass; 7] = [
    Pass {
        name: "dead-store-elimination",
        is_wanted: |options| options.fuse,
        run: eliminate_stores,
    },
    Pass {
        name: "layout-permutation",
        is_wanted: |options| options.fuse,
        run: permute_layouts,
    },
    Pass {
        name: "distribution",
        is_wanted: |options| options.fuse && options.contract,
        run: |schedule, kept| with_sums(schedule, kept, distribution::distribute),
    },
    Pass {
        name: "reassociation",
        is_wanted: |options| options.fuse && options.contract,
        run: |schedule, kept| with_sums(schedule, kept, reassociation::reorder),
    },
    Pass {
        name: "horizontal-fusion",
        is_wanted: |options| options.fuse && options.horizontal,
        run: |schedule, _| horizontal::merge_kernels(schedule),
    },
    Pass {
        name: "strip-mining",
        is_wanted: |options| options.fuse && options.strip,
        run: form_strips,
    },
    Pass {
        name: "structure",
        is_wanted: |_| true,
        run: |schedule, _| structure::find(schedule),
    },
];

/// Runs all passes that are asked for, and calls `observe` on each stage that the checker accepts, with its name. Gives how
/// often each pass found something to do.
///
/// # Errors
/// Names the first pass that made an ill-formed schedule.
pub(crate) fn run(
    schedule: &mut Schedule,
    options: &Options,
    kept: &mut KeptArrays,
    observe: &mut dyn FnMut(&'static str, &Schedule),
) -> Result<Vec<(&'static str, usize)>, FusionError> {
    let mut counts = vec![];
    accept(LOWERING, schedule, observe)?;
    for pass in PASSES.iter().filter(|pass| (pass.is_wanted)(options)) {
        counts.push((pass.name, (pass.run)(schedule, kept)));
        accept(pass.name, schedule, observe)?;
    }
    Ok(counts)
}

fn accept(
    pass: &'static str,
    schedule: &Schedule,
    observe: &mut dyn FnMut(&'static str, &Schedule),
) -> Result<(), FusionError> {
    verify(schedule).map_err(|error| FusionError::IllFormed {
        pass,
        error: Box::new(error),
    })?;
    observe(pass, schedule);
    Ok(())
}

fn eliminate_stores(schedule: &mut Schedule, kept: &mut KeptArrays) -> usize {
    let mut made = vec![];
    let count = dead_stores::eliminate(schedule, &mut |view, whole| made.push((view, whole)));
    for (view, whole) in made {
        let reason = kept.get(&whole).copied();
        kept.extend(reason.map(|reason| (view, reason)));
    }
    count
}

fn permute_layouts(schedule: &mut Schedule, kept: &mut KeptArrays) -> usize {
    let count = layout_permutation::drop_copies(schedule);
    finish::drop_unused(schedule, kept);
    count
}

/// Runs a pass whose new arrays are sums.
fn with_sums(
    schedule: &mut Schedule,
    kept: &mut KeptArrays,
    run: fn(&mut Schedule) -> usize,
) -> usize {
    let before = schedule.arrays.len() as u32;
    let count = run(schedule);
    let made = (before..schedule.arrays.len() as u32).map(ArrayId);
    kept.extend(made.map(|array| (array, Kept::Fold)));
    finish::drop_unused(schedule, kept);
    count
}

fn form_strips(schedule: &mut Schedule, kept: &mut KeptArrays) -> usize {
    let count = strip::form_strips(schedule);
    for Part { whole, part } in strip::parts(&schedule.steps) {
        let reason = kept.get(&whole).copied();
        kept.extend(reason.map(|reason| (part, reason)));
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotangent_core::schedule::{Step, SymbolId};

    fn empty() -> Schedule {
        Schedule {
            symbols: vec![],
            arrays: vec![],
            sites: vec![],
            params: vec![],
            uses: vec![],
            steps: vec![],
            results: vec![],
        }
    }

    #[test]
    fn stages_are_seen_in_order() {
        let mut seen = vec![];
        let mut note = |name: &'static str, _: &Schedule| seen.push(name);
        let counts = run(
            &mut empty(),
            &Options::default(),
            &mut BTreeMap::new(),
            &mut note,
        );
        let names: Vec<_> = PASSES.iter().map(|pass| pass.name).collect();
        assert_eq!(seen, [&[LOWERING], &names[..]].concat());
        assert_eq!(counts.unwrap().len(), PASSES.len());
    }

    #[test]
    fn who_breaks_a_schedule_is_named() {
        let mut schedule = empty();
        schedule.steps.push(Step::If {
            cond: SymbolId(0),
            then_: vec![],
            else_: vec![],
            symbols: vec![],
            arrays: vec![],
        });
        let found = run(
            &mut schedule,
            &Options::unfused(),
            &mut BTreeMap::new(),
            &mut |name, _| panic!("{name} is accepted"),
        );
        let text = found.unwrap_err().to_string();
        assert!(text.contains("`lowering`"), "{text}");
    }
}
