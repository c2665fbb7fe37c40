//! `cotangent`: the command line.

mod adbench;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// A functional array language with automatic differentiation.
#[derive(Parser)]
#[command(name = "cotangent", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a task of the ADBench suite: objective, derivative, timings and a check against plain Rust.
    Adbench {
        #[command(subcommand)]
        task: adbench::Task,
    },
}

fn main() -> ExitCode {
    let Arguments { command } = Arguments::parse();
    match command {
        Command::Adbench { task } => adbench::run(task),
    }
}
