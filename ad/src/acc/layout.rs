//! Moving adjoints between index spaces: extension by zeros, gathers, `reshape` and `backpermute`.

use super::reverse::{Node, Reverse};
use super::site::always;
use crate::error::AdError;
use cotangent_core::analysis::index_map::IndexMap;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::prim::Prim;
use cotangent_core::term::{ArrId, ExpId, Fun, Labelled};
use cotangent_core::types::ScalarType;

/// Adjoints of elements of `array`, in an index space of their own.
pub(super) struct Elements<'a> {
    /// The adjoints.
    pub column: &'a Arr,
    /// A primal array of the column's shape.
    pub like: ArrId,
    /// What they are adjoints of.
    pub array: &'a Arr,
}

impl Reverse<'_> {
    /// `column`, the adjoints of the first elements of `array` along each dimension, extended by zeros.
    /// The column has the shape of `like`.
    pub(super) fn extend(&mut self, column: &Arr, like: ArrId, array: &Arr) -> Arr {
        let order: Vec<_> = (0..array.ty.rank).collect();
        let elements = Elements {
            column,
            like,
            array,
        };
        self.gather(elements, &order)
    }

    /// The adjoint of the array where the column's element at i is that of the array's at j, jₖ = i[order[k]].
    pub(super) fn gather(&mut self, elements: Elements, order: &[usize]) -> Arr {
        let Elements {
            column,
            like,
            array,
        } = elements;
        let same = order.is_empty() || self.shapes.same(like, array.name);
        if same && order.iter().enumerate().all(|(k, &o)| k == o) {
            return column.clone();
        }
        let f = guarded_read(column, order);
        self.b.generate(Fun::shape_of(array), f).remove(0)
    }

    /// The dual of `reshape`: the same elements in the old shape.
    pub(super) fn reshape(&mut self, node: &Node, arg: ArrId) -> Result<(), AdError> {
        let arg = self.array(arg)?;
        let arg_adj = self.b.reshape(Fun::shape_of(&arg), &node.adjoint()?);
        self.contribute(arg.name, arg_adj);
        Ok(())
    }

    /// The dual of `backpermute`: each adjoint is added where its element came from.
    pub(super) fn backpermute(
        &mut self,
        node: &Node,
        f: &Fun<Labelled>,
        arg: ArrId,
    ) -> Result<(), AdError> {
        let (arg, column) = (self.array(arg)?, node.adjoint()?);
        let Some(order) = coordinate_permutation(f) else {
            self.scatter(&arg, always(f), &column);
            return Ok(());
        };
        let elements = Elements {
            column: &column,
            like: node.binds[0].name,
            array: &arg,
        };
        let arg_adj = self.gather(elements, &order);
        self.contribute(arg.name, arg_adj);
        Ok(())
    }
}

/// From an index of the array to the column's element, or zero where the column has none.
pub(super) fn guarded_read(column: &Arr, order: &[usize]) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let index = b.params(&vec![ScalarType::I32; order.len()]);
    let mut source = index.clone();
    for (&j, &at) in index.iter().zip(order) {
        source[at] = j;
    }
    let inside = is_inside(&mut b, &source, column);
    let element = read_where(&mut b, inside, column, &source);
    b.finish(vec![element])
}

/// Whether an index, none of whose coordinates is negative, is one of `array`.
pub(super) fn is_inside(b: &mut FunBuilder, index: &[ExpId], array: &Arr) -> ExpId {
    let extents = b.shape(array);
    let mut inside = b.constant(true);
    for (&i, &extent) in index.iter().zip(&extents) {
        let below = b.prim(Prim::Lt, &[i, extent]);
        inside = b.prim(Prim::And, &[inside, below]);
    }
    inside
}

/// The position of an index in row-major order.
pub(super) fn position(b: &mut FunBuilder, extents: &[ExpId], index: &[ExpId]) -> ExpId {
    let mut position = b.constant(0);
    for (&extent, &x) in extents.iter().zip(index) {
        let before = b.prim(Prim::Mul, &[position, extent]);
        position = b.prim(Prim::Add, &[before, x]);
    }
    position
}

/// The element of `array` at `index` where `condition` holds, zero elsewhere; indexes only there.
pub(super) fn read_where(
    b: &mut FunBuilder,
    condition: ExpId,
    array: &Arr,
    index: &[ExpId],
) -> ExpId {
    let read = |b: &mut FunBuilder| vec![b.index(array, index)];
    b.cond(condition, read, |b| vec![b.small(array.ty.elem, 0)])[0]
}

/// Where the results of `f` are its parameters in another order: which parameter each result is.
pub(super) fn coordinate_permutation(f: &Fun<Labelled>) -> Option<Vec<usize>> {
    IndexMap::alone(f).as_permutation(f.params.len())
}
