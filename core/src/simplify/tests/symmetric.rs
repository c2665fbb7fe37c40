//! Scatters to the neighbours on both sides read from them instead, and give the same sums, however short arrays are.

use super::clamped::neighbour;
use super::gather::{Body, agree, fun, numbered, square};
use super::well_formed;
use crate::build::{AccBuilder, Arr, FunBuilder};
use crate::prim::Prim;
use crate::term::{Alike, Combine, Labelled, Program};
use crate::types::ArrayType;
use crate::types::ScalarType::{F64, I32};

const RULE: &str = "permute_symmetric";

/// Sends all elements of a square to places that are so far away, or to the ends.
fn sent(b: &mut AccBuilder, (x, values, into): (&Arr, &Arr, &Arr), by: [i32; 2]) -> Arr {
    let send: Body<'_> = &|c, i| {
        vec![
            c.yes(),
            neighbour(c, i[0], by[0]),
            neighbour(c, i[1], by[1]),
        ]
    };
    let (target, into) = (fun(x, 2, send), std::slice::from_ref(into));
    let results = b.permute_back(Combine::Add, into, target, std::slice::from_ref(values));
    results[0].clone()
}

fn zeros(b: &mut AccBuilder, x: &Arr) -> Arr {
    let mut f = FunBuilder::new();
    f.params(&[I32; 2]);
    let zero = f.constant(0.0);
    b.generate(fun(x, 0, &square), f.finish(vec![zero]))
        .remove(0)
}

/// What `body` makes of an array and a square of as many numbers a row.
fn program(body: impl FnOnce(&mut AccBuilder, &Arr, &Arr) -> Arr) -> Program<Labelled> {
    let mut b = AccBuilder::new(0);
    let x = b.fresh(ArrayType::new(F64, 1));
    let values = numbered(&mut b, &x, &square);
    let result = body(&mut b, &x, &values);
    Program {
        alike: Alike::default(),
        params: vec![x],
        uses: vec![],
        body: b.finish(&[result]),
    }
}

/// The sums of what arrives at each place, added up by the primitives in turn.
fn mapped(shifts: &[[i32; 2]], ops: &[Prim]) -> Program<Labelled> {
    program(|b, x, values| {
        let arrived: Vec<Arr> = shifts
            .iter()
            .map(|&by| {
                let zeros = zeros(b, x);
                sent(b, (x, values, &zeros), by)
            })
            .collect();
        let mut f = FunBuilder::new();
        let params = f.params(&vec![F64; shifts.len()]);
        let sum =
            (params[1..].iter().zip(ops)).fold(params[0], |sum, (&x, &op)| f.prim(op, &[sum, x]));
        b.map(f.finish(vec![sum]), &arrived).remove(0)
    })
}

/// The same, each sent into what is there already.
fn chained(shifts: &[[i32; 2]]) -> Program<Labelled> {
    program(|b, x, values| {
        let into = values.clone();
        shifts
            .iter()
            .fold(into, |into, &by| sent(b, (x, values, &into), by))
    })
}

fn check(before: &Program<Labelled>, fired: u64) {
    let (after, counts) = well_formed(before);
    assert_eq!(counts.get(RULE), fired, "{before}\n{after}");
    assert!((0..6).all(|n| agree(before, &after, n)));
    let text = after.to_string();
    assert!(fired == 0 || !text.contains("permute"), "{text}");
}

#[test]
fn neighbours_on_both_sides() {
    for shifts in [[[1, 0], [-1, 0]], [[-1, 0], [1, 0]], [[0, 1], [0, -1]]] {
        check(&mapped(&shifts, &[Prim::Add]), 1);
        check(&chained(&shifts), 1);
    }
    let all = [[1, 0], [-1, 0], [0, 1], [0, -1]];
    check(&mapped(&all, &[Prim::Add; 3]), 2);
    check(&chained(&all), 2);
}

/// First along the one dimension, twice; then along the other, twice.
#[test]
fn corners() {
    let all = [[1, 1], [-1, 1], [1, -1], [-1, -1]];
    check(&mapped(&all, &[Prim::Add; 3]), 4);
    check(
        &mapped(&[all[0], all[3], all[1], all[2]], &[Prim::Add; 3]),
        4,
    );
}

#[test]
fn what_is_subtracted_with_its_counterpart() {
    let all = [[0, 0], [1, 0], [-1, 0]];
    check(&mapped(&all, &[Prim::Sub, Prim::Sub]), 1);
    check(&mapped(&all, &[Prim::Sub, Prim::Add]), 0);
}

#[test]
fn one_side_or_other_distances() {
    for shifts in [
        [[1, 0], [1, 0]],
        [[1, 0], [0, -1]],
        [[2, 0], [-2, 0]],
        [[1, 1], [-1, -1]],
    ] {
        check(&mapped(&shifts, &[Prim::Add]), 0);
        check(&chained(&shifts), 0);
    }
}

/// A difference of neighbours, times what arrived: that is no matter of the sum alone.
#[test]
fn what_is_read_more_than_once() {
    let before = program(|b, x, values| {
        let zeros = zeros(b, x);
        let sides = [[1, 0], [-1, 0]].map(|by| sent(b, (x, values, &zeros), by));
        let mut f = FunBuilder::new();
        let params = f.params(&[F64; 2]);
        let sum = f.prim(Prim::Add, &params);
        let product = f.prim(Prim::Mul, &[sum, params[0]]);
        b.map(f.finish(vec![product]), &sides).remove(0)
    });
    check(&before, 0);
}
