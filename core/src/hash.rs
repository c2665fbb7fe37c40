//! Hashes and equality of programs up to renaming: the keys of the compile cache.
//!
//! What counts is the official text ([`print`](crate::print)) with one difference: of a host array only
//! position and type count, not its extents and elements, because code is generated for any of them. So
//! whoever reuses what was compiled for an equal program must bring that program's own host arrays. Source
//! locations do not count either: errors of a reused program name the places of the one compiled first.
//!
//! The hash is 128-bit FNV-1a of the text: the same in every run, on every machine, as long as the text form
//! stays the same. It is not made to resist collisions on purpose; [`alpha_eq`] decides.

#[cfg(test)]
mod tests;

use crate::print::Text;
use crate::term::{DeBruijn, Program};
use std::fmt::{self, Write};

/// The hash of a program. [Equal](alpha_eq) programs have equal hashes.
pub fn alpha_hash(program: &Program<DeBruijn>) -> u128 {
    let mut hash = Fnv(Fnv::OFFSET);
    write_key(program, &mut hash);
    hash.0
}

/// Whether two programs are the same but for source locations and the contents of host arrays.
pub fn alpha_eq(left: &Program<DeBruijn>, right: &Program<DeBruijn>) -> bool {
    let (mut left_key, mut right_key) = (String::new(), String::new());
    write_key(left, &mut left_key);
    write_key(right, &mut right_key);
    left_key == right_key
}

fn write_key(program: &Program<DeBruijn>, out: &mut dyn Write) {
    // Neither a string nor a hash refuses text.
    let _ = Text::key(out).program(program);
}

/// The hash of bytes: against accidents, not against intent.
pub fn hash_of_bytes(bytes: impl IntoIterator<Item = u8>) -> u128 {
    let mut hash = Fnv(Fnv::OFFSET);
    hash.add(bytes);
    hash.0
}

/// The state of a hash under way.
struct Fnv(u128);

impl Fnv {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

    fn add(&mut self, bytes: impl IntoIterator<Item = u8>) {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(Self::PRIME);
        }
    }
}

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.add(text.bytes());
        Ok(())
    }
}
