//! Folds of segments.

use super::wide::Wide;
use super::{Result, State, bug, pick, values_of};
use crate::schedule::scalar::as_i32;
use crate::schedule::segments::{segment, too_long};
use crate::schedule::{Kernel, KernelKind};
use crate::term::Direction;

impl State<'_> {
    /// Combines the values of one segment.
    pub(super) fn segment(&mut self, kernel: &Kernel, row: usize, coords: &[i32]) -> Result<()> {
        let KernelKind::Segments {
            inner,
            body,
            bounds: _,
            operator,
            init,
            site,
            outputs,
        } = &kernel.kind
        else {
            return Ok(());
        };
        let starts = kernel.kind.starts(coords.len());
        let starts = starts.ok_or_else(|| bug("segments without starts passed the check"))?;
        let bound = |at: usize| self.get(starts, at).map(as_i32);
        let at = coords.last().map_or(0, |&at| at as usize);
        let bounds = [bound(at)?, bound(at + 1)?];
        let n = self.store.int(*inner);
        let Some(positions) = segment(bounds, n) else {
            let space = self.store.ints(&kernel.space);
            return Err(too_long(
                self.store.site(*site),
                (coords, &space),
                bounds,
                n,
            ));
        };
        let wide = Wide::new(operator);
        let init: Vec<_> = init.iter().map(|&s| self.store.symbol(s)).collect();
        let mut total = wide.state(&init)?;
        for i in positions {
            let values = self.eval(body, &[coords, &[i]].concat(), &[])?;
            let next = pick(&values, &values_of(outputs));
            total = self.combine(&wide, &total, &next, Direction::Left)?;
        }
        self.write(outputs, row, &wide.values(&total)?)
    }
}
