//! Derivatives along a direction, of either stratum, alone and nested.

use super::gradients::{gradient_a, sum};
use super::{
    array_of, binary, extents, fun, host, number, outcome, program, results, square, vector,
};
use crate::build::{AccBuilder, Arr, FunBuilder};
use crate::constant::Const;
use crate::interp::{STAND_INS, Scatters, eval_fun, gradient_by_duals, jvp, run_by_need};
use crate::prim::Prim;
use crate::term::{AccClosure, AccOp, Axis, Combine, Direction, ExpId, ExpOp, Fun, Mode, States};
use crate::types::ScalarType::{self, F32, F64, I32};
use std::slice::from_ref as one;

/// What `body` makes of the arguments, then the tangents of that.
fn jvp_a(
    b: &mut AccBuilder,
    (args, tangents): (&[Arr], &[Arr]),
    body: impl FnOnce(&mut AccBuilder, &[Arr]) -> Vec<Arr>,
) -> Vec<Arr> {
    let params: Vec<_> = args.iter().map(|arg| b.fresh(arg.ty)).collect();
    b.open();
    let made = body(b, &params);
    let body = b.close(&made);
    let types: Vec<_> = made.iter().map(|y| y.ty).collect();
    let op = AccOp::Derivative {
        mode: Mode::Jvp,
        params,
        body,
        args: args.iter().chain(tangents).map(|arg| arg.name).collect(),
    };
    b.push(op, &types.repeat(2))
}

/// The same of scalars.
fn jvp_e(
    b: &mut FunBuilder,
    (args, tangents): (&[ExpId], &[ExpId]),
    body: impl FnOnce(&mut FunBuilder, &[ExpId]) -> Vec<ExpId>,
) -> Vec<ExpId> {
    let types: Vec<_> = args.iter().map(|&x| b.type_of(x)).collect();
    let params: Vec<_> = types.iter().map(|&ty| b.fresh(ty)).collect();
    let names: Vec<_> = params.iter().map(|param| param.name).collect();
    let body = b.block(|b| body(b, &names));
    let types: Vec<_> = body.results.iter().map(|&y| b.type_of(y)).collect();
    let op = ExpOp::Derivative {
        mode: Mode::Jvp,
        params,
        body,
        args: [args, tangents].concat(),
    };
    b.push(op, &types.repeat(2))
}

fn gradient_e(
    b: &mut FunBuilder,
    x: ExpId,
    body: impl FnOnce(&mut FunBuilder, ExpId) -> ExpId,
) -> ExpId {
    let param = b.fresh(F64);
    let name = param.name;
    let body = b.block(|b| vec![body(b, name)]);
    let op = ExpOp::Derivative {
        mode: Mode::Gradient { with_value: false },
        params: vec![param],
        body,
        args: vec![x],
    };
    b.push(op, &[F64])[0]
}

/// Checks, for what `body` makes of a vector, that the node says what the derivative of the whole program says; gives values
/// and tangents.
fn both(
    (point, tangent): (&[f64], &[f64]),
    body: impl Fn(&mut AccBuilder, &Arr) -> Vec<Arr>,
) -> Vec<crate::host::HostArray> {
    let (point, tangent) = (vector(point), vector(tangent));
    let by_node = results([point.clone(), tangent.clone()], |b, [x, dx]| {
        jvp_a(b, (&[x], &[dx]), |b, x| body(b, &x[0]))
    });
    let p = program([array_of(F64, 1)], |b, [x]| body(b, &x));
    let (values, tangents) = jvp(&p, &[point], &[tangent]).unwrap();
    assert_eq!(by_node, [values, tangents].concat());
    by_node
}

#[test]
fn of_maps_folds_and_scans() {
    let made = both((&[1.0, 2.0, 3.0], &[1.0, 10.0, 100.0]), |b, x| {
        let squares = b.map(square(), one(x)).remove(0);
        let total = sum(b, &squares);
        let product = b.fold(binary(Prim::Mul), None, one(x)).remove(0);
        let sums = b.scan(Direction::Left, binary(Prim::Add), None, one(x));
        vec![squares, total, product, sums[0].clone()]
    });
    assert_eq!(made[0], vector(&[1.0, 4.0, 9.0]));
    assert_eq!(made[4], vector(&[2.0, 40.0, 600.0]));
    assert_eq!(made[5], number(642.0));
    assert_eq!(made[6], number(6.0 + 30.0 + 200.0));
    assert_eq!(made[7], vector(&[1.0, 11.0, 111.0]));
}

#[test]
fn of_scatters() {
    let made = both((&[1.0, 2.0, 3.0], &[1.0, 10.0, 100.0]), |b, x| {
        let target = fun([I32], |b, [i]| {
            let (yes, two) = (b.constant(true), b.constant(2));
            vec![yes, b.prim(Prim::Rem, &[i, two])]
        });
        let half = fun([I32], |b, [_]| vec![b.constant(0.5)]);
        let defaults = b.generate(extents(&[2]), half);
        b.permute(Combine::Add, &defaults, target, one(x))
    });
    assert_eq!(made, [vector(&[4.5, 2.5]), vector(&[101.0, 10.0])]);
}

#[test]
fn of_loops_of_arrays() {
    let made = both((&[1.0, 2.0], &[1.0, 10.0]), |b, x| {
        let (trip, state) = (b.fresh(array_of(I32, 0)), b.fresh(x.ty));
        b.open();
        let squares = b.map(square(), one(&state));
        let step = AccClosure {
            params: vec![trip, state],
            body: b.close(&squares),
        };
        let op = AccOp::Loop {
            trips: extents(&[2]),
            test: None,
            step,
            states: States::Stored,
            args: vec![x.name],
        };
        b.push(op, &[array_of(I32, 0), x.ty])
    });
    assert_eq!(made[1], vector(&[1.0, 16.0]));
    assert_eq!(made[2], host(&[], &[0]), "a number of trips has no tangent");
    assert_eq!(made[3], vector(&[4.0, 320.0]));
}

#[test]
fn of_conditionals_and_loops_of_scalars() {
    // x³ by a loop for x > 0, else 2x.
    let f = fun([F64, F64], |b, [x, dx]| {
        jvp_e(b, (&[x], &[dx]), |b, xs| {
            let x = xs[0];
            let zero = b.constant(0.0);
            let positive = b.prim(Prim::Gt, &[x, zero]);
            let cube = |b: &mut FunBuilder| {
                let params = [I32, F64].map(|ty| b.fresh(ty));
                let y = params[1].name;
                let body = b.block(|b| vec![b.prim(Prim::Mul, &[y, x])]);
                let params = params.to_vec();
                let trips = b.constant(2);
                let step = crate::term::ExpClosure { params, body };
                vec![b.loop_(&[trips, x], None, step)[1]]
            };
            b.cond(positive, cube, |b| vec![b.prim(Prim::Add, &[x, x])])
        })
    });
    let at = |x: f64, dx: f64| eval_fun(&f, &[], &[Const::F64(x), Const::F64(dx)]);
    assert_eq!(at(2.0, 10.0), Ok([8.0, 120.0].map(Const::F64).to_vec()));
    assert_eq!(at(-2.0, 10.0), Ok([-4.0, 20.0].map(Const::F64).to_vec()));
}

#[test]
fn what_is_no_float_has_no_tangent() {
    let types: [ScalarType; 4] = [F32, I32, F32, I32];
    let f = fun(types, |b, [x, n, dx, dn]| {
        jvp_e(b, (&[x, n], &[dx, dn]), |b, xs| {
            let n = b.prim(Prim::Convert(F32), &[xs[1]]);
            let product = b.prim(Prim::Mul, &[xs[0], n]);
            vec![product, b.prim(Prim::Convert(I32), &[product]), xs[1]]
        })
    });
    let args = [Const::F32(1.5), 4.into(), Const::F32(0.25), 1000.into()];
    let expected = [
        Const::F32(6.0),
        6.into(),
        4.into(),
        Const::F32(1.0),
        0.into(),
        0.into(),
    ];
    assert_eq!(eval_fun(&f, &[], &args), Ok(expected.to_vec()));
}

#[test]
fn tangents_are_cut_or_filled_up_to_shape() {
    let along = |point: &[f64], tangent: &[f64]| {
        let made = results([vector(point), vector(tangent)], |b, [x, dx]| {
            jvp_a(b, (&[x], &[dx]), |b, x| b.map(square(), x))
        });
        made[1].clone()
    };
    assert_eq!(along(&[1.0, 2.0], &[3.0]), vector(&[6.0, 0.0]));
    assert_eq!(along(&[1.0], &[3.0, 4.0, 5.0]), vector(&[6.0]));
    assert_eq!(along(&[1.0], &[]), vector(&[0.0]));
    assert_eq!(along(&[], &[1.0]), vector(&[]));
    let matrices = [host(&[2, 2], &[1.0; 4]), host(&[3, 1], &[1.0, 2.0, 3.0])];
    let made = results(matrices, |b, [x, dx]| {
        jvp_a(b, (&[x], &[dx]), |_, x| x.to_vec())
    });
    assert_eq!(made[1], host(&[2, 2], &[1.0, 0.0, 2.0, 0.0]));
}

#[test]
fn zeros_pass_nothing_on() {
    // √x at 0 has an infinite derivative: along 0, and where a factor is 0, it counts for nothing.
    let f = fun([F64, F64], |b, [x, dx]| {
        jvp_e(b, (&[x], &[dx]), |b, xs| {
            let root = b.prim(Prim::Sqrt, xs);
            let zero = b.constant(0.0);
            vec![root, b.prim(Prim::Mul, &[root, zero])]
        })
    });
    let tangents = |dx: f64| eval_fun(&f, &[], &[Const::F64(0.0), Const::F64(dx)]).unwrap();
    assert_eq!(tangents(0.0)[2..], [0.0, 0.0].map(Const::F64));
    assert_eq!(tangents(1.0)[2..], [f64::INFINITY, 0.0].map(Const::F64));
}

/// d/dx (x · d/dy (x + y)) = 1, not 2, however the two are taken.
#[test]
fn perturbations_are_not_confused() {
    type Take =
        fn(&mut FunBuilder, ExpId, &mut dyn FnMut(&mut FunBuilder, ExpId) -> ExpId) -> ExpId;
    let forward: Take = |b, x, f| {
        let one = b.constant(1.0);
        jvp_e(b, (&[x], &[one]), |b, xs| vec![f(b, xs[0])])[1]
    };
    let backward: Take = |b, x, f| gradient_e(b, x, |b, x| f(b, x));
    for (outer, inner) in [(forward, forward), (forward, backward), (backward, forward)] {
        let f = fun([F64], |b, [x]| {
            vec![outer(b, x, &mut |b, x| {
                let slope = inner(b, x, &mut |b, y| b.prim(Prim::Add, &[x, y]));
                b.prim(Prim::Mul, &[x, slope])
            })]
        });
        let result = eval_fun(&f, &[], &[Const::F64(3.0)]);
        assert_eq!(result, Ok(vec![Const::F64(1.0)]));
        // d/dx d/dy (x²·y³) at y = x is 12x³ in all, 6·x·x² of it by the outer x alone.
        let g = fun([F64], |b, [x]| {
            vec![outer(b, x, &mut |b, x| {
                inner(b, x, &mut |b, y| {
                    let squares = b.prim(Prim::Mul, &[x, x]);
                    let cube = [y; 2].iter().fold(y, |p, &y| b.prim(Prim::Mul, &[p, y]));
                    b.prim(Prim::Mul, &[squares, cube])
                })
            })]
        });
        let result = eval_fun(&g, &[], &[Const::F64(2.0)]);
        assert_eq!(result, Ok(vec![Const::F64(96.0)]));
    }
}

/// The tangent that is given to the inner derivative may itself be differentiated by.
#[test]
fn tangents_vary_too() {
    // d/dv (f′(x)·v) = f′(x), at v = 0 too; and d/dx of (x²)′ along x is d/dx 2x² = 4x.
    let f = fun([F64, F64], |b, [x, v]| {
        let by_v = gradient_e(b, v, |b, v| {
            jvp_e(b, (&[x], &[v]), |b, xs| vec![b.prim(Prim::Sin, xs)])[1]
        });
        let one = b.constant(1.0);
        let by_x = jvp_e(b, (&[x], &[one]), |b, xs| {
            let square = |b: &mut FunBuilder, x: &[ExpId]| vec![b.prim(Prim::Mul, &[x[0], x[0]])];
            vec![jvp_e(b, (xs, xs), square)[1]]
        });
        vec![by_v, by_x[1]]
    });
    let at = |x: f64| eval_fun(&f, &[], &[Const::F64(x), Const::F64(0.0)]);
    assert_eq!(at(2.0), Ok([2f64.cos(), 8.0].map(Const::F64).to_vec()));
}

/// The Hessian of x₀²·x₁ times a vector: forward over reverse, reverse over forward, and twice forward.
#[test]
fn of_arrays_nested() {
    fn value(b: &mut AccBuilder, x: &Arr) -> Arr {
        let f = fun([], |b, []| {
            let (zero, one) = (b.constant(0), b.constant(1));
            let (x, y) = (b.index(x, &[zero]), b.index(x, &[one]));
            let squared = b.prim(Prim::Mul, &[x, x]);
            vec![b.prim(Prim::Mul, &[squared, y])]
        });
        b.generate(extents(&[]), f).remove(0)
    }
    let inputs = || [vector(&[3.0, 5.0]), vector(&[1.0, 10.0])];
    // The Hessian is (2·x₁, 2·x₀; 2·x₀, 0).
    let expected = vector(&[10.0 + 60.0, 6.0]);
    let over_reverse = results(inputs(), |b, [x, v]| {
        jvp_a(b, (&[x], &[v]), |b, x| {
            gradient_a(b, false, x, |b, x| value(b, &x[0]))
        })
    });
    assert_eq!(over_reverse[1], expected);
    let over_forward = results(inputs(), |b, [x, v]| {
        gradient_a(b, false, &[x], |b, x| {
            jvp_a(b, (x, &[v]), |b, x| vec![value(b, &x[0])]).remove(1)
        })
    });
    assert_eq!(over_forward, [expected]);
    let twice = results(inputs(), |b, [x, v]| {
        let v = &v;
        jvp_a(b, (&[x], one(v)), |b, x| {
            jvp_a(b, (x, one(v)), |b, x| vec![value(b, &x[0])])
        })
    });
    assert_eq!(twice[3], number(70.0 + 60.0));
}

#[test]
fn along_an_axis_as_the_gradient() {
    let p = program([array_of(F64, 1)], |b, [x]| {
        let root = b.map(Fun::prim(Prim::Sqrt, &[F64]), &[x]).remove(0);
        vec![sum(b, &root)]
    });
    let x = vector(&[0.0, 4.0]);
    let gradient = gradient_by_duals(&p, one(&x), 0).unwrap();
    assert_eq!(gradient, vector(&[f64::INFINITY, 0.25]));
    let (_, tangents) = jvp(&p, &[x], &[vector(&[0.0, 1.0])]).unwrap();
    assert_eq!(tangents, [number(0.25)]);
}

#[test]
fn failures_are_those_of_the_body() {
    let at = |i: i32| {
        outcome([vector(&[1.0, 2.0]), vector(&[])], |b, [x, dx]| {
            jvp_a(b, (&[x], &[dx]), |b, x| {
                let f = fun([], |b, []| {
                    let i = b.constant(i);
                    vec![b.index(&x[0], &[i])]
                });
                b.generate(extents(&[]), f)
            })
        })
    };
    assert_eq!(at(1), Ok(vec![number(2.0), number(0.0)]));
    assert!(at(2).is_err());
}

/// Of a derivative, values do not need tangents, and results not each other.
#[test]
fn what_is_needed_of_what_fails() {
    // The second result of the body fails at all points, and so does the slice that is the tangent.
    let p = program([array_of(F64, 1), array_of(F64, 2)], |b, [x, m]| {
        let row = fun([], |b, []| vec![b.constant(9)]);
        let dx = b.slice(vec![Axis::Fixed, Axis::All], row, &m);
        jvp_a(b, (&[x], &[dx]), |b, x| {
            let first = b.fold(binary(Prim::Add), None, x).remove(0);
            let wrong = b.reshape(extents(&[7]), &x[0]);
            vec![first, wrong]
        })
    });
    let inputs = [vector(&[1.0, 2.0]), host(&[1, 2], &[3.0, 4.0])];
    let run = |choice| run_by_need(&p, &inputs, choice, Scatters::Fail).unwrap();
    let made: Vec<_> = (0..STAND_INS).map(|choice| run(choice).results).collect();
    for results in &made {
        assert_eq!(results[0], Ok(number(3.0)));
        assert!(results[1].is_err() && results[3].is_err());
    }
    assert_ne!(made[0][2], made[1][2], "the tangent is needed");
}
