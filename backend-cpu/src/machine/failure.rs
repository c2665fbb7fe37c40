//! The first index that failed while a kernel ran.
//!
//! Points are computed in any order, so every failure is offered to the cell, which keeps that of the
//! least point, and of the least instruction there: the one that a run point by point meets first.

use cotangent_core::backend::{RunError, Site};
use cotangent_core::schedule::SiteId;
use std::sync::{Mutex, PoisonError};

/// An index out of range.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    /// The row-major position in the kernel's index space.
    pub point: i64,
    /// The position of the instruction in the body.
    pub order: u32,
    /// Where it is reported; `None` where the schedule had it proved.
    pub site: Option<SiteId>,
    /// The index.
    pub index: Vec<i64>,
    /// The array's extents.
    pub extents: Vec<i64>,
    /// The trips of the loops around it, outermost first.
    pub trips: Vec<i64>,
}

impl Failure {
    /// As an error of the run.
    pub fn into_error(self, sites: &[Site]) -> RunError {
        let site = self.site.and_then(|site| sites.get(site.index()));
        match site {
            Some(&site) => RunError::IndexOutOfRange {
                site,
                index: self.index,
                extents: self.extents.iter().map(|&e| e.max(0) as usize).collect(),
                trips: self.trips,
            },
            None => RunError::Bug(format!(
                "index {:?} was proved to be in range for extents {:?}, and is not",
                self.index, self.extents
            )),
        }
    }
}

/// What has failed so far.
#[derive(Debug, Default)]
pub(crate) struct FailureCell(Mutex<Option<Failure>>);

impl FailureCell {
    /// Takes note of a failure.
    pub fn offer(&self, failure: Failure) {
        let mut cell = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = |f: &Failure| (f.point, f.order);
        if cell.as_ref().is_none_or(|first| key(&failure) < key(first)) {
            *cell = Some(failure);
        }
    }

    /// The first failure since the last call, if there was one.
    pub fn take(&self) -> Option<Failure> {
        let mut cell = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cell.take()
    }

    /// The first failure, if there was one.
    pub fn into_inner(self) -> Option<Failure> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
