//! How long kernels take: the time that threads are busy with each, all together.

use cotangent_core::backend::KernelTime;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The times of a schedule's kernels, by their numbers.
#[derive(Debug)]
pub(crate) struct Clock(Vec<Time>);

#[derive(Debug, Default)]
struct Time {
    nanoseconds: AtomicU64,
    starts: AtomicU64,
}

impl Clock {
    /// A clock for so many kernels.
    pub fn new(kernels: usize) -> Self {
        Self((0..kernels).map(|_| Time::default()).collect())
    }

    /// Notes that a kernel has run since then.
    pub fn add(&self, kernel: usize, begun: Instant) {
        let took = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        if let Some(time) = self.0.get(kernel) {
            time.nanoseconds.fetch_add(took, Ordering::Relaxed);
            time.starts.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The times of those that have run.
    pub fn times(&self) -> Vec<KernelTime> {
        let times = self.0.iter().enumerate().map(|(kernel, time)| KernelTime {
            kernel,
            seconds: time.nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9,
            starts: time.starts.load(Ordering::Relaxed),
        });
        times.filter(|time| time.starts > 0).collect()
    }
}
