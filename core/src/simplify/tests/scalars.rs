//! Rules on primitives.

use super::{assert_equal_but, fires, fun_of, simplified};
use crate::constant::Const;
use crate::prim::Prim;
use crate::rounding::f16_of_f64;
use crate::term::{ExpOp, Fun, Labelled};
use crate::types::ScalarType::{self, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

/// The number of operations that are not literals.
fn operations(fun: &Fun<Labelled>) -> usize {
    let literal = |op: &ExpOp<Labelled>| matches!(op, ExpOp::Const(_));
    fun.body.lets.iter().filter(|l| !literal(&l.op)).count()
}

/// `rule` fires on `op(x, c)`, without change of values.
fn fires_right(rule: &str, ty: ScalarType, op: Prim, c: impl Into<Const>) -> Fun<Labelled> {
    let c = c.into();
    fires(rule, &[ty], |b, x| {
        let c = b.constant(c);
        vec![b.prim(op, &[x[0], c])]
    })
}

/// `rule` fires on `op(x, x)`.
fn fires_same(rule: &str, ty: ScalarType, op: Prim) -> Fun<Labelled> {
    fires(rule, &[ty], |b, x| vec![b.prim(op, &[x[0], x[0]])])
}

/// `rule` fires on `outer(inner(x))`.
fn fires_twice(rule: &str, ty: ScalarType, outer: Prim, inner: Prim) -> Fun<Labelled> {
    fires(rule, &[ty], |b, x| {
        let y = b.prim(inner, x);
        vec![b.prim(outer, &[y])]
    })
}

#[test]
fn neutral_operands_vanish() {
    for ty in [F16, F32, F64, I32, I64] {
        let one = Const::small(ty, 1);
        assert_eq!(operations(&fires_right("mul_one", ty, Prim::Mul, one)), 0);
    }
    assert_eq!(operations(&fires_right("div_one", F64, Prim::Div, 1.0)), 0);
    assert_eq!(operations(&fires_right("sub_zero", F64, Prim::Sub, 0.0)), 0);
    assert_eq!(
        operations(&fires_right("add_negative_zero", F32, Prim::Add, -0.0f32)),
        0
    );
    assert_eq!(
        operations(&fires_right("int_add_zero", I32, Prim::Add, 0)),
        0
    );
    let left = fires("mul_one", &[F64], |b, x| {
        let one = b.constant(1.0);
        vec![b.prim(Prim::Mul, &[one, x[0]])]
    });
    assert_eq!(operations(&left), 0);
}

#[test]
fn adding_zero_deviates_at_negative_zero_only() {
    for (op, zero) in [(Prim::Add, 0.0), (Prim::Sub, -0.0)] {
        let before = fun_of(&[F64], |b, x| {
            let zero = b.constant(zero);
            vec![b.prim(op, &[x[0], zero])]
        });
        let (after, counts) = simplified(&before);
        assert_eq!((counts.get("add_zero"), operations(&after)), (1, 0));
        assert_equal_but(&before, &after, |x| x[0] == Const::F64(-0.0));
    }
}

#[test]
fn float_rules_that_would_be_wrong_do_not_fire() {
    let kept = [
        (Prim::Mul, 0.0),
        (Prim::Sub, -2.0),
        (Prim::Div, 3.0),
        (Prim::Pow, 0.5),
    ];
    for (op, c) in kept {
        let before = fun_of(&[F64], |b, x| {
            let c = b.constant(c);
            vec![b.prim(op, &[x[0], c])]
        });
        let (after, counts) = simplified(&before);
        assert_eq!((operations(&after), counts.total()), (1, 0), "{op}");
    }
    for op in [Prim::Sub, Prim::Div, Prim::Eq, Prim::Le, Prim::Ge] {
        let before = fun_of(&[F64], |b, x| vec![b.prim(op, &[x[0], x[0]])]);
        assert_eq!(simplified(&before).1.total(), 0, "{op}");
    }
    let before = fun_of(&[F64], |b, x| {
        let zero = b.constant(0.0);
        vec![b.prim(Prim::Sub, &[zero, x[0]])]
    });
    assert_eq!(simplified(&before).1.total(), 0, "0 - x is not -x at 0");
}

#[test]
fn signs_are_normalised() {
    for ty in [F64, F16, I32] {
        fires_twice("neg_neg", ty, Prim::Neg, Prim::Neg);
        fires_twice("abs_neg", ty, Prim::Abs, Prim::Neg);
        fires_right("mul_minus_one", ty, Prim::Mul, Const::small(ty, -1));
        for (rule, op) in [("add_neg", Prim::Add), ("sub_neg", Prim::Sub)] {
            let after = fires(rule, &[ty, ty], |b, x| {
                let y = b.prim(Prim::Neg, &[x[1]]);
                vec![b.prim(op, &[x[0], y])]
            });
            assert_eq!(operations(&after), 1);
        }
        fires("add_neg", &[ty, ty], |b, x| {
            let y = b.prim(Prim::Neg, &[x[0]]);
            vec![b.prim(Prim::Add, &[y, x[1]])]
        });
        fires("mul_neg_neg", &[ty, ty], |b, x| {
            let (y, z) = (b.prim(Prim::Neg, &[x[0]]), b.prim(Prim::Neg, &[x[1]]));
            vec![b.prim(Prim::Mul, &[y, z])]
        });
    }
    fires("div_neg_neg", &[F64, F64], |b, x| {
        let (y, z) = (b.prim(Prim::Neg, &[x[0]]), b.prim(Prim::Neg, &[x[1]]));
        vec![b.prim(Prim::Div, &[y, z])]
    });
    fires("mul_neg_constant", &[F64], |b, x| {
        let (y, c) = (b.prim(Prim::Neg, x), b.constant(3.0));
        vec![b.prim(Prim::Mul, &[y, c])]
    });
    fires("negative_zero_sub", &[F64], |b, x| {
        let zero = b.constant(-0.0);
        vec![b.prim(Prim::Sub, &[zero, x[0]])]
    });
    fires_right("div_minus_one", F64, Prim::Div, -1.0);
    fires_twice("abs_abs", F32, Prim::Abs, Prim::Abs);
}

#[test]
fn divisions_by_powers_of_two_multiply() {
    for c in [2.0, -0.25, 2f64.powi(1000)] {
        fires_right("div_power_of_two", F64, Prim::Div, c);
    }
    fires_right("div_power_of_two", F32, Prim::Div, 4.0f32);
    for power in [14, 1, -14] {
        let c = Const::F16(f16_of_f64(2f64.powi(power)));
        fires_right("div_power_of_two", F16, Prim::Div, c);
    }
    // Their inverses are below the normal numbers, or infinite.
    for power in [15, -15, -16, -24] {
        let subnormal = fun_of(&[F16], |b, x| {
            let c = b.constant(f16_of_f64(2f64.powi(power)));
            vec![b.prim(Prim::Div, &[x[0], c])]
        });
        assert_eq!(simplified(&subnormal).1.total(), 0);
    }
    let tiny = fun_of(&[F64], |b, x| {
        let c = b.constant(f64::MIN_POSITIVE / 2.0);
        vec![b.prim(Prim::Div, &[x[0], c])]
    });
    assert_eq!(simplified(&tiny).1.total(), 0);
}

#[test]
fn small_powers_multiply() {
    assert_eq!(operations(&fires_right("pow_one", F64, Prim::Pow, 1.0)), 0);
    assert_eq!(operations(&fires_right("pow_zero", F64, Prim::Pow, 0.0)), 0);
    fires_right("pow_integer", F64, Prim::Pow, 2.0);
    let near = |x: &[Const]| matches!(x[0], Const::F64(x) if x.is_normal() && x.abs() < 1e100);
    for (rule, exponent) in [("pow_integer", 3.0), ("pow_minus_one", -1.0)] {
        let before = fun_of(&[F64], |b, x| {
            let c = b.constant(exponent);
            vec![b.prim(Prim::Pow, &[x[0], c])]
        });
        let (after, counts) = simplified(&before);
        assert_eq!(counts.get(rule), 1);
        // What the rounding of `pow` may change are normal numbers; those are compared below.
        assert_equal_but(&before, &after, near);
        let eval = |f, x: f64| crate::interp::eval_fun(f, &[], &[x.into()]).unwrap()[0];
        for x in [0.3, -1.7, 12.5] {
            let (Const::F64(a), Const::F64(b)) = (eval(&before, x), eval(&after, x)) else {
                panic!("floats")
            };
            assert!((a - b).abs() <= 2.0 * f64::EPSILON * a.abs());
        }
    }
}

#[test]
fn rounding_what_is_integral_vanishes() {
    let inner = [Prim::Floor, Prim::Ceil, Prim::Round, Prim::Trunc];
    for op in inner {
        assert_eq!(
            operations(&fires_twice("round_integral", F64, Prim::Floor, op)),
            1
        );
    }
    fires_twice("round_integral", I32, Prim::Round, Prim::Convert(F64));
}

#[test]
fn integer_identities() {
    for ty in [I32, I64, U32] {
        let c = |value| Const::small(ty, value);
        let divisors = if ty == U32 { 0..2 } else { -1..2 };
        fires_right("int_mul_zero", ty, Prim::Mul, c(0));
        fires_right("int_sub_constant", ty, Prim::Sub, c(3));
        fires_same("int_sub_same", ty, Prim::Sub);
        fires_same("max_same", ty, Prim::Max);
        for op in [Prim::Quot, Prim::DivFloor] {
            for divisor in divisors.clone() {
                fires_right("int_quotient_trivial", ty, op, c(divisor));
            }
        }
        for op in [Prim::Rem, Prim::ModFloor] {
            for divisor in divisors.clone() {
                fires_right("int_remainder_trivial", ty, op, c(divisor));
            }
            fires_same("int_remainder_trivial", ty, op);
        }
        for op in [Prim::BitAnd, Prim::BitOr, Prim::BitXor] {
            fires_right("bit_constant", ty, op, c(0));
            fires_right("bit_constant", ty, op, c(-1));
            fires_same("bit_same", ty, op);
        }
        for op in [Prim::Shl, Prim::Shr] {
            fires_right("shift_trivial", ty, op, c(0));
            fires_right("shift_trivial", ty, op, c(8 * ty.bytes() as i32));
        }
        fires_twice("bit_not_bit_not", ty, Prim::BitNot, Prim::BitNot);
    }
    for op in [Prim::Quot, Prim::Rem, Prim::ModFloor, Prim::Shl, Prim::Sub] {
        fires_left_zero(op);
    }
}

/// The greatest number is no −1, and −x no smaller than x in magnitude.
#[test]
fn unsigned_numbers_have_no_signs() {
    for op in [Prim::Quot, Prim::DivFloor, Prim::Rem, Prim::ModFloor] {
        let before = fun_of(&[U32], |b, x| {
            let greatest = b.constant(u32::MAX);
            vec![b.prim(op, &[x[0], greatest])]
        });
        assert_eq!(simplified(&before).1.total(), 0, "{op}");
    }
    let after = fires("abs_unsigned", &[U32], |b, x| {
        let y = b.prim(Prim::Neg, x);
        vec![b.prim(Prim::Abs, &[y])]
    });
    assert_eq!(operations(&after), 1);
}

fn fires_left_zero(op: Prim) {
    let before = fun_of(&[I32], |b, x| {
        let zero = b.constant(0);
        vec![b.prim(op, &[zero, x[0]])]
    });
    let (after, counts) = simplified(&before);
    assert!(counts.total() > 0, "{op}");
    assert_equal_but(&before, &after, |_| false);
}

#[test]
fn integer_sums_collect_constants_and_cancel() {
    let after = fires("int_reassociate", &[I32], |b, x| {
        let (c, d, e) = (b.constant(5), b.constant(i32::MAX), b.constant(3));
        let y = b.prim(Prim::Add, &[x[0], c]);
        let z = b.prim(Prim::Sub, &[y, d]);
        vec![b.prim(Prim::Add, &[e, z])]
    });
    assert_eq!(operations(&after), 1);
    let forms = [(Prim::Add, Prim::Sub), (Prim::Sub, Prim::Add)];
    for (inner, outer) in forms {
        let after = fires("int_cancel", &[I32, I32], |b, x| {
            let y = b.prim(inner, &[x[0], x[1]]);
            vec![b.prim(outer, &[y, x[1]])]
        });
        assert_eq!(operations(&after), 0);
    }
    fires("int_neg_sub", &[I32, I32], |b, x| {
        let y = b.prim(Prim::Sub, x);
        vec![b.prim(Prim::Neg, &[y])]
    });
    fires("max_max", &[I32, I32], |b, x| {
        let y = b.prim(Prim::Min, x);
        vec![b.prim(Prim::Min, &[x[1], y])]
    });
}

#[test]
fn truth_values() {
    for c in [false, true] {
        fires_right(
            if c { "bool_neutral" } else { "bool_dominated" },
            Bool,
            Prim::And,
            c,
        );
        fires_right(
            if c { "bool_dominated" } else { "bool_neutral" },
            Bool,
            Prim::Or,
            c,
        );
        fires_right("bool_equality", Bool, Prim::Eq, c);
        fires_right("bool_equality", Bool, Prim::Ne, c);
    }
    for op in [Prim::And, Prim::Or] {
        fires_same("bool_neutral", Bool, op);
        fires("bool_excluded_middle", &[Bool], |b, x| {
            let y = b.prim(Prim::Not, x);
            vec![b.prim(op, &[x[0], y])]
        });
    }
    fires_twice("not_not", Bool, Prim::Not, Prim::Not);
    fires_same("compare_same", Bool, Prim::Ne);
}

#[test]
fn comparisons() {
    use Prim::{Eq, Ge, Gt, Le, Lt, Ne};
    for op in [Eq, Ne, Lt, Le, Gt, Ge] {
        fires_same("compare_same", I32, op);
        fires_negated(op, I64);
    }
    for op in [Ne, Lt, Gt] {
        fires_same("compare_same", F64, op);
    }
    for op in [Eq, Ne] {
        fires_negated(op, F64);
    }
    let kept = fun_of(&[F64, F64], |b, x| {
        let y = b.prim(Lt, x);
        vec![b.prim(Prim::Not, &[y])]
    });
    assert_eq!(simplified(&kept).1.total(), 0);
}

fn fires_negated(op: Prim, ty: ScalarType) {
    fires("not_comparison", &[ty, ty], |b, x| {
        let y = b.prim(op, x);
        vec![b.prim(Prim::Not, &[y])]
    });
}

#[test]
fn selections() {
    fires("select_same", &[Bool, F64], |b, x| {
        vec![b.prim(Prim::Select, &[x[0], x[1], x[1]])]
    });
    fires("select_constant", &[F64, F64], |b, x| {
        let c = b.constant(false);
        vec![b.prim(Prim::Select, &[c, x[0], x[1]])]
    });
    fires("select_not", &[Bool, F64, F64], |b, x| {
        let c = b.prim(Prim::Not, &[x[0]]);
        vec![b.prim(Prim::Select, &[c, x[1], x[2]])]
    });
    for inner_first in [false, true] {
        fires("select_select", &[Bool, I32, I32, I32], |b, x| {
            let y = b.prim(Prim::Select, &[x[0], x[1], x[2]]);
            let (t, e) = if inner_first { (y, x[3]) } else { (x[3], y) };
            vec![b.prim(Prim::Select, &[x[0], t, e])]
        });
    }
    for value in [false, true] {
        fires("select_bool", &[Bool, Bool], |b, x| {
            let c = b.constant(value);
            let y = b.prim(Prim::Select, &[x[0], c, x[1]]);
            let z = b.prim(Prim::Select, &[x[0], x[1], c]);
            let not = b.constant(!value);
            let w = b.prim(Prim::Select, &[x[0], c, not]);
            let v = b.prim(Prim::Select, &[x[0], x[0], x[1]]);
            vec![y, z, w, v]
        });
    }
}

/// Whether an integer type lacks some number of another one.
fn wraps(from: ScalarType, to: ScalarType) -> bool {
    let ends = [0, 1].map(|k| Const::integer(from, (1i128 << (8 * from.bytes() - 1)) - k));
    let all = [ends[0], ends[1], Const::small(from, -1)].map(|x| x.as_integer().unwrap_or(0));
    let is_there = |x: i128| Const::integer(to, x).as_integer() == Some(x);
    from.is_integer() && to.is_integer() && !all.into_iter().all(is_there)
}

#[test]
fn conversions() {
    for ty in ScalarType::ALL {
        fires("convert_identity", &[ty], |b, x| {
            vec![b.prim(Prim::Convert(ty), x)]
        });
    }
    let lossless = [
        (Bool, F32),
        (I32, I64),
        (I32, F64),
        (F32, F64),
        (F16, F32),
        (F16, F64),
        (Bool, I32),
        (U32, I64),
        (U32, F64),
        (U32, U64),
        (I8, I16),
        (I8, F16),
        (U8, I16),
        (U8, F16),
        (U8, U64),
        (I16, F32),
        (U16, I32),
        (U16, F32),
    ];
    for (from, middle) in lossless {
        // Floats saturate, where integers that are narrower or of the other sign would wrap.
        let saturates = |to| middle.is_float() && wraps(from, to);
        let ends = ScalarType::ALL.into_iter();
        for to in ends.filter(|&to| to != middle && !saturates(to)) {
            let after = fires("convert_convert", &[from], |b, x| {
                let y = b.prim(Prim::Convert(middle), x);
                vec![b.prim(Prim::Convert(to), &[y])]
            });
            assert!(operations(&after) <= 1);
        }
    }
}

#[test]
fn conversions_that_lose_something() {
    for (from, middle) in [
        (F64, F32),
        (F32, F16),
        (F64, F16),
        (I32, F16),
        (I64, F64),
        (I32, F32),
        (I64, I32),
        (I32, U32),
        (U32, I32),
        (U32, F32),
        (I8, U8),
        (I8, U64),
        (U64, I64),
        (U64, F64),
        (I16, F16),
        (U16, F16),
    ] {
        let before = fun_of(&[from], |b, x| {
            let y = b.prim(Prim::Convert(middle), x);
            vec![b.prim(Prim::Convert(from), &[y])]
        });
        assert_eq!(simplified(&before).1.total(), 0);
    }
    for (from, to) in [(I32, U32), (U32, I32), (I32, I8), (U16, I16), (I8, U32)] {
        let before = fun_of(&[from], |b, x| {
            let y = b.prim(Prim::Convert(F64), x);
            vec![b.prim(Prim::Convert(to), &[y])]
        });
        let (after, counts) = simplified(&before);
        assert_eq!(counts.total(), 0);
        assert_equal_but(&before, &after, |_| false);
    }
}

#[test]
fn constants_fold_to_what_the_primitive_gives() {
    let after = fires("constant_fold", &[], |b, _| {
        let (x, y) = (b.constant(0.1), b.constant(0.2));
        let z = b.prim(Prim::Add, &[x, y]);
        vec![b.prim(Prim::Sqrt, &[z])]
    });
    assert_eq!(operations(&after), 0);
}

#[test]
fn equal_code_merges_and_dead_code_goes() {
    let after = fires("cse", &[F64, F64], |b, x| {
        let y = b.prim(Prim::Mul, &[x[0], x[1]]);
        let z = b.prim(Prim::Mul, &[x[1], x[0]]);
        b.prim(Prim::Exp, &[z]);
        let (y, z) = (b.prim(Prim::Sin, &[y]), b.prim(Prim::Sin, &[z]));
        vec![b.prim(Prim::Sub, &[y, z])]
    });
    assert_eq!(operations(&after), 3);
    let labels: Vec<u32> = after.body.lets.iter().map(|l| l.binds[0].name.0).collect();
    assert_eq!(labels, [2, 3, 4]);
}
