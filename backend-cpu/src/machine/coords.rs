//! Row-major counting: between positions and coordinates.

use cotangent_core::schedule::drive::Ints;

/// The product of extents, 0 where one is not positive; `None` where it overflows.
pub(crate) fn product(extents: &[i64]) -> Option<i64> {
    if extents.iter().any(|&e| e <= 0) {
        return Some(0);
    }
    extents.iter().try_fold(1i64, |p, &e| p.checked_mul(e))
}

/// The distance between neighbours along each dimension, in row-major order.
pub(crate) fn strides(extents: &[i64]) -> Ints {
    let mut strides = Ints::from_elem(1, extents.len());
    for d in (1..extents.len()).rev() {
        strides[d - 1] = strides[d].wrapping_mul(extents[d].max(0));
    }
    strides
}

/// Writes the coordinates of a position.
pub(crate) fn unrank(position: i64, extents: &[i64], coords: &mut [i64]) {
    let mut rest = position;
    for (coord, &extent) in coords.iter_mut().zip(extents).rev() {
        let extent = extent.max(1);
        *coord = rest % extent;
        rest /= extent;
    }
}

/// The position of coordinates.
pub(crate) fn rank(coords: &[i64], extents: &[i64]) -> i64 {
    let step = |p: i64, (c, e): (&i64, &i64)| p.wrapping_mul(*e).wrapping_add(*c);
    coords.iter().zip(extents).fold(0, step)
}

/// Goes to the next coordinates in row-major order.
pub(crate) fn advance(coords: &mut [i64], extents: &[i64]) {
    for (coord, &extent) in coords.iter_mut().zip(extents).rev() {
        *coord += 1;
        if *coord < extent {
            return;
        }
        *coord = 0;
    }
}

/// Room for coordinates, without an allocation for all but the highest ranks.
#[derive(Default)]
struct Room {
    few: [i64; 6],
    many: Vec<i64>,
}

impl Room {
    /// As many zeros.
    fn of(&mut self, rank: usize) -> &mut [i64] {
        match rank <= self.few.len() {
            true => &mut self.few[..rank],
            false => {
                self.many.resize(rank, 0);
                &mut self.many
            }
        }
    }
}

/// Cuts the positions `start .. start + n` into runs along the last dimension: calls `visit` with the
/// coordinates where a run starts, how many positions came before it, and its length.
pub(crate) fn for_runs(
    extents: &[i64],
    start: i64,
    n: usize,
    mut visit: impl FnMut(&[i64], usize, usize),
) {
    let Some((&last, _)) = extents.split_last() else {
        return visit(&[], 0, n);
    };
    let mut room = Room::default();
    let coords = room.of(extents.len());
    let mut done = 0;
    unrank(start, extents, coords);
    while done < n {
        let at = coords[extents.len() - 1];
        let len = (n - done).min((last - at).max(1) as usize);
        visit(coords, done, len);
        done += len;
        coords[extents.len() - 1] = last - 1;
        advance(coords, extents);
    }
}

/// A rectangle of positions that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plane<'a> {
    /// The coordinates of the first.
    pub at: &'a [i64],
    /// How many positions came before it.
    pub before: usize,
    /// The number of rows, neighbours along the last dimension but one.
    pub rows: usize,
    /// The number of positions of a row, neighbours along the last dimension.
    pub lanes: usize,
}

/// Cuts the positions `start .. start + n` into planes: calls `visit` with each.
pub(crate) fn for_planes(extents: &[i64], start: i64, n: usize, mut visit: impl FnMut(Plane)) {
    let rank = extents.len();
    let extent = |from_end: usize| rank.checked_sub(from_end).map_or(1, |d| extents[d].max(1));
    let mut room = Room::default();
    let coords = room.of(rank);
    let mut done = 0;
    while done < n {
        unrank(start + done as i64, extents, coords);
        let coord = |from_end: usize| rank.checked_sub(from_end).map_or(0, |d| coords[d]);
        let row_left = (extent(1) - coord(1)) as usize;
        let whole_rows = (n - done) / extent(1) as usize;
        // What begins or ends within a row is a plane of its own.
        let (rows, lanes) = match coord(1) == 0 && whole_rows > 0 {
            true => (whole_rows.min((extent(2) - coord(2)) as usize), row_left),
            false => (1, row_left.min(n - done)),
        };
        visit(Plane {
            at: coords,
            before: done,
            rows,
            lanes,
        });
        done += rows * lanes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_coordinates_are_inverse() {
        let extents = [3, 4, 5];
        let mut coords = [0; 3];
        let mut counted = [0; 3];
        for p in 0..60 {
            unrank(p, &extents, &mut coords);
            assert_eq!(rank(&coords, &extents), p);
            assert_eq!(coords, counted);
            advance(&mut counted, &extents);
        }
    }

    #[test]
    fn runs_cover_every_position_once() {
        for (start, n) in [(0, 60), (7, 11), (4, 1), (59, 1), (3, 0)] {
            let mut seen = vec![];
            for_runs(&[3, 4, 5], start, n, |coords, before, len| {
                assert_eq!(before, seen.len());
                let first = rank(coords, &[3, 4, 5]);
                seen.extend(first..first + len as i64);
            });
            assert_eq!(seen, (start..start + n as i64).collect::<Vec<_>>());
        }
    }

    #[test]
    fn planes_cover_every_position_once() {
        for extents in [&[3, 4, 5][..], &[7], &[2, 9]] {
            let all = product(extents).unwrap();
            for (start, end) in (0..=all).flat_map(|start| (start..=all).map(move |e| (start, e))) {
                let mut seen = vec![];
                for_planes(extents, start, (end - start) as usize, |plane| {
                    assert_eq!(plane.before, seen.len());
                    let first = rank(plane.at, extents);
                    let len = plane.rows * plane.lanes;
                    let last = plane.at.last().unwrap() + plane.lanes as i64;
                    assert!(last <= *extents.last().unwrap());
                    seen.extend(first..first + len as i64);
                });
                assert_eq!(seen, (start..end).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_product_is_zero_before_it_overflows() {
        assert_eq!(product(&[i64::MAX, 0, i64::MAX]), Some(0));
        assert_eq!(product(&[i64::MAX, 2]), None);
        assert_eq!(product(&[]), Some(1));
        assert_eq!(product(&[3, -1]), Some(0));
    }
}
