//! Gradients of the programs of the other tables, made scalar by sums with weights that are inputs.

use super::reductions::{batched, dot, matrix_vector, mean, product, variance};
use super::rows::{layer, log_sum_exp, normalised, softmax};
use super::*;

/// Σ wᵢⱼ·aᵢⱼ.
fn weighted(a: Matrix, w: Matrix) -> Scalar {
    a.zip_with(w, |a, w| a * w).sum_all()
}

/// −Σ ln of the probability that each row's label gets.
fn logistic_loss(w: Vector, x: Matrix, y: Vector) -> Scalar {
    let z = matrix_vector(x, w);
    z.zip_with(y, |z, y| (1.0 + (0.0 - y * z).exp()).ln()).sum()
}

type Layers = (Matrix, Vector, Matrix, Vector);

/// Half the squared distance of a network's results from what they should be.
fn perceptron_loss((w, b, v, c): Layers, x: Matrix, y: Matrix) -> Scalar {
    let errors = layer(layer(x, w, b), v, c).zip_with(y, |z, y| z - y);
    errors.map(|e| 0.5 * e * e).sum_all()
}

programs! {
    of_map(x: Vector) = gradient_a(|x: Vector| x.map(|x| x.sin()).sum(), x); on vector(5) => ["map map"], 0;
    of_map_of_map(x: Vector) = gradient_a(|x: Vector| x.map(|x| x.exp()).map(|x| x.sin()).sum(), x); on vector(5)
        => ["map zip_with: map map"], 0;
    of_zip_with(x: Vector, y: Vector) = gradient_a(
        |(x, y): (Vector, Vector)| x.zip_with(y, |x, y| x / y).sum(), (x, y));
        on (vector(5), vector(5)) => ["map zip_with"], 0;
    of_tuples(x: Vector, y: Vector) = gradient_a(
        |(x, y): (Vector, Vector)| x.zip(y).map(|(x, y)| (x * y, x + y)).map(|(p, s)| p * s).sum(), (x, y));
        on (vector(5), vector(5)) => ["map zip_with"], 0;
    of_dot_product(x: Vector, y: Vector) = gradient_a(|x| dot(x, y), x); on (vector(5), vector(5))
        => [], 0;
    of_both_sides_of_a_dot_product(x: Vector, y: Vector) = gradient_a(|(x, y)| dot(x, y), (x, y));
        on (vector(5), vector(5)) => [], 0;
    of_generate(x: Vector) = gradient_a(
        |x: Vector| generate(ix![x.size() - 1], |ix![i]| x.at(ix![i]) * x.at(ix![i + 1])).sum(), x); on vector(5)
        => ["map zip_with: generate"], 0;
    of_replicate(x: Vector, w: Matrix) = gradient_a(|x: Vector| weighted(x.replicate(ix![3, All]), w), x);
        on (vector(5), matrix(3, 5)) => ["reduce fold: zip_with generate backpermute"], 0;
    of_slice(x: Matrix) = gradient_a(|x: Matrix| x.slice(ix![1, All]).map(|x| x * x).sum(), x); on matrix(3, 4)
        => ["map generate: slice map"], 0;
    of_backpermute(x: Vector) = gradient_a(
        |x: Vector| x.backpermute(ix![x.size()], |ix![i]| ix![x.size() - 1 - i]).zip_with(x, |a, b| a * b).sum(), x);
        on vector(5) => ["map zip_with: backpermute generate"], 0;
    of_a_gather(x: Vector, at: Acc<Ix1, i32>) = gradient_a(
        |x: Vector| x.backpermute(at.shape(), |i| ix![at.at(i)]).map(|x| x * x).sum(), x);
        on (vector(5), ints(&[0, 4, 4, 2])) => ["map permute: generate", "scatter permute: backpermute map"], 0;
    of_transpose(x: Matrix, w: Matrix) = gradient_a(|x: Matrix| weighted(x.transpose(), w), x);
        on (matrix(3, 4), matrix(4, 3)) => ["map generate"], 0;
    of_reshape(x: Matrix, w: Vector) = gradient_a(|x: Matrix| dot(x.flatten(), w), x); on (matrix(3, 4), vector(12))
        => ["map generate: zip_with"], 0;
    /// By quotients, by quotients of a product in a wider range, or where that will not do by scans.
    of_fold_product(x: Vector) = gradient_a(|x: Vector| x.product(), x); on vector(5)
        => ["reduce fold", "map generate", "reduce fold: backpermute reshape", "map append", "map append: backpermute",
            "reduce fold: map", "map generate", "scan scanr", "scan scanl", "map generate"], 0;
    of_fold1_maximum(x: Vector) = gradient_a(|x: Vector| x.maximum(), x); on vector(5)
        => ["reduce fold1", "reduce fold: generate", "map generate"], 0;
    of_scanl(x: Vector, w: Vector) = gradient_a(|x: Vector| dot(x.scanl1(|a, b| a + b), w), x);
        on (vector(5), vector(5))
        => ["scan scanr1"], 0;
    of_scanr_of_map(x: Vector, w: Vector) = gradient_a(
        |x: Vector| dot(x.map(|x| x.exp()).scanr(0.0, |a, b| a + b), w), x);
        on (vector(5), vector(6)) => ["scan scanl1: zip_with generate", "map zip_with: generate"], 0;
    /// The primal scatter is there for the targets that may be out of range.
    of_permute(x: Vector, w: Vector, to: Acc<Ix1, i32>) = gradient_a(
        |x: Vector| dot(x.map(|x| x * x).scatter(Combine::Add, fill(ix![4], 0.0), to), w), x);
        on (vector(5), vector(4), ints(&[2, 1, 3, 2, 0]))
        => ["map permute: generate", "scatter permute: map", "map zip_with: zip_with generate generate"], 0;
    of_histogram(x: Vector) = gradient_a(
        |x: Vector| {
            let bins = x.map(|x| ((x + 1.0) * 4.0).to::<i32>());
            x.scatter(Combine::Add, fill(ix![8], 0.0), bins).map(|h| h * h).sum()
        }, x); on vector(20) => ["map permute: generate", "scatter permute: map", "map generate: map map"], 0;
    of_append(x: Vector, y: Vector, w: Vector) = gradient_a(|(x, y): (Vector, Vector)| dot(x.append(y), w), (x, y));
        on (vector(3), vector(4), vector(7))
        => ["map backpermute: zip_with generate", "map backpermute: zip_with generate"], 0;
    of_acond(x: Vector) = gradient_a(
        |x: Vector| acond(x.size().gt(3), x.map(|x| x.exp()), x.map(|x| x.sin())).sum(), x); on vector(5)
        => ["map map", "map map"], 0;
    of_cond(x: Vector) = gradient_a(|x: Vector| x.map(|x| cond(x.gt(0.0), x * x, x.exp())).sum(), x); on vector(5)
        => ["map map"], 0;
    of_outer_product(x: Vector, y: Vector, w: Matrix) = gradient_a(
        |(x, y): (Vector, Vector)| {
            let rows = x.replicate(ix![All, y.size()]);
            weighted(rows.zip_with(y.replicate(ix![x.size(), All]), |x, y| x * y), w)
        }, (x, y)); on (vector(3), vector(4), matrix(3, 4)) => [
        "reduce fold: replicate zip_with backpermute",
        "reduce fold: replicate zip_with",
    ], 0;
    of_mean(x: Vector) = gradient_a(mean, x); on vector(5) => ["map replicate: generate"], 0;
    /// The adjoint of the mean, one number that all elements read, is a fold.
    of_variance(x: Vector) = gradient_a(variance, x); on vector(5) => [
        "reduce fold",
        "reduce fold: generate replicate map zip_with",
        "map zip_with: generate replicate map zip_with replicate",
    ], 0;
    of_matrix_vector(a: Matrix, x: Vector, w: Vector) = gradient_a(|(a, x)| dot(matrix_vector(a, x), w), (a, x));
        on (matrix(3, 4), vector(4), vector(3)) => [
        "reduce fold: replicate zip_with backpermute",
        "map zip_with: replicate replicate",
    ], 0;
    of_matrix_product(x: Matrix, y: Matrix, w: Matrix) = gradient_a(|(x, y)| weighted(product(x, y), w), (x, y));
        on (matrix(3, 4), matrix(4, 5), matrix(3, 5)) => [
        "contract fold: replicate replicate zip_with backpermute generate",
        "contract fold: backpermute replicate replicate zip_with backpermute",
    ], 0;
    /// The program says that the inner extents agree; it need not.
    of_a_matrix_product_of_known_shape(x: Matrix, y: Matrix) = gradient_a(
        |(x, y): (Matrix, Matrix)| {
            let (ix![_, k], ix![_, m]) = (x.shape(), y.shape());
            product(x, y.backpermute(ix![k, m], |index| index)).map(|z| z * z).sum_all()
        }, (x, y)); on (matrix(3, 4), matrix(4, 5)) => [
        "contract fold*: replicate backpermute replicate zip_with",
        "contract fold*: replicate map replicate zip_with backpermute",
        "contract fold*: backpermute replicate map replicate zip_with backpermute",
        "map generate",
    ], 1;
    /// As above, of the other side: the result is written in the order of its parameter.
    of_the_right_side_of_a_matrix_product(x: Matrix, y: Matrix) = gradient_a(
        |y: Matrix| {
            let (ix![n, _], ix![k, _]) = (x.shape(), y.shape());
            product(x.backpermute(ix![n, k], |index| index), y).map(|z| z * z).sum_all()
        }, y); on (matrix(3, 4), matrix(4, 5)) => [
        "contract fold*: backpermute replicate backpermute replicate zip_with",
        "contract fold*: backpermute replicate map replicate zip_with backpermute generate",
    ], 1;
    of_squares_of_a_matrix_product(x: Matrix, y: Matrix) = gradient_a(
        |(x, y)| product(x, y).map(|z| z * z).sum_all(), (x, y)); on (matrix(3, 4), matrix(4, 5)) => [
        "contract fold*: replicate backpermute replicate zip_with",
        "contract fold*: replicate map replicate zip_with backpermute generate",
        "contract fold*: backpermute replicate map replicate zip_with backpermute",
    ], 1;
    of_batched_product(x: Cube, y: Cube) = gradient_a(|(x, y)| batched(x, y).map(|z| z * z).sum_all(), (x, y));
        on (cube(2, 3, 4), cube(2, 4, 5)) => [
        "contract fold*: replicate backpermute replicate zip_with",
        "contract fold*: replicate map replicate zip_with backpermute generate",
        "contract fold*: backpermute replicate map replicate zip_with backpermute",
    ], 1;
    /// That the maximum's adjoint cancels is not known: the last three kernels are for it.
    of_log_sum_exp(x: Matrix) = gradient_a(|x| log_sum_exp(x).sum(), x); on matrix(3, 4) => [
        "reduce fold1*: generate",
        "reduce fold*: replicate zip_with",
        "map zip_with*: replicate map replicate",
        "reduce fold*",
        "map zip_with*: map generate",
    ], 1;
    /// As above; by hand it is four kernels.
    of_softmax(x: Matrix, w: Matrix) = gradient_a(|x| weighted(softmax(x), w), x); on (matrix(3, 4), matrix(3, 4)) => [
        "reduce fold1*: generate",
        "map zip_with*: replicate",
        "reduce fold*",
        "reduce fold*: replicate zip_with",
        "map zip_with*: replicate zip_with replicate",
        "reduce fold*",
        "map zip_with*: generate",
    ], 1;
    of_normalisation(x: Matrix, w: Matrix) = gradient_a(|x| weighted(normalised(x), w), x);
        on (matrix(3, 4), matrix(3, 4)) => [
        "reduce fold*",
        "map zip_with*: map replicate",
        "reduce fold*: map",
        "map map*",
        "reduce fold*: replicate zip_with",
        "map zip_with*",
        "map zip_with*: replicate zip_with replicate zip_with",
        "reduce fold*: map",
        "map zip_with*: map replicate",
    ], 1;
    of_distances(x: Matrix, y: Matrix) = gradient_a(
        |x: Matrix| {
            let (ix![n, _], ix![m, _]) = (x.shape(), y.shape());
            let differences = x.replicate(ix![All, m, All])
                .zip_with(y.replicate(ix![n, All, All]), |x, y| (x - y).sqr());
            differences.sum().map(|s| s.sqrt()).sum_all()
        }, x); on (matrix(3, 4), matrix(5, 4)) => [
        "reduce fold*: replicate replicate zip_with",
        "map map*",
        "reduce fold*: replicate replicate replicate zip_with backpermute",
    ], 1;
    of_logistic_regression(w: Vector, x: Matrix, y: Vector) = gradient_a(|w| logistic_loss(w, x, y), w);
        on (vector(4), matrix(3, 4), vector(3)) => [
        "reduce fold*: replicate zip_with",
        "map zip_with*",
        "reduce fold*: replicate zip_with backpermute",
    ], 1;
    of_a_perceptron(w: Matrix, b: Vector, v: Matrix, c: Vector, x: Matrix, y: Matrix) = gradient_a(
        |layers| perceptron_loss(layers, x, y), (w, b, v, c));
        on (matrix(4, 5), vector(5), matrix(5, 2), vector(2), matrix(3, 4), matrix(3, 2)) => [
        "contract fold*: replicate backpermute replicate zip_with",
        "map zip_with*: replicate",
        "contract fold*: replicate backpermute replicate zip_with",
        "map zip_with*: replicate zip_with map",
        "reduce fold*: backpermute",
        "contract fold*: replicate replicate zip_with backpermute generate",
        "contract fold*: backpermute replicate replicate zip_with backpermute",
        "map zip_with*: replicate",
        "reduce fold*: backpermute",
        "contract fold*: replicate replicate zip_with backpermute generate",
    ], 1;
    /// By hand one loop does both.
    value_and_gradient(x: Vector) = value_and_gradient_a(|x: Vector| x.map(|x| x.sin()).sum(), x); on vector(5)
        => ["reduce fold: map", "map map"], 0;
    of_a_scalar_function(x: Vector) = x.map(|x| gradient_e(|x: Exp<f64>| x.sin() * x, x)); on vector(5)
        => ["map map"], 0;
    of_a_gradient(x: Vector) = gradient_a(
        |x: Vector| gradient_a(|x: Vector| x.map(|x| x.sin()).sum(), x).map(|g| g * g).sum(), x); on vector(5)
        => ["map zip_with: map map"], 0;
}
