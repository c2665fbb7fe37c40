//! Programs whose kernels share their rows: softmax, normalisation, layers of networks.

use super::reductions::product;
use super::*;

/// A value for each row, for all elements of a matrix.
pub(super) fn spread(row: Vector, like: Matrix) -> Matrix {
    row.replicate(ix![All, like.inner()])
}

pub(super) fn softmax(x: Matrix) -> Matrix {
    let powers = x.zip_with(spread(x.maximum(), x), |x, m| (x - m).exp());
    powers.zip_with(spread(powers.sum(), x), |p, s| p / s)
}

pub(super) fn log_sum_exp(x: Matrix) -> Vector {
    let maximum = x.maximum();
    let powers = x.zip_with(spread(maximum, x), |x, m| (x - m).exp());
    powers.sum().zip_with(maximum, |s, m| s.ln() + m)
}

pub(super) fn normalised(x: Matrix) -> Matrix {
    let n = x.inner().to::<f64>();
    let mean = x.sum().map(|s| s / n);
    let centred = x.zip_with(spread(mean, x), |x, m| x - m);
    let deviation = centred.map(|c| c * c).sum().map(|s| (s / n + 1e-5).sqrt());
    centred.zip_with(spread(deviation, x), |c, d| c / d)
}

/// One layer: f(x · w + b).
pub(super) fn layer(x: Matrix, w: Matrix, b: Vector) -> Matrix {
    let ix![n, _] = x.shape();
    product(x, w).zip_with(b.replicate(ix![n, All]), |y, b| (y + b).tanh())
}

/// A matrix whose sums do not cancel.
fn positive(rows: usize, columns: usize) -> Array<Ix2, f64> {
    let values = numbers(rows * columns).into_iter().map(|x| x + 1.0);
    Array::from_vec([rows, columns], values.collect()).unwrap()
}

programs! {
    /// Along one long row there is no strip: each kernel is a pass.
    softmax_of_a_vector(x: Vector) = {
        let (maximum, n) = (x.maximum(), x.size());
        let powers = x.zip_with(maximum.replicate(ix![n]), |x, m| (x - m).exp());
        powers.zip_with(powers.sum().replicate(ix![n]), |p, s| p / s)
    }; on vector(5) => ["reduce fold1", "map zip_with: replicate", "reduce fold", "map zip_with: replicate"], 0;
    log_sum_exp_of_a_vector(x: Vector) = {
        let (maximum, n) = (x.maximum(), x.size());
        let powers = x.zip_with(maximum.replicate(ix![n]), |x, m| (x - m).exp());
        powers.sum().zip_with(maximum, |s, m| s.ln() + m)
    }; on vector(5) => ["reduce fold1", "reduce fold: replicate zip_with", "map zip_with"], 0;
    softmax_of_rows(x: Matrix) = softmax(x); on matrix(3, 4) => [
        "reduce fold1*",
        "map zip_with*: replicate",
        "reduce fold*",
        "map zip_with*: replicate",
    ], 1;
    log_sum_exp_of_rows(x: Matrix) = log_sum_exp(x); on matrix(3, 4)
        => ["reduce fold1*", "reduce fold*: replicate zip_with", "map zip_with*"], 1;
    /// The last fold is over all elements at once, not over rows: it could be a total of the strip, and is not.
    cross_entropy(x: Matrix, y: Matrix) = {
        let logs = x.zip_with(spread(log_sum_exp(x), x), |x, l| x - l);
        logs.zip_with(y, |l, y| 0.0 - l * y).sum_all()
    }; on (matrix(3, 4), matrix(3, 4)) => [
        "reduce fold1*",
        "reduce fold*: replicate zip_with",
        "map zip_with*",
        "reduce fold: replicate zip_with zip_with reshape",
    ], 1;
    normalisation_of_rows(x: Matrix) = normalised(x); on matrix(3, 4) => [
        "reduce fold*",
        "map zip_with*: map replicate",
        "reduce fold*: map",
        "map map*",
        "map zip_with*: replicate",
    ], 1;
    /// The strip is over columns, and the last kernel, which stores rows, is not in it.
    normalisation_of_columns(x: Matrix) = normalised(x.transpose()).transpose(); on matrix(3, 4) => [
        "reduce fold*: backpermute",
        "map zip_with*: backpermute map replicate",
        "reduce fold*: map",
        "map map*",
        "map backpermute: replicate zip_with",
    ], 1;
    rows_by_their_sums(x: Matrix) = x.zip_with(spread(x.sum(), x), |x, s| x / s); on positive(3, 4)
        => ["reduce fold*", "map zip_with*: replicate"], 1;
    column_sums_of_softmax(x: Matrix) = softmax(x).transpose().sum(); on matrix(3, 4) => [
        "reduce fold1*",
        "map zip_with*: replicate",
        "reduce fold*",
        "reduce fold*: replicate zip_with backpermute",
    ], 1;
    /// Bias and activation could be applied where the product's tiles are stored; in a strip they are in cache.
    one_layer(x: Matrix, w: Matrix, b: Vector) = layer(x, w, b); on (matrix(3, 4), matrix(4, 5), vector(5)) => [
        "contract fold*: replicate backpermute replicate zip_with",
        "map zip_with*: replicate",
    ], 1;
    two_layers(x: Matrix, w: Matrix, b: Vector, v: Matrix, c: Vector) = layer(layer(x, w, b), v, c);
        on (matrix(3, 4), matrix(4, 5), vector(5), matrix(5, 2), vector(2)) => [
        "contract fold*: replicate backpermute replicate zip_with",
        "map zip_with*: replicate",
        "contract fold*: replicate backpermute replicate zip_with",
        "map zip_with*: replicate",
    ], 1;
    attention(q: Matrix, k: Matrix, v: Matrix) = product(softmax(product(q, k.transpose())), v);
        on (matrix(3, 4), matrix(5, 4), matrix(5, 2)) => [
        "contract fold*: replicate replicate zip_with",
        "reduce fold1*",
        "map zip_with*: replicate",
        "reduce fold*",
        "contract fold*: replicate zip_with replicate backpermute replicate zip_with",
    ], 1;
}
