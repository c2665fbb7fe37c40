//! Strips, in three chunks where there are that many positions, so that what crosses a chunk shows.

use super::wide::Wide;
use super::{Result, State, bug};
use crate::constant::Const;
use crate::schedule::condition::size;
use crate::schedule::strip::{Part, Strip, Total};
use crate::schedule::{ArrayId, SymbolId};
use crate::term::Direction;

/// The number of chunks.
const CHUNKS: i64 = 3;

impl State<'_> {
    pub(super) fn run_strip(&mut self, strip: &Strip) -> Result<()> {
        let over = self.store.int(strip.over).max(0);
        strip.wholes().try_for_each(|whole| self.make(whole))?;
        let mut is_first = true;
        for chunk in 0..CHUNKS {
            let start = over * chunk / CHUNKS;
            let len = over * (chunk + 1) / CHUNKS - start;
            if len > 0 {
                self.chunk(strip, start, len, is_first)?;
                is_first = false;
            }
        }
        for total in strip.totals.iter().filter(|_| is_first) {
            self.only_init(total)?;
        }
        self.forget_chunk(strip);
        Ok(())
    }

    /// Memory for an array that is about to be written, unless a view of it has brought it about.
    pub(super) fn make(&mut self, array: ArrayId) -> Result<()> {
        match self.store.memory_of(array) {
            Some(_) => Ok(()),
            None => self.allocate_array(self.store.schedule.owner(array)),
        }
    }

    fn forget_chunk(&mut self, strip: &Strip) {
        for array in strip.made_inside() {
            self.store.memory[array.index()] = None;
        }
    }

    fn chunk(&mut self, strip: &Strip, start: i64, len: i64, is_first: bool) -> Result<()> {
        let mut set = |symbol: SymbolId, value: i64| {
            self.store.symbols[symbol.index()] = Const::I32(value as i32);
        };
        set(strip.start, start);
        set(strip.len, len);
        self.forget_chunk(strip);
        strip
            .kernels
            .iter()
            .try_for_each(|kernel| self.run_kernel(kernel))?;
        for &Part { whole, part } in &strip.parts {
            self.copy_rows(whole, part, start)?;
        }
        let totals = strip.totals.iter();
        totals
            .into_iter()
            .try_for_each(|total| self.add_to(total, is_first))
    }

    pub(super) fn elements(&self, array: ArrayId) -> usize {
        let count = size(&self.store.shape(array)).unwrap_or(0);
        usize::try_from(count).unwrap_or(0)
    }

    fn copy_rows(&mut self, whole: ArrayId, part: ArrayId, start: i64) -> Result<()> {
        let row: i64 = self.store.shape(part)[1..].iter().product();
        for position in 0..self.elements(part) {
            let value = self.get(part, position)?;
            self.set(whole, (start * row) as usize + position, value)?;
        }
        Ok(())
    }

    /// Adds what a chunk contributes.
    fn add_to(&mut self, total: &Total, is_first: bool) -> Result<()> {
        let Some(&Part { whole, part: _ }) = total.arrays.first() else {
            return Ok(());
        };
        let wide = Wide::new(&total.operator);
        for position in 0..self.elements(whole) {
            let column = |array: fn(&Part) -> ArrayId| -> Result<Vec<Const>> {
                let arrays = total.arrays.iter().map(array);
                arrays.map(|array| self.get(array, position)).collect()
            };
            let next = column(|p| p.part)?;
            let before = match is_first {
                true => self.init(&total.init),
                false => Some(column(|p| p.whole)?),
            };
            let sum = match before {
                Some(before) => {
                    let before = wide.state(&before)?;
                    wide.values(&self.combine(&wide, &before, &next, Direction::Left)?)?
                }
                None => next,
            };
            self.put(total, position, &sum)?;
        }
        Ok(())
    }

    /// The total of no chunk at all.
    fn only_init(&mut self, total: &Total) -> Result<()> {
        let elements = total.arrays.first().map_or(0, |p| self.elements(p.whole));
        if elements == 0 {
            return Ok(());
        }
        let init = self.init(&total.init);
        let init = init.ok_or_else(|| bug("an empty reduction passed its check"))?;
        (0..elements).try_for_each(|position| self.put(total, position, &init))
    }

    fn put(&mut self, total: &Total, position: usize, values: &[Const]) -> Result<()> {
        let arrays = total.arrays.iter().zip(values);
        arrays
            .into_iter()
            .try_for_each(|(part, &value)| self.set(part.whole, position, value).map(drop))
    }

    /// Zeros for an array with memory of its own.
    fn allocate_array(&mut self, owner: ArrayId) -> Result<()> {
        let (len, site) = (self.store.len(owner)?, self.store.site_of(owner));
        let elem = self.store.decl(owner).elem;
        let mut elements = Vec::new();
        let bytes = (len as u64).saturating_mul(elem.bytes() as u64);
        let room = elements.try_reserve_exact(len);
        room.map_err(|_| crate::backend::RunError::OutOfMemory { site, bytes })?;
        elements.resize(len, None);
        self.store.memory[owner.index()] = Some(elements);
        Ok(())
    }
}
