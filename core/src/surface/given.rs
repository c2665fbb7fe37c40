//! What may be given where an array, or a function on elements, is wanted.
//!
//! Both traits are there for what the compiler says. Where an [`Acc`] is an argument, a host array is told that it must be
//! brought into the program; a function on elements is asked for its result's type as its last duty, so that
//! a literal whose type nothing decides is pointed at where it stands.

use super::acc::{Acc, use_};
use super::array::Array;
use super::elt::{E, Elt};
use super::lift::IntoExp;
use super::shape::Shape;
use std::marker::PhantomData;

/// A value that can be used as an array of shape `Sh` and elements `T` in a program: an [`Acc`].
#[diagnostic::on_unimplemented(
    message = "an array of another shape or type is needed here",
    label = "this is `{Self}`, but `Acc<{Sh}, {T}>` is needed",
    note = "the number of dimensions is changed by `.replicate(..)`, `.slice(..)` and `.reshape(..)`; a host array becomes one of the program with `use_`"
)]
pub trait IntoAcc<Sh: Shape, T: Elt> {
    /// The array.
    fn into_acc(self) -> Acc<Sh, T>;
}

impl<Sh: Shape, T: Elt> IntoAcc<Sh, T> for Acc<Sh, T> {
    fn into_acc(self) -> Acc<Sh, T> {
        self
    }
}

/// An array in host memory, which nothing has brought into a program.
pub struct InHost<A>(PhantomData<A>);

/// Never the case: see [`InHost`].
#[diagnostic::on_unimplemented(
    message = "this array is in host memory: bring it into the program with `use_(&array)`",
    label = "a host array is used like an array of the program here",
    note = "an array that differs from run to run is rather an argument of the program's closure, and given to `run`"
)]
pub trait InProgram {}

#[doc(hidden)]
impl<Sh: Shape, T: Elt> IntoAcc<Sh, T> for Array<Sh, T>
where
    InHost<Self>: InProgram,
{
    #[track_caller]
    fn into_acc(self) -> Acc<Sh, T> {
        use_(&self)
    }
}

#[doc(hidden)]
impl<Sh: Shape, T: Elt> IntoAcc<Sh, T> for &Array<Sh, T>
where
    InHost<Array<Sh, T>>: InProgram,
{
    #[track_caller]
    fn into_acc(self) -> Acc<Sh, T> {
        use_(self)
    }
}

/// A function on expressions whose result is an expression. `Args` is the tuple of its arguments.
pub trait ExpFn<Args> {
    /// The type of the elements that it gives.
    type Elt: Elt;

    /// Calls the function.
    fn apply(self, args: Args) -> E<Self::Elt>;
}

macro_rules! functions {
    ($(($($t:ident $v:ident),+))*) => {$(
        impl<$($t,)+ R: IntoExp, F: FnOnce($($t),+) -> R> ExpFn<($($t,)+)> for F {
            type Elt = R::Elt;

            fn apply(self, ($($v,)+): ($($t,)+)) -> E<R::Elt> {
                self($($v),+).into_exp()
            }
        }
    )*};
}

functions! {
    (A a)
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
    (A a, B b, C c, D d, G g)
    (A a, B b, C c, D d, G g, H h)
    (A a, B b, C c, D d, G g, H h, I i)
    (A a, B b, C c, D d, G g, H h, I i, J j)
    (A a, B b, C c, D d, G g, H h, I i, J j, K k)
}
