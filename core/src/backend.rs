//! What a backend is to the rest of the system, and the errors of running a program.

mod control;

pub use control::{Control, ControlBuilder, LoopProgress, Progress, Trace};

use crate::host::HostArray;
use crate::loc::Loc;
use crate::schedule::associative::Violation;
use crate::schedule::{Checked, Schedule};
use crate::types::ArrayType;

/// Something that runs schedules.
///
/// A backend accepts checked schedules only and does not panic on one.
pub trait Backend {
    /// A schedule made ready to run on this backend, for any extents.
    type Executable: Send + Sync + 'static;

    /// The name shown to users, such as `cpu`.
    fn name(&self) -> String;

    /// Whether runs have to do with single trips of array loops, as a [`Control`] wants it: such loops then stay loops of
    /// steps, which others need not.
    fn watches_loops(&self) -> bool {
        false
    }

    /// Generates code.
    ///
    /// # Errors
    /// Where the backend lacks a type or a resource that the schedule needs.
    fn prepare(&self, schedule: &Checked<Schedule>) -> Result<Self::Executable, RunError>;

    /// Runs the program on one array per parameter, and says what that took.
    ///
    /// # Errors
    /// Where the inputs do not fit the parameters, and where the program fails.
    fn run_measured(
        &self,
        executable: &Self::Executable,
        inputs: &[HostArray],
    ) -> Result<(Vec<HostArray>, RunMeasures), RunError>;

    /// Runs the program on one array per parameter.
    ///
    /// # Errors
    /// As [`run_measured`](Self::run_measured).
    fn run(
        &self,
        executable: &Self::Executable,
        inputs: &[HostArray],
    ) -> Result<Vec<HostArray>, RunError> {
        let (results, _) = self.run_measured(executable, inputs)?;
        Ok(results)
    }
}

/// A backend whose arrays can stay where it computes: what one run results in is the next one's input, and nothing is
/// copied in between.
pub trait Resident: Backend {
    /// An array where the backend computes. Clones share its memory.
    type Array: Clone + Send + Sync + 'static;

    /// Brings an array there.
    ///
    /// # Errors
    /// Where the device lacks the memory or the type.
    fn put(&self, array: &HostArray) -> Result<Self::Array, RunError>;

    /// The extents of an array, outermost first.
    fn shape_of(array: &Self::Array) -> &[usize];

    /// Waits for arrays, and brings them to the host.
    ///
    /// # Errors
    /// Where an array is of another device, or the device fails.
    fn get(&self, arrays: &[Self::Array]) -> Result<Vec<HostArray>, RunError>;

    /// Runs the program on arrays that are there, and leaves the results there.
    ///
    /// # Errors
    /// As [`Backend::run_measured`], and where an array is of another device.
    fn run_there(
        &self,
        executable: &Self::Executable,
        inputs: &[Self::Array],
    ) -> Result<(Vec<Self::Array>, RunMeasures), RunError>;
}

/// A backend that can tell how long each kernel takes.
pub trait Timed: Backend {
    /// Runs the program, and says how long the device was busy with what. Timing takes time itself: the whole run is
    /// longer than without.
    ///
    /// # Errors
    /// As [`Backend::run_measured`], and where the device has no clock.
    fn run_timed(
        &self,
        executable: &Self::Executable,
        inputs: &[HostArray],
    ) -> Result<(Vec<HostArray>, Vec<KernelTime>), RunError>;
}

/// How long a kernel took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KernelTime {
    /// Its position among the kernels of the schedule ([`Schedule::kernels`]).
    pub kernel: usize,
    /// The seconds that the device was busy with it, all starts together.
    pub seconds: f64,
    /// How often something was started for it: once for each pass over its arrays, each chunk of a strip, and each piece
    /// of what is too large for one start.
    pub starts: u64,
}

/// What a run took. All numbers follow from the program and the extents of its arrays alone, but for the peak where
/// there are strips: each thread has a chunk in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunMeasures {
    /// The passes between barriers: pieces of work that end before the next begins, whatever the number of threads.
    ///
    /// A kernel is one, and one more for each time that it goes through arrays again: to add up the results of parts, to
    /// carry what precedes them to the chunks of a scan, to let arrive what a scatter sent. A whole strip is one, and
    /// one more if its sums are copied to where they belong; where its dimension is so short that a strip is run by
    /// all threads together, each kernel of each chunk counts. Copying an array that others use before it is
    /// overwritten, or a result out of another array, is one. A loop whose trips a device makes by itself is one for each time
    /// that it begins. What the host does with single numbers is none, and
    /// neither is a kernel that has nothing to do.
    pub passes: u64,
    /// The most bytes that arrays made by the run held at a time: results and what is between them and the
    /// inputs, but not the inputs, the scratch memory of kernels, and what is kept for other runs.
    pub peak_bytes: u64,
    /// How often work was handed to a device; none where there is no device but the processor. One is the least. Another
    /// one is needed where large inputs are on their way while the rest is prepared, and where the host has to know a
    /// number that the device computes: an extent, the condition of a conditional between arrays.
    pub submits: u64,
}

/// A construct of the user's program that can fail, as shown in errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// The construct as users know it, such as `backpermute`.
    pub construct: &'static str,
    /// Where it was written.
    pub loc: Loc,
}

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` at {}", self.construct, self.loc)
    }
}

/// The beginning of a message about a construct, if there is one.
fn of(site: &Option<Site>) -> String {
    site.map_or_else(String::new, |site| format!("{site}: "))
}

/// Why a run failed. Every engine reports the same kind for the same cause.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// An index outside its array.
    #[error("{site}: index {index:?} is out of range for extents {extents:?}{}", in_trips(.trips))]
    IndexOutOfRange {
        /// The construct.
        site: Site,
        /// The index, outermost coordinate first.
        index: Vec<i64>,
        /// The array's extents.
        extents: Vec<usize>,
        /// Of the loops around it, the numbers of the trips, from 0, outermost first: those of whoever reads the
        /// element, where it is computed where it is read.
        trips: Vec<i64>,
    },
    /// A reduction without initial value over nothing.
    #[error(
        "{site}: the dimension to reduce is empty, and there is no initial value; use `fold` with one"
    )]
    EmptyReduction {
        /// The construct.
        site: Site,
    },
    /// A reshape to another number of elements.
    #[error("{site}: shape {from:?} cannot be reshaped to {to:?}: the numbers of elements differ")]
    SizeMismatch {
        /// The construct.
        site: Site,
        /// The extents of the argument.
        from: Vec<usize>,
        /// The extents asked for.
        to: Vec<i64>,
    },
    /// An array of another shape than the program expects, such as one that is added to another.
    #[error(
        "{site}: an array of shape {found:?} meets {expected:?}, where both have to be the same; \
         `zip_with` takes what shapes have in common, `broadcast` repeats an array"
    )]
    ShapeMismatch {
        /// The construct.
        site: Site,
        /// The extents that are expected.
        expected: Vec<i64>,
        /// The extents of the array.
        found: Vec<usize>,
    },
    /// A shape with a negative extent or too many elements.
    #[error(
        "{site}: shape {shape:?} is not possible: extents must be at least 0 and their product below 2^63"
    )]
    BadShape {
        /// The construct.
        site: Site,
        /// The extents asked for.
        shape: Vec<i64>,
    },
    /// Memory for an array could not be had.
    #[error("{site}: {bytes} bytes of memory could not be allocated")]
    OutOfMemory {
        /// The construct whose result it is.
        site: Site,
        /// The size asked for.
        bytes: u64,
    },
    /// Memory could not be had for something that is no array of the program: a copy of an input or a result.
    #[error("{what}: {bytes} bytes of memory could not be allocated")]
    OutOfHostMemory {
        /// What it is for.
        what: &'static str,
        /// The size asked for.
        bytes: u64,
    },
    /// Memory of a device could not be had.
    #[error(
        "{}{bytes} bytes of memory of {device} could not be allocated: {reason}; use smaller arrays, or fewer at a time, \
         or the CPU",
        of(.site)
    )]
    DeviceMemory {
        /// The construct whose result it is; none where the memory is for what goes to the device or comes from it.
        site: Option<Site>,
        /// The size asked for.
        bytes: u64,
        /// The device's name.
        device: String,
        /// The limit that was met, or what the driver says and how much it has given out.
        reason: String,
    },
    /// A fold or scan by an operator that is not associative. Found by trying it, by engines that were told to: the CPU
    /// backend, where debug assertions are on.
    #[error(
        "{site}: the operator is not associative, so the result depends on the engine: {violation}; write it so that it is, \
         such as s ↦ a·s + b, s ↦ c·s + d as pairs by |(a, b), (c, d)| (a * c, b * c + d)"
    )]
    NotAssociative {
        /// The construct.
        site: Site,
        /// Values that it combined, and what becomes of them.
        violation: Box<Violation>,
    },
    /// The wrong number of inputs.
    #[error("the program has {expected} array parameters, {given} were given")]
    InputCount {
        /// Arrays that the program takes.
        expected: usize,
        /// Arrays given.
        given: usize,
    },
    /// An input of the wrong type.
    #[error("array parameter {position} is of type {expected}, a {given} was given")]
    InputType {
        /// The parameter, counted from 0.
        position: usize,
        /// Its type.
        expected: ArrayType,
        /// The type given.
        given: ArrayType,
    },
    /// Columns of one array that differ in shape.
    #[error(
        "array parameter {position} is a column of an array whose other columns have extents {expected:?}, \
         and has {given:?}"
    )]
    InputShape {
        /// The parameter, counted from 0.
        position: usize,
        /// The extents of the first column.
        expected: Vec<usize>,
        /// Its extents.
        given: Vec<usize>,
    },
    /// Something that this engine cannot do.
    #[error("{what} is not supported by {engine}: {way_out}")]
    Unsupported {
        /// The construct or type.
        what: String,
        /// The engine.
        engine: String,
        /// What to do instead.
        way_out: String,
    },
    /// The device that the program ran on is gone: it was removed, reset, or did not answer.
    #[error("the device {device} was lost: {reason}; open it again, or use the CPU")]
    DeviceLost {
        /// Its name.
        device: String,
        /// What the driver says.
        reason: String,
    },
    /// A loop whose test still held after as many trips as the run's [`Control`] allows.
    #[error(
        "{}a loop would make more than {max_trips} trips{}; allow more, or see whether what it waits for ever comes, by \
         tracing what it carries",
        of(.site), in_trips(.trips)
    )]
    TooManyTrips {
        /// The loop; where it is in scalar code, the operation whose function it is in, if that is known.
        site: Option<Site>,
        /// The limit.
        max_trips: i32,
        /// Of the loops around it, the numbers of the trips, from 0, outermost first.
        trips: Vec<i64>,
    },
    /// A loop in scalar code makes more trips than a device may make in one dispatch, where it cannot go on in another: in the
    /// operator of a fold or scan, or in kernels that run chunk by chunk to save memory.
    #[error(
        "{}a loop makes more than {most} trips where {engine} cannot go on in another dispatch (in an operator, or in kernels that \
         run chunk by chunk); make it one of arrays (`aiterate`, `awhile`), or use the CPU",
        of(.site)
    )]
    LoopTooLong {
        /// The operation whose function it is in, if that is known.
        site: Option<Site>,
        /// The most trips.
        most: u32,
        /// The device.
        engine: String,
    },
    /// The run was cancelled ([`Control::cancel`]).
    #[error("the run was cancelled")]
    Cancelled,
    /// A defect of this library.
    #[error("internal error, please report it: {0}")]
    Bug(String),
}

impl RunError {
    /// The error of a trip, seen from around its loop.
    #[must_use]
    pub fn in_trip(mut self, trip: i64) -> Self {
        if let Self::IndexOutOfRange { trips, .. } | Self::TooManyTrips { trips, .. } = &mut self {
            trips.insert(0, trip);
        }
        self
    }
}

/// The trips, as they are told.
fn in_trips(trips: &[i64]) -> String {
    match trips {
        [] => String::new(),
        [trip] => format!(", in trip {trip} of the loop (the first is trip 0)"),
        [..] => format!(", in trips {trips:?} of the loops around it (the first is trip 0)"),
    }
}
