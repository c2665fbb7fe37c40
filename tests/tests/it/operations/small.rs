//! Small dense systems as elements, against `nalgebra` and by differences.

use super::decompositions::{near, numbers};
use super::vector;
use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use cotangent_tests::differences::all_agree;
use nalgebra::{DMatrix, DVector};

type Rows<T, const N: usize> = [[T; N]; N];

fn matrices<const N: usize>(count: usize) -> Vec<Rows<f64, N>> {
    let all = numbers(count * N * N, 0.4);
    let at = |k: usize, i: usize, j: usize| all[(k * N + i) * N + j];
    let of = |k| std::array::from_fn(|i| std::array::from_fn(|j| at(k, i, j)));
    (0..count).map(of).collect()
}

fn known<const N: usize>(a: &Rows<f64, N>) -> DMatrix<f64> {
    DMatrix::from_fn(N, N, |i, j| a[i][j])
}

/// On both engines, the solutions, the inverses and the determinants of some matrices.
fn compared<const N: usize>() {
    let f = |v: Acc<Ix1, (Rows<f64, N>, [f64; N])>| {
        v.map(|(a, b)| (solve_small(a, b), inverse_small(a), det_small(a)))
    };
    let sides = numbers(N, 0.9);
    let b: [f64; N] = std::array::from_fn(|i| sides[i]);
    let all = matrices::<N>(4);
    let input = || vector(all.iter().map(|a| (*a, b)).collect::<Vec<_>>());
    let program = compile(f).unwrap();
    for found in [
        program.run(&Cpu::default(), input()),
        program.interpret(input()),
    ] {
        for (a, (x, inverse, det)) in all.iter().zip(found.unwrap().to_vec()) {
            let known = known(a);
            let lu = known.clone().lu();
            near(
                lu.solve(&DVector::from(b.to_vec())).unwrap().as_slice(),
                &x,
                1e-9,
            );
            near(
                known.clone().try_inverse().unwrap().transpose().as_slice(),
                inverse.as_flattened(),
                1e-9,
            );
            near(&[known.determinant()], &[det], 1e-11);
        }
    }
}

#[test]
fn small_systems_are_those_of_nalgebra() {
    compared::<1>();
    compared::<2>();
    compared::<3>();
    compared::<4>();
    compared::<6>();
}

#[test]
fn small_systems_in_single_precision() {
    let f =
        |v: Acc<Ix1, (Rows<f32, 3>, [f32; 3])>| v.map(|(a, b)| (solve_small(a, b), det_small(a)));
    let a = [[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [4.0, 0.0, 0.0]];
    let input = vector([(a, [3.0, 4.0, 8.0])]);
    super::gives(f, input, vector([([2.0_f32, 3.0, 2.0], 8.0_f32)]));
}

/// A singular matrix has the determinant 0, and solutions that are not finite.
#[test]
fn small_singular_systems() {
    let f = |v: Acc<Ix1, Rows<f64, 3>>| {
        v.map(|a| {
            (
                solve_small(a, [1.0, 2.0, 3.0]),
                inverse_small(a),
                det_small(a),
            )
        })
    };
    let dependent = [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let all = vector([dependent, [[0.0; 3]; 3]]);
    for (x, inverse, det) in compile(f)
        .unwrap()
        .run(&Cpu::default(), all)
        .unwrap()
        .to_vec()
    {
        assert!(x.iter().any(|x| !x.is_finite()), "{x:?}");
        assert!(
            inverse.as_flattened().iter().any(|x| !x.is_finite()),
            "{inverse:?}"
        );
        assert_eq!(det, 0.0);
    }
}

#[test]
fn derivatives_of_small_systems() {
    type Systems<const N: usize> = Acc<Ix1, (Rows<f64, N>, [f64; N])>;
    fn checked<const N: usize>() {
        let f = |v: Systems<N>| v.map(|(a, b)| (solve_small(a, b), inverse_small(a), det_small(a)));
        let energy = |v: Systems<N>| {
            v.map(|(a, b)| {
                solve_small(a, b)
                    .into_iter()
                    .map(|x| x.sin())
                    .reduce(|x, y| x + y)
                    .unwrap_or(det_small(a))
            })
        };
        let a: Rows<f64, N> = std::array::from_fn(|i| {
            std::array::from_fn(|j| ((i * N + j) as f64).cos() + f64::from(u8::from(i == j)) * 2.0)
        });
        let input = || vector([(a, std::array::from_fn(|i| 1.0 - i as f64))]);
        all_agree(f, input());
        all_agree(
            move |v: Systems<N>| gradient_a(|v| energy(v).sum(), v),
            input(),
        );
    }
    checked::<1>();
    checked::<2>();
    checked::<3>();
    checked::<4>();
    type Single = ([[f32; 2]; 2], [f32; 2]);
    let single = |v: Acc<Ix1, Single>| v.map(|(a, b)| (solve_small(a, b), inverse_small(a)));
    let system = ([[0.5, 2.0], [1.5, -1.0]], [1.0, 2.0]);
    all_agree(single, vector([system]));
    // Of a determinant, where the matrix is singular, too.
    let det = |v: Acc<Ix1, Rows<f64, 3>>| v.map(|a| (det_small(a), gradient_e(det_small, a)));
    let singular = [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0], [0.0, 3.0, 6.0]];
    all_agree(det, vector([singular, [[0.0; 3]; 3]]));
}
