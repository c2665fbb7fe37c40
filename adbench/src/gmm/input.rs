//! The input of the GMM task.

use crate::input::{InputError, Lines, product, read, reserve};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::path::Path;

/// A mixture of `k` Gaussians in `d` dimensions, and `n` points.
///
/// All matrices are row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct GmmInput {
    /// Dimensions.
    pub d: usize,
    /// Components.
    pub k: usize,
    /// Points.
    pub n: usize,
    /// Log weights, \[k].
    pub alphas: Vec<f64>,
    /// Means, \[k, d].
    pub means: Vec<f64>,
    /// Inverse covariance factors, \[k, d(d+1)/2]: each the log-diagonal q\[d], then the strictly lower
    /// triangle column by column.
    pub icf: Vec<f64>,
    /// Points, \[n, d].
    pub x: Vec<f64>,
    /// The prior's γ.
    pub gamma: f64,
    /// The prior's m.
    pub m: i32,
}

impl GmmInput {
    /// The length of one inverse covariance factor.
    pub fn icf_size(&self) -> usize {
        self.d * (self.d + 1) / 2
    }

    /// The number of parameters, and of elements of the gradient.
    pub fn parameters(&self) -> usize {
        self.k * (1 + self.d + self.icf_size())
    }

    /// Makes an input by ADBench's recipe: α, q, l and x from N(0, 1), means from U(0, 1), all rounded to six
    /// decimals; γ = 1, m = 0. The same seed gives the same input on every machine.
    ///
    /// # Errors
    /// Where a size is 0 or the input does not fit in memory.
    pub fn generate(n: usize, d: usize, k: usize, seed: u64) -> Result<Self, InputError> {
        positive(n, d, k)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let normal = |rng: &mut ChaCha8Rng| rng.sample::<f64, _>(StandardNormal);
        let icf_size = product(d, d + 1, "the covariance factors")? / 2;
        Ok(Self {
            alphas: sample(k, "α", &mut rng, normal)?,
            means: sample(product(k, d, "the means")?, "the means", &mut rng, |rng| {
                rng.random()
            })?,
            icf: sample(
                product(k, icf_size, "the factors")?,
                "the factors",
                &mut rng,
                normal,
            )?,
            x: sample(product(n, d, "the points")?, "the points", &mut rng, normal)?,
            d,
            k,
            n,
            gamma: 1.0,
            m: 0,
        })
    }

    /// Reads one of ADBench's files, or standard input where that is `-`. With `replicate_point`, the file holds one point, which stands for all
    /// `n` (the files of 2.5 million points are such).
    ///
    /// # Errors
    /// Where the file cannot be read or is malformed, truncated or inconsistent.
    pub fn load(path: &Path, replicate_point: bool) -> Result<Self, InputError> {
        let (name, text) = read(path)?;
        Self::parse(name, &text, replicate_point)
    }

    /// Reads the text of such a file; `path` is for messages.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn parse(path: &Path, text: &str, replicate_point: bool) -> Result<Self, InputError> {
        let mut lines = Lines::new(path, text);
        let [d, k, n] = header(&mut lines)?;
        let icf_size = product(d, d + 1, "the covariance factors")? / 2;
        let mut table = |rows: usize, columns: usize, what: &str| {
            let mut out = reserve(product(rows, columns, what)?.min(text.len()), what)?;
            for row in 1..=rows {
                lines.floats(columns, &format!("{what} {row} of {rows}"), &mut out)?;
            }
            Ok::<_, InputError>(out)
        };
        let alphas = table(k, 1, "α")?;
        let means = table(k, d, "mean")?;
        let icf = table(k, icf_size, "covariance factor")?;
        let points = table(if replicate_point { 1 } else { n }, d, "point")?;
        let (gamma, m) = prior(&mut lines, !replicate_point && n > 1)?;
        lines.end()?;
        let x = if replicate_point {
            replicate(&points, n)?
        } else {
            points
        };
        Ok(Self {
            d,
            k,
            n,
            alphas,
            means,
            icf,
            x,
            gamma,
            m,
        })
    }
}

fn positive(n: usize, d: usize, k: usize) -> Result<(), InputError> {
    if n > 0 && d > 0 && k > 0 {
        return Ok(());
    }
    Err(InputError::Size {
        what: format!("n = {n}, d = {d}, k = {k}: each must be at least 1"),
    })
}

fn sample(
    len: usize,
    what: &str,
    rng: &mut ChaCha8Rng,
    draw: impl Fn(&mut ChaCha8Rng) -> f64,
) -> Result<Vec<f64>, InputError> {
    let mut out = reserve(len, what)?;
    out.extend((0..len).map(|_| (draw(rng) * 1e6).round() / 1e6));
    Ok(out)
}

fn header(lines: &mut Lines<'_>) -> Result<[usize; 3], InputError> {
    let expected = "three sizes: d, K and n, each at least 1";
    let [d, k, n] = lines.words(&expected)?;
    let size = |word: &str| match lines.number(word, &expected)? {
        0 => Err(lines.error(expected, "0")),
        size => Ok(size),
    };
    Ok([size(d)?, size(k)?, size(n)?])
}

fn prior(lines: &mut Lines<'_>, many_points: bool) -> Result<(f64, i32), InputError> {
    let hint = if many_points {
        ", after all n points (a file of one point for all needs --replicate-point)"
    } else {
        ""
    };
    let expected = format!("the prior: γ > 0 and the integer m ≥ 0{hint}");
    let [gamma, m] = lines.words(&expected)?;
    let gamma: f64 = lines.number(gamma, &expected)?;
    let m: i32 = lines.number(m, &expected)?;
    if !(gamma > 0.0 && gamma.is_finite() && m >= 0) {
        return Err(lines.error(expected, format_args!("`{gamma} {m}`")));
    }
    Ok((gamma, m))
}

fn replicate(point: &[f64], n: usize) -> Result<Vec<f64>, InputError> {
    let mut out = reserve(product(n, point.len(), "the points")?, "the points")?;
    (0..n).for_each(|_| out.extend_from_slice(point));
    Ok(out)
}
