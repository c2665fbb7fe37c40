//! Functions of complex numbers.

use super::{ComplexE, ComplexOperand};
use crate::surface::functions::cond;
use crate::surface::lift::{Lift, literal};
use crate::surface::scalar::{Exp, Float};
use crate::surface::session::Call;

/// Functions. Where there is a cut, it is along the negative real numbers, which belong to the side above, as in C and Rust's `num-complex`.
impl<T: Float> ComplexE<T> {
    /// The number of a distance from 0 and an angle from the positive real numbers.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, (f64, f64)>| v.map(|(r, angle)| ComplexE::from_polar(r, angle));
    /// let found = interpret(f, Array::vector(vec![(2.0, 0.0)])?)?;
    /// assert_eq!(found.to_vec(), [Complex::new(2.0, 0.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn from_polar(r: Exp<T>, angle: Exp<T>) -> Self {
        Call::here("from_polar").throughout(|| Self {
            re: r * angle.cos(),
            im: r * angle.sin(),
        })
    }

    /// The number with the opposite imaginary part.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.conj());
    /// let found = interpret(f, Array::vector(vec![Complex::new(1.0, 2.0)])?)?;
    /// assert_eq!(found.to_vec(), [Complex::new(1.0, -2.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn conj(self) -> Self {
        Self {
            re: self.re,
            im: -self.im,
        }
    }

    /// The square of [`abs`](Self::abs); its derivative is 2z.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.norm_sqr());
    /// let found = interpret(f, Array::vector(vec![Complex::new(3.0, 4.0)])?)?;
    /// assert_eq!(found.to_vec(), [25.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn norm_sqr(self) -> Exp<T> {
        let call = Call::here("norm_sqr");
        call.throughout(|| self.re * self.re + self.im * self.im)
    }

    /// The distance from 0, also where its square is no number of the type; its derivative is z/|z|, and 0 at 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.abs());
    /// let far = 2f64.powi(600);
    /// let found = interpret(f, Array::vector(vec![Complex::new(3.0 * far, 4.0 * far)])?)?;
    /// assert_eq!(found.to_vec(), [5.0 * far]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn abs(self) -> Exp<T> {
        Call::here("abs").throughout(|| self.re.hypot(self.im))
    }

    /// The angle from the positive real numbers, from −π to π.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.arg());
    /// let found = interpret(f, Array::vector(vec![Complex::new(-1.0, 0.0)])?)?;
    /// assert_eq!(found.to_vec(), [std::f64::consts::PI]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn arg(self) -> Exp<T> {
        Call::here("arg").throughout(|| self.im.atan2(self.re))
    }

    /// 1/z.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.inverse());
    /// let found = interpret(f, Array::vector(vec![Complex::new(0.0, 2.0)])?)?;
    /// assert_eq!(found.to_vec(), [Complex::new(0.0, -0.5)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn inverse(self) -> Self {
        Call::here("inverse").throughout(|| 1.0 / self)
    }

    /// The exponential function.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.exp());
    /// let found = interpret(f, Array::vector(vec![Complex::new(0.0, std::f64::consts::PI)])?)?;
    /// assert!((found.to_vec()[0].re + 1.0).abs() < 1e-15);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn exp(self) -> Self {
        Call::here("exp").throughout(|| Self::from_polar(self.re.exp(), self.im))
    }

    /// The natural logarithm whose imaginary part is [`arg`](Self::arg).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.ln());
    /// let found = interpret(f, Array::vector(vec![Complex::new(-1.0, 0.0)])?)?;
    /// assert_eq!(found.to_vec(), [Complex::new(0.0, std::f64::consts::PI)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn ln(self) -> Self {
        Call::here("ln").throughout(|| Self {
            re: self.abs().ln(),
            im: self.arg(),
        })
    }

    /// The square root whose real part is not negative.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.sqrt());
    /// let found = interpret(f, Array::vector(vec![Complex::new(-4.0, 0.0), Complex::new(3.0, 4.0)])?)?;
    /// assert_eq!(found.to_vec(), [Complex::new(0.0, 2.0), Complex::new(2.0, 1.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn sqrt(self) -> Self {
        Call::here("sqrt").throughout(|| {
            // Both parts have this one as the greater, without a difference that would cancel.
            let greater = ((self.abs() + self.re.abs()) * 0.5).sqrt();
            let zero = literal(T::from_i32(0));
            let lesser = cond::<T>(greater.eq_(zero), zero, self.im.abs() / (greater + greater));
            let is_right = self.re.ge(zero);
            Self {
                re: cond::<T>(is_right, greater, lesser),
                im: cond::<T>(is_right, lesser, greater).copysign(self.im),
            }
        })
    }

    /// A constant power, by repeated multiplication; 1 for the exponent 0, and of a negative one the inverse.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.powi(3));
    /// let found = interpret(f, Array::vector(vec![Complex::new(1.0, 1.0)])?)?;
    /// assert_eq!(found.to_vec(), [Complex::new(-2.0, 2.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn powi(self, exponent: i32) -> Self {
        Call::here("powi").throughout(|| {
            let places = (0..32).rev();
            let size = exponent.unsigned_abs();
            let mut power: Option<Self> = None;
            for place in places.filter(|place| size >> place > 0) {
                power = power.map(|power| power * power);
                if size >> place & 1 == 1 {
                    power = Some(power.map_or(self, |power| power * self));
                }
            }
            let power = power.unwrap_or_else(|| 1.complex());
            if exponent < 0 { 1.0 / power } else { power }
        })
    }

    /// The sine.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.sin());
    /// let found = interpret(f, Array::vector(vec![Complex::new(0.0, 1.0)])?)?;
    /// assert_eq!(found.to_vec(), [Complex::new(0.0, 1f64.sinh())]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn sin(self) -> Self {
        Call::here("sin").throughout(|| Self {
            re: self.re.sin() * self.im.cosh(),
            im: self.re.cos() * self.im.sinh(),
        })
    }

    /// The cosine.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.cos().re);
    /// let found = interpret(f, Array::vector(vec![Complex::new(0.0, 1.0)])?)?;
    /// assert_eq!(found.to_vec(), [1f64.cosh()]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn cos(self) -> Self {
        Call::here("cos").throughout(|| Self {
            re: self.re.cos() * self.im.cosh(),
            im: -(self.re.sin() * self.im.sinh()),
        })
    }

    /// The tangent; as exact near its poles, and far from the real axis, as its real parts are.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.tan());
    /// let found = interpret(f, Array::vector(vec![Complex::new(0.0, 1.0)])?)?;
    /// assert_eq!(found.to_vec(), [Complex::new(0.0, 1f64.tanh())]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn tan(self) -> Self {
        Call::here("tan").throughout(|| tangent(self.re, self.im))
    }

    /// The hyperbolic sine.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.sinh());
    /// let found = interpret(f, Array::vector(vec![Complex::new(0.0, 1.0)])?)?;
    /// assert_eq!(found.to_vec(), [Complex::new(0.0, 1f64.sin())]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn sinh(self) -> Self {
        Call::here("sinh").throughout(|| Self {
            re: self.re.sinh() * self.im.cos(),
            im: self.re.cosh() * self.im.sin(),
        })
    }

    /// The hyperbolic cosine.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.cosh());
    /// let found = interpret(f, Array::vector(vec![Complex::new(0.0, 1.0)])?)?;
    /// assert_eq!(found.to_vec(), [Complex::new(1f64.cos(), 0.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn cosh(self) -> Self {
        Call::here("cosh").throughout(|| Self {
            re: self.re.cosh() * self.im.cos(),
            im: self.re.sinh() * self.im.sin(),
        })
    }

    /// The hyperbolic tangent.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.tanh());
    /// let found = interpret(f, Array::vector(vec![Complex::new(1.0, 0.0), Complex::new(-800.0, 1.0)])?)?;
    /// assert_eq!(found.to_vec(), [Complex::new(1f64.tanh(), 0.0), Complex::new(-1.0, 0.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn tanh(self) -> Self {
        Call::here("tanh").throughout(|| {
            let Self { re, im } = tangent(self.im, self.re);
            Self { re: im, im: re }
        })
    }

    /// A real power, from the polar form; [`powi`](Self::powi) is more exact where the exponent is a constant integer.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.powf(1.5));
    /// let found = interpret(f, Array::vector(vec![Complex::new(4.0, 0.0), Complex::new(0.0, 0.0)])?)?;
    /// assert_eq!(found.to_vec(), [Complex::new(8.0, 0.0), Complex::new(0.0, 0.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn powf<E: Lift<T>>(self, exponent: E) -> Self {
        let exponent = exponent.lift();
        Call::here("powf")
            .throughout(|| Self::from_polar(self.abs().powf(exponent), self.arg() * exponent))
    }

    /// Whether both parts are equal.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |z: Acc<Ix1, Complex<f64>>| z.map(|z| z.eq_(2.0));
    /// let found = interpret(f, Array::vector(vec![Complex::new(2.0, 0.0), Complex::new(2.0, 1.0)])?)?;
    /// assert_eq!(found.to_vec(), [true, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn eq_<R: ComplexOperand<T>>(self, other: R) -> Exp<bool> {
        let other = other.complex();
        Call::here("eq_").throughout(|| self.re.eq_(other.re).and(self.im.eq_(other.im)))
    }
}

/// The tangent of x + iy. Sines and cosines of x alone would lose the poles, hyperbolic ones of y overflow: with u = tanh y, it is
/// (sin x · cos x · (1 − u²) + i·u) / (cos² x + u² · sin² x), where 1 − u² is 1 / cosh² y.
fn tangent<T: Float>(x: Exp<T>, y: Exp<T>) -> ComplexE<T> {
    let (s, c, u, inverse) = (x.sin(), x.cos(), y.tanh(), 1.0 / y.cosh());
    let scale = c * c + (u * s) * (u * s);
    ComplexE {
        re: s * c * inverse * inverse / scale,
        im: u / scale,
    }
}
