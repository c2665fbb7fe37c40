//! Bugs in operators on several columns, in results that nobody reads, and in stores that are left out.

use super::entries::bug;
use super::list::Mutant;

const CPU: &str = "cotangent-backend-cpu";
const FUSION: &str = "cotangent-fusion";
const TESTS: &str = "cotangent-tests";

/// These bugs.
pub const SEQUENCES: &[Mutant] = &[
    bug(
        [
            "sequences: from the right as from the left",
            "backend-cpu/src/kernel/sequence.rs",
        ],
        CPU,
        "Direction::Right => [next, so_far].concat(),",
        "Direction::Right => [so_far, next].concat(),",
    ),
    bug(
        [
            "sequences: results that are operands are not copied",
            "backend-cpu/src/kernel/sequence.rs",
        ],
        CPU,
        "if from != to.cast_const() {",
        "if false && from != to.cast_const() {",
    ),
    bug(
        [
            "scans: blocks of a piece are in the order of the scan",
            "backend-cpu/src/kernel/scan/runs.rs",
        ],
        CPU,
        "squares: (0..SIDE).map(|i| from(i * SIDE)).collect(),",
        "squares: (0..SIDE).map(|i| from(in_order(i) * SIDE)).collect(),",
    ),
    bug(
        [
            "dead stores: not all rows are written",
            "fusion/src/dead_stores.rs",
        ],
        FUSION,
        "&& all == most.add(at.plus)?;",
        "&& most.add(at.plus).is_some();",
    ),
    bug(
        [
            "dead stores: rows are read in trips",
            "fusion/src/dead_stores.rs",
        ],
        FUSION,
        "if !stays || reads(&repeat.body, schedule, inside) != 0 {",
        "if !stays {",
    ),
    bug(
        [
            "dead stores: others read the rows",
            "fusion/src/dead_stores.rs",
        ],
        FUSION,
        "references(schedule, first) == kept.len()",
        "references(schedule, first) >= kept.len()",
    ),
    bug(
        [
            "dead stores: a negative number of trips",
            "fusion/src/dead_stores.rs",
        ],
        FUSION,
        "if kept.all.is_none_or(|all| all < kept.rows.into()) {",
        "if kept.all.is_some_and(|all| all > i64::MAX - 1) {",
    ),
    bug(
        [
            "flagged scans: what precedes a chunk goes on after its first flag",
            "backend-cpu/src/lanes/flagged.rs",
        ],
        TESTS,
        "                    before: None,\n                    is_flagged: true,",
        "                    before: progress.before,\n                    is_flagged: true,",
    ),
    bug(
        [
            "flagged scans: chunks without a flag are all that there is",
            "backend-cpu/src/lanes/flagged.rs",
        ],
        TESTS,
        "after::<O, LEFT>(progress.before, progress.state)",
        "progress.state",
    ),
    bug(
        [
            "flagged scans: flags from the right are in the order of memory",
            "backend-cpu/src/lanes/flagged.rs",
        ],
        TESTS,
        "(false, _) => ascending.reverse_bits() >> (BLOCK - len),",
        "(false, _) => ascending,",
    ),
    bug(
        [
            "flagged scans: flags that are read are not there",
            "backend-cpu/src/kernel/scan/flagged.rs",
        ],
        TESTS,
        "self.direction == direction && !read[self.flag]",
        "self.direction == direction && read.len() > self.flag",
    ),
    bug(
        [
            "scans: chunks of integers forget the blocks before",
            "backend-cpu/src/kernel/scan/running.rs",
        ],
        CPU,
        "true => (fns.join)(1, carry, sum, sum, sum),",
        "true => lanes::copy(fns.state, 1, sum, carry),",
    ),
    bug(
        [
            "folds: what begins sums is left out behind the last vector",
            "backend-cpu/src/lanes/product.rs",
        ],
        CPU,
        "if !start.is_null() {",
        "if false && !start.is_null() {",
    ),
    bug(
        [
            "borders: the lanes that wait at the end are left out",
            "backend-cpu/src/kernel/border.rs",
        ],
        TESTS,
        "for run in std::mem::take(&mut self.runs) {",
        "for run in std::mem::take(&mut self.runs).into_iter().skip(1) {",
    ),
];
