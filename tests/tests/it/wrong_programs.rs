//! What the compiler says about wrong programs, `tests/ui/*.rs`: the first error is on the line below the
//! comment `//~ text`, has that text in its first line, and no type in it is longer than a line. A comment
//! `//~| text` after it is of what stands in one of the further lines.
//!
//! Only the part of the message that this library is answerable for is compared, not all that the compiler
//! writes around it (as trybuild would): that changes with its version, and the tests are to pass on every
//! one that is supported. A program without such a comment must compile.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The longest line of a message, without the source that it quotes: two types of matrices, and what the compiler says of them.
const MAX_LINE: usize = 220;

/// A program and what is expected of it.
struct Case {
    name: String,
    source: String,
}

impl Case {
    /// The text after `//~`, and the number of the line below the comment, from 1.
    fn expectation<'a>(&'a self) -> Option<(&'a str, u64)> {
        let mut lines = self.source.lines().map(str::trim).zip(2..);
        let says = |(line, below): (&'a str, u64)| Some((line.strip_prefix("//~ ")?, below));
        let (says, below) = lines.find_map(says)?;
        let further = lines.take_while(|(line, _)| line.starts_with("//~|"));
        Some((says, further.last().map_or(below, |(_, below)| below)))
    }

    /// The text after `//~|`.
    fn hint(&self) -> Option<&str> {
        let mut lines = self.source.lines().map(str::trim);
        lines.find_map(|line| line.strip_prefix("//~| "))
    }

    /// What is wrong with the errors that the compiler has for it.
    fn problem(&self, errors: &[Value]) -> Option<String> {
        let text = |error: &Value| error["rendered"].as_str().unwrap_or_default().to_owned();
        let (expected, line) = match (self.expectation(), errors) {
            (None, []) => return None,
            (None, [error, ..]) => return Some(format!("is wrong:\n{}", text(error))),
            (Some(_), []) => return Some("compiles".to_owned()),
            (Some(expectation), _) => expectation,
        };
        let first = &errors[0];
        let says = first["message"].as_str().unwrap_or_default();
        let spans = first["spans"].as_array().map_or(&[][..], Vec::as_slice);
        let primary = spans.iter().find(|span| span["is_primary"] == true);
        let is_there = primary.is_some_and(|span| span["line_start"] == line);
        let text = text(first);
        let own = text.lines().filter(|line| !line.contains(" | "));
        let own = own.filter(|line| !line.contains("the full name for the type"));
        let is_short = own.map(str::len).all(|n| n <= MAX_LINE);
        let hint = self.hint().unwrap_or_default();
        let is_right = says.contains(expected) && text.contains(hint) && is_there && is_short;
        (!is_right).then(|| format!("`{expected}` `{hint}` on line {line} expected, found\n{text}"))
    }
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let case = |path: &PathBuf| Case {
        name: path.file_stem().unwrap().to_string_lossy().into_owned(),
        source: std::fs::read_to_string(path).unwrap(),
    };
    paths.iter().map(case).collect()
}

/// A package with the programs as its binaries, outside of the workspace, and with its locked versions.
fn package(cases: &[Case]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong-programs");
    let sources = package.join("src/bin");
    // What has been removed from the folder must not stay here.
    let _is_new = std::fs::remove_dir_all(&sources);
    std::fs::create_dir_all(&sources).unwrap();
    let manifest = format!(
        "[package]\nname = \"wrong-programs\"\nedition = \"2024\"\n\n\
         [dependencies]\ncotangent = {{ path = {:?} }}\n\n[workspace]\n",
        root.display().to_string()
    );
    std::fs::write(package.join("Cargo.toml"), manifest).unwrap();
    std::fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
    for case in cases {
        std::fs::write(sources.join(format!("{}.rs", case.name)), &case.source).unwrap();
    }
    package
}

/// The errors of each binary of a package, in the compiler's order.
fn errors(package: &Path) -> BTreeMap<String, Vec<Value>> {
    let output = Command::new(env!("CARGO"))
        .args(["check", "--bins", "--keep-going", "--offline", "--quiet"])
        .args(["--message-format=json"])
        .env("CARGO_TARGET_DIR", package.join("target"))
        .current_dir(package)
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stdout);
    let mut errors = BTreeMap::<String, Vec<Value>>::new();
    for line in log.lines() {
        let Value::Object(mut report) = serde_json::from_str(line).unwrap() else {
            continue;
        };
        let is_error = report.get("message").is_some_and(|m| m["level"] == "error");
        if let (true, Some(message)) = (is_error, report.remove("message")) {
            let name = report["target"]["name"].as_str().unwrap_or_default();
            errors.entry(name.to_owned()).or_default().push(message);
        }
    }
    assert!(
        !errors.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    errors
}

#[test]
fn wrong_programs_are_told_what_is_wrong() {
    let cases = cases();
    let errors = errors(&package(&cases));
    let problem = |case: &Case| {
        let errors = errors.get(&case.name).map_or(&[][..], Vec::as_slice);
        Some(format!("{}: {}", case.name, case.problem(errors)?))
    };
    let problems: Vec<_> = cases.iter().filter_map(problem).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
    let unknown = errors
        .keys()
        .filter(|name| !cases.iter().any(|case| case.name == **name));
    assert_eq!(unknown.collect::<Vec<_>>(), Vec::<&String>::new());
}
