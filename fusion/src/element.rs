//! The code of one element of an array: a load, or the code of a delayed producer.

use crate::code::{Call, CodeId};
use crate::draft::Draft;
use crate::env::Storage;
use crate::groups::Item;
use crate::inline::{Inliner, Variables};
use crate::sites::site_of;
use crate::slice;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{SiteId, ValueId};
use cotangent_core::term::{AccLet, AccOp, ArrId, Fun, Labelled};

impl<'p> Inliner<'_, 'p> {
    /// The element of `array` at `index`, needed where `guard` holds; `site` is where that is asked for.
    pub(crate) fn element(
        &mut self,
        code: CodeId,
        array: ArrId,
        index: &[ValueId],
        guard: Option<ValueId>,
        site: SiteId,
    ) -> ValueId {
        match self.env.storage(array) {
            Storage::Manifest(id) => {
                let of = (id, self.env.elem(array));
                let extents = self.env.extents(array);
                let codes = &mut self.draft.codes;
                codes.load(code, of, extents, index, guard, site)
            }
            Storage::Known(_, value) => self.draft.codes.leaf(code, value),
            Storage::Padded(_, part) => {
                let value = self.padded(code, (array, part), index, guard, site);
                self.tested(code, (array, value), index, guard, site)
            }
            Storage::Delayed(let_, result) => {
                let call = Call {
                    element: (let_.binds[0].name, result, index.to_vec()),
                    guard,
                    is_tested: !self.draft.sites.is_derived(site),
                };
                if let Some(known) = self.draft.codes[code].known(&call) {
                    return known;
                }
                let value = self.delayed(code, let_, result, index, guard, site);
                let value = self.tested(code, (array, value), index, guard, site);
                self.draft.codes[code].note(site_of(let_));
                self.draft.codes[code].remember(call, value);
                value
            }
        }
    }

    /// An element of a result of an operation, computed here.
    pub(crate) fn delayed(
        &mut self,
        code: CodeId,
        let_: &'p AccLet<Labelled>,
        result: usize,
        index: &[ValueId],
        guard: Option<ValueId>,
        site: SiteId,
    ) -> ValueId {
        match &let_.op {
            AccOp::Generate { shape: _, f } => {
                let params = f.params.iter().map(|p| p.name);
                let mut variables = params.zip(index.iter().copied()).collect();
                self.inline(code, f, &[result], &mut variables, guard)[0]
            }
            AccOp::Map { f, args } => self.mapped(code, (f, args), result, index, guard, site),
            AccOp::Move { how, arg } => self.moved(code, (let_, how, *arg), index, guard, site),
            AccOp::Unpack { args } => self.packed(code, args, index, guard, site),
            AccOp::Use(_)
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Permute { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Append { .. }
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => {
                unreachable!("`{}` is never delayed", let_.op.name())
            }
        }
    }

    fn mapped(
        &mut self,
        code: CodeId,
        (f, args): (&Fun<Labelled>, &[ArrId]),
        result: usize,
        index: &[ValueId],
        guard: Option<ValueId>,
        site: SiteId,
    ) -> ValueId {
        let needed = slice::needed(f, &[result]);
        let mut variables = Variables::new();
        for (param, &arg) in f.params.iter().zip(args) {
            if needed.contains(&param.name) {
                let value = self.element(code, arg, index, guard, site);
                variables.insert(param.name, value);
            }
        }
        self.inline(code, f, &[result], &mut variables, guard)[0]
    }

    /// An element of several arrays side by side: those that the last coordinate rules out are not loaded.
    fn packed(
        &mut self,
        code: CodeId,
        args: &[ArrId],
        index: &[ValueId],
        guard: Option<ValueId>,
        site: SiteId,
    ) -> ValueId {
        let (last, outer) = (index[index.len() - 1], &index[..index.len() - 1]);
        let zero = Const::zero(self.env.elem(args[0]));
        let mut chosen = self.draft.codes.constant(code, zero);
        for (i, &arg) in args.iter().enumerate().rev() {
            let i = self.draft.codes.constant(code, i as i32);
            let here = self.draft.codes.prim(code, Prim::Eq, &[last, i]);
            let guard = self.draft.codes.guard_and(code, guard, here);
            let value = self.element(code, arg, outer, guard, site);
            chosen = self
                .draft
                .codes
                .prim(code, Prim::Select, &[here, value, chosen]);
        }
        chosen
    }

    /// What a map stores at the given coordinates.
    pub(crate) fn item(&mut self, code: CodeId, item: Item<'p>, coords: &[ValueId]) -> ValueId {
        let site = self.draft.sites.id(item.site());
        match item {
            Item::Result(let_, result) => self.delayed(code, let_, result, coords, None, site),
            Item::Copy(array, _) => self.element(code, array, coords, None, site),
            Item::Move(array, _) => {
                let Draft { codes, memory, .. } = &mut *self.draft;
                let of = (array, memory.elem(array));
                codes.load(code, of, memory.extents(array), coords, None, site)
            }
        }
    }
}
