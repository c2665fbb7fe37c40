//! Permutes: kernels that scatter, and rows that a map writes into what a loop carries.
//!
//! A permute that sends all its elements side by side, to a place that the host knows, is no scatter. As a map it runs in
//! the kernel that computes the row.

use crate::code::{CodeId, Codes, HostValue};
use crate::draft::Draft;
use crate::env::{Environment, Storage};
use crate::groups::Item;
use crate::inline::Inliner;
use crate::lower::Lowering;
use crate::memory::{Origin, Place};
use crate::refine::Observed;
use crate::shapes::intersection;
use crate::sites::site_of;
use cotangent_core::schedule::{ArrayId, KernelKind, Output, ValueId};
use cotangent_core::term::{AccLet, ArrId, Combine, Fun, Labelled};

/// A permute.
struct Permute<'p> {
    let_: &'p AccLet<Labelled>,
    combine: Combine,
    /// What it starts from.
    defaults: &'p [ArrId],
    /// Where elements go.
    target: &'p Fun<Labelled>,
    args: &'p [ArrId],
}

/// The code of a permute.
struct Updates {
    code: CodeId,
    /// Whether an element goes anywhere, its index, and the elements.
    roots: Vec<ValueId>,
    /// How many of those are no elements.
    sent: usize,
}

impl<'p> Lowering<'p> {
    pub(crate) fn permute(
        &mut self,
        let_: &'p AccLet<Labelled>,
        combine: Combine,
        defaults: &'p [ArrId],
        (target, args): (&'p Fun<Labelled>, &'p [ArrId]),
    ) {
        let of = &Permute {
            let_,
            combine,
            defaults,
            target,
            args,
        };
        let arrays = self.permute_targets(of);
        let space = intersection(&self.env, &mut self.draft.codes, of.args);
        let changed = carried_targets(&self.env, of);
        let mut updates = code_of(&mut self.inliner(), of, &space);
        let Updates { code, roots, .. } = &updates;
        if self.draft.codes.reads_any(*code, roots, &changed) {
            self.draft.codes.close(*code);
            for &arg in of.args {
                self.materialise(arg);
            }
            updates = code_of(&mut self.inliner(), of, &space);
        }
        match self.row_written(of, &updates, (&space, &changed)) {
            Some(row) => self.write_row(of, &row, (&space, &changed), updates.code),
            None => self.scatter(of, &updates, &space, (&arrays, &changed)),
        }
        // The host loads anew from arrays whose elements change here.
        for &array in &changed {
            self.draft.codes.forget_loads(array);
        }
    }

    /// The arrays that a permute writes into, holding its defaults: copies, or the defaults themselves where
    /// nobody else has them.
    fn permute_targets(&mut self, of: &Permute<'p>) -> Vec<ArrayId> {
        let Permute { let_, defaults, .. } = *of;
        let extents = intersection(&self.env, &mut self.draft.codes, defaults);
        let (mut items, mut arrays) = (vec![], vec![]);
        for (&default, bind) in defaults.iter().zip(&let_.binds) {
            let once = defaults.iter().filter(|&&d| d == default).count() == 1;
            let is_updated = self.env.is_updated(default, let_);
            let memory = match self.env.storage(default) {
                Storage::Manifest(id) if is_updated => Some(id),
                Storage::Manifest(_)
                | Storage::Delayed(..)
                | Storage::Known(..)
                | Storage::Padded(..) => self.own_memory(default, let_.binds[0].name),
            };
            let array = match memory {
                Some(id) if once && self.draft.memory.extents(id) == extents => {
                    self.draft.codes.fire(match is_updated {
                        true => "permute into what a loop carries",
                        false => "permute in place",
                    });
                    id
                }
                Some(_) | None => {
                    let id = self.draft.own_array(&self.env, bind.name, let_);
                    items.push((Item::Copy(default, let_), id));
                    id
                }
            };
            self.env.place(bind.name, array);
            arrays.push(array);
        }
        if !items.is_empty() {
            self.write(&items, &extents);
        }
        arrays
    }

    /// The row that all elements go to, if they go into what a loop carries and nowhere else.
    fn row_written(
        &mut self,
        of: &Permute<'p>,
        updates: &Updates,
        (space, changed): (&[HostValue], &[ArrayId]),
    ) -> Option<Vec<HostValue>> {
        let are_carried = changed.iter().all(|&memory| self.env.is_carried(memory));
        let is_all =
            changed.len() == of.args.len() && of.combine == Combine::Overwrite && are_carried;
        let &memory = changed.first().filter(|_| is_all)?;
        let whole = self.draft.memory.extents(memory);
        row_of(&mut self.draft.codes, updates, (space, whole))
    }

    /// Writes arrays into the row of the memory.
    fn write_row(
        &mut self,
        of: &Permute<'p>,
        row: &[HostValue],
        (space, memory): (&[HostValue], &[ArrayId]),
        code: CodeId,
    ) {
        if self.draft.is_in_use(memory) {
            self.draft.flush();
        }
        let whole = self.draft.memory.extents(memory[0]);
        let start = self.draft.codes.start_of(row, whole);
        let items = of.args.iter().zip(memory).map(|(&arg, &memory)| {
            let part = row_part(&mut self.draft, of.let_, memory, (start, space));
            (Item::Copy(arg, of.let_), part)
        });
        let items: Vec<_> = items.collect();
        self.write(&items, space);
        let codes = &mut self.draft.codes;
        codes.fire("write row of what a loop carries");
        codes.close(code);
    }

    /// Emits a kernel that scatters.
    fn scatter(
        &mut self,
        of: &Permute<'p>,
        updates: &Updates,
        space: &[HostValue],
        (arrays, changed): (&[ArrayId], &[ArrayId]),
    ) {
        let &Updates {
            code,
            ref roots,
            sent,
        } = updates;
        let draft = &mut self.draft;
        let waits = draft.reads_pending(code, roots) || arrays.iter().any(|&a| draft.is_pending(a));
        if waits || draft.is_in_use(changed) {
            draft.flush();
        }
        let site = draft.sites.of(of.let_);
        let space = draft.symbols(space);
        let (body, roots) = draft.export(code, &Observed::guarded(roots));
        let values = roots[sent..].iter().zip(arrays);
        let outputs = values
            .map(|(&value, &array)| Output { value, array })
            .collect();
        let kind = KernelKind::Scatter {
            body,
            guard: roots[0],
            target: roots[1..sent].to_vec(),
            site,
            combine: of.combine,
            outputs,
        };
        draft.emit(code, site_of(of.let_), space, kind);
    }
}

/// The code of a permute: whether an element goes anywhere, where, and the elements.
fn code_of<'p>(inliner: &mut Inliner<'_, 'p>, of: &Permute<'p>, space: &[HostValue]) -> Updates {
    let codes = &mut inliner.draft.codes;
    let code = codes.open();
    let coords = codes.coords(code, space);
    inliner.draft.sites.of(of.let_);
    let mut roots = inliner.apply(code, of.target, &coords, None);
    roots.extend(inliner.elements(code, (of.let_, of.args), &coords));
    Updates {
        code,
        roots,
        sent: of.target.body.results.len(),
    }
}

/// The memory that a loop carries among that which a permute writes into.
fn carried_targets(env: &Environment<'_>, of: &Permute<'_>) -> Vec<ArrayId> {
    let written = of.defaults.iter().zip(&of.let_.binds);
    let carried = written.filter(|&(&default, _)| env.is_updated(default, of.let_));
    let memory = carried.filter_map(|(_, bind)| match env.storage(bind.name) {
        Storage::Manifest(id) => Some(id),
        Storage::Delayed(..) | Storage::Known(..) | Storage::Padded(..) => None,
    });
    memory.collect()
}

/// The coordinates, known to the host, of the row of a `whole` that all elements of a space go to, in order.
fn row_of(
    codes: &mut Codes,
    updates: &Updates,
    (space, whole): (&[HostValue], &[HostValue]),
) -> Option<Vec<HostValue>> {
    let &Updates {
        code,
        ref roots,
        sent,
    } = updates;
    let (guard, index) = roots[..sent].split_first()?;
    let holds = codes.as_const(code, *guard)?.as_bool()?;
    let outer = index.len().checked_sub(space.len())?;
    let (row, inside) = index.split_at(outer);
    let in_order = inside
        .iter()
        .enumerate()
        .all(|(axis, &v)| codes.op(code, v).as_coord() == Some(axis as u32));
    let is_row = holds && outer > 0 && in_order;
    if !is_row || space != &whole[outer..] {
        return None;
    }
    let is_inside = codes.is_in_range(code, row, &whole[..outer], None);
    let row = row.iter().map(|&v| codes.as_host(code, v));
    row.collect::<Option<Vec<_>>>().filter(|_| is_inside)
}

/// The part of the memory that holds the row.
fn row_part(
    draft: &mut Draft,
    let_: &AccLet<Labelled>,
    memory: ArrayId,
    (start, extents): (HostValue, &[HostValue]),
) -> ArrayId {
    draft.symbols(&[start]);
    let elem = draft.memory.elem(memory);
    let part = draft.array(elem, extents.to_vec(), site_of(let_), Origin::Other);
    let place = Place {
        base: Some(start),
        ..Place::FIRST
    };
    draft.put((part, memory), place);
    part
}
