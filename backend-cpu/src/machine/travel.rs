//! Loads that read the same run in every row, but for where it begins: most loads of maps. What does not change is found once
//! for a machine, and a row adds the index along the dimensions that travel.

use super::Machine;
use crate::code::LoadCode;

impl Machine<'_> {
    /// Finds the runs of all loads that only travel.
    pub(super) fn fix(&mut self) {
        let code = self.code;
        if !code.nest.travels() {
            return;
        }
        let len = self.env.extents[code.nest.lane.start];
        for (i, load) in code.loads.iter().enumerate() {
            let Some(travels) = &load.travels else {
                continue;
            };
            let is_fixed = |d: usize| !travels.contains(&(d as u32));
            let Some(fixed) = self.run_along(load, is_fixed) else {
                continue;
            };
            let access = &mut self.access[i];
            let step = fixed.step_of_all(len);
            access.stride = step;
            access.lane_steps = step.into_iter().collect();
            access.fixed = Some(fixed);
        }
    }

    /// Moves a load to the row. Whether its run is known.
    pub(super) fn travel(&mut self, i: usize, load: &LoadCode) -> bool {
        let (Some(fixed), Some(travels)) = (&self.access[i].fixed, &load.travels) else {
            return false;
        };
        let array = &self.env.arrays[load.array as usize];
        let mut base = fixed.base();
        let mut is_inside = true;
        for &d in travels {
            let d = d as usize;
            let index = self.dim_at(&load.dims[d], &[]);
            is_inside &= (0..array.extents[d]).contains(&index);
            base = base.wrapping_add(index.wrapping_mul(array.strides[d]));
        }
        let access = &mut self.access[i];
        access.direct = is_inside && access.stride.is_some();
        access.base = base;
        match (&mut access.row, &access.fixed) {
            (row, _) if !is_inside || access.direct => *row = None,
            (Some(row), _) => row.move_to(base),
            (row @ None, Some(fixed)) => row.insert(fixed.clone()).move_to(base),
            (None, None) => {}
        }
        true
    }
}
