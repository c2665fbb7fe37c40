//! The threads that work is shared among, and the count of the passes that they make.
//!
//! What counts is defined by [`RunMeasures::passes`](cotangent_core::backend::RunMeasures). The count follows from the extents, not
//! from the number of threads: work that one thread does alone counts like work that several share.

use std::sync::atomic::{AtomicU64, Ordering};

/// The work of a task, in lanes times instructions, below which it is not worth a thread.
const TASK_WORK: usize = 1 << 16;
/// Tasks per thread, so that threads that are done early can help.
const TASKS_PER_THREAD: usize = 4;

/// The passes made so far.
#[derive(Debug, Default)]
pub(crate) struct Passes {
    all: AtomicU64,
    shared: AtomicU64,
}

impl Passes {
    /// A pass is made that one thread makes alone.
    pub fn alone(&self) {
        self.all.fetch_add(1, Ordering::Relaxed);
    }

    /// Some passes are made.
    pub fn add(&self, passes: u64) {
        self.all.fetch_add(passes, Ordering::Relaxed);
    }

    /// All passes.
    pub fn all(&self) -> u64 {
        self.all.load(Ordering::Relaxed)
    }

    /// Those that are large enough to be shared among threads.
    pub fn shared(&self) -> u64 {
        self.shared.load(Ordering::Relaxed)
    }
}

/// The threads that share work, and where their passes are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Team<'a> {
    pub threads: usize,
    pub passes: &'a Passes,
}

impl Team<'_> {
    /// Begins a pass over `items`; gives the number of tasks that they are best cut into.
    pub fn begin(&self, items: i64, work_per_item: usize) -> usize {
        let items = items.max(0) as usize;
        let worth = (items.saturating_mul(work_per_item) / TASK_WORK).min(items);
        self.passes.add(u64::from(items > 0));
        self.passes
            .shared
            .fetch_add(u64::from(worth > 1), Ordering::Relaxed);
        worth.min(self.threads * TASKS_PER_THREAD)
    }
}

/// Whether work of that size is shared out at all.
pub(crate) fn is_large(total: usize) -> bool {
    total >= 2 * TASK_WORK
}
