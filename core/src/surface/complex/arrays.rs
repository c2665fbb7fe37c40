//! Arrays of complex numbers: their parts.

use super::{Complex, ComplexE};
use crate::surface::acc::{Acc, each};
use crate::surface::scalar::Float;
use crate::surface::session::Call;
use crate::surface::shape::Shape;

/// Arrays of complex numbers, which have operators, `sum`, `product`, `dot`, `matmul` and their like as those of numbers do.
impl<Sh: Shape, T: Float> Acc<Sh, Complex<T>> {
    /// The real parts.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| (z.re(), z.im());
    /// let (re, im) = interpret(f, Array::vector(vec![Complex::new(1.0, 2.0)])?)?;
    /// assert_eq!((re.to_vec(), im.to_vec()), (vec![1.0], vec![2.0]));
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn re(self) -> Acc<Sh, T> {
        each(Call::here("re"), self, |z| z.re)
    }

    /// The imaginary parts.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.im().sum();
    /// let z = Array::vector(vec![Complex::new(1.0, 2.0), Complex::new(3.0, -5.0)])?;
    /// assert_eq!(interpret(f, z)?.item(), -3.0);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn im(self) -> Acc<Sh, T> {
        each(Call::here("im"), self, |z| z.im)
    }

    /// The [conjugates](ComplexE::conj). `z.conj().dot(w)` is the inner product: [`dot`](Acc::dot) conjugates nothing.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.conj().dot(z);
    /// let z = Array::vector(vec![Complex::new(1.0, 2.0), Complex::new(0.0, 1.0)])?;
    /// assert_eq!(interpret(f, z)?.item(), Complex::new(6.0, 0.0));
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn conj(self) -> Self {
        each(Call::here("conj"), self, |z: ComplexE<T>| z.conj())
    }

    /// The [squares of the absolute values](ComplexE::norm_sqr).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.norm_sqr();
    /// assert_eq!(interpret(f, Array::vector(vec![Complex::new(3.0, 4.0)])?)?.to_vec(), [25.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn norm_sqr(self) -> Acc<Sh, T> {
        each(Call::here("norm_sqr"), self, |z: ComplexE<T>| z.norm_sqr())
    }

    /// The [angles](ComplexE::arg).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.arg();
    /// assert_eq!(interpret(f, Array::vector(vec![Complex::new(2.0, 0.0)])?)?.to_vec(), [0.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn arg(self) -> Acc<Sh, T> {
        each(Call::here("arg"), self, |z: ComplexE<T>| z.arg())
    }
}
