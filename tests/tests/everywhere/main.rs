//! Every operation on every element type and rank, empty extents included, against plain Rust, in every engine.
//!
//! A test gives several operations to one program, which is generic in the element type and the rank, and what plain Rust makes of the
//! same elements. These are small whole numbers, so that no type rounds them and no sum overflows one; plain Rust computes with `i64`
//! and does not know the types ([`Whole`]). Types that a device lacks are refused there by name.

mod derivatives;
mod elementwise;
mod engines;
mod matrices;
mod parts;
mod rows;
mod scalars;
mod stencils;
mod truth;
mod vectors;
mod whole;

use cotangent::prelude::*;
use cotangent_core::surface::{AccFn, Scalar};
use engines::check;
use whole::Whole;

/// Asserts that a function of two arrays of some extents gives what plain Rust does, where the elements are of type `T`.
#[track_caller]
fn of_two<T: Scalar, M, F: AccFn<M>>(
    f: F,
    extents: &[&[usize]],
    expected: impl Fn(&Whole, &Whole) -> Vec<Whole>,
) {
    let cases = extents.iter().map(|extents| {
        let inputs = operands(is_signed::<T>(), extents);
        let expected = expected(&inputs[0], &inputs[1]);
        (inputs.to_vec(), expected)
    });
    check(f, &cases.collect::<Vec<_>>());
}

/// Two arrays of numbers that all types have: from 1 to 6 and from 0 to 3; with a sign, 3 less.
fn operands(is_signed: bool, extents: &[usize]) -> [Whole; 2] {
    let less = if is_signed { 3 } else { 0 };
    let numbers = |step: i64, from: i64, most: i64| {
        let mut next = 0;
        Whole::generate(extents, |_| {
            next += step;
            next % most + from - less
        })
    };
    [numbers(7, 1, 6), numbers(5, 0, 4)]
}

/// A number of any type.
fn number<T: Num>(x: i32) -> Exp<T> {
    constant(T::from_i32(x))
}

fn is_signed<T: Scalar>() -> bool {
    use cotangent_core::types::ScalarType::{Bool, U8, U16, U32, U64};
    ![Bool, U8, U16, U32, U64].contains(&T::TYPE)
}

/// The extents that arrays of a rank are tried with: of up to 18 elements, of one, and of none.
const fn extents(rank: usize) -> &'static [&'static [usize]] {
    match rank {
        0 => &[&[]],
        1 => &[&[6], &[1], &[0]],
        2 => &[&[3, 5], &[1, 1], &[0, 4], &[4, 0]],
        3 => &[&[2, 3, 3], &[1, 1, 2], &[2, 0, 3], &[2, 3, 0]],
        _four => &[&[2, 1, 3, 3], &[1, 2, 1, 1], &[0, 1, 2, 3], &[2, 1, 3, 0]],
    }
}

/// Those without empty ones.
fn some(rank: usize) -> Vec<&'static [usize]> {
    let all = extents(rank).iter().copied();
    all.filter(|extents| !extents.contains(&0)).collect()
}

/// Runs a test that is generic in the element type for all types of numbers; or in the rank, too, for the given ones.
macro_rules! of_numbers {
    ($test:path) => {{
        use $test as test;
        test::<i8>();
        test::<i16>();
        test::<i32>();
        test::<i64>();
        test::<u8>();
        test::<u16>();
        test::<u32>();
        test::<u64>();
        test::<cotangent::f16>();
        test::<f32>();
        test::<f64>();
    }};
    ($test:ident: $($rank:ty),*) => {$(
        {
            fn test<T: Num>() {
                $test::<$rank, T>();
            }
            of_numbers!(test);
        }
    )*};
}
use of_numbers;
