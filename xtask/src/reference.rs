//! `cargo xtask reference`: `docs/reference.md`, every operation of the surface with its type, what its documentation says, and its
//! example; made of the sources, so that nothing is said twice. A test has it made again, and compares.
//!
//! Sources are read line by line, as rustfmt writes them: documentation, then a function or a line of a table of methods, such as
//! `Float: sqrt = Sqrt;`, below an `impl`.

use std::path::Path;
use std::process::ExitCode;

/// The file that is made.
const REFERENCE: &str = "docs/reference.md";

/// The chapters, each with the files of the surface that it is made of.
const CHAPTERS: [(&str, &[&str]); 19] = [
    ("Making arrays", &["acc/combine.rs", "library/making.rs"]),
    (
        "Element by element",
        &[
            "acc.rs",
            "acc/zips.rs",
            "acc/elementwise.rs",
            "acc/rows.rs",
            "trees.rs",
        ],
    ),
    (
        "The same elements elsewhere",
        &[
            "acc/rearrange.rs",
            "library/axes.rs",
            "library/parts.rs",
            "slice.rs",
        ],
    ),
    ("Reductions", &["acc/reduce.rs", "library/statistics.rs"]),
    ("Scores and classes", &["library/scores.rs"]),
    ("Scans", &["acc/scan.rs", "library/running.rs"]),
    ("Segments", &["library/segments.rs"]),
    (
        "Selection",
        &[
            "library/selection.rs",
            "library/updates.rs",
            "library/combining.rs",
        ],
    ),
    ("Sorting", &["library/sorting.rs"]),
    ("Stencils", &["library/stencil.rs"]),
    (
        "Linear algebra",
        &[
            "library/linear.rs",
            "library/einsum.rs",
            "library/solving.rs",
            "library/decompositions.rs",
            "library/determinants.rs",
            "library/conjugate.rs",
            "library/small.rs",
        ],
    ),
    (
        "Complex numbers",
        &[
            "complex.rs",
            "complex/arithmetic.rs",
            "complex/arrays.rs",
            "complex/functions.rs",
        ],
    ),
    (
        "Variants and characters",
        &["variants/option.rs", "variants/result.rs", "chars.rs"],
    ),
    ("Random numbers", &["library/random.rs"]),
    (
        "Loops",
        &[
            "loops.rs",
            "aloops.rs",
            "ascan.rs",
            "scan_seq.rs",
            "checkpoints.rs",
            "reversible.rs",
        ],
    ),
    (
        "Derivatives",
        &[
            "acc/derive.rs",
            "acc/derive/auxiliary.rs",
            "acc/derive/jacobian.rs",
            "acc/derive/linear.rs",
            "acc/derive/sparse.rs",
            "sparsity.rs",
            "sparsity/detect.rs",
            "custom.rs",
            "vmap.rs",
        ],
    ),
    (
        "Scalars",
        &[
            "functions.rs",
            "math/elementary.rs",
            "math/composed.rs",
            "math/special.rs",
            "math/compare.rs",
            "math/bits.rs",
            "math/integers.rs",
            "math/overflow.rs",
            "math/layout.rs",
            "math/convert.rs",
        ],
    ),
    (
        "Host arrays",
        &[
            "array.rs",
            "array/forms.rs",
            "array/iter.rs",
            "array/ndarrays.rs",
        ],
    ),
    ("Programs", &["tracing.rs", "calling.rs", "interpret.rs"]),
];

const HEAD: &str = "# Reference\n\n\
Made of the sources by `cargo xtask reference`. Examples run as tests, where they stand; imports are left out here:\n\
`use cotangent::prelude::*;`. In signatures `Acc<Sh, T>` is an array of a program of shape `Sh` and elements `T`, `Exp<T>` a scalar, `E<T>` an element,\n\
scalar or tuple; `Ix0` to `Ix6` are shapes, and `Lift<T>` is whatever can be a `T`: an expression or a literal. How operations are called in Accelerate, JAX\n\
and ndarray is in [a table](coming-from.md).\n";

/// An operation.
#[derive(Debug, Default, PartialEq)]
struct Entry {
    name: String,
    /// The `impl` that it is in, and its signature.
    signature: String,
    docs: Vec<String>,
}

/// Makes the file; with `check`, only says whether it is as it would be made.
pub fn run(root: &Path, check: bool) -> ExitCode {
    let outcome = made(root).and_then(|text| {
        let path = root.join(REFERENCE);
        if check {
            let is_same = std::fs::read_to_string(path)? == text;
            return Ok(is_same);
        }
        std::fs::create_dir_all(root.join("docs"))?;
        std::fs::write(path, text).map(|()| true)
    });
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("{REFERENCE} is not what the sources say: run `cargo xtask reference`");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("reference: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The text of the reference.
fn made(root: &Path) -> std::io::Result<String> {
    let mut text = HEAD.to_owned();
    for (title, files) in CHAPTERS {
        text += &format!("\n## {title}\n");
        for file in files {
            let source = std::fs::read_to_string(root.join("core/src/surface").join(file))?;
            for entry in entries(&source) {
                text += &entry.markdown();
            }
        }
    }
    Ok(text)
}

/// The documented public operations of a source file.
fn entries(source: &str) -> Vec<Entry> {
    let (mut entries, mut docs, mut owner) = (vec![], vec![], String::new());
    let mut lines = source.lines().peekable();
    while let Some(line) = lines.next() {
        let text = line.trim_start();
        if let Some(doc) = text.strip_prefix("///") {
            docs.push(doc.strip_prefix(' ').unwrap_or(doc).to_owned());
        } else if line.starts_with("impl") || line == "}" {
            owner = line.trim_end_matches(" {").to_owned();
            docs.clear();
        } else if text.starts_with("pub fn ") {
            let mut signature = vec![text.to_owned()];
            while !signature.last().is_some_and(|last| ends_signature(last)) {
                let Some(next) = lines.next() else { break };
                signature.push(next.trim().to_owned());
            }
            let declared = signature.join(" ").replace("( ", "(").replace(", )", ")");
            entries.extend(entry(
                &owner,
                declared.trim_end_matches(" {").trim_end_matches(','),
                &mut docs,
            ));
        } else if let Some((name, signature)) = of_table(text) {
            let signature = format!("pub fn {name}{signature}");
            entries.extend(entry(&owner, &signature, &mut docs));
        } else if !text.starts_with("#[") && !docs.is_empty() && !is_part_of_attribute(text) {
            docs.clear();
        }
    }
    entries
}

fn ends_signature(line: &str) -> bool {
    line.ends_with('{') || line.ends_with(';')
}

/// Lines of an attribute of several lines.
fn is_part_of_attribute(line: &str) -> bool {
    [")]", "message", "label", "note"]
        .iter()
        .any(|start| line.starts_with(start))
}

fn entry(owner: &str, signature: &str, docs: &mut Vec<String>) -> Option<Entry> {
    let docs = std::mem::take(docs);
    let name = signature.strip_prefix("pub fn ")?;
    let name: String = name
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    let is_method = signature.contains("self");
    let owner = if owner.starts_with("impl") && (is_method || signature.contains("Self")) {
        format!("{owner}\n")
    } else {
        String::new()
    };
    (!docs.is_empty()).then(|| Entry {
        name,
        signature: owner + signature,
        docs,
    })
}

/// The name and the rest of the signature of a method that a table declares.
fn of_table(line: &str) -> Option<(String, String)> {
    if line.starts_with("const ") {
        return None;
    }
    let (left, right) = line.strip_suffix(';')?.split_once(" = ")?;
    let (class, name) = left.split_once(": ").unwrap_or(("", left));
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let (made_by, out) = right
        .split_once(" -> ")
        .map_or((right, None), |(p, out)| (p, Some(out)));
    if !is_name(name) || !is_name(made_by) || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    let bound = if class.is_empty() {
        String::new()
    } else {
        format!(" where T: {class}")
    };
    Some((
        name.to_owned(),
        match out {
            Some(out) => format!("<R: Lift<T>>(self, other: R) -> Exp<{out}>{bound}"),
            None => format!("(self) -> Self{bound}"),
        },
    ))
}

impl Entry {
    fn markdown(&self) -> String {
        let mut text = format!(
            "\n### `{}`\n\n```rust\n{}\n```\n\n",
            self.name, self.signature
        );
        let mut is_code = false;
        for line in &self.docs {
            if line.starts_with("```") {
                text += if is_code { "```\n" } else { "```rust\n" };
                is_code = !is_code;
            } else if is_code {
                if !(line == "#" || line.starts_with("# ")) {
                    text += &format!("{line}\n");
                }
            } else {
                text += &format!("{}\n", without_links(line.trim_start_matches("# ")));
            }
        }
        text
    }
}

/// A line without the targets of links to other items.
fn without_links(line: &str) -> String {
    let (mut text, mut rest) = (String::new(), line);
    while let Some((before, link)) = rest.split_once('[') {
        text += before;
        match link.split_once(']') {
            Some((shown, after)) if after.starts_with('(') && !after.starts_with("(http") => {
                text += shown;
                rest = after_target(after);
            }
            Some((shown, after)) if shown.starts_with('`') => {
                text += shown;
                rest = after;
            }
            Some(_) | None => {
                text.push('[');
                rest = link;
            }
        }
    }
    text + rest
}

/// What follows the target of a link, which may be a function's, with parentheses of its own.
fn after_target(link: &str) -> &str {
    let mut depth = 0;
    let is_end = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    };
    link.find(is_end).map_or("", |end| &link[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    #[test]
    fn the_reference_is_what_the_sources_say() {
        let found = std::fs::read_to_string(root().join(REFERENCE)).unwrap();
        assert!(
            found == made(&root()).unwrap(),
            "run `cargo xtask reference`"
        );
    }

    #[test]
    fn functions_and_lines_of_tables_are_found() {
        let source = "/// Of all.\nimpl<T> Exp<T> {\n    unary! {\n        /// A root.\n        Float: sqrt = Sqrt;\n    }\n\n    \
             /// Sends [`it`](Self::it()).\n    ///\n    /// ```\n    /// # hidden\n    /// shown\n    /// ```\n    #[track_caller]\n    \
             pub fn far(\n        self,\n        n: i32,\n    ) -> T {\n    }\n}\n";
        let [root, far] = &entries(source)[..] else {
            panic!("two operations");
        };
        assert_eq!(root.name, "sqrt");
        assert_eq!(
            root.signature,
            "impl<T> Exp<T>\npub fn sqrt(self) -> Self where T: Float"
        );
        assert_eq!(
            far.signature,
            "impl<T> Exp<T>\npub fn far(self, n: i32) -> T"
        );
        let text = far.markdown();
        assert!(
            text.ends_with("Sends `it`.\n\n```rust\nshown\n```\n"),
            "{text}"
        );
    }

    /// Files with operations are in a chapter.
    #[test]
    fn no_file_is_forgotten() {
        fn walk(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => walk(&path, found),
                    false => found.push(path),
                }
            }
        }
        let surface = root().join("core/src/surface");
        let mut files = vec![];
        walk(&surface, &mut files);
        let chapters: Vec<_> = CHAPTERS.iter().flat_map(|(_, files)| *files).collect();
        for file in files {
            let name = file.strip_prefix(&surface).unwrap().to_string_lossy();
            let is_known = chapters.iter().any(|chapter| **chapter == name);
            let has_operations = !entries(&std::fs::read_to_string(&file).unwrap()).is_empty();
            let is_internal = INTERNAL.iter().any(|start| name.starts_with(start));
            assert!(is_known || is_internal || !has_operations, "{name}");
        }
    }

    /// What is not written in programs.
    const INTERNAL: [&str; 4] = ["tests", "session.rs", "array/show", "variants.rs"];

    /// Whatever the table says to write instead is there.
    #[test]
    fn names_in_the_table_exist() {
        let read = |name: &str| std::fs::read_to_string(root().join("docs").join(name)).unwrap();
        let (reference, table) = (read("reference.md"), read("coming-from.md"));
        let rows = table
            .lines()
            .filter(|line| line.starts_with("| ") && !line.starts_with("| Accelerate"));
        let mut names = 0;
        for row in rows {
            let ours = row.trim_end_matches('|').rsplit('|').next().unwrap();
            assert!(!ours.trim().is_empty(), "nothing stands for {row}");
            for name in ours.split('`').skip(1).step_by(2) {
                let call = name
                    .trim_start_matches('.')
                    .trim_start_matches("Boundary::");
                let call: String = call
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                if name.starts_with('.') || name.contains('(') {
                    assert!(
                        reference.contains(&format!("### `{call}`")),
                        "`{name}` in {row}"
                    );
                    names += 1;
                }
            }
        }
        assert!(names > 80, "{names}");
    }
}
