//! Folds, scans, scatters and products of matrices, over each dimension, in each form that they are run in.

use super::*;

both! {
    folds = |x: Vector| (x.sum(), x.fold(0.0, |a, b| a + b), x.fold1(|a, b| b + a));
        |n| (vector::<T>(n), vec![vec![total::<T>(n)]; 3]);
    a_fold_that_starts_from_a_large_number = |x: Vector| x.fold(T::of(T::LARGE), |a, b| a + b);
        |n| {
            let x = Array::vector(vec![T::of(small(n)); n]).unwrap();
            (x, vec![vec![T::LARGE + small(n) * n as f64]])
        };
    sums_beside_others = |x: Vector| {
            let (sum, max) = x.map(|x| (x, x)).fold1(|(a, b), (c, d)| (a + c, b.max(d))).unzip();
            (sum, max)
        };
        |n| (vector::<T>(n), vec![vec![total::<T>(n)], vec![T::LARGE]]);
    few_columns = |m: Matrix| m.transpose().sum();
        |n| (columns::<T>(n, 3), vec![vec![total::<T>(n); 3]]);
    many_columns = |m: Matrix| m.transpose().sum();
        |n| (columns::<T>(n / 64, 300), vec![vec![total::<T>(n / 64); 300]]);
    few_rows = |m: Matrix| m.sum();
        |n| (rows::<T>(3, n), vec![vec![total::<T>(n); 3]]);
    many_rows = |m: Matrix| m.sum();
        |n| (rows::<T>(n / 128, 128), vec![vec![total::<T>(128); n / 128]]);
    many_rows_from_large_numbers = |m: Matrix| m.fold(T::of(T::LARGE), |a, b| a + b);
        |n| (rows::<T>(n / 128, 128), vec![vec![total::<T>(128) + T::LARGE; n / 128]]);
    all_elements = |m: Matrix| m.transpose().sum_all();
        |n| {
            let values = vector::<T>(n).to_vec();
            (Array::from_vec([n / 8, 8], values).unwrap(), vec![vec![total::<T>(n)]])
        };
    dot_products = |x: Vector, y: Vector| x.zip_with(y, |x, y| x * y).sum();
        |n| ((vector::<T>(n), ones::<T>(n)), vec![vec![total::<T>(n)]]);
    products_with_vectors = |m: Matrix, y: Vector| {
            let ix![n, k] = m.shape();
            generate(ix![k, n], |ix![j, i]| m.at(ix![i, j]) * y.at(ix![i])).sum()
        };
        |n| ((columns::<T>(n, 5), ones::<T>(n)), vec![vec![total::<T>(n); 5]]);
    /// The terms of a chunk are added up in `f32`, in the CPU's fused loops.
    products_of_matrices within 20.0 = |a: Matrix, b: Matrix| {
            let (ix![n, k], ix![_, l]) = (a.shape(), b.shape());
            generate(ix![k, l, n], |ix![i, j, m]| a.at(ix![m, i]) * b.at(ix![m, j])).sum().flatten()
        };
        |n| {
            let b = Array::from_vec([n, 4], vec![T::of(1.0); n * 4]).unwrap();
            ((columns::<T>(n, 5), b), vec![vec![total::<T>(n); 20]])
        };
    scans_from_the_left = |x: Vector| (x.scanl1(|a, b| a + b), x.scanl(0.0, |a, b| a + b));
        |n| {
            let with_zero = [vec![0.0], prefixes::<T>(n)].concat();
            (vector::<T>(n), vec![prefixes::<T>(n), with_zero])
        };
    scans_from_the_right = |x: Vector| x.reverse().scanr1(|a, b| a + b).reverse();
        |n| (vector::<T>(n), vec![prefixes::<T>(n)]);
    scans_of_pairs = |x: Vector| {
            let (sums, most) = x.map(|x| (x, x)).scanl1(|(a, b), (c, d)| (a + c, b.max(d))).unzip();
            (sums, most.maximum())
        };
        |n| (vector::<T>(n), vec![prefixes::<T>(n), vec![T::LARGE]]);
    /// An operator that is associative where nothing is negative.
    sums_that_others_need = |x: Vector| {
            let of_pair = |(a, b): (Exp<T>, Exp<T>), (c, d): (Exp<T>, Exp<T>)| (a + c, b.max(d + a.min(0.0)));
            let pairs = x.map(|x| (x, x));
            let ((sum, most), (sums, _)) = (pairs.fold1(of_pair).unzip(), pairs.scanl1(of_pair).unzip());
            (sum, most, sums)
        };
        |n| (vector::<T>(n), vec![vec![total::<T>(n)], vec![T::LARGE], prefixes::<T>(n)]);
    pairs_from_large_numbers = |x: Vector| {
            let from = (constant(T::of(T::LARGE)), constant(T::of(0.0)));
            let pairs = x.map(|x| (x, x)).scanl(from, |(a, b), (c, d)| (a + c, b.max(d)));
            let (sums, most) = pairs.unzip();
            (sums, most.maximum())
        };
        |n| {
            let x = Array::vector(vec![T::of(small(n)); n]).unwrap();
            let sums = (0..=n).map(|i| T::LARGE + small(n) * i as f64).collect();
            (x, vec![sums, vec![small(n)]])
        };
    scans_of_rows = |m: Matrix| m.scanl1(|a, b| a + b).flatten();
        |n| (rows::<T>(20, n / 16), vec![prefixes::<T>(n / 16).repeat(20)]);
    scatters_to_few = |x: Vector| x.permute(Combine::Add, fill(ix![3], T::of(0.0)), |_| (constant(true), ix![1]));
        |n| (vector::<T>(n), vec![vec![0.0, total::<T>(n), 0.0]]);
    scatters_by_data = |x: Vector, to: Acc<Ix1, i32>| x.scatter(Combine::Add, fill(ix![4], T::of(0.0)), to);
        |n| {
            let to = (0..n).map(|i| if i % 2 == 0 { 3 } else { 1 });
            let half = small(n) * (n / 2) as f64;
            let expected = vec![vec![0.0, half, 0.0, T::LARGE + half - small(n)]];
            ((vector::<T>(n), Array::vector(to.collect()).unwrap()), expected)
        };
    scatters_onto_large_numbers = |x: Vector, to: Acc<Ix1, i32>| {
            x.scatter(Combine::Add, fill(ix![2], T::of(T::LARGE)), to)
        };
        |n| {
            let x = Array::vector(vec![T::of(small(n)); n]).unwrap();
            let sum = T::LARGE + small(n) * n as f64;
            ((x, Array::vector(vec![0; n]).unwrap()), vec![vec![sum, T::LARGE]])
        };
    /// As many targets as points.
    scatters_to_many = |x: Vector, to: Acc<Ix1, i32>| {
            x.scatter(Combine::Add, x.map(|_| 0.0 * x.at(ix![0])), to).slice(ix![5])
        };
        |n| ((vector::<T>(n), Array::vector(vec![5; n]).unwrap()), vec![vec![total::<T>(n)]]);
    /// Targets that take turns, at distances that are powers of two.
    scatters_by_columns = |x: Vector, to: Acc<Ix1, i32>| {
            let sums = x.scatter(Combine::Add, fill(ix![x.size()], T::of(0.0)), to);
            (sums.slice(ix![0]), sums.slice(ix![1024]), sums.slice(ix![2048]))
        };
        |n| {
            let to = (0..n as i32).map(|i| i % 3 * 1024).collect();
            let third = |k: usize| small(n) * ((n + 2 - k) / 3) as f64;
            let first = T::LARGE + third(0) - small(n);
            ((vector::<T>(n), Array::vector(to).unwrap()), vec![vec![first], vec![third(1)], vec![third(2)]])
        };
    /// Far more targets than points: most elements are not looked at.
    scatters_to_far_more = |x: Vector, to: Acc<Ix1, i32>| {
            let sums = x.scatter(Combine::Add, fill(ix![x.size() * 9], T::of(0.0)), to);
            (sums.slice(ix![x.size() * 9 - 1]), sums.maximum(), sums.slice(ix![0]))
        };
        |n| {
            let last = Array::vector(vec![9 * n as i32 - 1; n]).unwrap();
            let sum = vec![total::<T>(n)];
            ((vector::<T>(n), last), vec![sum.clone(), sum, vec![0.0]])
        };
}

both! {
    /// A row's greatest number and what it is multiplied by go chunk by chunk, and so do the sums of columns.
    totals_of_strips = |x: Matrix, w: Matrix| {
            let most = w.maximum();
            let scaled = x.zip_with(most.replicate(ix![All, x.inner()]), |x, m| x * m);
            (scaled.transpose().sum(), scaled.sum().map(|s| s - s))
        };
        |n| {
            let w = Array::from_vec([n, 2], vec![T::of(1.0); 2 * n]).unwrap();
            ((columns::<T>(n, 4), w), vec![vec![total::<T>(n); 4], vec![0.0; n]])
        };
}

/// Partial sums of `f16` beyond its greatest number are no infinity.
#[test]
fn sums_of_f16_may_leave_its_range_on_the_way() {
    let numbers = |n: usize| {
        let value = |i: usize| if i < n / 2 { 60_000.0 } else { -60_000.0 };
        let values = (0..n).map(|i| f16_of_f64(value(i)));
        Array::vector(values.chain([f16_of_f64(3.0)]).collect()).unwrap()
    };
    type Vector = Acc<Ix1, f16>;
    let f = |x: Vector, to: Acc<Ix1, i32>| {
        let arrived = x.scatter(Combine::Add, fill(ix![2], f16::ZERO), to);
        (
            x.sum(),
            arrived,
            x.scanl1(|a, b| a + b).slice(ix![x.size() - 1]),
        )
    };
    gives::<f16, _, _>(1.0, f, |n| {
        let to = Array::vector(vec![1; n + 1]).unwrap();
        ((numbers(n), to), vec![vec![3.0], vec![0.0, 3.0], vec![3.0]])
    });
}

/// So that the test above is about what it says.
#[test]
fn a_program_has_a_strip() {
    type Matrix = Acc<Ix2, f32>;
    let program = compile(|x: Matrix, w: Matrix| {
        let most = w.maximum();
        let scaled = x.zip_with(most.replicate(ix![All, x.inner()]), |x, m| x * m);
        (scaled.transpose().sum(), scaled.sum().map(|s| s - s))
    });
    let explanation = program.unwrap().explain().unwrap();
    assert_eq!(
        explanation.rewrites.get("strip-mining"),
        Some(&1),
        "{explanation}"
    );
}
