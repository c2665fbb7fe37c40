//! The input of the BA task.

use super::CAMERA;
use crate::input::{InputError, Lines, made, product, read, reserve, words_of};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::path::Path;

/// Cameras, points in space, and observations of points by cameras.
#[derive(Clone, Debug, PartialEq)]
pub struct BaInput {
    /// One camera each: rotation, centre, focal length, principal point, distortion.
    pub cameras: Vec<[f64; CAMERA]>,
    /// The points.
    pub points: Vec<[f64; 3]>,
    /// One weight an observation.
    pub weights: Vec<f64>,
    /// What was observed, in pixels.
    pub features: Vec<[f64; 2]>,
    /// Which camera observed which point.
    pub observations: Vec<(i32, i32)>,
}

/// The numbers of cameras, points and observations.
type Sizes = [usize; 3];

impl BaInput {
    /// Makes an input of `n` cameras, `m` points and `p` observations that all differ; every camera looks at
    /// every point from the front. The same seed gives the same input on every machine.
    ///
    /// # Errors
    /// Where a size is 0 or too large, or the input does not fit in memory.
    pub fn generate(n: usize, m: usize, p: usize, seed: u64) -> Result<Self, InputError> {
        check_sizes([n, m, p])?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut normal = move || rng.sample::<f64, _>(StandardNormal);
        let camera = |normal: &mut dyn FnMut() -> f64| {
            let mut c = [(); CAMERA].map(|()| 0.1 * normal());
            c[5] -= 10.0;
            c[6] = 500.0 + 20.0 * normal();
            c
        };
        let cameras = made(n, "the cameras", |_| camera(&mut normal))?;
        let points = made(m, "the points", |_| [(); 3].map(|()| normal()))?;
        let weights = made(p, "the weights", |_| 0.5 + 0.1 * normal())?;
        let features = made(p, "the features", |_| [(); 2].map(|()| 50.0 * normal()))?;
        Ok(Self {
            cameras,
            points,
            weights,
            features,
            observations: round_robin([n, m, p])?,
        })
    }

    /// Reads a file, or standard input where that is `-`: ADBench's own (`n m p`, one camera, point, weight and feature, all replicated;
    /// observation i sees camera i mod n and point i mod m) or a full one (`n m p full`, then n cameras, m
    /// points, p weights, p features, p pairs of indices, a line each).
    ///
    /// # Errors
    /// Where the file cannot be read or is malformed, truncated or inconsistent.
    pub fn load(path: &Path) -> Result<Self, InputError> {
        let (name, text) = read(path)?;
        Self::parse(name, &text)
    }

    /// Reads the text of such a file; `path` is for messages.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn parse(path: &Path, text: &str) -> Result<Self, InputError> {
        let mut lines = Lines::new(path, text);
        let (sizes, full) = header(&mut lines)?;
        check_sizes(sizes)?;
        let input = if full {
            full_body(&mut lines, sizes)
        } else {
            replicated(&mut lines, sizes)
        };
        let input = input?;
        lines.end()?;
        Ok(input)
    }

    /// The numbers of cameras, points and observations.
    pub fn sizes(&self) -> (usize, usize, usize) {
        (
            self.cameras.len(),
            self.points.len(),
            self.observations.len(),
        )
    }
}

fn header(lines: &mut Lines<'_>) -> Result<(Sizes, bool), InputError> {
    let expected = "three sizes: n, m and p, each at least 1, and perhaps the word `full`";
    let line = lines.line(&expected)?;
    let (sizes, full) = match (words_of(line), words_of(line)) {
        (Ok(sizes), _) => (sizes, false),
        (_, Ok([n, m, p, "full"])) => ([n, m, p], true),
        (Err(_), Ok(_) | Err(_)) => return Err(lines.error_at(expected, line)),
    };
    let mut numbers = [0; 3];
    for (number, word) in numbers.iter_mut().zip(sizes) {
        *number = lines.number(word, &expected)?;
        if *number == 0 {
            return Err(lines.error(expected, "0"));
        }
    }
    Ok((numbers, full))
}

/// The Jacobian's column indices, up to 11n + 3m + p, and its 31p values must be countable in `i32`.
fn check_sizes([n, m, p]: Sizes) -> Result<(), InputError> {
    if n == 0 || m == 0 || p == 0 {
        let what = format!("n = {n}, m = {m}, p = {p}: each must be at least 1");
        return Err(InputError::Size { what });
    }
    let columns = product(n, CAMERA, "the cameras")?
        .saturating_add(product(m, 3, "the points")?)
        .saturating_add(p);
    let values = product(p, 31, "the Jacobian")?;
    if columns.max(values) > i32::MAX as usize {
        let what = format!(
            "n = {n}, m = {m}, p = {p}: the Jacobian has {values} values in {columns} columns; its 32-bit indices allow {}",
            i32::MAX
        );
        return Err(InputError::Size { what });
    }
    Ok(())
}

fn round_robin([n, m, p]: Sizes) -> Result<Vec<(i32, i32)>, InputError> {
    made(p, "the observations", |i| ((i % n) as i32, (i % m) as i32))
}

/// So many rows are made room for at first: a file that promises more than it holds shall not take memory.
const FIRST_ROWS: usize = 1 << 16;

/// `count` rows, each read from lines of its own.
fn table<T>(
    count: usize,
    what: &str,
    mut row: impl FnMut(usize) -> Result<T, InputError>,
) -> Result<Vec<T>, InputError> {
    let mut out = reserve(count.min(FIRST_ROWS), what)?;
    for i in 1..=count {
        let value = row(i)?;
        if out.len() == out.capacity() {
            let mut larger = reserve(count.min(2 * out.len()), what)?;
            larger.append(&mut out);
            out = larger;
        }
        out.push(value);
    }
    Ok(out)
}

/// Rows of `N` numbers.
fn rows<const N: usize>(
    lines: &mut Lines<'_>,
    count: usize,
    what: &str,
) -> Result<Vec<[f64; N]>, InputError> {
    let mut row = reserve(N, what)?;
    table(count, what, |i| {
        row.clear();
        lines.floats(N, &format!("{what} {i} of {count}"), &mut row)?;
        let mut values = [0.0; N];
        values.copy_from_slice(&row);
        Ok(values)
    })
}

fn replicated(lines: &mut Lines<'_>, sizes: Sizes) -> Result<BaInput, InputError> {
    let [n, m, p] = sizes;
    let camera = rows::<CAMERA>(lines, 1, "camera")?[0];
    let point = rows::<3>(lines, 1, "point")?[0];
    let [weight] = rows::<1>(lines, 1, "weight")?[0];
    let feature = rows::<2>(lines, 1, "feature")?[0];
    Ok(BaInput {
        cameras: made(n, "the cameras", |_| camera)?,
        points: made(m, "the points", |_| point)?,
        weights: made(p, "the weights", |_| weight)?,
        features: made(p, "the features", |_| feature)?,
        observations: round_robin(sizes)?,
    })
}

fn full_body(lines: &mut Lines<'_>, sizes: Sizes) -> Result<BaInput, InputError> {
    let [n, m, p] = sizes;
    Ok(BaInput {
        cameras: rows(lines, n, "camera")?,
        points: rows(lines, m, "point")?,
        weights: {
            let weights = rows::<1>(lines, p, "weight")?;
            made(p, "the weights", |i| weights[i][0])?
        },
        features: rows(lines, p, "feature")?,
        observations: table(p, "the observations", |i| observation(lines, i, sizes))?,
    })
}

fn observation(
    lines: &mut Lines<'_>,
    i: usize,
    [n, m, p]: Sizes,
) -> Result<(i32, i32), InputError> {
    let expected =
        format!("observation {i} of {p}: a camera below {n} and a point below {m}, both from 0");
    let [camera, point] = lines.words(&expected)?;
    let index = |word: &str, limit: usize| match lines.number::<usize>(word, &expected)? {
        index if index < limit => Ok(index as i32),
        index => Err(lines.error_at(&expected, &index.to_string())),
    };
    Ok((index(camera, n)?, index(point, m)?))
}
