//! Kernels of maps that wait, and how independent ones over one index space share a kernel.
//!
//! A map that must be written is not written at once but joins a *group* of maps over the same extents. A
//! group becomes a kernel when somebody reads memory that a group has yet to write. What a group stores is
//! known within it, so a map may also join the maps it depends on, if it reads at its own coordinates.

use crate::code::{CodeId, Codes, HostValue};
use crate::cost::MAX_SHARED_INSTS;
use crate::memory::Memory;
use crate::sites::site_of;
use cotangent_core::backend::Site;
use cotangent_core::schedule::{ArrayId, Output, ValueId};
use cotangent_core::term::{AccLet, ArrId, Labelled};

/// Maps over one index space, not yet written.
#[derive(Debug)]
pub(crate) struct Group {
    pub code: CodeId,
    pub space: Vec<HostValue>,
    pub site: Site,
    pub outputs: Vec<Output>,
}

/// All maps that wait.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    waiting: Vec<Group>,
}

/// What a map stores.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item<'p> {
    /// A result of an operation.
    Result(&'p AccLet<Labelled>, usize),
    /// The elements of an array that exists, for the given operation.
    Copy(ArrId, &'p AccLet<Labelled>),
    /// The elements of memory, for the given operation.
    Move(ArrayId, &'p AccLet<Labelled>),
}

impl Item<'_> {
    /// The operation.
    pub(crate) fn site(&self) -> Site {
        match self {
            Self::Result(let_, _) | Self::Copy(_, let_) | Self::Move(_, let_) => site_of(let_),
        }
    }
}

impl Group {
    /// A group that nothing has joined yet.
    pub(crate) fn new(code: CodeId, space: &[HostValue], site: Site) -> Self {
        Self {
            code,
            space: space.to_vec(),
            site,
            outputs: vec![],
        }
    }

    /// The values that it stores.
    pub(crate) fn values(&self) -> Vec<ValueId> {
        self.outputs.iter().map(|output| output.value).collect()
    }
}

impl Groups {
    /// The first group over `space` that has room for more.
    pub(crate) fn find(&self, codes: &Codes, space: &[HostValue]) -> Option<usize> {
        let has_room = |g: &Group| codes.len(g.code) < MAX_SHARED_INSTS;
        let fits = |g: &Group| g.space == space && has_room(g);
        self.waiting.iter().position(fits)
    }

    /// Adds a group, and says which it is.
    pub(crate) fn open(&mut self, group: Group) -> usize {
        self.waiting.push(group);
        self.waiting.len() - 1
    }

    /// The code of a group.
    pub(crate) fn code(&self, group: usize) -> CodeId {
        self.waiting[group].code
    }

    /// Has a group write a value of its code to an array.
    pub(crate) fn add(&mut self, group: usize, output: Output) {
        self.waiting[group].outputs.push(output);
    }

    /// Whether nothing waits to be written.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.iter().all(|g| g.outputs.is_empty())
    }

    /// Whether a group has yet to write this memory.
    pub(crate) fn is_pending(&self, memory: &Memory, array: ArrayId) -> bool {
        let owner = memory.owner(array);
        let mut outputs = self.waiting.iter().flat_map(|g| &g.outputs);
        outputs.any(|o| memory.owner(o.array) == owner)
    }

    /// Whether a group that is not written yet reads one of the arrays.
    pub(crate) fn read_any(&self, codes: &Codes, arrays: &[ArrayId]) -> bool {
        let reads = |g: &Group| codes.reads_any(g.code, &g.values(), arrays);
        self.waiting.iter().any(reads)
    }

    /// Hands over all groups, to become kernels.
    pub(crate) fn take(&mut self) -> Vec<Group> {
        std::mem::take(&mut self.waiting)
    }
}
