//! How fast a device was seen to be, compared with what is estimated (`duration.rs`).
//!
//! Estimates are for the slowest device of a kind. One that is a hundred times as fast would be given its work in so many pieces that
//! each is too small to occupy it. So whoever waits for a submission looks at the clock, and what is estimated from then on is
//! shorter. Little of what was seen is believed: a device that is fast at one thing need not be so at another.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Shorter work says how long it takes to submit something.
const LEAST_SECONDS: f64 = 0.1;
/// So small a part of what was seen is believed.
const MARGIN: f64 = 8.0;
/// Estimates become this much shorter at most.
const MOST: f64 = 16.0;

/// How many times as fast as estimated a device is: 1 until more was seen.
#[derive(Debug)]
pub(crate) struct Pace(Mutex<f64>);

impl Default for Pace {
    fn default() -> Self {
        Self(Mutex::new(1.0))
    }
}

impl Pace {
    /// What estimates are to be divided by.
    pub fn get(&self) -> f64 {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Work that was estimated to take so many seconds, before they were divided, was done after some time. What was seen last
    /// counts.
    pub fn learn(&self, estimated: f64, elapsed: Duration) {
        if estimated < LEAST_SECONDS {
            return;
        }
        let seen = estimated / elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
        let believed = (seen / MARGIN).clamp(1.0, MOST);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = believed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_of_what_was_seen_is_believed() {
        let pace = Pace::default();
        let after = |estimated, millis| {
            pace.learn(estimated, Duration::from_millis(millis));
            pace.get()
        };
        assert_eq!(after(0.09, 1), 1.0);
        assert_eq!(after(1.0, 500), 1.0);
        assert_eq!(after(1.0, 25), 5.0);
        assert_eq!(after(0.01, 1000), 5.0);
        assert_eq!(after(1e9, 0), MOST);
        assert_eq!(after(1.0, 2000), 1.0);
    }
}
