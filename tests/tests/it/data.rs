//! ADBench's inputs and golden results, found by the variable `COTANGENT_DATA`.

use std::path::PathBuf;

/// The folder `adbench` below `$COTANGENT_DATA`; without the variable, says on standard error which test
/// is skipped and gives nothing.
pub fn adbench(test: &str) -> Option<PathBuf> {
    match std::env::var_os("COTANGENT_DATA") {
        Some(data) => Some(PathBuf::from(data).join("adbench")),
        None => {
            eprintln!(
                "skipped: {test}: COTANGENT_DATA is not set (ADBench's data, with `adbench/`)"
            );
            None
        }
    }
}

/// The numbers of a file, one or more a line; lines of text are left out.
pub fn numbers(path: &std::path::Path) -> Vec<f64> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect()
}
