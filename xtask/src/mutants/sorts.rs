//! Bugs in sorts.

use super::entries::bug;
use super::list::Mutant;

const CORE: &str = "cotangent-core";
const CPU: &str = "cotangent-backend-cpu";

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
];
