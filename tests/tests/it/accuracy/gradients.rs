//! Gradients by what is indexed, or spelled in another way: sums of what each index contributes.

use super::*;

both! {
    by_the = |x: Vector, k: Number| value_and_gradient_a(|k: Number| x.map(|x| k.the() * x).sum(), k);
        |n| ((vector::<T>(n), scalar::<T>(1.0)), vec![vec![total::<T>(n)]; 2]);
    by_replicate = |x: Vector, k: Number| {
            let copies = |k: Number| k.replicate(ix![x.size()]);
            gradient_a(|k: Number| copies(k).zip_with(x, |k, x| k * x).sum(), k)
        };
        |n| ((vector::<T>(n), scalar::<T>(1.0)), vec![vec![total::<T>(n)]]);
    by_the_under_a_condition = |x: Vector, k: Number| {
            gradient_a(|k: Number| x.map(|x| cond(x.gt(0.0), k.the() * x, 0.0)).sum(), k)
        };
        |n| ((vector::<T>(n), scalar::<T>(1.0)), vec![vec![total::<T>(n)]]);
    by_an_element = |x: Vector, k: Vector| gradient_a(|k: Vector| x.map(|x| k.at(ix![1]) * x).sum(), k);
        |n| ((vector::<T>(n), ones::<T>(3)), vec![vec![0.0, total::<T>(n), 0.0]]);
    by_rows = |m: Matrix, k: Vector| {
            let product = |k: Vector| generate(m.shape(), |ix![i, j]| k.at(ix![i]) * m.at(ix![i, j]));
            gradient_a(|k: Vector| product(k).sum_all(), k)
        };
        |n| ((rows::<T>(3, n / 4), ones::<T>(3)), vec![vec![total::<T>(n / 4); 3]]);
    /// There are more of these than rows.
    by_columns = |m: Matrix, k: Vector| {
            let product = |k: Vector| generate(m.shape(), |ix![i, j]| k.at(ix![j]) * m.at(ix![i, j]));
            gradient_a(|k: Vector| product(k).sum_all(), k)
        };
        |n| ((columns::<T>(n / 4, 3), ones::<T>(5)), {
            let s = total::<T>(n / 4);
            vec![vec![s, s, s, 0.0, 0.0]]
        });
    by_two_coordinates_swapped = |x: Vector, k: Matrix| {
            let ix![b, a] = k.shape();
            let product = |k: Matrix| generate(ix![a, x.size(), b], |ix![i, j, l]| k.at(ix![l, i]) * x.at(ix![j]));
            gradient_a(|k: Matrix| product(k).sum_all(), k).flatten()
        };
        |n| {
            let k = Array::from_vec([2, 3], vec![T::of(1.0); 6]).unwrap();
            ((vector::<T>(n / 4), k), vec![vec![total::<T>(n / 4); 6]])
        };
    by_the_first_row = |m: Matrix, k: Matrix| {
            let product = |k: Matrix| generate(m.shape(), |ix![i, j]| k.at(ix![0, j]) * m.at(ix![i, j]));
            gradient_a(|k: Matrix| product(k).sum_all(), k).flatten()
        };
        |n| {
            let k = Array::from_vec([2, 3], vec![T::of(1.0); 6]).unwrap();
            let s = total::<T>(n / 4);
            ((columns::<T>(n / 4, 3), k), vec![vec![s, s, s, 0.0, 0.0, 0.0]])
        };
    by_backpermute = |x: Vector, k: Vector| {
            let copies = |k: Vector| k.backpermute(ix![2, x.size()], |ix![i, _]| ix![1 - i]);
            gradient_a(|k: Vector| copies(k).zip_with(x.replicate(ix![2, All]), |k, x| k * x).sum_all(), k)
        };
        |n| ((vector::<T>(n), ones::<T>(2)), vec![vec![total::<T>(n); 2]]);
    /// A scatter: where the elements go is data.
    by_a_looked_up_element = |x: Vector, to: Acc<Ix1, i32>, k: Vector| {
            gradient_a(|k: Vector| x.zip_with(to, |x, i| k.at(ix![i]) * x).sum(), k)
        };
        |n| {
            let to = Array::vector(vec![1; n]).unwrap();
            ((vector::<T>(n), to, ones::<T>(3)), vec![vec![0.0, total::<T>(n), 0.0]])
        };
}

/// The program of the report: 16,777,216 and one more is 16,777,216 in `f32`.
#[test]
fn twenty_million_ones() {
    const N: usize = 20_000_000;
    let program = compile(|x: Acc<Ix1, f32>, k: Acc<Z, f32>| {
        value_and_gradient_a(|k: Acc<Z, f32>| x.map(|x| k.the() * x).sum(), k)
    });
    let (x, k) = (Array::vector(vec![1f32; N]).unwrap(), scalar(1.0));
    let found = program.unwrap().run(&Cpu::default(), (x, k)).unwrap();
    let (value, gradient) = found;
    assert_eq!((value.to_vec(), gradient.to_vec()), (vec![2e7], vec![2e7]));
}

/// The kinds of a program's kernels.
fn kinds<M, F: AccFn<M>>(f: F) -> Vec<String> {
    let explanation = compile(f).unwrap().explain().unwrap();
    let kinds = explanation.kernels.iter();
    kinds
        .map(|kernel| format!("{:?}", kernel.kind).to_lowercase())
        .collect()
}

/// An outer product has a sum for each factor, like one of factors that are replicated; and no scatter, whether the
/// index is in range or the element is read at all.
#[test]
fn what_is_indexed_by_coordinates_is_not_scattered() {
    type Vector = Acc<Ix1, f64>;
    type Matrix = Acc<Ix2, f64>;
    let at = kinds(|x: Vector, y: Vector, w: Matrix| {
        let outer = |x: Vector, y: Vector| {
            generate(w.shape(), |ix![i, j]| {
                x.at(ix![i]) * y.at(ix![j]) * w.at(ix![i, j])
            })
            .sum_all()
        };
        gradient_a(|(x, y): (Vector, Vector)| outer(x, y), (x, y))
    });
    let replicated = kinds(|x: Vector, y: Vector, w: Matrix| {
        let outer = |x: Vector, y: Vector| {
            let (x, y) = (
                x.replicate(ix![All, w.inner()]),
                y.replicate(ix![x.size(), All]),
            );
            x.zip_with3(y, w, |x, y, w| x * y * w).sum_all()
        };
        gradient_a(|(x, y): (Vector, Vector)| outer(x, y), (x, y))
    });
    let is_sum = |kind: &&String| ["reduce", "contract"].contains(&kind.as_str());
    for kinds in [&at, &replicated] {
        assert_eq!(kinds.iter().filter(is_sum).count(), 2, "{kinds:?}");
        assert!(!kinds.contains(&"scatter".to_owned()), "{kinds:?}");
    }
    let conditional = kinds(|x: Matrix, k: Vector| {
        let f = |k: Vector| {
            let value = |ix![i, j]: Ix2| {
                let there = i.lt(j).and(j.lt(k.size()));
                cond(there, k.at(ix![j]) * x.at(ix![i, j]), 0.0)
            };
            generate(x.shape(), value).sum_all()
        };
        gradient_a(f, k)
    });
    assert!(
        !conditional.contains(&"scatter".to_owned()),
        "{conditional:?}"
    );
}
