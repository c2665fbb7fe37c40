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

use crate::code::{CodeId, HOST, HostValue};
use crate::lower::{Lowering, Storage};
use crate::memory::{Array, Origin};
use crate::slice;
use cotangent_core::backend::Site;
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::loc::Loc;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{ArrayId, Layout, Offset, Op, SiteId, ValueId};
use cotangent_core::term::{AccLet, AccOp, ArrId};
use cotangent_core::types::ScalarType;
use std::collections::{BTreeMap, HashMap};

/// The arrays that tests load from.
#[derive(Debug, Default)]
pub(crate) struct Inside {
    /// The single zeros, host arrays, by their types.
    zeros: BTreeMap<ScalarType, ArrayId>,
    /// Their views, by their extents.
    views: HashMap<(ScalarType, Vec<HostValue>), ArrayId>,
}

impl Inside {
    /// The host arrays that the schedule needs for it.
    pub(crate) fn host_arrays(&self) -> impl Iterator<Item = (ArrayId, HostArray)> {
        self.zeros.iter().filter_map(|(&ty, &id)| {
            let zero = Column::from_consts(ty, [Const::zero(ty)])?;
            Some((id, HostArray::new(vec![], zero).ok()?))
        })
    }
}

impl Lowering<'_> {
    /// The element of `array` at `index`, which was computed as `value`, tested as a load would be.
    pub(crate) fn tested(
        &mut self,
        code: CodeId,
        (array, value): (ArrId, ValueId),
        index: &[ValueId],
        guard: Option<ValueId>,
        site: SiteId,
    ) -> ValueId {
        let extents = self.extents(array).to_vec();
        let derived = self.is_derived(site);
        let (open, within) = self.untested(array, index, &extents);
        if derived || self.codes.is_in_range(code, &open, &within, guard) {
            return value;
        }
        if self.is_tested(array) || self.is_untestable(code, index) {
            return value;
        }
        self.codes.fire("test index of computed element");
        let known = |&e: &HostValue| self.is_known_everywhere(e);
        let (extents, index) = match extents.iter().all(known) {
            true => (extents, index.to_vec()),
            false => self.test_in_one_dimension(code, &extents, index),
        };
        let ty = self.codes.type_of(code, value);
        let of = (self.view_of_zero(ty, extents.clone()), ty);
        let loaded = self.codes.load(code, of, &extents, &index, guard, site);
        // Where the value is `true`, that of a selection would be `true` whatever is loaded.
        if ty == ScalarType::Bool {
            return self.codes.prim(code, Prim::Ne, &[value, loaded]);
        }
        let zero = self.codes.constant(code, Const::zero(ty));
        let is_zero = self.codes.prim(code, Prim::Eq, &[loaded, zero]);
        self.codes
            .prim(code, Prim::Select, &[is_zero, value, loaded])
    }

    /// Whether no user wrote what is at `site`.
    pub(crate) fn is_derived(&self, site: SiteId) -> bool {
        self.sites[site.index()].loc == Loc::UNKNOWN
    }

    /// Whether the code of an element of a delayed array tests the index itself, as it reads arrays at it that
    /// have no other elements in common.
    fn is_tested(&mut self, array: ArrId) -> bool {
        match self.storage(array) {
            Storage::Manifest(_) | Storage::Known(..) => true,
            Storage::Padded(..) => false,
            Storage::Delayed(let_, result) => match &let_.op {
                AccOp::Map { f, args } => {
                    let needed = slice::needed(f, &[result]);
                    let params = f.params.iter().zip(args);
                    let read = params.filter(|(p, _)| needed.contains(&p.name));
                    let read: Vec<ArrId> = read.map(|(_, &a)| a).collect();
                    !read.is_empty() && self.intersection(&read) == self.extents(array)
                }
                AccOp::Use(_)
                | AccOp::Generate { .. }
                | AccOp::Fold { .. }
                | AccOp::Scan { .. }
                | AccOp::Move { .. }
                | AccOp::Permute { .. }
                | AccOp::Unpack { .. }
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
        &self,
        array: ArrId,
        index: &[ValueId],
        extents: &[HostValue],
    ) -> (Vec<ValueId>, Vec<HostValue>) {
        let pairs = index.iter().copied().zip(extents.iter().copied());
        match self.storage(array) {
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

    /// Operators of folds load by way of the host only.
    fn is_untestable(&mut self, code: CodeId, index: &[ValueId]) -> bool {
        let is_operator = self.codes[code].is_operator();
        let mut depends = index.iter().map(|&v| self.codes.as_host(code, v).is_none());
        is_operator && depends.any(|depends| depends)
    }

    /// Whether an extent has a symbol in all of the program, or in all of the branch that is being lowered.
    fn is_known_everywhere(&self, extent: HostValue) -> bool {
        self.codes.is_pure(extent) || matches!(self.codes.op(HOST, extent.0), Op::Symbol(_))
    }

    /// Extents and an index that is inside of them where the given one is.
    fn test_in_one_dimension(
        &mut self,
        code: CodeId,
        extents: &[HostValue],
        index: &[ValueId],
    ) -> (Vec<HostValue>, Vec<ValueId>) {
        let [zero, one] = [0, 1].map(|i| self.codes.constant(code, i));
        let mut place = zero;
        for (&extent, &i) in extents.iter().zip(index) {
            let extent = self.codes.leaf(code, extent);
            let low = self.codes.prim(code, Prim::Ge, &[i, zero]);
            let high = self.codes.prim(code, Prim::Lt, &[i, extent]);
            for inside in [low, high] {
                place = self.codes.prim(code, Prim::Select, &[inside, place, one]);
            }
        }
        (vec![self.codes.host_constant(1)], vec![place])
    }

    /// An array of these extents, all of whose elements are one zero.
    fn view_of_zero(&mut self, ty: ScalarType, extents: Vec<HostValue>) -> ArrayId {
        let key = (ty, extents);
        if let Some(&known) = self.inside.views.get(&key) {
            return known;
        }
        let site = Site {
            construct: "at",
            loc: Default::default(),
        };
        let of = match self.inside.zeros.get(&ty) {
            Some(&zero) => zero,
            None => {
                let zero = self.input(ty, vec![], site);
                *self.inside.zeros.entry(ty).or_insert(zero)
            }
        };
        let view = self.array(ty, key.1.clone(), site, Origin::Given);
        let Array { layout, .. } = &mut self.arrays[view.index()];
        *layout = Layout::View {
            of,
            offset: Offset::default(),
            stride: 0,
        };
        self.inside.views.insert(key, view);
        view
    }
}
