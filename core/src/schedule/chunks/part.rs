//! What the kernels of a schedule with loops in chunks are parts of.

use super::Cutter;
use crate::schedule::steps::all;
use crate::schedule::{ArrayId, Kernel, Step};

/// What a kernel makes of a kernel of the schedule as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The position of the whole kernel in the schedule as it was.
    pub whole: usize,
    /// Whether this is the last part of it: the parts of a kernel follow each other, but for loops around some of them.
    pub is_last: bool,
    /// For each of its coordinates, which one it is of the whole kernel.
    pub axes: Vec<u32>,
    /// The number of coordinates of the whole kernel.
    pub rank: u32,
    /// The array that it makes which says where there are more trips to make, if any.
    pub goes_on: Option<ArrayId>,
}

impl Part {
    /// The first point of the whole kernel that needs what this part makes at a point.
    pub fn position(&self, coords: &[i32]) -> Vec<i32> {
        let mut position = vec![0; self.rank as usize];
        for (&coord, &axis) in coords.iter().zip(&self.axes) {
            position[axis as usize] = coord;
        }
        position
    }
}

impl Cutter {
    /// Notes what the kernels are parts of that are made before a step, and in it.
    pub(super) fn add_parts(&mut self, before: &[Step], step: &Step) {
        let kernels = step.kernels();
        if let [whole] = kernels {
            for part in all(before).flat_map(Step::kernels) {
                let part = self.part(part, whole);
                self.parts.push(part);
            }
        }
        for kernel in kernels {
            let axes = (0..kernel.rank()).collect();
            self.parts.push(Part {
                is_last: true,
                ..part_of(kernel, self.count, axes)
            });
            self.count += 1;
        }
        self.made.clear();
    }

    fn part(&self, kernel: &Kernel, whole: &Kernel) -> Part {
        let mut arrays = kernel.outputs().iter().map(|output| output.array);
        let first = arrays.clone().next();
        let mut made = self.made.iter();
        let made = made.find(|(array, _)| Some(*array) == first);
        // What finds out whether some point goes on is of no coordinates, and cannot fail.
        let axes = made.map_or_else(Vec::new, |(_, axes)| axes.clone());
        Part {
            goes_on: arrays.find(|array| self.going_on.contains(array)),
            ..part_of(whole, self.count, axes)
        }
    }
}

/// A part of a kernel at the given position.
fn part_of(whole: &Kernel, position: usize, axes: Vec<u32>) -> Part {
    Part {
        whole: position,
        is_last: false,
        axes,
        rank: whole.rank(),
        goes_on: None,
    }
}
