//! The Rust files of the workspace.

use std::path::{Path, PathBuf};

/// One source file.
pub struct Source {
    /// Its path, relative to the root.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

impl Source {
    /// Whether the file holds tests, benchmarks or examples rather than the product.
    pub fn is_test(&self) -> bool {
        let name_is = |name: &str| self.path.file_name().is_some_and(|n| n == name);
        let under = |part: &str| self.path.components().any(|c| c.as_os_str() == part);
        name_is("tests.rs") || under("tests") || under("benches") || under("examples")
    }
}

/// All Rust files below `root`, in order of their paths; build outputs and hidden folders left out.
///
/// # Errors
/// Where a file or folder cannot be read.
pub fn files(root: &Path) -> std::io::Result<Vec<Source>> {
    let (mut found, mut folders) = (vec![], vec![root.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if name.ends_with(".rs") {
                let text = std::fs::read_to_string(&path)?;
                let path = path.strip_prefix(root).unwrap_or(&path).to_path_buf();
                found.push(Source { path, text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}
