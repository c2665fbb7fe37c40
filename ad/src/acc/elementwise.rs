//! `generate`, `map` and `zip_with`: the dual function on each element, and contributions by indexing.

use super::reverse::{Node, Reverse};
use super::site::{Applied, Primal};
use crate::error::AdError;
use cotangent_core::term::{ArrId, Fun, Labelled};

impl Reverse<'_> {
    /// The dual of `generate`: only what it indexes receives anything.
    pub(super) fn generate(&mut self, node: &Node, f: &Fun<Labelled>) -> Result<(), AdError> {
        if let Some(parts) = self.parts_to_lift(f, &[]) {
            return self.lifted(node, parts, &[]);
        }
        let primal = Primal {
            f,
            args: None,
            adjoints: node.adjoints,
            like: node.binds[0].name,
            given: self.given(node),
        };
        match Applied::new(self, &primal)? {
            Some(applied) => applied.contribute_sites(self),
            None => Ok(()),
        }
    }

    /// The dual of `map` and `zip_with`.
    pub(super) fn map(
        &mut self,
        node: &Node,
        f: &Fun<Labelled>,
        args: &[ArrId],
    ) -> Result<(), AdError> {
        if let Some(parts) = self.parts_to_lift(f, args) {
            return self.lifted(node, parts, args);
        }
        let args = self.arrays(args)?;
        let primal = Primal {
            f,
            args: Some(&args),
            adjoints: node.adjoints,
            like: node.binds[0].name,
            given: self.given(node),
        };
        let Some(applied) = Applied::new(self, &primal)? else {
            return Ok(());
        };
        let params = applied.params();
        let adjoints: Vec<_> = params.iter().flatten().copied().collect();
        let mut columns = applied.columns(self, &adjoints).into_iter();
        for (arg, _) in args.iter().zip(&params).filter(|(_, p)| p.is_some()) {
            if let Some(part) = columns.next() {
                let arg_adj = self.extend(&part, primal.like, arg);
                self.contribute(arg.name, arg_adj);
            }
        }
        applied.contribute_sites(self)
    }
}
