//! Folds of which a part tells all results.
//!
//! # Sums that are zero outside of a part
//!
//! They are the adjoints of arrays that were zipped with smaller ones.
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
//!
//! # Folds that are the same along a dimension
//!
//! What a fold combines may not depend on one of the coordinates of its results: Σⱼ xₖⱼ at (i, k), as the adjoint of a factor of a
//! matrix product whose elements are all added up. Such a fold is made without that dimension, and its results are replicated
//! where they are read, which is the same storage with fewer dimensions.
//!
//! Note \[Soundness, same\]: where the dimension is empty, the fold without it reads what the program does not. So it must read at plain
//! coordinates, which are in range whatever that extent is, and without tests.

use crate::code::{CodeId, HOST, HostValue};
use crate::kernels::{Combination, Extents};
use crate::lower::{Lowering, Storage};
use crate::memory::Origin;
use cotangent_core::algebra::Inequality;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::schedule::{ArrayId, Body, KernelKind, Op, Output, SiteId, ValueId};
use cotangent_core::term::{AccLet, ArrId, Labelled};

/// Names a [`Part`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartId(usize);

/// What is in memory of an array.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    array: ArrayId,
    /// The dimensions of the whole that `array` has. Along the others, elements are the same.
    kept: Vec<usize>,
    /// For each dimension of the whole: where the elements end that need not be zero.
    limits: Vec<HostValue>,
}

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
        let inequality = Inequality::of(self.codes.op(code, condition).as_prim()?)?;
        let small = inequality.is_strict.then_some(inequality.small)?;
        let axis = self.codes.op(code, small).as_coord()? as usize;
        let limit = self.codes.as_host(code, inequality.large)?;
        (self.codes.range(HOST, limit.0).low >= 0).then_some((axis, limit))
    }

    /// Emits the kernel of a part of a fold, and notes that the rest is zero. Whether that was done: where the part's results are
    /// fewer, somebody must pad them, so it pays for contractions, and for folds that are the same along a dimension.
    pub(crate) fn fold_part(&mut self, fold: &Combination<'_, 'p>, part: &Extents) -> bool {
        let (code, values) = self.fold_values(fold, part);
        let rank = part.outer.len();
        let same_results = self.extents(fold.let_.binds[0].name) == part.outer;
        let kept = self.kept_dimensions(self.codes[code].body(), &values, rank);
        let is_product = matches!(
            self.codes.op(code, values[0]),
            Op::Prim(Prim::Mul | Prim::Div | Prim::Neg | Prim::Add, _)
        );
        let pays = same_results || kept.len() < rank;
        if !pays && !is_product {
            self.codes.close(code);
            return false;
        }
        let (space, kind) = self.fold_kernel(fold, part, (code, &values));
        if !pays && !matches!(kind, KernelKind::Contract { .. }) {
            self.codes.close(code);
            return false;
        }
        self.codes.fire("fold of what is not padded");
        self.emit(code, Self::site_of(fold.let_), space, kind);
        true
    }

    /// The first `rank` dimensions, those of the results, but for those along which what a fold combines is the same.
    pub(crate) fn kept_dimensions(
        &self,
        body: &Body,
        values: &[ValueId],
        rank: usize,
    ) -> Vec<usize> {
        let all = body.dependencies();
        let deps = values.iter().fold(0, |deps, v| deps | all[v.index()]);
        let may_drop = self.options.fuse && rank < MAX_RANK && reads_at_coordinates(body, values);
        let is_kept = |&axis: &usize| !may_drop || deps >> axis & 1 == 1;
        (0..rank).filter(is_kept).collect()
    }

    /// The arrays of a fold's results over some extents, those of the results or smaller ones, with the given dimensions alone.
    pub(crate) fn fold_outputs(
        &mut self,
        let_: &'p AccLet<Labelled>,
        values: &[ValueId],
        (limits, kept): (&[HostValue], &[usize]),
    ) -> Vec<Output> {
        let extents: Vec<_> = kept.iter().map(|&axis| limits[axis]).collect();
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
                    let array = self.array(bind.ty.elem, extents.clone(), site, origin);
                    self.reasons.made_for(array, Kept::Fold);
                    self.parts.push(Part {
                        array,
                        kept: kept.to_vec(),
                        limits: limits.to_vec(),
                    });
                    let part = PartId(self.parts.len() - 1);
                    (Storage::Padded(let_, part), array)
                }
            };
            self.store(bind.name, storage);
            outputs.push(Output { value, array });
        }
        outputs
    }

    /// An element of an array of which `part` is in memory: a load under the condition that the index is within its limits.
    pub(crate) fn padded(
        &mut self,
        code: CodeId,
        (array, PartId(part)): (ArrId, PartId),
        index: &[ValueId],
        mut guard: Option<ValueId>,
        site: SiteId,
    ) -> ValueId {
        let Part {
            array: part,
            kept,
            limits,
        } = self.parts[part].clone();
        let whole = self.extents(array).to_vec();
        for ((&at, &limit), extent) in index.iter().zip(&limits).zip(whole) {
            if limit != extent {
                let limit = self.codes.leaf(code, limit);
                let inside = self.codes.prim(code, Prim::Lt, &[at, limit]);
                guard = self.codes.guard_and(code, guard, inside);
            }
        }
        let elem = self.elem(array);
        let within: Vec<_> = kept.iter().map(|&axis| limits[axis]).collect();
        let index: Vec<_> = kept.iter().map(|&axis| index[axis]).collect();
        self.codes
            .load(code, (part, elem), &within, &index, guard, site)
    }
}

/// The number of dimensions that a set of bits can tell apart.
const MAX_RANK: usize = u64::BITS as usize;

/// Numbers the coordinates anew: of the first `rank` ones, those that are kept.
pub(crate) fn drop_dimensions(body: &mut Body, kept: &[usize], rank: usize) {
    body.change(|op| {
        if let Op::Coord(axis) = op {
            let outer = kept.iter().position(|&k| k == *axis as usize);
            let inner = (*axis as usize).checked_sub(rank);
            let inner = inner.map(|inner| kept.len() + inner);
            // What is not kept is not needed.
            *axis = outer.or(inner).unwrap_or(0) as u32;
        }
    });
}

/// Whether all that the values load is at coordinates, and without tests: it is there whatever other coordinates there are.
pub(crate) fn reads_at_coordinates(body: &Body, values: &[ValueId]) -> bool {
    let is_coord = |v: &ValueId| body.op(*v).as_coord().is_some();
    body.needed(values)
        .all(|(_, inst)| match inst.op.as_load() {
            Some(load) => load.site.is_none() && load.index.iter().all(is_coord),
            None => inst.op.reads().is_empty(),
        })
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
