//! Rows that a permute writes into what a loop carries: a map writes them, into a part of that memory.
//!
//! A permute that sends all its elements side by side, to a place that the host knows, is no scatter. As a map it runs in
//! the kernel that computes the row.

use crate::code::{CodeId, HostValue};
use crate::groups::Item;
use crate::lower::Lowering;
use crate::memory::{Array, Origin};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{ArrayId, Layout, Offset, ValueId};
use cotangent_core::term::{AccLet, ArrId, Combine, Labelled};
use cotangent_core::types::ScalarType;

/// The code of a permute, and where it is going to write.
pub(crate) struct Updates<'a> {
    pub combine: Combine,
    pub code: CodeId,
    /// Whether an element goes anywhere, and its index.
    pub target: &'a [ValueId],
    pub space: &'a [HostValue],
    /// The memory that a loop carries, for each argument.
    pub memory: &'a [ArrayId],
}

impl<'p> Lowering<'p> {
    /// The coordinates, known to the host, of the row that all elements go to, in order.
    pub(crate) fn row_of(&mut self, of: &Updates<'_>) -> Option<Vec<HostValue>> {
        let extents = self.arrays[of.memory.first()?.index()].extents.clone();
        let (guard, index) = of.target.split_first()?;
        let holds = self.codes.as_const(of.code, *guard)?.as_bool()?;
        let outer = index.len().checked_sub(of.space.len())?;
        let (row, inside) = index.split_at(outer);
        let in_order = inside
            .iter()
            .enumerate()
            .all(|(axis, &v)| self.codes.op(of.code, v).as_coord() == Some(axis as u32));
        let is_row = holds && outer > 0 && in_order && of.combine == Combine::Overwrite;
        if !is_row || of.space != &extents[outer..] {
            return None;
        }
        let is_inside = self
            .codes
            .is_in_range(of.code, row, &extents[..outer], None);
        let row = row.iter().map(|&v| self.codes.as_host(of.code, v));
        row.collect::<Option<Vec<_>>>().filter(|_| is_inside)
    }

    /// Writes arrays into the row of the memory.
    pub(crate) fn write_row(
        &mut self,
        let_: &'p AccLet<Labelled>,
        (row, args): (&[HostValue], &[ArrId]),
        of: &Updates<'_>,
    ) {
        let start = self.row_start(row, &self.arrays[of.memory[0].index()].extents.clone());
        let items = args.iter().zip(of.memory).map(|(&arg, &memory)| {
            let part = self.row_part(let_, memory, (start, of.space));
            (Item::Copy(arg, let_), part)
        });
        let items: Vec<_> = items.collect();
        self.write(&items, of.space);
        self.codes.fire("write row of what a loop carries");
    }

    /// The position of the first element of a row, as an `i64`.
    fn row_start(&mut self, row: &[HostValue], extents: &[HostValue]) -> HostValue {
        let wide = Prim::Convert(ScalarType::I64);
        let mut start = self.codes.host_constant(0_i64);
        for (axis, &extent) in extents.iter().enumerate() {
            let extent = self.codes.host_prim(wide, &[extent]);
            start = self.codes.host_prim(Prim::Mul, &[start, extent]);
            if let Some(&coordinate) = row.get(axis) {
                let coordinate = self.codes.host_prim(wide, &[coordinate]);
                start = self.codes.host_prim(Prim::Add, &[start, coordinate]);
            }
        }
        start
    }

    /// The part of the memory that holds the row.
    fn row_part(
        &mut self,
        let_: &AccLet<Labelled>,
        memory: ArrayId,
        (start, extents): (HostValue, &[HostValue]),
    ) -> ArrayId {
        let symbol = Some(self.symbols(&[start])[0]);
        let elem = self.arrays[memory.index()].elem;
        let part = self.array(elem, extents.to_vec(), Self::site_of(let_), Origin::Other);
        let Array { layout, base, .. } = &mut self.arrays[part.index()];
        *base = Some(start);
        *layout = Layout::View {
            of: memory,
            offset: Offset {
                symbol,
                constant: 0,
            },
            stride: 1,
        };
        self.arrays[memory.index()].parts.push(part);
        part
    }

    /// Whether a group that is not written yet reads the memory, or writes it.
    pub(crate) fn is_in_use(&self, memory: &[ArrayId]) -> bool {
        let reads = self
            .groups
            .iter()
            .any(|group| group.reads_any(self, memory));
        reads || memory.iter().any(|&array| self.is_pending(array))
    }
}
