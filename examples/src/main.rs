//! `cotangent-examples`: runs examples of loops, each beside the same in plain Rust.
//!
//! Exit status: 0 if both agree, 1 if they do not, 2 if the example could not be run.

mod commands;

use clap::Parser;
use commands::{Command, Report};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// Examples of loops in cotangent: each runs a program, runs the same in plain Rust, says how long both took and whether
/// they agree, and can draw a picture.
#[derive(Parser)]
#[command(name = "cotangent-examples", version, arg_required_else_help = true, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// What `--help` ends with.
const EXAMPLES: &str = "\
Examples:
  cotangent-examples mandelbrot --out mandelbrot.png
  cotangent-examples nbody --systems 1000 --steps 1000 --threads 2
  cotangent-examples heat --width 256 --height 256 --device gpu

Each example has a help of its own, which says what it computes and when both sides agree.
Exit status: 0 if they agree, 1 if they do not, 2 if the example could not be run.";

fn main() -> ExitCode {
    let Arguments { command } = Arguments::parse();
    let printed = command.run().map(|report| (print(&report), report.agrees));
    match printed {
        Ok((Ok(()), true)) => ExitCode::SUCCESS,
        Ok((Ok(()), false)) => ExitCode::FAILURE,
        Ok((Err(error), _)) => fail(&error),
        Err(error) => fail(&error),
    }
}

/// Writes a report to standard output. A reader that has gone away is no error.
fn print(report: &Report) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match write!(out, "{report}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Says on standard error why there is no report, if anybody reads it.
fn fail(error: &dyn std::fmt::Display) -> ExitCode {
    let _nobody_listens = writeln!(std::io::stderr(), "error: {error}");
    ExitCode::from(2)
}
