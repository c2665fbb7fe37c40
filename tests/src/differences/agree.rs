//! Derivatives of functions of the surface, by all roads.

use cotangent::prelude::*;
use cotangent::{GradCheck, check_grad};

/// Asserts that reverse mode, forward mode and differences agree on the derivatives of a function.
#[track_caller]
pub fn all_agree<X: Arrays, Y: Arrays>(f: impl Fn(X) -> Y + Copy, x: X::Host) {
    let check = check_grad(f, x).unwrap();
    assert!(check.agrees(), "{check}");
}

/// The same for a function with jumps and kinks, by which differences go wrong that are close to one: that both modes agree at all points,
/// and differences with them at some. A wrong rule is wrong at all of them.
#[track_caller]
pub fn all_agree_between_jumps<X: Arrays, Y: Arrays>(
    f: impl Fn(X) -> Y + Copy,
    points: impl IntoIterator<Item = X::Host>,
) {
    let points = points.into_iter();
    let checks: Vec<GradCheck> = points.map(|x| check_grad(f, x).unwrap()).collect();
    for check in &checks {
        let mut modes = check.clone();
        modes.tolerances.1 = f64::INFINITY;
        assert!(modes.agrees(), "{modes}");
    }
    let texts = checks.iter().map(GradCheck::to_string);
    assert!(
        checks.iter().any(GradCheck::agrees),
        "{}",
        texts.collect::<String>()
    );
}
