//! Timing: the shortest of many runs.

use crate::Failure;
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

/// How often [`alternating`] turns from one side to the other.
const TURNS: u32 = 5;

/// The shortest times of two things to compare, each in `seconds` seconds: by turns, so that a time in which
/// the machine is busy otherwise falls on both.
///
/// # Errors
/// Where one of them fails.
pub fn alternating<E, F>(
    seconds: f64,
    mut first: impl FnMut() -> Result<(), E>,
    mut second: impl FnMut() -> Result<(), F>,
) -> Result<(f64, f64), Failure>
where
    Failure: From<E> + From<F>,
{
    let (mut best, turn) = ((f64::INFINITY, f64::INFINITY), seconds / f64::from(TURNS));
    for _ in 0..TURNS {
        best.0 = best.0.min(shortest(turn, &mut first)?);
        best.1 = best.1.min(shortest(turn, &mut second)?);
    }
    Ok(best)
}

/// How often [`by_turns`] goes round at least.
const ROUNDS: usize = 2;

/// How often [`by_turns`] calls one thing before the next one.
const IN_A_ROW: usize = 4;

/// The shortest time of one call of each of several things to compare, in `seconds` seconds for all of them: some calls of each
/// after the other, round by round. Calls in a row find in the caches what the one before left there, as they do in another
/// process ([`shortest`]), and not what the side before left.
///
/// # Errors
/// Where one of them fails.
pub fn by_turns(
    seconds: f64,
    works: &mut [Box<dyn FnMut() -> Result<(), Failure> + '_>],
) -> Result<Vec<f64>, Failure> {
    let (start, mut best) = (Instant::now(), vec![f64::INFINITY; works.len()]);
    let mut rounds = 0;
    while rounds < ROUNDS || start.elapsed().as_secs_f64() < seconds {
        for (work, best) in works.iter_mut().zip(&mut best) {
            for _ in 0..IN_A_ROW {
                let sample = Instant::now();
                work()?;
                *best = best.min(sample.elapsed().as_secs_f64());
            }
        }
        rounds += 1;
    }
    Ok(best)
}
