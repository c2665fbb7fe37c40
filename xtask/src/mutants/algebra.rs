//! Bugs in what makes array code of loops over rows, and in the algebra of sums.

use super::list::Mutant;

const fn in_core(
    name: &'static str,
    file: &'static str,
    find: &'static str,
    replace: &'static str,
) -> Mutant {
    Mutant {
        name,
        file,
        find,
        replace,
        package: "cotangent-core",
    }
}

/// These bugs, in the order of the compiler's passes.
pub const ALGEBRA: &[Mutant] = &[
    in_core(
        "simplifier: rows that are written backwards",
        "core/src/simplify/acc/batch/rows.rs",
        "b.prim(Prim::Sub, &[last, row])",
        "{ let _ = last; row }",
    ),
    in_core(
        "simplifier: extents of rows that are those of all rows",
        "core/src/simplify/acc/batch/rows.rs",
        "*axis += 1",
        "*axis += 0",
    ),
    in_core(
        "simplifier: scatters of rows to other rows",
        "core/src/simplify/acc/batch/step.rs",
        "f.body.results.insert(1, f.params[0].name);",
        "{ let sent = f.body.results[1]; f.body.results.insert(1, sent); }",
    ),
    in_core(
        "simplifier: folds of rows by operators that differ",
        "core/src/simplify/acc/batch/rows.rs",
        "!f.captures.iter().any(|&array| self.differs(array))",
        "{ let _ = f; true }",
    ),
    in_core(
        "simplifier: loops with a state are taken for rows",
        "core/src/simplify/acc/batch/stacks.rs",
        "lets.iter().any(reads)",
        "lets.iter().all(reads)",
    ),
    in_core(
        "simplifier: extents that are impossible where there is no trip",
        "core/src/simplify/acc/batch/step.rs",
        "!says_extents(op) || sizes.iter().all(is_possible)",
        "!says_extents(op) || sizes.iter().all(is_possible) || true",
    ),
    in_core(
        "simplifier: scans of all rows at any price",
        "core/src/simplify/acc/batch/memory.rs",
        "literal <= MAX_LITERAL_FACTOR",
        "literal <= i32::MAX",
    ),
    in_core(
        "simplifier: slices at positions of any row",
        "core/src/simplify/acc/batch/moves.rs",
        "place.is_some_and(|place| is_below(place, extent, rows.trips, shapes))",
        "place.is_none_or(|place| is_below(place, extent, rows.trips, shapes))",
    ),
    in_core(
        "simplifier: loops that a run watches become operations on all rows",
        "core/src/simplify/acc/batch.rs",
        "ArrayLoops::Stay => None,",
        "ArrayLoops::Stay => self.stacks_of(trips, step, args),",
    ),
];
