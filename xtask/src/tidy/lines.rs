//! Rules about whole files.

use crate::source::Source;

/// The longest file allowed, in lines.
const MAX_FILE_LINES: usize = 600;

/// Where files are included in modules, which rustc does not let open with `//!`.
const INCLUDED: &str = "examples/src/fifteen";

/// Findings in one file, with their lines.
pub fn problems(source: &Source) -> Vec<(usize, String)> {
    let mut found = vec![];
    let header = if source.path.starts_with(INCLUDED) {
        "// "
    } else {
        "//!"
    };
    if !source.text.starts_with(header) {
        let problem = format!("does not open with `{header}`: say what the file is for");
        found.push((1, problem));
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
