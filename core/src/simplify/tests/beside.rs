//! Sums of matrices that are zero in all columns but one, and of vectors with one element.

use super::arrays::program;
use super::{array, same, well_formed};
use crate::build::{AccBuilder, Arr, FunBuilder};
use crate::host::HostArray;
use crate::interp;
use crate::prim::Prim;
use crate::simplify::counts::RuleCounts;
use crate::term::{ExpId, Fun, Labelled, Program};
use crate::types::ArrayType;
use crate::types::ScalarType::{F64, I32};

/// The elements of a term, by their index.
type Elements<'a> = dyn Fn(&mut FunBuilder, &[ExpId]) -> ExpId + 'a;

fn of_index(rank: usize, elements: &Elements) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let index = b.params(&vec![I32; rank]);
    let x = elements(&mut b, &index);
    b.finish(vec![x])
}

/// Zero, but (k + 1) · x at k along the last dimension.
fn at(
    b: &mut FunBuilder,
    index: &[ExpId],
    k: usize,
    x: impl Fn(&mut FunBuilder) -> ExpId,
) -> ExpId {
    let literal = b.constant(k as i32);
    let here = b.prim(Prim::Eq, &[index[index.len() - 1], literal]);
    let there = |b: &mut FunBuilder| {
        let (x, factor) = (x(b), b.constant(1.0 + k as f64));
        vec![b.prim(Prim::Mul, &[x, factor])]
    };
    b.cond(here, there, |b| vec![b.small(F64, 0)])[0]
}

fn sum(b: &mut AccBuilder, op: Prim, terms: &[Arr]) -> Vec<Arr> {
    let mut f = FunBuilder::new();
    let xs = f.params(&vec![F64; terms.len()]);
    let total = xs.into_iter().reduce(|total, x| f.prim(op, &[total, x]));
    b.map(f.finish(total.into_iter().collect()), terms)
}

/// The sum of the columns of a matrix, of its own extents, and of the matrix itself if that is `with` them.
fn columns_of(columns: Vec<usize>, op: Prim, with: bool) -> Program<Labelled> {
    program(&[ArrayType::new(F64, 2)], move |b, x| {
        let term = |b: &mut AccBuilder, k: usize| {
            let element = |b: &mut FunBuilder, i: &[ExpId]| at(b, i, k, |b| b.index(&x[0], i));
            b.generate(Fun::shape_of(&x[0]), of_index(2, &element))
                .remove(0)
        };
        let mut terms: Vec<_> = columns.iter().map(|&k| term(b, k)).collect();
        terms.extend(with.then(|| x[0].clone()));
        sum(b, op, &terms)
    })
}

/// The sum of so many columns beside each other, all of them the same vector, of `width`.
fn columns_beside(columns: usize, width: i32) -> Program<Labelled> {
    program(&[ArrayType::new(F64, 1)], move |b, x| {
        let term = |b: &mut AccBuilder, k: usize| {
            let mut shape = FunBuilder::new();
            let extents = vec![shape.extent(x[0].name, 0), shape.constant(width)];
            let element =
                |b: &mut FunBuilder, i: &[ExpId]| at(b, i, k, |b| b.index(&x[0], &i[..1]));
            b.generate(shape.finish(extents), of_index(2, &element))
                .remove(0)
        };
        let terms: Vec<_> = (0..columns).map(|k| term(b, k)).collect();
        sum(b, Prim::Add, &terms)
    })
}

/// The sum of vectors with one element each.
fn elements(count: usize) -> Program<Labelled> {
    program(&[ArrayType::new(F64, 1)], move |b, x| {
        let term = |b: &mut AccBuilder, k: usize| {
            let element = |b: &mut FunBuilder, i: &[ExpId]| at(b, i, k, |b| b.index(&x[0], i));
            b.generate(Fun::shape_of(&x[0]), of_index(1, &element))
                .remove(0)
        };
        let terms: Vec<_> = (0..count).map(|k| term(b, k)).collect();
        sum(b, Prim::Add, &terms)
    })
}

fn some(shape: &[usize]) -> HostArray {
    let size = shape.iter().product::<usize>();
    let elements: Vec<f64> = (0..size).map(|i| 0.25 + (i * 7 % 5) as f64).collect();
    array(shape, elements)
}

/// The simplified program, which gives the same for arrays of all these shapes.
fn simplified(before: &Program<Labelled>, shapes: &[&[usize]]) -> (Vec<&'static str>, RuleCounts) {
    let (after, counts) = well_formed(before);
    for shape in shapes {
        let inputs = [some(shape)];
        let expected = interp::run(before, &inputs).unwrap().remove(0);
        let found = interp::run(&after, &inputs).unwrap().remove(0);
        assert_eq!(expected.shape(), found.shape());
        let (a, b) = (expected.column(), found.column());
        let equal = (0..a.len()).all(|i| same(a.get(i).unwrap(), b.get(i).unwrap()));
        assert!(equal, "{expected:?}\n{found:?}\n{before}\n{after}");
    }
    (
        after.body.lets.iter().map(|l| l.op.name()).collect(),
        counts,
    )
}

const MATRICES: &[&[usize]] = &[&[3, 12], &[2, 10], &[4, 4], &[1, 1], &[0, 12], &[3, 0]];
const VECTORS: &[&[usize]] = &[&[12], &[10], &[4], &[1], &[0]];

#[test]
fn columns_are_put_side_by_side() {
    // As many as there are; some are missing; more than there may be.
    for (columns, width) in [(9, 9), (9, 11), (9, 20), (9, 7)] {
        let (names, counts) = simplified(&columns_beside(columns, width), VECTORS);
        assert_eq!(counts.get("units_beside"), 1);
        let padded = width == 20 || width == 7;
        assert_eq!(
            names.last(),
            Some(if padded { &"generate" } else { &"unpack" })
        );
        assert!(
            names.contains(&"unpack") && !names.contains(&"zip_with"),
            "{names:?}"
        );
    }
    let (names, counts) = simplified(&elements(9), VECTORS);
    assert_eq!(counts.get("units_beside"), 1);
    assert!(names.contains(&"unpack"), "{names:?}");
}

#[test]
fn columns_beyond_the_last_are_not_computed() {
    let every_other: Vec<usize> = (0..9).chain([4, 4, 11]).collect();
    for columns in [(0..9).collect(), every_other] {
        let program = columns_of(columns, Prim::Add, false);
        let (names, counts) = simplified(&program, MATRICES);
        assert_eq!(counts.get("units_beside"), 1);
        assert!(!names.contains(&"zip_with"), "{names:?}");
    }
}

#[test]
fn other_terms_are_added() {
    let program = columns_of((0..9).collect(), Prim::Add, true);
    let (names, counts) = simplified(&program, MATRICES);
    assert_eq!(counts.get("units_beside"), 1);
    assert_eq!(names.last(), Some(&"zip_with"));
}

#[test]
fn other_sums_stay() {
    // Far apart; more than one would like to write; a product.
    let apart = columns_of((0..9).map(|k| 3 * k).collect(), Prim::Add, false);
    let far = columns_of((0..9).map(|k| 1000 + k).collect(), Prim::Add, false);
    let product = columns_of((0..9).collect(), Prim::Mul, false);
    for program in [apart, far, product] {
        let (_, counts) = simplified(&program, MATRICES);
        assert_eq!(counts.get("units_beside"), 0);
    }
}
