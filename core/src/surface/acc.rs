//! Arrays in a program: the handle, how arrays are made, measured, read and mapped over.

mod combine;
mod rearrange;
mod reduce;
mod scan;

pub use combine::{acond, fill, generate, gradient_a, unit, use_, value_and_gradient_a};

use super::elt::{E, Elt, from_raw, scalar_types};
use super::functions::unary;
use super::lift::{IntoExp, literal_at};
use super::node_acc;
use super::node_exp;
use super::scalar::Exp;
use super::session::{Call, RawAcc, RawColumns, RawExps, exp_lambda};
use super::shape::{HasInner, IntoShape, Shape, Z, dims};
use crate::prim::Prim;
use std::fmt;
use std::marker::PhantomData;

/// An array of elements `T` in a program: a `Copy` handle to what computes it.
///
/// `Sh` is its shape, such as [`Ix2`](super::Ix2) of a matrix. "Inner" is the last dimension.
pub struct Acc<Sh, T> {
    raw: RawAcc,
    ty: PhantomData<fn() -> (Sh, T)>,
}

impl<Sh, T> Clone for Acc<Sh, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Sh, T> Copy for Acc<Sh, T> {}

impl<Sh, T> fmt::Debug for Acc<Sh, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [std::any::type_name::<Sh>(), std::any::type_name::<T>()];
        write!(f, "Acc<{}>({:?})", names.join(", "), self.raw)
    }
}

impl<Sh, T> Acc<Sh, T> {
    pub(super) fn from_raw(raw: RawAcc) -> Self {
        Self {
            raw,
            ty: PhantomData,
        }
    }

    pub(super) fn raw(self) -> RawAcc {
        self.raw
    }
}

/// Measuring and reading.
impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// The extents, outermost first: `let ix![rows, columns] = m.shape();`.
    #[track_caller]
    pub fn shape(self) -> Sh {
        let call = Call::here("shape");
        let extents: Vec<_> = (0..Sh::RANK)
            .map(|axis| node_exp::extent(call, self.raw, axis))
            .collect();
        Sh::from_raw(&mut RawExps::new(&extents))
    }

    /// The number of elements: the product of the extents, which wraps where it exceeds an `i32`.
    #[track_caller]
    pub fn size(self) -> Exp<i32> {
        let call = Call::here("size");
        let extents = dims(self.shape()).into_iter();
        let product = extents
            .map(Exp::<i32>::from_raw)
            .reduce(|a, b| a.prim_at(call, Prim::Mul, &[b.raw()]));
        product.unwrap_or_else(|| literal_at(call, 1))
    }

    /// The extent of the inner dimension.
    #[track_caller]
    pub fn inner(self) -> Exp<i32>
    where
        Sh: HasInner,
    {
        let axis = Sh::RANK - 1;
        Exp::from_raw(node_exp::extent(Call::here("inner"), self.raw, axis))
    }

    /// The element at an index; the program fails where that is out of range.
    #[track_caller]
    pub fn at<I: IntoShape<Shape = Sh>>(self, index: I) -> E<T> {
        let call = Call::here("at");
        self.read(call, index.into_shape())
    }

    #[track_caller]
    fn read(self, call: Call, index: Sh) -> E<T> {
        let count = scalar_types::<T>().len();
        let element = node_exp::index(call, count, self.raw, &dims(index));
        from_raw::<T>(&element)
    }
}

impl<T: Elt> Acc<Z, T> {
    /// The only element.
    #[track_caller]
    pub fn the(self) -> E<T> {
        self.read(Call::here("the"), Z)
    }
}

/// Element by element.
impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// `f` on each element.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// # trace(|v: Acc<Ix1, f64>|
    /// v.map(|x| (2.0 * x + 1.0, x.floor_to::<i32>()))
    /// # ).unwrap();
    /// ```
    #[track_caller]
    pub fn map<R: IntoExp, F: FnOnce(E<T>) -> R>(self, f: F) -> Acc<Sh, R::Elt> {
        let call = Call::here("map");
        let f = unary::<T, R>(call, f);
        Acc::from_raw(node_acc::map(call, f, &[self.raw]))
    }

    /// `f` on each pair of corresponding elements; of each dimension, the lesser extent counts.
    #[track_caller]
    pub fn zip_with<U: Elt, R: IntoExp, F: FnOnce(E<T>, E<U>) -> R>(
        self,
        other: Acc<Sh, U>,
        f: F,
    ) -> Acc<Sh, R::Elt> {
        let call = Call::here("zip_with");
        let f = unary::<(T, U), R>(call, |(a, b)| f(a, b));
        Acc::from_raw(node_acc::map(call, f, &[self.raw, other.raw]))
    }

    /// `f` on corresponding elements of three arrays.
    #[track_caller]
    pub fn zip_with3<U: Elt, V: Elt, R: IntoExp, F: FnOnce(E<T>, E<U>, E<V>) -> R>(
        self,
        second: Acc<Sh, U>,
        third: Acc<Sh, V>,
        f: F,
    ) -> Acc<Sh, R::Elt> {
        let call = Call::here("zip_with3");
        let f = unary::<(T, U, V), R>(call, |(a, b, c)| f(a, b, c));
        let args = [self.raw, second.raw, third.raw];
        Acc::from_raw(node_acc::map(call, f, &args))
    }

    /// `f` on corresponding elements of four arrays.
    #[track_caller]
    pub fn zip_with4<U: Elt, V: Elt, W: Elt, R: IntoExp, F>(
        self,
        second: Acc<Sh, U>,
        third: Acc<Sh, V>,
        fourth: Acc<Sh, W>,
        f: F,
    ) -> Acc<Sh, R::Elt>
    where
        F: FnOnce(E<T>, E<U>, E<V>, E<W>) -> R,
    {
        let call = Call::here("zip_with4");
        let f = unary::<(T, U, V, W), R>(call, |(a, b, c, d)| f(a, b, c, d));
        let args = [self.raw, second.raw, third.raw, fourth.raw];
        Acc::from_raw(node_acc::map(call, f, &args))
    }

    /// Pairs of corresponding elements.
    #[track_caller]
    pub fn zip<U: Elt>(self, other: Acc<Sh, U>) -> Acc<Sh, (T, U)> {
        let call = Call::here("zip");
        Acc::from_raw(join::<(T, U)>(call, &[self.raw, other.raw]))
    }

    /// Triples of corresponding elements.
    #[track_caller]
    pub fn zip3<U: Elt, V: Elt>(self, second: Acc<Sh, U>, third: Acc<Sh, V>) -> Acc<Sh, (T, U, V)> {
        let call = Call::here("zip3");
        let args = [self.raw, second.raw, third.raw];
        Acc::from_raw(join::<(T, U, V)>(call, &args))
    }

    /// Each element with its index, where that is a single number.
    #[track_caller]
    pub fn enumerate(self) -> Acc<Sh, (i32, T)>
    where
        Sh: HasInner + Shape<Outer = Z>,
    {
        let call = Call::here("enumerate");
        let index = exp_lambda(call, scalar_types::<i32>(), <[_]>::to_vec);
        let indices = node_acc::generate(call, &dims(self.shape()), index);
        Acc::from_raw(join::<(i32, T)>(call, &[indices, self.raw]))
    }
}

/// Columns of equal shape side by side: the identity, mapped over them, which intersects the shapes.
fn join<T: Elt>(call: Call, args: &[RawAcc]) -> RawAcc {
    let identity = exp_lambda(call, scalar_types::<T>(), <[_]>::to_vec);
    node_acc::map(call, identity, args)
}

/// Taking apart: no work at run time.
impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// The first and the second parts of pairs.
    #[track_caller]
    pub fn unzip<A: Elt, B: Elt>(self) -> (Acc<Sh, A>, Acc<Sh, B>)
    where
        T: Is<(A, B)>,
    {
        let mut columns = RawColumns::of(Call::here("unzip"), self.raw);
        (columns.take_as(), columns.take_as())
    }

    /// The first, second and third parts of triples.
    #[track_caller]
    pub fn unzip3<A: Elt, B: Elt, C: Elt>(self) -> (Acc<Sh, A>, Acc<Sh, B>, Acc<Sh, C>)
    where
        T: Is<(A, B, C)>,
    {
        let mut columns = RawColumns::of(Call::here("unzip3"), self.raw);
        (columns.take_as(), columns.take_as(), columns.take_as())
    }
}

/// Equality of types, as a condition of a method with a readable error.
#[diagnostic::on_unimplemented(
    message = "this needs an array with elements of the form `{T}`, not `{Self}`",
    label = "the elements are `{Self}`"
)]
pub trait Is<T> {}

impl<T> Is<T> for T {}

impl RawColumns {
    /// The next array.
    pub(super) fn take_as<Sh: Shape, T: Elt>(&mut self) -> Acc<Sh, T> {
        Acc::from_raw(self.take(scalar_types::<T>().len()))
    }
}
