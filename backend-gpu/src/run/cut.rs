//! How rows are cut into parts, and who does a part: chosen by extents alone, so that results are the same every time.

use crate::device::Groups;
use cotangent_core::schedule::condition::size;
use cotangent_shaders::{Neighbours, Tile, Tiled};

/// The positions of a part of a row, where rows are few: a loop of an invocation.
const PART: u32 = 256;
/// With so many rows there is work enough for every processor of a device.
const MANY_ROWS: u32 = 1 << 12;
/// No invocation goes through a loop more often: drivers may stop it.
const MOST_TRIPS: u32 = 1 << 14;
/// Shorter rows are not worth a workgroup each.
const SHORT: u32 = 64;
/// Rows that are no longer are done by small workgroups, where there are many.
const RATHER_SHORT: u32 = 1 << 10;
/// The positions of a part that a workgroup does.
const PART_OF_GROUP: u32 = 1 << 12;
/// With so many rows, a workgroup a row is work enough for every processor of a device.
const MANY_GROUPS: u32 = 1 << 9;
/// The most positions of a row that a workgroup does.
const MOST_OF_GROUP: u32 = 1 << 16;
/// So many invocations are work enough for every processor of a device.
const ENOUGH: u32 = 1 << 16;
/// Shorter parts of columns are not worth a pass of their own.
const PART_OF_COLUMN: u32 = 32;
/// With fewer columns, neighbours are too few to be read at once.
const FEW_COLUMNS: u32 = 8;

/// What it costs to read a factor from an array, in multiplications.
const COST_OF_FETCH: u64 = 8;
/// What it costs to read one from workgroup memory.
const COST_OF_READ: u64 = 2;
/// With fewer workgroups, the inner space of a contraction is cut into parts.
const ENOUGH_GROUPS: u32 = 1 << 8;
/// Shorter parts of the inner space of a contraction are not worth a pass of their own.
const PART_OF_PRODUCT: u32 = 1 << 7;
/// Shorter inner spaces are not worth a tile.
const SHORT_PRODUCT: u32 = 8;

/// Shorter axes are not worth tiles.
const SHORT_SIDE: i64 = 32;

/// The tiles of a map, the last axis and the one `across` being cut; none where they do not pay.
pub(crate) fn tiles(extents: &[i64], across: usize, groups: Groups) -> Option<u32> {
    let last = extents.len().checked_sub(1)?;
    let is_cut = |axis: usize| axis == last || axis == across;
    let pays = [last, across]
        .iter()
        .all(|&axis| extents[axis] >= SHORT_SIDE);
    if !pays && groups != Groups::Always {
        return None;
    }
    let side = i64::from(Tiled::SIDE);
    let tiles = extents
        .iter()
        .enumerate()
        .map(|(axis, &extent)| match is_cut(axis) {
            true => (extent + side - 1) / side,
            false => extent,
        });
    u32::try_from(size(&tiles.collect::<Vec<_>>())?).ok()
}

/// How often, and over what, a shader runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub rows: u32,
    pub inner: u32,
    pub length: u32,
    /// The lowest bit of the digit that is sorted by.
    pub digit: u32,
}

/// Who does a part of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// An invocation, next to those of the same row.
    Invocation,
    /// An invocation, next to those of other rows.
    Column,
    /// A workgroup.
    Group,
    /// A small one.
    SmallGroup,
}

impl Cut {
    /// Of what has no rows.
    pub fn none() -> Self {
        Self::of_points(0)
    }

    /// Of so many points that are not cut.
    pub fn of_points(rows: u32) -> Self {
        Self {
            rows,
            inner: 1,
            length: 1,
            digit: 0,
        }
    }

    /// Of a sequence in parts of a length.
    pub fn of_sequence(inner: u32, length: u32) -> Self {
        Self {
            inner,
            length,
            ..Self::of_points(1)
        }
    }

    /// The same for so many rows.
    pub fn in_rows(self, rows: u32) -> Self {
        Self { rows, ..self }
    }

    /// The same for a digit.
    pub fn at_digit(self, digit: u32) -> Self {
        Self { digit, ..self }
    }

    /// Rows of a reduction, where invocations do parts.
    pub fn of_reduction(rows: u32, inner: u32) -> Self {
        let one_part = match rows >= MANY_ROWS {
            true => MOST_TRIPS,
            false => 2 * PART,
        };
        Self::with_parts(rows, inner, one_part, PART)
    }

    /// Rows of a reduction, and who does a part best.
    pub fn of_fast_reduction(
        rows: u32,
        inner: u32,
        neighbours: Neighbours,
        groups: Groups,
    ) -> (Self, By) {
        let is_in_columns = neighbours == Neighbours::Rows && rows >= FEW_COLUMNS;
        if is_in_columns && groups != Groups::Always {
            return Self::of_columns(rows, inner);
        }
        if groups == Groups::Never || (groups == Groups::WherePaying && inner < SHORT) {
            return (Self::of_reduction(rows, inner), By::Invocation);
        }
        if inner <= RATHER_SHORT && rows >= MANY_GROUPS {
            return (Self::with_parts(rows, inner, inner, inner), By::SmallGroup);
        }
        let one_part = match rows >= MANY_GROUPS {
            true => MOST_OF_GROUP,
            false => 2 * PART_OF_GROUP,
        };
        (
            Self::with_parts(rows, inner, one_part, PART_OF_GROUP),
            By::Group,
        )
    }

    fn of_columns(rows: u32, inner: u32) -> (Self, By) {
        let parts = ENOUGH.div_ceil(rows);
        let length = inner.div_ceil(parts).clamp(PART_OF_COLUMN, MOST_TRIPS);
        let cut = Self::with_parts(rows, inner, length, length);
        let by = if cut.parts() == 1 {
            By::Invocation
        } else {
            By::Column
        };
        (cut, by)
    }

    fn with_parts(rows: u32, inner: u32, one_part: u32, part: u32) -> Self {
        let length = if inner <= one_part {
            inner.max(1)
        } else {
            part
        };
        Self {
            rows,
            inner,
            length,
            ..Self::none()
        }
    }

    /// Rows of a scan: parts are as many as they are long.
    pub fn of_scan(rows: u32, inner: u32) -> Self {
        let length = inner.isqrt().saturating_add(1).max(PART);
        Self {
            rows,
            inner,
            length,
            ..Self::none()
        }
    }

    /// Rows of a scan that are one part each, where that is best for invocations.
    pub fn of_scan_alone(rows: u32, inner: u32, groups: Groups) -> Option<Self> {
        let is_short = inner < SHORT && groups != Groups::Always;
        let is_many = groups == Groups::Never && rows >= MANY_ROWS && inner <= MOST_TRIPS;
        (is_short || is_many).then(|| Self::with_parts(rows, inner, inner, inner))
    }

    /// Rows of a scan whose parts are blocks of a given length.
    pub fn of_blocks(rows: u32, inner: u32, length: u32) -> Self {
        Self::with_parts(rows, inner, length, length)
    }

    /// Whether rows of a scan are done by small workgroups, one each.
    pub fn is_for_small_blocks(rows: u32, inner: u32, length: u32) -> bool {
        inner <= length && rows >= MANY_GROUPS
    }

    pub fn parts(self) -> u32 {
        self.inner.div_ceil(self.length).max(1)
    }

    /// What is left of it when every part has become one value.
    pub fn left(self) -> Self {
        Self::of_reduction(self.rows, self.parts())
    }

    /// The same, and who does a part best.
    pub fn left_fast(self, groups: Groups) -> (Self, By) {
        let neighbours = Neighbours::Elements;
        Self::of_fast_reduction(self.rows, self.parts(), neighbours, groups)
    }
}

/// The extents of a batch of matrix products.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    pub batch: u32,
    /// How many rows and columns.
    pub sides: [u32; 2],
    pub inner: u32,
}

impl Product {
    /// The best tile, by its position, how many workgroups there are, and how results are cut; none where the plain
    /// reduction is better.
    pub fn tiled(
        self,
        tiles: impl Iterator<Item = Tile>,
        groups: Groups,
    ) -> Option<(usize, u32, Cut)> {
        let tiles: Vec<_> = tiles.collect();
        let costs = tiles.iter().map(|&tile| self.time(tile, groups));
        let costs = costs.enumerate();
        let (at, _) = costs.min_by_key(|&(_, cost)| cost)?;
        let cost = self.cost(*tiles.get(at)?);
        let pays = self.inner >= SHORT_PRODUCT && cost < self.cost_of_reduction();
        if !pays && groups != Groups::Always {
            return None;
        }
        let tile = tiles[at];
        let groups = u32::try_from(self.groups(tile)).ok()?;
        let results = self
            .batch
            .checked_mul(self.sides[0])?
            .checked_mul(self.sides[1])?;
        let length = self.length(tile);
        let cut = Cut::with_parts(results, self.inner, length, length);
        results.checked_mul(cut.parts())?;
        Some((at, groups.checked_mul(cut.parts())?, cut))
    }

    /// The tiles of all products.
    fn groups(self, tile: Tile) -> u64 {
        let extents = tile.extents();
        let tiles = [0, 1].map(|side| u64::from(self.sides[side].div_ceil(extents[side])));
        u64::from(self.batch)
            .saturating_mul(tiles[0])
            .saturating_mul(tiles[1])
    }

    /// The positions of the inner space that make a part: so many that there are workgroups enough.
    fn length(self, tile: Tile) -> u32 {
        let groups = u32::try_from(self.groups(tile)).unwrap_or(u32::MAX);
        let wanted = ENOUGH_GROUPS.div_ceil(groups.max(1));
        let length = self.inner.div_ceil(wanted);
        length.clamp(PART_OF_PRODUCT, MOST_TRIPS)
    }

    /// The cost, and more where most of a GPU would have nothing to do.
    fn time(self, tile: Tile, groups: Groups) -> u64 {
        let parts = self.inner.div_ceil(self.length(tile)).max(1);
        let at_once = self.groups(tile).saturating_mul(parts.into()).max(1);
        let idle = match groups {
            Groups::Never => 1,
            Groups::WherePaying | Groups::Always => u64::from(ENOUGH_GROUPS).div_ceil(at_once),
        };
        self.cost(tile).saturating_mul(idle)
    }

    /// Of each position of the inner space, in multiplications.
    fn cost(self, tile: Tile) -> u64 {
        let [rows, columns] = tile.block.map(u64::from);
        let [high, wide] = tile.extents().map(u64::from);
        let invocations = u64::from(tile.workgroup());
        let fetches = (high + wide) * COST_OF_FETCH;
        let products = invocations * (rows * columns + (rows + columns) * COST_OF_READ);
        self.groups(tile).saturating_mul(fetches + products)
    }

    fn cost_of_reduction(self) -> u64 {
        let results = u64::from(self.batch)
            .saturating_mul(self.sides[0].into())
            .saturating_mul(self.sides[1].into());
        results.saturating_mul(2 * COST_OF_FETCH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotangent_core::types::ScalarType;
    use cotangent_shaders::Target;

    /// The most that drivers were found to go through.
    const LIMIT: u32 = 65_535;
    /// The fewest invocations of a workgroup that does parts together.
    const FEWEST: u32 = 8;

    /// Types are of no interest here.
    const TARGET: Target = Target {
        has_f64: true,
        has_i64: true,
        has_f16: true,
        workgroup: 64,
        group: 256,
        workgroup_bytes: 16 << 10,
        has_subgroups: false,
        has_i64_atomics: false,
        has_f32_atomics: false,
        adds_in_any_order: false,
    };

    #[test]
    fn no_loop_is_longer_than_drivers_go_through() {
        // Results of a scan are in memory, and no buffer has 2^32 words.
        for inner in [0, 1, 255, 512, 513, 65_536, 1 << 20, 1 << 30] {
            let cut = Cut::of_scan(1, inner);
            assert!(cut.length <= LIMIT && cut.parts() <= LIMIT, "{inner}");
        }
        for rows in [1, MANY_ROWS - 1, MANY_ROWS, 1 << 20] {
            for inner in [0, 1, 512, 513, 16_384, 16_385, 1 << 20, u32::MAX] {
                let mut cut = Cut::of_reduction(rows, inner);
                while cut.parts() > 1 {
                    assert!(cut.length <= LIMIT, "{rows} {inner}");
                    let left = cut.left();
                    assert!(left.inner < cut.inner, "{rows} {inner}");
                    cut = left;
                }
                assert!(cut.length <= LIMIT, "{rows} {inner}");
            }
        }
    }

    #[test]
    fn nor_is_one_of_the_fast_way() {
        let all = [Neighbours::Rows, Neighbours::Elements, Neighbours::Unknown];
        let rules = [Groups::Never, Groups::WherePaying, Groups::Always];
        let mut ways = vec![];
        for rows in [1, 7, 8, 511, 512, 4096, ENOUGH, 1 << 20] {
            for inner in [
                0,
                1,
                31,
                63,
                64,
                8192,
                8193,
                65_536,
                65_537,
                1 << 24,
                u32::MAX,
            ] {
                for (neighbours, groups) in all.iter().flat_map(|&n| rules.map(|g| (n, g))) {
                    let mut next = Cut::of_fast_reduction(rows, inner, neighbours, groups);
                    loop {
                        let (cut, by) = next;
                        let trips = match by {
                            By::Invocation | By::Column => cut.length,
                            By::Group | By::SmallGroup => cut.length.div_ceil(FEWEST),
                        };
                        assert!(trips <= LIMIT, "{cut:?} {by:?}");
                        ways.push((by, cut.parts() > 1));
                        if cut.parts() == 1 {
                            assert!(by != By::Column, "no shader does whole columns otherwise");
                            break;
                        }
                        next = cut.left_fast(groups);
                        assert!(next.0.inner < cut.inner, "{cut:?}");
                    }
                }
            }
        }
        for way in [
            (By::Column, true),
            (By::Group, true),
            (By::Group, false),
            (By::SmallGroup, false),
        ] {
            assert!(ways.contains(&way), "{way:?}");
        }
    }

    #[test]
    fn nor_is_one_of_a_tile() {
        for (at, tile) in Tile::ALL.into_iter().enumerate() {
            for inner in [1, 127, 128, 1 << 15, 1 << 24, u32::MAX] {
                let product = Product {
                    batch: 1,
                    sides: [1, 1],
                    inner,
                };
                let one = std::iter::once(tile);
                let (_, groups, cut) = product.tiled(one, Groups::Always).unwrap();
                assert_eq!(groups, cut.parts(), "{at}");
                for ty in [ScalarType::F32, ScalarType::F64] {
                    let trips = tile.trips(&TARGET, ty, cut.length);
                    assert!(trips <= LIMIT, "{tile:?} {ty} {cut:?}: {trips}");
                }
            }
        }
    }
}
