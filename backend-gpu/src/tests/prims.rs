//! Every primitive that has a text, on all pairs of interesting operands: the device gives what `Prim::eval` gives.

use super::{Subject, gpu};
use cotangent_core::constant::Const;
use cotangent_core::integer_type;
use cotangent_core::prim::{ALL, Prim};
use cotangent_core::rounding::f16_of_f64;
use cotangent_core::schedule::{Op, ValueId};
use cotangent_core::types::ScalarType::{self, Bool, F16, F32, F64, I8, I16, I32, U8, U16};
use cotangent_shaders::map;
use cotangent_shaders::math::MAX_ERROR;

/// Floats that are special to some primitive or conversion.
const FLOATS: [f64; 23] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.7,
    -1e9,
    3e9,
    1e19,
    -1e19,
    1e-30,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    2_147_483_648.0,
    -2_147_483_649.0,
    9_223_372_036_854_775_808.0,
    4_294_967_295.5,
    4_294_967_296.0,
];

fn values(ty: ScalarType) -> Vec<Const> {
    let ints = [0, 1, -1, 2, 3, -3, 7, -8, 31, 33, 64, 1000, -1001];
    match ty {
        Bool => vec![Const::Bool(false), Const::Bool(true)],
        integer_type!() => {
            let middle = 1 << (8 * ty.bytes() - 1);
            let more = [middle - 1, middle, middle + 1, -2, 1 << 31, -(1 << 33) - 5];
            let all = ints.into_iter().chain(more);
            all.map(|i| Const::integer(ty, i)).collect()
        }
        F16 => {
            // The greatest, what is halfway beyond it, the least normal and subnormal ones, and some around them.
            let more = [
                65504.0, 65519.0, 65520.0, -65504.0, 2048.0, 2047.0, 6.1035e-5, 6.1e-5, -5.96e-8,
                1e-6, 300.0, 1e-4,
            ];
            let floats = FLOATS.iter().chain(&more);
            floats.map(|&x| Const::F16(f16_of_f64(x))).collect()
        }
        F32 => {
            // Numbers that `f16` rounds: halfway, just beyond, and to infinity or zero.
            let more = [
                2049.0,
                2049.0001,
                65519.996,
                65520.0,
                2.98e-8,
                2.99e-8,
                -1e-6,
                f32::MAX.into(),
            ];
            let floats = FLOATS.iter().chain(&more);
            floats.map(|&x| Const::F32(x as f32)).collect()
        }
        F64 => {
            // The same, also by digits that `f32` does not have.
            let more = [
                2049.0,
                2049.0 + 1e-9,
                2051.0 - 1e-9,
                65520.0 - 1e-9,
                2.98e-8,
                -1e-6,
                1e-310,
                f64::MAX,
            ];
            FLOATS.iter().chain(&more).map(|&x| Const::F64(x)).collect()
        }
    }
}

/// All combinations of values for operands of the given types, one list an operand.
fn operands(types: &[ScalarType]) -> Vec<Vec<Const>> {
    let mut lists = vec![vec![]; types.len()];
    let all: Vec<Vec<Const>> = types.iter().map(|&ty| values(ty)).collect();
    let count: usize = all.iter().map(Vec::len).product();
    for mut n in 0..count {
        for (list, values) in lists.iter_mut().zip(&all) {
            list.push(values[n % values.len()]);
            n /= values.len();
        }
    }
    lists
}

/// Whether a result is the one expected: to the bit, but for the bits of a NaN, for the sign of zeros, and for the last
/// units of functions that no processor has.
fn agrees(prim: Prim, found: Const, expected: Const) -> bool {
    let units = |x: u64, y: u64| x.abs_diff(y) <= if is_rounded(prim) { 0 } else { MAX_ERROR };
    match (found, expected) {
        // A function of four units in the last place of `f32` may be rounded to the other neighbour.
        (Const::F16(x), Const::F16(y)) => {
            let same_sign = x.is_sign_positive() == y.is_sign_positive();
            let most = if is_rounded(prim) { 0 } else { 1 };
            let close = same_sign && x.to_bits().abs_diff(y.to_bits()) <= most;
            close || (x.is_nan() && y.is_nan()) || (x == y && y.to_bits() << 1 == 0)
        }
        (Const::F32(x), Const::F32(y)) => {
            let same_sign = x.is_sign_positive() == y.is_sign_positive();
            let close = same_sign && units(x.to_bits().into(), y.to_bits().into());
            close || (x.is_nan() && y.is_nan()) || (x == y && y == 0.0)
        }
        (Const::F64(x), Const::F64(y)) => {
            let same_sign = x.is_sign_positive() == y.is_sign_positive();
            let close = same_sign && units(x.to_bits(), y.to_bits());
            close || (x.is_nan() && y.is_nan()) || (x == y && y == 0.0)
        }
        (_, _) => found.bits() == expected.bits(),
    }
}

/// Whether the result is the only possible one.
fn is_rounded(prim: Prim) -> bool {
    use Prim::*;
    !matches!(
        prim,
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
    )
}

/// The operand types that a primitive takes.
fn signatures(prim: Prim) -> Vec<Vec<ScalarType>> {
    let types = ScalarType::ALL.into_iter();
    let lists = types.flat_map(|ty| [vec![ty], vec![ty, ty], vec![ty, ty, ty], vec![Bool, ty, ty]]);
    let fits = |types: &Vec<ScalarType>| prim.result_type(types).is_some();
    lists.filter(fits).collect()
}

/// How many results a primitive has that differ; none if it has no text.
fn check(prim: Prim, types: &[ScalarType]) -> Option<usize> {
    let gpu = gpu()?;
    let lists = operands(types);
    let mut subject = Subject::new();
    let index = subject.body.push(Op::Coord(0), I32);
    let loads: Vec<ValueId> = lists
        .iter()
        .map(|list| subject.load(list.clone(), index, None))
        .collect();
    let result = prim.result_type(types)?;
    let value = subject.body.push(Op::Prim(prim, loads), result);
    let value = widened(&mut subject, (value, result));
    let kernel = subject.kernel(value);
    map(&subject.schedule, &kernel, &gpu.target()).ok()?;
    subject.schedule.arrays.pop();
    let (found, failed) = subject.run(gpu, value);
    assert_eq!(failed, None);
    let differs = |n: &usize| {
        let operands: Vec<_> = lists.iter().map(|list| list[*n]).collect();
        let expected = wide(prim.eval(&operands).unwrap());
        let may_be = match prim {
            Prim::MulAdd => rounded_otherwise(&operands),
            _other => vec![],
        };
        let mut may_be = std::iter::once(expected).chain(may_be);
        let agrees = may_be.any(|expected| agrees(prim, found[*n], expected));
        if !agrees {
            println!(
                "{prim:?} {operands:?}: {:?}, expected {expected:?}",
                found[*n]
            );
        }
        !agrees
    };
    Some((0..lists[0].len()).filter(differs).count())
}

/// A value whose memory has no room for more than its type has, as one of a type that shows whether there was more.
fn widened(subject: &mut Subject, (value, ty): (ValueId, ScalarType)) -> ValueId {
    match is_narrow(ty) {
        true => {
            let convert = Op::Prim(Prim::Convert(I32), vec![value]);
            subject.body.push(convert, I32)
        }
        false => value,
    }
}

fn wide(value: Const) -> Const {
    match is_narrow(value.scalar_type()) {
        true => Prim::Convert(I32).eval(&[value]).unwrap(),
        false => value,
    }
}

fn is_narrow(ty: ScalarType) -> bool {
    matches!(ty, I8 | I16 | U8 | U16)
}

/// What `fma` may give, too: its driver may round twice, and an `f16` is computed with as `f32`.
fn rounded_otherwise(operands: &[Const]) -> Vec<Const> {
    let ty = operands[0].scalar_type();
    let wide = if ty == F16 { F32 } else { ty };
    let convert = |x: &Const, to| Prim::Convert(to).eval(&[*x]).unwrap();
    let [x, y, z] = std::array::from_fn(|i| convert(&operands[i], wide));
    let product = Prim::Mul.eval(&[x, y]).unwrap();
    let twice = Prim::Add.eval(&[product, z]).unwrap();
    let once = Prim::MulAdd.eval(&[x, y, z]).unwrap();
    [twice, once].map(|x| convert(&x, ty)).to_vec()
}

#[test]
fn primitives_give_what_they_mean() {
    let Some(gpu) = gpu() else { return };
    let (mut checked, mut different) = (0, vec![]);
    for prim in ALL {
        for types in signatures(prim) {
            match check(prim, &types) {
                Some(0) => checked += 1,
                Some(n) => different.push((prim, types, n)),
                None => {}
            }
        }
    }
    assert_eq!(different, []);
    let has_all = ScalarType::ALL.iter().all(|&ty| gpu.target().has(ty));
    assert!(checked >= 253 || !has_all, "{checked}");
}
