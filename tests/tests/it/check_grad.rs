//! Comparing derivatives, and finding numbers that are not finite.

use cotangent::prelude::*;
use cotangent::{NonFinite, check_grad, compile};

type Vector = Acc<Ix1, f64>;

fn vector(x: &[f64]) -> Array<Ix1, f64> {
    Array::vector(x.to_vec()).unwrap()
}

/// A square with a rule that is right up to a factor.
fn scaled(factor: f64) -> impl Fn(Vector) -> Vector + Copy {
    move |x: Vector| {
        let rule =
            move |x: Vector, _: Vector, dx: Vector| x.zip_with(dx, |x, dx| 2.0 * factor * x * dx);
        custom_jvp(|x: Vector| x.map(|x| x * x), rule, x)
    }
}

#[test]
fn derivatives_that_agree() {
    let f = |(m, v): (Acc<Ix2, f64>, Vector)| {
        let rows = v.replicate(ix![m.shape().0.1, All]);
        (
            m.zip_with(rows, |m, v| (m * v).sin()).sum(),
            v.product(),
            v.map(|x| x.to_i32()),
        )
    };
    let m = Array::from_vec([2, 3], vec![0.5, -1.0, 2.0, 0.25, 1.5, -0.75]).unwrap();
    let check = check_grad(f, (m, vector(&[0.3, 0.8, 1.2]))).unwrap();
    assert_eq!(check.derivatives.len(), 9);
    assert!(check.agrees(), "{check}");
    assert_eq!(check.to_string(), "9 of 9 derivatives agree");
    assert_eq!(
        (check.derivatives[5].column, &check.derivatives[5].index[..]),
        (0, &[1, 2][..])
    );
    assert!(
        check_grad(scaled(1.0), vector(&[0.5, 2.0]))
            .unwrap()
            .agrees()
    );
    assert!(check_grad(scaled(1.0), vector(&[])).unwrap().agrees());
    let wide = |x: Vector| x.map(|x| x * x * x);
    let many = check_grad(wide, vector(&[0.7; 1000])).unwrap();
    assert!(many.agrees() && many.derivatives.len() == 256, "{many}");
    let narrow = |x: Acc<Ix1, f32>| x.map(|x| x.exp() * x).sum();
    let point = Array::vector(vec![0.5_f32, -1.0]).unwrap();
    let check = check_grad(narrow, point).unwrap();
    assert!(check.agrees(), "{check}");
}

#[test]
fn derivatives_that_do_not() {
    let check = check_grad(scaled(1.001), vector(&[0.5, 0.0, 2.0])).unwrap();
    let wrong: Vec<usize> = check.disagreeing().map(|d| d.index[0]).collect();
    assert_eq!(wrong, [0, 2], "{check}");
    assert!(
        check.to_string().contains("1 of 3 derivatives agree"),
        "{check}"
    );
    assert!(
        check.to_string().contains("by input 0 at [2]: reverse"),
        "{check}"
    );
}

#[test]
fn rules_for_one_mode_only() {
    let f = |x: Vector| {
        let backward = |x: Vector, dy: Vector| x.zip_with(dy, |x, dy| 2.0 * x * dy);
        custom_vjp(|x: Vector| (x.map(|x| x * x), x), backward, x)
    };
    let check = check_grad(f, vector(&[0.5, 2.0])).unwrap();
    assert!(check.agrees(), "{check}");
    assert_eq!(check.derivatives[0].forward, None);
}

/// Each mode takes its own rule, and that they say the same is for this to find out.
#[test]
fn rules_that_contradict_each_other() {
    let f = |x: Vector| {
        let forward = |x: Vector| (x.map(|x| x * x), x);
        let right = |x: Vector, d: Vector| x.zip_with(d, |x, d| 2.0 * x * d);
        let wrong = |x: Vector, d: Vector| x.zip_with(d, |x, d| 3.0 * x * d);
        custom_rules(forward, wrong, right, x).sum()
    };
    let check = check_grad(f, vector(&[1.0])).unwrap();
    let derivative = &check.derivatives[0];
    assert_eq!((derivative.reverse, derivative.forward), (2.0, Some(3.0)));
    assert!(!check.agrees(), "{check}");
}

#[track_caller]
fn found(f: impl Fn(Vector) -> Vector + 'static, x: &[f64]) -> Option<NonFinite> {
    compile(f).unwrap().debug_infinities(vector(x)).unwrap()
}

#[test]
fn numbers_that_are_not_finite() {
    let line = line!() + 1;
    let at_line = found(|x| x.map(|x| (1.0 / x).min(5.0)), &[1.0, 0.0]).unwrap();
    assert_eq!(
        (at_line.operation.as_str(), at_line.is_derivative),
        ("div", false)
    );
    assert!(
        at_line
            .to_string()
            .contains(&format!("check_grad.rs:{line}:")),
        "{at_line}"
    );
    assert!(
        at_line.to_string().ends_with("a value of `div` is ∞"),
        "{at_line}"
    );
    assert_eq!(found(|x| x.map(|x| (1.0 / x).min(5.0)), &[1.0, 2.0]), None);
    let of_input = found(|x| x, &[f64::NAN]).unwrap();
    assert_eq!(of_input.operation, "input 0");
    let gradient = |x: Vector| gradient_a(|x: Vector| x.map(|x| x.sqrt()).sum(), x);
    let derivative = found(gradient, &[4.0, 0.0]).unwrap();
    assert_eq!(
        (derivative.operation.as_str(), derivative.is_derivative),
        ("sqrt", true)
    );
    assert_eq!(
        compile(gradient)
            .unwrap()
            .debug_nans(vector(&[0.0]))
            .unwrap(),
        None
    );
}

#[test]
fn trips_in_which_numbers_cease_to_be_finite() {
    let doubled = |x: Vector| aiterate(2000, |_, x: Vector| x.map(|x| x * 2.0), x);
    assert_eq!(found(doubled, &[1.0]).unwrap().trips, [1023]);
    let inner = |x: Vector| x.map(|x| iterate(2000, |_, x: Exp<f64>| x * 2.0, x));
    let inner = found(inner, &[1.0, 2.0]).unwrap();
    assert_eq!(inner.trips, [1023]);
    assert!(
        inner
            .to_string()
            .ends_with("in trip 1023 of the loop around it"),
        "{inner}"
    );
}
