//! Every primitive on every type, against its definition.

use super::maker::{Code, Maker};
use super::run_all;
use cotangent_core::constant::Const;
use cotangent_core::host::Column;
use cotangent_core::integer_type;
use cotangent_core::prim::{ALL, Prim};
use cotangent_core::rounding::f16_of_f64;
use cotangent_core::schedule::check::check;
use cotangent_core::types::ScalarType::{self, Bool, F16, F32, F64};

/// Floats that are special to some primitive or conversion.
const FLOATS: [f64; 32] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    0.49999999999999994,
    1e-9,
    3.7,
    -7.25,
    1e10,
    -1e10,
    2147483648.0,
    3e9,
    4294967295.5,
    4294967296.0,
    9.3e18,
    -9.3e18,
    1e300,
    5e-324,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    -5e-324,
    3.4028234663852886e38,
    -1e-40,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Values at which something special happens.
fn edges(ty: ScalarType) -> Vec<Const> {
    let ints = [0, 1, -1, 2, -2, 3, 7, -7, 31, 32, 33, 63, 64, 100, 1 << 20];
    match ty {
        Bool => vec![false.into(), true.into()],
        integer_type!() => {
            let middle = 1 << (8 * ty.bytes() - 1);
            let ends = [middle, middle - 1, middle + 1];
            let all = ints.into_iter().chain(ends);
            all.map(|i| Const::integer(ty, i)).collect()
        }
        F16 => {
            // The greatest, halfway beyond it, the least normal number and subnormal ones.
            let more = [
                65504.0, 65519.0, -300.0, 2047.0, 6.1035e-5, 6.1e-5, -5.96e-8, 1e-6,
            ];
            let floats = FLOATS.iter().chain(&more);
            floats.map(|&x| Const::F16(f16_of_f64(x))).collect()
        }
        F32 => FLOATS.iter().map(|&x| Const::F32(x as f32)).collect(),
        F64 => {
            // Halfway between numbers of `f16`, and next to that.
            let more = [
                2049.0,
                2049.0 + 1e-9,
                2051.0 - 1e-9,
                65520.0 - 1e-9,
                2.98e-8,
            ];
            FLOATS.iter().chain(&more).map(|&x| Const::F64(x)).collect()
        }
    }
}

/// Whether the library of the machine may round it in another way.
fn is_transcendental(prim: Prim) -> bool {
    use Prim::*;
    [
        Exp, ExpM1, Ln, Ln1p, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh,
        Atanh, Pow, Atan2,
    ]
    .contains(&prim)
}

fn same(prim: Prim, x: Const, y: Const) -> bool {
    let near = |x: f64, y: f64, eps: f64| {
        x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= eps * x.abs()
    };
    match (x, y) {
        // Which NaN comes out of arithmetic is not defined.
        (Const::F64(x), Const::F64(y)) if x.is_nan() => y.is_nan(),
        (Const::F32(x), Const::F32(y)) if x.is_nan() => y.is_nan(),
        (Const::F16(x), Const::F16(y)) if x.is_nan() => y.is_nan(),
        (Const::F64(x), Const::F64(y)) if is_transcendental(prim) => near(x, y, 1e-14),
        (Const::F32(x), Const::F32(y)) if is_transcendental(prim) => near(x.into(), y.into(), 1e-6),
        (Const::F16(x), Const::F16(y)) if is_transcendental(prim) => {
            near(x.into(), y.into(), 1e-3) || x.to_bits().abs_diff(y.to_bits()) <= 1
        }
        (x, y) => x == y,
    }
}

/// All combinations of edge values, repeated so that vector loops and their tails both see them.
fn combinations(types: &[ScalarType]) -> Vec<Vec<Const>> {
    let mut rows: Vec<Vec<Const>> = vec![vec![]];
    for &ty in types {
        let extend = |row: Vec<Const>| {
            edges(ty).into_iter().map(move |x| {
                let mut row = row.clone();
                row.push(x);
                row
            })
        };
        rows = rows.into_iter().flat_map(extend).collect();
    }
    rows
}

fn check_prim(prim: Prim, types: &[ScalarType]) {
    let rows = combinations(types);
    let ty = prim.result_type(types).unwrap();
    let mut maker = Maker::new();
    let columns: Vec<_> = (0..types.len())
        .map(|i| {
            let values = rows.iter().map(|row| row[i]);
            let column = Column::from_consts(types[i], values).unwrap();
            maker.input(&[rows.len()], column)
        })
        .collect();
    let space = maker.extents(columns[0]);
    let mut code = Code::default();
    let i = code.coord(0);
    let loads: Vec<_> = columns
        .iter()
        .zip(types)
        .map(|(&c, &ty)| code.load(c, ty, &[i]))
        .collect();
    // On columns, and with each operand in turn a constant.
    let mut results = vec![code.prim(prim, &loads)];
    let fixed = rows[rows.len() / 2].clone();
    for mask in 1..1 << types.len() {
        let operands: Vec<_> = (0..types.len())
            .map(|i| match mask >> i & 1 {
                0 => loads[i],
                _ => code.constant(fixed[i]),
            })
            .collect();
        results.push(code.prim(prim, &operands));
    }
    maker.map(&space, code.0, &results);
    let schedule = check(maker.schedule).unwrap();
    let found = run_all(&schedule, &maker.inputs).unwrap();
    for (mask, found) in found.iter().enumerate() {
        for (i, row) in rows.iter().enumerate() {
            let pick = |i: usize| if mask >> i & 1 == 0 { row[i] } else { fixed[i] };
            let operands: Vec<_> = (0..types.len()).map(pick).collect();
            let expected = prim.eval(&operands).unwrap();
            let found = found.column().get(i).unwrap();
            assert_eq!(found.scalar_type(), ty);
            assert!(
                same(prim, expected, found),
                "{prim} {operands:?}: {expected} or {found}"
            );
        }
    }
}

#[test]
fn every_primitive_is_what_its_definition_says() {
    let mut checked = 0;
    for prim in ALL {
        for ty in ScalarType::ALL {
            let types = match prim {
                Prim::Select => vec![Bool, ty, ty],
                _other => vec![ty; prim.arity()],
            };
            if prim.result_type(&types).is_some() {
                check_prim(prim, &types);
                checked += 1;
            }
        }
    }
    assert!(checked > 180, "{checked}");
}
