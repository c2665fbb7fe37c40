//! Kernels of folds and scans.

use crate::code::{CodeId, HostValue};
use crate::combine::{Combination, Combined, Extents};
use crate::contract::contraction;
use crate::draft::Draft;
use crate::env::{Environment, Part, Storage};
use crate::lower::Lowering;
use crate::padded::{drop_dimensions, kept_dimensions};
use crate::positions::Split;
use crate::shapes::intersection;
use crate::sites::site_of;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::schedule::{KernelKind, Op, Output, SymbolId, ValueId};
use cotangent_core::term::{AccLet, AccOp, ArrId, Direction, Labelled};

/// How many maps are looked through for a reshape whose dimensions a fold can take apart.
const MAX_VISITS: usize = 64;

impl<'p> Lowering<'p> {
    pub(crate) fn fold(&mut self, fold: &Combination<'p>) {
        let Some(extents) = self.folded(fold.args) else {
            return;
        };
        if extents.inner.len() > 1 {
            self.draft.codes.fire("fold over several dimensions");
        }
        let (code, values) = self.inliner().fold_values(fold, &extents);
        let part = self.nonzero_part(fold, &extents, (code, &values));
        if part.is_some_and(|part| self.fold_part(fold, &part)) {
            self.draft.codes.close(code);
            return;
        }
        let (space, kind) = self.fold_kernel(fold, &extents, (code, &values));
        self.draft.emit(code, site_of(fold.let_), space, kind);
    }

    /// Over what a fold of arrays goes; nothing for arrays without dimensions.
    fn folded(&mut self, args: &[ArrId]) -> Option<Extents> {
        let mut outer = intersection(&self.env, &mut self.draft.codes, args);
        let last = outer.pop()?;
        let mut fuel = MAX_VISITS;
        let inner = args
            .iter()
            .find_map(|&a| taken_apart(&self.env, a, last, &mut fuel));
        Some(Extents {
            outer,
            inner: inner.unwrap_or_else(|| vec![last]),
            last,
        })
    }

    /// The part of a sum outside of which all terms are zero, where it is smaller than the whole.
    fn nonzero_part(
        &mut self,
        fold: &Combination<'p>,
        whole: &Extents,
        (code, values): (CodeId, &[ValueId]),
    ) -> Option<Extents> {
        let &[value] = values else {
            return None;
        };
        let asked = self.options.fuse && self.options.contract;
        let limits = asked.then(|| self.draft.codes.limits(code, value))?;
        if limits.is_empty() || !self.inliner().is_sum_from_zero(fold) {
            return None;
        }
        let part = narrowed(&mut self.draft, whole, limits);
        (part != *whole).then_some(part)
    }

    /// Emits the kernel of a part of a fold, and notes that the rest is zero. Whether that was done: where the part's results are
    /// fewer, somebody must pad them, so it pays for contractions, and for folds that are the same along a dimension.
    fn fold_part(&mut self, fold: &Combination<'p>, part: &Extents) -> bool {
        let (code, values) = self.inliner().fold_values(fold, part);
        let codes = &self.draft.codes;
        let rank = part.outer.len();
        let same_results = self.env.extents(fold.let_.binds[0].name) == part.outer;
        let kept = kept_dimensions(self.options.fuse, (codes[code].body(), &values), rank);
        let is_product = matches!(
            codes.op(code, values[0]),
            Op::Prim(Prim::Mul | Prim::Div | Prim::Neg | Prim::Add, _)
        );
        let pays = same_results || kept.len() < rank;
        if !pays && !is_product {
            self.draft.codes.close(code);
            return false;
        }
        let (space, kind) = self.fold_kernel(fold, part, (code, &values));
        if !pays && !matches!(kind, KernelKind::Contract { .. }) {
            self.draft.codes.close(code);
            return false;
        }
        self.draft.codes.fire("fold of what is not padded");
        self.draft.emit(code, site_of(fold.let_), space, kind);
        true
    }

    /// The kernel of a fold and its space, given the code of what it combines. The dimensions along which all is the same are left
    /// out.
    fn fold_kernel(
        &mut self,
        fold: &Combination<'p>,
        extents: &Extents,
        (code, values): (CodeId, &[ValueId]),
    ) -> (Vec<SymbolId>, KernelKind) {
        let combined = self.inliner().combined(fold, code, values);
        let inner = self.draft.symbols(&extents.inner);
        let Combined {
            mut body,
            values,
            operator,
            init,
        } = combined;
        let (fuse, rank) = (self.options.fuse, extents.outer.len());
        // Without an initial value there must be something to combine, which is tested where there are results.
        let kept = match &init {
            Some(_) => kept_dimensions(fuse, (&body, &values), rank),
            None => (0..rank).collect(),
        };
        if kept.len() < rank {
            let rule = "fold of what is the same along a dimension";
            self.draft.codes.fire(rule);
            drop_dimensions(&mut body, &kept, rank);
        }
        let whole = (extents.outer.as_slice(), kept.as_slice());
        let outputs = outputs(&mut self.env, &mut self.draft, fold.let_, &values, whole);
        let kind = KernelKind::Reduce {
            inner,
            body,
            operator,
            init,
            outputs,
        };
        let space: Vec<_> = kept.iter().map(|&axis| extents.outer[axis]).collect();
        let space = self.draft.symbols(&space);
        let asked = fuse && self.options.contract;
        match asked.then(|| contraction(&kind, kept.len())).flatten() {
            Some(contraction) => {
                self.draft.codes.fire("contract");
                (space, contraction)
            }
            None => (space, kind),
        }
    }

    pub(crate) fn scan(&mut self, scan: &Combination<'p>, direction: Direction) {
        let let_ = scan.let_;
        let extents = intersection(&self.env, &mut self.draft.codes, scan.args);
        let Some((&last, outer)) = extents.split_last() else {
            return;
        };
        let code = self.draft.codes.open();
        let coords = self.draft.codes.coords(code, &extents);
        let mut inliner = self.inliner();
        let values = inliner.elements(code, (let_, scan.args), &coords);
        let combined = inliner.combined(scan, code, &values);
        let space = self.draft.symbols(outer);
        let inner = self.draft.symbols(&[last])[0];
        let Combined {
            body,
            values,
            operator,
            init,
        } = combined;
        let mut outputs = vec![];
        for (bind, value) in let_.binds.iter().zip(values) {
            let array = self.draft.own_array(&self.env, bind.name, let_);
            self.env.place(bind.name, array);
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
        self.draft.emit(code, site_of(let_), space, kind);
    }
}

/// The extents of a fold up to the limits of coordinates.
fn narrowed(draft: &mut Draft, whole: &Extents, limits: Vec<(usize, HostValue)>) -> Extents {
    let mut part = whole.clone();
    for (axis, limit) in limits {
        let rank = part.outer.len();
        // What several dimensions are reduced at is a position in the whole.
        let extent = match axis.checked_sub(rank) {
            None => &mut part.outer[axis],
            Some(0) if part.inner.len() == 1 => &mut part.inner[0],
            Some(_) => continue,
        };
        *extent = draft.codes.host_prim(Prim::Min, &[*extent, limit]);
    }
    part
}

/// The arrays of a fold's results over some extents, those of the results or smaller ones, with the given dimensions alone.
fn outputs<'p>(
    env: &mut Environment<'p>,
    draft: &mut Draft,
    let_: &'p AccLet<Labelled>,
    values: &[ValueId],
    (limits, kept): (&[HostValue], &[usize]),
) -> Vec<Output> {
    let extents: Vec<_> = kept.iter().map(|&axis| limits[axis]).collect();
    let mut outputs = vec![];
    for (bind, &value) in let_.binds.iter().zip(values) {
        let array = if env.extents(bind.name) == extents {
            let array = draft.own_array(env, bind.name, let_);
            env.place(bind.name, array);
            array
        } else {
            let array = draft.array_here(bind.ty.elem, extents.clone(), let_);
            draft.reasons.made_for(array, Kept::Fold);
            let (kept, limits) = (kept.to_vec(), limits.to_vec());
            let part = Part {
                array,
                kept,
                limits,
            };
            env.pad(bind.name, let_, part);
            array
        };
        outputs.push(Output { value, array });
    }
    outputs
}

/// The dimensions of which `last`, the inner extent of `array`, is the product, where a reshape
/// that is delayed made it of several.
fn taken_apart(
    env: &Environment<'_>,
    array: ArrId,
    last: HostValue,
    fuel: &mut usize,
) -> Option<Vec<HostValue>> {
    *fuel = fuel.checked_sub(1)?;
    let Storage::Delayed(let_, _) = env.storage(array) else {
        return None;
    };
    if env.extents(array).last() != Some(&last) {
        return None;
    }
    match &let_.op {
        AccOp::Map { f: _, args } => args.iter().find_map(|&a| taken_apart(env, a, last, fuel)),
        AccOp::Move { how, arg } if how.keeps_order() => {
            // Nothing is known of an array that nobody reads: a map may take only the extents of the reshape.
            let (from, to) = (env.known_extents(*arg)?, env.extents(array));
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
        | AccOp::Argsort { .. }
        | AccOp::FoldSegments { .. }
        | AccOp::Append { .. }
        | AccOp::Cond { .. }
        | AccOp::Derivative { .. }
        | AccOp::Custom { .. }
        | AccOp::Loop { .. } => None,
    }
}
