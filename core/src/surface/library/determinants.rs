//! Determinants of square matrices, by elimination.

use super::decompositions::{Packed, in_all, in_column, unpacked};
use super::making::eye;
use super::solving::{eliminated, lower, number, upper};
use crate::surface::acc::{Acc, fill, generate};
use crate::surface::custom::custom_rules;
use crate::surface::functions::cond;
use crate::surface::scalar::{Exp, Float};
use crate::surface::session::Call;
use crate::surface::shape::{Ix0, Ix1, Ix2, Snoc, Z};
use crate::term::Combine;

/// A number as an array.
type Number<T> = Acc<Ix0, T>;
/// The parts of [`Packed`].
type Elimination<T> = (Acc<Ix1, i32>, Acc<Ix1, i32>, Number<T>, Acc<Ix2, T>);

impl<T: Float> Acc<Ix2, T> {
    /// The determinant; 1 of a matrix without rows. Fails where the matrix is not square. Of large matrices it may be too large or too small for the type where
    /// [`slogdet`](Acc::slogdet) is not.
    ///
    /// By elimination with complete pivoting (Golub and Van Loan, *Matrix Computations*, 2013, §3.4.8), in n³ multiplications, those with zeros among them.
    ///
    /// The derivative is the matrix of cofactors, det·a⁻ᵀ, which is made of the factors without a division by the last pivot: it is right where the matrix is
    /// singular, too. Derivatives of it, however, are right only where the rank is n − 1 at least.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let gradient = |a: Acc<Ix2, f64>| value_and_gradient_a(|a: Acc<Ix2, f64>| a.det(), a);
    /// let a = Array::from_vec([2, 2], vec![1.0, 2.0, 2.0, 4.0])?;
    /// let (value, gradient) = interpret(gradient, a)?;
    /// assert_eq!((value.item(), gradient.to_vec()), (0.0, vec![4.0, -2.0, -2.0, 1.0]));
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn det(self) -> Acc<Ix0, T> {
        let call = Call::here("det");
        let n = self.inner();
        let a = self.expect_shape(Snoc(Snoc(Z, n), n));
        let forward = |a: Self| {
            let Packed {
                rows,
                columns,
                sign,
                factors,
            } = Packed::of(a, in_all);
            let value = sign * factors.diagonal().product();
            (value, (rows, columns, sign, factors))
        };
        let along = |all, da: Self| (cofactors(all) * da).sum_all();
        let back = |all, dy: Number<T>| cofactors(all) * dy.the();
        call.throughout(|| custom_rules(forward, along, back, a))
    }

    /// The sign of the determinant, −1, 0 or 1, and the natural logarithm of its magnitude: 0 and −∞ where it is 0. Fails where the matrix is not square.
    ///
    /// By elimination with partial pivoting (Golub and Van Loan, *Matrix Computations*, 2013, §3.4), in n³ multiplications, those with zeros among them.
    ///
    /// The derivative of the logarithm is the transposed inverse, by a rule in both modes and again, which of a singular matrix is not finite; that of the sign
    /// is 0.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let a = Array::from_vec([2, 2], vec![0.0, 1.0, 1.0, 3.0])?;
    /// let (sign, log) = interpret(|a: Acc<Ix2, f64>| a.slogdet(), a)?;
    /// assert_eq!((sign.item(), log.item()), (-1.0, 0.0));
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn slogdet(self) -> (Acc<Ix0, T>, Acc<Ix0, T>) {
        let call = Call::here("slogdet");
        let n = self.inner();
        let a = self.expect_shape(Snoc(Snoc(Z, n), n));
        let forward = |a: Self| (sign_and_log(Packed::of(a, in_column)), a);
        let inverse = |a: Self| eliminated(call, a, eye::<T>(a.inner()));
        let along = |a, da: Self| {
            let log = (inverse(a).transpose() * da).sum_all();
            (fill(Z, number::<T>(0)), log)
        };
        let back = |a, (_, dlog): (Number<T>, Number<T>)| inverse(a).transpose() * dlog.the();
        call.throughout(|| custom_rules(forward, along, back, a))
    }
}

fn sign_and_log<T: Float>(packed: Packed<T>) -> (Number<T>, Number<T>) {
    let pivots = packed.factors.diagonal();
    (
        packed.sign * pivots.signum().product(),
        pivots.abs().ln().sum(),
    )
}

/// The derivative of the determinant by each element. With the product of all pivots but the last one, and u with 1 in place of that, it is
/// the product times l⁻ᵀ·u⁻ᵀ, whose last row is not multiplied by the last pivot, as all others are.
fn cofactors<T: Float>((rows, columns, sign, factors): Elimination<T>) -> Acc<Ix2, T> {
    let (l, u) = unpacked(factors);
    let last = u.inner() - 1;
    let pivots = u.diagonal();
    let one = number::<T>(1);
    let others = generate(pivots.shape(), |index @ Snoc(Z, i): Ix1| -> Exp<T> {
        cond::<T>(i.eq_(last), one, pivots.at(index))
    });
    let product = sign.the() * others.product().the();
    let solved = lower(regular(u, others).transpose(), eye::<T>(u.inner()));
    let scaled = generate(u.shape(), |index @ Snoc(Snoc(Z, i), _): Ix2| -> Exp<T> {
        let factor = cond::<T>(i.eq_(last), one, pivots.at(Snoc(Z, last)));
        product * factor * solved.at(index)
    });
    let permuted = upper(l.transpose(), scaled);
    let zeros = fill(u.shape(), number::<T>(0));
    permuted.permute(Combine::Overwrite, zeros, |Snoc(Snoc(Z, i), j): Ix2| {
        let place = Snoc(Snoc(Z, rows.at(Snoc(Z, i))), columns.at(Snoc(Z, j)));
        (true, place)
    })
}

/// The triangle with other pivots, and 1 for those that are 0: then the product is 0 whatever is solved.
fn regular<T: Float>(u: Acc<Ix2, T>, pivots: Acc<Ix1, T>) -> Acc<Ix2, T> {
    generate(u.shape(), |index @ Snoc(Snoc(Z, i), j): Ix2| -> Exp<T> {
        let pivot = pivots.at(Snoc(Z, i));
        let pivot = cond::<T>(pivot.eq_(number::<T>(0)), number::<T>(1), pivot);
        cond::<T>(i.eq_(j), pivot, u.at(index))
    })
}
