//! Sums written in the order in which their reader copies them.
//!
//! The adjoint of a transposed array is made in the order of the transposed one, and then only copied. Where one
//! load alone reads the results of a sum, and a kernel does nothing but store what it loads, each element at a place
//! of its own, the sum stores its results there: its coordinates change places, and the copy goes.
//!
//! Invariant: every result is computed as before, and the arrays that are left have the elements they had.

use crate::readers::Readers;
use cotangent_core::schedule::{
    ArrayId, Body, Kernel, KernelKind, Layout, Load, Op, Output, Schedule, Step,
};
use std::collections::HashMap;

/// Drops copies of sums in all lists of steps. Gives their number.
pub(crate) fn drop_copies(schedule: &mut Schedule) -> usize {
    let mut steps = std::mem::take(&mut schedule.steps);
    let readers = Readers::of(schedule, &steps);
    let count = in_list(schedule, &readers, &mut steps);
    schedule.steps = steps;
    count
}

fn in_list(schedule: &Schedule, readers: &Readers, steps: &mut Vec<Step>) -> usize {
    let mut sums: HashMap<ArrayId, usize> = HashMap::new();
    let mut done: Vec<Step> = Vec::with_capacity(steps.len());
    let mut count = 0;
    for mut step in std::mem::take(steps) {
        for list in step.lists_mut() {
            count += in_list(schedule, readers, list);
        }
        if let Some(kernel) = step.as_kernel_mut() {
            if let Some(copy) = Copy::of(schedule, readers, kernel)
                && let Some(&maker) = sums.get(&copy.from)
                && let Some(sum) = done[maker].as_kernel_mut()
                && copy.is_of_all(sum, kernel)
            {
                copy.turn(sum, kernel);
                sums.insert(copy.to, maker);
                count += 1;
                continue;
            }
            sums.extend(result_of_sum(kernel).map(|array| (array, done.len())));
        }
        done.push(step);
    }
    *steps = done;
    count
}

/// The only result of a kernel that reduces.
fn result_of_sum(kernel: &Kernel) -> Option<ArrayId> {
    match &kernel.kind {
        KernelKind::Reduce { outputs, .. } => match outputs[..] {
            [Output { value: _, array }] => Some(array),
            [..] => None,
        },
        KernelKind::Contract { output, .. } => Some(output.array),
        KernelKind::Map { .. } | KernelKind::Scan { .. } | KernelKind::Scatter { .. } => None,
        KernelKind::Segments { .. } | KernelKind::Sort { .. } => None,
    }
}

/// A kernel that copies an array which nobody else reads.
struct Copy {
    from: ArrayId,
    to: ArrayId,
    /// The coordinate of the copy that each dimension of the array is read at.
    coords: Vec<u32>,
}

impl Copy {
    fn of(schedule: &Schedule, readers: &Readers, kernel: &Kernel) -> Option<Self> {
        let KernelKind::Map { body, outputs } = &kernel.kind else {
            return None;
        };
        let &[Output { value, array: to }] = &outputs[..] else {
            return None;
        };
        let load = body.op(value).as_load()?;
        let coords = places(body, load, kernel.space.len())?;
        let is_own = |array: ArrayId| schedule.arrays[array.index()].layout == Layout::Own;
        let copy = Self {
            from: load.array,
            to,
            coords,
        };
        (is_own(to) && is_own(copy.from) && readers.is_read_once(copy.from)).then_some(copy)
    }

    /// Whether the copy has as many elements along each dimension as the sum.
    fn is_of_all(&self, sum: &Kernel, copy: &Kernel) -> bool {
        let extents = self.coords.iter().map(|&coord| copy.space[coord as usize]);
        extents.eq(sum.space.iter().copied())
    }

    /// Has `sum` write what `copy` does.
    fn turn(&self, sum: &mut Kernel, copy: &Kernel) {
        sum.space.clone_from(&copy.space);
        let others = copy.fused.iter().filter(|site| !sum.fused.contains(site));
        let others: Vec<_> = others.copied().collect();
        sum.fused.extend(others);
        match &mut sum.kind {
            KernelKind::Reduce { body, outputs, .. } => {
                self.rename(body);
                outputs.iter_mut().for_each(|output| output.array = self.to);
            }
            KernelKind::Contract {
                body,
                roles,
                output,
                ..
            } => {
                self.rename(body);
                output.array = self.to;
                let old = roles.clone();
                for (&coord, role) in self.coords.iter().zip(old) {
                    roles[coord as usize] = role;
                }
            }
            KernelKind::Map { .. } | KernelKind::Scan { .. } | KernelKind::Scatter { .. } => {}
            KernelKind::Segments { .. } | KernelKind::Sort { .. } => {}
        }
    }

    /// Names the coordinates of the space as the copy does; those of the inner space follow as before.
    fn rename(&self, body: &mut Body) {
        body.change(|op| {
            if let Op::Coord(axis) = op {
                *axis = self.coords.get(*axis as usize).copied().unwrap_or(*axis);
            }
        });
    }
}

/// The coordinates that a load reads at, each once and all of them, if it reads at every point.
fn places(body: &Body, load: &Load, rank: usize) -> Option<Vec<u32>> {
    let coords = load.index.iter().map(|&v| body.op(v).as_coord());
    let coords: Option<Vec<u32>> = coords.collect();
    let coords = coords.filter(|_| load.guard.is_none() && load.site.is_none())?;
    let all = (0..rank as u32).all(|axis| coords.contains(&axis));
    (all && coords.len() == rank).then_some(coords)
}
