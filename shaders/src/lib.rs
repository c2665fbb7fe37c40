//! The text of kernels in WGSL, the language of wgpu. No device is needed to make it.
//!
//! A [`Shader`] is one entry point, `main`, which does a whole kernel in one dispatch. It is generated from the
//! kernel's body and from nothing else: each value becomes a `let`, so that nothing nests (`body.rs`). What the host
//! knows at run time (symbols, extents, where views begin) comes as words of a uniform buffer, in the order of
//! [`Shader::parameters`]. Buffers are bound in group 0: at 0 the parameters, then, if the kernel may fail, the word
//! that failures are reported in, then the arrays of [`Shader::bindings`]: each in one piece or in several, or, where a device binds
//! fewer buffers, several as parts of one ([`Shader::binds`]).
//!
//! Where an index is out of range, the position of the point is put down, the least one winning; the host finds out the
//! rest. An element that lies out of range is read as zero, and nothing outside of an array is touched.
//!
//! Floats have the semantics of `Prim::eval` with the liberties that drivers take: sums and products may be fused, put
//! together in another way or multiplied out as if numbers were real, so that where something overflows on the way an
//! infinity may come as a NaN; and subnormal numbers may be zeros. What is given as infinite or NaN is treated as such by
//! each primitive. `f16` are native in memory and in sums, products and comparisons; what else is done with them is computed
//! in `f32` and rounded. Which of the two next numbers that gives is the device's choice; lavapipe takes the nearest.

mod access;
mod body;
mod combine;
mod contract;
mod group;
mod library;
mod map;
pub mod math;
mod neighbours;
mod prim;
mod reduce;
mod scalars;
mod scan;
mod scatter;
mod sharing;
mod strip;
mod target;
mod template;
mod trips;
mod types;
mod whole;

pub use body::MOST_TRIPS;
use combine::combine;
pub use contract::{Contraction, Tile, Tiling, contract};
pub use map::{Tiled, map, map_tiles};
pub use neighbours::Neighbours;
pub use reduce::{Passes, Reduction, reduce};
pub use scalars::{Scalars, scalars};
pub use scan::{Blocks, Scanning, scan};
pub use scatter::{
    Adding, Combining, DIGIT_BITS, Last, NO_INDEX, Ordered, Scattering, Sorting, Table, Updates,
    scatter,
};
pub use sharing::{Bindable, Binds, Cells, Location, Shared, TooMany};
pub use strip::{Totalling, hand_on, total};
pub use target::{Target, Unsupported, way_out};
pub use trips::{Trips, trips};
pub use types::bytes_of;
pub use whole::{between_kernels, listing, of_kernel};

use cotangent_core::backend::Site;
use cotangent_core::schedule::{ArrayId, SymbolId};
use cotangent_core::types::ScalarType;

/// A kernel as text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shader {
    /// The module.
    pub source: String,
    /// What the words of the parameter buffer are, in order; after them comes where memory begins in shared bindings.
    pub parameters: Vec<Parameter>,
    /// The memory that it uses.
    pub bindings: Vec<Binding>,
    /// The invocations of a workgroup, along x.
    pub workgroup: u32,
    /// What a point is done by.
    pub each: Each,
    /// Whether an index may be out of range.
    pub may_fail: bool,
    /// The operation that gave the kernel its form, and where it was written.
    pub origin: Site,
    /// How the memory is bound.
    pub binds: Binds,
    around: access::Around,
}

/// What does the work of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Each {
    /// One invocation: a dispatch may have more of them than points.
    Invocation,
    /// One workgroup: a dispatch may have more of them than points.
    Workgroup,
}

/// Memory that a shader uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Whose it is.
    pub memory: Memory,
    /// The type of its elements.
    pub elem: ScalarType,
    /// Whether it is written.
    pub written: bool,
}

/// Whose memory a shader uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// That of an array of `Own` layout.
    Array(ArrayId),
    /// A component of what a shader before this one left.
    From(usize),
    /// A component of what a shader after this one goes on with.
    To(usize),
}

/// A number that the host gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The position of the first point, or the first trip, `u32`.
    First,
    /// The position after the last point, or trip, `u32`.
    End,
    /// The number of rows, `u32`.
    Rows,
    /// The number of positions that are combined in a row, or scanned, `u32`.
    Inner,
    /// How many parts of a row are combined each by itself, `u32`.
    Parts,
    /// The length of a part, but for the last, `u32`.
    PartLength,
    /// The lowest bit of the digit of keys that is sorted by, `u32`.
    Digit,
    /// A symbol's value: one word, or two for 64-bit types, the lower one first. A `bool` is 0 or 1.
    Symbol(SymbolId),
    /// Where an array that is a view begins in its owner's memory, in elements, `u32`.
    Offset(ArrayId),
}

impl Parameter {
    /// The number of words it takes.
    pub fn words(self, symbols: &[ScalarType]) -> u32 {
        match self {
            Self::First
            | Self::End
            | Self::Rows
            | Self::Inner
            | Self::Parts
            | Self::PartLength
            | Self::Digit
            | Self::Offset(_) => 1,
            Self::Symbol(symbol) => (symbols[symbol.index()].bytes() as u32).div_ceil(4),
        }
    }
}
