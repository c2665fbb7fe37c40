//! `fold` and `fold1` (Table 2 of paper 003: `Sum`, `Foldl`): of float columns that are added up, multiplied or compared, each by itself;
//! [others](super::two_sided) together, and those whose operator reads what is active [as recurrences](super::coupled).

use super::extremum::Extremum;
use super::recurrence::{Combined, Recurrence};
use super::reverse::{Node, Reverse};
use crate::error::AdError;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccLet, AccOp, Axis, Direction, Labelled};

impl Reverse<'_> {
    /// The dual of `fold` and `fold1`, column by column. The primal gets what the duals of extremes need.
    ///
    /// # Errors
    /// Where the let is no fold.
    pub(super) fn fold(
        &mut self,
        let_: &mut AccLet<Labelled>,
        adjoints: &[Option<Arr>],
    ) -> Result<(), AdError> {
        self.other_fold(let_, adjoints)?;
        for (at, adjoint) in adjoints.iter().enumerate() {
            let Some(d) = adjoint else { continue };
            let Some(fold) = combined(let_)?.column(self, at)? else {
                continue;
            };
            match fold.primitive() {
                Some(Prim::Add) => self.sum(&fold, d)?,
                Some(Prim::Mul) => self.product(&fold, &let_.binds[at], d)?,
                Some(op @ (Prim::Max | Prim::Min)) => {
                    let extremum = Extremum { at, op };
                    let winner = match let_.binds.as_slice() {
                        [value] if value.ty.rank == 0 => self.found(&fold, value, op),
                        [..] => self.winner(let_, &fold.arg, extremum)?,
                    };
                    self.extremum(&fold, &winner, d)?;
                }
                Some(_) | None => {}
            }
        }
        Ok(())
    }

    /// The dual for those columns that have no rule of their own.
    fn other_fold(
        &mut self,
        let_: &AccLet<Labelled>,
        adjoints: &[Option<Arr>],
    ) -> Result<(), AdError> {
        let folds = combined(let_)?;
        let mut others = adjoints.to_vec();
        for (at, adjoint) in others.iter_mut().enumerate() {
            if adjoint.is_some() && folds.column(self, at)?.is_some_and(|fold| fold.has_rule()) {
                *adjoint = None;
            }
        }
        if others.iter().all(Option::is_none) {
            return Ok(());
        }
        match self.activity.results(folds.f, &[]).contains(&true) {
            true => self.coupled(&Node::of(let_, adjoints), &folds, &others),
            false => self.two_sided(&folds, &others),
        }
    }

    /// Each element, and `init`, receives the adjoint of its sum.
    fn sum(&mut self, fold: &Recurrence, d: &Arr) -> Result<(), AdError> {
        let mut axes = vec![Axis::All; d.ty.rank];
        axes.push(Axis::Fixed);
        let mut extent = FunBuilder::new();
        let n = extent.extent(fold.arg.name, d.ty.rank);
        let arg_adj = self.b.replicate(axes, extent.finish(vec![n]), d);
        self.contribute(fold.arg.name, arg_adj);
        fold.contribute_init(self, |_| d.clone())
    }
}

impl Recurrence {
    /// Whether the operator is one of those whose partial derivatives are known.
    fn has_rule(&self) -> bool {
        let with_rule = [Prim::Add, Prim::Mul, Prim::Max, Prim::Min];
        self.primitive().is_some_and(|op| with_rule.contains(&op))
    }
}

fn combined(let_: &AccLet<Labelled>) -> Result<Combined<'_>, AdError> {
    let AccOp::Fold { f, init, args } = &let_.op else {
        return Err(AdError::Bug("not a fold".to_owned()));
    };
    Ok(Combined {
        direction: Direction::Left,
        f,
        init: init.as_ref(),
        args,
    })
}
