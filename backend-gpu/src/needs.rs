//! Which symbols the host has to know: those that say how much is done, or whether. The device may keep all others to
//! itself, and nobody waits for them.

use cotangent_core::schedule::{Carried, Kernel, Layout, Repeat, Schedule, Step, Strip, SymbolId};

/// For each symbol, whether the host has to know it.
pub(crate) fn needed_by_host(schedule: &Schedule) -> Vec<bool> {
    let count = schedule.symbols.len();
    let mut needs = Needs {
        needed: vec![false; count],
        sources: vec![vec![]; count],
        open: vec![],
    };
    for array in &schedule.arrays {
        needs.host(array.extents.iter().copied());
        if let Layout::View { offset, .. } = array.layout {
            needs.host(offset.symbol);
        }
    }
    for list in schedule.lifetimes().lists {
        let steps = list.steps.iter();
        steps.for_each(|placed| needs.step(placed.step));
    }
    needs.close();
    needs.needed
}

struct Needs {
    needed: Vec<bool>,
    /// For each symbol, those that the host has to know, too, to compute it.
    sources: Vec<Vec<SymbolId>>,
    /// Symbols that are needed and whose sources were not looked at.
    open: Vec<SymbolId>,
}

impl Needs {
    /// The host needs these.
    fn host(&mut self, symbols: impl IntoIterator<Item = SymbolId>) {
        for symbol in symbols {
            if !std::mem::replace(&mut self.needed[symbol.index()], true) {
                self.open.push(symbol);
            }
        }
    }

    /// Adds what needed symbols are computed from.
    fn close(&mut self) {
        while let Some(symbol) = self.open.pop() {
            let sources = std::mem::take(&mut self.sources[symbol.index()]);
            self.host(sources);
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Scalars { body, defines } => {
                // The host evaluates all of it if it needs any of it: each symbol stands for the next.
                let defined = defines.iter().map(|&(symbol, _)| symbol);
                let next = defined.clone().cycle().skip(1);
                for (symbol, next) in defined.clone().zip(next) {
                    self.sources[symbol.index()].push(next);
                }
                if let Some(first) = defined.clone().next() {
                    self.sources[first.index()].extend(body.symbols());
                }
            }
            Step::Check(check, _) => self.host(check.symbols()),
            Step::Kernel(kernel) => self.kernel(kernel),
            Step::If {
                cond,
                then_: _,
                else_: _,
                symbols,
                arrays: _,
            } => {
                self.host([*cond]);
                for &(merged, then_, else_) in symbols {
                    self.sources[merged.index()].extend([then_, else_]);
                }
            }
            Step::Strip(strip) => self.strip(strip),
            Step::Repeat(repeat) => self.repeat(repeat),
        }
    }

    /// The host counts the trips.
    fn repeat(&mut self, repeat: &Repeat) {
        self.host([repeat.most, repeat.number, repeat.made]);
        self.host(repeat.test.iter().map(|&(_, holds)| holds));
        for carried in &repeat.symbols {
            let Carried {
                first,
                inside,
                next,
                last,
            } = *carried;
            self.host([first, inside, next, last]);
        }
    }

    fn kernel(&mut self, kernel: &Kernel) {
        self.host(kernel.space.iter().chain(kernel.inner()).copied());
    }

    fn strip(&mut self, strip: &Strip) {
        self.host([strip.over, strip.start, strip.len]);
        for total in &strip.totals {
            self.host(total.init.iter().flatten().copied());
        }
        strip.kernels.iter().for_each(|kernel| self.kernel(kernel));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotangent_core::constant::Const;
    use cotangent_core::schedule::{Body, Check, Op, SiteId, ValueId};
    use cotangent_core::types::ScalarType;

    /// s0, s1 = f(s2); s3 = g(s0), s4 = h(s5), the host needing `needed`.
    fn needed(needed: SymbolId) -> Vec<bool> {
        let scalars = |defines: &[u32], of: u32| {
            let mut body = Body::default();
            body.push(Op::Symbol(SymbolId(of)), ScalarType::I32);
            body.push(Op::Const(Const::I32(1)), ScalarType::I32);
            let defines = defines.iter().map(|&s| (SymbolId(s), ValueId(1)));
            let defines = defines.collect();
            Step::Scalars { body, defines }
        };
        let check = Check::Shape {
            extents: vec![needed],
        };
        needed_by_host(&Schedule {
            symbols: vec![ScalarType::I32; 6],
            arrays: vec![],
            sites: vec![],
            params: vec![],
            uses: vec![],
            steps: vec![
                scalars(&[0, 1], 2),
                scalars(&[3], 0),
                scalars(&[4], 5),
                Step::Check(check, SiteId(0)),
            ],
            results: vec![],
        })
    }

    #[test]
    fn what_the_host_needs_needs_what_it_is_computed_from() {
        let of = |symbols: &[u32]| (0..6).map(|s| symbols.contains(&s)).collect::<Vec<_>>();
        assert_eq!(needed(SymbolId(3)), of(&[0, 1, 2, 3]));
        assert_eq!(needed(SymbolId(1)), of(&[0, 1, 2]));
        assert_eq!(needed(SymbolId(4)), of(&[4, 5]));
    }
}
