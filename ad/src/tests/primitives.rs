//! Each primitive, at ordinary and at special points.

use super::{agree, build, derive, floats, host, vector};
use cotangent_core::build::{AccBuilder, Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::host::HostArray;
use cotangent_core::integer_type;
use cotangent_core::interp::run;
use cotangent_core::prim::{ALL, Prim};
use cotangent_core::rounding::f16_of_f64;
use cotangent_core::term::{AccOp, Fun, Labelled, Mode, Program};
use cotangent_core::types::{ArrayType, ScalarType};

const POINTS: [f64; 17] = [
    0.3, -0.7, 1.4, -1.6, 0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 2.5, -0.5, 0.5, 30.0, -3.7, 1e-9, 7.25,
];

/// The gradient of Σ wᵢ · f(xᵢ, ..) by all columns x, with w the last parameter.
fn weighted(f: &Fun<Labelled>, elems: &[ScalarType]) -> Program<Labelled> {
    let mut types: Vec<_> = elems.iter().map(|&e| ArrayType::new(e, 1)).collect();
    types.push(ArrayType::new(f.result_types()[0], 1));
    build(&types, |b, params| {
        let (weights, args) = params.split_last().unwrap();
        let inner: Vec<_> = args.iter().map(|a| b.fresh(a.ty)).collect();
        b.open();
        let total = weighted_sum(b, f, &inner, weights);
        let body = b.close(&[total]);
        let op = AccOp::Derivative {
            mode: Mode::Gradient { with_value: false },
            params: inner,
            body,
            args: args.iter().map(|a| a.name).collect(),
        };
        b.push(op, &types[..args.len()])
    })
}

fn weighted_sum(b: &mut AccBuilder, f: &Fun<Labelled>, args: &[Arr], weights: &Arr) -> Arr {
    let y = b.map(f.clone(), args).remove(0);
    let elem = y.ty.elem;
    let y = b.map(Fun::prim(Prim::Mul, &[elem; 2]), &[y, weights.clone()]);
    let zero = Fun::constants(&[Const::zero(elem)]);
    b.fold(Fun::prim(Prim::Add, &[elem; 2]), Some(zero), &y)
        .remove(0)
}

fn weights(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.5 + i as f64 * 0.25).collect()
}

fn column(elem: ScalarType, values: &[f64]) -> HostArray {
    match elem {
        ScalarType::F16 => host(
            &[values.len()],
            &values.iter().map(|&x| f16_of_f64(x)).collect::<Vec<_>>(),
        ),
        ScalarType::F32 => host(
            &[values.len()],
            &values.iter().map(|&x| x as f32).collect::<Vec<_>>(),
        ),
        ScalarType::Bool | integer_type!() | ScalarType::F64 => vector(values),
    }
}

fn check(f: &Fun<Labelled>, elem: ScalarType, columns: &[Vec<f64>]) {
    let program = weighted(f, &vec![elem; columns.len()]);
    let mut inputs: Vec<_> = columns.iter().map(|c| column(elem, c)).collect();
    inputs.push(column(f.result_types()[0], &weights(columns[0].len())));
    agree(&program, &inputs);
}

#[test]
fn of_one_float() {
    let mut tried = 0;
    for op in ALL.into_iter().filter(|op| op.arity() == 1) {
        for elem in [ScalarType::F64, ScalarType::F32, ScalarType::F16] {
            if op.result_type(&[elem]).is_some_and(ScalarType::is_float) {
                let mut points = POINTS.to_vec();
                points.extend([f64::NAN, f64::INFINITY]);
                check(&Fun::prim(op, &[elem]), elem, &[points]);
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 81);
}

#[test]
fn of_two_floats() {
    let mut tried = 0;
    let pairs = POINTS
        .iter()
        .flat_map(|&x| POINTS.iter().map(move |&y| (x, y)));
    let (xs, ys): (Vec<_>, Vec<_>) = pairs.chain([(f64::NAN, 1.0), (1.0, f64::NAN)]).unzip();
    for op in ALL.into_iter().filter(|op| op.arity() == 2) {
        let ty = ScalarType::F64;
        if op.result_type(&[ty; 2]).is_some_and(ScalarType::is_float) {
            check(&Fun::prim(op, &[ty; 2]), ty, &[xs.clone(), ys.clone()]);
            tried += 1;
        }
    }
    assert_eq!(tried, 9);
}

#[test]
fn of_three_floats() {
    let of = |place: usize| POINTS.iter().cycle().skip(3 * place).step_by(place + 1);
    let columns: Vec<Vec<f64>> = (0..3)
        .map(|place| of(place).take(40).copied().collect())
        .collect();
    for ty in [ScalarType::F64, ScalarType::F32, ScalarType::F16] {
        check(&Fun::prim(Prim::MulAdd, &[ty; 3]), ty, &columns);
    }
}

#[test]
fn of_one_float_twice() {
    for op in [Prim::Mul, Prim::Div, Prim::Max, Prim::Sub, Prim::Atan2] {
        let mut b = FunBuilder::new();
        let x = b.param(ScalarType::F64);
        let y = b.prim(op, &[x, x]);
        check(&b.finish(vec![y]), ScalarType::F64, &[POINTS.to_vec()]);
    }
}

/// Divisors whose reciprocal overflows, is subnormal, or is none: see Note \[Reciprocals\].
#[test]
fn quotients_by_the_least_and_the_greatest() {
    let divisors = [
        5e-324,
        -1e-310,
        2.5e-308,
        -1e-300,
        1e308,
        -1.7e308,
        0.0,
        -0.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let dividends = [0.0, -1.5, 2.5, f64::INFINITY, f64::NAN];
    let pairs = dividends
        .iter()
        .flat_map(|&x| divisors.iter().map(move |&y| (x, y)));
    let (xs, ys): (Vec<_>, Vec<_>) = pairs.unzip();
    check(
        &Fun::prim(Prim::Div, &[ScalarType::F64; 2]),
        ScalarType::F64,
        &[xs, ys],
    );
}

/// The adjoint of the logarithm is small where its partial derivative overflows; the interpreter's tangent is not.
#[test]
fn entropy_of_the_least_probability() {
    let mut b = FunBuilder::new();
    let p = b.param(ScalarType::F32);
    let ln = b.prim(Prim::Ln, &[p]);
    let product = b.prim(Prim::Mul, &[p, ln]);
    let program = weighted(&b.finish(vec![product]), &[ScalarType::F32]);
    let least = host(&[2], &[1e-40_f32, 3e-39]);
    let inputs = [least.clone(), host(&[2], &[1.0_f32; 2])];
    let partials = run(&derive(&program), &inputs).unwrap();
    for (partial, p) in floats(&partials[0]).into_iter().zip(floats(&least)) {
        assert!((partial - (p.ln() + 1.0)).abs() < 1e-4, "{partial} at {p}");
    }
}

#[test]
fn select_passes_to_the_chosen() {
    let mut b = FunBuilder::new();
    let (x, y) = (b.param(ScalarType::F64), b.param(ScalarType::F64));
    let zero = b.constant(0.0);
    let (less, ln) = (b.prim(Prim::Lt, &[x, zero]), b.prim(Prim::Ln, &[x]));
    let z = b.prim(Prim::Select, &[less, y, ln]);
    let f = b.finish(vec![z]);
    let ys: Vec<_> = POINTS.iter().rev().copied().collect();
    check(&f, ScalarType::F64, &[POINTS.to_vec(), ys]);
}

#[test]
fn discrete_detours_end_derivatives() {
    for middle in [ScalarType::I32, ScalarType::I64, ScalarType::Bool] {
        let mut b = FunBuilder::new();
        let x = b.param(ScalarType::F64);
        let whole = b.prim(Prim::Convert(middle), &[x]);
        let back = b.prim(Prim::Convert(ScalarType::F64), &[whole]);
        let y = b.prim(Prim::Mul, &[x, back]);
        check(&b.finish(vec![y]), ScalarType::F64, &[POINTS.to_vec()]);
    }
}
