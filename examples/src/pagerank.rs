//! How important the pages of a web are: a page passes its rank on to those it links to, in equal parts, by the power method.
//!
//! One `aiterate_while` until ranks change by no more than [`ENOUGH`] in sum; in each trip one `iterate` for each page, over
//! the pages that link to it.
//!
//! Agreement: trips are equal, and ranks, which add up to 1, are within [`TOLERANCE`].

use crate::device::Device;
use crate::error::{Result, size};
use crate::sparse::{self, Rows, Sparse};
use cotangent::prelude::*;
use cotangent::{Error, Program};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The largest difference of ranks.
pub const TOLERANCE: f64 = 1e-12;
/// The change at which loops end.
pub const ENOUGH: f64 = 1e-10;
/// The share of a rank that follows links.
const DAMPING: f64 = 0.85;

type Vector = Acc<Ix1, f64>;
type Number = Acc<Ix0, f64>;
type Count = Acc<Ix0, i32>;

/// From the links into each page (a row) with the share that each brings, and the most trips, to ranks and trips.
pub type Power = Program<(Rows, Count), (Vector, Count)>;

/// A web, and how long to go on.
#[derive(Clone, Debug)]
pub struct Task {
    /// The links into each page, with the share of the rank that each brings.
    pub links: Sparse,
    /// The most trips.
    pub trips: i32,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// The rank of each page.
    pub ranks: Vec<f64>,
    /// How many trips were made.
    pub trips: i32,
}

/// Compiles the program.
///
/// # Errors
/// None that inputs can cause.
pub fn program() -> std::result::Result<Power, Error> {
    cotangent::compile(|links: Rows, trips: Count| {
        let pages = links.0.size() - 1;
        let step = |_, (ranks, _, trips): (Vector, Number, Count)| {
            let next = step(links, pages.to_f64(), ranks);
            let change = next.zip_with(ranks, |new, old| (new - old).abs()).sum();
            (next, change, trips.map(|trips| trips + 1))
        };
        let start = (
            fill(ix![pages], 1.0 / pages.to_f64()),
            unit(f64::INFINITY),
            unit(0),
        );
        let goes_on = |(_, change, _): (Vector, Number, Count)| change.the().gt(ENOUGH);
        let (ranks, _, made) = aiterate_while(trips.the(), goes_on, step, start);
        (ranks, made)
    })
}

/// What follows links, and what is lost on the way, which goes to all pages alike.
fn step(links: Rows, pages: Exp<f64>, ranks: Vector) -> Vector {
    let followed = sparse::times(links, ranks).map(|rank| DAMPING * rank);
    let lost = (1.0 - followed.sum().the()) / pages;
    followed.map(|rank| rank + lost)
}

/// Runs the program.
///
/// # Errors
/// Where the device fails.
pub fn run(program: &Power, device: &Device, task: &Task) -> Result<Ranks> {
    let inputs = (task.links.to_host()?, Array::scalar(task.trips));
    let (ranks, trips) = device.run(program, inputs)?;
    Ok(Ranks {
        ranks: ranks.into_vec(),
        trips: trips.item(),
    })
}

/// The same in plain Rust.
pub fn reference(task: &Task) -> Ranks {
    let pages = task.links.starts.len() - 1;
    let (mut ranks, mut trips) = (vec![1.0 / pages as f64; pages], 0);
    let mut change = f64::INFINITY;
    while change > ENOUGH && trips < task.trips {
        let mut next = task.links.times(&ranks);
        next.iter_mut().for_each(|rank| *rank *= DAMPING);
        let lost = (1.0 - next.iter().sum::<f64>()) / pages as f64;
        next.iter_mut().for_each(|rank| *rank += lost);
        change = next
            .iter()
            .zip(&ranks)
            .map(|(new, old)| (new - old).abs())
            .sum();
        ranks = next;
        trips += 1;
    }
    Ranks { ranks, trips }
}

/// The largest difference of ranks; infinite where trips differ or a rank is no number.
pub fn difference(found: &Ranks, expected: &Ranks) -> f64 {
    if found.trips != expected.trips || found.ranks.len() != expected.ranks.len() {
        return f64::INFINITY;
    }
    let apart = found
        .ranks
        .iter()
        .zip(&expected.ranks)
        .map(|(f, e)| (f - e).abs());
    apart.fold(0.0, |most, d| {
        if d.is_nan() {
            f64::INFINITY
        } else {
            most.max(d)
        }
    })
}

/// A web in which pages have up to `links` links, most of them to pages with small numbers, and some have none.
///
/// # Errors
/// Where there are more pages or links than an `i32` counts.
pub fn task(pages: usize, links: usize, seed: u64) -> Result<Task> {
    size("the number of pages", pages)?;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut into = vec![vec![]; pages];
    for page in 0..pages {
        let count = random.random_range(0..=links);
        for _ in 0..count {
            let place: f64 = random.random();
            let target = (place * place * pages as f64) as usize;
            into[target.min(pages - 1)].push((size("a page", page)?, 1.0 / count as f64));
        }
    }
    let mut links = Sparse::new();
    into.into_iter().try_for_each(|row| links.push_row(row))?;
    Ok(Task { links, trips: 1000 })
}
