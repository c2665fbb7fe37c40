//! Floats by their bits, and their neighbours, against Rust's own functions of each type.

use super::{agrees, maps};
use cotangent::f16;
use cotangent::prelude::*;
use cotangent_tests::differences::all_agree;

/// Numbers of all magnitudes and signs, at the ends of the ranges of each type, zeros and infinities.
fn numbers() -> Vec<f64> {
    let any = (1..40).map(|i| f64::from(i).sqrt() * 2f64.powi(i * 53 % 80 - 40));
    let halves = [65504.0, 32768.0, 6.103515625e-5, 5.960464477539063e-8];
    let singles = [f32::MAX, f32::MIN_POSITIVE, 1e-45, 1.0 - f32::EPSILON];
    let doubles = [f64::MAX, f64::MIN_POSITIVE, 5e-324, 1.0, f64::INFINITY, 0.0];
    let sizes = any
        .chain(halves)
        .chain(singles.map(f64::from))
        .chain(doubles);
    sizes.flat_map(|x| [x, -x]).collect()
}

/// Each function, for all three types of floats.
macro_rules! for_each_type {
    ($values:ident: $($body:tt)*) => {
        let $values: Vec<f64> = numbers();
        $($body)*
        let $values: Vec<f32> = numbers().into_iter().map(|x| x as f32).collect();
        $($body)*
        let $values: Vec<f16> = numbers().into_iter().map(f16::from_f64).collect();
        $($body)*
    };
}

#[test]
fn to_bits() {
    for_each_type! { values:
        let expected: Vec<_> = values.iter().map(|x| x.to_bits()).collect();
        maps(|x: Exp<_>| x.to_bits(), values, expected);
    }
    let of_arrays = |v: Acc<Ix1, f32>| v.to_bits();
    agrees(of_arrays, vec![vec![1.0f32, -0.0, f32::MAX].into()]);
}

#[test]
fn from_bits() {
    for_each_type! { values:
        let bits: Vec<_> = values.iter().map(|x| x.to_bits()).collect();
        // By their bits again, which tell a zero from another.
        maps(|x: Exp<_>| of_like(values[0], x).to_bits(), bits.clone(), bits);
    }
    let patterns = [0x7fc0_0000u32, 0xffc0_0001, 0x7f80_0001];
    maps(
        |x: Exp<u32>| Exp::<f32>::from_bits(x).is_nan(),
        patterns,
        [true; 3],
    );
    maps(
        |x: Exp<u32>| Exp::<f32>::from_bits(x) + Exp::from_bits(0x4000_0000u32),
        [0x3f80_0000u32],
        [3.0f32],
    );
}

/// The float with these bits, of the type of another one.
fn of_like<T: Float>(_: T, bits: Exp<T::Unsigned>) -> Exp<T> {
    Exp::from_bits(bits)
}

/// All of one type's numbers that are no NaN, in order, each once.
fn halves() -> Vec<f16> {
    let all = (0..=u16::MAX).map(f16::from_bits);
    let mut all: Vec<f16> = all
        .filter(|x| !x.is_nan() && x.to_bits() != 1 << 15)
        .collect();
    all.sort_by(|x, y| x.to_f64().total_cmp(&y.to_f64()));
    all
}

#[test]
fn next_up() {
    let values = numbers();
    let expected: Vec<_> = values.iter().map(|x| x.next_up()).collect();
    maps(|x: Exp<f64>| x.next_up(), values, expected);
    let values: Vec<f32> = numbers().into_iter().map(|x| x as f32).collect();
    let expected: Vec<_> = values.iter().map(|x| x.next_up()).collect();
    maps(|x: Exp<f32>| x.next_up(), values, expected);
    let (values, mut expected) = (halves(), halves());
    expected.remove(0);
    expected.push(f16::INFINITY);
    maps(|x: Exp<f16>| x.next_up(), values, expected);
    maps(|x: Exp<f64>| x.next_up().is_nan(), [f64::NAN], [true]);
    maps(
        |x: Exp<f64>| gradient_e(|x| x.next_up(), x),
        [0.5, -2.0],
        [0.0, 0.0],
    );
}

#[test]
fn next_down() {
    let values = numbers();
    let expected: Vec<_> = values.iter().map(|x| x.next_down()).collect();
    maps(|x: Exp<f64>| x.next_down(), values, expected);
    let (mut expected, values) = (halves(), halves());
    expected.pop();
    expected.insert(0, f16::NEG_INFINITY);
    maps(|x: Exp<f16>| x.next_down(), values, expected);
    maps(
        |x: Exp<f32>| x.next_down(),
        [0.0f32, 1.0],
        [-1e-45, 1.0 - f32::EPSILON / 2.0],
    );
}

/// Of floats; that of integers is among `integral.rs`.
#[test]
fn midpoints_of_floats() {
    let pairs = |values: Vec<f64>| {
        let others = (0..values.len()).map(|k| values[(k * 7 + 3) % values.len()]);
        values.clone().into_iter().zip(others).collect::<Vec<_>>()
    };
    let values = pairs(numbers());
    let expected: Vec<f64> = values.iter().map(|(x, y)| x.midpoint(*y)).collect();
    maps(
        |(x, y): (Exp<f64>, Exp<f64>)| x.midpoint(y),
        values.clone(),
        expected,
    );
    let singles = values.iter().map(|&(x, y)| (x as f32, y as f32));
    let singles: Vec<(f32, f32)> = singles.collect();
    let expected: Vec<f32> = singles.iter().map(|(x, y)| x.midpoint(*y)).collect();
    maps(
        |(x, y): (Exp<f32>, Exp<f32>)| x.midpoint(y),
        singles,
        expected,
    );
    let large = [60000.0, 65504.0].map(f16::from_f64);
    maps(|x: Exp<f16>| x.midpoint(x), large, large);
    let inputs = [(1e308, 1.5e308), (0.5, -2.0)];
    let slopes = |p: (Exp<f64>, Exp<f64>)| gradient_e(|(x, y)| x.midpoint(y), p);
    maps(slopes, inputs, [(0.5, 0.5); 2]);
}

/// Bits decide, and derivatives go past them: the mantissa, of which the logarithm is taken apart from the exponent.
#[test]
fn derivatives_beside_bits() {
    let log = |v: Acc<Ix1, f64>| {
        let by_exponent = |x: Exp<f64>| {
            let exponent = (x.to_bits() >> 52).to::<i64>() - 1023;
            let scale = Exp::<f64>::from_bits((exponent + 1023).to::<u64>() << 52);
            (x / scale).ln() + exponent.to::<f64>() * std::f64::consts::LN_2
        };
        v.map(by_exponent).sum()
    };
    all_agree(log, super::vector([0.3, 5.5, 17.25]));
    // There and back is no way for a derivative, whatever is simplified: the factor beside is.
    let scaled = |x: Exp<f64>| Exp::<f64>::from_bits(x.to_bits()) * x;
    maps(
        |x: Exp<f64>| gradient_e(scaled, x),
        [0.5, -2.0],
        [0.5, -2.0],
    );
    maps(|x: Exp<f64>| gradient_e(|x| x.next_down(), x), [0.5], [0.0]);
}

fn mixed<T: Float>(v: Acc<Ix1, T>) -> impl Arrays {
    let (bits, one) = (v.to_bits(), <T::Unsigned as Num>::from_i32(1));
    let others = bits.map(|b| Exp::<T>::from_bits(b ^ constant(one)));
    (
        bits,
        v.next_up(),
        v.next_down(),
        v.midpoint(v.sqr()),
        others,
    )
}

#[test]
fn bits_in_every_engine() {
    agrees(
        mixed::<f32>,
        vec![vec![1.0f32, -1.5, 1e15, 3.25e-10, -7e9].into()],
    );
    agrees(
        mixed::<f64>,
        vec![vec![1.0f64, -1.5, 1e150, 3.25e-100, -7e9].into()],
    );
}
