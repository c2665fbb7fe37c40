//! What can stand beside an array in an operation element by element.

use super::Acc;
use crate::rounding::f16;
use crate::surface::elt::{E, Elt, from_raw, scalar_types, to_raw};
use crate::surface::lift::Lift;
use crate::surface::node_acc;
use crate::surface::scalar::{Exp, Float, Num, Scalar};
use crate::surface::session::{Call, exp_lambda};
use crate::surface::shape::{Shape, Snoc, Z};

/// What can stand beside an array of shape `Sh` and elements `T` in an operation on each element: another array of the same shape, which
/// is tested; an array of fewer dimensions marked by [`rows`](Acc::rows); or a scalar: an [`Exp`] on the right, a literal or an array without dimensions on either side.
///
/// Elsewhere an array of fewer dimensions is first [broadcast](Acc::broadcast).
#[diagnostic::on_unimplemented(
    message = "this cannot stand beside an array in an operation on each element",
    label = "an array of the same shape and type, or a scalar, is needed on both sides",
    note = "an array of fewer dimensions is taken as each row by `.rows()`, or broadcast by `.broadcast(shape)`; elements are converted by `.to::<T>()`",
    note = "a host array becomes one of the program with `use_`"
)]
pub trait Operand<Sh: Shape, T: Elt> {
    /// The shape of what the operation gives.
    type Shape: Shape;

    #[doc(hidden)]
    fn beside<U: Elt>(
        self,
        call: Call,
        array: Acc<Sh, T>,
        f: impl FnOnce(E<T>, E<T>) -> E<U>,
    ) -> Acc<Self::Shape, U>;
}

/// `f` on each element; `f` is this module's, and what it makes is at the place of the call.
pub(in crate::surface) fn each<Sh, T: Elt, R: Elt>(
    call: Call,
    array: Acc<Sh, T>,
    f: impl FnOnce(E<T>) -> E<R>,
) -> Acc<Sh, R> {
    let f = exp_lambda(call, scalar_types::<T>(), |params| {
        to_raw::<R>(call.throughout(|| f(from_raw::<T>(params))))
    });
    Acc::from_raw(node_acc::map(call, f, &[array.raw()]))
}

impl<Sh: Shape, T: Elt> Operand<Sh, T> for Acc<Sh, T> {
    type Shape = Sh;

    fn beside<U: Elt>(
        self,
        call: Call,
        array: Acc<Sh, T>,
        f: impl FnOnce(E<T>, E<T>) -> E<U>,
    ) -> Acc<Sh, U> {
        let f = exp_lambda(call, scalar_types::<(T, T)>(), |params| {
            let (x, y) = from_raw::<(T, T)>(params);
            to_raw::<U>(call.throughout(|| f(x, y)))
        });
        let right = node_acc::like(call, self.raw(), (array.raw(), Sh::RANK));
        Acc::from_raw(node_acc::map(call, f, &[array.raw(), right]))
    }
}

impl<Sh: Shape, T: Elt> Operand<Snoc<Sh>, T> for Acc<Z, T>
where
    Snoc<Sh>: Shape,
{
    type Shape = Snoc<Sh>;

    fn beside<U: Elt>(
        self,
        call: Call,
        array: Acc<Snoc<Sh>, T>,
        f: impl FnOnce(E<T>, E<T>) -> E<U>,
    ) -> Acc<Snoc<Sh>, U> {
        let scalar = self.read(call, Z);
        each(call, array, |x| f(x, scalar))
    }
}

impl<Sh: Shape, T: Elt> Operand<Z, T> for Acc<Snoc<Sh>, T>
where
    Snoc<Sh>: Shape,
{
    type Shape = Snoc<Sh>;

    fn beside<U: Elt>(
        self,
        call: Call,
        array: Acc<Z, T>,
        f: impl FnOnce(E<T>, E<T>) -> E<U>,
    ) -> Acc<Snoc<Sh>, U> {
        let scalar = array.read(call, Z);
        each(call, self, |x| f(scalar, x))
    }
}

macro_rules! scalars {
    ($(($($bound:tt)*) $elt:ty, $ty:ty;)*) => {$(
        impl<Sh: Shape, $($bound)*> Operand<Sh, $elt> for $ty {
            type Shape = Sh;

            #[track_caller]
            fn beside<U: Elt>(
                self,
                call: Call,
                array: Acc<Sh, $elt>,
                f: impl FnOnce(E<$elt>, E<$elt>) -> E<U>,
            ) -> Acc<Sh, U> {
                let scalar = Lift::<$elt>::lift(self);
                each(call, array, |x| f(x, scalar))
            }
        }
    )*};
}

scalars! {
    (T: Scalar) T, Exp<T>;
    (T: Num) T, i32;
    (T: Float) T, f64;
    () bool, bool;
    () i8, i8;
    () i16, i16;
    () i64, i64;
    () u8, u8;
    () u16, u16;
    () u32, u32;
    () u64, u64;
    () f16, f16;
    () f32, f32;
}
