//! Bugs in sorts and folds of segments.

use super::entries::bug;
use super::list::Mutant;

const CORE: &str = "cotangent-core";
const CPU: &str = "cotangent-backend-cpu";
const TESTS: &str = "cotangent-tests";

/// These bugs.
pub const SORTS: &[Mutant] = &[
    bug(
        [
            "sorts: keys that packing makes alike stay",
            "backend-cpu/src/kernel/sort.rs",
        ],
        CPU,
        "if alike.len() > 1 {",
        "if false && alike.len() > 1 {",
    ),
    bug(
        [
            "sorts: the sign of zeros counts",
            "backend-cpu/src/kernel/sort.rs",
        ],
        CPU,
        "let bits = if self == 0.0 { 0 } else { self.to_bits() };",
        "let bits = self.to_bits();",
    ),
    bug(
        [
            "sorts: negative integers come last",
            "backend-cpu/src/kernel/sort.rs",
        ],
        CPU,
        "i32: |x| x as u32 ^ 1 << 31;",
        "i32: |x| x as u32;",
    ),
    bug(
        ["networks: all runs rise", "core/src/schedule/networks.rs"],
        CORE,
        "let wants_first = code.prim(Prim::Eq, &[is_lower, rises], Bool);",
        "let wants_first = code.prim(Prim::Or, &[is_lower, is_lower], Bool);",
    ),
    bug(
        [
            "networks: equal keys as they come",
            "core/src/schedule/networks.rs",
        ],
        CORE,
        "let by_key = code.prim(Prim::Or, &[before, as_it_stands], Bool);",
        "let by_key = code.prim(Prim::Or, &[before, first], Bool);",
    ),
    bug(
        [
            "networks: what is beyond the keys is sorted among them",
            "core/src/schedule/networks.rs",
        ],
        CORE,
        "code.prim(Prim::Select, &[are_keys, by_key, first], Bool)",
        "code.prim(Prim::Select, &[are_keys, by_key, by_key], Bool)",
    ),
    bug(
        ["sorts: NaN is less than numbers", "core/src/constant.rs"],
        CORE,
        ".unwrap_or_else(|| are_nan[0].cmp(&are_nan[1]))",
        ".unwrap_or_else(|| are_nan[1].cmp(&are_nan[0]))",
    ),
    bug(
        [
            "sorts: parts end between keys that are alike",
            "backend-cpu/src/kernel/sort.rs",
        ],
        CPU,
        "while len < rest.len() && self.are_alike(rest[len - 1], rest[len]) {",
        "while false && self.are_alike(rest[len - 1], rest[len]) {",
    ),
    bug(
        [
            "segments: what began in another chunk is left out",
            "backend-cpu/src/kernel/ranges.rs",
        ],
        TESTS,
        "for chunk in 1..self.chunks {",
        "for chunk in 2..self.chunks {",
    ),
    bug(
        [
            "segments: one that goes on in the next block is left out there",
            "backend-cpu/src/kernel/ranges.rs",
        ],
        TESTS,
        "let earlier = from > begins && i64::from(starts.0[from]) > start;",
        "let earlier = false;",
    ),
    bug(
        [
            "segments: negative lengths go back",
            "fusion/src/segments.rs",
        ],
        TESTS,
        "let length = codes.prim(code, Prim::Max, &[length, zero]);",
        "let _ = zero;",
    ),
    bug(
        [
            "segments: too long ones are said to be longer",
            "backend-cpu/src/kernel/ranges.rs",
        ],
        TESTS,
        "let last = i64::from(self.0[point + 1].wrapping_sub(1));",
        "let last = i64::from(self.0[point + 1]);",
    ),
    bug(
        [
            "segments: long ones begin anew",
            "backend-cpu/src/lanes/segments.rs",
        ],
        TESTS,
        "    O::join(total, all)",
        "    all",
    ),
    bug(
        [
            "segments: scans go on from one to the next",
            "core/src/schedule/networks/segments.rs",
        ],
        CORE,
        "results.push(code.prim(Prim::Select, &[second, y, both], types[component]));",
        "results.push(both);",
    ),
    bug(
        [
            "segments: those of derivatives go on from one to the next",
            "core/src/segments.rs",
        ],
        TESTS,
        "let combined = b.cond(second, |_| ys,",
        "let combined = b.cond(first, |_| ys,",
    ),
    bug(
        [
            "segments: any operator is taken for a primitive",
            "core/src/segments.rs",
        ],
        TESTS,
        "!(0..args.len()).all(by_primitive)",
        "!(0..args.len()).any(by_primitive)",
    ),
];
