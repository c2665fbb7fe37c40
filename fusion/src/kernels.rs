//! The operations that always become kernels of their own: folds, scans, permutes; and unpack.

use crate::code::{CodeId, HostValue};
use crate::contract::contraction;
use crate::element::Split;
use crate::groups::Item;
use crate::lower::{Lowering, Storage};
use crate::memory::{Origin, Place};
use crate::padded::drop_dimensions;
use crate::refine::Observed;
use crate::rows::Updates;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::schedule::{
    ArrayId, Body, KernelKind, Layout, Operator, Output, SymbolId, ValueId,
};
use cotangent_core::term::{AccLet, AccOp, ArrId, Combine, Direction, Fun, Labelled};

/// How many maps are looked through for a reshape whose dimensions a fold can take apart.
const MAX_VISITS: usize = 64;

impl<'p> Lowering<'p> {
    pub(crate) fn fold(
        &mut self,
        let_: &'p AccLet<Labelled>,
        f: &'p Fun<Labelled>,
        init: Option<&'p Fun<Labelled>>,
        args: &[ArrId],
    ) {
        let extents = self.intersection(args);
        let Some((&last, outer)) = extents.split_last() else {
            return;
        };
        let mut fuel = MAX_VISITS;
        let inner = args
            .iter()
            .find_map(|&a| self.taken_apart(a, last, &mut fuel));
        let inner = inner.unwrap_or_else(|| vec![last]);
        if inner.len() > 1 {
            self.codes.fire("fold over several dimensions");
        }
        let combination = Combination {
            let_,
            f,
            init,
            args,
        };
        let extents = Extents {
            outer: outer.to_vec(),
            inner,
            last,
        };
        let (code, values) = self.fold_values(&combination, &extents);
        let part = self.nonzero_part(&combination, &extents, (code, &values));
        if part.is_some_and(|part| self.fold_part(&combination, &part)) {
            self.codes.close(code);
            return;
        }
        let (space, kind) = self.fold_kernel(&combination, &extents, (code, &values));
        self.emit(code, Self::site_of(let_), space, kind);
    }

    /// The code of what a fold combines, over the given extents.
    pub(crate) fn fold_values(
        &mut self,
        fold: &Combination<'_, 'p>,
        extents: &Extents,
    ) -> (CodeId, Vec<ValueId>) {
        let Extents { outer, inner, last } = extents;
        let code = self.codes.open();
        let space = [outer.as_slice(), inner].concat();
        let mut coords = self.coords(code, &space);
        if inner.len() > 1 {
            let apart = coords.split_off(outer.len());
            coords.push(self.linearise(code, &apart, inner, Some(*last)));
        }
        let values = self.values(fold, code, &coords);
        (code, values)
    }

    /// The kernel of a fold and its space, given the code of what it combines. The dimensions along which all is the same are left
    /// out.
    pub(crate) fn fold_kernel(
        &mut self,
        fold: &Combination<'_, 'p>,
        extents: &Extents,
        (code, values): (CodeId, &[ValueId]),
    ) -> (Vec<SymbolId>, KernelKind) {
        let combined = self.combined(fold, code, values);
        let inner = self.symbols(&extents.inner);
        let Combined {
            mut body,
            values,
            operator,
            init,
        } = combined;
        let rank = extents.outer.len();
        // Without an initial value there must be something to combine, which is tested where there are results.
        let kept = match &init {
            Some(_) => self.kept_dimensions(&body, &values, rank),
            None => (0..rank).collect(),
        };
        if kept.len() < rank {
            self.codes
                .fire("fold of what is the same along a dimension");
            drop_dimensions(&mut body, &kept, rank);
        }
        let outputs = self.fold_outputs(fold.let_, &values, (&extents.outer, &kept));
        let kind = KernelKind::Reduce {
            inner,
            body,
            operator,
            init,
            outputs,
        };
        let space: Vec<_> = kept.iter().map(|&axis| extents.outer[axis]).collect();
        (self.symbols(&space), self.contracted(kind, kept.len()))
    }

    /// The kernel as a contraction, where it is one and they are asked for.
    fn contracted(&mut self, kind: KernelKind, rank: usize) -> KernelKind {
        let asked = self.options.fuse && self.options.contract;
        match asked.then(|| contraction(&kind, rank)).flatten() {
            Some(contraction) => {
                self.codes.fire("contract");
                contraction
            }
            None => kind,
        }
    }

    /// The dimensions of which `last`, the inner extent of `array`, is the product, where a reshape
    /// that is delayed made it of several.
    fn taken_apart(
        &self,
        array: ArrId,
        last: HostValue,
        fuel: &mut usize,
    ) -> Option<Vec<HostValue>> {
        *fuel = fuel.checked_sub(1)?;
        let Storage::Delayed(let_, _) = self.storage(array) else {
            return None;
        };
        if self.extents(array).last() != Some(&last) {
            return None;
        }
        match &let_.op {
            AccOp::Map { f: _, args } => args.iter().find_map(|&a| self.taken_apart(a, last, fuel)),
            AccOp::Move { how, arg } if how.keeps_order() => {
                // Nothing is known of an array that nobody reads: a map may take only the extents of the reshape.
                let (from, to) = (&self.infos.get(arg)?.extents, self.extents(array));
                let Split { from: old, to: new } = Split::of(from, to);
                let merges = new.len() == 1 && new.end == to.len() && old.len() > 1;
                merges.then(|| from[old].to_vec())
            }
            AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Move { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Append { .. }
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => None,
        }
    }

    pub(crate) fn scan(
        &mut self,
        let_: &'p AccLet<Labelled>,
        direction: Direction,
        (f, init): (&'p Fun<Labelled>, Option<&'p Fun<Labelled>>),
        args: &[ArrId],
    ) {
        let extents = self.intersection(args);
        let Some((&last, outer)) = extents.split_last() else {
            return;
        };
        let code = self.codes.open();
        let coords = self.coords(code, &extents);
        let combination = Combination {
            let_,
            f,
            init,
            args,
        };
        let values = self.values(&combination, code, &coords);
        let combined = self.combined(&combination, code, &values);
        let (space, inner) = (self.symbols(outer), self.symbols(&[last])[0]);
        let Combined {
            body,
            values,
            operator,
            init,
        } = combined;
        let mut outputs = vec![];
        for (bind, value) in let_.binds.iter().zip(values) {
            let array = self.own_array(bind.name, let_);
            self.place(bind.name, array);
            outputs.push(Output { value, array });
        }
        let kind = KernelKind::Scan {
            inner,
            direction,
            body,
            operator,
            init,
            outputs,
        };
        self.emit(code, Self::site_of(let_), space, kind);
    }

    /// The values that a fold or a scan combines.
    fn values(
        &mut self,
        combination: &Combination<'_, 'p>,
        code: CodeId,
        coords: &[ValueId],
    ) -> Vec<ValueId> {
        let site = self.site(Self::site_of(combination.let_));
        let element = |&a: &ArrId| self.element(code, a, coords, None, site);
        combination.args.iter().map(element).collect()
    }

    /// What folds and scans have in common: the values to combine, and how.
    fn combined(
        &mut self,
        combination: &Combination<'_, 'p>,
        code: CodeId,
        values: &[ValueId],
    ) -> Combined {
        let operator = self.operator(combination.f);
        let init = combination.init.map(|init| {
            let values = self.closed(init);
            self.symbols(&values)
        });
        if self.reads_pending(code, values) {
            self.flush();
        }
        let (body, values) = self.export(code, &Observed::always(values));
        Combined {
            body,
            values,
            operator,
            init,
        }
    }

    pub(crate) fn operator(&mut self, f: &Fun<Labelled>) -> Operator {
        let code = self.codes.open_operator();
        let arg = |(i, p): (usize, &cotangent_core::term::ExpBind<Labelled>)| {
            self.codes.arg(code, i, p.ty)
        };
        let args: Vec<_> = f.params.iter().enumerate().map(arg).collect();
        let results = self.apply(code, f, &args, None);
        let (body, results) = self.export(code, &Observed::always(&results));
        self.codes.close(code);
        Operator { body, results }
    }

    pub(crate) fn permute(
        &mut self,
        let_: &'p AccLet<Labelled>,
        combine: Combine,
        defaults: &[ArrId],
        (target, args): (&'p Fun<Labelled>, &[ArrId]),
    ) {
        let arrays = self.permute_targets(let_, defaults);
        let space = self.intersection(args);
        let changed = self.carried_targets(let_, defaults);
        let (mut code, mut roots) = self.updates(let_, (target, args), &space);
        if self.reads_any(code, &roots, &changed) {
            self.codes.close(code);
            for &arg in args {
                self.materialise(arg);
            }
            (code, roots) = self.updates(let_, (target, args), &space);
        }
        let sent = target.body.results.len();
        let updates = Updates {
            combine,
            code,
            target: &roots[..sent],
            space: &space,
            memory: &changed,
        };
        if changed.len() == args.len()
            && let Some(row) = self.row_of(&updates)
        {
            if self.is_in_use(&changed) {
                self.flush();
            }
            self.write_row(let_, (&row, args), &updates);
            self.codes.close(code);
            return self.forget_loads(&changed);
        }
        let waits = self.reads_pending(code, &roots) || arrays.iter().any(|&a| self.is_pending(a));
        if waits || self.is_in_use(&changed) {
            self.flush();
        }
        let site = self.site(Self::site_of(let_));
        let space = self.symbols(&space);
        let (body, roots) = self.export(code, &Observed::guarded(&roots));
        let values = roots[sent..].iter().zip(arrays);
        let outputs = values
            .map(|(&value, array)| Output { value, array })
            .collect();
        let kind = KernelKind::Scatter {
            body,
            guard: roots[0],
            target: roots[1..sent].to_vec(),
            site,
            combine,
            outputs,
        };
        self.emit(code, Self::site_of(let_), space, kind);
        self.forget_loads(&changed);
    }

    /// Has the host load anew from arrays whose elements change here.
    fn forget_loads(&mut self, changed: &[ArrayId]) {
        for &array in changed {
            self.codes.forget_loads(array);
        }
    }

    /// The code of a permute: whether an element goes anywhere, where, and the elements.
    fn updates(
        &mut self,
        let_: &AccLet<Labelled>,
        (target, args): (&'p Fun<Labelled>, &[ArrId]),
        space: &[HostValue],
    ) -> (CodeId, Vec<ValueId>) {
        let code = self.codes.open();
        let coords = self.coords(code, space);
        let site = self.site(Self::site_of(let_));
        let mut roots = self.apply(code, target, &coords, None);
        for &arg in args {
            roots.push(self.element(code, arg, &coords, None, site));
        }
        (code, roots)
    }

    /// The memory that a loop carries among that which a permute writes into.
    fn carried_targets(&self, let_: &AccLet<Labelled>, defaults: &[ArrId]) -> Vec<ArrayId> {
        let written = defaults.iter().zip(&let_.binds);
        let carried = written.filter(|&(&default, _)| self.is_updated(default, let_));
        let memory = carried.filter_map(|(_, bind)| match self.storage(bind.name) {
            Storage::Manifest(id) => Some(id),
            Storage::Delayed(..) | Storage::Known(..) | Storage::Padded(..) => None,
        });
        memory.collect()
    }

    /// Whether a permute may write into the memory of what a loop carries.
    fn is_updated(&self, default: ArrId, let_: &AccLet<Labelled>) -> bool {
        self.updated.get(&default) == Some(&let_.binds[0].name)
    }

    /// The arrays that a permute writes into, holding its defaults: copies, or the defaults themselves where
    /// nobody else has them.
    fn permute_targets(&mut self, let_: &'p AccLet<Labelled>, defaults: &[ArrId]) -> Vec<ArrayId> {
        let extents = self.intersection(defaults);
        let (mut items, mut arrays) = (vec![], vec![]);
        for (&default, bind) in defaults.iter().zip(&let_.binds) {
            let once = defaults.iter().filter(|&&d| d == default).count() == 1;
            let memory = match self.storage(default) {
                Storage::Manifest(id) if self.is_updated(default, let_) => Some(id),
                Storage::Manifest(_)
                | Storage::Delayed(..)
                | Storage::Known(..)
                | Storage::Padded(..) => self.own_memory(default, let_.binds[0].name),
            };
            let array = match memory {
                Some(id) if once && self.arrays[id.index()].extents == extents => {
                    self.codes.fire(match self.is_updated(default, let_) {
                        true => "permute into what a loop carries",
                        false => "permute in place",
                    });
                    id
                }
                Some(_) | None => {
                    let id = self.own_array(bind.name, let_);
                    items.push((Item::Copy(default, let_), id));
                    id
                }
            };
            self.place(bind.name, array);
            arrays.push(array);
        }
        if !items.is_empty() {
            self.write(&items, &extents);
        }
        arrays
    }

    /// The memory of an array that `reader` alone reads and that a kernel of this branch has made, so that
    /// the reader may change or move it.
    pub(crate) fn own_memory(&self, array: ArrId, reader: ArrId) -> Option<ArrayId> {
        let Storage::Manifest(id) = self.storage(array) else {
            return None;
        };
        let memory = &self.arrays[id.index()];
        let alone = self
            .uses
            .sole_reader(array)
            .is_some_and(|a| a.consumer == reader);
        let here = memory.origin == Origin::Kernel(self.steps.depth());
        let own = memory.layout == Layout::Own;
        (self.options.fuse && alone && here && own).then_some(id)
    }

    /// Puts arrays side by side: they become views of the result, if need be by a copy.
    pub(crate) fn unpack(&mut self, let_: &'p AccLet<Labelled>, args: &[ArrId]) {
        let outer = self.intersection(args);
        let result = let_.binds[0].name;
        let whole = self.own_array(result, let_);
        self.reasons.made_for(whole, Kept::Interleaved);
        let stride = args.len() as u32;
        let mut items = vec![];
        for (i, &arg) in args.iter().enumerate() {
            let place = Place {
                base: None,
                offset: i as u32,
                stride,
            };
            let once = args.iter().filter(|&&a| a == arg).count() == 1;
            let movable = self
                .own_memory(arg, result)
                .filter(|id| once && self.arrays[id.index()].extents == outer);
            if movable.is_some_and(|id| self.move_into(id, whole, place)) {
                self.codes.fire("unpack without copy");
            } else {
                let elem = self.elem(arg);
                let origin = Origin::Kernel(self.steps.depth());
                let part = self.array(elem, outer.clone(), Self::site_of(let_), origin);
                self.reasons.made_for(part, Kept::Interleaved);
                self.move_into(part, whole, place);
                items.push((Item::Copy(arg, let_), part));
            }
        }
        if !items.is_empty() {
            self.write(&items, &outer);
        }
        self.place(result, whole);
    }
}

/// A fold or a scan.
pub(crate) struct Combination<'a, 'p> {
    pub let_: &'p AccLet<Labelled>,
    pub f: &'p Fun<Labelled>,
    pub init: Option<&'p Fun<Labelled>>,
    pub args: &'a [ArrId],
}

/// Over what a fold goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extents {
    /// The extents of the results.
    pub outer: Vec<HostValue>,
    /// What is folded: one extent, or several of which `last` is the product.
    pub inner: Vec<HostValue>,
    /// The inner extent of the arguments.
    pub last: HostValue,
}

/// What a fold and a scan have in common.
struct Combined {
    body: Body,
    values: Vec<ValueId>,
    operator: Operator,
    init: Option<Vec<SymbolId>>,
}
