//! Row-major positions: from coordinates and back.

use crate::code::{CodeId, Codes, HOST, HostValue};
use crate::facts::{Linear, Range};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::ValueId;
use cotangent_core::types::ScalarType;

impl Codes {
    /// The index into the argument of a reshape, of extents `from`, where that into the result is `index`.
    pub(crate) fn reshaped(
        &mut self,
        code: CodeId,
        (from, to): (&[HostValue], &[HostValue]),
        index: &[ValueId],
    ) -> Vec<ValueId> {
        let split = Split::of(from, to);
        let inside = self.is_in_range(code, index, to, None);
        let inner_from = &from[split.from.clone()];
        let inner_to = &to[split.to.clone()];
        let coords = &index[split.to.clone()];
        // At most one dimension on one side: the position fits into an `i32`, as that extent does.
        let middle = match (inner_from, coords) {
            ([whole], coords) => {
                vec![self.linearise(code, coords, inner_to, inside.then_some(*whole))]
            }
            (from, [position]) => self.delinearise(code, *position, from, inside),
            (from, coords) => {
                let position = self.linearise(code, coords, inner_to, None);
                self.delinearise(code, position, from, inside)
            }
        };
        let tail = index[split.to.end..].to_vec();
        [&index[..split.to.start], &middle, &tail].concat()
    }

    /// The row-major position of `coords` in a shape, known to be below `whole` if that is given.
    pub(crate) fn linearise(
        &mut self,
        code: CodeId,
        coords: &[ValueId],
        extents: &[HostValue],
        whole: Option<HostValue>,
    ) -> ValueId {
        let mut position = self.constant(code, 0);
        for (&coord, &extent) in coords.iter().zip(extents) {
            let extent = self.leaf(code, extent);
            let scaled = self.prim(code, Prim::Mul, &[position, extent]);
            position = self.prim(code, Prim::Add, &[scaled, coord]);
        }
        if let Some(whole) = whole {
            self.bound(code, position, whole);
        }
        let linear = Linear {
            coords: coords.to_vec(),
            extents: extents.to_vec(),
        };
        self[code].note_linear(position, linear);
        position
    }

    /// Notes that `0 ≤ v < extent` at every point of a kernel. (What holds for a value of the host holds for
    /// one place only, and is not noted.)
    pub(crate) fn bound(&mut self, code: CodeId, v: ValueId, extent: HostValue) {
        if code != HOST && self.as_const(code, v).is_none() {
            let range = self.range(HOST, extent.0);
            self.narrow(code, v, Range::below(extent, range));
        }
    }

    /// The coordinates of a position in a shape; `inside` if it is known to be in range.
    fn delinearise(
        &mut self,
        code: CodeId,
        position: ValueId,
        extents: &[HostValue],
        inside: bool,
    ) -> Vec<ValueId> {
        let linear = self[code].linear(position);
        if let Some(linear) = linear.filter(|linear| linear.extents == extents) {
            let coords = linear.coords.clone();
            self.fire("undo linear position");
            return coords;
        }
        let mut coords = vec![];
        let mut rest = position;
        for (axis, &extent) in extents.iter().enumerate().rev() {
            let divisor = self.leaf(code, extent);
            let coord = if axis == 0 {
                rest
            } else {
                self.prim(code, Prim::Rem, &[rest, divisor])
            };
            rest = self.prim(code, Prim::Quot, &[rest, divisor]);
            if inside {
                self.bound(code, coord, extent);
            }
            coords.push(coord);
        }
        coords.reverse();
        coords
    }

    /// The position of the first element of a subarray, as an `i64`: that of the element at the given outer coordinates, and 0
    /// in all other dimensions.
    pub(crate) fn start_of(&mut self, outer: &[HostValue], extents: &[HostValue]) -> HostValue {
        let wide = Prim::Convert(ScalarType::I64);
        let mut start = self.host_constant(0_i64);
        for (axis, &extent) in extents.iter().enumerate() {
            let extent = self.host_prim(wide, &[extent]);
            start = self.host_prim(Prim::Mul, &[start, extent]);
            if let Some(&coordinate) = outer.get(axis) {
                let coordinate = self.host_prim(wide, &[coordinate]);
                start = self.host_prim(Prim::Add, &[start, coordinate]);
            }
        }
        start
    }

    /// The coordinates of a space.
    pub(crate) fn coords(&mut self, code: CodeId, space: &[HostValue]) -> Vec<ValueId> {
        let coord = |(axis, &extent)| self.coord(code, axis, extent);
        space.iter().enumerate().map(coord).collect()
    }
}

/// Which dimensions a reshape changes: those between the equal ones at both ends.
pub(crate) struct Split {
    /// Dimensions of the argument.
    pub from: std::ops::Range<usize>,
    /// Dimensions of the result.
    pub to: std::ops::Range<usize>,
}

impl Split {
    pub(crate) fn of(from: &[HostValue], to: &[HostValue]) -> Self {
        let same = |(x, y): &(&HostValue, &HostValue)| x == y;
        let front = from.iter().zip(to).take_while(same).count();
        let (rest_from, rest_to) = (&from[front..], &to[front..]);
        let back = rest_from.iter().rev().zip(rest_to.iter().rev());
        let back = back.take_while(same).count();
        Self {
            from: front..from.len() - back,
            to: front..to.len() - back,
        }
    }

    /// Whether an index can be translated in 32 bits: one side is at most one dimension.
    pub(crate) fn is_simple(&self) -> bool {
        self.from.len() <= 1 || self.to.len() <= 1
    }
}
