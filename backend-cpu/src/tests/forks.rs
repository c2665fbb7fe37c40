//! Maps with a condition that rarely holds: blocks in which it holds nowhere, somewhere, everywhere.

use super::maker::{Code, Maker};
use crate::Isa;
use crate::code::{Instr, Level, Nest, Stores, Wanted, compile};
use crate::isa::Target;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::*;
use cotangent_core::types::ScalarType::F64;

/// A chain of operations on `x`, long enough to be worth leaving out.
fn chain(code: &mut Code, x: ValueId, k: f64) -> ValueId {
    let k = code.constant(k);
    (0..12).fold(x, |x, i| {
        let prim = [Prim::Add, Prim::Mul, Prim::Sub][i % 3];
        code.prim(prim, &[x, k])
    })
}

/// How the two sides of a select depend on each other.
struct Case {
    prim: Prim,
    /// The numbers that are equal to the one compared with, of 2000.
    equal: fn(usize) -> bool,
    /// An element that one side reads; there are 10.
    index: i32,
    /// Whether that is the side for equal numbers.
    reads_where_equal: bool,
}

fn run(case: &Case) -> Result<(), cotangent_core::backend::RunError> {
    let mut maker = Maker::new();
    let n = 2000;
    let numbers: Vec<f64> = (0..n)
        .map(|i| {
            if (case.equal)(i) {
                0.5
            } else {
                i as f64 * 1e-3 + 0.6
            }
        })
        .collect();
    let (x, table) = (
        maker.input(&[n], numbers),
        maker.input(&[10], vec![0.25; 10]),
    );
    let space = maker.extents(x);
    let site = maker.site("table");
    let mut code = Code::default();
    let i = code.coord(0);
    let x = code.load(x, F64, &[i]);
    let (half, at) = (code.constant(0.5), code.constant(case.index));
    let shifted = code.prim(Prim::Sub, &[x, half]);
    let zero = code.constant(0.0);
    let cond = code.prim(case.prim, &[shifted, zero]);
    let is_equal = match case.prim {
        Prim::Eq => cond,
        _other => code.prim(Prim::Not, &[cond]),
    };
    let reads = match case.reads_where_equal {
        true => is_equal,
        false => code.prim(Prim::Not, &[is_equal]),
    };
    let read = code.guarded(table, F64, &[at], Some(reads), Some(site));
    let (equal, apart) = match case.reads_where_equal {
        true => (read, shifted),
        false => (shifted, read),
    };
    let rare = chain(&mut code, equal, 0.75);
    let often = chain(&mut code, apart, 1.25);
    let arms = match case.prim {
        Prim::Eq => [rare, often],
        _other => [often, rare],
    };
    let chosen = code.prim(Prim::Select, &[cond, arms[0], arms[1]]);
    let early = code.prim(Prim::Select, &[is_equal, chosen, shifted]);
    let literal = code.prim(Prim::Select, &[is_equal, x, half]);
    let both = code.prim(Prim::And, &[is_equal, cond]);
    // An index that the condition reads at, as a column.
    let ten = code.constant(10);
    let index = code.prim(Prim::Add, &[i, ten]);
    let outputs = [
        chosen, early, literal, shifted, half, both, chosen, i, index,
    ];
    assert!(is_forked(&code.0, &outputs));
    maker.map(&space, code.0, &outputs);
    maker.run().map(drop)
}

fn is_forked(body: &Body, outputs: &[ValueId]) -> bool {
    let nest = Nest {
        moving: 0,
        coords: 1,
        lane: 0..1,
        seq: 0..0,
        args: vec![],
    };
    let stores = Stores {
        values: outputs.to_vec(),
        ..Stores::default()
    };
    let code = compile(
        Target::bytecode(Isa::Baseline),
        body,
        &nest,
        &Wanted::Stored(stores),
    )
    .unwrap();
    let mut instrs = code.segment(Level::Block).iter();
    instrs.any(|instr| matches!(instr, Instr::Fork { .. }))
}

#[test]
fn blocks_take_the_way_of_their_lanes() {
    let patterns: [fn(usize) -> bool; 5] = [
        |_| false,
        |_| true,
        |i| i == 1999,
        |i| i % 3 == 0,
        |i| (300..1500).contains(&i),
    ];
    for prim in [Prim::Eq, Prim::Ne] {
        for equal in patterns {
            run(&Case {
                prim,
                equal,
                index: 3,
                reads_where_equal: true,
            })
            .unwrap();
        }
    }
}

#[test]
fn a_side_fails_only_where_it_is_taken() {
    for prim in [Prim::Eq, Prim::Ne] {
        let case = |equal| Case {
            prim,
            equal,
            index: 10,
            reads_where_equal: true,
        };
        run(&case(|_| false)).unwrap();
        run(&case(|i| i == 1234)).unwrap_err();
    }
}

#[test]
fn what_is_read_once_for_all_blocks_fails_only_where_it_is_needed() {
    for prim in [Prim::Eq, Prim::Ne] {
        let case = |equal, index| Case {
            prim,
            equal,
            index,
            reads_where_equal: false,
        };
        run(&case(|_| true, 10)).unwrap();
        run(&case(|i| i != 1234, 10)).unwrap_err();
        run(&case(|_| false, 10)).unwrap_err();
        run(&case(|i| i % 700 == 0, 9)).unwrap();
    }
}
