//! Papers 000 (sections V and VI) and 001 (appendices C, D and F).

use cotangent::prelude::*;

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;
type Number = Acc<Z, f64>;

/// A sparse matrix but for its elements: where each row begins among them, and the column of each.
pub type Pattern = (Acc<Ix1, i32>, Acc<Ix1, i32>);

/// The product of a sparse matrix, whose elements are `elements`, with a vector.
pub fn sparse_product((rows, columns): Pattern, elements: Vector, x: Vector) -> Vector {
    let row = |i: Exp<i32>| {
        let first = rows.at(ix![i]);
        let step = |k: Exp<i32>, sum: Exp<f64>| {
            let at = first + k;
            sum + elements.at(ix![at]) * x.at(ix![columns.at(ix![at])])
        };
        iterate(rows.at(ix![i + 1]) - first, step, 0.0)
    };
    generate(ix![rows.size() - 1], |ix![i]| row(i))
}

/// The edges of Petersen's graph, and the pairs of vertices without one.
pub fn petersen() -> [Vec<(i32, i32)>; 2] {
    let is_edge = |&(i, j): &(i32, i32)| {
        let apart = (j % 5 - i % 5).rem_euclid(5);
        match (i < 5, j < 5) {
            (true, true) => apart == 1 || apart == 4,
            (false, false) => apart == 2 || apart == 3,
            (true, false) | (false, true) => apart == 0,
        }
    };
    let pairs = (0..10).flat_map(|i| (i + 1..10).map(move |j| (i, j)));
    let (edges, others) = pairs.partition(is_edge);
    [edges, others]
}

/// Graph embedding: how far positions \[10, k] are from having one distance for all edges and a greater one for all other pairs.
pub fn embedding(positions: Matrix, [edges, others]: [Acc<Ix1, (i32, i32)>; 2]) -> Number {
    let ix![_, k] = positions.shape();
    let squares = |pairs: Acc<Ix1, (i32, i32)>| {
        let differences = generate(ix![pairs.size(), k], |ix![pair, axis]| {
            let (i, j) = pairs.at(ix![pair]);
            positions.at(ix![i, axis]) - positions.at(ix![j, axis])
        });
        differences.map(|x| x * x).sum()
    };
    let mean = |x: Vector| x.sum().map(|sum| sum / x.size().to_f64());
    let variance = |x: Vector| {
        let mean = mean(x);
        let squares = x.map(|x| (x - mean.the()) * (x - mean.the()));
        squares.sum().map(|sum| sum / (x.size() - 1).to_f64())
    };
    let (near, far) = (squares(edges), squares(others));
    let spread = variance(near).zip_with(variance(far), |x, y| x + y);
    let gap = mean(near).zip_with(mean(far), |near, far| {
        (near - far + 0.1).max(0.0).exp() - 1.0
    });
    spread.zip_with(gap, |x, y| x + y)
}

/// e to the power of each number by its series, as long as terms are not tiny.
pub fn exp_by_series(x: Vector) -> Vector {
    let power = |x: Exp<f64>| {
        while_(
            |(_, term, _): (Exp<f64>, Exp<f64>, Exp<f64>)| term.abs().gt(1e-17),
            |_, (sum, term, n)| (sum + term, term * x / n, n + 1.0),
            (constant(0.0), constant(1.0), constant(1.0)),
        )
        .0
    };
    x.map(power)
}

/// The upper triangle R of a matrix of at least as many rows as columns, A = QR, by Householder's reflections.
pub fn householder(a: Matrix) -> Matrix {
    let ix![rows, columns] = a.shape();
    let step = |k: Exp<i32>, a: Matrix| {
        let below = generate(ix![rows], |ix![i]| cond(i.ge(k), a.at(ix![i, k]), 0.0));
        let norm = below.map(|x| x * x).sum().map(|sum| sum.sqrt());
        let head = a.at(ix![k, k]);
        let normal = generate(ix![rows], |ix![i]| {
            let turned = cond(head.ge(0.0), norm.the(), -norm.the());
            below.at(ix![i]) + cond(i.eq_(k), turned, 0.0)
        });
        let squares = normal.map(|x| x * x).sum();
        let along = a
            .transpose()
            .zip_with(normal.replicate(ix![columns, All]), |a, v| a * v);
        let along = along.sum();
        generate(ix![rows, columns], |ix![i, j]| {
            let part = 2.0 * along.at(ix![j]) / squares.the();
            a.at(ix![i, j]) - normal.at(ix![i]) * part
        })
    };
    aiterate(columns, step, a)
}

/// ln |det A| by the diagonal of R, whose gradient is the transposed inverse.
pub fn log_determinant(a: Matrix) -> Number {
    let r = householder(a);
    generate(ix![r.inner()], |ix![i]| r.at(ix![i, i]).abs().ln()).sum()
}

/// A unitary layer on complex numbers, as pairs of reals: each turned by a phase, then neighbours mixed by a rotation, the even
/// ones with those after them or the odd ones, trip by trip. `angles` \[trips, n, 2] has phases and rotations.
pub fn unitary(x: Acc<Ix1, (f64, f64)>, angles: Acc<Ix2, (f64, f64)>) -> Acc<Ix1, (f64, f64)> {
    let n = x.size();
    let step = |k: Exp<i32>, x: Acc<Ix1, (f64, f64)>, angles: Acc<Ix1, (f64, f64)>| {
        let turned = x.zip_with(angles, |(re, im), (phase, _)| {
            let (s, c) = (phase.sin(), phase.cos());
            (re * c - im * s, re * s + im * c)
        });
        let mixed = generate(ix![n], |ix![i]| {
            // Pairs begin at even positions in even trips, at odd ones in odd trips; what has no partner stays.
            let is_first = ((i + k) % 2).eq_(0);
            let other = cond(is_first, i + 1, i - 1);
            let has_partner = other.ge(0) & other.lt(n);
            let other = cond(has_partner, other, i);
            let (_, angle) = angles.at(ix![i.min(other)]);
            let (s, c) = (angle.sin(), angle.cos());
            let s = cond(is_first, -s, s);
            let ((a, b), (re, im)) = (turned.at(ix![i]), turned.at(ix![other]));
            let rotated = (c * a + s * re, c * b + s * im);
            (
                cond(has_partner, rotated.0, a),
                cond(has_partner, rotated.1, b),
            )
        });
        (mixed, ())
    };
    ascan(angles, step, x).0
}
