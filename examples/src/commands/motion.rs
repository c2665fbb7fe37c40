//! `nbody`: things that move, drawn as curves.

use super::common::{Common, Report, Sides};
use clap::Args;
use cotangent_examples::device::Device;
use cotangent_examples::error::Result;
use cotangent_examples::nbody;
use cotangent_examples::picture::Plot;
use std::path::Path;

/// Sun and giant planets under their gravity, by the leapfrog method; many systems with slightly different starts, if asked for.
///
/// Agrees where the energy of no system differs by more than 1e-9 of it from that in plain Rust; that is so for up to some
/// thousands of steps. Draws an SVG of the orbits of the first system.
#[derive(Args)]
pub struct Nbody {
    /// The number of systems.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    systems: u32,
    /// The number of steps.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(i32).range(0..))]
    steps: i32,
    /// The time of one step, in years.
    #[arg(long, default_value_t = 0.01, value_name = "YEARS")]
    time: f64,
    /// How many places of each orbit are drawn.
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(i32).range(1..))]
    places: i32,
    #[command(flatten)]
    common: Common,
}

impl Nbody {
    pub fn run(&self) -> Result<Report> {
        let systems = nbody::systems(self.systems as usize);
        let (run, device) = (
            nbody::Run {
                steps: self.steps,
                time: self.time,
            },
            self.common.open()?,
        );
        let sides = Sides {
            compile: nbody::program,
            run: |program: &_, device: &_| nbody::run(program, device, &systems, run),
            reference: || nbody::reference(&systems, run),
            difference: |f: &Vec<_>, e: &Vec<_>| nbody::difference(f, e),
            tolerance: nbody::TOLERANCE,
        };
        let title = format!(
            "nbody, {} systems, {} steps of {} years",
            self.systems, self.steps, self.time
        );
        let (found, _, mut report) = sides.compare(title, &device)?;
        let energies = systems.first().zip(found.first());
        let energies = energies.map(|(start, end)| [start, end].map(nbody::energy));
        if let Some([before, after]) = energies {
            report.line("energy before", format!("{before:.9}"));
            report.line("energy after", format!("{after:.9}"));
        }
        if let Some(path) = &self.common.out {
            self.draw(&device, path)?;
        }
        Ok(report)
    }

    /// Draws the orbits of the first system, by running the program from place to place.
    fn draw(&self, device: &Device, path: &Path) -> Result<()> {
        let steps = (self.steps / self.places).max(1);
        let places = self.steps / steps;
        let orbits = nbody::orbits(
            device,
            nbody::Run {
                steps,
                time: self.time,
            },
            places,
        )?;
        let mut plot = Plot::new();
        for (body, orbit) in orbits.into_iter().enumerate() {
            plot.dots(body, 4.0, orbit.last().copied().into_iter().collect());
            plot.curve(body, orbit);
        }
        plot.write(path)
    }
}
