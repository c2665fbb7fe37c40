//! The transcendental functions, for one lane and for slices of lanes.
//!
//! They are branch-free and always inlined, so that a loop over them is vectorised for whatever
//! instruction set the loop is compiled for. They consist of correctly rounded operations in a fixed order
//! (no fused multiply-add, no conversion that only some instruction sets have), so that the choice of
//! instruction set never changes a result.
//!
//! Each function's documentation states the largest error found against a reference of 113 bits, over
//! 300 000 arguments of all sizes, in units in the last place of the result. Special cases are those
//! of C99, signed zeros included.
//!
//! Sine, cosine and tangent of arguments beyond 2²⁰ are those of the standard library. The test for them
//! is a branch that keeps a loop over the single-lane functions from being vectorised; the functions on
//! slices (`sin_lanes` and so on, with the same bits) take such arguments in a second pass instead.

mod bits;
#[allow(
    dead_code,
    unused_imports,
    reason = "callers choose between one lane and slices of lanes"
)]
pub(crate) mod double;
#[allow(
    dead_code,
    unused_imports,
    reason = "callers choose between one lane and slices of lanes"
)]
pub(crate) mod single;

#[cfg(test)]
mod tests;

/// Defines, for each function, the function that applies it to each element of a slice.
macro_rules! lanes {
    ($t:ty: $($lanes:ident = $function:path;)*) => { $(
        #[doc = concat!("[`", stringify!($function), "`] of each element.")]
        #[inline(always)]
        pub(crate) fn $lanes(out: &mut [$t], x: &[$t]) {
            for (out, x) in out.iter_mut().zip(x) {
                *out = $function(*x);
            }
        }
    )* };
}

/// The same for functions that leave some arguments, which `$is_far` recognises, to another function.
macro_rules! lanes_with_far {
    ($t:ty, $is_far:path: $($lanes:ident = $near:path, $far:path;)*) => {
        $(
            #[doc = concat!("[`", stringify!($near), "`] of each element, [`", stringify!($far), "`] of the far ones.")]
            #[inline(always)]
            pub(crate) fn $lanes(out: &mut [$t], x: &[$t]) {
                for (out, x) in out.iter_mut().zip(x) {
                    *out = $near(*x);
                }
                if x.iter().fold(false, |any, x| any | $is_far(*x)) {
                    replace_far(out, x, $far);
                }
            }
        )*

        /// Overwrites the results for the far arguments.
        #[cold]
        #[inline(never)]
        fn replace_far(out: &mut [$t], x: &[$t], function: fn($t) -> $t) {
            for (out, x) in out.iter_mut().zip(x) {
                if $is_far(*x) {
                    *out = function(*x);
                }
            }
        }
    };
}

/// The same for functions of two arguments.
macro_rules! lanes_of_two {
    ($t:ty: $($lanes:ident = $function:path;)*) => { $(
        #[doc = concat!("[`", stringify!($function), "`] of each pair of elements.")]
        #[inline(always)]
        pub(crate) fn $lanes(out: &mut [$t], x: &[$t], y: &[$t]) {
            for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
                *out = $function(*x, *y);
            }
        }
    )* };
}

use {lanes, lanes_of_two, lanes_with_far};
