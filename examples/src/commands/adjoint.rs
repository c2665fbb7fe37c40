//! `adjoint`: a gradient through many steps.

use super::common::{Common, Report, Sides, no_picture, time};
use clap::Args;
use cotangent::prelude::Checkpoints;
use cotangent_examples::adjoint;
use cotangent_examples::error::Result;

/// The numbers of states that are kept.
const SLOTS: [(&str, u32); 5] = [
    ("100 states", 100),
    ("30 states", 30),
    ("10 states", 10),
    ("5 states", 5),
    ("3 states", 3),
];

/// How much what grows and spreads on a ring of cells depends on where it was: the gradient, with all states kept and with fewer.
///
/// Agrees where no derivative differs by more than 1e-9 of the largest. Prints what keeping fewer states costs. Draws nothing.
#[derive(Args)]
pub struct Adjoint {
    /// The number of cells.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    cells: u32,
    /// The number of steps.
    #[arg(long, default_value_t = 1000)]
    steps: i32,
    #[command(flatten)]
    common: Common,
}

impl Adjoint {
    pub fn run(&self) -> Result<Report> {
        no_picture(&self.common)?;
        let device = self.common.open()?;
        let task = adjoint::task(self.cells as usize, self.steps);
        let sides = Sides {
            compile: || adjoint::program(Checkpoints::StoreAll),
            run: |program: &_, device: &_| adjoint::run(program, device, &task),
            reference: || adjoint::reference(&task),
            difference: adjoint::difference,
            tolerance: adjoint::TOLERANCE,
        };
        let title = format!("adjoint, {} cells, {} steps", self.cells, self.steps);
        let (_, expected, mut report) = sides.compare(title, &device)?;
        let kept = SLOTS.map(|(name, slots)| (name, Checkpoints::Slots(slots)));
        for (name, checkpoints) in [("all states", Checkpoints::StoreAll)]
            .into_iter()
            .chain(kept)
        {
            let program = adjoint::program(checkpoints)?;
            let found = adjoint::run(&program, &device, &task)?;
            let apart = adjoint::difference(&found, &expected);
            report.agrees &= apart <= adjoint::TOLERANCE;
            let (taken, measures) = adjoint::measured(&program, &device, &task)?;
            let memory = measures.peak_bytes as f64 / 1e3;
            let line = format!(
                "{}, {memory:.1} kB at most, difference {apart:.1e}",
                time(taken)
            );
            report.line(name, line);
        }
        Ok(report)
    }
}
