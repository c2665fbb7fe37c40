//! The checker accepts the samples and names each of a list of planted errors.

mod foreign;
mod forward;

use super::{Problem, check, check_after, check_fun};
use crate::build::FunBuilder;
use crate::constant::Const;
use crate::deep::with_deep_stack;
use crate::label::{samples, unlabel};
use crate::prim::Prim;
use crate::term::{
    AccOp, ArrId, ArrIx, Axis, Combine, ExpBlock, ExpId, ExpIx, ExpOp, Fun, Labelled, Move,
    Outside, Program, Slot, SortOrder, UseId,
};
use crate::types::{ArrayType, ScalarType};

use ScalarType::{Bool, F32, F64, I32, I64};

type P = Program<Labelled>;

#[test]
fn samples_are_well_formed() {
    for program in samples::all() {
        assert_eq!(check(&program), Ok(()));
        assert_eq!(check(&unlabel(&program)), Ok(()));
    }
}

#[test]
fn deep_programs_are_checked() {
    with_deep_stack(|| {
        let program = samples::deep(100_000);
        assert!(check(&program).is_ok());
        assert!(check(&unlabel(&program)).is_ok());
    });
}

fn op(p: &mut P, position: usize) -> &mut AccOp<Labelled> {
    &mut p.body.lets[position].op
}

fn fun(p: &mut P, position: usize, which: usize) -> &mut Fun<Labelled> {
    op(p, position).funs_mut().remove(which)
}

/// The `then` block of the outer conditional of the sample of nested conditionals.
fn then_block(p: &mut P) -> &mut ExpBlock<Labelled> {
    fun(p, 0, 0).body.lets[2].op.blocks_mut().remove(0).block
}

fn constant(value: impl Into<Const>) -> Fun<Labelled> {
    Fun::constants(&[value.into()])
}

/// A well-formed program, what is done to it, and what the checker must say.
type Planted = (fn() -> P, fn(&mut P), &'static str);

const INPUTS: &[Planted] = &[
    (
        samples::dot,
        |p| p.alike.params.extend([(1, 0), (2, 0)]),
        "parameter 2 cannot be said to have the shape of parameter 0",
    ),
    (
        samples::dot,
        |p| p.alike.params.extend([(0, 1)]),
        "parameter 0 cannot be said to have the shape of parameter 1",
    ),
    (
        samples::dot,
        |p| {
            p.params[0].ty.rank = 2;
            p.alike.params.extend([(1, 0)]);
        },
        "parameter 1 cannot be said to have the shape of parameter 0",
    ),
    (
        samples::dot,
        |p| p.alike.uses.extend([(1, 0)]),
        "host array 1 cannot be said to have the shape of host array 0",
    ),
];

const SCOPE: &[Planted] = &[
    (
        samples::dot,
        |p| p.body.results = vec![samples::NOWHERE],
        "a1000 is not in scope",
    ),
    (
        samples::dot,
        |p| p.body.lets.swap(0, 1),
        "let 0 (a3 = fold): a2 is not in scope",
    ),
    (
        samples::dot,
        |p| p.body.lets[1].binds[0].name = ArrId(0),
        "a0 is bound a second time",
    ),
    (
        samples::dot,
        |p| p.params[1].name = ArrId(0),
        "a0 is bound a second time",
    ),
    (
        samples::dot,
        |p| fun(p, 0, 0).params[1].name = ExpId(0),
        "let 0 (a2 = zip_with): f: x0 is bound a second time",
    ),
    (
        samples::nested_conditionals,
        |p| {
            let inner = then_block(p).lets[0].binds[0].name;
            fun(p, 0, 0).body.results[1] = inner;
        },
        "let 0 (a2 = map): f: x3 is not in scope",
    ),
    (
        samples::nested_conditionals,
        |p| {
            let else_ = fun(p, 0, 0).body.lets[2].op.blocks_mut().remove(1).block;
            else_.lets[0].binds[0].name = ExpId(6);
            else_.lets[1].op.operands_mut()[0] = ExpId(6);
        },
        "else: let 0 (x6 = 7): x6 is bound a second time",
    ),
    (
        samples::nested_conditionals,
        |p| fun(p, 0, 0).captures[1] = samples::NOWHERE,
        "f: a1000 is not in scope",
    ),
    (
        samples::nested_conditionals,
        |p| fun(p, 0, 0).captures = vec![ArrId(1), ArrId(1)],
        "a1 is captured twice",
    ),
    (
        samples::nested_conditionals,
        |p| fun(p, 0, 0).captures.truncate(1),
        "slot $1 is out of range: the function captures 1 arrays",
    ),
    (
        samples::array_gradient,
        |p| p.uses.clear(),
        "let 0 (a1 = use): use #0 is out of range: the program has 0 host arrays",
    ),
    (
        samples::array_gradient,
        |p| *op(p, 0) = AccOp::Use(UseId(3)),
        "use #3 is out of range",
    ),
    (
        samples::array_gradient,
        |p| {
            let inner = op(p, 2).blocks()[0].block.results[0];
            p.body.results[0] = inner;
        },
        "a8 is not in scope",
    ),
    (
        samples::scalar_gradient,
        |p| fun(p, 0, 1).body.results[0] = ExpId(2),
        "f: x2 is not in scope",
    ),
];

const EXPRESSIONS: &[Planted] = &[
    (
        samples::nested_conditionals,
        |p| {
            then_block(p).lets[0].op = ExpOp::Extent {
                array: Slot(0),
                axis: 2,
            }
        },
        "f: let 2 (x12 = cond): then: let 0 (x3 = extent): there is no axis 2 in an array of type f64[_, _]",
    ),
    (
        samples::nested_conditionals,
        |p| fun(p, 0, 0).body.lets[1].op = ExpOp::Prim(Prim::And, vec![ExpId(0), ExpId(1)]),
        "`and` is not defined on operands of types (f64, f64)",
    ),
    (
        samples::nested_conditionals,
        |p| fun(p, 0, 0).body.lets[1].op = ExpOp::Prim(Prim::Gt, vec![ExpId(0)]),
        "`gt` is not defined on operands of types (f64)",
    ),
    (
        samples::nested_conditionals,
        |p| fun(p, 0, 0).body.lets[0].op = ExpOp::Const(Const::F32(0.0)),
        "bindings: expected types (f32), found (f64)",
    ),
    (
        samples::nested_conditionals,
        |p| {
            let index = vec![ExpId(0)];
            fun(p, 0, 0).body.lets[1].op = ExpOp::Index {
                array: Slot(1),
                index,
            };
        },
        "coordinates: expected types (i32), found (f64)",
    ),
    (
        samples::nested_conditionals,
        |p| {
            fun(p, 0, 0).body.lets[1].op = ExpOp::Index {
                array: Slot(0),
                index: vec![],
            }
        },
        "coordinates: expected types (i32, i32), found ()",
    ),
    (
        samples::nested_conditionals,
        |p| {
            let ExpOp::Cond { cond, .. } = &mut fun(p, 0, 0).body.lets[2].op else {
                return;
            };
            *cond = ExpId(0);
        },
        "condition: expected types (bool), found (f64)",
    ),
    (
        samples::nested_conditionals,
        |p| then_block(p).results.truncate(1),
        "results of `else`: expected types (f64), found (f64, i32)",
    ),
    (
        samples::nested_conditionals,
        |p| fun(p, 0, 0).body.lets[2].binds[1].ty = I64,
        "bindings: expected types (f64, i32), found (f64, i64)",
    ),
    (
        samples::nested_conditionals,
        |p| fun(p, 0, 0).body.lets[2].binds.truncate(1),
        "bindings: expected types (f64, i32), found (f64)",
    ),
    (
        samples::scalar_gradient,
        |p| {
            let body = fun(p, 0, 1).body.lets[1].op.blocks_mut().remove(0).block;
            body.results = vec![ExpId(3)];
        },
        "let 1 (x6 = gradient_e): body: results: expected one float, found types (i32)",
    ),
    (
        samples::scalar_gradient,
        |p| fun(p, 0, 1).body.lets[1].op.operands_mut().swap(0, 1),
        "arguments: expected types (f64, i32), found (i32, f64)",
    ),
];

const FUNCTIONS: &[Planted] = &[
    (
        samples::dot,
        |p| *fun(p, 0, 0) = Fun::prim(Prim::Neg, &[F64]),
        "let 0 (a2 = zip_with): f: parameters: expected types (f64, f64), found (f64)",
    ),
    (
        samples::dot,
        |p| *fun(p, 1, 0) = Fun::prim(Prim::Lt, &[F64, F64]),
        "let 1 (a3 = fold): f: results: expected types (f64), found (bool)",
    ),
    (
        samples::dot,
        |p| *fun(p, 1, 1) = constant(0),
        "init: results: expected types (f64), found (i32)",
    ),
    (
        samples::dot,
        |p| *fun(p, 1, 1) = Fun::identity(&[F64]),
        "init: parameters: expected types (), found (f64)",
    ),
    (
        samples::movements,
        |p| *fun(p, 8, 0) = constant(1i64),
        "let 8 (a10 = generate): shape: results: expected types (i32), found (i64)",
    ),
    (
        samples::movements,
        |p| *fun(p, 8, 0) = constant(1),
        "let 8 (a10 = generate): f: parameters: expected types (i32), found (i32, i32)",
    ),
    (
        samples::movements,
        |p| *fun(p, 0, 1) = Fun::constants(&[]),
        "let 0 (a2 = scanl): init: results: expected types (f64), found ()",
    ),
    (
        samples::movements,
        |p| *fun(p, 3, 0) = Fun::constants(&[]),
        "extents: results: expected types (i32), found ()",
    ),
    (
        samples::movements,
        |p| *fun(p, 4, 0) = constant(true),
        "indices: results: expected types (i32), found (bool)",
    ),
    (
        samples::movements,
        |p| *fun(p, 5, 1) = Fun::identity(&[I32, I32, I32]),
        "let 5 (a7 = backpermute): f: parameters: expected types (i32, i32), found (i32, i32, i32)",
    ),
    (
        samples::movements,
        |p| fun(p, 5, 1).body.results.truncate(1),
        "f: results: expected types (i32, i32), found (i32)",
    ),
    (
        samples::movements,
        |p| fun(p, 6, 0).body.results.swap(0, 1),
        "target: results: expected types (bool, i32), found (i32, bool)",
    ),
    (
        samples::array_gradient,
        |p| {
            let conditional = op(p, 2).blocks_mut().remove(0).block;
            *conditional.lets[1].op.funs_mut().remove(0) = constant(1);
        },
        "body: let 1 (a6 = acond): condition: results: expected types (bool), found (i32)",
    ),
];

const COLLECTIVES: &[Planted] = &[
    (
        samples::dot,
        |p| {
            *op(p, 0) = AccOp::Map {
                f: Fun::identity(&[]),
                args: vec![],
            }
        },
        "arguments: expected at least one array, found types ()",
    ),
    (
        samples::dot,
        |p| p.params[0].ty.rank = 2,
        "arguments: expected arrays of one rank, found types (f64[_, _], f64[_])",
    ),
    (
        samples::dot,
        |p| p.params.iter_mut().for_each(|param| param.ty.rank = 0),
        "let 0 (a2 = zip_with): bindings: expected types (f64[]), found (f64[_])",
    ),
    (
        samples::dot,
        |p| {
            p.params.iter_mut().for_each(|param| param.ty.rank = 0);
            p.body.lets[0].binds[0].ty.rank = 0;
        },
        "arguments: expected arrays of rank 1 or more, found types (f64[])",
    ),
    (
        samples::dot,
        |p| p.body.lets[1].binds[0].ty = ArrayType::new(F64, 1),
        "let 1 (a3 = fold): bindings: expected types (f64[]), found (f64[_])",
    ),
    (
        samples::movements,
        |p| {
            let AccOp::Move {
                how: Move::Replicate { axes, .. },
                ..
            } = op(p, 3)
            else {
                return;
            };
            axes[1] = Axis::Fixed;
        },
        "extents: results: expected types (i32, i32), found (i32)",
    ),
    (
        samples::movements,
        |p| {
            let AccOp::Move {
                how: Move::Replicate { axes, .. },
                ..
            } = op(p, 3)
            else {
                return;
            };
            axes.push(Axis::All);
        },
        "axes describe an array of rank 2, the argument has rank 1",
    ),
    (
        samples::movements,
        |p| {
            let AccOp::Move {
                how: Move::Slice { axes, .. },
                ..
            } = op(p, 4)
            else {
                return;
            };
            axes.push(Axis::All);
        },
        "axes describe an array of rank 3, the argument has rank 2",
    ),
    (
        samples::movements,
        |p| {
            let AccOp::Permute { defaults, .. } = op(p, 6) else {
                return;
            };
            defaults.clear();
        },
        "defaults: expected at least one array",
    ),
    (
        samples::movements,
        |p| {
            let AccOp::Permute { defaults, .. } = op(p, 6) else {
                return;
            };
            defaults.push(ArrId(1));
        },
        "elements of the defaults: expected types (f64), found (f64, f64)",
    ),
    (
        samples::array_gradient,
        |p| {
            *op(p, 1) = AccOp::Permute {
                combine: Combine::Add,
                outside: Outside::Fails,
                defaults: vec![ArrId(0)],
                target: Fun::identity(&[Bool]),
                args: vec![ArrId(0)],
            };
            p.params[0].ty.elem = Bool;
        },
        "arguments: expected numbers to add, found types (bool)",
    ),
    (
        samples::movements,
        |p| {
            *op(p, 7) = AccOp::Unpack {
                args: vec![ArrId(8), ArrId(2)],
            }
        },
        "let 7 (a9 = unpack): arguments: expected arrays of one rank",
    ),
    (
        samples::dot,
        |p| {
            p.params[0].ty.elem = F32;
            *op(p, 0) = AccOp::Unpack {
                args: vec![ArrId(0), ArrId(1)],
            };
        },
        "arguments: expected types (f32, f32), found (f32, f64)",
    ),
    (
        samples::dot,
        |p| {
            p.params[0].ty.elem = F32;
            *op(p, 0) = AccOp::Append {
                args: vec![ArrId(0), ArrId(1)],
            };
        },
        "arguments: expected types (f32, f32), found (f32, f64)",
    ),
    (
        samples::dot,
        |p| {
            p.params[0].ty.rank = 0;
            *op(p, 0) = AccOp::Append {
                args: vec![ArrId(0)],
            };
        },
        "arguments: expected arrays of rank 1 or more",
    ),
    (
        samples::dot,
        |p| {
            p.params[0].ty.rank = 0;
            *op(p, 0) = AccOp::Argsort {
                order: SortOrder::Ascending,
                arg: ArrId(0),
            };
        },
        "argument: expected an array of rank 1 or more",
    ),
    (
        samples::dot,
        |p| {
            *op(p, 0) = AccOp::FoldSegments {
                f: Fun::prim(Prim::Add, &[F64, F64]),
                init: Fun::constants(&[Const::F64(0.0)]),
                lengths: ArrId(0),
                args: vec![ArrId(1)],
            };
        },
        "lengths: expected an array of i32 and rank 1, found types (f64[_])",
    ),
    (
        samples::array_gradient,
        |p| {
            let body = op(p, 2).blocks_mut().remove(0).block;
            body.lets[1].op.blocks_mut().remove(1).block.results.pop();
        },
        "results of `else`: expected types (f64[_], f64[_]), found (f64[_])",
    ),
    (
        samples::array_gradient,
        |p| op(p, 2).blocks_mut().remove(0).block.results = vec![ArrId(2)],
        "body: results: expected one float of rank 0, found types (f64[_, _])",
    ),
    (
        samples::array_gradient,
        |p| *op(p, 2).arguments_mut().remove(0) = ArrId(1),
        "arguments: expected types (f64[_, _], bool[]), found (f64[_], bool[])",
    ),
    (
        samples::array_gradient,
        |p| p.body.lets[2].binds.truncate(2),
        "bindings: expected types (f64[], f64[_, _], bool[]), found (f64[], f64[_, _])",
    ),
];

#[test]
fn planted_errors_are_named() {
    let planted = [INPUTS, SCOPE, EXPRESSIONS, FUNCTIONS, COLLECTIVES].concat();
    for (sample, plant, expected) in planted {
        let mut program = sample();
        plant(&mut program);
        let message = match check(&program) {
            Ok(()) => panic!("not found: {expected}"),
            Err(error) => error.to_string(),
        };
        assert!(
            message.contains(expected),
            "{message}\nshould say: {expected}"
        );
    }
}

/// Doubled labels aside, which the official form cannot express.
#[test]
fn planted_errors_show_in_the_official_form() {
    for (sample, plant, expected) in [SCOPE, EXPRESSIONS, FUNCTIONS, COLLECTIVES].concat() {
        let mut program = sample();
        plant(&mut program);
        let doubled = expected.contains("bound a second time");
        assert!(doubled || check(&unlabel(&program)).is_err(), "{expected}");
    }
}

#[test]
fn distances_beyond_the_scope_are_found() {
    let mut program = unlabel(&samples::dot());
    program.body.results = vec![ArrIx(4)];
    let error = check(&program).map_err(|e| *e.problem);
    let variable = "a@4".to_owned();
    assert_eq!(error, Err(Problem::Unbound { variable }));

    let mut program = unlabel(&samples::dot());
    program.body.lets[0].op.funs_mut()[0].body.results = vec![ExpIx(3)];
    let message = check(&program).map_err(|e| e.to_string());
    let expected = "let 0 (zip_with): f: x@3 is not in scope (written at ";
    assert!(message.is_err_and(|m| m.starts_with(expected)));
}

#[test]
fn the_pass_is_named_and_the_program_shown() {
    let mut program = samples::dot();
    program.body.results = vec![samples::NOWHERE];
    let message = check_after("fusion", &program).map_err(|e| e.to_string());
    let expected =
        format!("ill-formed program after pass `fusion`: a1000 is not in scope\n{program}");
    assert_eq!(message, Err(expected));
}

#[test]
fn functions_are_checked_by_themselves() {
    let matrix = crate::build::Arr::new(ArrId(5), ArrayType::new(F64, 2));
    let mut b = FunBuilder::new();
    let i = b.param(I32);
    let x = b.index(&matrix, &[i, i]);
    let f = b.finish(vec![x, i]);
    assert_eq!(check_fun(&f, &[matrix.ty]), Ok(vec![F64, I32]));
    assert!(check_fun(&f, &[ArrayType::new(F64, 1)]).is_err());
    assert!(check_fun(&f, &[]).is_err());
}
