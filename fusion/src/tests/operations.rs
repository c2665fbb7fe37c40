//! Every operation gives what the interpreter gives, on usual and on odd shapes.

use super::*;
use cotangent_core::term::ParamAxis;

#[test]
fn generate_with_several_results() {
    let s = subject(&[], |b, _| {
        let f = fun([I32, I32], |b, [i, j]| {
            let x = b.prim(Prim::Convert(F64), &[i]);
            let y = b.prim(Prim::Convert(F64), &[j]);
            vec![b.prim(Prim::Mul, &[x, y]), b.prim(Prim::Add, &[x, y])]
        });
        b.generate(extents(&[2, 3]), f)
    });
    assert_eq!(s.names(), ["generate"]);
    assert_eq!(
        s.outcome.unwrap()[1],
        host(&[2, 3], &[0.0, 1.0, 2.0, 1.0, 2.0, 3.0])
    );
}

#[test]
fn maps_intersect_shapes() {
    for (n, m) in [(3, 5), (5, 3), (0, 2), (2, 2)] {
        let (x, y) = (vector(&vec![2.0; n]), vector(&vec![3.0; m]));
        let s = subject(&[x, y], |b, xs| vec![zip(b, Prim::Sub, &xs[0], &xs[1])]);
        assert_eq!(s.tested_loads(), 0);
        assert_eq!(s.outcome.unwrap()[0].shape(), [n.min(m)]);
    }
}

#[test]
fn folds_with_and_without_initial_value() {
    for (rows, columns) in [(2, 3), (0, 3), (3, 1), (0, 0)] {
        subject(&[matrix(rows, columns)], |b, xs| {
            let first = b.fold(binary(Prim::Sub), None, &xs[..1]).remove(0);
            vec![sum(b, &xs[0]), first]
        });
    }
    let empty = subject(&[matrix(2, 0)], |b, xs| {
        b.fold(binary(Prim::Max), None, &xs[..1])
    });
    assert!(matches!(
        empty.outcome,
        Err(RunError::EmptyReduction { .. })
    ));
    let with = subject(&[matrix(2, 0)], |b, xs| vec![sum(b, &xs[0])]);
    assert_eq!(with.outcome.unwrap()[0], vector(&[0.0, 0.0]));
}

#[test]
fn folds_of_tuples() {
    // The greatest element and its position.
    let s = subject(&[vector(&[1.0, 7.0, 3.0, 7.0])], |b, xs| {
        let positions = fun([I32], |_, [i]| vec![i]);
        let at = b.generate(Fun::shape_of(&xs[0]), positions).remove(0);
        let f = fun([F64, I32, F64, I32], |b, [x, i, y, j]| {
            let first = b.prim(Prim::Ge, &[x, y]);
            b.cond(first, |_| vec![x, i], |_| vec![y, j])
        });
        let init = Fun::constants(&[Const::F64(f64::NEG_INFINITY), Const::I32(-1)]);
        b.fold(f, Some(init), &[xs[0].clone(), at])
    });
    assert_eq!(s.names(), ["fold"]);
    assert_eq!(s.outcome.unwrap()[1], host(&[], &[1]));
}

#[test]
fn scans_of_more_empty_rows_than_can_be_counted() {
    let s = subject(&[], |b, _| {
        let f = fun([I32; 3], |b, _| vec![b.constant(1.0)]);
        let empty = b.generate(extents(&[i32::MAX, i32::MAX, 0]), f);
        b.scan(Direction::Left, binary(Prim::Add), None, &empty)
    });
    assert_eq!(s.outcome.unwrap()[0].shape()[2], 0);
}

#[test]
fn scans_of_all_four_kinds() {
    for columns in [0, 1, 4] {
        subject(&[matrix(2, columns)], |b, xs| {
            let mut results = vec![];
            for direction in [Direction::Left, Direction::Right] {
                for init in [None, Some(Fun::constants(&[Const::F64(10.0)]))] {
                    results.extend(b.scan(direction, binary(Prim::Sub), init, &xs[..1]));
                }
            }
            results
        });
    }
}

#[test]
fn reshape_to_more_and_to_fewer_dimensions() {
    let s = subject(&[matrix(2, 6)], |b, xs| {
        let expensive = map(b, Prim::Exp, &xs[0]);
        let more = b.reshape(extents(&[2, 3, 2]), &expensive);
        let other = b.reshape(extents(&[4, 3]), &xs[0]);
        let fewer = b.reshape(extents(&[12]), &more);
        let kept = map(b, Prim::Neg, &more);
        vec![fewer, kept, other]
    });
    s.outcome.unwrap();
    let wrong = subject(&[matrix(2, 6)], |b, xs| {
        vec![b.reshape(extents(&[5, 2]), &xs[0])]
    });
    assert!(matches!(wrong.outcome, Err(RunError::SizeMismatch { .. })));
    let negative = subject(&[matrix(2, 2)], |b, xs| {
        vec![b.reshape(extents(&[-2, -2]), &xs[0])]
    });
    assert!(matches!(negative.outcome, Err(RunError::BadShape { .. })));
}

#[test]
fn replicate_and_slice_are_inverse() {
    let s = subject(&[vector(&[1.0, 2.0])], |b, xs| {
        let axes = vec![Axis::Fixed, Axis::All, Axis::Fixed];
        let wide = b.replicate(axes.clone(), extents(&[3, 2]), &xs[0]);
        let back = b.slice(axes, extents(&[2, 1]), &wide);
        vec![wide, back]
    });
    assert_eq!(s.tested_loads(), 0);
    assert_eq!(s.outcome.unwrap()[1], vector(&[1.0, 2.0]));
    let outside = subject(&[vector(&[1.0, 2.0])], |b, xs| {
        vec![b.slice(vec![Axis::Fixed], extents(&[2]), &xs[0])]
    });
    assert!(matches!(
        outside.outcome,
        Err(RunError::IndexOutOfRange { .. })
    ));
}

#[test]
fn backpermute_in_and_out_of_range() {
    let reversed = |offset: i32| {
        fun([I32], move |b, [i]| {
            let last = b.constant(offset);
            vec![b.prim(Prim::Sub, &[last, i])]
        })
    };
    let run = |offset| {
        subject(&[vector(&[1.0, 2.0, 3.0])], |b, xs| {
            vec![b.backpermute(extents(&[3]), reversed(offset), &xs[0])]
        })
    };
    assert_eq!(run(2).outcome.unwrap()[0], vector(&[3.0, 2.0, 1.0]));
    assert!(matches!(
        run(3).outcome,
        Err(RunError::IndexOutOfRange { .. })
    ));
}

/// Sends element i to i % 2, where i is not 3.
fn to_parity() -> Fun<Labelled> {
    fun([I32], |b, [i]| {
        let (two, three) = (b.constant(2), b.constant(3));
        vec![b.prim(Prim::Ne, &[i, three]), b.prim(Prim::Rem, &[i, two])]
    })
}

#[test]
fn permute_adds_and_overwrites() {
    for combine in [Combine::Add, Combine::Overwrite] {
        let s = subject(&[vector(&[0.5, 0.25]), matrix(1, 5)], |b, xs| {
            let flat = b.reshape(extents(&[5]), &xs[1]);
            let expensive = map(b, Prim::Sin, &flat);
            b.permute(combine, &xs[..1], to_parity(), &[expensive])
        });
        assert_eq!(s.names(), ["permute", "permute"]);
        s.outcome.unwrap();
    }
    let outside = subject(&[vector(&[0.5]), vector(&[1.0, 2.0])], |b, xs| {
        b.permute(Combine::Add, &xs[..1], to_parity(), &xs[1..])
    });
    assert!(matches!(
        outside.outcome,
        Err(RunError::IndexOutOfRange { .. })
    ));
}

#[test]
fn shapes_that_are_not_possible() {
    for shape in [vec![-1], vec![2, -3], vec![i32::MAX, i32::MAX, 3]] {
        for summed in [false, true] {
            let rank = shape.len();
            let s = subject(&[], |b, _| {
                let mut f = FunBuilder::new();
                f.params(&vec![I32; rank]);
                let one = f.constant(1.0);
                let ones = b.generate(extents(&shape), f.finish(vec![one])).remove(0);
                vec![if summed { sum(b, &ones) } else { ones }]
            });
            assert!(
                matches!(s.outcome, Err(RunError::BadShape { .. })),
                "{shape:?}"
            );
        }
    }
}

#[test]
fn host_arrays_and_results_named_twice() {
    let mut b = AccBuilder::new(0);
    let used = vector(&[4.0, 5.0]);
    let op = cotangent_core::term::AccOp::Use(cotangent_core::term::UseId(0));
    let x = b.push(op, &[used.array_type()]).remove(0);
    let y = map(&mut b, Prim::Sqrt, &x);
    let program = Program {
        params: vec![],
        uses: vec![used],
        alike: Default::default(),
        body: b.finish(&[y.clone(), x, y]),
    };
    let expected = interp::run(&program, &[]).unwrap();
    for options in [Options::default(), Options::unfused()] {
        let schedule = check(schedule(&program, &options).unwrap()).unwrap();
        assert_eq!(run::run(&schedule, &[]).unwrap(), expected);
    }
}

#[test]
fn shapes_that_depend_on_elements() {
    let s = subject(&[host(&[2], &[3, 1]), matrix(4, 4)], |b, xs| {
        let mut shape = FunBuilder::new();
        let zero = shape.constant(0);
        let n = shape.index(&xs[0], &[zero]);
        let shape = shape.finish(vec![n]);
        let f = fun([I32], |b, [i]| {
            let one = b.constant(1);
            vec![b.index(&xs[1], &[i, one])]
        });
        let column = b.generate(shape, f).remove(0);
        let total = sum(b, &column);
        vec![column, total]
    });
    assert_eq!(s.outcome.unwrap()[0].shape(), [3]);
}

#[test]
fn gradients_are_turned_down() {
    let p = program(&[ArrayType::new(F64, 0)], |b, xs| {
        let body = {
            b.open();
            b.close(&xs[..1])
        };
        let op = cotangent_core::term::AccOp::Derivative {
            mode: cotangent_core::term::Mode::Gradient { with_value: false },
            params: vec![],
            body,
            args: vec![],
        };
        b.push(op, &[ArrayType::new(F64, 0)])
    });
    let error = schedule(&p, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("gradient_a"), "{error}");
}

#[test]
fn operators_may_read_what_depends_on_no_operand() {
    let tables = [vector(&[1.0, 2.0, 3.0]), vector(&[10.0, 20.0])];
    let s = subject(&tables, |b, xs| {
        let f = fun([F64, F64], |b, [x, y]| {
            let (one, far) = (b.constant(1), b.constant(7));
            let scale = b.index(&xs[1], &[one]);
            let small = b.prim(Prim::Lt, &[x, scale]);
            let extra = b.cond(
                small,
                |b| vec![b.constant(0.0)],
                |b| vec![b.index(&xs[1], &[far])],
            );
            let sum = b.prim(Prim::Add, &[x, y]);
            let sum = b.prim(Prim::Add, &[sum, extra[0]]);
            vec![b.prim(Prim::Max, &[sum, scale])]
        });
        b.fold(f, None, &xs[..1])
    });
    assert_eq!(s.names(), ["fold1"]);
    let p = program(&[ArrayType::new(I32, 1)], |b, xs| {
        let f = fun([I32, I32], |b, [x, _]| vec![b.index(&xs[0], &[x])]);
        b.fold(f, None, &xs[..1])
    });
    let error = schedule(&p, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("look the element up"), "{error}");
}

#[test]
fn columns_of_one_array_share_their_extents() {
    let types = [ArrayType::new(F64, 2); 3];
    let mut program = program(&types, |b, xs| {
        let f = fun([F64, F64, F64], |b, [x, y, z]| {
            let xy = b.prim(Prim::Mul, &[x, y]);
            vec![b.prim(Prim::Add, &[xy, z])]
        });
        b.map(f, xs)
    });
    let minima = |program: &Program<Labelled>| {
        let schedule = schedule(program, &Options::default()).unwrap();
        let schedule = check(schedule).unwrap();
        let inputs = [matrix(2, 3), matrix(2, 3), matrix(2, 3)];
        assert_eq!(run::run(&schedule, &inputs), interp::run(program, &inputs));
        schedule.to_string().matches("min [").count()
    };
    assert_eq!(minima(&program), 4);
    let side = |param, axis| ParamAxis { param, axis };
    program.alike.extents.insert(side(1, 1), side(0, 1));
    assert_eq!(minima(&program), 3);
    let rest = [
        (side(1, 0), side(0, 0)),
        (side(2, 0), side(0, 0)),
        (side(2, 1), side(0, 1)),
    ];
    program.alike.extents.extend(rest);
    assert_eq!(minima(&program), 0);
    program.alike.extents.clear();
    program.alike.params.extend([(1, 0), (2, 0)]);
    assert_eq!(minima(&program), 0);
}

/// A matrix that is said to be square is its own product's reader along both dimensions.
#[test]
fn extents_of_one_array_that_are_equal() {
    let mut program = program(&[matrix(2, 2).array_type()], |b, xs| {
        let turned = b.backpermute(
            fun([], |b, []| {
                vec![b.extent(xs[0].name, 1), b.extent(xs[0].name, 0)]
            }),
            fun([I32; 2], |_, [i, j]| vec![j, i]),
            &xs[0],
        );
        b.map(binary(Prim::Add), &[xs[0].clone(), turned])
    });
    let side = |axis| ParamAxis { param: 0, axis };
    program.alike.extents.insert(side(1), side(0));
    let schedule = schedule(&program, &Options::default()).unwrap();
    let schedule = check(schedule).unwrap();
    assert!(!schedule.to_string().contains("min ["));
    let square = [matrix(3, 3)];
    assert_eq!(run::run(&schedule, &square), interp::run(&program, &square));
    assert!(run::run(&schedule, &[matrix(3, 2)]).is_err());
}

/// The rows of one matrix are as many as the columns of an earlier one.
#[test]
fn extents_along_different_dimensions_that_are_equal() {
    let types = [matrix(2, 3).array_type(), matrix(3, 2).array_type()];
    let mut program = program(&types, |b, xs| {
        let shape = fun([], |b, []| {
            vec![b.extent(xs[0].name, 1), b.extent(xs[0].name, 0)]
        });
        let turned = b.backpermute(shape, fun([I32; 2], |_, [i, j]| vec![j, i]), &xs[0]);
        b.map(binary(Prim::Add), &[turned, xs[1].clone()])
    });
    let side = |param, axis| ParamAxis { param, axis };
    program.alike.extents.insert(side(1, 0), side(0, 1));
    let schedule = schedule(&program, &Options::default()).unwrap();
    let schedule = check(schedule).unwrap();
    assert_eq!(schedule.to_string().matches("min [").count(), 1);
    let inputs = [matrix(2, 3), matrix(3, 2)];
    assert_eq!(run::run(&schedule, &inputs), interp::run(&program, &inputs));
}

/// Code of derivatives reads where users' code does, and tests nothing; what it has read is tested for users all the same.
#[test]
fn elements_are_tested_though_untested_code_has_them() {
    let read = |b: &mut AccBuilder, x: &Arr, loc: Loc| {
        b.set_loc(loc);
        let far = fun([I32], |b, [i]| {
            let offset = b.constant(5i32);
            vec![b.prim(Prim::Add, &[i, offset])]
        });
        b.backpermute(extents(&[2]), far, x)
    };
    for locs in [[Loc::UNKNOWN, Loc::caller()], [Loc::caller(), Loc::UNKNOWN]] {
        let s = subject(&[], |b, _| {
            let squares = fun([I32], |b, [i]| vec![b.prim(Prim::Mul, &[i, i])]);
            let squares = b.generate(extents(&[4]), squares).remove(0);
            let [x, y] = locs.map(|loc| read(b, &squares, loc));
            b.map(Fun::prim(Prim::Add, &[I32; 2]), &[x, y])
        });
        assert_eq!(s.tested_loads(), 1);
        assert!(matches!(s.outcome, Err(RunError::IndexOutOfRange { .. })));
    }
}

/// What only a result that nobody reads depends on is captured, but not computed.
#[test]
fn captures_that_are_not_needed_need_not_exist() {
    for options in [Options::default(), Options::unfused()] {
        let s = subject_with(options, &[vector(&[1.0, 2.0])], |b, xs| {
            let unread = map(b, Prim::Exp, &xs[0]);
            let f = fun([F64], |f, [x]| {
                let at = f.constant(0i32);
                vec![x, f.index(&unread, &[at])]
            });
            let y = b.map(f, &xs[..1]).remove(0);
            vec![map(b, Prim::Neg, &y)]
        });
        assert_eq!(s.outcome.unwrap()[0], vector(&[-1.0, -2.0]));
    }
}
