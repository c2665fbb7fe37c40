//! How the dimension of a strip is cut, from the extents alone.
//!
//! Chunks are so long that what the kernels hand to each other stays in cache. Neighbouring chunks make a group,
//! whose contributions to totals are combined before those of groups are; there are so few groups that this
//! takes little of the time, and so many that threads can share them.

use super::Strip;
use crate::schedule::{ArrayDecl, SymbolId};
use std::ops::Range;

/// The bytes that a chunk's arrays should take: a part of the second cache.
const CHUNK_BYTES: u64 = 1 << 20;
/// The fewest positions of a chunk, as contractions of fewer are slow,
const LEAST_CHUNK: u64 = 64;
/// unless their arrays would take more than that.
const MOST_BYTES: u64 = 16 << 20;
/// Chunks are multiples of so many positions, but for the last, which is shorter: whole vectors, and whole panels of
/// contractions, whatever the instruction set.
const UNIT: i64 = 32;
/// The most groups.
const MAX_GROUPS: i64 = 64;
/// A group writes at least so many times the elements of its sums.
const WORK_PER_SUM: u64 = 4;
/// With fewer groups than that, their number is a power of two, which threads can share evenly.
const FEW_GROUPS: i64 = 8;

/// How the dimension is cut into groups, and groups into chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cuts {
    over: i64,
    /// The number of groups, at least 1.
    pub groups: i64,
    /// The most units of a chunk, at least 1.
    units: i64,
}

impl Cuts {
    /// The cuts of a strip, given the values of symbols.
    pub fn new(strip: &Strip, arrays: &[ArrayDecl], symbol: &impl Fn(SymbolId) -> i64) -> Self {
        let over = symbol(strip.over).max(0);
        let bytes = strip.bytes_per_position(arrays, symbol).max(1);
        let least = LEAST_CHUNK.min(MOST_BYTES / bytes).max(1);
        let chunk = (CHUNK_BYTES / bytes).max(least);
        let sums = strip.bytes_of_totals(arrays, symbol);
        let positions = (sums.saturating_mul(WORK_PER_SUM) / bytes).max(chunk);
        let groups = (over / positions.min(i64::MAX as u64) as i64).clamp(1, MAX_GROUPS);
        let groups = match groups {
            ..FEW_GROUPS => (groups as u64).next_power_of_two() as i64,
            groups => groups,
        };
        Self {
            over,
            groups,
            units: (chunk.min(i64::MAX as u64) as i64 / UNIT).max(1),
        }
    }

    /// The positions of a group.
    pub fn group(&self, group: i64) -> Range<i64> {
        let at = |g: i64| aligned(self.over, g, self.groups);
        at(group)..at(group + 1)
    }

    /// The chunks of a group: of about the same length, none empty.
    pub fn chunks(&self, group: i64) -> impl Iterator<Item = Range<i64>> + use<> {
        let Range { start, end } = self.group(group);
        let len = end - start;
        let pieces = (units_of(len) as u64).div_ceil(self.units as u64) as i64;
        let at = move |p: i64| start + aligned(len, p, pieces);
        (0..pieces).map(move |piece| at(piece)..at(piece + 1))
    }

    /// Whether a group has more than one chunk.
    pub fn some_group_has_chunks(&self) -> bool {
        (0..self.groups).any(|group| self.chunks(group).nth(1).is_some())
    }

    /// No chunk is longer.
    pub fn longest(&self) -> i64 {
        self.units.saturating_mul(UNIT).min(self.over)
    }
}

/// The number of units, the last of which may be shorter.
fn units_of(len: i64) -> i64 {
    (len as u64).div_ceil(UNIT as u64) as i64
}

/// `n` of `pieces` parts of `len`: parts of about the same number of units.
fn aligned(len: i64, n: i64, pieces: i64) -> i64 {
    let units = i128::from(units_of(len)) * i128::from(n) / i128::from(pieces);
    (units as i64).saturating_mul(UNIT).min(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_the_dimension_in_whole_vectors() {
        for over in [0, 1, 31, 32, 40, 64, 100, 1000, 10_000] {
            for (groups, units) in [(1, 2), (2, 2), (4, 2), (4, 1), (39, 3), (64, 160)] {
                let cuts = Cuts {
                    over,
                    groups,
                    units,
                };
                let chunks: Vec<_> = (0..groups).flat_map(|g| cuts.chunks(g)).collect();
                let mut end = 0;
                for chunk in &chunks {
                    assert_eq!((chunk.start, chunk.start % UNIT), (end, 0), "{cuts:?}");
                    assert!(
                        (1..=cuts.longest()).contains(&(chunk.end - chunk.start)),
                        "{cuts:?}"
                    );
                    end = chunk.end;
                }
                assert_eq!(end, over);
            }
        }
    }
}
