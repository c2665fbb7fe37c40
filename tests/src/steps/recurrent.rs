//! A recurrent network over a batch of sequences: hₜ = tanh(hₜ₋₁·W + xₜ·U + b), two products of matrices in each trip of a loop.

use cotangent::prelude::*;

type Matrix<T> = Acc<Ix2, T>;

/// W \[hidden, hidden], U \[features, hidden] and b \[hidden].
pub type Weights<T> = (Matrix<T>, Matrix<T>, Acc<Ix1, T>);

/// The product of two matrices.
fn product<T: Float>(a: Matrix<T>, b: Matrix<T>) -> Matrix<T> {
    let (ix![rows, _], ix![_, columns]) = (a.shape(), b.shape());
    let b = b.transpose().replicate(ix![rows, All, All]);
    a.replicate(ix![All, columns, All])
        .zip_with(b, |a, b| a * b)
        .sum()
}

/// The sum of the squares of all h, by the weights, for inputs \[time, batch, features].
pub fn loss<T: Float>((w, u, b): Weights<T>, inputs: Acc<Ix3, T>) -> Acc<Z, T> {
    let ix![_, batch, _] = inputs.shape();
    let biases = b.replicate(ix![batch, All]);
    let step = |_, h: Matrix<T>, x: Matrix<T>| {
        let read = product(x, u).zip_with(biases, |x, b| x + b);
        let h = product(h, w).zip_with(read, |h, x| (h + x).tanh());
        (h, h)
    };
    let first = fill(ix![batch, b.size()], constant(T::from_f64(0.0)));
    let (_, all) = ascan(inputs, step, first);
    all.map(|h| h * h).sum_all()
}

/// The same in plain Rust.
pub mod plain {
    /// Weights and inputs, all row by row.
    #[derive(Clone, Debug)]
    pub struct Network {
        /// Time, batch, features and hidden numbers.
        pub sizes: [usize; 4],
        /// W.
        pub w: Vec<f64>,
        /// U.
        pub u: Vec<f64>,
        /// b.
        pub b: Vec<f64>,
        /// The inputs.
        pub inputs: Vec<f64>,
    }

    /// out += a·b, for a \[m, k] and b \[k, n].
    fn add_product(out: &mut [f64], a: &[f64], b: &[f64], n: usize) {
        let k = b.len() / n;
        for (row, a) in out.chunks_exact_mut(n).zip(a.chunks_exact(k)) {
            for (a, b) in a.iter().zip(b.chunks_exact(n)) {
                row.iter_mut().zip(b).for_each(|(out, b)| *out += a * b);
            }
        }
    }

    /// out += aᵀ·b, for a \[k, m] and b \[k, n].
    fn add_transposed(out: &mut [f64], a: &[f64], b: &[f64], [m, n]: [usize; 2]) {
        for (a, b) in a.chunks_exact(m).zip(b.chunks_exact(n)) {
            for (row, a) in out.chunks_exact_mut(n).zip(a) {
                row.iter_mut().zip(b).for_each(|(out, b)| *out += a * b);
            }
        }
    }

    impl Network {
        fn input(&self, t: usize) -> &[f64] {
            let [_, batch, features, _] = self.sizes;
            &self.inputs[t * batch * features..][..batch * features]
        }

        fn step(&self, h: &[f64], t: usize) -> Vec<f64> {
            let [_, batch, _, hidden] = self.sizes;
            let mut next = self.b.repeat(batch);
            add_product(&mut next, h, &self.w, hidden);
            add_product(&mut next, self.input(t), &self.u, hidden);
            next.iter_mut().for_each(|h| *h = h.tanh());
            next
        }

        fn first(&self) -> Vec<f64> {
            let [_, batch, _, hidden] = self.sizes;
            vec![0.0; batch * hidden]
        }

        /// The sum of the squares.
        pub fn loss(&self) -> f64 {
            let (mut h, mut loss) = (self.first(), 0.0);
            for t in 0..self.sizes[0] {
                h = self.step(&h, t);
                loss += h.iter().map(|h| h * h).sum::<f64>();
            }
            loss
        }

        /// That, and its derivatives by W, U and b.
        pub fn gradient(&self) -> (f64, [Vec<f64>; 3]) {
            let [time, _, features, hidden] = self.sizes;
            let mut states = vec![self.first()];
            for t in 0..time {
                states.push(self.step(&states[t], t));
            }
            let loss = states.iter().flatten().map(|h| h * h).sum();
            let transposed: Vec<f64> = (0..hidden * hidden)
                .map(|at| self.w[at % hidden * hidden + at / hidden])
                .collect();
            let mut by = [&self.w, &self.u, &self.b].map(|of| vec![0.0; of.len()]);
            let mut by_h = self.first();
            for t in (0..time).rev() {
                let both = by_h.iter().zip(&states[t + 1]);
                let by_sum: Vec<f64> = both
                    .map(|(by_h, h)| (by_h + 2.0 * h) * (1.0 - h * h))
                    .collect();
                add_transposed(&mut by[0], &states[t], &by_sum, [hidden, hidden]);
                add_transposed(&mut by[1], self.input(t), &by_sum, [features, hidden]);
                for row in by_sum.chunks_exact(hidden) {
                    by[2].iter_mut().zip(row).for_each(|(b, x)| *b += x);
                }
                by_h.fill(0.0);
                add_product(&mut by_h, &by_sum, &transposed, hidden);
            }
            (loss, by)
        }
    }
}
