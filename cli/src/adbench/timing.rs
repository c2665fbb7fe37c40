//! Timing by ADBench's rule.

use super::progress::Progress;
use std::time::{Duration, Instant};

/// A sample repeats the work until it takes this long.
const MIN_SAMPLE: Duration = Duration::from_millis(500);
/// Samples taken at the most.
const MAX_SAMPLES: usize = 10;

/// The time `work` takes, in seconds: repeats are doubled until a sample exceeds half a second, then up to
/// ten samples are taken within `limit` seconds; the shortest time per repeat counts. One run at least.
///
/// # Errors
/// Where `work` fails.
pub fn measure<E>(
    limit: f64,
    progress: &Progress,
    mut work: impl FnMut() -> Result<(), E>,
) -> Result<f64, E> {
    let (start, mut repeats, mut samples, mut best) = (Instant::now(), 1u32, 0, f64::INFINITY);
    while samples < MAX_SAMPLES {
        let sample = Instant::now();
        (0..repeats).try_for_each(|_| work())?;
        let elapsed = sample.elapsed();
        best = best.min(elapsed.as_secs_f64() / f64::from(repeats));
        if elapsed < MIN_SAMPLE {
            repeats = repeats.saturating_mul(2);
        } else {
            samples += 1;
        }
        progress.fraction((start.elapsed().as_secs_f64() / limit).min(1.0));
        if start.elapsed().as_secs_f64() >= limit {
            break;
        }
    }
    Ok(best)
}

/// The result of `work` and the seconds it took.
pub fn once<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}
