//! `cargo xtask miri`: runs tests of unsafe code in Miri, which sees accesses out of bounds, of freed or uninitialised
//! memory, misaligned ones, and races.
//!
//! Miri has no vector instructions beyond the baseline, and is thousands of times as slow: what runs are unit tests of the
//! modules that hold the unsafe code ([`TESTS`]), on the baseline, which is what `Isa::detect` finds there.

use std::path::Path;
use std::process::{Command, ExitCode};

/// The package with the unsafe code.
const PACKAGE: &str = "cotangent-backend-cpu";
/// The tests, by the beginnings of their names.
const TESTS: &[&str] = &[
    "lanes::",
    "machine::",
    "memory::",
    "kernel::",
    "contract::",
    "tests::memory::",
    "tests::parts::",
    "tests::errors::",
];
/// Tests that take hours there, as they go through many sizes or values; and one that compares the bits of NaN, which Miri
/// chooses at random.
const SKIPPED: &[&str] = &[
    "math::",
    "::random",
    "deep",
    "large",
    "many",
    "twins_have_the_bits",
];
/// Tests read environment variables; threads of rayon's pool live until the process ends.
const FLAGS: &str = "-Zmiri-disable-isolation -Zmiri-ignore-leaks -Zmiri-tree-borrows";

/// Runs them, those whose names contain `only` if that is given.
pub fn run(root: &Path, only: Option<&str>) -> ExitCode {
    let installed = cargo(root).args(["miri", "--version"]).output();
    if !installed.is_ok_and(|output| output.status.success()) {
        eprintln!(
            "miri: there is no Miri here; `rustup toolchain install nightly --component miri --component rust-src` brings it"
        );
        return ExitCode::FAILURE;
    }
    let mut command = cargo(root);
    command.args(["miri", "test", "--package", PACKAGE, "--lib", "--"]);
    match only {
        Some(only) => command.arg(only),
        None => command.args(TESTS),
    };
    for skipped in SKIPPED {
        command.args(["--skip", skipped]);
    }
    match command.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("miri: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The nightly toolchain's cargo, with a target folder of its own.
fn cargo(root: &Path) -> Command {
    let mut command = Command::new("cargo");
    command
        .arg("+nightly")
        .current_dir(root)
        // Nobody is there to be asked whether parts of the toolchain may be installed.
        .env("CI", "true")
        // Set by the cargo that runs this, and of another toolchain.
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("CARGO")
        .env("CARGO_TARGET_DIR", root.join("target/miri"))
        .env("MIRIFLAGS", FLAGS);
    command
}
