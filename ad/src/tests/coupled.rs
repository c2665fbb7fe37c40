//! Folds and scans whose columns depend on each other, whose operators read what is active, or whose arrays differ in shape.

use super::{
    Matrix, Number, Vector, agree, build, derive, energy, gradient, host, program, smooth, some,
    vector,
};
use cotangent_core::build::FunBuilder;
use cotangent_core::prim::Prim;
use cotangent_core::surface::prelude::*;
use cotangent_core::term::{AccOp, Mode};
use cotangent_core::types::{ArrayType, ScalarType};

type Pairs = Acc<Ix1, (f64, f64)>;

/// Checks the gradient of `f` at rows of several lengths, from the least that it may take on.
fn lengths(least: usize, f: impl Fn(Vector) -> Number + Copy) {
    for n in least..5 {
        smooth(f, &[some(&[n], 7)]);
    }
}

fn complex(a: (Exp<f64>, Exp<f64>), b: (Exp<f64>, Exp<f64>)) -> (Exp<f64>, Exp<f64>) {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn sum_of_both(pairs: Pairs) -> Number {
    pairs.map(|(a, b)| a * a + b * 2.0 + a * b).sum_all()
}

#[test]
fn folds_of_pairs() {
    lengths(0, |x| {
        let pairs = x.map(|x| (x, x * x));
        let both = pairs.fold((0.5, 1.0), |(a, b), (c, d)| (a + c, b + d + a * c));
        both.map(|(a, b)| a * b)
    });
    lengths(1, |x| {
        let product = x.map(|x| (x, x.sin())).fold1(complex);
        product.map(|(re, im)| re * im + im)
    });
}

#[test]
fn scans_of_pairs() {
    let pairs = |x: Vector| x.map(|x| (x, x.sin() + 0.5));
    lengths(0, |x| sum_of_both(pairs(x).scanl((1.0, 0.5), complex)));
    lengths(0, |x| sum_of_both(pairs(x).scanr((1.0, 0.5), complex)));
    lengths(0, |x| sum_of_both(pairs(x).scanl1(complex)));
    lengths(0, |x| sum_of_both(pairs(x).scanr1(complex)));
}

#[test]
fn rows() {
    let products = |m: Matrix| {
        let pairs = m.map(|x| (x, x.cos()));
        let last = pairs
            .fold((1.0, 0.0), complex)
            .map(|(a, b)| a * a * b)
            .sum();
        let all = pairs.scanl1(complex).map(|(a, b)| a + b * b).sum_all();
        last.zip_with(all, |a, b| a * b)
    };
    for shape in [[2, 3], [1, 4], [3, 0], [0, 3]] {
        smooth(products, &[some(&shape, 5)]);
    }
}

type Four = (Exp<f64>, Exp<f64>, Exp<f64>, Exp<f64>);

/// The product of two matrices.
fn times((a, b, c, d): Four, (e, f, g, h): Four) -> Four {
    (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
}

/// Rows are multiplied each by itself, or columns, where the operands come the other way round.
#[test]
fn products_of_matrices() {
    let matrices = |x: Vector| x.map(|x| (x, x.sin(), x.cos() * 0.5, x * x));
    let cost =
        |all: Acc<Ix1, (f64, f64, f64, f64)>| all.map(|(a, b, c, d)| a * b + c * c - d).sum_all();
    let one = (1.0, 0.5, 0.0, 1.0);
    lengths(0, |x| {
        matrices(x)
            .fold(one, times)
            .map(|(a, b, c, d)| a * b + c * d)
    });
    lengths(1, |x| {
        matrices(x).fold1(times).map(|(a, b, c, d)| a * b + c * d)
    });
    lengths(0, |x| cost(matrices(x).scanl(one, times)));
    lengths(0, |x| cost(matrices(x).scanr(one, times)));
    lengths(0, |x| cost(matrices(x).scanl1(times)));
    lengths(0, |x| cost(matrices(x).scanr1(times)));
    let rows = |m: Matrix| {
        let all = m.map(|x| (x, x.sin(), x.cos() * 0.5, x * x));
        all.fold(one, times).map(|(a, b, c, d)| a * b + c * d).sum()
    };
    for shape in [[2, 3], [3, 0], [0, 3]] {
        smooth(rows, &[some(&shape, 5)]);
    }
}

type Thirteen = (Four, Four, Four, Exp<f64>);

fn coefficients((a, b, c, d): Thirteen) -> [Exp<f64>; 13] {
    let of = |(a, b, c, d): Four| [a, b, c, d];
    let all = [of(a), of(b), of(c)].concat();
    std::array::from_fn(|i| all.get(i).copied().unwrap_or(d))
}

fn polynomial(a: [Exp<f64>; 13]) -> Thirteen {
    let four = |i: usize| (a[i], a[i + 1], a[i + 2], a[i + 3]);
    (four(0), four(4), four(8), a[12])
}

/// The product of two polynomials, without the powers from the thirteenth on.
fn truncated(a: Thirteen, b: Thirteen) -> Thirteen {
    let (a, b) = (coefficients(a), coefficients(b));
    let power = |n: usize| (1..=n).fold(a[0] * b[n], |sum, i| sum + a[i] * b[n - i]);
    polynomial(std::array::from_fn(power))
}

/// More columns than are scanned as matrices of partial derivatives.
#[test]
fn products_of_polynomials() {
    let of = |x: Exp<f64>| polynomial(std::array::from_fn(|i| x * (1.0 - i as f64 * 0.3)));
    let one = || polynomial(std::array::from_fn(|i| f64::from(i == 0).into_exp()));
    let weighted = |p: Thirteen| {
        let mut sum = 0.0.into_exp();
        for (i, c) in coefficients(p).into_iter().enumerate() {
            sum += c * (i as f64 * 0.7).sin();
        }
        sum
    };
    lengths(0, |x| x.map(of).fold(one(), truncated).map(weighted));
    lengths(1, |x| x.map(of).fold1(truncated).map(weighted));
    lengths(0, |x| x.map(of).scanl(one(), truncated).map(weighted).sum());
    lengths(0, |x| x.map(of).scanr(one(), truncated).map(weighted).sum());
    lengths(0, |x| x.map(of).scanl1(truncated).map(weighted).sum());
}

type Series = [Exp<f64>; 7];

/// x ↦ a·x + b, of series without their powers from the seventh on.
type Affine = [Series; 2];

/// One after the other, the second first.
fn composed([a, b]: Affine, [c, d]: Affine) -> Affine {
    let product =
        |x: Series, y: Series, n: usize| (1..=n).fold(x[0] * y[n], |sum, i| sum + x[i] * y[n - i]);
    let scale = std::array::from_fn(|n| product(a, c, n));
    [scale, std::array::from_fn(|n| product(a, d, n) + b[n])]
}

/// So many columns that they go in order, which matters: from both sides.
#[test]
fn compositions_of_affine_maps_of_series() {
    let of = |x: Exp<f64>| -> Affine {
        let series = |k: usize| std::array::from_fn(|n| x * ((7 * k + n) as f64).sin() + 0.3);
        [series(0), series(1)]
    };
    let some = |[a, b]: Affine| a[0] * b[3] + b[0] * b[6] + a[5];
    let maps = |x: Vector| -> Acc<Ix1, [[f64; 7]; 2]> { x.map(of) };
    lengths(1, |x| maps(x).fold1(composed).map(some));
    lengths(0, |x| maps(x).scanl1(composed).map(some).sum());
    lengths(0, |x| maps(x).scanr1(composed).map(some).sum());
}

#[test]
fn logarithms_of_sums_of_exponentials() {
    lengths(1, |x| {
        let terms = x.map(|x| (x, x * 0.0 + 1.0));
        let both = terms.fold1(|(a, s), (b, t)| {
            let top = a.max(b);
            (top, s * (a - top).exp() + t * (b - top).exp())
        });
        both.map(|(top, sum)| top + sum.ln())
    });
}

#[test]
fn means_and_variances() {
    lengths(1, |x| {
        let one = x.map(|x| (1.0_f64.into_exp(), x, 0.0_f64.into_exp()));
        let all = one.fold1(|(n, mean, m), (n2, mean2, m2)| {
            let (total, delta) = (n + n2, mean2 - mean);
            (
                total,
                mean + delta * n2 / total,
                m + m2 + delta * delta * n * n2 / total,
            )
        });
        all.map(|(n, mean, m)| m / n + mean)
    });
}

#[test]
fn greatest_with_payload() {
    let f = |(x, y): (Vector, Vector)| {
        let numbered = generate(x.shape(), |ix![i]| (x.at(ix![i]), y.at(ix![i]), i));
        let best = numbered.fold1(|(a, u, i), (b, v, j)| cond(a.ge(b), (a, u, i), (b, v, j)));
        best.map(|(x, y, i)| x * y * i.to_f64() + y)
    };
    smooth(f, &[some(&[5], 1), some(&[5], 2)]);
}

#[test]
fn segments() {
    let f = |(x, flags): (Vector, Acc<Ix1, bool>)| {
        let sums = x
            .zip(flags)
            .scanl1(|(a, f), (b, g)| (cond(g, b, a + b), f.or(g)));
        energy(sums.map(|(s, _)| s * s))
    };
    let flags = host(&[5], &[false, false, true, false, true]);
    smooth(f, &[some(&[5], 3), flags]);
}

#[test]
fn operators_that_read_what_is_active() {
    lengths(1, |x| x.fold(0.0, |a, b| a + b * x.at(ix![0])));
    lengths(2, |x| energy(x.scanl1(|a, b| a + b * x.at(ix![1]))));
    lengths(1, |x| energy(x.scanr(1.0, |a, b| a * b * x.at(ix![0]))));
}

#[test]
fn first_values_that_are_active() {
    let first = |x: Vector| x.at(ix![0]) * x.at(ix![0]);
    lengths(1, |x| {
        let pairs = x.map(|x| (x, x + 1.0));
        sum_of_both(pairs.scanl((first(x), 0.5), complex))
    });
    lengths(1, |x| {
        let pairs = x.map(|x| (x, x + 1.0));
        let last = pairs.fold((first(x), first(x) + 1.0), complex);
        last.map(|(a, b)| a * b)
    });
}

#[test]
fn first_values_of_rows_that_may_be_empty() {
    let f = |(m, v): (Matrix, Vector)| {
        let pairs = m.map(|x| (x, x.cos()));
        let last = pairs.fold((v.at(ix![0]), v.at(ix![1]) * 2.0), complex);
        last.map(|(a, b)| a * a * b).sum()
    };
    for shape in [[2, 3], [2, 1], [3, 0], [0, 3]] {
        smooth(f, &[some(&shape, 5), some(&[2], 3)]);
    }
}

/// A column that no needed one depends on has a say in how many elements there are.
#[test]
fn lengths_that_other_columns_have() {
    let types = [ArrayType::new(ScalarType::F64, 1); 2];
    let program = build(&types, |b, params| {
        let mut f = FunBuilder::new();
        let x = f.params(&[ScalarType::F64; 4]);
        let product = f.prim(Prim::Mul, &[x[1], x[3]]);
        let sum = f.prim(Prim::Add, &[x[1], x[3]]);
        let both = f.prim(Prim::Add, &[product, sum]);
        let least = f.prim(Prim::Min, &[x[0], x[2]]);
        let f = f.finish(vec![least, both]);
        let inner = b.fresh(params[0].ty);
        b.open();
        let results = b.fold(f, None, &[params[1].clone(), inner.clone()]);
        let body = b.close(&results[1..]);
        let op = AccOp::Derivative {
            mode: Mode::Gradient { with_value: false },
            params: vec![inner],
            body,
            args: vec![params[0].name],
        };
        b.push(op, &types[..1])
    });
    for (n, m) in [(4, 2), (2, 4), (3, 1), (1, 3)] {
        agree(&program, &[some(&[n], 5), some(&[m], 3)]);
    }
}

#[test]
fn shapes_that_nobody_knows() {
    let f = |x: Vector| {
        let squares = x.map(|x| (x, x * x));
        let sums = x.scanl(1.0, |a, b| a + b);
        let pairs = acond(x.size().gt(2), squares, sums.map(|s| (s, s)));
        let both = pairs.fold((0.0, 1.0), |(a, b), (c, d)| (a + c, b * d));
        both.map(|(a, b)| a * b)
    };
    smooth(f, &[some(&[2], 1)]);
    smooth(f, &[some(&[4], 1)]);
}

#[test]
fn some_columns_alone_and_some_together() {
    lengths(1, |x| {
        let columns = x.map(|x| (x, x.sin(), x.cos(), x * 0.5));
        let all = columns.fold1(|(s, a, b, m), (t, c, d, n)| {
            let (re, im) = complex((a, b), (c, d));
            (s + t, re, im, m.max(n))
        });
        all.map(|(s, re, im, m)| s * re + im * m)
    });
}

/// The derivative of a recurrence is one of the same size, so no derivative of a scan has a loop, or more columns than another one.
#[test]
fn higher_derivatives_are_scans() {
    type Pair = (Exp<f64>, Exp<f64>);
    let affine = |(a, b): Pair, (c, d): Pair| (a * c, b * c + d);
    let pairs = |x: Vector| x.map(|x| (x * 0.5, x.sin()));
    let left = move |x: Vector| sum_of_both(pairs(x).scanl1(affine));
    let right = move |x: Vector| sum_of_both(pairs(x).scanr((0.5, 2.0), affine));
    let one = |x: Vector| energy(x.scanl(0.5, |a, b| a * b + a + b));
    higher(left);
    higher(right);
    higher(one);
    higher(|x: Vector| pairs(x).fold((1.0, 0.5), affine).map(|(a, b)| a * b));
    // Products of matrices are as many scans as these have rows.
    let matrices = |x: Vector| x.map(|x| (x, x.sin(), x.cos() * 0.5, x * x));
    higher(|x| {
        let all = matrices(x).scanl1(times);
        all.map(|(a, b, c, d)| a * b + c * c - d).sum_all()
    });
    let rows = |m: Matrix| {
        let all = m.map(|x| (x * 0.5, x.sin())).scanl1(affine);
        all.map(|(a, b)| a * b).sum_all()
    };
    let twice = |m: Matrix| gradient_a(|m| gradient_a(rows, m).map(|x| x * x).sum_all(), m);
    for shape in [[2, 3], [1, 1], [3, 0], [0, 3]] {
        agree(&program(twice), &[some(&shape, 5)]);
    }
}

/// Checks the second and the third derivative, which have scans of at most six columns.
fn higher(f: impl Fn(Vector) -> Number + Copy) {
    let second = move |x: Vector| gradient_a(move |x| energy(gradient_a(f, x)), x);
    let third = move |x: Vector| gradient_a(move |x| energy(second(x)), x);
    for n in [0, 1, 2, 5] {
        agree(&program(second), &[some(&[n], 3)]);
        agree(&program(third), &[some(&[n], 3)]);
    }
    let derived = derive(&program(third));
    for let_ in derived.body.all_lets() {
        assert!(!matches!(let_.op, AccOp::Loop { .. }));
        if let AccOp::Scan { args, .. } = &let_.op {
            assert!(args.len() <= 6, "{} columns", args.len());
        }
    }
}

#[test]
fn second_derivatives_of_scans() {
    let twice = |op: fn(Exp<f64>, Exp<f64>) -> Exp<f64>| {
        move |x: Vector| energy(gradient_a(|x: Vector| energy(x.scanl1(op)), x))
    };
    let x = [vector(&[0.5, -1.5, 2.0])];
    gradient(twice(|a, b| a * b), &x);
    gradient(twice(|a, b| a * b + a + b), &x);
    gradient(twice(|a, b| a.max(b)), &x);
    let fold = |x: Vector| {
        let f = |x: Vector| {
            let pairs = x.map(|x| (x, x.sin()));
            pairs.fold1(complex).map(|(a, b)| a * b)
        };
        energy(gradient_a(f, x))
    };
    gradient(fold, &x);
}
