//! Bugs in arrays `[T; N]` that loops hold in memory.

use super::list::Mutant;

const CORE: &str = "cotangent-core";
const CPU: &str = "cotangent-backend-cpu";

pub(super) const fn bug(
    [name, file]: [&'static str; 2],
    package: &'static str,
    find: &'static str,
    replace: &'static str,
) -> Mutant {
    Mutant {
        name,
        file,
        find,
        replace,
        package,
    }
}

/// These bugs.
pub const ENTRIES: &[Mutant] = &[
    bug(
        [
            "entries: updates happen whatever their conditions",
            "core/src/schedule/entries.rs",
        ],
        CORE,
        "[none, place]",
        "[place, place]",
    ),
    bug(
        [
            "entries: reads miss the first update",
            "core/src/schedule/entries.rs",
        ],
        CORE,
        "for update in updates {",
        "for update in &updates[1..] {",
    ),
    bug(
        [
            "entries: what may fail is dropped",
            "core/src/schedule/entries.rs",
        ],
        CORE,
        ".chain(&mut failing)",
        ".chain(&mut failing[..0])",
    ),
    bug(
        [
            "entries: numbers of entries are not looked at",
            "core/src/schedule/entries/find.rs",
        ],
        CORE,
        "number.is_some_and(|number| number != *k)",
        "number.is_some_and(|number| number < 0)",
    ),
    bug(
        [
            "entries: entries are set after all updates",
            "core/src/schedule/entries/find.rs",
        ],
        CORE,
        "sets.push((all.len() - history.updates.len(), *k, value));",
        "sets.push((all.len(), *k, value));",
    ),
    bug(
        [
            "entries: branches are taken one after the other",
            "core/src/schedule/entries/find.rs",
        ],
        CORE,
        "update.conditions.push((cond, outcome));",
        "",
    ),
    bug(
        [
            "entries: states are entries that are only read",
            "core/src/schedule/entries/find.rs",
        ],
        CORE,
        "op.as_arg().is_some_and(|arg| arg > self.states)",
        "op.as_arg().is_some_and(|arg| arg > 0)",
    ),
    bug(
        [
            "cpu: entries that are to be moved are left where they are",
            "backend-cpu/src/code/entries.rs",
        ],
        CPU,
        "entry.is_copied = self.outputs.contains(&entry.dst);",
        "entry.is_copied = false;",
    ),
    bug(
        [
            "cpu: lanes that are done replace entries",
            "backend-cpu/src/code/looping.rs",
        ],
        CPU,
        "let place = Op::Prim(Prim::Select, vec![on, place, none]);",
        "let place = { let _ = none; Op::Prim(Prim::Select, vec![on, place, place]) };",
    ),
    bug(
        [
            "cpu: rows stay where lanes leave",
            "backend-cpu/src/machine/looping/lanes.rs",
        ],
        CPU,
        "for column in (0..held.init.len()).map(",
        "for column in (0..held.init.len().min(0)).map(",
    ),
    bug(
        [
            "cpu: rows that are only read stay where lanes leave",
            "backend-cpu/src/machine/looping/lanes.rs",
        ],
        CPU,
        "for column in (0..held.init.len()).map(",
        "for column in (0..held.dst.len()).map(",
    ),
    bug(
        [
            "cpu: entries are those of the first trip",
            "backend-cpu/src/code/affine.rs",
        ],
        CPU,
        "self.nest.lane_mask() | self.nest.seq_mask()\n            }\n            Op::Prim",
        "self.nest.lane_mask()\n            }\n            Op::Prim",
    ),
    bug(
        [
            "cpu: places beyond the row are written",
            "backend-cpu/src/machine/entries.rs",
        ],
        CPU,
        "let place = *places.add(lane);",
        "let place = (*places.add(lane)).clamp(0, self.entries as i32 - 1);",
    ),
];
