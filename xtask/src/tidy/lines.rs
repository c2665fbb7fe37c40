//! Rules about whole files.

use crate::source::Source;

/// The longest file allowed, in lines.
const MAX_FILE_LINES: usize = 600;

/// Findings in one file, with their lines.
pub fn problems(source: &Source) -> Vec<(usize, String)> {
    let mut found = vec![];
    if !source.text.starts_with("//!") {
        found.push((
            1,
            "does not open with `//!`: say what the file is for".into(),
        ));
    }
    let lines = source.text.lines().count();
    if lines > MAX_FILE_LINES {
        found.push((
            MAX_FILE_LINES,
            format!("{lines} lines, at most {MAX_FILE_LINES}: split it by concept"),
        ));
    }
    found
}
