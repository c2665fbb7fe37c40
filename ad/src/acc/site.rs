//! Applying the dual of a scalar function to arrays, and adding the adjoints of what it indexed.
//!
//! Where an `Index` went is not stored: the target of its `permute` computes the coordinates again, by the
//! part of the function that they depend on. So later passes see them as a function of the source index.

use super::layout::{Elements, coordinate_permutation};
use super::reverse::Reverse;
use crate::error::AdError;
use crate::exp::{Dual, Seeds, Site};
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::term::{ArrId, ExpId, Fun, Labelled};
use cotangent_core::types::ScalarType;

/// A dual function and what it is applied to, at each index of a space.
pub(super) struct Applied {
    dual: Dual,
    /// Its first parameters are the index itself; this many.
    index: usize,
    /// An element of each of these is the rest: first the primal function's arguments, then adjoints.
    inputs: Vec<Arr>,
    /// How many inputs are arguments.
    args: usize,
    /// How many inputs are results of the primal.
    given: usize,
    /// An adjoint: an array of the shape of the space.
    space: Arr,
    /// A primal array of that shape.
    like: ArrId,
}

/// A scalar function of the primal.
pub(super) struct Primal<'a> {
    /// The function.
    pub f: &'a Fun<Labelled>,
    /// The arrays whose elements it takes; `None` if it takes the index.
    pub args: Option<&'a [Arr]>,
    /// The adjoints of its results.
    pub adjoints: &'a [Option<Arr>],
    /// An array of the shape of its results.
    pub like: ArrId,
    /// Its results, where they are in memory anyway; or nothing.
    pub given: &'a [Arr],
}

impl Applied {
    /// The derivative of a function, for those of its results that have adjoints; `None` if none has.
    pub(super) fn new(reverse: &Reverse, primal: &Primal) -> Result<Option<Self>, AdError> {
        let args = primal.args.unwrap_or(&[]);
        let active: Vec<bool> = args.iter().map(|a| reverse.is_active(a.name)).collect();
        let results: Vec<bool> = primal.adjoints.iter().map(Option::is_some).collect();
        let Some(space) = primal.adjoints.iter().flatten().next().cloned() else {
            return Ok(None);
        };
        let seeds = Seeds {
            params: &active,
            is_active: |a| reverse.is_active(a),
            results: &results,
            form: reverse.form,
            given: &primal.given.iter().map(|_| true).collect::<Vec<_>>(),
        };
        let adjoints = primal.adjoints.iter().flatten();
        Ok(Some(Self {
            dual: Dual::of(primal.f, seeds)?,
            index: primal.args.map_or(primal.f.params.len(), |_| 0),
            inputs: args
                .iter()
                .chain(adjoints)
                .chain(primal.given)
                .cloned()
                .collect(),
            args: args.len(),
            given: primal.given.len(),
            space,
            like: primal.like,
        }))
    }

    /// The adjoint of each parameter of the primal function, where it has one.
    pub(super) fn params(&self) -> Vec<Option<ExpId>> {
        self.dual.params.clone()
    }

    /// The values of some results of the dual, as arrays over the space.
    pub(super) fn columns(&self, reverse: &mut Reverse, results: &[ExpId]) -> Vec<Arr> {
        let known: Vec<Option<Arr>> = results.iter().map(|&x| self.known(x)).collect();
        let pairs = results.iter().zip(&known);
        let missing: Vec<_> = pairs
            .filter(|(_, k)| k.is_none())
            .map(|(&x, _)| x)
            .collect();
        let mut computed = self.compute(reverse, missing).into_iter();
        let column = |known: Option<Arr>| known.or_else(|| computed.next());
        known.into_iter().filter_map(column).collect()
    }

    /// A result that is an adjoint passed on unchanged.
    fn known(&self, x: ExpId) -> Option<Arr> {
        let at = self.dual.param_position(x)?.checked_sub(self.index)?;
        self.inputs[self.args..]
            .get(at.checked_sub(self.args)?)
            .cloned()
    }

    fn compute(&self, reverse: &mut Reverse, results: Vec<ExpId>) -> Vec<Arr> {
        if results.is_empty() {
            return vec![];
        }
        if self.index > 0 {
            let f = self.at_index(results);
            return reverse.b.generate(Fun::shape_of(&self.space), f);
        }
        let an_adjoint = self.inputs.len() - self.given - 1;
        let (f, kept) = self.dual.select(results, Some(an_adjoint));
        let args: Vec<_> = kept.into_iter().map(|at| self.inputs[at].clone()).collect();
        reverse.b.map(f, &args)
    }

    /// Some results of the dual as a function of the index.
    fn at_index(&self, results: Vec<ExpId>) -> Fun<Labelled> {
        let (f, kept) = self.dual.select(results, None);
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; self.space.ty.rank]);
        let mut args = vec![];
        for at in kept {
            args.push(match at.checked_sub(self.index) {
                Some(input) => b.index(&self.inputs[input], &index),
                None => index[at],
            });
        }
        let results = b.inline(&f, &args);
        b.finish(results)
    }

    /// Adds the adjoints of all elements that the primal function indexed.
    pub(super) fn contribute_sites(&self, reverse: &mut Reverse) -> Result<(), AdError> {
        let elements: Vec<_> = self.dual.sites.iter().map(|s| s.element_adj).collect();
        let columns = self.columns(reverse, &elements);
        for (site, column) in self.dual.sites.iter().zip(columns) {
            let array = reverse.array(site.array)?;
            self.collect(reverse, site, &array, &column);
        }
        Ok(())
    }

    /// Contributes to `array` what is due to one `Index`, the adjoints of whose elements are given.
    fn collect(&self, reverse: &mut Reverse, site: &Site, array: &Arr, column: &Arr) {
        let coordinates = self.at_index(site.index.clone());
        let order = coordinate_permutation(&coordinates).filter(|_| site.executed.is_none());
        let Some(order) = order else {
            return self.scatter(reverse, site, array, column);
        };
        let like = self.like;
        let elements = Elements {
            column,
            like,
            array,
        };
        let whole = |reverse: &mut Reverse| reverse.gather(elements, &order);
        if self.is_part(reverse, site.array) {
            return reverse.contribute_part(array, (always(&coordinates), column), whole);
        }
        let array_adj = whole(reverse);
        reverse.contribute(site.array, array_adj);
    }

    /// Whether these are not the elements of a whole array.
    fn is_part(&self, reverse: &Reverse, array: ArrId) -> bool {
        let sizes = |array: ArrId| {
            let mut sizes = reverse.shapes.sizes(array)?.to_vec();
            sizes.sort();
            Some(sizes)
        };
        sizes(self.like) != sizes(array)
    }

    fn scatter(&self, reverse: &mut Reverse, site: &Site, array: &Arr, column: &Arr) {
        let flagged = site.executed.into_iter().chain(site.index.iter().copied());
        let mut target = self.at_index(flagged.collect());
        if site.executed.is_none() {
            target = always(&target);
        }
        reverse.scatter(array, target, column);
    }
}

/// A target function that sends every element to where `f` says.
pub(super) fn always(f: &Fun<Labelled>) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let params = b.params(&f.param_types());
    let mut results = vec![b.constant(true)];
    results.extend(b.inline(f, &params));
    b.finish(results)
}
