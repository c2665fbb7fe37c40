//! `fold` and `fold1` (Table 2 of paper 003: `Sum`, `Foldl`): of float columns that are added up, multiplied or compared, each by itself;
//! [others](super::two_sided) together, and those whose operator reads what is active [as recurrences](super::coupled).
//!
//! The latter two need all states of a fold, which are a scan. Its last state is what the fold gives, so that the primal makes the scan in its
//! place.

use super::extremum::Extremum;
use super::recurrence::{Combined, Recurrence};
use super::reverse::{Node, Reverse};
use crate::error::AdError;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccLet, AccOp, Axis, Direction, ExpId, Fun, Labelled};
use cotangent_core::types::ScalarType;

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
        let states = self.other_fold(let_, adjoints, &others)?;
        // The rules of other columns still ask for the fold.
        if let (Some(states), true) = (states, own.is_empty()) {
            let_.op = self.last_of(let_, &states)?;
        }
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

    /// The dual for those columns that have no rule of their own; gives the states of the fold, if the primal has them now.
    fn other_fold(
        &mut self,
        let_: &AccLet<Labelled>,
        adjoints: &[Option<Arr>],
        others: &[Option<Arr>],
    ) -> Result<Option<Vec<Arr>>, AdError> {
        if others.iter().all(Option::is_none) {
            return Ok(None);
        }
        let folds = combined(let_)?;
        match self.activity.results(folds.f, &[]).contains(&true) {
            true => self.coupled(&Node::of(let_, adjoints), &folds, others),
            false => self.two_sided(&folds, others),
        }
    }

    /// The states from the initial values on, by all columns of a fold: in the primal, so that it need not go through the elements twice.
    pub(super) fn fold_states(
        &mut self,
        f: &Fun<Labelled>,
        init: Option<&Fun<Labelled>>,
        args: &[Arr],
    ) -> Vec<Arr> {
        let (f, init) = (f.clone(), init.cloned());
        self.in_primal(|b| b.scan(Direction::Left, f, init, args))
    }

    /// The results of a fold, from the last of its states. Without an initial value, as a fold of that state alone: of no
    /// elements, it fails as the fold of these.
    fn last_of(
        &mut self,
        fold: &AccLet<Labelled>,
        states: &[Arr],
    ) -> Result<AccOp<Labelled>, AdError> {
        let Combined { f, init, .. } = combined(fold)?;
        if init.is_some() {
            let (shape, f) = last_states(states, 0);
            return Ok(AccOp::Generate { shape, f });
        }
        let (shape, last) = last_states(states, 1);
        let args = self.in_primal(|b| b.generate(shape, last));
        Ok(AccOp::Fold {
            f: f.clone(),
            init: None,
            args: args.iter().map(|arg| arg.name).collect(),
        })
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

/// The shape and the elements of an array of the last states of rows, with so many inner dimensions, of an extent of at most 1.
fn last_states(states: &[Arr], inner: usize) -> (Fun<Labelled>, Fun<Labelled>) {
    let rank = states[0].ty.rank - 1;
    let mut b = FunBuilder::new();
    let extents = (0..=rank).map(|axis| b.extent(states[0].name, axis));
    let mut extents: Vec<ExpId> = extents.collect();
    let (n, one) = (extents.remove(rank), b.constant(1i32));
    let shortened = b.prim(Prim::Min, &[n, one]);
    extents.extend(vec![shortened; inner]);
    let shape = b.finish(extents);
    let mut b = FunBuilder::new();
    let params = b.params(&vec![ScalarType::I32; shape.body.results.len()]);
    let (n, one) = (b.extent(states[0].name, rank), b.constant(1i32));
    let last = b.prim(Prim::Sub, &[n, one]);
    let index = [&params[..rank], &[last]].concat();
    let results = states.iter().map(|state| b.index(state, &index)).collect();
    (shape, b.finish(results))
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
