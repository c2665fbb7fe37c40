//! `cotangent`: the command line.

mod adbench;
mod explain;

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
    /// Show what the compiler makes of a program: kernels, what they take, memory, and why they are not fewer.
    Explain {
        #[command(subcommand)]
        program: explain::Task,
    },
}

fn main() -> ExitCode {
    let Arguments { command } = Arguments::parse();
    match command {
        Command::Adbench { task } => adbench::run(task),
        Command::Explain { program } => explain::run(&program),
    }
}
