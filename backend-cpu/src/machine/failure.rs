//! The first failure while a kernel ran: an index, or a loop that does not end.
//!
//! Points are computed in any order, so every failure is offered to the cell, which keeps that of the
//! least point, and of the least instruction there: the one that a run point by point meets first.

use cotangent_core::backend::{Control, RunError, Site};
use cotangent_core::schedule::SiteId;
use std::sync::{Mutex, PoisonError};

/// A failure, and where it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    /// The row-major position in the kernel's index space.
    pub point: i64,
    /// The position of the instruction in the body.
    pub order: u32,
    /// What is wrong there.
    pub problem: Problem,
    /// The trips of the loops around it, outermost first.
    pub trips: Vec<i64>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Problem {
    /// An index is out of range.
    OutOfRange {
        /// Where it is reported; `None` where the schedule had it proved.
        site: Option<SiteId>,
        /// The index.
        index: Vec<i64>,
        /// The array's extents.
        extents: Vec<i64>,
    },
    /// A loop's test still holds after so many trips.
    TooManyTrips(i32),
}

impl Failure {
    /// As an error of the run of a kernel.
    pub fn into_error(self, sites: &[Site], kernel: Site) -> RunError {
        let Self { problem, trips, .. } = self;
        match problem {
            Problem::OutOfRange {
                site,
                index,
                extents,
            } => match site.and_then(|site| sites.get(site.index())) {
                Some(&site) => RunError::IndexOutOfRange {
                    site,
                    index,
                    extents: extents.iter().map(|&e| e.max(0) as usize).collect(),
                    trips,
                },
                None => RunError::Bug(format!(
                    "index {index:?} was proved to be in range for extents {extents:?}, and is not"
                )),
            },
            Problem::TooManyTrips(max_trips) => RunError::TooManyTrips {
                site: Some(kernel),
                max_trips,
                trips,
            },
        }
    }
}

/// What has failed so far, and whether to go on.
#[derive(Debug, Default)]
pub(crate) struct FailureCell {
    first: Mutex<Option<Failure>>,
    control: Control,
}

impl FailureCell {
    /// For a kernel of a run that obeys a control.
    pub fn new(control: &Control) -> Self {
        Self {
            first: Mutex::default(),
            control: control.clone(),
        }
    }

    /// For a loop in code that has this cell.
    pub fn inside(&self) -> Self {
        Self::new(&self.control)
    }

    /// Whether the run is to end, so that it does not matter what is computed.
    pub fn is_cancelled(&self) -> bool {
        self.control.is_cancelled()
    }

    /// The most trips of a loop with a test.
    pub fn max_trips(&self) -> Option<i32> {
        self.control.max_trips()
    }

    /// Takes note of a failure.
    pub fn offer(&self, failure: Failure) {
        let mut cell = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let key = |f: &Failure| (f.point, f.order);
        if cell.as_ref().is_none_or(|first| key(&failure) < key(first)) {
            *cell = Some(failure);
        }
    }

    /// The first failure since the last call, if there was one.
    pub fn take(&self) -> Option<Failure> {
        let mut cell = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        cell.take()
    }

    /// The first failure, if there was one.
    pub fn into_inner(self) -> Option<Failure> {
        self.first
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
