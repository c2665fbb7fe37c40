//! Arrays in a program: the handle, how arrays are made, measured, read and mapped over.

mod combine;
mod derive;
mod elementwise;
mod operand;
mod rearrange;
mod reduce;
mod rows;
mod scan;
mod zips;

pub use combine::{acond, fill, generate, unit, use_};
pub use derive::{
    Floats, Linear, gradient_a, gradient_aux_a, hessian, hessian_sparse, hvp_a, jacobian,
    jacobian_forward, jacobian_reverse, jacobian_sparse, jvp_a, linearize, value_and_gradient_a,
    value_and_gradient_aux_a, value_and_jacobian, value_and_jacobian_forward,
    value_and_jacobian_reverse, value_and_vjp_a, vjp_a,
};
pub use operand::Operand;
pub(super) use operand::each;
pub use rows::Rows;

use super::elt::{E, Elt, from_raw, scalar_types};
use super::functions::unary;
use super::given::{ExpFn, IntoAcc};
use super::lift::literal_at;
use super::node_acc;
use super::node_exp;
use super::scalar::Exp;
use super::session::{Call, RawAcc, RawColumns, RawExps, exp_lambda};
use super::shape::{HasInner, IntoShape, Ix0, Ix1, Ix2, Shape, Single, Z, dims};
use crate::prim::Prim;
use std::fmt;
use std::marker::PhantomData;

/// An array of elements `T` in a program: a `Copy` handle to what computes it.
///
/// `Sh` is its shape, such as [`Ix2`](super::Ix2) of a matrix. "Inner" is the last dimension.
pub struct Acc<Sh, T> {
    raw: RawAcc,
    ty: PhantomData<fn() -> (Sh, T)>,
}

/// An array without dimensions, of a floating-point number unless another type is named.
pub type Number<T = f64> = Acc<Ix0, T>;
/// An array of one dimension.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// fn chosen(v: Vector, positions: Vector<i32>) -> Vector {
///     v.gather(positions)
/// }
/// let inputs = (Array::vector(vec![0.5, 1.5])?, Array::vector(vec![1, 1, 0])?);
/// assert_eq!(interpret(chosen, inputs)?.to_vec(), [1.5, 1.5, 0.5]);
/// # Ok::<(), InterpretError>(())
/// ```
pub type Vector<T = f64> = Acc<Ix1, T>;
/// An array of two dimensions.
pub type Matrix<T = f64> = Acc<Ix2, T>;

impl<Sh, T> Clone for Acc<Sh, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Sh, T> Copy for Acc<Sh, T> {}

impl<Sh, T> fmt::Debug for Acc<Sh, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [std::any::type_name::<Sh>(), std::any::type_name::<T>()];
        write!(f, "Acc<{}>({:?})", names.join(", "), self.raw)
    }
}

impl<Sh, T> Acc<Sh, T> {
    pub(super) fn from_raw(raw: RawAcc) -> Self {
        Self {
            raw,
            ty: PhantomData,
        }
    }

    pub(super) fn raw(self) -> RawAcc {
        self.raw
    }
}

/// Measuring and reading.
impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// The extents, outermost first: `let ix![rows, columns] = m.shape();`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, f64>| {
    ///     let ix![rows, columns] = m.shape();
    ///     generate(ix![columns, rows], |ix![j, i]| m.at(ix![i, j]))
    /// };
    /// let m = Array::<Ix2, _>::from_vec([1, 3], vec![1.0, 2.0, 3.0])?;
    /// assert_eq!(interpret(f, m)?.shape(), [3, 1]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn shape(self) -> Sh {
        let call = Call::here("shape");
        let extents: Vec<_> = (0..Sh::RANK)
            .map(|axis| node_exp::extent(call, self.raw, axis))
            .collect();
        Sh::from_raw(&mut RawExps::new(&extents))
    }

    /// The number of rows: the extent of the outermost dimension.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let m = Array::<Ix2, _>::from_vec([2, 3], vec![0.0; 6])?;
    /// assert_eq!(interpret(|m: Matrix| unit(m.nrows()), m)?.item(), 2);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn nrows(self) -> Exp<i32>
    where
        Sh: HasInner,
    {
        Exp::from_raw(node_exp::extent(Call::here("nrows"), self.raw, 0))
    }

    /// The number of elements: the product of the extents, which wraps where it exceeds an `i32`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let m = Array::<Ix2, _>::from_vec([2, 3], vec![0.0; 6])?;
    /// let size = interpret(|m: Acc<Ix2, f64>| unit(m.size()), m)?;
    /// assert_eq!(size.item(), 6);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn size(self) -> Exp<i32> {
        let call = Call::here("size");
        let extents = dims(self.shape()).into_iter();
        let product = extents
            .map(Exp::<i32>::from_raw)
            .reduce(|a, b| a.prim_at(call, Prim::Mul, &[b.raw()]));
        product.unwrap_or_else(|| literal_at(call, 1))
    }

    /// The extent of the inner dimension.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let mean = |m: Acc<Ix2, f64>| m.sum().map(|s| s / m.inner().to_f64());
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 5.0])?;
    /// assert_eq!(interpret(mean, m)?.to_vec(), [1.5, 4.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn inner(self) -> Exp<i32>
    where
        Sh: HasInner,
    {
        let axis = Sh::RANK - 1;
        Exp::from_raw(node_exp::extent(Call::here("inner"), self.raw, axis))
    }

    /// The element at an index; the program fails where that is out of range.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let pick = |v: Acc<Ix1, f64>, at: Acc<Ix1, i32>| at.map(|i| v.at(ix![i]));
    /// let inputs = (Array::vector(vec![0.5, 1.5, 2.5])?, Array::vector(vec![2, 0])?);
    /// assert_eq!(interpret(pick, inputs)?.to_vec(), [2.5, 0.5]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn at<I: IntoShape<Shape = Sh>>(self, index: I) -> E<T> {
        let call = Call::here("at");
        self.read(call, index.into_shape())
    }

    #[track_caller]
    pub(super) fn read(self, call: Call, index: Sh) -> E<T> {
        let count = scalar_types::<T>().len();
        let element = node_exp::index(call, count, self.raw, &dims(index));
        from_raw::<T>(&element)
    }
}

impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// The only element of an array without dimensions.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let centred = |v: Acc<Ix1, f64>| {
    ///     let mean = v.sum().the() / v.size().to_f64();
    ///     v.map(|x| x - mean)
    /// };
    /// assert_eq!(interpret(centred, Array::vector(vec![1.0, 2.0, 6.0])?)?.to_vec(), [-2.0, -1.0, 3.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn the(self) -> E<T>
    where
        Sh: Single,
    {
        self.read(Call::here("the"), Sh::from_raw(&mut RawExps::new(&[])))
    }
}

/// Element by element.
impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// `f` on each element.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| (2.0 * x + 1.0, x.floor_to::<i32>()));
    /// assert_eq!(interpret(f, Array::vector(vec![0.5, 1.5])?)?.to_vec(), [(2.0, 0), (4.0, 1)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn map<R, F>(self, f: F) -> Acc<Sh, F::Elt>
    where
        F: FnOnce(E<T>) -> R + ExpFn<(E<T>,)>,
    {
        let call = Call::here("map");
        let f = unary::<T, E<F::Elt>>(call, |x| f.apply((x,)));
        Acc::from_raw(node_acc::map(call, f, &[self.raw]))
    }

    /// `f` on each pair of corresponding elements; of each dimension, the lesser extent counts. Where that is to be an error, use
    /// [`zip_with_strict`](Acc::zip_with_strict), or operators on arrays.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let add = |x: Acc<Ix1, f64>, y: Acc<Ix1, f64>| x.zip_with(y, |x, y| x + y);
    /// let inputs = (Array::vector(vec![1.0, 2.0, 3.0])?, Array::vector(vec![0.5, 0.25])?);
    /// assert_eq!(interpret(add, inputs)?.to_vec(), [1.5, 2.25]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn zip_with<U: Elt, B: IntoAcc<Sh, U>, R, F>(self, other: B, f: F) -> Acc<Sh, F::Elt>
    where
        F: FnOnce(E<T>, E<U>) -> R + ExpFn<(E<T>, E<U>)>,
    {
        let call = Call::here("zip_with");
        let f = unary::<(T, U), E<F::Elt>>(call, |pair| f.apply(pair));
        Acc::from_raw(node_acc::map(call, f, &[self.raw, other.into_acc().raw]))
    }

    /// `f` on each pair of corresponding elements of arrays of one shape; fails where the shapes are not the same.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let add = |x: Acc<Ix1, f64>, n: Acc<Ix1, i32>| x.zip_with_strict(n, |x, n| x + n.to_f64());
    /// let inputs = (Array::vector(vec![1.0, 2.0])?, Array::vector(vec![5, 7])?);
    /// assert_eq!(interpret(add, inputs)?.to_vec(), [6.0, 9.0]);
    /// let inputs = (Array::vector(vec![1.0, 2.0])?, Array::vector(vec![5])?);
    /// assert!(interpret(add, inputs).is_err());
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn zip_with_strict<U: Elt, B: IntoAcc<Sh, U>, R, F>(self, other: B, f: F) -> Acc<Sh, F::Elt>
    where
        F: FnOnce(E<T>, E<U>) -> R + ExpFn<(E<T>, E<U>)>,
    {
        let call = Call::here("zip_with_strict");
        let f = unary::<(T, U), E<F::Elt>>(call, |pair| f.apply(pair));
        let other = node_acc::like(call, other.into_acc().raw, (self.raw, Sh::RANK));
        Acc::from_raw(node_acc::map(call, f, &[self.raw, other]))
    }

    /// `f` on corresponding elements of three arrays.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let pick = |which: Acc<Ix1, bool>, x: Acc<Ix1, i32>, y: Acc<Ix1, i32>| {
    ///     which.zip_with3(x, y, |which, x, y| cond(which, x, y))
    /// };
    /// let inputs = (Array::vector(vec![true, false])?, Array::vector(vec![1, 2])?, Array::vector(vec![-1, -2])?);
    /// assert_eq!(interpret(pick, inputs)?.to_vec(), [1, -2]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn zip_with3<U: Elt, V: Elt, B, C, R, F>(self, second: B, third: C, f: F) -> Acc<Sh, F::Elt>
    where
        B: IntoAcc<Sh, U>,
        C: IntoAcc<Sh, V>,
        F: FnOnce(E<T>, E<U>, E<V>) -> R + ExpFn<(E<T>, E<U>, E<V>)>,
    {
        let call = Call::here("zip_with3");
        let f = unary::<(T, U, V), E<F::Elt>>(call, |triple| f.apply(triple));
        let args = [self.raw, second.into_acc().raw, third.into_acc().raw];
        Acc::from_raw(node_acc::map(call, f, &args))
    }

    /// `f` on corresponding elements of four arrays; `zip_with5` to `zip_with9` take more.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// type V = Acc<Ix1, i32>;
    /// let f = |a: V, b: V, c: V, d: V| a.zip_with4(b, c, d, |a, b, c, d| a * d - b * c);
    /// let [a, b, c, d] = [[2, 1], [3, 0], [4, 0], [5, 1]].map(|v| Array::vector(v.to_vec()));
    /// assert_eq!(interpret(f, (a?, b?, c?, d?))?.to_vec(), [-2, 1]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn zip_with4<U: Elt, V: Elt, W: Elt, B, C, D, R, F>(
        self,
        second: B,
        third: C,
        fourth: D,
        f: F,
    ) -> Acc<Sh, F::Elt>
    where
        B: IntoAcc<Sh, U>,
        C: IntoAcc<Sh, V>,
        D: IntoAcc<Sh, W>,
        F: FnOnce(E<T>, E<U>, E<V>, E<W>) -> R + ExpFn<(E<T>, E<U>, E<V>, E<W>)>,
    {
        let call = Call::here("zip_with4");
        let f = unary::<(T, U, V, W), E<F::Elt>>(call, |four| f.apply(four));
        let (second, third) = (second.into_acc().raw, third.into_acc().raw);
        let args = [self.raw, second, third, fourth.into_acc().raw];
        Acc::from_raw(node_acc::map(call, f, &args))
    }

    /// Pairs of corresponding elements.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let pairs = |x: Acc<Ix1, f64>, n: Acc<Ix1, i32>| x.zip(n);
    /// let inputs = (Array::vector(vec![0.5, 1.5])?, Array::vector(vec![1, 2])?);
    /// assert_eq!(interpret(pairs, inputs)?.to_vec(), [(0.5, 1), (1.5, 2)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn zip<U: Elt, B: IntoAcc<Sh, U>>(self, other: B) -> Acc<Sh, (T, U)> {
        let call = Call::here("zip");
        Acc::from_raw(join::<(T, U)>(call, &[self.raw, other.into_acc().raw]))
    }

    /// Triples of corresponding elements; `zip4` to `zip9` take more.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let triples = |x: Acc<Ix1, f64>, n: Acc<Ix1, i32>| x.zip3(n, n);
    /// let inputs = (Array::vector(vec![0.5, 1.5])?, Array::vector(vec![1, 2])?);
    /// assert_eq!(interpret(triples, inputs)?.to_vec(), [(0.5, 1, 1), (1.5, 2, 2)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn zip3<U: Elt, V: Elt, B, C>(self, second: B, third: C) -> Acc<Sh, (T, U, V)>
    where
        B: IntoAcc<Sh, U>,
        C: IntoAcc<Sh, V>,
    {
        let call = Call::here("zip3");
        let args = [self.raw, second.into_acc().raw, third.into_acc().raw];
        Acc::from_raw(join::<(T, U, V)>(call, &args))
    }

    /// Each element with its index, where that is a single number.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.enumerate().map(|(i, x)| i.to_f64() * x);
    /// assert_eq!(interpret(f, Array::vector(vec![1.0, 2.0, 3.0])?)?.to_vec(), [0.0, 2.0, 6.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn enumerate(self) -> Acc<Sh, (i32, T)>
    where
        Sh: HasInner + Shape<Outer = Z>,
    {
        let call = Call::here("enumerate");
        let index = exp_lambda(call, scalar_types::<i32>(), <[_]>::to_vec);
        let indices = node_acc::generate(call, &dims(self.shape()), index);
        Acc::from_raw(join::<(i32, T)>(call, &[indices, self.raw]))
    }
}

/// Columns of equal shape side by side: the identity, mapped over them, which intersects the shapes.
fn join<T: Elt>(call: Call, args: &[RawAcc]) -> RawAcc {
    let identity = exp_lambda(call, scalar_types::<T>(), <[_]>::to_vec);
    node_acc::map(call, identity, args)
}

/// Taking apart: no work at run time.
impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// The first and the second parts of pairs.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let sums = |v: Acc<Ix1, (f64, i32)>| {
    ///     let (xs, ns) = v.unzip();
    ///     (xs.sum(), ns.sum())
    /// };
    /// let (x, n) = interpret(sums, Array::vector(vec![(0.5, 1), (1.5, 2)])?)?;
    /// assert_eq!((x.item(), n.item()), (2.0, 3));
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn unzip<A: Elt, B: Elt>(self) -> (Acc<Sh, A>, Acc<Sh, B>)
    where
        T: Is<(A, B)>,
    {
        let mut columns = RawColumns::of(Call::here("unzip"), self.raw);
        (columns.take_as(), columns.take_as())
    }

    /// The first, second and third parts of triples; `unzip4` to `unzip9` are for longer tuples.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let last = |v: Acc<Ix1, (f64, i32, bool)>| v.unzip3().2;
    /// let found = interpret(last, Array::vector(vec![(0.5, 1, true), (1.5, 2, false)])?)?;
    /// assert_eq!(found.to_vec(), [true, false]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn unzip3<A: Elt, B: Elt, C: Elt>(self) -> (Acc<Sh, A>, Acc<Sh, B>, Acc<Sh, C>)
    where
        T: Is<(A, B, C)>,
    {
        let mut columns = RawColumns::of(Call::here("unzip3"), self.raw);
        (columns.take_as(), columns.take_as(), columns.take_as())
    }
}

/// Equality of types, as a condition of a method with a readable error.
#[diagnostic::on_unimplemented(
    message = "this needs an array with elements of the form `{T}`, not `{Self}`",
    label = "the elements are `{Self}`"
)]
pub trait Is<T> {}

impl<T> Is<T> for T {}

impl RawColumns {
    /// The next array.
    pub(super) fn take_as<Sh: Shape, T: Elt>(&mut self) -> Acc<Sh, T> {
        Acc::from_raw(self.take(scalar_types::<T>().len()))
    }
}
