//! The same elements elsewhere: shapes, slices, gathers and scatters.

use super::Acc;
use crate::graph::ExpLambda;
use crate::prim::Prim;
use crate::surface::elt::Elt;
use crate::surface::given::IntoAcc;
use crate::surface::lift::{Lift, literal_at};
use crate::surface::node_acc;
use crate::surface::node_exp;
use crate::surface::scalar::Exp;
use crate::surface::session::{Call, RawAcc, RawExp, RawExps, exp_lambda};
use crate::surface::shape::{HasInner, InnerOf, IntoShape, Ix1, Ix2, Shape, Snoc, Z, dims};
use crate::surface::slice::{Kept, Section, Slice};
use crate::term::{Axis, Combine, Move};
use crate::types::ScalarType;

/// The lambda of a closure on an index of shape `Sh`.
pub(super) fn on_index<Sh: Shape>(
    call: Call,
    f: impl FnOnce(Sh) -> Vec<RawExp>,
) -> Option<ExpLambda> {
    exp_lambda(call, vec![ScalarType::I32; Sh::RANK], |params| {
        f(Sh::from_raw(&mut RawExps::new(params)))
    })
}

/// The array repeated along the outer ones of these dimensions, which are those of `Whole`; the inner ones have to be its own.
pub(super) fn broadcast<Sh: Shape, Whole, T: Elt>(
    call: Call,
    array: Acc<Sh, T>,
    mut extents: Vec<RawExp>,
) -> Acc<Whole, T> {
    let inner = extents.split_off(extents.len() - Sh::RANK);
    let expected = node_acc::moved(call, &Move::Expect { shape: inner }, array.raw);
    let mut axes = vec![Axis::Fixed; extents.len()];
    axes.resize(axes.len() + Sh::RANK, Axis::All);
    let how = Move::Replicate { axes, extents };
    Acc::from_raw(node_acc::moved(call, &how, expected))
}

impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// The same elements, in row-major order, under another shape; fails where the numbers of elements
    /// differ.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.reshape(ix![2, v.inner() / 2]);
    /// let m = interpret(f, Array::vector(vec![1, 2, 3, 4])?)?;
    /// assert_eq!((m.shape(), m.get([1, 0])), (&[2, 2][..], Some(3)));
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn reshape<I: IntoShape>(self, shape: I) -> Acc<I::Shape, T> {
        let shape = dims(shape.into_shape());
        self.moved(Call::here("reshape"), Move::Reshape { shape })
    }

    /// The array itself; fails where its shape is another one.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let square = |m: Acc<Ix2, f64>| m.expect_shape(ix![m.inner(), m.inner()]);
    /// assert!(interpret(square, Array::<Ix2, _>::from_vec([2, 2], vec![0.0; 4])?).is_ok());
    /// assert!(interpret(square, Array::<Ix2, _>::from_vec([1, 2], vec![0.0; 2])?).is_err());
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn expect_shape<I: IntoShape<Shape = Sh>>(self, shape: I) -> Self {
        let shape = dims(shape.into_shape());
        self.moved(Call::here("expect_shape"), Move::Expect { shape })
    }

    /// The array itself, in memory: what reads it does not compute it again. Fusion decides by itself what is worth that, from costs
    /// that it estimates, and mostly well; this is for where you know better, as where elements are expensive for reasons that do not
    /// show in the program, or are read at few places many times.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // Each element is the sum of its neighbours' squares, which are computed once.
    /// let f = |v: Acc<Ix1, f64>| {
    ///     let squares = v.map(|x| x * x).compute();
    ///     let next = |i: Exp<i32>| squares.at(ix![(i + 1).min(v.inner() - 1)]);
    ///     generate(v.shape(), |ix![i]| squares.at(ix![(i - 1).max(0)]) + next(i))
    /// };
    /// assert_eq!(interpret(f, Array::vector(vec![1.0, 2.0, 3.0])?)?.to_vec(), [5.0, 10.0, 13.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    ///
    /// Derivatives go through it. What is in memory already, as arguments are, is not copied; what is the same everywhere stays a constant.
    #[track_caller]
    pub fn compute(self) -> Self {
        self.moved(Call::here("compute"), Move::Stored)
    }

    /// Repeats the array along further outer dimensions, as many as the shape has more; fails where the inner extents of that are not
    /// the array's.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let centred = |m: Acc<Ix2, f64>, at: Acc<Ix1, f64>| m - at.broadcast(m.shape());
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    /// let found = interpret(centred, (m, Array::vector(vec![1.0, 2.0])?))?;
    /// assert_eq!(found.to_vec(), [0.0, 0.0, 2.0, 2.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn broadcast<I: IntoShape>(self, shape: I) -> Acc<I::Shape, T>
    where
        Sh: InnerOf<I::Shape>,
    {
        broadcast(Call::here("broadcast"), self, dims(shape.into_shape()))
    }

    /// All elements as a vector.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, i32>| m.flatten();
    /// let v = interpret(f, Array::<Ix2, _>::from_vec([2, 2], vec![1, 2, 3, 4])?)?;
    /// assert_eq!((v.shape(), v.to_vec()), (&[4][..], vec![1, 2, 3, 4]));
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn flatten(self) -> Acc<Ix1, T> {
        if Sh::RANK == 1 {
            return Acc::from_raw(self.raw);
        }
        self.reshape(Snoc(Z, self.size()))
    }

    /// Repeats the array along new dimensions: `v.replicate(ix![n, All])` has n rows `v`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let rows = |v: Acc<Ix1, i32>| v.replicate(ix![2, All]);
    /// let columns = |v: Acc<Ix1, i32>| v.replicate(ix![All, 2]);
    /// let v = Array::vector(vec![1, 2])?;
    /// assert_eq!(interpret(rows, v.clone())?.to_vec(), [1, 2, 1, 2]);
    /// assert_eq!(interpret(columns, v)?.to_vec(), [1, 1, 2, 2]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn replicate<S: Slice<Sliced = Sh>>(self, slice: S) -> Acc<S::Full, T> {
        let (axes, extents) = describe(slice);
        self.moved(Call::here("replicate"), Move::Replicate { axes, extents })
    }

    /// Cuts the array at positions of some dimensions, which are gone then, and keeps a range of others: `m.slice(ix![All, 0])` is the
    /// first column, `m.slice(ix![1.., ..3])` three columns without the first row. Fails where a position is out of range;
    /// [`take`](Self::take) and [`drop`](Self::drop) go as far as there are elements.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let column = |m: Acc<Ix2, i32>| m.slice(ix![All, 1]);
    /// let part = |m: Acc<Ix2, i32>| m.slice(ix![1, 0..2]);
    /// let m = Array::<Ix2, _>::from_vec([2, 3], vec![1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(interpret(column, m.clone())?.to_vec(), [2, 5]);
    /// assert_eq!(interpret(part, m)?.to_vec(), [4, 5]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn slice<S: Section<Full = Sh>>(self, slice: S) -> Acc<S::Sliced, T> {
        let call = Call::here("slice");
        let mut parts = vec![];
        slice.parts(&mut parts);
        Acc::from_raw(ranges(call, cut(call, self.raw, &parts), &parts))
    }

    /// Moves the elements on along some dimensions, by any amounts; what leaves at one end comes back at the other.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let on = |v: Acc<Ix1, i32>| v.roll(ix![1]);
    /// let columns_back = |m: Acc<Ix2, i32>| m.roll(ix![All, -1]);
    /// assert_eq!(interpret(on, Array::vector(vec![1, 2, 3])?)?.to_vec(), [3, 1, 2]);
    /// let m = Array::<Ix2, _>::from_vec([2, 3], vec![1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(interpret(columns_back, m)?.to_vec(), [2, 3, 1, 5, 6, 4]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn roll<S: Slice<Full = Sh>>(self, amounts: S) -> Acc<Sh, T> {
        let (axes, amounts) = describe(amounts);
        self.moved(Call::here("roll"), Move::Roll { axes, amounts })
    }

    /// An array of the given shape, whose element at i is this array's at `f(i)`: a gather. Fails where
    /// that is out of range.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let every_second = |v: Acc<Ix1, i32>| v.backpermute(ix![v.inner() / 2], |ix![i]| ix![2 * i]);
    /// assert_eq!(interpret(every_second, Array::vector(vec![1, 2, 3, 4])?)?.to_vec(), [1, 3]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn backpermute<I: IntoShape, J: IntoShape<Shape = Sh>, F>(
        self,
        shape: I,
        f: F,
    ) -> Acc<I::Shape, T>
    where
        F: FnOnce(I::Shape) -> J,
    {
        let call = Call::here("backpermute");
        let shape = dims(shape.into_shape());
        let f = on_index::<I::Shape>(call, |index| dims(f(index).into_shape()));
        self.moved(call, Move::Backpermute { shape, f })
    }

    /// Sends the elements into a copy of `defaults`, a scatter: from an index of this array, `target` gives
    /// whether the element goes anywhere, and where. Fails where that is out of range. Sums of `f32` and `f16` are
    /// wider on the way, as those of [`sum`](Self::sum) are.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let histogram = |keys: Acc<Ix1, i32>| {
    ///     let ones = fill(keys.shape(), 1);
    ///     ones.permute(Combine::Add, fill(ix![3], 0), |i| {
    ///         let key = keys.at(i);
    ///         (key.ge(0).and(key.lt(3)), ix![key]) // Whether it goes anywhere, and where.
    ///     })
    /// };
    /// assert_eq!(interpret(histogram, Array::vector(vec![2, 0, 2, 7])?)?.to_vec(), [1, 0, 2]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn permute<Sh2: Shape, D, B: Lift<bool>, J: IntoShape<Shape = Sh2>, F>(
        self,
        combine: Combine,
        defaults: D,
        target: F,
    ) -> Acc<Sh2, T>
    where
        D: IntoAcc<Sh2, T>,
        F: FnOnce(Sh) -> (B, J),
    {
        let call = Call::here("permute");
        let target = on_index::<Sh>(call, |index| {
            let (goes, to) = target(index);
            let mut results = vec![goes.lift().raw()];
            to.into_shape().to_raw(&mut results);
            results
        });
        Acc::from_raw(node_acc::permute(
            call,
            combine,
            defaults.into_acc().raw,
            target,
            self.raw,
        ))
    }

    /// Sends each element to the position that `to` has for it, into a copy of `defaults`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let totals = |x: Acc<Ix1, f64>, to: Acc<Ix1, i32>| x.scatter(Combine::Add, fill(ix![3], 0.0), to);
    /// let inputs = (Array::vector(vec![0.5, 1.0, 2.0])?, Array::vector(vec![2, 0, 2])?);
    /// assert_eq!(interpret(totals, inputs)?.to_vec(), [1.0, 0.0, 2.5]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn scatter<D, P>(self, combine: Combine, defaults: D, to: P) -> Acc<Ix1, T>
    where
        D: IntoAcc<Ix1, T>,
        P: IntoAcc<Sh, i32>,
    {
        let call = Call::here("scatter");
        let (defaults, to) = (defaults.into_acc(), to.into_acc());
        let target = on_index::<Sh>(call, |index| {
            let position = to.read(call, index);
            vec![literal_at(call, true).raw(), position.raw()]
        });
        Acc::from_raw(node_acc::permute(
            call,
            combine,
            defaults.raw,
            target,
            self.raw,
        ))
    }

    /// The inner dimension in reverse.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, i32>| m.reverse();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1, 2, 3, 4])?;
    /// assert_eq!(interpret(f, m)?.to_vec(), [2, 1, 4, 3]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn reverse(self) -> Acc<Sh, T>
    where
        Sh: HasInner,
    {
        let call = Call::here("reverse");
        let shape = dims(self.shape());
        let last = self.inner() - 1;
        let f = exp_lambda(call, vec![ScalarType::I32; Sh::RANK], |params| {
            let mut index = params.to_vec();
            if let Some(inner) = index.last_mut() {
                *inner = last.prim_at::<i32>(call, Prim::Sub, &[*inner]).raw();
            }
            index
        });
        self.moved(call, Move::Backpermute { shape, f })
    }

    fn moved<To>(self, call: Call, how: Move<Vec<RawExp>, Option<ExpLambda>>) -> Acc<To, T> {
        Acc::from_raw(node_acc::moved(call, &how, self.raw))
    }
}

impl<T: Elt> Acc<Ix2, T> {
    /// Rows for columns.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, i32>| m.transpose();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1, 2, 3, 4])?;
    /// assert_eq!(interpret(f, m)?.to_vec(), [1, 3, 2, 4]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn transpose(self) -> Acc<Ix2, T> {
        let call = Call::here("transpose");
        let Snoc(Snoc(Z, rows), columns) = self.shape();
        let f = on_index::<Ix2>(call, |Snoc(Snoc(Z, i), j)| vec![j.raw(), i.raw()]);
        let shape = vec![columns.raw(), rows.raw()];
        self.moved(call, Move::Backpermute { shape, f })
    }
}

impl<Sh: Shape, T: Elt, const N: usize> Acc<Sh, [T; N]> {
    /// Elements that are arrays, as a new inner dimension of extent `N`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, [i32; 2]>| v.unpack();
    /// let m = interpret(f, Array::vector(vec![[1, 2], [3, 4], [5, 6]])?)?;
    /// assert_eq!((m.shape(), m.get([2, 0])), (&[3, 2][..], Some(5)));
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn unpack(self) -> Acc<Snoc<Sh>, T> {
        Acc::from_raw(node_acc::unpack(Call::here("unpack"), N, self.raw))
    }
}

/// The array at the positions that are given, without the dimensions of these.
fn cut(call: Call, array: RawAcc, parts: &[Kept]) -> RawAcc {
    let one = |part: &Kept| match *part {
        Kept::One(at) => Some(at),
        Kept::All | Kept::Range(..) => None,
    };
    let indices: Vec<RawExp> = parts.iter().filter_map(one).collect();
    let has_range = parts.iter().any(|part| matches!(part, Kept::Range(..)));
    if indices.is_empty() && has_range {
        return array;
    }
    let axis = |part: &Kept| one(part).map_or(Axis::All, |_| Axis::Fixed);
    let axes = parts.iter().map(axis).collect();
    node_acc::moved(call, &Move::Slice { axes, indices }, array)
}

/// The ranges of the dimensions that stay.
fn ranges(call: Call, array: RawAcc, parts: &[Kept]) -> RawAcc {
    let stay = parts.iter().filter(|part| !matches!(part, Kept::One(_)));
    let (mut shape, mut starts) = (vec![], vec![]);
    for (axis, part) in stay.enumerate() {
        let extent = || node_exp::extent(call, array, axis);
        let (start, end) = match *part {
            Kept::Range(start, end) => (start, end.unwrap_or_else(extent)),
            Kept::All | Kept::One(_) => (None, extent()),
        };
        let length = start.map(|start| prim(call, Prim::Sub, end, start));
        shape.push(length.unwrap_or(end));
        starts.push(start);
    }
    if !parts.iter().any(|part| matches!(part, Kept::Range(..))) {
        return array;
    }
    let f = exp_lambda(call, vec![ScalarType::I32; shape.len()], |index| {
        let at = index.iter().zip(&starts);
        let at = at.map(|(&i, start)| start.map_or(i, |start| prim(call, Prim::Add, start, i)));
        at.collect()
    });
    node_acc::moved(call, &Move::Backpermute { shape, f }, array)
}

fn prim(call: Call, op: Prim, x: RawExp, y: RawExp) -> RawExp {
    Exp::<i32>::from_raw(x).prim_at::<i32>(call, op, &[y]).raw()
}

fn describe<S: Slice>(slice: S) -> (Vec<Axis>, Vec<RawExp>) {
    let (mut axes, mut fixed) = (vec![], vec![]);
    slice.describe(&mut axes, &mut fixed);
    (axes, fixed)
}
