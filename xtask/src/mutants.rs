//! `cargo xtask mutants`: plants bugs, one at a time, and shows that the tests see each.
//!
//! Each mutant is one replacement in one file, and the package whose tests must fail with it. The tree is copied to
//! `target/mutants/tree`, so that the working tree is never touched. A mutant that does not apply, or
//! does not compile, is an error of the list, not a bug that was seen.

mod algebra;
mod derivatives;
mod entries;
mod integers;
mod layers;
mod list;
mod loops;
mod native;
mod sequences;
mod sorts;
mod surface;
mod trips;
mod updates;

use algebra::ALGEBRA;
use derivatives::DERIVATIVES;
use entries::ENTRIES;
use integers::INTEGERS;
use layers::LAYERS;
use list::{MUTANTS, Mutant};
use loops::LOOPS;
use native::NATIVE;
use sequences::SEQUENCES;
use sorts::SORTS;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use surface::SURFACE;
use trips::TRIPS;
use updates::UPDATES;

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Some test failed.
    Seen,
    /// All tests passed: the suite has a hole.
    Missed,
    /// The text to replace does not occur exactly once.
    DoesNotApply,
    /// The mutant does not compile.
    DoesNotCompile,
}

/// All planted bugs.
fn all() -> impl Iterator<Item = &'static Mutant> {
    let first = MUTANTS.iter().chain(DERIVATIVES).chain(LAYERS);
    let loops = LOOPS
        .iter()
        .chain(TRIPS)
        .chain(ENTRIES)
        .chain(INTEGERS)
        .chain(SEQUENCES)
        .chain(SURFACE)
        .chain(SORTS)
        .chain(UPDATES);
    first.chain(loops).chain(NATIVE).chain(ALGEBRA)
}

/// Runs the mutants whose names contain `only`; prints what becomes of each.
pub fn run(root: &Path, only: Option<&str>, list: bool) -> ExitCode {
    let chosen = all().filter(|m| only.is_none_or(|part| m.name.contains(part)));
    if list {
        chosen.for_each(|m| println!("{:32} {}", m.name, m.file));
        return ExitCode::SUCCESS;
    }
    match chosen
        .map(|m| try_mutant(root, m))
        .collect::<io::Result<Vec<_>>>()
    {
        Ok(outcomes) => summary(&outcomes),
        Err(error) => {
            eprintln!("mutants: {error}");
            ExitCode::FAILURE
        }
    }
}

fn summary(outcomes: &[Outcome]) -> ExitCode {
    let seen = outcomes.iter().filter(|&&o| o == Outcome::Seen).count();
    println!("{seen} of {} mutants seen", outcomes.len());
    if seen == outcomes.len() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn try_mutant(root: &Path, mutant: &Mutant) -> io::Result<Outcome> {
    let tree = root.join("target/mutants/tree");
    copy_tree(root, &tree)?;
    let outcome = plant_and_test(&tree, mutant)?;
    println!("{:32} {outcome:?}", mutant.name);
    Ok(outcome)
}

fn plant_and_test(tree: &Path, mutant: &Mutant) -> io::Result<Outcome> {
    let file = tree.join(mutant.file);
    let text = std::fs::read_to_string(&file)?;
    if text.matches(mutant.find).count() != 1 {
        return Ok(Outcome::DoesNotApply);
    }
    std::fs::write(&file, text.replacen(mutant.find, mutant.replace, 1))?;
    let package = ["--package", mutant.package];
    if !cargo(tree, &["test", "--no-run"], package)? {
        return Ok(Outcome::DoesNotCompile);
    }
    let passed = cargo(tree, &["test"], package)?;
    Ok(if passed {
        Outcome::Missed
    } else {
        Outcome::Seen
    })
}

/// Whether `cargo` succeeds in the copy, which has a target folder of its own that all mutants share.
fn cargo(tree: &Path, command: &[&str], package: [&str; 2]) -> io::Result<bool> {
    let status = Command::new("cargo")
        .args(command)
        .args(package)
        .current_dir(tree)
        .env("CARGO_TARGET_DIR", tree.with_file_name("target"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    Ok(status.success())
}

/// Copies what git tracks; files that have not changed keep their time, so that cargo need not rebuild.
fn copy_tree(root: &Path, tree: &Path) -> io::Result<()> {
    let listed = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root)
        .output()?;
    for name in String::from_utf8_lossy(&listed.stdout)
        .split('\0')
        .filter(|n| !n.is_empty())
    {
        let (from, to) = (root.join(name), tree.join(name));
        let (Ok(new), old) = (std::fs::read(&from), std::fs::read(&to).unwrap_or_default()) else {
            continue;
        };
        if new != old || !to.exists() {
            std::fs::create_dir_all(to.parent().unwrap_or(tree))?;
            std::fs::write(to, new)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::all;
    use std::path::Path;

    /// The list must keep up with the code that it changes.
    #[test]
    fn every_mutant_applies() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for mutant in all() {
            let text = std::fs::read_to_string(root.join(mutant.file)).unwrap();
            let count = text.matches(mutant.find).count();
            assert_eq!(
                count, 1,
                "{}: found {count} times in {}",
                mutant.name, mutant.file
            );
            assert_ne!(mutant.find, mutant.replace, "{}", mutant.name);
        }
    }
}
