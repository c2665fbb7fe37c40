//! Timing: the shortest of many runs.

use std::time::Instant;

/// The shortest time of one call of `work` in `seconds`, in seconds; at least two calls.
///
/// # Errors
/// Where `work` fails.
pub fn shortest<E>(seconds: f64, mut work: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    let (start, mut best) = (Instant::now(), f64::INFINITY);
    work()?;
    while best.is_infinite() || start.elapsed().as_secs_f64() < seconds {
        let sample = Instant::now();
        work()?;
        best = best.min(sample.elapsed().as_secs_f64());
    }
    Ok(best)
}
