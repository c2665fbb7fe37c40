//! The bits of integers, against Rust's own functions, in every engine.

use super::{agrees, gives, vector};
use cotangent::prelude::*;

type Ints<T> = Acc<Ix1, T>;

/// Numbers with few bits, with many, at the ends of the range, and any.
fn numbers() -> Vec<i64> {
    let single = (0..64).map(|n| 1i64 << n);
    let ends = single.clone().map(|x| x.wrapping_sub(1));
    let any =
        (0..200u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(n as u32) as i64);
    let all = single.chain(ends).chain(any);
    let all = all.flat_map(|x| [x, !x, x.wrapping_neg()]);
    all.chain([0, -1, i64::from(i32::MIN), i64::from(i32::MAX)])
        .collect()
}

fn as_type<T>(of: impl Fn(i64) -> T) -> Vec<T> {
    numbers().into_iter().map(of).collect()
}

/// Each function of one number, which is Rust's of the same name.
macro_rules! unary {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            unary!(@ $name i8);
            unary!(@ $name i16);
            unary!(@ $name i32);
            unary!(@ $name i64);
            unary!(@ $name u8);
            unary!(@ $name u16);
            unary!(@ $name u32);
            unary!(@ $name u64);
        }
    )*};
    (@ $name:ident $ty:ident) => {
        let values = as_type(|x| x as $ty);
        let expected: Vec<_> = values.iter().map(|x| x.$name()).collect();
        let both = |v: Ints<$ty>| (v.$name(), v.map(|x| x.$name()));
        gives(both, vector(values), (vector(expected.clone()), vector(expected)));
    };
}

unary! {
    count_ones
    count_zeros
    leading_zeros
    trailing_zeros
    leading_ones
    trailing_ones
    reverse_bits
    swap_bytes
}

/// The same of a number and how far, some of which are as many as there are bits, or more.
macro_rules! rotations {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            rotations!(@ $name i8);
            rotations!(@ $name i16);
            rotations!(@ $name i32);
            rotations!(@ $name i64);
            rotations!(@ $name u8);
            rotations!(@ $name u16);
            rotations!(@ $name u32);
            rotations!(@ $name u64);
        }
    )*};
    (@ $name:ident $ty:ident) => {
        for by in [0, 1, 7, 31, 32, 33, 63, 64, 100, u32::MAX] {
            let values = as_type(|x| x as $ty);
            let expected: Vec<_> = values.iter().map(|x| x.$name(by)).collect();
            let pairs: Vec<_> = values.iter().map(|&x| (x, by)).collect();
            let each = |v: Acc<Ix1, ($ty, u32)>| v.map(|(x, by)| x.$name(by));
            gives(each, vector(pairs), vector(expected.clone()));
            gives(|v: Ints<$ty>| v.$name(by), vector(values), vector(expected));
        }
    };
}

rotations! {
    rotate_left
    rotate_right
}

macro_rules! powers {
    ($($ty:ident)*) => {$(
        for exponent in [0, 1, 2, 3, 5, 31, 1 << 31] {
            let values = as_type(|x| x as $ty);
            let expected: Vec<_> = values.iter().map(|x| x.wrapping_pow(exponent)).collect();
            let both = |v: Ints<$ty>| (v.pow(exponent), v.map(|x| x.pow(exponent)));
            gives(both, vector(values), (vector(expected.clone()), vector(expected)));
        }
    )*};
}

#[test]
fn pow() {
    powers!(i8 i16 i32 i64 u8 u16 u32 u64);
}

/// All functions, mixed, for one type.
macro_rules! mixed {
    ($ty:ident) => {
        |v: Ints<$ty>, w: Ints<$ty>| {
            let counts =
                v.count_ones() * 64 + v.leading_zeros() + v.trailing_zeros() * w.count_zeros();
            let turned = v.rotate_left(5) ^ w.rotate_right(9) ^ v.reverse_bits();
            (counts, turned, w.swap_bytes() + v.pow(3))
        }
    };
}

macro_rules! in_every_engine {
    ($($ty:ident)*) => {$(
        let some = |n: usize| numbers().into_iter().cycle().skip(n).take(500);
        let ints = |n: usize| some(n).map(|x| x as $ty).collect::<Vec<_>>().into();
        agrees(mixed!($ty), vec![ints(0), ints(7)]);
    )*};
}

#[test]
fn bits_in_every_engine() {
    in_every_engine!(i8 i16 i32 i64 u8 u16 u32 u64);
}
