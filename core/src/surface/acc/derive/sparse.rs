//! Jacobians of which it is known where they are not zero.

use super::along;
use crate::prim::Prim;
use crate::surface::acc::Acc;
use crate::surface::ascan::stacked;
use crate::surface::lift::literal_at;
use crate::surface::node_acc;
use crate::surface::node_exp;
use crate::surface::scalar::{Exp, Float};
use crate::surface::session::{Call, RawAcc, RawExp, exp_lambda};
use crate::surface::shape::Ix1;
use crate::surface::sparsity::SparsityPattern;
use crate::term::Move;
use crate::types::ScalarType;

/// The derivatives of `f(x)` by `x` that a pattern lists, in the order of its entries: the values of the sparse Jacobian in CSR.
///
/// Made in forward mode, of all columns of one color at once. Derivatives that are not zero but not in the pattern are added to
/// others of their row, so the pattern has to have them all; it may have more. The program fails, as a
/// [`reshape`](Acc::reshape) does, where `x` has not as many elements as the pattern has columns, and where `f(x)` has not as
/// many as the pattern has rows, unless it has no entries at all.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // Differences of neighbours: two entries a row, so that two colors do for any number of columns.
/// let f = |x: Acc<Ix1, f64>| {
///     generate(ix![x.size() - 1], |ix![i]| x.at(ix![i + 1]) * x.at(ix![i + 1]) - x.at(ix![i]))
/// };
/// let pattern = SparsityPattern::new(4, vec![0, 2, 4, 6], vec![0, 1, 1, 2, 2, 3])?;
/// assert_eq!(pattern.colors(), 2);
/// let x = Array::vector(vec![1.0, 2.0, 3.0, 4.0])?;
/// let values = interpret(|x| jacobian_sparse(f, x, &pattern), x)?;
/// assert_eq!(values.to_vec(), [-1.0, 4.0, -1.0, 6.0, -1.0, 8.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The extents of `f(x)` must follow from those of arrays, as for [`jacobian_forward`](super::jacobian_forward()).
///
/// Time: that of [`jvp_a`](crate::surface::jvp_a()) for each color, one after the other, and a gather of the values. What is kept
/// between is an array of the size of `f(x)` for each color.
#[track_caller]
pub fn jacobian_sparse<T: Float>(
    f: impl FnOnce(Acc<Ix1, T>) -> Acc<Ix1, T>,
    x: Acc<Ix1, T>,
    pattern: &SparsityPattern,
) -> Acc<Ix1, T> {
    let call = Call::here("jacobian_sparse");
    let extents = [pattern.colors(), pattern.rows(), pattern.columns()];
    let [count, rows, columns] = extents.map(|extent| node_exp::position(call, extent));
    let x = Acc::from_raw(reshaped(call, vec![columns], x.raw()));
    let colors = node_acc::use_arrays(call, pattern.color_array().columns().to_vec());
    let made = stacked(call, Exp::from_raw(count), |color| {
        along(call, f, x, of_color(call, colors, color)).1
    });
    let made = reshaped(call, vec![count, rows], made.raw());
    let places = node_acc::use_arrays(call, pattern.places().columns().to_vec());
    let value = exp_lambda(call, vec![ScalarType::I32; 2], |place| {
        node_exp::index(call, 1, made, place)
    });
    Acc::from_raw(node_acc::map(call, value, &[places]))
}

/// Ones for the columns of a color, zeros for all others.
fn of_color<T: Float>(call: Call, colors: RawAcc, color: Exp<i32>) -> Acc<Ix1, T> {
    let f = exp_lambda(call, vec![ScalarType::I32], |own| {
        let same: Exp<bool> = color.prim_at(call, Prim::Eq, own);
        let [one, zero] = [1, 0].map(|value| literal_at(call, T::from_i32(value)).raw());
        node_exp::cond(call, same.raw(), &[one], &[zero])
    });
    Acc::from_raw(node_acc::map(call, f, &[colors]))
}

fn reshaped(call: Call, shape: Vec<RawExp>, array: RawAcc) -> RawAcc {
    node_acc::moved(call, &Move::Reshape { shape }, array)
}
