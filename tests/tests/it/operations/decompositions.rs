//! Decompositions with rules for their derivatives, against `nalgebra` and by differences.

use super::{gives, matrix};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use cotangent_tests::differences::all_agree;
use nalgebra::DMatrix;

type Matrix = Acc<Ix2, f64>;
type Host = Array<Ix2, f64>;

/// Numbers without an order: rows of them do not depend on each other.
pub(super) fn numbers(n: usize, seed: f64) -> Vec<f64> {
    let wild = |i: usize| ((i as f64 + seed) * 12.9898).sin() * 43758.5453;
    (0..n).map(|i| wild(i).fract() * 3.0).collect()
}

pub(super) fn random<T: Float>(m: usize, n: usize) -> Array<Ix2, T> {
    let all = numbers(m * n, 0.3).into_iter().map(T::from_f64);
    Array::from_vec([m, n], all.collect()).unwrap()
}

/// Another one, well conditioned, for differences.
pub(super) fn regular(m: usize, n: usize) -> Host {
    let all = (0..m * n).map(|k| ((k * k + 3 * k) as f64).sin() + f64::from(k / n == k % n) * 2.0);
    Array::from_vec([m, n], all.collect()).unwrap()
}

/// The results of the CPU, which are near those of the interpreter.
pub(super) fn both<M, F>(f: F, input: super::HostOf<F::In>) -> Vec<f64>
where
    F: cotangent_core::surface::AccFn<M, Out = Matrix>,
    super::HostOf<F::In>: Clone,
{
    let program = compile(f).unwrap();
    let reference = program.interpret(input.clone()).unwrap().to_vec();
    let found = program.run(&Cpu::default(), input).unwrap().to_vec();
    near(&reference, &found, 1e-10);
    found
}

#[track_caller]
pub(super) fn near(x: &[f64], y: &[f64], tolerance: f64) {
    assert_eq!(x.len(), y.len());
    let size = x.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    for (a, b) in x.iter().zip(y) {
        assert!(
            (a - b).abs() <= tolerance * size,
            "{a} is not {b}: {x:?} {y:?}"
        );
    }
}

pub(super) fn known(a: &Host) -> DMatrix<f64> {
    DMatrix::from(a.clone())
}

/// By rows.
fn by_rows(m: &DMatrix<f64>) -> Vec<f64> {
    m.transpose().as_slice().to_vec()
}

const SHAPES: [(usize, usize); 8] = [
    (0, 0),
    (3, 0),
    (1, 1),
    (2, 2),
    (5, 5),
    (7, 3),
    (40, 40),
    (40, 2),
];

#[test]
fn qr_is_that_of_nalgebra() {
    for (m, n) in SHAPES {
        let q = both(|a: Matrix| a.qr().0, random(m, n));
        let r = both(|a: Matrix| a.qr().1, random(m, n));
        if n > 0 {
            let (known_q, known_r) = known(&random(m, n)).qr().unpack();
            let signs: Vec<f64> = known_r.diagonal().iter().map(|x| x.signum()).collect();
            let signs = DMatrix::from_diagonal(&nalgebra::DVector::from(signs));
            near(&q, &by_rows(&(known_q * &signs)), 1e-10);
            near(&r, &by_rows(&(signs * known_r)), 1e-10);
        }
        assert_eq!((q.len(), r.len()), (m * n, n * n));
    }
}

/// Columns of zeros and columns that depend on others have a decomposition, too; below the diagonal there are zeros.
#[test]
fn qr_of_any_rank() {
    let deficient = matrix([[0.0, 1.0, 2.0], [0.0, 2.0, 4.0], [0.0, 3.0, 6.0]]);
    for a in [
        deficient,
        matrix([[0.0; 3]; 3]),
        matrix([[1e-200; 3]; 3]),
        matrix([[1e200; 3]; 3]),
    ] {
        let product = both(
            |a: Matrix| {
                let (q, r) = a.qr();
                q.matmul(r)
            },
            a.clone(),
        );
        let size = a
            .to_vec()
            .iter()
            .fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
        let scaled = |x: Vec<f64>| x.into_iter().map(|x| x / size).collect::<Vec<_>>();
        near(&scaled(product), &scaled(a.to_vec()), 1e-14);
        let orthogonal = both(
            |a: Matrix| einsum::<Ix2, f64>("ki,kj->ij", (a.qr().0, a.qr().0)),
            a.clone(),
        );
        near(
            &orthogonal,
            &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            1e-14,
        );
        let r = both(|a: Matrix| a.qr().1, a);
        assert!((0..9).all(|k| k / 3 <= k % 3 || r[k] == 0.0), "{r:?}");
    }
}

#[test]
fn lu_is_that_of_nalgebra() {
    for n in [0, 1, 2, 5, 40] {
        let l = both(|a: Matrix| a.lu().1, random(n, n));
        let u = both(|a: Matrix| a.lu().2, random(n, n));
        let rows = compile(|a: Matrix| a.lu().0).unwrap();
        let rows = rows.run(&Cpu::default(), random(n, n)).unwrap().to_vec();
        if n > 0 {
            let (order, known_l, known_u) = known(&random(n, n)).lu().unpack();
            near(&l, &by_rows(&known_l), 1e-9);
            near(&u, &by_rows(&known_u), 1e-9);
            let mut known_rows = DMatrix::from_fn(n, 1, |i, _| i as i32);
            order.permute_rows(&mut known_rows);
            assert_eq!(rows, known_rows.as_slice());
        }
        assert_eq!((rows.len(), l.len(), u.len()), (n, n * n, n * n));
    }
}

/// Zeros on the diagonal need other rows; a matrix that is singular has factors, too.
#[test]
fn lu_with_exchanges() {
    let f = |a: Matrix| a.lu();
    let a = matrix([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [4.0, 0.0, 0.0]]);
    let unit = matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let u = matrix([[4.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]);
    gives(f, a, (super::vector([2, 0, 1]), unit, u));
    let singular = matrix([[0.0, 1.0], [0.0, 1.0]]);
    let unit = matrix([[1.0, 0.0], [0.0, 1.0]]);
    gives(f, singular.clone(), (super::vector([0, 1]), unit, singular));
}

#[test]
fn single_precision() {
    type Single = Acc<Ix2, f32>;
    let programs: [fn(Single) -> Single; 2] = [
        |a| {
            let (q, r) = a.qr();
            q.matmul(r) - a
        },
        |a| {
            let (p, l, u) = a.lu();
            l.matmul(u) - a.backpermute(a.shape(), |ix![i, j]| ix![p.at(ix![i]), j])
        },
    ];
    for f in programs {
        for n in [0, 1, 2, 5, 40] {
            let program = compile(move |a: Single| f(a)).unwrap();
            let left = program.run(&Cpu::default(), random(n, n)).unwrap();
            let reference = program.interpret(random(n, n)).unwrap();
            let both = left.to_vec().into_iter().chain(reference.to_vec());
            assert!(both.into_iter().all(|x| x.abs() < 1e-4), "{n}");
        }
    }
}

/// Reverse and forward mode and differences, of all results.
#[test]
fn derivatives_of_factors() {
    for (m, n) in [(0, 0), (1, 1), (2, 2), (5, 5), (7, 3), (3, 1)] {
        all_agree(|a: Matrix| a.qr(), regular(m, n));
    }
    for n in [0, 1, 2, 5] {
        all_agree(|a: Matrix| a.lu(), regular(n, n));
    }
    let exchanged = || matrix([[0.1, 1.0, 0.3], [0.2, 0.1, 2.0], [4.0, 0.5, 0.2]]);
    all_agree(|a: Matrix| a.lu(), exchanged());
    all_agree(|a: Matrix| a.qr(), random(40, 6));
    all_agree(|a: Matrix| a.lu(), regular(40, 40));
}

#[test]
fn derivatives_in_single_precision() {
    type Single = Acc<Ix2, f32>;
    let single = |m, n| {
        let all = regular(m, n).to_vec().into_iter().map(|x| x as f32);
        Array::from_vec([m, n], all.collect()).unwrap()
    };
    for n in [0, 1, 2, 5] {
        all_agree(|a: Single| a.qr(), single(n + 1, n));
        all_agree(|a: Single| a.lu(), single(n, n));
        all_agree(|a: Single| (a.det(), a.slogdet()), single(n, n));
    }
}

/// A number that all factors are part of.
fn mixed(all: [Matrix; 2]) -> Acc<Ix0, f64> {
    let each = all.map(|m| {
        let weighted = generate(m.shape(), |ix![i, j]| {
            (m.at(ix![i, j]) + 0.3 * i.to_f64()).sin() * (j + 1).to_f64()
        });
        weighted.sum_all()
    });
    each[0] + each[1]
}

/// The gradient's derivatives, in both modes, against differences: so those of second order; and those of third order.
#[test]
fn derivatives_again() {
    let qr = |a: Matrix| {
        let (q, r) = a.qr();
        mixed([q, r])
    };
    let lu = |a: Matrix| {
        let (_, l, u) = a.lu();
        mixed([l, u])
    };
    all_agree(move |a: Matrix| gradient_a(qr, a), regular(3, 3));
    all_agree(move |a: Matrix| gradient_a(qr, a), regular(4, 2));
    all_agree(move |a: Matrix| gradient_a(lu, a), regular(3, 3));
    all_agree(move |a: Matrix| hvp_a(qr, a, a * a), regular(2, 2));
    all_agree(move |a: Matrix| hvp_a(lu, a, a * a), regular(2, 2));
}

/// The error says the shape that was expected, and the line of the call.
#[test]
fn decompositions_of_other_shapes() {
    let wide = || matrix([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let tall = || matrix([[1.0], [2.0]]);
    let factors: [fn(Matrix) -> Matrix; 2] = [|a| a.qr().1, |a| a.lu().2];
    let given = [(wide(), "[3, 3]", "[2, 3]"), (tall(), "[1, 1]", "[2, 1]")];
    for (f, (a, expected, given)) in factors.into_iter().zip(given) {
        let program = compile(move |a: Matrix| f(a)).unwrap();
        let error = program.run(&Cpu::default(), a);
        let text = error.unwrap_err().to_string();
        for part in ["decompositions.rs", expected, given] {
            assert!(text.contains(part), "{text}");
        }
    }
}
