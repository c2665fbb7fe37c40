//! Where the columns of a map go: alone, or as rows with those that lie beside them in memory.

use crate::lanes::RowsFn;
use cotangent_core::schedule::{ArrayDecl, ArrayId, Layout, Offset, Output, ValueId};
use cotangent_core::types::ScalarType;

/// The most columns that are stored together: they are all there at once.
const MAX_TOGETHER: usize = 32;

/// Values to be stored, by output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stores {
    /// The value of each output.
    pub values: Vec<ValueId>,
    /// Outputs that are stored together, in the order of their places.
    pub rows: Vec<Vec<u32>>,
}

/// Columns that are stored together.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The way to store them, a part at a time.
    pub f: RowsFn,
    /// The width of a part.
    pub width: usize,
    /// The bytes of a column's element.
    pub bytes: usize,
    /// The columns.
    pub slots: Vec<super::Slot>,
    /// The output of the first.
    pub first: u32,
}

impl Stores {
    /// Finds the outputs that lie side by side in one array.
    pub fn new(outputs: &[Output], arrays: &[ArrayDecl]) -> Self {
        let mut places: Vec<(Place, u32)> = (outputs.iter().zip(0..))
            .filter_map(|(output, i)| Some((Place::of(output.array, arrays)?, i)))
            .collect();
        places.sort();
        let mut rows: Vec<Vec<u32>> = vec![];
        let mut last: Option<Place> = None;
        for (place, output) in places {
            match rows.last_mut() {
                Some(row)
                    if row.len() < MAX_TOGETHER && last.is_some_and(|l| l.is_before(&place)) =>
                {
                    row.push(output);
                }
                Some(_) | None => rows.push(vec![output]),
            }
            last = Some(place);
        }
        rows.retain(|row| row.len() > 1);
        Self {
            values: outputs.iter().map(|o| o.value).collect(),
            rows,
        }
    }

    /// The same for other values.
    pub fn of(&self, values: &[ValueId]) -> Self {
        Self {
            values: values.to_vec(),
            rows: self.rows.clone(),
        }
    }

    /// The values in the order in which they are best computed: those of a row one after the other.
    pub fn in_order(&self) -> impl Iterator<Item = ValueId> + '_ {
        let rows = self.rows.iter().flatten().map(|&i| self.values[i as usize]);
        rows.chain(self.values.iter().copied())
    }

    /// Whether an output is part of a row.
    pub fn is_in_row(&self, output: u32) -> bool {
        self.rows.iter().any(|row| row.contains(&output))
    }
}

/// The place of an interleaved column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    of: ArrayId,
    stride: u32,
    ty: ScalarType,
    offset: Offset,
}

impl Place {
    fn of(array: ArrayId, arrays: &[ArrayDecl]) -> Option<Self> {
        let decl = &arrays[array.index()];
        match decl.layout {
            Layout::View { of, offset, stride } if stride > 1 && decl.elem != ScalarType::Bool => {
                Some(Self {
                    of,
                    stride,
                    ty: decl.elem,
                    offset,
                })
            }
            Layout::View { .. } | Layout::Own => None,
        }
    }

    fn is_before(&self, other: &Self) -> bool {
        let Offset { symbol, constant } = self.offset;
        let offset = Offset {
            symbol,
            constant: constant + 1,
        };
        Self { offset, ..*self } == *other
    }
}
