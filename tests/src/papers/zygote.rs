//! Paper 002, Table 2.

use cotangent::prelude::*;

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;
type Number = Acc<Z, f64>;

/// `SinCos`: sin(cos x), summed up over many numbers.
pub fn sin_cos(x: Vector) -> Number {
    x.map(|x| x.cos().sin()).sum()
}

/// `Loop`: each number to a power, by a loop.
pub fn powers(trips: i32) -> impl Fn(Vector) -> Number + Copy {
    move |x| {
        let power = |x: Exp<f64>| iterate(trips, |_, product: Exp<f64>| product * x, 1.0);
        x.map(power).sum()
    }
}

/// `LogSumExp`, with the greatest number taken out.
pub fn log_sum_exp(x: Vector) -> Number {
    let top = stop_gradient(x.maximum());
    let sum = x.map(|x| (x - top.the()).exp()).sum();
    sum.zip_with(top, |sum, top| sum.ln() + top)
}

fn product(w: Matrix, x: Vector) -> Vector {
    let rows = x.replicate(ix![w.shape().0.1, All]);
    w.zip_with(rows, |w, x| w * x).sum()
}

/// `Logistic Regression`: the cross entropy of labels and of what weights and a bias make of samples \[n, d].
pub fn logistic_regression(
    (weights, bias): (Vector, Number),
    (samples, labels): (Matrix, Vector),
) -> Number {
    let scores = product(samples, weights).map(|score| score + bias.the());
    // ln(1 + eˢ), for any s.
    let soft = |s: Exp<f64>| s.max(0.0) + (-s.abs()).exp().ln_1p();
    let losses = scores.zip_with(labels, |s, label| soft(s) - label * s);
    losses.sum().map(|sum| sum / labels.size().to_f64())
}

/// `2-Layer MNIST MLP`: the cross entropy of a label, for a network with a hidden layer, of weights and biases.
pub fn perceptron(
    [first, second]: [(Matrix, Vector); 2],
    (image, label): (Vector, Acc<Z, i32>),
) -> Number {
    let layer = |(w, b): (Matrix, Vector), x: Vector| product(w, x).zip_with(b, |x, b| x + b);
    let hidden = layer(first, image).map(|x| x.max(0.0));
    let scores = layer(second, hidden);
    log_sum_exp(scores).map(|sum| sum - scores.at(ix![label.the()]))
}
