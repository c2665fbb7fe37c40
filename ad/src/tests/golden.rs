//! The identities of paper 004 (see [`algebra`](super::algebra)) by the exact text of what forward mode becomes.
//!
//! Arguments have the shapes that the identity is about as the program itself says, so that no condition on shapes is left. What is
//! left besides, and not compared, are arrays that nobody reads: they say which shapes would be too large.

use super::algebra::{derived, dot, product, trace_of};
use super::{Matrix, Vector};
use cotangent_core::surface::AccFn;
use cotangent_core::surface::prelude::*;

/// The operations of a program: its head, its arrays, what it returns. Each begins in the second column.
fn operations(text: &str) -> Vec<String> {
    let mut all: Vec<String> = vec![];
    for line in text.trim().lines() {
        let begins = line.starts_with("  ") && line[2..].starts_with(char::is_alphabetic);
        match all.last_mut().filter(|_| !begins) {
            Some(operation) => *operation += &format!("\n{line}"),
            None => all.push(line.to_owned()),
        }
    }
    all
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
}

/// The text without the arrays that nobody reads.
fn needed(text: &str) -> String {
    let mut kept: Vec<String> = vec![];
    for operation in operations(text).into_iter().rev() {
        let array = operation
            .strip_prefix("  let ")
            .and_then(|rest| words(rest).next());
        let is_read = |name| {
            kept.iter()
                .any(|later| words(later).any(|word| word == name))
        };
        if array.is_none_or(is_read) {
            kept.push(operation);
        }
    }
    kept.reverse();
    kept.join("\n")
}

#[track_caller]
fn is<M, F: AccFn<M>>(f: F, expected: &str) {
    let found = needed(&derived(f).to_string());
    assert_eq!(found, expected.trim(), "{found}");
}

/// d(v·w)/dv = w.
#[test]
fn inner_product() {
    let f = |pairs: Acc<Ix1, (f64, f64)>| {
        let (v, w) = pairs.unzip();
        jacobian_forward(|v| dot(v, w), v)
    };
    is(
        f,
        "\
program (a0: f64[_], a1: f64[_]) {
  alike params #0, #1
  return (a1)
}",
    );
}

/// d tr(M)/dM = I.
#[test]
fn trace_of_a_matrix() {
    is(
        |m: Matrix| jacobian_forward(trace_of, m),
        "\
program (a0: f64[_, _]) {
  let a16: f64[_, _] = generate
    shape: fn [$0 = a0] () {
      let x0: i32 = extent $0 0
      let x1: i32 = extent $0 1
      return (x0, x1)
    }
    f: fn (x0: i32, x1: i32) {
      let x2: bool = eq (x0, x1)
      let x3: f64 = 1.0
      let x4: f64 = 0.0
      let x5: f64 = select (x2, x3, x4)
      return (x5)
    }
  return (a16)
}",
    );
}

/// d tr(M·A)/dM = Aᵀ.
#[test]
fn trace_of_a_product() {
    let f = |a: Matrix| {
        let m = a.transpose().map(|x| x + 1.0);
        jacobian_forward(|m| trace_of(product(m, a)), m)
    };
    is(
        f,
        "\
program (a0: f64[_, _]) {
  let a1: f64[_, _] = backpermute (a0)
    shape: fn [$0 = a0] () {
      let x0: i32 = extent $0 0
      let x1: i32 = extent $0 1
      return (x1, x0)
    }
    f: fn (x0: i32, x1: i32) {
      return (x1, x0)
    }
  return (a1)
}",
    );
}

/// d(u·M·vᵀ)/dM is the outer product of u and v.
#[test]
fn bilinear_form() {
    let f = |u: Vector, v: Vector| {
        let ones = fill(ix![u.size(), v.size()], 1.0);
        let form = |m: Matrix| {
            let rows = v.replicate(ix![u.size(), All]);
            dot(u, m.zip_with(rows, |x, y| x * y).sum())
        };
        jacobian_forward(form, ones)
    };
    is(
        f,
        "\
program (a0: f64[_], a1: f64[_]) {
  let a23: f64[_, _] = generate
    shape: fn [$0 = a0, $1 = a1] () {
      let x0: i32 = extent $0 0
      let x1: i32 = extent $1 0
      return (x0, x1)
    }
    f: fn [$0 = a0, $1 = a1] (x0: i32, x1: i32) {
      let x2: f64 = index $0 (x0)
      let x3: f64 = index $1 (x1)
      let x4: f64 = mul (x2, x3)
      return (x4)
    }
  return (a23)
}",
    );
}

/// (Mᵀ)ᵀ = M.
#[test]
fn transposed_twice() {
    is(
        |m: Matrix| m.transpose().transpose(),
        "\
program (a0: f64[_, _]) {
  return (a0)
}",
    );
}

/// v·I = v, where I is a direction.
#[test]
fn product_with_the_identity() {
    let f = |v: Vector, m: Matrix| {
        let n = v.size();
        let identity = generate(ix![n, n], |ix![i, j]| cond::<f64>(i.eq_(j), 1.0, 0.0));
        let times = |m: Matrix| {
            let rows = v.replicate(ix![n, All]);
            m.transpose().zip_with(rows, |x, y| x * y).sum()
        };
        jvp_a(times, m.backpermute(ix![n, n], |i| i), identity).1
    };
    is(
        f,
        "\
program (a0: f64[_], a1: f64[_, _]) {
  return (a0)
}",
    );
}
