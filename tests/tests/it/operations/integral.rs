//! Quotients, roots, logarithms and divisors of integers, and arithmetic that says what is beyond the range, against Rust's own functions.

use super::{agrees, gives, vector};
use cotangent::prelude::*;

type Ints<T> = Acc<Ix1, T>;

/// Numbers at the ends of each type, around zero, around squares and powers of ten, and others.
fn numbers() -> Vec<i128> {
    let powers = [7, 8, 15, 16, 31, 32, 63, 64].map(|n| 1i128 << n);
    let tens = (0..20).map(|n| 10i128.pow(n));
    let squares = [3, 11, 181, 46_340, 3_037_000_499, 4_294_967_295].map(|n: i128| n * n);
    let around = powers.into_iter().chain(tens).chain(squares).chain([0]);
    let around = around.flat_map(|x| [x - 1, x, x + 1, -x - 1, -x, 1 - x]);
    let any = (1..60i128).map(|n| (n * 0x9e37_79b9_7f4a_7c15) >> (n % 40));
    around.chain(any).collect()
}

/// Each number, and one that is not far in the list, for some lists as many.
fn pairs<T: Copy>(of: impl Fn(i128) -> T) -> (Vec<T>, Vec<T>) {
    let all: Vec<T> = numbers().into_iter().map(of).collect();
    let others = (0..40).flat_map(|by| {
        let (front, back) = all.split_at(by * 7 % all.len());
        all.iter().copied().zip(back.iter().chain(front).copied())
    });
    others.unzip()
}

macro_rules! for_each_type {
    ($test:ident! $($rest:tt)*) => {
        $test!(i8 $($rest)*);
        $test!(i16 $($rest)*);
        $test!(i32 $($rest)*);
        $test!(i64 $($rest)*);
        $test!(u8 $($rest)*);
        $test!(u16 $($rest)*);
        $test!(u32 $($rest)*);
        $test!(u64 $($rest)*);
    };
}

/// Each function of one number, of which the expected value is that of whole numbers, cut to the bits of its type.
macro_rules! unary {
    ($($name:ident -> $out:tt: $expected:expr;)*) => {$(
        #[test]
        fn $name() {
            for_each_type!(unary! $name $out ($expected));
        }
    )*};
    ($ty:ident $name:ident $out:tt $expected:tt) => {
        let values: Vec<$ty> = numbers().into_iter().map(|x| x as $ty).collect();
        let of: fn(i128) -> _ = $expected;
        let expected: Vec<_> = values.iter().map(|&x| unary!(@ $out $ty of(x as i128))).collect();
        let both = |v: Ints<$ty>| (v.$name(), v.map(|x| x.$name()));
        gives(both, vector(values), (vector(expected.clone()), vector(expected)));
    };
    (@ same $ty:ident $e:expr) => { $e as $ty };
    (@ bool $ty:ident $e:expr) => { $e };
    (@ u32 $ty:ident $e:expr) => { $e as u32 };
    (@ flag $ty:ident $e:expr) => { $e != 0 };
    (@ own $ty:ident $e:expr) => { ($e as $ty).cut() };
}

unary! {
    isqrt -> same: |x| x.max(0).isqrt();
    ilog2 -> u32: |x| if x < 1 { 0 } else { x.ilog2() };
    ilog10 -> u32: |x| if x < 1 { 0 } else { x.ilog10() };
    is_positive -> bool: |x| x > 0;
    is_negative -> bool: |x| x < 0;
    is_power_of_two -> bool: |x| x > 0 && x.count_ones() == 1;
    unsigned_abs -> own: |x| x.abs();
}

/// As an integer without a sign.
trait Cut {
    type Unsigned;
    fn cut(self) -> Self::Unsigned;
}

macro_rules! cut {
    ($($ty:ident $unsigned:ident),*) => {$(
        impl Cut for $ty {
            type Unsigned = $unsigned;

            fn cut(self) -> $unsigned {
                self as $unsigned
            }
        }
    )*};
}

cut!(i8 u8, i16 u16, i32 u32, i64 u64, u8 u8, u16 u16, u32 u32, u64 u64);

macro_rules! next_powers {
    ($ty:ident) => {
        let values: Vec<$ty> = numbers().into_iter().map(|x| x as $ty).collect();
        let expected = values.iter().map(|&x| {
            let next = (x as i128).max(1).cast_unsigned().next_power_of_two();
            <$ty>::try_from(next).unwrap_or(0)
        });
        let expected: Vec<$ty> = expected.collect();
        let both = |v: Ints<$ty>| (v.next_power_of_two(), v.map(|x| x.next_power_of_two()));
        gives(
            both,
            vector(values),
            (vector(expected.clone()), vector(expected)),
        );
    };
}

#[test]
fn next_power_of_two() {
    for_each_type!(next_powers!);
}

/// Each function of two numbers, as those of one.
macro_rules! binary {
    ($($name:ident -> $out:tt: $expected:expr;)*) => {$(
        #[test]
        fn $name() {
            for_each_type!(binary! $name $out ($expected));
        }
    )*};
    ($ty:ident $name:ident $out:tt $expected:tt) => {
        let (x, y) = pairs(|x| x as $ty);
        let of: fn(i128, i128) -> i128 = $expected;
        let expected = x.iter().zip(&y);
        let expected: Vec<_> = expected.map(|(&x, &y)| unary!(@ $out $ty of(x as i128, y as i128))).collect();
        let both = |v: Ints<$ty>, w: Ints<$ty>| (v.$name(w), v.zip_with(w, |x, y| x.$name(y)));
        gives(both, (vector(x), vector(y)), (vector(expected.clone()), vector(expected)));
    };
}

binary! {
    div_euclid -> same: |x, y| if y == 0 { 0 } else { x.div_euclid(y) };
    rem_euclid -> same: |x, y| if y == 0 { x } else { x.rem_euclid(y) };
    div_ceil -> same: |x, y| if y == 0 { 0 } else { -floor(-x, y) };
    next_multiple_of -> same: |x, y| if y == 0 { x } else { -floor(-x, y) * y };
    abs_diff -> own: |x, y| (x - y).abs();
    midpoint -> same: |x, y| (x + y) / 2;
    gcd -> same: divisor;
    ilog -> u32: |x, base| if x < 1 || base < 2 { 0 } else { x.ilog(base).into() };
    is_multiple_of -> flag: |x, y| (if y == 0 { x == 0 } else { x % y == 0 }).into();
}

fn floor(x: i128, y: i128) -> i128 {
    let rest = x.rem_euclid(y.abs());
    (x - rest) / y - i128::from(y < 0 && rest != 0)
}

fn divisor(x: i128, y: i128) -> i128 {
    if y == 0 { x.abs() } else { divisor(y, x % y) }
}

macro_rules! multiples {
    ($ty:ident) => {
        let (x, y) = pairs(|x| x as $ty);
        let expected = x.iter().zip(&y).map(|(&x, &y)| {
            let (x, y) = (x as i128, y as i128);
            let product = if x == 0 {
                0
            } else {
                (x / divisor(x, y)).wrapping_mul(y)
            };
            i128::from(product as $ty).unsigned_abs() as $ty
        });
        let expected: Vec<$ty> = expected.collect();
        let both = |v: Ints<$ty>, w: Ints<$ty>| (v.lcm(w), v.zip_with(w, |x, y| x.lcm(y)));
        gives(
            both,
            (vector(x), vector(y)),
            (vector(expected.clone()), vector(expected)),
        );
    };
}

#[test]
fn lcm() {
    for_each_type!(multiples!);
}

/// Functions of two numbers that are Rust's of the same name.
macro_rules! own {
    ($($name:ident;)*) => {$(
        #[test]
        fn $name() {
            for_each_type!(own! $name);
        }
    )*};
    ($ty:ident $name:ident) => {
        let (x, y) = pairs(|x| x as $ty);
        let expected: Vec<_> = x.iter().zip(&y).map(|(x, &y)| x.$name(y)).collect();
        let both = |v: Ints<$ty>, w: Ints<$ty>| (v.$name(w), v.zip_with(w, |x, y| x.$name(y)));
        gives(both, (vector(x), vector(y)), (vector(expected.clone()), vector(expected)));
    };
}

own! {
    saturating_add;
    saturating_sub;
    saturating_mul;
    overflowing_add;
    overflowing_sub;
    overflowing_mul;
    checked_add;
    checked_sub;
    checked_mul;
    checked_div;
    checked_rem;
}

/// Functions of one number that are Rust's of the same name, which not all types have there.
macro_rules! own_unary {
    ($($name:ident: $($ty:ident)*;)*) => {$(
        #[test]
        fn $name() {
            $({
                let x: Vec<$ty> = numbers().into_iter().map(|x| x as $ty).collect();
                let expected: Vec<_> = x.iter().map(|x| x.$name()).collect();
                let both = |v: Ints<$ty>| (v.$name(), v.map(|x| x.$name()));
                gives(both, vector(x), (vector(expected.clone()), vector(expected)));
            })*
        }
    )*};
}

own_unary! {
    overflowing_neg: i8 i16 i32 i64 u8 u16 u32 u64;
    checked_neg: i8 i16 i32 i64 u8 u16 u32 u64;
    saturating_neg: i8 i16 i32 i64;
    overflowing_abs: i8 i16 i32 i64;
    checked_abs: i8 i16 i32 i64;
    saturating_abs: i8 i16 i32 i64;
}

/// Of numbers without signs, Rust has none of these.
#[test]
fn numbers_without_signs() {
    let f = |v: Ints<u8>| {
        let absolute = (v.overflowing_abs(), v.checked_abs(), v.saturating_abs());
        (v.saturating_neg(), absolute)
    };
    let x = vec![0u8, 1, 255];
    let same: Vec<_> = x.iter().map(|&x| (x, false)).collect();
    let some: Vec<_> = x.iter().map(|&x| Some(x)).collect();
    let absolute = (vector(same), vector(some), vector(x.clone()));
    gives(f, vector(x), (vector([0, 0, 0]), absolute));
}

/// Powers that are Rust's of the same name.
macro_rules! powers {
    ($($name:ident;)*) => {$(
        #[test]
        fn $name() {
            for_each_type!(powers! $name);
        }
    )*};
    ($ty:ident $name:ident) => {
        for exponent in [0, 1, 2, 3, 6, 7, 31] {
            let x: Vec<$ty> = numbers().into_iter().map(|x| x as $ty).collect();
            let expected: Vec<_> = x.iter().map(|x| x.$name(exponent)).collect();
            let both = |v: Ints<$ty>| (v.$name(exponent), v.map(|x| x.$name(exponent)));
            gives(both, vector(x), (vector(expected.clone()), vector(expected)));
        }
    };
}

powers! {
    overflowing_pow;
    checked_pow;
    saturating_pow;
}

/// Shifts that are Rust's of the same name, by numbers of the type; by negative ones as by too many bits.
macro_rules! shifts {
    ($($name:ident;)*) => {$(
        #[test]
        fn $name() {
            for_each_type!(shifts! $name);
        }
    )*};
    ($ty:ident $name:ident) => {
        let (x, _) = pairs(|x| x as $ty);
        let by: Vec<$ty> = (0..x.len()).map(|k| (k as i32 % 80 - 7) as $ty).collect();
        let bits = |by: $ty| u32::try_from(by).unwrap_or(u32::MAX);
        let expected: Vec<_> = x.iter().zip(&by).map(|(x, &by)| x.$name(bits(by))).collect();
        let both = |v: Ints<$ty>, w: Ints<$ty>| (v.$name(w), v.zip_with(w, |x, y| x.$name(y)));
        gives(both, (vector(x), vector(by)), (vector(expected.clone()), vector(expected)));
    };
}

shifts! {
    checked_shl;
    checked_shr;
    unbounded_shl;
    unbounded_shr;
}

/// All functions, mixed, for one type.
macro_rules! mixed {
    ($ty:ident) => {
        |v: Ints<$ty>, w: Ints<$ty>| {
            let counts = v.ilog2() * 64 + v.isqrt().to::<u32>() + w.ilog10() * v.leading_ones();
            let quotients = v.div_euclid(w) ^ v.rem_euclid(w) ^ v.div_ceil(w);
            let own = v.saturating_mul(w) ^ v.gcd(w) ^ w.next_power_of_two() ^ v.midpoint(w);
            (counts, quotients, own, v.abs_diff(w), v.checked_mul(w))
        }
    };
}

macro_rules! in_every_engine {
    ($($ty:ident)*) => {$(
        let (x, y) = pairs(|x| x as $ty);
        agrees(mixed!($ty), vec![x.into(), y.into()]);
    )*};
}

#[test]
fn integral_functions_in_every_engine() {
    in_every_engine!(i8 i16 i32 i64 u8 u16 u32 u64);
}
