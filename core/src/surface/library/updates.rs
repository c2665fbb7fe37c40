//! Arrays of which a part is replaced.
//!
//! In a loop that carries the array these are updates in place: a trip costs what it touches, and a derivative keeps the elements that are
//! overwritten, not the array.

use crate::surface::acc::{Acc, unit};
use crate::surface::elt::{E, Elt};
use crate::surface::functions::cond;
use crate::surface::given::IntoAcc;
use crate::surface::lift::{IntoExp, Lift};
use crate::surface::scalar::{Exp, Num};
use crate::surface::session::Call;
use crate::surface::shape::{IntoShape, Shape, Z, dims, from_dims};
use crate::term::Combine;

impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// This array with another element at an index; fails where that is out of range. `x.at[i].set(y)` in JAX.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.set(ix![1], v.at(ix![0]) * 10);
    /// assert_eq!(interpret(f, Array::vector(vec![1, 2, 3])?)?.to_vec(), [1, 10, 3]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn set<I: IntoShape<Shape = Sh>, X: Lift<T>>(self, index: I, value: X) -> Self {
        self.sent(
            Call::here("set"),
            Combine::Overwrite,
            (index.into_shape(), value.lift()),
        )
    }

    /// This array with another one written over it, from the index `start` on; fails where that goes beyond its ends.
    /// `lax.dynamic_update_slice` in JAX, which moves the start instead.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>, part: Acc<Ix1, i32>| v.update_slice(ix![1], part);
    /// let inputs = (Array::vector(vec![1, 2, 3, 4])?, Array::vector(vec![8, 9])?);
    /// assert_eq!(interpret(f, inputs)?.to_vec(), [1, 8, 9, 4]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn update_slice<I: IntoShape<Shape = Sh>, P: IntoAcc<Sh, T>>(
        self,
        start: I,
        part: P,
    ) -> Self {
        let (call, start) = (Call::here("update_slice"), dims(start.into_shape()));
        let part = part.into_acc();
        call.throughout(|| {
            // Arrays of their own, so that all elements go to one place, whatever says where: no two meet.
            let start = start.into_iter().map(|s| unit(Exp::<i32>::from_raw(s)));
            let start: Vec<Acc<Z, i32>> = start.collect();
            part.permute(Combine::Overwrite, self, |index: Sh| {
                let pairs = start.iter().zip(dims(index));
                let moved = pairs.map(|(s, i)| s.the() + Exp::<i32>::from_raw(i));
                let moved: Vec<_> = moved.map(Exp::raw).collect();
                (true, from_dims::<Sh>(&moved))
            })
        })
    }

    fn sent(self, call: Call, combine: Combine, (index, value): (Sh, E<T>)) -> Self {
        call.throughout(|| unit(value).permute(combine, self, |Z| (true, index)))
    }
}

impl<Sh: Shape, T: Num> Acc<Sh, T> {
    /// This array with a number added to one element; fails where the index is out of range. `x.at[i].add(y)` in JAX.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.add_at(ix![1], 10);
    /// assert_eq!(interpret(f, Array::vector(vec![1, 2, 3])?)?.to_vec(), [1, 12, 3]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn add_at<I: IntoShape<Shape = Sh>, X: Lift<T>>(self, index: I, value: X) -> Self {
        self.sent(
            Call::here("add_at"),
            Combine::Add,
            (index.into_shape(), value.lift()),
        )
    }
}

/// Arrays `[T; N]` of expressions, as elements and states of loops have them, by a position that the program computes.
///
/// A loop that reads or replaces entries at computed positions, of an array of more than eight (on GPUs, sixteen), holds it in memory: a
/// trip costs what it touches, however large N is, in values and in forward mode. What a loop begins with and gives are N values, which are
/// written and read when it begins and ends, also where it is in another that carries the same array. Outside of loops an entry takes N selections.
///
/// In reverse mode, a loop goes forwards, too, where all that it depends on are functions of at most four numbers. Any other loop that
/// carries an array of more than seven entries, and replaces them in this way alone, outside of branches, keeps what it overwrites and no more.
///
/// The same for a matrix that a loop of arrays carries, with a row for each element, of any length:
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |rows: Acc<Ix2, f64>, at: Acc<Ix1, i32>| {
///     let step = |_: Exp<i32>, rows: Acc<Ix2, f64>| {
///         let place = |r: Exp<i32>| ix![r, at.at(ix![r])];
///         let doubled = generate(at.shape(), |ix![r]| rows.at(place(r)) * 2.0);
///         doubled.permute(Combine::Overwrite, rows, |ix![r]| (true, place(r)))
///     };
///     aiterate(3, step, rows)
/// };
/// let rows = Array::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
/// let inputs = (rows, Array::vector(vec![1, 0])?);
/// assert_eq!(interpret(f, inputs)?.to_vec(), [1.0, 16.0, 24.0, 4.0]);
/// # Ok::<(), InterpretError>(())
/// ```
pub trait Entries {
    /// What they consist of.
    type Entry: IntoExp;

    /// The entry at a position; the first or the last one where that is out of range.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, [f64; 3]>, at: Acc<Ix1, i32>| v.zip_with(at, |x, at| x.entry(at));
    /// let inputs = (Array::vector(vec![[1.0, 2.0, 3.0]; 2])?, Array::vector(vec![1, 9])?);
    /// assert_eq!(interpret(f, inputs)?.to_vec(), [2.0, 3.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    fn entry(self, at: impl Lift<i32>) -> E<<Self::Entry as IntoExp>::Elt>;

    /// The same with another entry at a position; as it was where that is out of range.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, [f64; 2]>| v.map(|x| x.with_entry(1, x[0] * 10.0));
    /// assert_eq!(interpret(f, Array::vector(vec![[1.0, 2.0]])?)?.to_vec(), [[1.0, 10.0]]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    fn with_entry(
        self,
        at: impl Lift<i32>,
        value: impl Lift<<Self::Entry as IntoExp>::Elt>,
    ) -> Self;
}

impl<T: Elt<Exp = X>, X: IntoExp<Elt = T> + Lift<T> + Copy, const N: usize> Entries for [X; N] {
    type Entry = X;

    #[track_caller]
    fn entry(self, at: impl Lift<i32>) -> E<T> {
        const { assert!(N > 0, "an array of no entries has none at any position") };
        let (call, at) = (Call::here("entry"), at.lift());
        call.throughout(|| {
            let others = self[..N - 1].iter().enumerate().rev();
            others.fold(self[N - 1], |found, (k, &x)| {
                cond::<T>(at.le(k as i32), x, found)
            })
        })
    }

    #[track_caller]
    fn with_entry(self, at: impl Lift<i32>, value: impl Lift<T>) -> Self {
        let (call, at, value) = (Call::here("with_entry"), at.lift(), value.lift());
        let entry = |k: usize| cond::<T>(at.eq_(k as i32), value, self[k]);
        call.throughout(|| std::array::from_fn(entry))
    }
}
