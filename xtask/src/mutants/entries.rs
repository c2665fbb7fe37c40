//! Bugs in arrays `[T; N]` that loops hold in memory.

use super::list::Mutant;

const CORE: &str = "cotangent-core";
const CPU: &str = "cotangent-backend-cpu";
const TESTS: &str = "cotangent-tests";

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
            "core/src/schedule/entries/writer.rs",
        ],
        CORE,
        "[none, place]",
        "[place, place]",
    ),
    bug(
        [
            "entries: reads miss the first update",
            "core/src/schedule/entries/writer.rs",
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
        ".chain(&mut acting));",
        ".chain(&mut acting[..0]));",
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
        "entry.is_copied = is_replaced || self.outputs.contains(&entry.dst);",
        "entry.is_copied = is_replaced;",
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
        "for column in (0..held.begin.given().len()).map(",
        "for column in (0..held.begin.given().len().min(0)).map(",
    ),
    bug(
        [
            "cpu: rows that are only read stay where lanes leave",
            "backend-cpu/src/machine/looping/lanes.rs",
        ],
        CPU,
        "for column in (0..held.begin.given().len()).map(",
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
        "let place = place(lane);",
        "let place = place(lane).clamp(0, self.entries as i32 - 1);",
    ),
    bug(
        [
            "entries: loops within run where the trip is not made",
            "core/src/schedule/entries/writer.rs",
        ],
        CORE,
        "if acts {",
        "if acts && false {",
    ),
    bug(
        [
            "entries: loops within go on with any version",
            "core/src/schedule/entries/nested.rs",
        ],
        CORE,
        "if version(finder, &init, arrays)? != (n, after) {",
        "if version(finder, &init, arrays).is_some_and(|found| found != (n, after)) {",
    ),
    bug(
        [
            "entries: loops within are the last to read what they read",
            "core/src/schedule/entries/nested.rs",
        ],
        CORE,
        "other.rows == access.rows && other.by != access.by && other.from < access.to",
        "other.rows == access.rows && other.by != access.by && other.from + 1 < access.to",
    ),
    bug(
        [
            "entries: loops in branches are none of what is carried",
            "core/src/schedule/entries/find.rs",
        ],
        CORE,
        "loops.filter(|update| update.is_loop())",
        "loops.filter(|update| !update.is_loop())",
    ),
    bug(
        [
            "entries: a loop within reads what it replaces",
            "core/src/schedule/entries/nested.rs",
        ],
        CORE,
        "same.all(|other| !other.replaces && other.after == read.after)",
        "same.all(|other| other.after == read.after)",
    ),
    bug(
        [
            "cpu: entries that loops within replace are where they were",
            "backend-cpu/src/code/entries.rs",
        ],
        TESTS,
        "entry.is_copied = is_replaced || self",
        "entry.is_copied = is_replaced && self",
    ),
    bug(
        [
            "cpu: lanes that have moved find the rows of others",
            "backend-cpu/src/machine/looping/lanes.rs",
        ],
        TESTS,
        "Some(_) => unsafe { rows.of_owners(owners) },",
        "Some(_) => *rows,",
    ),
];
