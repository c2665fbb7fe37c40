//! Stencils: each element from its neighbours, and what is beyond the border.

use crate::surface::acc::{Acc, generate};
use crate::surface::elt::{E, Elt};
use crate::surface::functions::cond;
use crate::surface::given::{ExpFn, IntoAcc};
use crate::surface::lift::{Lift, literal_at};
use crate::surface::node_acc;
use crate::surface::scalar::Exp;
use crate::surface::session::Call;
use crate::surface::shape::{Dims, Ix1, Ix2, Shape, dims, from_dims};
use crate::term::{Axis, Move};
use std::fmt;
use std::rc::Rc;

/// What a [stencil](Acc::stencil) sees beyond the border of an array.
#[derive(Clone)]
#[non_exhaustive]
pub enum Boundary<Sh: Shape, T: Elt> {
    /// The nearest element.
    Clamp,
    /// The elements before the border in reverse, which the last one is not repeated of: beyond the end of `a b c` comes `b a`. As
    /// far as there are any, and the last one of these further on.
    Mirror,
    /// The other end.
    Wrap,
    /// One value everywhere.
    Constant(E<T>),
    /// A function of the index, which is out of range, made by [`Boundary::function`].
    Function(Rc<dyn Fn(Sh) -> E<T>>),
}

impl<Sh: Shape, T: Elt> Boundary<Sh, T> {
    /// One value everywhere.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let sums = |v: Acc<Ix1, i32>| v.stencil(Boundary::constant(0), |s| s.at([-1]) + s.at([1]));
    /// assert_eq!(interpret(sums, Array::vector(vec![1, 2, 5])?)?.to_vec(), [2, 6, 2]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn constant(value: impl Lift<T>) -> Self {
        Self::Constant(value.lift())
    }

    /// A function of the index, of which a coordinate is negative, or the extent or more.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let sums = |v: Acc<Ix1, i32>| v.stencil(Boundary::function(|ix![i]| 10 * i), |s| s.at([-1]) + s.at([1]));
    /// assert_eq!(interpret(sums, Array::vector(vec![1, 2, 5])?)?.to_vec(), [-8, 6, 32]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    pub fn function<R: Lift<T>>(f: impl Fn(Sh) -> R + 'static) -> Self {
        Self::Function(Rc::new(move |index| f(index).lift()))
    }
}

impl<Sh: Shape, T: Elt> fmt::Debug for Boundary<Sh, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Clamp => "Clamp",
            Self::Mirror => "Mirror",
            Self::Wrap => "Wrap",
            Self::Constant(_) => "Constant",
            Self::Function(_) => "Function",
        })
    }
}

/// An element and its neighbours, in a [stencil](Acc::stencil).
#[derive(Debug)]
pub struct Stencil<Sh: Shape, T: Elt> {
    array: Acc<Sh, T>,
    index: Sh,
    boundary: Boundary<Sh, T>,
}

impl<Sh: Shape, T: Elt> Stencil<Sh, T> {
    /// The element so many positions further along each dimension: `s.at([0, 0])` is the element itself, `s.at([-1, 0])` the one above.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let from_the_left = |m: Acc<Ix2, i32>| m.stencil(Boundary::Clamp, |s| s.at([0, -1]));
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1, 2, 3, 4])?;
    /// assert_eq!(interpret(from_the_left, m)?.to_vec(), [1, 1, 3, 3]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn at<const N: usize>(&self, offset: [i32; N]) -> E<T>
    where
        [i32; N]: Dims<Sh>,
    {
        self.there(Call::here("stencil"), &offset)
    }

    fn there(&self, call: Call, offset: &[i32]) -> E<T> {
        call.throughout(|| match &self.boundary {
            Boundary::Clamp => self.inside(offset, |at, n| at.max(0).min(n - 1)),
            Boundary::Mirror => self.inside(offset, |at, n| {
                let first = at.max(0 - at);
                first.min(2 * n - 2 - first).max(0).min(n - 1)
            }),
            Boundary::Wrap => self.rolled(call, offset).at(self.index),
            Boundary::Constant(value) => self.or_else(offset, |_| *value),
            Boundary::Function(f) => self.or_else(offset, |index| f(index)),
        })
    }

    /// The coordinates there, where those of moved dimensions are changed by `f`, which is given the extents.
    fn inside(&self, offset: &[i32], f: impl Fn(Exp<i32>, Exp<i32>) -> Exp<i32>) -> E<T> {
        let all = self.moved(offset).zip(offset);
        let index: Vec<_> = all
            .map(|((at, n), by)| if *by == 0 { at } else { f(at, n) }.raw())
            .collect();
        self.array.at(from_dims::<Sh>(&index))
    }

    /// The coordinates there, and the extents.
    fn moved(&self, offset: &[i32]) -> impl Iterator<Item = (Exp<i32>, Exp<i32>)> {
        let all = dims(self.index).into_iter().zip(dims(self.array.shape()));
        all.zip(offset.to_vec()).map(|((at, n), by)| {
            let at = Exp::<i32>::from_raw(at);
            (if by == 0 { at } else { at + by }, Exp::from_raw(n))
        })
    }

    /// The element there, or what `f` makes of the index where there is none.
    fn or_else(&self, offset: &[i32], f: impl FnOnce(Sh) -> E<T>) -> E<T> {
        let all: Vec<_> = self.moved(offset).collect();
        let index: Vec<_> = all.iter().map(|(at, _)| at.raw()).collect();
        let index = from_dims::<Sh>(&index);
        let tests = all.iter().zip(offset).filter(|(_, by)| **by != 0);
        let tests = tests.map(|(&(at, n), &by)| if by < 0 { at.ge(0) } else { at.lt(n) });
        match tests.reduce(|a, b| a.and(b)) {
            Some(is_inside) => cond::<T>(is_inside, self.array.at(index), f(index)),
            None => self.array.at(index),
        }
    }

    /// The array with what is at the offset at each index.
    fn rolled(&self, call: Call, offset: &[i32]) -> Acc<Sh, T> {
        let moved: Vec<i32> = offset.iter().copied().filter(|by| *by != 0).collect();
        if moved.is_empty() {
            return self.array;
        }
        let axis = |by: &i32| if *by == 0 { Axis::All } else { Axis::Fixed };
        let axes = offset.iter().map(axis).collect();
        let back = |by: i32| literal_at(call, by.wrapping_neg()).raw();
        let amounts = moved.into_iter().map(back).collect();
        let how = Move::Roll { axes, amounts };
        Acc::from_raw(node_acc::moved(call, &how, self.array.raw()))
    }
}

impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// `f` of each element and its neighbours.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let smooth = |v: Acc<Ix1, f64>| {
    ///     v.stencil(Boundary::Clamp, |s| (s.at([-1]) + 2.0 * s.at([0]) + s.at([1])) / 4.0)
    /// };
    /// assert_eq!(interpret(smooth, Array::vector(vec![0.0, 4.0, 8.0])?)?.to_vec(), [1.0, 4.0, 7.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn stencil<R, F>(self, boundary: Boundary<Sh, T>, f: F) -> Acc<Sh, F::Elt>
    where
        F: FnOnce(Stencil<Sh, T>) -> R + ExpFn<(Stencil<Sh, T>,)>,
    {
        generate(self.shape(), move |index: Sh| -> E<F::Elt> {
            f.apply((self.around(index, boundary),))
        })
    }

    /// `f` of each element and its neighbours in two arrays of one shape; fails where the shapes are not the same.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let flow = |v: Acc<Ix1, f64>, k: Acc<Ix1, f64>| {
    ///     v.stencil2(Boundary::Clamp, k, Boundary::constant(0.0), |v, k| k.at([1]) * (v.at([1]) - v.at([0])))
    /// };
    /// let inputs = (Array::vector(vec![1.0, 3.0])?, Array::vector(vec![2.0, 0.5])?);
    /// assert_eq!(interpret(flow, inputs)?.to_vec(), [1.0, 0.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn stencil2<U: Elt, B: IntoAcc<Sh, U>, R, F>(
        self,
        boundary: Boundary<Sh, T>,
        other: B,
        other_boundary: Boundary<Sh, U>,
        f: F,
    ) -> Acc<Sh, F::Elt>
    where
        F: FnOnce(Stencil<Sh, T>, Stencil<Sh, U>) -> R + ExpFn<(Stencil<Sh, T>, Stencil<Sh, U>)>,
    {
        let other = other.into_acc().expect_shape(self.shape());
        generate(self.shape(), move |index: Sh| -> E<F::Elt> {
            let of_other = other.around(index, other_boundary);
            f.apply((self.around(index, boundary), of_other))
        })
    }

    fn around(self, index: Sh, boundary: Boundary<Sh, T>) -> Stencil<Sh, T> {
        Stencil {
            array: self,
            index,
            boundary,
        }
    }
}

impl<T: Elt> Acc<Ix1, T> {
    /// `f` of each element and those around it, as many as its pattern has: a [`stencil`](Acc::stencil) whose neighbours have names, as Accelerate's
    /// have.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let curvature = |v: Acc<Ix1, f64>| {
    ///     v.windows(Boundary::Clamp, |[left, here, right]| left - 2 * here + right)
    /// };
    /// assert_eq!(interpret(curvature, Array::vector(vec![0.0, 1.0, 5.0])?)?.to_vec(), [1.0, 3.0, -4.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn windows<const N: usize, R, F>(self, boundary: Boundary<Ix1, T>, f: F) -> Acc<Ix1, F::Elt>
    where
        F: FnOnce([E<T>; N]) -> R + ExpFn<([E<T>; N],)>,
    {
        let call = Call::here("windows");
        generate(self.shape(), move |index: Ix1| -> E<F::Elt> {
            let around = self.around(index, boundary);
            f.apply((offsets().map(|i| around.there(call, &[i])),))
        })
    }
}

impl<T: Elt> Acc<Ix2, T> {
    /// `f` of each element and those around it, as many rows and columns as its pattern has: a [`stencil`](Acc::stencil) whose neighbours have names,
    /// as Accelerate's have.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let around = |m: Acc<Ix2, i32>| {
    ///     m.windows(Boundary::constant(0), |[[_, up, _], [left, _, right], [_, down, _]]| up + left + right + down)
    /// };
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1, 2, 3, 4])?;
    /// assert_eq!(interpret(around, m)?.to_vec(), [5, 5, 5, 5]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn windows<const ROWS: usize, const COLUMNS: usize, R, F>(
        self,
        boundary: Boundary<Ix2, T>,
        f: F,
    ) -> Acc<Ix2, F::Elt>
    where
        F: FnOnce([[E<T>; COLUMNS]; ROWS]) -> R + ExpFn<([[E<T>; COLUMNS]; ROWS],)>,
    {
        let call = Call::here("windows");
        generate(self.shape(), move |index: Ix2| -> E<F::Elt> {
            let around = self.around(index, boundary);
            f.apply((offsets().map(|i| offsets().map(|j| around.there(call, &[i, j]))),))
        })
    }
}

/// So many offsets in a row, of which the one in the middle, or right of it, is 0.
fn offsets<const N: usize>() -> [i32; N] {
    let mut next = -((N / 2) as i32);
    [(); N].map(|()| {
        next += 1;
        next - 1
    })
}
