//! Rules about unsafe code: where it may be, and that every piece of it has a reason of its own.
//!
//! Files are read line by line, as macros hide their code from a parser: comments and strings are left out, and
//! what remains is searched for the word.

use crate::source::Source;
use std::path::Path;

/// Where CONTRIBUTING.md lists the modules that may have unsafe code.
const SECTION: &str = "## Unsafe code";
/// So many lines may lie between a reason and the block it is for: the beginning of the statement.
const MAX_DISTANCE: usize = 6;
/// Reasons of fewer words name nothing.
const LEAST_WORDS: usize = 5;
/// What stands for a reason without being one.
const NO_REASONS: &[&str] = &[
    "as above",
    "as before",
    "see above",
    "same as",
    "caller says",
    "caller keeps",
    "caller promises",
    "says so",
];

/// The files and folders that CONTRIBUTING.md lists, in backticks, in its section on unsafe code.
pub fn allowed(contributing: &str) -> Vec<String> {
    let section = contributing.lines().skip_while(|line| *line != SECTION);
    let section = section.skip(1).take_while(|line| !line.starts_with("## "));
    let quoted = section
        .filter(|line| line.starts_with("* "))
        .flat_map(|line| line.split('`').skip(1).step_by(2));
    let is_path = |name: &&str| name.ends_with(".rs") || name.ends_with('/');
    quoted.filter(is_path).map(str::to_owned).collect()
}

/// Listed modules without unsafe code: the list must keep up.
pub fn superfluous(allowed: &[String], sources: &[Source]) -> Vec<String> {
    let is_used = |name: &&String| {
        let mut inside = sources.iter().filter(|s| is_in(&s.path, name));
        inside.any(|source| unsafe_lines(&source.text).next().is_some())
    };
    let unused = allowed.iter().filter(|name| !is_used(name));
    let what = |name| format!("CONTRIBUTING.md: `{name}` has no unsafe code: take it off the list");
    unused.map(what).collect()
}

fn is_in(path: &Path, name: &str) -> bool {
    match name.strip_suffix('/') {
        Some(folder) => path.starts_with(folder),
        None => path == Path::new(name),
    }
}

/// Findings in one file, with their lines.
pub fn problems(source: &Source, allowed: &[String]) -> Vec<(usize, String)> {
    let lines: Vec<_> = source.text.lines().collect();
    let is_allowed = allowed.iter().any(|name| is_in(&source.path, name));
    let mut found = vec![];
    for (at, code) in unsafe_lines(&source.text) {
        if !is_allowed {
            let what =
                format!("unsafe code in a module that CONTRIBUTING.md, `{SECTION}`, does not list");
            found.push((at + 1, what));
        }
        if has_block(code) {
            found.extend(reason_problem(&lines, at).map(|what| (at + 1, what)));
        }
    }
    found
}

/// The lines whose code has the word, from 0, with that code.
fn unsafe_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = text.lines().map(code_of).enumerate();
    code.filter(|(_, code)| words(code).any(|word| word == "unsafe"))
}

/// A line without its comment; none of a line in which the word is part of a string.
fn code_of(line: &str) -> &str {
    let code = line.split("//").next().unwrap_or_default();
    match code
        .split('"')
        .skip(1)
        .step_by(2)
        .any(|s| s.contains("unsafe"))
    {
        true => "",
        false => code,
    }
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !(c.is_alphanumeric() || c == '_'))
}

/// Whether a block or an implementation begins here; functions have their conditions in their documentation.
fn has_block(code: &str) -> bool {
    let mut after = code.split("unsafe").skip(1).map(str::trim_start);
    after.any(|rest| rest.is_empty() || rest.starts_with('{') || rest.starts_with("impl"))
}

/// What is wrong with the reason for the block that begins in a line.
fn reason_problem(lines: &[&str], at: usize) -> Option<String> {
    match reason(lines, at) {
        None => Some("no `SAFETY:` sentence right above: name what makes this sound".into()),
        Some(reason) => {
            let lower = reason.to_lowercase();
            let empty = NO_REASONS.iter().find(|phrase| lower.contains(**phrase));
            let short = reason.split_whitespace().count() <= LEAST_WORDS;
            match (empty, short) {
                (Some(phrase), _) => Some(format!(
                    "a `SAFETY:` sentence that says \"{phrase}\": name what makes this block sound"
                )),
                (None, true) => Some(format!("`{reason}` names nothing that makes this sound")),
                (None, false) => None,
            }
        }
    }
}

/// The comment above the statement of a line, from the word `SAFETY:` on.
fn reason(lines: &[&str], at: usize) -> Option<String> {
    let mut above = lines[..at].iter().rev().map(|line| line.trim());
    let mut comment = vec![];
    for line in above.by_ref().take(MAX_DISTANCE) {
        if line.starts_with("//") {
            comment.push(line);
            break;
        }
        if line.is_empty() || line.ends_with([';', '}']) {
            return None;
        }
    }
    comment.extend(above.take_while(|line| line.starts_with("//")));
    let text: Vec<_> = comment
        .iter()
        .rev()
        .map(|line| line.trim_start_matches('/').trim())
        .collect();
    let text = text.join(" ");
    text.find("SAFETY:").map(|start| text[start..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &str) -> Vec<String> {
        let source = Source {
            path: "a/b.rs".into(),
            text: format!("//! P.\n{body}"),
        };
        let problems = problems(&source, &["a/".to_owned()]);
        problems.into_iter().map(|(_, what)| what).collect()
    }

    #[test]
    fn reasons_of_their_own_pass() {
        let good = [
            "// SAFETY: there are `n` elements at `at`.\nunsafe { f() }\n",
            "// SAFETY: there are\n// `n` elements at `at`.\nlet x =\n    unsafe { f() };\n",
            "match x {\n    // SAFETY: there are `n` elements at `at`.\n    X::A => unsafe { f() },\n}\n",
            "// SAFETY: nobody writes while others read.\nunsafe impl Sync for X {}\n",
            "// unsafe { in a comment }\nlet x = \"unsafe { }\";\n#![deny(unsafe_code)]\n",
            "/// # Safety\n/// `x` is valid.\nunsafe fn f() {}\ntype F = unsafe fn(usize);\n",
        ];
        for body in good {
            assert_eq!(found(body), Vec::<String>::new(), "{body}");
        }
    }

    #[test]
    fn each_rule_fires() {
        let cases = [
            ("unsafe { f() }\n", "no `SAFETY:`"),
            ("// It is fine.\nunsafe { f() }\n", "no `SAFETY:`"),
            (
                "// SAFETY: there are `n` elements at `at`.\ng();\nunsafe { f() }\n",
                "no `SAFETY:`",
            ),
            ("unsafe impl Sync for X {}\n", "no `SAFETY:`"),
            (
                "// SAFETY: as above, for the rest.\nunsafe { f() }\n",
                "as above",
            ),
            (
                "// SAFETY: The caller\n// says so of `x` and `y`.\nunsafe { f() }\n",
                "caller says",
            ),
            (
                "// SAFETY: this is sound.\nunsafe { f() }\n",
                "names nothing",
            ),
        ];
        for (body, part) in cases {
            let found = found(body);
            assert_eq!(found.len(), 1, "{body}: {found:?}");
            assert!(found[0].contains(part), "{found:?}");
        }
    }

    #[test]
    fn unsafe_code_is_where_contributing_says() {
        let text = "# C\n`no/`\n\n## Unsafe code\n\nIt is in `x` and:\n\n* `a/` and `c.rs`: pointers.\n* `d.rs`\n\n## Next\n* `e/`\n";
        let allowed = allowed(text);
        assert_eq!(allowed, ["a/", "c.rs", "d.rs"]);
        let reason = "// SAFETY: there are `n` elements at `at`.\nunsafe { f() }\n";
        let source = |path: &str| Source {
            path: path.into(),
            text: reason.into(),
        };
        let fine = |path| problems(&source(path), &allowed).is_empty();
        assert!(fine("a/x/y.rs") && fine("c.rs"));
        assert!(!fine("ab.rs") && !fine("x/c.rs") && !fine("e/f.rs"));
        let unused = superfluous(&allowed, &[source("a/x.rs"), source("c.rs")]);
        assert_eq!(unused.len(), 1);
        assert!(unused[0].contains("`d.rs`"), "{unused:?}");
    }
}
