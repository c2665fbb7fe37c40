//! `pagerank` and `cg`: matrices times vectors, until that does not change much.

use super::common::{Common, Report, Sides, no_picture};
use clap::{Args, ValueEnum};
use cotangent_examples::cg::{self, Solution};
use cotangent_examples::device::Device;
use cotangent_examples::error::Result;
use cotangent_examples::pagerank;

/// How important the pages of a random web are, by the power method, until ranks change by no more than 1e-10 in sum.
///
/// Agrees where trips are as many as in plain Rust, and no rank differs by more than 1e-12. Draws nothing.
#[derive(Args)]
pub struct Pagerank {
    /// The number of pages.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    pages: u32,
    /// The most links of a page.
    #[arg(long, default_value_t = 20)]
    links: u32,
    /// What random numbers begin with.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    common: Common,
}

impl Pagerank {
    pub fn run(&self) -> Result<Report> {
        no_picture(&self.common)?;
        let task = pagerank::task(self.pages as usize, self.links as usize, self.seed)?;
        let sides = Sides {
            compile: pagerank::program,
            run: |program: &_, device: &_| pagerank::run(program, device, &task),
            reference: || pagerank::reference(&task),
            difference: pagerank::difference,
            tolerance: pagerank::TOLERANCE,
        };
        let links = task.links.columns.len();
        let title = format!("pagerank, {} pages, {links} links", self.pages);
        let (found, expected, mut report) = sides.compare(title, &self.common.open()?)?;
        let trips = format!("{}, in plain Rust {}", found.trips, expected.trips);
        report.line("trips", trips);
        Ok(report)
    }
}

/// A linear system by conjugate gradients, to a residual of 1e-9 of the right side.
///
/// Agrees where the residual of both solutions is at most 1e-8 of the right side. Draws nothing.
#[derive(Args)]
pub struct Cg {
    /// Which matrix.
    #[arg(long, value_enum, default_value_t = Matrix::Sparse)]
    matrix: Matrix,
    /// The number of rows of a dense matrix, or the side of the grid of a sparse one.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    size: u32,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, ValueEnum)]
enum Matrix {
    /// Distances of positions, all of them.
    Dense,
    /// The Laplacian of a square grid with five points, by rows.
    Sparse,
}

impl Cg {
    pub fn run(&self) -> Result<Report> {
        no_picture(&self.common)?;
        let device = self.common.open()?;
        let (found, expected, mut report) = match self.matrix {
            Matrix::Dense => self.dense(&device),
            Matrix::Sparse => self.sparse(&device),
        }?;
        let trips = format!("{}, in plain Rust {}", found.trips, expected.trips);
        report.line("trips", trips);
        Ok(report)
    }

    fn dense(&self, device: &Device) -> Result<(Solution, Solution, Report)> {
        let task = cg::dense_task(self.size as usize);
        let sides = Sides {
            compile: cg::dense,
            run: |program: &_, device: &_| cg::run_dense(program, device, &task),
            reference: || cg::reference(&task),
            difference: |f: &_, e: &_| cg::residual(&task, f).max(cg::residual(&task, e)),
            tolerance: cg::TOLERANCE,
        };
        sides.compare(format!("cg, dense, {} rows", self.size), device)
    }

    fn sparse(&self, device: &Device) -> Result<(Solution, Solution, Report)> {
        let task = cg::laplace_task(self.size as usize)?;
        let sides = Sides {
            compile: cg::sparse,
            run: |program: &_, device: &_| cg::run_sparse(program, device, &task),
            reference: || cg::reference(&task),
            difference: |f: &_, e: &_| cg::residual(&task, f).max(cg::residual(&task, e)),
            tolerance: cg::TOLERANCE,
        };
        let side = self.size;
        sides.compare(
            format!("cg, sparse, a grid of {side} x {side} points"),
            device,
        )
    }
}
