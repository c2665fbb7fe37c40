//! Functions on each element of all arrays in a struct, a tuple or a list: what JAX calls `tree.map`.

use super::acc::Acc;
use super::arrays::{Arrays, columns_of, of_each_column};
use super::lift::Lift;
use super::node_acc;
use super::scalar::{Exp, Scalar};
use super::session::{Call, RawExp, exp_lambda};
use super::shape::Shape;

/// Arrays of any shapes whose elements are all of type `T`: an array, or a tuple, a list or a `#[derive(Arrays)]` struct of such.
#[diagnostic::on_unimplemented(
    message = "the elements of `{Self}` are not all of type `{T}`",
    label = "arrays of one type of elements are needed",
    note = "integers beside floats are taken out before: `tree_map(f, (model.weights, model.bias))`"
)]
pub trait ArraysOf<T: Scalar>: Arrays {}

impl<Sh: Shape, T: Scalar> ArraysOf<T> for Acc<Sh, T> {}

macro_rules! tuples {
    ($(($($x:ident)+))*) => {$(
        impl<T: Scalar, $($x: ArraysOf<T>),+> ArraysOf<T> for ($($x,)+) {}
    )*};
}

tuples! {
    (A)
    (A B)
    (A B C)
    (A B C D)
    (A B C D F)
    (A B C D F G)
    (A B C D F G H)
    (A B C D F G H I)
    (A B C D F G H I J)
    (A B C D F G H I J K)
    (A B C D F G H I J K L)
    (A B C D F G H I J K L M)
    (A B C D F G H I J K L M N)
    (A B C D F G H I J K L M N O)
    (A B C D F G H I J K L M N O P)
    (A B C D F G H I J K L M N O P Q)
}

impl<T: Scalar, X: ArraysOf<T>, const N: usize> ArraysOf<T> for [X; N] where Self: Arrays {}

/// `f` on each element of all arrays.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let halved = |w: Acc<Ix2, f64>, b: Acc<Ix1, f64>| tree_map(|x| x / 2, (w, b));
/// let w = Array::<Ix2, _>::from_vec([1, 2], vec![1.0, 3.0])?;
/// let (w, b) = interpret(halved, (w, Array::vector(vec![5.0])?))?;
/// assert_eq!((w.to_vec(), b.to_vec()), (vec![0.5, 1.5], vec![2.5]));
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn tree_map<T: Scalar, X: ArraysOf<T>, R: Lift<T>>(f: impl Fn(Exp<T>) -> R, x: X) -> X {
    each_of(Call::here("tree_map"), [x], |[x]| f(x))
}

/// `f` on corresponding elements of arrays in two values of one form, such as parameters and the gradient by them; fails where two arrays are not of one shape.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // Gradient descent on weights and a bias.
/// type Model = (Acc<Ix1, f64>, Acc<Z, f64>);
/// let fit = |w: Acc<Ix1, f64>, b: Acc<Z, f64>, x: Acc<Ix2, f64>, y: Acc<Ix1, f64>| {
///     let loss = |(w, b): Model| (x.matvec(w) + b - y).sqr().mean();
///     aiterate(200, |_, m| tree_zip_with(|p, g| p - 0.5 * g, m, gradient_a(loss, m)), (w, b))
/// };
/// let x = Array::from_vec([3, 1], vec![-1.0, 0.0, 1.0])?;
/// let start = (Array::vector(vec![0.0])?, Array::scalar(0.0));
/// let (w, b) = interpret(fit, (start.0, start.1, x, Array::vector(vec![1.0, 3.0, 5.0])?))?;
/// assert!((w.to_vec()[0] - 2.0).abs() < 1e-9 && (b.item() - 3.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn tree_zip_with<T: Scalar, X: ArraysOf<T>, R: Lift<T>>(
    f: impl Fn(Exp<T>, Exp<T>) -> R,
    x: X,
    y: X,
) -> X {
    each_of(Call::here("tree_zip_with"), [x, y], |[x, y]| f(x, y))
}

/// `f` on corresponding elements; the others' arrays are of the shapes of the first one's.
fn each_of<T: Scalar, X: ArraysOf<T>, R: Lift<T>, const N: usize>(
    call: Call,
    all: [X; N],
    f: impl Fn([Exp<T>; N]) -> R,
) -> X {
    let mut columns = all.map(|arrays| columns_of(call, arrays));
    of_each_column(call, |ty| {
        let mut operands = columns.each_mut().map(|columns| columns.take(1));
        if let [first, others @ ..] = &mut operands[..] {
            let like_first = |x: &mut _| *x = node_acc::like(call, *x, (*first, ty.rank));
            others.iter_mut().for_each(like_first);
        }
        let f = exp_lambda(call, vec![T::TYPE; N], |params: &[RawExp]| {
            vec![
                f(std::array::from_fn(|i| Exp::from_raw(params[i])))
                    .lift()
                    .raw(),
            ]
        });
        node_acc::map(call, f, &operands)
    })
}
