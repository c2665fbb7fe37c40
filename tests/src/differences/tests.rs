//! The verdicts on programs where they are known.

use super::{Verdict, verdict};
use crate::generate::Case;
use cotangent_core::host::HostArray;
use cotangent_core::label::label;
use cotangent_core::recover::recover;
use cotangent_core::surface::AccFn;
use cotangent_core::surface::prelude::*;

type Vector = Acc<Ix1, f64>;

/// The case of a closure of one vector.
fn case<M, F: AccFn<M>>(f: F, input: &[f64]) -> Case {
    let traced = trace(f).unwrap();
    let program = recover(&traced.graph, &traced.lambda).unwrap();
    let input = HostArray::new(vec![input.len()], input.to_vec().into()).unwrap();
    Case {
        program: label(&program),
        inputs: vec![input],
    }
}

fn verdict_of<M, F: AccFn<M>>(f: F, input: &[f64]) -> Verdict {
    verdict(&case(f, input), 1).unwrap()
}

#[test]
fn smooth_programs_are_compared() {
    let norm = |x: Vector| x.map(|x| x * x).sum().map(|s| s.sqrt());
    assert_eq!(verdict_of(norm, &[0.3, -0.4, 2.0]), Verdict::Agrees);
    let absolute = |x: Vector| x.map(|x| x.abs());
    assert_eq!(verdict_of(absolute, &[0.3, -0.4]), Verdict::Agrees);
    let rounded = |x: Vector| x.map(|x| x.floor());
    assert_eq!(verdict_of(rounded, &[0.3, -0.4]), Verdict::Constant);
}

#[test]
fn kinks_and_jumps_within_the_steps_are_noticed() {
    for far in [1e-6, 1e-5, 2e-5, 4e-5] {
        let kink = |x: Vector| x.map(|x| x.abs() + x * x);
        assert_eq!(verdict_of(kink, &[far, 0.4]), Verdict::NotSmooth, "{far}");
        let jump = |x: Vector| x.map(|x| x.floor() + x * x);
        assert_eq!(verdict_of(jump, &[far, 0.4]), Verdict::NotSmooth, "{far}");
    }
}

#[test]
fn what_has_no_value_is_told_apart() {
    let logarithms = |x: Vector| x.map(|x| x.ln());
    assert_eq!(verdict_of(logarithms, &[0.3, -0.4]), Verdict::NoValue);
    let signs = |x: Vector| x.map(|x| x.gt(0.0));
    assert_eq!(verdict_of(signs, &[0.3, -0.4]), Verdict::NoValue);
    let failing = |x: Vector| x.slice(ix![5]);
    assert_eq!(verdict_of(failing, &[0.3, -0.4]), Verdict::NoValue);
}

/// Where the value at the point alone comes from another branch, differences do not notice it, and the derivative is
/// that of the branch.
#[test]
fn other_derivatives_than_by_differences_are_reported() {
    let line = |x: Vector| x.map(|x| cond(x.eq_(0.0), 0.0 * x, x));
    let found = verdict(&case(line, &[0.0]), 1).unwrap_err();
    assert_eq!(found.engine, "dual numbers");
}
