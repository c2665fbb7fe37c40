//! Scatters that sort: how sequences are cut, and which memory goes from shader to shader.

use super::super::Run;
use super::super::cut::Cut;
use crate::memory::Memory;
use cotangent_core::backend::RunError;
use cotangent_core::schedule::Kernel;
use cotangent_core::types::ScalarType::I32;
use cotangent_shaders::{Adding, DIGIT_BITS, Sorting};

/// The points of a part, each a trip of a loop.
const PART: u32 = 256;

/// Numbers, and what comes before each, which is found by blocks.
struct Level {
    cut: Cut,
    numbers: Vec<Memory>,
    before: Vec<Memory>,
}

/// Points in the order of their indices: the indices, and the points.
pub(super) type InOrder = Vec<Memory>;

impl Run<'_> {
    /// Sorts points by their indices.
    pub(super) fn sort(
        &mut self,
        kernel: &Kernel,
        sorting: &Sorting,
        (indices, points): (&Memory, u32),
        elements: u32,
    ) -> Result<InOrder, RunError> {
        let cut = Cut::of_sequence(points, PART);
        let levels = self.levels(kernel, cut.parts() << DIGIT_BITS)?;
        let (mut from, mut free) = (vec![indices.clone()], None);
        for digit in digits(elements) {
            let cut = cut.at_digit(digit);
            self.launch(kernel, &sorting.count, cut, &from, &levels[0].numbers)?;
            self.before(kernel, sorting, &levels)?;
            let to = match free.take() {
                Some(to) => to,
                None => self.scratch(kernel, &[I32, I32], Cut::of_points(points))?,
            };
            let before = levels[0].before[0].clone();
            match &from[..] {
                [keys, positions] => {
                    let from = [keys.clone(), before, positions.clone()];
                    self.launch(kernel, &sorting.reorder_again, cut, &from, &to)?;
                }
                keys => {
                    let from = [keys[0].clone(), before];
                    self.launch(kernel, &sorting.reorder, cut, &from, &to)?;
                }
            }
            let done = std::mem::replace(&mut from, to);
            // Indices without positions, those of the updates, are of no use as a pair.
            free = (done.len() == 2).then_some(done);
        }
        Ok(from)
    }

    /// Memory for so many numbers, for the sums of their blocks, and so on.
    fn levels(&self, kernel: &Kernel, numbers: u32) -> Result<Vec<Level>, RunError> {
        let mut levels = vec![];
        let mut left = numbers;
        loop {
            let memory = || self.scratch(kernel, &[I32], Cut::of_points(left));
            let cut = Cut::of_sequence(left, PART);
            levels.push(Level {
                cut,
                numbers: memory()?,
                before: memory()?,
            });
            left = cut.parts();
            if left == 1 {
                return Ok(levels);
            }
        }
    }

    /// What comes before each number of the first level.
    fn before(
        &mut self,
        kernel: &Kernel,
        sorting: &Sorting,
        levels: &[Level],
    ) -> Result<(), RunError> {
        for pair in levels.windows(2) {
            let (numbers, sums) = (&pair[0], &pair[1]);
            self.launch(
                kernel,
                &sorting.sums,
                numbers.cut,
                &numbers.numbers,
                &sums.numbers,
            )?;
        }
        if let Some(top) = levels.last() {
            self.launch(kernel, &sorting.before, top.cut, &top.numbers, &top.before)?;
        }
        for pair in levels.windows(2).rev() {
            let (numbers, sums) = (&pair[0], &pair[1]);
            let from = [numbers.numbers[0].clone(), sums.before[0].clone()];
            let shader = &sorting.before_in_blocks;
            self.launch(kernel, shader, numbers.cut, &from, &numbers.before)?;
        }
        Ok(())
    }

    /// Adds values to elements, given the order of the points.
    pub(super) fn add_points(
        &mut self,
        kernel: &Kernel,
        adding: &Adding,
        (in_order, values, points): (&InOrder, &Memory, u32),
    ) -> Result<(), RunError> {
        let cut = Cut::of_sequence(points, PART);
        let from = [in_order[0].clone(), values.clone(), in_order[1].clone()];
        let left = 2 * cut.parts();
        let totals = self.scratch(kernel, &[I32, adding.ty], Cut::of_points(left))?;
        self.launch(kernel, &adding.points, cut, &from, &totals)?;
        self.add_totals(kernel, adding, (&totals, left))
    }

    /// Adds totals to elements: those of one index are neighbours, or all are one part.
    pub(super) fn add_totals(
        &mut self,
        kernel: &Kernel,
        adding: &Adding,
        (totals, mut count): (&[Memory], u32),
    ) -> Result<(), RunError> {
        let mut totals = totals.to_vec();
        loop {
            let cut = Cut::of_sequence(count, PART);
            count = 2 * cut.parts();
            let left = self.scratch(kernel, &[I32, adding.ty], Cut::of_points(count))?;
            self.launch(kernel, &adding.totals, cut, &totals, &left)?;
            if cut.parts() == 1 {
                return Ok(());
            }
            totals = left;
        }
    }
}

/// The lowest bits of the digits that keys up to `most` have.
fn digits(most: u32) -> impl Iterator<Item = u32> {
    (0..u32::BITS - most.leading_zeros()).step_by(DIGIT_BITS as usize)
}
