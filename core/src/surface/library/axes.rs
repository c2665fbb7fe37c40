//! Whole dimensions: their order, arrays one after the other, repetition, margins.

use crate::surface::acc::{Acc, generate};
use crate::surface::elt::Elt;
use crate::surface::functions::cond;
use crate::surface::given::IntoAcc;
use crate::surface::lift::Lift;
use crate::surface::scalar::Exp;
use crate::surface::session::{Call, RawAcc, RawExp};
use crate::surface::shape::{HasInner, IntoShape, Shape, Snoc, dims, from_dims};
use crate::surface::{node_acc, node_exp};
use crate::term::Move;

impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// Moves a dimension to another place among the dimensions, where 0 is the outermost one. So what works along the inner dimension
    /// works along any: `m.move_axis(0, 1).sum()` are the sums of the columns. Costs nothing by itself: who reads the array reads it in
    /// that order.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let columns = |m: Acc<Ix2, f64>| m.move_axis(0, 1).sum();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(interpret(columns, m)?.to_vec(), [4.0, 6.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn move_axis(self, from: usize, to: usize) -> Self {
        let call = Call::here("move_axis");
        let last = from.max(to);
        if last >= Sh::RANK {
            let problem = format!(
                "there is no dimension {last}: the array has {}, and the outermost one is number 0",
                Sh::RANK
            );
            return Acc::from_raw(node_acc::misused(call, problem));
        }
        let shape = from_dims::<Sh>(&moved(dims(self.shape()), from, to));
        self.backpermute(shape, |index| {
            from_dims::<Sh>(&moved(dims(index), to, from))
        })
    }

    /// The array as often as the shape `times` says along each dimension.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.tile(ix![2]);
    /// assert_eq!(interpret(f, Array::vector(vec![1, 2, 3])?)?.to_vec(), [1, 2, 3, 1, 2, 3]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn tile<I: IntoShape<Shape = Sh>>(self, times: I) -> Self {
        let call = Call::here("tile");
        let extents = self.shape();
        let shape = each(extents, times.into_shape(), |n, times| n * times);
        self.backpermute(shape, move |index| {
            call.throughout(|| each(index, extents, |i, n| i % n))
        })
    }

    /// The array with a margin of `value` around it: along each dimension so many elements before it and after it. Negative numbers take elements
    /// away.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.pad(ix![1], ix![2], 0.5);
    /// assert_eq!(interpret(f, Array::vector(vec![1.0, 2.0])?)?.to_vec(), [0.5, 1.0, 2.0, 0.5, 0.5]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn pad<I, J, V>(self, before: I, after: J, value: V) -> Self
    where
        I: IntoShape<Shape = Sh>,
        J: IntoShape<Shape = Sh>,
        V: Lift<T>,
    {
        let call = Call::here("pad");
        let (extents, before, value) = (self.shape(), before.into_shape(), value.lift());
        let margins = each(before, after.into_shape(), |before, after| before + after);
        let shape = each(extents, margins, |n, margin| n + margin);
        generate(shape, move |index| {
            call.throughout(|| {
                let inside = each(index, before, |i, before| i - before);
                let pairs = dims(inside).into_iter().zip(dims(extents));
                let tests = pairs.map(|(i, n)| {
                    let (i, n) = (Exp::<i32>::from_raw(i), Exp::<i32>::from_raw(n));
                    i.ge(0).and(i.lt(n))
                });
                match tests.reduce(|a, b| a.and(b)) {
                    Some(is_inside) => cond::<T>(is_inside, self.at(inside), value),
                    None => self.at(inside),
                }
            })
        })
    }

    /// The elements of this array, then those of `other`, along the outermost dimension. Fails where other extents differ, and where the
    /// outermost one would exceed an `i32`. (Accelerate's `++` takes the lesser of the other extents: cut both by [`slice`](Acc::slice) for that.)
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |a: Acc<Ix1, i32>, b: Acc<Ix1, i32>| a.append(b).append(a);
    /// let inputs = (Array::vector(vec![1, 2])?, Array::vector(vec![3])?);
    /// assert_eq!(interpret(f, inputs)?.to_vec(), [1, 2, 3, 1, 2]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn append<B: IntoAcc<Sh, T>>(self, other: B) -> Acc<Sh, T>
    where
        Sh: HasInner,
    {
        appended(Call::here("append"), self, &[other.into_acc()])
    }
}

/// The dimensions with that at `from` at `to`.
fn moved(mut dims: Vec<RawExp>, from: usize, to: usize) -> Vec<RawExp> {
    let dim = dims.remove(from);
    dims.insert(to, dim);
    dims
}

/// Corresponding dimensions of two shapes or indices, combined.
#[track_caller]
fn each<Sh: Shape>(x: Sh, y: Sh, f: impl Fn(Exp<i32>, Exp<i32>) -> Exp<i32>) -> Sh {
    let pairs = dims(x).into_iter().zip(dims(y));
    let combined = pairs.map(|(x, y)| f(Exp::from_raw(x), Exp::from_raw(y)).raw());
    from_dims(&combined.collect::<Vec<_>>())
}

/// Arrays one after the other, along the outermost dimension; fails where other extents differ, and needs at least one array.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |a: Acc<Ix1, i32>, b: Acc<Ix1, i32>| concat(&[a, b, a]);
/// let inputs = (Array::vector(vec![1, 2])?, Array::vector(vec![3])?);
/// assert_eq!(interpret(f, inputs)?.to_vec(), [1, 2, 3, 1, 2]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn concat<Sh: Shape + HasInner, T: Elt>(arrays: &[Acc<Sh, T>]) -> Acc<Sh, T> {
    let call = Call::here("concat");
    let Some((first, others)) = arrays.split_first() else {
        return Acc::from_raw(node_acc::misused(call, "there is no array to begin with"));
    };
    appended(call, *first, others)
}

/// An array and others, of which all extents but the outermost have to be its own.
fn appended<Sh: Shape + HasInner, T: Elt>(
    call: Call,
    first: Acc<Sh, T>,
    others: &[Acc<Sh, T>],
) -> Acc<Sh, T> {
    let of = |array: RawAcc, axis| node_exp::extent(call, array, axis);
    let expected = others.iter().map(|other| {
        let others = (1..Sh::RANK).map(|axis| of(first.raw(), axis));
        let shape = std::iter::once(of(other.raw(), 0)).chain(others).collect();
        node_acc::moved(call, &Move::Expect { shape }, other.raw())
    });
    let all: Vec<RawAcc> = std::iter::once(first.raw()).chain(expected).collect();
    Acc::from_raw(node_acc::append(call, &all))
}

/// Arrays of one shape as those of a further, outermost dimension; fails where shapes differ, and needs at least one array.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |a: Acc<Ix1, i32>, b: Acc<Ix1, i32>| stack(&[a, b]).transpose();
/// let inputs = (Array::vector(vec![1, 2])?, Array::vector(vec![3, 4])?);
/// assert_eq!(interpret(f, inputs)?.to_vec(), [1, 3, 2, 4]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn stack<Sh: Shape, T: Elt>(arrays: &[Acc<Sh, T>]) -> Acc<Snoc<Sh>, T> {
    let one = Lift::<i32>::lift(1).raw();
    let row = |array: &Acc<Sh, T>| {
        let shape = [vec![one], dims(array.shape())].concat();
        array.reshape(from_dims::<Snoc<Sh>>(&shape))
    };
    let mut rows = vec![];
    for array in arrays {
        rows.push(row(array));
    }
    concat(&rows)
}
