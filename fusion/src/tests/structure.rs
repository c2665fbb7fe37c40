//! What fuses and what does not.

use super::*;

#[test]
fn chains_of_maps_end_in_the_fold() {
    let s = subject(&[vector(&[0.1, 0.2, 0.3])], |b, xs| {
        let y = map(b, Prim::Exp, &xs[0]);
        let z = map(b, Prim::Sin, &y);
        vec![sum(b, &z)]
    });
    assert_eq!((s.names(), s.temporaries()), (vec!["fold"], 0));
    assert_eq!(s.kernels()[0].fused.len(), 3);
    assert_eq!(s.tested_loads(), 0);
}

#[test]
fn a_dot_product_is_one_kernel() {
    let s = subject(&[vector(&[1.0, 2.0, 3.0]), vector(&[4.0, 5.0])], |b, xs| {
        let products = zip(b, Prim::Mul, &xs[0], &xs[1]);
        vec![sum(b, &products)]
    });
    assert_eq!(
        (s.names(), s.temporaries(), s.tested_loads()),
        (vec!["fold"], 0, 0)
    );
    assert_eq!(s.outcome.unwrap()[0], host(&[], &[14.0]));
}

#[test]
fn a_matrix_product_has_no_cube() {
    let s = subject(&[matrix(2, 3), matrix(3, 4)], |b, xs| {
        let (x, y) = (&xs[0], &xs[1]);
        let extent = |array: &Arr, axis| {
            let mut b = FunBuilder::new();
            let n = b.extent(array.name, axis);
            b.finish(vec![n])
        };
        let turned = fun([I32, I32], |_, [i, j]| vec![j, i]);
        let mut shape = FunBuilder::new();
        let (n, m) = (shape.extent(y.name, 1), shape.extent(y.name, 0));
        let y_t = b.backpermute(shape.finish(vec![n, m]), turned, y);
        let rows = b.replicate(vec![Axis::All, Axis::Fixed, Axis::All], extent(y, 1), x);
        let columns = b.replicate(vec![Axis::Fixed, Axis::All, Axis::All], extent(x, 0), &y_t);
        let products = zip(b, Prim::Mul, &rows, &columns);
        vec![sum(b, &products)]
    });
    assert_eq!(
        (s.names(), s.temporaries(), s.tested_loads()),
        (vec!["fold"], 0, 0)
    );
    assert_eq!(s.outcome.unwrap()[0].shape(), [2, 4]);
}

#[test]
fn expensive_arrays_read_twice_are_kept_and_cheap_ones_are_not() {
    let twice = |op| {
        subject(&[vector(&[0.1, 0.2, 0.3])], |b, xs| {
            let shared = map(b, op, &xs[0]);
            let squares = zip(b, Prim::Mul, &shared, &xs[0]);
            let scanned = b.scan(
                Direction::Left,
                binary(Prim::Add),
                None,
                std::slice::from_ref(&shared),
            );
            vec![sum(b, &squares), scanned[0].clone()]
        })
    };
    assert_eq!(
        (
            twice(Prim::Exp).names().len(),
            twice(Prim::Exp).temporaries()
        ),
        (3, 1)
    );
    assert_eq!(
        (
            twice(Prim::Neg).names().len(),
            twice(Prim::Neg).temporaries()
        ),
        (2, 0)
    );
}

#[test]
fn arguments_of_one_map_need_no_copy() {
    let s = subject(&[vector(&[0.1, 0.2, 0.3])], |b, xs| {
        let shared = map(b, Prim::Exp, &xs[0]);
        let squares = zip(b, Prim::Mul, &shared, &shared);
        vec![sum(b, &squares)]
    });
    assert_eq!((s.names(), s.temporaries()), (vec!["fold"], 0));
}

#[test]
fn expensive_arrays_that_are_replicated_are_kept() {
    let s = subject(&[vector(&[0.1, 0.2, 0.3])], |b, xs| {
        let expensive = map(b, Prim::Exp, &xs[0]);
        let wide = b.replicate(vec![Axis::Fixed, Axis::All], extents(&[4]), &expensive);
        vec![sum(b, &wide)]
    });
    // The sums are all the same: one, and its copies.
    assert_eq!(
        (s.names(), s.temporaries()),
        (vec!["map", "fold", "fold"], 1)
    );
}

#[test]
fn doubling_chains_stay_small() {
    let s = subject(&[vector(&[0.5])], |b, xs| {
        let mut x = xs[0].clone();
        for _ in 0..40 {
            let f = fun([I32], |b, [i]| {
                let other = b.prim(Prim::Neg, &[i]);
                let (p, q) = (b.index(&x, &[i]), b.index(&x, &[other]));
                vec![b.prim(Prim::Mul, &[p, q])]
            });
            x = b.generate(extents(&[1]), f).remove(0);
        }
        vec![sum(b, &x)]
    });
    let insts: usize = s.kernels().iter().map(|k| k.body().len()).sum();
    assert!(insts < 2000, "{insts}");
}

#[test]
fn folds_take_reshaped_dimensions_apart() {
    let s = subject(&[matrix(3, 4)], |b, xs| {
        let expensive = map(b, Prim::Cos, &xs[0]);
        let flat = b.reshape(extents(&[12]), &expensive);
        let f = fun([I32], |b, [i]| vec![b.prim(Prim::Convert(F64), &[i])]);
        let numbers = b.generate(extents(&[12]), f).remove(0);
        let products = zip(b, Prim::Mul, &flat, &numbers);
        vec![sum(b, &products)]
    });
    assert_eq!((s.names(), s.temporaries()), (vec!["fold"], 0));
    let KernelKind::Reduce { inner, body, .. } = &s.kernels()[0].kind else {
        panic!("a reduction")
    };
    assert_eq!(inner.len(), 2);
    let text = format!("{body:?}");
    assert!(!text.contains("Quot") && !text.contains("Rem"), "{text}");
}

#[test]
fn reshapes_that_are_only_measured_are_not_taken_apart() {
    let s = subject(&[matrix(3, 4)], |b, xs| {
        let dead = map(b, Prim::Cos, &xs[0]);
        let flat = b.reshape(extents(&[12]), &dead);
        let ones = fun([F64], |b, [_]| vec![b.constant(1.0)]);
        let ones = b.map(ones, &[flat]).remove(0);
        vec![sum(b, &ones)]
    });
    assert_eq!(s.outcome.unwrap()[0], host(&[], &[12.0]));
}

#[test]
fn independent_maps_share_a_kernel() {
    let s = subject(&[vector(&[1.0, 2.0])], |b, xs| {
        let ops = [Prim::Exp, Prim::Sin, Prim::Sqrt, Prim::Neg];
        ops.map(|op| map(b, op, &xs[0])).to_vec()
    });
    assert_eq!(s.kernels().len(), 1);
    assert_eq!(s.kernels()[0].outputs().len(), 4);
}

#[test]
fn maps_join_what_they_depend_on_at_the_same_index_only() {
    let chain = |offset: i32| {
        subject(&[vector(&[1.0, 2.0])], |b, xs| {
            let y = map(b, Prim::Exp, &xs[0]);
            let f = fun([I32], |b, [i]| {
                let offset = b.constant(offset);
                let i = b.prim(Prim::BitXor, &[i, offset]);
                let y = b.index(&y, &[i]);
                vec![b.prim(Prim::Ln, &[y])]
            });
            let z = b.generate(Fun::shape_of(&xs[0]), f).remove(0);
            vec![y, z]
        })
    };
    assert_eq!(chain(0).kernels().len(), 1);
    assert_eq!(chain(1).kernels().len(), 2);
}

#[test]
fn an_array_nobody_reads_is_no_code() {
    let s = subject(&[vector(&[1.0, 2.0])], |b, xs| {
        let dead = map(b, Prim::Exp, &xs[0]);
        let total = sum(b, &dead);
        let other = map(b, Prim::Neg, &xs[0]);
        let _ = total;
        vec![other]
    });
    assert_eq!((s.names(), s.temporaries()), (vec!["map"], 0));
}

#[test]
fn extents_alone_need_no_elements() {
    let s = subject(&[vector(&[1.0, 2.0]), vector(&[1.0])], |b, xs| {
        let expensive = zip(b, Prim::Pow, &xs[0], &xs[1]);
        let f = fun([I32], |_, [i]| vec![i]);
        b.generate(Fun::shape_of(&expensive), f)
    });
    assert_eq!((s.names(), s.temporaries()), (vec!["generate"], 0));
    assert_eq!(s.outcome.unwrap()[0], host(&[1], &[0]));
}

#[test]
fn chains_of_permutes_work_in_place() {
    let s = subject(&[vector(&[0.0; 4]), vector(&[1.0, 2.0])], |b, xs| {
        let same = |b: &mut FunBuilder, [i]: [ExpId; 1]| vec![b.constant(true), i];
        let once = b.permute(Combine::Add, &xs[..1], fun([I32], same), &xs[1..]);
        b.permute(Combine::Add, &once, fun([I32], same), &xs[1..])
    });
    assert_eq!(s.names(), ["permute", "permute", "permute"]);
    assert_eq!(s.temporaries(), 0);
    assert_eq!(s.outcome.unwrap()[0], vector(&[2.0, 4.0, 0.0, 0.0]));
}

#[test]
fn uniform_code_runs_on_the_host() {
    let s = subject(&[matrix(2, 3)], |b, xs| {
        let mut f = FunBuilder::new();
        let x = f.param(F64);
        let n = f.extent(xs[0].name, 0);
        let n = f.prim(Prim::Convert(F64), &[n]);
        let scale = f.prim(Prim::Exp, &[n]);
        let y = f.prim(Prim::Mul, &[x, scale]);
        b.map(f.finish(vec![y]), &xs[..1])
    });
    let text = s.fused.to_string();
    assert_eq!(s.kernels()[0].body().len(), 5, "{text}");
    assert!(text.contains("scalars"), "{text}");
}

#[test]
fn a_transposed_array_is_read_where_it_is() {
    let s = subject(&[matrix(2, 3)], |b, xs| {
        let expensive = map(b, Prim::Exp, &xs[0]);
        let f = fun([I32, I32], |_, [i, j]| vec![j, i]);
        let turned = b.backpermute(extents(&[3, 2]), f, &expensive);
        vec![sum(b, &turned)]
    });
    assert_eq!((s.names(), s.temporaries()), (vec!["fold"], 0));
}

#[test]
fn loads_shifted_and_mirrored_are_proved() {
    let s = subject(&[vector(&[1.0, 2.0, 3.0, 4.0])], |b, xs| {
        let shorter = {
            let mut f = FunBuilder::new();
            let n = f.extent(xs[0].name, 0);
            let one = f.constant(1);
            let n = f.prim(Prim::Sub, &[n, one]);
            f.finish(vec![n])
        };
        let difference = fun([I32], |b, [i]| {
            let (one, n) = (b.constant(1), b.extent(xs[0].name, 0));
            let next = b.prim(Prim::Add, &[i, one]);
            let mirrored = b.prim(Prim::Sub, &[n, i]);
            let mirrored = b.prim(Prim::Sub, &[mirrored, one]);
            let (x, y) = (b.index(&xs[0], &[next]), b.index(&xs[0], &[mirrored]));
            vec![b.prim(Prim::Sub, &[x, y])]
        });
        b.generate(shorter, difference)
    });
    assert_eq!(s.outcome.as_ref().unwrap()[0], vector(&[-2.0, 0.0, 2.0]));
    assert_eq!(s.tested_loads(), 0, "{}", s.fused);
}

#[test]
fn guards_of_stencils_are_proofs() {
    let s = subject(&[vector(&[1.0, 2.0, 3.0])], |b, xs| {
        let f = fun([I32], |b, [i]| {
            let (one, zero, n) = (b.constant(1), b.constant(0), b.extent(xs[0].name, 0));
            let left = b.prim(Prim::Sub, &[i, one]);
            let has_left = b.prim(Prim::Ge, &[left, zero]);
            let x = b.cond(
                has_left,
                |b| vec![b.index(&xs[0], &[left])],
                |b| vec![b.constant(0.0)],
            );
            let right = b.prim(Prim::Add, &[i, one]);
            let has_right = b.prim(Prim::Lt, &[right, n]);
            let y = b.cond(
                has_right,
                |b| vec![b.index(&xs[0], &[right])],
                |b| vec![b.constant(0.0)],
            );
            vec![b.prim(Prim::Add, &[x[0], y[0]])]
        });
        b.generate(Fun::shape_of(&xs[0]), f)
    });
    assert_eq!(s.tested_loads(), 0, "{}", s.fused);
    assert_eq!(s.outcome.unwrap()[0], vector(&[2.0, 4.0, 2.0]));
}

#[test]
fn rewrites_are_counted() {
    let p = program(&[ArrayType::new(F64, 1)], |b, xs| {
        let y = map(b, Prim::Exp, &xs[0]);
        vec![sum(b, &y)]
    });
    let (_, report) = schedule_with_report(&p, &Options::default()).unwrap();
    assert_eq!(report.fired.get("delay array read once"), Some(&1));
    assert_eq!(report.fired.get("prove load in range"), Some(&1));
}

#[test]
fn expensive_arrays_read_along_a_new_dimension_are_kept() {
    let with = |all: bool| {
        subject(&[vector(&[0.1, 0.2]), matrix(2, 2)], |b, xs| {
            let expensive = map(b, Prim::Exp, &xs[0]);
            let square = map(b, Prim::Exp, &xs[1]);
            let f = fun([I32, I32], |b, [i, j]| {
                vec![if all {
                    b.index(&square, &[j, i])
                } else {
                    b.index(&expensive, &[i])
                }]
            });
            let y = b.generate(extents(&[2, 2]), f).remove(0);
            vec![sum(b, &y)]
        })
    };
    assert_eq!(with(true).names(), ["fold"]);
    assert_eq!(with(false).names(), ["map", "fold"]);
}

#[test]
fn permutes_do_not_write_what_others_read() {
    let s = subject(&[vector(&[1.0, 2.0])], |b, xs| {
        let same = fun([I32], |b, [i]| vec![b.constant(true), i]);
        let shared = b.scan(Direction::Left, binary(Prim::Add), None, &xs[..1]);
        let permuted = b.permute(Combine::Add, &shared, same, &xs[..1]).remove(0);
        let other = b
            .scan(Direction::Left, binary(Prim::Add), None, &shared)
            .remove(0);
        vec![permuted, other]
    });
    assert_eq!(s.names(), ["scanl1", "permute", "permute", "scanl1"]);
    assert_eq!(s.outcome.unwrap()[1], vector(&[1.0, 4.0]));
}
