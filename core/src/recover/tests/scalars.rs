//! Sharing and guards within one scalar function.

use super::graphs::{B, F, Graphs, I, check_fun};
use crate::graph::{ArrRef, ExpNodeOp, ExpRef};
use crate::prim::Prim::{Add, Convert, Gt, Mul, Sin};
use crate::term::Mode;

fn positive(g: &mut Graphs, x: ExpRef) -> ExpRef {
    let zero = g.constant(0.0);
    g.prim(Gt, &[x, zero])
}

fn element(g: &mut Graphs, a: ArrRef, x: ExpRef) -> ExpRef {
    let i = g.prim(Convert(I), &[x]);
    g.index(a, &[i])
}

#[test]
fn shared_node_is_bound_once() {
    let body = |g: &mut Graphs, _, x| {
        let square = g.prim(Mul, &[x, x]);
        g.prim(Add, &[square, square])
    };
    check_fun(
        body,
        "\
fn (x0: f64) {
  let x1: f64 = mul (x0, x0)
  let x2: f64 = add (x1, x1)
  return (x2)
}",
    );
}

#[test]
fn total_node_goes_to_the_common_block() {
    let body = |g: &mut Graphs, _, x| {
        let sine = g.prim(Sin, &[x]);
        let p = positive(g, x);
        let only_then = g.prim(Mul, &[sine, x]);
        let inner = g.cond(p, only_then, sine);
        let q = positive(g, inner);
        g.cond(q, inner, x)
    };
    check_fun(
        body,
        "\
fn (x0: f64) {
  let x1: f64 = sin (x0)
  let x2: f64 = 0.0
  let x3: bool = gt (x0, x2)
  let x5: f64 = cond x3
    then: {
      let x4: f64 = mul (x1, x0)
      return (x4)
    }
    else: {
      return (x1)
    }
  let x6: f64 = 0.0
  let x7: bool = gt (x5, x6)
  let x8: f64 = cond x7
    then: {
      return (x5)
    }
    else: {
      return (x0)
    }
  return (x8)
}",
    );
}

#[test]
fn guarded_indexing_stays_in_its_branch() {
    let body = |g: &mut Graphs, a, x| {
        let p = positive(g, x);
        let element = element(g, a, x);
        let double = g.prim(Add, &[element, element]);
        g.cond(p, double, x)
    };
    check_fun(
        body,
        "\
fn [$0 = a0] (x0: f64) {
  let x1: f64 = 0.0
  let x2: bool = gt (x0, x1)
  let x6: f64 = cond x2
    then: {
      let x3: i32 = convert_i32 (x0)
      let x4: f64 = index $0 (x3)
      let x5: f64 = add (x4, x4)
      return (x5)
    }
    else: {
      return (x0)
    }
  return (x6)
}",
    );
}

#[test]
fn indexing_in_both_branches_is_shared() {
    let body = |g: &mut Graphs, a, x| {
        let p = positive(g, x);
        let element = element(g, a, x);
        let double = g.prim(Add, &[element, element]);
        let square = g.prim(Mul, &[element, element]);
        g.cond(p, double, square)
    };
    check_fun(
        body,
        "\
fn [$0 = a0] (x0: f64) {
  let x1: f64 = 0.0
  let x2: bool = gt (x0, x1)
  let x3: i32 = convert_i32 (x0)
  let x4: f64 = index $0 (x3)
  let x7: f64 = cond x2
    then: {
      let x5: f64 = add (x4, x4)
      return (x5)
    }
    else: {
      let x6: f64 = mul (x4, x4)
      return (x6)
    }
  return (x7)
}",
    );
}

#[test]
fn indexing_in_branches_of_two_conditionals_is_copied() {
    let body = |g: &mut Graphs, a, x| {
        let p = positive(g, x);
        let element = element(g, a, x);
        let first = g.cond(p, element, x);
        let second = g.cond(p, x, element);
        g.prim(Add, &[first, second])
    };
    check_fun(
        body,
        "\
fn [$0 = a0] (x0: f64) {
  let x1: f64 = 0.0
  let x2: bool = gt (x0, x1)
  let x3: i32 = convert_i32 (x0)
  let x5: f64 = cond x2
    then: {
      let x4: f64 = index $0 (x3)
      return (x4)
    }
    else: {
      return (x0)
    }
  let x7: f64 = cond x2
    then: {
      return (x0)
    }
    else: {
      let x6: f64 = index $0 (x3)
      return (x6)
    }
  let x8: f64 = add (x5, x7)
  return (x8)
}",
    );
}

#[test]
fn what_depends_on_an_indexing_that_is_done_anyway_is_shared() {
    let body = |g: &mut Graphs, a, x| {
        let p = positive(g, x);
        let element = element(g, a, x);
        let sine = g.prim(Sin, &[element]);
        let first = g.cond(p, sine, x);
        let second = g.cond(p, x, sine);
        let sum = g.prim(Add, &[first, second]);
        g.prim(Add, &[sum, element])
    };
    check_fun(
        body,
        "\
fn [$0 = a0] (x0: f64) {
  let x1: f64 = 0.0
  let x2: bool = gt (x0, x1)
  let x3: i32 = convert_i32 (x0)
  let x4: f64 = index $0 (x3)
  let x5: f64 = sin (x4)
  let x6: f64 = cond x2
    then: {
      return (x5)
    }
    else: {
      return (x0)
    }
  let x7: f64 = cond x2
    then: {
      return (x0)
    }
    else: {
      return (x5)
    }
  let x8: f64 = add (x6, x7)
  let x9: f64 = add (x8, x4)
  return (x9)
}",
    );
}

#[test]
fn the_same_holds_within_a_branch() {
    let body = |g: &mut Graphs, a, x| {
        let p = positive(g, x);
        let element = element(g, a, x);
        let sine = g.prim(Sin, &[element]);
        let first = g.cond(p, sine, x);
        let second = g.cond(p, x, sine);
        let sum = g.prim(Add, &[first, second]);
        let sum = g.prim(Add, &[sum, element]);
        g.cond(p, sum, x)
    };
    check_fun(
        body,
        "\
fn [$0 = a0] (x0: f64) {
  let x1: f64 = 0.0
  let x2: bool = gt (x0, x1)
  let x10: f64 = cond x2
    then: {
      let x3: i32 = convert_i32 (x0)
      let x4: f64 = index $0 (x3)
      let x5: f64 = sin (x4)
      let x6: f64 = cond x2
        then: {
          return (x5)
        }
        else: {
          return (x0)
        }
      let x7: f64 = cond x2
        then: {
          return (x0)
        }
        else: {
          return (x5)
        }
      let x8: f64 = add (x6, x7)
      let x9: f64 = add (x8, x4)
      return (x9)
    }
    else: {
      return (x0)
    }
  return (x10)
}",
    );
}

#[test]
fn a_condition_is_needed_where_its_conditional_is() {
    let body = |g: &mut Graphs, a, x| {
        let element = element(g, a, x);
        let p = positive(g, element);
        let one = g.constant(1.0);
        g.cond(p, element, one)
    };
    check_fun(
        body,
        "\
fn [$0 = a0] (x0: f64) {
  let x1: i32 = convert_i32 (x0)
  let x2: f64 = index $0 (x1)
  let x3: f64 = 0.0
  let x4: bool = gt (x2, x3)
  let x6: f64 = cond x4
    then: {
      return (x2)
    }
    else: {
      let x5: f64 = 1.0
      return (x5)
    }
  return (x6)
}",
    );
}

#[test]
fn gradient_body_keeps_what_depends_on_its_parameter() {
    let body = |g: &mut Graphs, a, x| {
        let sine = g.prim(Sin, &[x]);
        let element = element(g, a, x);
        let f = g.lambda("gradient_e", &[F], |g, t| {
            let scaled = g.prim(Mul, &[t[0], sine]);
            vec![g.prim(Mul, &[scaled, element])]
        });
        let op = ExpNodeOp::Derivative {
            mode: Mode::Gradient { with_value: true },
            f,
            args: vec![x],
        };
        let gradient = g.exps(op, &[F, F]);
        let both = g.prim(Add, &gradient);
        g.prim(Add, &[both, sine])
    };
    check_fun(
        body,
        "\
fn [$0 = a0] (x0: f64) {
  let x1: f64 = sin (x0)
  let x7: f64, x8: f64 = gradient_e with value (x0)
    body: (x2: f64) {
      let x3: i32 = convert_i32 (x0)
      let x4: f64 = index $0 (x3)
      let x5: f64 = mul (x2, x1)
      let x6: f64 = mul (x5, x4)
      return (x6)
    }
  let x9: f64 = add (x7, x8)
  let x10: f64 = add (x9, x1)
  return (x10)
}",
    );
}

const COPIED_GRADIENTS: &str = "\
fn [$0 = a0] (x0: f64) {
  let x1: i32 = convert_i32 (x0)
  let x2: f64 = 0.0
  let x3: bool = gt (x0, x2)
  let x10: f64 = cond x3
    then: {
      let x9: f64 = gradient_e (x0)
        body: (x4: f64) {
          let x5: f64 = index $0 (x1)
          let x6: f64 = mul (x4, x4)
          let x7: f64 = mul (x6, x6)
          let x8: f64 = mul (x7, x5)
          return (x8)
        }
      return (x9)
    }
    else: {
      return (x0)
    }
  let x17: f64 = cond x3
    then: {
      return (x0)
    }
    else: {
      let x16: f64 = gradient_e (x0)
        body: (x11: f64) {
          let x12: f64 = index $0 (x1)
          let x13: f64 = mul (x11, x11)
          let x14: f64 = mul (x13, x13)
          let x15: f64 = mul (x14, x12)
          return (x15)
        }
      return (x16)
    }
  let x18: f64 = add (x10, x17)
  return (x18)
}";

#[test]
fn copied_gradients_have_bodies_of_their_own() {
    let body = |g: &mut Graphs, a, x| {
        let element = element(g, a, x);
        let f = g.lambda("gradient_e", &[F], |g, t| {
            let square = g.prim(Mul, &[t[0], t[0]]);
            let fourth = g.prim(Mul, &[square, square]);
            vec![g.prim(Mul, &[fourth, element])]
        });
        let op = ExpNodeOp::Derivative {
            mode: Mode::Gradient { with_value: false },
            f,
            args: vec![x],
        };
        let gradient = g.exps(op, &[F])[0];
        let p = positive(g, x);
        let first = g.cond(p, gradient, x);
        let second = g.cond(p, x, gradient);
        g.prim(Add, &[first, second])
    };
    check_fun(body, COPIED_GRADIENTS);
}

#[test]
fn all_results_of_a_node_are_bound_by_one_let() {
    let body = |g: &mut Graphs, _, x| {
        let (p, sine) = (positive(g, x), g.prim(Sin, &[x]));
        let op = ExpNodeOp::Cond {
            cond: p,
            then_: vec![sine, x, p],
            else_: vec![x, sine, p],
        };
        let both = g.exps(op, &[F, F, B]);
        let product = g.prim(Mul, &both[..2]);
        g.cond(both[2], product, both[1])
    };
    check_fun(
        body,
        "\
fn (x0: f64) {
  let x1: f64 = 0.0
  let x2: bool = gt (x0, x1)
  let x3: f64 = sin (x0)
  let x4: f64, x5: f64, x6: bool = cond x2
    then: {
      return (x3, x0, x2)
    }
    else: {
      return (x0, x3, x2)
    }
  let x8: f64 = cond x6
    then: {
      let x7: f64 = mul (x4, x5)
      return (x7)
    }
    else: {
      return (x5)
    }
  return (x8)
}",
    );
}

/// A conditional in whose branch nothing can fail that is not done anyway.
#[test]
fn conditionals_on_what_is_done_anyway_are_shared() {
    let body = |g: &mut Graphs, a, x| {
        let p = positive(g, x);
        let element = element(g, a, x);
        let sine = g.prim(Sin, &[element]);
        let shared = g.cond(p, sine, x);
        let first = g.cond(p, shared, x);
        let second = g.cond(p, x, shared);
        let sum = g.prim(Add, &[first, second]);
        g.prim(Add, &[sum, element])
    };
    check_fun(
        body,
        "\
fn [$0 = a0] (x0: f64) {
  let x1: f64 = 0.0
  let x2: bool = gt (x0, x1)
  let x3: i32 = convert_i32 (x0)
  let x4: f64 = index $0 (x3)
  let x6: f64 = cond x2
    then: {
      let x5: f64 = sin (x4)
      return (x5)
    }
    else: {
      return (x0)
    }
  let x7: f64 = cond x2
    then: {
      return (x6)
    }
    else: {
      return (x0)
    }
  let x8: f64 = cond x2
    then: {
      return (x0)
    }
    else: {
      return (x6)
    }
  let x9: f64 = add (x7, x8)
  let x10: f64 = add (x9, x4)
  return (x10)
}",
    );
}

/// What depends on a gradient's parameter and is needed in two bodies may not be put around them.
#[test]
fn copied_bodies_share_nothing_that_depends_on_their_parameters() {
    let body = |g: &mut Graphs, a, x| {
        let p = positive(g, x);
        let f = g.lambda("gradient_e", &[F], |g, t| {
            let element = element(g, a, t[0]);
            vec![g.prim(Mul, &[element, element])]
        });
        let op = ExpNodeOp::Derivative {
            mode: Mode::Gradient { with_value: false },
            f,
            args: vec![x],
        };
        let gradient = g.exps(op, &[F])[0];
        let first = g.cond(p, gradient, x);
        let second = g.cond(p, x, gradient);
        g.prim(Add, &[first, second])
    };
    check_fun(
        body,
        "\
fn [$0 = a0] (x0: f64) {
  let x1: f64 = 0.0
  let x2: bool = gt (x0, x1)
  let x8: f64 = cond x2
    then: {
      let x7: f64 = gradient_e (x0)
        body: (x3: f64) {
          let x4: i32 = convert_i32 (x3)
          let x5: f64 = index $0 (x4)
          let x6: f64 = mul (x5, x5)
          return (x6)
        }
      return (x7)
    }
    else: {
      return (x0)
    }
  let x14: f64 = cond x2
    then: {
      return (x0)
    }
    else: {
      let x13: f64 = gradient_e (x0)
        body: (x9: f64) {
          let x10: i32 = convert_i32 (x9)
          let x11: f64 = index $0 (x10)
          let x12: f64 = mul (x11, x11)
          return (x12)
        }
      return (x13)
    }
  let x15: f64 = add (x8, x14)
  return (x15)
}",
    );
}
