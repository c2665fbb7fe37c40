//! How texts of shaders are kept: small programs in full, but for shaders that resemble another one; the corpus by
//! fingerprints.
//!
//! A kernel has several shaders, for devices that differ or for other extents, and a change to the printer changes the same
//! lines of them all. Such a line is to be read once. So of a shader that has most of its lines in common with one before it
//! only the difference is kept ([`script`]), from which the text could be restored: nothing can change unseen.
//!
//! Where something has changed, the whole texts are in `target/tmp/wgsl`. Texts of the corpus that are as they were are
//! there, too, from the last run, so that the next one can show what has become of them.

use crate::snapshot::expected;
use cotangent_shaders::Shader;
use cotangent_tests::lines::{report, script};
use std::fmt::Write;
use std::path::PathBuf;

/// The shaders of a program, each in full or as a difference to one before it.
pub fn listed(shaders: &[Shader]) -> String {
    let mut listed = String::new();
    let mut in_full: Vec<(usize, &str)> = vec![];
    for (n, shader) in shaders.iter().enumerate() {
        let (each, words) = (shader.each, &shader.parameters);
        let source = shader.source.trim();
        writeln!(listed, "// {n}. Each {each:?}; parameters {words:?}").unwrap();
        let scripts = in_full.iter().map(|(m, base)| (*m, script(base, source)));
        match scripts.min_by_key(|(_, script)| script.len()) {
            Some((m, script)) if 2 * script.len() < source.len() => {
                writeln!(listed, "// As {m}, but:\n{script}").unwrap();
            }
            Some(_) | None => {
                writeln!(listed, "{source}\n").unwrap();
                in_full.push((n, source));
            }
        }
    }
    listed
}

/// Where the whole texts of a program are written to.
fn path_of(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_TARGET_TMPDIR"), "/wgsl");
    PathBuf::from(folder).join(format!("{name}.wgsl"))
}

/// Writes the whole texts to where people find them, and says where.
pub fn written_out(name: &str, shaders: &[Shader]) -> PathBuf {
    let path = path_of(name);
    let text: Vec<_> = shaders.iter().map(|s| s.source.as_str()).collect();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text.join("\n")).unwrap();
    path
}

/// Keeps the text of a program of the corpus for later runs where its line is one of the snapshot; otherwise says what has
/// become of it.
pub fn compare_with_last(name: &str, line: &str, shaders: &[Shader]) {
    if expected("wgsl/corpus.txt").lines().any(|l| l == line) {
        written_out(name, shaders);
        return;
    }
    let new = written_out(&format!("{name}.new"), shaders);
    match std::fs::read_to_string(path_of(name)) {
        Ok(text) => println!(
            "{name}:\n{}",
            report(&text, &std::fs::read_to_string(new).unwrap())
        ),
        Err(_) => println!(
            "{name}: {} is new. Run this test without your change first, and it shows what differs.",
            new.display()
        ),
    }
}
