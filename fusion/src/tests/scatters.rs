//! Scatters that share a kernel, and those that must not.

use super::*;

/// Sends element `i` to `(factor · i + offset) % 2` unless `i` is `left_out`.
fn to_parity(factor: i32, left_out: i32) -> Fun<Labelled> {
    fun([I32], |b, [i]| {
        let left_out = b.constant(left_out);
        let guard = b.prim(Prim::Ne, &[i, left_out]);
        let (factor, two) = (b.constant(factor), b.constant(2));
        let scaled = b.prim(Prim::Mul, &[i, factor]);
        vec![guard, b.prim(Prim::Rem, &[scaled, two])]
    })
}

fn send(b: &mut AccBuilder, to: &Arr, target: Fun<Labelled>, x: &Arr) -> Arr {
    b.permute(
        Combine::Add,
        std::slice::from_ref(to),
        target,
        std::slice::from_ref(x),
    )
    .remove(0)
}

/// The number of arrays that each scatter sends to.
fn sent(s: &Subject) -> Vec<usize> {
    let kernels = s.kernels();
    let scatters = kernels.iter().filter(|k| k.writes_in_place());
    scatters.map(|k| k.outputs().len()).collect()
}

#[test]
fn updates_of_the_same_places_are_one() {
    let inputs = [vector(&[0.5, 0.25]), vector(&[1.0, 2.0, 4.0, 8.0])];
    let s = subject(&inputs, |b, xs| {
        let squares = zip(b, Prim::Mul, &xs[1], &xs[1]);
        let one = send(b, &xs[0], to_parity(1, 3), &xs[1]);
        let other = send(b, &xs[0], to_parity(1, 3), &squares);
        vec![one, other]
    });
    assert_eq!(sent(&s), [2]);
    assert_eq!(s.fired("horizontal-fusion"), 1);
    let expected = [host(&[2], &[5.5, 2.25]), host(&[2], &[17.5, 4.25])];
    assert_eq!(s.outcome.unwrap(), expected);
}

#[test]
fn other_places_other_conditions_other_combinations_stay_apart() {
    let inputs = [vector(&[0.5, 0.25]), vector(&[1.0, 2.0, 4.0, 8.0])];
    for (second, expected) in [
        (to_parity(1, 2), [1.5, 10.25]),
        (to_parity(2, 3), [7.5, 0.25]),
    ] {
        let s = subject(&inputs, |b, xs| {
            let one = send(b, &xs[0], to_parity(1, 3), &xs[1]);
            vec![one, send(b, &xs[0], second.clone(), &xs[1])]
        });
        assert_eq!(sent(&s), [1, 1]);
        assert_eq!(s.outcome.unwrap()[1], host(&[2], &expected));
    }
    let s = subject(&inputs, |b, xs| {
        let one = send(b, &xs[0], to_parity(1, 3), &xs[1]);
        let last = b.permute(Combine::Overwrite, &xs[..1], to_parity(1, 3), &xs[1..]);
        vec![one, last[0].clone()]
    });
    assert_eq!(sent(&s), [1, 1]);
}

#[test]
fn targets_of_other_extents_stay_apart() {
    let inputs = [
        vector(&[0.5, 0.25]),
        vector(&[0.5, 0.25, 0.125]),
        vector(&[1.0, 2.0]),
    ];
    let s = subject(&inputs, |b, xs| {
        let one = send(b, &xs[0], to_parity(1, 3), &xs[2]);
        vec![one, send(b, &xs[1], to_parity(1, 3), &xs[2])]
    });
    assert_eq!(sent(&s), [1, 1]);
    s.outcome.unwrap();
}

#[test]
fn updates_of_updates_stay_apart() {
    let inputs = [vector(&[0.5, 0.25]), vector(&[1.0, 2.0, 4.0, 8.0])];
    let s = subject(&inputs, |b, xs| {
        let one = send(b, &xs[0], to_parity(1, 3), &xs[1]);
        vec![send(b, &one, to_parity(1, 3), &xs[1])]
    });
    assert_eq!(sent(&s), [1, 1]);
    assert_eq!(s.outcome.unwrap(), [host(&[2], &[10.5, 4.25])]);
    let s = subject(&inputs, |b, xs| {
        let one = send(b, &xs[0], to_parity(1, 3), &xs[1]);
        let product = zip(b, Prim::Mul, &one, &xs[1]);
        vec![one, send(b, &xs[0], to_parity(1, 3), &product)]
    });
    assert_eq!(sent(&s), [1, 1]);
    let expected = [host(&[2], &[5.5, 2.25]), host(&[2], &[6.0, 4.75])];
    assert_eq!(s.outcome.unwrap(), expected);
}

#[test]
fn at_most_sixteen_arrays() {
    let inputs = [vector(&[0.5, 0.25]), vector(&[1.0, 2.0, 4.0, 8.0])];
    let s = subject(&inputs, |b, xs| {
        (0..18)
            .map(|_| send(b, &xs[0], to_parity(1, 3), &xs[1]))
            .collect()
    });
    assert_eq!(sent(&s), [16, 2]);
    for result in s.outcome.unwrap() {
        assert_eq!(result, host(&[2], &[5.5, 2.25]));
    }
}

/// The number of arrays that each map writes which reads none.
fn filled(s: &Subject) -> Vec<usize> {
    let kernels = s.kernels();
    let is_fill = |k: &&&Kernel| {
        matches!(k.kind, KernelKind::Map { .. }) && k.body().reads().next().is_none()
    };
    kernels
        .iter()
        .filter(is_fill)
        .map(|k| k.outputs().len())
        .collect()
}

fn constants(b: &mut AccBuilder, count: i32, value: f64) -> Arr {
    let f = fun([I32], |b, [_]| vec![b.constant(value)]);
    b.generate(extents(&[count]), f).remove(0)
}

#[test]
fn what_scatters_add_to_is_made_at_once() {
    let s = subject(&[vector(&[1.0, 2.0, 4.0, 8.0])], |b, xs| {
        let (zeros, halves) = (constants(b, 2, 0.0), constants(b, 2, 0.5));
        let squares = zip(b, Prim::Mul, &xs[0], &xs[0]);
        let one = send(b, &zeros, to_parity(1, 3), &xs[0]);
        let other = send(b, &halves, to_parity(1, 3), &squares);
        vec![one, other]
    });
    assert_eq!((filled(&s), sent(&s)), (vec![2], vec![2]));
    let expected = [host(&[2], &[5.0, 2.0]), host(&[2], &[17.5, 4.5])];
    assert_eq!(s.outcome.unwrap(), expected);
}

#[test]
fn what_is_needed_later_is_made_later() {
    let s = subject(&[vector(&[1.0, 2.0, 4.0, 8.0])], |b, xs| {
        let (zeros, halves) = (constants(b, 2, 0.0), constants(b, 2, 0.5));
        let one = send(b, &zeros, to_parity(1, 3), &xs[0]);
        let other = send(b, &halves, to_parity(1, 2), &xs[0]);
        vec![one, other]
    });
    assert_eq!((filled(&s), sent(&s)), (vec![1, 1], vec![1, 1]));
    let expected = [host(&[2], &[5.0, 2.0]), host(&[2], &[1.5, 10.5])];
    assert_eq!(s.outcome.unwrap(), expected);
    let s = subject(&[vector(&[1.0, 2.0, 4.0, 8.0])], |b, xs| {
        let targets: Vec<_> = (0..18).map(|i| constants(b, 2, f64::from(i))).collect();
        let send = |to: &Arr| send(b, to, to_parity(1, 3), &xs[0]);
        targets.iter().map(send).collect()
    });
    assert_eq!((filled(&s), sent(&s)), (vec![16, 2], vec![16, 2]));
    for (i, result) in s.outcome.unwrap().into_iter().enumerate() {
        let i = i as f64;
        assert_eq!(result, host(&[2], &[5.0 + i, 2.0 + i]));
    }
}
