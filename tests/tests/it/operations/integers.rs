//! Integers of every width: arithmetic that wraps, conversions, and what arrays of them are combined to, against Rust's own.

use super::{agrees, gives, vector};
use cotangent::compile;
use cotangent::prelude::*;
use cotangent_backend_gpu::Gpu;
use cotangent_tests::skip::skipped;

/// Numbers at the ends of each type, around zero, and others.
fn numbers() -> Vec<i128> {
    let ends = [7, 8, 15, 16, 31, 32, 63, 64].map(|n| 1i128 << n);
    let around = ends.into_iter().chain([0, 100]);
    let around = around.flat_map(|x| [x - 2, x - 1, x, x + 1, -x - 1, -x, 1 - x]);
    let any = (1..60i128).map(|n| (n * 0x9e37_79b9_7f4a_7c15) >> (n % 40));
    around.chain(any).collect()
}

/// All pairs.
fn pairs<T: Copy>(of: impl Fn(i128) -> T) -> (Vec<T>, Vec<T>) {
    let all: Vec<T> = numbers().into_iter().map(of).collect();
    let pairs = all.iter().flat_map(|&x| all.iter().map(move |&y| (x, y)));
    pairs.unzip()
}

/// Runs a macro once for each integer type.
macro_rules! for_each_type {
    ($test:ident $($rest:tt)*) => {
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

/// An operation of two numbers on all pairs, of elements and of arrays.
macro_rules! binary {
    ($ty:ident $($name:literal: $f:expr, $expected:expr;)*) => {$({
        let (x, y) = pairs(|n| n as $ty);
        let expected: Vec<_> = x.iter().zip(&y).map(|(&x, &y)| $expected(x, y)).collect();
        let program = |x: Acc<Ix1, $ty>, y: Acc<Ix1, $ty>| x.zip_with(y, $f);
        gives(program, (vector(x), vector(y)), vector(expected));
    })*};
}

macro_rules! arithmetic {
    ($ty:ident) => {
        binary! {
            $ty
            "sum": |x, y| x + y, |x: $ty, y| x.wrapping_add(y);
            "difference": |x, y| x - y, |x: $ty, y| x.wrapping_sub(y);
            "product": |x, y| x * y, |x: $ty, y| x.wrapping_mul(y);
            "quotient": |x, y| x / y, |x: $ty, y| if y == 0 { 0 } else { x.wrapping_div(y) };
            "remainder": |x, y| x % y, |x: $ty, y| if y == 0 { x } else { x.wrapping_rem(y) };
            "modulus": |x, y| x.mod_floor(y), |x: $ty, y: $ty| modulus(x as i128, y as i128) as $ty;
            "floor": |x, y| x.div_floor(y), |x: $ty, y: $ty| floor(x as i128, y as i128) as $ty;
            "greater": |x, y| x.max(y), |x: $ty, y| x.max(y);
            "lesser": |x, y| x.min(y), |x: $ty, y| x.min(y);
            "and": |x, y| x & y, |x: $ty, y: $ty| x & y;
            "or": |x, y| x | y, |x: $ty, y: $ty| x | y;
            "exclusive or": |x, y| x ^ y, |x: $ty, y: $ty| x ^ y;
            "left": |x, y| x << y, |x: $ty, y: $ty| x.wrapping_shl(y as u32);
            "right": |x, y| x >> y, |x: $ty, y: $ty| x.wrapping_shr(y as u32);
            "less": |x, y| x.lt(y), |x: $ty, y: $ty| x < y;
            "less or equal": |x, y| x.le(y), |x: $ty, y: $ty| x <= y;
            "equal": |x, y| x.eq_(y), |x: $ty, y: $ty| x == y;
            "selection": |x, y| cond(x.gt(y), -x, !y), |x: $ty, y: $ty| if x > y { x.wrapping_neg() } else { !y };
            "beyond zero": |x, y| (x.mod_floor(7) - y.mod_floor(5)).lt(100), |x: $ty, y: $ty| {
                let [x, y] = [(x, 7), (y, 5)].map(|(x, by)| modulus(x as i128, by) as $ty);
                x.wrapping_sub(y) < 100
            };
            "with literals": |x, y| (x * 3 + 7) / 5 - y % 9, |x: $ty, y: $ty| {
                (x.wrapping_mul(3).wrapping_add(7) / 5).wrapping_sub(y % 9)
            };
            "by powers of two": |x, y| x / 8 + y % 16 + x.div_floor(4) + y.mod_floor(32), |x: $ty, y: $ty| {
                let (floor, modulus) = (floor(x as i128, 4) as $ty, modulus(y as i128, 32) as $ty);
                (x / 8).wrapping_add(y % 16).wrapping_add(floor).wrapping_add(modulus)
            };
        }
    };
}

/// Rounded down; 0 by zero.
fn floor(x: i128, y: i128) -> i128 {
    if y == 0 { 0 } else { (x - modulus(x, y)) / y }
}

/// What is left of that.
fn modulus(x: i128, y: i128) -> i128 {
    let rest = if y == 0 { x } else { x % y };
    if y != 0 && rest != 0 && (rest < 0) != (y < 0) {
        rest + y
    } else {
        rest
    }
}

#[test]
fn operators_on_integers_of_every_width() {
    for_each_type!(arithmetic);
}

macro_rules! signs {
    ($ty:ident) => {
        let values: Vec<$ty> = numbers().into_iter().map(|n| n as $ty).collect();
        let expected = values.iter().map(|&x| {
            let wide = x as i128;
            (
                wide.unsigned_abs() as $ty,
                wide.signum() as $ty,
                x.wrapping_neg(),
                !x,
            )
        });
        let expected: Vec<_> = expected.collect();
        let program = |v: Acc<Ix1, $ty>| v.map(|x| (x.abs(), x.signum(), -x, !x));
        gives(program, vector(values), vector(expected));
    };
}

#[test]
fn signs_of_integers_of_every_width() {
    for_each_type!(signs);
}

macro_rules! conversion {
    ($to:ident $from:ident $values:expr) => {
        let values: Vec<$from> = $values;
        let expected: Vec<$to> = values.iter().map(|&x| x as $to).collect();
        gives(
            |v: Acc<Ix1, $from>| v.to::<$to>(),
            vector(values),
            vector(expected),
        );
    };
}

macro_rules! conversions {
    ($from:ident) => {
        let values = || numbers().into_iter().map(|n| n as $from).collect::<Vec<_>>();
        for_each_type!(conversion $from values());
        conversion!(f32 $from values());
        conversion!(f64 $from values());
        let holds = values().into_iter().map(|x| x != 0).collect::<Vec<_>>();
        gives(|v: Acc<Ix1, $from>| v.to::<bool>(), vector(values()), vector(holds.clone()));
        let ones: Vec<_> = holds.iter().map(|&holds| $from::from(holds)).collect();
        gives(|v: Acc<Ix1, bool>| v.to::<$from>(), vector(holds), vector(ones));
    };
}

/// Floats of all magnitudes, NaN and infinities.
fn floats() -> Vec<f64> {
    let finite = numbers().into_iter().map(|n| n as f64 * 0.75);
    finite
        .chain([
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -0.0,
            0.5,
            -0.99,
            1e300,
        ])
        .collect()
}

#[test]
fn conversions_between_all_widths() {
    for_each_type!(conversions);
    for_each_type!(conversion f64 floats());
    for_each_type!(conversion f32 floats().into_iter().map(|x| x as f32).collect::<Vec<_>>());
}

/// What vectors of several lengths are combined to: sums and products wrap.
macro_rules! collective {
    ($ty:ident) => {
        for n in [0usize, 1, 7, 300, 70_000] {
            let values: Vec<$ty> = numbers()
                .into_iter()
                .cycle()
                .take(n)
                .map(|x| x as $ty)
                .collect();
            let sum = values.iter().fold(0, |sum: $ty, &x| sum.wrapping_add(x));
            let odd_product = values
                .iter()
                .fold(1, |product: $ty, &x| product.wrapping_mul(x | 1));
            let bits = values.iter().fold(0, |bits, x| bits ^ x);
            let running = values.iter().scan(0, |sum: &mut $ty, &x| {
                *sum = sum.wrapping_add(x);
                Some(*sum)
            });
            let mut sorted = values.clone();
            sorted.sort();
            let mut counts = vec![0 as $ty; 5];
            for &x in &values {
                let count = &mut counts[(x as i128).rem_euclid(5) as usize];
                *count = count.wrapping_add(x);
            }
            let program = |v: Acc<Ix1, $ty>| {
                let groups = v.map(|x| {
                    let five = x.to::<i64>().mod_floor(5).to_i32();
                    // A `u64` beyond `i64` comes out negative: 2⁶⁴ is 1 modulo 5.
                    let beyond = cond::<i32>(x.gt(0).and(x.to::<i64>().lt(0)), 1, 0);
                    (five + beyond) % 5
                });
                let start = fill(ix![5], Lift::<$ty>::lift(0));
                (
                    v.sum(),
                    v.map(|x| x | 1).product(),
                    v.fold(Lift::<$ty>::lift(0), |x, y| x ^ y),
                    v.scanl1(|x, y| x + y),
                    v.sort(),
                    v.permute(Combine::Add, start, |ix![i]| (true, ix![groups.at(ix![i])])),
                )
            };
            let expected = (
                Array::scalar(sum),
                Array::scalar(odd_product),
                Array::scalar(bits),
                vector(running.collect::<Vec<_>>()),
                vector(sorted),
                vector(counts),
            );
            gives(program, vector(values), expected);
        }
    };
}

#[test]
fn vectors_of_every_width() {
    for_each_type!(collective);
}

/// Arithmetic, conversions to and from `f64`, sums, scans and scatters, in every engine.
#[test]
fn wide_integers_without_signs_in_every_engine() {
    let ints = |n: usize| {
        let numbers = numbers().into_iter().cycle().skip(n).take(700);
        numbers.map(|x| x as u64).collect::<Vec<_>>().into()
    };
    let program = |v: Acc<Ix1, u64>, w: Acc<Ix1, u64>| {
        let all = v.zip_with(w, |x, y| {
            let parts = (
                x + y * 3,
                x / y + x % 7,
                (x >> 5) ^ (y << 9),
                x.max(y) - x.min(y),
            );
            (
                parts.0 ^ parts.1,
                parts.2 ^ parts.3,
                cond::<u64>(x.lt(y), -x, !y),
                x.abs() + y.signum(),
            )
        });
        let to = v.map(|x| {
            (
                x.to::<i32>(),
                x.to::<u32>(),
                x.to::<i64>(),
                x.to::<f64>(),
                x.to::<f32>(),
            )
        });
        let back = v.map(|x| {
            let float = x.to::<f64>() * 1.5;
            (
                x.to::<i32>().to::<u64>(),
                x.to::<i64>().to::<u64>(),
                float.to::<u64>(),
                x.to::<u32>().to::<u64>(),
            )
        });
        let start = fill(ix![5], Lift::<u64>::lift(1));
        let counts = w.permute(Combine::Add, start, |ix![i]| (true, ix![i % 5]));
        (
            all,
            to,
            back,
            (
                v.sum(),
                w.maximum(),
                v.scanl1(|x, y| x + y),
                counts,
                v.sort(),
            ),
        )
    };
    agrees(program, vec![ints(0), ints(11)]);
}

/// On a device, too, they wrap, and take as many bytes as on the host: several are in a word, which invocations of one
/// kernel write parts of.
#[test]
fn narrow_integers_on_a_device() {
    let device = match Gpu::open(None) {
        Ok(device) => device,
        Err(error) => return skipped(&error),
    };
    let program = compile(|v: Acc<Ix1, u8>| v.reverse().map(|x| x + 200)).unwrap();
    let input: Vec<u8> = (0..1003).map(|n| n as u8).collect();
    let expected: Vec<u8> = input.iter().rev().map(|x| x.wrapping_add(200)).collect();
    let (found, measures) = program
        .run_measured(&device, vector::<u8>(input.clone()))
        .unwrap();
    assert_eq!(found.to_vec(), expected);
    // Of what the run made: inputs are counted apart.
    assert_eq!(measures.peak_bytes, 1003);
}

/// One byte an element, in memory, in results, and in the answer to what a program takes.
#[test]
fn narrow_integers_are_stored_narrow() {
    let program = compile(|v: Acc<Ix1, u8>| v.map(|x| x * 2).scanl1(|x, y| x + y)).unwrap();
    let explanation = program.explain_for(&[&[1000]]).unwrap();
    let bytes = explanation
        .kernels
        .iter()
        .map(|kernel| kernel.bytes.number().unwrap());
    assert_eq!(bytes.sum::<u64>(), 2000);
    assert_eq!(explanation.inputs_bytes.number(), Some(1000));
}
