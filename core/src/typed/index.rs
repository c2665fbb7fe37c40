//! Typed de Bruijn indices (`Idx` in §4.2.3 of paper 003).

use super::types::sealed::Sealed;
use super::types::{
    Array, Env, Phantom, Scalar, ScalarVisitor, Scalars, Shape, Typed, with_scalar,
};
use crate::types::ScalarType;
use std::fmt;
use std::marker::PhantomData;

/// A variable of type `T` in an environment `E`, of either stratum.
///
/// It can only be made by counting binders, or by a check of the environment's reified types; so the type
/// at that distance is `T`.
///
/// ```
/// use cotangent_core::typed::Ix;
/// type E = (((), bool), f64);
/// let x: Ix<E, f64> = Ix::zero();
/// let c: Ix<E, bool> = Ix::zero().succ();
/// assert_eq!((x.number(), c.number()), (0, 1));
/// ```
pub struct Ix<E, T> {
    number: u32,
    types: Phantom<(E, T)>,
}

impl<E, T> Clone for Ix<E, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, T> Copy for Ix<E, T> {}

impl<E, T> fmt::Debug for Ix<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.number)
    }
}

impl<E, T> Ix<(E, T), T> {
    /// The variable bound last.
    pub fn zero() -> Self {
        Self::at(0)
    }
}

impl<E, T> Ix<E, T> {
    fn at(number: u32) -> Self {
        Self {
            number,
            types: PhantomData,
        }
    }

    /// The same variable after one more was bound: weakening.
    pub fn succ<S>(self) -> Ix<(E, S), T> {
        Ix::at(self.number + 1)
    }

    /// The same variable after those of `B` were bound.
    pub fn under<R, B: Env<R>>(self) -> Ix<B::On<E>, T>
    where
        E: Env<R>,
    {
        Ix::at(self.number + B::types().len() as u32)
    }

    /// The distance to the binder.
    pub fn number(self) -> u32 {
        self.number
    }

    /// This variable as one of type `U`, if that is its type.
    pub fn cast<U>(self) -> Option<Ix<E, U>>
    where
        T: Typed,
        U: Typed<Reified = T::Reified>,
    {
        (T::TYPE == U::TYPE).then(|| Ix::at(self.number))
    }

    /// The variable at that distance, if it is bound and of type `T`.
    pub fn try_from_erased(number: u32) -> Option<Self>
    where
        T: Typed,
        E: Env<T::Reified>,
    {
        let types = E::types();
        let level = types.len().checked_sub(number as usize + 1)?;
        (types[level] == T::TYPE).then(|| Self::at(number))
    }
}

/// What to do with a scalar variable whose type is known at run time only.
pub trait IxVisitor<E> {
    /// What comes of it.
    type Out;
    /// Does it, for a variable of any type.
    fn visit<T: Scalar>(self, variable: Ix<E, T>) -> Self::Out;
}

/// Gives the visitor the scalar variable at that distance, typed; `None` if it is not bound.
pub fn open_ix<E: Env<ScalarType>, V: IxVisitor<E>>(number: u32, visitor: V) -> Option<V::Out> {
    struct At<V, E>(u32, V, PhantomData<E>);
    impl<E: Env<ScalarType>, V: IxVisitor<E>> ScalarVisitor for At<V, E> {
        type Out = V::Out;
        fn visit<T: Scalar>(self) -> V::Out {
            self.1.visit(Ix::<E, T>::at(self.0))
        }
    }
    let types = E::types();
    let level = types.len().checked_sub(number as usize + 1)?;
    Some(with_scalar(types[level], At(number, visitor, PhantomData)))
}

/// Variables of one environment: `()`, one variable, or `(variables, variable)`.
pub trait Vars<E, R>: Sealed {
    /// Their types.
    type Types: Env<R>;
    /// Appends their distances, in order.
    fn push_numbers(self, numbers: &mut Vec<u32>);
}

impl<E, T> Sealed for Ix<E, T> {}

impl<E, R> Vars<E, R> for () {
    type Types = ();
    fn push_numbers(self, _: &mut Vec<u32>) {}
}

impl<E, R, T: Typed<Reified = R>> Vars<E, R> for Ix<E, T> {
    type Types = ((), T);
    fn push_numbers(self, numbers: &mut Vec<u32>) {
        numbers.push(self.number);
    }
}

impl<E, R, V: Vars<E, R>, T: Typed<Reified = R>> Vars<E, R> for (V, Ix<E, T>) {
    type Types = (V::Types, T);
    fn push_numbers(self, numbers: &mut Vec<u32>) {
        self.0.push_numbers(numbers);
        numbers.push(self.1.number);
    }
}

/// The distances of some variables, as erased names.
pub(super) fn erased<E, R, N>(vars: impl Vars<E, R>, name: impl Fn(u32) -> N) -> Vec<N> {
    let mut numbers = vec![];
    vars.push_numbers(&mut numbers);
    numbers.into_iter().map(name).collect()
}

/// One or more arrays of dimensions `Sh`: an array variable, or `(columns, variable)`.
pub trait Columns<A, Sh>: Vars<A, crate::types::ArrayType> {
    /// The types of their elements.
    type Elems: Scalars;
}

impl<A, Sh: Shape, T: Scalar> Columns<A, Sh> for Ix<A, Array<Sh, T>> {
    type Elems = ((), T);
}

impl<A, Sh: Shape, C: Columns<A, Sh>, T: Scalar> Columns<A, Sh> for (C, Ix<A, Array<Sh, T>>) {
    type Elems = (C::Elems, T);
}
