//! The graphs that small closures build, node by node.

use crate::constant::Const;
use crate::graph::{AccNodeOp, ArrRef, Binder, ExpLambda, ExpNodeOp, ExpRef, Graph};
use crate::prim::Prim;
use crate::surface::prelude::*;
use crate::term::{Axis, Direction, Mode, Move};
use crate::types::{ArrayType, ScalarType};

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

fn exp(node: u32) -> ExpRef {
    ExpRef { node, output: 0 }
}

fn arr(node: u32) -> ArrRef {
    ArrRef { node, output: 0 }
}

fn param(binder: u32, position: u32) -> ExpNodeOp {
    let binder = Binder(binder);
    ExpNodeOp::Param { binder, position }
}

fn prim(prim: Prim, operands: &[u32]) -> ExpNodeOp {
    ExpNodeOp::Prim(prim, operands.iter().map(|&node| exp(node)).collect())
}

fn exps(graph: &Graph) -> Vec<ExpNodeOp> {
    graph.exps.iter().map(|node| node.op.clone()).collect()
}

/// The array nodes that are not parameters.
fn accs(graph: &Graph) -> Vec<&AccNodeOp> {
    let ops = graph.accs.iter().map(|node| &node.op);
    ops.filter(|op| !matches!(op, AccNodeOp::Param { .. }))
        .collect()
}

fn constants(graph: &Graph) -> Vec<Const> {
    let constant = |op| match op {
        ExpNodeOp::Const(c) => Some(c),
        _ => None,
    };
    exps(graph).into_iter().filter_map(constant).collect()
}

#[test]
fn dot_is_a_map_and_a_fold() {
    let traced = trace(|x: Vector, y: Vector| x.zip_with(y, |a, b| a * b).sum()).unwrap();
    let f64s = [ScalarType::F64; 2].to_vec();
    assert_eq!(
        exps(&traced.graph),
        [
            param(1, 0),
            param(1, 1),
            prim(Prim::Mul, &[0, 1]),
            ExpNodeOp::Const(Const::F64(0.0)),
            param(2, 0),
            param(2, 1),
            prim(Prim::Add, &[4, 5]),
        ]
    );
    let lambda = |binder, result| ExpLambda {
        binder: Binder(binder),
        params: f64s.clone(),
        results: vec![exp(result)],
    };
    assert_eq!(
        accs(&traced.graph),
        [
            &AccNodeOp::Map {
                f: lambda(1, 2),
                args: vec![arr(0), arr(1)]
            },
            &AccNodeOp::Fold {
                f: lambda(2, 6),
                init: Some(vec![exp(3)]),
                args: vec![arr(2)]
            },
        ]
    );
    assert_eq!(
        traced.lambda.params,
        [ArrayType::new(ScalarType::F64, 1); 2]
    );
    assert_eq!(traced.lambda.results, [arr(3)]);
    let constructs: Vec<_> = traced.graph.binders.iter().map(|b| b.construct).collect();
    assert_eq!(constructs, ["compile", "zip_with", "sum"]);
    assert_eq!(
        traced.graph.accs[3].types,
        [ArrayType::new(ScalarType::F64, 0)]
    );
}

#[test]
fn equal_nodes_merge() {
    let traced = trace(|v: Vector| v.map(|x| (x + 1.0).sin() * (x + 1.0).sin())).unwrap();
    assert_eq!(
        exps(&traced.graph),
        [
            param(1, 0),
            ExpNodeOp::Const(Const::F64(1.0)),
            prim(Prim::Add, &[0, 1]),
            prim(Prim::Sin, &[2]),
            prim(Prim::Mul, &[3, 3]),
        ]
    );
}

#[test]
fn nodes_that_can_fail_merge_only_from_one_place() {
    let indices = |graph: &Graph| {
        let ops = exps(graph);
        let is_index = |op: &&ExpNodeOp| matches!(op, ExpNodeOp::Index { .. });
        ops.iter().filter(is_index).count()
    };
    let two_places = trace(|v: Vector| unit(v.at(ix![0]) + v.at(ix![0]))).unwrap();
    assert_eq!(indices(&two_places.graph), 2);
    let one_place = trace(|v: Vector| {
        let first = || v.at(ix![0]);
        unit(first() + first())
    });
    assert_eq!(indices(&one_place.unwrap().graph), 1);
    let reshapes = trace(|v: Vector| (v.reshape(ix![2, 3]), v.reshape(ix![2, 3]))).unwrap();
    assert_eq!(accs(&reshapes.graph).len(), 2);
    let unpacks = trace(|v: Acc<Ix1, [f64; 2]>| (v.unpack(), v.unpack())).unwrap();
    assert_eq!(accs(&unpacks.graph).len(), 1);
}

#[test]
fn literals_take_the_type_of_their_place() {
    let traced = trace(|v: Acc<Ix1, f32>| v.map(|x| 2 * x + 0.5)).unwrap();
    assert_eq!(constants(&traced.graph), [Const::F32(2.0), Const::F32(0.5)]);
    let traced = trace(|v: Acc<Ix1, i64>| v.map(|n| n / 3)).unwrap();
    assert_eq!(constants(&traced.graph), [Const::I64(3)]);
    assert_eq!(exps(&traced.graph)[2], prim(Prim::Quot, &[0, 1]));
}

#[test]
fn logic_is_short_circuit() {
    let traced =
        trace(|v: Vector| generate(ix![9], |ix![i]| i.lt(v.inner()).and(v.at(ix![i]).gt(0.0))))
            .unwrap();
    let Some(ExpNodeOp::Cond { cond, then_, else_ }) = exps(&traced.graph).last().cloned() else {
        panic!("the last node is the conditional");
    };
    let op = |at: &ExpRef| traced.graph.exps[at.node as usize].op.clone();
    assert!(matches!(op(&cond), ExpNodeOp::Prim(Prim::Lt, _)));
    assert!(matches!(op(&then_[0]), ExpNodeOp::Prim(Prim::Gt, _)));
    assert_eq!(op(&else_[0]), ExpNodeOp::Const(Const::Bool(false)));
}

#[test]
fn a_conditional_on_a_tuple_is_one_node() {
    let traced = trace(|v: Vector| v.map(|x| cond(x.gt(0.0), (x, [x.to_i32(); 2]), (-x, [3, 4]))));
    let traced = traced.unwrap();
    let node = traced.graph.exps.last().unwrap();
    assert_eq!(
        node.types,
        [ScalarType::F64, ScalarType::I32, ScalarType::I32]
    );
    let AccNodeOp::Map { f, .. } = accs(&traced.graph)[0] else {
        panic!("one map");
    };
    let outputs: Vec<_> = f.results.iter().map(|r| r.output).collect();
    assert_eq!(outputs, [0, 1, 2]);
}

#[test]
fn integer_powers_are_products() {
    let muls = |n: i32| {
        let traced = trace(move |v: Vector| v.map(move |x| x.powi(n))).unwrap();
        let ops = exps(&traced.graph);
        let count = |p: Prim| {
            let is = |op: &&ExpNodeOp| matches!(op, ExpNodeOp::Prim(q, _) if *q == p);
            ops.iter().filter(is).count()
        };
        (count(Prim::Mul), count(Prim::Div))
    };
    assert_eq!(
        [0, 1, 2, 5, -3].map(muls),
        [(0, 0), (0, 0), (1, 0), (3, 0), (2, 1)]
    );
}

#[test]
fn a_fold_over_tuples_is_one_fold() {
    let traced =
        trace(|v: Acc<Ix1, (f64, i32)>| v.fold((0.0, 0), |(s, n), (x, m)| (s + x, n + m))).unwrap();
    let [AccNodeOp::Fold { f, init, args }] = accs(&traced.graph)[..] else {
        panic!("one fold");
    };
    assert_eq!((f.params.len(), f.results.len(), args.len()), (4, 2, 2));
    assert_eq!(init.as_ref().unwrap().len(), 2);
    assert_eq!(traced.lambda.results.len(), 2);
}

#[test]
fn slices_name_their_axes() {
    let traced = trace(|m: Matrix, n: Acc<Ix0, i32>| {
        (m.replicate(ix![All, n.the(), All]), m.slice(ix![2, All]))
    })
    .unwrap();
    let [
        AccNodeOp::Move {
            how: Move::Replicate { axes, extents },
            ..
        },
        AccNodeOp::Move {
            how: Move::Slice { axes: cut, .. },
            ..
        },
    ] = accs(&traced.graph)[..]
    else {
        panic!("a replicate and a slice");
    };
    assert_eq!(axes, &[Axis::All, Axis::Fixed, Axis::All]);
    assert_eq!(extents.len(), 1);
    assert_eq!(cut, &[Axis::Fixed, Axis::All]);
    let rank = |at: usize| {
        let ArrRef { node, .. } = traced.lambda.results[at];
        traced.graph.accs[node as usize].types[0].rank
    };
    assert_eq!((rank(0), rank(1)), (3, 1));
}

#[test]
fn a_slice_may_be_generic_over_outer_dimensions() {
    let traced = trace(|m: Matrix| m.replicate(Snoc(any(), 7))).unwrap();
    let [AccNodeOp::Move { how, .. }] = accs(&traced.graph)[..] else {
        panic!("one replicate");
    };
    let axes = how.replicated().unwrap();
    assert_eq!(axes, &[Axis::All, Axis::All, Axis::Fixed]);
}

#[test]
fn unzip_makes_no_nodes_and_zip_one_map() {
    let traced = trace(|v: Acc<Ix1, (f64, [i32; 2])>| {
        let (x, n) = v.unzip();
        n.zip(x)
    })
    .unwrap();
    let [AccNodeOp::Map { f, args }] = accs(&traced.graph)[..] else {
        panic!("one map");
    };
    assert_eq!(args, &[arr(1), arr(2), arr(0)]);
    let params: Vec<_> = (0..3).map(|i| param(1, i)).collect();
    assert_eq!(exps(&traced.graph), params);
    assert_eq!(f.results, [exp(0), exp(1), exp(2)]);
}

#[test]
fn unpack_groups_columns_by_component() {
    let traced = trace(|v: Acc<Ix1, [(f64, i32); 3]>| v.unpack()).unwrap();
    let args: Vec<_> = accs(&traced.graph)
        .into_iter()
        .map(|op| match op {
            AccNodeOp::Unpack { args } => args.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(args, [[arr(0), arr(2), arr(4)], [arr(1), arr(3), arr(5)]]);
}

#[test]
fn permute_takes_guard_and_target() {
    let traced = trace(|v: Vector| {
        let zeros = fill(ix![4, 5], 0.0);
        v.permute(Combine::Add, zeros, |ix![i]| (i.gt(0), ix![i / 5, i % 5]))
    })
    .unwrap();
    let Some(AccNodeOp::Permute {
        target, combine, ..
    }) = accs(&traced.graph).last()
    else {
        panic!("a permute");
    };
    assert_eq!(
        (*combine, target.params.len(), target.results.len()),
        (Combine::Add, 1, 3)
    );
    let results = target.results.iter();
    let types: Vec<_> = results
        .map(|r| traced.graph.exps[r.node as usize].types[0])
        .collect();
    assert_eq!(types, [ScalarType::Bool, ScalarType::I32, ScalarType::I32]);
}

#[test]
fn scans_have_a_direction_and_maybe_a_start() {
    let traced = trace(|v: Vector| {
        let sum = |a, b| a + b;
        (
            v.scanl(0.0, sum),
            v.scanr(0.0, sum),
            v.scanl1(sum),
            v.scanr1(sum),
        )
    })
    .unwrap();
    let forms: Vec<_> = accs(&traced.graph)
        .into_iter()
        .map(|op| match op {
            AccNodeOp::Scan {
                direction, init, ..
            } => (*direction, init.is_some()),
            other => panic!("{other:?}"),
        })
        .collect();
    let (left, right) = (Direction::Left, Direction::Right);
    assert_eq!(
        forms,
        [(left, true), (right, true), (left, false), (right, false)]
    );
}

#[test]
fn gradients_return_the_tuple_of_their_arguments() {
    let traced = trace(|a: Vector, m: Matrix| {
        let f = |(a, m): (Vector, Matrix)| {
            m.zip_with(a.replicate(ix![m.shape().0.1, All]), |x, y| x * y)
                .sum_all()
        };
        value_and_gradient_a(f, (a, m))
    })
    .unwrap();
    let node = traced.graph.accs.last().unwrap();
    let ranks: Vec<_> = node.types.iter().map(|ty| ty.rank).collect();
    assert_eq!(ranks, [0, 1, 2]);
    let AccNodeOp::Derivative {
        mode: Mode::Gradient { with_value },
        f,
        args,
        ..
    } = &node.op
    else {
        panic!("a gradient");
    };
    assert!(with_value);
    assert_eq!((f.params.len(), f.results.len(), args.len()), (2, 1, 2));
    assert_eq!(traced.lambda.results.len(), 3);
}

#[test]
fn gradients_of_expressions_return_the_mirror() {
    let traced = trace(|v: Vector| {
        v.map(|x| {
            let (y, (dx, [dk])) =
                value_and_gradient_e(|(x, [k])| x * k.to_f64(), (x, [2 + x.to_i32()]));
            (y + dx, dk)
        })
    })
    .unwrap();
    let is_gradient = |op: &&ExpNodeOp| {
        matches!(
            op,
            ExpNodeOp::Derivative {
                mode: Mode::Gradient { with_value: true },
                ..
            }
        )
    };
    assert_eq!(exps(&traced.graph).iter().filter(is_gradient).count(), 1);
    let last = traced.graph.accs.last().unwrap();
    let elems: Vec<_> = last.types.iter().map(|ty| ty.elem).collect();
    assert_eq!(elems, [ScalarType::F64, ScalarType::I32]);
}

#[test]
fn conditionals_on_arrays_take_tuples() {
    let traced = trace(|v: Vector, m: Matrix| {
        let (v, m) = acond(v.inner().gt(3), (v, m), (v.reverse(), m.transpose()));
        (m, v)
    })
    .unwrap();
    let Some(AccNodeOp::Cond { then_, else_, .. }) = accs(&traced.graph).last() else {
        panic!("a conditional");
    };
    assert_eq!((then_.len(), else_.len()), (2, 2));
    let outputs: Vec<_> = traced.lambda.results.iter().map(|r| r.output).collect();
    assert_eq!(outputs, [1, 0]);
}

#[test]
fn host_arrays_in_use_are_shared() {
    let array = Array::<Ix1, f64>::vector(vec![1.0, 2.0]).unwrap();
    let other = Array::<Ix1, f64>::vector(vec![1.0, 2.0]).unwrap();
    let traced = trace(|| (use_(&array), use_(&array), use_(&other))).unwrap();
    assert_eq!(traced.graph.uses.len(), 2);
    let nodes: Vec<_> = traced.lambda.results.iter().map(|r| r.node).collect();
    assert_eq!(nodes, [0, 0, 1]);
}

/// Literals aside: those that are a closure's result are lifted elsewhere, and cannot fail.
#[test]
fn locations_are_those_of_the_user() {
    let traced = trace(|m: Matrix, to: Acc<Ix2, i32>| {
        let [a, b, c] = [m, m, m].map(|m| m.map(|x| x.powi(5).recip() + 1.0));
        let d = a
            .reverse()
            .transpose()
            .scatter(Combine::Add, fill(m.shape().0, 0.0), to);
        let e = c.flatten().enumerate();
        (
            d,
            b.maximum_all(),
            b.sum_all(),
            e.map(|(i, x)| cond(i.gt(0).or(x.lt(0.0)), x.clamp(0, 1), pi())),
        )
    })
    .unwrap();
    let here = |loc: crate::loc::Loc| loc.location().unwrap().file().ends_with("graphs.rs");
    for node in &traced.graph.exps {
        let is_literal = matches!(node.op, ExpNodeOp::Const(_));
        assert!(is_literal || here(node.loc), "{node:?}");
    }
    for node in &traced.graph.accs {
        assert!(here(node.loc), "{node:?}");
    }
    assert!(traced.graph.binders.iter().all(|binder| here(binder.loc)));
}
