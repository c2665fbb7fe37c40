//! Kernels of sorts.

use crate::lower::Lowering;
use crate::refine::Observed;
use crate::sites::site_of;
use cotangent_core::schedule::{KernelKind, Output};
use cotangent_core::term::{AccLet, ArrId, Labelled, SortOrder};

impl<'p> Lowering<'p> {
    /// The kernel that sorts the rows of an array, whose elements it computes.
    pub(crate) fn sort(&mut self, let_: &'p AccLet<Labelled>, order: SortOrder, arg: ArrId) {
        let extents = self.env.extents(arg).to_vec();
        let Some((&last, outer)) = extents.split_last() else {
            return;
        };
        let code = self.draft.codes.open();
        let coords = self.draft.codes.coords(code, &extents);
        let values = self.inliner().elements(code, (let_, &[arg]), &coords);
        if self.draft.reads_pending(code, &values) {
            self.draft.flush();
        }
        let (body, values) = self.draft.export(code, &Observed::always(&values));
        let space = self.draft.symbols(outer);
        let inner = self.draft.symbols(&[last])[0];
        let result = let_.binds[0].name;
        let array = self.draft.own_array(&self.env, result, let_);
        self.env.place(result, array);
        let kind = KernelKind::Sort {
            inner,
            order,
            body,
            output: Output {
                value: values[0],
                array,
            },
        };
        self.draft.emit(code, site_of(let_), space, kind);
    }
}
