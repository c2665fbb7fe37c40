//! Rules over values say what they push, in the order of evaluation.

use crate::build::FunBuilder;
use crate::check::check_fun;
use crate::term::ExpId;
use crate::typed::{Code, Float, FloatRule};
use crate::types::ScalarType;

/// −|x| / (1 + y²), where x ≥ y; else the value of y rounded to `f32`.
struct Example(ExpId, ExpId);

impl FloatRule for Example {
    fn write<T: Float>(self, code: &Code) -> Option<ExpId> {
        let (x, y) = (code.value::<T>(self.0)?, code.value::<T>(self.1)?);
        let one = code.small(1);
        let quotient = -x.abs() / (one + y * y);
        let rounded = y.convert::<f32>().convert();
        Some(x.ge(y).select(quotient, rounded - y.small(0)).id())
    }
}

/// The function of x and y of the given types that the rule makes at `ty`.
fn written([x, y]: [ScalarType; 2], ty: ScalarType) -> Option<String> {
    let mut b = FunBuilder::new();
    let (x, y) = (b.param(x), b.param(y));
    let result = Code::write(&mut b, ty, Example(x, y));
    let fun = b.finish(Vec::from_iter(result));
    assert!(check_fun(&fun, &[]).is_ok_and(|types| result.is_none() || types == [ty]));
    result.map(|_| fun.to_string())
}

#[test]
fn rules_push_what_they_say_in_order() {
    let expected = "\
fn (x0: f64, x1: f64) {
  let x2: f64 = 1.0
  let x3: f64 = abs (x0)
  let x4: f64 = neg (x3)
  let x5: f64 = mul (x1, x1)
  let x6: f64 = add (x2, x5)
  let x7: f64 = div (x4, x6)
  let x8: f32 = convert_f32 (x1)
  let x9: f64 = convert_f64 (x8)
  let x10: bool = ge (x0, x1)
  let x11: f64 = 0.0
  let x12: f64 = sub (x9, x11)
  let x13: f64 = select (x10, x7, x12)
  return (x13)
}";
    let found = written([ScalarType::F64; 2], ScalarType::F64);
    assert_eq!(found.as_deref(), Some(expected));
}

#[test]
fn rules_are_for_floats_of_the_type_that_their_variables_have() {
    use ScalarType::{F16, F32, F64, I32};
    for (types, ty, writes) in [
        ([F16, F16], F16, true),
        ([F32, F32], F32, true),
        ([I32, I32], I32, false),
        ([F64, F64], F32, false),
        ([F64, F32], F64, false),
    ] {
        assert_eq!(written(types, ty).is_some(), writes, "{types:?} at {ty}");
    }
}
