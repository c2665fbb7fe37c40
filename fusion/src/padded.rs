//! Sums of which only a part differs from zero: the adjoints of arrays that were zipped with smaller ones.
//!
//! `zip_with` takes what its arguments have in common, so their adjoints are padded with zeros to the extents that
//! the arguments have; a product of matrices zips replicated ones, and what adds up the adjoints of a replicated
//! one adds up `select [i < n, x·y, 0]`. Such a fold is made for the part alone in which nothing was padded:
//! [`Lowering::nonzero_part`] reads from the code of the elements which coordinates are below what, the extents of
//! the fold become the minima of those and its own, and its code is written again for them, where all tests of
//! those conditions are known to hold. Then the product stands by itself, and the fold is a contraction.
//!
//! Its results are *padded* where they are read ([`Storage::Padded`]): a load under the condition that the index
//! is in the part, and zero elsewhere. Nothing is multiplied by that zero that the program did not multiply, so
//! infinities and NaNs stay on their side.
//!
//! Note \[Soundness\]: a sum from +0 of zeros is +0, so the results outside of the part are what the loads under a
//! condition give. Terms that an inner extent leaves out are zeros, positive ones, and add nothing to a sum that
//! begins at +0 and therefore never is −0. An empty part has sums without terms, which are +0 as well.

use crate::code::{CodeId, HOST, HostValue};
use crate::inequality::Inequality;
use crate::kernels::{Combination, Extents};
use crate::lower::{Lowering, Storage};
use crate::memory::Origin;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::schedule::{ArrayId, KernelKind, Op, Output, SiteId, ValueId};
use cotangent_core::term::{AccLet, ArrId, Labelled};

impl<'p> Lowering<'p> {
    /// The part of a sum outside of which all terms are zero, where it is smaller than the whole.
    pub(crate) fn nonzero_part(
        &mut self,
        fold: &Combination<'_, 'p>,
        whole: &Extents,
        (code, values): (CodeId, &[ValueId]),
    ) -> Option<Extents> {
        let asked = self.options.fuse && self.options.contract;
        let &[value] = values else {
            return None;
        };
        let limits = match asked {
            true => self.limits(code, value),
            false => return None,
        };
        if limits.is_empty() || !self.is_sum_from_zero(fold) {
            return None;
        }
        let mut part = whole.clone();
        for (axis, limit) in limits {
            let rank = part.outer.len();
            // What several dimensions are reduced at is a position in the whole.
            let extent = match axis.checked_sub(rank) {
                None => &mut part.outer[axis],
                Some(0) if part.inner.len() == 1 => &mut part.inner[0],
                Some(_) => continue,
            };
            *extent = self.codes.host_prim(Prim::Min, &[*extent, limit]);
        }
        (part != *whole).then_some(part)
    }

    fn is_sum_from_zero(&mut self, fold: &Combination<'_, 'p>) -> bool {
        let init = fold.init.map(|init| self.closed(init));
        let init = init.as_deref().and_then(|init| init.first().copied());
        let zero = init.and_then(|init| self.codes.as_const(HOST, init.0));
        zero.is_some_and(is_positive_zero) && self.operator(fold.f).as_prim() == Some(Prim::Add)
    }

    /// Coordinates, and what they are below wherever a value is not zero. None of the limits is negative.
    fn limits(&mut self, code: CodeId, mut value: ValueId) -> Vec<(usize, HostValue)> {
        let mut limits = vec![];
        while let Some((guard, inside)) = self.zero_unless(code, value) {
            for condition in self.codes.conjuncts(code, guard) {
                limits.extend(self.limit(code, condition));
            }
            value = inside;
        }
        limits
    }

    /// A condition without which a value is zero, and what it is where that holds.
    fn zero_unless(&self, code: CodeId, value: ValueId) -> Option<(ValueId, ValueId)> {
        let op = self.codes.op(code, value);
        let &[condition, inside, outside] = op.operands_of(Prim::Select)?;
        let zero = self.codes.as_const(code, outside)?;
        is_positive_zero(zero).then_some((condition, inside))
    }

    /// The coordinate that a condition requires to be below something that the host knows.
    fn limit(&mut self, code: CodeId, condition: ValueId) -> Option<(usize, HostValue)> {
        let inequality = Inequality::of(self.codes.op(code, condition))?;
        let small = inequality.is_strict.then_some(inequality.small)?;
        let axis = self.codes.op(code, small).as_coord()? as usize;
        let limit = self.codes.as_host(code, inequality.large)?;
        (self.codes.range(HOST, limit.0).low >= 0).then_some((axis, limit))
    }

    /// Emits the kernel of a part of a fold, and notes that the rest is zero. Whether that was done: where the
    /// part's results are fewer, it pays for contractions only, since somebody must pad the results.
    pub(crate) fn fold_part(&mut self, fold: &Combination<'_, 'p>, part: &Extents) -> bool {
        let (code, values) = self.fold_values(fold, part);
        let same_results = self.extents(fold.let_.binds[0].name) == part.outer;
        let is_product = matches!(
            self.codes.op(code, values[0]),
            Op::Prim(Prim::Mul | Prim::Div | Prim::Neg | Prim::Add, _)
        );
        if !same_results && !is_product {
            self.codes.close(code);
            return false;
        }
        let kind = self.fold_kernel(fold, part, (code, &values));
        if !same_results && !matches!(kind, KernelKind::Contract { .. }) {
            self.codes.close(code);
            return false;
        }
        self.codes.fire("fold of what is not padded");
        let space = self.symbols(&part.outer);
        self.emit(code, Self::site_of(fold.let_), space, kind);
        true
    }

    /// The arrays of a fold's results over some extents, those of the results or smaller ones.
    pub(crate) fn fold_outputs(
        &mut self,
        let_: &'p AccLet<Labelled>,
        values: &[ValueId],
        extents: &[HostValue],
    ) -> Vec<Output> {
        let mut outputs = vec![];
        for (bind, &value) in let_.binds.iter().zip(values) {
            let (storage, array) = match self.extents(bind.name) == extents {
                true => {
                    let array = self.own_array(bind.name, let_);
                    (Storage::Manifest(array), array)
                }
                false => {
                    let origin = Origin::Kernel(self.steps.depth());
                    let site = Self::site_of(let_);
                    let array = self.array(bind.ty.elem, extents.to_vec(), site, origin);
                    self.reasons.made_for(array, Kept::Fold);
                    (Storage::Padded(let_, array), array)
                }
            };
            self.store(bind.name, storage);
            outputs.push(Output { value, array });
        }
        outputs
    }

    /// An element of an array of which `part` is in memory: a load under the condition that the index is in it.
    pub(crate) fn padded(
        &mut self,
        code: CodeId,
        (array, part): (ArrId, ArrayId),
        index: &[ValueId],
        mut guard: Option<ValueId>,
        site: SiteId,
    ) -> ValueId {
        let within = self.arrays[part.index()].extents.clone();
        let whole = self.extents(array).to_vec();
        for ((&at, &limit), extent) in index.iter().zip(&within).zip(whole) {
            if limit != extent {
                let limit = self.codes.leaf(code, limit);
                let inside = self.codes.prim(code, Prim::Lt, &[at, limit]);
                guard = self.codes.guard_and(code, guard, inside);
            }
        }
        let elem = self.elem(array);
        self.codes
            .load(code, (part, elem), &within, index, guard, site)
    }
}

/// Whether adding it changes nothing but −0.
fn is_positive_zero(value: Const) -> bool {
    match value {
        Const::F64(x) => x.to_bits() == 0,
        Const::F16(x) => x.to_bits() == 0,
        Const::F32(x) => x.to_bits() == 0,
        Const::I32(x) => x == 0,
        Const::I64(x) => x == 0,
        Const::U32(x) => x == 0,
        Const::Bool(_) => false,
    }
}
