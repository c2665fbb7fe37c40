//! Random numbers: words as of JAX, the same on all engines; numbers of their ranges and moments.

use super::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};

fn numbers<T: Scalar, M, F>(f: F) -> Vec<T>
where
    F: cotangent_core::surface::AccFn<M, In = (), Out = Acc<Ix1, T>>,
{
    let found = compile(f).unwrap().run(&Cpu::default(), ()).unwrap();
    found.to_vec()
}

/// `jax.random.bits(jax.random.key(7), (2, 3))`, and `jax.random.key_data(jax.random.fold_in(jax.random.key(42), 5))`, of JAX 0.10.2.
#[test]
fn words_of_jax() {
    gives(
        || random_bits(random_key(7u32), ix![2, 3]),
        (),
        matrix([
            [2_895_194_379, 4_185_947_648, 1_300_703_658],
            [1_906_787_632, 3_139_134_342, 2_709_822_315_u32],
        ]),
    );
    let key = || {
        let (x, y) = fold_in(random_key(42u32), 5u32);
        generate(ix![2], |ix![i]| cond::<u32>(i.eq_(0), x, y))
    };
    gives(key, (), vector([2_765_691_542, 824_333_390]));
}

/// The key may be a number of the program, and arrays of no extent have no numbers.
#[test]
fn seeds_that_are_given() {
    let f = |seed: Acc<Z, u32>| random_bits(random_key(seed.the()), ix![2, 1]);
    gives(
        f,
        Array::scalar(7u32),
        matrix([[2_895_194_379], [4_185_947_648]]),
    );
    gives(
        || random_uniform::<f64, _>(random_key(1u32), ix![0]),
        (),
        vector([]),
    );
}

#[test]
fn uniform_numbers() {
    let sixteen = numbers(|| {
        let halves = random_uniform::<cotangent::f16, _>(random_key(2u32), ix![20_000]);
        halves.map(|x| x.to::<f64>())
    });
    let single =
        numbers(|| random_uniform::<f32, _>(random_key(2u32), ix![20_000]).map(|x| x.to::<f64>()));
    let double = numbers(|| random_uniform::<f64, _>(random_key(2u32), ix![20_000]));
    for (bits, all) in [(11, sixteen), (24, single), (53, double)] {
        let unit = 0.5f64.powi(bits);
        assert!(
            all.iter()
                .all(|x| (0.0..1.0).contains(x) && (x / unit).fract() == 0.0),
            "{bits}"
        );
        let mean = |f: fn(f64) -> f64| all.iter().map(|&x| f(x)).sum::<f64>() / all.len() as f64;
        assert!((mean(|x| x) - 0.5).abs() < 0.01, "{bits}");
        assert!((mean(|x| x * x) - 1.0 / 3.0).abs() < 0.01, "{bits}");
        // Not all are multiples of a larger unit.
        assert!(
            all.iter().any(|x| (x / unit / 2.0).fract() != 0.0),
            "{bits}"
        );
    }
}

#[test]
fn normal_numbers() {
    let all = numbers(|| random_normal::<f64, _>(random_key(2u32), ix![50_000]));
    let moment = |power: i32| all.iter().map(|x| x.powi(power)).sum::<f64>() / all.len() as f64;
    let moments = [1, 2, 3, 4].map(moment);
    let expected = [0.0, 1.0, 0.0, 3.0];
    assert!(
        moments
            .iter()
            .zip(expected)
            .all(|(m, e)| (m - e).abs() < 0.1),
        "{moments:?}"
    );
}

/// A reparameterised expectation: the derivative by the spread of a normal distribution.
#[test]
fn derivatives_through_samples() {
    let spread = |s: Acc<Z, f64>| {
        let noise = random_normal::<f64, _>(random_key(5u32), ix![20_000]);
        (noise * s).map(|x| x * x).mean()
    };
    let gradient = compile(move |s: Acc<Z, f64>| gradient_a(spread, s)).unwrap();
    let found = gradient
        .run(&Cpu::default(), Array::scalar(2.0))
        .unwrap()
        .item();
    assert!((found - 4.0).abs() < 0.1, "{found}");
}
