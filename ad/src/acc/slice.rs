//! `slice` and `unpack`: a part's adjoints go to where the part is, zero to the rest.

use super::layout::read_where;
use super::reverse::{Node, Reverse};
use crate::error::AdError;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{ArrId, Axis, Fun, Labelled};
use cotangent_core::types::ScalarType;

impl Reverse<'_> {
    /// The dual of `slice`.
    pub(super) fn slice(
        &mut self,
        node: &Node,
        axes: &[Axis],
        indices: &Fun<Labelled>,
        arg: ArrId,
    ) -> Result<(), AdError> {
        let (arg, d) = (self.array(arg)?, node.adjoint()?);
        let place = place_of_part(axes, indices);
        self.contribute_part(&arg, (place, &d), |reverse| {
            reverse.whole_of_part(&arg, (axes, indices), &d)
        });
        Ok(())
    }

    /// An array like `arg` of the elements of `d` where those of a part come from, and zeros.
    fn whole_of_part(
        &mut self,
        arg: &Arr,
        (axes, indices): (&[Axis], &Fun<Labelled>),
        d: &Arr,
    ) -> Arr {
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; axes.len()]);
        let mut positions = b.inline(indices, &[]).into_iter();
        let (mut matches, mut rest) = (b.constant(true), vec![]);
        for (&i, axis) in index.iter().zip(axes) {
            match axis {
                Axis::All => rest.push(i),
                Axis::Fixed => {
                    if let Some(position) = positions.next() {
                        let here = b.prim(Prim::Eq, &[i, position]);
                        matches = b.prim(Prim::And, &[matches, here]);
                    }
                }
            }
        }
        let element = read_where(&mut b, matches, d, &rest);
        let f = b.finish(vec![element]);
        self.b.generate(Fun::shape_of(arg), f).remove(0)
    }

    /// The dual of `unpack`.
    pub(super) fn unpack(&mut self, node: &Node, args: &[ArrId]) -> Result<(), AdError> {
        let d = node.adjoint()?;
        let args = self.arrays(args)?;
        let same = |a: &ArrId| args.iter().all(|b| self.shapes.same(*a, b.name));
        let alike = args.iter().map(|a| a.name).find(same);
        for (at, arg) in args.iter().enumerate() {
            if self.is_active(arg.name) {
                let at = Fun::constants(&[Const::I32(at as i32)]);
                let part = self.slice_inner(&d, at);
                let like = alike.unwrap_or(part.name);
                let arg_adj = self.extend(&part, like, arg);
                self.contribute(arg.name, arg_adj);
            }
        }
        Ok(())
    }
}

/// From an index of a slice to where its element is in the whole.
fn place_of_part(axes: &[Axis], indices: &Fun<Labelled>) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let kept = axes.iter().filter(|axis| **axis == Axis::All).count();
    let mut index = b.params(&vec![ScalarType::I32; kept]).into_iter();
    let mut target = vec![b.constant(true)];
    let mut positions = b.inline(indices, &[]).into_iter();
    for axis in axes {
        target.extend(match axis {
            Axis::All => index.next(),
            Axis::Fixed => positions.next(),
        });
    }
    b.finish(target)
}
