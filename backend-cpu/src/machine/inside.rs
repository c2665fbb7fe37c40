//! Which lanes of a row are inside: where all comparisons hold that only a border makes fail, as told by coordinates.

use super::Machine;
use crate::code::{Inside, Line, Side};
use std::ops::Range;

/// Fewer lanes are not cut: blocks of some lanes take nearly as long as one of all.
const LEAST_CUT: usize = 64;

impl Machine<'_> {
    /// Whether all lanes of a block are inside.
    pub(super) fn is_inside(&self, n: usize) -> bool {
        let Range { start, end } = self.row_inside;
        start <= self.start && self.start + n as i64 <= end
    }

    /// Cuts the lanes of a block into stretches that are inside or not.
    pub(crate) fn stretches(
        &self,
        start: i64,
        n: usize,
    ) -> impl Iterator<Item = (i64, usize)> + use<> {
        let end = start + n as i64;
        let cut = |lane: i64| lane.clamp(start, end);
        let Range {
            start: first,
            end: behind,
        } = match n < LEAST_CUT {
            true => end..end,
            false => self.row_inside.clone(),
        };
        let stretches = [start..cut(first), cut(first)..cut(behind), cut(behind)..end];
        let stretches = stretches.into_iter().filter(|lanes| !lanes.is_empty());
        stretches.map(|lanes| (lanes.start, (lanes.end - lanes.start) as usize))
    }

    /// The lanes of the row that are inside.
    pub(super) fn lanes_inside(&self) -> Range<i64> {
        if self.code.inside.is_empty() {
            return 0..0;
        }
        let mut lanes = 0..self.env.extents[self.code.nest.lane.start];
        for Inside { numbers, side } in &self.code.inside {
            let [Some((x, step)), Some((y, less))] =
                numbers.each_ref().map(|x| self.line(x, &lanes))
            else {
                return 0..0;
            };
            lanes = longest(*side, x - y, step - less, lanes);
        }
        lanes
    }

    /// What a number is at the first lane of the row, and what each lane adds, if it does not wrap around in some lanes.
    fn line(&self, number: &Line, lanes: &Range<i64>) -> Option<(i64, i64)> {
        let first = self.int(number.base);
        let step = number.step.map_or(0, |step| self.int(step));
        let ends = [lanes.start, (lanes.end - 1).max(lanes.start)].map(|lane| first + step * lane);
        ends.iter()
            .all(|&end| i32::try_from(end).is_ok())
            .then_some((first, step))
    }
}

/// The longest stretch of lanes where `first + step · lane` is on the given side of 0.
fn longest(side: Side, first: i64, step: i64, lanes: Range<i64>) -> Range<i64> {
    if step == 0 {
        return if side.holds(first, first) {
            lanes
        } else {
            0..0
        };
    }
    let (side, first, step) = match step < 0 {
        true => (side.mirrored(), -first, -step),
        false => (side, first, step),
    };
    let cut = |lane: i64| lane.clamp(lanes.start, lanes.end);
    // The first lanes where the number is not below 0, and where it is above.
    let (zero, above) = (
        cut(-first.div_euclid(step)),
        cut((-first).div_euclid(step) + 1),
    );
    match side {
        Side::Below => lanes.start..zero,
        Side::NotAbove => lanes.start..above,
        Side::Equal => zero..above,
        Side::NotBelow => zero..lanes.end,
        Side::Above => above..lanes.end,
        Side::Apart if zero == above => lanes,
        Side::Apart if zero - lanes.start > lanes.end - above => lanes.start..zero,
        Side::Apart => above..lanes.end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_stretch_is_on_its_side_and_no_longer_one_is() {
        use Side::{Above, Apart, Below, Equal, NotAbove, NotBelow};
        let lanes = 0..9;
        for side in [Below, NotAbove, Equal, Apart, NotBelow, Above] {
            for (first, step) in (-12..12).flat_map(|first| (-3..4).map(move |step| (first, step)))
            {
                let on_side = |lane: i64| {
                    let number = first + step * lane;
                    side.holds(number, number)
                };
                let found = longest(side, first, step, lanes.clone());
                assert!(found.clone().all(on_side), "{side:?} {first} {step}");
                let runs = lanes
                    .clone()
                    .map(|start| (start..9).take_while(|&l| on_side(l)).count());
                let expected = runs.max().unwrap_or(0);
                assert_eq!(found.count(), expected, "{side:?} {first} {step}");
            }
        }
    }
}
