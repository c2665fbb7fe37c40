//! Loops of steps.
//!
//! ```text
//! inside = first; number = 0
//! while number < most:
//!     run the test, if there is one, and stop where it does not hold
//!     run the body
//!     inside = next; number = number + 1
//! last = inside; made = number
//! ```
//!
//! What is carried is taken over all at once, so that arrays may change places.

use super::{ArrayId, SiteId, Step, SymbolId};

/// Steps that run again and again, on what is carried from trip to trip.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// Which loop of the program it is. None where it goes on with a loop of scalar code ([`chunks`](super::chunks)): its trips
    /// are none of the program's.
    pub site: Option<SiteId>,
    /// The most trips, an `i32`; a negative number is none.
    pub most: SymbolId,
    /// The number of the trip, from 0, an `i32` that is defined inside.
    pub number: SymbolId,
    /// The number of trips that were made, an `i32` that this step defines.
    pub made: SymbolId,
    /// What finds out whether to make a trip, and the `bool` that says so.
    pub test: Option<(Vec<Step>, SymbolId)>,
    /// What a trip does.
    pub body: Vec<Step>,
    /// The extents that may change.
    pub symbols: Vec<Carried<SymbolId>>,
    /// The arrays carried, all of `Own` layout. The body may write into those inside: that changes no array that is
    /// carried over to them, and an engine that has them share memory copies it first.
    pub arrays: Vec<Carried<ArrayId>>,
}

/// Something that a loop carries: a symbol or an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried<T> {
    /// What it is before the first trip.
    pub first: T,
    /// What the lists inside see; defined inside.
    pub inside: T,
    /// What it is after a trip; defined by the body.
    pub next: T,
    /// What it is after the last trip; defined by the step.
    pub last: T,
}

impl<T: Copy> Carried<T> {
    /// What the code inside sees, and what that becomes after a trip.
    pub fn round(&self) -> (T, T) {
        (self.inside, self.next)
    }
}

impl Repeat {
    /// The symbol that counts the trips: how many are made, where a test decides that, else the most.
    pub fn trips(&self) -> SymbolId {
        match self.test {
            Some(_) => self.made,
            None => self.most,
        }
    }
}
