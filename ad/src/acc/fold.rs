//! `fold` and `fold1` (Table 2 of paper 003: `Sum`, `Foldl`): of float columns that are added up, multiplied or compared, each by itself;
//! [others](super::two_sided) together, and those whose operator reads what is active [as recurrences](super::coupled).

use super::extremum::Extremum;
use super::recurrence::{Combined, Recurrence};
use super::reverse::{Node, Reverse};
use crate::error::AdError;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccLet, AccOp, Axis, Direction, Labelled};

/// How a column that has a rule of its own is combined.
enum Rule {
    Sum,
    Product,
    Extremum(Prim),
}

/// Such a column, and its adjoint.
struct Own {
    at: usize,
    d: Arr,
    fold: Recurrence,
    rule: Rule,
}

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
        let (own, others) = self.by_rule(let_, adjoints)?;
        self.other_fold(let_, adjoints, &others)?;
        for Own { at, d, fold, rule } in own {
            match rule {
                Rule::Sum => self.sum(&fold, &d)?,
                Rule::Product => self.product(&fold, &let_.binds[at], &d)?,
                Rule::Extremum(op) => {
                    let extremum = Extremum { at, op };
                    let winner = match let_.binds.as_slice() {
                        [value] if value.ty.rank == 0 => self.found(&fold, value, op),
                        [..] => self.winner(let_, &fold.arg, extremum)?,
                    };
                    self.extremum(&fold, &winner, &d)?;
                }
            }
        }
        Ok(())
    }

    /// The columns that have an adjoint and a rule of their own, and the adjoints of the others.
    fn by_rule(
        &self,
        let_: &AccLet<Labelled>,
        adjoints: &[Option<Arr>],
    ) -> Result<(Vec<Own>, Vec<Option<Arr>>), AdError> {
        let folds = combined(let_)?;
        let (mut own, mut others) = (vec![], vec![None; adjoints.len()]);
        for (at, adjoint) in adjoints.iter().enumerate() {
            let Some(d) = adjoint.clone() else { continue };
            let fold = folds.column(self, at)?;
            match fold.and_then(|fold| Some((fold.rule()?, fold))) {
                Some((rule, fold)) => own.push(Own { at, d, fold, rule }),
                None => others[at] = Some(d),
            }
        }
        Ok((own, others))
    }

    /// The dual for those columns that have no rule of their own.
    fn other_fold(
        &mut self,
        let_: &AccLet<Labelled>,
        adjoints: &[Option<Arr>],
        others: &[Option<Arr>],
    ) -> Result<(), AdError> {
        if others.iter().all(Option::is_none) {
            return Ok(());
        }
        let folds = combined(let_)?;
        match self.activity.results(folds.f, &[]).contains(&true) {
            true => self.coupled(&Node::of(let_, adjoints), &folds, others),
            false => self.two_sided(&folds, others),
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
    /// The rule for its operator, if that is one whose partial derivatives are known.
    fn rule(&self) -> Option<Rule> {
        match self.primitive() {
            Some(Prim::Add) => Some(Rule::Sum),
            Some(Prim::Mul) => Some(Rule::Product),
            Some(op @ (Prim::Max | Prim::Min)) => Some(Rule::Extremum(op)),
            Some(_) | None => None,
        }
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
