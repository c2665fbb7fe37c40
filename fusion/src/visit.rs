//! What steps of a schedule read and write.

use cotangent_core::schedule::{ArrayId, Body, Kernel, Output, Step, SymbolId};
use std::collections::BTreeSet;

/// The arrays that a body loads from, once per load.
pub(crate) fn reads(body: &Body) -> impl Iterator<Item = ArrayId> {
    body.reads()
}

/// What a step, with all that it contains, uses and makes.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    pub reads: BTreeSet<ArrayId>,
    pub writes: BTreeSet<ArrayId>,
    pub uses: BTreeSet<SymbolId>,
    pub defines: BTreeSet<SymbolId>,
}

impl Touched {
    /// By one step.
    pub fn by(step: &Step) -> Self {
        let mut touched = Self::default();
        touched.step(step);
        touched
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Scalars { body, defines } => {
                self.body(body);
                self.defines
                    .extend(defines.iter().map(|(symbol, _)| symbol));
            }
            Step::Check(check, _) => self.uses.extend(check.symbols()),
            Step::Kernel(kernel) => self.kernel(kernel),
            Step::If {
                cond,
                then_,
                else_,
                symbols,
                arrays,
            } => {
                self.uses.insert(*cond);
                then_.iter().chain(else_).for_each(|step| self.step(step));
                self.defines
                    .extend(symbols.iter().map(|(merged, ..)| merged));
                for (merged, from_then, from_else) in arrays {
                    self.writes.insert(*merged);
                    self.reads.extend([from_then, from_else]);
                }
            }
            Step::Strip(strip) => {
                self.uses.insert(strip.over);
                strip.kernels.iter().for_each(|kernel| self.kernel(kernel));
                self.writes.extend(strip.wholes());
                let inits = strip.totals.iter().flat_map(|total| &total.init);
                self.uses.extend(inits.flatten());
            }
        }
    }

    fn body(&mut self, body: &Body) {
        self.reads.extend(reads(body));
        self.uses.extend(body.symbols());
    }

    fn kernel(&mut self, kernel: &Kernel) {
        self.body(kernel.body());
        self.uses.extend(kernel.symbols());
        let outputs = kernel.outputs().iter();
        self.writes.extend(outputs.map(|output| output.array));
    }
}

/// Drops the instructions that no output needs.
pub(crate) fn prune(body: &mut Body, outputs: &mut [Output]) {
    body.prune(outputs.iter_mut().map(|output| &mut output.value));
}
