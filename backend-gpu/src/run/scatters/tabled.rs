//! Scatters by totals of parts: how many parts there are, and in which groups their totals are added up.

use super::super::Run;
use super::super::cut::Cut;
use crate::memory::Memory;
use cotangent_core::backend::RunError;
use cotangent_core::schedule::Kernel;
use cotangent_shaders::Adding;

/// A part has so many points at least.
const LEAST: u32 = 64;
/// And so many at most: all of them may be added to one total, one by one.
const MOST: u32 = 512;
/// The rows of totals that one invocation adds up.
const GROUP: u32 = 64;

impl Run<'_> {
    /// Adds updates to elements. With half as many points to a part as there are elements, totals take twice the memory
    /// of values at most.
    pub(super) fn add_by_table(
        &mut self,
        kernel: &Kernel,
        adding: &Adding,
        (updates, points): (&[Memory], u32),
        elements: u32,
    ) -> Result<(), RunError> {
        let cut = Cut::of_sequence(points, elements.clamp(LEAST, MOST));
        let mut rows = cut.parts();
        let (table, types) = (&adding.table, [adding.ty]);
        let cells = Cut::of_points(rows * elements);
        let mut totals = self.scratch(kernel, &types, cells)?;
        self.launch(kernel, &table.clear, cells, &[], &totals)?;
        self.launch(kernel, &table.add, cut, updates, &totals)?;
        while rows > GROUP {
            let cut = Cut::of_sequence(rows, GROUP).in_rows(elements);
            let left = self.scratch(kernel, &types, cut)?;
            self.launch(kernel, &table.merge, cut, &totals, &left)?;
            (totals, rows) = (left, cut.parts());
        }
        let cut = Cut::of_sequence(rows, GROUP).in_rows(elements);
        self.launch(kernel, &table.last, cut, &totals, &[])
    }
}
