//! What is built with the typed faces is well typed, and views tell types apart.

mod loops;
mod values;

use super::arr::{self, All, Fixed};
use super::{
    AnyProgram, ArrVar, Array, Env, Float, FloatVisitor, Ix, IxVisitor, One, OpenAcc, OpenExp,
    OpenFun, Scalar, Shape, Snoc, Typed, TypedBuilder, TypedProgram, Uses, Var, Vars, Z, op,
    open_ix, with_float,
};
use crate::build::{Arr, FunBuilder};
use crate::check::{check, check_fun};
use crate::host::{Column, HostArray};
use crate::label::{samples, unlabel};
use crate::prim::Prim;
use crate::rounding::f16;
use crate::term::{AccBlock, ArrId, DeBruijn, Direction, Fun, Program};
use crate::types::{ArrayType, ScalarType};

type S = Array<Z, f64>;
type V = Array<Snoc<Z>, f64>;
type M = Array<Snoc<Snoc<Z>>, f64>;

fn ret<E, A, T: Scalar>() -> OpenExp<(E, T), A, One<T>> {
    OpenExp::ret(Ix::zero())
}

fn add<A, T: super::Number>() -> OpenFun<A, (One<T>, T), One<T>> {
    OpenExp::let_(op::add(Ix::zero().succ(), Ix::zero()), ret()).into()
}

fn literal<A, T: Scalar>(value: T) -> OpenFun<A, (), One<T>> {
    OpenExp::let_(op::constant(value), ret()).into()
}

fn length<A, Sh: Shape<Index = One<i32>>>(
    array: Ix<A, Array<Sh, f64>>,
) -> OpenFun<A, (), One<i32>> {
    OpenExp::let_(op::extent(array, Ix::zero()), ret()).into()
}

/// Sums an array along its inner dimension.
fn sum<A, Sh: Shape>(array: Ix<A, Array<Snoc<Sh>, f64>>) -> arr::ArrOp<A, One<Array<Sh, f64>>> {
    arr::fold(add(), Some(literal(0.0)), array)
}

#[test]
fn a_dot_product() {
    let product = OpenExp::let_(op::mul(Ix::zero().succ(), Ix::zero()), ret()).into();
    let (x, y): (Ix<(One<V>, V), V>, _) = (Ix::zero().succ(), Ix::zero());
    let dot: OpenAcc<_, One<S>> = OpenAcc::let_(
        arr::map(product, (x, y)),
        OpenAcc::let_(sum(Ix::zero()), OpenAcc::ret(Ix::zero())),
    );
    let program = dot.program(&Uses::default()).map(TypedProgram::into_erased);
    let expected = without_locations(unlabel(&samples::dot()));
    assert_eq!(program, Ok(expected));
}

fn without_locations(mut program: Program<DeBruijn>) -> Program<DeBruijn> {
    let AccBlock { lets, results: _ } = &mut program.body;
    lets.iter_mut()
        .for_each(|l| l.loc = crate::loc::Loc::UNKNOWN);
    program
}

/// `\i -> if i < n then xs[i] else 0`, over arrays of which the nearest is not used.
fn guarded() -> OpenFun<(One<V>, M), One<i32>, One<f64>> {
    let xs: Ix<(One<V>, M), V> = Ix::zero().succ();
    type E = ((One<i32>, i32), bool);
    let i: Ix<E, i32> = Ix::zero().succ().succ();
    let then_ = OpenExp::let_(op::index(xs, i), ret());
    let else_ = OpenExp::let_(op::constant(0.0), ret());
    OpenExp::let_(
        op::extent(xs, Ix::zero()),
        OpenExp::let_(
            op::lt(Ix::zero().succ(), Ix::zero()),
            OpenExp::let_(op::cond(Ix::zero(), then_, else_), ret()),
        ),
    )
    .into()
}

#[test]
fn conditionals_and_captures() {
    let fun = guarded().into_erased();
    assert_eq!(fun.captures.iter().map(|a| a.0).collect::<Vec<_>>(), [1]);
    let vector = ArrayType::new(ScalarType::F64, 1);
    assert_eq!(check_fun(&fun, &[vector]), Ok(vec![ScalarType::F64]));
    let expected = "\
fn [$0 = a@1] (_: i32) {
  let _: i32 = extent $0 0
  let _: bool = lt (x@1, x@0)
  let _: f64 = cond x@0
    then: {
      let _: f64 = index $0 (x@2)
      return (x@0)
    }
    else: {
      let _: f64 = 0.0
      return (x@0)
    }
  return (x@0)
}";
    assert_eq!(fun.to_string(), expected);
}

#[test]
fn views_re_check() {
    type Arrays = (One<V>, M);
    let fun = guarded().into_erased();
    let same = OpenFun::<Arrays, One<i32>, One<f64>>::try_from_erased(&fun);
    assert_eq!(same.map(OpenFun::into_erased), Ok(fun.clone()));
    assert!(OpenFun::<Arrays, One<i64>, One<f64>>::try_from_erased(&fun).is_err());
    assert!(OpenFun::<Arrays, One<i32>, One<f32>>::try_from_erased(&fun).is_err());
    assert!(OpenFun::<One<V>, One<i32>, One<f64>>::try_from_erased(&fun).is_err());
    assert!(OpenFun::<(One<M>, M), One<i32>, One<f64>>::try_from_erased(&fun).is_err());

    let program = unlabel(&samples::dot());
    type Two = (One<V>, V);
    let view = TypedProgram::<Two, One<S>>::try_from_erased(program.clone());
    let back = view.and_then(|view| view.body().program(&view.uses()));
    assert_eq!(back.map(TypedProgram::into_erased), Ok(program.clone()));
    assert!(TypedProgram::<Two, One<V>>::try_from_erased(program.clone()).is_err());
    assert!(TypedProgram::<One<V>, One<S>>::try_from_erased(program.clone()).is_err());

    let any = AnyProgram::try_from_erased(program.clone()).unwrap();
    assert_eq!(
        any.cast::<Two, One<S>>().map(TypedProgram::into_erased),
        Ok(program)
    );
    let error = any.cast::<Two, One<V>>().unwrap_err();
    let message = "the program's results are (f64[]), not (f64[_]); name the types that it has";
    assert_eq!(error.to_string(), message);
    assert!(any.cast::<One<V>, One<S>>().is_err());
}

#[test]
fn gradients() {
    // \xs -> gradient (\ys -> sum (map (\y -> (d/dz (z * y)) at y) ys)) at xs, with value
    let inner = OpenExp::let_(op::mul(Ix::zero(), Ix::zero().succ()), ret());
    let f = OpenExp::let_(op::gradient(Ix::zero(), inner), ret()).into();
    let body = OpenAcc::let_(
        arr::map(f, Ix::zero()),
        OpenAcc::let_(sum(Ix::zero()), OpenAcc::ret(Ix::zero())),
    );
    let xs: Ix<One<V>, V> = Ix::zero();
    let program = OpenAcc::<One<V>, (One<S>, V)>::let_(
        arr::value_and_gradient(xs, body),
        OpenAcc::ret((Ix::zero().succ(), Ix::zero())),
    );
    assert!(program.program(&Uses::default()).is_ok());
}

#[test]
fn derivatives_along_a_direction() {
    // \xs ts -> jvp (\ys -> (map (\y -> fst (jvp (\z -> z * y) y y)) ys, ys)) at xs along ts
    let inner = OpenExp::let_(
        op::mul(Ix::zero(), Ix::zero().succ()),
        OpenExp::ret(Ix::zero()),
    );
    let both = op::jvp(Ix::zero(), Ix::zero(), inner);
    let f = OpenExp::let_(both, OpenExp::ret(Ix::zero().succ())).into();
    let body = OpenAcc::let_(
        arr::map(f, Ix::zero()),
        OpenAcc::ret((Ix::zero(), Ix::zero().succ())),
    );
    type Two = (One<V>, V);
    let (xs, tangents): (Ix<Two, V>, Ix<Two, V>) = (Ix::zero().succ(), Ix::zero());
    let program = OpenAcc::<Two, One<V>>::let_(
        arr::jvp(xs, tangents, body),
        OpenAcc::ret(Ix::zero().succ()),
    );
    assert!(program.program(&Uses::default()).is_ok());
}

#[test]
fn derivatives_by_decree() {
    // \x -> map (\x -> x' = with_partials x [(x, x)]) x, then by rules that give tangents and cotangents as they are
    let f = OpenExp::let_(
        op::with_partials(Ix::zero(), &[(Ix::zero(), Ix::zero())]),
        ret(),
    );
    type Two = (One<V>, V);
    let x: Ix<Two, V> = Ix::zero().succ();
    let y: Ix<Two, V> = Ix::zero();
    let forwards = arr::custom_jvp(y, x, OpenAcc::ret(Ix::zero()));
    let x: Ix<(Two, V), V> = Ix::zero().succ().succ();
    let z: Ix<(Two, V), V> = Ix::zero();
    let backwards = arr::custom_vjp(z, x, OpenAcc::ret(Ix::zero()));
    let program = OpenAcc::<One<V>, One<V>>::let_(
        arr::map(f.into(), Ix::zero()),
        OpenAcc::let_(forwards, OpenAcc::let_(backwards, OpenAcc::ret(Ix::zero()))),
    );
    assert!(program.program(&Uses::default()).is_ok());
}

#[test]
fn collective_operations() {
    type A = (One<V>, M);
    let (v, m): (Ix<A, V>, Ix<A, M>) = (Ix::zero().succ(), Ix::zero());
    type Row = (((), Fixed), All);
    let swap = OpenExp::ret((Ix::zero(), Ix::zero().succ())).into();
    let shape = OpenExp::let_(
        op::extent(m, Ix::zero()),
        OpenExp::let_(
            op::extent(m, Ix::zero().succ()),
            OpenExp::ret((Ix::zero().succ(), Ix::zero())),
        ),
    );
    let target = OpenExp::let_(
        op::constant(true),
        OpenExp::ret((Ix::zero(), Ix::zero().succ())),
    );
    let row = arr::slice::<_, Row, _>(literal(0), m);
    let tall = arr::replicate::<_, Row, _>(literal(3), v);
    let iota = arr::generate::<_, Snoc<Z>, _>(length(v), OpenFun::from(OpenExp::ret(Ix::zero())));
    let ops = [
        of(arr::scan(Direction::Left, add(), None, v)),
        of(arr::backpermute::<_, Snoc<Snoc<Z>>, Snoc<Snoc<Z>>, _>(
            shape.into(),
            swap,
            m,
        )),
        of(arr::permute_add(v, target.clone().into(), v)),
        of(arr::permute_overwrite(v, target.into(), v)),
        of(arr::unpack(v, &[v, v])),
        of(arr::append(m, &[m])),
        of(arr::reshape::<_, _, Snoc<Z>, _>(literal(3), m)),
        of(row),
        of(tall),
        of(arr::acond(literal(true), OpenAcc::ret(v), OpenAcc::ret(v))),
        of(iota),
    ];
    for program in ops {
        assert_eq!(check(&program), Ok(()));
    }
}

/// The program that consists of one operation.
fn of<X: Env<ArrayType>>(op: arr::ArrOp<(One<V>, M), X>) -> Program<DeBruijn> {
    let nothing: OpenAcc<X::On<(One<V>, M)>, ()> = OpenAcc::ret(());
    OpenAcc::let_(op, nothing)
        .program(&Uses::default())
        .map(TypedProgram::into_erased)
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn host_arrays_have_types() {
    let host = HostArray::new(vec![2], Column::from(vec![1.0, 2.0])).unwrap();
    let mut uses = Uses::default();
    assert!(uses.add::<Z, f64>(host.clone()).is_none());
    assert!(uses.add::<Snoc<Z>, f32>(host.clone()).is_none());
    let xs = uses.add::<Snoc<Z>, f64>(host).unwrap();
    let program: OpenAcc<(), One<V>> = OpenAcc::let_(arr::use_(xs), OpenAcc::ret(Ix::zero()));
    assert!(program.clone().program(&uses).is_ok());
    assert!(program.program(&Uses::default()).is_err());
}

#[test]
fn indices_are_cast_with_a_check() {
    type E = ((One<i32>, f64), bool);
    let x: Ix<E, f64> = Ix::zero().succ();
    assert_eq!(x.cast::<f64>().map(Ix::number), Some(1));
    assert!(x.cast::<f32>().is_none());
    assert!(Ix::<E, i32>::try_from_erased(2).is_some());
    assert!(Ix::<E, i32>::try_from_erased(1).is_none());
    assert!(Ix::<E, i32>::try_from_erased(3).is_none());
    assert_eq!(x.under::<_, (One<i32>, i32)>().number(), 3);

    struct TypeOf;
    impl IxVisitor<E> for TypeOf {
        type Out = ScalarType;
        fn visit<T: Scalar>(self, variable: Ix<E, T>) -> ScalarType {
            assert!(variable.number() < 3);
            <Ix<E, T> as Vars<E, ScalarType>>::Types::types()[0]
        }
    }
    assert_eq!(open_ix::<E, _>(0, TypeOf), Some(ScalarType::Bool));
    assert_eq!(open_ix::<E, _>(2, TypeOf), Some(ScalarType::I32));
    assert_eq!(open_ix::<E, _>(3, TypeOf), None);
}

/// d |x| = sign(x) · dx, at whatever type of floats the program has.
struct AbsRule;

impl FloatVisitor for AbsRule {
    type Out = Fun<crate::term::Labelled>;
    fn visit<T: Float>(self) -> Self::Out {
        let mut builder = FunBuilder::new();
        let mut b = TypedBuilder::new(&mut builder);
        let (x, adjoint) = (b.param::<T>(), b.param::<T>());
        assert_eq!(b.cast::<T>(x.id()).map(Var::id), Some(x.id()));
        assert!(b.cast::<bool>(x.id()).is_none());
        let zero = b.small(0);
        let positive = b.ge(x, zero);
        let (sign, negative) = b.cond(
            positive,
            |b| (b.small::<T>(1), b.constant(false)),
            |b| (b.small::<T>(-1), b.constant(true)),
        );
        let result = b.mul(sign, adjoint);
        builder.finish(vec![result.id(), negative.id()])
    }
}

#[test]
fn rules_with_typed_variables() {
    for ty in [ScalarType::F32, ScalarType::F64] {
        let rule = with_float(ty, AbsRule).unwrap();
        assert_eq!(check_fun(&rule, &[]), Ok(vec![ty, ScalarType::Bool]));
    }
    assert!(with_float(ScalarType::I32, AbsRule).is_none());
}

#[test]
fn typed_variables_index_arrays() {
    let matrix = Arr::new(ArrId(0), M::TYPE);
    assert!(ArrVar::<Snoc<Z>, f64>::cast(&matrix).is_none());
    let typed = ArrVar::<Snoc<Snoc<Z>>, f64>::cast(&matrix).unwrap();
    let mut builder = FunBuilder::new();
    let mut b = TypedBuilder::new(&mut builder);
    let i = b.param();
    let rows = b.extent(&typed, Ix::zero().succ());
    let x = b.index(&typed, (i, rows));
    let x = b.convert::<_, f32>(x);
    let fun = builder.finish(vec![x.id()]);
    let types = check_fun(&fun, &[typed.array().ty]);
    assert_eq!(types, Ok(vec![ScalarType::F32]));
    assert!(fun.to_string().contains("extent $0 0"));
}

fn type_of<T: Scalar>(_: Var<T>) -> ScalarType {
    T::TYPE
}

/// Runs `$check` with function `$f` and all types of a class.
macro_rules! at_class {
    (Scalar $check:ident $f:ident) => { $check!($f bool i32 i64 f32 f64) };
    (Number $check:ident $f:ident) => { $check!($f i32 i64 f32 f64) };
    (Float $check:ident $f:ident) => { $check!($f f32 f64) };
    (Integer $check:ident $f:ident) => { $check!($f i32 i64) };
    (Truth $check:ident $f:ident) => { $check!($f bool) };
}

macro_rules! check_unary {
    ($f:ident $($ty:ty)*) => {$(
        let mut builder = FunBuilder::new();
        let mut b = TypedBuilder::new(&mut builder);
        let x = b.param::<$ty>();
        let y = b.$f(x);
        let types = Ok(vec![type_of(y)]);
        assert_eq!(check_fun(&builder.finish(vec![y.id()]), &[]), types);
        let face: OpenFun<(), One<$ty>, _> = OpenExp::let_(op::$f(Ix::zero()), ret()).into();
        assert_eq!(check_fun(&face.into_erased(), &[]), types);
    )*};
}

macro_rules! check_binary {
    ($f:ident $($ty:ty)*) => {$(
        let mut builder = FunBuilder::new();
        let mut b = TypedBuilder::new(&mut builder);
        let (x, y) = (b.param::<$ty>(), b.param());
        let z = b.$f(x, y);
        let types = Ok(vec![type_of(z)]);
        assert_eq!(check_fun(&builder.finish(vec![z.id()]), &[]), types);
        let op = op::$f(Ix::zero().succ(), Ix::zero());
        let face: OpenFun<(), (One<$ty>, $ty), _> = OpenExp::let_(op, ret()).into();
        assert_eq!(check_fun(&face.into_erased(), &[]), types);
    )*};
}

macro_rules! check_prims {
    (
        unary { $($u:ident $u_variant:ident $u_class:ident $u_result:ty,)* }
        binary { $($b:ident $b_variant:ident $b_class:ident $b_result:ty,)* }
    ) => {
        $(at_class!($u_class check_unary $u);)*
        $(at_class!($b_class check_binary $b);)*
        const TABLE: &[Prim] = &[$(Prim::$u_variant,)* $(Prim::$b_variant,)*];
    };
}

#[test]
fn typed_primitives_agree_with_the_checker() {
    super::prims::for_each_prim!(check_prims);
    for prim in crate::prim::ALL {
        let is_of_bits = matches!(prim, Prim::ToBits | Prim::FromBits);
        let apart = is_of_bits || matches!(prim, Prim::Convert(_) | Prim::MulAdd | Prim::Select);
        assert_ne!(TABLE.contains(&prim), apart, "{prim}");
    }
}

fn check_bits<T: Float>() {
    let mut builder = FunBuilder::new();
    let mut b = TypedBuilder::new(&mut builder);
    let x = b.param::<T>();
    let bits = b.to_bits(x);
    let y: Var<T> = b.from_bits(bits);
    let types = Ok(vec![type_of(y)]);
    assert_eq!(check_fun(&builder.finish(vec![y.id()]), &[]), types);
    let rest = OpenExp::let_(op::from_bits::<_, _, T>(Ix::zero()), ret());
    let face: OpenFun<(), One<T>, _> =
        OpenExp::let_(op::to_bits::<_, _, T>(Ix::zero()), rest).into();
    assert_eq!(check_fun(&face.into_erased(), &[]), types);
}

#[test]
fn bits_of_floats_agree_with_the_checker() {
    check_bits::<f16>();
    check_bits::<f32>();
    check_bits::<f64>();
}
