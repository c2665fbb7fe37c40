//! Deterministic pseudo-random numbers: SplitMix64, so that a sample depends on its seed only.

use std::ops::RangeInclusive;

/// A source of numbers.
#[derive(Clone, Debug)]
pub struct Draw(u64);

impl Draw {
    /// The source that belongs to a name.
    pub fn named(name: &str) -> Self {
        let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from -10 to 10 that `f32` has exactly.
    pub fn float(&mut self) -> f64 {
        let unit = (self.bits() >> 44) as f64 / f64::from(1u32 << 20);
        f64::from((20.0 * unit - 10.0) as f32)
    }

    /// A number of a range.
    pub fn int(&mut self, range: &RangeInclusive<i32>) -> i32 {
        let count = (range.end() - range.start() + 1) as u64;
        range.start() + (self.bits() % count) as i32
    }

    /// Numbers from -10 to 10.
    pub fn vector(&mut self, len: usize) -> Vec<f64> {
        (0..len).map(|_| self.float()).collect()
    }
}
