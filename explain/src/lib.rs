//! What a program became, and why: its kernels with what they take, its memory, and what kept kernels apart.
//!
//! [`explain`] reads a schedule and what fusion noted about it; it runs nothing. All figures are functions of
//! the extents of the inputs: formulas, or numbers where those are given. What depends on the elements of
//! arrays is not known before a run, and says so ([`Figure`]).
//!
//! `flops.rs` and `traffic.rs` define what is counted, `memory.rs` what is held at a time, `boundaries.rs` which
//! kernels hand arrays to which; `text.rs`, `dot.rs` and serde's derivations print. The names of fields are those
//! of the JSON form, which others may rely on. `work.rs` sums up what a run takes, for a choice between engines.

mod amount;
mod boundaries;
mod build;
mod dot;
mod events;
mod extents;
mod figure;
mod flops;
mod memory;
#[cfg(test)]
mod tests;
mod text;
mod traffic;
mod trips;
mod values;
mod work;

pub use build::{Notes, explain};
use cotangent_core::backend::KernelTime;
use cotangent_core::schedule::kept::Kept;
pub use figure::Figure;
pub use work::{Formulas, Work};

use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Why a program cannot be explained for some shapes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExplainError {
    /// The wrong number of shapes.
    #[error("the program takes {expected} arrays, {given} shapes were given")]
    ShapeCount {
        /// Arrays that the program takes.
        expected: usize,
        /// Shapes given.
        given: usize,
    },
    /// An extent that no array has.
    #[error(
        "array parameter {position} was given the shape {shape:?}: an extent is at most {max}",
        max = i32::MAX
    )]
    Extent {
        /// The parameter, counted from 0.
        position: usize,
        /// The shape given.
        shape: Vec<usize>,
    },
    /// A shape of the wrong rank.
    #[error("array parameter {position} has {expected} dimensions, a shape of {given} was given")]
    Rank {
        /// The parameter, counted from 0.
        position: usize,
        /// Its rank.
        expected: usize,
        /// The number of extents given.
        given: usize,
    },
}

/// What a program became.
///
/// [`Display`](std::fmt::Display) writes it for people, [`to_dot`](Self::to_dot) draws it, and
/// [`to_json`](Self::to_json) writes all of it for programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The kernels, in the order in which they run.
    pub kernels: Vec<KernelNote>,
    /// All arrays.
    pub arrays: Vec<ArrayNote>,
    /// Where one kernel reads what another has written.
    pub boundaries: Vec<Boundary>,
    /// The extents with names of their own that the host computes.
    pub extents: Vec<Extent>,
    /// Bytes of the inputs, arrays embedded in the program included.
    pub inputs_bytes: Figure,
    /// Bytes of all arrays with memory that are neither inputs nor results.
    pub temporaries_bytes: Figure,
    /// The most bytes in memory at a time: the inputs, and what is between its first writer and its last
    /// reader. Scratch memory of a backend's kernels is not in it; what kernels that run chunk by chunk hand to
    /// each other is, for one thread, where the extents are given.
    pub peak_bytes: Figure,
    /// What each further thread adds to that.
    pub bytes_per_thread: Figure,
    /// Extents of inputs that are equal, such as `x1.0 = x0.0`: for such inputs the program was compiled this way. Other inputs make
    /// it compiled once more, without.
    pub assumes: Vec<String>,
    /// How often each of fusion's rewrites was applied.
    pub rewrites: BTreeMap<String, usize>,
}

/// One kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelNote {
    /// The operation that gave it its form.
    pub name: String,
    /// Where the user wrote that.
    pub location: String,
    /// Its form.
    pub kind: Kind,
    /// The conditions under which it runs, outermost first.
    pub conditions: Vec<String>,
    /// The trips of the loops that it is in, outermost first: it runs as often as their product, and its figures are those
    /// of all trips.
    pub trips: Vec<String>,
    /// The dimension over which the kernel runs chunk by chunk, together with its neighbours that do; figures
    /// are those of all chunks.
    pub chunked_over: Option<String>,
    /// The extents of the index space, outermost first, as formulas.
    pub index_space: Vec<String>,
    /// The same as figures.
    pub sizes: Vec<Figure>,
    /// The extents that are reduced or scanned, as formulas.
    pub inner_space: Vec<String>,
    /// The same as figures.
    pub inner_sizes: Vec<Figure>,
    /// Where factors of a contraction are known to be zero, and where nobody reads its results. Coordinates count
    /// through the index space, then through the inner one.
    pub structure: Vec<String>,
    /// Floating-point operations. What the structure lets a backend leave out is counted, too.
    pub flops: Figure,
    /// Bytes read and written.
    pub bytes: Figure,
    /// Bytes read, each distinct element once.
    pub bytes_read: Figure,
    /// Bytes written.
    pub bytes_written: Figure,
    /// The operations whose code it contains, its own first.
    pub fused: Vec<Operation>,
    /// The loads whose index is tested when it runs.
    pub tested_loads: Vec<TestedLoad>,
    /// The memory it reads, by the names of arrays.
    pub reads: Vec<String>,
    /// The memory it writes.
    pub writes: Vec<String>,
    /// How long it took, if it was run to find out.
    pub time: Option<Time>,
}

/// How long a kernel took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Time {
    /// The seconds that the device was busy with it, all starts together.
    pub seconds: f64,
    /// How often something was started for it.
    pub starts: u64,
}

/// The forms of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Stores values at every point.
    Map,
    /// Combines values along inner dimensions.
    Reduce,
    /// Combines values of segments of an inner dimension.
    Segments,
    /// Adds up products along inner dimensions: a matrix product.
    Contract,
    /// All partial combinations along a dimension.
    Scan,
    /// Where the values along a dimension are in order.
    Sort,
    /// Sends values to computed places.
    Scatter,
}

/// An operation of the user's program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Operation {
    /// The operation, such as `zip_with`.
    pub name: String,
    /// File, line and column.
    pub location: String,
}

/// A load whose index is tested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TestedLoad {
    /// The array.
    pub array: String,
    /// The operation that an error would name.
    pub operation: String,
    /// Where it was written.
    pub location: String,
}

/// One array.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArrayNote {
    /// Its name: `x2` for parameter 2, `x2:1` for its column 1 if its elements are tuples, `use0` for an array
    /// embedded in the program, else `A7`.
    pub name: String,
    /// The type of its elements.
    pub element: String,
    /// Its extents, as formulas.
    pub extents: Vec<String>,
    /// Its size.
    pub bytes: Figure,
    /// What it is to the program.
    pub role: Role,
    /// Whether the program results in it.
    pub is_result: bool,
    /// The array in whose memory it is, if not in its own.
    pub view_of: Option<String>,
    /// The arrays of its two branches that a conditional makes it from.
    pub merged_from: Vec<String>,
    /// Why it is in memory; none for inputs and views.
    pub kept: Option<Reason>,
}

/// What an array is to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The call gives it, or the program contains it.
    Input,
    /// The memory that the program leaves behind.
    Result,
    /// Memory that only the program itself uses.
    Temporary,
    /// The memory of another array, seen as one.
    View,
    /// The part of a conditional's array that one of its branches makes.
    Branch,
    /// Made chunk by chunk, in memory for a chunk at a time.
    Chunk,
}

/// One kernel reads what another has written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Boundary {
    /// The position of the kernel that writes.
    pub from: usize,
    /// The position of the kernel that reads.
    pub to: usize,
    /// The array read.
    pub array: String,
    /// Its size.
    pub bytes: Figure,
    /// Why the kernels are two.
    pub reason: Option<Reason>,
}

/// Why an array is in memory. In JSON, the name of the reason and the sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason(pub Kept);

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = [
            ("name", self.0.name().to_owned()),
            ("text", self.0.to_string()),
        ];
        serializer.collect_map(fields)
    }
}

/// An extent that the host computes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Extent {
    /// Its name in formulas.
    pub name: String,
    /// What it is computed from.
    pub meaning: String,
    /// Its value, where that is known.
    pub value: Option<u64>,
}

impl Explanation {
    /// The same with what kernels took in a run.
    pub fn with_times(mut self, times: &[KernelTime]) -> Self {
        for time in times {
            if let Some(kernel) = self.kernels.get_mut(time.kernel) {
                kernel.time = Some(Time {
                    seconds: time.seconds,
                    starts: time.starts,
                });
            }
        }
        self
    }

    /// All of it as one JSON object, with the fields of this structure.
    pub fn to_json(&self) -> String {
        // Structures of strings and numbers: there is nothing that could fail.
        serde_json::to_string_pretty(self).unwrap_or_else(|e| format!("{{\"error\":\"{e}\"}}"))
    }
}
