//! Every form of kernel, at sizes around those at which something changes.

use super::maker::{Code, Maker, composition, last, operator};
use super::*;
use cotangent_core::constant::Const;
use cotangent_core::host::Column;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::*;
use cotangent_core::term::Direction;
use cotangent_core::types::ScalarType::{self, Bool, F64, I32};

const SIZES: [usize; 10] = [0, 1, 2, 17, 63, 64, 257, 1025, 8193, 20_000];

/// Some integers without a pattern.
fn ints(n: usize) -> Vec<i32> {
    let mix = |i: usize| (i as u32).wrapping_mul(2654435761).rotate_left(7) as i32 % 1000;
    (0..n).map(mix).collect()
}

fn floats(n: usize) -> Vec<f64> {
    ints(n).into_iter().map(|i| f64::from(i) / 8.0).collect()
}

fn f64s(array: &cotangent_core::host::HostArray) -> Vec<f64> {
    match array.column() {
        Column::F64(v) => v.to_vec(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn maps_of_all_sizes_and_ranks() {
    for n in SIZES {
        let shapes = [
            vec![n],
            vec![n, 1],
            vec![1, n],
            vec![3, n],
            vec![n, 3],
            vec![2, 1, n.min(300), 2],
        ];
        for shape in shapes {
            let mut maker = Maker::new();
            let x = maker.input(&shape, floats(shape.iter().product()));
            let space = maker.extents(x);
            let mut code = Code::default();
            let at = code.coords(shape.len());
            let x = code.load(x, F64, &at);
            let y = code.prim(Prim::Mul, &[x, x]);
            let zero = code.constant(1.5);
            let sum = at
                .iter()
                .copied()
                .reduce(|a, b| code.prim(Prim::Add, &[a, b]))
                .unwrap();
            maker.map(&space, code.0, &[x, y, zero, sum, y]);
            let found = maker.run().unwrap();
            assert_eq!(found[1].shape(), shape);
        }
    }
}

#[test]
fn a_map_of_rank_0() {
    let mut maker = Maker::new();
    let x = maker.input(&[], vec![3.0]);
    let mut code = Code::default();
    let x = code.load(x, F64, &[]);
    let y = code.prim(Prim::Add, &[x, x]);
    maker.map(&[], code.0, &[y]);
    assert_eq!(f64s(&maker.run().unwrap()[0]), [6.0]);
}

#[test]
fn accesses_of_every_kind() {
    for (m, n) in [(1, 1), (3, 5), (70, 3), (3, 70), (130, 129), (0, 4), (4, 0)] {
        let mut maker = Maker::new();
        let a = maker.input(&[m, n], floats(m * n));
        let row = maker.input(&[n], floats(n));
        let column = maker.input(&[m], floats(m));
        let space = maker.extents(a);
        let mut code = Code::default();
        let (i, j) = (code.coord(0), code.coord(1));
        let height = code.symbol(space[0], I32);
        let width = code.symbol(space[1], I32);
        let one = code.constant(1);
        let last_row = code.prim(Prim::Sub, &[height, one]);
        let last_column = code.prim(Prim::Sub, &[width, one]);
        let up = code.prim(Prim::Sub, &[last_row, i]);
        let back = code.prim(Prim::Sub, &[last_column, j]);
        let mixed = code.prim(Prim::Mul, &[i, j]);
        let wrapped = code.prim(Prim::ModFloor, &[mixed, width]);
        let values = [
            code.load(a, F64, &[i, j]),
            code.load(a, F64, &[up, j]),
            code.load(a, F64, &[i, back]),
            code.load(a, F64, &[up, back]),
            code.load(a, F64, &[i, wrapped]),
            code.load(row, F64, &[j]),
            code.load(row, F64, &[back]),
            code.load(row, F64, &[wrapped]),
            code.load(column, F64, &[i]),
            code.load(column, F64, &[up]),
        ];
        maker.map(&space, code.0, &values);
        maker.run().unwrap();
    }
}

#[test]
fn transposition() {
    for (m, n) in [(2, 3), (65, 3), (3, 65), (100, 100)] {
        let mut maker = Maker::new();
        let a = maker.input(&[m, n], floats(m * n));
        let mut space = maker.extents(a);
        space.reverse();
        let mut code = Code::default();
        let (i, j) = (code.coord(0), code.coord(1));
        let x = code.load(a, F64, &[j, i]);
        maker.map(&space, code.0, &[x]);
        maker.run().unwrap();
    }
}

#[test]
fn guarded_loads_read_nothing_where_they_are_off() {
    for n in SIZES {
        let mut maker = Maker::new();
        let x = maker.input(&[n], floats(n));
        let space = maker.extents(x);
        let mut code = Code::default();
        let (i, one, zero) = (code.coord(0), code.constant(1), code.constant(0));
        let extent = code.symbol(space[0], I32);
        let before = code.prim(Prim::Sub, &[i, one]);
        let after = code.prim(Prim::Add, &[i, one]);
        let has_before = code.prim(Prim::Gt, &[i, zero]);
        let has_after = code.prim(Prim::Lt, &[after, extent]);
        let never = code.constant(false);
        let site = Some(SiteId(0));
        let left = code.guarded(x, F64, &[before], Some(has_before), site);
        let right = code.guarded(x, F64, &[after], Some(has_after), site);
        let here = code.guarded(x, F64, &[i], Some(has_after), None);
        let off = code.guarded(x, F64, &[before], Some(never), site);
        let sum = code.prim(Prim::Add, &[left, right]);
        maker.map(&space, code.0, &[sum, here, off]);
        let found = maker.run().unwrap();
        assert!(f64s(&found[2]).iter().all(|&x| x == 0.0));
    }
}

/// Sums along windows of an array of the products with weights: `n` of them, of so many elements.
fn windows(n: usize, taps: usize, (x, weights): (Column, Column), init: Option<Const>) {
    let ty = x.scalar_type();
    let mut maker = Maker::new();
    let x = maker.input(&[n + taps - 1], x);
    let weights = maker.input(&[taps], weights);
    let space = vec![maker.known(n as i32)];
    let inner = maker.extents(weights);
    let init = init.map(|c| vec![maker.known(c)]);
    let mut code = Code::default();
    let (i, k) = (code.coord(0), code.coord(1));
    let at = code.prim(Prim::Add, &[i, k]);
    let (x, weight) = (code.load(x, ty, &[at]), code.load(weights, ty, &[k]));
    let product = code.prim(Prim::Mul, &[x, weight]);
    let outputs = maker.outputs(&space, &code.0, &[product]);
    let kind = KernelKind::Reduce {
        inner,
        body: code.0,
        operator: operator(Prim::Add, ty),
        init,
        outputs,
    };
    maker.kernel(&space, kind);
    maker.run().unwrap();
}

/// Whose windows overlap; in vectors, in what is left of them, and in several blocks.
#[test]
fn sums_of_products_along_windows() {
    let singles = |n| -> Vec<f32> { floats(n).into_iter().map(|x| x as f32).collect() };
    for n in [1, 31, 32, 33, 100, 1024, 3000] {
        for taps in [1, 2, 9] {
            let all = n + taps - 1;
            for init in [None, Some(3)] {
                let of_ints = (ints(all).into(), ints(taps).into());
                windows(n, taps, of_ints, init.map(Const::I32));
                let of_floats = (floats(all).into(), floats(taps).into());
                windows(n, taps, of_floats, init.map(|x| Const::F64(x.into())));
                let of_singles = (singles(all).into(), singles(taps).into());
                windows(n, taps, of_singles, init.map(|x| Const::F32(x as f32)));
            }
        }
    }
}

/// Rows of numbers that are computed, by bytecode and by machine code: long ones in place, and where they are columns.
#[test]
fn folds_of_computed_rows() {
    for (m, n) in [
        (300, 5),
        (9, 256),
        (9, 257),
        (9, 1000),
        (300, 1025),
        (3, 8193),
    ] {
        let mut maker = Maker::new();
        let a = maker.input(&[m, n], floats(m * n));
        let [h, w] = maker.extents(a)[..] else {
            panic!()
        };
        let mut code = Code::default();
        let (i, j) = (code.coord(0), code.coord(1));
        let x = code.load(a, F64, &[i, j]);
        let square = code.prim(Prim::Mul, &[x, x]);
        let both = code.prim(Prim::Sub, &[square, x]);
        let outputs = maker.outputs(&[h], &code.0, &[both]);
        let kind = KernelKind::Reduce {
            inner: vec![w],
            body: code.0,
            operator: operator(Prim::Add, F64),
            init: Some(vec![maker.known(0.5)]),
            outputs,
        };
        maker.kernel(&[h], kind);
        maker.run().unwrap();
    }
}

/// Folds an m × n matrix in every way: its rows, its columns, all of it.
fn folds(m: usize, n: usize, column: Column, operator: &Operator, init: Option<Const>) {
    let ty = column.scalar_type();
    for way in 0..4 {
        let mut maker = Maker::new();
        let a = maker.input(&[m, n], column.clone());
        let init = init.map(|c| vec![maker.known(c)]);
        let [h, w] = maker.extents(a)[..] else {
            panic!()
        };
        let mut code = Code::default();
        let (i, j) = (code.coord(0), code.coord(1));
        let (space, inner, index) = match way {
            0 => (vec![h], vec![w], [i, j]),
            1 => (vec![w], vec![h], [j, i]),
            2 => (vec![], vec![h, w], [i, j]),
            _ => (vec![], vec![w, h], [j, i]),
        };
        let x = code.load(a, ty, &index);
        let outputs = maker.outputs(&space, &code.0, &[x]);
        let (outer, checked) = (space.clone(), inner.clone());
        let none = init.is_none();
        if none {
            let check = Check::NotEmpty {
                outer,
                inner: checked,
            };
            maker.schedule.steps.push(Step::Check(check, SiteId(0)));
        }
        let kind = KernelKind::Reduce {
            inner,
            body: code.0,
            operator: operator.clone(),
            init,
            outputs,
        };
        maker.kernel(&space, kind);
        let result = maker.run();
        assert!(result.is_ok() || none && m * n == 0);
    }
}

#[test]
fn folds_by_primitives() {
    let sizes = [
        (1, 1),
        (0, 3),
        (3, 0),
        (2, 17),
        (17, 2),
        (100, 100),
        (300, 5),
        (5, 300),
        // Several rows of a block, one row, and more than a block.
        (9, 1000),
        (9, 1025),
        (3, 8192),
        (2, 8193),
    ];
    for (m, n) in sizes.into_iter().chain([(1, 30000), (30000, 1), (7, 9001)]) {
        for prim in [Prim::Add, Prim::Mul, Prim::Max, Prim::Min] {
            folds(
                m,
                n,
                ints(m * n).into(),
                &operator(prim, I32),
                Some(Const::I32(3)),
            );
            folds(m, n, ints(m * n).into(), &operator(prim, I32), None);
        }
        folds(
            m,
            n,
            floats(m * n).into(),
            &operator(Prim::Add, F64),
            Some(Const::F64(0.5)),
        );
        let bools: Vec<bool> = ints(m * n).iter().map(|i| *i != 0).collect();
        folds(
            m,
            n,
            bools.into(),
            &operator(Prim::And, Bool),
            Some(Const::Bool(true)),
        );
    }
}

#[test]
fn folds_by_other_operators_keep_the_order() {
    for (m, n) in [
        (1, 1),
        (3, 0),
        (2, 17),
        (17, 2),
        (100, 300),
        (1, 30000),
        (4000, 3),
    ] {
        for init in [None, Some(Const::I32(5))] {
            folds(m, n, ints(m * n).into(), &last(I32), init);
            folds(m, n, ints(m * n).into(), &operator(Prim::Add, I32), init);
        }
    }
}

#[test]
fn nan_wins_in_a_maximum_wherever_it_is() {
    for at in [0, 5, 16, 99, 8191] {
        let mut values = vec![1.0; 8192];
        values[at] = f64::NAN;
        let mut maker = Maker::new();
        let x = maker.input(&[8192], values);
        let inner = maker.extents(x);
        let mut code = Code::default();
        let i = code.coord(0);
        let x = code.load(x, F64, &[i]);
        let outputs = maker.outputs(&[], &code.0, &[x]);
        let init = Some(vec![maker.known(0.0)]);
        let kind = KernelKind::Reduce {
            inner,
            body: code.0,
            operator: operator(Prim::Max, F64),
            init,
            outputs,
        };
        maker.kernel(&[], kind);
        assert!(f64s(&maker.run().unwrap()[0])[0].is_nan());
    }
}

#[test]
fn products_of_matrices() {
    for (m, k, n) in [
        (1, 1, 1),
        (3, 4, 5),
        (2, 200, 70),
        (70, 3, 70),
        (5, 1000, 1),
        (64, 64, 64),
    ] {
        for transposed in [false, true] {
            let mut maker = Maker::new();
            let a = maker.input(&[m, k], floats(m * k));
            let shape = if transposed { [n, k] } else { [k, n] };
            let b = maker.input(&shape, floats(k * n));
            let rows = maker.extents(a)[0];
            let inner = maker.extents(a)[1];
            let columns = maker.extents(b)[usize::from(!transposed)];
            let mut code = Code::default();
            let [i, j, l] = [0, 1, 2].map(|c| code.coord(c));
            let x = code.load(a, F64, &[i, l]);
            let y = code.load(b, F64, &if transposed { [j, l] } else { [l, j] });
            let xy = code.prim(Prim::Mul, &[x, y]);
            let outputs = maker.outputs(&[rows, columns], &code.0, &[xy]);
            let init = Some(vec![maker.known(0.0)]);
            let kind = KernelKind::Reduce {
                inner: vec![inner],
                body: code.0,
                operator: operator(Prim::Add, F64),
                init,
                outputs,
            };
            maker.kernel(&[rows, columns], kind);
            maker.run().unwrap();
        }
    }
}

/// Folds or scans pairs along the rows of a matrix.
fn pairs(m: usize, n: usize, operator: Operator, scan: Option<Direction>, init: bool) {
    let mut maker = Maker::new();
    let a = maker.input(&[m, n], ints(m * n));
    let [h, w] = maker.extents(a)[..] else {
        panic!()
    };
    let init = init.then(|| vec![maker.known(3), maker.known(-4)]);
    let longer = maker.known(n as i32 + 1);
    let mut code = Code::default();
    let (i, j) = (code.coord(0), code.coord(1));
    let x = code.load(a, I32, &[i, j]);
    let one = code.constant(1);
    let x = code.prim(Prim::BitOr, &[x, one]);
    let y = code.prim(Prim::Add, &[i, j]);
    let kind = match scan {
        None => KernelKind::Reduce {
            inner: vec![w],
            outputs: maker.outputs(&[h], &code.0, &[x, y]),
            body: code.0,
            operator,
            init,
        },
        Some(direction) => {
            let extent = if init.is_some() { longer } else { w };
            KernelKind::Scan {
                inner: w,
                direction,
                outputs: maker.outputs(&[h, extent], &code.0, &[x, y]),
                body: code.0,
                operator,
                init,
            }
        }
    };
    maker.kernel(&[h], kind);
    maker.run().unwrap();
}

#[test]
fn pairs_keep_their_order() {
    for (m, n) in [
        (1, 1),
        (3, 1),
        (3, 5),
        (2, 255),
        (1, 256),
        (2, 513),
        (1, 4095),
        (2, 4096),
        (1, 4700),
        (1, 8193),
        (1, 20001),
        (20, 1300),
        (300, 7),
    ] {
        for init in [false, true] {
            pairs(m, n, composition(), None, init);
            for direction in [Direction::Left, Direction::Right] {
                pairs(m, n, composition(), Some(direction), init);
            }
        }
    }
    pairs(3, 0, composition(), None, true);
    pairs(3, 0, composition(), Some(Direction::Left), true);
    pairs(3, 0, composition(), Some(Direction::Right), false);
}

fn scan(ty: ScalarType, column: Column, direction: Direction, prim: Prim, init: Option<Const>) {
    let n = column.len();
    for rows in [1, 2] {
        let mut maker = Maker::new();
        let a = maker.input(&[n], column.clone());
        let w = maker.extents(a)[0];
        let h = maker.known(rows);
        let init = init.map(|c| vec![maker.known(c)]);
        let extent = maker.known((n + usize::from(init.is_some())) as i32);
        let extent = if init.is_some() { extent } else { w };
        let mut code = Code::default();
        let i = code.coord(1);
        let x = code.load(a, ty, &[i]);
        let kind = KernelKind::Scan {
            inner: w,
            direction,
            outputs: maker.outputs(&[h, extent], &code.0, &[x]),
            body: code.0,
            operator: operator(prim, ty),
            init,
        };
        maker.kernel(&[h], kind);
        maker.run().unwrap();
    }
}

#[test]
fn scans_by_primitives() {
    for n in SIZES {
        for direction in [Direction::Left, Direction::Right] {
            for init in [None, Some(1)] {
                let int = init.map(Const::I32);
                scan(I32, ints(n).into(), direction, Prim::Add, int);
                scan(I32, ints(n).into(), direction, Prim::Max, int);
                scan(I32, ints(n).into(), direction, Prim::BitXor, int);
                let bools: Vec<bool> = ints(n).iter().map(|i| i % 100 == 0).collect();
                let no = init.map(|_| Const::Bool(false));
                scan(Bool, bools.into(), direction, Prim::Or, no);
                let float = init.map(|i| Const::F64(i.into()));
                scan(F64, floats(n).into(), direction, Prim::Add, float);
            }
        }
    }
}

#[test]
fn an_index_that_wraps_is_computed_exactly() {
    // 3 · i + 2³¹ − 4 wraps from the third point on, and is brought back by a multiplication.
    let mut maker = Maker::new();
    let x = maker.input(&[100], floats(100));
    let space = maker.extents(x);
    let mut code = Code::default();
    let (i, huge) = (code.coord(0), code.constant(i32::MAX - 3));
    let far = code.prim(Prim::Add, &[i, huge]);
    let back = code.prim(Prim::Sub, &[far, huge]);
    let half = code.constant(1 << 31);
    let twice = code.prim(Prim::Mul, &[i, half]);
    let two = code.constant(2);
    let none = code.prim(Prim::Mul, &[twice, two]);
    let values = [code.load(x, F64, &[back]), code.load(x, F64, &[none])];
    maker.map(&space, code.0, &values);
    let found = maker.run().unwrap();
    assert_eq!(f64s(&found[0]), floats(100));
}

/// Each kernel has the time of its own: the second one works on more points.
#[test]
fn kernels_are_timed() {
    let mut maker = Maker::new();
    let (few, many) = (
        maker.input(&[8], floats(8)),
        maker.input(&[1 << 20], floats(1 << 20)),
    );
    for x in [few, many] {
        let space = maker.extents(x);
        let mut code = Code::default();
        let at = code.coords(1);
        let x = code.load(x, F64, &at);
        let y = code.prim(Prim::Sin, &[x]);
        maker.map(&space, code.0, &[y]);
    }
    let (schedule, inputs) = maker.checked();
    let cpu = Cpu::builder().threads(1).build().unwrap();
    let executable = cpu.prepare(&schedule).unwrap();
    let (_, times) = cpu.run_timed(&executable, &inputs).unwrap();
    let numbers: Vec<_> = times
        .iter()
        .map(|time| (time.kernel, time.starts))
        .collect();
    assert_eq!(numbers, [(0, 1), (1, 1)]);
    assert!(times[1].seconds > times[0].seconds, "{times:?}");
}
