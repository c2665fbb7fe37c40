//! Floats at the ends of their range: zeros of both signs, subnormal and greatest numbers, infinities, NaN. Every engine gives
//! what the interpreter gives, to the bit and so with the sign of zeros, whatever the simplifier recognises; the
//! exceptions are those that the section on floats in the README lists.

use cotangent::f16;
use cotangent::prelude::*;
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::integer_type;
use cotangent_core::label::label;
use cotangent_core::prim::{ALL, Prim};
use cotangent_core::recover::recover;
use cotangent_core::rounding::f16_of_f64;
use cotangent_core::term::{Fun, Labelled, Program};
use cotangent_core::types::{ArrayType, ScalarType};
use cotangent_core::{build, interp};
use cotangent_tests::engines::{Stages, all};
use cotangent_tests::generate::Case;

/// The types' own limits are added.
const POINTS: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    3.0,
    0.1,
    1e-3,
    7.25,
    -40.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// What the README lists: the sum is `x`, also where that is −0.
const ZERO_KEEPS_ITS_SIGN: [&str; 2] = ["x + 0.0", "x - -0.0"];

/// What the README lists: a power that becomes products is off by two units in the last place at most.
const POWERS: [&str; 3] = ["x.powf(2)", "x.powf(3)", "x.powf(-1)"];

macro_rules! patterns {
    ($t:ty, $c:expr) => {
        [
            (
                "x + 0.0",
                (|x, _| x + $c(0.0)) as fn(Exp<$t>, Exp<$t>) -> Exp<$t>,
            ),
            ("x + -0.0", |x, _| x + $c(-0.0)),
            ("x - 0.0", |x, _| x - $c(0.0)),
            ("x - -0.0", |x, _| x - $c(-0.0)),
            ("0.0 - x", |x, _| -(x - $c(0.0))),
            ("x * 1.0", |x, _| x * $c(1.0)),
            ("x * -1.0", |x, _| x * $c(-1.0)),
            ("x * 0.0", |x, _| x * $c(0.0)),
            ("x * 2.0 * 2.0", |x, _| x * $c(2.0) * $c(2.0)),
            ("x / 1.0", |x, _| x / $c(1.0)),
            ("x / -1.0", |x, _| x / $c(-1.0)),
            ("x / 2.0", |x, _| x / $c(2.0)),
            ("x / 3.0", |x, _| x / $c(3.0)),
            ("x / 0.0", |x, _| x / $c(0.0)),
            ("-(-x)", |x, _| -(-x)),
            ("x - x", |x, _| x - x),
            ("x + x", |x, _| x + x),
            ("x / x", |x, _| x / x),
            ("-x + y", |x, y| -x + y),
            ("x + -y", |x, y| x + -y),
            ("x - -y", |x, y| x - -y),
            ("-x - y", |x, y| -x - y),
            ("-(x - y)", |x, y| -(x - y)),
            ("-(x + y)", |x, y| -(x + y)),
            ("-(-x - y)", |x, y| -(-x - y)),
            ("(x + y) - y", |x, y| (x + y) - y),
            ("x - (x - y)", |x, y| x - (x - y)),
            ("-x * y", |x, y| -x * y),
            ("-x * -y", |x, y| -x * -y),
            ("-x * 3.0", |x, _| -x * $c(3.0)),
            ("-x / -y", |x, y| -x / -y),
            ("-(x / y)", |x, y| -(x / y)),
            ("x * y - x * y", |x, y| x * y - x * y),
            ("x * y + x", |x, y| x * y + x),
            ("x.max(x)", |x, _| x.max(x)),
            ("x.min(x)", |x, _| x.min(x)),
            ("x.max(0.0)", |x, _| x.max($c(0.0))),
            ("x.max(-0.0)", |x, _| x.max($c(-0.0))),
            ("x.min(0.0)", |x, _| x.min($c(0.0))),
            ("x.min(-0.0)", |x, _| x.min($c(-0.0))),
            ("x.max(-x)", |x, _| x.max(-x)),
            ("(-x).min(-y)", |x, y| (-x).min(-y)),
            ("(-x).abs()", |x, _| (-x).abs()),
            ("x.abs().abs()", |x, _| x.abs().abs()),
            ("-x.abs()", |x, _| -x.abs()),
            ("x.signum() * x", |x, _| x.signum() * x),
            ("x.floor().trunc()", |x, _| x.floor().trunc()),
            ("x.ceil()", |x, _| x.ceil()),
            ("x.round()", |x, _| x.round()),
            ("x.to_i32() as float", |x, _| x.to_i32().to::<$t>().floor()),
            ("x.powf(0)", |x, _| x.powf($c(0.0))),
            ("x.powf(-0.0)", |x, _| x.powf($c(-0.0))),
            ("x.powf(1)", |x, _| x.powf($c(1.0))),
            ("x.powf(2)", |x, _| x.powf($c(2.0))),
            ("x.powf(3)", |x, _| x.powf($c(3.0))),
            ("x.powf(-1)", |x, _| x.powf($c(-1.0))),
            ("cond, alike", |x, y| cond(x.lt(y), x, x)),
            ("cond, x == 0", |x, y| cond(x.eq_($c(0.0)), x, y)),
            ("cond, x == y", |x, y| cond(x.eq_(y), x, y)),
            ("cond, !(x < y)", |x, y| cond(!x.lt(y), x, y)),
            ("cond of differences", |x, y| cond(x.gt(y), -(x - y), x - y)),
        ]
    };
}

fn const_of(ty: ScalarType, x: f64) -> Const {
    Prim::Convert(ty).eval(&[x.into()]).unwrap()
}

/// All pairs of points, limits of the type included, as two columns.
fn pairs(ty: ScalarType) -> Vec<HostArray> {
    let limits = match ty {
        ScalarType::F16 => [65504.0, 6.103515625e-5, 5.960464477539063e-8],
        ScalarType::F32 => [f32::MAX.into(), f32::MIN_POSITIVE.into(), 1e-45],
        ScalarType::Bool | integer_type!() | ScalarType::F64 => {
            [f64::MAX, f64::MIN_POSITIVE, 5e-324]
        }
    };
    let limits = limits.into_iter().flat_map(|x| [x, -x]);
    let points: Vec<f64> = POINTS.into_iter().chain(limits).collect();
    let n = points.len();
    let column = |at: fn(usize, usize) -> usize| {
        let values = (0..n * n).map(|i| const_of(ty, points[at(i, n)]));
        HostArray::new(vec![n * n], Column::from_consts(ty, values).unwrap()).unwrap()
    };
    vec![column(|i, n| i / n), column(|i, n| i % n)]
}

fn as_f64(x: Const) -> f64 {
    match Prim::Convert(ScalarType::F64).eval(&[x]) {
        Some(Const::F64(x)) => x,
        other => panic!("{other:?} is no float"),
    }
}

/// Whether two results are the same: to the bit, but for the bits of NaNs; of rounded functions, up to `relative`.
fn same(expected: Const, found: Const, relative: f64) -> bool {
    if !expected.scalar_type().is_float() {
        return expected == found;
    }
    let (x, y) = (as_f64(expected), as_f64(found));
    let close = relative > 0.0 && x.is_finite() && x != 0.0 && (x - y).abs() <= relative * x.abs();
    x.is_nan() && y.is_nan() || x.to_bits() == y.to_bits() || close
}

/// A difference: the engine, the operands, what the interpreter gives, and what the engine gives.
type Difference = (String, Vec<Const>, Const, Const);

/// Where the engines give something else than the interpreter.
fn differences(
    program: Program<Labelled>,
    inputs: Vec<HostArray>,
    relative: f64,
) -> Vec<Difference> {
    let expected = interp::run(&program, &inputs).unwrap().remove(0);
    let case = Case { program, inputs };
    let stages = Stages::new(&case);
    let mut found = vec![];
    for engine in all() {
        let Ok(Ok(results)) = engine.run(&stages) else {
            panic!("{} fails", engine.name)
        };
        let column = results[0].column();
        for i in 0..column.len() {
            let (x, y) = (expected.column().get(i).unwrap(), column.get(i).unwrap());
            if !same(x, y, relative) {
                let operands = case.inputs.iter().map(|c| c.column().get(i).unwrap());
                found.push((engine.name.clone(), operands.collect(), x, y));
            }
        }
    }
    found
}

macro_rules! all_patterns {
    ($name:ident, $t:ty, $ty:expr, $c:expr, $relative:expr) => {
        #[test]
        fn $name() {
            let mut wrong = vec![];
            for (name, f) in patterns!($t, $c) {
                let traced = trace(|x: Acc<Ix1, $t>, y: Acc<Ix1, $t>| x.zip_with(y, f)).unwrap();
                let program = label(&recover(&traced.graph, &traced.lambda).unwrap());
                let relative = if POWERS.contains(&name) {
                    $relative
                } else {
                    0.0
                };
                let found = differences(program, pairs($ty), relative);
                if ZERO_KEEPS_ITS_SIGN.contains(&name) {
                    assert!(!found.is_empty(), "{name} is listed, and right");
                    let sign = |(_, _, x, y): &Difference| x.is_zero() && y.is_zero();
                    assert!(found.iter().all(sign), "{name}: {found:?}");
                } else if let Some(first) = found.first() {
                    println!("{name}: {} differences, {first:?}", found.len());
                    wrong.push(name);
                }
            }
            assert_eq!(wrong, [""; 0]);
        }
    };
}

all_patterns!(algebra_of_doubles, f64, ScalarType::F64, |x: f64| x, 5e-16);
all_patterns!(
    algebra_of_singles,
    f32,
    ScalarType::F32,
    |x: f64| x as f32,
    3e-7
);
all_patterns!(
    algebra_of_halves,
    f16,
    ScalarType::F16,
    |x: f64| f16_of_f64(x),
    2e-3
);

/// How far the functions that no processor has may be off.
fn tolerance(op: Prim, ty: ScalarType) -> f64 {
    use Prim::*;
    let is_rounded = !matches!(
        op,
        Exp | ExpM1
            | Ln
            | Ln1p
            | Sin
            | Cos
            | Tan
            | Asin
            | Acos
            | Atan
            | Sinh
            | Cosh
            | Tanh
            | Asinh
            | Acosh
            | Atanh
            | Pow
            | Atan2
    );
    match ty {
        _ if is_rounded => 0.0,
        ScalarType::F16 => 2e-3,
        ScalarType::F32 => 1e-6,
        ScalarType::Bool | integer_type!() | ScalarType::F64 => 1e-14,
    }
}

/// One primitive on columns.
fn on_columns(op: Prim, ty: ScalarType) -> Program<Labelled> {
    let mut b = build::AccBuilder::new(0);
    let params: Vec<_> = (0..2).map(|_| b.fresh(ArrayType::new(ty, 1))).collect();
    let args = &params[..op.arity()];
    let results = b.map(Fun::prim(op, &vec![ty; op.arity()]), args);
    Program {
        body: b.finish(&results),
        params,
        uses: vec![],
        alike: Default::default(),
    }
}

#[test]
fn every_primitive_at_the_ends_of_the_range() {
    let (mut tried, mut wrong) = (0, vec![]);
    for op in ALL.into_iter().filter(|op| op.arity() < 3) {
        for ty in [ScalarType::F64, ScalarType::F32, ScalarType::F16] {
            if op.result_type(&vec![ty; op.arity()]).is_none() {
                continue;
            }
            let result = op.result_type(&vec![ty; op.arity()]);
            let relative = tolerance(op, result.unwrap());
            let found = differences(on_columns(op, ty), pairs(ty), relative);
            if let Some(first) = found.first() {
                println!("{op} of {ty}: {} differences, {first:?}", found.len());
                wrong.push((op, ty));
            }
            tried += 1;
        }
    }
    assert_eq!(wrong, []);
    assert!(tried > 130, "{tried}");
}

/// −0 comes in as the sum of adjoints, and an initial value is a summand: what is documented of sums.
#[test]
fn sums_of_negative_zeros() {
    let p = cotangent::compile(|x: Acc<Ix1, f64>| x.sum()).unwrap();
    let zeros = Array::vector(vec![-0.0, -0.0]).unwrap();
    let by_cpu = p.run(&cotangent::Cpu::default(), zeros.clone()).unwrap();
    let by_reference = p.interpret(zeros).unwrap();
    assert_eq!(
        by_cpu.to_vec()[0].to_bits(),
        by_reference.to_vec()[0].to_bits()
    );
}
