//! The peer of the ADBench benchmarks: the same objectives and derivatives as a careful programmer writes
//! them in scalar Rust. Compiled by the benchmark itself with `-C opt-level=3 -C target-cpu=native`.
//!
//! Usage: `scalar (gmm|ba|paths32|paths64) INPUT OUTPUT THREADS SECONDS`. INPUT holds little-endian numbers as
//! `adbench.rs` writes them; OUTPUT receives the derivative as f64; standard output the two times.

use std::hint::black_box;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, task, input, output, threads, seconds] = &arguments[..] else {
        eprintln!("usage: scalar (gmm|ba|paths32|paths64) INPUT OUTPUT THREADS SECONDS");
        std::process::exit(2);
    };
    let mut reader = Reader(std::fs::read(input).expect("the input can be read"), 0);
    let threads: usize = threads.parse().expect("a number of threads");
    let seconds: f64 = seconds.parse().expect("a number of seconds");
    let (primal, derivative, values) = match task.as_str() {
        "gmm" => {
            let gmm = Gmm::read(&mut reader);
            let primal = measure(seconds, || gmm.objective(threads));
            let derivative = measure(seconds, || gmm.gradient(threads));
            (primal, derivative, gmm.gradient(threads).1)
        }
        "paths32" | "paths64" => {
            let n = reader.size();
            let (a, b) = (reader.floats(n * n), reader.floats(n * n));
            match task.as_str() {
                "paths32" => {
                    let single = |x: &[f64]| x.iter().map(|&x| x as f32).collect::<Vec<_>>();
                    let paths = Paths { n, a: single(&a), b: single(&b), none: f32::INFINITY };
                    let time = measure(seconds, || paths.product(threads));
                    (time, time, paths.product(threads).into_iter().map(f64::from).collect())
                }
                _ => {
                    let paths = Paths { n, a, b, none: f64::INFINITY };
                    let time = measure(seconds, || paths.product(threads));
                    (time, time, paths.product(threads))
                }
            }
        }
        _ => {
            let ba = Ba::read(&mut reader);
            let primal = measure(seconds, || ba.objective(threads));
            let derivative = measure(seconds, || ba.jacobian(threads));
            (primal, derivative, ba.jacobian(threads).2)
        }
    };
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    std::fs::write(output, bytes).expect("the output can be written");
    println!("{primal:e} {derivative:e}");
}

/// The shortest time of one call, as the benchmark measures its own.
fn measure<T>(seconds: f64, mut work: impl FnMut() -> T) -> f64 {
    let (start, mut best) = (Instant::now(), f64::INFINITY);
    while start.elapsed().as_secs_f64() < seconds {
        let sample = Instant::now();
        black_box(work());
        best = best.min(sample.elapsed().as_secs_f64());
    }
    best
}

struct Reader(Vec<u8>, usize);

impl Reader {
    fn float(&mut self) -> f64 {
        self.1 += 8;
        f64::from_le_bytes(self.0[self.1 - 8..self.1].try_into().expect("eight bytes"))
    }
    fn size(&mut self) -> usize {
        self.float() as usize
    }
    fn floats(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.float()).collect()
    }
}

/// Splits 0..n into one range a thread, runs `work` on each, gives the results in order.
fn parallel<T: Send>(n: usize, threads: usize, work: impl Fn(std::ops::Range<usize>) -> T + Sync) -> Vec<T> {
    let range = |t: usize| n * t / threads..n * (t + 1) / threads;
    if threads == 1 {
        return vec![work(range(0))];
    }
    std::thread::scope(|scope| {
        let work = &work;
        let handles: Vec<_> = (0..threads).map(|t| scope.spawn(move || work(range(t)))).collect();
        handles.into_iter().map(|h| h.join().expect("no panic")).collect()
    })
}

/// Two matrices of n × n edges.
struct Paths<T> {
    n: usize,
    a: Vec<T>,
    b: Vec<T>,
    /// The length of a path that is not there.
    none: T,
}

impl<T: Copy + PartialOrd + std::ops::Add<Output = T> + Send + Sync> Paths<T> {
    /// The shortest paths of two legs, one from each matrix: rows of `b` stay in cache, and are gone through
    /// by vectors.
    fn product(&self, threads: usize) -> Vec<T> {
        let n = self.n;
        let rows = |range: std::ops::Range<usize>| {
            let mut out = vec![self.none; range.len() * n];
            for (i, out) in range.zip(out.chunks_exact_mut(n)) {
                for (k, b) in self.b.chunks_exact(n).enumerate() {
                    let a = self.a[i * n + k];
                    for (out, &b) in out.iter_mut().zip(b) {
                        let length = a + b;
                        *out = if length < *out { length } else { *out };
                    }
                }
            }
            out
        };
        parallel(n, threads, rows).concat()
    }
}

struct Gmm {
    d: usize,
    k: usize,
    n: usize,
    gamma: f64,
    m: f64,
    constant: f64,
    alphas: Vec<f64>,
    means: Vec<f64>,
    icf: Vec<f64>,
    x: Vec<f64>,
}

/// What does not depend on the points.
struct Prepared {
    q_sum: Vec<f64>,
    q_exp: Vec<f64>,
}

impl Gmm {
    fn read(r: &mut Reader) -> Self {
        let (d, k, n) = (r.size(), r.size(), r.size());
        let (gamma, m, constant) = (r.float(), r.float(), r.float());
        let (alphas, means) = (r.floats(k), r.floats(k * d));
        let (icf, x) = (r.floats(k * d * (d + 1) / 2), r.floats(n * d));
        Self { d, k, n, gamma, m, constant, alphas, means, icf, x }
    }

    fn size(&self) -> usize {
        self.d * (self.d + 1) / 2
    }

    fn q(&self, c: usize) -> &[f64] {
        &self.icf[c * self.size()..][..self.d]
    }

    fn l(&self, c: usize) -> &[f64] {
        &self.icf[c * self.size() + self.d..(c + 1) * self.size()]
    }

    fn prepare(&self) -> Prepared {
        let q_sum = (0..self.k).map(|c| self.q(c).iter().sum()).collect();
        let q_exp = (0..self.k).flat_map(|c| self.q(c).iter().map(|q| q.exp())).collect();
        Prepared { q_sum, q_exp }
    }

    #[inline]
    fn transform(&self, p: &Prepared, c: usize, x: &[f64], xc: &mut [f64], y: &mut [f64]) -> f64 {
        let d = self.d;
        let (mean, q_exp, l) = (&self.means[c * d..][..d], &p.q_exp[c * d..][..d], self.l(c));
        for j in 0..d {
            xc[j] = x[j] - mean[j];
            y[j] = q_exp[j] * xc[j];
        }
        let mut t = 0;
        for i in 0..d {
            let (rest, column) = (&mut y[i + 1..d], &l[t..t + d - i - 1]);
            for (y, l) in rest.iter_mut().zip(column) {
                *y += l * xc[i];
            }
            t += d - i - 1;
        }
        let squares: f64 = y.iter().map(|y| y * y).sum();
        self.alphas[c] + p.q_sum[c] - 0.5 * squares
    }

    fn finish(&self, p: &Prepared, likelihood: f64) -> f64 {
        let mut prior = 0.0;
        for c in 0..self.k {
            let e = &p.q_exp[c * self.d..][..self.d];
            let squares: f64 = e.iter().chain(self.l(c)).map(|x| x * x).sum();
            prior += 0.5 * self.gamma * self.gamma * squares - self.m * p.q_sum[c];
        }
        self.constant + likelihood - self.n as f64 * log_sum_exp(&self.alphas) + prior
    }

    fn objective(&self, threads: usize) -> f64 {
        let p = self.prepare();
        let parts = parallel(self.n, threads, |points| {
            let (mut xc, mut y) = (vec![0.0; self.d], vec![0.0; self.d]);
            let mut beta = vec![0.0; self.k];
            let mut sum = 0.0;
            for i in points {
                let x = &self.x[i * self.d..][..self.d];
                for c in 0..self.k {
                    beta[c] = self.transform(&p, c, x, &mut xc, &mut y);
                }
                sum += log_sum_exp(&beta);
            }
            sum
        });
        self.finish(&p, parts.iter().sum())
    }

    fn gradient(&self, threads: usize) -> (f64, Vec<f64>) {
        let p = self.prepare();
        let parts = parallel(self.n, threads, |points| self.partial_gradient(&p, points));
        let mut gradient = vec![0.0; self.k * (1 + self.d + self.size())];
        let mut likelihood = 0.0;
        for (value, part) in &parts {
            likelihood += value;
            gradient.iter_mut().zip(part).for_each(|(g, p)| *g += p);
        }
        self.add_prior(&p, &mut gradient);
        (self.finish(&p, likelihood), gradient)
    }

    fn partial_gradient(&self, p: &Prepared, points: std::ops::Range<usize>) -> (f64, Vec<f64>) {
        let (d, k) = (self.d, self.k);
        let mut gradient = vec![0.0; k * (1 + d + self.size())];
        let (mut xc, mut y, mut beta) = (vec![0.0; k * d], vec![0.0; k * d], vec![0.0; k]);
        let mut sum = 0.0;
        for i in points {
            let x = &self.x[i * d..][..d];
            for c in 0..k {
                let range = c * d..(c + 1) * d;
                beta[c] = self.transform(p, c, x, &mut xc[range.clone()], &mut y[range]);
            }
            let lse = log_sum_exp(&beta);
            sum += lse;
            for c in 0..k {
                let r = (beta[c] - lse).exp();
                self.add_point(p, &mut gradient, c, r, &xc[c * d..][..d], &y[c * d..][..d]);
            }
        }
        (sum, gradient)
    }

    #[inline]
    fn add_point(&self, p: &Prepared, gradient: &mut [f64], c: usize, r: f64, xc: &[f64], y: &[f64]) {
        let (d, k) = (self.d, self.k);
        gradient[c] += r;
        let (means, factors) = gradient[k..].split_at_mut(k * d);
        let mean = &mut means[c * d..][..d];
        let (q, l_adj) = factors[c * self.size()..][..self.size()].split_at_mut(d);
        let (q_exp, l) = (&p.q_exp[c * d..][..d], self.l(c));
        let mut t = 0;
        for i in 0..d {
            q[i] += r * (1.0 - q_exp[i] * xc[i] * y[i]);
            let scale = r * xc[i];
            let mut transposed = q_exp[i] * y[i];
            let (rest, column) = (&y[i + 1..d], &l[t..t + d - i - 1]);
            for ((adj, l), y) in l_adj[t..t + d - i - 1].iter_mut().zip(column).zip(rest) {
                *adj -= scale * y;
                transposed += l * y;
            }
            mean[i] += r * transposed;
            t += d - i - 1;
        }
    }

    fn add_prior(&self, p: &Prepared, gradient: &mut [f64]) {
        let (d, k, square) = (self.d, self.k, self.gamma * self.gamma);
        let lse = log_sum_exp(&self.alphas);
        for c in 0..k {
            gradient[c] -= self.n as f64 * (self.alphas[c] - lse).exp();
            let factor = &mut gradient[k + k * d + c * self.size()..][..self.size()];
            for j in 0..d {
                factor[j] += square * p.q_exp[c * d + j] * p.q_exp[c * d + j] - self.m;
            }
            factor[d..].iter_mut().zip(self.l(c)).for_each(|(g, l)| *g += square * l);
        }
    }
}

fn log_sum_exp(values: &[f64]) -> f64 {
    let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    max + values.iter().map(|v| (v - max).exp()).sum::<f64>().ln()
}

struct Ba {
    n: usize,
    m: usize,
    cameras: Vec<[f64; 11]>,
    points: Vec<[f64; 3]>,
    weights: Vec<f64>,
    features: Vec<[f64; 2]>,
    observations: Vec<[usize; 2]>,
}

fn rows<const N: usize>(r: &mut Reader, count: usize) -> Vec<[f64; N]> {
    (0..count).map(|_| std::array::from_fn(|_| r.float())).collect()
}

impl Ba {
    fn read(r: &mut Reader) -> Self {
        let (n, m, p) = (r.size(), r.size(), r.size());
        let (cameras, points) = (rows(r, n), rows(r, m));
        let (weights, features) = (r.floats(p), rows(r, p));
        let observations = (0..p).map(|_| [r.size(), r.size()]).collect();
        Self { n, m, cameras, points, weights, features, observations }
    }

    fn objective(&self, threads: usize) -> (Vec<f64>, Vec<f64>) {
        let p = self.weights.len();
        let parts = parallel(p, threads, |range| {
            let mut out = Vec::with_capacity(2 * range.len());
            for i in range {
                let [c, x] = self.observations[i];
                let view = View::new(&self.cameras[c], &self.points[x]);
                let w = self.weights[i];
                out.push(w * (view.projected[0] - self.features[i][0]));
                out.push(w * (view.projected[1] - self.features[i][1]));
            }
            out
        });
        (parts.concat(), self.weights.iter().map(|w| 1.0 - w * w).collect())
    }

    /// Row starts, columns and values; all computed, as ADBench times it.
    fn jacobian(&self, threads: usize) -> (Vec<i32>, Vec<i32>, Vec<f64>) {
        let p = self.weights.len();
        let (mut columns, mut values) = (vec![0i32; 31 * p], vec![0.0; 31 * p]);
        let mut row_starts = Vec::with_capacity(3 * p + 1);
        row_starts.extend((0..=2 * p).map(|i| 15 * i as i32));
        row_starts.extend((1..=p).map(|i| (30 * p + i) as i32));
        let (columns_head, columns_tail) = columns.split_at_mut(30 * p);
        let (values_head, values_tail) = values.split_at_mut(30 * p);
        let base = 11 * self.n + 3 * self.m;
        for i in 0..p {
            columns_tail[i] = (base + i) as i32;
            values_tail[i] = -2.0 * self.weights[i];
        }
        let share = p.div_ceil(threads).max(1);
        std::thread::scope(|scope| {
            let chunks = columns_head.chunks_mut(30 * share).zip(values_head.chunks_mut(30 * share));
            for (t, (columns, values)) in chunks.enumerate() {
                let mut work = move || {
                    let rows = columns.chunks_exact_mut(30).zip(values.chunks_exact_mut(30));
                    for (j, (columns, values)) in rows.enumerate() {
                        self.block(t * share + j, columns, values);
                    }
                };
                if threads == 1 { work() } else { drop(scope.spawn(work)) }
            }
        });
        (row_starts, columns, values)
    }

    #[inline]
    fn block(&self, i: usize, columns: &mut [i32], values: &mut [f64]) {
        let [c, x] = self.observations[i];
        for j in 0..11 {
            columns[j] = (11 * c + j) as i32;
        }
        for j in 0..3 {
            columns[11 + j] = (11 * self.n + 3 * x + j) as i32;
        }
        columns[14] = (11 * self.n + 3 * self.m + i) as i32;
        columns.copy_within(0..15, 15);
        let view = View::new(&self.cameras[c], &self.points[x]);
        let w = self.weights[i];
        let (first, second) = values.split_at_mut(15);
        view.derivative(&self.cameras[c], w, 0, first);
        view.derivative(&self.cameras[c], w, 1, second);
        first[14] = view.projected[0] - self.features[i][0];
        second[14] = view.projected[1] - self.features[i][1];
    }
}

/// One point seen by one camera, with what the derivative needs.
struct View {
    rotation: Option<Rotation>,
    offset: [f64; 3],
    local: [f64; 3],
    flat: [f64; 2],
    square: f64,
    scale: f64,
    projected: [f64; 2],
}

struct Rotation {
    axis: [f64; 3],
    inverse_angle: f64,
    sin: f64,
    cos: f64,
    cross: [f64; 3],
    dot: f64,
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl View {
    #[inline]
    fn new(camera: &[f64; 11], point: &[f64; 3]) -> Self {
        let r = [camera[0], camera[1], camera[2]];
        let offset = [point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]];
        let squared_angle = dot(r, r);
        let (rotation, local) = if squared_angle == 0.0 {
            let turned = cross(r, offset);
            (None, std::array::from_fn(|i| offset[i] + turned[i]))
        } else {
            let angle = squared_angle.sqrt();
            let (inverse_angle, (sin, cos)) = (1.0 / angle, angle.sin_cos());
            let axis = r.map(|r| r * inverse_angle);
            let (cross, dot) = (cross(axis, offset), dot(axis, offset));
            let along = dot * (1.0 - cos);
            let local = std::array::from_fn(|i| offset[i] * cos + cross[i] * sin + axis[i] * along);
            (Some(Rotation { axis, inverse_angle, sin, cos, cross, dot }), local)
        };
        let flat = [local[0] / local[2], local[1] / local[2]];
        let square = flat[0] * flat[0] + flat[1] * flat[1];
        let scale = 1.0 + camera[9] * square + camera[10] * square * square;
        let projected = [
            flat[0] * scale * camera[6] + camera[7],
            flat[1] * scale * camera[6] + camera[8],
        ];
        Self { rotation, offset, local, flat, square, scale, projected }
    }

    /// The derivative of weight · projected[e] by camera and point: by hand, backwards from the result.
    #[inline]
    fn derivative(&self, camera: &[f64; 11], weight: f64, e: usize, out: &mut [f64]) {
        let focal = camera[6];
        let [x, y] = self.flat;
        let slope = camera[9] + 2.0 * camera[10] * self.square;
        let along = weight * focal * 2.0 * slope * self.flat[e];
        let mut flat_adj = [along * x, along * y];
        flat_adj[e] += weight * focal * self.scale;
        let inverse = 1.0 / self.local[2];
        let local_adj = [
            flat_adj[0] * inverse,
            flat_adj[1] * inverse,
            -(flat_adj[0] * x + flat_adj[1] * y) * inverse,
        ];
        let (rotation_adj, offset_adj) = self.rotate_back(camera, local_adj);
        out[..3].copy_from_slice(&rotation_adj);
        for i in 0..3 {
            out[3 + i] = -offset_adj[i];
            out[11 + i] = offset_adj[i];
        }
        out[6] = weight * self.flat[e] * self.scale;
        out[7] = if e == 0 { weight } else { 0.0 };
        out[8] = if e == 1 { weight } else { 0.0 };
        out[9] = weight * focal * self.flat[e] * self.square;
        out[10] = out[9] * self.square;
    }

    #[inline]
    fn rotate_back(&self, camera: &[f64; 11], adj: [f64; 3]) -> ([f64; 3], [f64; 3]) {
        let Some(r) = &self.rotation else {
            let axis = [camera[0], camera[1], camera[2]];
            let back = cross(adj, axis);
            return (cross(self.offset, adj), std::array::from_fn(|i| adj[i] + back[i]));
        };
        let one_minus = 1.0 - r.cos;
        let axis_dot = dot(r.axis, adj);
        let back = cross(adj, r.axis);
        let offset_adj: [f64; 3] = std::array::from_fn(|i| {
            adj[i] * r.cos + back[i] * r.sin + r.axis[i] * one_minus * axis_dot
        });
        let angle_adj = r.sin * (r.dot * axis_dot - dot(self.offset, adj)) + r.cos * dot(r.cross, adj);
        let turned = cross(self.offset, adj);
        let axis_adj: [f64; 3] = std::array::from_fn(|i| {
            turned[i] * r.sin + one_minus * (adj[i] * r.dot + self.offset[i] * axis_dot)
        });
        let radial = dot(r.axis, axis_adj);
        let rotation_adj = std::array::from_fn(|i| {
            (axis_adj[i] - r.axis[i] * radial) * r.inverse_angle + r.axis[i] * angle_adj
        });
        (rotation_adj, offset_adj)
    }
}
