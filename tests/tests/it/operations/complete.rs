//! That no public operation has been forgotten here.

use std::collections::BTreeSet;
use std::path::Path;

/// The files of the surface with the operations in them.
const SURFACE: [&str; 31] = [
    "math/bits.rs",
    "math/composed.rs",
    "math/special.rs",
    "math/elementary.rs",
    "math/compare.rs",
    "math/integers.rs",
    "math/overflow.rs",
    "math/layout.rs",
    "math/convert.rs",
    "functions.rs",
    "acc.rs",
    "acc/combine.rs",
    "acc/derive.rs",
    "acc/elementwise.rs",
    "acc/rearrange.rs",
    "acc/reduce.rs",
    "acc/scan.rs",
    "loops.rs",
    "aloops.rs",
    "library/axes.rs",
    "library/combining.rs",
    "library/linear.rs",
    "library/making.rs",
    "library/parts.rs",
    "library/running.rs",
    "library/scores.rs",
    "library/segments.rs",
    "library/selection.rs",
    "library/statistics.rs",
    "library/stencil.rs",
    "trees.rs",
];

/// The tests.
const TESTS: [&str; 21] = [
    "arrays.rs",
    "axes.rs",
    "bits.rs",
    "composed.rs",
    "integral.rs",
    "layout.rs",
    "special.rs",
    "linear.rs",
    "logic.rs",
    "loops.rs",
    "numbers.rs",
    "operators.rs",
    "parts.rs",
    "rearrange.rs",
    "reduce.rs",
    "scores.rs",
    "segments.rs",
    "selection.rs",
    "statistics.rs",
    "stencils.rs",
    "trees.rs",
];

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// What is before the first character that is not of a name.
fn name(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

/// The name of the operation that a line of the surface declares: a function, or an entry of a table such
/// as `Float: sqrt = Sqrt;`.
fn declared(line: &str) -> Option<String> {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix("pub fn ") {
        return Some(name(rest));
    }
    if line.starts_with("const ") {
        return None;
    }
    let (left, right) = line.strip_suffix(';')?.split_once(" = ")?;
    let right = right.split(" -> ").next().unwrap_or(right);
    let (_, left) = left.split_once(": ").unwrap_or(("", left));
    let is_table = name(left) == left && name(right) == right;
    let is_name = is_table && left.starts_with(|c: char| c.is_ascii_lowercase());
    is_name.then(|| left.to_owned())
}

#[test]
fn every_operation_has_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let surface = SURFACE.map(|file| read(&root.join("../core/src/surface").join(file)));
    let operations: BTreeSet<_> = surface
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(declared)
        .collect();
    assert!(operations.len() > 100, "{operations:?}");
    let tests = TESTS.map(|file| read(&root.join("tests/it/operations").join(file)));
    let named = |line: &str| {
        name(
            line.trim_start()
                .trim_start_matches("fn ")
                .trim_start_matches("free_"),
        )
    };
    let tested: BTreeSet<_> = tests
        .iter()
        .flat_map(|text| text.lines())
        .map(named)
        .collect();
    let missing: Vec<_> = operations.difference(&tested).collect();
    assert!(missing.is_empty(), "operations without a test: {missing:?}");
}
