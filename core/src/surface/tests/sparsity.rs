//! Sparse Jacobians: patterns, colors, and values against dense ones.

use super::values::{Vector, run, vector};
use crate::backend::RunError;
use crate::surface::prelude::*;

/// The pattern of n rows with the given columns.
fn pattern(columns: usize, rows: &[Vec<usize>]) -> SparsityPattern {
    let mut offsets = vec![0];
    offsets.extend(rows.iter().scan(0, |end, row| {
        *end += row.len();
        Some(*end)
    }));
    SparsityPattern::new(columns, offsets, rows.concat()).unwrap()
}

fn tridiagonal(n: usize) -> Vec<Vec<usize>> {
    let row = |i: usize| (i.saturating_sub(1)..(i + 2).min(n)).collect();
    (0..n).map(row).collect()
}

/// Diagonal, first column, and where `full` the first row.
fn arrow(n: usize, full: bool) -> Vec<Vec<usize>> {
    let row = |i: usize| match i {
        0 if full => (0..n).rev().collect(),
        0 => vec![0],
        _ => vec![i, 0],
    };
    (0..n).map(row).collect()
}

/// Σ over the columns j of row i of (2 + i - j)·xⱼ²: not symmetric.
fn squares(rows: &[Vec<usize>]) -> impl Fn(Vector) -> Vector + Copy + use<> {
    let n = rows.len();
    let mut mask = vec![0.0; n * n];
    for (i, row) in rows.iter().enumerate() {
        for &j in row {
            mask[n * i + j] = 2.0 + i as f64 - j as f64;
        }
    }
    let mask: &'static Array<Ix2, f64> =
        Box::leak(Box::new(Array::from_vec([n, n], mask).unwrap()));
    move |x: Vector| {
        let all = x.replicate(ix![n, All]);
        use_(mask).zip_with(all, |m, x| m * x * x).sum()
    }
}

fn check(rows: &[Vec<usize>], colors: usize) {
    let n = rows.len();
    let pattern = pattern(n, rows);
    assert_eq!(
        (pattern.colors(), pattern.entries()),
        (colors, rows.concat().len())
    );
    let mut met = std::collections::BTreeSet::new();
    for (i, j) in pattern.coordinates() {
        let (line, crossing) = match pattern.colored() {
            Colored::Columns => (j, i),
            Colored::Rows => (i, j),
        };
        assert!(
            met.insert((pattern.color_of(line).unwrap(), crossing)),
            "{i}, {j}"
        );
    }
    let f = squares(rows);
    let both = |x| (jacobian_sparse(f, x, &pattern), jacobian_forward(f, x));
    let x = (0..n).map(|i| 1.0 + i as f64).collect::<Vec<_>>();
    let (sparse, dense) = run(both, vector(x)).unwrap();
    let places = rows
        .iter()
        .enumerate()
        .flat_map(|(i, row)| row.iter().map(move |&j| (i, j)));
    let expected: Vec<_> = places.map(|(i, j)| dense.get([i, j]).unwrap()).collect();
    assert_eq!(sparse.to_vec(), expected);
}

#[test]
fn bands_and_arrows() {
    for (n, colors) in [(0, 0), (1, 1), (2, 2), (3, 3), (4, 3), (5, 3), (20, 3)] {
        check(&tridiagonal(n), colors);
    }
    for n in [2, 3, 12] {
        check(&arrow(n, false), 2);
        check(&arrow(n, true), n);
    }
    check(&[vec![2], vec![], vec![2, 0]], 2);
}

#[test]
fn rows_take_fewer_colors() {
    // One dense row and a diagonal: a color for each column, but two for all rows.
    let row = |i: usize| if i == 0 { (0..9).collect() } else { vec![i] };
    let rows: Vec<_> = (0..9).map(row).collect();
    check(&rows, 2);
    let by_rows = pattern(9, &rows);
    assert_eq!(
        (by_rows.colored(), by_rows.color_of(9)),
        (Colored::Rows, None)
    );
    assert_ne!(by_rows.color_of(0), by_rows.color_of(1));
    let by_columns = by_rows.colored_by(Colored::Columns).unwrap();
    assert_eq!(
        (by_columns.colored(), by_columns.colors()),
        (Colored::Columns, 9)
    );
    assert_eq!(by_columns.colored_by(Colored::Rows).unwrap().colors(), 2);
    let f = squares(&rows);
    let both = |x| {
        (
            jacobian_sparse(f, x, &by_rows),
            jacobian_sparse(f, x, &by_columns),
        )
    };
    let (found, expected) = run(both, vector(numbers(9))).unwrap();
    assert_eq!(found.to_vec(), expected.to_vec());
    // The bound of rows is the lesser, but their colors are not fewer: three columns meet in no row, and three rows in pairs.
    let triangle = pattern(4, &[vec![0, 1, 3], vec![1, 2], vec![0, 2]]);
    assert_eq!(
        (triangle.colored(), triangle.colors()),
        (Colored::Columns, 3)
    );
}

fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|i| 1.0 + i as f64).collect()
}

#[test]
fn blocks_are_contiguous() {
    // Two rows of three columns of blocks of two by three.
    let (offsets, indices) = (vec![0, 2, 3], vec![2, 0, 1]);
    let pattern =
        SparsityPattern::from_blocks([2, 3], 3, offsets.clone(), indices.clone()).unwrap();
    assert_eq!(
        (pattern.rows(), pattern.columns(), pattern.entries()),
        (4, 9, 18)
    );
    assert_eq!(pattern.block_shape(), [2, 3]);
    assert_eq!(pattern.row_offsets().unwrap().to_vec(), [0, 2, 3]);
    assert_eq!(pattern.column_indices().unwrap().to_vec(), [2, 0, 1]);
    let mut rows = vec![vec![]; 4];
    pattern.coordinates().for_each(|(i, j)| rows[i].push(j));
    assert_eq!(
        rows,
        [
            vec![6, 7, 8, 0, 1, 2],
            vec![6, 7, 8, 0, 1, 2],
            vec![3, 4, 5],
            vec![3, 4, 5]
        ]
    );
    let mut mask = vec![0.0; 36];
    pattern
        .coordinates()
        .for_each(|(i, j)| mask[9 * i + j] = (9 * i + j) as f64);
    let mask = Array::from_vec([4, 9], mask).unwrap();
    let f = |x: Vector| {
        use_(&mask)
            .zip_with(x.replicate(ix![4, All]), |m, x| m * x)
            .sum()
    };
    for colored in [Colored::Rows, Colored::Columns] {
        let pattern = pattern.colored_by(colored).unwrap();
        let colors = if colored == Colored::Rows { 2 } else { 6 };
        assert_eq!(pattern.colors(), colors);
        let found = run(|x| jacobian_sparse(f, x, &pattern), vector(numbers(9))).unwrap();
        let own = pattern.coordinates().map(|(i, j)| (9 * i + j) as f64);
        assert_eq!(found.to_vec(), own.collect::<Vec<_>>());
        // The second block of the first row.
        assert_eq!(found.to_vec()[6..12], [0.0, 1.0, 2.0, 9.0, 10.0, 11.0]);
    }
    assert_eq!(pattern.colored(), Colored::Rows);
}

#[test]
fn hessians_that_do_not_fit() {
    let f = |x: Vector| x.map(|x| x * x * x).sum();
    let square = pattern(2, &[vec![0], vec![1]]);
    for colored in [Colored::Rows, Colored::Columns] {
        let square = square.colored_by(colored).unwrap();
        let found = run(|x| hessian_sparse(f, x, &square), vector([1.0, 2.0])).unwrap();
        assert_eq!(found.to_vec(), [6.0, 12.0]);
        let error = run(|x| hessian_sparse(f, x, &square), vector([1.0])).unwrap_err();
        assert!(matches!(error, RunError::SizeMismatch { .. }), "{error:?}");
    }
    for wide in [pattern(2, &[vec![0, 1]]), pattern(1, &[vec![0], vec![0]])] {
        for colored in [Colored::Rows, Colored::Columns] {
            let wide = wide.colored_by(colored).unwrap();
            let x = vector(numbers(wide.columns()));
            let error = run(|x| hessian_sparse(f, x, &wide), x).unwrap_err();
            assert!(matches!(error, RunError::SizeMismatch { .. }), "{error:?}");
        }
    }
    let cubes = |x: Acc<Ix1, f32>| x.map(|x| x * x * x).sum();
    let found = run(
        |x| hessian_sparse(cubes, x, &square),
        vector([1.0_f32, 2.0]),
    )
    .unwrap();
    assert_eq!(found.to_vec(), [6.0_f32, 12.0]);
    let nothing = pattern(0, &[]);
    let found = run(|x| hessian_sparse(f, x, &nothing), vector([])).unwrap();
    assert_eq!(found.to_vec(), []);
}

/// Columns that share rows with most others get their colors first, or this path would take three.
#[test]
fn large_degrees_come_first() {
    // 0 - 3 - 2 - 1: in the order of columns, the ends 0 and 1 would get one color, and 2 and 3 two others.
    let path = [vec![0, 3], vec![2, 3], vec![1, 2]];
    assert_eq!(pattern(4, &path).colors(), 2);
}

#[test]
fn columns_without_entries_have_no_color() {
    let pattern = pattern(3, &[vec![2]]);
    let colors = [0, 1, 2, 3].map(|column| pattern.color_of(column));
    assert_eq!(colors, [None, None, Some(0), None]);
    // Their derivatives, which the pattern says are zero, are not added to others.
    let f = |x: Vector| x.sum().reshape(ix![1]);
    let found = run(|x| jacobian_sparse(f, x, &pattern), vector([1.0, 2.0, 3.0])).unwrap();
    assert_eq!(found.to_vec(), [1.0]);
}

#[test]
fn shapes_that_differ_from_the_pattern() {
    let pattern = pattern(2, &[vec![0], vec![1]]);
    let f = |x: Vector| x.map(|x| x * x);
    let right = run(|x| jacobian_sparse(f, x, &pattern), vector([1.0, 2.0])).unwrap();
    assert_eq!(right.to_vec(), [2.0, 4.0]);
    for x in [vec![], vec![1.0], vec![1.0, 2.0, 3.0]] {
        let error = run(|x| jacobian_sparse(f, x, &pattern), vector(x)).unwrap_err();
        assert!(matches!(error, RunError::SizeMismatch { .. }), "{error:?}");
    }
    let longer = |x: Vector| x.append(x);
    let by_rows = pattern.colored_by(Colored::Rows).unwrap();
    for pattern in [&pattern, &by_rows] {
        let error = run(|x| jacobian_sparse(longer, x, pattern), vector([1.0, 2.0])).unwrap_err();
        assert!(error.to_string().contains("sparsity.rs"), "{error}");
        assert!(matches!(error, RunError::SizeMismatch { .. }), "{error:?}");
    }
}

#[test]
fn derivatives_of_sparse_jacobians() {
    let pattern = pattern(2, &[vec![0], vec![1]]);
    let f = |x: Vector| x.map(|x| x * x * x);
    let sum = |x| jacobian_sparse(f, x, &pattern).sum();
    let found = run(|x| gradient_a(sum, x), vector([1.0, 2.0])).unwrap();
    assert_eq!(found.to_vec(), [6.0, 12.0]);
}

#[test]
fn what_is_no_pattern() {
    let of = |columns, offsets: &[usize], indices: &[usize]| {
        SparsityPattern::new(columns, offsets.to_vec(), indices.to_vec()).map(|_| ())
    };
    use SparsityError::*;
    assert_eq!(of(2, &[], &[]), Err(NoOffsets));
    assert_eq!(of(2, &[1], &[0]), Err(FirstOffset { found: 1 }));
    let decreasing = Decreasing {
        row: 1,
        start: 2,
        end: 1,
    };
    assert_eq!(of(2, &[0, 2, 1], &[0]), Err(decreasing));
    assert_eq!(
        of(2, &[0, 1], &[0, 1]),
        Err(Entries {
            last: 1,
            entries: 2
        })
    );
    assert_eq!(
        of(2, &[0, 3], &[0, 1]),
        Err(Entries {
            last: 3,
            entries: 2
        })
    );
    let column = Column {
        row: 1,
        column: 2,
        columns: 2,
    };
    assert_eq!(of(2, &[0, 1, 2], &[0, 2]), Err(column));
    assert_eq!(
        of(2, &[0, 2], &[1, 1]),
        Err(Duplicate { row: 0, column: 1 })
    );
    assert_eq!(of(2, &[0, 1, 2], &[1, 1]), Ok(()));
    let blocks = |block, columns| SparsityPattern::from_blocks(block, columns, vec![0], vec![]);
    let empty = |rows, columns| EmptyBlock { rows, columns };
    assert_eq!(blocks([0, 2], 2).map(|_| ()), Err(empty(0, 2)));
    assert_eq!(blocks([2, 0], 2).map(|_| ()), Err(empty(2, 0)));
    assert!(matches!(blocks([1, usize::MAX], 2), Err(Array(_))));
    assert!(matches!(blocks([1, 1 << 20], 1 << 20), Err(Array(_))));
    assert!(matches!(of(usize::MAX, &[0], &[]), Err(Array(_))));
    assert_eq!(of(0, &[0], &[]), Ok(()));
}
