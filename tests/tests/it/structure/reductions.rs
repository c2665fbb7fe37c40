//! Folds, products of matrices, statistics.

use super::*;

/// \[n, k] · \[k, m] by replication.
pub(super) fn product(x: Matrix, y: Matrix) -> Matrix {
    let (ix![n, _], ix![_, m]) = (x.shape(), y.shape());
    let rows = x.replicate(ix![All, m, All]);
    let columns = y.transpose().replicate(ix![n, All, All]);
    rows.zip_with(columns, |x, y| x * y).sum()
}

/// The same by indices.
fn product_by_indices(x: Matrix, y: Matrix) -> Matrix {
    let (ix![n, k], ix![_, m]) = (x.shape(), y.shape());
    generate(ix![n, m, k], |ix![i, j, l]| {
        x.at(ix![i, l]) * y.at(ix![l, j])
    })
    .sum()
}

/// The same as a sum of outer products.
fn product_by_outer_products(x: Matrix, y: Matrix) -> Matrix {
    let (ix![n, k], ix![_, m]) = (x.shape(), y.shape());
    let outer = x
        .transpose()
        .replicate(ix![All, All, m])
        .zip_with(y.replicate(ix![All, n, All]), |x, y| x * y);
    outer
        .backpermute(ix![n, m, k], |ix![i, j, l]| ix![l, i, j])
        .sum()
}

/// \[b, n, k] · \[b, k, m].
pub(super) fn batched(x: Cube, y: Cube) -> Cube {
    let (ix![_, n, _], ix![_, _, m]) = (x.shape(), y.shape());
    let ix![b, k, _] = y.shape();
    let turned = y.backpermute(ix![b, m, k], |ix![b, j, l]| ix![b, l, j]);
    let rows = x.replicate(ix![All, All, m, All]);
    rows.zip_with(turned.replicate(ix![All, n, All, All]), |x, y| x * y)
        .sum()
}

pub(super) fn matrix_vector(a: Matrix, x: Vector) -> Vector {
    let ix![n, _] = a.shape();
    a.zip_with(x.replicate(ix![n, All]), |a, x| a * x).sum()
}

pub(super) fn dot(x: Vector, y: Vector) -> Scalar {
    x.zip_with(y, |x, y| x * y).sum()
}

pub(super) fn mean(x: Vector) -> Scalar {
    x.sum().map(|s| s / x.size().to::<f64>())
}

/// In two passes over the data.
pub(super) fn variance(x: Vector) -> Scalar {
    let mean = mean(x);
    x.map(|x| (x - mean.the()).sqr())
        .sum()
        .map(|s| s / x.size().to::<f64>())
}

programs! {
    transposed_matrix_product(x: Matrix, y: Matrix) = product(x, y).transpose(); on (matrix(3, 4), matrix(4, 5))
        => ["contract fold: replicate backpermute replicate zip_with backpermute"], 0;
    sum(x: Vector) = x.sum(); on vector(5) => ["reduce fold"], 0;
    sum_of_map(x: Vector) = x.map(|x| x.exp()).sum(); on vector(5) => ["reduce fold: map"], 0;
    /// The host could apply the function to the sum: a kernel for one number is a pass of its own.
    map_of_sum(x: Vector) = x.sum().map(|s| s.exp()); on vector(5) => ["reduce fold", "map map"], 0;
    dot_product(x: Vector, y: Vector) = dot(x, y); on (vector(5), vector(5)) => ["reduce fold: zip_with"], 0;
    fold_with_an_operator(x: Vector) = x.fold(1.0, |a, b| a * b + 0.0 * a); on vector(5) => ["reduce fold"], 0;
    fold1_maximum(x: Vector) = x.maximum(); on vector(5) => ["reduce fold1"], 0;
    fold_of_rows(x: Matrix) = x.sum(); on matrix(3, 4) => ["reduce fold"], 0;
    fold_of_columns(x: Matrix) = x.transpose().sum(); on matrix(3, 4) => ["reduce fold: backpermute"], 0;
    fold_all(x: Cube) = x.map(|x| x * x).sum_all(); on cube(2, 3, 4) => ["reduce fold: map reshape"], 0;
    place_of_the_maximum(x: Vector) = x.enumerate().fold1(|(i, x), (j, y)| {
        cond(x.ge(y), (i, x), (j, y))
    }); on vector(9) => ["reduce fold1: generate"], 0;
    sum_and_product(x: Vector) = x.map(|x| (x, x)).fold((0.0, 1.0), |(s, p), (x, y)| (s + x, p * y)); on vector(5)
        => ["reduce fold"], 0;
    /// One pass over the data would do.
    sum_and_maximum(x: Vector) = (x.sum(), x.maximum()); on vector(5) => ["reduce fold", "reduce fold1"], 0;
    all_of_rows(x: Matrix) = x.map(|x| x.lt(0.9)).all(); on matrix(3, 4) => ["reduce fold: map"], 0;
    fold_of_scan(x: Vector) = x.scanl1(|a, b| a + b).maximum(); on vector(5) => ["scan scanl1", "reduce fold1"], 0;
    /// The root is a kernel of its own, for one number.
    euclidean_norm(x: Vector) = x.map(|x| x * x).sum().map(|s| s.sqrt()); on vector(5)
        => ["reduce fold: map", "map map"], 0;
    /// One pass over the data would do: folds of the same extent are not joined.
    cosine_similarity(x: Vector, y: Vector) = {
        let lengths = dot(x, x).zip_with(dot(y, y), |a, b| (a * b).sqrt());
        dot(x, y).zip_with(lengths, |p, l| p / l)
    }; on (vector(5), vector(5)) => [
        "reduce fold: map",
        "reduce fold: map zip_with",
        "map zip_with: zip_with",
    ], 0;
    mean_of_data(x: Vector) = mean(x); on vector(5) => ["reduce fold", "map map"], 0;
    /// Two passes are the program's; two kernels are for single numbers.
    mean_and_variance(x: Vector) = (mean(x), variance(x)); on vector(5)
        => ["reduce fold", "map map", "reduce fold: map", "map map"], 0;
    polynomial(x: Vector, c: Vector) = {
        let powers = generate(ix![x.size(), c.size()], |ix![i, j]| x.at(ix![i]).powf(j.to::<f64>()));
        powers.zip_with(c.replicate(ix![x.size(), All]), |p, c| p * c).sum()
    }; on (vector(5), vector(3)) => ["reduce fold: generate replicate zip_with"], 0;
    matrix_vector_product(a: Matrix, x: Vector) = matrix_vector(a, x); on (matrix(3, 4), vector(4))
        => ["reduce fold: replicate zip_with"], 0;
    vector_matrix_product(x: Vector, a: Matrix) = matrix_vector(a.transpose(), x); on (vector(3), matrix(3, 4))
        => ["reduce fold: backpermute replicate zip_with"], 0;
    matrix_product(x: Matrix, y: Matrix) = product(x, y); on (matrix(3, 4), matrix(4, 5))
        => ["contract fold: replicate backpermute replicate zip_with"], 0;
    matrix_product_by_indices(x: Matrix, y: Matrix) = product_by_indices(x, y); on (matrix(3, 4), matrix(4, 5))
        => ["contract fold: generate"], 0;
    matrix_product_by_outer_products(x: Matrix, y: Matrix) = product_by_outer_products(x, y);
        on (matrix(3, 4), matrix(4, 5)) => ["contract fold: backpermute replicate replicate zip_with backpermute"], 0;
    batched_product(x: Cube, y: Cube) = batched(x, y); on (cube(2, 3, 4), cube(2, 4, 5))
        => ["contract fold: replicate backpermute replicate zip_with"], 0;
    /// Rows of the first product are used while they are in cache.
    product_of_three(x: Matrix, y: Matrix, z: Matrix) = product(product(x, y), z);
        on (matrix(3, 4), matrix(4, 5), matrix(5, 2)) => [
        "contract fold*: replicate backpermute replicate zip_with",
        "contract fold*: replicate backpermute replicate zip_with",
    ], 1;
    product_of_maps(x: Matrix, y: Matrix) = product(x.map(|x| x.exp()), y.map(|y| y.sin())).map(|z| z.max(0.0));
        on (matrix(3, 4), matrix(4, 5)) => [
        "map backpermute: map",
        "map map*",
        "contract fold*: replicate replicate zip_with",
        "map map*",
    ], 1;
    min_plus_product(x: Matrix, y: Matrix) = {
        let (ix![n, _], ix![_, m]) = (x.shape(), y.shape());
        let columns = y.transpose().replicate(ix![n, All, All]);
        x.replicate(ix![All, m, All]).zip_with(columns, |x, y| x + y).minimum()
    }; on (matrix(3, 4), matrix(4, 5)) => ["contract fold1: replicate backpermute replicate zip_with"], 0;
    /// Many sequences at once: the likeliest way into each state.
    viterbi_step(x: Matrix, moves: Matrix, seen: Matrix) = {
        let (ix![n, _], ix![_, m]) = (x.shape(), moves.shape());
        let columns = moves.transpose().replicate(ix![n, All, All]);
        let ways = x.replicate(ix![All, m, All]).zip_with(columns, |x, y| x + y);
        ways.maximum().zip_with(seen, |best, seen| best + seen)
    }; on (matrix(3, 4), matrix(4, 4), matrix(3, 4)) => [
        "contract fold1*: replicate backpermute replicate zip_with",
        "map zip_with*",
    ], 1;
    gram_matrix(x: Matrix) = product(x, x.transpose()); on matrix(3, 4)
        => ["contract fold: replicate replicate zip_with"], 0;
    /// The root could be taken where a sum is stored; in a strip that costs little.
    distances(x: Matrix, y: Matrix) = {
        let (ix![n, _], ix![m, _]) = (x.shape(), y.shape());
        let differences = x.replicate(ix![All, m, All]).zip_with(y.replicate(ix![n, All, All]), |x, y| (x - y).sqr());
        differences.sum().map(|s| s.sqrt())
    }; on (matrix(3, 4), matrix(5, 4)) => ["reduce fold*: replicate replicate zip_with", "map map*"], 1;
    trace(x: Matrix) = x.backpermute(ix![x.inner()], |ix![i]| ix![i, i]).sum(); on matrix(4, 4)
        => ["reduce fold: backpermute"], 0;
}
