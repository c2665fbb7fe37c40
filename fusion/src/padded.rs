//! Folds of which a part tells all results.
//!
//! # Sums that are zero outside of a part
//!
//! They are the adjoints of arrays that were zipped with smaller ones.
//!
//! `zip_with` takes what its arguments have in common, so their adjoints are padded with zeros to the extents that
//! the arguments have; a product of matrices zips replicated ones, and what adds up the adjoints of a replicated
//! one adds up `select [i < n, x·y, 0]`. Such a fold is made for the part alone in which nothing was padded:
//! [`Codes::limits`] reads from the code of the elements which coordinates are below what, the extents of
//! the fold become the minima of those and its own, and its code is written again for them, where all tests of
//! those conditions are known to hold. Then the product stands by itself, and the fold is a contraction.
//!
//! Its results are *padded* where they are read ([`Storage::Padded`](crate::env::Storage::Padded)): a load under the condition that the index
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

use crate::code::{CodeId, Codes, HOST, HostValue};
use crate::env::{Part, PartId};
use crate::inline::Inliner;
use cotangent_core::algebra::Inequality;
use cotangent_core::constant::Const;
use cotangent_core::integer_const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Op, SiteId, ValueId};
use cotangent_core::term::ArrId;

impl Codes {
    /// Coordinates, and what they are below wherever a value is not zero. None of the limits is negative.
    pub(crate) fn limits(&mut self, code: CodeId, mut value: ValueId) -> Vec<(usize, HostValue)> {
        let mut limits = vec![];
        while let Some((guard, inside)) = self.zero_unless(code, value) {
            for condition in self.conjuncts(code, guard) {
                limits.extend(self.limit(code, condition));
            }
            value = inside;
        }
        limits
    }

    /// A condition without which a value is zero, and what it is where that holds.
    fn zero_unless(&self, code: CodeId, value: ValueId) -> Option<(ValueId, ValueId)> {
        let op = self.op(code, value);
        let &[condition, inside, outside] = op.operands_of(Prim::Select)?;
        let zero = self.as_const(code, outside)?;
        is_positive_zero(zero).then_some((condition, inside))
    }

    /// The coordinate that a condition requires to be below something that the host knows.
    fn limit(&mut self, code: CodeId, condition: ValueId) -> Option<(usize, HostValue)> {
        let inequality = Inequality::of(self.op(code, condition).as_prim()?)?;
        let small = inequality.is_strict.then_some(inequality.small)?;
        let axis = self.op(code, small).as_coord()? as usize;
        let limit = self.as_host(code, inequality.large)?;
        (self.range(HOST, limit.0).low >= 0).then_some((axis, limit))
    }
}

impl Inliner<'_, '_> {
    /// An element of an array of which `part` is in memory: a load under the condition that the index is within its limits.
    pub(crate) fn padded(
        &mut self,
        code: CodeId,
        (array, part): (ArrId, PartId),
        index: &[ValueId],
        mut guard: Option<ValueId>,
        site: SiteId,
    ) -> ValueId {
        let Part {
            array: part,
            kept,
            limits,
        } = self.env.part(part);
        let whole = self.env.extents(array);
        let codes = &mut self.draft.codes;
        // A load at no coordinate is in range whatever these are, and so is none that a condition keeps inside.
        let mut among_dropped = None;
        for (axis, (&at, &limit)) in index.iter().zip(limits).enumerate() {
            if limit != whole[axis] {
                let limit = codes.leaf(code, limit);
                let inside = codes.prim(code, Prim::Lt, &[at, limit]);
                let condition = match kept.contains(&axis) {
                    true => &mut guard,
                    false => &mut among_dropped,
                };
                *condition = codes.guard_and(code, *condition, inside);
            }
        }
        let within: Vec<_> = kept.iter().map(|&axis| limits[axis]).collect();
        let index: Vec<_> = kept.iter().map(|&axis| index[axis]).collect();
        let elem = self.env.elem(array);
        let value = codes.load(code, (*part, elem), &within, &index, guard, site);
        match among_dropped {
            Some(inside) => {
                let zero = codes.constant(code, Const::zero(elem));
                codes.prim(code, Prim::Select, &[inside, value, zero])
            }
            None => value,
        }
    }
}

/// The number of dimensions that a set of bits can tell apart.
const MAX_RANK: usize = u64::BITS as usize;

/// The first `rank` dimensions, those of the results, but for those along which what a fold combines is the same.
pub(crate) fn kept_dimensions(
    fuse: bool,
    (body, values): (&Body, &[ValueId]),
    rank: usize,
) -> Vec<usize> {
    let all = body.dependencies();
    let deps = values.iter().fold(0, |deps, v| deps | all[v.index()]);
    let may_drop = fuse && rank < MAX_RANK && reads_at_coordinates(body, values);
    let is_kept = |&axis: &usize| !may_drop || deps >> axis & 1 == 1;
    (0..rank).filter(is_kept).collect()
}

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
pub(crate) fn is_positive_zero(value: Const) -> bool {
    match value {
        Const::F64(x) => x.to_bits() == 0,
        Const::F16(x) => x.to_bits() == 0,
        Const::F32(x) => x.to_bits() == 0,
        integer_const!() => value.is_zero(),
        Const::Bool(_) => false,
    }
}
