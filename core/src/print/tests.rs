//! Snapshots of the text form.

use super::Printer;
use crate::build::FunBuilder;
use crate::constant::Const;
use crate::deep::with_deep_stack;
use crate::label::{label, samples, unlabel};
use crate::types::ScalarType;

const DOT: &str = "\
program (a0: f64[_], a1: f64[_]) {
  let a2: f64[_] = zip_with (a0, a1)
    f: fn (x0: f64, x1: f64) {
      let x2: f64 = mul (x0, x1)
      return (x2)
    }
  let a3: f64[] = fold (a2)
    f: fn (x0: f64, x1: f64) {
      let x2: f64 = add (x0, x1)
      return (x2)
    }
    init: fn () {
      let x0: f64 = 0.0
      return (x0)
    }
  return (a3)
}";

const SCALAR_GRADIENT: &str = "\
program (_: f64[_]) {
  let _: f64[_], _: f64[_], _: i32[_] = generate
    shape: fn [$0 = a@0] () {
      let _: i32 = extent $0 0
      return (x@0)
    }
    f: fn [$0 = a@0] (_: i32) {
      let _: f64 = index $0 (x@0)
      let _: f64, _: f64, _: i32 = gradient_e with value (x@0, x@1)
        body: (_: f64, _: i32) {
          let _: f64 = mul (x@1, x@2)
          let _: f64 = sin (x@0)
          return (x@0)
        }
      return (x@2, x@1, x@0)
    }
  return (a@2, a@1, a@0)
}";

const ARRAY_GRADIENT: &str = "\
program (a0: f64[_, _]) {
  host #0: f64[3]
  let a1: f64[_] = use #0
  let a2: bool[] = generate
    shape: fn () {
      return ()
    }
    f: fn () {
      let x0: bool = true
      return (x0)
    }
  let a10: f64[], a11: f64[_, _], a12: bool[] = gradient_a with value (a0, a2)
    body: (a3: f64[_, _], a4: bool[]) {
      let a5: f64[_] = fold1 (a3)
        f: fn (x0: f64, x1: f64) {
          let x2: f64 = add (x0, x1)
          return (x2)
        }
      let a7: f64[_], a8: f64[_] = acond
        condition: fn [$0 = a4] () {
          let x0: bool = index $0 ()
          return (x0)
        }
        then: {
          let a6: f64[_] = zip_with (a5, a1)
            f: fn (x0: f64, x1: f64) {
              let x2: f64 = mul (x0, x1)
              return (x2)
            }
          return (a6, a5)
        }
        else: {
          return (a5, a1)
        }
      let a9: f64[] = fold (a7)
        f: fn (x0: f64, x1: f64) {
          let x2: f64 = add (x0, x1)
          return (x2)
        }
        init: fn () {
          let x0: f64 = -0.0
          return (x0)
        }
      return (a9)
    }
  return (a10, a11, a12)
}";

#[test]
fn snapshots() {
    assert_eq!(samples::dot().to_string(), DOT);
    assert_eq!(
        unlabel(&samples::scalar_gradient()).to_string(),
        SCALAR_GRADIENT
    );
    let canonical = label(&unlabel(&samples::array_gradient()));
    assert_eq!(canonical.to_string(), ARRAY_GRADIENT);
}

#[test]
fn attributes_stand_beside_the_operation() {
    let text = samples::movements().to_string();
    for line in [
        "let a2: f64[_, _] = scanl (a0)",
        "let a3: f64[_, _] = scanr1 (a2)",
        "let a4: f64[_] = reshape (a3)",
        "let a5: f64[_, _] = replicate [fixed, all] (a4)",
        "let a6: f64[_] = slice [fixed, all] (a5)",
        "let a8: f64[_] = permute add (a0) into (a1)",
        "let a9: f64[_, _] = unpack (a6, a8)",
    ] {
        assert!(text.lines().any(|l| l.trim() == line), "{line}\n{text}");
    }
}

#[test]
fn constants_carry_their_types() {
    let values = [
        Const::I32(-1),
        Const::I64(-1),
        Const::F32(1e16),
        Const::F64(f64::NEG_INFINITY),
        Const::F64(1e16),
    ];
    let texts: Vec<_> = values.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["-1", "-1i64", "1e16f32", "-inf", "1e16"]);
    let f = crate::term::Fun::constants(&values[..2]);
    let expected = "\
fn () {
  let x0: i32 = -1
  let x1: i64 = -1i64
  return (x0, x1)
}";
    assert_eq!(f.to_string(), expected);
}

#[test]
fn conditionals_nest() {
    let mut b = FunBuilder::new();
    let c = b.param(ScalarType::Bool);
    let x = b.cond(c, |_| vec![c], |b| vec![b.constant(false)]);
    let expected = "\
fn (x0: bool) {
  let x2: bool = cond x0
    then: {
      return (x0)
    }
    else: {
      let x1: bool = false
      return (x1)
    }
  return (x2)
}";
    assert_eq!(b.finish(x).to_string(), expected);
}

#[test]
fn locations_are_comments() {
    let program = samples::dot();
    let locations = Printer { locations: true };
    let text = locations.program(&program);
    assert_eq!(text.matches("  // ").count(), 2);
    let bare: Vec<_> = text
        .lines()
        .map(|l| l.split("  // ").next().unwrap_or_default())
        .collect();
    assert_eq!(bare.join("\n"), Printer::default().program(&program));
}

#[test]
fn deep_programs_print_in_proportion() {
    with_deep_stack(|| {
        let text = samples::deep(10_000).to_string();
        assert!(text.lines().count() > 60_000 && text.len() < 10_000_000);
    });
}
