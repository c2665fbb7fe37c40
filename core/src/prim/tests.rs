//! Typing and evaluation agree, and the corner cases are as documented.

use super::{ALL, Effort, Prim};
use crate::constant::Const;
use crate::rounding::f16_of_f64;
use crate::types::ScalarType;

fn eval(op: Prim, operands: &[Const]) -> Const {
    op.eval(operands).expect("operands fit")
}

#[test]
fn integers_are_total() {
    let int = |op, x: i32, y: i32| eval(op, &[x.into(), y.into()]);
    assert_eq!(int(Prim::Quot, 7, 0), Const::I32(0));
    assert_eq!(int(Prim::Rem, 7, 0), Const::I32(7));
    assert_eq!(int(Prim::Quot, i32::MIN, -1), Const::I32(i32::MIN));
    assert_eq!(int(Prim::Rem, i32::MIN, -1), Const::I32(0));
    assert_eq!(int(Prim::DivFloor, -7, 2), Const::I32(-4));
    assert_eq!(int(Prim::ModFloor, -7, 2), Const::I32(1));
    assert_eq!(int(Prim::ModFloor, 7, -2), Const::I32(-1));
    assert_eq!(int(Prim::ModFloor, 7, 0), Const::I32(7));
    assert_eq!(int(Prim::DivFloor, i32::MIN, -1), Const::I32(i32::MIN));
    assert_eq!(int(Prim::Add, i32::MAX, 1), Const::I32(i32::MIN));
}

#[test]
fn unsigned_integers_wrap_and_have_no_sign() {
    let int = |op, x: u32, y: u32| eval(op, &[x.into(), y.into()]);
    let of = |op, x: u32| eval(op, &[x.into()]);
    assert_eq!(int(Prim::Sub, 3, 5), Const::U32(u32::MAX - 1));
    for (quotient, remainder) in [(Prim::Quot, Prim::Rem), (Prim::DivFloor, Prim::ModFloor)] {
        assert_eq!(int(quotient, u32::MAX, 2), Const::U32(i32::MAX as u32));
        assert_eq!(int(quotient, 7, u32::MAX), Const::U32(0));
        assert_eq!(int(quotient, 7, 0), Const::U32(0));
        assert_eq!(int(remainder, 7, u32::MAX), Const::U32(7));
        assert_eq!(int(remainder, 7, 0), Const::U32(7));
    }
    assert_eq!(int(Prim::Shr, u32::MAX, 31), Const::U32(1));
    assert_eq!(int(Prim::Lt, 1, u32::MAX), Const::Bool(true));
    assert_eq!(of(Prim::Neg, 1), Const::U32(u32::MAX));
    assert_eq!(of(Prim::Abs, u32::MAX), Const::U32(u32::MAX));
    assert_eq!(of(Prim::Signum, u32::MAX), Const::U32(1));
}

#[test]
fn floats_are_their_bits() {
    let there = |x: Const| eval(Prim::ToBits, &[x]);
    let and_back = |x: Const| eval(Prim::FromBits, &[there(x)]);
    assert_eq!(there(1.0f64.into()), Const::U64(0x3ff << 52));
    assert_eq!(there((-0.0f32).into()), Const::U32(1 << 31));
    assert_eq!(there(f16_of_f64(-2.0).into()), Const::U16(0xc000));
    for x in [1.5, -0.0, 5e-324, f64::NEG_INFINITY] {
        assert_eq!(and_back(x.into()).bits(), x.to_bits());
        assert_eq!(
            and_back((x as f32).into()).bits(),
            (x as f32).to_bits().into()
        );
        let half = f16_of_f64(x);
        assert_eq!(and_back(half.into()).bits(), half.to_bits().into());
    }
    assert_eq!(Prim::ToBits.eval(&[Const::I32(1)]), None);
    assert_eq!(Prim::FromBits.eval(&[Const::U8(1)]), None);
    assert_eq!(Prim::FromBits.eval(&[Const::I64(1)]), None);
}

#[test]
fn nan_wins_extrema_and_first_of_equals() {
    let float = |op, x: f64, y: f64| eval(op, &[x.into(), y.into()]);
    for op in [Prim::Max, Prim::Min] {
        assert_eq!(float(op, f64::NAN, 1.0), Const::F64(f64::NAN));
        assert_eq!(float(op, 1.0, f64::NAN), Const::F64(f64::NAN));
        assert_eq!(float(op, -0.0, 0.0), Const::F64(-0.0));
    }
}

#[test]
fn area_functions_of_the_greatest_numbers() {
    let near = |op, x: Const, expected: f64| {
        let found = match eval(op, &[x]) {
            Const::F16(y) => y.to_f64(),
            Const::F32(y) => y.into(),
            y => f64::from_bits(y.bits()),
        };
        let error = (found - expected).abs() / expected.abs();
        assert!(error < 5e-4, "{op} {x}: {found}");
    };
    for op in [Prim::Asinh, Prim::Acosh] {
        near(op, f64::MAX.into(), 710.475_860_073_943_9);
        near(op, f32::MAX.into(), 89.415_986);
        near(op, f16_of_f64(65504.0).into(), 11.783);
        near(op, 2e9.into(), 4e9f64.ln());
        near(op, 0.9e9.into(), 1.8e9f64.ln());
        assert_eq!(eval(op, &[f64::INFINITY.into()]), f64::INFINITY.into());
    }
    near(Prim::Asinh, f64::MIN.into(), -710.475_860_073_943_9);
    assert_eq!(
        eval(Prim::Asinh, &[f32::NEG_INFINITY.into()]),
        f32::NEG_INFINITY.into()
    );
}

#[test]
fn conversions_saturate() {
    let to = |x: f64, ty| eval(Prim::Convert(ty), &[x.into()]);
    assert_eq!(to(1e10, ScalarType::I32), Const::I32(i32::MAX));
    assert_eq!(to(f64::NAN, ScalarType::I64), Const::I64(0));
    assert_eq!(to(-1.9, ScalarType::I32), Const::I32(-1));
    assert_eq!(to(-1.9, ScalarType::U32), Const::U32(0));
    assert_eq!(to(1e10, ScalarType::U32), Const::U32(u32::MAX));
    assert_eq!(to(f64::NAN, ScalarType::U32), Const::U32(0));
    assert_eq!(to(0.5, ScalarType::Bool), Const::Bool(true));
}

#[test]
fn half_precision_rounds_once_and_overflows() {
    let half = |x: f64| Const::F16(f16_of_f64(x));
    let two = |op, x: f64, y: f64| eval(op, &[half(x), half(y)]);
    assert_eq!(two(Prim::Add, 2048.0, 1.0), half(2048.0));
    assert_eq!(two(Prim::Add, 65504.0, 15.0), half(65504.0));
    assert_eq!(two(Prim::Add, 65504.0, 16.0), half(f64::INFINITY));
    assert_eq!(two(Prim::Mul, -300.0, 300.0), half(f64::NEG_INFINITY));
    assert_eq!(two(Prim::Div, 1.0, 3.0), half(1.0 / 3.0));
    assert_eq!(
        two(Prim::Mul, 2f64.powi(-14), 2f64.powi(-10)),
        half(2f64.powi(-24))
    );
    assert_eq!(
        two(Prim::Mul, -(2f64.powi(-14)), 2f64.powi(-12)),
        half(-0.0)
    );
    assert_eq!(two(Prim::Max, -0.0, 0.0), half(-0.0));
    assert_eq!(two(Prim::Min, 1.0, f64::NAN), half(f64::NAN));
    assert_eq!(eval(Prim::Exp, &[half(20.0)]), half(f64::INFINITY));
    assert_eq!(eval(Prim::Round, &[half(-2.5)]), half(-3.0));
    assert_eq!(eval(Prim::Signum, &[half(-6e-8)]), half(-1.0));
}

#[test]
fn conversions_to_and_from_half_precision() {
    let to = |x: Const, ty| eval(Prim::Convert(ty), &[x]);
    let half = |x: f64| Const::F16(f16_of_f64(x));
    // Through `f32` this would be halfway, and go to the even number below.
    let above = 2049.0 + 2f64.powi(-30);
    assert_eq!(to(above.into(), ScalarType::F16), half(2050.0));
    assert_eq!(to(Const::I32(2049), ScalarType::F16), half(2048.0));
    assert_eq!(
        to(Const::I64(i64::MIN), ScalarType::F16),
        half(f64::NEG_INFINITY)
    );
    assert_eq!(to(Const::U32(65520), ScalarType::F16), half(f64::INFINITY));
    assert_eq!(to(Const::Bool(true), ScalarType::F16), half(1.0));
    assert_eq!(
        to(half(f64::INFINITY), ScalarType::I32),
        Const::I32(i32::MAX)
    );
    assert_eq!(to(half(f64::NAN), ScalarType::I64), Const::I64(0));
    assert_eq!(to(half(-1.5), ScalarType::U32), Const::U32(0));
    assert_eq!(to(half(-0.0), ScalarType::Bool), Const::Bool(false));
    assert_eq!(to(half(0.1), ScalarType::F64), Const::F64(0.0999755859375));
    assert_eq!(half(0.1).to_string(), "0.1f16");
    assert_eq!(half(f64::NAN).to_string(), "nan:7e00f16");
}

/// For all operand types, a primitive has a type exactly where it has a value, and of that type.
#[test]
fn typing_and_evaluation_agree() {
    for op in ALL {
        for operands in operand_types(op.arity()) {
            let values: Vec<Const> = operands.iter().map(|&t| Const::small(t, 1)).collect();
            let found = op.eval(&values).map(Const::scalar_type);
            assert_eq!(found, op.result_type(&operands), "{op} on {operands:?}");
        }
    }
}

fn operand_types(arity: usize) -> Vec<Vec<ScalarType>> {
    let mut out = vec![vec![]];
    for _ in 0..arity {
        let longer = |list: &Vec<ScalarType>| {
            let list = list.clone();
            ScalarType::ALL.map(move |t| [list.clone(), vec![t]].concat())
        };
        out = out.iter().flat_map(longer).collect();
    }
    out
}

#[test]
fn of_a_comparison_and_its_negation_one_holds() {
    let comparisons: Vec<Prim> = ALL
        .into_iter()
        .filter(|op| op.negated().is_some())
        .collect();
    assert_eq!(comparisons.len(), 6);
    for op in comparisons {
        let negated = op.negated().unwrap();
        assert_eq!(negated.negated(), Some(op));
        for (x, y) in [(1, 2), (2, 2), (2, 1)] {
            let holds = |op| eval(op, &[Const::I32(x), Const::I32(y)]) == Const::Bool(true);
            assert_ne!(holds(op), holds(negated), "{op} of {x} and {y}");
        }
    }
}

#[test]
fn what_takes_much_is_a_function_of_floats_or_a_quotient() {
    assert_eq!(Prim::Sqrt.effort(), Effort::Division);
    assert_eq!(Prim::Ln.effort(), Effort::Elementary);
    assert_eq!(Prim::Pow.effort(), Effort::Composed);
    for op in ALL {
        let is_cheap = matches!(
            op.effort(),
            Effort::Move | Effort::Conversion | Effort::Simple
        );
        let quotients = [Prim::Quot, Prim::Rem, Prim::DivFloor, Prim::ModFloor];
        // What is not cheap has curved partial derivatives, or is a quotient of integers.
        assert_eq!(
            is_cheap,
            !op.is_curved() && !quotients.contains(&op),
            "{op}"
        );
    }
}
