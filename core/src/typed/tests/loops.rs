//! Loops of both strata are built from typed parts, and their views re-check.

use super::{S, V, literal, ret, sum};
use crate::parse::{Hosts, Parser};
use crate::term::{DeBruijn, Program, States};
use crate::typed::{Array, Ix, One, OpenAcc, OpenExp, OpenFun, TypedProgram, Uses, Z, arr, op};

type Count = Array<Z, i32>;
/// A number of trips and a scalar.
type Scalars = (One<i32>, f64);
/// A number of trips, and the state of [`doubled`].
type Results = ((One<Count>, V), S);

/// x = x / 2, while x > 1, at most n times: the number of trips and the last x.
fn halved<A>() -> OpenExp<Scalars, A, Scalars> {
    let (n, x): (Ix<Scalars, i32>, Ix<Scalars, f64>) = (Ix::zero().succ(), Ix::zero());
    let test = OpenExp::let_(
        op::constant(1.0),
        OpenExp::let_(op::gt(Ix::zero().succ(), Ix::zero()), ret()),
    );
    let half = op::mul(Ix::zero().succ(), Ix::zero());
    let step = OpenExp::let_(op::constant(0.5), OpenExp::let_(half, ret()));
    let results = OpenExp::ret((Ix::zero().succ(), Ix::zero()));
    OpenExp::let_(op::loop_(n, x, Some(test), step), results)
}

#[test]
fn loops_of_scalars() {
    let halved: OpenFun<(), Scalars, Scalars> = halved().into();
    let erased = halved.into_erased();
    let expected = "\
fn (_: i32, _: f64) {
  let _: i32, _: f64 = loop (x@1, x@0)
    test: (_: i32, _: f64) {
      let _: f64 = 1.0
      let _: bool = gt (x@1, x@0)
      return (x@0)
    }
    step: (_: i32, _: f64) {
      let _: f64 = 0.5
      let _: f64 = mul (x@1, x@0)
      return (x@0)
    }
  return (x@1, x@0)
}";
    assert_eq!(erased.to_string(), expected);
    assert!(OpenFun::<(), Scalars, Scalars>::try_from_erased(&erased).is_ok());
    let of_floats = OpenFun::<(), Scalars, (One<f64>, f64)>::try_from_erased(&erased);
    let error = of_floats.unwrap_err().to_string();
    assert!(
        error.contains("(f64, f64)") && error.contains("(i32, f64)"),
        "{error}"
    );
    let too_few = OpenFun::<(), Scalars, One<f64>>::try_from_erased(&erased);
    assert!(too_few.is_err());
}

/// The state is a vector and the sum of the last one; trips append the vector to itself while the sum is less than 10.
fn doubled(states: States<()>) -> OpenAcc<One<V>, Results> {
    type State = (Ix<(One<V>, S), V>, Ix<(One<V>, S), S>);
    type Trip = arr::Trip<(One<V>, S), State>;
    let trips = literal::<(One<V>, S), _>(4);
    let total: Ix<Trip, S> = Ix::zero();
    let below = OpenExp::let_(
        op::index(total, ()),
        OpenExp::let_(
            op::constant(10.0),
            OpenExp::let_(op::lt(Ix::zero().succ(), Ix::zero()), ret()),
        ),
    );
    let test = OpenAcc::let_(
        arr::generate::<_, Z, _>(OpenExp::ret(()).into(), below.into()),
        OpenAcc::ret(Ix::zero()),
    );
    let vector: Ix<Trip, V> = Ix::zero().succ();
    let step = || {
        OpenAcc::let_(
            arr::append(vector, &[vector]),
            OpenAcc::let_(
                sum(Ix::zero()),
                OpenAcc::ret((Ix::zero().succ(), Ix::zero())),
            ),
        )
    };
    let states = match states {
        States::Stored => States::Stored,
        States::Checkpoints(slots) => States::Checkpoints(slots),
        States::Inverse(()) => States::Inverse(step()),
        States::Closed => States::Closed,
    };
    let first = (Ix::zero().succ(), Ix::zero());
    let looped = arr::loop_::<_, State>(trips, first, Some(test), step(), states);
    let results = ((Ix::zero().succ().succ(), Ix::zero().succ()), Ix::zero());
    OpenAcc::let_(
        sum(Ix::zero()),
        OpenAcc::let_(looped, OpenAcc::ret(results)),
    )
}

fn read(text: &str) -> Program<DeBruijn> {
    let hosts = Hosts::Given(&[]);
    let parser = Parser {
        hosts,
        ..Parser::default()
    };
    parser
        .official(text)
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn loops_of_arrays() {
    let program = doubled(States::Stored).program(&Uses::default()).unwrap();
    let expected = "\
program (_: f64[_]) {
  let _: f64[] = fold (a@0)
    f: fn (_: f64, _: f64) {
      let _: f64 = add (x@1, x@0)
      return (x@0)
    }
    init: fn () {
      let _: f64 = 0.0
      return (x@0)
    }
  let _: i32[], _: f64[_], _: f64[] = loop_a (a@1, a@0)
    trips: fn () {
      let _: i32 = 4
      return (x@0)
    }
    test: (_: i32[], _: f64[_], _: f64[]) {
      let _: bool[] = generate
        shape: fn () {
          return ()
        }
        f: fn [$0 = a@0] () {
          let _: f64 = index $0 ()
          let _: f64 = 10.0
          let _: bool = lt (x@1, x@0)
          return (x@0)
        }
      return (a@0)
    }
    step: (_: i32[], _: f64[_], _: f64[]) {
      let _: f64[_] = append (a@1, a@1)
      let _: f64[] = fold (a@0)
        f: fn (_: f64, _: f64) {
          let _: f64 = add (x@1, x@0)
          return (x@0)
        }
        init: fn () {
          let _: f64 = 0.0
          return (x@0)
        }
      return (a@1, a@0)
    }
  return (a@2, a@1, a@0)
}";
    assert_eq!(program.to_string(), expected);
}

#[test]
fn views_of_loops_re_check() {
    let states = [
        States::Stored,
        States::Checkpoints(3),
        States::Inverse(()),
        States::Closed,
    ];
    for states in states {
        let text = doubled(states)
            .program(&Uses::default())
            .unwrap()
            .to_string();
        let view = TypedProgram::<One<V>, Results>::try_from_erased(read(&text)).unwrap();
        let again = view.body().program(&view.uses()).unwrap();
        assert_eq!(again.to_string(), text);
        assert!(
            TypedProgram::<One<V>, ((One<Count>, V), V)>::try_from_erased(read(&text)).is_err()
        );
        assert!(TypedProgram::<One<V>, ((One<S>, V), S)>::try_from_erased(read(&text)).is_err());
    }
}
