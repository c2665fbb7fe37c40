//! The environment: what is known of the arrays of the program at the point that lowering has reached.
//!
//! It is asked by everybody and changed in few ways. An array is *defined* once, with its extents; where its elements are
//! is told by the operation that makes it, and again when a delayed array comes into memory later. That is forgotten at
//! the end of the branch in which it happens, as what follows may run without it.

use crate::code::HostValue;
use crate::cost;
use cotangent_core::schedule::ArrayId;
use cotangent_core::term::{AccLet, ArrId, Labelled};
use cotangent_core::types::ScalarType;
use std::collections::{HashMap, HashSet};

/// Where the elements of an array of the program are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Storage<'p> {
    /// In memory.
    Manifest(ArrayId),
    /// Nowhere: a result of this operation is computed where it is read.
    Delayed(&'p AccLet<Labelled>, usize),
    /// Nowhere: the only element is a value of the host, which this operation makes.
    Known(&'p AccLet<Labelled>, HostValue),
    /// A part of it is in memory, from which the other elements follow. This operation has made it (`padded.rs`).
    Padded(&'p AccLet<Labelled>, PartId),
}

/// Names a [`Part`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartId(usize);

/// What is in memory of an array of which that is not all.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The memory.
    pub array: ArrayId,
    /// The dimensions of the whole that `array` has. Along the others, elements are the same.
    pub kept: Vec<usize>,
    /// For each dimension of the whole: where the elements end that need not be zero.
    pub limits: Vec<HostValue>,
}

/// What is known of one array.
#[derive(Debug)]
struct Info<'p> {
    elem: ScalarType,
    extents: Vec<HostValue>,
    storage: Storage<'p>,
    /// The cost of an element, while it is delayed.
    cost: u64,
    /// The number of delayed arrays nested in this one, while it is delayed.
    depth: usize,
}

/// What is known of all arrays.
#[derive(Debug, Default)]
pub(crate) struct Environment<'p> {
    infos: HashMap<ArrId, Info<'p>>,
    /// Arrays that came into memory after their definition, and what their storage was.
    changes: Vec<(ArrId, Storage<'p>)>,
    /// What [`Storage::Padded`] arrays have in memory.
    parts: Vec<Part>,
    /// Arrays in the memory of what loops carry, and permutes that may write into it, by their first results.
    updated: HashSet<(ArrId, ArrId)>,
    /// The memory that loops carry.
    carried: HashSet<ArrayId>,
}

/// What is known.
impl<'p> Environment<'p> {
    /// Where the elements of an array are.
    pub(crate) fn storage(&self, array: ArrId) -> Storage<'p> {
        self.infos[&array].storage
    }

    /// The extents of an array.
    pub(crate) fn extents(&self, array: ArrId) -> &[HostValue] {
        &self.infos[&array].extents
    }

    /// The same, if anything is known of it: arrays that nobody reads are not defined.
    pub(crate) fn known_extents(&self, array: ArrId) -> Option<&[HostValue]> {
        self.infos.get(&array).map(|info| info.extents.as_slice())
    }

    /// The type of an array's elements.
    pub(crate) fn elem(&self, array: ArrId) -> ScalarType {
        self.infos[&array].elem
    }

    /// What it costs to have an element of an array.
    pub(crate) fn cost(&self, array: ArrId) -> u64 {
        match self.infos.get(&array).map(|info| (info.storage, info.cost)) {
            Some((Storage::Delayed(..), cost)) => cost,
            Some((Storage::Known(..), _)) => 0,
            Some((Storage::Manifest(_) | Storage::Padded(..), _)) | None => cost::LOAD,
        }
    }

    /// The number of delayed arrays nested in an array, itself included.
    pub(crate) fn depth(&self, array: ArrId) -> usize {
        match self
            .infos
            .get(&array)
            .map(|info| (info.storage, info.depth))
        {
            Some((Storage::Delayed(..), depth)) => depth,
            Some((Storage::Manifest(_) | Storage::Padded(..) | Storage::Known(..), _)) => 0,
            // What nobody needs is captured by code that nobody needs, and was not lowered.
            None => 0,
        }
    }

    /// What is in memory of a padded array.
    pub(crate) fn part(&self, PartId(part): PartId) -> &Part {
        &self.parts[part]
    }

    /// Whether a permute may write into the memory of `default`, which a loop carries.
    pub(crate) fn is_updated(&self, default: ArrId, permute: &AccLet<Labelled>) -> bool {
        self.updated.contains(&(default, permute.binds[0].name))
    }
}

/// What becomes known.
impl<'p> Environment<'p> {
    /// Makes an array known.
    pub(crate) fn define(
        &mut self,
        array: ArrId,
        elem: ScalarType,
        extents: Vec<HostValue>,
        storage: Storage<'p>,
    ) {
        let info = Info {
            elem,
            extents,
            storage,
            cost: cost::LOAD,
            depth: 0,
        };
        self.infos.insert(array, info);
    }

    /// Notes what an element of a delayed array costs, and how many of those are nested.
    pub(crate) fn note_cost(&mut self, array: ArrId, cost: u64, depth: usize) {
        if let Some(info) = self.infos.get_mut(&array) {
            (info.cost, info.depth) = (cost, depth);
        }
    }

    /// Notes in what memory an array is that was just defined.
    pub(crate) fn place(&mut self, array: ArrId, id: ArrayId) {
        self.store(array, Storage::Manifest(id));
    }

    /// The same for an array of which only a part is in memory, a result of `let_`.
    pub(crate) fn pad(&mut self, array: ArrId, let_: &'p AccLet<Labelled>, part: Part) {
        self.parts.push(part);
        let part = PartId(self.parts.len() - 1);
        self.store(array, Storage::Padded(let_, part));
    }

    fn store(&mut self, array: ArrId, storage: Storage<'p>) {
        if let Some(info) = self.infos.get_mut(&array) {
            info.storage = storage;
        }
    }

    /// Notes that a delayed array is in memory from here on, within the current branch.
    pub(crate) fn keep(&mut self, array: ArrId, id: ArrayId) {
        if let Some(info) = self.infos.get_mut(&array) {
            self.changes.push((array, info.storage));
            info.storage = Storage::Manifest(id);
        }
    }

    /// Notes in the memory of which arrays a permute may write, and which one.
    pub(crate) fn may_update(&mut self, updated: HashSet<(ArrId, ArrId)>) {
        self.updated.extend(updated);
    }

    /// Notes memory that a loop carries.
    pub(crate) fn carry(&mut self, memory: ArrayId) {
        self.carried.insert(memory);
    }

    /// Whether a loop carries that memory.
    pub(crate) fn is_carried(&self, memory: ArrayId) -> bool {
        self.carried.contains(&memory)
    }

    /// The number of arrays that came into memory late, to be handed to [`Self::undo`].
    pub(crate) fn mark(&self) -> usize {
        self.changes.len()
    }

    /// Forgets what has come into memory late since `mark`.
    pub(crate) fn undo(&mut self, mark: usize) {
        for (array, storage) in self.changes.split_off(mark).into_iter().rev() {
            self.store(array, storage);
        }
    }
}
