//! Which folds become contractions.

use super::*;
use cotangent_core::schedule::Role::{self, Batch, Left, Right};
use cotangent_core::schedule::Semiring;

/// The sum over the last coordinate of what `element` makes of inputs read at coordinates; `reads` names
/// the coordinates of each input.
fn summed(
    sizes: &[usize],
    reads: &[&[usize]],
    element: impl FnOnce(&mut FunBuilder, &[ExpId]) -> ExpId,
) -> Subject {
    folded(Prim::Add, sizes, reads, element)
}

/// The same with another operation than addition, from zero on.
fn folded(
    plus: Prim,
    sizes: &[usize],
    reads: &[&[usize]],
    element: impl FnOnce(&mut FunBuilder, &[ExpId]) -> ExpId,
) -> Subject {
    let input = |axes: &&[usize]| {
        let shape: Vec<_> = axes.iter().map(|&a| sizes[a]).collect();
        let count = shape.iter().product();
        let elements: Vec<_> = (0..count).map(|i: usize| i as f64 * 0.5 - 2.0).collect();
        host(&shape, &elements)
    };
    let inputs: Vec<_> = reads.iter().map(input).collect();
    subject(&inputs, |b, xs| {
        let shape: Vec<_> = sizes.iter().map(|&n| n as i32).collect();
        let mut f = FunBuilder::new();
        let at: Vec<_> = sizes.iter().map(|_| f.param(I32)).collect();
        let mut values = vec![];
        for (x, axes) in xs.iter().zip(reads) {
            let index: Vec<_> = axes.iter().map(|&a| at[a]).collect();
            values.push(f.index(x, &index));
        }
        let result = element(&mut f, &values);
        let elements = b
            .generate(extents(&shape), f.finish(vec![result]))
            .remove(0);
        b.fold(binary(plus), zero(), &[elements])
    })
}

fn times(b: &mut FunBuilder, v: &[ExpId]) -> ExpId {
    let product = v.iter().copied().reduce(|x, y| b.prim(Prim::Mul, &[x, y]));
    product.unwrap()
}

/// The roles of the coordinates, if the only kernel is a contraction.
fn roles(s: &Subject) -> Option<Vec<Role>> {
    contraction(s).map(|(_, roles)| roles)
}

/// The semiring as well.
fn contraction(s: &Subject) -> Option<(Semiring, Vec<Role>)> {
    match &s.kernels()[..] {
        [kernel] => match &kernel.kind {
            KernelKind::Contract {
                semiring, roles, ..
            } => Some((*semiring, roles.clone())),
            KernelKind::Map { .. }
            | KernelKind::Reduce { .. }
            | KernelKind::Scan { .. }
            | KernelKind::Segments { .. }
            | KernelKind::Sort { .. }
            | KernelKind::Scatter { .. } => None,
        },
        [..] => None,
    }
}

#[test]
fn matrix_products() {
    let s = summed(&[2, 3, 4], &[&[0, 2], &[2, 1]], times);
    assert_eq!(roles(&s), Some(vec![Left, Right]));
    let s = summed(&[2, 3, 4, 5], &[&[3, 2, 0], &[0, 1, 3]], times);
    assert_eq!(roles(&s), Some(vec![Batch, Right, Left]));
}

#[test]
fn products_of_vectors_and_sums_are_none() {
    for (sizes, reads) in [
        (vec![2, 3], [&[0, 1][..], &[1]]),
        (vec![2, 3], [&[0, 1], &[0, 1]]),
        (vec![2, 3, 4], [&[0, 1], &[2]]),
        (vec![2, 3, 4], [&[0, 1, 2], &[1, 2]]),
    ] {
        assert_eq!(roles(&summed(&sizes, &reads, times)), None, "{reads:?}");
    }
    let s = summed(&[2, 3, 4], &[&[0, 2], &[2, 1]], |b, v| b.prim(Prim::Add, v));
    assert_eq!(roles(&s), None);
}

#[test]
fn other_semirings() {
    for semiring in Semiring::ALL {
        let element = |b: &mut FunBuilder, v: &[ExpId]| b.prim(semiring.times(), v);
        let s = folded(semiring.plus(), &[2, 3, 4], &[&[0, 2], &[2, 1]], element);
        assert_eq!(contraction(&s), Some((semiring, vec![Left, Right])));
        let reads: [&[usize]; 2] = [&[3, 1, 2], &[0, 2, 3]];
        let s = folded(semiring.plus(), &[2, 3, 4, 5], &reads, element);
        assert_eq!(contraction(&s), Some((semiring, vec![Right, Left, Batch])));
    }
}

#[test]
fn other_semirings_are_taken_as_written() {
    let reads: [&[usize]; 3] = [&[0, 2], &[2, 1], &[2]];
    let apart = |v: &[ExpId], b: &mut FunBuilder| {
        let right = b.prim(Prim::Mul, &[v[1], v[2]]);
        b.prim(Prim::Add, &[v[0], right])
    };
    let s = folded(Prim::Max, &[2, 3, 4], &reads, |b, v| apart(v, b));
    assert_eq!(
        contraction(&s),
        Some((Semiring::MaxPlus, vec![Left, Right]))
    );
    // The last operation has both sides on the left.
    let s = folded(Prim::Max, &[2, 3, 4], &reads, |b, v| {
        let both = b.prim(Prim::Add, &v[..2]);
        b.prim(Prim::Add, &[both, v[2]])
    });
    assert_eq!(contraction(&s), None);
    // Differences are no operation of a semiring, nor is the sum of minima.
    for (plus, times) in [(Prim::Max, Prim::Sub), (Prim::Add, Prim::Min)] {
        let s = folded(plus, &[2, 3, 4], &reads[..2], |b, v| b.prim(times, v));
        assert_eq!(contraction(&s), None);
    }
}

#[test]
fn factors_are_shared_out() {
    // r[n, k] · (y[n, k, i] · q[k, i, j]): the sides are not those of the outermost product.
    let s = summed(&[3, 2, 4, 5], &[&[0, 1], &[0, 1, 3], &[1, 2, 3]], |b, v| {
        let inner = b.prim(Prim::Mul, &[v[1], v[2]]);
        b.prim(Prim::Mul, &[v[0], inner])
    });
    assert_eq!(roles(&s), Some(vec![Left, Batch, Right]));
}

#[test]
fn signs_and_divisors_are_factors() {
    let s = summed(&[2, 3, 4], &[&[0, 2], &[2, 1], &[0]], |b, v| {
        let product = b.prim(Prim::Mul, &[v[0], v[1]]);
        let negative = b.prim(Prim::Neg, &[product]);
        b.prim(Prim::Div, &[negative, v[2]])
    });
    assert_eq!(roles(&s), Some(vec![Left, Right]));
}

#[test]
fn factors_may_be_any_code() {
    let s = summed(&[2, 3, 4, 5], &[&[1, 2, 3], &[0, 3], &[1, 3]], |b, v| {
        let centred = b.prim(Prim::Sub, &[v[1], v[2]]);
        b.prim(Prim::Mul, &[v[0], centred])
    });
    assert_eq!(roles(&s), Some(vec![Right, Batch, Left]));
    let s = summed(&[2, 3, 4], &[&[0, 1], &[2, 1]], |b, v| {
        let sum = b.prim(Prim::Add, v);
        b.prim(Prim::Mul, &[sum, v[1]])
    });
    assert_eq!(roles(&s), None);
}

#[test]
fn the_rewrite_is_counted_and_can_be_switched_off() {
    let types = [ArrayType::new(F64, 2), ArrayType::new(F64, 2)];
    let program = program(&types, |b, xs| {
        let mut f = FunBuilder::new();
        let [i, j, k] = [0; 3].map(|_| f.param(I32));
        let (x, y) = (f.index(&xs[0], &[i, k]), f.index(&xs[1], &[k, j]));
        let product = f.prim(Prim::Mul, &[x, y]);
        let cube = b.generate(extents(&[2, 2, 2]), f.finish(vec![product]));
        vec![sum(b, &cube[0])]
    });
    let fired = |options| {
        let (_, report) = schedule_with_report(&program, &options).unwrap();
        report.fired.get("contract").copied()
    };
    assert_eq!(fired(Options::default()), Some(1));
    assert_eq!(fired(Options::default().without_contractions()), None);
    assert_eq!(fired(Options::unfused()), None);
}
