//! How work is split that is beyond what a device takes at a time.

use crate::device::Gpu;
use cotangent_shaders::{Each, Shader};
use std::ops::Range;

impl Gpu {
    /// The points of each dispatch.
    pub(crate) fn pieces(&self, shader: &Shader, points: u32) -> impl Iterator<Item = Range<u32>> {
        let most = self.most_points(shader);
        let firsts = (0..points).step_by(most as usize);
        firsts.map(move |first| first..first.saturating_add(most).min(points))
    }

    /// The most points of a dispatch: all workgroups that a device allows along x, and as many rows of them along y as
    /// `u32` can count.
    fn most_points(&self, shader: &Shader) -> u32 {
        let groups = self.context.limits.max_compute_workgroups_per_dimension;
        let row = groups.saturating_mul(points_of_a_group(shader)).max(1);
        row.saturating_mul(groups.min(u32::MAX / row / 2).max(1))
    }

    /// The workgroups along x and y.
    pub(crate) fn groups(&self, shader: &Shader, points: u32) -> [u32; 2] {
        let most = self.context.limits.max_compute_workgroups_per_dimension;
        let groups = points.div_ceil(points_of_a_group(shader));
        let rows = groups.div_ceil(most);
        [groups.div_ceil(rows.max(1)), rows]
    }
}

/// The points that a workgroup does.
fn points_of_a_group(shader: &Shader) -> u32 {
    match shader.each {
        Each::Invocation => shader.workgroup,
        Each::Workgroup => 1,
    }
}
