//! Rules on array code.

use super::simplified_program;
use crate::build::{AccBuilder, Arr, FunBuilder};
use crate::constant::Const;
use crate::prim::Prim;
use crate::term::{AccOp, Axis, Combine, Direction, Fun, Labelled, Mode, Program};
use crate::types::ArrayType;
use crate::types::ScalarType::{Bool, F64, I32};

/// The program on arrays of the given types that `body` builds.
pub(super) fn program(
    types: &[ArrayType],
    body: impl FnOnce(&mut AccBuilder, &[Arr]) -> Vec<Arr>,
) -> Program<Labelled> {
    let mut b = AccBuilder::new(0);
    let params: Vec<_> = types.iter().map(|&ty| b.fresh(ty)).collect();
    let results = body(&mut b, &params);
    Program {
        params,
        uses: vec![],
        alike: Default::default(),
        body: b.finish(&results),
    }
}

/// Asserts that `rule` fires; gives the constructs that are left.
fn fires(
    rule: &str,
    types: &[ArrayType],
    body: impl FnOnce(&mut AccBuilder, &[Arr]) -> Vec<Arr>,
) -> Vec<&'static str> {
    let before = program(types, body);
    let (after, counts) = simplified_program(&before);
    assert!(
        counts.get(rule) > 0,
        "`{rule}` did not fire:\n{counts}{before}"
    );
    after.body.lets.iter().map(|l| l.op.name()).collect()
}

fn vector() -> ArrayType {
    ArrayType::new(F64, 1)
}

fn matrix() -> ArrayType {
    ArrayType::new(F64, 2)
}

fn scalar() -> ArrayType {
    ArrayType::new(F64, 0)
}

fn unary(op: Prim) -> Fun<Labelled> {
    Fun::prim(op, &[F64])
}

fn binary(op: Prim) -> Fun<Labelled> {
    Fun::prim(op, &[F64, F64])
}

fn index(
    rank: usize,
    f: impl FnOnce(&mut FunBuilder, &[crate::term::ExpId]) -> Vec<crate::term::ExpId>,
) -> Fun<Labelled> {
    super::fun_of(&vec![I32; rank], f)
}

fn zero() -> Fun<Labelled> {
    Fun::constants(&[Const::F64(0.0)])
}

#[test]
fn identity_maps_are_their_arguments() {
    let left = fires("map_identity", &[vector(), vector()], |b, x| {
        let y = b.map(unary(Prim::Exp), &x[..1]);
        let mut f = FunBuilder::new();
        let p = f.params(&[F64, F64]);
        let sum = f.prim(Prim::Add, &p);
        let f = f.finish(vec![p[1], sum, p[0]]);
        b.map(f, &[x[0].clone(), y[0].clone()])
    });
    assert_eq!(left, ["map", "zip_with"]);
}

#[test]
fn a_map_over_arrays_of_different_shapes_is_no_copy() {
    let before = program(&[vector(), vector()], |b, x| {
        let mut f = FunBuilder::new();
        let p = f.params(&[F64, F64]);
        let f = f.finish(vec![p[0]]);
        b.map(f, x)
    });
    let (after, _) = simplified_program(&before);
    assert_eq!(after.body.lets.len(), 1);
}

#[test]
fn adding_an_array_of_zeros_changes_nothing() {
    let left = fires("add_zero", &[vector()], |b, x| {
        let y = b.map(unary(Prim::Exp), x);
        let zeros = b.fill_like(&y[0], Const::F64(0.0));
        b.map(binary(Prim::Add), &[zeros, y[0].clone()])
    });
    assert_eq!(left, ["map"]);
}

#[test]
fn fills_become_constants() {
    let left = fires("map_fill_argument", &[vector()], |b, x| {
        let twos = b.fill_like(&x[0], Const::F64(2.0));
        b.map(binary(Prim::Mul), &[x[0].clone(), twos])
    });
    assert_eq!(left, ["map"]);
    let left = fires("map_to_generate", &[vector()], |b, x| {
        let twos = b.fill_like(&x[0], Const::F64(2.0));
        b.map(unary(Prim::Sqrt), &[twos])
    });
    assert_eq!(left, ["generate"]);
    let left = fires("index_fill", &[vector()], |b, x| {
        let twos = b.fill_like(&x[0], Const::F64(2.0));
        let f = index(1, |f, i| vec![f.index(&twos, i)]);
        b.generate(Fun::shape_of(&x[0]), f)
    });
    assert_eq!(left, ["generate"]);
}

#[test]
fn moved_fills_stay_fills() {
    let left = fires("move_fill", &[matrix()], |b, x| {
        let ones = b.fill_like(&x[0], Const::F64(1.0));
        let row = b.slice(
            vec![Axis::Fixed, Axis::All],
            Fun::constants(&[0.into()]),
            &ones,
        );
        let extents = Fun::constants(&[2.into()]);
        let again = b.replicate(vec![Axis::All, Axis::Fixed], extents, &row);
        let flat = b.reshape(
            index(0, |f, _| {
                let n = f.shape(&x[0]);
                vec![f.prim(Prim::Mul, &n)]
            }),
            &ones,
        );
        let swapped = b.backpermute(
            index(0, |f, _| {
                let n = f.shape(&x[0]);
                vec![n[1], n[0]]
            }),
            index(2, |_, i| vec![i[1], i[0]]),
            &ones,
        );
        vec![again, flat, swapped]
    });
    // Not known to succeed: that there is a row, and that the number of elements is an `i32`.
    let (slice, reshape) = ("slice", "reshape");
    assert_eq!(left, ["generate", slice, "generate", reshape, "generate"]);
}

#[test]
fn arguments_of_maps_that_do_nothing_go() {
    let left = fires("map_unused_argument", &[vector()], |b, x| {
        let y = b.map(unary(Prim::Exp), x);
        let first = super::fun_of(&[F64, F64], |f, p| vec![f.prim(Prim::Sin, &p[..1])]);
        b.map(first, &[x[0].clone(), y[0].clone()])
    });
    assert_eq!(left, ["map"]);
    fires("map_duplicate_argument", &[vector(), vector()], |b, x| {
        let f = super::fun_of(&[F64; 3], |f, p| {
            let y = f.prim(Prim::Sub, &p[..2]);
            vec![f.prim(Prim::Div, &[y, p[2]])]
        });
        b.map(f, &[x[0].clone(), x[1].clone(), x[0].clone()])
    });
}

#[test]
fn equal_operations_merge() {
    let left = fires("array_cse", &[vector()], |b, x| {
        let y = b.map(unary(Prim::Exp), x);
        let z = b.map(unary(Prim::Exp), x);
        let y = b.fold(binary(Prim::Add), Some(zero()), &y);
        let z = b.fold(binary(Prim::Add), Some(zero()), &z);
        b.map(binary(Prim::Mul), &[y[0].clone(), z[0].clone()])
    });
    assert_eq!(left, ["map", "fold", "map"]);
}

#[test]
fn unused_operations_and_results_go() {
    let left = fires("array_dce", &[vector()], |b, x| {
        b.map(unary(Prim::Exp), x);
        vec![x[0].clone()]
    });
    assert!(left.is_empty());
    let before = program(&[vector()], |b, x| {
        let f = super::fun_of(&[F64], |f, p| {
            vec![f.prim(Prim::Exp, p), f.prim(Prim::Sin, p)]
        });
        vec![b.map(f, x).remove(1)]
    });
    let (after, counts) = simplified_program(&before);
    assert_eq!(counts.get("unused_result"), 1);
    assert_eq!(after.body.lets[0].op.funs()[0].body.lets.len(), 1);
    fires("duplicate_result", &[vector()], |b, x| {
        let f = super::fun_of(&[F64], |f, p| {
            vec![f.prim(Prim::Exp, p), f.prim(Prim::Exp, p)]
        });
        b.map(f, x)
    });
}

/// Sum and product of two components at once; `mixed` lets the first depend on the second.
fn pair_operator(mixed: bool) -> Fun<Labelled> {
    super::fun_of(&[F64; 4], |f, p| {
        let mut sum = f.prim(Prim::Add, &[p[0], p[2]]);
        let product = f.prim(Prim::Mul, &[p[1], p[3]]);
        if mixed {
            sum = f.prim(Prim::Max, &[sum, product]);
        }
        vec![sum, product]
    })
}

#[test]
fn independent_components_of_reductions_go() {
    let reduce = |mixed: bool| {
        program(&[matrix()], move |b, x| {
            let y = b.map(unary(Prim::Exp), x);
            let args = [x[0].clone(), y[0].clone()];
            let init = Fun::constants(&[0.0.into(), 1.0.into()]);
            let folded = b.fold(pair_operator(mixed), Some(init), &args);
            let scanned = b.scan(Direction::Right, pair_operator(mixed), None, &args);
            vec![folded[0].clone(), scanned[0].clone()]
        })
    };
    let (after, counts) = simplified_program(&reduce(false));
    assert_eq!(counts.get("fold_unused_component"), 2);
    assert_eq!(after.body.lets.len(), 2);
    let (after, counts) = simplified_program(&reduce(true));
    assert_eq!(counts.get("fold_unused_component"), 0);
    assert_eq!(after.body.lets.len(), 3);
}

#[test]
fn unused_components_of_permutations_go() {
    fires("permute_unused_result", &[vector()], |b, x| {
        let y = b.map(unary(Prim::Exp), x);
        let target = index(1, |f, _| vec![f.constant(true), f.constant(0)]);
        let defaults = [x[0].clone(), x[0].clone()];
        let args = [x[0].clone(), y[0].clone()];
        vec![b.permute(Combine::Add, &defaults, target, &args).remove(0)]
    });
    let left = fires("permute_nothing", &[vector(), vector()], |b, x| {
        let target = index(1, |f, i| vec![f.constant(false), i[0]]);
        b.permute(Combine::Add, &x[..1], target, &x[1..])
    });
    assert!(left.is_empty());
    let left = fires("permute_nothing", &[vector()], |b, x| {
        let target = index(1, |f, i| vec![f.constant(true), i[0]]);
        let zeros = b.fill_like(&x[0], Const::F64(0.0));
        b.permute(Combine::Add, x, target, &[zeros])
    });
    assert!(left.is_empty());
}

#[test]
fn sums_of_zeros_are_zero() {
    let sums = |value: f64| {
        move |b: &mut AccBuilder, x: &[Arr]| {
            let fill = b.fill_like(&x[0], Const::F64(value));
            b.fold(binary(Prim::Add), Some(zero()), &[fill])
        }
    };
    assert_eq!(fires("fold_fill", &[matrix()], sums(0.0)), ["generate"]);
    let (after, counts) = simplified_program(&program(&[matrix()], sums(1.0)));
    assert_eq!((after.body.lets.len(), counts.get("fold_fill")), (2, 0));
}

#[test]
fn transposing_twice_is_nothing() {
    let swap = || index(2, |_, i| vec![i[1], i[0]]);
    let swapped = |x: &Arr| {
        index(0, |f, _| {
            let n = f.shape(x);
            vec![n[1], n[0]]
        })
    };
    let left = fires("backpermute_backpermute", &[matrix()], |b, x| {
        let y = b.backpermute(swapped(&x[0]), swap(), &x[0]);
        vec![b.backpermute(swapped(&y), swap(), &y)]
    });
    assert!(left.is_empty());
    let left = fires("generate_copy", &[matrix()], |b, x| {
        let f = index(2, |f, i| vec![f.index(&x[0], i)]);
        b.generate(Fun::shape_of(&x[0]), f)
    });
    assert!(left.is_empty());
}

#[test]
fn reshapes_compose_and_vanish() {
    let left = fires("reshape_reshape", &[matrix()], |b, x| {
        let flat = index(0, |f, _| {
            let n = f.shape(&x[0]);
            vec![f.prim(Prim::Mul, &n)]
        });
        let y = b.reshape(flat, &x[0]);
        vec![b.reshape(Fun::shape_of(&x[0]), &y)]
    });
    // The number of elements may be no `i32`.
    assert_eq!(left, ["reshape"]);
    fires("reshape_same", &[matrix()], |b, x| {
        let y = b.map(unary(Prim::Neg), x);
        vec![b.reshape(Fun::shape_of(&x[0]), &y[0])]
    });
}

#[test]
fn replications_and_slices_that_do_nothing_go() {
    let (all, fixed) = (Axis::All, Axis::Fixed);
    let none = || Fun::constants(&[]);
    fires("replicate_nothing", &[vector()], |b, x| {
        vec![b.replicate(vec![all], none(), &x[0])]
    });
    fires("slice_nothing", &[vector()], |b, x| {
        vec![b.slice(vec![all], none(), &x[0])]
    });
    let one = || Fun::constants(&[Const::I32(1)]);
    let three = || Fun::constants(&[Const::I32(3)]);
    let left = fires("slice_replicate", &[vector()], |b, x| {
        let y = b.replicate(vec![fixed, all], three(), &x[0]);
        vec![b.slice(vec![fixed, all], one(), &y)]
    });
    assert!(left.is_empty());
    let left = fires("slice_unpack", &[vector()], |b, x| {
        let y = b.map(unary(Prim::Exp), x);
        let both = b.unpack(&[x[0].clone(), y[0].clone()]);
        vec![b.slice(vec![all, fixed], one(), &both)]
    });
    assert_eq!(left, ["map"]);
    let left = fires("append_one", &[vector()], |b, x| vec![b.append(x)]);
    assert!(left.is_empty());
    let left = fires("append_empty", &[vector()], |b, x| {
        let zero = Fun::constants(&[Const::I32(0)]);
        let none = b.backpermute(zero, Fun::identity(&[I32]), &x[0]);
        let first = b.append(&[none.clone(), x[0].clone()]);
        vec![b.append(&[first, none, x[0].clone()])]
    });
    assert_eq!(left, ["append"]);
    let left = fires("index_replicate", &[vector()], |b, x| {
        let y = b.replicate(vec![fixed, all], three(), &x[0]);
        let f = index(1, |f, i| {
            let zero = f.constant(0);
            vec![f.index(&y, &[zero, i[0]])]
        });
        b.generate(Fun::shape_of(&x[0]), f)
    });
    assert!(left.is_empty());
}

#[test]
fn shapes_do_not_keep_arrays_alive() {
    let left = fires("extent_forward", &[vector(), vector()], |b, x| {
        let both = b.map(binary(Prim::Add), x);
        let sums = b.scan(Direction::Left, binary(Prim::Add), Some(zero()), &both);
        let f = index(1, |_, i| vec![i[0]]);
        b.generate(Fun::shape_of(&sums[0]), f)
    });
    assert_eq!(left, ["generate"]);
}

#[test]
fn cheap_scalars_are_computed_where_they_are_read() {
    let left = fires("index_scalar", &[scalar(), vector()], |b, x| {
        let half = index(0, |f, _| {
            let (y, two) = (f.index(&x[0], &[]), f.constant(2.0));
            vec![f.prim(Prim::Div, &[y, two])]
        });
        let half = b.generate(Fun::constants(&[]), half);
        let scale = super::fun_of(&[F64], |f, p| {
            let factor = f.index(&half[0], &[]);
            vec![f.prim(Prim::Mul, &[p[0], factor])]
        });
        b.map(scale, &x[1..])
    });
    assert_eq!(left, ["map"]);
}

fn cond_op(b: &mut AccBuilder, cond: Fun<Labelled>, x: &[Arr]) -> Vec<Arr> {
    b.open();
    let y = b.map(unary(Prim::Exp), &x[..1]);
    let z = b.map(unary(Prim::Sin), &x[..1]);
    let then_ = b.close(&[y[0].clone(), x[1].clone(), z[0].clone()]);
    b.open();
    let else_ = b.close(&[x[0].clone(), x[1].clone(), x[0].clone()]);
    let types: Vec<_> = [0, 1, 0].map(|k: usize| x[k].ty).to_vec();
    b.push(AccOp::Cond { cond, then_, else_ }, &types)
}

#[test]
fn conditionals_of_arrays() {
    let left = fires("acond_constant", &[vector(), scalar()], |b, x| {
        cond_op(b, Fun::constants(&[true.into()]), x)
    });
    assert_eq!(left, ["map", "map"]);
    let cond = |x: &Arr| {
        index(0, |f, _| {
            let (y, c) = (f.index(x, &[]), f.constant(20.0));
            vec![f.prim(Prim::Lt, &[y, c])]
        })
    };
    for rule in ["acond_same", "acond_unused_result"] {
        let left = fires(rule, &[vector(), scalar()], |b, x| {
            let ys = cond_op(b, cond(&x[1]), x);
            ys[..2].to_vec()
        });
        assert_eq!(left, ["acond"]);
    }
}

#[test]
fn gradients_of_arrays_lose_what_is_not_used() {
    let before = program(&[vector(), vector()], |b, x| {
        let params = [b.fresh(vector()), b.fresh(vector())];
        b.open();
        let y = b.map(binary(Prim::Mul), &params);
        let y = b.map(super::fun_of(&[F64], |_, p| p.to_vec()), &y);
        let sum = b.fold(binary(Prim::Add), Some(zero()), &y);
        let body = b.close(&sum);
        let op = AccOp::Derivative {
            mode: Mode::Gradient { with_value: true },
            params: params.to_vec(),
            body,
            args: vec![x[0].name, x[0].name],
        };
        let ys = b.push(op, &[scalar(), vector(), vector()]);
        vec![ys[2].clone()]
    });
    let (after, counts) = simplified_program(&before);
    assert_eq!(counts.get("gradient_unused_value"), 1);
    assert_eq!(counts.get("gradient_unused_partial"), 1);
    assert_eq!(counts.get("map_identity"), 1);
    assert_eq!(after.body.lets[0].binds.len(), 1);
}

#[test]
fn derivatives_of_arrays_along_a_direction_lose_what_is_not_used() {
    for wanted in 0..4 {
        let before = program(&[vector(), vector()], |b, x| {
            let p = b.fresh(vector());
            b.open();
            let y = b.map(binary(Prim::Mul), &[p.clone(), p.clone()]);
            let sum = b.fold(binary(Prim::Add), Some(zero()), &y);
            let body = b.close(&[y[0].clone(), sum[0].clone()]);
            let op = AccOp::Derivative {
                mode: Mode::Jvp,
                params: vec![p],
                body,
                args: vec![x[0].name, x[1].name],
            };
            let ys = b.push(op, &[vector(), scalar(), vector(), scalar()]);
            vec![ys[wanted].clone()]
        });
        let (after, counts) = simplified_program(&before);
        assert_eq!(counts.get("jvp_unused_result"), 1);
        assert_eq!(after.body.lets[0].binds.len(), 2);
    }
}

#[test]
fn guarded_arrays_stay_guarded() {
    let before = program(&[vector(), ArrayType::new(Bool, 0)], |b, x| {
        let cond = index(0, |f, _| vec![f.index(&x[1], &[])]);
        let first = || Fun::constants(&[Const::I32(100)]);
        let mut results = vec![];
        for _ in 0..2 {
            b.open();
            let y = b.slice(vec![Axis::Fixed], first(), &x[0]);
            let then_ = b.close(&[y]);
            b.open();
            let z = b.fill_like(&Arr::new(x[0].name, scalar()), Const::F64(0.0));
            let else_ = b.close(&[z]);
            results.extend(b.push(
                AccOp::Cond {
                    cond: cond.clone(),
                    then_,
                    else_,
                },
                &[scalar()],
            ));
        }
        results
    });
    let (after, _) = simplified_program(&before);
    let outer = after.body.lets.iter().map(|l| l.op.name());
    assert!(outer.clone().all(|name| name == "acond"), "{after}");
}
