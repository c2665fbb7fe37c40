//! Misuse is reported, with its places; closures do not panic.

use crate::graph::SurfaceError;
use crate::loc::Loc;
use crate::surface::prelude::*;
use std::cell::Cell;

type Vector = Acc<Ix1, f64>;

fn line(loc: Loc) -> u32 {
    loc.location().unwrap().line()
}

#[test]
fn a_value_that_leaves_its_closure_is_an_error() {
    let leak = Cell::new(None);
    let error = trace(|v: Vector| {
        let w = v.map(|x| {
            leak.set(Some(x));
            x + 1.0
        });
        let x: Exp<f64> = leak.get().unwrap();
        w.map(|y| y * x)
    })
    .unwrap_err();
    let SurfaceError::Escaped {
        used_at,
        construct,
        bound_at,
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(construct, "map");
    assert_eq!(line(used_at) - line(bound_at), 5);
}

#[test]
fn what_depends_on_an_escaped_value_has_escaped_too() {
    let leak = Cell::new(None);
    let error = trace(|v: Vector| {
        let w = v.map(|x| {
            leak.set(Some(x.sin() + 1.0));
            x
        });
        fill(w.shape(), leak.get().unwrap())
    })
    .unwrap_err();
    assert!(
        matches!(
            error,
            SurfaceError::Escaped {
                construct: "map",
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn an_array_that_leaves_its_closure_is_an_error() {
    let leak = Cell::new(None);
    let error = trace(|v: Vector| {
        let d = gradient_a(
            |w: Vector| {
                leak.set(Some(w));
                w.sum()
            },
            v,
        );
        let w: Vector = leak.get().unwrap();
        (d, w.sum())
    })
    .unwrap_err();
    assert!(
        matches!(
            error,
            SurfaceError::Escaped {
                construct: "gradient_a",
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn nested_parallelism_names_both_lines() {
    let error = trace(|v: Vector| {
        v.map(|x| {
            let scaled = v.map(|y| x * y);
            scaled.sum().the()
        })
    })
    .unwrap_err();
    let SurfaceError::NestedParallelism {
        operation,
        used_at,
        construct,
        bound_at,
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((operation, construct), ("map", "map"));
    assert_eq!(line(used_at) - line(bound_at), 1);
}

#[test]
fn an_independent_array_inside_a_closure_is_none() {
    let total = |v: Vector| v.map(|x| x / v.map(|y| y * y).sum().the());
    trace(total).unwrap();
    trace(|v: Vector| gradient_a(|w| w.map(|x| x * w.sum().the()).sum(), v)).unwrap();
}

#[test]
fn handles_of_an_outer_program_are_foreign_in_an_inner_one() {
    let outer = trace(|v: Vector| {
        let inner = trace(|w: Vector| w.zip_with(v, |x, y| x + y));
        assert!(
            matches!(inner, Err(SurfaceError::ForeignHandle { .. })),
            "{inner:?}"
        );
        let inner = trace(|w: Vector| w.map(|x| x + 1.0));
        assert_eq!(inner.unwrap().graph.accs.len(), 2);
        v.map(|x| x + 1.0)
    });
    outer.unwrap();
}

#[test]
fn handles_of_an_earlier_program_are_foreign() {
    let leak = Cell::new(None);
    trace(|v: Vector| {
        leak.set(Some(v));
        v
    })
    .unwrap();
    let error = trace(|w: Vector| w.zip(leak.get().unwrap())).unwrap_err();
    assert!(
        matches!(error, SurfaceError::ForeignHandle { .. }),
        "{error}"
    );
}

#[test]
fn what_is_made_outside_is_reported_with_its_own_place() {
    let one: Exp<f64> = constant(1.0);
    let place = line!() - 1;
    let error = trace(|v: Vector| v.map(|x| x + one)).unwrap_err();
    let SurfaceError::OutsideCompile { operation, used_at } = error else {
        panic!("{error}");
    };
    assert_eq!((operation, line(used_at)), ("constant", place));
    let v: Vector = fill(ix![3], 1.0).map(|x| x + 1.0);
    assert!(trace(|| v).is_err());
}

#[test]
fn sums_of_truth_values_are_refused() {
    let error =
        trace(|v: Acc<Ix1, bool>| v.permute(Combine::Add, v, |ix![i]| (true, ix![i]))).unwrap_err();
    assert!(
        matches!(
            error,
            SurfaceError::Misuse {
                operation: "permute",
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn the_first_error_is_the_one_reported() {
    let error = trace(|v: Vector| {
        let nested = v.map(|x| v.map(|y| x * y).sum().the());
        nested.zip_with(v, |a, b| a + b).sum()
    })
    .unwrap_err();
    assert!(
        matches!(error, SurfaceError::NestedParallelism { .. }),
        "{error}"
    );
    let both = trace(|v: Vector, w: Acc<Ix1, bool>| {
        let w = w.permute(Combine::Add, w, |ix![i]| (true, ix![i]));
        v.map(|x| v.map(|y| x * y).sum().the()).zip(w)
    });
    let error = both.unwrap_err();
    assert!(matches!(error, SurfaceError::Misuse { .. }), "{error}");
}

#[test]
fn a_panic_in_a_closure_leaves_no_program_behind() {
    let run = || trace(|v: Vector| v.map(|x| if true { panic!("the user's") } else { x }));
    assert!(std::panic::catch_unwind(run).is_err());
    let outside: Exp<f64> = constant(1.0);
    let error = trace(|v: Vector| v.map(|x| x + outside)).unwrap_err();
    assert!(
        matches!(error, SurfaceError::OutsideCompile { .. }),
        "{error}"
    );
}

#[test]
fn long_programs_do_not_overflow_the_stack() {
    let traced = trace(|v: Vector| v.map(|x| (0..100_000).fold(x, |y, _| y * x + 1.0)));
    assert_eq!(traced.unwrap().graph.exps.len(), 200_002);
}

#[test]
fn numbers_of_the_host_are_extents_and_indices() {
    let (rows, columns): (usize, usize) = (2, vec![0.5; 3].len());
    let table = interpret(
        || generate(ix![rows, columns], |ix![i, j]| (i + rows) * 10 + j),
        (),
    );
    assert_eq!(table.unwrap().to_vec(), [20, 21, 22, 30, 31, 32]);
    let v = Array::vector(vec![1, 2, 3]).unwrap();
    let picked = interpret(
        |v: Acc<Ix1, i32>| {
            let last = v.at(ix![columns - 1]);
            unit((
                last,
                v.replicate(ix![rows, All])
                    .slice(ix![rows - 1, All])
                    .at(ix![0]),
            ))
        },
        v,
    );
    assert_eq!(picked.unwrap().item(), (3, 1));
    let greatest = i32::MAX as usize;
    let at_most = interpret(|| fill(ix![0, greatest], 1.0), ());
    assert_eq!(at_most.unwrap().shape(), [0, greatest]);
}

#[test]
fn numbers_of_the_host_that_exceed_an_index_are_errors() {
    for too_large in [i32::MAX as usize + 1, usize::MAX] {
        let here = line!() + 1;
        let extent = trace(|| fill(ix![too_large], 1.0)).unwrap_err();
        let index = trace(|v: Vector| unit(v.at(ix![too_large]))).unwrap_err();
        let operand = trace(|v: Vector| unit(v.inner() + too_large)).unwrap_err();
        for (error, below) in [extent, index, operand].into_iter().zip(0..) {
            let SurfaceError::Misuse { used_at, .. } = &error else {
                panic!("{error}");
            };
            assert_eq!(line(*used_at), here + below);
            let problem = format!("{too_large} is too large for an extent or index");
            assert!(error.to_string().contains(&problem), "{error}");
        }
    }
}
