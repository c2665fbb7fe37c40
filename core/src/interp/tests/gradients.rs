//! Gradients of array programs, through every operation.

use super::{array_of, binary, extents, fun, host, number, program, results, square, vector};
use crate::backend::RunError;
use crate::build::{AccBuilder, Arr};
use crate::constant::Const;
use crate::host::HostArray;
use crate::interp::{finite_differences, gradient_by_duals, run};
use crate::prim::Prim;
use crate::term::{AccOp, Axis, Combine, Direction, Fun, Labelled, Mode};
use crate::types::ScalarType::{F64, I32};
use std::slice::from_ref as one;

/// The derivatives by each argument of what `body` makes of them, after its value if asked for.
pub(super) fn gradient_a(
    b: &mut AccBuilder,
    with_value: bool,
    args: &[Arr],
    body: impl FnOnce(&mut AccBuilder, &[Arr]) -> Arr,
) -> Vec<Arr> {
    let params: Vec<_> = args.iter().map(|arg| b.fresh(arg.ty)).collect();
    b.open();
    let result = body(b, &params);
    let body = b.close(one(&result));
    let value = with_value.then_some(result.ty);
    let types: Vec<_> = value.into_iter().chain(args.iter().map(|a| a.ty)).collect();
    let op = AccOp::Derivative {
        mode: Mode::Gradient { with_value },
        params,
        body,
        args: args.iter().map(|arg| arg.name).collect(),
    };
    b.push(op, &types)
}

pub(super) fn sum(b: &mut AccBuilder, x: &Arr) -> Arr {
    let zero = || Fun::constants(&[Const::F64(0.0)]);
    let mut x = x.clone();
    while x.ty.rank > 0 {
        x = b.fold(binary(Prim::Add), Some(zero()), &[x]).remove(0);
    }
    x
}

/// The sum of the squares of an array: makes every element of `x` count by twice its value.
fn energy(b: &mut AccBuilder, x: &Arr) -> Arr {
    let squares = b.map(square(), one(x)).remove(0);
    sum(b, &squares)
}

/// Checks the gradient, by a vector, of the sum of the squares of what `body` makes of it: against the
/// given numbers, as a node and as a derivative of the program, and against differences.
fn check(point: &[f64], expected: &[f64], body: impl Fn(&mut AccBuilder, &Arr) -> Arr) {
    let whole = |b: &mut AccBuilder, x: &Arr| {
        let y = body(b, x);
        energy(b, &y)
    };
    let by_node = results([vector(point)], |b, args| {
        gradient_a(b, false, &args, |b, args| whole(b, &args[0]))
    });
    assert_eq!(by_node, [vector(expected)]);
    let p = program([array_of(F64, 1)], |b, [x]| vec![whole(b, &x)]);
    let by_duals = gradient_by_duals(&p, &[vector(point)], 0).unwrap();
    assert_eq!(by_duals, vector(expected));
    let differences = finite_differences(&p, &[vector(point)], 0, 1e-4).unwrap();
    for (i, expected) in expected.iter().enumerate() {
        let Some(Const::F64(difference)) = differences.column().get(i) else {
            panic!("a float for each element")
        };
        assert!((difference - expected).abs() < 1e-5, "{differences:?}");
    }
}

#[test]
fn through_map_with_captures() {
    // (x₀·x₀)² + (x₀·x₁)².
    check(&[3.0, 2.0], &[4.0 * 27.0 + 24.0, 36.0], |b, x| {
        let f = fun([F64], |b, [y]| {
            let zero = b.constant(0);
            let first = b.index(x, &[zero]);
            vec![b.prim(Prim::Mul, &[first, y])]
        });
        b.map(f, one(x)).remove(0)
    });
}

#[test]
fn through_generate() {
    // (n·x₁)² twice, with n = 2.
    check(&[5.0, 3.0], &[0.0, 48.0], |b, x| {
        let f = fun([I32], |b, [_]| {
            let (one, n) = (b.constant(1), b.extent(x.name, 0));
            let (x, n) = (b.index(x, &[one]), b.prim(Prim::Convert(F64), &[n]));
            vec![b.prim(Prim::Mul, &[x, n])]
        });
        b.generate(extents(&[2]), f).remove(0)
    });
}

#[test]
fn through_folds() {
    // The square of the product of all.
    check(&[2.0, 3.0, -1.0], &[36.0, 24.0, -72.0], |b, x| {
        b.fold(binary(Prim::Mul), None, one(x)).remove(0)
    });
    // A product with a zero.
    check(&[2.0, 0.0, 3.0], &[0.0, 0.0, 0.0], |b, x| {
        let init = Fun::constants(&[Const::F64(1.0)]);
        b.fold(binary(Prim::Mul), Some(init), one(x)).remove(0)
    });
    // The greatest.
    check(&[2.0, 7.0, 3.0], &[0.0, 14.0, 0.0], |b, x| {
        b.fold(binary(Prim::Max), None, one(x)).remove(0)
    });
}

#[test]
fn the_first_extremal_element_gets_everything() {
    for (op, expected) in [
        (Prim::Max, [0.0, 1.0, 0.0, 0.0]),
        (Prim::Min, [1.0, 0.0, 0.0, 0.0]),
    ] {
        let p = program([array_of(F64, 1)], |b, x| b.fold(binary(op), None, &x));
        let partial = gradient_by_duals(&p, &[vector(&[4.0, 5.0, 5.0, 4.0])], 0);
        assert_eq!(partial, Ok(vector(&expected)));
    }
}

#[test]
fn through_scans() {
    // x₀² + (x₀ + x₁)² + (x₀ + x₁ + x₂)².
    check(&[1.0, 2.0, 3.0], &[20.0, 18.0, 12.0], |b, x| {
        let add = binary(Prim::Add);
        b.scan(Direction::Left, add, None, one(x)).remove(0)
    });
    // The same from the right, and a constant.
    check(&[1.0, 2.0, 3.0], &[14.0, 26.0, 34.0], |b, x| {
        let (add, init) = (binary(Prim::Add), Fun::constants(&[Const::F64(1.0)]));
        b.scan(Direction::Right, add, Some(init), one(x)).remove(0)
    });
}

#[test]
fn through_reshape_replicate_slice_and_unpack() {
    use Axis::{All, Fixed};
    check(&[1.0, 2.0], &[6.0, 12.0], |b, x| {
        b.replicate(vec![Fixed, All], extents(&[3]), x)
    });
    check(&[1.0, 2.0], &[2.0, 4.0], |b, x| {
        b.reshape(extents(&[2, 1]), x)
    });
    check(&[1.0, 2.0], &[0.0, 4.0], |b, x| {
        b.slice(vec![Fixed], extents(&[1]), x)
    });
    check(&[1.0, 2.0], &[4.0, 8.0], |b, x| {
        b.unpack(&[x.clone(), x.clone()])
    });
}

#[test]
fn through_backpermute() {
    // (x₀)² twice and (x₁)².
    check(&[5.0, 7.0, 9.0], &[20.0, 14.0, 0.0], |b, x| {
        let f = fun([I32], |b, [i]| {
            let two = b.constant(2);
            vec![b.prim(Prim::Quot, &[i, two])]
        });
        b.backpermute(extents(&[3]), f, x)
    });
}

#[test]
fn through_permute() {
    let send = |combine| {
        move |b: &mut AccBuilder, x: &Arr| {
            let target = fun([I32], |b, [i]| {
                let (zero, two) = (b.constant(0), b.constant(2));
                vec![b.prim(Prim::Lt, &[i, two]), zero]
            });
            b.permute(combine, one(x), target, one(x)).remove(0)
        }
    };
    // (2x₀ + x₁)² + x₁² + x₂², and with x₁ in the place of x₀.
    check(&[1.0, 2.0, 3.0], &[16.0, 12.0, 6.0], send(Combine::Add));
    check(&[1.0, 2.0, 3.0], &[0.0, 8.0, 6.0], send(Combine::Overwrite));
}

/// x² where x > 1, else −x.
fn kinked() -> Fun<Labelled> {
    fun([F64], |b, [x]| {
        let one = b.constant(1.0);
        let large = b.prim(Prim::Gt, &[x, one]);
        b.cond(
            large,
            |b| vec![b.prim(Prim::Mul, &[x, x])],
            |b| vec![b.prim(Prim::Neg, &[x])],
        )
    })
}

#[test]
fn through_conditionals() {
    check(&[2.0, 0.5], &[32.0, 1.0], |b, x| {
        b.map(kinked(), one(x)).remove(0)
    });
    // Both branches of an array conditional, decided by the data.
    for (first, expected) in [(3.0, [3.0 * 4.0 * 9.0, 4.0]), (1.0, [2.0, 4.0])] {
        check(&[first, 2.0], &expected, |b, x| {
            let cond = fun([], |b, []| {
                let (zero, one) = (b.constant(0), b.constant(1));
                let (x, y) = (b.index(x, &[zero]), b.index(x, &[one]));
                vec![b.prim(Prim::Gt, &[x, y])]
            });
            b.open();
            let f = fun([F64, I32], |b, [y, i]| {
                let zero = b.constant(0);
                let first = b.prim(Prim::Eq, &[i, zero]);
                let squared = b.prim(Prim::Mul, &[y, y]);
                vec![b.prim(Prim::Select, &[first, squared, y])]
            });
            let index = b.generate(Fun::shape_of(x), Fun::identity(&[I32]));
            let squared = b.map(f, &[x.clone(), index[0].clone()]);
            let then_ = b.close(&squared);
            b.open();
            let else_ = b.close(one(x));
            let op = AccOp::Cond { cond, then_, else_ };
            b.push(op, &[x.ty]).remove(0)
        });
    }
}

#[test]
fn of_several_parameters_with_the_value() {
    let inputs = [
        vector(&[1.0, 2.0]),
        host(&[2], &[3, 4]),
        host(&[], &[0.5f32]),
    ];
    let y = results(inputs, |b, args| {
        gradient_a(b, true, &args, |b, args| {
            let (n, scale) = (args[1].clone(), args[2].clone());
            let f = fun([F64, I32], |b, [x, n]| {
                let (n, scale) = (b.prim(Prim::Convert(F64), &[n]), b.index(&scale, &[]));
                let scale = b.prim(Prim::Convert(F64), &[scale]);
                let x = b.prim(Prim::Mul, &[x, n]);
                vec![b.prim(Prim::Mul, &[x, scale])]
            });
            let terms = b.map(f, &[args[0].clone(), n]);
            sum(b, &terms[0])
        })
    });
    assert_eq!(y[0], number(5.5));
    assert_eq!(y[1], vector(&[1.5, 2.0]));
    assert_eq!(y[2], host(&[2], &[0, 0]));
    assert_eq!(y[3], host(&[], &[11f32]));
}

#[test]
fn of_nothing_and_of_a_constant() {
    let y = results([vector(&[])], |b, args| {
        gradient_a(b, true, &args, |b, args| energy(b, &args[0]))
    });
    assert_eq!(y, [number(0.0), vector(&[])]);
    let y = results([vector(&[1.0, 2.0]), number(3.0)], |b, [x, outer]| {
        gradient_a(b, true, &[x], |_, _| outer)
    });
    assert_eq!(y, [number(3.0), vector(&[0.0, 0.0])]);
}

#[test]
fn failures_inside_go_out() {
    let p = program([array_of(F64, 1)], |b, args| {
        gradient_a(b, false, &args, |b, args| {
            b.fold(binary(Prim::Add), None, args).remove(0)
        })
    });
    let error = run(&p, &[vector(&[])]).unwrap_err();
    assert!(matches!(error, RunError::EmptyReduction { .. }));
}

#[test]
fn hundreds_of_coordinates_take_one_run() {
    let xs: Vec<f64> = (0..500).map(|i| f64::from(i) / 500.0).collect();
    let p = program([array_of(F64, 1)], |b, [x]| {
        let sums = b.scan(Direction::Left, binary(Prim::Add), None, &[x]);
        vec![energy(b, &sums[0])]
    });
    let gradient: HostArray = gradient_by_duals(&p, &[vector(&xs)], 0).unwrap();
    let last = 2.0 * xs.iter().sum::<f64>();
    let Some(Const::F64(found)) = gradient.column().get(499) else {
        panic!("a float for each element")
    };
    assert!((found - last).abs() < 1e-9, "{found}, not {last}");
}
