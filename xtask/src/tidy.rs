//! `cargo xtask tidy`: the checkable points of CONTRIBUTING.md, "Style".

mod examples;
mod functions;
mod lines;
mod sizes;
mod unsafety;

use crate::crates::forbidden_edges;
use crate::source::{Source, files};
use std::path::Path;
use std::process::ExitCode;

/// Checks the tree below `root` and prints what is wrong, one finding a line.
pub fn run(root: &Path) -> ExitCode {
    match findings(root) {
        Ok(found) if found.is_empty() => ExitCode::SUCCESS,
        Ok(found) => {
            found.iter().for_each(|line| eprintln!("{line}"));
            eprintln!("tidy: {} findings", found.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("tidy: {error}");
            ExitCode::FAILURE
        }
    }
}

fn findings(root: &Path) -> std::io::Result<Vec<String>> {
    let sources = files(root)?;
    let mut found = forbidden_edges(root)?;
    let contributing = std::fs::read_to_string(root.join("CONTRIBUTING.md"))?;
    let may_be_unsafe = unsafety::allowed(&contributing);
    found.extend(sources.iter().flat_map(file_findings));
    found.extend(sources.iter().flat_map(|source| {
        let problems = unsafety::problems(source, &may_be_unsafe);
        at_lines(source, problems)
    }));
    found.extend(unsafety::superfluous(&may_be_unsafe, &sources));
    found.extend(functions::median_finding(&sources));
    found.extend(sizes::findings(root));
    Ok(found)
}

/// What is wrong with one file.
fn file_findings(source: &Source) -> Vec<String> {
    let problems = lines::problems(source)
        .into_iter()
        .chain(functions::problems(source))
        .chain(examples::problems(source));
    at_lines(source, problems)
}

/// Findings with the file and the line before them.
fn at_lines(source: &Source, problems: impl IntoIterator<Item = (usize, String)>) -> Vec<String> {
    let problems = problems.into_iter();
    problems
        .map(|(line, what)| format!("{}:{line}: {what}", source.path.display()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::file_findings;
    use crate::source::Source;

    fn found(path: &str, text: &str) -> Vec<String> {
        file_findings(&Source {
            path: path.into(),
            text: text.into(),
        })
    }

    #[test]
    fn a_good_file_passes() {
        assert_eq!(
            found("a.rs", "//! Purpose.\n\nfn f() {}\n"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn each_rule_fires() {
        let long_file = format!("//! P.\n{}", "// x\n".repeat(600));
        let long_function = format!("//! P.\nfn f() {{\n{}}}\n", "    g();\n".repeat(60));
        let cases = [
            ("fn f() {}\n", "does not open with `//!`"),
            (&long_file, "601 lines, at most 600"),
            (&long_function, "`f` has 62 lines, at most 60"),
            ("//! P.\nfn f() { g().unwrap(); }\n", "`unwrap`"),
            ("//! P.\nfn f() { todo!() }\n", "`todo!`"),
            ("//! P.\nfn f() { panic!() }\n", "`panic!`"),
            (
                "//! P.\nfn f(x: E) { match x { E::A => 1, _ => 2 } }\n",
                "wildcard",
            ),
        ];
        for (text, part) in cases {
            let lines = found("a.rs", text);
            assert!(lines.iter().any(|l| l.contains(part)), "{part}: {lines:?}");
        }
    }

    #[test]
    fn wildcards_by_other_names_are_seen() {
        let matched = |arm: &str| {
            format!(
                "//! P.\nfn f(x: E) -> u32 {{\n    match x {{\n        A => 1,\n        {arm} => 2,\n    }}\n}}\n"
            )
        };
        for arm in ["_other", "_other if g()", "(_, _)", "(_,)", "(_other, _)"] {
            let text = matched(arm);
            let lines = found("core/src/x.rs", &text);
            let seen = lines.len() == 1 && lines[0].contains(":5: wildcard arm by another name");
            assert!(seen, "{arm}: {lines:?}");
            assert_eq!(found("core/src/x/tests.rs", &text), Vec::<String>::new());
        }
        for arm in ["other", "(A, _)", "()", "B(_)", "[..]"] {
            let lines = found("core/src/x.rs", &matched(arm));
            assert_eq!(lines, Vec::<String>::new(), "{arm}");
        }
    }

    #[test]
    fn what_users_call_has_an_example() {
        let method =
            |docs: &str| format!("//! P.\nimpl<T> Exp<T> {{\n{docs}    pub fn f(self) {{}}\n}}\n");
        let made = |docs: &str| {
            format!(
                "//! P.\nimpl<T> Exp<T> {{\n    unary! {{\n{docs}        Num: g = G;\n    }}\n}}\n"
            )
        };
        let (path, example) = (
            "core/src/surface/x.rs",
            "/// Text.\n/// ```\n/// assert!(f());\n/// ```\n",
        );
        for (text, name) in [
            (method("/// Text.\n"), "`f`"),
            (method(""), "`f`"),
            (method("/// ```\n/// f();\n/// ```\n"), "`f`"),
            (made("/// Text.\n"), "`g`"),
            (
                format!(
                    "{}        /// Text.\n        Num: h = H;\n    }}\n}}\n",
                    made(example).trim_end_matches("    }\n}\n")
                ),
                "`h`",
            ),
            ("//! P.\npub fn k() {}\n".into(), "`k`"),
        ] {
            let lines = found(path, &text);
            assert!(
                lines.len() == 1 && lines[0].contains(name),
                "{name}: {lines:?}"
            );
            assert_eq!(found("core/src/x.rs", &text), Vec::<String>::new());
        }
        for text in [
            method(example),
            made(example),
            method("#[doc(hidden)]\n"),
            "//! P.\nfn k() {}\npub(crate) fn l() {}\nimpl Other { pub fn f() {} }\n".into(),
        ] {
            assert_eq!(found(path, &text), Vec::<String>::new());
        }
    }

    #[test]
    fn tests_may_unwrap() {
        let text = "//! P.\n#[cfg(test)]\nmod tests { fn f() { g().unwrap(); } }\n";
        assert_eq!(found("a.rs", text), Vec::<String>::new());
        assert_eq!(
            found("x/tests.rs", "//! P.\nfn f() { g().unwrap(); }\n"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_flat_match_may_be_longer() {
        let arms: String = (0..70)
            .map(|i| format!("        E::A{i} => {i},\n"))
            .collect();
        let text = format!("//! P.\nfn f(x: E) -> u32 {{\n    match x {{\n{arms}    }}\n}}\n");
        assert_eq!(found("a.rs", &text), Vec::<String>::new());
    }
}
