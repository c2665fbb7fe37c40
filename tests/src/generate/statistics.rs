//! What is generated, in figures.

use super::Case;
use crate::engines::Reference;
use cotangent_core::check::check;
use cotangent_core::interp;
use cotangent_core::prim::ALL;
use cotangent_core::term::{AccBlock, AccOp, Combine, ExpOp, Labelled, Move};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The constructs other than primitives and moves, as [`Statistics`] calls them.
const CONSTRUCTS: [&str; 32] = [
    "use",
    "generate",
    "map",
    "zip_with",
    "fold",
    "fold1",
    "fold_segments",
    "scanl",
    "scanr",
    "scanl1",
    "scanr1",
    "permute add",
    "permute overwrite",
    "unpack",
    "append",
    "argsort",
    "argsort_descending",
    "acond",
    "gradient_a",
    "jvp_a",
    "custom_jvp",
    "custom_vjp",
    "custom_rules",
    "loop_a",
    "const",
    "index",
    "extent",
    "cond",
    "gradient_e",
    "jvp_e",
    "with_partials",
    "loop",
];

/// Figures about some cases.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    sizes: Vec<usize>,
    containing: BTreeMap<String, usize>,
    ill_typed: usize,
    failing: usize,
    needed: usize,
    not_needed: usize,
    non_empty: usize,
}

impl Statistics {
    /// Looks at some cases; runs each in the interpreter.
    pub fn of(cases: impl IntoIterator<Item = Case>) -> Self {
        let mut statistics = Self::default();
        cases.into_iter().for_each(|case| statistics.add(&case));
        statistics.sizes.sort_unstable();
        statistics
    }

    fn add(&mut self, case: &Case) {
        let mut nodes = Nodes::default();
        nodes.acc_block(&case.program.body);
        self.sizes.push(nodes.count);
        for name in nodes.names {
            *self.containing.entry(name).or_default() += 1;
        }
        if check(&case.program).is_err() {
            self.ill_typed += 1;
            return;
        }
        match interp::run(&case.program, &case.inputs) {
            Ok(results) => {
                let filled = results.iter().filter(|r| !r.column().is_empty()).count();
                self.non_empty += usize::from(2 * filled > results.len());
            }
            Err(_) => self.add_failing(case),
        }
    }

    fn add_failing(&mut self, case: &Case) {
        self.failing += 1;
        match Reference::of(case) {
            Reference::Values(..) | Reference::Unknown(_) => {}
            Reference::Failure(_) => self.needed += 1,
            Reference::Either { .. } => self.not_needed += 1,
        }
    }

    /// The number of operations, of arrays and of scalars, of the median program.
    pub fn median_nodes(&self) -> usize {
        self.sizes
            .get(self.sizes.len() / 2)
            .copied()
            .unwrap_or_default()
    }

    /// The share of programs that fail in the interpreter.
    pub fn failing(&self) -> f64 {
        self.share(self.failing)
    }

    /// The share of programs that fail in every engine, as a result needs what fails.
    pub fn needed(&self) -> f64 {
        self.share(self.needed)
    }

    /// The share of programs that fail in the interpreter, although no result needs what fails.
    pub fn not_needed(&self) -> f64 {
        self.share(self.not_needed)
    }

    /// The share of programs that break a rule of the language.
    pub fn ill_typed(&self) -> f64 {
        self.share(self.ill_typed)
    }

    /// The share, among the programs that run, of those most of whose results have elements.
    pub fn non_empty(&self) -> f64 {
        let running = self.sizes.len() - self.failing - self.ill_typed;
        self.non_empty as f64 / running.max(1) as f64
    }

    /// The share of programs that contain each construct, primitives included, rarest first.
    pub fn constructs(&self) -> Vec<(String, f64)> {
        let prims = ALL.iter().map(|p| p.name());
        let moves = Move::forms((), ()).into_iter().map(|how| how.name());
        let constructs = CONSTRUCTS.into_iter().chain(moves);
        let names = constructs.map(str::to_owned).chain(prims);
        let share = |name: String| {
            let count = self.containing.get(&name).copied().unwrap_or_default();
            (name, self.share(count))
        };
        let mut shares: Vec<_> = names.map(share).collect();
        shares.sort_by(|x, y| x.1.total_cmp(&y.1));
        shares
    }

    fn share(&self, count: usize) -> f64 {
        count as f64 / self.sizes.len().max(1) as f64
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        writeln!(f, "programs: {}", self.sizes.len())?;
        writeln!(f, "median nodes: {}", self.median_nodes())?;
        writeln!(
            f,
            "largest: {}",
            self.sizes.last().copied().unwrap_or_default()
        )?;
        writeln!(f, "ill-typed: {}", percent(self.ill_typed()))?;
        writeln!(
            f,
            "failing: {} (needed: {}, not needed: {})",
            percent(self.failing()),
            percent(self.needed()),
            percent(self.not_needed())
        )?;
        writeln!(
            f,
            "with elements in most results: {}",
            percent(self.non_empty())
        )?;
        for (name, share) in self.constructs() {
            writeln!(f, "  {name}: {}", percent(share))?;
        }
        Ok(())
    }
}

/// The operations of a program.
#[derive(Default)]
struct Nodes {
    count: usize,
    names: BTreeSet<String>,
}

impl Nodes {
    fn note(&mut self, name: impl Into<String>) {
        self.count += 1;
        self.names.insert(name.into());
    }

    fn acc_block(&mut self, block: &AccBlock<Labelled>) {
        for let_ in block.all_lets() {
            self.note(acc_name(&let_.op));
            for fun in let_.op.funs() {
                let lets = fun.body.all_lets();
                lets.for_each(|let_| self.note(exp_name(&let_.op)));
            }
        }
    }
}

fn acc_name(op: &AccOp<Labelled>) -> &'static str {
    if let AccOp::Permute { combine, .. } = op {
        return match combine {
            Combine::Add => "permute add",
            Combine::Overwrite => "permute overwrite",
        };
    }
    op.name()
}

fn exp_name(op: &ExpOp<Labelled>) -> String {
    match op.as_const() {
        Some(_) => "const".to_owned(),
        None => op.name(),
    }
}
