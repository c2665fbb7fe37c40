//! Derivatives along a direction, and what is made of them, as users write them.

use super::values::{Matrix, Vector, matrix, run, vector};
use crate::surface::prelude::*;

#[test]
fn tuples_of_anything() {
    let f = |m: Matrix, n: Acc<Ix1, i32>, dm: Matrix| {
        let inside = |(m, n): (Matrix, Acc<Ix1, i32>)| {
            let rows = m.sum();
            let pairs = rows.zip_with(n, |x, n| (x * n.to_f64(), n));
            (pairs, (m, rows.sum()))
        };
        jvp_a(inside, (m, n), (dm, n))
    };
    let m = matrix([[1.0, 2.0], [3.0, 4.0]]);
    let dm = matrix([[1.0, 0.0], [0.0, 10.0]]);
    let n = vector([2, 3]);
    let ((y, (_, sum)), (dy, (dm, dsum))) = run(f, (m, n, dm)).unwrap();
    assert_eq!(y.to_vec(), [(6.0, 2), (21.0, 3)]);
    assert_eq!(dy.to_vec(), [(2.0, 0), (30.0, 0)]);
    assert_eq!(dm.to_vec(), [1.0, 0.0, 0.0, 10.0]);
    assert_eq!((sum.item(), dsum.item()), (10.0, 11.0));
}

#[test]
fn in_scalar_code() {
    let f = |v: Vector| {
        v.map(|x| {
            let ((y, [k]), (dy, [dk])) = jvp_e(|(x, k)| (x * x.sin(), [k]), (x, 3), (2.0, 5));
            (y, dy, k + dk)
        })
    };
    let [(y, dy, k)] = run(f, vector([0.5])).unwrap().to_vec()[..] else {
        panic!("one element");
    };
    assert_eq!((y, k), (0.5 * 0.5f64.sin(), 3));
    let expected = 2.0 * (0.5f64.sin() + 0.5 * 0.5f64.cos());
    assert!((dy - expected).abs() < 1e-15, "{dy}");
}

#[test]
fn backwards_by_any_cotangent() {
    // Elements of two types of float, and integers, which do not count; ranks 2, 1 and 0.
    let f = |m: Matrix, dy: Matrix, w: Vector| {
        let inside = |m: Matrix| {
            let narrow = m.sum().map(|x| (x.to_f32(), x.to_i32()));
            (m.map(|x| x * x), narrow, m.sum_all())
        };
        let cotangent = (dy, w.map(|w| (w.to_f32(), 7)), unit(1000.0));
        value_and_vjp_a(inside, m, cotangent)
    };
    let m = matrix([[1.0, 2.0], [3.0, 4.0]]);
    let dy = matrix([[1.0, 1.0], [1.0, 2.0]]);
    let ((squares, narrow, sum), dm) = run(f, (m, dy, vector([100.0, 200.0]))).unwrap();
    assert_eq!(squares.to_vec(), [1.0, 4.0, 9.0, 16.0]);
    assert_eq!(narrow.to_vec(), [(3.0, 3), (7.0, 7)]);
    assert_eq!(sum.item(), 10.0);
    assert_eq!(dm.to_vec(), [1102.0, 1104.0, 1206.0, 1216.0]);
}

#[test]
fn cotangents_of_other_shapes_are_cut() {
    let f = |v: Vector, dy: Vector| vjp_a(|v: Vector| v.map(|x| x * x), v, dy);
    let along = |dy: &[f64]| run(f, (vector([1.0, 2.0]), vector(dy))).unwrap().to_vec();
    assert_eq!(along(&[3.0]), [6.0, 0.0]);
    assert_eq!(along(&[3.0, 4.0, 5.0]), [6.0, 16.0]);
    assert_eq!(along(&[]), [0.0, 0.0]);
    let nothing = |v: Vector| vjp_a(|v: Vector| v.map(|x| x.to_i32()), v, v.map(|_| 1));
    assert_eq!(run(nothing, vector([1.0])).unwrap().to_vec(), [0.0]);
}

#[test]
fn hessians_times_vectors() {
    let f = |v: Vector, dv: Vector| hvp_a(|v| v.product(), v, dv);
    let hv = run(f, (vector([2.0, 3.0, 5.0]), vector([1.0, 10.0, 100.0]))).unwrap();
    // ∂²/∂xᵢ∂xⱼ of a product is the third factor.
    assert_eq!(hv.to_vec(), [50.0 + 300.0, 5.0 + 200.0, 3.0 + 20.0]);
}

/// The outputs of trips are stacked if their extents are known before the loop: those of derivatives are.
#[test]
fn stacked_by_a_scan() {
    let f = |v: Vector, directions: Matrix| {
        let step = |_, v: Vector, dv: Vector| jvp_a(|v: Vector| v.map(|x| x * x), v, dv);
        ascan(directions, step, v)
    };
    let directions = matrix([[1.0, 10.0], [100.0, 1000.0]]);
    let (last, rows) = run(f, (vector([1.0, 2.0]), directions)).unwrap();
    assert_eq!(last.to_vec(), [1.0, 16.0]);
    assert_eq!(rows.to_vec(), [2.0, 40.0, 200.0, 8000.0]);
}
