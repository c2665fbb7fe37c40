//! Kernels of maps, and how independent ones over one index space share a kernel.
//!
//! A map that must be written is not written at once but joins a *group* of maps over the same extents. A
//! group becomes a kernel when somebody reads memory that a group has yet to write. What a group stores is
//! known within it, so a map may also join the maps it depends on, if it reads at its own coordinates.

use crate::code::{CodeId, HostValue};
use crate::cost::MAX_SHARED_INSTS;
use crate::lower::Lowering;
use crate::refine::Observed;
use crate::steps::export;
use crate::strength;
use cotangent_core::backend::Site;
use cotangent_core::schedule::{
    ArrayId, Body, Kernel, KernelKind, Output, Step, SymbolId, ValueId,
};
use cotangent_core::term::{AccLet, ArrId, Labelled};
use std::collections::HashMap;

/// Maps over one index space, not yet written.
#[derive(Debug)]
pub(crate) struct Group {
    code: CodeId,
    space: Vec<HostValue>,
    site: Site,
    outputs: Vec<Output>,
}

/// What a map stores.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item<'p> {
    /// A result of an operation.
    Result(&'p AccLet<Labelled>, usize),
    /// The elements of an array that exists, for the given operation.
    Copy(ArrId, &'p AccLet<Labelled>),
    /// The elements of memory, for the given operation.
    Move(ArrayId, &'p AccLet<Labelled>),
}

impl Group {
    /// Whether it reads elements of one of the arrays.
    pub(crate) fn reads_any(&self, lowering: &Lowering<'_>, arrays: &[ArrayId]) -> bool {
        let values: Vec<_> = self.outputs.iter().map(|output| output.value).collect();
        lowering.reads_any(self.code, &values, arrays)
    }
}

impl Item<'_> {
    fn site(&self) -> Site {
        match self {
            Self::Result(let_, _) | Self::Copy(_, let_) | Self::Move(_, let_) => {
                Lowering::site_of(let_)
            }
        }
    }
}

impl<'p> Lowering<'p> {
    /// Has the items written to the arrays, all of the extents `space`, before anybody reads those.
    pub(crate) fn write(&mut self, items: &[(Item<'p>, ArrayId)], space: &[HostValue]) {
        let roomy = |g: &Group, me: &Self| me.codes.len(g.code) < MAX_SHARED_INSTS;
        let found = self
            .groups
            .iter()
            .position(|g| g.space == space && roomy(g, self));
        let group = match found.filter(|_| self.options.fuse) {
            Some(group) => group,
            None => self.open_group(items, space),
        };
        if !self.join(group, items) {
            self.flush();
            let group = self.open_group(items, space);
            self.join(group, items);
        } else if found.is_some() {
            self.codes.fire("share kernel of maps");
        }
        if !self.options.fuse {
            self.flush();
        }
    }

    fn open_group(&mut self, items: &[(Item<'p>, ArrayId)], space: &[HostValue]) -> usize {
        let code = self.codes.open();
        let site = items[0].0.site();
        self.groups.push(Group {
            code,
            space: space.to_vec(),
            site,
            outputs: vec![],
        });
        self.groups.len() - 1
    }

    /// Adds items to a group, unless they read what a group has yet to write.
    fn join(&mut self, group: usize, items: &[(Item<'p>, ArrayId)]) -> bool {
        let code = self.groups[group].code;
        let space = self.groups[group].space.clone();
        let coords = self.coords(code, &space);
        let values: Vec<_> = items
            .iter()
            .map(|(item, _)| self.item(code, *item, &coords))
            .collect();
        if self.reads_pending(code, &values) {
            return false;
        }
        for (&value, &(item, array)) in values.iter().zip(items) {
            self.codes[code].note(item.site());
            let place = (array, coords.clone());
            self.codes[code].stored.insert(place, value);
            self.groups[group].outputs.push(Output { value, array });
        }
        true
    }

    fn item(&mut self, code: CodeId, item: Item<'p>, coords: &[ValueId]) -> ValueId {
        let site = self.site(item.site());
        match item {
            Item::Result(let_, result) => self.delayed(code, let_, result, coords, None, site),
            Item::Copy(array, _) => self.element(code, array, coords, None, site),
            Item::Move(array, _) => {
                let elem = self.arrays[array.index()].elem;
                let extents = self.arrays[array.index()].extents.clone();
                self.codes
                    .load(code, (array, elem), &extents, coords, None, site)
            }
        }
    }

    /// The coordinates of a space.
    pub(crate) fn coords(&mut self, code: CodeId, space: &[HostValue]) -> Vec<ValueId> {
        let coord = |(axis, &extent)| self.codes.coord(code, axis, extent);
        space.iter().enumerate().map(coord).collect()
    }

    /// Whether a group has yet to write this memory.
    pub(crate) fn is_pending(&self, array: ArrayId) -> bool {
        let owner = self.owner(array);
        let outputs = self.groups.iter().flat_map(|g| &g.outputs);
        outputs.into_iter().any(|o| self.owner(o.array) == owner)
    }

    /// Whether the code reads memory that a group has yet to write, on the host's way included.
    pub(crate) fn reads_pending(&self, code: CodeId, roots: &[ValueId]) -> bool {
        if self.groups.iter().all(|g| g.outputs.is_empty()) {
            return false;
        }
        let mut needed = self.codes[code].body().needed(roots);
        needed.any(|(_, inst)| match inst.op.as_symbol() {
            Some(SymbolId(n)) => {
                let loads = self.steps.loads_of(&self.codes, HostValue(ValueId(n)));
                loads.into_iter().any(|a| self.is_pending(a))
            }
            None => inst.op.reads().into_iter().any(|a| self.is_pending(a)),
        })
    }

    /// Whether the code reads elements from one of the arrays.
    pub(crate) fn reads_any(&self, code: CodeId, roots: &[ValueId], arrays: &[ArrayId]) -> bool {
        let mut needed = self.codes[code].body().needed(roots);
        needed.any(|(_, inst)| inst.op.reads().into_iter().any(|a| arrays.contains(&a)))
    }

    /// Emits the kernels of all groups.
    pub(crate) fn flush(&mut self) {
        for group in std::mem::take(&mut self.groups) {
            let Group {
                code,
                space,
                site,
                outputs,
            } = group;
            if outputs.is_empty() {
                continue;
            }
            let values: Vec<_> = outputs.iter().map(|o| o.value).collect();
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
    }

    /// The body of a kernel and what is observed of it; what it needs of the host is computed before. It reads
    /// nothing pending.
    pub(crate) fn export(&mut self, code: CodeId, observed: &Observed) -> (Body, Vec<ValueId>) {
        let roots = match self.options.fuse {
            true => self.codes.refine(code, observed),
            false => observed.roots.to_vec(),
        };
        let needed = self.codes[code].body().needed(&roots);
        let symbols = needed.filter_map(|(_, inst)| inst.op.as_symbol());
        let values: Vec<_> = symbols.map(|SymbolId(n)| HostValue(ValueId(n))).collect();
        let symbols = self.symbols(&values);
        let symbols: HashMap<_, _> = values.into_iter().zip(symbols).collect();
        let (mut body, mut roots) = export(&self.codes, code, &roots, &|value| symbols[&value]);
        if self.options.fuse {
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
        let inlined = std::mem::take(&mut self.codes[code].fused);
        let others = inlined.into_iter().filter(|&other| other != site);
        let kernel = Kernel {
            name: site.construct,
            loc: site.loc,
            fused: std::iter::once(site).chain(others).collect(),
            space,
            kind,
        };
        for output in kernel.outputs() {
            self.arrays[output.array.index()].emitted = true;
        }
        self.codes.close(code);
        self.steps.push(Step::Kernel(kernel));
    }
}
