//! The schedule under construction: its parts, and what takes several of them.
//!
//! Each part has its own state: the code of the host and of kernels ([`Codes`]), the steps so far ([`Steps`]), the arrays
//! ([`Memory`]) and why they are there ([`Reasons`]), the places of the program ([`Sites`]), and maps that wait to be written
//! ([`Groups`]). Nothing here knows of the program's arrays, but by what the environment is asked for.
//!
//! A step may need what a group has yet to write. Who asks for a symbol, or for the body of a kernel, gets it when all that it
//! depends on is among the steps; so asking may add kernels.

use crate::code::{CodeId, Codes, HOST, HostValue};
use crate::env::Environment;
use crate::groups::{Group, Groups};
use crate::memory::{Memory, NewArray, Origin, Place};
use crate::reasons::Reasons;
use crate::refine::Observed;
use crate::sites::{Sites, nowhere, site_of};
use crate::steps::{Steps, export};
use crate::strength;
use crate::zeros::Zeros;
use cotangent_core::backend::Site;
use cotangent_core::schedule::{
    ArrayId, Body, Check, Kernel, KernelKind, Output, Step, SymbolId, ValueId,
};
use cotangent_core::term::{AccLet, ArrId, Labelled};
use cotangent_core::types::ScalarType;
use std::collections::HashMap;

/// The parts of a schedule.
#[derive(Debug)]
pub(crate) struct Draft {
    pub codes: Codes,
    pub steps: Steps,
    pub memory: Memory,
    pub reasons: Reasons,
    pub sites: Sites,
    pub groups: Groups,
    pub zeros: Zeros,
    /// Whether code is simplified when it is complete.
    refines: bool,
}

impl Draft {
    pub(crate) fn new(refines: bool) -> Self {
        Self {
            codes: Codes::new(),
            steps: Steps::new(),
            memory: Memory::default(),
            reasons: Reasons::default(),
            sites: Sites::default(),
            groups: Groups::default(),
            zeros: Zeros::default(),
            refines,
        }
    }
}

/// Symbols and arrays.
impl Draft {
    /// The symbols of values of the host, computed here if they are not yet.
    pub(crate) fn symbols(&mut self, values: &[HostValue]) -> Vec<SymbolId> {
        if values.iter().any(|&v| self.waits_for(v)) {
            self.flush();
        }
        let demand = |&v| self.steps.demand(&self.codes, v);
        values.iter().map(demand).collect()
    }

    /// Whether the host computes a value from memory that a group has yet to write.
    fn waits_for(&self, value: HostValue) -> bool {
        let mut loads = self.steps.loads_of(&self.codes, value).into_iter();
        loads.any(|array| self.is_pending(array))
    }

    /// Whether a number is read from an array. That may fail, whatever range the number has: somebody must want it.
    pub(crate) fn is_read(&self, value: HostValue) -> bool {
        !self.steps.loads_of(&self.codes, value).is_empty()
    }

    /// A symbol for an extent, and its value.
    pub(crate) fn fresh_extent(&mut self, input: bool) -> (SymbolId, HostValue) {
        let symbol = self.steps.symbol(ScalarType::I32);
        (symbol, self.codes.atom(symbol, ScalarType::I32, input))
    }

    /// An array with memory of its own.
    pub(crate) fn array(
        &mut self,
        elem: ScalarType,
        extents: Vec<HostValue>,
        site: Site,
        origin: Origin,
    ) -> ArrayId {
        let (site, symbols) = (self.sites.id(site), self.symbols(&extents));
        self.memory.add(NewArray {
            elem,
            extents,
            symbols,
            site,
            origin,
        })
    }

    /// The same, to be written by a kernel from here, for `let_`.
    pub(crate) fn array_here(
        &mut self,
        elem: ScalarType,
        extents: Vec<HostValue>,
        let_: &AccLet<Labelled>,
    ) -> ArrayId {
        let origin = Origin::Kernel(self.steps.depth());
        self.array(elem, extents, site_of(let_), origin)
    }

    /// Memory for a result of `let_`, to be written by a kernel.
    pub(crate) fn own_array(
        &mut self,
        env: &Environment<'_>,
        result: ArrId,
        let_: &AccLet<Labelled>,
    ) -> ArrayId {
        let (elem, extents) = (env.elem(result), env.extents(result).to_vec());
        let id = self.array_here(elem, extents, let_);
        self.reasons.made(id, result, let_);
        id
    }

    /// The elements of `of`, the memory of `arg`, in row-major order, under other extents.
    pub(crate) fn reshaped_view(
        &mut self,
        (of, arg): (ArrayId, ArrId),
        extents: Vec<HostValue>,
        let_: &AccLet<Labelled>,
    ) -> ArrayId {
        let elem = self.memory.elem(of);
        let id = self.array(elem, extents, site_of(let_), Origin::Other);
        self.memory.reshape(id, (of, arg));
        id
    }

    /// An array of these extents, all of whose elements are one zero, given by the call.
    pub(crate) fn view_of_zero(&mut self, ty: ScalarType, extents: Vec<HostValue>) -> ArrayId {
        if let Some(known) = self.zeros.view(ty, &extents) {
            return known;
        }
        let given = |me: &mut Self, extents| me.array(ty, extents, nowhere("at"), Origin::Given);
        let of = self.zeros.single(ty).unwrap_or_else(|| {
            let zero = given(self, vec![]);
            self.zeros.note_single(ty, zero);
            zero
        });
        let view = given(self, extents.clone());
        self.memory.repeat(view, of);
        self.zeros.note_view(ty, extents, view);
        view
    }

    /// Moves `part`, with all that is part of it, into the memory of `whole`. Whether that was possible.
    pub(crate) fn move_into(&mut self, part: ArrayId, whole: ArrayId, place: Place) -> bool {
        let Some(moved) = self.memory.places(&mut self.codes, (part, place)) else {
            return false;
        };
        // What is written at a point before this one must have its place known there.
        let late = |place: &Place| place.base.is_some_and(|base| !self.codes.is_pure(base));
        if self.memory.is_emitted(part) && moved.iter().any(|(_, place)| late(place)) {
            return false;
        }
        for (array, place) in moved {
            self.put((array, whole), place);
        }
        true
    }

    /// Makes `part` a view of a place in `whole`, whose base is computed here if it is not yet.
    pub(crate) fn put(&mut self, (part, whole): (ArrayId, ArrayId), place: Place) {
        let symbol = place.base.map(|base| self.symbols(&[base])[0]);
        self.memory.put((part, whole), place, symbol);
    }
}

/// Kernels.
impl Draft {
    /// Whether a group has yet to write this memory.
    pub(crate) fn is_pending(&self, array: ArrayId) -> bool {
        self.groups.is_pending(&self.memory, array)
    }

    /// Whether a group that is not written yet reads the memory, or writes it.
    pub(crate) fn is_in_use(&self, memory: &[ArrayId]) -> bool {
        let reads = self.groups.read_any(&self.codes, memory);
        reads || memory.iter().any(|&array| self.is_pending(array))
    }

    /// Whether the code reads memory that a group has yet to write, on the host's way included.
    pub(crate) fn reads_pending(&self, code: CodeId, roots: &[ValueId]) -> bool {
        if self.groups.is_empty() {
            return false;
        }
        let mut needed = self.codes[code].body().needed(roots);
        needed.any(|(_, inst)| match inst.op.as_symbol() {
            Some(SymbolId(n)) => self.waits_for(HostValue(ValueId(n))),
            None => inst.op.reads().into_iter().any(|a| self.is_pending(a)),
        })
    }

    /// A new group of maps over a space, named after the first.
    pub(crate) fn open_group(&mut self, site: Site, space: &[HostValue]) -> usize {
        let code = self.codes.open();
        self.groups.open(Group::new(code, space, site))
    }

    /// Emits the kernels of all groups.
    pub(crate) fn flush(&mut self) {
        for group in self.groups.take() {
            if !group.outputs.is_empty() {
                self.emit_group(group);
            }
        }
    }

    fn emit_group(&mut self, group: Group) {
        let values = group.values();
        let Group {
            code,
            space,
            site,
            outputs,
        } = group;
        let space = self.symbols(&space);
        let (body, values) = self.export(code, &Observed::always(&values));
        let arrays = outputs.iter().map(|o| o.array);
        let outputs = arrays
            .zip(values)
            .map(|(array, value)| Output { value, array });
        let kind = KernelKind::Map {
            body,
            outputs: outputs.collect(),
        };
        self.emit(code, site, space, kind);
    }

    /// The body of a kernel and what is observed of it; what it needs of the host is computed before. It reads
    /// nothing pending.
    pub(crate) fn export(&mut self, code: CodeId, observed: &Observed) -> (Body, Vec<ValueId>) {
        let roots = match self.refines {
            true => self.codes.refine(code, observed),
            false => observed.roots.to_vec(),
        };
        let needed = self.codes[code].body().needed(&roots);
        let symbols = needed.filter_map(|(_, inst)| inst.op.as_symbol());
        let values: Vec<_> = symbols.map(|SymbolId(n)| HostValue(ValueId(n))).collect();
        let symbols = self.symbols(&values);
        let symbols: HashMap<_, _> = values.into_iter().zip(symbols).collect();
        let (mut body, mut roots) = export(&self.codes, code, &roots, &|value| symbols[&value]);
        if self.refines {
            let mut values: Vec<_> = roots.iter_mut().collect();
            let count = strength::reduce(&mut body, &mut values);
            self.codes.fire_times("divide by shifting", count);
        }
        (body, roots)
    }

    /// Appends a kernel whose code is exported.
    pub(crate) fn emit(
        &mut self,
        code: CodeId,
        site: Site,
        space: Vec<SymbolId>,
        kind: KernelKind,
    ) {
        let inlined = self.codes[code].take_fused();
        let others = inlined.into_iter().filter(|&other| other != site);
        let kernel = Kernel {
            name: site.construct,
            loc: site.loc,
            fused: std::iter::once(site).chain(others).collect(),
            space,
            kind,
        };
        for output in kernel.outputs() {
            self.memory.emitted(output.array);
        }
        self.codes.close(code);
        self.steps.push(Step::Kernel(kernel));
    }
}

/// Checks and branches.
impl Draft {
    /// Appends a check.
    pub(crate) fn check(&mut self, check: Check, let_: &AccLet<Labelled>) {
        let site = self.sites.of(let_);
        self.steps.push(Step::Check(check, site));
    }

    /// Checks extents that are not seen to be possible; two that are not negative have a product in range.
    pub(crate) fn check_shape(&mut self, let_: &AccLet<Labelled>, extents: &[HostValue]) {
        let is_seen = |&e: &HostValue| self.codes.range(HOST, e.0).low >= 0 && !self.is_read(e);
        if extents.len() > 2 || !extents.iter().all(is_seen) {
            let extents = self.symbols(extents);
            self.check(Check::Shape { extents }, let_);
        }
    }

    /// Begins a branch; gives what [`Self::leave`] is to be told.
    pub(crate) fn enter(&mut self) -> usize {
        self.flush();
        self.steps.enter();
        self.codes.checked.len()
    }

    /// Ends the branch begun last and gives its steps.
    pub(crate) fn leave(&mut self, checked: usize) -> Vec<Step> {
        self.flush();
        self.codes.leave_branch(checked);
        self.steps.leave()
    }
}
