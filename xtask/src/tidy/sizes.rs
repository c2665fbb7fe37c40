//! That nothing large is kept in the repository: who clones it gets all of its history.

use std::path::Path;
use std::process::Command;

/// More than any text of this project has.
const MOST_BYTES: u64 = 512 * 1024;

/// The files that git knows, or is about to, and that are too large; none where there is no git.
pub(super) fn findings(root: &Path) -> Vec<String> {
    let listed = Command::new("git")
        .arg("ls-files")
        .arg("-z")
        .current_dir(root)
        .output();
    let names = listed.map(|listed| String::from_utf8_lossy(&listed.stdout).into_owned());
    let names = names.unwrap_or_default();
    let names = names.split('\0').filter(|name| !name.is_empty());
    names
        .filter_map(|name| finding(name, bytes(&root.join(name))))
        .collect()
}

/// The size of a file, 0 of one that is deleted.
fn bytes(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

fn finding(name: &str, bytes: u64) -> Option<String> {
    let problem = || format!("{name}: {bytes} bytes, at most {MOST_BYTES} in a repository");
    (bytes > MOST_BYTES).then(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_are_found() {
        assert_eq!(finding("a.md", MOST_BYTES), None);
        let found = finding("a.whl", MOST_BYTES + 1).unwrap();
        assert!(found.starts_with("a.whl: 524289 bytes"), "{found}");
    }

    #[test]
    fn files_of_this_repository_are_small() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert_eq!(findings(&root), Vec::<String>::new());
    }
}
