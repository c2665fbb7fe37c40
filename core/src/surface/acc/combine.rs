//! Free functions on arrays: making them, choosing between them.

use super::Acc;
use super::rearrange::on_index;
use crate::surface::array::Array;
use crate::surface::arrays::{Arrays, to_raw};
use crate::surface::elt::{Elt, to_raw as exp_to_raw};
use crate::surface::given::ExpFn;
use crate::surface::lift::{IntoExp, Lift};
use crate::surface::node_acc;
use crate::surface::session::{Call, RawColumns};
use crate::surface::shape::{IntoShape, Shape, Z, dims};

/// A host array, as an implicit input of the program.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let weights = Array::vector(vec![0.5, 2.0])?;
/// let f = |x: Acc<Ix1, f64>| x.zip_with(use_(&weights), |x, w| w * x);
/// assert_eq!(interpret(f, Array::vector(vec![2.0, 3.0])?)?.to_vec(), [1.0, 6.0]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn use_<Sh: Shape, T: Elt>(array: &Array<Sh, T>) -> Acc<Sh, T> {
    let call = Call::here("use_");
    Acc::from_raw(node_acc::use_arrays(call, array.columns().to_vec()))
}

/// A single value as an array.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |x: Acc<Ix1, f64>| unit(x.at(ix![0]) - x.at(ix![1]));
/// assert_eq!(interpret(f, Array::vector(vec![2.0, 3.0])?)?.item(), -1.0);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn unit<X: IntoExp>(value: X) -> Acc<Z, X::Elt> {
    make(Call::here("unit"), Z, |_| value)
}

/// An array of the given shape with `f(i)` at each index i.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = || generate(ix![2, 2], |ix![i, j]| cond(i.eq_(j), 1.5, (i + 10 * j).to_f64()));
/// assert_eq!(interpret(f, ())?.to_vec(), [1.5, 10.0, 1.0, 1.5]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn generate<I: IntoShape, R, F>(shape: I, f: F) -> Acc<I::Shape, F::Elt>
where
    F: FnOnce(I::Shape) -> R + ExpFn<(I::Shape,)>,
{
    let call = Call::here("generate");
    make(call, shape.into_shape(), |index| f.apply((index,)))
}

/// An array of the given shape with `value` everywhere.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// assert_eq!(interpret(|| fill(ix![3], 0.5), ())?.to_vec(), [0.5, 0.5, 0.5]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn fill<I: IntoShape, X: IntoExp>(shape: I, value: X) -> Acc<I::Shape, X::Elt> {
    make(Call::here("fill"), shape.into_shape(), |_| value)
}

fn make<Sh: Shape, R: IntoExp>(call: Call, shape: Sh, f: impl FnOnce(Sh) -> R) -> Acc<Sh, R::Elt> {
    let f = on_index::<Sh>(call, |index| exp_to_raw::<R::Elt>(f(index).into_exp()));
    Acc::from_raw(node_acc::generate(call, &dims(shape), f))
}

/// `then` where `test` holds, else `else_`; the other one is not computed.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |x: Acc<Ix1, f64>| acond(x.inner().gt(2), x.reverse(), x);
/// assert_eq!(interpret(f, Array::vector(vec![1.0, 2.0, 3.0])?)?.to_vec(), [3.0, 2.0, 1.0]);
/// assert_eq!(interpret(f, Array::vector(vec![1.0, 2.0])?)?.to_vec(), [1.0, 2.0]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn acond<A: Arrays>(test: impl Lift<bool>, then: A, else_: A) -> A {
    let call = Call::here("acond");
    let test = test.lift().raw();
    let results = node_acc::cond(call, test, &to_raw(then), &to_raw(else_));
    A::from_columns(&mut RawColumns::of(call, results))
}
