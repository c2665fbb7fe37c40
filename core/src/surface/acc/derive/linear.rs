//! The derivative of a function at a point, as a linear map.

use super::{along, back};
use crate::surface::arrays::Arrays;
use crate::surface::session::Call;
use std::fmt;

/// The derivative of a function at a point: a linear map, given by [`linearize`].
///
/// Nothing is computed where it is made, and it can be applied any number of times, in loops and in functions that are
/// differentiated, too. Each application calls the function again, but what all of them compute of the point is computed once:
///
/// * [`transpose`](Self::transpose) shares all array operations of the function with the others, and with the results. What
///   functions of elements compute on the way to their results is computed again for their derivatives, as in all gradients.
/// * [`apply`](Self::apply) shares maps (`generate` is one), folds and scans, unless the derivative needs the values beside it, as that of a product
///   does. Loops carry the derivatives along with their states, and are run for each application.
/// * In a loop, of [`vmap`](crate::surface::vmap()) for instance, this is moved in front of the loop, but for what may fail: that is
///   computed on each trip.
#[derive(Clone, Copy)]
pub struct Linear<F, X> {
    f: F,
    x: X,
}

impl<F, X: fmt::Debug> fmt::Debug for Linear<F, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { f: _, x } = self;
        f.debug_struct("Linear")
            .field("x", x)
            .finish_non_exhaustive()
    }
}

/// The results of a function at `x`, and its derivative there, to be applied to any number of directions and cotangents.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type V = Acc<Ix1, f64>;
/// // (x, y) ↦ (x·y, x + y), at (2, 3).
/// let both = |x: V| x.map(|x| x).sum().zip_with(x.product(), |s, p| (p, s));
/// let f = |x: V, dx: V| {
///     let (y, derivative) = linearize(both, x);
///     let dy = derivative.apply(dx);
///     (y, dy, derivative.transpose(dy))
/// };
/// let (y, dy, dx) = interpret(f, (Array::vector(vec![2.0, 3.0])?, Array::vector(vec![1.0, 10.0])?))?;
/// assert_eq!((y.item(), dy.item()), ((6.0, 5.0), (23.0, 11.0)));
/// assert_eq!(dx.to_vec(), [3.0 * 23.0 + 11.0, 2.0 * 23.0 + 11.0]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn linearize<X: Arrays, Y: Arrays, F: Fn(X) -> Y>(f: F, x: X) -> (Y, Linear<F, X>) {
    (f(x), Linear { f, x })
}

impl<X: Arrays, Y: Arrays, F: Fn(X) -> Y> Linear<F, X> {
    /// The derivative along a direction: what [`jvp_a`](crate::surface::jvp_a()) gives beside the results.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // All directions at once, as the rows of a matrix.
    /// let f = |x: Acc<Ix1, f64>, directions: Acc<Ix2, f64>| {
    ///     let (_, derivative) = linearize(|x: Acc<Ix1, f64>| x.product(), x);
    ///     vmap(|dx| derivative.apply(dx), directions)
    /// };
    /// let directions = Array::from_vec([2, 2], vec![1.0, 0.0, 0.0, 1.0])?;
    /// assert_eq!(interpret(f, (Array::vector(vec![2.0, 3.0])?, directions))?.to_vec(), [3.0, 2.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn apply(&self, dx: X) -> Y {
        along(Call::here("apply"), &self.f, self.x, dx).1
    }

    /// The adjoint map, of cotangents of the results: what [`vjp_a`](crate::surface::vjp_a()) gives.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |x: Acc<Ix1, f64>| {
    ///     let (y, derivative) = linearize(|x: Acc<Ix1, f64>| x.map(|x| x.exp()), x);
    ///     derivative.transpose(y)
    /// };
    /// assert_eq!(interpret(f, Array::vector(vec![0.0])?)?.to_vec(), [1.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn transpose(&self, dy: Y) -> X {
        back(Call::here("transpose"), &self.f, self.x, dy)
    }
}
