//! `cotangent`: the command line.

mod adbench;
mod devices;
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
    /// List the GPUs that programs can run on, the one first that is chosen where none is named.
    Devices(devices::Options),
    /// Show what the compiler makes of a program: kernels, what they take, memory, and why they are not fewer.
    Explain(explain::Options),
}

fn main() -> ExitCode {
    let Arguments { command } = Arguments::parse();
    match command {
        Command::Adbench { task } => adbench::run(task),
        Command::Devices(options) => devices::run(&options),
        Command::Explain(options) => explain::run(&options),
    }
}
