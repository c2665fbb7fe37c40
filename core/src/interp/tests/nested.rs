//! Gradients inside gradients, of either stratum, and what they see of each other.

use super::gradients::{gradient_a, sum};
use super::{array_of, extents, fun, number, only, program, results, vector};
use crate::build::FunBuilder;
use crate::constant::Const;
use crate::interp::{eval_fun, finite_differences, gradient_by_duals};
use crate::prim::Prim;
use crate::term::{ExpId, ExpOp, Mode};
use crate::types::ScalarType::{self, F32, F64, I32};

/// The derivatives by each argument of what `body` makes of them.
fn gradient_e(
    b: &mut FunBuilder,
    args: &[ExpId],
    body: impl FnOnce(&mut FunBuilder, &[ExpId]) -> ExpId,
) -> Vec<ExpId> {
    let types: Vec<_> = args.iter().map(|&x| b.type_of(x)).collect();
    let params: Vec<_> = types.iter().map(|&ty| b.fresh(ty)).collect();
    let names: Vec<_> = params.iter().map(|param| param.name).collect();
    let body = b.block(|b| vec![body(b, &names)]);
    let op = ExpOp::Derivative {
        mode: Mode::Gradient { with_value: false },
        params,
        body,
        args: args.to_vec(),
    };
    b.push(op, &types)
}

fn fourth_power(b: &mut FunBuilder, x: ExpId) -> ExpId {
    let squared = b.prim(Prim::Mul, &[x, x]);
    b.prim(Prim::Mul, &[squared, squared])
}

#[test]
fn derivatives_of_any_order() {
    let derivative = |order: u32| {
        fn nested(b: &mut FunBuilder, x: ExpId, order: u32) -> ExpId {
            if order == 0 {
                return fourth_power(b, x);
            }
            gradient_e(b, &[x], |b, xs| nested(b, xs[0], order - 1))[0]
        }
        let f = fun([F64], |b, [x]| vec![nested(b, x, order)]);
        eval_fun(&f, &[], &[Const::F64(2.0)]).unwrap()
    };
    let orders = [16.0, 32.0, 48.0, 48.0, 24.0, 0.0];
    for (order, expected) in (0..).zip(orders) {
        assert_eq!(derivative(order), [Const::F64(expected)], "order {order}");
    }
}

#[test]
fn second_derivatives_of_primitives_against_differences() {
    let is_float = |op: &Prim| op.result_type(&[F64]) == Some(F64);
    for op in crate::prim::ALL.into_iter().filter(is_float) {
        let x = if op == Prim::Acosh { 1.6 } else { 0.6 };
        let p = program([array_of(F64, 0)], |b, x| {
            let partial = fun([F64], |b, [x]| gradient_e(b, &[x], |b, xs| b.prim(op, xs)));
            b.map(partial, &x)
        });
        let second = only(&gradient_by_duals(&p, &[number(x)], 0).unwrap());
        let difference = only(&finite_differences(&p, &[number(x)], 0, 1e-5).unwrap());
        let error = (second - difference).abs();
        assert!(error < 1e-6, "{op}″ at {x}: {second}, not {difference}");
    }
}

#[test]
fn the_mixed_derivative_of_a_power_does_not_vanish_at_exponent_0() {
    // ∂²/∂x∂y xʸ = xʸ⁻¹·(1 + y·ln x) = 1/x at y = 0.
    let f = fun([F64, F64], |b, [x, y]| {
        gradient_e(b, &[y], |b, ys| {
            gradient_e(b, &[x], |b, xs| b.prim(Prim::Pow, &[xs[0], ys[0]]))[0]
        })
    });
    let mixed = eval_fun(&f, &[], &[Const::F64(4.0), Const::F64(0.0)]);
    assert_eq!(mixed, Ok(vec![Const::F64(0.25)]));
}

/// d/dx (x · d/dy (x + y)) = 1, not 2.
#[test]
fn perturbations_are_not_confused() {
    let f = fun([F64], |b, [x]| {
        gradient_e(b, &[x], |b, xs| {
            let x = xs[0];
            let inner = gradient_e(b, &[x], |b, ys| b.prim(Prim::Add, &[x, ys[0]]));
            b.prim(Prim::Mul, &[x, inner[0]])
        })
    });
    let result = eval_fun(&f, &[], &[Const::F64(3.0)]);
    assert_eq!(result, Ok(vec![Const::F64(1.0)]));
}

#[test]
fn constants_of_the_inner_gradient_vary_for_the_outer() {
    // d/dx of d/dy (x²·y³) at y = x: d/dx (3x⁴) where y is taken at x.
    let f = fun([F64], |b, [x]| {
        gradient_e(b, &[x], |b, xs| {
            let x = xs[0];
            gradient_e(b, &[x], |b, ys| {
                let (x2, y2) = (
                    b.prim(Prim::Mul, &[x, x]),
                    b.prim(Prim::Mul, &[ys[0], ys[0]]),
                );
                let y3 = b.prim(Prim::Mul, &[y2, ys[0]]);
                b.prim(Prim::Mul, &[x2, y3])
            })[0]
        })
    });
    let result = eval_fun(&f, &[], &[Const::F64(2.0)]);
    assert_eq!(result, Ok(vec![Const::F64(96.0)]));
}

#[test]
fn scalar_gradients_inside_array_gradients() {
    // Σᵢ d/dy (y²·x₀) at y = xᵢ, that is 2·x₀·Σ xᵢ.
    let y = results([vector(&[3.0, 5.0])], |b, args| {
        gradient_a(b, true, &args, |b, args| {
            let x = args[0].clone();
            let f = fun([F64], |b, [y]| {
                gradient_e(b, &[y], |b, ys| {
                    let zero = b.constant(0);
                    let first = b.index(&x, &[zero]);
                    let squared = b.prim(Prim::Mul, &[ys[0], ys[0]]);
                    b.prim(Prim::Mul, &[squared, first])
                })
            });
            let partials = b.map(f, args);
            sum(b, &partials[0])
        })
    });
    assert_eq!(y, [number(48.0), vector(&[22.0, 6.0])]);
}

/// The Hessian of x₀²·x₁ times the vector (1, 1): the gradient of the sum of the gradient.
#[test]
fn array_gradients_inside_array_gradients() {
    let y = results([vector(&[3.0, 5.0])], |b, args| {
        gradient_a(b, false, &args, |b, args| {
            let inner = gradient_a(b, false, args, |b, args| {
                let x = &args[0];
                let f = fun([], |b, []| {
                    let (zero, one) = (b.constant(0), b.constant(1));
                    let (x, y) = (b.index(x, &[zero]), b.index(x, &[one]));
                    let squared = b.prim(Prim::Mul, &[x, x]);
                    vec![b.prim(Prim::Mul, &[squared, y])]
                });
                b.generate(extents(&[]), f).remove(0)
            });
            sum(b, &inner[0])
        })
    });
    // The gradient is (2·x₀·x₁, x₀²); its sum differentiates to (2·x₁ + 2·x₀, 2·x₀).
    assert_eq!(y, [vector(&[16.0, 6.0])]);
}

#[test]
fn partial_derivatives_have_their_parameters_types() {
    let types: [ScalarType; 3] = [F32, I32, F64];
    let f = fun(types, |b, args| {
        gradient_e(b, &args, |b, xs| {
            let x = b.prim(Prim::Convert(F64), &[xs[0]]);
            b.prim(Prim::Mul, &[x, xs[2]])
        })
    });
    let args = [Const::F32(1.5), Const::I32(9), Const::F64(0.25)];
    let partials = [Const::F32(0.25), Const::I32(0), Const::F64(1.5)];
    assert_eq!(eval_fun(&f, &[], &args), Ok(partials.to_vec()));
}
