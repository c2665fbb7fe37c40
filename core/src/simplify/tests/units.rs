//! Sums with one term: what is zero unless coordinates are equal, moved, mapped and summed; and what is left alone.

use super::{array, fires, fun_of, same, simplified, well_formed};
use crate::build::FunBuilder;
use crate::constant::Const;
use crate::host::HostArray;
use crate::interp;
use crate::label::label;
use crate::prim::Prim;
use crate::recover::recover;
use crate::surface::AccFn;
use crate::surface::prelude::*;
use crate::term::{ExpId, ExpOp, Labelled, Program};
use crate::types::ScalarType::{F64, I32};

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

fn some(shape: &[usize]) -> HostArray {
    let size = shape.iter().product::<usize>() as i32;
    let elements = (0..size).map(|i| 0.25 + f64::from((i * 7 + 3) % size.max(1)));
    array(shape, elements.collect::<Vec<_>>())
}

fn rewritten<M, F: AccFn<M>>(f: F, shapes: &[&[usize]], rule: &str) -> (Program<Labelled>, u64) {
    let traced = trace(f).unwrap();
    let before = label(&recover(&traced.graph, &traced.lambda).unwrap());
    let (after, counts) = well_formed(&before);
    for shape in shapes {
        let inputs = [some(shape)];
        let expected = interp::run(&before, &inputs).unwrap();
        let found = interp::run(&after, &inputs).unwrap();
        let (a, b) = (expected[0].column(), found[0].column());
        let equal = (0..a.len()).all(|i| same(a.get(i).unwrap(), b.get(i).unwrap()));
        let equal = equal && expected[0].shape() == found[0].shape();
        assert!(equal, "{expected:?}\n{found:?}\n{before}\n{after}");
    }
    (after, counts.get(rule))
}

/// The simplified program of `f`, which `rule` applies to; it gives the same for arrays of all these shapes.
#[track_caller]
fn becomes<M, F: AccFn<M>>(f: F, shapes: &[&[usize]], rule: &str) -> String {
    let (after, fired) = rewritten(f, shapes, rule);
    assert!(fired > 0, "`{rule}` did not fire:\n{after}");
    after.to_string()
}

#[track_caller]
fn stays<M, F: AccFn<M>>(f: F, shapes: &[&[usize]], rule: &str) {
    let (after, fired) = rewritten(f, shapes, rule);
    assert_eq!(fired, 0, "{after}");
}

const VECTORS: &[&[usize]] = &[&[4], &[2], &[1], &[0]];
const MATRICES: &[&[usize]] = &[&[3, 4], &[4, 2], &[1, 1], &[0, 3], &[3, 0]];

/// A vector on the diagonal of a matrix.
fn diagonal(v: Vector) -> Matrix {
    let n = v.size();
    generate(ix![n, n], |ix![i, j]| cond(i.eq_(j), v.at(ix![j]), 0.0))
}

#[test]
fn sums_along_a_coordinate_that_is_another_one() {
    let text = becomes(|v: Vector| diagonal(v).sum(), VECTORS, "fold_unit");
    assert!(!text.contains("fold") && !text.contains("cond"), "{text}");
    let first = |v: Vector| {
        let one = |ix![i, j]: Ix2| cond(j.eq_(i), v.at(ix![j]), 0.0);
        let rows = generate(ix![v.size(), v.size()], one);
        rows.fold1(|a, b| b + a)
    };
    // An extent of 0 fails, unless there is no row.
    stays(first, &[&[3], &[0]], "fold_unit");
    let literal = |v: Vector| {
        let one = |ix![_, j]: Ix2| cond(j.eq_(2), v.at(ix![0]), 0.0);
        generate(ix![v.size(), 4], one).fold1(|a, b| b + a)
    };
    let text = becomes(literal, VECTORS, "fold_unit");
    assert!(!text.contains("fold"), "{text}");
}

#[test]
fn sums_whose_term_may_be_out_of_range() {
    // Beyond the columns, below the first, and at both ends.
    let shifted = |by: i32| {
        move |v: Vector| {
            let n = v.size();
            let one = |ix![i, j]: Ix2| cond(j.eq_(i + by), v.at(ix![j]), 0.0);
            generate(ix![n, n], one).sum()
        }
    };
    for by in [-2, -1, 1, 5] {
        let text = becomes(shifted(by), VECTORS, "fold_unit");
        assert!(text.contains("cond") && !text.contains("fold"), "{text}");
    }
    let wide = |m: Matrix| {
        let ix![rows, columns] = m.shape();
        let one = |ix![i, j]: Ix2| cond(j.eq_(i), m.at(ix![i, j]), 0.0);
        generate(ix![rows, columns], one).sum()
    };
    let text = becomes(wide, MATRICES, "fold_unit");
    assert_eq!(
        (
            text.matches("= lt (").count(),
            text.matches("= ge (").count()
        ),
        (1, 0),
        "{text}"
    );
    // At most one coordinate is the other one and below both extents: nothing is read, and there is no condition.
    let trace = |m: Matrix| {
        let ix![rows, columns] = m.shape();
        let both = |ix![i, j, k]: Ix3| cond::<f64>(k.eq_(i).and(k.eq_(j)), 1.0, 0.0);
        generate(ix![rows, columns, rows.min(columns)], both).sum()
    };
    let text = becomes(trace, MATRICES, "fold_unit");
    assert!(!text.contains("= lt ("), "{text}");
}

#[test]
fn sums_of_several_terms() {
    let f = |v: Vector| {
        let n = v.size();
        let x = |i: Exp<i32>| v.at(ix![i]);
        let one = |ix![i, j]: Ix2| {
            let last = n - 1 - i;
            let here = cond(i.eq_(j), x(j), 0.0);
            let there = cond(j.eq_(last).and(j.gt(0)), x(j) * 2.0, 0.0);
            -(here - there) + cond::<f64>(j.eq_(0), 1.0, 0.0)
        };
        generate(ix![n, n], one).sum()
    };
    let text = becomes(f, VECTORS, "fold_unit");
    assert!(!text.contains("fold"), "{text}");
}

#[test]
fn sums_of_other_things_stay() {
    // The place depends on the coordinate; there is none; the sum starts elsewhere; it is no sum.
    let place = |v: Vector| {
        let n = v.size();
        let one = |ix![i, j]: Ix2| cond(j.eq_((i + j) / 2), v.at(ix![j]), 0.0);
        generate(ix![n, n], one).sum()
    };
    stays(place, VECTORS, "fold_unit");
    let below = |v: Vector| {
        let n = v.size();
        generate(ix![n, n], |ix![i, j]| cond(j.lt(i), v.at(ix![j]), 0.0)).sum()
    };
    stays(below, VECTORS, "fold_unit");
    stays(
        |v: Vector| diagonal(v).fold(1.0, |a, b| a + b),
        VECTORS,
        "fold_unit",
    );
    stays(
        |v: Vector| diagonal(v).fold(0.0, |a, b| a.max(b)),
        VECTORS,
        "fold_unit",
    );
    let ones = |v: Vector| {
        let n = v.size();
        generate(ix![n, n], |ix![i, j]| cond(i.eq_(j), v.at(ix![j]), 1.0)).sum()
    };
    stays(ones, VECTORS, "fold_unit");
}

#[test]
fn moves_and_maps_of_units() {
    let moved = |v: Vector| {
        let n = v.size();
        let turned = diagonal(v).backpermute(ix![n, n], |ix![i, j]| ix![j, n - 1 - i]);
        turned.replicate(ix![2, All, All]).sum()
    };
    let text = becomes(moved, VECTORS, "move_unit");
    assert!(!text.contains("fold"), "{text}");
    let mapped = |v: Vector| {
        let n = v.size();
        let one = |ix![i, j]: Ix2| cond::<f64>(i.eq_(j), 1.0, 0.0);
        let both = generate(ix![n, n], one).zip_with(diagonal(v), |a, b| a + b - b);
        both.sum()
    };
    becomes(mapped, VECTORS, "map_unit");
    // What the user multiplies by zero may be an infinity.
    let product = |v: Vector| {
        let n = v.size();
        diagonal(v)
            .zip_with(v.replicate(ix![n, All]), |a, b| a * b)
            .sum()
    };
    stays(product, VECTORS, "fold_unit");
    let read = |v: Vector| {
        let d = diagonal(v);
        generate(v.shape(), |ix![i]| d.at(ix![i, i])).sum()
    };
    becomes(read, VECTORS, "index_unit");
}

#[test]
fn positions_taken_apart_and_put_together() {
    let f = |m: Matrix| {
        let ix![rows, columns] = m.shape();
        let one = |ix![k]: Ix1| m.at(ix![k / columns, k % columns]) * 2.0;
        generate(ix![rows * columns], one).reshape(m.shape())
    };
    let text = becomes(f, MATRICES, "reshape_generate");
    assert!(
        !text.contains("quot") && !text.contains("reshape"),
        "{text}"
    );
    let cube = |a: Acc<Ix3, f64>| {
        let ix![n, m, k] = a.shape();
        let one = |ix![at]: Ix1| {
            let (row, last) = (at / k, at % k);
            cond(last.gt(0), a.at(ix![row / m, row % m, last]), 0.0)
        };
        generate(ix![n * m * k], one).reshape(a.shape())
    };
    let text = becomes(
        cube,
        &[&[2, 3, 4], &[1, 1, 1], &[0, 2, 3]],
        "reshape_generate",
    );
    assert!(!text.contains("rem"), "{text}");
    // By another extent, or the position itself.
    let other = |m: Matrix| {
        let ix![rows, columns] = m.shape();
        let one = |ix![k]: Ix1| (k % (rows + 1)).to_f64();
        generate(ix![rows * columns], one).reshape(m.shape())
    };
    stays(other, MATRICES, "reshape_generate");
}

#[test]
fn selections_that_meet() {
    let unit = |b: &mut FunBuilder, i: ExpId, j: ExpId, x: ExpId| {
        let (here, zero) = (b.prim(Prim::Eq, &[i, j]), b.constant(0.0));
        b.prim(Prim::Select, &[here, x, zero])
    };
    fires("combine_selected", &[I32, I32, F64, F64], |b, x| {
        let (u, v) = (unit(b, x[0], x[1], x[2]), unit(b, x[0], x[1], x[3]));
        vec![b.prim(Prim::Add, &[u, v]), b.prim(Prim::Sub, &[u, v])]
    });
    fires("compare_selected", &[I32, I32], |b, x| {
        let (one, zero) = (b.constant(1.0), b.constant(0.0));
        let u = unit(b, x[0], x[1], one);
        vec![b.prim(Prim::Eq, &[u, zero]), b.prim(Prim::Lt, &[u, one])]
    });
    fires("select_inside", &[I32, I32, F64, F64], |b, x| {
        let u = unit(b, x[0], x[1], x[2]);
        let product = b.prim(Prim::Mul, &[u, x[3]]);
        let here = b.prim(Prim::Eq, &[x[0], x[1]]);
        vec![
            b.prim(Prim::Select, &[here, product, x[2]]),
            b.prim(Prim::Select, &[here, x[2], product]),
        ]
    });
    fires("guarded_selection", &[I32, I32, F64, F64], |b, x| {
        let (u, zero) = (unit(b, x[0], x[1], x[2]), b.constant(0.0));
        let (nothing, quotient) = (b.prim(Prim::Eq, &[u, zero]), b.prim(Prim::Div, &[u, x[3]]));
        vec![b.prim(Prim::Select, &[nothing, zero, quotient])]
    });
    fires("select_unequal", &[I32, I32, F64], |b, x| {
        let (apart, zero) = (b.prim(Prim::Ne, &[x[0], x[1]]), b.constant(0.0));
        vec![b.prim(Prim::Select, &[apart, zero, x[2]])]
    });
}

/// Of two conditions, each has its own selection.
#[test]
fn selections_that_do_not_meet() {
    let before = fun_of(&[I32, I32, F64, F64], |b, x| {
        let (here, below) = (
            b.prim(Prim::Eq, &[x[0], x[1]]),
            b.prim(Prim::Lt, &[x[0], x[1]]),
        );
        let zero = b.constant(0.0);
        let one = b.prim(Prim::Select, &[here, x[2], zero]);
        let other = b.prim(Prim::Select, &[below, x[3], zero]);
        vec![b.prim(Prim::Add, &[one, other])]
    });
    let (after, counts) = simplified(&before);
    assert_eq!(counts.get("combine_selected"), 0);
    super::assert_equal_but(&before, &after, |_| false);
}

/// A product of `t` and a parameter, marked as one with a tangent.
fn marked(b: &mut FunBuilder, t: ExpId, x: ExpId) -> Vec<ExpId> {
    let product = b.prim(Prim::Mul, &[x, t]);
    b.push(ExpOp::WithPartials(vec![product, t]), &[F64])
}

#[test]
fn products_with_tangents() {
    let types = [I32, I32, F64];
    let selected = fun_of(&types, |b, x| {
        let (here, zero) = (b.prim(Prim::Eq, &[x[0], x[1]]), b.constant(0.0));
        let t = b.prim(Prim::Select, &[here, x[2], zero]);
        let t = b.prim(Prim::Neg, &[t]);
        marked(b, t, x[2])
    });
    let conditional = fun_of(&types, |b, x| {
        let here = b.prim(Prim::Eq, &[x[0], x[1]]);
        let t = b.cond(
            here,
            |b| vec![b.prim(Prim::Sin, &[x[2]])],
            |b| vec![b.constant(0.0)],
        );
        marked(b, t[0], x[2])
    });
    for before in [selected, conditional] {
        let (after, counts) = simplified(&before);
        assert!(counts.get("unit_product") > 0, "{after}");
        let infinite = [Const::I32(1), Const::I32(2), Const::F64(f64::INFINITY)];
        let [found] = interp::eval_fun(&after, &[], &infinite).unwrap()[..] else {
            panic!("one result")
        };
        assert!(found.is_zero(), "{after}");
        // Otherwise it is what it was, but for the sign of a zero.
        for args in super::combinations(&types)
            .into_iter()
            .filter(|args| args[2].is_finite())
        {
            let [a, b] = [&before, &after].map(|f| interp::eval_fun(f, &[], &args).unwrap()[0]);
            assert!(
                same(a, b) || a.is_zero() && b.is_zero(),
                "{args:?}: {a} {b}\n{after}"
            );
        }
    }
    // A product that is not marked stays.
    let own = fun_of(&types, |b, x| {
        let (here, zero) = (b.prim(Prim::Eq, &[x[0], x[1]]), b.constant(0.0));
        let t = b.prim(Prim::Select, &[here, x[2], zero]);
        vec![b.prim(Prim::Mul, &[x[2], t])]
    });
    assert_eq!(simplified(&own).0, own);
}
