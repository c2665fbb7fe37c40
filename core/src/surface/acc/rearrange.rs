//! The same elements elsewhere: shapes, slices, gathers and scatters.

use super::Acc;
use crate::graph::ExpLambda;
use crate::prim::Prim;
use crate::surface::elt::Elt;
use crate::surface::lift::{Lift, literal_at};
use crate::surface::node_acc;
use crate::surface::session::{Call, RawExp, RawExps, exp_lambda};
use crate::surface::shape::{HasInner, IntoShape, Ix1, Ix2, Shape, Snoc, Z, dims};
use crate::surface::slice::Slice;
use crate::term::{Axis, Combine};
use crate::types::ScalarType;

/// The lambda of a closure on an index of shape `Sh`.
pub(super) fn on_index<Sh: Shape>(
    call: Call,
    f: impl FnOnce(Sh) -> Vec<RawExp>,
) -> Option<ExpLambda> {
    exp_lambda(call, vec![ScalarType::I32; Sh::RANK], |params| {
        f(Sh::from_raw(&mut RawExps::new(params)))
    })
}

impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// The same elements, in row-major order, under another shape; fails where the numbers of elements
    /// differ.
    #[track_caller]
    pub fn reshape<I: IntoShape>(self, shape: I) -> Acc<I::Shape, T> {
        let shape = dims(shape.into_shape());
        Acc::from_raw(node_acc::reshape(Call::here("reshape"), &shape, self.raw))
    }

    /// All elements as a vector.
    #[track_caller]
    pub fn flatten(self) -> Acc<Ix1, T> {
        if Sh::RANK == 1 {
            return Acc::from_raw(self.raw);
        }
        self.reshape(Snoc(Z, self.size()))
    }

    /// Repeats the array along new dimensions: `v.replicate(ix![n, All])` has n rows `v`.
    #[track_caller]
    pub fn replicate<S: Slice<Sliced = Sh>>(self, slice: S) -> Acc<S::Full, T> {
        let (axes, extents) = describe(slice);
        let call = Call::here("replicate");
        Acc::from_raw(node_acc::replicate(call, &axes, &extents, self.raw))
    }

    /// Cuts the array at positions of some dimensions: `m.slice(ix![All, 0])` is the first column.
    #[track_caller]
    pub fn slice<S: Slice<Full = Sh>>(self, slice: S) -> Acc<S::Sliced, T> {
        let (axes, indices) = describe(slice);
        let call = Call::here("slice");
        Acc::from_raw(node_acc::slice(call, &axes, &indices, self.raw))
    }

    /// An array of the given shape, whose element at i is this array's at `f(i)`: a gather. Fails where
    /// that is out of range.
    #[track_caller]
    pub fn backpermute<I: IntoShape, J: IntoShape<Shape = Sh>, F>(
        self,
        shape: I,
        f: F,
    ) -> Acc<I::Shape, T>
    where
        F: FnOnce(I::Shape) -> J,
    {
        let call = Call::here("backpermute");
        let shape = dims(shape.into_shape());
        let f = on_index::<I::Shape>(call, |index| dims(f(index).into_shape()));
        Acc::from_raw(node_acc::backpermute(call, &shape, f, self.raw))
    }

    /// Sends the elements into a copy of `defaults`, a scatter: from an index of this array, `target` gives
    /// whether the element goes anywhere, and where. Fails where that is out of range. Sums of `f32` and `f16` are
    /// wider on the way, as those of [`sum`](Self::sum) are.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// # trace(|keys: Acc<Ix1, i32>| {
    /// let ones = fill(keys.shape(), 1);
    /// let histogram = ones.permute(Combine::Add, fill(ix![10], 0), |i| {
    ///     let key = keys.at(i);
    ///     (key.ge(0).and(key.lt(10)), ix![key])
    /// });
    /// # histogram }).unwrap();
    /// ```
    #[track_caller]
    pub fn permute<Sh2: Shape, B: Lift<bool>, J: IntoShape<Shape = Sh2>, F>(
        self,
        combine: Combine,
        defaults: Acc<Sh2, T>,
        target: F,
    ) -> Acc<Sh2, T>
    where
        F: FnOnce(Sh) -> (B, J),
    {
        let call = Call::here("permute");
        let target = on_index::<Sh>(call, |index| {
            let (goes, to) = target(index);
            let mut results = vec![goes.lift().raw()];
            to.into_shape().to_raw(&mut results);
            results
        });
        Acc::from_raw(node_acc::permute(
            call,
            combine,
            defaults.raw,
            target,
            self.raw,
        ))
    }

    /// Sends each element to the position that `to` has for it, into a copy of `defaults`.
    #[track_caller]
    pub fn scatter(self, combine: Combine, defaults: Acc<Ix1, T>, to: Acc<Sh, i32>) -> Acc<Ix1, T> {
        let call = Call::here("scatter");
        let target = on_index::<Sh>(call, |index| {
            let position = to.read(call, index);
            vec![literal_at(call, true).raw(), position.raw()]
        });
        Acc::from_raw(node_acc::permute(
            call,
            combine,
            defaults.raw,
            target,
            self.raw,
        ))
    }

    /// The elements of this array, then those of `other`, along the outermost dimension; of each other
    /// dimension, the lesser extent counts. Fails where the outermost extent would exceed an `i32`.
    ///
    /// ```
    /// # use cotangent_core::{host::HostArray, interp, label::label, recover::recover};
    /// # use cotangent_core::surface::prelude::*;
    /// let traced = trace(|a: Acc<Ix1, i32>, b: Acc<Ix1, i32>| a.append(b).append(a))?;
    /// # let program = label(&recover(&traced.graph, &traced.lambda)?);
    /// # let host = |v: Vec<i32>| HostArray::new(vec![v.len()], v.into());
    /// // Of [1, 2] and [3]:
    /// # let found = interp::run(&program, &[host(vec![1, 2])?, host(vec![3])?])?.remove(0);
    /// assert_eq!(found, host(vec![1, 2, 3, 1, 2])?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn append(self, other: Acc<Sh, T>) -> Acc<Sh, T>
    where
        Sh: HasInner,
    {
        Acc::from_raw(node_acc::append(
            Call::here("append"),
            &[self.raw, other.raw],
        ))
    }

    /// The inner dimension in reverse.
    #[track_caller]
    pub fn reverse(self) -> Acc<Sh, T>
    where
        Sh: HasInner,
    {
        let call = Call::here("reverse");
        let shape = dims(self.shape());
        let last = self.inner() - 1;
        let f = exp_lambda(call, vec![ScalarType::I32; Sh::RANK], |params| {
            let mut index = params.to_vec();
            if let Some(inner) = index.last_mut() {
                *inner = last.prim_at::<i32>(call, Prim::Sub, &[*inner]).raw();
            }
            index
        });
        Acc::from_raw(node_acc::backpermute(call, &shape, f, self.raw))
    }
}

impl<T: Elt> Acc<Ix2, T> {
    /// Rows for columns.
    #[track_caller]
    pub fn transpose(self) -> Acc<Ix2, T> {
        let call = Call::here("transpose");
        let Snoc(Snoc(Z, rows), columns) = self.shape();
        let f = on_index::<Ix2>(call, |Snoc(Snoc(Z, i), j)| vec![j.raw(), i.raw()]);
        let shape = [columns.raw(), rows.raw()];
        Acc::from_raw(node_acc::backpermute(call, &shape, f, self.raw))
    }
}

impl<Sh: Shape, T: Elt, const N: usize> Acc<Sh, [T; N]> {
    /// Elements that are arrays, as a new inner dimension of extent `N`.
    #[track_caller]
    pub fn unpack(self) -> Acc<Snoc<Sh>, T> {
        Acc::from_raw(node_acc::unpack(Call::here("unpack"), N, self.raw))
    }
}

fn describe<S: Slice>(slice: S) -> (Vec<Axis>, Vec<RawExp>) {
    let (mut axes, mut fixed) = (vec![], vec![]);
    slice.describe(&mut axes, &mut fixed);
    (axes, fixed)
}
