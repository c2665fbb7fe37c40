//! The builders number, nest and copy as they should.

use super::FunBuilder;
use crate::prim::Prim;
use crate::term::{ArrId, ExpOp};
use crate::types::{ArrayType, ScalarType};

#[test]
fn inlining_renames_and_merges_captures() {
    let array = super::Arr::new(ArrId(7), ArrayType::new(ScalarType::F64, 1));
    let mut inner = FunBuilder::new();
    let i = inner.param(ScalarType::I32);
    let x = inner.index(&array, &[i]);
    let inner = inner.finish(vec![x]);

    let mut outer = FunBuilder::new();
    let i = outer.param(ScalarType::I32);
    let n = outer.extent(array.name, 0);
    let a = outer.inline(&inner, &[i])[0];
    let b = outer.inline(&inner, &[n])[0];
    let sum = outer.prim(Prim::Add, &[a, b]);
    let outer = outer.finish(vec![sum]);

    assert_eq!(outer.captures, [array.name]);
    assert_ne!(a, b);
    assert_eq!(outer.result_types(), [ScalarType::F64]);
}

#[test]
fn branches_keep_their_code() {
    let mut b = FunBuilder::new();
    let x = b.param(ScalarType::F64);
    let zero = b.constant(0.0);
    let positive = b.prim(Prim::Gt, &[x, zero]);
    let y = b.cond(positive, |_| vec![x], |b| vec![b.prim(Prim::Neg, &[x])]);
    let abs = b.finish(y);
    assert_eq!(abs.body.lets.len(), 3);
    let ExpOp::Cond { else_, .. } = &abs.body.lets[2].op else {
        panic!("a conditional")
    };
    assert_eq!(else_.lets.len(), 1);
}
