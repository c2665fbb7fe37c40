//! Reductions the fast way: they give what they give the simple way.

use super::gpu;
use super::rows::{Builder, INNER, ROWS, assert_agreement, table};
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::host::HostArray;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::*;
use cotangent_core::types::ScalarType::{self, Bool, F32, F64, I8, I16, I32, I64, U8, U16, U32};

/// The extents around the edges of all ways: rows of parts, workgroups, invocations, columns.
const EXTENTS: [[usize; 2]; 19] = [
    [1, 0],
    [1, 1],
    [3, 7],
    [2, 63],
    [2, 64],
    [2, 65],
    [5, 255],
    [5, 256],
    [5, 257],
    [20, 300],
    [1, 8191],
    [1, 8192],
    [1, 8193],
    [2, 12_289],
    [600, 100],
    [1, 600_000],
    [4200, 3],
    [9, 70_000],
    [520, 66],
];

/// A product of matrices of two by two, which does not commute.
fn matrices() -> Operator {
    let mut body = Body::default();
    let x: Vec<_> = (0..8).map(|n| body.push(Op::Arg(n), I32)).collect();
    let mut results = vec![];
    for (row, column) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let terms = [0, 1].map(|k| vec![x[2 * row + k], x[4 + 2 * k + column]]);
        let terms = terms.map(|factors| body.push(Op::Prim(Prim::Mul, factors), I32));
        results.push(body.push(Op::Prim(Prim::Add, terms.to_vec()), I32));
    }
    Operator { body, results }
}

/// The last of two.
pub(super) fn last(ty: ScalarType) -> Operator {
    let mut body = Body::default();
    body.push(Op::Arg(0), ty);
    let results = vec![body.push(Op::Arg(1), ty)];
    Operator { body, results }
}

/// The operators that reductions are tested with, the types of their tuples, and an initial value.
pub(super) fn operators() -> Vec<(&'static str, Vec<ScalarType>, Operator)> {
    let prim = |name, prim, ty| (name, vec![ty], Operator::of_prim(prim, ty));
    let product = Operator::product(
        &Operator::of_prim(Prim::Add, F32),
        &Operator::of_prim(Prim::Max, I32),
    );
    vec![
        prim("sum f32", Prim::Add, F32),
        prim("sum i32", Prim::Add, I32),
        prim("product i32", Prim::Mul, I32),
        prim("min i32", Prim::Min, I32),
        prim("max i32", Prim::Max, I32),
        prim("max f32", Prim::Max, F32),
        prim("and", Prim::BitAnd, I32),
        prim("xor", Prim::BitXor, I32),
        prim("all", Prim::And, Bool),
        prim("sum f64", Prim::Add, F64),
        prim("sum u32", Prim::Add, U32),
        prim("min u32", Prim::Min, U32),
        prim("max u32", Prim::Max, U32),
        prim("sum i64", Prim::Add, I64),
        prim("sum i8", Prim::Add, I8),
        prim("product u16", Prim::Mul, U16),
        prim("max i16", Prim::Max, I16),
        prim("min u8", Prim::Min, U8),
        ("last i8", vec![I8], last(I8)),
        ("last", vec![I32], last(I32)),
        ("matrices", vec![I32; 4], matrices()),
        ("sum and max", vec![F32, I32], product),
    ]
}

/// What is large is tested with some operators only: the others differ in what a workgroup does alone.
pub(super) fn is_skipped(name: &str, size: usize) -> bool {
    size > 50_000 && !["sum f32", "max f32", "last", "matrices"].contains(&name)
}

/// Sums of rows, or of columns.
pub(super) fn reduction(
    types: &[ScalarType],
    operator: &Operator,
    has_init: bool,
    is_turned: bool,
) -> Checked<Schedule> {
    let mut b = Builder::new();
    let at = [b.coord(0), b.coord(1)];
    let mut values = vec![];
    for &ty in types {
        let (extents, at) = match is_turned {
            false => ([ROWS, INNER], at),
            true => ([INNER, ROWS], [at[1], at[0]]),
        };
        let array = b.param(ty, &extents);
        values.push(b.load(array, &at, false));
    }
    let init: Vec<_> = types.iter().map(|&ty| Const::small(ty, 2)).collect();
    let init = has_init.then(|| b.symbols(&init));
    if !has_init {
        b.not_empty();
    }
    let outputs = types.iter().zip(values);
    let outputs = outputs.map(|(&ty, value)| Output {
        value,
        array: b.result(ty, &[ROWS]),
    });
    let outputs = outputs.collect();
    let kind = KernelKind::Reduce {
        inner: vec![INNER],
        body: b.body.clone(),
        operator: operator.clone(),
        init,
        outputs,
    };
    b.kernel(&[ROWS], kind)
}

fn inputs(types: &[ScalarType], extents: [usize; 2]) -> Vec<HostArray> {
    let tables = (1..).zip(types);
    tables
        .map(|(seed, &ty)| table(ty, &extents, seed))
        .collect()
}

#[test]
fn reductions_agree_with_the_simple_way() {
    let Some(gpu) = gpu() else { return };
    for (name, types, operator) in operators() {
        if !types.iter().all(|&ty| gpu.target().has(ty)) {
            continue;
        }
        for (has_init, is_turned) in [(false, false), (true, false), (true, true)] {
            let schedule = reduction(&types, &operator, has_init, is_turned);
            for [rows, inner] in EXTENTS {
                if is_skipped(name, rows * inner) {
                    continue;
                }
                let extents = if is_turned {
                    [inner, rows]
                } else {
                    [rows, inner]
                };
                let what = format!("{name} of {rows} by {inner}, {has_init} {is_turned}");
                let found = assert_agreement(gpu, &schedule, &inputs(&types, extents), &what);
                assert!(found.is_ok() || (inner == 0 && !has_init), "{what}");
            }
        }
    }
}

/// The first failure is told, wherever it is.
#[test]
fn failures_are_found_again() {
    let Some(gpu) = gpu() else { return };
    let mut b = Builder::new();
    let at = [b.coord(0), b.coord(1)];
    let indices = b.param(I32, &[ROWS, INNER]);
    let index = b.load(indices, &at, false);
    let values = b.param(I32, &[ROWS]);
    let value = b.load(values, &[index], true);
    b.not_empty();
    let array = b.result(I32, &[ROWS]);
    let kind = KernelKind::Reduce {
        inner: vec![INNER],
        body: b.body.clone(),
        operator: Operator::of_prim(Prim::Add, I32),
        init: None,
        outputs: vec![Output { value, array }],
    };
    let schedule = b.kernel(&[ROWS], kind);
    let values = table(I32, &[3], 1);
    for (failing, inner) in [(None, 20_000), (Some(13_000), 20_000), (Some(299), 300)] {
        let index = |i| if Some(i) == failing { 77 } else { i as i32 % 3 };
        let indices: Vec<i32> = (0..3 * inner).map(index).collect();
        let indices = HostArray::new(vec![3, inner], indices.into()).unwrap();
        let inputs = [indices, values.clone()];
        match (
            failing,
            assert_agreement(gpu, &schedule, &inputs, "failing"),
        ) {
            (None, found) => assert!(found.is_ok()),
            (Some(_), Err(RunError::IndexOutOfRange { index, .. })) => assert_eq!(index, [77]),
            (Some(_), other) => panic!("{other:?}"),
        }
    }
}
