//! Going through steps: the lists of steps that a step holds, and all steps of a list.
//!
//! Who asks these need not know which kinds of steps hold others.

use super::{Kernel, Schedule, Step, Strip};
use std::slice::Iter;

impl Step {
    /// The lists of steps inside of this one, in the order in which they are printed. (Strips hold kernels.)
    pub fn lists(&self) -> Vec<&[Step]> {
        match self {
            Self::If { then_, else_, .. } => vec![then_, else_],
            Self::Scalars { .. } | Self::Check(..) | Self::Kernel(_) | Self::Strip(_) => vec![],
        }
    }

    /// The same, to be changed.
    pub fn lists_mut(&mut self) -> Vec<&mut Vec<Step>> {
        match self {
            Self::If { then_, else_, .. } => vec![then_, else_],
            Self::Scalars { .. } | Self::Check(..) | Self::Kernel(_) | Self::Strip(_) => vec![],
        }
    }

    /// The strip that this step is.
    pub fn as_strip(&self) -> Option<&Strip> {
        match self {
            Self::Strip(strip) => Some(strip),
            Self::Scalars { .. } | Self::Check(..) | Self::Kernel(_) | Self::If { .. } => None,
        }
    }

    /// The kernels that this step runs itself, in order: not those of the lists inside.
    pub fn kernels(&self) -> &[Kernel] {
        match self {
            Self::Kernel(kernel) => std::slice::from_ref(kernel),
            Self::Strip(strip) => &strip.kernels,
            Self::Scalars { .. } | Self::Check(..) | Self::If { .. } => &[],
        }
    }

    /// The same, to be changed.
    pub fn kernels_mut(&mut self) -> &mut [Kernel] {
        match self {
            Self::Kernel(kernel) => std::slice::from_mut(kernel),
            Self::Strip(strip) => &mut strip.kernels,
            Self::Scalars { .. } | Self::Check(..) | Self::If { .. } => &mut [],
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Check, SiteId, SymbolId};

    /// A step that can be told from others.
    fn check(number: u32) -> Step {
        let shape = Check::Shape {
            extents: vec![SymbolId(number)],
        };
        Step::Check(shape, SiteId(0))
    }

    fn branches(then_: Vec<Step>, else_: Vec<Step>) -> Step {
        Step::If {
            cond: SymbolId(99),
            then_,
            else_,
            symbols: vec![],
            arrays: vec![],
        }
    }

    fn number(step: &Step) -> u32 {
        match step {
            Step::Check(check, _) => check.symbols().next().map_or(0, |s| s.0),
            Step::If { .. } => 99,
            Step::Scalars { .. } | Step::Kernel(_) | Step::Strip(_) => 0,
        }
    }

    #[test]
    fn steps_come_in_the_order_of_print() {
        let inner = branches(vec![check(2)], vec![check(3), check(4)]);
        let mut outer = branches(vec![check(1), inner, check(5)], vec![check(6)]);
        let steps = [check(0), outer.clone(), check(7)];
        let numbers: Vec<_> = all(&steps).map(number).collect();
        assert_eq!(numbers, [0, 99, 1, 99, 2, 3, 4, 5, 6, 7]);
        let lengths: Vec<_> = outer.lists().iter().map(|list| list.len()).collect();
        assert_eq!(lengths, [3, 1]);
        outer.lists_mut().into_iter().for_each(Vec::clear);
        assert_eq!(all(&[outer]).count(), 1);
    }

    #[test]
    fn deep_nesting_does_not_recurse() {
        let nested = (0..100_000).fold(check(1), |step, _| branches(vec![step], vec![]));
        let steps = std::mem::ManuallyDrop::new([nested]);
        assert_eq!(all(&*steps).count(), 100_001);
    }
}
