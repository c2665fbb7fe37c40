//! Every way to fail, with the place that is blamed.

use super::{binary, extents, fun, host, outcome, vector};
use crate::backend::{RunError, Site};
use crate::build::{AccBuilder, Arr};
use crate::constant::Const;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::{Axis, Combine, Direction, Fun};
use crate::types::ScalarType::{F64, I32};
use std::slice::from_ref as one;

/// What goes wrong in the operations that `body` pushes on a vector of three, and the site, which must be
/// the given construct at the location that `body` was given to set.
fn failure(
    construct: &'static str,
    body: impl FnOnce(&mut AccBuilder, &Arr) -> Vec<Arr>,
) -> (RunError, Site) {
    let loc = Loc::caller();
    let error = outcome([vector(&[1.0, 2.0, 3.0])], |b, [x]| {
        b.set_loc(loc);
        body(b, &x)
    });
    (error.unwrap_err(), Site { construct, loc })
}

fn out_of_range(site: Site, index: &[i64], extents: &[usize]) -> RunError {
    RunError::IndexOutOfRange {
        site,
        index: index.to_vec(),
        extents: extents.to_vec(),
        trips: vec![],
    }
}

#[test]
fn indexing_blames_the_expression() {
    let loc = Loc::caller();
    for (wrong, extents) in [(-1, [3]), (3, [3])] {
        let (error, _) = failure("at", |b, x| {
            let f = fun([F64], |b, [_]| {
                b.set_loc(loc);
                let i = b.constant(wrong);
                vec![b.index(x, &[i])]
            });
            b.map(f, one(x))
        });
        let construct = "at";
        let site = Site { construct, loc };
        assert_eq!(error, out_of_range(site, &[i64::from(wrong)], &extents));
        assert!(error.to_string().contains("failures.rs"));
    }
}

#[test]
fn what_is_not_used_fails_all_the_same() {
    let (error, _) = failure("at", |b, x| {
        let f = fun([F64], |b, [y]| {
            let i = b.constant(7);
            b.index(x, &[i]);
            vec![y]
        });
        b.map(f, one(x))
    });
    assert!(matches!(error, RunError::IndexOutOfRange { .. }));
}

#[test]
fn reduction_of_nothing() {
    let (error, site) = failure("fold1", |b, x| {
        let none = b.replicate(vec![Axis::All, Axis::Fixed], extents(&[0]), x);
        b.fold(binary(Prim::Add), None, &[none])
    });
    assert_eq!(error, RunError::EmptyReduction { site });
}

#[test]
fn append_beyond_the_index_type() {
    let (error, site) = failure("append", |b, _| {
        let nothing = fun([I32, I32], |b, _| vec![b.constant(0.0)]);
        let long = b.generate(extents(&[i32::MAX, 0]), nothing).remove(0);
        vec![b.append(&[long.clone(), long])]
    });
    let shape = vec![2 * i64::from(i32::MAX), 0];
    assert_eq!(error, RunError::BadShape { site, shape });
}

#[test]
fn reshape_to_another_size() {
    let (error, site) = failure("reshape", |b, x| vec![b.reshape(extents(&[2, 2]), x)]);
    let (from, to) = (vec![3], vec![2, 2]);
    assert_eq!(error, RunError::SizeMismatch { site, from, to });
}

#[test]
fn slice_out_of_range() {
    for wrong in [-1, 3] {
        let (error, site) = failure("slice", |b, x| {
            let axes = vec![Axis::All, Axis::Fixed];
            let matrix = b.replicate(vec![Axis::Fixed, Axis::All], extents(&[0]), x);
            vec![b.slice(axes, extents(&[wrong]), &matrix)]
        });
        assert_eq!(error, out_of_range(site, &[i64::from(wrong)], &[3]));
    }
}

#[test]
fn backpermute_out_of_range() {
    let (error, site) = failure("backpermute", |b, x| {
        vec![b.backpermute(extents(&[4]), Fun::identity(&[I32]), x)]
    });
    assert_eq!(error, out_of_range(site, &[3], &[3]));
}

#[test]
fn permute_out_of_range_only_where_something_goes() {
    let send = |goes: bool| {
        let target = fun([I32], |b, [i]| {
            let (goes, minus) = (b.constant(goes), b.prim(Prim::Neg, &[i]));
            vec![goes, minus]
        });
        move |b: &mut AccBuilder, x: &Arr| b.permute(Combine::Add, one(x), target, one(x))
    };
    let (error, site) = failure("permute", send(true));
    assert_eq!(error, out_of_range(site, &[-1], &[3]));
    let x = vector(&[1.0, 2.0]);
    let kept = outcome([x.clone()], |b, [x]| send(false)(b, &x));
    assert_eq!(kept, Ok(vec![x]));
}

#[test]
fn bad_shapes() {
    let huge = i32::MAX;
    let bad = [vec![-1, 0], vec![huge, huge, huge], vec![0, huge, -2]];
    for shape in bad {
        let wanted: Vec<_> = shape.iter().copied().map(i64::from).collect();
        let types = vec![I32; shape.len()];
        let (error, site) = failure("generate", |b, _| {
            b.generate(extents(&shape), Fun::identity(&types))
        });
        let shape = wanted;
        assert_eq!(error, RunError::BadShape { site, shape });
    }
}

#[test]
fn negative_extents_elsewhere() {
    let (error, site) = failure("replicate", |b, x| {
        vec![b.replicate(vec![Axis::Fixed, Axis::All], extents(&[-5]), x)]
    });
    let shape = vec![-5, 3];
    assert_eq!(error, RunError::BadShape { site, shape });
    let (error, site) = failure("reshape", |b, x| vec![b.reshape(extents(&[-1, -3]), x)]);
    let shape = vec![-1, -3];
    assert_eq!(error, RunError::BadShape { site, shape });
    let (error, site) = failure("backpermute", |b, x| {
        vec![b.backpermute(extents(&[-4]), Fun::identity(&[I32]), x)]
    });
    let shape = vec![-4];
    assert_eq!(error, RunError::BadShape { site, shape });
}

#[test]
fn a_scan_must_not_outgrow_the_index_type() {
    let none = host::<f64>(&[0, i32::MAX as usize], &[]);
    let error = outcome([none], |b, [x]| {
        let init = Fun::constants(&[Const::F64(0.0)]);
        b.scan(Direction::Left, binary(Prim::Add), Some(init), &[x])
    });
    let shape = vec![0, 1 << 31];
    let (construct, loc) = ("scanl", Loc::UNKNOWN);
    let site = Site { construct, loc };
    assert_eq!(error, Err(RunError::BadShape { site, shape }));
}

#[test]
fn absurd_sizes_fail_at_once() {
    let shape = extents(&[1 << 20, 1 << 20]);
    let (error, site) = failure("generate", |b, _| {
        b.generate(shape, Fun::identity(&[I32, I32]))
    });
    let bytes = 1 << 44;
    assert_eq!(error, RunError::OutOfMemory { site, bytes });
    let (error, _) = failure("replicate", |b, x| {
        vec![b.replicate(vec![Axis::Fixed, Axis::All], extents(&[i32::MAX]), x)]
    });
    assert!(matches!(error, RunError::OutOfMemory { .. }));
}

#[test]
fn ill_formed_programs_are_bugs_of_ours() {
    let is_bug = |result| matches!(result, Err(RunError::Bug(_)));
    let x = || vector(&[1.0, 2.0]);
    let unbound = |b: &mut AccBuilder| b.fresh(super::array_of(F64, 1));
    assert!(is_bug(outcome([x()], |b, [_]| vec![unbound(b)])));
    assert!(is_bug(
        outcome([x()], |b, [_]| b.map(binary(Prim::Add), &[]))
    ));
    assert!(is_bug(
        outcome([x()], |b, [x]| b.map(binary(Prim::Add), &[x]))
    ));
    assert!(is_bug(outcome([x()], |b, [x]| {
        vec![b.slice(vec![Axis::Fixed], extents(&[]), &x)]
    })));
    assert!(is_bug(outcome([x()], |b, [x]| {
        let target = Fun::identity(&[I32]);
        b.permute(Combine::Add, one(&x), target, one(&x))
    })));
    assert!(is_bug(outcome([x()], |b, [x]| {
        let op = crate::term::AccOp::Map {
            f: Fun::identity(&[F64]),
            args: vec![x.name],
        };
        b.push(op, &[super::array_of(I32, 1)])
    })));
}
