//! The runner on hand-written schedules.
