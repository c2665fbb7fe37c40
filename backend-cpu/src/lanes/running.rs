//! Loops of scans: all that is up to each element, combined.
//!
//! One element after the other, each would wait for the one before: 3 or 4 cycles for a sum of floats, and 10 for a maximum. So groups
//! of elements are cut into runs, which are scanned side by side, each by itself, and then combined with what precedes them.
//! How elements are combined depends on their number alone, as everywhere. Operators that are quick combine one element after the other:
//! this takes a cycle, too, and needs no rearranging.
//!
//! Unsafe code: raw pointers, as in the module above.

use super::associative::Associative;
use super::{Lanes, column, destination};
use std::marker::PhantomData;

/// The runs of a group, and the elements of a run.
const SIDE: usize = 8;

/// The elements of a group.
const GROUP: usize = SIDE * SIDE;

/// From the first lane, or from the last: with the state of what precedes the lanes at `b`, which goes on; and, if it is so wanted,
/// all of it after a state at `c`.
pub(super) struct Scan<O, const LEFT: bool, const AFTER: bool>(PhantomData<O>);

impl<O: Associative, const LEFT: bool, const AFTER: bool> Lanes for Scan<O, LEFT, AFTER> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, c: *const u8) {
        // SAFETY: the contract of `LaneFn`; `FoldFns` states that the carry is written, and where there is a state before.
        let (out, x, carry, before) = unsafe {
            (
                destination::<O::X>(dst, n),
                column::<O::X>(a, n),
                &mut *b.cast_mut().cast::<O::S>(),
                AFTER.then(|| *c.cast::<O::S>()),
            )
        };
        let whole = match O::IS_QUICK {
            true => 0,
            false => n / GROUP * GROUP,
        };
        for start in (0..whole).step_by(GROUP) {
            let first = if LEFT { start } else { n - start - GROUP };
            let (x, out) = (&x[first..], &mut out[first..]);
            if let (Some(x), Some(out)) = (x.first_chunk(), out.first_chunk_mut()) {
                group::<O, LEFT>(x, carry, before, out);
            }
        }
        let (first, last) = match LEFT {
            true => (whole, n),
            false => (0, n - whole),
        };
        let (x, out) = (&x[first..last], &mut out[first..last]);
        let rest = out.iter_mut().zip(x);
        match LEFT {
            true => one_by_one::<O, LEFT>(rest, carry, before),
            false => one_by_one::<O, LEFT>(rest.rev(), carry, before),
        }
    }
}

/// Scans elements after `carry`, which goes on: in a register, for a write to the results might be to where it is.
#[inline(always)]
fn one_by_one<'a, O: Associative<X: 'a>, const LEFT: bool>(
    elements: impl Iterator<Item = (&'a mut O::X, &'a O::X)>,
    carry: &mut O::S,
    before: Option<O::S>,
) {
    let mut all = *carry;
    for (out, &x) in elements {
        all = joined::<O, LEFT>(all, O::state(x));
        *out = O::value(after::<O, LEFT>(before, all));
    }
    *carry = all;
}

/// Two states, the one that comes first in the direction of the scan, and the other.
#[inline(always)]
fn joined<O: Associative, const LEFT: bool>(first: O::S, second: O::S) -> O::S {
    match LEFT {
        true => O::join(first, second),
        false => O::join(second, first),
    }
}

/// A state after another one, if there is one.
#[inline(always)]
fn after<O: Associative, const LEFT: bool>(before: Option<O::S>, state: O::S) -> O::S {
    before.map_or(state, |before| joined::<O, LEFT>(before, state))
}

/// Scans a group after `carry`, which goes on.
#[inline(always)]
fn group<O: Associative, const LEFT: bool>(
    x: &[O::X; GROUP],
    carry: &mut O::S,
    before: Option<O::S>,
    out: &mut [O::X; GROUP],
) {
    let at = |run: usize, k: usize| {
        let place = run * SIDE + k;
        if LEFT { place } else { GROUP - 1 - place }
    };
    let mut states: [[O::S; SIDE]; SIDE] =
        std::array::from_fn(|run| [O::state(x[at(run, 0)]); SIDE]);
    for k in 1..SIDE {
        for (run, states) in states.iter_mut().enumerate() {
            states[k] = joined::<O, LEFT>(states[k - 1], O::state(x[at(run, k)]));
        }
    }
    for (run, states) in states.iter().enumerate() {
        for (k, &state) in states.iter().enumerate() {
            // In this order, as where what comes before is known when all has been scanned only.
            let state = joined::<O, LEFT>(*carry, state);
            out[at(run, k)] = O::value(after::<O, LEFT>(before, state));
        }
        *carry = joined::<O, LEFT>(*carry, states[SIDE - 1]);
    }
}
