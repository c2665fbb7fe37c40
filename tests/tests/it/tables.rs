//! Loops that write tables row by row, on every engine: by `permute` into what they carry, and by stacking outputs.

use super::loops::{exact, runs, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, Error, compile};
use cotangent_core::deep::with_deep_stack;
use cotangent_fusion::{Options, schedule_with_report};
use cotangent_tests::engines::Stages;
use cotangent_tests::generate::Case;

/// What fusion calls it.
const IN_PLACE: &str = "permute into what a loop carries";

type Ints = Acc<Ix1, i32>;
type Table = Acc<Ix2, i32>;

/// The table with a row, which may be made of other rows, written into it.
fn with_row(table: Table, at: Exp<i32>, row: Ints) -> Table {
    row.permute(Combine::Overwrite, table, |ix![j]| (true, ix![at, j]))
}

/// Binomial coefficients, each row made of the one before it.
fn pascal(n: Exp<i32>) -> Table {
    let step = |k: Exp<i32>, table: Table| {
        let row = generate(ix![n], |ix![j]| {
            let above = |j: Exp<i32>| cond(k.gt(0).and(j.ge(0)), table.at(ix![k - 1, j]), 0);
            cond(j.eq_(0), 1, above(j) + above(j - 1))
        });
        with_row(table, k, row)
    };
    aiterate(n, step, fill(ix![n, n], 0))
}

fn host_pascal(n: usize) -> Vec<i32> {
    let mut table = vec![0; n * n];
    for k in 0..n {
        table[k * n] = 1;
        for j in 1..=k {
            table[k * n + j] = table[(k - 1) * n + j] + table[(k - 1) * n + j - 1];
        }
    }
    table
}

#[test]
fn rows_are_made_of_rows_before() {
    for n in [0, 1, 2, 17] {
        let found = exact(|n: Acc<Ix0, i32>| pascal(n.the()), Array::scalar(n));
        assert_eq!(found.to_vec(), host_pascal(n as usize), "{n} rows");
    }
}

/// How often the compiler had a permute write into the memory of what it starts from.
fn in_place<M, F: cotangent_core::surface::AccFn<M>>(f: F) -> usize {
    let explained = compile(f).unwrap().explain().unwrap();
    explained.rewrites.get(IN_PLACE).copied().unwrap_or(0)
}

#[test]
fn tables_are_written_in_place() {
    assert_eq!(in_place(|n: Acc<Ix0, i32>| pascal(n.the())), 1);
    // Two writes a trip.
    let twice = |t: Table| {
        let ones = fill(ix![t.inner()], 1);
        aiterate(2, |k, t| with_row(with_row(t, k, ones), k + 1, ones), t)
    };
    assert_eq!(in_place(twice), 2);
    let table = Array::from_vec([4, 2], (0..8).collect()).unwrap();
    assert_eq!(exact(twice, table).to_vec(), [1, 1, 1, 1, 1, 1, 6, 7]);
}

#[test]
fn what_is_read_later_is_not_written_over() {
    let start = || Array::from_vec([3, 2], vec![1, 2, 3, 4, 5, 6]).unwrap();
    let ones = |t: Table| fill(ix![t.inner()], 1);
    // The first state lives on, and is read in the step.
    let outside = |t: Table| {
        let step = |k, u: Table| with_row(u, k, t.slice(ix![k, All]).map(|x| 10 * x));
        (aiterate(2, step, t), t)
    };
    let (found, kept) = exact(outside, start());
    assert_eq!(found.to_vec(), [10, 20, 30, 40, 5, 6]);
    assert_eq!(kept.to_vec(), start().to_vec());
    // The old table is a state, too.
    let both = |t: Table| aiterate(2, |k, (u, _)| (with_row(u, k, ones(u)), u), (t, t));
    let (new, old) = exact(both, start());
    assert_eq!(new.to_vec(), [1, 1, 1, 1, 5, 6]);
    assert_eq!(old.to_vec(), [1, 1, 3, 4, 5, 6]);
    assert_eq!(in_place(both), 0);
    // What is made of the old one is computed where it is read: after the write.
    let late = |t: Table| {
        let step = |k: Exp<i32>, (u, _): (Table, Ints)| {
            let sums = u.map(|x| x + 1).sum();
            let column = u.slice(ix![All, 0]);
            let new = with_row(u, k, ones(u));
            (
                new,
                column
                    .zip_with(new.sum(), |x, y| x + 10 * y)
                    .zip_with(sums, |x, y| x + 100 * y),
            )
        };
        aiterate(2, step, (t, fill(ix![3], 0)))
    };
    let (_, sums) = exact(late, start());
    // After the first trip 1 1, 3 4, 5 6; after the second 1 1, 1 1, 5 6.
    assert_eq!(sums.to_vec(), [1 + 20 + 400, 3 + 20 + 900, 5 + 110 + 1300]);
}

#[test]
fn the_host_reads_what_was_written() {
    // The test and the step read the same element, which each trip changes in place.
    let count = |v: Ints| {
        let step = |_, v: Ints| {
            let old = v.at(ix![0]);
            let bumped = cond(old.gt(2), old + 2, old + 1);
            let v = fill(ix![1], 0).permute(Combine::Overwrite, v, |_| (true, ix![0]));
            let sum = v.fold(bumped, |x, y| x + y);
            unit(sum.the()).permute(Combine::Add, v, |ix![]| (true, ix![0]))
        };
        awhile(|v| v.at(ix![0]).lt(9), step, v)
    };
    assert_eq!(exact(count, vector([1])).to_vec(), [9]);
}

#[test]
fn states_that_change_places_are_written_in_place() {
    let swap = |a: Ints, b: Ints, n: Acc<Ix0, i32>| {
        let step = |k: Exp<i32>, (a, b): (Ints, Ints)| {
            let a = unit(k).permute(Combine::Add, a, |ix![]| (true, ix![k % 2]));
            (b, a)
        };
        aiterate(n.the(), step, (a, b))
    };
    for n in 0..5 {
        let (mut a, mut b) = (vec![10, 20], vec![30, 40]);
        for k in 0..n {
            a[k % 2] += k as i32;
            std::mem::swap(&mut a, &mut b);
        }
        let input = (vector([10, 20]), vector([30, 40]), Array::scalar(n as i32));
        let (found_a, found_b) = exact(swap, input);
        assert_eq!((found_a.to_vec(), found_b.to_vec()), (a, b), "{n} trips");
    }
}

#[test]
fn nested_loops_share_a_table() {
    // Each element is written by a trip of its own; distances are the sums of those above and to the left.
    let paths = |n: Acc<Ix0, i32>| {
        let n = n.the();
        let cell = |i: Exp<i32>| {
            move |j: Exp<i32>, t: Table| {
                let at = |i: Exp<i32>, j: Exp<i32>| cond(i.ge(0).and(j.ge(0)), t.at(ix![i, j]), 0);
                let sum = at(i - 1, j) + at(i, j - 1);
                let first = i.eq_(0).and(j.eq_(0));
                unit(cond(first, 1, sum)).permute(Combine::Overwrite, t, |ix![]| (true, ix![i, j]))
            }
        };
        aiterate(n, |i, t| aiterate(n, cell(i), t), fill(ix![n, n], 0))
    };
    let found = exact(paths, Array::scalar(4)).to_vec();
    assert_eq!(found, [1, 1, 1, 1, 1, 2, 3, 4, 1, 3, 6, 10, 1, 4, 10, 20]);
}

#[test]
fn rows_out_of_range_fail_in_their_trip() {
    let program = compile(|t: Table| {
        let ones = fill(ix![t.inner()], 1);
        aiterate(5, |k, t| with_row(t, k, ones), t)
    });
    let input = Array::from_vec([3, 2], vec![0; 6]).unwrap();
    let error = program.unwrap().run(&Cpu::default(), input).unwrap_err();
    assert!(error.to_string().contains("in trip 3"), "{error}");
}

/// Sums of rows, with the number of each trip and the sums so far as outputs.
fn sums(rows: Table, reverse: bool) -> (Ints, (Table, Ints)) {
    let init = fill(ix![rows.inner()], 0);
    let step = |k: Exp<i32>, sum: Ints, row: Ints| {
        let sum = sum.zip_with(row, |x, y| x + y);
        (sum, (sum, unit(k)))
    };
    match reverse {
        false => ascan(rows, step, init),
        true => ascan_reverse(rows, step, init),
    }
}

#[test]
fn outputs_are_stacked() {
    for (h, w) in [(0, 3), (1, 1), (3, 0), (4, 3), (100, 20)] {
        let input: Vec<i32> = (0..h * w).map(|k| (k * k) % 23).collect();
        for reverse in [false, true] {
            let mut sum = vec![0; w as usize];
            let mut stacked = vec![vec![]; h as usize];
            for trip in 0..h {
                let k = if reverse { h - 1 - trip } else { trip };
                (0..w).for_each(|j| sum[j as usize] += input[(k * w + j) as usize]);
                stacked[k as usize] = sum.clone();
            }
            let rows = Array::from_vec([h as usize, w as usize], input.clone()).unwrap();
            let (last, (all, numbers)) = exact(move |m: Table| sums(m, reverse), rows);
            assert_eq!(last.to_vec(), sum);
            assert_eq!(all.shape(), [h as usize, w as usize]);
            assert_eq!(all.to_vec(), stacked.concat());
            assert_eq!(numbers.to_vec(), (0..h).collect::<Vec<_>>());
        }
    }
    assert_eq!(in_place(|m: Table| sums(m, false)), 2);
    assert_eq!(in_place(|m: Table| sums(m, true)), 2);
}

#[test]
fn the_least_number_of_rows_counts() {
    let pairs = |a: Ints, b: Table, n: Acc<Ix0, i32>| {
        let step = |_, (): (), (x, row, ()): (Acc<Ix0, i32>, Ints, ())| {
            ((), (row.map(|y| x.the() * y), row.sum()))
        };
        let ((), stacked) = ascan((a, b, n.the()), step, ());
        stacked
    };
    let table = || Array::from_vec([2, 2], vec![1, 2, 3, 4]).unwrap();
    for (n, rows) in [(9, 2), (1, 1), (0, 0), (-1, 0)] {
        let input = (vector([10, 20, 30]), table(), Array::scalar(n));
        let (scaled, sums) = exact(pairs, input);
        assert_eq!(scaled.to_vec(), [10, 20, 60, 80][..2 * rows]);
        assert_eq!(sums.to_vec(), [3, 7][..rows]);
    }
}

#[test]
fn scans_nest_and_stop() {
    // The trips of an inner scan, as far as they were made, for each row.
    let program = |rows: Table, most: Acc<Ix0, i32>| {
        let outer = |_, total: Acc<Ix0, i32>, row: Ints| {
            let inner = |_, sum: Acc<Ix0, i32>, x: Acc<Ix0, i32>| {
                let sum = sum.zip_with(x, |s, x| s + x);
                (sum, sum)
            };
            let few = |sum: Acc<Ix0, i32>| sum.the().lt(most.the());
            let (trips, sum, sums) = ascan_while(row, few, inner, unit(0));
            (total.zip_with(sum, |x, y| x + y), (sums, unit(trips)))
        };
        ascan(rows, outer, unit(0))
    };
    let rows = Array::from_vec([2, 3], vec![1, 2, 3, 5, 6, 7]).unwrap();
    let (total, (sums, trips)) = exact(program, (rows, Array::scalar(5)));
    assert_eq!(total.item(), 6 + 5);
    assert_eq!(sums.to_vec(), [1, 3, 6, 5, 0, 0]);
    assert_eq!(trips.to_vec(), [3, 1]);
}

#[test]
fn columns_of_tuples_are_stacked() {
    let program = |xs: Acc<Ix1, f64>| {
        let step = |k: Exp<i32>, s: Acc<Ix0, (f64, i32)>, x: Acc<Ix0, f64>| {
            let next = unit((s.the().0 * 0.5 + x.the(), s.the().1 + k));
            (next, next)
        };
        ascan(xs, step, unit((0.0_f64, 0_i32))).1
    };
    let found = runs(&compile(program).unwrap(), vector([1.0, 2.0, 4.0]), 1e-12);
    assert_eq!(found.to_vec(), [(1.0, 0), (2.5, 1), (5.25, 3)]);
}

#[test]
fn extents_of_rows_follow_from_shapes() {
    // The extents of the state shrink in the first trip, and stay; rows are as the state of the next trip.
    let shrinks = |a: Ints, b: Ints| {
        let step = |_, s: Ints, ()| {
            let s = s.zip_with(b, |x, y| x + y);
            (s, (s.append(s), s.scanl(0, |x, y| x + y)))
        };
        ascan(3, step, a).1
    };
    let (twice, sums) = exact(shrinks, (vector([1, 2, 3]), vector([10, 20])));
    assert_eq!((twice.shape(), sums.shape()), (&[3, 4][..], &[3, 3][..]));
    assert_eq!(sums.to_vec(), [0, 11, 33, 0, 21, 63, 0, 31, 93]);
}

fn refused<T>(program: Result<T, Error>, row: &str) {
    let text = program.err().map_or(String::new(), |e| e.to_string());
    assert!(text.contains(row) && text.contains("tables.rs"), "{text}");
}

#[test]
fn rows_of_unknown_extents_are_refused() {
    // One element more in each trip.
    let grows = |v: Ints| ascan(3, |_, v: Ints, ()| (v.append(v), (unit(0), v)), v);
    refused(compile(grows), "output 1 of the step");
    // As many elements as an element says.
    let filtered = |v: Ints| ascan(v, |_, (), x: Acc<Ix0, i32>| ((), fill(ix![x.the()], 1)), ());
    refused(compile(filtered), "output 0 of the step");
    // A state that grows is no obstacle to rows that do not.
    let apart = |v: Ints| ascan(3, |_, v: Ints, ()| (v.append(v), unit(v.size())), v);
    let (last, sizes) = exact(apart, vector([7]));
    assert_eq!((last.to_vec(), sizes.to_vec()), (vec![7; 8], vec![1, 2, 4]));
}

#[test]
fn generated_loops_write_into_what_they_carry() {
    let fired = (0..800).filter(|&seed| {
        let case = Case::from_seed(seed);
        with_deep_stack(|| {
            let derived = Stages::new(&case).derived().ok()?;
            let (_, report) = schedule_with_report(&derived, &Options::default()).ok()?;
            report.fired.get(IN_PLACE).copied()
        })
        .is_some()
    });
    let fired = fired.count();
    assert!(fired >= 12, "{fired} of 800");
}

#[test]
fn rows_are_scanned_in_order() {
    // What is not associative: each element is the last result, halved, plus its own position and value.
    let forwards = |m: Table| {
        let step = |k: Exp<i32>, s: Exp<i32>, x: Exp<i32>| (s / 2 + k + x, 10 * s);
        m.scan_seq(7, step)
    };
    let backwards = |m: Table| {
        let step = |k: Exp<i32>, (s, t): (Exp<i32>, Exp<i32>), x: Exp<i32>| {
            let next = s / 2 + k + x;
            ((next, s), (t, next))
        };
        m.scan_seq_right((7, 9), step)
    };
    for (h, w) in [(0, 3), (3, 0), (1, 1), (2, 5), (70, 9)] {
        let input: Vec<i32> = (0..h * w).map(|k| (k * k) % 23).collect();
        let rows = || Array::from_vec([h as usize, w as usize], input.clone()).unwrap();
        let (mut last, mut outputs) = (vec![], vec![]);
        let mut right = vec![];
        for i in 0..h {
            let mut s = 7;
            for k in 0..w {
                outputs.push(10 * s);
                s = s / 2 + k + input[(i * w + k) as usize];
            }
            last.push(s);
            let (mut s, mut t) = (7, 9);
            let mut row = vec![(0, 0); w as usize];
            for k in (0..w).rev() {
                let next = s / 2 + k + input[(i * w + k) as usize];
                row[k as usize] = (t, next);
                (s, t) = (next, s);
            }
            right.extend(row);
        }
        let (states, made) = exact(forwards, rows());
        assert_eq!(
            (states.to_vec(), made.to_vec()),
            (last, outputs),
            "{h} × {w}"
        );
        assert_eq!(made.shape(), [h as usize, w as usize]);
        let (_, made) = exact(backwards, rows());
        assert_eq!(made.to_vec(), right, "{h} × {w}");
    }
}

/// The outputs of a loop that adds rows up, and whether the sums are small.
fn sums_of<T: Num>(rows: Acc<Ix2, T>, [zero, small]: [T; 2]) -> (Acc<Ix2, T>, Acc<Ix2, bool>)
where
    Exp<T>: std::ops::Add<Output = Exp<T>>,
{
    let step = |_, sum: Acc<Ix1, T>, row: Acc<Ix1, T>| {
        let sum = sum.zip_with(row, |x, y| x + y);
        (sum, (sum, sum.map(|x| x.lt(constant(small)))))
    };
    let zero = rows.slice(ix![0, All]).map(|_| constant(zero));
    ascan(rows, step, zero).1
}

#[test]
fn rows_of_other_types_are_stacked() {
    macro_rules! sums {
        ($($t:ty)*) => {$(
            let rows = Array::from_vec([2, 2], [1, 2, 3, 4].map(|x| x as $t).to_vec()).unwrap();
            let (sums, small) = exact(|rows: Acc<Ix2, $t>| sums_of(rows, [0 as $t, 4 as $t]), rows);
            assert_eq!(sums.to_vec(), [1, 2, 4, 6].map(|x| x as $t));
            assert_eq!(small.to_vec(), [true, true, false, false]);
        )*};
    }
    sums!(f32 f64 i64 u32);
}
