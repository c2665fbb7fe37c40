//! Collective operations, well typed by construction.

mod loops;

pub use loops::{Looped, Step, Test, Trip, loop_};

use super::acc::{OpenAcc, Use, arr_binds};
use super::exp::OpenFun;
use super::index::{Columns, Ix, Vars, erased};
use super::types::sealed::Sealed;
use super::types::{Array, Env, Float, Numbers, One, Phantom, Scalar, Scalars, Shape, Snoc, Z};
use crate::loc::Loc;
use crate::term::{
    AccClosure, AccLet, AccOp, ArrIx, Axis, Combine, DeBruijn, Direction, Fun, Mode, Move, Outside,
    Rules, SortOrder,
};
use crate::types::{ArrayType, ScalarType};
use std::marker::PhantomData;

/// An operation on the arrays of `A`, with results `X`.
#[derive(Clone, Debug)]
pub struct ArrOp<A, X> {
    erased: AccOp<DeBruijn>,
    loc: Loc,
    types: Phantom<(A, X)>,
}

impl<A, X> ArrOp<A, X> {
    fn new(erased: AccOp<DeBruijn>) -> Self {
        Self {
            erased,
            loc: Loc::UNKNOWN,
            types: PhantomData,
        }
    }

    /// The same operation, written at a place of the user's program.
    pub fn at(self, loc: Loc) -> Self {
        Self { loc, ..self }
    }

    pub(super) fn bound(self) -> AccLet<DeBruijn>
    where
        X: Env<ArrayType>,
    {
        AccLet {
            binds: arr_binds::<X>(),
            op: self.erased,
            loc: self.loc,
        }
    }
}

fn name<A, T>(array: Ix<A, T>) -> ArrIx {
    ArrIx(array.number())
}

/// A function that gives a shape.
pub type ShapeFun<A, Sh> = OpenFun<A, (), <Sh as Shape>::Index>;
/// The types of the elements of `C`.
pub type Elems<A, Sh, C> = <C as Columns<A, Sh>>::Elems;
/// Twice the same types: the parameters of an operator.
pub type Twice<P> = <P as Env<ScalarType>>::On<P>;
/// Arrays of dimensions `Sh` with elements of types `R`.
pub type Arrays<R, Sh> = <R as Scalars>::Arrays<Sh>;
/// One float: the result of what can be differentiated.
type Value<F> = One<Array<Z, F>>;
/// The types of the variables `V` in `A`, after those of `X`.
type Over<V, A, X> = <<V as Vars<A, ArrayType>>::Types as Env<ArrayType>>::On<X>;

/// [`AccOp::Use`].
pub fn use_<A, Sh: Shape, T: Scalar>(array: Use<Sh, T>) -> ArrOp<A, One<Array<Sh, T>>> {
    ArrOp::new(AccOp::Use(array.id))
}

/// [`AccOp::Generate`].
pub fn generate<A, Sh: Shape, R: Scalars>(
    shape: ShapeFun<A, Sh>,
    f: OpenFun<A, Sh::Index, R>,
) -> ArrOp<A, Arrays<R, Sh>> {
    ArrOp::new(AccOp::Generate {
        shape: shape.into_erased(),
        f: f.into_erased(),
    })
}

/// [`AccOp::Map`], of any number of arrays.
pub fn map<A, Sh: Shape, C: Columns<A, Sh>, R: Scalars>(
    f: OpenFun<A, C::Elems, R>,
    args: C,
) -> ArrOp<A, Arrays<R, Sh>> {
    ArrOp::new(AccOp::Map {
        f: f.into_erased(),
        args: erased(args, ArrIx),
    })
}

/// [`AccOp::Fold`].
pub fn fold<A, Sh: Shape, C: Columns<A, Snoc<Sh>>>(
    f: OpenFun<A, Twice<C::Elems>, C::Elems>,
    init: Option<OpenFun<A, (), C::Elems>>,
    args: C,
) -> ArrOp<A, Arrays<C::Elems, Sh>> {
    ArrOp::new(AccOp::Fold {
        f: f.into_erased(),
        init: init.map(OpenFun::into_erased),
        args: erased(args, ArrIx),
    })
}

/// [`AccOp::FoldSegments`].
pub fn fold_segments<A, Sh: Shape, C: Columns<A, Snoc<Sh>>>(
    f: OpenFun<A, Twice<C::Elems>, C::Elems>,
    init: OpenFun<A, (), C::Elems>,
    lengths: Ix<A, Array<Snoc<Z>, i32>>,
    args: C,
) -> ArrOp<A, Arrays<C::Elems, Snoc<Sh>>> {
    ArrOp::new(AccOp::FoldSegments {
        f: f.into_erased(),
        init: init.into_erased(),
        lengths: name(lengths),
        args: erased(args, ArrIx),
    })
}

/// [`AccOp::Scan`].
pub fn scan<A, Sh: Shape, C: Columns<A, Snoc<Sh>>>(
    direction: Direction,
    f: OpenFun<A, Twice<C::Elems>, C::Elems>,
    init: Option<OpenFun<A, (), C::Elems>>,
    args: C,
) -> ArrOp<A, Arrays<C::Elems, Snoc<Sh>>> {
    ArrOp::new(AccOp::Scan {
        direction,
        f: f.into_erased(),
        init: init.map(OpenFun::into_erased),
        args: erased(args, ArrIx),
    })
}

fn moved<A, From: Shape, To: Shape, T: Scalar>(
    how: Move<Fun<DeBruijn>>,
    arg: Ix<A, Array<From, T>>,
) -> ArrOp<A, One<Array<To, T>>> {
    let arg = name(arg);
    ArrOp::new(AccOp::Move { how, arg })
}

/// [`Move::Reshape`].
pub fn reshape<A, From: Shape, To: Shape, T: Scalar>(
    shape: ShapeFun<A, To>,
    arg: Ix<A, Array<From, T>>,
) -> ArrOp<A, One<Array<To, T>>> {
    let shape = shape.into_erased();
    moved(Move::Reshape { shape }, arg)
}

/// [`Move::Expect`].
pub fn expect_shape<A, Sh: Shape, T: Scalar>(
    shape: ShapeFun<A, Sh>,
    arg: Ix<A, Array<Sh, T>>,
) -> ArrOp<A, One<Array<Sh, T>>> {
    let shape = shape.into_erased();
    moved(Move::Expect { shape }, arg)
}

/// [`Move::Stored`].
pub fn compute<A, Sh: Shape, T: Scalar>(arg: Ix<A, Array<Sh, T>>) -> ArrOp<A, One<Array<Sh, T>>> {
    moved(Move::Stored, arg)
}

/// Dimensions of a smaller and a larger array: `()`, `(axes, All)`, or `(axes, Fixed)`.
pub trait Axes: Sealed {
    /// The dimensions of the larger array.
    type Large: Shape;
    /// The dimensions of the smaller array.
    type Small: Shape;
    /// One `i32` for each dimension that only the larger has.
    type Fixed: Scalars;
    /// Appends the axes, in order.
    fn push_axes(axes: &mut Vec<Axis>);
}

/// [`Axis::All`].
#[derive(Clone, Copy, Debug)]
pub enum All {}
/// [`Axis::Fixed`].
#[derive(Clone, Copy, Debug)]
pub enum Fixed {}

impl Axes for () {
    type Large = Z;
    type Small = Z;
    type Fixed = ();
    fn push_axes(_: &mut Vec<Axis>) {}
}

impl<X: Axes> Axes for (X, All) {
    type Large = Snoc<X::Large>;
    type Small = Snoc<X::Small>;
    type Fixed = X::Fixed;
    fn push_axes(axes: &mut Vec<Axis>) {
        X::push_axes(axes);
        axes.push(Axis::All);
    }
}

impl<X: Axes> Axes for (X, Fixed) {
    type Large = Snoc<X::Large>;
    type Small = X::Small;
    type Fixed = (X::Fixed, i32);
    fn push_axes(axes: &mut Vec<Axis>) {
        X::push_axes(axes);
        axes.push(Axis::Fixed);
    }
}

fn axes<X: Axes>() -> Vec<Axis> {
    let mut axes = vec![];
    X::push_axes(&mut axes);
    axes
}

/// [`Move::Replicate`].
pub fn replicate<A, X: Axes, T: Scalar>(
    extents: OpenFun<A, (), X::Fixed>,
    arg: Ix<A, Array<X::Small, T>>,
) -> ArrOp<A, One<Array<X::Large, T>>> {
    let (axes, extents) = (axes::<X>(), extents.into_erased());
    moved(Move::Replicate { axes, extents }, arg)
}

/// [`Move::Slice`].
pub fn slice<A, X: Axes, T: Scalar>(
    indices: OpenFun<A, (), X::Fixed>,
    arg: Ix<A, Array<X::Large, T>>,
) -> ArrOp<A, One<Array<X::Small, T>>> {
    let (axes, indices) = (axes::<X>(), indices.into_erased());
    moved(Move::Slice { axes, indices }, arg)
}

/// [`Move::Roll`].
pub fn roll<A, X: Axes, T: Scalar>(
    amounts: OpenFun<A, (), X::Fixed>,
    arg: Ix<A, Array<X::Large, T>>,
) -> ArrOp<A, One<Array<X::Large, T>>> {
    let (axes, amounts) = (axes::<X>(), amounts.into_erased());
    moved(Move::Roll { axes, amounts }, arg)
}

/// [`Move::Backpermute`].
pub fn backpermute<A, From: Shape, To: Shape, T: Scalar>(
    shape: ShapeFun<A, To>,
    f: OpenFun<A, To::Index, From::Index>,
    arg: Ix<A, Array<From, T>>,
) -> ArrOp<A, One<Array<To, T>>> {
    let (shape, f) = (shape.into_erased(), f.into_erased());
    moved(Move::Backpermute { shape, f }, arg)
}

/// Where [`permute_add`] and [`permute_overwrite`] send an element: (goes anywhere, target index).
pub type Target<Sh> = <<Sh as Shape>::Index as Env<ScalarType>>::On<One<bool>>;

/// [`AccOp::Permute`], adding.
pub fn permute_add<A, From: Shape, To: Shape, D: Columns<A, To>, C>(
    defaults: D,
    target: OpenFun<A, From::Index, Target<To>>,
    args: C,
) -> ArrOp<A, Arrays<D::Elems, To>>
where
    C: Columns<A, From, Elems = D::Elems>,
    D::Elems: Numbers,
{
    permute(Combine::Add, defaults, target, args)
}

/// [`AccOp::Permute`], overwriting.
pub fn permute_overwrite<A, From: Shape, To: Shape, D: Columns<A, To>, C>(
    defaults: D,
    target: OpenFun<A, From::Index, Target<To>>,
    args: C,
) -> ArrOp<A, Arrays<D::Elems, To>>
where
    C: Columns<A, From, Elems = D::Elems>,
{
    permute(Combine::Overwrite, defaults, target, args)
}

fn permute<A, X, P: Env<ScalarType>, R>(
    combine: Combine,
    defaults: impl Vars<A, ArrayType>,
    target: OpenFun<A, P, R>,
    args: impl Vars<A, ArrayType>,
) -> ArrOp<A, X> {
    ArrOp::new(AccOp::Permute {
        combine,
        outside: Outside::Fails,
        defaults: erased(defaults, ArrIx),
        target: target.into_erased(),
        args: erased(args, ArrIx),
    })
}

/// [`AccOp::Unpack`].
pub fn unpack<A, Sh: Shape, T: Scalar>(
    first: Ix<A, Array<Sh, T>>,
    rest: &[Ix<A, Array<Sh, T>>],
) -> ArrOp<A, One<Array<Snoc<Sh>, T>>> {
    let args = std::iter::once(first).chain(rest.iter().copied());
    ArrOp::new(AccOp::Unpack {
        args: args.map(name).collect(),
    })
}

/// [`AccOp::Argsort`].
pub fn argsort<A, Sh: Shape, T: Scalar>(
    order: SortOrder,
    arg: Ix<A, Array<Snoc<Sh>, T>>,
) -> ArrOp<A, One<Array<Snoc<Sh>, i32>>> {
    ArrOp::new(AccOp::Argsort {
        order,
        arg: name(arg),
    })
}

/// [`AccOp::Append`].
pub fn append<A, Sh: Shape, T: Scalar>(
    first: Ix<A, Array<Snoc<Sh>, T>>,
    rest: &[Ix<A, Array<Snoc<Sh>, T>>],
) -> ArrOp<A, One<Array<Snoc<Sh>, T>>> {
    let args = std::iter::once(first).chain(rest.iter().copied());
    ArrOp::new(AccOp::Append {
        args: args.map(name).collect(),
    })
}

/// [`AccOp::Cond`].
pub fn acond<A, X>(
    cond: OpenFun<A, (), One<bool>>,
    then_: OpenAcc<A, X>,
    else_: OpenAcc<A, X>,
) -> ArrOp<A, X> {
    ArrOp::new(AccOp::Cond {
        cond: cond.into_erased(),
        then_: then_.into_erased(),
        else_: else_.into_erased(),
    })
}

/// [`AccOp::Derivative`], without the value.
pub fn gradient<A: Env<ArrayType>, V: Vars<A, ArrayType>, F: Float>(
    args: V,
    body: OpenAcc<Over<V, A, A>, Value<F>>,
) -> ArrOp<A, V::Types> {
    ArrOp::new(gradient_node(false, args, body))
}

/// [`AccOp::Derivative`], with the value.
pub fn value_and_gradient<A: Env<ArrayType>, V: Vars<A, ArrayType>, F: Float>(
    args: V,
    body: OpenAcc<Over<V, A, A>, Value<F>>,
) -> ArrOp<A, Over<V, A, Value<F>>> {
    ArrOp::new(gradient_node(true, args, body))
}

/// [`AccOp::Derivative`], along a direction: the values, then their tangents.
pub fn jvp<A, V, W, X>(args: V, tangents: W, body: OpenAcc<Over<V, A, A>, X>) -> ArrOp<A, X::On<X>>
where
    A: Env<ArrayType>,
    V: Vars<A, ArrayType>,
    W: Vars<A, ArrayType, Types = V::Types>,
    X: Env<ArrayType>,
{
    ArrOp::new(AccOp::Derivative {
        mode: Mode::Jvp,
        params: arr_binds::<V::Types>(),
        body: body.into_erased(),
        args: [erased(args, ArrIx), erased(tangents, ArrIx)].concat(),
    })
}

/// The types of the arrays `V` and `W` in `A`, after `A`.
type Both<V, W, A> = Over<W, A, Over<V, A, A>>;

/// [`AccOp::Custom`], with the rule of forward mode: of the values and the tangents of the inputs, nearest last.
pub fn custom_jvp<A, V, W>(
    values: V,
    inputs: W,
    jvp: OpenAcc<Both<V, W, A>, V::Types>,
) -> ArrOp<A, V::Types>
where
    A: Env<ArrayType>,
    V: Vars<A, ArrayType>,
    W: Vars<A, ArrayType>,
{
    let params = [arr_binds::<V::Types>(), arr_binds::<W::Types>()].concat();
    let body = jvp.into_erased();
    custom_node(Rules::Jvp(AccClosure { params, body }), values, inputs)
}

/// [`AccOp::Custom`], with the rule of reverse mode: of the values and their cotangents, nearest last.
pub fn custom_vjp<A, V, W>(
    values: V,
    inputs: W,
    vjp: OpenAcc<Both<V, V, A>, W::Types>,
) -> ArrOp<A, V::Types>
where
    A: Env<ArrayType>,
    V: Vars<A, ArrayType>,
    W: Vars<A, ArrayType>,
{
    let given = arr_binds::<V::Types>();
    let params = [given.clone(), given].concat();
    let body = vjp.into_erased();
    custom_node(Rules::Vjp(AccClosure { params, body }), values, inputs)
}

fn custom_node<A, V: Vars<A, ArrayType>, W: Vars<A, ArrayType>>(
    rules: Rules<AccClosure<DeBruijn>>,
    values: V,
    inputs: W,
) -> ArrOp<A, V::Types> {
    let values = erased(values, ArrIx);
    ArrOp::new(AccOp::Custom {
        values: values.len(),
        rules,
        args: [values, erased(inputs, ArrIx)].concat(),
    })
}

fn gradient_node<A: Env<ArrayType>, V: Vars<A, ArrayType>, F: Float>(
    with_value: bool,
    args: V,
    body: OpenAcc<Over<V, A, A>, Value<F>>,
) -> AccOp<DeBruijn> {
    AccOp::Derivative {
        mode: Mode::Gradient { with_value },
        params: arr_binds::<V::Types>(),
        body: body.into_erased(),
        args: erased(args, ArrIx),
    }
}
