//! What folds and scans have in common: the values that they combine, and by what operator.

use crate::code::{CodeId, HOST, HostValue};
use crate::inline::Inliner;
use crate::padded::is_positive_zero;
use crate::refine::Observed;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Operator, SymbolId, ValueId};
use cotangent_core::term::{AccLet, ArrId, Fun, Labelled};

/// A fold or a scan.
pub(crate) struct Combination<'p> {
    pub let_: &'p AccLet<Labelled>,
    pub f: &'p Fun<Labelled>,
    pub init: Option<&'p Fun<Labelled>>,
    pub args: &'p [ArrId],
}

impl<'p> Combination<'p> {
    pub(crate) fn new(
        let_: &'p AccLet<Labelled>,
        f: &'p Fun<Labelled>,
        init: Option<&'p Fun<Labelled>>,
        args: &'p [ArrId],
    ) -> Self {
        Self {
            let_,
            f,
            init,
            args,
        }
    }
}

/// Over what a fold goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extents {
    /// The extents of the results.
    pub outer: Vec<HostValue>,
    /// What is folded: one extent, or several of which `last` is the product.
    pub inner: Vec<HostValue>,
    /// The inner extent of the arguments.
    pub last: HostValue,
}

/// The parts of a kernel that folds or scans.
pub(crate) struct Combined {
    pub body: Body,
    pub values: Vec<ValueId>,
    pub operator: Operator,
    pub init: Option<Vec<SymbolId>>,
}

impl<'p> Inliner<'_, 'p> {
    /// The code of what a fold combines, over the given extents.
    pub(crate) fn fold_values(
        &mut self,
        fold: &Combination<'p>,
        extents: &Extents,
    ) -> (CodeId, Vec<ValueId>) {
        let Extents { outer, inner, last } = extents;
        let codes = &mut self.draft.codes;
        let code = codes.open();
        let mut coords = codes.coords(code, &[outer.as_slice(), inner].concat());
        if inner.len() > 1 {
            let apart = coords.split_off(outer.len());
            coords.push(codes.linearise(code, &apart, inner, Some(*last)));
        }
        let values = self.elements(code, (fold.let_, fold.args), &coords);
        (code, values)
    }

    /// The elements of several arrays at an index, for an operation.
    pub(crate) fn elements(
        &mut self,
        code: CodeId,
        (let_, arrays): (&AccLet<Labelled>, &[ArrId]),
        index: &[ValueId],
    ) -> Vec<ValueId> {
        let site = self.draft.sites.of(let_);
        let element = |&a: &ArrId| self.element(code, a, index, None, site);
        arrays.iter().map(element).collect()
    }

    /// The parts of the kernel, given the code of the values to combine.
    pub(crate) fn combined(
        &mut self,
        combination: &Combination<'p>,
        code: CodeId,
        values: &[ValueId],
    ) -> Combined {
        let operator = self.operator(combination.f);
        let init = combination.init.map(|init| {
            let values = self.closed(init);
            self.draft.symbols(&values)
        });
        if self.draft.reads_pending(code, values) {
            self.draft.flush();
        }
        let (body, values) = self.draft.export(code, &Observed::always(values));
        Combined {
            body,
            values,
            operator,
            init,
        }
    }

    fn operator(&mut self, f: &Fun<Labelled>) -> Operator {
        let codes = &mut self.draft.codes;
        let code = codes.open_operator();
        let params = f.params.iter().enumerate();
        let args: Vec<_> = params.map(|(i, p)| codes.arg(code, i, p.ty)).collect();
        let results = self.apply(code, f, &args, None);
        let (body, results) = self.draft.export(code, &Observed::always(&results));
        self.draft.codes.close(code);
        Operator { body, results }
    }

    /// Whether it adds up to +0.
    pub(crate) fn is_sum_from_zero(&mut self, fold: &Combination<'p>) -> bool {
        let init = fold.init.map(|init| self.closed(init));
        let init = init.as_deref().and_then(|init| init.first().copied());
        let zero = init.and_then(|init| self.draft.codes.as_const(HOST, init.0));
        zero.is_some_and(is_positive_zero) && self.operator(fold.f).as_prim() == Some(Prim::Add)
    }
}
