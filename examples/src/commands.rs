//! The subcommands: options, and what is printed and drawn for each example.

mod adjoint;
mod clusters;
mod common;
mod grids;
mod linear;
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
    #[command(allow_negative_numbers = true)]
    Ode(motion::Ode),
    #[command(allow_negative_numbers = true)]
    Newton(grids::Newton),
    #[command(allow_negative_numbers = true)]
    Kmeans(clusters::Kmeans),
    #[command(allow_negative_numbers = true)]
    Pagerank(linear::Pagerank),
    #[command(allow_negative_numbers = true)]
    Cg(linear::Cg),
    #[command(allow_negative_numbers = true)]
    Adjoint(adjoint::Adjoint),
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
            Self::Ode(example) => example.run(),
            Self::Newton(example) => example.run(),
            Self::Kmeans(example) => example.run(),
            Self::Pagerank(example) => example.run(),
            Self::Cg(example) => example.run(),
            Self::Adjoint(example) => example.run(),
        }
    }
}
