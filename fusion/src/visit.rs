//! What steps of a schedule read and write.

use cotangent_core::schedule::{ArrayId, Body, Inst, Kernel, Op, Output, Step, SymbolId, ValueId};
use std::collections::BTreeSet;

/// The arrays that a body loads from, once per load.
pub(crate) fn reads(body: &Body) -> impl Iterator<Item = ArrayId> {
    body.loads().map(|load| load.array)
}

/// The symbols that a body uses.
pub(crate) fn symbols(body: &Body) -> impl Iterator<Item = SymbolId> {
    body.insts.iter().filter_map(|inst| match &inst.op {
        Op::Symbol(symbol) => Some(*symbol),
        Op::Const(_) | Op::Coord(_) | Op::Arg(_) | Op::Prim(..) | Op::Load(_) => None,
    })
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
        self.uses.extend(symbols(body));
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
    let roots: Vec<_> = outputs.iter().map(|output| output.value).collect();
    let needed = body.reachable(&roots);
    let mut kept = Body::default();
    let mut new = vec![ValueId(0); needed.len()];
    for (i, Inst { op, ty }) in body.insts.iter().enumerate() {
        if needed[i] {
            let op = op.renamed(&|v| new[v.index()]);
            new[i] = kept.push(op, *ty);
        }
    }
    for output in outputs {
        output.value = new[output.value.index()];
    }
    *body = kept;
}
