//! Stencils with each boundary, in one to four dimensions.

use super::{Whole, extents, number, of_numbers, of_two};
use cotangent::prelude::*;
use cotangent_core::surface::Dims;

/// The element, the next one along each dimension, and the one two before along the outermost.
fn sum<Sh: Shape, T: Num, const N: usize>(s: Stencil<Sh, T>) -> Exp<T>
where
    [i32; N]: Dims<Sh>,
{
    let along = |axis: usize, by: i32| {
        let mut offset = [0; N];
        offset[axis] = by;
        offset
    };
    let next = (0..N).map(|axis| s.at(along(axis, 1)));
    next.fold(s.at(along(0, -2)), |total, x| total + x) + s.at([0; N])
}

/// With all boundaries.
pub fn sums<Sh: Shape, T: Num, const N: usize>(a: Acc<Sh, T>, b: Acc<Sh, T>) -> impl Arrays
where
    [i32; N]: Dims<Sh>,
{
    let with = |boundary| a.stencil(boundary, sum::<Sh, T, N>);
    let five = || Boundary::constant(number(5));
    let both = |s: Stencil<Sh, T>, t: Stencil<Sh, T>| sum::<Sh, T, N>(s) + t.at([1; N]);
    (
        (
            with(Boundary::Clamp),
            with(Boundary::Mirror),
            with(Boundary::Wrap),
        ),
        (
            with(five()),
            with(Boundary::function(|_| number(4))),
            a.stencil2(Boundary::Wrap, b, five(), both),
        ),
    )
}

/// The position of what is at a place along a dimension; none where a value takes its place.
type Place = fn(i64, i64) -> Option<i64>;

fn clamped(at: i64, n: i64) -> Option<i64> {
    Some(at.clamp(0, n - 1))
}

fn mirrored(at: i64, n: i64) -> Option<i64> {
    let at = at.abs();
    Some(if at < n {
        at
    } else {
        (2 * n - 2 - at).clamp(0, n - 1)
    })
}

fn wrapped(at: i64, n: i64) -> Option<i64> {
    Some(at.rem_euclid(n))
}

fn inside(at: i64, n: i64) -> Option<i64> {
    Some(at).filter(|at| (0..n).contains(at))
}

/// The element at an offset from an index, or what is there instead.
fn neighbour(a: &Whole, index: &[usize], offset: &[i64], (place, instead): (Place, i64)) -> i64 {
    let dims = index.iter().zip(offset).zip(&a.extents);
    let there = dims.map(|((&i, by), &n)| Some(place(i as i64 + by, n as i64)? as usize));
    let there: Option<Vec<usize>> = there.collect();
    there.map_or(instead, |there| a.at(&there))
}

fn summed(a: &Whole, how: (Place, i64)) -> Whole {
    let dims = a.extents.len();
    let along = |axis: usize, by: i64| (0..dims).map(|k| if k == axis { by } else { 0 }).collect();
    let offsets = (0..dims).map(|axis| along(axis, 1));
    let offsets: Vec<Vec<i64>> = offsets.chain([along(0, -2), along(0, 0)]).collect();
    Whole::generate(&a.extents, |index| {
        let terms = offsets
            .iter()
            .map(|offset| neighbour(a, index, offset, how));
        terms.sum()
    })
}

fn stencil<Sh: Shape, T: Num, const N: usize>()
where
    [i32; N]: Dims<Sh>,
{
    of_two::<T, _, _>(sums::<Sh, T, N>, extents(N), |a, b| {
        let next = Whole::generate(&b.extents, |index| {
            neighbour(b, index, &[1; N], (inside, 5))
        });
        vec![
            summed(a, (clamped, 0)),
            summed(a, (mirrored, 0)),
            summed(a, (wrapped, 0)),
            summed(a, (inside, 5)),
            summed(a, (inside, 4)),
            summed(a, (wrapped, 0)).zip_with(&next, |x, y| x + y),
        ]
    });
}

fn of_one<T: Num>() {
    stencil::<Ix1, T, 1>();
}

fn of_two_dimensions<T: Num>() {
    stencil::<Ix2, T, 2>();
}

fn of_three<T: Num>() {
    stencil::<Ix3, T, 3>();
}

fn of_four<T: Num>() {
    stencil::<Ix4, T, 4>();
}

#[test]
fn of_few_dimensions() {
    of_numbers!(of_one);
    of_numbers!(of_two_dimensions);
}

#[test]
fn of_many_dimensions() {
    of_numbers!(of_three);
    of_numbers!(of_four);
}
