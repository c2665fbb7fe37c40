//! Scatters of two outputs, in all the ways in which their updates are combined.

use super::maker::{Code, Maker};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::*;
use cotangent_core::term::Combine;
use cotangent_core::types::ScalarType::{F64, I32, U8};

/// The numbers of points: of no block, of parts of one, and of many waves; of 4,000, one of the first block of the last wave may send nothing.
const SIZES: [usize; 10] = [0, 1, 2, 63, 64, 257, 4_000, 8_193, 70_000, 200_000];

/// What is sent where.
#[derive(Clone, Copy)]
struct Scatter {
    points: usize,
    /// How many elements rows of targets have.
    width: i32,
    /// Whether targets are a row, not two.
    is_row: bool,
    combine: Combine,
    /// Whether the first output is bytes, not floats.
    is_exact: bool,
    /// One point of so many sends nothing.
    off: i32,
    /// Whether updates take many instructions, which threads share.
    is_costly: bool,
}

impl Scatter {
    /// Runs it on all engines.
    fn check(self) {
        let mut maker = Maker::new();
        let keys: Vec<i32> = (0..self.points as u32).map(key).collect();
        let x = maker.input(
            &[self.points],
            keys.iter()
                .map(|&key| f64::from(key) / 8.0)
                .collect::<Vec<_>>(),
        );
        let keys = maker.input(&[self.points], keys);
        let width = maker.known(self.width);
        let shape = match self.is_row {
            true => vec![width],
            false => vec![maker.known(2), width],
        };
        let mut defaults = Code::default();
        let first = match self.is_exact {
            true => Const::U8(250),
            false => Const::F64(0.25),
        };
        let values = [defaults.constant(first), defaults.constant(7)];
        let targets = maker.map(&shape, defaults.0, &values);
        let space = maker.extents(x);
        let kind = self.kernel((x, keys, width), &targets);
        maker.kernel(&space, kind);
        maker.run().unwrap();
    }

    fn kernel(
        self,
        (x, keys, width): (ArrayId, ArrayId, SymbolId),
        targets: &[ArrayId],
    ) -> KernelKind {
        let mut code = Code::default();
        let i = code.coord(0);
        let x = code.load(x, F64, &[i]);
        let first = match self.is_exact {
            true => code.prim(Prim::Convert(U8), &[x]),
            false => x,
        };
        let mut key = code.load(keys, I32, &[i]);
        for _ in 0..if self.is_costly { 16 } else { 0 } {
            key = code.prim(Prim::BitNot, &[key]);
        }
        let width = code.symbol(width, I32);
        let column = code.prim(Prim::ModFloor, &[key, width]);
        let two = code.constant(2);
        let row = code.prim(Prim::ModFloor, &[i, two]);
        let (off, last) = (code.constant(self.off), code.constant(self.off - 1));
        let rest = code.prim(Prim::ModFloor, &[i, off]);
        let guard = code.prim(Prim::Ne, &[rest, last]);
        let outputs = [first, key].into_iter().zip(targets);
        KernelKind::Scatter {
            body: code.0,
            guard,
            target: match self.is_row {
                true => vec![column],
                false => vec![row, column],
            },
            site: SiteId(0),
            combine: self.combine,
            outputs: outputs
                .map(|(value, &array)| Output { value, array })
                .collect(),
        }
    }
}

/// Numbers below 1000 and above −1000, in no order.
fn key(i: u32) -> i32 {
    i.wrapping_mul(2_654_435_761).rotate_left(7) as i32 % 1000
}

/// Those of the same targets, of all sizes.
fn check(width: i32, is_exact: bool, off: i32) {
    for points in SIZES {
        for combine in [Combine::Add, Combine::Overwrite] {
            for (is_row, is_costly) in [(false, false), (true, false), (false, true)] {
                let scatter = Scatter {
                    points,
                    width,
                    is_row,
                    combine,
                    is_exact,
                    off,
                    is_costly,
                };
                scatter.check();
            }
        }
    }
}

#[test]
fn updates_are_combined_in_source_order() {
    check(1, false, 3);
    check(97, false, 3);
}

/// Blocks of which all points send something, and others.
#[test]
fn updates_that_wait_come_before_those_that_do_not() {
    check(97, false, 3_000);
}

/// Threads add them up by themselves where there are few targets.
#[test]
fn sums_of_integers_are_those_of_all_threads() {
    for width in [1, 97, 4_097, 9_999] {
        check(width, true, 3_000);
    }
    check(97, true, 3);
}
