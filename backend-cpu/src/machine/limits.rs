//! The bounds that an index is kept within, in one run of a row: by the nearest number, or by reflection.

/// Numbers that are larger may wrap where they are reflected.
const SMALL: u64 = 1 << 29;

/// What an index becomes: reflected, then clamped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// What an index and its reflection add up to, where it is low, and where it is high.
    pub sums: [Option<i32>; 2],
    /// The least and the greatest number.
    pub ends: [i32; 2],
}

impl Limits {
    /// What an index becomes, in wrapping arithmetic.
    pub fn keep(&self, index: i32) -> i32 {
        let [below, above] = self.sums;
        let [low, high] = self.ends;
        let index = below.map_or(index, |sum| index.max(sum.wrapping_sub(index)));
        let index = above.map_or(index, |sum| index.min(sum.wrapping_sub(index)));
        index.max(low).min(high)
    }

    /// The same of a number that does not wrap.
    pub fn keep_small(&self, index: i64) -> i64 {
        let [below, above] = self.sums.map(|sum| sum.map(i64::from));
        let [low, high] = self.ends.map(i64::from);
        let index = below.map_or(index, |sum| index.max(sum - index));
        let index = above.map_or(index, |sum| index.min(sum - index));
        index.max(low).min(high)
    }

    /// Whether there are any.
    pub fn are_any(&self) -> bool {
        self.is_reflected() || self.ends != [i32::MIN, i32::MAX]
    }

    /// Whether some numbers are reflected.
    pub fn is_reflected(&self) -> bool {
        self.sums.iter().any(Option::is_some)
    }

    /// The least number that stays as it is, and the greatest one; if that is less, none does.
    pub fn straight(&self) -> [i64; 2] {
        let [below, above] = self.sums.map(|sum| sum.map(i64::from));
        let [low, high] = self.ends.map(i64::from);
        let low = below.map_or(low, |sum| low.max((sum + 1).div_euclid(2)));
        let high = above.map_or(high, |sum| high.min(sum.div_euclid(2)));
        [low, high]
    }

    /// Whether [`keep`](Self::keep) and [`keep_small`](Self::keep_small) are the same from one number to another one.
    pub fn are_same_for(&self, ends: [i64; 2]) -> bool {
        let sums = self.sums.iter().flatten().map(|&sum| i64::from(sum));
        let mut all = sums.chain(ends);
        !self.is_reflected() || all.all(|x| x.unsigned_abs() <= SMALL)
    }

    /// Whether whatever is kept within them is in an array of an extent.
    pub fn are_inside(&self, extent: i64) -> bool {
        let [low, high] = self.ends.map(i64::from);
        0 <= low && high < extent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_as_they_are_between_the_limits() {
        let sums = [None, Some(-3), Some(0), Some(1), Some(9), Some(10)];
        for (below, above) in sums.into_iter().flat_map(|b| sums.map(|a| (b, a))) {
            for ends in [[i32::MIN, i32::MAX], [0, 5], [-2, 3], [4, 4]] {
                let limits = Limits {
                    sums: [below, above],
                    ends,
                };
                let [low, high] = limits.straight();
                for x in -12..=12 {
                    let stays = limits.keep(x) == x;
                    assert_eq!(
                        stays,
                        (low..=high).contains(&x.into()),
                        "{x} within {limits:?}"
                    );
                    assert_eq!(i64::from(limits.keep(x)), limits.keep_small(x.into()));
                }
            }
        }
    }
}
