//! Loops whose lanes make different numbers of trips, and fail at different points.

use super::maker::{Code, Maker};
use cotangent_core::backend::RunError;
use cotangent_core::host::Column;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::*;
use cotangent_core::types::ScalarType::I32;

/// Adds up the elements of `array` from a position on that is captured.
fn sum_from(array: ArrayId, site: SiteId) -> Region {
    let mut code = Code::default();
    let [trip, sum, base] = [0, 1, 2].map(|n| code.arg(n, I32));
    let index = code.prim(Prim::Add, &[trip, base]);
    let element = code.guarded(array, I32, &[index], None, Some(site));
    let next = code.prim(Prim::Add, &[sum, element]);
    Region {
        body: code.0,
        test: None,
        next: vec![next],
    }
}

fn looping(code: &mut Code, trips: ValueId, base: ValueId, region: Region) -> ValueId {
    let zero = code.constant(0);
    let of = Loop {
        trips,
        init: vec![zero],
        captures: vec![base],
        region,
    };
    let count = code.0.push(Op::Loop(Box::new(of)), I32);
    code.0.push(Op::Out(count, 0), I32)
}

/// A lane that went on would read beyond the end, which is a failure.
#[test]
fn lanes_that_are_done_read_nothing() {
    for (n, trips) in [(1usize, 3), (700, 9), (5000, 5)] {
        let mut maker = Maker::new();
        let bases: Vec<_> = (0..n as i32).map(|i| i % (trips + 1)).collect();
        let sums: Vec<_> = bases
            .iter()
            .map(|&base| (base..trips).sum::<i32>())
            .collect();
        let base = maker.input(&[n], bases);
        let elements = maker.input(&[trips as usize], (0..trips).collect::<Vec<_>>());
        let space = maker.extents(base);
        let mut code = Code::default();
        let (i, all) = (code.coord(0), code.constant(trips));
        let base = code.load(base, I32, &[i]);
        let own = code.prim(Prim::Sub, &[all, base]);
        let value = looping(&mut code, own, base, sum_from(elements, SiteId(0)));
        maker.map(&space, code.0, &[value]);
        let found = maker.run().unwrap();
        assert_eq!(found[0].column(), &Column::from(sums), "{n} lanes");
    }
}

/// Adds the square of a captured number in each trip, which is the same in all of them.
fn squares() -> Region {
    let mut code = Code::default();
    let [_, sum, base] = [0, 1, 2].map(|n| code.arg(n, I32));
    let square = code.prim(Prim::Mul, &[base, base]);
    let next = code.prim(Prim::Add, &[sum, square]);
    Region {
        body: code.0,
        test: None,
        next: vec![next],
    }
}

/// Lanes that go on move together when others are done.
#[test]
fn lanes_take_along_what_is_the_same_in_all_trips() {
    for n in [1usize, 20, 700, 5000] {
        let mut maker = Maker::new();
        let bases: Vec<i32> = (0..n as i32).map(|i| i * 7 % 31).collect();
        let sums = bases.iter().map(|&base| base % 6 * base * base);
        let sums: Vec<i32> = sums.collect();
        let base = maker.input(&[n], bases);
        let space = maker.extents(base);
        let mut code = Code::default();
        let (i, six) = (code.coord(0), code.constant(6));
        let base = code.load(base, I32, &[i]);
        let own = code.prim(Prim::Rem, &[base, six]);
        let value = looping(&mut code, own, base, squares());
        maker.map(&space, code.0, &[value]);
        let found = maker.run().unwrap();
        assert_eq!(found[0].column(), &Column::from(sums), "{n} lanes");
    }
}

/// What fails first is told by the point, in a loop or not.
#[test]
fn the_first_point_that_fails_is_reported() {
    for (plain, in_loop) in [(3, 400), (400, 3), (2000, 700), (700, 2000), (4, 4)] {
        let mut maker = Maker::new();
        let n = 5000usize;
        let bad = |point: usize| {
            (0..n)
                .map(|i| i32::from(i == point) * 100)
                .collect::<Vec<_>>()
        };
        let (at, base) = (
            maker.input(&[n], bad(plain)),
            maker.input(&[n], bad(in_loop)),
        );
        let elements = maker.input(&[9], vec![1; 9]);
        let (first, second) = (maker.site("plain"), maker.site("loop"));
        let space = maker.extents(at);
        let mut code = Code::default();
        let (i, trips) = (code.coord(0), code.constant(6));
        let (at, base) = (code.load(at, I32, &[i]), code.load(base, I32, &[i]));
        let x = code.guarded(elements, I32, &[at], None, Some(first));
        let y = looping(&mut code, trips, base, sum_from(elements, second));
        maker.map(&space, code.0, &[x, y]);
        let expected = if plain <= in_loop { "plain" } else { "loop" };
        match maker.run().unwrap_err() {
            RunError::IndexOutOfRange { site, index, .. } => {
                assert_eq!((site.construct, index), (expected, vec![100]));
            }
            other => panic!("{other}"),
        }
    }
}
