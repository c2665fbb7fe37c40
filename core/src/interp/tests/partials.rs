//! The partial derivative of every primitive: against symmetric differences, and by convention where there are none.

use super::{array_of, fun, number, program};
use crate::constant::Const;
use crate::host::{Column, HostArray};
use crate::interp::{finite_differences, gradient_by_duals, jvp};
use crate::prim::{self, Prim};
use crate::term::{Fun, Labelled, Program};
use crate::types::ScalarType::{Bool, F32, F64, I32};
use std::slice::from_ref as one;

/// `op` as a program on floats of rank 0.
fn on_numbers(op: Prim) -> Program<Labelled> {
    match op.arity() {
        1 => program([array_of(F64, 0)], |b, x| b.map(Fun::prim(op, &[F64]), &x)),
        2 => program([array_of(F64, 0); 2], |b, xs| {
            b.map(Fun::prim(op, &[F64; 2]), &xs)
        }),
        _ => program([array_of(F64, 0); 3], |b, xs| {
            b.map(Fun::prim(op, &[F64; 3]), &xs)
        }),
    }
}

fn value(array: &HostArray) -> f64 {
    super::only(array)
}

/// The derivatives of `op` by each operand.
fn partials(op: Prim, point: &[f64]) -> Vec<f64> {
    let inputs: Vec<_> = point.iter().copied().map(number).collect();
    let partial = |i| gradient_by_duals(&on_numbers(op), &inputs, i).unwrap();
    (0..point.len()).map(|i| value(&partial(i))).collect()
}

/// Points inside the domain of a primitive on one float, away from corners and jumps.
fn points(op: Prim) -> &'static [f64] {
    match op {
        Prim::Sqrt | Prim::Ln => &[0.1, 1.0, 7.3],
        Prim::Ln1p => &[-0.7, 1e-3, 4.0],
        Prim::Asin | Prim::Acos | Prim::Atanh => &[-0.8, 1e-3, 0.6],
        Prim::Acosh => &[1.2, 3.0, 20.0],
        _ => &[-2.3, -0.4, 0.3, 1.7],
    }
}

#[test]
fn a_product_and_a_summand() {
    assert_eq!(partials(Prim::MulAdd, &[1.5, -2.0, 0.25]), [-2.0, 1.5, 1.0]);
}

#[test]
fn every_primitive_of_one_float_against_differences() {
    let is_float = |op: &Prim| op.result_type(&[F64]) == Some(F64);
    let ops: Vec<_> = prim::ALL.into_iter().filter(is_float).collect();
    assert_eq!(ops.len(), 25, "24 and the conversion to itself");
    for op in ops {
        for &x in points(op) {
            let differences = finite_differences(&on_numbers(op), &[number(x)], 0, 1e-5).unwrap();
            close(
                partials(op, &[x])[0],
                value(&differences),
                &format!("{op} at {x}"),
            );
        }
    }
}

#[test]
fn every_primitive_of_two_floats_against_differences() {
    let is_float = |op: &Prim| op.result_type(&[F64; 2]) == Some(F64);
    let ops: Vec<_> = prim::ALL.into_iter().filter(is_float).collect();
    assert_eq!(ops.len(), 9);
    for op in ops {
        for (x, y) in [(0.7, 2.4), (3.1, -1.2), (1.9, 0.4)] {
            let inputs = [number(x), number(y)];
            for (i, partial) in partials(op, &[x, y]).into_iter().enumerate() {
                let differences = finite_differences(&on_numbers(op), &inputs, i, 1e-5).unwrap();
                let at = format!("{op} at ({x}, {y}) by operand {i}");
                close(partial, value(&differences), &at);
            }
        }
    }
}

fn close(partial: f64, difference: f64, at: &str) {
    let error = (partial - difference).abs();
    assert!(
        error <= 1e-7 * partial.abs().max(1.0),
        "{at}: {partial}, not {difference}"
    );
}

/// Bit for bit, but for the sign of zeros and the payload of NaNs.
fn same(xs: &[f64], ys: &[f64]) -> bool {
    let equal = |(x, y): (&f64, &f64)| x == y || (x.is_nan() && y.is_nan());
    xs.len() == ys.len() && xs.iter().zip(ys).all(equal)
}

#[test]
fn conventions_where_a_primitive_is_not_smooth() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let table: &[(Prim, &[f64], &[f64])] = &[
        (Prim::Abs, &[0.0], &[0.0]),
        (Prim::Abs, &[-0.0], &[0.0]),
        (Prim::Abs, &[nan], &[nan]),
        (Prim::Signum, &[0.0], &[0.0]),
        (Prim::Floor, &[2.0], &[0.0]),
        (Prim::Ceil, &[2.0], &[0.0]),
        (Prim::Round, &[2.5], &[0.0]),
        (Prim::Trunc, &[-1.0], &[0.0]),
        (Prim::Sqrt, &[0.0], &[inf]),
        (Prim::Sqrt, &[-1.0], &[nan]),
        (Prim::Ln, &[0.0], &[inf]),
        (Prim::Tanh, &[400.0], &[0.0]),
        (Prim::Asinh, &[-1e200], &[1e-200]),
        (Prim::Max, &[3.0, 3.0], &[1.0, 0.0]),
        (Prim::Min, &[3.0, 3.0], &[1.0, 0.0]),
        (Prim::Max, &[nan, 3.0], &[1.0, 0.0]),
        (Prim::Min, &[3.0, nan], &[0.0, 1.0]),
        (Prim::Pow, &[0.0, 0.0], &[0.0, 0.0]),
        (Prim::Pow, &[0.0, 1.0], &[1.0, 0.0]),
        (Prim::Pow, &[0.0, 2.0], &[0.0, 0.0]),
        (Prim::Pow, &[0.0, 0.5], &[inf, 0.0]),
        (Prim::Pow, &[0.0, -1.0], &[-inf, -inf]),
        (Prim::Pow, &[nan, 0.0], &[0.0, nan]),
        (Prim::Pow, &[-2.0, 3.0], &[12.0, nan]),
        (Prim::Atan2, &[0.0, 0.0], &[nan, nan]),
        (Prim::Atan2, &[0.0, -1.0], &[-1.0, 0.0]),
        (Prim::Div, &[1.0, 0.0], &[inf, -inf]),
        (Prim::Rem, &[4.0, 2.0], &[1.0, -2.0]),
        // The quotient is rounded up to 10.
        (Prim::Rem, &[1.0, 0.1], &[1.0, -9.0]),
    ];
    for (op, point, expected) in table {
        let found = partials(*op, point);
        assert!(same(&found, expected), "{op} at {point:?}: {found:?}");
    }
}

#[test]
fn a_variable_power_with_a_constant_base_or_exponent() {
    let p = program([array_of(F64, 0)], |b, x| {
        let f = fun([F64], |b, [x]| {
            let three = b.constant(3.0);
            let (cube, exponential) = (
                b.prim(Prim::Pow, &[x, three]),
                b.prim(Prim::Pow, &[three, x]),
            );
            vec![b.prim(Prim::Add, &[cube, exponential])]
        });
        b.map(f, &x)
    });
    // At −2 the logarithm of the base is NaN, but nobody differentiates by the exponent.
    let partial = value(&gradient_by_duals(&p, &[number(-2.0)], 0).unwrap());
    close(partial, 12.0 + 3f64.ln() / 9.0, "x³ + 3ˣ");
}

#[test]
fn select_keeps_the_other_operand_out() {
    let p = program([array_of(F64, 0)], |b, x| {
        let f = fun([F64], |b, [x]| {
            let (zero, root) = (b.constant(0.0), b.prim(Prim::Sqrt, &[x]));
            let positive = b.prim(Prim::Gt, &[x, zero]);
            vec![b.prim(Prim::Select, &[positive, root, x])]
        });
        b.map(f, &x)
    });
    let partial = |x| value(&gradient_by_duals(&p, &[number(x)], 0).unwrap());
    assert_eq!((partial(0.0), partial(4.0)), (1.0, 0.25));
}

#[test]
fn partials_of_zero_cut_off_what_is_infinite() {
    let times = |factor: f64, x: f64| {
        let p = program([array_of(F64, 0)], |b, x| {
            let f = fun([F64], |b, [x]| {
                let (root, factor) = (b.prim(Prim::Sqrt, &[x]), b.constant(factor));
                vec![b.prim(Prim::Mul, &[root, factor])]
            });
            b.map(f, &x)
        });
        value(&gradient_by_duals(&p, &[number(x)], 0).unwrap())
    };
    assert_eq!((times(0.0, 0.0), times(0.0, -1.0)), (0.0, 0.0));
    assert_eq!(times(3.0, 0.0), f64::INFINITY);
    // The logarithm of an infinity: a division by it.
    let p = program([array_of(F64, 0)], |b, x| {
        let f = fun([F64], |b, [x]| {
            let one = b.constant(1.0);
            let inverse = b.prim(Prim::Div, &[one, x]);
            let ln = b.prim(Prim::Ln, &[inverse]);
            vec![ln]
        });
        b.map(f, &x)
    });
    assert_eq!(
        value(&gradient_by_duals(&p, &[number(0.0)], 0).unwrap()),
        0.0
    );
}

#[test]
fn conversions_pass_floats_and_stop_the_rest() {
    let p = program([array_of(F64, 0)], |b, x| {
        let f = fun([F64], |b, [x]| {
            let single = b.prim(Prim::Convert(F32), &[x]);
            let cube = b.prim(Prim::Mul, &[single, single]);
            let integer = b.prim(Prim::Convert(I32), &[x]);
            let back = b.prim(Prim::Convert(F32), &[integer]);
            vec![b.prim(Prim::Mul, &[cube, back])]
        });
        b.map(f, &x)
    });
    // ⌊x⌋·x² in single precision; the derivative comes back in double.
    let partial = gradient_by_duals(&p, &[number(2.5)], 0).unwrap();
    assert_eq!(partial, number(10.0));
}

#[test]
fn tangents_along_a_direction() {
    let p = program([array_of(F64, 1), array_of(I32, 0)], |b, [x, n]| {
        let y = b.map(super::square(), one(&x));
        let product = b.fold(super::binary(Prim::Mul), None, &[x]);
        vec![y[0].clone(), product[0].clone(), n]
    });
    let n = HostArray::new(vec![], vec![7].into()).unwrap();
    let inputs = [super::vector(&[2.0, 3.0]), n.clone()];
    let direction = [super::vector(&[1.0, -1.0]), n.clone()];
    let (values, tangents) = jvp(&p, &inputs, &direction).unwrap();
    assert_eq!(values, [super::vector(&[4.0, 9.0]), number(6.0), n]);
    assert_eq!(tangents[0], super::vector(&[4.0, -6.0]));
    assert_eq!(tangents[1], number(1.0));
    assert_eq!(tangents[2].column().get(0), Some(Const::I32(0)));
}

#[test]
fn what_is_no_float_has_derivative_zero() {
    let p = program([array_of(Bool, 1), array_of(F32, 0)], |_, [_, x]| vec![x]);
    let flags = HostArray::new(vec![2], vec![true, true].into()).unwrap();
    let x = HostArray::new(vec![], vec![1.5f32].into()).unwrap();
    let by_flags = gradient_by_duals(&p, &[flags.clone(), x.clone()], 0).unwrap();
    assert_eq!(by_flags.column(), &Column::from(vec![false, false]));
    let differences = finite_differences(&p, &[flags.clone(), x.clone()], 0, 0.1);
    assert_eq!(differences, Ok(by_flags));
    let by_x = gradient_by_duals(&p, &[flags, x], 1).unwrap();
    assert_eq!(by_x.column(), &Column::from(vec![1f32]));
}
