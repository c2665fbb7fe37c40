//! The arrays that tests of indices load from (`inside.rs`): single zeros, and views in which they have any extents.

use crate::code::HostValue;
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::schedule::ArrayId;
use cotangent_core::types::ScalarType;
use std::collections::{BTreeMap, HashMap};

/// The zeros that there are.
#[derive(Debug, Default)]
pub(crate) struct Zeros {
    /// The single zeros, host arrays, by their types.
    single: BTreeMap<ScalarType, ArrayId>,
    /// Their views, by their extents.
    views: HashMap<(ScalarType, Vec<HostValue>), ArrayId>,
}

impl Zeros {
    /// The single zero of a type.
    pub(crate) fn single(&self, ty: ScalarType) -> Option<ArrayId> {
        self.single.get(&ty).copied()
    }

    /// The view of it that has these extents.
    pub(crate) fn view(&self, ty: ScalarType, extents: &[HostValue]) -> Option<ArrayId> {
        self.views.get(&(ty, extents.to_vec())).copied()
    }

    /// Notes a single zero.
    pub(crate) fn note_single(&mut self, ty: ScalarType, zero: ArrayId) {
        self.single.insert(ty, zero);
    }

    /// Notes a view.
    pub(crate) fn note_view(&mut self, ty: ScalarType, extents: Vec<HostValue>, view: ArrayId) {
        self.views.insert((ty, extents), view);
    }

    /// The host arrays that the schedule needs for them.
    pub(crate) fn host_arrays(&self) -> impl Iterator<Item = (ArrayId, HostArray)> {
        self.single.iter().filter_map(|(&ty, &id)| {
            let zero = Column::from_consts(ty, [Const::zero(ty)])?;
            Some((id, HostArray::new(vec![], zero).ok()?))
        })
    }
}
