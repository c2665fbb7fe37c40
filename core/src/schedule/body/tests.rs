//! Tests of bodies.

use super::*;
use crate::types::ScalarType::{F64, I32};

fn load(array: u32, index: ValueId, guard: Option<ValueId>) -> Op {
    Op::Load(Load {
        array: ArrayId(array),
        index: vec![index],
        guard,
        site: Some(SiteId(1)),
    })
}

/// v0 = coord 1, v1 = A7[v0], v2 = s3, v3 = v1 · v2, v4 = 2.
fn example() -> Body {
    let mut body = Body::default();
    let coord = body.push(Op::Coord(1), I32);
    let loaded = body.push(load(7, coord, None), F64);
    let symbol = body.push(Op::Symbol(SymbolId(3)), F64);
    body.push(Op::Prim(Prim::Mul, vec![loaded, symbol]), F64);
    body.push(Op::Const(Const::F64(2.0)), F64);
    body
}

#[test]
fn each_operation_is_what_it_says() {
    let all = [
        Op::Const(Const::I32(1)),
        Op::Symbol(SymbolId(2)),
        Op::Coord(3),
        Op::Arg(4),
        Op::Prim(Prim::Neg, vec![ValueId(5)]),
        load(6, ValueId(7), Some(ValueId(8))),
    ];
    for (i, op) in all.iter().enumerate() {
        let says = [
            op.as_const().is_some(),
            op.as_symbol().is_some(),
            op.as_coord().is_some(),
            op.as_arg().is_some(),
            op.as_prim().is_some(),
            op.as_load().is_some(),
        ];
        assert_eq!(says.map(usize::from).iter().sum::<usize>(), 1, "{op}");
        assert!(says[i], "{op}");
    }
    assert_eq!(all[5].operands(), [ValueId(7), ValueId(8)]);
    assert_eq!(all[4].operands_of(Prim::Neg), Some(&[ValueId(5)]));
    assert_eq!(all[4].operands_of::<1>(Prim::Abs), None);
    assert_eq!(all[4].operands_of::<2>(Prim::Neg), None);
}

#[test]
fn what_is_needed_comes_in_order() {
    let body = example();
    let needed: Vec<_> = body.needed(&[ValueId(3)]).map(|(v, _)| v.0).collect();
    assert_eq!(needed, [0, 1, 2, 3]);
    assert_eq!(body.dependencies(), [2, 2, 0, 2, 0]);
    assert_eq!(body.reads().collect::<Vec<_>>(), [ArrayId(7)]);
    assert_eq!(body.symbols().collect::<Vec<_>>(), [SymbolId(3)]);
}

#[test]
fn pruning_keeps_what_values_need() {
    let mut body = example();
    let (mut product, mut two) = (ValueId(2), ValueId(4));
    body.prune([&mut product, &mut two]);
    assert_eq!(body.len(), 2);
    assert_eq!(body.op(product), &Op::Symbol(SymbolId(3)));
    assert_eq!(body.op(two), &Op::Const(Const::F64(2.0)));
    body.prune([]);
    assert!(body.is_empty());
}

#[test]
fn appended_code_reads_what_its_operands_became() {
    let (other, mut body) = (example(), Body::default());
    let plus = body.push(Op::Const(Const::F64(5.0)), F64);
    let new = body.append(&other, |to, (_, inst), new| {
        assert_eq!(to.len() - 1, new.len());
        inst.op.as_symbol().map(|_| {
            let op = Op::Prim(Prim::Neg, vec![plus]);
            to.push(op, inst.ty)
        })
    });
    assert_eq!(new, [1, 2, 3, 4, 5].map(ValueId));
    let expected = Op::Prim(Prim::Mul, vec![ValueId(2), ValueId(3)]);
    assert_eq!(body.op(new[3]), &expected);
    let roots = body.append_needed((&other, &[ValueId(1)]), |_, _, _| None);
    assert_eq!((roots, body.len()), (vec![ValueId(7)], 8));
}

#[test]
fn operations_change_in_place() {
    let mut body = example();
    body.change(|op| {
        if let Op::Coord(axis) = op {
            *axis = 0;
        }
    });
    assert_eq!(body.dependencies(), [1, 1, 0, 1, 0]);
}
