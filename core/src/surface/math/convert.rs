//! Rounding, and conversion from one scalar type to another.

use super::super::scalar::{Exp, Float, Integral, Scalar};
use crate::prim::Prim;
use crate::rounding::f16;

/// Rounding.
impl<T: Scalar> Exp<T> {
    unary! {
        /// The greatest integral value that is not above.
        ///
        /// The derivative is 0 everywhere.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.floor(), gradient_e(|x| x.floor(), x)));
        /// let found = interpret(f, Array::vector(vec![-1.5, 2.0])?)?;
        /// assert_eq!(found.to_vec(), [(-2.0, 0.0), (2.0, 0.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: floor = Floor;
        /// The least integral value that is not below.
        ///
        /// The derivative is 0 everywhere.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.ceil(), gradient_e(|x| x.ceil(), x)));
        /// let found = interpret(f, Array::vector(vec![-1.5, 2.0])?)?;
        /// assert_eq!(found.to_vec(), [(-1.0, 0.0), (2.0, 0.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: ceil = Ceil;
        /// The nearest integral value, halves away from zero.
        ///
        /// The derivative is 0 everywhere.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.round(), gradient_e(|x| x.round(), x)));
        /// let found = interpret(f, Array::vector(vec![-1.5, 2.5])?)?;
        /// assert_eq!(found.to_vec(), [(-2.0, 0.0), (3.0, 0.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: round = Round;
        /// The integral part.
        ///
        /// The derivative is 0 everywhere.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.trunc(), gradient_e(|x| x.trunc(), x)));
        /// let found = interpret(f, Array::vector(vec![-1.5, 2.5])?)?;
        /// assert_eq!(found.to_vec(), [(-1.0, 0.0), (2.0, 0.0)]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        Float: trunc = Trunc;
    }

    rounding_to! {
        /// The greatest integer that is not above.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.floor_to::<i32>());
        /// let found = interpret(f, Array::vector(vec![-1.5, 2.5])?)?;
        /// assert_eq!(found.to_vec(), [-2, 2]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        floor_to = floor;
        /// The least integer that is not below.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.ceil_to::<i32>());
        /// let found = interpret(f, Array::vector(vec![-1.5, 2.5])?)?;
        /// assert_eq!(found.to_vec(), [-1, 3]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        ceil_to = ceil;
        /// The nearest integer, halves away from zero.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.round_to::<i32>());
        /// let found = interpret(f, Array::vector(vec![-1.5, 2.4])?)?;
        /// assert_eq!(found.to_vec(), [-2, 2]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        round_to = round;
        /// The integral part, as an integer.
        ///
        /// ```
        /// # use cotangent_core::surface::prelude::*;
        /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.trunc_to::<i32>());
        /// let found = interpret(f, Array::vector(vec![-1.5, 2.5])?)?;
        /// assert_eq!(found.to_vec(), [-1, 2]);
        /// # Ok::<(), InterpretError>(())
        /// ```
        trunc_to = trunc;
    }
}

/// Conversion.
impl<T: Scalar> Exp<T> {
    /// The conversion to another scalar type: floats to integers truncate and saturate, NaN gives 0, integers wrap,
    /// `bool` counts as 0 or 1, a number becomes `true` where it is not 0.
    ///
    /// The derivative between floats is 1, to and from other types 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| (x.to::<i32>(), x.to::<bool>(), x.to::<f32>()));
    /// let found = interpret(f, Array::vector(vec![-1.5, 1e10])?)?;
    /// assert_eq!(found.to_vec(), [(-1, true, -1.5), (i32::MAX, true, 1e10)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn to<U: Scalar>(self) -> Exp<U> {
        if T::TYPE == U::TYPE {
            return Exp::from_raw(self.raw());
        }
        self.prim(Prim::Convert(U::TYPE), &[])
    }

    /// `.to::<f64>()`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| x.to_f64());
    /// let found = interpret(f, Array::vector(vec![3])?)?;
    /// assert_eq!(found.to_vec(), [3.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn to_f64(self) -> Exp<f64> {
        self.to()
    }

    /// `.to::<f16>()`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.to_f16());
    /// let found = interpret(f, Array::vector(vec![0.5])?)?;
    /// assert_eq!(found.to_vec(), [cotangent_core::rounding::f16::from_f32(0.5)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn to_f16(self) -> Exp<f16> {
        self.to()
    }

    /// `.to::<f32>()`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.to_f32());
    /// let found = interpret(f, Array::vector(vec![0.1])?)?;
    /// assert_eq!(found.to_vec(), [0.1]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn to_f32(self) -> Exp<f32> {
        self.to()
    }

    /// `.to::<i32>()`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.to_i32());
    /// let found = interpret(f, Array::vector(vec![-2.9])?)?;
    /// assert_eq!(found.to_vec(), [-2]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn to_i32(self) -> Exp<i32> {
        self.to()
    }

    /// `.to::<u32>()`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| x.to_u32());
    /// let found = interpret(f, Array::vector(vec![7, -1])?)?;
    /// assert_eq!(found.to_vec(), [7, u32::MAX]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn to_u32(self) -> Exp<u32> {
        self.to()
    }

    /// `.to::<i64>()`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.map(|x| x.to_i64());
    /// let found = interpret(f, Array::vector(vec![-3])?)?;
    /// assert_eq!(found.to_vec(), [-3]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn to_i64(self) -> Exp<i64> {
        self.to()
    }
}
