//! Rules on conditionals and gradients inside scalar functions, and what must stay guarded.

use super::{fires, fun_of, simplified};
use crate::build::{Arr, FunBuilder};
use crate::loc::Loc;
use crate::prim::Prim;
use crate::simplify::{RuleCounts, simplify_fun};
use crate::term::{ArrId, ExpBlock, ExpId, ExpOp, Fun, Labelled, Mode};
use crate::types::ArrayType;
use crate::types::ScalarType::{Bool, F64, I32};

fn conditionals(block: &ExpBlock<Labelled>) -> usize {
    let conditional = |op: &ExpOp<Labelled>| matches!(op, ExpOp::Cond { .. });
    block.all_lets().filter(|l| conditional(&l.op)).count()
}

/// Code that is too expensive to run unguarded.
fn expensive(b: &mut FunBuilder, x: ExpId) -> ExpId {
    let y = b.prim(Prim::Exp, &[x]);
    b.prim(Prim::Sin, &[y])
}

#[test]
fn known_conditions_choose() {
    let after = fires("cond_constant", &[Bool, F64], |b, x| {
        b.cond(
            x[0],
            |b| {
                let inner = b.cond(x[0], |b| vec![expensive(b, x[1])], |_| vec![x[1]]);
                vec![b.prim(Prim::Exp, &inner)]
            },
            |b| vec![expensive(b, x[1])],
        )
    });
    assert_eq!(conditionals(&after.body), 1);
}

#[test]
fn parts_of_conditions_are_known_too() {
    let after = fires("cond_constant", &[Bool, Bool, F64], |b, x| {
        let both = b.prim(Prim::And, &[x[0], x[1]]);
        let y = b.cond(
            both,
            |b| b.cond(x[1], |b| vec![expensive(b, x[2])], |_| vec![x[2]]),
            |b| b.cond(x[1], |b| vec![expensive(b, x[2])], |_| vec![x[2]]),
        );
        let either = b.prim(Prim::Or, &[x[0], x[1]]);
        let z = b.cond(
            either,
            |_| vec![x[2]],
            |b| {
                b.cond(
                    x[1],
                    |b| vec![expensive(b, x[2])],
                    |b| vec![b.prim(Prim::Cos, &[x[2]])],
                )
            },
        );
        [y, z].concat()
    });
    assert_eq!(conditionals(&after.body), 3);
}

#[test]
fn negated_conditions_swap_the_branches() {
    fires("cond_not", &[Bool, F64], |b, x| {
        let not = b.prim(Prim::Not, &[x[0]]);
        b.cond(not, |b| vec![expensive(b, x[1])], |_| vec![x[1]])
    });
}

#[test]
fn columns_that_agree_leave() {
    let after = fires("cond_same", &[Bool, F64, F64], |b, x| {
        b.cond(
            x[0],
            |b| vec![x[1], b.constant(2.0), expensive(b, x[1])],
            |b| vec![x[1], b.constant(2.0), x[2]],
        )
    });
    let cond = after.body.lets.iter().find(|l| !l.op.blocks().is_empty());
    assert_eq!(cond.unwrap().binds.len(), 1);
}

#[test]
fn unused_columns_go() {
    let after = fires("cond_unused_result", &[Bool, F64], |b, x| {
        let ys = b.cond(
            x[0],
            |b| vec![expensive(b, x[1]), b.prim(Prim::Ln, &[x[1]])],
            |_| vec![x[1], x[1]],
        );
        vec![ys[0]]
    });
    let logarithm = |l: &crate::term::ExpLet<Labelled>| matches!(l.op, ExpOp::Prim(Prim::Ln, _));
    let blocks = after.body.lets.iter().flat_map(|l| l.op.blocks());
    assert!(!blocks.flat_map(|inner| &inner.block.lets).any(logarithm));
}

#[test]
fn cheap_total_branches_become_selections() {
    let after = fires("cond_to_select", &[Bool, F64, F64], |b, x| {
        b.cond(
            x[0],
            |b| vec![b.prim(Prim::Add, &[x[1], x[2]])],
            |_| vec![x[2]],
        )
    });
    assert_eq!(conditionals(&after.body), 0);
    let short_circuit = fires("select_bool", &[F64, F64], |b, x| {
        let zero = b.constant(0.0);
        let c = b.prim(Prim::Gt, &[x[0], zero]);
        b.cond(
            c,
            |b| vec![b.prim(Prim::Lt, &[x[1], zero])],
            |b| vec![b.constant(false)],
        )
    });
    assert_eq!(conditionals(&short_circuit.body), 0);
}

#[test]
fn what_would_spoil_derivatives_is_not_speculated() {
    for op in [Prim::Sqrt, Prim::Ln] {
        let f = fun_of(&[Bool, F64], |b, x| {
            b.cond(x[0], |b| vec![b.prim(op, &[x[1]])], |_| vec![x[1]])
        });
        assert_eq!(conditionals(&simplified(&f).0.body), 1);
    }
    let product = fun_of(&[Bool, F64, F64], |b, x| {
        b.cond(
            x[0],
            |b| vec![b.prim(Prim::Mul, &[x[1], x[2]])],
            |_| vec![x[1]],
        )
    });
    assert_eq!(conditionals(&simplified(&product).0.body), 1);
}

#[test]
fn equal_conditionals_merge() {
    let after = fires("cse", &[Bool, F64], |b, x| {
        let y = b.cond(x[0], |b| vec![expensive(b, x[1])], |_| vec![x[1]]);
        let z = b.cond(x[0], |b| vec![expensive(b, x[1])], |_| vec![x[1]]);
        vec![b.prim(Prim::Add, &[y[0], z[0]])]
    });
    assert_eq!(conditionals(&after.body), 1);
}

fn floats(rank: usize) -> Arr {
    Arr::new(ArrId(0), ArrayType::new(F64, rank))
}

/// How often the outermost block indexes, and the blocks inside it.
fn indexings(fun: &Fun<Labelled>) -> (usize, usize) {
    fn count(block: &ExpBlock<Labelled>) -> (usize, usize) {
        let own = block.lets.iter().filter(|l| l.op.can_fail()).count();
        let inner = block.lets.iter().flat_map(|l| l.op.blocks());
        let inner = inner.map(|i| count(i.block).0 + count(i.block).1).sum();
        (own, inner)
    }
    count(&fun.body)
}

#[test]
fn guarded_indexing_stays_guarded() {
    let a = floats(1);
    let before = fun_of(&[I32], |b, i| {
        let n = b.extent(a.name, 0);
        let inside = b.prim(Prim::Lt, &[i[0], n]);
        let x = b.cond(inside, |b| vec![b.index(&a, i)], |b| vec![b.constant(0.0)]);
        let y = b.cond(inside, |b| vec![b.index(&a, i)], |b| vec![b.constant(1.0)]);
        vec![x[0], y[0]]
    });
    let after = simplify_fun(before, &mut RuleCounts::default());
    assert_eq!(indexings(&after), (0, 2));
}

#[test]
fn indexing_merges_with_one_that_dominates() {
    let a = floats(1);
    let mut b = FunBuilder::new();
    let (c, i) = (b.param(Bool), b.param(I32));
    let first = Loc::caller();
    b.set_loc(first);
    let x = b.index(&a, &[i]);
    b.set_loc(Loc::caller());
    let y = b.cond(
        c,
        |b| vec![b.index(&a, &[i])],
        |b| vec![b.prim(Prim::Exp, &[x])],
    );
    let z = b.index(&a, &[i]);
    let before = b.finish(vec![x, y[0], z]);
    let mut counts = RuleCounts::default();
    let after = simplify_fun(before, &mut counts);
    assert_eq!((indexings(&after), counts.get("cse")), ((1, 0), 2));
    assert_eq!(after.body.lets[0].loc, first);
}

#[test]
fn captures_are_rebuilt() {
    let (a, other) = (floats(1), Arr::new(ArrId(5), ArrayType::new(F64, 1)));
    let mut f = fun_of(&[I32], |b, i| {
        let dead = b.index(&other, i);
        b.prim(Prim::Neg, &[dead]);
        vec![b.index(&a, i)]
    });
    f.captures.push(ArrId(9));
    let after = simplify_fun(f, &mut RuleCounts::default());
    assert_eq!(after.captures, [a.name]);
}

fn gradient(with_value: bool) -> Fun<Labelled> {
    fun_of(&[F64, F64], |b, x| {
        let params = vec![b.fresh(F64), b.fresh(F64)];
        let (p, q) = (params[0].name, params[1].name);
        let body = b.block(|b| {
            let y = b.prim(Prim::Mul, &[p, q]);
            let one = b.constant(1.0);
            vec![b.prim(Prim::Mul, &[y, one])]
        });
        let args = x.to_vec();
        let op = ExpOp::Derivative {
            mode: Mode::Gradient { with_value },
            params,
            body,
            args,
        };
        let types = vec![F64; 2 + usize::from(with_value)];
        let results = b.push(op, &types);
        vec![*results.last().unwrap()]
    })
}

#[test]
fn gradients_lose_what_is_not_used() {
    for with_value in [false, true] {
        let before = gradient(with_value);
        let (after, counts) = simplified(&before);
        assert_eq!(counts.get("gradient_unused_value"), u64::from(with_value));
        assert_eq!(counts.get("gradient_unused_partial"), 1);
        assert_eq!(counts.get("mul_one"), 1);
        assert_eq!(after.body.lets[0].binds.len(), 1);
        super::assert_equal_but(&before, &after, |_| false);
    }
}

#[test]
fn derivatives_along_a_direction_lose_what_is_not_used() {
    let with = |wanted: usize| {
        fun_of(&[F64, F64], |b, x| {
            let p = b.fresh(F64);
            let name = p.name;
            let body = b.block(|b| vec![b.prim(Prim::Sin, &[name]), b.prim(Prim::Cos, &[name])]);
            let op = ExpOp::Derivative {
                mode: Mode::Jvp,
                params: vec![p],
                body,
                args: x.to_vec(),
            };
            vec![b.push(op, &[F64; 4])[wanted]]
        })
    };
    for wanted in 0..4 {
        let before = with(wanted);
        let (after, counts) = simplified(&before);
        assert_eq!(counts.get("jvp_unused_result"), 1);
        assert_eq!(after.body.lets[0].binds.len(), 2);
        super::assert_equal_but(&before, &after, |_| false);
    }
}
