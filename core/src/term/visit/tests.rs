//! What is found inside of the samples, and the forms that change it.

use crate::build::{AccBuilder, FunBuilder};
use crate::check::check;
use crate::label::samples;
use crate::prim::Prim;
use crate::term::{AccOp, ArrId, ExpId, ExpOp, Labelled, Mode, Program, Runs, Slot};
use crate::types::{ArrayType, ScalarType};
use ScalarType::{F64, I32};
use std::collections::BTreeSet;

/// Names, in order.
fn set<T: Ord>(names: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    names.into_iter().collect()
}

/// The operations of a program, those inside of others included, by their names.
fn names(program: &Program<Labelled>) -> Vec<&'static str> {
    program.body.all_lets().map(|l| l.op.name()).collect()
}

#[test]
fn lets_come_in_order_of_their_text() {
    let program = samples::array_gradient();
    let expected = [
        "use",
        "generate",
        "gradient_a",
        "fold1",
        "acond",
        "map",
        "fold",
    ];
    assert_eq!(
        names(&program),
        expected.map(|n| if n == "map" { "zip_with" } else { n })
    );
    // The number of blocks: the outermost, the gradient's, two of the conditional.
    let mut blocks = 0;
    program.clone().body.each_block_mut(&mut |_| blocks += 1);
    assert_eq!(blocks, 4);
}

#[test]
fn functions_and_blocks_say_how_often_they_run() {
    let program = samples::array_gradient();
    let ops: Vec<_> = program.body.all_lets().map(|l| &l.op).collect();
    let functions = |op: &AccOp<Labelled>| -> Vec<_> {
        op.functions().iter().map(|f| (f.name, f.runs)).collect()
    };
    let shape_and_f = [("shape", Runs::Once), ("f", Runs::Repeatedly)];
    assert_eq!(functions(ops[1]), shape_and_f);
    assert_eq!(functions(ops[4]), [("condition", Runs::Once)]);
    assert_eq!(
        functions(ops[6]),
        [("f", Runs::Repeatedly), ("init", Runs::Once)]
    );
    let gradient = &ops[2].blocks()[0];
    assert_eq!((gradient.name, gradient.runs), ("body", Runs::Once));
    assert_eq!(gradient.binds.len(), 2);
    let branches = ops[4].blocks();
    let runs: Vec<_> = branches
        .iter()
        .map(|b| (b.name, b.runs, b.binds.len()))
        .collect();
    let alternative = |name| (name, Runs::Alternative, 0);
    assert_eq!(runs, [alternative("then"), alternative("else")]);
}

/// A block reads what is around it; what it binds on entry, and what its lets bind, is its own.
#[test]
fn what_is_bound_inside_is_not_free() {
    let program = samples::array_gradient();
    let gradient = &program.body.lets[2].op;
    let (params, weights) = (program.params[0].name, program.body.lets[0].binds[0].name);
    let truth = program.body.lets[1].binds[0].name;
    assert_eq!(set(gradient.operands()), set([params, truth]));
    assert_eq!(gradient.free(), set([params, truth, weights]));
    let inner = gradient.blocks()[0];
    let [m, flag] = [0, 1].map(|k| inner.binds[k].name);
    assert_eq!(inner.block.free(), set([m, flag, weights]));
    // The flag is captured by the condition, and the weights are read in branches.
    assert!(inner.block.reads().any(|a| a == flag));
    assert!(program.body.free() == set([params]));
    let bound = set(program.body.bindings().map(|b| b.name));
    assert!(bound.contains(&m) && bound.contains(&flag) && !bound.contains(&params));
}

#[test]
fn scalars_are_free_in_blocks_likewise() {
    let program = samples::scalar_gradient();
    let f = program.body.lets[0].op.funs()[1];
    let gradient = &f.body.lets[1].op;
    let inner = gradient.blocks()[0];
    let (i, x) = (f.params[0].name, f.body.lets[0].binds[0].name);
    let u = inner.binds[0].name;
    assert_eq!(gradient.operands(), [x, i]);
    assert_eq!(inner.block.free(), set([u, x]));
    assert_eq!(
        set(gradient.reads()),
        set(inner.block.reads().chain([x, i]))
    );
    assert_eq!(f.body.free(), set([i]));
    let bound: Vec<_> = f.body.bindings().map(|b| b.name).collect();
    assert!(inner.binds.iter().all(|b| bound.contains(&b.name)));
}

#[test]
fn renaming_reaches_captures_and_inner_blocks() {
    let mut program = samples::array_gradient();
    let weights = program.body.lets[0].binds[0].name;
    let other = ArrId(1_000);
    program
        .body
        .rename(&|a| if a == weights { other } else { a });
    assert!(program.body.reads().all(|a| a != weights));
    assert!(program.body.free().contains(&other));
    program.body.lets[0].binds[0].name = other;
    check(&program).unwrap();
}

/// A function that reads two arrays, each twice, and one in a branch.
fn reading(captures: [u32; 3]) -> crate::term::Fun<Labelled> {
    let arrays = captures.map(|a| crate::build::Arr::new(ArrId(a), ArrayType::new(F64, 1)));
    let mut b = FunBuilder::new();
    let i = b.param(I32);
    let x = b.index(&arrays[0], &[i]);
    let positive = b.prim(Prim::Gt, &[x, x]);
    let y = b.cond(
        positive,
        |b| vec![b.index(&arrays[1], &[i])],
        |b| vec![b.index(&arrays[2], &[i])],
    );
    b.finish(y)
}

#[test]
fn captures_that_become_one_share_a_slot() {
    let mut f = reading([0, 1, 2]);
    f.rename_captures(|ArrId(a)| ArrId(a % 2));
    assert_eq!(f.captures, [ArrId(0), ArrId(1)]);
    assert_eq!(f.body.slots().collect::<Vec<_>>(), [0, 1, 0].map(Slot));
    assert_eq!(f, reading([0, 1, 0]));
}

#[test]
fn captures_are_cleaned_in_order_of_use() {
    let mut f = reading([7, 8, 9]);
    f.captures = vec![ArrId(1), ArrId(2), ArrId(3), ArrId(1)];
    f.body
        .renumber(&mut |Slot(slot)| Slot([3, 2, 0][slot as usize]));
    f.clean_captures();
    assert_eq!(f, reading([1, 3, 1]));
}

#[test]
fn scalars_are_renamed_inside_of_blocks() {
    let mut f = reading([0, 1, 2]);
    let i = f.params[0].name;
    f.body.rename(&|x| if x == i { ExpId(99) } else { x });
    assert_eq!(f.body.free(), set([ExpId(99)]));
    assert_eq!(f.body.reads().filter(|&x| x == ExpId(99)).count(), 3);
}

#[test]
fn literals_and_operands_are_told_by_their_operations() {
    let mut b = FunBuilder::new();
    let x = b.param(F64);
    let two = b.constant(2.0);
    let sum = b.prim(Prim::Add, &[x, two]);
    let f = b.finish(vec![sum]);
    let ops: Vec<_> = f.body.lets.iter().map(|l| &l.op).collect();
    assert_eq!(ops[0].as_const(), Some(2.0.into()));
    assert_eq!(ops[1].as_const(), None);
    assert_eq!(ops[1].operands_of(Prim::Add), Some(&[x, two][..]));
    assert_eq!(ops[1].operands_of(Prim::Mul), None);
    let named: Vec<_> = ops.iter().map(|op: &&ExpOp<_>| op.name()).collect();
    assert_eq!(named, ["2.0", "add"]);
}

/// What a block binds on entry is not free in the operation, though its argument may be.
#[test]
fn the_parameter_of_a_gradient_is_not_free() {
    let mut b = AccBuilder::new(0);
    let [x, y] = [0; 2].map(|_| b.fresh(ArrayType::new(F64, 0)));
    b.open();
    let gradient = AccOp::Derivative {
        mode: Mode::Gradient { with_value: false },
        body: b.close(std::slice::from_ref(&x)),
        args: vec![y.name],
        params: vec![x],
    };
    assert_eq!(gradient.free(), set([y.name]));
}
