//! Strips: kernels that run chunk by chunk over a dimension they share.
//!
//! What the kernels of a strip hand to each other exists for one chunk at a time, so it stays in cache and no
//! array of the whole dimension is needed. Chunks are independent of each other: a kernel inside reads, of an
//! array that the strip makes, only what belongs to its own chunk. So they may run in any order, or at once.
//! How long chunks are ([`Cuts`]) does not depend on the number of threads.

mod cuts;

pub use cuts::Cuts;

use super::{ArrayDecl, ArrayId, Kernel, Layout, Operator, SymbolId};
use crate::types::ScalarType;

/// Kernels that run chunk by chunk over one dimension.
///
/// The chunks are ranges `start .. start + len` that together make `0 .. over`; none is empty. Arrays that the
/// kernels write are there for one chunk and visible inside only; what must last is handed on as a part or
/// as a contribution to a total.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// The extent of the dimension.
    pub over: SymbolId,
    /// Where the chunk starts; an `i32`, defined inside only.
    pub start: SymbolId,
    /// The length of the chunk; an `i32`, defined inside only. In the kernels' spaces and in the extents of
    /// their arrays it stands where `over` would.
    pub len: SymbolId,
    /// What is done for each chunk, in order; no scatters.
    pub kernels: Vec<Kernel>,
    /// Arrays whose rows the chunks make.
    pub parts: Vec<Part>,
    /// Arrays to which every chunk contributes.
    pub totals: Vec<Total>,
}

/// An array outside of a strip, and the array inside that holds a chunk of it or a contribution to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The array outside, defined by the strip; a part's outermost extent is `over`.
    pub whole: ArrayId,
    /// The array inside, of `Own` layout; a part's outermost extent is `len`.
    pub part: ArrayId,
}

/// Arrays that are combinations of what the chunks contribute, in the order of the chunks.
#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    /// How two contributions combine, element by element.
    pub operator: Operator,
    /// What comes before the first contribution; without, there is at least one chunk or no element.
    pub init: Option<Vec<SymbolId>>,
    /// One pair per component of the operator; all arrays have the same extents.
    pub arrays: Vec<Part>,
}

impl Strip {
    /// The arrays that the strip defines.
    pub fn wholes(&self) -> impl Iterator<Item = ArrayId> + '_ {
        let totals = self.totals.iter().flat_map(|total| &total.arrays);
        self.parts.iter().chain(totals).map(|part| part.whole)
    }

    /// The arrays that the kernels inside write.
    pub fn made_inside(&self) -> impl Iterator<Item = ArrayId> + '_ {
        let outputs = self.kernels.iter().flat_map(Kernel::outputs);
        outputs.map(|output| output.array)
    }

    /// The bytes that each position of the dimension takes in the arrays inside, given the values of symbols.
    pub fn bytes_per_position(
        &self,
        arrays: &[ArrayDecl],
        symbol: &impl Fn(SymbolId) -> i64,
    ) -> u64 {
        self.bytes_of_positions(self.made_inside(), arrays, symbol)
    }

    /// The same for some of the arrays.
    fn bytes_of_positions(
        &self,
        made: impl Iterator<Item = ArrayId>,
        arrays: &[ArrayDecl],
        symbol: &impl Fn(SymbolId) -> i64,
    ) -> u64 {
        let bytes = |decl: &ArrayDecl| {
            let others = decl.extents.iter().filter(|&&e| e != self.len);
            let elements = others.map(|&e| symbol(e).max(0) as u64);
            elements.fold(decl.elem.bytes() as u64, u64::saturating_mul)
        };
        let made = made.map(|array| &arrays[array.index()]);
        made.filter(|decl| decl.extents.contains(&self.len))
            .map(bytes)
            .fold(0, u64::saturating_add)
    }

    /// The bytes of the arrays that every chunk contributes to.
    pub fn bytes_of_totals(&self, arrays: &[ArrayDecl], symbol: &impl Fn(SymbolId) -> i64) -> u64 {
        let wholes = self.totals.iter().flat_map(|total| &total.arrays);
        let bytes = |part: &Part| {
            let decl = &arrays[part.whole.index()];
            let elements = decl.extents.iter().map(|&e| symbol(e).max(0) as u64);
            elements.fold(decl.elem.bytes() as u64, u64::saturating_mul)
        };
        wholes.map(bytes).fold(0, u64::saturating_add)
    }

    /// The most bytes that a thread needs for what is inside, besides the totals: the arrays of a chunk; the sums of the
    /// contributions so far, which become the totals if there is one group; and the contribution of another chunk.
    pub fn bytes_per_thread(&self, arrays: &[ArrayDecl], symbol: &impl Fn(SymbolId) -> i64) -> u64 {
        let cuts = Cuts::new(self, arrays, symbol);
        let longest = cuts.longest().max(0) as u64;
        let copies = u64::from(cuts.groups > 1) + u64::from(cuts.some_group_has_chunks());
        let mut wholes = self.totals.iter().flat_map(|total| &total.arrays);
        // Sums are copied to totals that are views, and handed on as the others.
        let handed_on = wholes.all(|part| arrays[part.whole.index()].layout == Layout::Own);
        let copies = copies.max(u64::from(!handed_on));
        // A part has the memory of its whole.
        let is_part = |array: &ArrayId| self.parts.iter().any(|part| part.part == *array);
        let own = self.made_inside().filter(|array| !is_part(array));
        let chunk = self.bytes_of_positions(own, arrays, symbol);
        let sums = self.bytes_of_totals(arrays, symbol);
        chunk
            .saturating_mul(longest)
            .saturating_add(sums.saturating_mul(copies))
            .saturating_add(self.bytes_of_wide_sums(arrays, symbol))
    }

    /// The most bytes that a thread needs besides where sums are wider than the totals: its own, those of all groups,
    /// and the contributions that they are made of.
    fn bytes_of_wide_sums(&self, arrays: &[ArrayDecl], symbol: &impl Fn(SymbolId) -> i64) -> u64 {
        let wide = |total: &Total| {
            let sums = total.operator.narrow_sums().into_iter().zip(&total.arrays);
            let bytes = sums.filter_map(|(sum, part)| {
                let each = 2 * ScalarType::F64.bytes() + sum?.bytes();
                let extents = arrays[part.whole.index()].extents.iter();
                let elements = extents.map(|&e| symbol(e).max(0) as u64);
                Some(elements.fold(each as u64, u64::saturating_mul))
            });
            bytes.fold(0, u64::saturating_add)
        };
        self.totals.iter().map(wide).fold(0, u64::saturating_add)
    }
}
