//! The method of conjugate gradients, for equations whose matrix is known by its products with vectors only.

use super::solving::number;
use crate::surface::acc::{Acc, fill};
use crate::surface::aloops::aiterate_while;
use crate::surface::custom::{custom_rules, stop_gradient};
use crate::surface::lift::Lift;
use crate::surface::scalar::{Exp, Float};
use crate::surface::session::Call;
use crate::surface::shape::{Ix0, Ix1};

/// Up to which order there are derivatives. Each order more makes the program of those below it longer, and takes one solution more.
const ORDERS: u32 = 2;

/// The solution x of a·x = b for a symmetric, positive definite matrix a, by conjugate gradients from x = 0 on. `times` gives the product of a and a vector, so that
/// a is never made. Ends where the norm of what is left, b − a·x, is at most `tolerance` times that of b, and after `trips` trips: whether the
/// solution is good enough is seen from b − a·x. Fails where `times` gives a vector of another length. For other matrices the result is arbitrary, or NaN.
///
/// Golub and Van Loan, *Matrix Computations*, 2013, §11.3; each trip calls `times` once. With exact arithmetic it ends after as many trips as a has different
/// eigenvalues; their number grows with the square root of the ratio of the greatest to the least.
///
/// The derivative is that of the solution, by the implicit function theorem, not of the loop: a·dx = db − da·x, solved in the same way, by b and by all that `times`
/// uses from outside, in both modes. So it is as precise as `tolerance` and `trips` let the solutions be. It takes two solutions, of which the second one corrects
/// the first; there are derivatives up to the second order, and those of higher order are NaN. `times` has to be linear, and is called many times
/// while the program is built.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type V = Acc<Ix1, f64>;
/// // The matrix is a diagonal; its derivative is that of b / d.
/// let solve = |(d, b): (V, V)| conjugate_gradients(|x| d * x, b, 1e-12, 10);
/// let (d, b) = (Array::vector(vec![1.0, 2.0])?, Array::vector(vec![3.0, 8.0])?);
/// let gradients = interpret(|d: V, b: V| gradient_a(|x| solve(x).sum(), (d, b)), (d, b))?;
/// let near = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-12);
/// assert!(near(&gradients.0.to_vec(), &[-3.0, -2.0]) && near(&gradients.1.to_vec(), &[1.0, 0.5]));
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn conjugate_gradients<T: Float>(
    times: impl Fn(Acc<Ix1, T>) -> Acc<Ix1, T>,
    b: Acc<Ix1, T>,
    tolerance: impl Lift<T>,
    trips: impl Lift<i32>,
) -> Acc<Ix1, T> {
    let call = Call::here("conjugate_gradients");
    let limits = (tolerance.lift(), trips.lift());
    let equations = Equations {
        times: &times,
        limits,
    };
    call.throughout(|| equations.solution(b))
}

struct Equations<'a, T> {
    times: &'a dyn Fn(Acc<Ix1, T>) -> Acc<Ix1, T>,
    limits: (Exp<T>, Exp<i32>),
}

impl<T: Float> Equations<'_, T> {
    /// The solution, with derivatives.
    ///
    /// What `times` uses from outside is constant for a rule. So rules are by what is left, b − a·x, of which it is part, and correct x by a⁻¹ times that. This
    /// is 0 for the solution; its derivative for a constant x is db − da·x, so that the corrected x has the right first derivative. For an x whose derivatives are
    /// right up to an order, what is left has zeros for derivatives up to that order, and the next one is corrected: Newton's method.
    fn solution(&self, b: Acc<Ix1, T>) -> Acc<Ix1, T> {
        let found = stop_gradient(self.found(b));
        (0..ORDERS).fold(found, |x, _| x + self.correction(b - (self.times)(x)))
    }

    /// Zeros, whose derivative is a⁻¹ times that of what is left.
    fn correction(&self, left: Acc<Ix1, T>) -> Acc<Ix1, T> {
        let forward = |left: Acc<Ix1, T>| (fill(left.shape(), number::<T>(0)), left);
        let rule = |_: Acc<Ix1, T>, d: Acc<Ix1, T>| self.inverse(d, ORDERS - 1);
        custom_rules(forward, rule, rule, left)
    }

    /// a⁻¹ times a vector, with derivatives by the vector up to an order. Those by a are of an order that is corrected afterwards, so they may be zeros.
    fn inverse(&self, vector: Acc<Ix1, T>, orders: u32) -> Acc<Ix1, T> {
        let rule = |_: Acc<Ix1, T>, d: Acc<Ix1, T>| match orders.checked_sub(1) {
            Some(orders) => self.inverse(d, orders),
            None => d * Lift::<T>::lift(f64::NAN),
        };
        custom_rules(|v| (self.found(v), v), rule, rule, vector)
    }

    /// The solution by the loop.
    fn found(&self, b: Acc<Ix1, T>) -> Acc<Ix1, T> {
        type State<T> = (Acc<Ix1, T>, Acc<Ix1, T>, Acc<Ix1, T>, Acc<Ix0, T>);
        let (tolerance, trips) = self.limits;
        let enough = tolerance * tolerance * b.dot(b).the();
        let step = |_: Exp<i32>, (x, left, direction, square): State<T>| {
            let image = (self.times)(direction);
            let length = square.the() / direction.dot(image).the();
            let new_left = left - image * length;
            let new_square = new_left.dot(new_left);
            let turn = new_square.the() / square.the();
            (
                x + direction * length,
                new_left,
                new_left + direction * turn,
                new_square,
            )
        };
        let zeros = fill(b.shape(), number::<T>(0));
        let more = |(_, _, _, square): State<T>| square.the().gt(enough);
        aiterate_while(trips, more, step, (zeros, b, b, b.dot(b))).0
    }
}
