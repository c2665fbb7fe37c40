//! Edge cases and regressions: `a_ignore_argument` to `logsumexp3`, `neural`, `acond_cond1`.

use super::input::{ALL_NICE_ROUND, AT_LEAST_3, NONEMPTY, V};
use super::{Entry, Input, Matrix, Number, Real, Scalar, Vector};
use cotangent_core::surface::prelude::*;

pub(super) fn entries<T: Real>() -> Vec<Entry> {
    let size = || Input::Number(1..=15);
    vec![
        Entry::unary("a_ignore_argument", V, a_ignore_argument::<T>),
        Entry::unary("nonfloat_lam", V, nonfloat_lam::<T>).starred(),
        Entry::unary("nonfloat_lam_friendly", ALL_NICE_ROUND, nonfloat_lam::<T>),
        Entry::unary("logsumexp1", NONEMPTY, logsumexp1::<T>),
        Entry::unary("logsumexp2", NONEMPTY, logsumexp2::<T>).starred(),
        Entry::unary("logsumexp3", NONEMPTY, logsumexp3::<T>).starred(),
        Entry::new(
            "neural",
            &[NONEMPTY, AT_LEAST_3, size(), size()],
            neural::<T>,
        ),
        Entry::unary("acond_cond1", NONEMPTY, acond_cond1::<T>).starred(),
    ]
}

/// Repaired: `IO` is `I0`.
fn a_ignore_argument<T: Real>(_: Vector<T>) -> Scalar<T> {
    generate(ix![], |_| T::literal(42.0))
}

/// Repaired: the pairs are `T2`, not `I2`. The program stands twice beside this name, so that a row with
/// inputs on which finite differences are right seems to have been lost: `nonfloat_lam_friendly`.
fn nonfloat_lam<T: Real>(a: Vector<T>) -> Scalar<T> {
    let b = a.map(|x| (x.round_to::<i32>(), x.sin()));
    b.map(|(i, x)| i.to::<T>() * x).sum()
}

/// ln Σ e^(a - max a) along the inner dimension, and max a.
fn log_sum_shifted<Sh: Shape, T: Real>(a: Acc<Snoc<Sh>, T>) -> (Acc<Sh, T>, Acc<Sh, T>) {
    let maximum = a.maximum();
    let shifted = a.zip_with(maximum.replicate(Snoc(any(), a.inner())), |x, m| x - m);
    (shifted.map(|x| x.exp()).sum().map(|s| s.ln()), maximum)
}

/// Repaired: `replicate (lift Any :: n)` is `replicate (lift (Any :. n))`. Refined to `#v > 0`, as are the
/// next two, which stand a name too late in the table.
fn logsumexp1<T: Real>(a: Vector<T>) -> Scalar<T> {
    let (log, maximum) = log_sum_shifted(a);
    log.zip_with(maximum, |l, m| l + m)
}

fn logsumexp2<T: Real>(a: Vector<T>) -> Scalar<T> {
    log_sum_shifted(a).0
}

fn logsumexp3<T: Real>(a: Vector<T>) -> Scalar<T> {
    let maximum = a.maximum();
    maximum.zip_with(maximum, |x, y| x + y)
}

/// The logistic function.
fn sigmoid<T: Real>(x: Exp<T>) -> Exp<T> {
    1.0 / (1.0 + (-x).exp())
}

/// Elements of `arr` at positions that a polynomial gives; the thesis' `Int` has 64 bits.
fn pick_weights<Sh: Shape, T: Real>(
    seed: u32,
    size: impl IntoShape<Shape = Sh>,
    f: impl FnOnce(Sh) -> Ix2,
    arr: Vector<T>,
) -> Acc<Sh, T> {
    let ix![n] = arr.shape();
    arr.backpermute(size, |index| {
        let ix![i, j] = f(index);
        let (i, j) = (i.to_i64(), j.to_i64());
        let base = i + j + j * j * i64::from(seed);
        let power = (0..seed).fold(base, |power, _| power * base);
        ix![power.mod_floor(n.to_i64()).to_i32()]
    })
}

fn matrix_vector<T: Real>(matrix: Matrix<T>, v: Vector<T>) -> Vector<T> {
    let ix![m, _] = matrix.shape();
    matrix
        .zip_with(v.replicate(ix![m, All]), |x, y| x * y)
        .sum()
}

/// Three layers of neurons. The table repeats the text of this program in the rows of `tuple4` and
/// `acond_cond1`.
fn neural<T: Real>(
    (input, weights): (Vector<T>, Vector<T>),
    (len1, len2): (Number, Number),
) -> Scalar<T> {
    let ((len1, len2), ix![in_len]) = ((len1.the(), len2.the()), input.shape());
    let w1 = pick_weights(1, ix![len1, in_len], |index| index, weights);
    let w2 = pick_weights(2, ix![len2, len1], |index| index, weights);
    let w3 = pick_weights(3, ix![len2], |ix![i]| ix![constant(0), i], weights);
    let layer1 = matrix_vector(w1, input).map(sigmoid);
    let layer2 = matrix_vector(w2, layer1).map(sigmoid);
    w3.zip_with(layer2, |x, y| x * y).sum().map(sigmoid)
}

/// Executes an index out of range if one of the conditions is evaluated wrongly.
///
/// Repaired: the name is `accond_cond1` in the table. `sigmoid (the (sum a) * (.. - 0.01))` is
/// `sigmoid (the (sum a)) * (.. - 0.01)`: only so is `idx` in \[0, 2n), as the program's comment says.
fn acond_cond1<T: Real>(a: Vector<T>) -> Scalar<T> {
    let b = a.map(|x| x * 2.0);
    let ix![n] = a.shape();
    let scale = (2 * n).to::<T>() - 0.01;
    let idx = (sigmoid(a.sum().the()) * scale).floor_to::<i32>();
    let low = generate(ix![2 * n], |ix![i]| {
        cond::<T>(i.le(idx), a.at(ix![i]), b.at(ix![(i - idx).div_floor(2)]))
    });
    let high = generate(ix![2 * n], |ix![i]| {
        a.at(ix![idx - n]) + cond::<T>(i.ge(n), b.at(ix![i - n]), a.at(ix![i]))
    });
    acond(idx.lt(n), low, high).sum()
}
