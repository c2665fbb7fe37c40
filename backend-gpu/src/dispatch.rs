//! How work is split that is beyond what a device takes at a time.

use crate::device::Gpu;
use cotangent_shaders::{Each, Shader};
use std::ops::Range;

/// More workgroups than a device has at work at once, some times over: beyond that, invocations go from point to point.
const MOST_GROUPS: u32 = 1 << 15;

impl Gpu {
    /// The points of each dispatch, given the estimated seconds of all.
    pub(crate) fn pieces(
        &self,
        shader: &Shader,
        (points, seconds): (u32, f64),
    ) -> impl Iterator<Item = Range<u32>> {
        let most = self.most_points(shader);
        let most = most.min(self.most_points_by_time(shader, points, seconds));
        let firsts = (0..points).step_by(most as usize);
        firsts.map(move |first| first..first.saturating_add(most).min(points))
    }

    /// The most points of a dispatch: as many as `u32` can count with those that invocations do at a time added, and no more workgroups
    /// than a device allows along x and y.
    fn most_points(&self, shader: &Shader) -> u32 {
        let groups = self.context.limits.max_compute_workgroups_per_dimension;
        match shader.each {
            Each::Invocation => u32::MAX / 2,
            Each::Workgroup => {
                groups.saturating_mul(groups.min(u32::MAX / groups.max(1) / 2).max(1))
            }
        }
    }

    /// The most points of a dispatch that is not to take longer than a submission: whole workgroups, one at least.
    fn most_points_by_time(&self, shader: &Shader, points: u32, seconds: f64) -> u32 {
        let share = self.submission_seconds() / seconds;
        if share.is_nan() || share >= 1.0 {
            return u32::MAX;
        }
        let group = points_of_a_group(shader).max(1);
        let groups = (f64::from(points) * share / f64::from(group)) as u32;
        groups.max(1).saturating_mul(group)
    }

    /// The workgroups along x and y. Where invocations go from point to point, all have as many, or one less.
    pub(crate) fn groups(&self, shader: &Shader, points: u32) -> [u32; 2] {
        let most = self.context.limits.max_compute_workgroups_per_dimension;
        let groups = points.div_ceil(points_of_a_group(shader));
        match shader.each {
            Each::Invocation => {
                let rounds = groups.div_ceil(most.min(MOST_GROUPS));
                [groups.div_ceil(rounds.max(1)), 1]
            }
            Each::Workgroup => {
                let rows = groups.div_ceil(most);
                [groups.div_ceil(rows.max(1)), rows]
            }
        }
    }
}

/// The points that a workgroup does.
fn points_of_a_group(shader: &Shader) -> u32 {
    match shader.each {
        Each::Invocation => shader.workgroup,
        Each::Workgroup => 1,
    }
}

#[cfg(test)]
mod tests {
    use crate::Gpu;
    use cotangent_core::backend::Site;
    use cotangent_core::loc::Loc;
    use cotangent_core::schedule::*;
    use cotangent_core::types::ScalarType;
    use cotangent_shaders::hand_on;

    /// The pieces are all points in their order, each of whole workgroups but for the last, however short the time is.
    #[test]
    fn pieces_by_time_are_all_points() {
        let Ok(gpu) = Gpu::open(None) else { return };
        let array = ArrayDecl {
            elem: ScalarType::F32,
            extents: vec![SymbolId(0)],
            layout: Layout::Own,
            site: SiteId(0),
        };
        let schedule = Schedule {
            symbols: vec![ScalarType::I32],
            arrays: vec![array.clone(), array],
            sites: vec![Site {
                construct: "test",
                loc: Loc::caller(),
            }],
            params: vec![],
            uses: vec![],
            steps: vec![],
            results: vec![],
        };
        let part = Part {
            whole: ArrayId(0),
            part: ArrayId(1),
        };
        let shader = hand_on(&schedule, &part, &gpu.target());
        for (seconds, least) in [(0.0, 1), (0.4, 1), (0.6, 2), (50.0, 100), (1e30, 1000)] {
            let pieces: Vec<_> = gpu.pieces(&shader, (64_000, seconds)).collect();
            assert!(pieces.len() >= least, "{seconds}: {}", pieces.len());
            assert!(
                least > 1 || pieces.len() == 1,
                "{seconds}: {}",
                pieces.len()
            );
            assert!(pieces.windows(2).all(|two| two[0].end == two[1].start));
            assert_eq!((pieces[0].start, pieces[pieces.len() - 1].end), (0, 64_000));
            let mut whole = pieces[..pieces.len() - 1].iter();
            assert!(whole.all(|piece| (piece.len() as u32).is_multiple_of(shader.workgroup)));
        }
    }
}
