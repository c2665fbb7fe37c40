//! Every collective operation on small arrays.

use super::{binary, extents, fun, host, number, outcome, results, vector};
use crate::backend::RunError;
use crate::build::Arr;
use crate::constant::Const;
use crate::host::HostArray;
use crate::prim::Prim;
use crate::rounding::f16_of_f64;
use crate::term::Direction::{self, Left, Right};
use crate::term::{AccOp, Axis, Combine, Fun, Labelled};
use crate::types::ScalarType::{Bool, F16, F32, F64, I32, I64};
use std::slice::from_ref as one;

const NO_FLOATS: &[f64] = &[];

#[test]
fn generate() {
    let y = results([], |b, []| {
        let f = fun([I32, I32], |b, [i, j]| {
            let ten = b.constant(10);
            let i = b.prim(Prim::Mul, &[ten, i]);
            let both = b.prim(Prim::Add, &[i, j]);
            vec![both, b.prim(Prim::Convert(F32), &[j])]
        });
        b.generate(extents(&[2, 3]), f)
    });
    assert_eq!(y[0], host(&[2, 3], &[0, 1, 2, 10, 11, 12]));
    assert_eq!(y[1], host(&[2, 3], &[0f32, 1.0, 2.0, 0.0, 1.0, 2.0]));
}

#[test]
fn generate_of_rank_0_and_of_nothing() {
    let y = results([], |b, []| {
        let one = b.generate(extents(&[]), Fun::constants(&[Const::I64(5)]));
        let f = fun([I32, I32], |_, [i, _]| vec![i]);
        [one, b.generate(extents(&[3, 0]), f)].concat()
    });
    assert_eq!(y, [host(&[], &[5i64]), host::<i32>(&[3, 0], &[])]);
}

#[test]
fn map_intersects_shapes() {
    let (x, y) = (
        host(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        host(&[3, 2], &[10.0, 20.0, 30.0, 40.0, 50.0, 60.0]),
    );
    let z = results([x, y], |b, [x, y]| b.map(binary(Prim::Sub), &[y, x]));
    assert_eq!(z, [host(&[2, 2], &[9.0, 18.0, 26.0, 35.0])]);
}

#[test]
fn map_has_as_many_results_as_its_function() {
    let z = results([vector(&[4.0, -1.0])], |b, [x]| {
        let f = fun([F64], |b, [x]| {
            vec![x, b.prim(Prim::Neg, &[x]), b.prim(Prim::IsNan, &[x])]
        });
        b.map(f, &[x])
    });
    assert_eq!(z[1], vector(&[-4.0, 1.0]));
    assert_eq!(z[2], host(&[2], &[false, false]));
}

#[test]
fn fold_goes_from_left_to_right_along_the_inner_dimension() {
    let x = host(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let y = results([x], |b, [x]| {
        let init = Fun::constants(&[Const::F64(100.0)]);
        let with = b.fold(binary(Prim::Sub), Some(init), one(&x));
        [with, b.fold(binary(Prim::Sub), None, &[x])].concat()
    });
    assert_eq!(y, [vector(&[94.0, 85.0]), vector(&[-4.0, -7.0])]);
}

#[test]
fn fold_of_nothing() {
    let (wide, flat) = (host(&[2, 0], NO_FLOATS), host(&[0, 0], NO_FLOATS));
    let y = results([wide, flat], |b, [wide, flat]| {
        let init = Fun::constants(&[Const::F64(7.0)]);
        let with = b.fold(binary(Prim::Add), Some(init), &[wide]);
        [with, b.fold(binary(Prim::Add), None, &[flat])].concat()
    });
    assert_eq!(y, [vector(&[7.0, 7.0]), vector(&[])]);
}

/// The largest element and its index, of equals the first: a fold over pairs.
#[test]
fn fold_of_several_columns() {
    let (x, i) = (vector(&[1.0, 8.0, 8.0, 3.0]), host(&[5], &[0, 1, 2, 3, 4]));
    let y = results([x, i], |b, [x, i]| {
        let f = fun([F64, I32, F64, I32], |b, [x, i, y, j]| {
            let first = b.prim(Prim::Ge, &[x, y]);
            vec![
                b.prim(Prim::Select, &[first, x, y]),
                b.prim(Prim::Select, &[first, i, j]),
            ]
        });
        b.fold(f, None, &[x, i])
    });
    assert_eq!(y, [number(8.0), host(&[], &[1])]);
}

fn scan(direction: Direction, init: Option<f64>, x: HostArray) -> HostArray {
    let init = init.map(|init| Fun::constants(&[Const::F64(init)]));
    results([x], |b, [x]| {
        b.scan(direction, binary(Prim::Sub), init, &[x])
    })
    .remove(0)
}

#[test]
fn scans() {
    let x = || host(&[2, 3], &[1.0, 2.0, 4.0, 0.0, 0.0, 1.0]);
    let left = host(&[2, 4], &[10.0, 9.0, 7.0, 3.0, 10.0, 10.0, 10.0, 9.0]);
    assert_eq!(scan(Left, Some(10.0), x()), left);
    let right = host(&[2, 4], &[-7.0, 8.0, -6.0, 10.0, -9.0, 9.0, -9.0, 10.0]);
    assert_eq!(scan(Right, Some(10.0), x()), right);
    let left = host(&[2, 3], &[1.0, -1.0, -5.0, 0.0, 0.0, -1.0]);
    assert_eq!(scan(Left, None, x()), left);
    let right = host(&[2, 3], &[3.0, -2.0, 4.0, 1.0, -1.0, 1.0]);
    assert_eq!(scan(Right, None, x()), right);
}

#[test]
fn scans_of_nothing() {
    for direction in [Left, Right] {
        let empty = || host(&[2, 0], NO_FLOATS);
        let started = scan(direction, Some(1.0), empty());
        assert_eq!(started, host(&[2, 1], &[1.0, 1.0]));
        assert_eq!(scan(direction, None, empty()), empty());
    }
}

#[test]
fn reshape() {
    let x = host(&[2, 3], &[1, 2, 3, 4, 5, 6]);
    let y = results([x], |b, [x]| vec![b.reshape(extents(&[3, 1, 2]), &x)]);
    assert_eq!(y, [host(&[3, 1, 2], &[1, 2, 3, 4, 5, 6])]);
}

#[test]
fn reshape_of_nothing_to_another_nothing() {
    let huge = i32::MAX;
    let y = results([vector(&[])], |b, [x]| {
        vec![b.reshape(extents(&[huge, huge, huge, 0]), &x)]
    });
    let huge = huge as usize;
    assert_eq!(y[0].shape(), [huge, huge, huge, 0]);
}

#[test]
fn replicate() {
    use Axis::{All, Fixed};
    let y = results([vector(&[1.0, 2.0])], |b, [x]| {
        vec![
            b.replicate(vec![Fixed, All], extents(&[2]), &x),
            b.replicate(vec![All, Fixed], extents(&[3]), &x),
            b.replicate(vec![All, Fixed], extents(&[0]), &x),
        ]
    });
    assert_eq!(y[0], host(&[2, 2], &[1.0, 2.0, 1.0, 2.0]));
    assert_eq!(y[1], host(&[2, 3], &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]));
    assert_eq!(y[2], host(&[2, 0], NO_FLOATS));
}

#[test]
fn slice() {
    use Axis::{All, Fixed};
    let x = host(&[2, 3], &[1, 2, 3, 4, 5, 6]);
    let y = results([x], |b, [x]| {
        vec![
            b.slice(vec![All, Fixed], extents(&[1]), &x),
            b.slice(vec![Fixed, All], extents(&[1]), &x),
            b.slice(vec![Fixed, Fixed], extents(&[0, 2]), &x),
        ]
    });
    assert_eq!(y[0], host(&[2], &[2, 5]));
    assert_eq!(y[1], host(&[3], &[4, 5, 6]));
    assert_eq!(y[2], host(&[], &[3]));
}

#[test]
fn backpermute() {
    let y = results([vector(&[1.0, 2.0, 3.0])], |b, [x]| {
        let f = fun([I32, I32], |b, [i, j]| {
            let two = b.constant(2);
            let i = b.prim(Prim::Sub, &[two, i]);
            vec![b.prim(Prim::Min, &[i, j])]
        });
        vec![b.backpermute(extents(&[2, 3]), f, &x)]
    });
    assert_eq!(y, [host(&[2, 3], &[1.0, 2.0, 3.0, 1.0, 2.0, 2.0])]);
}

/// Sends element i to i mod 2, and those divisible by 3 nowhere.
fn by_parity() -> Fun<Labelled> {
    fun([I32], |b, [i]| {
        let (zero, two, three) = (b.constant(0), b.constant(2), b.constant(3));
        let rest = b.prim(Prim::Rem, &[i, three]);
        vec![
            b.prim(Prim::Ne, &[rest, zero]),
            b.prim(Prim::Rem, &[i, two]),
        ]
    })
}

fn permute(combine: Combine) -> Vec<HostArray> {
    let defaults = [vector(&[100.0, 200.0, 300.0])];
    let source = vector(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);
    let [defaults] = defaults;
    results([defaults, source], |b, [defaults, x]| {
        b.permute(combine, &[defaults], by_parity(), &[x])
    })
}

#[test]
fn permute_adds_or_overwrites_in_source_order() {
    // To 0: elements 2 and 4; to 1: elements 1 and 5.
    assert_eq!(permute(Combine::Add), [vector(&[120.0, 234.0, 300.0])]);
    assert_eq!(permute(Combine::Overwrite), [vector(&[16.0, 32.0, 300.0])]);
}

#[test]
fn permute_of_several_columns_intersects_defaults_and_sources() {
    let defaults = (vector(&[0.0; 3]), host(&[2], &[5i64, 6]));
    let sources = (vector(&[1.0, 2.0, 3.0]), host(&[2], &[10i64, 20]));
    let inputs = [defaults.0, defaults.1, sources.0, sources.1];
    let y = results(inputs, |b, [d, e, x, y]| {
        b.permute(Combine::Add, &[d, e], by_parity(), &[x, y])
    });
    assert_eq!(y, [vector(&[0.0, 2.0]), host(&[2], &[5i64, 26])]);
    assert_eq!(y[1].array_type().elem, I64);
}

#[test]
fn unpack() {
    let inputs = [
        host(&[2], &[1, 2]),
        host(&[3], &[3, 4, 5]),
        host(&[2], &[6, 7]),
    ];
    let y = results(inputs, |b, args| vec![b.unpack(&args)]);
    assert_eq!(y, [host(&[2, 3], &[1, 3, 6, 2, 4, 7])]);
}

#[test]
fn array_conditional_evaluates_one_block() {
    let pick = |yes: bool| {
        let x = vector(&[1.0, 2.0]);
        outcome([x], |b, [x]| {
            b.open();
            let empty = b.generate(extents(&[0]), Fun::identity(&[I32]));
            let none = b.fold(Fun::prim(Prim::Max, &[I32; 2]), None, &empty);
            let fails = b.map(Fun::prim(Prim::Convert(F64), &[I32]), &none);
            let sum = b.fold(binary(Prim::Add), None, one(&x));
            let fails = b.map(binary(Prim::Add), &[fails[0].clone(), sum[0].clone()]);
            let then_ = b.close(&fails);
            b.open();
            let sum = b.fold(binary(Prim::Add), None, one(&x));
            let else_ = b.close(&sum);
            let op = AccOp::Cond {
                cond: Fun::constants(&[Const::Bool(yes)]),
                then_,
                else_,
            };
            b.push(op, &[super::array_of(F64, 0)])
        })
    };
    assert_eq!(pick(false), Ok(vec![number(3.0)]));
    assert!(matches!(pick(true), Err(RunError::EmptyReduction { .. })));
}

#[test]
fn nan_goes_through() {
    let y = results([vector(&[1.0, f64::NAN, 3.0])], |b, [x]| {
        let add = b.fold(binary(Prim::Add), None, one(&x));
        let max = b.fold(binary(Prim::Max), None, one(&x));
        let both: Vec<Arr> = [add, max].concat();
        let test = |b: &mut crate::build::AccBuilder, y: &Arr| {
            b.map(Fun::prim(Prim::IsNan, &[F64]), one(y))
        };
        both.iter().flat_map(|y| test(b, y)).collect()
    });
    assert_eq!(y, [host(&[], &[true]), host(&[], &[true])]);
    assert_eq!(y[0].array_type().elem, Bool);
}

#[test]
fn append() {
    let inputs = [
        host(&[1, 3], &[1, 2, 3]),
        host(&[0, 3], &Vec::<i32>::new()),
        host(&[2, 2], &[4, 5, 6, 7]),
    ];
    let y = results(inputs, |b, args| vec![b.append(&args)]);
    assert_eq!(y, [host(&[3, 2], &[1, 2, 4, 5, 6, 7])]);
}

/// Sums of narrow floats are those in `f64`, rounded once; what else depends on them sees them rounded.
#[test]
fn sums_of_narrow_floats_are_wide() {
    let add = || Fun::prim(Prim::Add, &[F32; 2]);
    let large = || host(&[4], &[16_777_216f32, 1.0, 1.0, 1.0]);
    let y = results([large()], |b, [x]| b.fold(add(), None, one(&x)));
    assert_eq!(y, [host(&[], &[16_777_220f32])]);
    // In between each result is rounded, to even numbers.
    let y = results([large()], |b, [x]| b.scan(Left, add(), None, one(&x)));
    let partial = [16_777_216f32, 16_777_216.0, 16_777_218.0, 16_777_220.0];
    assert_eq!(y, [host(&[4], &partial)]);
    let y = results([large()], |b, [x]| {
        let zero = fun([I32], |b, _| vec![b.constant(0.0f32)]);
        let zeros = b.generate(extents(&[1]), zero);
        let target = fun([I32], |b, _| vec![b.constant(true), b.constant(0)]);
        b.permute(Combine::Add, &zeros, target, one(&x))
    });
    assert_eq!(y, [host(&[1], &[16_777_220f32])]);
    let half = f16_of_f64;
    let beyond = host(&[4], &[60_000.0, 60_000.0, -60_000.0, 1.0].map(half));
    let y = results([beyond], |b, [x]| {
        b.fold(Fun::prim(Prim::Add, &[F16; 2]), None, one(&x))
    });
    assert_eq!(y, [host(&[], &[half(60_001.0)])]);
}

/// The greatest partial sum, beside the sum.
#[test]
fn what_depends_on_a_wide_sum_sees_it_rounded() {
    let x = host(&[4], &[16_777_216f32, 1.0, 1.0, 1.0]);
    let y = results([x], |b, [x]| {
        let f = fun([F32; 4], |b, [sum, most, x, _]| {
            let next = b.prim(Prim::Add, &[x, sum]);
            vec![next, b.prim(Prim::Max, &[most, sum])]
        });
        b.fold(f, None, &[x.clone(), x])
    });
    let expected = [16_777_220f32, 16_777_218.0].map(|x| host(&[], &[x]));
    assert_eq!(y, expected);
}
