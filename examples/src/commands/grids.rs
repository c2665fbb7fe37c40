//! `mandelbrot`, `heat` and `newton`: grids, drawn as pixels.

use super::common::{Common, Report, Sides};
use clap::Args;
use cotangent_examples::error::Result;
use cotangent_examples::picture::write_png;
use cotangent_examples::{heat, mandelbrot, newton};

/// The Mandelbrot set on [-2, 1] × [-1, 1]: how many trips each point stays within the circle of radius 2.
///
/// Agrees where at most 0.1 % of the pixels have another number of trips than in plain Rust. Draws a PNG.
#[derive(Args)]
pub struct Mandelbrot {
    /// Pixels from left to right.
    #[arg(long, default_value_t = 800, value_parser = clap::value_parser!(u32).range(1..))]
    width: u32,
    /// Pixels from top to bottom.
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..))]
    height: u32,
    /// The most trips.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(i32).range(0..))]
    trips: i32,
    #[command(flatten)]
    common: Common,
}

impl Mandelbrot {
    pub fn run(&self) -> Result<Report> {
        let (width, height) = (self.width as usize, self.height as usize);
        let trips = self.trips;
        let picture = mandelbrot::Picture {
            width,
            height,
            trips,
        };
        let sides = Sides {
            compile: mandelbrot::program,
            run: |program: &_, device: &_| mandelbrot::run(program, device, picture),
            reference: || mandelbrot::reference(picture),
            difference: |f: &Vec<_>, e: &Vec<_>| mandelbrot::difference(f, e),
            tolerance: mandelbrot::TOLERANCE,
        };
        let title = format!("mandelbrot, {width} x {height} pixels, at most {trips} trips");
        let (found, _, report) = sides.compare(title, &self.common.open()?)?;
        if let Some(path) = &self.common.out {
            write_png(path, width, &mandelbrot::colours(&found, trips))?;
        }
        Ok(report)
    }
}

/// The heat equation on a plate with two hot discs.
///
/// Agrees where no temperature, from 0 to 1, differs by more than 1e-12 from that of plain Rust, which computes rows in
/// parallel on all processors. Draws a PNG.
#[derive(Args)]
pub struct Heat {
    /// Points from left to right.
    #[arg(long, default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..))]
    width: u32,
    /// Points from top to bottom.
    #[arg(long, default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..))]
    height: u32,
    /// The number of steps.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(i32).range(0..))]
    steps: i32,
    #[command(flatten)]
    common: Common,
}

impl Heat {
    pub fn run(&self) -> Result<Report> {
        let (width, height) = (self.width as usize, self.height as usize);
        let start = heat::start(width, height);
        let sides = Sides {
            compile: heat::program,
            run: |program: &_, device: &_| heat::run(program, device, &start, self.steps),
            reference: || heat::reference(&start, self.steps),
            difference: heat::difference,
            tolerance: heat::TOLERANCE,
        };
        let title = format!("heat, {width} x {height} points, {} steps", self.steps);
        let (found, _, report) = sides.compare(title, &self.common.open()?)?;
        if let Some(path) = &self.common.out {
            write_png(path, width, &heat::colours(&found))?;
        }
        Ok(report)
    }
}

/// Kepler's equation E − e·sin E = M by Newton's method, for a grid of anomalies M and eccentricities e.
///
/// Agrees where no residual and no difference from plain Rust, times the slope, is more than 2e-12. Draws a PNG of the numbers of
/// trips, eccentricities from 0 (top) to below 1 (bottom).
#[derive(Args)]
pub struct Newton {
    /// Anomalies, from left to right.
    #[arg(long, default_value_t = 800, value_parser = clap::value_parser!(u32).range(1..))]
    width: u32,
    /// Eccentricities, from top to bottom.
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..))]
    height: u32,
    #[command(flatten)]
    common: Common,
}

impl Newton {
    pub fn run(&self) -> Result<Report> {
        let (width, height) = (self.width as usize, self.height as usize);
        let grid = newton::Grid {
            anomalies: width,
            eccentricities: height,
        };
        let sides = Sides {
            compile: newton::program,
            run: |program: &_, device: &_| newton::run(program, device, grid),
            reference: || newton::reference(grid),
            difference: |f: &Vec<_>, e: &Vec<_>| newton::difference(grid, f, e),
            tolerance: newton::TOLERANCE,
        };
        let title = format!("newton, {width} anomalies x {height} eccentricities");
        let (found, _, mut report) = sides.compare(title, &self.common.open()?)?;
        let most = found.iter().map(|solution| solution.1).max();
        report.line("most trips", most.unwrap_or(0).to_string());
        if let Some(path) = &self.common.out {
            write_png(path, width, &newton::colours(&found))?;
        }
        Ok(report)
    }
}
