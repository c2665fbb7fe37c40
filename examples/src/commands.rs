//! The subcommands: options, and what is printed and drawn for each example.

mod common;
mod grids;
mod motion;

use clap::Subcommand;
pub use common::Report;
use cotangent_examples::error::Result;

/// The examples.
#[derive(Subcommand)]
pub enum Command {
    #[command(allow_negative_numbers = true)]
    Mandelbrot(grids::Mandelbrot),
    #[command(allow_negative_numbers = true)]
    Nbody(motion::Nbody),
    #[command(allow_negative_numbers = true)]
    Heat(grids::Heat),
}

impl Command {
    /// Runs the example.
    ///
    /// # Errors
    /// Where it could not be run.
    pub fn run(self) -> Result<Report> {
        match self {
            Self::Mandelbrot(example) => example.run(),
            Self::Nbody(example) => example.run(),
            Self::Heat(example) => example.run(),
        }
    }
}
