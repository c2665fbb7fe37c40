//! Functions of integers and of floats, on each element.

use super::{extents, number, of_two};
use cotangent::prelude::*;

/// Runs a test that is generic in the rank and the element type for all ranks and some types.
macro_rules! of_types {
    ($test:ident: $($ty:ty),*) => {$(
        $test::<Ix0, $ty>();
        $test::<Ix1, $ty>();
        $test::<Ix2, $ty>();
        $test::<Ix3, $ty>();
        $test::<Ix4, $ty>();
    )*};
}

fn of_integers<Sh: Shape, T: Integral>(a: Acc<Sh, T>, b: Acc<Sh, T>) -> impl Arrays {
    let by = b * b + number(1);
    (
        (
            (a % by, a.rem_euclid(by), a.div_euclid(by)),
            (a.div_floor(by), a.div_ceil(by), a.mod_floor(by)),
            (a.next_multiple_of(by), a.gcd(b), a.lcm(b)),
        ),
        (
            (a.midpoint(b), a.abs_diff(b).to::<i32>(), a.abs()),
            (a.saturating_add(b), a.saturating_mul(b), a.pow(2)),
            (a.is_positive(), a.is_power_of_two(), a.signum()),
        ),
        (
            (by.isqrt(), by.ilog2(), by.next_power_of_two()),
            (by.count_ones(), by.trailing_zeros(), by & a.abs()),
            (
                a.checked_div(b).map(|x| x.unwrap_or(number(7))),
                by | number(1),
            ),
        ),
        (
            (by.ilog(number(3)), a.is_multiple_of(b), a.saturating_abs()),
            (
                a.checked_pow(2).map(|x| x.unwrap_or(number(7))),
                by.unbounded_shl(number(1)),
                by.unbounded_shr(number(9)),
            ),
        ),
    )
}

fn integers<Sh: Shape, T: Integral>() {
    of_two::<T, _, _>(of_integers::<Sh, T>, extents(Sh::RANK), |a, b| {
        let by = b.map(|y| y * y + 1);
        let up = |x: i64, y: i64| -(-x).div_euclid(y);
        let gcd = |x: i64, y: i64| (1..=x.abs().max(y.abs())).rfind(|d| x % d == 0 && y % d == 0);
        let gcd = |x: i64, y: i64| gcd(x, y).unwrap_or(0);
        let is_power = |x: i64| i64::from(x > 0 && x.count_ones() == 1);
        vec![
            a.zip_with(&by, |x, y| x % y),
            a.zip_with(&by, i64::rem_euclid),
            a.zip_with(&by, i64::div_euclid),
            a.zip_with(&by, i64::div_euclid),
            a.zip_with(&by, up),
            a.zip_with(&by, i64::rem_euclid),
            a.zip_with(&by, |x, y| up(x, y) * y),
            a.zip_with(b, gcd),
            a.zip_with(b, |x, y| (x * y).abs() / gcd(x, y).max(1)),
            a.zip_with(b, |x, y| (x + y) / 2),
            a.zip_with(b, |x, y| (x - y).abs()),
            a.map(i64::abs),
            a.zip_with(b, |x, y| x + y),
            a.zip_with(b, |x, y| x * y),
            a.map(|x| x * x),
            a.map(|x| i64::from(x > 0)),
            a.map(is_power),
            a.map(i64::signum),
            by.map(i64::isqrt),
            by.map(|y| y.ilog2().into()),
            by.map(|y| y.cast_unsigned().next_power_of_two().cast_signed()),
            by.map(|y| y.count_ones().into()),
            by.map(|y| y.trailing_zeros().into()),
            by.zip_with(a, |y, x| y & x.abs()),
            a.zip_with(b, |x, y| x.checked_div(y).unwrap_or(7)),
            by.map(|y| y | 1),
            by.map(|y| y.ilog(3).into()),
            a.zip_with(b, |x, y| i64::from(x.checked_rem(y).unwrap_or(x) == 0)),
            a.map(i64::abs),
            a.map(|x| x * x),
            by.map(|y| y << 1),
            by.map(|y| y >> 9),
        ]
    });
}

#[test]
fn integral_functions() {
    of_types!(integers: i8, i16, i32, i64, u8, u16, u32, u64);
}

fn of_floats<Sh: Shape, T: Float>(a: Acc<Sh, T>, b: Acc<Sh, T>) -> impl Arrays {
    let (half, by) = (a / number(2), b * b + number(1));
    (
        (
            (half.floor(), half.ceil(), half.round()),
            (
                half.trunc(),
                half.round_ties_even(),
                half.fract() * number(2),
            ),
            (a % by, a.rem_euclid(by), a.div_euclid(by)),
        ),
        (
            (
                a.midpoint(b) * number(2),
                a.copysign(b - number(1)),
                a.signum(),
            ),
            (a.is_finite(), a.is_normal(), a.is_nan()),
            (
                a.map(|x| Exp::<T>::from_bits(x.to_bits())),
                a.next_up().next_down(),
            ),
        ),
        (
            (a.mul_add(b, by), a.powi(2), a.hypot(b * number(0))),
            (a.floor_to::<i32>(), half.round_to::<i32>(), a.sqr()),
            ((a * a).sqrt(), a.is_infinite()),
        ),
    )
}

fn floats<Sh: Shape, T: Float>() {
    of_two::<T, _, _>(of_floats::<Sh, T>, extents(Sh::RANK), |a, b| {
        let by = b.map(|y| y * y + 1);
        let halves = |f: fn(f64) -> f64| a.map(|x| f(x as f64 / 2.0) as i64);
        let is = |f: fn(i64) -> bool| a.map(|x| i64::from(f(x)));
        vec![
            halves(f64::floor),
            halves(f64::ceil),
            halves(f64::round),
            halves(f64::trunc),
            halves(f64::round_ties_even),
            a.map(|x| x % 2),
            a.zip_with(&by, |x, y| x % y),
            a.zip_with(&by, i64::rem_euclid),
            a.zip_with(&by, i64::div_euclid),
            a.zip_with(b, |x, y| x + y),
            a.zip_with(b, |x, y| if y < 1 { -x.abs() } else { x.abs() }),
            a.map(i64::signum),
            is(|_| true),
            is(|x| x != 0),
            is(|_| false),
            a.clone(),
            a.clone(),
            a.zip_with(b, |x, y| x * y).zip_with(&by, |x, y| x + y),
            a.map(|x| x * x),
            a.map(i64::abs),
            a.clone(),
            halves(f64::round),
            a.map(|x| x * x),
            a.map(i64::abs),
            is(|_| false),
        ]
    });
}

#[test]
fn functions_of_floats() {
    of_types!(floats: cotangent::f16, f32, f64);
}
