//! Derivatives by decree: rules of arrays and of scalars, in both modes, once and twice, against the interpreter, which asks the
//! rules for Jacobians.

use super::{Matrix, Number, Vector, agree, energy, floats, host, program, smooth, some, vector};
use crate::{AdError, differentiate};
use cotangent_core::host::HostArray;
use cotangent_core::surface::prelude::*;

/// Squares, with ten times the derivative: nobody takes it by the usual rules.
fn tenfold(x: Vector) -> Vector {
    let rule = |x: Vector, _: Vector, dx: Vector| x.zip_with(dx, |x, dx| 20.0 * x * dx);
    custom_jvp(|x: Vector| x.map(|x| x * x), rule, x)
}

/// The same by a rule for reverse mode.
fn tenfold_back(x: Vector) -> Vector {
    let forward = |x: Vector| (x.map(|x| x * x), x);
    let backward = |x: Vector, dy: Vector| x.zip_with(dy, |x, dy| 20.0 * x * dy);
    custom_vjp(forward, backward, x)
}

/// The exponential function, which is in its own rules.
fn exponential(x: Vector) -> Vector {
    let forward = |x: Vector| {
        let y = x.map(|x| x.exp());
        (y, y)
    };
    let scaled = |y: Vector, d: Vector| y.zip_with(d, |y, d| y * d);
    custom_rules(forward, scaled, scaled, x)
}

/// The cumulated products of two arrays of different ranks, mixed up, by rules that are no maps.
fn mixed((m, v): (Matrix, Vector)) -> (Vector, Number) {
    let f = |(m, v): (Matrix, Vector)| {
        let product = m.zip_with(v.replicate(ix![m.shape().0.1, All]), |a, b| a * b);
        (product.sum(), v.map(|x| x * x).sum())
    };
    let rule = |(m, v): (Matrix, Vector), _: (Vector, Number), (dm, dv): (Matrix, Vector)| {
        let rows = m.shape().0.1;
        let by_m = dm.zip_with(v.replicate(ix![rows, All]), |dm, v| dm * v);
        let by_v = m.zip_with(dv.replicate(ix![rows, All]), |m, dv| m * dv);
        let sum = by_m.zip_with(by_v, |a, b| a + b).sum();
        (sum, v.zip_with(dv, |v, dv| 2.0 * v * dv).sum())
    };
    custom_jvp(f, rule, (m, v))
}

/// Checks first and second derivatives of a function of a vector, of several lengths.
#[track_caller]
fn twice(f: impl Fn(Vector) -> Vector + Copy) {
    let loss = move |x: Vector| energy(f(x));
    for n in [0, 1, 4] {
        let point = [some(&[n], 1)];
        agree(&program(move |x: Vector| gradient_a(loss, x)), &point);
        let again = move |x: Vector| gradient_a(|x| energy(gradient_a(loss, x)), x);
        agree(&program(again), &point);
        let both = [some(&[n], 1), some(&[n], 2)];
        agree(
            &program(move |x: Vector, v: Vector| hvp_a(loss, x, v)),
            &both,
        );
    }
}

/// Checks derivatives along directions, and gradients of them.
#[track_caller]
fn along(f: impl Fn(Vector) -> Vector + Copy) {
    for n in [0, 1, 4] {
        let both = [some(&[n], 1), some(&[n], 2)];
        agree(&program(move |x: Vector, v: Vector| jvp_a(f, x, v)), &both);
        let back = move |x: Vector, v: Vector| {
            gradient_a(|(x, v): (Vector, Vector)| energy(jvp_a(f, x, v).1), (x, v))
        };
        agree(&program(back), &both);
    }
}

#[test]
fn rules_are_taken() {
    let x = [vector(&[1.0, -2.0])];
    for f in [tenfold, tenfold_back] {
        let gradient = program(move |x: Vector| gradient_a(|x| f(x).sum(), x));
        assert_eq!(floats(&agree(&gradient, &x)[0]), [20.0, -40.0]);
        let value = program(f);
        assert_eq!(floats(&agree(&value, &x)[0]), [1.0, 4.0]);
    }
}

#[test]
fn both_modes_and_second_derivatives() {
    twice(tenfold);
    twice(tenfold_back);
    twice(exponential);
    along(tenfold);
    along(exponential);
    twice(|x| exponential(tenfold(x).zip_with(x, |a, b| 0.01 * a * b)));
    twice(|x| tenfold_back(tenfold(x).map(|x| x.sin())));
}

/// Rules that say what is true: derivatives are differences, twice, too.
#[test]
fn true_rules_give_differences() {
    let x = [vector(&[0.3, -0.7])];
    let loss = |x: Vector| energy(exponential(x).zip_with(x, |a, b| a * b));
    smooth(loss, &x);
    smooth(move |x: Vector| energy(gradient_a(loss, x)), &x);
    let f = |v: Vector| {
        let (rows, square) = mixed((v.replicate(ix![3, All]).map(|x| x.sin()), v));
        energy(rows).zip_with(square, |a, b| a + b)
    };
    smooth(f, &x);
    smooth(move |x: Vector| energy(gradient_a(f, x)), &x);
}

#[test]
fn several_arrays_and_what_is_not_a_float() {
    let point = [some(&[3, 2], 1), some(&[2], 2)];
    let f = |(m, v): (Matrix, Vector)| {
        let (rows, square) = mixed((m, v));
        energy(rows).zip_with(square, |a, b| a * b)
    };
    agree(
        &program(move |x: (Matrix, Vector)| gradient_a(f, x)),
        &point,
    );
    let scaled = |x: Vector, k: Acc<Ix1, i32>| {
        type Pair = (Vector, Acc<Ix1, i32>);
        let forward = |(x, k): Pair| {
            let y = x.zip_with(k, |x, k| x * k.to_f64());
            ((y, k), (x, k))
        };
        let backward = |(x, k): Pair, (dy, _): Pair| {
            (
                dy.zip_with(k, |dy, k| 3.0 * dy * k.to_f64()),
                k.zip_with(x, |k, _| k),
            )
        };
        custom_vjp(forward, backward, (x, k)).0
    };
    let k = host(&[2], &[2, 5]);
    let gradient = move |x: Vector, k: Acc<Ix1, i32>| gradient_a(|x| scaled(x, k).sum(), x);
    let found = agree(&program(gradient), &[vector(&[1.0, 1.0]), k]);
    assert_eq!(floats(&found[0]), [6.0, 15.0]);
}

#[test]
fn what_rules_make_of_other_shapes_is_cut_or_padded() {
    for by in [0, 2, 5] {
        let f = move |x: Vector| {
            let rule = move |_: Vector, _: Vector, dx: Vector| {
                generate(ix![by], |ix![i]| dx.at(ix![i % dx.size().max(1)]))
            };
            custom_jvp(|x: Vector| x.map(|x| x + 1.0), rule, x)
        };
        twice_at(f, 3);
        let back = move |x: Vector| {
            let backward =
                move |(), dy: Vector| generate(ix![by], |ix![i]| dy.at(ix![i % 3]) * 2.0);
            custom_vjp(|x: Vector| (x.map(|x| x + 1.0), ()), backward, x)
        };
        let gradient = move |x: Vector| gradient_a(|x| energy(back(x)), x);
        agree(&program(gradient), &[some(&[3], 1)]);
    }
}

#[track_caller]
fn twice_at(f: impl Fn(Vector) -> Vector + Copy, n: usize) {
    let gradient = move |x: Vector| gradient_a(|x| energy(f(x)), x);
    agree(&program(gradient), &[some(&[n], 1)]);
    let along = move |x: Vector, v: Vector| jvp_a(f, x, v);
    agree(&program(along), &[some(&[n], 1), some(&[n], 2)]);
}

#[test]
fn in_loops_and_conditionals() {
    twice(|x| aiterate(3, |_, y: Vector| tenfold(y).map(|y| y.sin()), x));
    twice(|x| {
        aiterate(
            2,
            |_, y: Vector| exponential(y.zip_with(x, |y, x| y * x)),
            x,
        )
    });
    twice(|x| acond(x.size().gt(1), tenfold_back(x), x));
    twice(|x| {
        awhile(
            |y: Vector| y.sum().the().lt(3.0) & y.size().gt(0),
            |_, y| exponential(y).map(|y| y + 1.0),
            x,
        )
    });
}

/// A derivative of what the rule reads from around is one of the next higher order only.
#[test]
fn what_rules_read_counts_as_constant() {
    let f = |x: Vector| {
        let rule = |_: Vector, _: Vector, dx: Vector| dx.zip_with(x, |dx, x| dx * x * x);
        custom_jvp(|y: Vector| y.map(|y| y.cos()), rule, x.map(|x| 2.0 * x))
    };
    twice(f);
    along(f);
    let x = [vector(&[3.0])];
    let gradient = program(move |x: Vector| gradient_a(|x| f(x).sum(), x));
    assert_eq!(floats(&agree(&gradient, &x)[0]), [18.0]);
}

#[test]
fn nothing_is_differentiated_behind_stop_gradient() {
    twice(|x| stop_gradient(x).zip_with(x, |a, b| a * b));
    along(|x| stop_gradient(x.map(|x| x * x)));
    let f = |x: Vector| gradient_a(|x: Vector| energy(stop_gradient(x)), x);
    assert_eq!(floats(&agree(&program(f), &[vector(&[3.0])])[0]), [0.0]);
    let f = |x: Vector| x.map(|x| gradient_e(|x| stop_gradient_e(x * x) * x, x));
    assert_eq!(floats(&agree(&program(f), &[vector(&[3.0])])[0]), [9.0]);
    let mixed = |x: Acc<Ix1, (f64, i32)>| stop_gradient(x);
    agree(&program(mixed), &[vector(&[3.0]), host(&[1], &[2])]);
}

/// sin with the derivative 2·cos, by either rule.
fn double_sine(x: Exp<f64>, by_jvp: bool) -> Exp<f64> {
    let slope = |x: Exp<f64>| 2.0 * x.cos();
    match by_jvp {
        true => custom_jvp_e(
            |x: Exp<f64>| x.sin(),
            |x: Exp<f64>, _: Exp<f64>, dx: Exp<f64>| slope(x) * dx,
            x,
        ),
        false => custom_vjp_e(
            |x: Exp<f64>| (x.sin(), x),
            |x: Exp<f64>, dy: Exp<f64>| slope(x) * dy,
            x,
        ),
    }
}

/// The square root, found without derivatives of its own: its rule reads it.
fn searched_root(x: Exp<f64>, by_jvp: bool) -> Exp<f64> {
    let root = |x: Exp<f64>| stop_gradient_e(x.sqrt());
    match by_jvp {
        true => custom_jvp_e(root, |_, y: Exp<f64>, dx: Exp<f64>| dx / (2.0 * y), x),
        false => custom_vjp_e(
            |x: Exp<f64>| (root(x), (root(x), x)),
            |(y, _): (Exp<f64>, Exp<f64>), dy: Exp<f64>| dy / (2.0 * y),
            x,
        ),
    }
}

/// Derivatives of a rule that reads the results are those of the rule, to the fourth order.
#[test]
fn scalar_rules_that_read_results() {
    for by_jvp in [true, false] {
        let f = move |x: Exp<f64>| searched_root(x, by_jvp);
        let of = move |x: Vector| x.map(f).sum();
        let second = move |x: Vector| gradient_a(move |x: Vector| gradient_a(of, x).sum(), x);
        let third = move |x: Vector| gradient_a(move |x: Vector| second(x).sum(), x);
        let fourth = move |x: Vector| jvp_a(third, x, fill(x.shape(), 1.0)).1;
        let inside = move |x: Vector| x.map(move |x| gradient_e(move |x| gradient_e(f, x), x));
        for (program, expected) in [
            (program(second), -1.0 / 32.0),
            (program(inside), -1.0 / 32.0),
            (program(third), 3.0 / 256.0),
            (program(fourth), -15.0 / 2048.0),
        ] {
            let found = floats(&agree(&program, &[vector(&[4.0])])[0]);
            assert!(
                (found[0] - expected).abs() < 1e-15,
                "{found:?}, not {expected}"
            );
        }
    }
}

/// What a rule is to have may be an input that is a result, too: its derivative is that of the input.
#[test]
fn scalar_rules_of_the_identity() {
    let f = |x: Exp<f64>| {
        let backward = |x: Exp<f64>, dy: Exp<f64>| 2.0 * x * dy;
        custom_vjp_e(|x: Exp<f64>| (x, x), backward, x)
    };
    let first = move |x: Vector| gradient_a(move |x: Vector| x.map(f).sum(), x);
    let second = move |x: Vector| gradient_a(move |x: Vector| first(x).sum(), x);
    for (program, expected) in [(program(first), 6.0), (program(second), 2.0)] {
        assert_eq!(floats(&agree(&program, &[vector(&[3.0])])[0]), [expected]);
    }
}

#[test]
fn scalar_rules() {
    for by_jvp in [true, false] {
        let f = move |x: Exp<f64>| double_sine(x, by_jvp);
        twice(move |x| x.map(f));
        along(move |x| x.map(f));
        twice(move |x| x.map(move |y| iterate(3, |_, y: Exp<f64>| f(y) * 0.5, y)));
        twice(move |x| x.map(move |y| x.fold_in_order(0.5, |_, s: Exp<f64>, x| f(s * y + x))));
        twice(move |x| x.map(move |x| cond(x.gt(0.0), f(x), x)));
        twice(move |x| x.map(move |x| gradient_e(f, x)));
        twice(move |x| x.scanl(0.5, move |a, b| f(a) + b));
        let gradient = move |x: Vector| gradient_a(|x| x.map(f).sum(), x);
        assert_eq!(
            floats(&agree(&program(gradient), &[vector(&[0.0])])[0]),
            [2.0]
        );
    }
}

#[test]
fn scalar_rules_of_several_numbers_of_several_types() {
    type Point = (Exp<f64>, (Exp<f32>, Exp<i32>));
    let f = |p: Point| {
        let rule = |(x, (y, k)): Point, _: (Exp<f32>, Exp<f64>), (dx, (dy, _)): Point| {
            let first = x.to_f32() * dy + y * dx.to_f32();
            (first, dx * k.to_f64() + dy.to_f64())
        };
        let value = |(x, (y, k)): Point| (x.to_f32() * y, x * k.to_f64() + y.to_f64());
        custom_jvp_e(value, rule, p)
    };
    let loss = move |x: Vector| {
        let both = x.map(move |x| f((x, ((2.0 * x).to_f32(), x.to_i32()))));
        both.map(|(a, b)| a.to_f64() * b).sum()
    };
    agree(
        &program(move |x: Vector| gradient_a(loss, x)),
        &[vector(&[1.5, 2.5])],
    );
}

/// A pole of a partial derivative behind a zero adjoint.
#[test]
fn zeros_pass_nothing_on() {
    let f = |x: Exp<f64>| {
        custom_jvp_e(
            |x: Exp<f64>| x.sqrt(),
            |_: Exp<f64>, y: Exp<f64>, dx: Exp<f64>| dx / (2.0 * y),
            x,
        )
    };
    let cut = move |x: Vector| gradient_a(|x: Vector| x.map(move |x| f(x).max(1.0)).sum(), x);
    assert_eq!(
        floats(&agree(&program(cut), &[vector(&[0.0, 4.0])])[0]),
        [0.0, 0.25]
    );
}

fn compiled(f: impl FnOnce(Vector, Vector) -> Vector + 'static) -> Result<(), AdError> {
    differentiate(program(f)).map(|_| ())
}

#[test]
fn forward_mode_needs_a_rule() {
    let line = line!() + 1;
    let refused = compiled(|x, v| jvp_a(tenfold_back, x, v).1).unwrap_err();
    let text = refused.to_string();
    assert!(matches!(refused, AdError::NoForwardRule { .. }), "{text}");
    assert!(
        text.contains("custom_rules") && text.contains("custom.rs"),
        "{text} {line}"
    );
    let constant =
        compiled(|x, v| jvp_a(|v: Vector| tenfold_back(x).zip_with(v, |a, b| a * b), v, v).1);
    assert_eq!(constant, Ok(()));
    let of_gradient = compiled(|x, v| hvp_a(|x| energy(tenfold_back(x)), x, v));
    assert_eq!(of_gradient, Ok(()));
    twice(|x| aiterate(2, |_, y: Vector| tenfold_back(y).map(|y| y.sin()), x));
}

/// The solution of an equation, whose derivative does not go through the iteration that finds it.
#[test]
fn implicit_functions() {
    let solve = |x: Vector| {
        awhile(
            |(y, z): (Vector, Vector)| {
                y.zip_with(z, |y, z| (y - z).abs())
                    .maximum()
                    .the()
                    .gt(1e-13)
            },
            |_, (y, _)| (x.zip_with(y, |x, y| (x * y).cos()), y),
            (x, x.map(|x| x + 1.0)),
        )
        .0
    };
    let rule = |x: Vector, y: Vector, dx: Vector| {
        let slope = x.zip_with(y, |x, y| -(x * y).sin());
        let part = slope.zip_with(y, |s, y| s * y).zip_with(dx, |a, dx| a * dx);
        part.zip_with(slope.zip_with(x, |s, x| 1.0 - s * x), |a, b| a / b)
    };
    let f = move |x: Vector| energy(custom_jvp(solve, rule, x));
    let x: [HostArray; 1] = [vector(&[0.5, 0.9])];
    smooth(f, &x);
    smooth(move |x: Vector| energy(gradient_a(f, x)), &x);
}

/// Nothing goes through the function itself, so that what forward mode refuses may be in it.
#[test]
fn functions_with_a_rule_are_not_looked_into() {
    let f = |x: Vector| {
        let rule = |x: Vector, _: Vector, dx: Vector| x.zip_with(dx, |x, dx| 2.0 * x * dx);
        custom_jvp(tenfold_back, rule, x)
    };
    along(f);
    twice(f);
    let gradient = program(move |x: Vector| gradient_a(|x| f(x).sum(), x));
    assert_eq!(floats(&agree(&gradient, &[vector(&[3.0])])[0]), [6.0]);
}

/// The second derivative goes through a residual as what it is: an input as an input, although a result is the same array.
#[test]
fn residuals_that_are_inputs_and_results() {
    let f = |x: Vector| {
        let backward = |x: Vector, dy: Vector| x.zip_with(dy, |x, dy| x * dy);
        custom_vjp(|x: Vector| (x, x), backward, x)
    };
    twice(f);
    let second = move |x: Vector| gradient_a(|x| gradient_a(|x| f(x).sum(), x).sum(), x);
    assert_eq!(
        floats(&agree(&program(second), &[vector(&[3.0])])[0]),
        [1.0]
    );
}

/// A rule for reverse mode gives partial derivatives of the types of the inputs, which need not be that of the result.
#[test]
fn inputs_and_results_of_several_types() {
    type Narrow = Acc<Ix1, f32>;
    let product = |(x, y): (Narrow, Vector)| {
        let forward = |(x, y): (Narrow, Vector)| {
            let product = x.zip_with(y, |x, y| x.to_f64() * y);
            (product, (x, y))
        };
        let backward = |(x, y): (Narrow, Vector), d: Vector| {
            let by_x = y.zip_with(d, |y, d| (y * d).to_f32());
            (by_x, x.zip_with(d, |x, d| x.to_f64() * d))
        };
        custom_vjp(forward, backward, (x, y))
    };
    let gradient = move |x: Narrow, y: Vector| gradient_a(|both| energy(product(both)), (x, y));
    let point = [host(&[2], &[0.5_f32, -2.0]), vector(&[3.0, 0.25])];
    let found = agree(&program(gradient), &point);
    assert_eq!(floats(&found[0]), [7.5, 0.125]);
    let squares = move |x: Narrow, y: Vector| {
        let first = |both| gradient_a(|both| energy(product(both)), both).1;
        gradient_a(|both| energy(first(both)), (x, y))
    };
    agree(&program(squares), &point);
}
