//! The gradient of GMM by JAX and by PyTorch, on the same device, from arrays that stay there. Ratios are
//! cotangent ÷ peer: below 1, cotangent is faster.

use super::Bench;
use super::models::Gradient;
use super::report::{Name, line};
use crate::Failure;
use crate::peer::{Folder, Measured, gmm_numbers, measure as run};
use crate::python;
use cotangent_adbench::compare::max_difference;
use cotangent_adbench::gmm::GmmInput;
use std::path::Path;
use std::process::Command;

const SECTION: &str = "peers";

struct Peer {
    name: &'static str,
    module: &'static str,
    script: &'static str,
    requirements: &'static str,
}

const PEERS: [Peer; 2] = [
    Peer {
        name: "JAX",
        module: "jax",
        script: concat!(env!("CARGO_MANIFEST_DIR"), "/jax/gmm.py"),
        requirements: "benches/jax/requirements.txt",
    },
    Peer {
        name: "PyTorch",
        module: "torch",
        script: concat!(env!("CARGO_MANIFEST_DIR"), "/torch/gmm.py"),
        requirements: "benches/torch/requirements.txt",
    },
];

/// Compares gradients with those of the peers that python has.
pub fn measure(bench: &Bench, gradients: &[Gradient]) {
    if gradients.is_empty() {
        return;
    }
    let Some(python) = &bench.options.python else {
        line("\npeers: skipped, since no python with JAX or PyTorch is given by --python");
        return;
    };
    for peer in &PEERS {
        match python::has(python, peer.module) {
            Ok(()) => peer.table(bench, python, gradients),
            Err(error) => line(&format!(
                "\n{}: skipped, since {error} (pip install -r {})",
                peer.name, peer.requirements
            )),
        }
    }
}

impl Peer {
    fn table(&self, bench: &Bench, python: &Path, gradients: &[Gradient]) {
        line(&format!(
            "\n{SECTION}: cotangent, resident, and {}; ratios are cotangent / {}\n{:<26} {:>10} {:>10}  {:>10} {:>10}  {:>7} {:>7}  {:>8}",
            self.name,
            self.name,
            "case",
            "ours F",
            "J",
            "peer F",
            "J",
            "F ratio",
            "J ratio",
            "max diff"
        ));
        let mut remarks = vec![];
        for ours in gradients {
            let case = format!("{} {}", self.name, ours.name.case);
            let name = Name::new(SECTION, case, ours.name.ty);
            // What selects a gradient selects its peers.
            let peer = self.run(bench, python, ours);
            match peer {
                Ok(peer) => {
                    self.compare(bench, (&name, ours), &peer);
                    remarks.push(peer.remarks);
                }
                // A python without drivers for this device is none of our failures.
                Err(error) => {
                    let said = error.to_string();
                    let last = said.trim().lines().last().unwrap_or_default();
                    line(&format!("{name}: not measured: {last}"));
                }
            }
        }
        remarks.dedup();
        remarks.iter().for_each(|said| line(said.trim()));
    }

    fn run(&self, bench: &Bench, python: &Path, ours: &Gradient) -> Result<Measured, Failure> {
        let [n, d, k] = ours.sizes;
        let input = GmmInput::generate(n, d, k, 1)?;
        let on_cpu = bench.gpu.info().is_software();
        let mut command = Command::new(python);
        command.arg(self.script);
        command.args(["--device", if on_cpu { "cpu" } else { "gpu" }]);
        command.args(["--precision", ours.name.ty]);
        // The other process has memory on the device, too.
        command.env("XLA_PYTHON_CLIENT_PREALLOCATE", "false");
        if on_cpu {
            python::keep_memory(&mut command, None);
        }
        let (folder, numbers) = (Folder::create()?, gmm_numbers(&input));
        let seconds = bench.options.seconds;
        Ok(run(command, &folder, numbers, bench.threads, seconds)?)
    }

    fn compare(&self, bench: &Bench, (name, ours): (&Name, &Gradient), peer: &Measured) {
        let (gradient, peers) = (ours.gradient.values.iter(), peer.values.iter());
        let difference = max_difference(gradient.copied(), peers.copied());
        let times = [ours.objective.resident, ours.gradient.resident];
        let ratios = [times[0] / peer.primal, times[1] / peer.derivative];
        let quantities = [
            ("objective", peer.primal),
            ("gradient", peer.derivative),
            ("objective ratio", ratios[0]),
            ("gradient ratio", ratios[1]),
            ("difference", difference),
        ];
        bench.csv.borrow_mut().record(name, &quantities);
        line(&format!(
            "{:<26} {:>10.3} {:>10.3}  {:>10.3} {:>10.3}  {:>7.3} {:>7.3}  {difference:>8.1e}",
            format!("{} {}", ours.name.case, name.ty),
            times[0] * 1e3,
            times[1] * 1e3,
            peer.primal * 1e3,
            peer.derivative * 1e3,
            ratios[0],
            ratios[1],
        ));
        bench.check(name, difference, ours.tolerance);
    }
}
