//! `fold` and `fold1` of float columns that do not depend on each other (Table 2 of paper 003: `Sum`, `Foldl`); others are
//! [coupled](super::coupled).
//!
//! With yᵢ the state before element xᵢ, pᵢ = ∂₁f(yᵢ, xᵢ) and qᵢ = ∂₂f(yᵢ, xᵢ), an element's adjoint is
//! d · qᵢ · Πⱼ₎ᵢ pⱼ: a scan from the right. No division, so zeros in products do no harm. For +, × and the
//! extremes the partial derivatives are known. Where they are not, an adjoint of a state that is zero passes nothing on to what is
//! before it, be the partial derivative infinite.

use super::extremum::Extremum;
use super::recurrence::{Combined, Partials, Recurrence, shifted};
use super::reverse::{Node, Reverse};
use crate::error::AdError;
use crate::exp::{Form, guarded, guarded_product};
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccLet, AccOp, Axis, Direction, Fun, Labelled};
use cotangent_core::types::ScalarType;

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
        self.coupled_fold(let_, adjoints)?;
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
                Some(_) | None => {
                    let mut only = vec![None; adjoints.len()];
                    only[at] = Some(d.clone());
                    self.two_sided(&combined(let_)?, &only)?;
                }
            }
        }
        Ok(())
    }

    /// The dual for those columns that have no rule.
    fn coupled_fold(
        &mut self,
        let_: &AccLet<Labelled>,
        adjoints: &[Option<Arr>],
    ) -> Result<(), AdError> {
        let folds = combined(let_)?;
        let mut others = adjoints.to_vec();
        for (at, adjoint) in others.iter_mut().enumerate() {
            if adjoint.is_some() && folds.column(self, at)?.is_some() {
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

    fn general_fold(&mut self, fold: &Recurrence, d: &Arr) -> Result<(), AdError> {
        let arg = std::slice::from_ref(&fold.arg);
        let (f, init) = (fold.f.clone(), fold.init.clone());
        let states = self.b.scan(Direction::Left, f, init, arg).remove(0);
        let partials = fold.partials(self, &states)?;
        self.chain(fold, d, &partials)
    }

    /// Contributes d · qᵢ · Πⱼ₎ᵢ pⱼ for the partial derivatives p by the state and q by the element.
    pub(super) fn chain(
        &mut self,
        fold: &Recurrence,
        d: &Arr,
        partials: &Partials,
    ) -> Result<(), AdError> {
        let (arg_adj, after) = self.chained(fold, d, partials);
        self.contribute(fold.arg.name, arg_adj);
        let (elem, form) = (fold.arg.ty.elem, self.form);
        fold.contribute_init(self, |reverse| {
            let first = Fun::constants(&[Const::I32(0)]);
            let all = reverse.slice_inner(&after, first);
            let mut b = FunBuilder::new();
            let (d_here, partial) = (b.param(elem), b.param(elem));
            let state_adj = guarded_product(&mut b, form, d_here, partial);
            let f = b.finish(vec![state_adj]);
            reverse.b.map(f, &[d.clone(), all]).remove(0)
        })
    }

    /// What [`chain`](Self::chain) contributes to the elements, and the products Πⱼ₎ᵢ pⱼ.
    pub(super) fn chained(
        &mut self,
        fold: &Recurrence,
        d: &Arr,
        partials: &Partials,
    ) -> (Arr, Arr) {
        let (elem, form) = (fold.arg.ty.elem, self.form);
        let mul = if partials.is_singular {
            guarded_partials(elem, form)
        } else {
            Fun::prim(Prim::Mul, &[elem, elem])
        };
        let one = Fun::constants(&[Const::small(elem, 1)]);
        let state = std::slice::from_ref(&partials.by_state);
        let after = self
            .b
            .scan(Direction::Right, mul, Some(one), state)
            .remove(0);

        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; fold.arg.ty.rank]);
        let next = shifted(&mut b, &index, 1);
        let d_here = b.index(d, &index[..index.len() - 1]);
        let (q, rest) = (
            b.index(&partials.by_element, &index),
            b.index(&after, &next),
        );
        let partial = guarded_product(&mut b, form, rest, q);
        let x_adj = guarded_product(&mut b, form, d_here, partial);
        let f = b.finish(vec![x_adj]);
        let arg_adj = self.b.generate(Fun::shape_of(&fold.arg), f).remove(0);
        (arg_adj, after)
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

/// The product of two partial derivatives, of which the second is that of the later step; 0 where that is 0.
fn guarded_partials(elem: ScalarType, form: Form) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let (earlier, later) = (b.param(elem), b.param(elem));
    let product = b.prim(Prim::Mul, &[earlier, later]);
    let product = guarded(&mut b, form, later, product);
    b.finish(vec![product])
}
