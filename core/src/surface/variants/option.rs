//! Values that may be missing.

use super::{ResultE, absent, some_from_columns, some_to_columns};
use crate::host::{Column, HostArrayError, reserved};
use crate::surface::elt::{E, Elt};
use crate::surface::functions::cond;
use crate::surface::lift::{IntoExp, Lift, literal};
use crate::surface::scalar::Exp;
use crate::surface::session::{RawExp, RawExps};
use crate::typed::{One, Scalars};
use std::fmt;

/// A value that may be missing, in a program: the mirror of `Option`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // The square root, where there is one.
/// let root = |x: Exp<f64>| cond(x.ge(0.0), OptionE::some(x.sqrt()), OptionE::none());
/// let f = |v: Acc<Ix1, f64>| v.map(root);
/// assert_eq!(interpret(f, Array::vector(vec![4.0, -1.0])?)?.to_vec(), [Some(2.0), None]);
/// # Ok::<(), InterpretError>(())
/// ```
///
/// The derivative by a value that is missing is missing, too:
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let square = |x: OptionE<f64>| x.match_(|x| x * x, || 1.0);
/// let f = |v: Acc<Ix1, Option<f64>>| v.map(|x| gradient_e(square, x));
/// assert_eq!(interpret(f, Array::vector(vec![Some(3.0), None])?)?.to_vec(), [Some(6.0), None]);
/// # Ok::<(), InterpretError>(())
/// ```
pub struct OptionE<T: Elt> {
    there: Exp<bool>,
    value: E<T>,
}

impl<T: Elt> OptionE<T> {
    /// A value that is there.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| OptionE::some(x + 1));
    /// assert_eq!(interpret(f, Array::vector(vec![4])?)?.to_vec(), [Some(5)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn some(value: impl Lift<T>) -> Self {
        let there = literal(true);
        Self {
            there,
            value: value.lift(),
        }
    }

    /// None.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// assert_eq!(interpret(|| unit(OptionE::<(i32, f64)>::none()), ())?.item(), None);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn none() -> Self {
        Self {
            there: literal(false),
            value: absent::<T>(),
        }
    }

    /// Whether it is there.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, Option<f64>>| v.map(|x| x.is_some());
    /// assert_eq!(interpret(f, Array::vector(vec![Some(1.0), None])?)?.to_vec(), [true, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    pub fn is_some(self) -> Exp<bool> {
        self.there
    }

    /// Whether it is missing.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, Option<f64>>| v.map(|x| x.is_none());
    /// assert_eq!(interpret(f, Array::vector(vec![Some(1.0), None])?)?.to_vec(), [false, true]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn is_none(self) -> Exp<bool> {
        !self.there
    }

    /// `some` of the value where it is there, else `none()`; the other one is not evaluated. The first one says of which type the result is.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, Option<f64>>| v.map(|x| x.match_(|x| 1.0 / x, || 0.0));
    /// assert_eq!(interpret(f, Array::vector(vec![Some(4.0), None])?)?.to_vec(), [0.25, 0.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn match_<R: IntoExp, N: Lift<R::Elt>>(
        self,
        some: impl FnOnce(E<T>) -> R,
        none: impl FnOnce() -> N,
    ) -> E<R::Elt> {
        cond::<R::Elt>(self.there, some(self.value).into_exp(), none())
    }

    /// The value, or another one where it is missing.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, Option<f64>>| v.map(|x| x.unwrap_or(-1.0));
    /// assert_eq!(interpret(f, Array::vector(vec![Some(4.0), None])?)?.to_vec(), [4.0, -1.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn unwrap_or(self, other: impl Lift<T>) -> E<T> {
        cond::<T>(self.there, self.value, other)
    }

    /// `f` of the value, where it is there.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, Option<f64>>| v.map(|x| x.map(|x| (x, 2.0 * x)));
    /// let found = interpret(f, Array::vector(vec![Some(1.0), None])?)?;
    /// assert_eq!(found.to_vec(), [Some((1.0, 2.0)), None]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn map<R: IntoExp>(self, f: impl FnOnce(E<T>) -> R) -> OptionE<R::Elt> {
        self.match_(|x| OptionE::<R::Elt>::some(f(x).into_exp()), OptionE::none)
    }

    /// What `f` makes of the value, where it is there.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let small = |x: Exp<f64>| cond(x.lt(2.0), OptionE::some(x), OptionE::none());
    /// let f = |v: Acc<Ix1, Option<f64>>| v.map(|x| x.and_then(small));
    /// let found = interpret(f, Array::vector(vec![Some(1.0), Some(3.0), None])?)?;
    /// assert_eq!(found.to_vec(), [Some(1.0), None, None]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn and_then<R: Elt>(self, f: impl FnOnce(E<T>) -> OptionE<R>) -> OptionE<R> {
        self.match_(f, OptionE::none)
    }

    /// The value as that of a [`ResultE`], with the error of one that is missing.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, Option<f64>>| v.map(|x| x.ok_or(7));
    /// let found = interpret(f, Array::vector(vec![Some(1.0), None])?)?;
    /// assert_eq!(found.to_vec(), [Ok(1.0), Err(7)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn ok_or<X: IntoExp>(self, error: X) -> ResultE<T, X::Elt> {
        let error = error.into_exp();
        self.match_(ResultE::<T, X::Elt>::ok, || ResultE::err(error))
    }
}

impl<T: Elt> Clone for OptionE<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Elt> Copy for OptionE<T> {}

impl<T: Elt> fmt::Debug for OptionE<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { there, value: _ } = self;
        f.debug_struct("OptionE")
            .field("there", there)
            .finish_non_exhaustive()
    }
}

impl<T: Elt> IntoExp for OptionE<T> {
    type Elt = Option<T>;

    fn into_exp(self) -> Self {
        self
    }
}

impl<T: Elt> Lift<Option<T>> for OptionE<T> {
    fn lift(self) -> Self {
        self
    }
}

impl<T: Elt> Elt for Option<T> {
    type Exp = OptionE<T>;
    type Scalars = <T::Scalars as Scalars>::After<One<bool>>;

    fn tags(out: &mut Vec<bool>) {
        out.push(true);
        T::tags(out);
    }

    fn to_raw(exp: OptionE<T>, out: &mut Vec<RawExp>) {
        out.push(exp.there.raw());
        T::to_raw(exp.value, out);
    }

    fn from_raw(source: &mut RawExps<'_>) -> OptionE<T> {
        let there = Exp::from_raw(source.take());
        let value = T::from_raw(source);
        OptionE { there, value }
    }

    fn to_columns(values: Vec<Self>, out: &mut Vec<Column>) -> Result<(), HostArrayError> {
        let mut there = reserved(values.len())?;
        there.extend(values.iter().map(Option::is_some));
        let mut some = reserved(values.len())?;
        some.extend(values.into_iter().flatten());
        let at = out.len();
        some_to_columns(some, &there, out)?;
        out.insert(at, Column::from(there));
        Ok(())
    }

    fn from_columns(source: &mut dyn Iterator<Item = Column>) -> Result<Vec<Self>, HostArrayError> {
        let there = bool::from_columns(source)?;
        let mut some = some_from_columns::<T>(source, &there)?.into_iter();
        let mut values = reserved(there.len())?;
        values.extend(
            there
                .into_iter()
                .map(|there| there.then(|| some.next()).flatten()),
        );
        Ok(values)
    }
}
