//! Which steps of a tile count: where factors are known to be zero, or nobody reads the sums, nothing is multiplied.

use cotangent_core::schedule::{Bound, Role, Structure};
use std::ops::Range;

/// So many panels are not gone through to choose a shape.
const MANY_PANELS: usize = 256;

/// The bounds of a contraction.
#[derive(Debug)]
pub(super) struct Limits(Vec<Limit>);

#[derive(Debug)]
struct Limit {
    bound: Bound,
    /// The factor that must be finite for products outside to be zeros.
    other: Option<Role>,
}

/// Which coordinates of the kernel a tile's are.
pub(super) struct Axes {
    /// Those of the batch.
    pub batch: Vec<usize>,
    /// Those of the factor read by vectors, and of the one read by scalars.
    pub own: [Vec<usize>; 2],
    /// Those of the inner space.
    pub inner: Range<usize>,
}

impl Limits {
    /// The limits that a structure sets.
    pub fn new(structure: &Structure) -> Self {
        let Structure {
            left,
            right,
            needed,
        } = structure;
        let with = |bounds: &[Bound], other: Option<Role>| {
            let limit = |&bound: &Bound| Limit { bound, other };
            bounds.iter().map(limit).collect::<Vec<_>>()
        };
        let mut limits = with(left, Some(Role::Right));
        limits.extend(with(right, Some(Role::Left)));
        limits.extend(with(needed, None));
        Self(limits)
    }

    /// Whether it matters that a factor is finite.
    pub fn ask_whether_finite(&self, role: Role) -> bool {
        self.0.iter().any(|limit| limit.other == Some(role))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The share of all steps that panels go through which have these widths along two coordinates; 1 where it
    /// would take long to find out.
    pub fn share(&self, extents: &[i64], axes: [usize; 2], widths: [usize; 2]) -> f64 {
        let mut region = Region::new(extents.len());
        for (axis, &extent) in extents.iter().enumerate() {
            region.span(axis, 0, extent as usize);
        }
        let panels = [0, 1].map(|i| (extents[axes[i]] as usize).div_ceil(widths[i]));
        let steps = extents.last().map_or(0, |&last| last as usize);
        let all = panels[0] * panels[1] * steps;
        if self.is_empty() || panels[0] * panels[1] > MANY_PANELS || all == 0 {
            return 1.0;
        }
        let mut sum = 0;
        for (p, q) in (0..panels[0]).flat_map(|p| (0..panels[1]).map(move |q| (p, q))) {
            for (i, panel) in [p, q].into_iter().enumerate() {
                let first = panel * widths[i];
                let count = widths[i].min(extents[axes[i]] as usize - first);
                region.span(axes[i], first as i64, count);
            }
            sum += self.steps(&region, |_| true).len();
        }
        sum as f64 / all as f64
    }

    /// The part of a region's steps, counted from their first, that may differ from zero and is needed.
    pub fn steps(&self, region: &Region, is_finite: impl Fn(Role) -> bool) -> Range<usize> {
        let axis = region.low.len() - 1;
        let (first, last) = (region.low[axis], region.high[axis]);
        let (mut start, mut end) = (first, last + 1);
        for Limit { bound, other } in &self.0 {
            if !other.is_none_or(&is_finite) {
                continue;
            }
            let (above, below) = (bound.above as usize, bound.below as usize);
            if below == axis {
                end = end.min(region.high[above] - bound.least + 1);
            } else if above == axis {
                start = start.max(region.low[below] + bound.least);
            } else if region.high[above] - region.low[below] < bound.least {
                end = start;
            }
        }
        let count = |at: i64| (at.clamp(first, last + 1) - first) as usize;
        count(start)..count(end).max(count(start))
    }
}

/// The least and the greatest value of each coordinate of a kernel within a tile.
pub(super) struct Region {
    low: Vec<i64>,
    high: Vec<i64>,
}

impl Region {
    /// A region in a space of that many coordinates.
    pub fn new(coords: usize) -> Self {
        Self {
            low: vec![0; coords],
            high: vec![0; coords],
        }
    }

    /// Goes to one value of each of some coordinates.
    pub fn place(&mut self, axes: &[usize], at: &[i64]) {
        for (&axis, &at) in axes.iter().zip(at) {
            self.span(axis, at, 1);
        }
    }

    /// Goes to one value of neighbouring coordinates, and to so many of the last of them.
    pub fn place_range(&mut self, axes: Range<usize>, at: &[i64], count: usize) {
        for (axis, &at) in axes.clone().zip(at) {
            self.span(axis, at, 1);
        }
        if let (Some(axis), Some(&at)) = (axes.last(), at.last()) {
            self.span(axis, at, count);
        }
    }

    /// Goes to so many values of a coordinate.
    pub fn span(&mut self, axis: usize, first: i64, count: usize) {
        self.low[axis] = first;
        self.high[axis] = first + count as i64 - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Coordinates 0 and 1 of the space, 2 of the inner space.
    fn region(i: (i64, usize), j: (i64, usize), k: (i64, usize)) -> Region {
        let mut region = Region::new(3);
        for (axis, (first, count)) in [i, j, k].into_iter().enumerate() {
            region.span(axis, first, count);
        }
        region
    }

    #[test]
    fn steps_end_where_the_triangle_does() {
        let structure = Structure {
            left: vec![Bound::new(0, 2, 0)],
            ..Structure::default()
        };
        let limits = Limits::new(&structure);
        let here = region((8, 4), (0, 8), (0, 64));
        assert_eq!(limits.steps(&here, |_| true), 0..12);
        assert_eq!(limits.steps(&here, |_| false), 0..64);
        let later = region((8, 4), (0, 8), (10, 64));
        assert_eq!(limits.steps(&later, |_| true), 0..2);
        let beyond = region((8, 4), (0, 8), (12, 64));
        assert!(limits.steps(&beyond, |_| true).is_empty());
    }

    #[test]
    fn narrow_panels_waste_less_of_a_triangle() {
        let structure = Structure {
            needed: vec![Bound::new(0, 1, 0)],
            ..Structure::default()
        };
        let limits = Limits::new(&structure);
        let share = |width| limits.share(&[64, 64, 9], [0, 1], [width, 8]);
        assert_eq!(share(8), 36.0 / 64.0);
        assert!(share(16) < share(32) && share(32) < 1.0);
    }

    #[test]
    fn a_band_has_two_ends() {
        let structure = Structure {
            right: vec![Bound::new(1, 2, -2), Bound::new(2, 1, -3)],
            ..Structure::default()
        };
        let limits = Limits::new(&structure);
        let here = region((0, 4), (20, 8), (0, 64));
        assert_eq!(limits.steps(&here, |role| role == Role::Left), 17..30);
        assert_eq!(limits.steps(&here, |role| role == Role::Right), 0..64);
    }

    #[test]
    fn what_nobody_reads_has_no_steps() {
        let structure = Structure {
            needed: vec![Bound::new(0, 1, 1)],
            ..Structure::default()
        };
        let limits = Limits::new(&structure);
        assert!(
            limits
                .steps(&region((0, 4), (3, 8), (0, 9)), |_| false)
                .is_empty()
        );
        assert_eq!(
            limits.steps(&region((0, 5), (3, 8), (0, 9)), |_| false),
            0..9
        );
    }
}
