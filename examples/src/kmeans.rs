//! Clusters of points in the plane by Lloyd's method: each point belongs to the nearest centre, and each centre moves to the
//! mean of its points, until no point changes its centre.
//!
//! One `aiterate_while`. The nearest centre is found by a `fold_in_order` over all centres within each point; sums and numbers of
//! points are scattered by `permute`. A centre without points stays where it is.
//!
//! Agreement: trips are equal, and so are the centres within [`TOLERANCE`]. Coordinates are multiples of 2⁻¹⁰, so that their
//! sums are exact in whatever order they are added, and no engine sees another distance than the others.

use crate::device::Device;
use crate::error::Result;
use cotangent::prelude::*;
use cotangent::{Error, Program};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The largest difference of coordinates of centres.
pub const TOLERANCE: f64 = 1e-9;
/// The parts that coordinates are multiples of.
const PARTS: f64 = 1024.0;
/// The centre of no point.
const NONE: i32 = -1;

/// A place in the plane.
pub type Point = (f64, f64);
type Points = Acc<Ix1, Point>;
type Owners = Acc<Ix1, i32>;
type Count = Acc<Ix0, i32>;

/// From points, first centres and the most trips to centres, the centre of each point, and trips.
pub type Lloyd = Program<(Points, Points, Count), (Points, Owners, Count)>;

/// Points to be put into clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// All points.
    pub points: Vec<Point>,
    /// Where centres are at first.
    pub centres: Vec<Point>,
    /// The most trips.
    pub trips: i32,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// The centres.
    pub centres: Vec<Point>,
    /// The position of the centre of each point; -1 where there is none.
    pub owners: Vec<i32>,
    /// How many trips were made.
    pub trips: i32,
}

/// Compiles the program.
///
/// # Errors
/// None that inputs can cause.
pub fn program() -> std::result::Result<Lloyd, Error> {
    cotangent::compile(|points: Points, centres: Points, trips: Count| {
        let nobodys = fill(points.shape(), NONE);
        let step = |_, (centres, owners, _, trips): (Points, Owners, Count, Count)| {
            let nearest = points.map(|point| nearest(centres, point));
            let changed = nearest.zip_with(owners, |new, old| cond::<i32>(new.ne_(old), 1, 0));
            let centres = means(points, nearest, centres);
            (
                centres,
                nearest,
                changed.sum(),
                trips.map(|trips| trips + 1),
            )
        };
        let goes_on = |(_, _, changed, _): (Points, Owners, Count, Count)| changed.the().gt(0);
        let start = (centres, nobodys, unit(1), unit(0));
        let (centres, owners, _, made) = aiterate_while(trips.the(), goes_on, step, start);
        (centres, owners, made)
    })
}

/// The first of the nearest centres.
fn nearest(centres: Points, (x, y): (Exp<f64>, Exp<f64>)) -> Exp<i32> {
    let (owner, _) =
        centres.fold_in_order((NONE, f64::INFINITY), |ix![i], (owner, least), (a, b)| {
            let square = (x - a) * (x - a) + (y - b) * (y - b);
            let is_less = square.lt(least);
            (cond(is_less, i, owner), cond(is_less, square, least))
        });
    owner
}

/// The means of the points of each centre.
fn means(points: Points, owners: Owners, centres: Points) -> Points {
    let counted = points.map(|(x, y)| (x, y, 1_i32));
    let none = fill(centres.shape(), (0.0, 0.0, 0));
    let sums = counted.permute(Combine::Add, none, |i| {
        (owners.at(i).ge(0), ix![owners.at(i)])
    });
    sums.zip_with(centres, |(x, y, count), old| {
        let size = count.to_f64();
        cond::<Point>(count.gt(0), (x / size, y / size), old)
    })
}

/// Runs the program.
///
/// # Errors
/// Where the device fails.
pub fn run(program: &Lloyd, device: &Device, task: &Task) -> Result<Clusters> {
    let points = Array::vector(task.points.clone()).map_err(Error::from)?;
    let centres = Array::vector(task.centres.clone()).map_err(Error::from)?;
    let (centres, owners, trips) =
        device.run(program, (points, centres, Array::scalar(task.trips)))?;
    Ok(Clusters {
        centres: centres.into_vec(),
        owners: owners.into_vec(),
        trips: trips.item(),
    })
}

/// The same in plain Rust.
pub fn reference(task: &Task) -> Clusters {
    let mut found = Clusters {
        centres: task.centres.clone(),
        owners: vec![NONE; task.points.len()],
        trips: 0,
    };
    let mut changes = true;
    while changes && found.trips < task.trips {
        changes = reference_step(&task.points, &mut found);
        found.trips += 1;
    }
    found
}

/// One trip; gives whether a point changed its centre.
fn reference_step(points: &[Point], found: &mut Clusters) -> bool {
    let mut sums = vec![(0.0, 0.0, 0u32); found.centres.len()];
    let mut changes = false;
    for (&point, owner) in points.iter().zip(&mut found.owners) {
        let nearest = reference_nearest(&found.centres, point);
        changes |= nearest != *owner;
        *owner = nearest;
        if let Some(sum) = usize::try_from(nearest).ok().and_then(|i| sums.get_mut(i)) {
            *sum = (sum.0 + point.0, sum.1 + point.1, sum.2 + 1);
        }
    }
    let owned = found
        .centres
        .iter_mut()
        .zip(sums)
        .filter(|(_, sum)| sum.2 > 0);
    owned.for_each(|(centre, (x, y, n))| *centre = (x / f64::from(n), y / f64::from(n)));
    changes
}

fn reference_nearest(centres: &[Point], (x, y): Point) -> i32 {
    let (mut owner, mut least) = (NONE, f64::INFINITY);
    for (i, (a, b)) in (0..).zip(centres) {
        let square = (x - a) * (x - a) + (y - b) * (y - b);
        if square < least {
            (owner, least) = (i, square);
        }
    }
    owner
}

/// The largest difference of coordinates of centres; infinite where trips differ or a coordinate is no number.
pub fn difference(found: &Clusters, expected: &Clusters) -> f64 {
    let same =
        |f: &Clusters, e: &Clusters| f.trips == e.trips && f.centres.len() == e.centres.len();
    if !same(found, expected) {
        return f64::INFINITY;
    }
    let pairs = found.centres.iter().zip(&expected.centres);
    let apart = pairs.flat_map(|(f, e)| [(f.0 - e.0).abs(), (f.1 - e.1).abs()]);
    apart.fold(0.0, |most, d| {
        if d.is_nan() {
            f64::INFINITY
        } else {
            most.max(d)
        }
    })
}

/// Points around as many places as there are centres, which are the first points.
pub fn task(points: usize, centres: usize, seed: u64) -> Task {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let places: Vec<Point> = (0..centres)
        .map(|_| (random.random(), random.random()))
        .collect();
    // The mean of some uniform numbers is nearly normal.
    let mut around = |x: f64| {
        let spread: f64 = (0..4).map(|_| random.random_range(-0.1..0.1)).sum();
        ((x + spread) * PARTS).round() / PARTS
    };
    let points: Vec<Point> = places
        .iter()
        .cycle()
        .take(points)
        .map(|p| (around(p.0), around(p.1)))
        .collect();
    let centres = points.iter().copied().take(centres).collect();
    Task {
        points,
        centres,
        trips: 1000,
    }
}
