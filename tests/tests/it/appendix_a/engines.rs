//! The ways to run an erased program.

use cotangent_ad::differentiate;
use cotangent_backend_cpu::Cpu;
use cotangent_core::backend::Backend;
use cotangent_core::check::check;
use cotangent_core::host::HostArray;
use cotangent_core::interp;
use cotangent_core::label::label;
use cotangent_core::schedule::{self, Checked, Schedule};
use cotangent_core::simplify::simplify;
use cotangent_core::term::{DeBruijn, Labelled, Program};
use cotangent_fusion::Options;

/// An engine by its name.
type Engine = (
    &'static str,
    fn(&Program<DeBruijn>, &[HostArray]) -> Vec<HostArray>,
);

/// Everything that runs programs, but for the interpreter on the program as it is.
pub const ENGINES: [Engine; 4] = [
    ("interpreter after all passes", |program, inputs| {
        interp::run(&derived(program), inputs).unwrap()
    }),
    ("schedule without fusion", |program, inputs| {
        schedule::run::run(&scheduled(program, &Options::unfused()), inputs).unwrap()
    }),
    ("schedule", |program, inputs| {
        schedule::run::run(&scheduled(program, &Options::default()), inputs).unwrap()
    }),
    ("CPU", |program, inputs| {
        let cpu = Cpu::default();
        let executable = cpu
            .prepare(&scheduled(program, &Options::default()))
            .unwrap();
        cpu.run(&executable, inputs).unwrap()
    }),
];

/// The program without gradients, by AD alone.
pub fn derivative(program: &Program<DeBruijn>) -> Program<Labelled> {
    let derivative = differentiate(label(program)).unwrap();
    check(&derivative).unwrap();
    derivative
}

/// The program without gradients, simplified before and after.
fn derived(program: &Program<DeBruijn>) -> Program<Labelled> {
    let (simplified, _) = simplify(label(program));
    let (derived, _) = simplify(differentiate(simplified).unwrap());
    check(&derived).unwrap();
    derived
}

fn scheduled(program: &Program<DeBruijn>, options: &Options) -> Checked<Schedule> {
    let schedule = cotangent_fusion::schedule(&derived(program), options).unwrap();
    schedule::check::check(schedule).unwrap()
}
