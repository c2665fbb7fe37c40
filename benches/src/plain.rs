//! Operations on arrays in plain Rust, with rayon where that pays: what `--bench primitives` measures cotangent against. Each fills a
//! vector, which keeps its memory from call to call.

use rayon::prelude::*;

/// Elements of a part that a thread takes at once.
const PART: usize = 1 << 14;

/// One number for each of another.
pub fn map(x: &[f64], f: impl Fn(f64) -> f64 + Sync, out: &mut Vec<f64>) {
    out.resize(x.len(), 0.0);
    let parts = x.par_chunks(PART).zip(out.par_chunks_mut(PART));
    parts.for_each(|(x, out)| out.iter_mut().zip(x).for_each(|(out, &x)| *out = f(x)));
}

/// The sum, by eight numbers at once.
pub fn sum(x: &[f64], out: &mut Vec<f64>) {
    let parts = x.par_chunks(PART).map(sum_of);
    *out = vec![parts.sum()];
}

fn sum_of(x: &[f64]) -> f64 {
    let (chunks, rest) = x.as_chunks::<8>();
    let lanes = chunks.iter().fold([0.0; 8], |mut sums, chunk| {
        sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += x);
        sums
    });
    lanes.iter().sum::<f64>() + rest.iter().sum::<f64>()
}

/// The sums of rows.
pub fn row_sums(x: &[f64], width: usize, out: &mut Vec<f64>) {
    x.par_chunks(width).map(sum_of).collect_into_vec(out);
}

/// The sums of columns, by parts of them.
pub fn column_sums(x: &[f64], width: usize, out: &mut Vec<f64>) {
    out.clear();
    out.resize(width, 0.0);
    let stripes = out.par_chunks_mut(width.div_ceil(rayon::current_num_threads()).max(1));
    let len = width.div_ceil(rayon::current_num_threads()).max(1);
    stripes.enumerate().for_each(|(stripe, sums)| {
        for row in x.chunks(width) {
            let row = &row[stripe * len..][..sums.len()];
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
    });
}

/// The sums of all that is up to each element: on several threads, first those of parts.
pub fn scan<T: Copy + Default + Send + Sync>(
    x: &[T],
    add: impl Fn(T, T) -> T + Sync,
    out: &mut Vec<T>,
) {
    out.resize(x.len(), T::default());
    let len = x.len().div_ceil(rayon::current_num_threads()).max(1);
    let mut before = vec![T::default()];
    if rayon::current_num_threads() > 1 {
        let total = |part: &[T]| part.iter().fold(T::default(), |sum, &x| add(sum, x));
        let totals: Vec<T> = x.par_chunks(len).map(total).collect();
        for total in totals {
            before.push(add(before[before.len() - 1], total));
        }
    }
    let parts = x.par_chunks(len).zip(out.par_chunks_mut(len)).zip(before);
    parts.for_each(|((x, out), before)| {
        let mut sum = before;
        for (out, &x) in out.iter_mut().zip(x) {
            sum = add(sum, x);
            *out = sum;
        }
    });
}

/// The same along rows.
pub fn row_scans(x: &[f64], width: usize, out: &mut Vec<f64>) {
    out.resize(x.len(), 0.0);
    let rows = x.par_chunks(width).zip(out.par_chunks_mut(width));
    rows.for_each(|(x, out)| {
        let mut sum = 0.0;
        for (out, &x) in out.iter_mut().zip(x) {
            sum += x;
            *out = sum;
        }
    });
}

/// The elements at given positions.
pub fn gather(x: &[f64], at: &[i32], out: &mut Vec<f64>) {
    out.resize(at.len(), 0.0);
    let parts = at.par_chunks(PART).zip(out.par_chunks_mut(PART));
    parts.for_each(|(at, out)| {
        let pairs = out.iter_mut().zip(at);
        pairs.for_each(|(out, &at)| *out = x[at as usize]);
    });
}

/// The sums of the elements that are sent to each of `n` positions, on one thread.
pub fn scatter(x: &[f64], to: &[i32], n: usize, out: &mut Vec<f64>) {
    out.clear();
    out.resize(n, 0.0);
    x.iter().zip(to).for_each(|(x, &to)| out[to as usize] += x);
}

/// How often each of the numbers below `n` is there; on several threads, in parts.
pub fn histogram(keys: &[i32], n: usize, out: &mut Vec<i32>) {
    let count = |keys: &[i32]| {
        let mut counts = vec![0; n];
        keys.iter().for_each(|&key| counts[key as usize] += 1);
        counts
    };
    let parts = keys.par_chunks(keys.len().div_ceil(rayon::current_num_threads()).max(1));
    let sum = |mut x: Vec<i32>, y: Vec<i32>| {
        x.iter_mut().zip(y).for_each(|(x, y)| *x += y);
        x
    };
    *out = parts.map(count).reduce_with(sum).unwrap_or_default();
}

/// The elements that a condition holds for, on one thread.
pub fn filter(x: &[f64], f: impl Fn(f64) -> bool, out: &mut Vec<f64>) {
    out.clear();
    out.extend(x.iter().copied().filter(|&x| f(x)));
}

/// The sums of segments of given lengths.
pub fn segment_sums(x: &[f64], lengths: &[i32], out: &mut Vec<f64>) {
    let mut start = 0;
    out.clear();
    out.extend(lengths.iter().map(|&len| {
        let segment = &x[start..][..len as usize];
        start += segment.len();
        segment.iter().sum::<f64>()
    }));
}

/// In ascending order.
pub fn sort(x: &[f64], out: &mut Vec<f64>) {
    out.clear();
    out.extend(x);
    match rayon::current_num_threads() {
        1 => out.sort_unstable_by(f64::total_cmp),
        _ => out.par_sort_unstable_by(f64::total_cmp),
    }
}

/// The same of integers.
pub fn sort_integers(x: &[i32], out: &mut Vec<i32>) {
    out.clear();
    out.extend(x);
    match rayon::current_num_threads() {
        1 => out.sort_unstable(),
        _ => out.par_sort_unstable(),
    }
}

/// Each row of that length in ascending order.
pub fn sort_rows(x: &[f64], len: usize, out: &mut Vec<f64>) {
    out.clear();
    out.extend(x);
    let rows = out.par_chunks_mut(len);
    rows.for_each(|row| row.sort_unstable_by(f64::total_cmp));
}

/// The products with the taps, added up; beyond the ends is nothing.
pub fn convolve(x: &[f64], taps: &[f64], out: &mut Vec<f64>) {
    let inside = x.len() + 1 - taps.len();
    out.resize(inside, 0.0);
    out.par_chunks_mut(PART)
        .enumerate()
        .for_each(|(part, out)| {
            let x = &x[part * PART..];
            out.fill(0.0);
            for (k, tap) in taps.iter().enumerate() {
                let pairs = out.iter_mut().zip(&x[k..]);
                pairs.for_each(|(out, x)| *out += tap * x);
            }
        });
}

/// What lies beyond the border of a matrix.
#[derive(Clone, Copy, Debug)]
pub enum Border {
    /// The nearest element.
    Clamp,
    /// The elements before the border in reverse, without the last one.
    Mirror,
    /// The other end.
    Wrap,
    /// Zeros.
    Zero,
}

impl Border {
    /// The place along a dimension of extent `n`, if there is one.
    fn place(self, i: isize, n: isize) -> Option<usize> {
        let place = match self {
            _ if (0..n).contains(&i) => i,
            Self::Clamp => i.clamp(0, n - 1),
            Self::Mirror => (if i < 0 { -i } else { 2 * (n - 1) - i }).clamp(0, n - 1),
            Self::Wrap => i.rem_euclid(n),
            Self::Zero => return None,
        };
        Some(place as usize)
    }
}

/// A matrix, row by row.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    /// The elements.
    pub elements: &'a [f64],
    /// The number of columns.
    pub width: usize,
    /// What lies around it.
    pub border: Border,
}

impl Matrix<'_> {
    fn at(&self, i: isize, j: isize) -> f64 {
        let height = self.elements.len() / self.width;
        let row = self.border.place(i, height as isize);
        let column = self.border.place(j, self.width as isize);
        let place = row.zip(column);
        place.map_or(0.0, |(i, j)| self.elements[i * self.width + j])
    }

    /// A row that may lie beyond the border.
    fn row(&self, i: isize) -> Option<&[f64]> {
        let height = (self.elements.len() / self.width) as isize;
        let start = self.border.place(i, height)? * self.width;
        Some(&self.elements[start..][..self.width])
    }

    /// The sums of neighbours up to one place away along each dimension, weighted; row by row, where the ends of rows are made by
    /// themselves.
    pub fn stencil(&self, weights: &[[f64; 3]; 3], out: &mut Vec<f64>) {
        out.resize(self.elements.len(), 0.0);
        let zeros = vec![0.0; self.width];
        let rows = out.par_chunks_mut(self.width).enumerate();
        rows.for_each(|(i, out)| {
            let i = i as isize;
            let near = [i - 1, i, i + 1].map(|i| self.row(i).unwrap_or(&zeros));
            inner(near, weights, out);
            for j in [0, self.width - 1] {
                out[j] = self.point(i, j as isize, weights);
            }
        });
    }

    /// What each element receives, if the matrix is what these sums do: inside, a stencil of its own; and what lies beyond the
    /// border is sent to where it came from.
    pub fn adjoint(&self, weights: &[[f64; 3]; 3], out: &mut Vec<f64>) {
        let flipped = std::array::from_fn(|i| std::array::from_fn(|j| weights[2 - i][2 - j]));
        let inside = Self {
            border: Border::Zero,
            ..*self
        };
        inside.stencil(&flipped, out);
        let (height, width) = (self.elements.len() / self.width, self.width);
        for i in 0..height {
            let is_end = i == 0 || i + 1 == height;
            let step = if is_end { 1 } else { (width - 1).max(1) };
            for j in (0..width).step_by(step) {
                self.send_beyond((i, j), weights, out);
            }
        }
    }

    /// What an element's neighbours beyond the border receive.
    fn send_beyond(&self, (i, j): (usize, usize), weights: &[[f64; 3]; 3], out: &mut [f64]) {
        let (height, width) = (self.elements.len() / self.width, self.width);
        let d = self.elements[i * width + j];
        for (row, i) in weights.iter().zip(i as isize - 1..) {
            for (weight, j) in row.iter().zip(j as isize - 1..) {
                let (near_row, near) = (0..height as isize, 0..width as isize);
                if near_row.contains(&i) && near.contains(&j) {
                    continue;
                }
                let row = self.border.place(i, height as isize);
                let column = self.border.place(j, width as isize);
                if let Some((i, j)) = row.zip(column) {
                    out[i * width + j] += weight * d;
                }
            }
        }
    }

    fn point(&self, i: isize, j: isize, weights: &[[f64; 3]; 3]) -> f64 {
        let mut sum = 0.0;
        for (row, i) in weights.iter().zip(i - 1..) {
            for (weight, j) in row.iter().zip(j - 1..) {
                sum += weight * self.at(i, j);
            }
        }
        sum
    }
}

/// All elements of a row but the ends. Neighbours of no weight are not read.
fn inner(near: [&[f64]; 3], weights: &[[f64; 3]; 3], out: &mut [f64]) {
    let [[a, b, c], [d, e, f], [g, h, k]] = *weights;
    let [up, here, down] = near.map(|row| row.windows(3));
    let rows = up.zip(here).zip(down);
    let places = &mut out[1..];
    if [a, c, g, k] == [0.0; 4] {
        for (((up, here), down), out) in rows.zip(places) {
            *out = b * up[1] + d * here[0] + e * here[1] + f * here[2] + h * down[1];
        }
        return;
    }
    for (((up, here), down), out) in rows.zip(places) {
        *out = a * up[0]
            + b * up[1]
            + c * up[2]
            + (d * here[0] + e * here[1] + f * here[2])
            + (g * down[0] + h * down[1] + k * down[2]);
    }
}
