//! Bugs in what keeps updates in place, once and twice differentiated.

use super::entries::bug;
use super::list::Mutant;

const TESTS: &str = "cotangent-tests";

/// These bugs.
pub const UPDATES: &[Mutant] = &[
    Mutant {
        name: "ad: parts become whole adjoints where none has come before",
        file: "ad/src/acc/contributions.rs",
        find: "if !self.is_carried(array.name) {",
        replace: "if !self.is_updated(array.name) {",
        package: "cotangent-tests",
    },
    Mutant {
        name: "ad: the first part that waits is lost",
        file: "ad/src/acc/contributions.rs",
        find: "Some(parts.into_iter().fold(",
        replace: "Some(parts.into_iter().skip(1).fold(",
        package: "cotangent-tests",
    },
    Mutant {
        name: "ad: all of few elements stay",
        file: "ad/src/acc/permute.rs",
        find: "let others = b.prim(Prim::Sub, &[last, own]);",
        replace: "let others = b.prim(Prim::Sub, &[last, last]);",
        package: "cotangent-tests",
    },
    Mutant {
        name: "fusion: views of an array are read after its update",
        file: "fusion/src/in_place.rs",
        find: "Some(&reader) if reader < update => !self.is_view(reader),",
        replace: "Some(&reader) if reader < update => true,",
        package: "cotangent-tests",
    },
    Mutant {
        name: "simplify: loops of as many operations are equal",
        file: "core/src/simplify/acc/anonymous.rs",
        find: "*fun = anonymous_fun(&by_need(fun));\n    }",
        replace: "*fun = crate::term::Fun::constants(&[]);\n    }",
        package: "cotangent-core",
    },
    Mutant {
        name: "simplify: loops stay behind the updates of what they read",
        file: "core/src/simplify/acc/carried.rs",
        find: "| AccOp::Loop { .. } => !self.updated_by(op).iter().any(|a| read.contains(a)),",
        replace: "| AccOp::Loop { .. } => read.is_empty(),",
        package: "cotangent-core",
    },
    Mutant {
        name: "shapes: extents that an array of rank 0 holds are unknown",
        file: "core/src/analysis/shape.rs",
        find: "self.elements.get(&array).copied()",
        replace: "self.elements.get(&array).copied().filter(|_| false)",
        package: "cotangent-tests",
    },
    Mutant {
        name: "recovery: what cannot fail stays in branches of trips",
        file: "core/src/recover/place.rs",
        find: "&& (closure == block || self.is_limited_around(node, around))",
        replace: "&& (closure == block || name == u32::MAX && self.is_limited_around(node, around))",
        package: "cotangent-core",
    },
    Mutant {
        name: "recovery: what may fail leaves branches of trips",
        file: "core/src/recover/place.rs",
        find: "            Limit::Demand => false,",
        replace: "            Limit::Demand => true,",
        package: "cotangent-core",
    },
    Mutant {
        name: "entries: places that an entry is not compared with reach it",
        file: "core/src/schedule/entries/find.rs",
        find: ".for_each(|at| except[at].push(*k)),",
        replace: ".for_each(|at| except[at].push(-1 - *k)),",
        package: "cotangent-core",
    },
    Mutant {
        name: "entries: chains begin with the first entry",
        file: "core/src/schedule/entries/writer.rs",
        find: "let at = self.within(at, (first, first + names.len()), n);",
        replace: "let at = self.within(at, (0, first + names.len()), n);",
        package: "cotangent-core",
    },
    bug(
        [
            "ad: trips that are made again ask their tests",
            "ad/src/acc/looping/lengths.rs",
        ],
        TESTS,
        "test.is_some() && counted.is_there_after(at)",
        "test.is_none() && counted.is_there_after(at)",
    ),
    bug(
        [
            "ad: loops are made again where what they make is at hand",
            "ad/src/acc/looping/undo/again.rs",
        ],
        TESTS,
        "change.returned(reverse, trip).is_none());",
        "change.returned(reverse, trip).is_none() && false);",
    ),
    bug(
        [
            "ad: an array does not wait for a loop that goes through it",
            "ad/src/acc/looping/undo/again.rs",
        ],
        TESTS,
        "is_again || self.gone_through.contains(array)",
        "is_again",
    ),
    bug(
        [
            "ad: a loop that may make no trip makes all new",
            "ad/src/acc/looping.rs",
        ],
        TESTS,
        "States::Closed => makes_one_trip(trips) && is_new(step, column),",
        "States::Closed => is_new(step, column),",
    ),
    bug(
        [
            "ad: rows of any extents lie upon each other",
            "ad/src/acc/looping/undo/rows.rs",
        ],
        TESTS,
        "(b.index(&start, &[]), size_of(b, like));",
        "(b.index(&start, &[]), b.constant(0));",
    ),
    bug(
        [
            "ad: all but the last of those that overwrite each other stay",
            "ad/src/acc/permute/order.rs",
        ],
        TESTS,
        "vec![b.prim(Prim::Not, &[same])]",
        "vec![same]",
    ),
    bug(
        [
            "simplify: a branch reads early where it is not taken",
            "core/src/simplify/acc/closed_reads.rs",
        ],
        TESTS,
        "true => b.cond(cond, element, zero),",
        "true => b.cond(cond, zero, element),",
    ),
    bug(
        [
            "fusion: what is made of old elements is as large as the array",
            "fusion/src/in_place.rs",
        ],
        TESTS,
        "(own > rank || own == rank && is_as_large(made))",
        "own >= rank",
    ),
    bug(
        [
            "ad: two arrays are undone to one",
            "ad/src/acc/looping/undo/search.rs",
        ],
        TESTS,
        "undo[start].is_some() && of(start).count() == 1;",
        "undo[start].is_some() && of(start).count() > 0;",
    ),
    bug(
        [
            "ad: arrays that one is made of need not be undone with it",
            "ad/src/acc/looping/undo/search.rs",
        ],
        TESTS,
        "partners[one].contains(&other) || partners[other].contains(&one)",
        "partners[one].contains(&other)",
    ),
    bug(
        [
            "ad: loops that make arrays together are undone without some of them",
            "ad/src/acc/looping/undo/search.rs",
        ],
        TESTS,
        "(0..nest.columns.len()).any(|column| !is_there(nest, column))",
        "(nest.columns.len()..0).any(|column| !is_there(nest, column))",
    ),
    bug(
        [
            "ad: arrays that change places in a branch are kept",
            "ad/src/unbranch/whole.rs",
        ],
        TESTS,
        "!updates.is_empty() || goes_round((own, other), column)",
        "!updates.is_empty()",
    ),
    bug(
        [
            "ad: arrays go on without those that they wait for",
            "ad/src/acc/looping/undo/again.rs",
        ],
        TESTS,
        "= shared_stop(undone, &stops) {",
        "= shared_stop(undone, &stops).filter(|_| false) {",
    ),
    bug(
        [
            "ad: trips of branches are counted",
            "ad/src/acc/looping/undo/nest.rs",
        ],
        TESTS,
        "if is_branch && !self.is_whole() {",
        "if is_branch && self.is_whole() {",
    ),
];
