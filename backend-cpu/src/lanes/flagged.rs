//! Loops of scans that start again where a flag says so, from a primitive.
//!
//! Each stretch from one flag to the next is scanned by itself, so that a processor can begin with the next one before it has ended the last.
//! Lanes without a flag are scanned as [`Scan`] does. What precedes the lanes takes part up to the first flag.
//!
//! Unsafe code: raw pointers, as in the module above.

use super::associative::{Associative, Plain};
use super::number::{f32, f64, i32, i64};
use super::running::Scan;
use super::{LaneFn, Lanes, column, instance};
use crate::isa::Isa;
use cotangent_core::prim::Prim;
use cotangent_core::term::Direction;
use cotangent_core::types::ScalarType;
use std::marker::PhantomData;

/// Memory for a [`Progress`] of any type.
pub(crate) type ProgressMemory = [u64; 5];

/// The loops for one operator. Each has its progress at `b`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlaggedFns {
    /// Begins; of one lane, after the value at `a`.
    pub begin: LaneFn,
    /// `dst[i]` = all from the last flag on up to `a[i]`, combined, in the direction of the scan; the flags are at `c`.
    pub scan: LaneFn,
    /// The value that one goes on with to `dst`; where there was a flag, `true` to `c`.
    pub end: LaneFn,
}

/// What has been combined so far.
#[derive(Clone, Copy)]
struct Progress<S> {
    /// Since the last flag, or since the beginning.
    state: Option<S>,
    /// What was before that, if no flag has come.
    before: Option<S>,
    /// Whether one has.
    is_flagged: bool,
}

impl<S: Copy> Progress<S> {
    /// Where there is memory for one.
    #[inline(always)]
    fn at(memory: *const u8) -> *mut Self {
        const { assert!(size_of::<Self>() <= size_of::<ProgressMemory>()) };
        const { assert!(align_of::<Self>() <= align_of::<ProgressMemory>()) };
        memory.cast_mut().cast()
    }
}

struct Begin<O>(PhantomData<O>);

impl<O: Associative> Lanes for Begin<O> {
    #[inline(always)]
    unsafe fn run(n: usize, _: *mut u8, a: *const u8, b: *const u8, _: *const u8) {
        // SAFETY: the contract of `LaneFn`; `FlaggedFns` states that there is memory at `b`.
        unsafe {
            let before = column::<O::X>(a, n).first().map(|&x| O::state(x));
            Progress::<O::S>::at(b).write(Progress {
                state: None,
                before,
                is_flagged: false,
            });
        }
    }
}

struct End<O, const LEFT: bool>(PhantomData<O>);

impl<O: Associative, const LEFT: bool> Lanes for End<O, LEFT> {
    #[inline(always)]
    unsafe fn run(_: usize, dst: *mut u8, _: *const u8, b: *const u8, c: *const u8) {
        // SAFETY: the contract of `LaneFn`; `FlaggedFns` states that there is a progress at `b`, and a flag at `c`.
        unsafe {
            let progress = Progress::<O::S>::at(b).read();
            if let Some(state) = after::<O, LEFT>(progress.before, progress.state) {
                dst.cast::<O::X>().write(O::value(state));
            }
            *c.cast_mut().cast::<bool>() |= progress.is_flagged;
        }
    }
}

/// From the first lane, or from the last.
struct FlaggedScan<O, const LEFT: bool>(PhantomData<O>);

impl<O: Associative, const LEFT: bool> Lanes for FlaggedScan<O, LEFT> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, c: *const u8) {
        // SAFETY: the contract of `LaneFn`; `FlaggedFns` states that there is a progress at `b`, and that the flags are at `c`.
        let (flags, mut progress) =
            unsafe { (column::<bool>(c, n), Progress::<O::S>::at(b).read()) };
        let (mut done, mut flagged) = (0, next_block::<LEFT>(flags, 0));
        while done < n {
            let mut len = BLOCK.min(n - done);
            let own = flagged;
            flagged = next_block::<LEFT>(flags, done + len);
            // Blocks without flags go together.
            while own == 0 && flagged == 0 && done + len < n {
                len += BLOCK.min(n - done - len);
                flagged = next_block::<LEFT>(flags, done + len);
            }
            let start = if LEFT { done } else { n - done - len };
            // SAFETY: the block is among the lanes.
            unsafe {
                let lanes = Block::<O, LEFT> {
                    out: dst.cast::<O::X>().add(start),
                    x: a.cast::<O::X>().add(start),
                    len,
                };
                lanes.scan(own, &mut progress);
            }
            done += len;
        }
        // SAFETY: as where it is read.
        unsafe { Progress::<O::S>::at(b).write(progress) }
    }
}

/// The lanes whose flags are looked at together.
const BLOCK: usize = 64;

/// The flags of the next block when so many lanes are done: the lowest bit for the first one in the direction of the scan.
#[inline(always)]
fn next_block<const LEFT: bool>(flags: &[bool], done: usize) -> u64 {
    let len = BLOCK.min(flags.len() - done);
    let start = if LEFT { done } else { flags.len() - done - len };
    let ascending = mask(&flags[start..][..len]);
    match (LEFT, len) {
        (_, 0) => 0,
        (true, _) => ascending,
        (false, _) => ascending.reverse_bits() >> (BLOCK - len),
    }
}

/// A bit for each of up to [`BLOCK`] flags, the lowest for the first.
#[inline(always)]
fn mask(flags: &[bool]) -> u64 {
    // Of eight bytes that are 0 or 1, the product has the sum of all shifted ones in its highest byte: a bit for each.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let bytes = flags.chunks(8).map(|flags| {
        let mut word = [0; 8];
        for (byte, flag) in word.iter_mut().zip(flags) {
            *byte = u8::from(*flag);
        }
        u64::from_le_bytes(word).wrapping_mul(GATHER) >> 56
    });
    let places = (0..BLOCK).step_by(8);
    bytes
        .zip(places)
        .fold(0, |mask, (byte, place)| mask | byte << place)
}

/// Lanes next to each other, which are counted in the direction of the scan.
struct Block<O: Associative, const LEFT: bool> {
    out: *mut O::X,
    x: *const O::X,
    len: usize,
}

impl<O: Associative, const LEFT: bool> Block<O, LEFT> {
    /// Scans the lanes, of which some are flagged.
    ///
    /// # Safety
    /// There are so many elements, at most [`BLOCK`] if one is flagged, and room for so many results, which are apart.
    #[inline(always)]
    unsafe fn scan(&self, flagged: u64, progress: &mut Progress<O::S>) {
        let first = match flagged {
            0 => self.len,
            _ => flagged.trailing_zeros() as usize,
        };
        // SAFETY: all lanes from `first` on are among these.
        unsafe {
            if first > 0 {
                self.go_on(first, progress);
            }
            let mut flagged = flagged;
            while flagged != 0 {
                let from = flagged.trailing_zeros() as usize;
                flagged &= flagged - 1;
                let to = (flagged.trailing_zeros() as usize).min(self.len);
                *progress = Progress {
                    state: Some(self.stretch(from, to)),
                    before: None,
                    is_flagged: true,
                };
            }
        }
    }

    #[inline(always)]
    fn at(&self, k: usize) -> usize {
        if LEFT { k } else { self.len - 1 - k }
    }

    /// Scans the lanes of a stretch by itself.
    ///
    /// # Safety
    /// As for `scan`; the lanes are among these, at least one.
    #[inline(always)]
    unsafe fn stretch(&self, from: usize, to: usize) -> O::S {
        // SAFETY: the lanes from `from` to `to` are among these, whose elements and results are the caller's.
        unsafe {
            let mut state = O::state(*self.x.add(self.at(from)));
            *self.out.add(self.at(from)) = O::value(state);
            for k in from + 1..to {
                let at = self.at(k);
                let own = O::state(*self.x.add(at));
                state = if LEFT {
                    O::join(state, own)
                } else {
                    O::join(own, state)
                };
                *self.out.add(at) = O::value(state);
            }
            state
        }
    }

    /// Scans the first lanes, none of which is flagged, after what has been combined so far.
    ///
    /// # Safety
    /// As for `scan`; there are so many lanes, at least one.
    #[inline(always)]
    unsafe fn go_on(&self, len: usize, progress: &mut Progress<O::S>) {
        // SAFETY: the lanes are among these.
        unsafe {
            let mut done = 0;
            let mut carry = match progress.state {
                Some(state) => state,
                None => {
                    done = 1;
                    let state = O::state(*self.x.add(self.at(0)));
                    let all = after::<O, LEFT>(progress.before, Some(state));
                    *self.out.add(self.at(0)) = O::value(all.unwrap_or(state));
                    state
                }
            };
            let start = if LEFT { done } else { self.len - len };
            let (to, from) = (self.out.add(start).cast(), self.x.add(start).cast());
            let at = (&raw mut carry).cast_const().cast();
            match &progress.before {
                Some(before) => {
                    let before = (&raw const *before).cast();
                    Scan::<O, LEFT, true>::run(len - done, to, from, at, before);
                }
                None => Scan::<O, LEFT, false>::run(len - done, to, from, at, at),
            }
            progress.state = Some(carry);
        }
    }
}

/// Two states, if there are two, the one that comes first in the direction of the scan, and the other.
#[inline(always)]
fn after<O: Associative, const LEFT: bool>(
    first: Option<O::S>,
    second: Option<O::S>,
) -> Option<O::S> {
    match (first, second) {
        (Some(first), Some(second)) => Some(match LEFT {
            true => O::join(first, second),
            false => O::join(second, first),
        }),
        (one, None) | (None, one) => one,
    }
}

fn fns<O: Associative>(isa: Isa, direction: Direction) -> FlaggedFns {
    let (scan, end) = match direction {
        Direction::Left => (
            instance::<FlaggedScan<O, true>>(isa),
            instance::<End<O, true>>(isa),
        ),
        Direction::Right => (
            instance::<FlaggedScan<O, false>>(isa),
            instance::<End<O, false>>(isa),
        ),
    };
    FlaggedFns {
        begin: instance::<Begin<O>>(isa),
        scan,
        end,
    }
}

/// The loops for a primitive in a direction: of the types that segments are usually of.
pub(crate) fn flagged_fns(
    (isa, direction): (Isa, Direction),
    prim: Prim,
    ty: ScalarType,
) -> Option<FlaggedFns> {
    macro_rules! number {
        ($m:ident, $integer:literal) => {
            if prim == Prim::Add {
                Some(fns::<Plain<$m::Add, $integer>>(isa, direction))
            } else if prim == Prim::Mul {
                Some(fns::<Plain<$m::Mul>>(isa, direction))
            } else if prim == Prim::Max {
                Some(fns::<Plain<$m::Max>>(isa, direction))
            } else if prim == Prim::Min {
                Some(fns::<Plain<$m::Min>>(isa, direction))
            } else {
                None
            }
        };
    }
    match ty {
        ScalarType::F64 => number!(f64, false),
        ScalarType::F32 => number!(f32, false),
        ScalarType::I32 => number!(i32, true),
        ScalarType::I64 => number!(i64, true),
        ScalarType::Bool | ScalarType::I8 | ScalarType::I16 => None,
        ScalarType::U8 | ScalarType::U16 | ScalarType::U32 | ScalarType::U64 => None,
        ScalarType::F16 => None,
    }
}
