//! What the functions should give, and how far off they are.

use crate::device::Real;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use std::f64::consts::LN_2;

/// The value of a primitive, computed in `f64` and rounded.
pub(crate) fn value<T: Real>(prim: Prim, x: T, y: T) -> T {
    T::narrow(wide_value(prim, x.wide(), y.wide()))
}

/// Those of the standard library are off by many units or overflow in three cases.
fn wide_value(prim: Prim, x: f64, y: f64) -> f64 {
    match prim {
        Prim::Asinh if x.abs() > 1e9 => (x.abs().ln() + LN_2).copysign(x),
        Prim::Asinh => {
            let square = x * x;
            let more = square / (1.0 + (1.0 + square).sqrt());
            (x.abs() + more).ln_1p().copysign(x)
        }
        Prim::Acosh if x < 1.0 => f64::NAN,
        Prim::Acosh if x > 1e9 => x.ln() + LN_2,
        Prim::Acosh => (x - 1.0 + ((x - 1.0) * (x + 1.0)).sqrt()).ln_1p(),
        Prim::Atanh => 0.5 * (x.ln_1p() - (-x).ln_1p()),
        other => evaluated(other, x, y),
    }
}

fn evaluated(prim: Prim, x: f64, y: f64) -> f64 {
    let operands = [Const::F64(x), Const::F64(y)];
    match prim.eval(&operands[..prim.arity()]) {
        Some(Const::F64(value)) => value,
        Some(Const::Bool(value)) => f64::from(u8::from(value)),
        other => panic!("{prim} gives {other:?}"),
    }
}

/// The argument as it is, and as a device may see it.
fn as_seen<T: Real>(x: T) -> [T; 2] {
    let is_subnormal = x.wide().abs() < T::LEAST;
    let flushed = T::narrow(0.0_f64.copysign(x.wide()));
    [x, if is_subnormal { flushed } else { x }]
}

/// The error of a result, where subnormal arguments may be flushed to zero.
pub(crate) fn error<T: Real>(prim: Prim, (x, y): (T, T), found: T) -> u64 {
    let mut least = u64::MAX;
    for x in as_seen(x) {
        for y in as_seen(y) {
            least = least.min(distance(value(prim, x, y), found));
        }
    }
    least
}

/// How many floats away the second is, where subnormal numbers may be flushed to zero.
fn distance<T: Real>(expected: T, found: T) -> u64 {
    let (wide, wide_found) = (expected.wide(), found.wide());
    if wide.is_nan() || wide_found.is_nan() {
        return if wide.is_nan() && wide_found.is_nan() {
            0
        } else {
            u64::MAX
        };
    }
    if wide.abs() <= T::LEAST || wide_found.abs() <= T::LEAST {
        let small = wide.abs().max(wide_found.abs()) <= 2.0 * T::LEAST;
        let alike = wide.is_sign_negative() == wide_found.is_sign_negative();
        return if small && alike { 0 } else { u64::MAX };
    }
    expected.order().abs_diff(found.order())
}
