//! Values or errors.

use super::{OptionE, absent, some_from_columns, some_to_columns};
use crate::host::{Column, HostArrayError, reserved};
use crate::surface::elt::{E, Elt};
use crate::surface::functions::cond;
use crate::surface::lift::{IntoExp, Lift, literal};
use crate::surface::scalar::Exp;
use crate::surface::session::{RawExp, RawExps};
use crate::typed::{One, Scalars};
use std::fmt;

/// A value or an error, in a program: the mirror of `Result`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // The logarithm, or of which number there is none.
/// let ln = |x: Exp<f64>| cond(x.gt(0.0), ResultE::ok(x.ln()), ResultE::err(x));
/// let f = |v: Acc<Ix1, f64>| v.map(ln);
/// assert_eq!(interpret(f, Array::vector(vec![1.0, -2.0])?)?.to_vec(), [Ok(0.0), Err(-2.0)]);
/// # Ok::<(), InterpretError>(())
/// ```
///
/// The derivative by a value is a value, that by an error an error.
pub struct ResultE<T: Elt, X: Elt> {
    is_ok: Exp<bool>,
    value: E<T>,
    error: E<X>,
}

impl<T: Elt, X: Elt> ResultE<T, X> {
    /// A value.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| ResultE::<_, bool>::ok(x + 1));
    /// assert_eq!(interpret(f, Array::vector(vec![4])?)?.to_vec(), [Ok(5)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn ok(value: impl Lift<T>) -> Self {
        Self {
            is_ok: literal(true),
            value: value.lift(),
            error: absent::<X>(),
        }
    }

    /// An error.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| ResultE::<f64, _>::err(x + 1));
    /// assert_eq!(interpret(f, Array::vector(vec![4])?)?.to_vec(), [Err(5)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn err(error: impl Lift<X>) -> Self {
        Self {
            is_ok: literal(false),
            value: absent::<T>(),
            error: error.lift(),
        }
    }

    /// Whether it is a value.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, Result<f64, i32>>| v.map(|x| x.is_ok());
    /// assert_eq!(interpret(f, Array::vector(vec![Ok(1.0), Err(2)])?)?.to_vec(), [true, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    pub fn is_ok(self) -> Exp<bool> {
        self.is_ok
    }

    /// Whether it is an error.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, Result<f64, i32>>| v.map(|x| x.is_err());
    /// assert_eq!(interpret(f, Array::vector(vec![Ok(1.0), Err(2)])?)?.to_vec(), [false, true]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn is_err(self) -> Exp<bool> {
        !self.is_ok
    }

    /// `ok` of the value, or `err` of the error; the other one is not evaluated. The first one says of which type the result is.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, Result<f64, i32>>| v.map(|x| x.match_(|x| 2.0 * x, |code| -code.to_f64()));
    /// assert_eq!(interpret(f, Array::vector(vec![Ok(1.5), Err(2)])?)?.to_vec(), [3.0, -2.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn match_<R: IntoExp, N: Lift<R::Elt>>(
        self,
        ok: impl FnOnce(E<T>) -> R,
        err: impl FnOnce(E<X>) -> N,
    ) -> E<R::Elt> {
        cond::<R::Elt>(self.is_ok, ok(self.value).into_exp(), err(self.error))
    }

    /// The value, or another one in place of an error.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, Result<f64, i32>>| v.map(|x| x.unwrap_or(-1.0));
    /// assert_eq!(interpret(f, Array::vector(vec![Ok(1.5), Err(2)])?)?.to_vec(), [1.5, -1.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn unwrap_or(self, other: impl Lift<T>) -> E<T> {
        cond::<T>(self.is_ok, self.value, other)
    }

    /// `f` of the value; an error stays.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, Result<f64, i32>>| v.map(|x| x.map(|x| x.gt(1.0)));
    /// assert_eq!(interpret(f, Array::vector(vec![Ok(1.5), Err(2)])?)?.to_vec(), [Ok(true), Err(2)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn map<R: IntoExp>(self, f: impl FnOnce(E<T>) -> R) -> ResultE<R::Elt, X> {
        self.and_then(|x| ResultE::ok(f(x).into_exp()))
    }

    /// `f` of the error; a value stays.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, Result<f64, i32>>| v.map(|x| x.map_err(|code| code.gt(1)));
    /// assert_eq!(interpret(f, Array::vector(vec![Ok(1.5), Err(2)])?)?.to_vec(), [Ok(1.5), Err(true)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn map_err<R: IntoExp>(self, f: impl FnOnce(E<X>) -> R) -> ResultE<T, R::Elt> {
        let err = |error| ResultE::<T, R::Elt>::err(f(error).into_exp());
        self.match_(ResultE::<T, R::Elt>::ok, err)
    }

    /// What `f` makes of the value; an error stays.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let small = |x: Exp<f64>| cond(x.lt(2.0), ResultE::ok(x), ResultE::err(0));
    /// let f = |v: Acc<Ix1, Result<f64, i32>>| v.map(|x| x.and_then(small));
    /// let found = interpret(f, Array::vector(vec![Ok(1.5), Ok(3.0), Err(2)])?)?;
    /// assert_eq!(found.to_vec(), [Ok(1.5), Err(0), Err(2)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn and_then<R: Elt>(self, f: impl FnOnce(E<T>) -> ResultE<R, X>) -> ResultE<R, X> {
        self.match_(f, ResultE::<R, X>::err)
    }

    /// The value, if it is one.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, Result<f64, i32>>| v.map(|x| x.to_option());
    /// assert_eq!(interpret(f, Array::vector(vec![Ok(1.5), Err(2)])?)?.to_vec(), [Some(1.5), None]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn to_option(self) -> OptionE<T> {
        self.match_(OptionE::<T>::some, |_| OptionE::none())
    }
}

impl<T: Elt, X: Elt> Clone for ResultE<T, X> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Elt, X: Elt> Copy for ResultE<T, X> {}

impl<T: Elt, X: Elt> fmt::Debug for ResultE<T, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultE")
            .field("is_ok", &self.is_ok)
            .finish_non_exhaustive()
    }
}

impl<T: Elt, X: Elt> IntoExp for ResultE<T, X> {
    type Elt = Result<T, X>;

    fn into_exp(self) -> Self {
        self
    }
}

impl<T: Elt, X: Elt> Lift<Result<T, X>> for ResultE<T, X> {
    fn lift(self) -> Self {
        self
    }
}

impl<T: Elt, X: Elt> Elt for Result<T, X> {
    type Exp = ResultE<T, X>;
    type Scalars = <X::Scalars as Scalars>::After<<T::Scalars as Scalars>::After<One<bool>>>;

    fn tags(out: &mut Vec<bool>) {
        out.push(true);
        T::tags(out);
        X::tags(out);
    }

    fn to_raw(exp: ResultE<T, X>, out: &mut Vec<RawExp>) {
        out.push(exp.is_ok.raw());
        T::to_raw(exp.value, out);
        X::to_raw(exp.error, out);
    }

    fn from_raw(source: &mut RawExps<'_>) -> ResultE<T, X> {
        ResultE {
            is_ok: Exp::from_raw(source.take()),
            value: T::from_raw(source),
            error: X::from_raw(source),
        }
    }

    fn to_columns(values: Vec<Self>, out: &mut Vec<Column>) -> Result<(), HostArrayError> {
        let [mut is_ok, mut is_err] = [reserved(values.len())?, reserved(values.len())?];
        is_ok.extend(values.iter().map(Self::is_ok));
        is_err.extend(values.iter().map(Self::is_err));
        let (mut good, mut bad) = (reserved(values.len())?, reserved(values.len())?);
        for value in values {
            match value {
                Ok(value) => good.push(value),
                Err(error) => bad.push(error),
            }
        }
        let at = out.len();
        some_to_columns(good, &is_ok, out)?;
        some_to_columns(bad, &is_err, out)?;
        out.insert(at, Column::from(is_ok));
        Ok(())
    }

    fn from_columns(source: &mut dyn Iterator<Item = Column>) -> Result<Vec<Self>, HostArrayError> {
        let is_ok = bool::from_columns(source)?;
        let mut is_err = reserved(is_ok.len())?;
        is_err.extend(is_ok.iter().map(|is_ok| !is_ok));
        let mut good = some_from_columns::<T>(source, &is_ok)?.into_iter();
        let mut bad = some_from_columns::<X>(source, &is_err)?.into_iter();
        let mut values = reserved(is_ok.len())?;
        let next = |is_ok| match is_ok {
            true => good.next().map(Ok),
            false => bad.next().map(Err),
        };
        values.extend(is_ok.into_iter().filter_map(next));
        Ok(values)
    }
}
