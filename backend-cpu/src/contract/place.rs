//! Where the elements of a factor lie, if that is known before it is computed.
//!
//! Unsafe code: none; a place gives addresses whose range was tested.

use super::pack::Coords;
use crate::kernel::{Launch, int};
use crate::machine::ArrayRef;
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{ArrayId, Body, Load, Op, SymbolId, ValueId};

/// The loads of a body that may be out of range.
#[derive(Debug)]
pub(super) struct Tested(Vec<(ArrayId, Option<Vec<Position>>)>);

impl Tested {
    /// Those of a body.
    pub fn of(body: &Body) -> Self {
        let tested = body.loads().filter(|(_, load)| load.site.is_some());
        let place = |(body, load): (&Body, &Load)| {
            let index = load.index.iter().map(|&v| Position::of(body, v));
            (load.array, index.collect())
        };
        Self(tested.map(place).collect())
    }

    /// Whether one may be, over a space of the given extents.
    pub fn may_fail(&self, launch: &Launch, extents: &[i64]) -> Result<bool, RunError> {
        for (array, index) in &self.0 {
            let array: ArrayRef = (launch.read)(*array)?;
            let is_inside = index.as_ref().is_some_and(|index| {
                let mut dims = index.iter().zip(&array.extents);
                dims.all(|(position, &extent)| position.fits(launch.symbols, extents, extent))
            });
            if !is_inside {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A factor that is an array, read at coordinates, each plus something that is the same everywhere.
#[derive(Debug)]
pub(super) struct Place {
    array: ArrayId,
    index: Vec<Position>,
}

/// An index along one dimension.
#[derive(Debug, Default)]
struct Position {
    /// A coordinate of the kernel.
    coord: Option<usize>,
    symbols: Vec<SymbolId>,
    constant: i64,
}

impl Position {
    /// The position that a value is.
    fn of(body: &Body, value: ValueId) -> Option<Self> {
        let mut position = Self::default();
        let mut todo = vec![value];
        while let Some(value) = todo.pop() {
            match body.op(value) {
                Op::Coord(axis) if position.coord.is_none() => {
                    position.coord = Some(*axis as usize);
                }
                Op::Symbol(symbol) => position.symbols.push(*symbol),
                Op::Const(Const::I32(x)) => position.constant += i64::from(*x),
                Op::Prim(Prim::Add, operands) => todo.extend(operands),
                Op::Coord(_) | Op::Const(_) | Op::Arg(_) | Op::Prim(..) => return None,
                Op::Load(_) | Op::Loop(_) | Op::Out(..) => return None,
            }
        }
        Some(position)
    }
}

impl Position {
    /// The position where the coordinate is 0.
    fn first(&self, symbols: &[Const]) -> i64 {
        let symbols = self.symbols.iter().map(|&s| int(symbols, s));
        symbols.sum::<i64>() + self.constant
    }

    /// Whether all positions are below an extent, in a space of the given ones.
    fn fits(&self, symbols: &[Const], space: &[i64], extent: i64) -> bool {
        let first = self.first(symbols);
        let reach = self.coord.map_or(1, |c| space[c]);
        let end = first.checked_add(reach);
        first >= 0 && end.is_some_and(|end| end <= extent)
    }
}

/// The elements of a factor in memory.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    /// The first one.
    pub data: *const u8,
    /// The distance of neighbours along each row coordinate, in the order of [`Coords`], in elements.
    pub strides: Vec<i64>,
}

// SAFETY: nothing writes to an array while a kernel that reads it runs.
unsafe impl Sync for Walk {}

impl Place {
    /// The place of a value, if it has one.
    pub fn of(body: &Body, value: ValueId, coords: &Coords) -> Option<Self> {
        let Op::Load(load) = body.op(value) else {
            return None;
        };
        let Load {
            array,
            index,
            guard: None,
            site: None,
        } = load
        else {
            return None;
        };
        let index: Vec<_> = index
            .iter()
            .map(|&v| Position::of(body, v))
            .collect::<Option<_>>()?;
        let all = coords.all();
        let known = |p: &Position| p.coord.is_none_or(|c| all.contains(&c));
        index.iter().all(known).then_some(Self {
            array: *array,
            index,
        })
    }

    /// The elements, over a space of the given extents; none where they would not all be in the array.
    pub fn walk(
        &self,
        launch: &Launch,
        coords: &Coords,
        extents: &[i64],
    ) -> Result<Option<Walk>, RunError> {
        let array: ArrayRef = (launch.read)(self.array)?;
        let all = coords.all();
        let mut strides = vec![0; all.len()];
        let mut offset = 0;
        for (position, (&stride, &extent)) in self
            .index
            .iter()
            .zip(array.strides.iter().zip(&array.extents))
        {
            if !position.fits(launch.symbols, extents, extent) {
                return Ok(None);
            }
            offset += position.first(launch.symbols) * stride;
            if let Some(at) = position
                .coord
                .and_then(|c| all.iter().position(|&a| a == c))
            {
                strides[at] += stride;
            }
        }
        let bytes = array.ty.bytes() as isize;
        Ok(Some(Walk {
            data: array.data.wrapping_offset(offset as isize * bytes),
            strides,
        }))
    }
}

/// Whether most arrays that a factor reads lie along the last inner coordinate.
pub(super) fn lies_in_rows(body: &Body, value: ValueId, coords: &Coords) -> bool {
    let last_is = |wanted: usize| {
        let needed = body.needed(&[value]);
        let loads = needed.filter_map(|(_, inst)| inst.op.as_load());
        let along = loads.filter(|load| {
            let position = load.index.last().and_then(|&v| Position::of(body, v));
            position.is_some_and(|p| p.coord == Some(wanted))
        });
        along.count()
    };
    let own = coords.own.last().map_or(0, |&own| last_is(own));
    last_is(coords.inner.end - 1) > own
}
