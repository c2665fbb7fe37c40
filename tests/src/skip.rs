//! Tests that there is no device for.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The tests of this process that were skipped.
static SKIPPED: AtomicUsize = AtomicUsize::new(0);

/// Says that a test is skipped, why, and how many were. It is said past the test harness, which shows nothing of tests that
/// pass.
pub fn skipped(reason: &dyn Display) {
    let count = SKIPPED.fetch_add(1, Ordering::Relaxed) + 1;
    // Nobody is there to be told.
    let _ = writeln!(
        io::stderr(),
        "skipped: no GPU adapter, {count} so far ({reason})"
    );
}
