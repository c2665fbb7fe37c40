//! What a run obeys and tells while it is under way.

use super::{RunError, Site};
use crate::host::HostArray;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// At most so often, in milliseconds, progress is told.
const TOLD_EVERY_MS: u64 = 100;

/// What runs obey: a limit for loops that may not end, and whether to stop; and what they tell while they run.
///
/// Clones are the same control. It is given to a backend, whose runs obey it, and kept to [`cancel`](Self::cancel) them from
/// another thread. The default is no control at all, and costs nothing.
///
/// ```
/// use cotangent_core::backend::Control;
/// let control = Control::builder()
///     .max_trips(1_000)
///     .on_progress(|progress| println!("{:?}", progress.loops))
///     .trace_every(100, |trace| println!("{:?}", trace.state))
///     .build();
/// let same = control.clone(); // For another thread.
/// same.cancel();
/// assert!(control.is_cancelled());
/// assert_eq!(control.max_trips(), Some(1_000));
/// ```
#[derive(Clone, Default)]
pub struct Control(Option<Arc<Inner>>);

/// Who wants to know of progress.
type TellProgress = Box<dyn Fn(&Progress<'_>) + Send + Sync>;

struct Inner {
    cancelled: AtomicBool,
    max_trips: Option<i32>,
    progress: Option<TellProgress>,
    /// When progress was told last, in milliseconds since the control was made.
    told: AtomicU64,
    made: Instant,
    trace: Option<Tracer>,
}

struct Tracer {
    every: i32,
    tell: Box<dyn Fn(&Trace) + Send + Sync>,
}

/// Makes a [`Control`].
#[derive(Default)]
pub struct ControlBuilder {
    max_trips: Option<i32>,
    progress: Option<TellProgress>,
    trace: Option<Tracer>,
}

/// A loop of array code that is being run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoopProgress {
    /// The loop.
    pub site: Site,
    /// The number of the trip, from 0.
    pub trip: i32,
    /// The most trips that it makes: all of them, if it has no test.
    pub most: i32,
    /// Whether a test may end it earlier.
    pub has_test: bool,
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// The loops of array code around what is computed, outermost first.
    pub loops: &'a [LoopProgress],
}

/// What a loop of array code carries before a trip.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trace {
    /// The loops around, outermost first; the last is the one that carries the state.
    pub loops: Vec<LoopProgress>,
    /// The columns of the state. What no trip needs or changes may be left out.
    pub state: Vec<HostArray>,
}

impl Control {
    /// A control of the builder's defaults: all that can be done with it is to cancel.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A control with limits, or one that is told of what goes on.
    pub fn builder() -> ControlBuilder {
        ControlBuilder::default()
    }

    /// Has all runs that obey this control end with [`RunError::Cancelled`] soon, those that begin later, too.
    ///
    /// It is asked for between kernels and between their blocks, and in loops now and then. Inputs and the backend are as
    /// they were. On a GPU, what was submitted is finished by the device.
    pub fn cancel(&self) {
        if let Some(inner) = &self.0 {
            inner.cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Whether [`cancel`](Self::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        let inner = self.0.as_ref();
        inner.is_some_and(|inner| inner.cancelled.load(Ordering::Relaxed))
    }

    /// An error, if the run is to end.
    ///
    /// # Errors
    /// [`RunError::Cancelled`].
    pub fn go_on(&self) -> Result<(), RunError> {
        match self.is_cancelled() {
            true => Err(RunError::Cancelled),
            false => Ok(()),
        }
    }

    /// The most trips of a loop whose test decides when it ends; see [`ControlBuilder::max_trips`].
    pub fn max_trips(&self) -> Option<i32> {
        self.0.as_ref()?.max_trips
    }

    /// Whether anybody wants to know how far loops are.
    pub fn listens(&self) -> bool {
        let inner = self.0.as_ref();
        inner.is_some_and(|inner| inner.progress.is_some() || inner.trace.is_some())
    }

    /// Whether single trips of loops matter: they are told of, or limited.
    pub fn watches_loops(&self) -> bool {
        self.listens() || self.max_trips().is_some()
    }

    /// Tells of progress, unless that was told just now.
    pub fn tell_progress(&self, loops: &[LoopProgress]) {
        let Some((inner, tell)) = self
            .0
            .as_ref()
            .and_then(|i| Some((i, i.progress.as_ref()?)))
        else {
            return;
        };
        let now = inner.made.elapsed().as_millis() as u64;
        let told = inner.told.load(Ordering::Relaxed);
        if now >= told.saturating_add(TOLD_EVERY_MS) {
            inner.told.store(now, Ordering::Relaxed);
            tell(&Progress { loops });
        }
    }

    /// Whether the state before that trip is traced.
    pub fn traces(&self, trip: i32) -> bool {
        let tracer = self.0.as_ref().and_then(|inner| inner.trace.as_ref());
        tracer.is_some_and(|tracer| trip % tracer.every == 0)
    }

    /// Tells what a loop carries.
    pub fn tell_trace(&self, trace: &Trace) {
        if let Some(tracer) = self.0.as_ref().and_then(|inner| inner.trace.as_ref()) {
            (tracer.tell)(trace);
        }
    }
}

impl ControlBuilder {
    /// Has loops whose test still holds after so many trips fail with [`RunError::TooManyTrips`].
    ///
    /// That concerns `while_`, `awhile` and loops with a test and a number of trips, not those that make a given number of
    /// trips. Within the kernels of a GPU, loops of scalar code are limited to as many *dispatches*, each of up to 24,000 trips.
    pub fn max_trips(self, max_trips: i32) -> Self {
        Self {
            max_trips: Some(max_trips.max(0)),
            ..self
        }
    }

    /// Calls `tell` as loops of array code make trips, about ten times a second at most.
    ///
    /// The run waits for the call. It comes from the thread that runs the program.
    pub fn on_progress(self, tell: impl Fn(&Progress<'_>) + Send + Sync + 'static) -> Self {
        Self {
            progress: Some(Box::new(tell)),
            ..self
        }
    }

    /// Calls `tell` with what loops of array code carry, before every `every`-th trip, from the first; 0 counts as 1.
    ///
    /// For debugging: the run waits for the call, and for the state if a device has it.
    pub fn trace_every(self, every: u32, tell: impl Fn(&Trace) + Send + Sync + 'static) -> Self {
        let every = i32::try_from(every.max(1)).unwrap_or(i32::MAX);
        Self {
            trace: Some(Tracer {
                every,
                tell: Box::new(tell),
            }),
            ..self
        }
    }

    /// The control.
    pub fn build(self) -> Control {
        let Self {
            max_trips,
            progress,
            trace,
        } = self;
        Control(Some(Arc::new(Inner {
            cancelled: AtomicBool::new(false),
            max_trips,
            progress,
            told: AtomicU64::new(0),
            made: Instant::now(),
            trace,
        })))
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("is_cancelled", &self.is_cancelled())
            .field("max_trips", &self.max_trips())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ControlBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControlBuilder")
            .field("max_trips", &self.max_trips)
            .finish_non_exhaustive()
    }
}
