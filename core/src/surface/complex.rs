//! Complex numbers: elements of two scalars, with the arithmetic and the functions of complex numbers.
//!
//! The core language knows real numbers alone. So a derivative by a complex number z = x + iy is the pair of those by its parts,
//! written as ∂f/∂x + i·∂f/∂y: the direction in which a real f grows the most. It is twice ∂f/∂z̄, and of |z|² it is 2z. (JAX
//! gives the conjugate.)

mod arithmetic;
mod arrays;
mod functions;

use super::elt::Elt;
use super::lift::{IntoExp, Lift, literal};
use super::scalar::{Exp, Float};
use super::session::{RawExp, RawExps};
use crate::host::{Column, HostArrayError, reserved};

/// A complex number of the host; in programs it is a [`ComplexE`].
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z * z + 1.0);
/// let found = interpret(f, Array::vector(vec![Complex::new(0.0, 1.0), Complex::new(1.0, 2.0)])?)?;
/// assert_eq!(found.to_vec(), [Complex::new(0.0, 0.0), Complex::new(-2.0, 4.0)]);
/// # Ok::<(), InterpretError>(())
/// ```
///
/// The derivative by a complex number is ∂f/∂re + i·∂f/∂im:
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| gradient_e(|z: ComplexE<f64>| z.norm_sqr(), z));
/// let found = interpret(f, Array::vector(vec![Complex::new(1.0, 2.0)])?)?;
/// assert_eq!(found.to_vec(), [Complex::new(2.0, 4.0)]);
/// # Ok::<(), InterpretError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex<T = f64> {
    /// The real part.
    pub re: T,
    /// The imaginary part.
    pub im: T,
}

impl<T> Complex<T> {
    /// `re + i·im`.
    pub const fn new(re: T, im: T) -> Self {
        Self { re, im }
    }
}

/// A complex number in a program: the mirror of [`Complex`].
///
/// The operators `+`, `-`, `*` and `/` take complex and real expressions and literals on the right, and literals on the left.
#[derive(Debug)]
pub struct ComplexE<T> {
    /// The real part.
    pub re: Exp<T>,
    /// The imaginary part.
    pub im: Exp<T>,
}

impl<T> Clone for ComplexE<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ComplexE<T> {}

impl<T: Float> Elt for Complex<T> {
    type Exp = ComplexE<T>;
    type Scalars = <(T, T) as Elt>::Scalars;

    fn tags(out: &mut Vec<bool>) {
        <(T, T)>::tags(out);
    }

    fn to_raw(exp: ComplexE<T>, out: &mut Vec<RawExp>) {
        <(T, T)>::to_raw((exp.re, exp.im), out);
    }

    fn from_raw(source: &mut RawExps<'_>) -> ComplexE<T> {
        let (re, im) = <(T, T)>::from_raw(source);
        ComplexE { re, im }
    }

    fn to_columns(values: Vec<Self>, out: &mut Vec<Column>) -> Result<(), HostArrayError> {
        let mut parts = reserved(values.len())?;
        parts.extend(values.into_iter().map(|z| (z.re, z.im)));
        <(T, T)>::to_columns(parts, out)
    }

    fn from_columns(source: &mut dyn Iterator<Item = Column>) -> Result<Vec<Self>, HostArrayError> {
        let parts = <(T, T)>::from_columns(source)?;
        let mut values = reserved(parts.len())?;
        values.extend(parts.into_iter().map(|(re, im)| Self { re, im }));
        Ok(values)
    }
}

impl<T: Float> IntoExp for ComplexE<T> {
    type Elt = Complex<T>;

    fn into_exp(self) -> Self {
        self
    }
}

impl<T: Float> IntoExp for Complex<T> {
    type Elt = Self;

    #[track_caller]
    fn into_exp(self) -> ComplexE<T> {
        self.lift()
    }
}

impl<T: Float> Lift<Complex<T>> for ComplexE<T> {
    fn lift(self) -> Self {
        self
    }
}

impl<T: Float> Lift<Complex<T>> for Complex<T> {
    #[track_caller]
    fn lift(self) -> ComplexE<T> {
        ComplexE {
            re: literal(self.re),
            im: literal(self.im),
        }
    }
}

/// What stands beside a complex number in an operation: a complex or a real one, an expression or a literal.
///
/// Real numbers do not lift to complex ones everywhere, for then no literal would tell the type of an expression.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand beside a complex number of `{T}`",
    label = "a `ComplexE<{T}>`, `Complex<{T}>`, `Exp<{T}>` or literal is needed"
)]
pub trait ComplexOperand<T: Float> {
    /// As a complex number.
    fn complex(self) -> ComplexE<T>;
}

impl<T: Float> ComplexOperand<T> for ComplexE<T> {
    fn complex(self) -> Self {
        self
    }
}

impl<T: Float> ComplexOperand<T> for Complex<T> {
    #[track_caller]
    fn complex(self) -> ComplexE<T> {
        self.lift()
    }
}

impl<T: Float> ComplexOperand<T> for Exp<T> {
    #[track_caller]
    fn complex(self) -> ComplexE<T> {
        let im = literal(T::from_i32(0));
        ComplexE { re: self, im }
    }
}

macro_rules! real_literals {
    ($($ty:ty)*) => {$(
        impl<T: Float> ComplexOperand<T> for $ty {
            #[track_caller]
            fn complex(self) -> ComplexE<T> {
                ComplexOperand::<T>::complex(Lift::<T>::lift(self))
            }
        }
    )*};
}

real_literals!(f64 i32);
