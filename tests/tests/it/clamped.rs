//! Indices that are clamped: the CPU reads most of their lanes as they lie, between the bounds and beyond them. Everything
//! here has to be as the interpreter has it, to the bit.

use super::loops::{cpus, exact, vector};
use cotangent::prelude::*;
use cotangent::{Error, compile};
use cotangent_core::backend::RunError;

/// Sizes of one and several blocks.
const SIZES: [i32; 9] = [0, 1, 2, 3, 15, 16, 100, 1024, 3001];

fn squares(n: i32) -> Vec<i32> {
    (0..n).map(|k| (k * k) % 101).collect()
}

/// An index that is in range wherever there is an element, from a position and the number of elements.
type Index = fn(Exp<i32>, Exp<i32>) -> Exp<i32>;

/// A place in a table, which may be outside, from another.
type Places = fn(Exp<i32>, Exp<i32>) -> (Exp<i32>, Exp<i32>);

const INDICES: [Index; 26] = [
    |i, n| (i - 1).max(0).min(n - 1),
    |i, n| (i - 1).min(n - 1).max(0),
    |i, n| (i + 2).min(n - 1),
    |i, _| (i - 2).max(0),
    // Downwards, at a stride, constant, and constant but for one end.
    |i, n| (n + 2 - i).max(0).min(n - 1),
    |i, n| (2 * i - 5).max(0).min(n - 1),
    |i, n| (5 - 3 * i).max(0).min(n - 1),
    |_, n| (n - n / 2 + 9).max(0).min(n - 1),
    |i, n| (i + 700).max(n / 2).min(n - 1),
    // Several bounds, and bounds that exclude each other.
    |i, n| (i - 4).max(1).max(2).min(n - 1).min(n).max(0),
    |i, n| (i - 4).max(n + 3).min(n - 1).max(0),
    // Beyond the largest number, the index begins anew at the smallest.
    |i, n| (i + (i32::MAX - 20)).max(0).min(n - 1),
    // Reflected at one end or at both, with or without the last element again.
    |i, n| (i - 1).max(1 - i).min(n - 1),
    |i, n| (2 * n - 4 - i).min(i + 2).max(0),
    |i, n| reflected(i - 3, 0, n),
    |i, n| reflected(i + 3, 1, n),
    |i, n| reflected(n + 1 - i, 0, n),
    |i, n| reflected(2 * i - 5, 1, n),
    |i, n| (2 * i - n + 1).max(n - 1 - 2 * i),
    |i, n| reflected(i + (i32::MAX - 20), 0, n),
    // Around: by one, all but one, some, down and at a stride; and without going around.
    |i, n| around(i - 1, n),
    |i, n| around(i - n + 1, n),
    |i, n| around(i - n / 3, n),
    |i, n| around(n / 2 - i, n),
    |i, n| around(2 * i - n, n),
    |i, n| around(i, n),
];

/// An index that goes on at the end where it is negative.
fn around(at: Exp<i32>, n: Exp<i32>) -> Exp<i32> {
    cond(at.lt(0), at + n, at)
}

/// An index, reflected at both ends.
fn reflected(at: Exp<i32>, off: i32, n: Exp<i32>) -> Exp<i32> {
    let first = at.max(-off - at);
    first.min(2 * n - 2 + off - first).max(0).min(n - 1)
}

#[test]
fn vectors_are_read_at_clamped_indices() {
    for (k, index) in INDICES.iter().enumerate() {
        for n in SIZES {
            let shifted = |v: Acc<Ix1, i32>| {
                let n = v.size();
                generate(ix![n], |ix![i]| v.at(ix![index(i, n)]) - 2 * v.at(ix![i]))
            };
            let found = exact(shifted, vector(squares(n)));
            assert_eq!(found.to_vec().len(), n as usize, "index {k}");
        }
    }
    let left = |v: Acc<Ix1, i32>| generate(v.shape(), |ix![i]| v.at(ix![(i - 1).max(0)]));
    assert_eq!(exact(left, vector([3, 1, 4, 1])).to_vec(), [3, 3, 1, 4]);
}

#[test]
fn tables_are_read_at_clamped_indices() {
    for (h, w) in [(1, 1), (3, 2), (40, 3), (5, 700), (700, 5), (2, 3001)] {
        let table = Array::from_vec([h as usize, w as usize], squares(h * w)).unwrap();
        let inside = |k: Exp<i32>, n: Exp<i32>| k.max(0).min(n - 1);
        let at = |m: Acc<Ix2, i32>, f: Places| {
            let ix![h, w] = m.shape();
            generate(ix![h, w], move |ix![i, j]| {
                let (i, j) = f(i, j);
                m.at(ix![inside(i, h), inside(j, w)])
            })
        };
        exact(
            move |m: Acc<Ix2, i32>| {
                let all: [Places; 6] = [
                    |i, j| (i - 1, j + 2),
                    |i, j| (j, i),
                    |i, j| (i + j - 3, j - 1),
                    |_, j| (j - 1, j + 1),
                    |_, j| (j.min(-1), 5 - j),
                    |i, j| (2 * i, 2 * j),
                ];
                let [a, b, c, d, e, f] = all.map(|f| at(m, f));
                a.zip_with(b, |x, y| x - 3 * y)
                    .zip_with(c, |x, y| x + 5 * y)
                    .zip_with(d, |x, y| x - 7 * y)
                    .zip_with(e, |x, y| x + 11 * y)
                    .zip_with(f, |x, y| x - 13 * y)
            },
            table,
        );
    }
}

#[test]
fn convolutions_are_clamped() {
    let blurred = |v: Acc<Ix1, i32>, weights: Acc<Ix1, i32>| {
        let (n, taps) = (v.size(), weights.size());
        generate(ix![n, taps], |ix![i, k]| {
            let near = (i + k - taps / 2).max(0).min(n - 1);
            v.at(ix![near]) * weights.at(ix![k])
        })
        .fold(0, |x, y| x + y)
    };
    for n in SIZES {
        for taps in [0, 1, 3, 8, 70] {
            let found = exact(blurred, (vector(squares(n)), vector(squares(taps))));
            assert_eq!(found.to_vec().len(), n as usize);
        }
    }
}

/// The sum of the elements up to `radius` places away, those beyond the ends being the last ones; nearer ones count more.
fn window(v: Acc<Ix1, i32>, radius: i32) -> Acc<Ix1, i32> {
    let n = v.size();
    generate(ix![n], move |ix![i]| {
        let at = |k: Exp<i32>| v.at(ix![k.max(0).min(n - 1)]);
        (1..=radius).fold(v.at(ix![i]), |sum, k| {
            sum + (7 - k) * at(i - k) - k * at(i + k)
        })
    })
}

/// Functions are called for the few lanes at the ends one by one, for more in copies, and for those between.
#[test]
fn windows_of_all_widths_are_clamped() {
    for radius in 1..=6 {
        for n in [63, 64, 65, 70, 79, 1023, 1024, 1025, 1029, 1100, 2048, 2051] {
            exact(move |v| window(v, radius), vector(squares(n)));
        }
    }
}

/// The positions in a row are the same for all rows, and count up but at the ends: the row is read where it lies.
#[test]
fn borders_of_all_kinds_in_rows_of_all_lengths() {
    type Table = Acc<Ix2, i32>;
    let near = |m: Table, boundary: Boundary<Ix2, i32>, by: i32| {
        m.stencil(boundary, move |s| {
            let rows = 3 * s.at([-by, 0]) - 5 * s.at([by, 0]);
            rows + s.at([0, 0]) + 7 * s.at([0, -by]) - 11 * s.at([0, by]) + 13 * s.at([by, -by])
        })
    };
    for (h, w) in [
        (1, 1),
        (3, 2),
        (4, 15),
        (7, 16),
        (5, 63),
        (5, 64),
        (9, 70),
        (3, 1024),
        (4, 2051),
    ] {
        let table = Array::from_vec([h as usize, w as usize], squares(h * w)).unwrap();
        for by in [1, 2, 5] {
            exact(move |m: Table| near(m, Boundary::Clamp, by), table.clone());
            exact(move |m: Table| near(m, Boundary::Mirror, by), table.clone());
            exact(move |m: Table| near(m, Boundary::Wrap, by), table.clone());
            exact(
                move |m: Table| near(m, Boundary::constant(9), by),
                table.clone(),
            );
        }
    }
}

/// As borders that wrap, but written with remainders, which no bounds are known of.
#[test]
fn remainders_in_rows_of_all_lengths() {
    type Table = Acc<Ix2, f64>;
    let around = |m: Table, by: i32| {
        let ix![h, w] = m.shape();
        generate(ix![h, w], move |ix![i, j]| {
            let at = |i: Exp<i32>, j: Exp<i32>| m.at(ix![i.mod_floor(h), j.mod_floor(w)]);
            let rows = 3.0 * at(i - by, j) - 5.0 * at(i + by, j) + 13.0 * at(i + by, j - by);
            rows + m.at(ix![i, (j + by) % w]) * 7.0 - 11.0 * at(i, j - by) + m.at(ix![i, j])
        })
    };
    let along = |m: Table, by: i32| {
        let ix![h, w] = m.shape();
        generate(ix![h, w], move |ix![i, j]| {
            let at = |j: Exp<i32>| m.at(ix![i, j.mod_floor(w)]);
            (at(j + by) - at(j - by)) * 0.5 + m.at(ix![i, j]) * at(j + by)
        })
    };
    for (h, w) in [
        (1, 1),
        (3, 2),
        (4, 15),
        (5, 64),
        (9, 70),
        (3, 1024),
        (4, 2051),
    ] {
        let elements = squares(h * w).into_iter().map(f64::from).collect();
        let table = Array::from_vec([h as usize, w as usize], elements).unwrap();
        for by in [1, 2, 5] {
            exact(move |m: Table| around(m, by), table.clone());
            exact(move |m: Table| along(m, by), table.clone());
        }
    }
}

/// Neighbours at places that a table has, which is the same for all rows.
#[test]
fn neighbours_by_a_table() {
    type Table = Acc<Ix2, f64>;
    type Places = Acc<Ix1, i32>;
    let slopes = |(m, left, right): (Table, Places, Places)| {
        generate(m.shape(), move |ix![i, j]| {
            let at = |places: Places| m.at(ix![i, places.at(ix![j])]);
            (at(right) - at(left)) * 0.5 + m.at(ix![i, j]) * at(right)
        })
    };
    for (h, w) in [(1, 1), (4, 15), (5, 64), (9, 70), (3, 1024), (4, 2051)] {
        let elements = squares(h * w).into_iter().map(f64::from).collect();
        let table = Array::from_vec([h as usize, w as usize], elements).unwrap();
        let right = vector((0..w).map(|j| (j + 1) % w).collect::<Vec<_>>());
        let left = vector((0..w).map(|j| (j + w - 1) % w).collect::<Vec<_>>());
        exact(slopes, (table.clone(), left.clone(), right.clone()));
        exact(slopes, (table, right, left));
    }
}

/// An element comes from more sources at each end of both dimensions than elsewhere: rows and lanes inside go without these.
#[test]
fn adjoints_of_borders_of_all_kinds() {
    type Table = Acc<Ix2, f64>;
    let boundary = |kind| match kind {
        0 => Boundary::Clamp,
        1 => Boundary::Mirror,
        2 => Boundary::Wrap,
        _last => Boundary::constant(3.0),
    };
    for (h, w) in [(1, 1), (2, 3), (4, 64), (3, 70), (70, 66), (2, 1100)] {
        let elements = squares(h * w).into_iter().map(f64::from);
        let table = Array::from_vec([h as usize, w as usize], elements.collect()).unwrap();
        for kind in 0..4 {
            let around = move |m: Table| {
                m.stencil(boundary(kind), |s| {
                    let near = (-1..=1).flat_map(|i| (-1..=1).map(move |j| [i, j]));
                    let terms = near.map(|[i, j]| f64::from(3 * i + j + 5) * s.at([i, j]));
                    terms.reduce(|x, y| x + y).unwrap()
                })
            };
            let adjoint = move |m: Table| gradient_a(|x| (around(x) * m).sum_all(), m);
            exact(adjoint, table.clone());
        }
    }
}

#[test]
fn clamped_indices_obey_conditions() {
    for n in SIZES {
        let odd = |v: Acc<Ix1, i32>| {
            let n = v.size();
            generate(ix![n], |ix![i]| {
                cond((i % 3).eq_(1), v.at(ix![(i + 1).min(n - 1)]), -i)
            })
        };
        exact(odd, vector(squares(n)));
    }
}

#[test]
fn bounds_may_be_wrong() {
    let wrong = |v: Acc<Ix1, i32>| {
        let n = v.size();
        generate(ix![n], |ix![i]| v.at(ix![(i + 2).max(0).min(n)]))
    };
    let program = compile(wrong).unwrap();
    for n in [1, 2, 100, 3001] {
        let input = vector(squares(n));
        let first = |error: Error| match error {
            Error::Run(RunError::IndexOutOfRange { index, site, .. }) => (index, site.loc),
            other => panic!("{other}"),
        };
        let expected = first(program.interpret(input.clone()).unwrap_err());
        assert_eq!(expected.0, [i64::from(n)]);
        for cpu in cpus() {
            let found = first(program.run(&cpu, input.clone()).unwrap_err());
            assert_eq!(found, expected, "{cpu:?}");
        }
    }
}
