//! The bounds that an index is kept within, in one run of a row: by the nearest number, by reflection, or going around.

use crate::code::Bounds;

/// Numbers that are larger may wrap where they are reflected.
const SMALL: u64 = 1 << 29;

/// What an index becomes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limits {
    /// Reflected, then clamped.
    Ends {
        /// What an index and its reflection add up to, where it is low, and where it is high.
        sums: [Option<i32>; 2],
        /// The least and the greatest number.
        ends: [i32; 2],
    },
    /// Negative ones go on at the end of so many numbers.
    Around(i32),
    /// Those from this number on begin anew at 0.
    Anew(i32),
}

impl Limits {
    /// Numbers stay as they are.
    pub const NONE: Self = Self::Ends {
        sums: [None; 2],
        ends: [i32::MIN, i32::MAX],
    };

    pub fn new(bounds: Bounds<i32>) -> Self {
        match bounds {
            Bounds::Ends { sums, ends } => Self::Ends {
                sums,
                ends: ends.unwrap_or([i32::MIN, i32::MAX]),
            },
            Bounds::Around(whole) => Self::Around(whole),
        }
    }

    /// What an index becomes, in wrapping arithmetic.
    pub fn keep(&self, index: i32) -> i32 {
        match *self {
            Self::Ends { sums, ends } => {
                let [low, high] = ends;
                let [below, above] = sums;
                let index = below.map_or(index, |sum| index.max(sum.wrapping_sub(index)));
                let index = above.map_or(index, |sum| index.min(sum.wrapping_sub(index)));
                index.max(low).min(high)
            }
            Self::Around(whole) if index < 0 => index.wrapping_add(whole),
            Self::Anew(whole) if index >= whole => index.wrapping_sub(whole),
            Self::Around(_) | Self::Anew(_) => index,
        }
    }

    /// The same of a number that does not wrap.
    pub fn keep_small(&self, index: i64) -> i64 {
        match *self {
            Self::Ends { sums, ends } => {
                let [below, above] = sums.map(|sum| sum.map(i64::from));
                let [low, high] = ends.map(i64::from);
                let index = below.map_or(index, |sum| index.max(sum - index));
                let index = above.map_or(index, |sum| index.min(sum - index));
                index.max(low).min(high)
            }
            Self::Around(whole) if index < 0 => index + i64::from(whole),
            Self::Anew(whole) if index >= whole.into() => index - i64::from(whole),
            Self::Around(_) | Self::Anew(_) => index,
        }
    }

    /// Whether there are any.
    pub fn are_any(&self) -> bool {
        match self {
            Self::Ends { sums, ends } => *sums != [None; 2] || *ends != [i32::MIN, i32::MAX],
            Self::Around(_) | Self::Anew(_) => true,
        }
    }

    /// Whether all beyond a limit become one number.
    pub fn are_level(&self) -> bool {
        matches!(
            self,
            Self::Ends {
                sums: [None, None],
                ..
            }
        )
    }

    /// Whether those beyond a limit are as far apart as the others, in the same order.
    pub const fn are_moved(&self) -> bool {
        matches!(self, Self::Around(_) | Self::Anew(_))
    }

    /// The least number that stays as it is, and the greatest one; if that is less, none does.
    pub fn straight(&self) -> [i64; 2] {
        match *self {
            Self::Ends { sums, ends } => {
                let [below, above] = sums.map(|sum| sum.map(i64::from));
                let [low, high] = ends.map(i64::from);
                let low = below.map_or(low, |sum| low.max((sum + 1).div_euclid(2)));
                let high = above.map_or(high, |sum| high.min(sum.div_euclid(2)));
                [low, high]
            }
            Self::Around(_) => [0, i32::MAX.into()],
            Self::Anew(whole) => [i32::MIN.into(), i64::from(whole) - 1],
        }
    }

    /// Whether [`keep`](Self::keep) and [`keep_small`](Self::keep_small) are the same from one number to another one.
    pub fn are_same_for(&self, ends: [i64; 2]) -> bool {
        let is_small = |x: i64| x.unsigned_abs() <= SMALL;
        let own = match *self {
            Self::Ends { sums, .. } => sums,
            Self::Around(whole) | Self::Anew(whole) => [Some(whole), None],
        };
        let mut own = own.iter().flatten().map(|&x| i64::from(x));
        self.are_level() || own.all(is_small) && ends.into_iter().all(is_small)
    }

    /// Whether what numbers become, from one to another one, is in an array of an extent.
    pub fn are_inside(&self, numbers: [i64; 2], extent: i64) -> bool {
        let [least, greatest] = [numbers[0].min(numbers[1]), numbers[0].max(numbers[1])];
        let (low, high) = match *self {
            Self::Ends { ends, .. } => match self.are_level() {
                true => (self.keep_small(least), self.keep_small(greatest)),
                false => (ends[0].into(), ends[1].into()),
            },
            Self::Around(_) => {
                let last_moved = self.keep_small(least.max(greatest.min(-1)));
                (self.keep_small(least), greatest.max(last_moved))
            }
            Self::Anew(whole) => {
                let numbers = numbers.map(|x| x - i64::from(whole));
                return Self::Around(whole).are_inside(numbers, extent);
            }
        };
        0 <= low && high < extent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Limits> {
        let sums = [None, Some(-3), Some(0), Some(1), Some(9), Some(10)];
        let ends = [[i32::MIN, i32::MAX], [0, 5], [-2, 3], [4, 4]];
        let pairs = sums.into_iter().flat_map(move |b| sums.map(|a| [b, a]));
        let kept = pairs.flat_map(move |sums| ends.map(|ends| Limits::Ends { sums, ends }));
        kept.chain([3, 10].map(Limits::Around))
            .chain([3, 10].map(Limits::Anew))
    }

    #[test]
    fn numbers_stay_as_they_are_between_the_limits() {
        for limits in all() {
            let [low, high] = limits.straight();
            for x in -12..=12 {
                let stays = limits.keep(x) == x;
                let is_straight = (low..=high).contains(&x.into());
                // What is reflected may be clamped back to where it was.
                let exactly = limits.are_level() || limits.are_moved();
                assert!(stays || !is_straight, "{x} within {limits:?}");
                assert!(is_straight || !stays || !exactly, "{x} within {limits:?}");
                assert_eq!(i64::from(limits.keep(x)), limits.keep_small(x.into()));
            }
        }
    }

    #[test]
    fn what_is_said_to_be_inside_is() {
        for limits in all() {
            for (x, y) in (-12..=12).flat_map(|x| (x..=12).map(move |y| (x, y))) {
                let is_inside = (x..=y).all(|x| (0..8).contains(&limits.keep(x)));
                let numbers = [x.into(), y.into()];
                assert!(
                    !limits.are_inside(numbers, 8) || is_inside,
                    "{numbers:?} within {limits:?}"
                );
                if limits.are_level() {
                    assert_eq!(limits.are_inside(numbers, 8), is_inside);
                }
            }
        }
    }
}
