//! Large graphs: deep, heavily shared, deeply nested. Anything more than linear would not end.

use super::graphs::{Graphs, compile, floats};
use crate::deep::with_deep_stack;
use crate::graph::{AccLambda, ArrRef, ExpRef};
use crate::prim::Prim::{Add, Convert, Gt};
use crate::recover::recover;
use crate::types::ScalarType::I32;

const MANY: usize = 100_000;

/// The number of lets in the function of a map; recovered, checked and dropped on a deep stack.
fn lets(body: impl Fn(&mut Graphs, ArrRef, ExpRef) -> ExpRef + Sync) -> usize {
    with_deep_stack(|| {
        let program = compile(&[floats(1)], |g, a| {
            vec![g.map(a[0], |g, x| body(g, a[0], x))]
        });
        program.unwrap().body.lets[0].op.funs()[0].body.lets.len()
    })
}

fn doubled(g: &mut Graphs, mut x: ExpRef, times: usize) -> ExpRef {
    for _ in 0..times {
        x = g.prim(Add, &[x, x]);
    }
    x
}

#[test]
fn shared_twice_at_each_level() {
    assert_eq!(lets(|g, _, x| doubled(g, x, 50)), 50);
    assert_eq!(lets(|g, _, x| doubled(g, x, MANY)), MANY);
}

#[test]
fn shared_arrays() {
    let program = compile(&[floats(1)], |g, a| {
        let mut array = a[0];
        for _ in 0..2000 {
            array = g.map(array, |g, x| {
                let sum = g.sum(array);
                let sum = g.index(sum, &[]);
                g.prim(Add, &[x, sum])
            });
        }
        vec![array]
    });
    assert_eq!(program.unwrap().body.lets.len(), 4000);
}

/// Conditionals nested in their first branches, the parameter used in all.
#[test]
fn nested_conditionals() {
    let body = |g: &mut Graphs, _, x| {
        let zero = g.constant(0.0);
        let mut value = zero;
        for _ in 0..MANY {
            let sum = g.prim(Add, &[value, x]);
            let p = g.prim(Gt, &[x, zero]);
            value = g.cond(p, sum, x);
        }
        value
    };
    assert_eq!(lets(body), 3);
}

/// Conditionals nested in their second branches, each of which needs one and the same indexing in the
/// first: what depends on it must be copied into each, but what it depends on is shared.
#[test]
fn chain_of_alternatives() {
    let body = |g: &mut Graphs, a, x| {
        let i = g.prim(Convert(I32), &[x]);
        let element = g.index(a, &[i]);
        let mut value = x;
        for level in 0..MANY / 10 {
            let bound = g.constant(level as f64);
            let p = g.prim(Gt, &[x, bound]);
            value = g.cond(p, element, value);
        }
        value
    };
    assert_eq!(lets(body), 4);
}

/// The same, but the last alternative needs it too: then all do, and it is done once.
#[test]
fn chain_of_alternatives_that_all_need_it() {
    let body = |g: &mut Graphs, a, x| {
        let i = g.prim(Convert(I32), &[x]);
        let element = g.index(a, &[i]);
        let mut value = element;
        for level in 0..MANY / 10 {
            let bound = g.constant(level as f64);
            let p = g.prim(Gt, &[x, bound]);
            let sum = g.prim(Add, &[element, x]);
            value = g.cond(p, sum, value);
        }
        value
    };
    assert_eq!(lets(body), 5);
}

/// The recovery itself does not recurse: it runs on the stack of a test thread.
#[test]
fn deep_nesting_needs_no_stack() {
    let mut g = Graphs::default();
    let f: AccLambda = g.acc_lambda("compile", &[floats(0)], |g, a| {
        let x = g.index(a[0], &[]);
        let zero = g.constant(0.0);
        let p = g.prim(Gt, &[x, zero]);
        let mut array = a[0];
        for _ in 0..MANY {
            let next = g.map(array, |g, x| g.prim(Add, &[x, x]));
            array = g.acond(p, next, a[0]);
        }
        vec![array]
    });
    let program = recover(&g.graph, &f).unwrap();
    assert_eq!(program.body.lets.len(), 1);
    with_deep_stack(|| drop(program));
}

/// A value that is copied into ten thousand branches and has a block of its own, which shares something.
#[test]
fn copies_with_blocks_of_their_own() {
    let body = |g: &mut Graphs, a, x| {
        let i = g.prim(Convert(I32), &[x]);
        let element = g.index(a, &[i]);
        let p = g.prim(Gt, &[x, element]);
        let other = g.index(a, &[i]);
        let sum = g.prim(Add, &[other, x]);
        let more = g.prim(Add, &[sum, sum]);
        let first = g.cond(p, sum, more);
        let second = g.cond(p, more, sum);
        let both = g.prim(Add, &[first, second]);
        let guarded = g.cond(p, both, x);
        let mut value = x;
        for level in 0..MANY / 10 {
            let bound = g.constant(level as f64);
            let p = g.prim(Gt, &[x, bound]);
            value = g.cond(p, guarded, value);
        }
        value
    };
    assert_eq!(lets(body), 4);
}
