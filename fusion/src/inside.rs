//! Tests of indices into arrays that are not in memory.
//!
//! A load tests its index, unless that is proved to be in range; an element that is computed where it is read
//! must fail like one that is loaded. So where the index is not proved, a load stands beside the code of the
//! element: from an array of the same extents, a view with stride 0 of a single zero. It costs no memory, and
//! reports what any load reports. That it gives zero is not known to the passes: an element out of range may be
//! anything, and what depends on the element depends on the load.
//!
//! Code that no user wrote reads adjoints of what the user's code has read, at the same places, and under the
//! same conditions; the user's reads are those that are tested.

use crate::code::{CodeId, Codes, HOST, HostValue};
use crate::env::{Environment, Storage};
use crate::inline::Inliner;
use crate::shapes::intersection;
use crate::slice;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Op, SiteId, ValueId};
use cotangent_core::term::{AccLet, AccOp, ArrId};
use cotangent_core::types::ScalarType;

impl Inliner<'_, '_> {
    /// The element of `array` at `index`, which was computed as `value`, tested as a load would be.
    pub(crate) fn tested(
        &mut self,
        code: CodeId,
        (array, value): (ArrId, ValueId),
        index: &[ValueId],
        guard: Option<ValueId>,
        site: SiteId,
    ) -> ValueId {
        let extents = self.env.extents(array);
        let derived = self.draft.sites.is_derived(site);
        let (open, within) = untested(self.env, array, index);
        let codes = &mut self.draft.codes;
        if derived || codes.is_in_range(code, &open, &within, guard) {
            return value;
        }
        if is_tested(self.env, codes, array) || codes.is_untestable(code, index) {
            return value;
        }
        codes.fire("test index of computed element");
        let (extents, index) = match extents.iter().all(|&e| codes.is_known_everywhere(e)) {
            true => (extents.to_vec(), index.to_vec()),
            false => codes.test_in_one_dimension(code, extents, index),
        };
        let ty = codes.type_of(code, value);
        let of = (self.draft.view_of_zero(ty, extents.clone()), ty);
        let codes = &mut self.draft.codes;
        let loaded = codes.load(code, of, &extents, &index, guard, site);
        // Where the value is `true`, that of a selection would be `true` whatever is loaded.
        if ty == ScalarType::Bool {
            return codes.prim(code, Prim::Ne, &[value, loaded]);
        }
        let zero = codes.constant(code, Const::zero(ty));
        let is_zero = codes.prim(code, Prim::Eq, &[loaded, zero]);
        codes.prim(code, Prim::Select, &[is_zero, value, loaded])
    }
}

/// Whether the code of an element of a delayed array tests the index itself, as it reads arrays at it that
/// have no other elements in common.
fn is_tested(env: &Environment<'_>, codes: &mut Codes, array: ArrId) -> bool {
    match env.storage(array) {
        Storage::Manifest(_) | Storage::Known(..) => true,
        Storage::Padded(..) => false,
        Storage::Delayed(let_, result) => match &let_.op {
            AccOp::Map { f, args } => {
                let needed = slice::needed(f, &[result]);
                let params = f.params.iter().zip(args);
                let read = params.filter(|(p, _)| needed.contains(&p.name));
                let read: Vec<ArrId> = read.map(|(_, &a)| a).collect();
                !read.is_empty() && intersection(env, codes, &read) == env.extents(array)
            }
            AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Move { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Append { .. }
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => false,
        },
    }
}

/// The coordinates that the code of an element does not test itself, and their extents: of what is moved, those that
/// are none of the argument's.
fn untested(
    env: &Environment<'_>,
    array: ArrId,
    index: &[ValueId],
) -> (Vec<ValueId>, Vec<HostValue>) {
    let pairs = index
        .iter()
        .copied()
        .zip(env.extents(array).iter().copied());
    match env.storage(array) {
        Storage::Delayed(
            AccLet {
                op: AccOp::Move { how, .. },
                ..
            },
            _,
        ) => {
            let pairs = pairs.zip(how.keeps_coordinates(index.len()));
            let pairs = pairs.filter(|(_, kept)| !kept);
            pairs.map(|(pair, _)| pair).unzip()
        }
        Storage::Delayed(..) | Storage::Manifest(_) => pairs.unzip(),
        Storage::Padded(..) | Storage::Known(..) => pairs.unzip(),
    }
}

impl Codes {
    /// Operators of folds load by way of the host only.
    fn is_untestable(&mut self, code: CodeId, index: &[ValueId]) -> bool {
        let is_operator = self[code].is_operator();
        let mut depends = index.iter().map(|&v| self.as_host(code, v).is_none());
        is_operator && depends.any(|depends| depends)
    }

    /// Whether an extent has a symbol in all of the program, or in all of the branch that is being lowered.
    fn is_known_everywhere(&self, extent: HostValue) -> bool {
        self.is_pure(extent) || matches!(self.op(HOST, extent.0), Op::Symbol(_))
    }

    /// Extents and an index that is inside of them where the given one is.
    fn test_in_one_dimension(
        &mut self,
        code: CodeId,
        extents: &[HostValue],
        index: &[ValueId],
    ) -> (Vec<HostValue>, Vec<ValueId>) {
        let [zero, one] = [0, 1].map(|i| self.constant(code, i));
        let mut place = zero;
        for (&extent, &i) in extents.iter().zip(index) {
            let extent = self.leaf(code, extent);
            let low = self.prim(code, Prim::Ge, &[i, zero]);
            let high = self.prim(code, Prim::Lt, &[i, extent]);
            for inside in [low, high] {
                place = self.prim(code, Prim::Select, &[inside, place, one]);
            }
        }
        (vec![self.host_constant(1)], vec![place])
    }
}
