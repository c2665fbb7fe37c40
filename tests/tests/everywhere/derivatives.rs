//! Derivatives of the same programs: reverse mode, forward mode and differences agree, for each rank, empty extents included.

use super::{elementwise, extents, matrices, parts, rows, some, stencils, vectors};
use cotangent::prelude::*;
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::types::ScalarType;
use cotangent_tests::differences::all_agree;

/// An array of numbers of which no two are equal, and none is near a whole number.
fn numbers<Sh: Shape>(extents: &[usize], seed: f64) -> Array<Sh, f64> {
    let size = extents.iter().product::<usize>();
    let number = |at: usize| {
        let x = (at as f64 * 0.83 + seed).sin() * 2.0 + 1.0;
        if (x - x.round()).abs() < 0.05 {
            x + 0.1
        } else {
            x
        }
    };
    let numbers = (0..size).map(|at| Const::F64(number(at)));
    let column = Column::from_consts(ScalarType::F64, numbers).unwrap();
    let array = HostArray::new(extents.to_vec(), column).unwrap();
    Array::from_columns(vec![array]).unwrap()
}

/// Asserts that all roads agree on the derivatives of a function of two arrays.
#[track_caller]
fn agree<Sh: Shape, Out: Arrays>(
    f: impl Fn(Acc<Sh, f64>, Acc<Sh, f64>) -> Out + Copy,
    extents: &[&[usize]],
) {
    for extents in extents {
        all_agree(
            |(a, b)| f(a, b),
            (numbers(extents, 0.3), numbers(extents, 1.1)),
        );
    }
}

fn of_any_shape<Sh: Shape>() {
    agree(elementwise::combined::<Sh, f64>, extents(Sh::RANK));
    agree(elementwise::compared::<Sh, f64>, extents(Sh::RANK));
    agree(elementwise::gathered::<Sh, f64>, extents(Sh::RANK));
}

fn of_rows<Sh: Shape + HasInner>() {
    agree(rows::folded::<Sh, f64>, extents(Sh::RANK));
    agree(rows::chosen::<Sh, f64>, &some(Sh::RANK));
    agree(rows::scanned::<Sh, f64>, extents(Sh::RANK));
    agree(rows::moved::<Sh, f64>, extents(Sh::RANK));
}

#[test]
fn of_each_element() {
    of_any_shape::<Ix0>();
    of_any_shape::<Ix1>();
    of_any_shape::<Ix2>();
    of_any_shape::<Ix3>();
    of_any_shape::<Ix4>();
}

#[test]
fn along_the_inner_dimension() {
    of_rows::<Ix1>();
    of_rows::<Ix2>();
    of_rows::<Ix3>();
    of_rows::<Ix4>();
}

#[test]
fn of_matrices() {
    agree(matrices::multiplied::<Ix0, f64>, extents(2));
    agree(matrices::multiplied::<Ix1, f64>, extents(3));
    agree(matrices::multiplied::<Ix2, f64>, extents(4));
    agree(matrices::flat::<f64>, extents(2));
}

#[test]
fn of_stencils() {
    agree(stencils::sums::<Ix1, f64, 1>, extents(1));
    agree(stencils::sums::<Ix2, f64, 2>, extents(2));
    agree(stencils::sums::<Ix3, f64, 3>, extents(3));
    agree(stencils::sums::<Ix4, f64, 4>, extents(4));
}

#[test]
fn of_parts() {
    agree(parts::one::around::<f64>, extents(1));
    agree(parts::two::around::<f64>, extents(2));
    agree(parts::three::around::<f64>, extents(3));
    agree(parts::four::around::<f64>, extents(4));
    agree(parts::one::changed::<f64>, &some(1));
    agree(parts::two::changed::<f64>, &some(2));
    agree(parts::three::changed::<f64>, &some(3));
    agree(parts::four::changed::<f64>, &some(4));
}

#[test]
fn of_vectors() {
    for n in [6, 1, 13, 0] {
        let places =
            move || Array::vector((0..5 * n.min(1)).map(|k| k * k % n.max(1)).collect()).unwrap();
        let lengths = move || Array::vector(vec![0, n / 2, n - n / 2]).unwrap();
        let input = || numbers(&[n as usize], 0.3);
        all_agree(
            move |a| vectors::selected::<f64>(a, use_(&places()), use_(&lengths())),
            input(),
        );
        all_agree(
            move |a| vectors::segmented::<f64>(a, use_(&places()), use_(&lengths())),
            input(),
        );
    }
}
