//! Values that leave their closures.

use super::graphs::{F, Graphs, compile, floats};
use crate::graph::{AccNodeOp, ArrRef, ExpNodeOp, SurfaceError};
use crate::loc::Loc;
use crate::prim::Prim::{Add, Mul};
use crate::term::Mode;

fn line(loc: Loc) -> u32 {
    loc.location().unwrap().line()
}

/// The construct whose parameter escaped, the line of its closure, and the line of the use.
#[track_caller]
fn escape(body: impl FnOnce(&mut Graphs, ArrRef) -> ArrRef) -> (&'static str, u32, u32) {
    match compile(&[floats(1)], |g, a| vec![body(g, a[0])]) {
        Err(SurfaceError::Escaped {
            used_at,
            construct,
            bound_at,
        }) => (construct, line(bound_at), line(used_at)),
        other => panic!("not an escape: {other:?}"),
    }
}

#[test]
fn scalar_parameter_in_another_array_operation() {
    let start = line!();
    let error = escape(|g, a| {
        let mut leak = None;
        let first = g.map(a, |g, x| {
            leak = Some(g.prim(Mul, &[x, x]));
            x
        });
        g.map(first, |g, x| g.prim(Add, &[x, leak.unwrap()]))
    });
    assert_eq!(error, ("map", start + 3, start + 7));
}

#[test]
fn scalar_parameter_in_a_closed_expression() {
    let start = line!();
    let error = escape(|g, a| {
        let mut leak = None;
        let first = g.map(a, |_, x| *leak.insert(x));
        let unit = g.unit(leak.unwrap());
        g.map(first, |g, x| {
            let y = g.index(unit, &[]);
            g.prim(Add, &[x, y])
        })
    });
    assert_eq!(error, ("map", start + 3, start + 4));
}

#[test]
fn parameter_of_a_scalar_gradient() {
    let start = line!();
    let error = escape(|g, a| {
        g.map(a, |g, x| {
            let mut leak = None;
            let f = g.lambda("gradient_e", &[F], |g, t| {
                leak = Some(g.prim(Mul, &[t[0], t[0]]));
                vec![t[0]]
            });
            let (with_value, args) = (false, vec![x]);
            let op = ExpNodeOp::Derivative {
                mode: Mode::Gradient { with_value },
                f,
                args,
            };
            let gradient = g.exps(op, &[F])[0];
            let used = g.prim(Add, &[leak.unwrap(), gradient]);
            g.prim(Add, &[used, used])
        })
    });
    assert_eq!(error, ("gradient_e", start + 4, start + 15));
}

#[test]
fn parameter_of_an_array_gradient() {
    let start = line!();
    let error = escape(|g, a| {
        let mut leak = None;
        let f = g.acc_lambda("gradient_a", &[floats(1)], |g, x| {
            leak = Some(g.map(x[0], |g, x| g.prim(Mul, &[x, x])));
            vec![g.sum(x[0])]
        });
        let (with_value, args) = (false, vec![a]);
        let op = AccNodeOp::Derivative {
            mode: Mode::Gradient { with_value },
            f,
            args,
        };
        let gradient = g.accs(op, &[floats(1)])[0];
        let sum = g.sum(leak.unwrap());
        g.map(gradient, |g, x| {
            let sum = g.index(sum, &[]);
            g.prim(Add, &[x, sum])
        })
    });
    assert_eq!(error, ("gradient_a", start + 3, start + 14));
}

#[test]
fn array_operations_cannot_depend_on_scalar_parameters() {
    let start = line!();
    let result = compile(&[floats(1)], |g, a| {
        let nested = g.map(a[0], |g, x| {
            let scaled = g.map(a[0], |g, y| g.prim(Mul, &[x, y]));
            let sum = g.sum(scaled);
            g.index(sum, &[])
        });
        vec![nested]
    });
    let Err(SurfaceError::NestedParallelism {
        operation,
        used_at,
        construct,
        bound_at,
    }) = result
    else {
        panic!("not nested: {result:?}")
    };
    assert_eq!((operation, line(used_at)), ("map", start + 3));
    assert_eq!((construct, line(bound_at)), ("map", start + 2));
}

#[test]
fn programs_of_a_closure_that_was_not_used_are_fine() {
    let result = compile(&[floats(1)], |g, a| {
        let mut leak = None;
        g.map(a[0], |g, x| {
            leak = Some(g.map(a[0], |g, y| g.prim(Mul, &[y, y])));
            x
        });
        vec![leak.unwrap()]
    });
    assert_eq!(result.unwrap().body.lets.len(), 1);
}
