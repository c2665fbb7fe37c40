//! What nodes refer to, and the binders they depend on.

use super::parts::{Code, Node};
use super::{AccNodeOp, ArrRef, Binder, ExpNodeOp, ExpRef, GraphBuilder, Lambda};
use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::{Mode, Runs};
use crate::types::{ArrayType, ScalarType};
use ScalarType::{Bool, F64};

#[derive(Default)]
struct Made(GraphBuilder);

impl Made {
    fn exp(&mut self, op: ExpNodeOp, ty: ScalarType) -> ExpRef {
        let node = self.0.add_exp(op, vec![ty], Loc::UNKNOWN);
        ExpRef { node, output: 0 }
    }

    fn acc(&mut self, op: AccNodeOp) -> ArrRef {
        let types = vec![ArrayType::new(F64, 1)];
        let node = self.0.add_acc(op, types, Loc::UNKNOWN);
        ArrRef { node, output: 0 }
    }

    fn binder(&mut self) -> (Binder, ExpRef) {
        let binder = self.0.add_binder("map", Loc::UNKNOWN);
        let position = 0;
        (binder, self.exp(ExpNodeOp::Param { binder, position }, F64))
    }

    fn sum(&mut self, x: ExpRef, y: ExpRef) -> ExpRef {
        self.exp(ExpNodeOp::Prim(Prim::Add, vec![x, y]), F64)
    }

    fn gradient(&mut self, binder: Binder, results: Vec<ExpRef>, args: Vec<ExpRef>) -> ExpRef {
        let params = vec![F64];
        let f = Lambda {
            binder,
            params,
            results,
        };
        let with_value = false;
        self.exp(
            ExpNodeOp::Derivative {
                mode: Mode::Gradient { with_value },
                f,
                args,
            },
            F64,
        )
    }

    fn free(&self, x: impl Into<Node>) -> &[Binder] {
        self.0.graph().free.get(x.into())
    }
}

/// A lambda binds its own parameters in what it results in, and nowhere else.
#[test]
fn lambdas_bind_inside_only() {
    let mut g = Made::default();
    let ((outer, x), (inner, y)) = (g.binder(), g.binder());
    let both = g.sum(x, y);
    assert_eq!(g.free(both), [outer, inner]);
    let bound = g.gradient(inner, vec![both], vec![x]);
    assert_eq!(g.free(bound), [outer]);
    let outside = g.gradient(inner, vec![both], vec![y]);
    assert_eq!(g.free(outside), [outer, inner]);
    let references = g.0.graph().references(bound.into());
    assert_eq!(references.plain, [x.into()]);
    assert_eq!(references.lambdas, [(inner, vec![both.into()])]);
}

/// What an array depends on, a scalar that reads it depends on as well.
#[test]
fn binders_pass_between_the_strata() {
    let mut g = Made::default();
    let program = g.0.add_binder("compile", Loc::UNKNOWN);
    let a = g.acc(AccNodeOp::Param {
        binder: program,
        position: 0,
    });
    let (own, x) = g.binder();
    let extent = g.exp(ExpNodeOp::Extent { array: a, axis: 0 }, ScalarType::I32);
    let element = ExpNodeOp::Index {
        array: a,
        index: vec![extent],
    };
    let element = g.exp(element, F64);
    let sum = g.sum(element, x);
    assert_eq!(g.free(sum), [program, own]);
    let f = Lambda {
        binder: own,
        params: vec![F64],
        results: vec![sum],
    };
    let map = g.acc(AccNodeOp::Map { f, args: vec![a] });
    assert_eq!(g.free(map), [program]);
}

#[test]
fn code_says_how_often_it_runs() {
    let mut g = Made::default();
    let (binder, x) = g.binder();
    let cond = g.exp(ExpNodeOp::Const(true.into()), Bool);
    let op = ExpNodeOp::Cond {
        cond,
        then_: vec![x],
        else_: vec![],
    };
    let branch = |results| Code {
        runs: Runs::Alternative,
        binds: None,
        results,
    };
    assert_eq!(op.blocks(), [branch(&[x][..]), branch(&[])]);
    assert_eq!(op.operands(), [cond]);
    let f = Lambda {
        binder,
        params: vec![F64],
        results: vec![x],
    };
    let generate = AccNodeOp::Generate {
        shape: vec![cond],
        f,
    };
    let [shape, f] = generate.functions()[..] else {
        panic!("two functions")
    };
    assert_eq!((shape.runs, shape.binds), (Runs::Once, None));
    assert_eq!((f.runs, f.binds), (Runs::Repeatedly, Some((binder, 1))));
}
