//! Random numbers: functions of a key and of the position alone, so that they are the same on every engine, in whatever order they are made.
//!
//! The generator is Threefry-2×32 of 20 rounds (Salmon, Moraes, Dror and Shaw, *Parallel random numbers: as easy as 1, 2, 3*, 2011): what
//! JAX has, so that the words of a key are those that `jax.random.bits` gives. A key is a pair of words; whoever needs several independent arrays
//! of numbers derives a key for each by [`fold_in`].

use super::making::position;
use crate::integer_type;
use crate::surface::acc::{Acc, generate};
use crate::surface::elt::E;
use crate::surface::functions::constant;
use crate::surface::lift::Lift;
use crate::surface::scalar::{Exp, Float};
use crate::surface::session::Call;
use crate::surface::shape::{IntoShape, Shape};
use crate::types::ScalarType;

/// A pair of words, from which random numbers are made.
pub type RandomKey = (Exp<u32>, Exp<u32>);

/// The distances that words are rotated by, in turn.
const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];

/// What the third word of the key schedule is combined with.
const PARITY: u32 = 0x1BD1_1BDA;

/// The key of a seed; `jax.random.key`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let dice = || random_bits(random_key(7), ix![4]).map(|bits| bits % 6u32 + 1u32);
/// assert!(interpret(dice, ())?.to_vec().iter().all(|n| (1..=6).contains(n)));
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn random_key<S: Lift<u32>>(seed: S) -> RandomKey {
    (Lift::<u32>::lift(0u32), seed.lift())
}

/// Another key, for each number: what is made from it has nothing to do with what is made from the key itself, or with another number;
/// `jax.random.fold_in`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let noise = || {
///     let key = random_key(1);
///     (random_bits(fold_in(key, 0u32), ix![2]), random_bits(fold_in(key, 1u32), ix![2]))
/// };
/// let (x, y) = interpret(noise, ())?;
/// assert_ne!(x.to_vec(), y.to_vec());
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn fold_in<N: Lift<u32>>(key: RandomKey, number: N) -> RandomKey {
    let call = Call::here("fold_in");
    let number = number.lift();
    call.throughout(|| threefry(key, random_key(number)))
}

/// Random words of 32 bits in an array of the given shape.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let words = interpret(|| random_bits(random_key(42), ix![3]), ())?;
/// // As of `jax.random.bits(jax.random.key(42), (3,))`.
/// assert_eq!(words.to_vec(), [2098992034, 2919706841, 2646866425]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn random_bits<I: IntoShape>(key: RandomKey, shape: I) -> Acc<I::Shape, u32> {
    let (call, shape) = (Call::here("random_bits"), shape.into_shape());
    generate(shape, move |index: I::Shape| {
        call.throughout(|| {
            let (x, y) = words(key, index, shape);
            x ^ y
        })
    })
}

/// Random numbers from 0 to less than 1, each as likely as any, in an array of the given shape: multiples of 2⁻⁵³ of `f64`, 2⁻²⁴ of `f32`, and 2⁻¹¹
/// of `f16`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let mean = || random_uniform::<f64, _>(random_key(3), ix![1000]).mean();
/// assert!((interpret(mean, ())?.item() - 0.5).abs() < 0.05);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn random_uniform<T: Float, I: IntoShape>(key: RandomKey, shape: I) -> Acc<I::Shape, T> {
    let (call, shape) = (Call::here("random_uniform"), shape.into_shape());
    generate(shape, move |index: I::Shape| -> E<T> {
        call.throughout(|| uniform(words(key, index, shape)))
    })
}

/// Random numbers of the standard normal distribution in an array of the given shape (Box and Muller, *A note on the generation of random
/// normal deviates*, 1958).
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let square = || random_normal::<f64, _>(random_key(3), ix![1000]).map(|x| x * x).mean();
/// assert!((interpret(square, ())?.item() - 1.0).abs() < 0.2);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn random_normal<T: Float, I: IntoShape>(key: RandomKey, shape: I) -> Acc<I::Shape, T> {
    let (call, shape) = (Call::here("random_normal"), shape.into_shape());
    generate(shape, move |index: I::Shape| -> E<T> {
        call.throughout(|| {
            let second = threefry(key, random_key(1u32));
            let radius = uniform::<T>(words(key, index, shape));
            let turn = uniform::<T>(words(second, index, shape));
            // 1 − u is not 0.
            let length = (number::<T>(-2.0) * (-radius).ln_1p()).sqrt();
            length * (turn * number::<T>(std::f64::consts::TAU)).cos()
        })
    })
}

/// The words that belong to an index.
fn words<Sh: Shape>(key: RandomKey, index: Sh, shape: Sh) -> RandomKey {
    let at = position(index, shape).to::<u32>();
    threefry(key, (Lift::<u32>::lift(0u32), at))
}

/// A number from 0 to less than 1, of as many bits as its type has room for.
fn uniform<T: Float>((x, y): RandomKey) -> Exp<T> {
    let of_bits = |bits: u32, exponent: i32, word: Exp<u32>| {
        (word >> (32 - bits)).to::<T>() * number::<T>(0.5f64.powi(exponent))
    };
    match T::TYPE {
        ScalarType::F64 => of_bits(32, 32, x) + of_bits(21, 53, y),
        ScalarType::F32 => of_bits(24, 24, x ^ y),
        // Of these only `f16` is a float.
        ScalarType::F16 | ScalarType::Bool | integer_type!() => of_bits(11, 11, x ^ y),
    }
}

fn number<T: Float>(x: f64) -> Exp<T> {
    constant(T::from_f64(x))
}

/// Two words as they are enciphered by a key.
fn threefry(key: RandomKey, (x, y): RandomKey) -> RandomKey {
    let schedule = [key.0, key.1, key.0 ^ key.1 ^ PARITY];
    let mut words = (x + schedule[0], y + schedule[1]);
    for round in 0..5 {
        for by in ROTATIONS[round % 2] {
            let sum = words.0 + words.1;
            let rotated = words.1 << by | words.1 >> (32 - by);
            words = (sum, rotated ^ sum);
        }
        let next = [1, 2].map(|k| schedule[(round + k) % 3]);
        words = (words.0 + next[0], words.1 + next[1] + (round as u32 + 1));
    }
    words
}
