//! Jacobians and Hessians of which it is known where they are not zero.
//!
//! One pass makes all lines of a color, columns in forward mode and rows in reverse mode: the derivative along ones for the lines of that
//! color, zeros for all others. The passes are the trips of a loop without a state, as those of `vmap`.

use super::{along, back, differentiate};
use crate::prim::Prim;
use crate::surface::acc::Acc;
use crate::surface::ascan::stacked;
use crate::surface::lift::literal_at;
use crate::surface::node_acc;
use crate::surface::node_exp;
use crate::surface::scalar::{Exp, Float};
use crate::surface::session::{Call, RawAcc, exp_lambda};
use crate::surface::shape::{Ix1, Z};
use crate::surface::sparsity::{Colored, SparsityPattern};
use crate::term::Move;
use crate::types::ScalarType;

/// The derivatives of `f(x)` by `x` that a pattern lists, in the order of its entries: the values of the sparse Jacobian in CSR, or in BSR for
/// a pattern of blocks.
///
/// Made in forward mode, of all columns of one color at once, or in reverse mode, of all rows of one color, as the pattern is
/// [colored](SparsityPattern::colored). Derivatives that are not zero but not in the pattern are added to
/// others of their row, or column, so the pattern has to have them all; it may have more. The program fails, as a
/// [`reshape`](Acc::reshape) does, where `x` has not as many elements as the pattern has columns, and where `f(x)` has not as
/// many as the pattern has rows, unless it has no entries at all.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // Differences of neighbours: two entries a row, so that two colors do for any number of columns.
/// let f = |x: Acc<Ix1, f64>| {
///     generate(ix![x.size() - 1], |ix![i]| x.at(ix![i + 1]) * x.at(ix![i + 1]) - x.at(ix![i]))
/// };
/// let x = Array::vector(vec![1.0, 2.0, 3.0, 4.0])?;
/// let pattern = SparsityPattern::detect(f, x.clone())?;
/// assert_eq!(pattern.colors(), 2);
/// let values = interpret(|x| jacobian_sparse(f, x, &pattern), x)?;
/// assert_eq!(values.to_vec(), [-1.0, 4.0, -1.0, 6.0, -1.0, 8.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// In forward mode the extents of `f(x)` must follow from those of arrays, as for [`jacobian_forward`](super::jacobian_forward()), and
/// functions in `f` that come with a rule for reverse mode alone are refused; a pattern [colored by rows](SparsityPattern::colored_by) has no need of either.
///
/// Time: that of [`jvp_a`](crate::surface::jvp_a()), or of [`vjp_a`](crate::surface::vjp_a()), for each color, and a gather of the values. All colors are
/// done at once where [`vmap`](crate::surface::vmap()) can, by its rule of memory, else one after the other. What is kept is an array of the
/// size of `f(x)`, or of `x`, for each color.
#[track_caller]
pub fn jacobian_sparse<T: Float>(
    f: impl FnOnce(Acc<Ix1, T>) -> Acc<Ix1, T>,
    x: Acc<Ix1, T>,
    pattern: &SparsityPattern,
) -> Acc<Ix1, T> {
    let call = Call::here("jacobian_sparse");
    let x = vector_of(call, pattern.columns(), x);
    entries(call, pattern, |ones| match pattern.colored() {
        Colored::Columns => along(call, f, x, ones).1,
        Colored::Rows => back(call, |x| vector_of(call, pattern.rows(), f(x)), x, ones),
    })
}

/// The second derivatives of a function with one float as result that a pattern lists, in the order of its entries: the values of the
/// sparse Hessian. The pattern is that of a symmetric matrix.
///
/// Derivatives that are not zero but not in the pattern are added to others, so the pattern has to have them all, on both sides
/// of the diagonal. The program fails, as a [`reshape`](Acc::reshape) does, where the pattern is not square, or has not as many columns
/// as `x` has elements, unless it has no entries at all.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // Neighbours multiplied: a band of width three.
/// let f = |x: Acc<Ix1, f64>| {
///     generate(ix![x.size() - 1], |ix![i]| x.at(ix![i]) * x.at(ix![i]) * x.at(ix![i + 1])).sum()
/// };
/// let x = Array::vector(vec![1.0, 2.0, 3.0])?;
/// let pattern = SparsityPattern::detect_hessian(f, x.clone())?;
/// let places = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 1)];
/// assert_eq!(pattern.coordinates().collect::<Vec<_>>(), places);
/// let values = interpret(|x| hessian_sparse(f, x, &pattern), x)?;
/// assert_eq!(values.to_vec(), [4.0, 2.0, 2.0, 6.0, 4.0, 4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Time: that of [`hvp_a`](crate::surface::hvp_a()) for each color, all at once where [`vmap`](crate::surface::vmap()) can, and a gather of the values.
#[track_caller]
pub fn hessian_sparse<T: Float>(
    f: impl FnOnce(Acc<Ix1, T>) -> Acc<Z, T>,
    x: Acc<Ix1, T>,
    pattern: &SparsityPattern,
) -> Acc<Ix1, T> {
    let call = Call::here("hessian_sparse");
    let x = vector_of(call, pattern.columns(), x);
    let x = vector_of(call, pattern.rows(), x);
    let gradient = |x| differentiate(call, false, f, x).take_as();
    // Rows are columns here, so that it does not matter which of them have colors.
    entries(call, pattern, |ones| along(call, gradient, x, ones).1)
}

/// The entries of a pattern, of lines that `pass` makes of ones for those of one color.
fn entries<T: Float>(
    call: Call,
    pattern: &SparsityPattern,
    pass: impl FnOnce(Acc<Ix1, T>) -> Acc<Ix1, T>,
) -> Acc<Ix1, T> {
    let colors = node_acc::use_arrays(call, pattern.color_array().columns().to_vec());
    let count = node_exp::position(call, pattern.colors());
    let made = stacked(call, Exp::from_raw(count), |color| {
        pass(of_color(call, colors, color))
    });
    let extent = match pattern.colored() {
        Colored::Columns => pattern.rows(),
        Colored::Rows => pattern.columns(),
    };
    let shape = vec![count, node_exp::position(call, extent)];
    let made = node_acc::moved(call, &Move::Reshape { shape }, made.raw());
    let places = node_acc::use_arrays(call, pattern.places().columns().to_vec());
    let value = exp_lambda(call, vec![ScalarType::I32; 2], |place| {
        node_exp::index(call, 1, made, place)
    });
    Acc::from_raw(node_acc::map(call, value, &[places]))
}

/// Ones for the lines of a color, zeros for all others.
fn of_color<T: Float>(call: Call, colors: RawAcc, color: Exp<i32>) -> Acc<Ix1, T> {
    let f = exp_lambda(call, vec![ScalarType::I32], |own| {
        let same: Exp<bool> = color.prim_at(call, Prim::Eq, own);
        let [one, zero] = [1, 0].map(|value| literal_at(call, T::from_i32(value)).raw());
        node_exp::cond(call, same.raw(), &[one], &[zero])
    });
    Acc::from_raw(node_acc::map(call, f, &[colors]))
}

/// The vector, if it has so many elements.
fn vector_of<T: Float>(call: Call, extent: usize, vector: Acc<Ix1, T>) -> Acc<Ix1, T> {
    let shape = vec![node_exp::position(call, extent)];
    let moved = node_acc::moved(call, &Move::Reshape { shape }, vector.raw());
    Acc::from_raw(moved)
}
