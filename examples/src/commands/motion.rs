//! `nbody` and `ode`: things that move, drawn as curves.

use super::common::{Common, Report, Sides};
use clap::Args;
use cotangent_examples::device::Device;
use cotangent_examples::error::Result;
use cotangent_examples::picture::Plot;
use cotangent_examples::{nbody, ode};
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

/// Hares and foxes by the equations of Lotka and Volterra, by the classic method of Runge and Kutta, from many starts.
///
/// Agrees where no number of animals differs by more than 1e-9 of it from that in plain Rust. Draws an SVG of both numbers of the
/// first start over time.
#[derive(Args)]
pub struct Ode {
    /// The number of starts.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    starts: u32,
    /// The number of steps.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(i32).range(0..))]
    steps: i32,
    /// The time of one step.
    #[arg(long, default_value_t = 0.05)]
    time: f64,
    /// How many places of the curves are drawn.
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(i32).range(1..))]
    places: i32,
    #[command(flatten)]
    common: Common,
}

impl Ode {
    pub fn run(&self) -> Result<Report> {
        let starts = ode::starts(self.starts as usize);
        let run = ode::Run {
            steps: self.steps,
            time: self.time,
        };
        let device = self.common.open()?;
        let sides = Sides {
            compile: ode::program,
            run: |program: &_, device: &_| ode::run(program, device, &starts, run),
            reference: || ode::reference(&starts, run),
            difference: |f: &Vec<_>, e: &Vec<_>| ode::difference(f, e),
            tolerance: ode::TOLERANCE,
        };
        let title = format!(
            "ode, {} starts, {} steps of {}",
            self.starts, self.steps, self.time
        );
        let (_, _, report) = sides.compare(title, &device)?;
        if let (Some(path), Some(&start)) = (&self.common.out, starts.first()) {
            self.draw(&device, start, path)?;
        }
        Ok(report)
    }

    /// Draws hares and foxes over time.
    fn draw(&self, device: &Device, start: ode::State, path: &Path) -> Result<()> {
        let steps = (self.steps / self.places).max(1);
        let each = ode::Run {
            steps,
            time: self.time,
        };
        let curve = ode::curve(device, start, each, self.steps / steps)?;
        let time = |place: usize| place as f64 * f64::from(steps) * self.time;
        let over_time = |of: fn(&ode::State) -> f64| {
            let places = curve.iter().enumerate();
            places
                .map(|(place, state)| (time(place), of(state)))
                .collect()
        };
        let mut plot = Plot::stretched();
        plot.curve(1, over_time(|state| state.0));
        plot.curve(0, over_time(|state| state.1));
        plot.write(path)
    }
}
