//! What a step contains, runs, reads and defines: the one place that knows the kinds of steps.
//!
//! Passes go through steps by these methods, so that a new kind of step is described here, once, and no pass leaves it
//! out; where the kinds mean something of their own to a pass, it lists them all. What a step does is what it does
//! *itself*: what the lists inside of it do is left out, and [`all`] goes through those, too.

#[cfg(test)]
mod tests;

use super::{
    ArrayId, Body, Carried, Kernel, KernelKind, Repeat, Schedule, Step, Strip, SymbolId, ValueId,
};
use std::slice::Iter;

/// A list of steps inside of a step. What it defines is visible inside only, but for what the step takes over.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope<'a> {
    /// The steps.
    pub steps: &'a [Step],
    /// A `bool` symbol and what it has to be for the list to run; none where the list runs in any case.
    pub condition: Option<(SymbolId, bool)>,
    /// Symbols that the step takes over: what it defines, and what that is inside.
    pub symbols: Vec<(SymbolId, SymbolId)>,
    /// Arrays that the step takes over: what it defines, and what that is inside.
    pub arrays: Vec<(ArrayId, ArrayId)>,
    /// Arrays that are there when the list begins, and are the list's to give back.
    pub given: Vec<ArrayId>,
}

impl Step {
    /// The lists of steps inside of this one, in the order in which they are printed. (Strips hold kernels.)
    pub fn scopes(&self) -> Vec<Scope<'_>> {
        match self {
            Self::If {
                cond,
                then_,
                else_,
                symbols,
                arrays,
            } => vec![
                Scope {
                    steps: then_,
                    condition: Some((*cond, true)),
                    symbols: symbols.iter().map(|&(to, then_, _)| (to, then_)).collect(),
                    arrays: arrays.iter().map(|&(to, then_, _)| (to, then_)).collect(),
                    given: vec![],
                },
                Scope {
                    steps: else_,
                    condition: Some((*cond, false)),
                    symbols: symbols.iter().map(|&(to, _, else_)| (to, else_)).collect(),
                    arrays: arrays.iter().map(|&(to, _, else_)| (to, else_)).collect(),
                    given: vec![],
                },
            ],
            Self::Repeat(repeat) => repeat.scopes(),
            Self::Scalars { .. } | Self::Check(..) | Self::Kernel(_) | Self::Strip(_) => vec![],
        }
    }

    /// The steps of the scopes.
    pub fn lists(&self) -> Vec<&[Step]> {
        self.scopes().into_iter().map(|scope| scope.steps).collect()
    }

    /// The same, to be changed.
    pub fn lists_mut(&mut self) -> Vec<&mut Vec<Step>> {
        match self {
            Self::If { then_, else_, .. } => vec![then_, else_],
            Self::Repeat(Repeat { test, body, .. }) => {
                let test = test.iter_mut().map(|(steps, _)| steps);
                test.chain([body]).collect()
            }
            Self::Scalars { .. } | Self::Check(..) | Self::Kernel(_) | Self::Strip(_) => vec![],
        }
    }

    /// The scalar code that this step is, and the symbols that it defines by values.
    pub fn as_scalars(&self) -> Option<(&Body, &[(SymbolId, ValueId)])> {
        match self {
            Self::Scalars { body, defines } => Some((body, defines)),
            Self::Check(..) | Self::Kernel(_) | Self::Strip(_) => None,
            Self::If { .. } | Self::Repeat(_) => None,
        }
    }

    /// The kernel that this step is.
    pub fn as_kernel(&self) -> Option<&Kernel> {
        match self {
            Self::Kernel(kernel) => Some(kernel),
            Self::Scalars { .. } | Self::Check(..) | Self::Strip(_) => None,
            Self::If { .. } | Self::Repeat(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn as_kernel_mut(&mut self) -> Option<&mut Kernel> {
        match self {
            Self::Kernel(kernel) => Some(kernel),
            Self::Scalars { .. } | Self::Check(..) | Self::Strip(_) => None,
            Self::If { .. } | Self::Repeat(_) => None,
        }
    }

    /// The strip that this step is.
    pub fn as_strip(&self) -> Option<&Strip> {
        match self {
            Self::Strip(strip) => Some(strip),
            Self::Scalars { .. } | Self::Check(..) | Self::Kernel(_) => None,
            Self::If { .. } | Self::Repeat(_) => None,
        }
    }

    /// The loop that this step is.
    pub fn as_repeat(&self) -> Option<&Repeat> {
        match self {
            Self::Repeat(repeat) => Some(repeat),
            Self::Scalars { .. } | Self::Check(..) | Self::Kernel(_) => None,
            Self::If { .. } | Self::Strip(_) => None,
        }
    }

    /// The kernels that this step runs, in order.
    pub fn kernels(&self) -> &[Kernel] {
        match self {
            Self::Kernel(kernel) => std::slice::from_ref(kernel),
            Self::Strip(strip) => &strip.kernels,
            Self::Scalars { .. } | Self::Check(..) => &[],
            Self::If { .. } | Self::Repeat(_) => &[],
        }
    }

    /// The same, to be changed.
    pub fn kernels_mut(&mut self) -> &mut [Kernel] {
        match self {
            Self::Kernel(kernel) => std::slice::from_mut(kernel),
            Self::Strip(strip) => &mut strip.kernels,
            Self::Scalars { .. } | Self::Check(..) => &mut [],
            Self::If { .. } | Self::Repeat(_) => &mut [],
        }
    }

    /// The code that loads elements: that of the host, and that of kernels. (Operators load nothing.)
    pub fn code(&self) -> impl Iterator<Item = &Body> {
        let scalars = self.as_scalars().map(|(body, _)| body);
        let kernels = self.kernels().iter().map(Kernel::body);
        scalars.into_iter().chain(kernels)
    }

    /// The arrays that the step takes over with all their elements: what it defines may share their memory.
    pub fn takes(&self) -> Vec<ArrayId> {
        let arrays = self.scopes().into_iter().flat_map(|scope| scope.arrays);
        let inside = arrays.map(|(_, from)| from);
        let carried = self.as_repeat().into_iter().flat_map(|r| &r.arrays);
        inside.chain(carried.map(|c| c.first)).collect()
    }

    /// The arrays that the step loads from or takes over, but for those that a strip keeps inside.
    pub fn reads(&self) -> Vec<ArrayId> {
        let inside: Vec<_> = self
            .as_strip()
            .into_iter()
            .flat_map(Strip::made_inside)
            .collect();
        let loaded = self.code().flat_map(Body::reads);
        let outside = loaded.filter(|array| !inside.contains(array));
        outside.chain(self.takes()).collect()
    }

    /// The arrays that the step writes or defines, and others see. Those of a scatter are there already.
    pub fn writes(&self) -> Vec<ArrayId> {
        match self {
            Self::Scalars { .. } | Self::Check(..) => vec![],
            Self::Kernel(kernel) => kernel.outputs().iter().map(|output| output.array).collect(),
            Self::If { arrays, .. } => arrays.iter().map(|&(defined, ..)| defined).collect(),
            Self::Strip(strip) => strip.wholes().collect(),
            Self::Repeat(Repeat { arrays, .. }) => arrays.iter().map(|c| c.last).collect(),
        }
    }

    /// The arrays that are there after the step and were not, or were not whole, before.
    pub fn makes(&self) -> Vec<ArrayId> {
        match self.as_kernel() {
            Some(kernel) if kernel.writes_in_place() => vec![],
            Some(_) | None => self.writes(),
        }
    }

    /// The symbols that the step needs, but for those that are defined inside of it only.
    pub fn uses(&self) -> Vec<SymbolId> {
        match self {
            Self::Scalars { body, .. } => body.symbols().collect(),
            Self::Check(check, _) => check.symbols().collect(),
            Self::Kernel(kernel) => kernel.uses().collect(),
            Self::If { cond, symbols, .. } => {
                let merged = symbols.iter().flat_map(|&(_, then_, else_)| [then_, else_]);
                merged.chain([*cond]).collect()
            }
            Self::Strip(strip) => strip.uses().collect(),
            Self::Repeat(repeat) => repeat.uses(),
        }
    }

    /// The symbols that the step defines.
    pub fn defines(&self) -> Vec<SymbolId> {
        match self {
            Self::Scalars { defines, .. } => defines.iter().map(|&(symbol, _)| symbol).collect(),
            Self::If { symbols, .. } => symbols.iter().map(|&(defined, ..)| defined).collect(),
            Self::Repeat(Repeat { made, symbols, .. }) => {
                let carried = symbols.iter().map(|c| c.last);
                [*made].into_iter().chain(carried).collect()
            }
            Self::Check(..) | Self::Kernel(_) | Self::Strip(_) => vec![],
        }
    }
}

impl Repeat {
    /// The test, if there is one, and the body.
    fn scopes(&self) -> Vec<Scope<'_>> {
        let test = self.test.iter().map(|(steps, _)| Scope {
            steps,
            condition: None,
            symbols: vec![],
            arrays: vec![],
            given: vec![],
        });
        let body = Scope {
            steps: &self.body,
            condition: None,
            symbols: self.symbols.iter().map(Carried::round).collect(),
            arrays: self.arrays.iter().map(Carried::round).collect(),
            given: self.arrays.iter().map(|c| c.inside).collect(),
        };
        test.chain([body]).collect()
    }

    /// All symbols that the loop itself needs, those that its lists define included.
    fn uses(&self) -> Vec<SymbolId> {
        let carried = self.symbols.iter().flat_map(|c| [c.first, c.next]);
        let test = self.test.iter().map(|&(_, holds)| holds);
        [self.most].into_iter().chain(test).chain(carried).collect()
    }
}

impl Kernel {
    /// The operator by which the kernel combines values, where that is code of its own.
    pub fn operator(&self) -> Option<&Body> {
        match &self.kind {
            KernelKind::Reduce { operator, .. }
            | KernelKind::Segments { operator, .. }
            | KernelKind::Scan { operator, .. } => Some(&operator.body),
            KernelKind::Map { .. } | KernelKind::Contract { .. } | KernelKind::Scatter { .. } => {
                None
            }
            KernelKind::Sort { .. } => None,
        }
    }

    /// All symbols that the kernel needs, those of its code included.
    fn uses(&self) -> impl Iterator<Item = SymbolId> {
        let code = [self.body()].into_iter().chain(self.operator());
        code.flat_map(Body::symbols).chain(self.symbols())
    }
}

impl Strip {
    /// All symbols that the strip needs, but for those of the chunk.
    fn uses(&self) -> impl Iterator<Item = SymbolId> {
        let inits = self
            .totals
            .iter()
            .flat_map(|total| total.init.iter().flatten());
        let operators = self
            .totals
            .iter()
            .flat_map(|total| total.operator.body.symbols());
        let kernels = self.kernels.iter().flat_map(Kernel::uses);
        let inside = kernels.chain(operators).chain(inits.copied());
        let outside = inside.filter(|symbol| ![self.start, self.len].contains(symbol));
        outside.chain([self.over])
    }
}

/// All steps of a list and of the lists inside, in the order in which they are printed. Lists may be nested deeply, so this
/// does not recurse.
pub fn all(steps: &[Step]) -> impl Iterator<Item = &Step> {
    All {
        todo: vec![steps.iter()],
    }
}

struct All<'a> {
    todo: Vec<Iter<'a, Step>>,
}

impl<'a> Iterator for All<'a> {
    type Item = &'a Step;

    fn next(&mut self) -> Option<&'a Step> {
        while let Some(steps) = self.todo.last_mut() {
            if let Some(step) = steps.next() {
                let inside = step.lists().into_iter().rev();
                self.todo.extend(inside.map(<[Step]>::iter));
                return Some(step);
            }
            self.todo.pop();
        }
        None
    }
}

impl Schedule {
    /// All kernels, in the order of the steps: those of strips in their place, those of branches where their conditional
    /// is, `then_` before `else_`.
    pub fn kernels(&self) -> Vec<&Kernel> {
        all(&self.steps).flat_map(Step::kernels).collect()
    }
}
