//! What is needed of a program that fails.

use super::{array_of, extents, program, vector};
use crate::build::FunBuilder;
use crate::constant::Const;
use crate::interp::{STAND_INS, Scatters, run_by_need};
use crate::prim::Prim;
use crate::term::ExpId;
use crate::types::ScalarType::F64;

/// The results of a function of the elements of [1, 2] at some positions, for each choice of stand-ins, and how many
/// failures each choice met.
fn results<const N: usize>(
    positions: [i32; N],
    f: impl FnOnce(&mut FunBuilder, [ExpId; N]) -> ExpId,
) -> Vec<(f64, usize)> {
    let p = program([array_of(F64, 1)], |b, [x]| {
        let mut code = FunBuilder::new();
        let elements = positions.map(|at| {
            let at = code.constant(at);
            code.index(&x, &[at])
        });
        let result = f(&mut code, elements);
        b.generate(extents(&[]), code.finish(vec![result]))
    });
    let run = |choice| {
        let run = run_by_need(&p, &[vector(&[1.0, 2.0])], choice, Scatters::Fail).unwrap();
        let Some(Const::F64(x)) = run.results[0].as_ref().unwrap().column().get(0) else {
            panic!("no float");
        };
        (x, run.met.len())
    };
    (0..STAND_INS).map(run).collect()
}

fn are_same(results: &[(f64, usize)]) -> bool {
    results.iter().all(|(x, _)| *x == results[0].0)
}

#[test]
fn elements_that_are_read_in_vain_are_not_needed() {
    let found = results([0, 7], |b, [x, missing]| {
        let holds = b.prim(Prim::Ge, &[x, x]);
        b.prim(Prim::Select, &[holds, x, missing])
    });
    assert_eq!(found, [(1.0, 1); STAND_INS]);
}

#[test]
fn elements_that_differ_have_stand_ins_that_do() {
    let difference = |b: &mut FunBuilder, [x, y]: [ExpId; 2]| b.prim(Prim::Sub, &[x, y]);
    for positions in [[7, 8], [7, 0], [-1, 2]] {
        assert!(!are_same(&results(positions, difference)), "{positions:?}");
    }
    assert!(are_same(&results([7, 7], difference)));
}
