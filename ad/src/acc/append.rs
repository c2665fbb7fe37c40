//! `append`: a part's adjoints are where the part is.

use super::layout::{is_inside, read_where};
use super::reverse::{Node, Reverse};
use crate::error::AdError;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::prim::Prim;
use cotangent_core::term::{ArrId, Fun};
use cotangent_core::types::ScalarType;

impl Reverse<'_> {
    /// The dual of `append`.
    pub(super) fn append(&mut self, node: &Node, args: &[ArrId]) -> Result<(), AdError> {
        let d = node.adjoint()?;
        let args = self.arrays(args)?;
        for (at, arg) in args.iter().enumerate() {
            if self.is_active(arg.name) {
                let whole = self.same_inner(arg.name, node.binds[0].name);
                let arg_adj = self.part(&d, &args[..at], arg, whole);
                self.contribute(arg.name, arg_adj);
            }
        }
        Ok(())
    }

    /// Whether two arrays are seen to agree in all extents but the outermost.
    fn same_inner(&self, a: ArrId, b: ArrId) -> bool {
        let inner = |array| self.shapes.sizes(array).and_then(|sizes| sizes.get(1..));
        inner(a).is_some_and(|sizes| Some(sizes) == inner(b))
    }

    /// The part of `d` that stands after as many elements as `before` has, of the shape of `arg`: zero where
    /// `arg` was cut, unless it was appended `whole`.
    fn part(&mut self, d: &Arr, before: &[Arr], arg: &Arr, whole: bool) -> Arr {
        let mut b = FunBuilder::new();
        let mut index = b.params(&vec![ScalarType::I32; arg.ty.rank]);
        for earlier in before {
            let extent = b.extent(earlier.name, 0);
            index[0] = b.prim(Prim::Add, &[index[0], extent]);
        }
        let shape = Fun::shape_of(arg);
        if whole {
            return self.b.backpermute(shape, b.finish(index), d);
        }
        let inside = is_inside(&mut b, &index, d);
        let element = read_where(&mut b, inside, d, &index);
        self.b.generate(shape, b.finish(vec![element])).remove(0)
    }
}
