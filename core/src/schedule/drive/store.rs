//! What is known between two steps of a run: the values of symbols, and the memory of arrays.

use crate::backend::{RunError, Site};
use crate::constant::Const;
use crate::schedule::condition::len_of_shape;
use crate::schedule::{ArrayDecl, ArrayId, Layout, Schedule, SiteId, SymbolId};
use smallvec::SmallVec;
use std::sync::Arc;

/// A few integers, such as the extents of an array: nobody asks the system for memory for them.
pub type Ints = SmallVec<[i64; 4]>;

/// The values of symbols, and the memory of arrays.
#[derive(Clone, Debug)]
pub struct Store<M> {
    /// The tables of the schedule.
    pub schedule: Arc<Schedule>,
    /// The values of symbols; zeros where they are not defined yet.
    pub symbols: Vec<Const>,
    /// The memory of arrays that have their own, while it is there.
    pub memory: Vec<Option<M>>,
}

impl<M> Store<M> {
    /// Nothing is known yet.
    pub fn new(schedule: &Arc<Schedule>) -> Self {
        let symbols = schedule.symbols.iter();
        Self {
            symbols: symbols.map(|&ty| Const::zero(ty)).collect(),
            memory: schedule.arrays.iter().map(|_| None).collect(),
            schedule: Arc::clone(schedule),
        }
    }

    /// The value of a symbol.
    pub fn symbol(&self, symbol: SymbolId) -> Const {
        self.symbols[symbol.index()]
    }

    /// The value of a symbol that is an integer, such as an extent or an offset; 0 for any other.
    pub fn int(&self, symbol: SymbolId) -> i64 {
        let number = self.symbol(symbol).as_integer();
        number.map_or(0, |number| number as i64)
    }

    /// The values of integers.
    pub fn ints(&self, symbols: &[SymbolId]) -> Ints {
        symbols.iter().map(|&symbol| self.int(symbol)).collect()
    }

    /// What the schedule says of an array.
    pub fn decl(&self, array: ArrayId) -> &ArrayDecl {
        &self.schedule.arrays[array.index()]
    }

    /// The extents of an array.
    pub fn shape(&self, array: ArrayId) -> Ints {
        self.ints(&self.decl(array).extents)
    }

    /// A place that can fail.
    pub fn site(&self, site: SiteId) -> Site {
        self.schedule.sites[site.index()]
    }

    /// The construct that an array comes from.
    pub fn site_of(&self, array: ArrayId) -> Site {
        self.site(self.decl(array).site)
    }

    /// The number of elements of an array.
    ///
    /// # Errors
    /// Where an extent is negative, or the number overflows.
    pub fn len(&self, array: ArrayId) -> Result<usize, RunError> {
        len_of_shape(&self.shape(array), self.site_of(array))
    }

    /// Where the first element of an array is in the memory of its owner, and how far apart neighbours are.
    pub fn span(&self, array: ArrayId) -> (i64, i64) {
        match self.decl(array).layout {
            Layout::Own => (0, 1),
            Layout::View {
                of: _,
                offset,
                stride,
            } => {
                let base = offset.symbol.map_or(0, |symbol| self.int(symbol));
                let first = base.saturating_add(offset.constant.into());
                (first, stride.into())
            }
        }
    }

    /// The memory in which the elements of an array are, if it is there.
    pub fn memory_of(&self, array: ArrayId) -> Option<&M> {
        self.memory[self.schedule.owner(array).index()].as_ref()
    }
}
