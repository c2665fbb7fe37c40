//! What is defined at a point of a schedule.
//!
//! An owner is finished when a kernel has written it, or when kernels have written views of it that cover
//! every residue of their common stride once. A view is finished when a kernel has written it, or when its
//! owner is.

use super::{Problem, Result, array_decl, rule, symbol_type};
use crate::schedule::{ArrayId, Layout, Schedule, SymbolId};
use std::collections::{HashMap, HashSet};

/// The symbols and arrays that are defined.
#[derive(Clone)]
pub(super) struct Defined<'a> {
    schedule: &'a Schedule,
    symbols: HashSet<SymbolId>,
    written: HashSet<ArrayId>,
    /// The (offset, stride) of views written, by their owner.
    parts: HashMap<ArrayId, Vec<(u32, u32)>>,
}

impl<'a> Defined<'a> {
    pub(super) fn new(schedule: &'a Schedule) -> Self {
        Self {
            schedule,
            symbols: HashSet::new(),
            written: HashSet::new(),
            parts: HashMap::new(),
        }
    }

    /// Defines what the call defines.
    pub(super) fn inputs(&mut self) {
        let s = self.schedule;
        let used = s.uses.iter().map(|(array, _)| array);
        for &array in s.params.iter().chain(used) {
            self.written.insert(array);
            self.symbols.extend(&s.arrays[array.index()].extents);
        }
    }

    pub(super) fn define_symbol(&mut self, symbol: SymbolId) -> Result<()> {
        symbol_type(self.schedule, symbol)?;
        if self.symbols.insert(symbol) {
            return Ok(());
        }
        Err(Problem::Redefined(symbol.to_string()))
    }

    pub(super) fn need_symbol(&self, symbol: SymbolId) -> Result<()> {
        symbol_type(self.schedule, symbol)?;
        if self.symbols.contains(&symbol) {
            return Ok(());
        }
        Err(Problem::Undefined(symbol.to_string()))
    }

    /// The array in whose memory this one is.
    pub(super) fn owner(&self, array: ArrayId) -> ArrayId {
        match self.schedule.arrays[array.index()].layout {
            Layout::Own => array,
            Layout::View { of, .. } => of,
        }
    }

    pub(super) fn need_array(&self, array: ArrayId) -> Result<()> {
        let decl = array_decl(self.schedule, array)?;
        decl.extents.iter().try_for_each(|&e| self.need_symbol(e))?;
        if self.written.contains(&array) || self.finished(self.owner(array)) {
            return Ok(());
        }
        Err(Problem::Undefined(array.to_string()))
    }

    /// Requires memory that is not an input's.
    pub(super) fn need_writable(&self, array: ArrayId) -> Result<()> {
        let owner = self.owner(array);
        let used = self.schedule.uses.iter().map(|(array, _)| array);
        let input = self.schedule.params.iter().chain(used).any(|&a| a == owner);
        rule(!input, || format!("{array} is written and an input"))
    }

    /// Whether all elements of an owner are there.
    fn finished(&self, owner: ArrayId) -> bool {
        let parts = self.parts.get(&owner).map_or(&[][..], Vec::as_slice);
        let period = parts.iter().map(|&(_, stride)| stride).max().unwrap_or(0);
        let covered: u64 = parts
            .iter()
            .map(|&(_, stride)| u64::from(period / stride))
            .sum();
        self.written.contains(&owner) || (period > 0 && covered == u64::from(period))
    }

    /// Defines an array that a kernel writes all of.
    pub(super) fn define_array(&mut self, array: ArrayId) -> Result<()> {
        let owner = self.owner(array);
        let twice = self.written.contains(&owner) || self.written.contains(&array);
        if twice {
            return Err(Problem::Redefined(array.to_string()));
        }
        let extents = &self.schedule.arrays[owner.index()].extents;
        extents.iter().try_for_each(|&e| self.need_symbol(e))?;
        if let Layout::View { offset, stride, .. } = self.schedule.arrays[array.index()].layout {
            let parts = self.parts.entry(owner).or_default();
            let apart = parts.iter().all(|&(o, s)| {
                let (long, short) = (s.max(stride), s.min(stride));
                long % short == 0 && o % short != offset % short
            });
            rule(apart, || {
                format!("{array} overlaps another view of {owner}")
            })?;
            parts.push((offset, stride));
        } else if self.parts.contains_key(&array) {
            return Err(Problem::Redefined(array.to_string()));
        }
        self.written.insert(array);
        Ok(())
    }
}
