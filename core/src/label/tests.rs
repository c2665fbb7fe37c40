//! The conversions undo each other and number as documented.

use super::{label, samples, unlabel};
use crate::deep::with_deep_stack;
use crate::term::{AccBlock, ArrBind, ArrIx, DeBruijn, ExpId, ExpOp, Program};
use crate::types::{ArrayType, ScalarType};

#[test]
fn conversions_undo_each_other() {
    for program in samples::all() {
        let official = unlabel(&program);
        let labelled = label(&official);
        assert_eq!(unlabel(&labelled), official);
        assert_eq!(label(&unlabel(&labelled)), labelled);
    }
}

#[test]
fn labels_follow_the_order_of_binding() {
    let labelled = label(&unlabel(&samples::nested_conditionals()));
    let arrays: Vec<_> = labelled.params.iter().map(|p| p.name.0).collect();
    assert_eq!(arrays, [0, 1]);
    let binds: Vec<_> = labelled.body.lets[0]
        .binds
        .iter()
        .map(|b| b.name.0)
        .collect();
    assert_eq!(binds, [2, 3, 4]);
    let f = labelled.body.lets[0].op.funs()[0];
    let ExpOp::Cond { then_, .. } = &f.body.lets[2].op else {
        panic!("the third let is a conditional")
    };
    assert_eq!(f.params[0].name, ExpId(0));
    assert_eq!(then_.lets[0].binds[0].name, ExpId(3));
    assert!(f.body.lets[2].binds[0].name > then_.lets[3].binds[0].name);
}

#[test]
fn the_last_bound_is_the_nearest() {
    let official = unlabel(&samples::dot());
    assert_eq!(official.body.results, [ArrIx(0)]);
    assert_eq!(official.body.lets[0].op.arguments(), [ArrIx(1), ArrIx(0)]);
    assert_eq!(official.body.lets[1].op.arguments(), [ArrIx(0)]);
}

#[test]
fn unbound_variables_stay_unbound() {
    let program = Program::<DeBruijn> {
        params: vec![ArrBind {
            name: (),
            ty: ArrayType::new(ScalarType::F64, 1),
        }],
        uses: vec![],
        alike: Default::default(),
        body: AccBlock {
            lets: vec![],
            results: vec![ArrIx(1), ArrIx(0), ArrIx(41)],
        },
    };
    assert_eq!(unlabel(&label(&program)), program);

    let mut escaped = samples::dot();
    escaped.body.results[0] = samples::NOWHERE;
    let index = unlabel(&escaped).body.results[0];
    assert!(index.0 > 4);
}

#[test]
fn deep_programs_convert() {
    with_deep_stack(|| {
        let labelled = samples::deep(100_000);
        let official = unlabel(&labelled);
        assert!(unlabel(&label(&official)) == official);
    });
}
