//! `kmeans`: clusters, drawn as dots.

use super::common::{Common, Report, Sides};
use clap::Args;
use cotangent_examples::error::Result;
use cotangent_examples::kmeans::{self, Clusters, Point, Task};
use cotangent_examples::picture::Plot;
use std::path::Path;

/// The most points that are drawn.
const DRAWN: usize = 10_000;

/// Clusters of points in the plane by Lloyd's method, until no point changes its centre.
///
/// Agrees where trips are as many as in plain Rust, and no coordinate of a centre differs by more than 1e-9. Draws an SVG of up to
/// 10,000 points and the centres.
#[derive(Args)]
pub struct Kmeans {
    /// The number of points.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    points: u32,
    /// The number of centres; no more than points.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    centres: u32,
    /// What random numbers begin with.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    common: Common,
}

impl Kmeans {
    pub fn run(&self) -> Result<Report> {
        let task = kmeans::task(self.points as usize, self.centres as usize, self.seed);
        let sides = Sides {
            compile: kmeans::program,
            run: |program: &_, device: &_| kmeans::run(program, device, &task),
            reference: || kmeans::reference(&task),
            difference: kmeans::difference,
            tolerance: kmeans::TOLERANCE,
        };
        let title = format!(
            "kmeans, {} points, {} centres",
            self.points,
            task.centres.len()
        );
        let (found, expected, mut report) = sides.compare(title, &self.common.open()?)?;
        let trips = format!("{}, in plain Rust {}", found.trips, expected.trips);
        report.line("trips", trips);
        if let Some(path) = &self.common.out {
            draw(&task, &found, path)?;
        }
        Ok(report)
    }
}

/// Draws the points of each centre in one colour, and the centres larger.
fn draw(task: &Task, found: &Clusters, path: &Path) -> Result<()> {
    let mut plot = Plot::new();
    let apart = task.points.len().div_ceil(DRAWN);
    for (colour, (owner, centre)) in (0..).zip(&found.centres).enumerate() {
        let points = task.points.iter().zip(&found.owners).step_by(apart);
        let own = points
            .filter(|(_, of)| **of == owner)
            .map(|(&point, _)| point);
        plot.dots(colour, 1.0, own.collect::<Vec<Point>>());
        plot.dots(colour + 1, 6.0, vec![*centre]);
    }
    plot.write(path)
}
