//! The schedule: what every backend runs, and all it needs to know.
//!
//! A schedule is a list of [`Step`]s over *symbols* (scalars that the host knows between steps: extents,
//! initial values of reductions, conditions) and *arrays* (memory). A [`Kernel`] runs a [`Body`], scalar
//! code in SSA form without control flow, at every point of an index space whose extents are symbols.
//! Conditionals inside a body are selects; a load that stood under a condition carries that condition as
//! its guard. So every backend can run any body for many points at once.
//!
//! Invariants (verified by [`check`](check::check), whose result [`Checked`] backends require):
//! a value is defined before it is used; operands have the types that [`Prim`](crate::prim::Prim) asks
//! for; symbols and arrays are defined by an earlier step (or are inputs) before they are used, and by one
//! step only (an `If` defines what it merges); coordinates are below the rank of the space; every kernel output has the
//! element type of its value and the extents of its space.
//!
//! Memory: an array of `Own` layout comes into being when the first kernel writes it *or a view of it*. Its
//! extents may turn out negative or too large then, which is an error at its site. Extents of spaces and of
//! inner spaces that no array has were checked by a [`Check::Shape`] where they could be negative. An array
//! that kernels fill through views is finished when every residue of the stride was written, and all views
//! that begin at symbols were: together they hold each element once. Arrays made inside of a [`Strip`] last
//! for one chunk.

pub mod associative;
mod body;
pub mod bound;
pub mod check;
pub mod chunks;
pub mod condition;
pub mod drive;
mod entries;
pub mod inputs;
pub mod kept;
pub mod lifetimes;
pub mod networks;
mod operator;
mod print;
mod repeat;
pub mod run;
pub mod scalar;
pub mod segments;
pub mod semiring;
pub mod steps;
pub mod strip;
#[cfg(test)]
mod tests;
mod types;

pub use body::{Body, Inst, Known, Load, Loop, Op, Region};
pub use bound::{Bound, Structure};
pub use check::Checked;
pub use entries::{InRows, Initial, Rows};
pub use operator::{Operator, OperatorPart};
pub use repeat::{Carried, Repeat};
pub use semiring::Semiring;
pub use strip::{Part, Strip, Total};

use crate::backend::Site;
use crate::host::HostArray;
use crate::loc::Loc;
use crate::term::{Combine, Direction, SortOrder};
use crate::types::{ArrayType, ScalarType};
use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// As a position in the table that it refers to.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $prefix, self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $prefix, self.0)
            }
        }
    )*};
}

ids! {
    /// An array: a position in [`Schedule::arrays`].
    ArrayId = "A";
    /// A symbol: a position in [`Schedule::symbols`].
    SymbolId = "s";
    /// A value: the position in a [`Body`] of the instruction that defines it.
    ValueId = "v";
    /// A place that can fail: a position in [`Schedule::sites`].
    SiteId = "site";
}

/// A whole program, ready for code generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// The types of all symbols.
    pub symbols: Vec<ScalarType>,
    /// All arrays.
    pub arrays: Vec<ArrayDecl>,
    /// The places that can fail.
    pub sites: Vec<Site>,
    /// The arrays that hold the inputs; their extents are symbols that the call defines. Inputs that share a
    /// symbol must agree on the extent: see [`inputs`].
    pub params: Vec<ArrayId>,
    /// Host arrays that the program uses, and the arrays that stand for them; extents as for inputs.
    pub uses: Vec<(ArrayId, HostArray)>,
    /// What to do, in order.
    pub steps: Vec<Step>,
    /// The arrays to give back; an input or an array named twice is possible.
    pub results: Vec<ArrayId>,
}

/// One array in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayDecl {
    /// The type of its elements.
    pub elem: ScalarType,
    /// Its extents, outermost first, each an `i32` symbol.
    pub extents: Vec<SymbolId>,
    /// Where its elements are.
    pub layout: Layout,
    /// The construct it comes from, for errors about its shape and memory.
    pub site: SiteId,
}

/// Where the elements of an array are, by row-major position `p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In memory of its own, at `p`.
    Own,
    /// In the memory of another array (which has `Own` layout), at `offset + stride · p`: a column of an
    /// interleaved array, a part that stands after others, or (0, 1) the same elements under another shape. With
    /// stride 0 all elements are one, and nobody writes them.
    View {
        /// The array that owns the memory.
        of: ArrayId,
        /// The position of the first element.
        offset: Offset,
        /// The distance of neighbours; 0 where all are one element.
        stride: u32,
    },
}

/// A position in memory, in elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offset {
    /// An `i64` that is known when the program runs; none for zero.
    pub symbol: Option<SymbolId>,
    /// What is added to it.
    pub constant: u32,
}

impl From<u32> for Offset {
    fn from(constant: u32) -> Self {
        Self {
            symbol: None,
            constant,
        }
    }
}

/// One step on the host.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Runs scalar code once and defines symbols. Loads read arrays that earlier steps have finished.
    Scalars {
        /// The code; it has no coordinates and no arguments.
        body: Body,
        /// Symbols and the values that define them.
        defines: Vec<(SymbolId, ValueId)>,
    },
    /// Fails unless something holds.
    Check(Check, SiteId),
    /// Runs a kernel; allocates its outputs, except for scatters, which write into what is there.
    Kernel(Kernel),
    /// Runs one of two lists of steps and takes over what it made. Arrays and symbols defined inside are
    /// visible inside only.
    If {
        /// A `bool` symbol.
        cond: SymbolId,
        /// Run where it holds.
        then_: Vec<Step>,
        /// Run where it does not.
        else_: Vec<Step>,
        /// Symbols defined by this step: (defined, from `then_`, from `else_`).
        symbols: Vec<(SymbolId, SymbolId, SymbolId)>,
        /// Arrays of `Own` layout defined by this step: (defined, from `then_`, from `else_`); moved, or
        /// copied where the source lives on.
        arrays: Vec<(ArrayId, ArrayId, ArrayId)>,
    },
    /// Runs kernels chunk by chunk over a dimension that they share.
    Strip(Strip),
    /// Runs lists of steps again and again.
    Repeat(Repeat),
}

/// A condition on symbols that must hold for the program to go on.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// An array of these extents is possible: none is negative, the product is below 2⁶³. Stands for an
    /// array that never gets any memory; fails like its allocation would.
    Shape {
        /// The extents.
        extents: Vec<SymbolId>,
    },
    /// Two shapes have the same number of elements, and the second no negative extent.
    SameSize {
        /// The shape there is.
        from: Vec<SymbolId>,
        /// The shape asked for.
        to: Vec<SymbolId>,
    },
    /// Two shapes are the same.
    SameShape {
        /// The shape there is.
        found: Vec<SymbolId>,
        /// The shape that is expected.
        expected: Vec<SymbolId>,
    },
    /// `0 ≤ index < extent`.
    InRange {
        /// The position.
        index: SymbolId,
        /// The extent.
        extent: SymbolId,
    },
    /// The inner extents have a product above 0, or the outer ones a product of 0.
    NotEmpty {
        /// The dimensions that are not reduced.
        outer: Vec<SymbolId>,
        /// The dimension that is.
        inner: Vec<SymbolId>,
    },
}

/// One parallel operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The operation that gave the kernel its form, such as `fold`.
    pub name: &'static str,
    /// Where the user wrote that.
    pub loc: Loc,
    /// The operations whose code runs inside, the one above included.
    pub fused: Vec<Site>,
    /// The extents of the index space, outermost first; the coordinates 0.. of the body.
    pub space: Vec<SymbolId>,
    /// What is done at each point.
    pub kind: KernelKind,
}

/// The forms of kernels. `outputs` pair a value of the body with the array it is stored in.
#[derive(Clone, Debug, PartialEq)]
pub enum KernelKind {
    /// Stores values at every point.
    Map {
        /// Runs at each point of the space.
        body: Body,
        /// Arrays of the space's extents.
        outputs: Vec<Output>,
    },
    /// For every point of the space, combines the values over a further, inner index space. The order of
    /// combination is that of the elements; the tree depends on the extents alone.
    Reduce {
        /// The inner extents; their coordinates follow those of the space.
        inner: Vec<SymbolId>,
        /// Runs at each point of both.
        body: Body,
        /// How two values combine.
        operator: Operator,
        /// What comes before the first value; a [`Check::NotEmpty`] precedes the kernel if there is none.
        init: Option<Vec<SymbolId>>,
        /// The values to combine, and arrays of the space's extents.
        outputs: Vec<Output>,
    },
    /// For every point of the space, combines the values of a *segment* of one inner dimension, from an initial value on. If s is the
    /// last coordinate of the space, the segment goes from element s of a vector of *starts* to element s + 1. There is one start more
    /// than segments; the first is 0, and they rise, but that one which is no `i32` has wrapped. A segment that goes on beyond the
    /// inner extent is a failure: its last position is out of range. Each component has a primitive for operator. The order of
    /// combination is that of the elements.
    Segments {
        /// The extent that segments are parts of; its coordinate follows those of the space.
        inner: SymbolId,
        /// Runs at each point of both; the values depend on all coordinates but the last of the space.
        body: Body,
        /// Where the segment starts and ends: loads of the starts, at the last coordinate of the space and at the next.
        bounds: [ValueId; 2],
        /// How two values combine.
        operator: Operator,
        /// What comes before the first value.
        init: Vec<SymbolId>,
        /// Where a segment that is too long is reported.
        site: SiteId,
        /// The values to combine, and arrays of the space's extents.
        outputs: Vec<Output>,
    },
    /// For every point of the space, adds up products over a further, inner index space: a (batched) product of
    /// matrices, or of a matrix and a vector; or does the same with other operations, those of a [`Semiring`]. It
    /// is the [`Reduce`](Self::Reduce) of its body, and more is known about it: each factor is free of some
    /// coordinates of the space ([`Role`]), so that it may be computed once for many points. The order of
    /// combination is that of the elements; the tree depends on the extents alone. In sums of products of floats,
    /// a product may be added to a sum without being rounded first, and numbers below the smallest normal one, in
    /// a factor or on the way to it, may count as zeros: arithmetic on them is a hundred times as slow, and a
    /// matrix product repeats it. Other semirings give exactly what the reduction gives.
    Contract {
        /// What combines, and what makes a term of two factors.
        semiring: Semiring,
        /// The inner extents; their coordinates follow those of the space.
        inner: Vec<SymbolId>,
        /// Runs at each point of both.
        body: Body,
        /// Which factors depend on each coordinate of the space; there is a `Left` or a `Right` one.
        roles: Vec<Role>,
        /// The first factor; no part of it depends on a `Right` coordinate.
        left: ValueId,
        /// The second factor; no part of it depends on a `Left` coordinate.
        right: ValueId,
        /// What comes before the first term; a [`Check::NotEmpty`] precedes the kernel if there is none.
        init: Option<SymbolId>,
        /// Where the factors are zero (in sums of products only), and where nobody reads the results.
        structure: Structure,
        /// The term, which the body computes as [`Semiring::times`] of `[left, right]`, and an array of the
        /// space's extents.
        output: Output,
    },
    /// For every point of the space, all partial combinations along one inner dimension, as
    /// [`AccOp::Scan`](crate::term::AccOp::Scan) defines them.
    Scan {
        /// The extent scanned; its coordinate follows those of the space.
        inner: SymbolId,
        /// From which end.
        direction: Direction,
        /// Runs at each point of both.
        body: Body,
        /// How two values combine.
        operator: Operator,
        /// What comes before the first value, and first (last) in the results.
        init: Option<Vec<SymbolId>>,
        /// The values to combine, and arrays of the space's extents and one more dimension.
        outputs: Vec<Output>,
    },
    /// For every point of the space, where the values along one inner dimension are in order, as
    /// [`AccOp::Argsort`](crate::term::AccOp::Argsort) defines it.
    Sort {
        /// The extent sorted; its coordinate follows those of the space.
        inner: SymbolId,
        /// Which value comes first.
        order: SortOrder,
        /// Runs at each point of both.
        body: Body,
        /// The value to sort by, and an array of `i32` of the space's extents and one more dimension.
        output: Output,
    },
    /// Sends a value from every point to an element of an array that is there already. Values that meet are
    /// combined in the order of the points.
    Scatter {
        /// Runs at each point of the space.
        body: Body,
        /// A `bool`: whether this point sends anything.
        guard: ValueId,
        /// The target's index.
        target: Vec<ValueId>,
        /// Where an index out of range is reported.
        site: SiteId,
        /// What happens where values meet.
        combine: Combine,
        /// Values sent, and the arrays that receive them, all of one shape.
        outputs: Vec<Output>,
    },
}

/// What a coordinate of the space of a [`KernelKind::Contract`] is to the factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Both factors may depend on it: it counts independent matrix products.
    Batch,
    /// The left factor alone may: it counts rows of the left matrix.
    Left,
    /// The right factor alone may: it counts columns of the right matrix.
    Right,
}

/// A value of a body and the array that receives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// The value.
    pub value: ValueId,
    /// The array.
    pub array: ArrayId,
}

impl KernelKind {
    /// Whether the outputs are arrays of what the kernel makes of their values, rather than of these.
    pub fn has_positions(&self) -> bool {
        matches!(self, Self::Sort { .. })
    }
}

impl Layout {
    /// The array whose memory holds the elements of `array`, which has this layout.
    pub fn owner(self, array: ArrayId) -> ArrayId {
        match self {
            Self::Own => array,
            Self::View {
                of,
                offset: _,
                stride: _,
            } => of,
        }
    }
}

impl ArrayDecl {
    /// The type of the array.
    pub fn array_type(&self) -> ArrayType {
        ArrayType::new(self.elem, self.extents.len())
    }
}

impl Check {
    /// The symbols that the condition is about.
    pub fn symbols(&self) -> impl Iterator<Item = SymbolId> + '_ {
        let (some, others): (&[SymbolId], &[SymbolId]) = match self {
            Self::Shape { extents } => (extents, &[]),
            Self::SameSize { from, to } => (from, to),
            Self::SameShape { found, expected } => (found, expected),
            Self::InRange { index, extent } => {
                (std::slice::from_ref(index), std::slice::from_ref(extent))
            }
            Self::NotEmpty { outer, inner } => (outer, inner),
        };
        some.iter().chain(others).copied()
    }
}

impl Kernel {
    /// The symbols that the kernel uses outside of its body: extents and initial values.
    pub fn symbols(&self) -> impl Iterator<Item = SymbolId> + '_ {
        let (inner, init): (&[SymbolId], &[SymbolId]) = match &self.kind {
            KernelKind::Map { .. } | KernelKind::Scatter { .. } => (&[], &[]),
            KernelKind::Reduce { inner, init, .. } => (inner, init.as_deref().unwrap_or_default()),
            KernelKind::Segments { inner, init, .. } => (std::slice::from_ref(inner), init),
            KernelKind::Contract { inner, init, .. } => (inner, init.as_slice()),
            KernelKind::Scan { inner, init, .. } => {
                let inner = std::slice::from_ref(inner);
                (inner, init.as_deref().unwrap_or_default())
            }
            KernelKind::Sort { inner, .. } => (std::slice::from_ref(inner), &[]),
        };
        let all = self.space.iter().chain(inner).chain(init);
        all.copied()
    }

    /// The body of the kernel.
    pub fn body(&self) -> &Body {
        match &self.kind {
            KernelKind::Map { body, .. }
            | KernelKind::Reduce { body, .. }
            | KernelKind::Segments { body, .. }
            | KernelKind::Contract { body, .. }
            | KernelKind::Scan { body, .. }
            | KernelKind::Sort { body, .. }
            | KernelKind::Scatter { body, .. } => body,
        }
    }

    /// The same, to be changed.
    pub fn body_mut(&mut self) -> &mut Body {
        match &mut self.kind {
            KernelKind::Map { body, .. }
            | KernelKind::Reduce { body, .. }
            | KernelKind::Segments { body, .. }
            | KernelKind::Contract { body, .. }
            | KernelKind::Scan { body, .. }
            | KernelKind::Sort { body, .. }
            | KernelKind::Scatter { body, .. } => body,
        }
    }

    /// The number of coordinates.
    pub fn rank(&self) -> u32 {
        (self.space.len() + self.inner().len()) as u32
    }

    /// The extents of the inner index space, whose coordinates follow those of the space.
    pub fn inner(&self) -> &[SymbolId] {
        match &self.kind {
            KernelKind::Reduce { inner, .. } | KernelKind::Contract { inner, .. } => inner,
            KernelKind::Scan { inner, .. }
            | KernelKind::Segments { inner, .. }
            | KernelKind::Sort { inner, .. } => std::slice::from_ref(inner),
            KernelKind::Map { .. } | KernelKind::Scatter { .. } => &[],
        }
    }

    /// Whether the kernel writes into arrays that are there already.
    pub fn writes_in_place(&self) -> bool {
        match &self.kind {
            KernelKind::Scatter { .. } => true,
            KernelKind::Map { .. }
            | KernelKind::Reduce { .. }
            | KernelKind::Segments { .. }
            | KernelKind::Contract { .. }
            | KernelKind::Scan { .. }
            | KernelKind::Sort { .. } => false,
        }
    }

    /// The outputs of the kernel.
    pub fn outputs(&self) -> &[Output] {
        match &self.kind {
            KernelKind::Map { outputs, .. }
            | KernelKind::Reduce { outputs, .. }
            | KernelKind::Segments { outputs, .. }
            | KernelKind::Scan { outputs, .. }
            | KernelKind::Scatter { outputs, .. } => outputs,
            KernelKind::Contract { output, .. } | KernelKind::Sort { output, .. } => {
                std::slice::from_ref(output)
            }
        }
    }
}
