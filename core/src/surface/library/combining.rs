//! Scatters that combine by any function.

use crate::surface::acc::{Acc, fill, generate};
use crate::surface::elt::{E, Elt};
use crate::surface::functions::cond;
use crate::surface::given::IntoAcc;
use crate::surface::lift::{Lift, literal};
use crate::surface::scalar::Exp;
use crate::surface::session::Call;
use crate::surface::shape::{IntoShape, Ix1, Shape, Snoc, Z, dims};
use crate::term::Combine;

impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// A [`permute`](Self::permute) that combines elements by an associative function: at each place the default, then in row-major order the
    /// elements that are sent there. Where one of [`Combine`] will do, that is faster.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // The least and the greatest element of each group.
    /// let ranges = |x: Acc<Ix1, f64>, group: Acc<Ix1, i32>| {
    ///     let none = fill(ix![3], (f64::INFINITY, -f64::INFINITY));
    ///     let both = |(a, b): (Exp<f64>, Exp<f64>), (c, d): (Exp<f64>, Exp<f64>)| (a.min(c), b.max(d));
    ///     x.map(|x| (x, x)).permute_with(both, none, |i| (true, ix![group.at(i)]))
    /// };
    /// let inputs = (Array::vector(vec![3.0, 1.0, 2.0])?, Array::vector(vec![2, 0, 2])?);
    /// let found = interpret(ranges, inputs)?.to_vec();
    /// assert_eq!(found, [(1.0, 1.0), (f64::INFINITY, f64::NEG_INFINITY), (2.0, 3.0)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    ///
    /// Time: that of a sort of the places, and of a scan of the elements in their order.
    #[track_caller]
    pub fn permute_with<Sh2: Shape, R, D, B: Lift<bool>, J: IntoShape<Shape = Sh2>, F>(
        self,
        combine: impl Fn(E<T>, E<T>) -> R,
        defaults: D,
        target: F,
    ) -> Acc<Sh2, T>
    where
        R: Lift<T>,
        D: IntoAcc<Sh2, T>,
        F: Fn(Sh) -> (B, J),
    {
        let call = Call::here("permute_with");
        let defaults = defaults.into_acc();
        let counts = call.throughout(|| {
            let ones = fill(self.shape(), 1);
            ones.permute(Combine::Add, fill(defaults.shape(), 0), &target)
        });
        let places =
            call.throughout(|| places(self.shape(), (defaults.shape(), defaults.size()), &target));
        let in_order = call.throughout(|| {
            let (order, values) = (places.argsort(), self.flatten());
            generate(order.shape(), |i: Ix1| values.at(Snoc(Z, order.at(i))))
        });
        let all = in_order.scanl1_segments(&combine, counts.flatten());
        let ends = call.throughout(|| counts.flatten().scanl1(|a, b| a + b));
        generate(defaults.shape(), move |index: Sh2| -> E<T> {
            let [default, last] = call.throughout(|| {
                let place = place(index, defaults.shape());
                let last = ends.at(Snoc(Z, place)) - 1;
                [defaults.at(index), all.at(Snoc(Z, last))]
            });
            let none = call.throughout(|| counts.at(index).eq_(0));
            cond::<T>(none, default, combine(default, last).lift())
        })
    }
}

/// To which place each element goes; behind all of them, if to none.
fn places<Sh: Shape, Sh2: Shape, B: Lift<bool>, J: IntoShape<Shape = Sh2>>(
    from: Sh,
    (to, size): (Sh2, Exp<i32>),
    target: impl Fn(Sh) -> (B, J),
) -> Acc<Ix1, i32> {
    let all = generate(from, |index| {
        let (goes, index) = target(index);
        cond::<i32>(goes, place(index.into_shape(), to), size)
    });
    all.flatten()
}

/// The position of an index in row-major order.
fn place<Sh: Shape>(index: Sh, shape: Sh) -> Exp<i32> {
    let [index, extents] =
        [index, shape].map(|shape| dims(shape).into_iter().map(Exp::<i32>::from_raw));
    let place = index
        .zip(extents)
        .fold(None, |place: Option<Exp<i32>>, (i, n)| {
            Some(place.map_or(i, |place| place * n + i))
        });
    place.unwrap_or_else(|| literal(0))
}
