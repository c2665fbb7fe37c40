//! Scalar operations, well typed by construction.

use super::exp::OpenExp;
use super::index::{Ix, Vars, erased};
use super::prims::for_each_prim;
use super::types::{Array, Env, Float, Integer, Number, One, Phantom, Scalar, Shape, Truth};
use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::{DeBruijn, ExpClosure, ExpIx, ExpLet, ExpOp, Mode, Slot};
use crate::types::ScalarType;
use std::marker::PhantomData;

/// An operation on the scalars of `E` and the arrays of `A`, with results `R`.
#[derive(Clone, Debug)]
pub struct Op<E, A, R> {
    erased: ExpOp<DeBruijn>,
    loc: Loc,
    types: Phantom<(E, A, R)>,
}

impl<E, A, R> Op<E, A, R> {
    fn new(erased: ExpOp<DeBruijn>) -> Self {
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

    pub(super) fn bound(self) -> ExpLet<DeBruijn>
    where
        R: Env<ScalarType>,
    {
        ExpLet {
            binds: super::exp::binds::<R>(),
            op: self.erased,
            loc: self.loc,
        }
    }
}

/// A literal.
pub fn constant<E, A, T: Scalar>(value: T) -> Op<E, A, One<T>> {
    Op::new(ExpOp::Const(value.into()))
}

fn prim<E, A, R>(prim: Prim, operands: impl Vars<E, ScalarType>) -> Op<E, A, R> {
    Op::new(ExpOp::Prim(prim, erased(operands, ExpIx)))
}

/// Defines one function per primitive.
macro_rules! define {
    (
        unary { $($u:ident $u_variant:ident $u_class:ident $u_result:ty,)* }
        binary { $($b:ident $b_variant:ident $b_class:ident $b_result:ty,)* }
    ) => {
        $(
            #[doc = concat!("[`Prim::", stringify!($u_variant), "`].")]
            pub fn $u<E, A, T: $u_class>(x: Ix<E, T>) -> Op<E, A, One<$u_result>> {
                prim(Prim::$u_variant, x)
            }
        )*
        $(
            #[doc = concat!("[`Prim::", stringify!($b_variant), "`].")]
            pub fn $b<E, A, T: $b_class>(x: Ix<E, T>, y: Ix<E, T>) -> Op<E, A, One<$b_result>> {
                prim(Prim::$b_variant, (x, y))
            }
        )*
    };
}

for_each_prim!(define);

/// [`Prim::Convert`] to `U`.
pub fn convert<E, A, T: Scalar, U: Scalar>(x: Ix<E, T>) -> Op<E, A, One<U>> {
    prim(Prim::Convert(U::TYPE), x)
}

/// [`Prim::ToBits`].
pub fn to_bits<E, A, T: Float>(x: Ix<E, T>) -> Op<E, A, One<T::Unsigned>> {
    prim(Prim::ToBits, x)
}

/// [`Prim::FromBits`].
pub fn from_bits<E, A, T: Float>(x: Ix<E, T::Unsigned>) -> Op<E, A, One<T>> {
    prim(Prim::FromBits, x)
}

/// [`Prim::MulAdd`].
pub fn mul_add<E, A, T: Float>(x: Ix<E, T>, y: Ix<E, T>, z: Ix<E, T>) -> Op<E, A, One<T>> {
    prim(Prim::MulAdd, ((x, y), z))
}

/// [`Prim::Select`].
pub fn select<E, A, T: Scalar>(
    condition: Ix<E, bool>,
    x: Ix<E, T>,
    y: Ix<E, T>,
) -> Op<E, A, One<T>> {
    prim(Prim::Select, ((condition, x), y))
}

/// The element of an array at an index, outermost coordinate first.
pub fn index<E, A, Sh: Shape, T: Scalar>(
    array: Ix<A, Array<Sh, T>>,
    index: impl Vars<E, ScalarType, Types = Sh::Index>,
) -> Op<E, A, One<T>> {
    Op::new(ExpOp::Index {
        array: Slot(array.number()),
        index: erased(index, ExpIx),
    })
}

/// The extent of an array along a dimension, which is given as its place in the type of indices: `Ix::zero()`
/// is the innermost.
pub fn extent<E, A, Sh: Shape, T: Scalar>(
    array: Ix<A, Array<Sh, T>>,
    dimension: Ix<Sh::Index, i32>,
) -> Op<E, A, One<i32>> {
    Op::new(ExpOp::Extent {
        array: Slot(array.number()),
        axis: Sh::RANK - 1 - dimension.number() as usize,
    })
}

/// One of two expressions.
pub fn cond<E, A, R>(
    condition: Ix<E, bool>,
    then_: OpenExp<E, A, R>,
    else_: OpenExp<E, A, R>,
) -> Op<E, A, R> {
    Op::new(ExpOp::Cond {
        cond: ExpIx(condition.number()),
        then_: then_.into_erased(),
        else_: else_.into_erased(),
    })
}

/// The types of the variables `V` in `E`, after those of `R`.
type Over<V, E, R> = <<V as Vars<E, ScalarType>>::Types as Env<ScalarType>>::On<R>;

/// The partial derivatives of `body` at `args`.
pub fn gradient<E: Env<ScalarType>, A, V: Vars<E, ScalarType>, F: Float>(
    args: V,
    body: OpenExp<Over<V, E, E>, A, One<F>>,
) -> Op<E, A, V::Types> {
    Op::new(gradient_node(false, args, body))
}

/// The value of `body` at `args`, and the partial derivatives.
pub fn value_and_gradient<E: Env<ScalarType>, A, V: Vars<E, ScalarType>, F: Float>(
    args: V,
    body: OpenExp<Over<V, E, E>, A, One<F>>,
) -> Op<E, A, Over<V, E, One<F>>> {
    Op::new(gradient_node(true, args, body))
}

/// The values of `body` at `args`, then their derivatives along `tangents`.
pub fn jvp<E, A, V, W, X>(
    args: V,
    tangents: W,
    body: OpenExp<Over<V, E, E>, A, X>,
) -> Op<E, A, X::On<X>>
where
    E: Env<ScalarType>,
    V: Vars<E, ScalarType>,
    W: Vars<E, ScalarType, Types = V::Types>,
    X: Env<ScalarType>,
{
    Op::new(ExpOp::Derivative {
        mode: Mode::Jvp,
        params: super::exp::binds::<V::Types>(),
        body: body.into_erased(),
        args: [erased(args, ExpIx), erased(tangents, ExpIx)].concat(),
    })
}

/// What the code of a trip sees: all around the loop, the number of the trip, and the state, which has the types of `V`, nearest
/// last.
pub type Trip<E, V> = Over<V, E, (E, i32)>;
/// The results of a loop: how many trips were made, and the last state.
pub type Looped<E, V> = Over<V, E, One<i32>>;

/// [`ExpOp::Loop`] of at most `trips` trips from the first state `state`, with or without a test.
///
/// ```
/// use cotangent_core::typed::{Ix, One, OpenExp, OpenFun, op};
///
/// // \n x -> x squared n times
/// type E = (One<i32>, f64);
/// let (n, x): (Ix<E, i32>, Ix<E, f64>) = (Ix::zero().succ(), Ix::zero());
/// let step = OpenExp::let_(op::mul(Ix::zero(), Ix::zero()), OpenExp::ret(Ix::zero()));
/// let power: OpenExp<E, (), One<f64>> =
///     OpenExp::let_(op::loop_(n, x, None, step), OpenExp::ret(Ix::zero()));
/// let power: OpenFun<(), E, _> = power.into();
/// assert_eq!(power.into_erased().body.lets.len(), 1);
/// ```
pub fn loop_<E: Env<ScalarType>, A, V: Vars<E, ScalarType>>(
    trips: Ix<E, i32>,
    state: V,
    test: Option<OpenExp<Trip<E, V>, A, One<bool>>>,
    step: OpenExp<Trip<E, V>, A, V::Types>,
) -> Op<E, A, Looped<E, V>> {
    let args = [vec![ExpIx(trips.number())], erased(state, ExpIx)].concat();
    let (test, step) = (test.map(closure::<E, A, V, _>), closure::<E, A, V, _>(step));
    Op::new(ExpOp::Loop { test, step, args })
}

fn closure<E: Env<ScalarType>, A, V: Vars<E, ScalarType>, R>(
    body: OpenExp<Trip<E, V>, A, R>,
) -> ExpClosure<DeBruijn> {
    ExpClosure {
        params: super::exp::binds::<Looped<E, V>>(),
        body: body.into_erased(),
    }
}

/// Two variables of one type.
pub type Pair<E, F> = (Ix<E, F>, Ix<E, F>);

/// A value, and its partial derivatives by decree: pairs of a variable and the derivative by it.
pub fn with_partials<E, A, F: Float>(value: Ix<E, F>, pairs: &[Pair<E, F>]) -> Op<E, A, One<F>> {
    let pairs = pairs.iter().flat_map(|(x, partial)| [x, partial]);
    let args = std::iter::once(&value).chain(pairs);
    Op::new(ExpOp::WithPartials(
        args.map(|x| ExpIx(x.number())).collect(),
    ))
}

fn gradient_node<E: Env<ScalarType>, A, V: Vars<E, ScalarType>, F: Float>(
    with_value: bool,
    args: V,
    body: OpenExp<Over<V, E, E>, A, One<F>>,
) -> ExpOp<DeBruijn> {
    ExpOp::Derivative {
        mode: Mode::Gradient { with_value },
        params: super::exp::binds::<V::Types>(),
        body: body.into_erased(),
        args: erased(args, ExpIx),
    }
}
