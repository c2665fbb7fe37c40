//! Texts that are compared with files in `tests/snapshots`.
//!
//! `COTANGENT_UPDATE=1` writes the files anew; their difference is then for the author to judge.

use cotangent_tests::lines::report;
use std::path::Path;

/// What is in the file of that name; nothing if there is none.
pub fn expected(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap_or_default()
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots"))
}

/// Compares with the file of that name, and shows the lines that differ.
#[track_caller]
pub fn snapshot(name: &str, found: &str) {
    if std::env::var_os("COTANGENT_UPDATE").is_some() {
        let path = folder().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, found).unwrap();
    }
    let expected = expected(name);
    assert!(
        expected == found,
        "{name} has changed; COTANGENT_UPDATE=1 accepts this:\n{}",
        report(&expected, found)
    );
}
