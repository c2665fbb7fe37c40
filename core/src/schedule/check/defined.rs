//! What is defined at a point of a schedule.
//!
//! An owner is finished when a kernel has written it, or when kernels have written views of it that cover
//! every residue of their common stride once, and all views of it that begin at symbols. A view is finished
//! when a kernel has written it, or when its owner is.

use super::{Problem, Result, array_decl, rule, symbol_type};
use crate::schedule::{ArrayDecl, ArrayId, Layout, Offset, Schedule, Step, SymbolId, steps};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The symbols and arrays that are defined.
#[derive(Clone)]
pub(super) struct Defined<'a> {
    schedule: &'a Schedule,
    symbols: HashSet<SymbolId>,
    written: HashSet<ArrayId>,
    /// The offset and stride of views written, by their owner.
    parts: HashMap<ArrayId, Vec<(Offset, u32)>>,
    /// What loops carry: views of it may be written over it.
    carried: HashSet<ArrayId>,
    /// The views at symbols that kernels write anywhere, by their owner.
    placed: Rc<HashMap<ArrayId, Vec<ArrayId>>>,
}

impl<'a> Defined<'a> {
    pub(super) fn new(schedule: &'a Schedule) -> Self {
        Self {
            schedule,
            symbols: HashSet::new(),
            written: HashSet::new(),
            parts: HashMap::new(),
            carried: HashSet::new(),
            placed: Rc::new(placed(schedule)),
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
        self.schedule.owner(array)
    }

    pub(super) fn need_array(&self, array: ArrayId) -> Result<()> {
        let decl = array_decl(self.schedule, array)?;
        decl.extents.iter().try_for_each(|&e| self.need_symbol(e))?;
        self.need_offset(decl)?;
        if self.written.contains(&array) || self.finished(self.owner(array)) {
            return Ok(());
        }
        Err(Problem::Undefined(array.to_string()))
    }

    /// Requires the symbol of the offset of a view.
    fn need_offset(&self, decl: &ArrayDecl) -> Result<()> {
        match decl.layout {
            Layout::View { offset, .. } => offset.symbol.map_or(Ok(()), |s| self.need_symbol(s)),
            Layout::Own => Ok(()),
        }
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
        let known = parts.iter().filter(|(offset, _)| offset.symbol.is_none());
        let strides = known.map(|&(_, stride)| stride);
        let period = strides.clone().max().unwrap_or(0);
        let covered: u64 = strides.map(|stride| u64::from(period / stride)).sum();
        let placed = self.placed.get(&owner).map_or(&[][..], Vec::as_slice);
        let all_placed = placed.iter().all(|view| self.written.contains(view));
        let by_parts = period > 0 && covered == u64::from(period) && all_placed;
        self.written.contains(&owner) || by_parts
    }

    /// Defines an array that a kernel writes all of.
    pub(super) fn define_array(&mut self, array: ArrayId) -> Result<()> {
        let owner = self.owner(array);
        if self.carried.contains(&owner) && owner != array {
            return self.define_over(array);
        }
        let twice = self.written.contains(&owner) || self.written.contains(&array);
        if twice {
            return Err(Problem::Redefined(array.to_string()));
        }
        let extents = &self.schedule.arrays[owner.index()].extents;
        extents.iter().try_for_each(|&e| self.need_symbol(e))?;
        self.need_offset(&self.schedule.arrays[array.index()])?;
        if let Layout::View { offset, stride, .. } = self.schedule.arrays[array.index()].layout {
            rule(stride > 0, || {
                format!("{array} is written and has stride 0")
            })?;
            let parts = self.parts.entry(owner).or_default();
            let mut beside = parts.iter().filter(|(o, _)| o.symbol == offset.symbol);
            let apart = beside.all(|&(o, s)| {
                let (long, short) = (s.max(stride), s.min(stride));
                long % short == 0 && o.constant % short != offset.constant % short
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

    /// Defines an array that a loop carries, which is there.
    pub(super) fn define_carried(&mut self, array: ArrayId) -> Result<()> {
        self.define_array(array)?;
        self.carried.insert(array);
        Ok(())
    }

    /// Whether writing the array is writing over a part of what a loop carries.
    pub(super) fn is_over(&self, array: ArrayId) -> bool {
        let owner = self.owner(array);
        owner != array && self.carried.contains(&owner)
    }

    /// Defines a view that is written over a part of what a loop carries.
    fn define_over(&mut self, array: ArrayId) -> Result<()> {
        let decl = array_decl(self.schedule, array)?;
        decl.extents.iter().try_for_each(|&e| self.need_symbol(e))?;
        self.need_offset(decl)?;
        match self.written.insert(array) {
            true => Ok(()),
            false => Err(Problem::Redefined(array.to_string())),
        }
    }
}

/// The views at symbols that kernels write, by their owner.
fn placed(schedule: &Schedule) -> HashMap<ArrayId, Vec<ArrayId>> {
    let mut placed: HashMap<ArrayId, Vec<ArrayId>> = HashMap::new();
    for array in steps::all(&schedule.steps).flat_map(Step::makes) {
        let decl = schedule.arrays.get(array.index());
        if let Some(Layout::View { of, offset, .. }) = decl.map(|d| d.layout)
            && offset.symbol.is_some()
        {
            placed.entry(of).or_default().push(array);
        }
    }
    placed
}
