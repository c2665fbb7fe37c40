//! D(f): the derivative of a scalar function, for array AD (§3.4.1 of paper 003).
//!
//! Unlike the thesis we store no temporaries: D(f) takes the parameters of f again, computes f again (which
//! is cheap next to memory traffic) and then goes backwards. All its results come from one body; array AD
//! picks those that it needs together and gets a function without the rest.

use super::activity;
use super::guard::{Form, Origin};
use super::reverse::{Record, Reverse, builder_beside};
use super::roots;
use super::trim::{drop_unused_params, trim};
use crate::error::AdError;
use crate::rename::{ExpMap, renaming};
use cotangent_core::term::{ArrId, ExpId, Fun, Labelled};

/// What is differentiated, and by what.
#[derive(Debug)]
pub(crate) struct Seeds<'a, F: Fn(ArrId) -> bool> {
    /// By parameter: whether it is active.
    pub params: &'a [bool],
    /// Whether an array is active.
    pub is_active: F,
    /// By result: whether it has an adjoint. Active ones only.
    pub results: &'a [bool],
    /// By result: whether the dual is given it, instead of computing it again. None if nothing is said.
    pub given: &'a [bool],
    /// How guards are written.
    pub form: Form,
}

/// The derivative of a function f.
///
/// Its parameters are those of f, then the adjoints of those results that have any, then the results that it is given.
#[derive(Debug)]
pub(crate) struct Dual {
    fun: Fun<Labelled>,
    /// By parameter of f: its adjoint, where it has one.
    pub params: Vec<Option<ExpId>>,
    /// One per `Index` in f on an active array, if its element has an adjoint.
    pub sites: Vec<Site>,
}

/// An `Index` on an active array and the variables that describe what it did: results of [`Dual`].
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The array.
    pub array: ArrId,
    /// Whether it was executed; `None` where it always is.
    pub executed: Option<ExpId>,
    /// The coordinates; anything where it was not executed.
    pub index: Vec<ExpId>,
    /// The adjoint of the element; zero where it was not executed.
    pub element_adj: ExpId,
}

impl Dual {
    /// The derivative of `f`.
    ///
    /// # Errors
    /// Where a gradient is left in `f`.
    pub(crate) fn of<F: Fn(ArrId) -> bool>(
        f: &Fun<Labelled>,
        seeds: Seeds<'_, F>,
    ) -> Result<Self, AdError> {
        let activity = activity::of_fun(f, seeds.params, seeds.is_active);
        let mut primal = f.clone();
        let mut b = builder_beside(f);
        let mut reverse = Reverse::new(&mut b, &activity, seeds.form);
        let results = f.body.results.iter().zip(seeds.results);
        let param =
            |(&x, has_adj): (&ExpId, &bool)| has_adj.then(|| reverse.b.param(reverse.b.type_of(x)));
        let result_adjs: Vec<Option<ExpId>> = results.map(param).collect();
        if let Some(roots) = roots::few(&f.params, &f.body, &activity) {
            reverse.by_roots(&mut primal.body, &roots, &result_adjs)?;
        } else {
            for (&result, result_adj) in f.body.results.iter().zip(result_adjs) {
                if let Some(result_adj) = result_adj {
                    reverse.contribute(result, result_adj, Origin::Given);
                }
            }
            reverse.walk(&mut primal.body)?;
        }
        let (adjoints, records) = (reverse.adjoints, reverse.records);
        let given = f.body.results.iter().zip(seeds.given);
        let given = given
            .filter(|(_, given)| **given)
            .map(|(&result, _)| result);
        let given: ExpMap = given.map(|x| (x, b.param(b.type_of(x)))).collect();
        let mut dual = b.finish(vec![]);
        dual.body.rename(&renaming(&given));
        primal.params.extend(dual.params);
        primal.body.lets.extend(dual.body.lets);
        Ok(Self {
            params: f
                .params
                .iter()
                .map(|p| adjoints.get(&p.name).copied())
                .collect(),
            sites: records.into_iter().map(|r| Site::new(f, r)).collect(),
            fun: primal,
        })
    }

    /// The position among the parameters, if `x` is one.
    pub(crate) fn param_position(&self, x: ExpId) -> Option<usize> {
        self.fun.params.iter().position(|p| p.name == x)
    }

    /// The function that computes `results` and nothing else, and the positions of those parameters that
    /// it still has: those it needs, and the one at `always`.
    pub(crate) fn select(
        &self,
        results: Vec<ExpId>,
        always: Option<usize>,
    ) -> (Fun<Labelled>, Vec<usize>) {
        let mut fun = self.fun.clone();
        fun.body.results = results;
        let mut fun = trim(fun);
        let kept = drop_unused_params(&mut fun, always);
        (fun, kept)
    }
}

impl Site {
    fn new(f: &Fun<Labelled>, record: Record) -> Self {
        let Record {
            array,
            executed,
            index,
            element_adj,
        } = record;
        Self {
            array: f.captures[array.0 as usize],
            executed,
            index,
            element_adj,
        }
    }
}
