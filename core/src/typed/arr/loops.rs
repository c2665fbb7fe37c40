//! Loops of arrays, well typed by construction.

use super::super::acc::{OpenAcc, arr_binds};
use super::super::exp::OpenFun;
use super::super::index::{Vars, erased};
use super::super::types::{Array, Env, One, Z};
use super::{ArrOp, Over};
use crate::term::{AccClosure, AccOp, ArrIx, DeBruijn, States};
use crate::types::ArrayType;

/// The number of a trip, or how many were made.
type Count = Array<Z, i32>;
/// What the code of a trip sees: all around the loop, the number of the trip, and the state, which has the types of `V`, nearest
/// last.
pub type Trip<A, V> = Over<V, A, (A, Count)>;
/// Code that is asked whether to make a trip.
pub type Test<A, V> = OpenAcc<Trip<A, V>, One<Array<Z, bool>>>;
/// Code of a trip that gives the next state, or the one before.
pub type Step<A, V> = OpenAcc<Trip<A, V>, <V as Vars<A, ArrayType>>::Types>;
/// The results of a loop: how many trips were made, and the last state.
pub type Looped<A, V> = Over<V, A, One<Count>>;

/// [`AccOp::Loop`] from the first state `state`, with or without a test.
///
/// ```
/// use cotangent_core::term::States;
/// use cotangent_core::typed::{Array, Ix, One, OpenAcc, OpenExp, OpenFun, Snoc, Uses, Z, arr, op};
/// type Vector = Array<Snoc<Z>, f64>;
///
/// // Twice the length, three times.
/// let trips: OpenFun<One<Vector>, (), One<i32>> =
///     OpenExp::let_(op::constant(3), OpenExp::ret(Ix::zero())).into();
/// let step = OpenAcc::let_(arr::append(Ix::zero(), &[Ix::zero()]), OpenAcc::ret(Ix::zero()));
/// let state: Ix<One<Vector>, Vector> = Ix::zero();
/// let doubled = arr::loop_(trips, state, None, step, States::Stored);
/// let doubled: OpenAcc<_, One<Vector>> = OpenAcc::let_(doubled, OpenAcc::ret(Ix::zero()));
/// assert!(doubled.program(&Uses::default()).is_ok());
/// ```
///
/// A step that makes another state than it is given does not compile:
///
/// ```compile_fail,E0308
/// use cotangent_core::term::States;
/// use cotangent_core::typed::{Array, Ix, One, OpenAcc, OpenFun, Snoc, Z, arr};
/// type Vector = Array<Snoc<Z>, f64>;
///
/// fn counted(trips: OpenFun<One<Vector>, (), One<i32>>) -> arr::ArrOp<One<Vector>, arr::Looped<One<Vector>, Ix<One<Vector>, Vector>>> {
///     let number: Ix<((One<Vector>, Array<Z, i32>), Vector), Array<Z, i32>> = Ix::zero().succ();
///     arr::loop_(trips, Ix::zero(), None, OpenAcc::ret(number), States::Stored)
/// }
/// ```
pub fn loop_<A: Env<ArrayType>, V: Vars<A, ArrayType>>(
    trips: OpenFun<A, (), One<i32>>,
    state: V,
    test: Option<Test<A, V>>,
    step: Step<A, V>,
    states: States<Step<A, V>>,
) -> ArrOp<A, Looped<A, V>> {
    ArrOp::new(AccOp::Loop {
        trips: trips.into_erased(),
        test: test.map(closure::<A, V, _>),
        step: closure::<A, V, _>(step),
        states: match states {
            States::Stored => States::Stored,
            States::Checkpoints(slots) => States::Checkpoints(slots),
            States::Inverse(inverse) => States::Inverse(closure::<A, V, _>(inverse)),
            States::Closed => States::Closed,
        },
        args: erased(state, ArrIx),
    })
}

fn closure<A: Env<ArrayType>, V: Vars<A, ArrayType>, X>(
    body: OpenAcc<Trip<A, V>, X>,
) -> AccClosure<DeBruijn> {
    AccClosure {
        params: arr_binds::<Looped<A, V>>(),
        body: body.into_erased(),
    }
}
