//! `cargo xtask`: checks of the source tree that no standard tool makes.

mod crates;
mod miri;
mod mutants;
mod pages;
mod reference;
mod source;
mod tidy;

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;

/// Checks of the source tree that no standard tool makes.
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum Command {
    /// Lengths of files and functions, module headers, forbidden crate edges, leftovers, reasons of unsafe code.
    Tidy,
    /// Runs tests of unsafe code in Miri, with the nightly toolchain.
    Miri {
        /// Only tests whose names contain this, slow ones included.
        #[arg(long)]
        only: Option<String>,
    },
    /// After `cargo doc`: that what the facade re-exports has pages in its own documentation.
    Pages,
    /// Writes `docs/reference.md` from the documentation of the operations.
    Reference {
        /// Only say whether it is up to date.
        #[arg(long)]
        check: bool,
    },
    /// Plants each listed bug in a copy of the tree and shows that the tests see it.
    Mutants {
        /// Only mutants whose name contains this.
        #[arg(long)]
        only: Option<String>,
        /// Print the list and stop.
        #[arg(long)]
        list: bool,
    },
}

fn main() -> ExitCode {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    match Command::parse() {
        Command::Tidy => tidy::run(&root),
        Command::Miri { only } => miri::run(&root, only.as_deref()),
        Command::Pages => pages::run(&root),
        Command::Reference { check } => reference::run(&root, check),
        Command::Mutants { only, list } => mutants::run(&root, only.as_deref(), list),
    }
}
