//! Sharing and guards among array operations, and what passes between the strata.

use super::graphs::{B, F, Graphs, I, check, compile, floats};
use crate::graph::{AccNodeOp, ArrRef};
use crate::prim::Prim::{Add, Gt, Mul};
use crate::term::{Axis, Combine, Direction, Mode, Move};
use crate::types::ArrayType;

#[test]
fn arrays_float_out_of_scalar_functions() {
    let body = |g: &mut Graphs, a: &[ArrRef]| {
        let scaled = g.map(a[0], |g, x| {
            let sum = g.sum(a[0]);
            let sum = g.index(sum, &[]);
            g.prim(Mul, &[x, sum])
        });
        vec![scaled]
    };
    check(
        &[floats(1)],
        body,
        "\
program (a0: f64[_]) {
  let a1: f64[] = fold (a0)
    f: fn (x0: f64, x1: f64) {
      let x2: f64 = add (x0, x1)
      return (x2)
    }
    init: fn () {
      let x0: f64 = 0.0
      return (x0)
    }
  let a2: f64[_] = map (a0)
    f: fn [$0 = a1] (x0: f64) {
      let x1: f64 = index $0 ()
      let x2: f64 = mul (x0, x1)
      return (x2)
    }
  return (a2)
}",
    );
}

#[test]
fn captures_are_listed_once_by_first_use() {
    let body = |g: &mut Graphs, a: &[ArrRef]| {
        let f = g.lambda("generate", &[I], |g, i| {
            let x = g.index(a[1], i);
            let y = g.index(a[0], i);
            let z = g.index(a[1], i);
            let product = g.prim(Mul, &[x, y]);
            vec![g.prim(Add, &[product, z]), x]
        });
        let shape = vec![g.extent(a[0], 0)];
        g.accs(AccNodeOp::Generate { shape, f }, &[floats(1), floats(1)])
    };
    check(
        &[floats(1), floats(1)],
        body,
        "\
program (a0: f64[_], a1: f64[_]) {
  let a2: f64[_], a3: f64[_] = generate
    shape: fn [$0 = a0] () {
      let x0: i32 = extent $0 0
      return (x0)
    }
    f: fn [$0 = a1, $1 = a0] (x0: i32) {
      let x1: f64 = index $0 (x0)
      let x2: f64 = index $1 (x0)
      let x3: f64 = index $0 (x0)
      let x4: f64 = mul (x1, x2)
      let x5: f64 = add (x4, x3)
      return (x5, x1)
    }
  return (a2, a3)
}",
    );
}

fn is_positive(g: &mut Graphs, a: ArrRef) -> crate::graph::ExpRef {
    let x = g.index(a, &[]);
    let zero = g.constant(0.0);
    g.prim(Gt, &[x, zero])
}

fn reverse(g: &mut Graphs, a: ArrRef) -> ArrRef {
    let shape = vec![g.extent(a, 0)];
    let f = g.lambda("backpermute", &[I], |g, i| {
        let minus_one = g.constant(-1);
        let i = g.prim(Mul, &[i[0], minus_one]);
        let n = g.extent(a, 0);
        let from_end = g.prim(Add, &[n, i]);
        vec![g.prim(Add, &[from_end, minus_one])]
    });
    let how = Move::Backpermute { shape, f };
    g.accs(AccNodeOp::Move { how, arg: a }, &[floats(1)])[0]
}

const GUARDED: &str = "\
program (a0: f64[], a1: f64[_]) {
  let a2: f64[_] = map (a1)
    f: fn (x0: f64) {
      let x1: f64 = mul (x0, x0)
      return (x1)
    }
  let a6: f64[_] = acond
    condition: fn [$0 = a0] () {
      let x0: f64 = index $0 ()
      let x1: f64 = 0.0
      let x2: bool = gt (x0, x1)
      return (x2)
    }
    then: {
      return (a2)
    }
    else: {
      let a5: f64[_] = acond
        condition: fn [$0 = a0] () {
          let x0: f64 = index $0 ()
          let x1: f64 = 0.0
          let x2: bool = gt (x0, x1)
          return (x2)
        }
        then: {
          let a3: f64[_] = backpermute (a1)
            shape: fn [$0 = a1] () {
              let x0: i32 = extent $0 0
              return (x0)
            }
            f: fn [$0 = a1] (x0: i32) {
              let x1: i32 = -1
              let x2: i32 = mul (x0, x1)
              let x3: i32 = extent $0 0
              let x4: i32 = add (x3, x2)
              let x5: i32 = add (x4, x1)
              return (x5)
            }
          let a4: f64[_] = map (a3)
            f: fn (x0: f64) {
              let x1: f64 = add (x0, x0)
              return (x1)
            }
          return (a4)
        }
        else: {
          return (a1)
        }
      return (a5)
    }
  let a7: f64[_] = acond
    condition: fn [$0 = a0] () {
      let x0: f64 = index $0 ()
      let x1: f64 = 0.0
      let x2: bool = gt (x0, x1)
      return (x2)
    }
    then: {
      return (a6)
    }
    else: {
      return (a2)
    }
  return (a7, a6)
}";

#[test]
fn guarded_array_operations_stay_in_their_branch() {
    let body = |g: &mut Graphs, a: &[ArrRef]| {
        let reversed = reverse(g, a[1]);
        let doubled = g.map(reversed, |g, x| g.prim(Add, &[x, x]));
        let p = is_positive(g, a[0]);
        let first = g.acond(p, doubled, a[1]);
        let squared = g.map(a[1], |g, x| g.prim(Mul, &[x, x]));
        let second = g.acond(p, squared, first);
        let third = g.acond(p, second, squared);
        vec![third, second]
    };
    check(&[floats(0), floats(1)], body, GUARDED);
}

#[test]
fn gradient_body_sees_what_is_around_it() {
    let body = |g: &mut Graphs, a: &[ArrRef]| {
        let sum = g.sum(a[0]);
        let f = g.acc_lambda("gradient_a", &[floats(1)], |g, x| {
            let scaled = g.map(x[0], |g, x| {
                let constant = g.index(sum, &[]);
                g.prim(Mul, &[x, constant])
            });
            vec![g.sum(scaled)]
        });
        let op = AccNodeOp::Derivative {
            mode: Mode::Gradient { with_value: true },
            f,
            args: vec![a[0]],
        };
        let gradient = g.accs(op, &[floats(0), floats(1)]);
        vec![gradient[1], gradient[0], sum]
    };
    check(
        &[floats(1)],
        body,
        "\
program (a0: f64[_]) {
  let a1: f64[] = fold (a0)
    f: fn (x0: f64, x1: f64) {
      let x2: f64 = add (x0, x1)
      return (x2)
    }
    init: fn () {
      let x0: f64 = 0.0
      return (x0)
    }
  let a5: f64[], a6: f64[_] = gradient_a with value (a0)
    body: (a2: f64[_]) {
      let a3: f64[_] = map (a2)
        f: fn [$0 = a1] (x0: f64) {
          let x1: f64 = index $0 ()
          let x2: f64 = mul (x0, x1)
          return (x2)
        }
      let a4: f64[] = fold (a3)
        f: fn (x0: f64, x1: f64) {
          let x2: f64 = add (x0, x1)
          return (x2)
        }
        init: fn () {
          let x0: f64 = 0.0
          return (x0)
        }
      return (a4)
    }
  return (a6, a5, a1)
}",
    );
}

#[test]
fn parameters_can_be_results() {
    let body = |_: &mut Graphs, a: &[ArrRef]| vec![a[1], a[0], a[1]];
    check(
        &[floats(0), floats(1)],
        body,
        "\
program (a0: f64[], a1: f64[_]) {
  return (a1, a0, a1)
}",
    );
}

#[test]
fn what_is_not_used_is_left_out() {
    let body = |g: &mut Graphs, a: &[ArrRef]| {
        g.map(a[0], |g, x| g.prim(Mul, &[x, x]));
        let kept = g.map(a[0], |g, x| {
            g.prim(Mul, &[x, x]);
            g.prim(Add, &[x, x])
        });
        vec![kept]
    };
    check(
        &[floats(1)],
        body,
        "\
program (a0: f64[_]) {
  let a1: f64[_] = map (a0)
    f: fn (x0: f64) {
      let x1: f64 = add (x0, x0)
      return (x1)
    }
  return (a1)
}",
    );
}

const OTHER_OPERATIONS: &str = "\
program (a0: f64[_]) {
  let a1: f64[_, _] = reshape (a0)
    shape: fn [$0 = a0] () {
      let x0: i32 = extent $0 0
      let x1: i32 = 1
      return (x1, x0)
    }
  let a2: f64[_, _] = replicate [fixed, all] (a0)
    extents: fn [$0 = a0] () {
      let x0: i32 = extent $0 0
      return (x0)
    }
  let a3: f64[_] = slice [fixed, all] (a1)
    indices: fn () {
      let x0: i32 = 1
      return (x0)
    }
  let a4: f64[_, _] = unpack (a3, a0)
  let a5: f64[_] = scanl1 (a0)
    f: fn (x0: f64, x1: f64) {
      let x2: f64 = add (x0, x1)
      return (x2)
    }
  let a6: f64[_] = fold1 (a4)
    f: fn (x0: f64, x1: f64) {
      let x2: f64 = add (x0, x1)
      return (x2)
    }
  let a7: f64[_] = permute add (a6) into (a5)
    target: fn (x0: i32) {
      let x1: bool = true
      return (x1, x0)
    }
  return (a2, a7)
}";

/// Every array operation that other tests do not use.
#[test]
fn all_other_operations() {
    let body = |g: &mut Graphs, a: &[ArrRef]| {
        let vector = a[0];
        let n = g.extent(vector, 0);
        let one = g.constant(1);
        let both = vec![Axis::Fixed, Axis::All];
        let shape = vec![one, n];
        let (how, arg) = (Move::Reshape { shape }, vector);
        let reshaped = g.accs(AccNodeOp::Move { how, arg }, &[floats(2)])[0];
        let op = AccNodeOp::Move {
            how: Move::Replicate {
                axes: both.clone(),
                extents: vec![n],
            },
            arg: vector,
        };
        let replicated = g.accs(op, &[floats(2)])[0];
        let op = AccNodeOp::Move {
            how: Move::Slice {
                axes: both,
                indices: vec![one],
            },
            arg: reshaped,
        };
        let sliced = g.accs(op, &[floats(1)])[0];
        let args = vec![sliced, vector];
        let unpacked = g.accs(AccNodeOp::Unpack { args }, &[floats(2)])[0];
        let f = g.lambda("scanl1", &[F, F], |g, x| vec![g.prim(Add, x)]);
        let op = AccNodeOp::Scan {
            direction: Direction::Left,
            f,
            init: None,
            args: vec![vector],
        };
        let scanned = g.accs(op, &[floats(1)])[0];
        let f = g.lambda("fold1", &[F, F], |g, x| vec![g.prim(Add, x)]);
        let op = AccNodeOp::Fold {
            f,
            init: None,
            args: vec![unpacked],
        };
        let folded = g.accs(op, &[floats(1)])[0];
        let target = g.lambda("permute", &[I], |g, i| vec![g.constant(true), i[0]]);
        let op = AccNodeOp::Permute {
            combine: Combine::Add,
            defaults: vec![scanned],
            target,
            args: vec![folded],
        };
        let permuted = g.accs(op, &[floats(1)])[0];
        vec![replicated, permuted]
    };
    check(&[floats(1)], body, OTHER_OPERATIONS);
}

#[test]
fn scalar_condition_of_an_array_reads_a_shared_array() {
    let program = compile(&[floats(0), ArrayType::new(B, 0)], |g, a| {
        let sine = g.map(a[0], |g, x| g.prim(Mul, &[x, x]));
        let p = is_positive(g, sine);
        let q = g.index(a[1], &[]);
        let both = g.prim(crate::prim::Prim::And, &[p, q]);
        vec![g.acond(both, sine, a[0])]
    });
    let lets = program.unwrap().body.lets;
    assert_eq!(lets.len(), 2);
    assert_eq!(lets[1].op.funs()[0].captures.len(), 2);
}
