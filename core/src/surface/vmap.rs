//! Functions of arrays over the outermost dimension of larger ones: what JAX calls `vmap`.

use super::ascan::{Over, Rows, Stack, in_order};
use super::session::Call;
use crate::term::States;

/// `f` on each row of `xs`: on its slices along the outermost dimension, of an array or of each array of a tuple. Results are
/// stacked along a new outermost dimension.
///
/// `f` is a function of arrays without that dimension, and need not know of it. Of a tuple, the array with the fewest rows
/// counts. What is the same for all rows is captured by the closure.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // The gradient of each example's loss, by the same weights.
/// let loss = |w: Acc<Ix1, f64>, x: Acc<Ix1, f64>, y: Acc<Z, f64>| {
///     let guess = w.zip_with(x, |w, x| w * x).sum();
///     guess.zip_with(y, |guess, y| (guess - y) * (guess - y))
/// };
/// let gradients = |w: Acc<Ix1, f64>, xs: Acc<Ix2, f64>, ys: Acc<Ix1, f64>| {
///     vmap(|(x, y)| gradient_a(|w| loss(w, x, y), w), (xs, ys))
/// };
/// let w = Array::vector(vec![1.0, 2.0])?;
/// let xs = Array::from_vec([3, 2], vec![1.0, 0.0, 0.0, 1.0, 1.0, 1.0])?;
/// let ys = Array::vector(vec![0.0, 0.0, 3.0])?;
/// let found = interpret(gradients, (w, xs, ys))?;
/// assert_eq!(found.shape(), [3, 2]);
/// assert_eq!(found.to_vec(), [2.0, 0.0, 0.0, 4.0, 0.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The extents of results must follow from those of other arrays: where they depend on elements, or differ from row to row,
/// the program is refused, as for [`ascan`](super::ascan()). A loop in `f` makes as many trips for each row as it needs there.
/// Where `f` fails for one row, the program fails.
///
/// Time: the sum of the costs for all rows. Where `f` is made of maps, moves, folds, scans and scatters, all rows are done at
/// once, by the same operations on one more dimension, unless that would take more memory than the largest array that is there in any
/// case. Else rows are gone through one after the other, and what is parallel is inside of `f`; a failure tells the
/// position of the row among the trips then.
#[track_caller]
pub fn vmap<X: Over, Y: Stack>(f: impl FnOnce(X::Row) -> Y, xs: X) -> Y::Stacked {
    let rows = Rows::of(Call::here("vmap"), xs, States::Stored, in_order);
    let step = |_, (), row| ((), f(row));
    rows.run::<X::Row, (), Y>(None, step, ()).2
}
