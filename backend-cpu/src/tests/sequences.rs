//! Scans and folds of pairs in long rows, whose operators run on many columns at once: against the reference, exactly, with results
//! that nobody reads, and with operators too long for that.

use super::maker::{Code, Maker, composition};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{KernelKind, Operator};
use cotangent_core::term::Direction;
use cotangent_core::types::ScalarType::I32;

/// Lengths of rows: one block and less, a few that are combined one by one, pieces of all sizes, and several chunks.
const LENGTHS: [usize; 9] = [1, 255, 1023, 1024, 1281, 4095, 4096, 4352, 9000];

/// A composition in more instructions than a sequence has room for.
fn long_composition() -> Operator {
    let Operator { body, results } = composition();
    let mut code = Code(body);
    let mut first = results[0];
    for bit in 0..30 {
        let mask = code.constant(1 << bit);
        first = code.prim(Prim::BitXor, &[first, mask]);
        first = code.prim(Prim::BitXor, &[first, mask]);
    }
    Operator {
        body: code.0,
        results: vec![first, results[1]],
    }
}

/// The second of two, beside the sum: a result of each step that is an operand.
fn last_and_sum() -> Operator {
    let mut code = Code::default();
    let args: Vec<_> = (0..4).map(|n| code.arg(n, I32)).collect();
    let sum = code.prim(Prim::Add, &[args[1], args[3]]);
    Operator {
        body: code.0,
        results: vec![args[2], sum],
    }
}

/// Scans, or folds, pairs along rows; of the results, those of the given components are read.
fn run(
    [rows, n]: [usize; 2],
    operator: &Operator,
    (scan, init): (Option<Direction>, bool),
    read: &[usize],
) {
    let mut maker = Maker::new();
    let values = (0..rows * n)
        .map(|i| (i % 19) as i32 - 9)
        .collect::<Vec<_>>();
    let a = maker.input(&[rows, n], values);
    let [h, w] = maker.extents(a)[..] else {
        panic!()
    };
    let init = init.then(|| vec![maker.known(3), maker.known(-4)]);
    let longer = maker.known(n as i32 + 1);
    let mut code = Code::default();
    let (i, j) = (code.coord(0), code.coord(1));
    let x = code.load(a, I32, &[i, j]);
    let y = code.prim(Prim::Add, &[i, j]);
    let extent = if init.is_some() { longer } else { w };
    let space = match scan {
        Some(_) => vec![h, extent],
        None => vec![h],
    };
    let (outputs, body) = (maker.outputs(&space, &code.0, &[x, y]), code.0);
    let operator = operator.clone();
    let kind = match scan {
        Some(direction) => KernelKind::Scan {
            inner: w,
            direction,
            body,
            operator,
            init,
            outputs,
        },
        None => KernelKind::Reduce {
            inner: vec![w],
            body,
            operator,
            init,
            outputs,
        },
    };
    maker.kernel(&[h], kind);
    let results = std::mem::take(&mut maker.schedule.results);
    maker.schedule.results = read.iter().map(|&c| results[c]).collect();
    maker.run().unwrap();
}

#[test]
fn sequences_are_steps() {
    for operator in [composition(), long_composition(), last_and_sum()] {
        for n in LENGTHS {
            let rows = if n < 2000 { [1, 20] } else { [1, 2] };
            for rows in rows {
                let init = (n + rows) % 2 == 0;
                run([rows, n], &operator, (None, init), &[0, 1]);
                for direction in [Direction::Left, Direction::Right] {
                    run([rows, n], &operator, (Some(direction), init), &[0, 1]);
                }
            }
        }
    }
}

#[test]
fn results_that_nobody_reads_are_not_needed() {
    for operator in [composition(), long_composition(), last_and_sum()] {
        for n in LENGTHS {
            for direction in [Direction::Left, Direction::Right] {
                for init in [false, true] {
                    run([1, n], &operator, (Some(direction), init), &[0]);
                    run([1, n], &operator, (Some(direction), init), &[1]);
                }
            }
        }
    }
}
