//! Contractions of many shapes, against the reference runner and against the folds that they are.

mod semirings;

use super::maker::{Code, Maker};
use super::{bits, close, run_all};
use Role::{Batch, Left, Right};
use cotangent_core::host::{Column, HostArray};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::check::check;
use cotangent_core::schedule::*;
use cotangent_core::types::ScalarType::{self, F32, F64, I32};

/// Some numbers without a pattern.
fn numbers(n: usize, ty: ScalarType) -> cotangent_core::host::Column {
    let mix = |i: usize| (i as u32).wrapping_mul(2654435761).rotate_left(7) as i32 % 1000;
    let all = (0..n).map(|i| f64::from(mix(i)) / 64.0);
    match ty {
        F32 => all.map(|x| x as f32).collect::<Vec<_>>().into(),
        _other => all.collect::<Vec<_>>().into(),
    }
}

/// A contraction under construction: the coordinates are those of the space, then the inner ones.
struct Subject {
    maker: Maker,
    code: Code,
    ty: ScalarType,
    at: Vec<ValueId>,
    extents: Vec<SymbolId>,
    sizes: Vec<usize>,
    structure: Structure,
    semiring: Semiring,
}

impl Subject {
    fn new(ty: ScalarType, sizes: &[usize]) -> Self {
        let (mut maker, mut code) = (Maker::new(), Code::default());
        let extents = sizes.iter().map(|&n| maker.known(n as i32)).collect();
        Self {
            maker,
            at: code.coords(sizes.len()),
            code,
            ty,
            extents,
            sizes: sizes.to_vec(),
            structure: Structure::default(),
            semiring: Semiring::PlusTimes,
        }
    }

    /// The element of a new input at some coordinates.
    fn input(&mut self, axes: &[usize]) -> ValueId {
        let shape: Vec<_> = axes.iter().map(|&a| self.sizes[a]).collect();
        let array = self
            .maker
            .input(&shape, numbers(shape.iter().product(), self.ty));
        let index: Vec<_> = axes.iter().map(|&a| self.at[a]).collect();
        self.code.load(array, self.ty, &index)
    }

    fn prim(&mut self, prim: Prim, x: ValueId, y: ValueId) -> ValueId {
        self.code.prim(prim, &[x, y])
    }

    /// Runs the contraction of two factors, which must give what the reference runner and the fold give.
    fn run(
        mut self,
        roles: &[Role],
        left: ValueId,
        right: ValueId,
        init: bool,
    ) -> Result<Vec<HostArray>, cotangent_core::backend::RunError> {
        let value = self.prim(self.semiring.times(), left, right);
        let init = match (init, self.ty) {
            (false, _) => None,
            (true, F32) => Some(self.maker.known(0.75f32)),
            (true, _) => Some(self.maker.known(0.75f64)),
        };
        let (space, inner) = self.extents.split_at(roles.len());
        let output = self.maker.outputs(space, &self.code.0, &[value])[0];
        let mut folded = self.maker.schedule.clone();
        let kind = KernelKind::Reduce {
            inner: inner.to_vec(),
            body: self.code.0.clone(),
            operator: Operator::of_prim(self.semiring.plus(), self.ty),
            init: init.map(|init| vec![init]),
            outputs: vec![output],
        };
        let contraction = KernelKind::Contract {
            semiring: self.semiring,
            inner: inner.to_vec(),
            body: self.code.0,
            roles: roles.to_vec(),
            left,
            right,
            init,
            structure: self.structure,
            output,
        };
        let space = space.to_vec();
        self.maker.kernel(&space, kind);
        std::mem::swap(&mut self.maker.schedule, &mut folded);
        self.maker.kernel(&space, contraction);
        let inputs = self.maker.inputs.clone();
        let folded = run_all(&check(folded).unwrap(), &inputs);
        let found = self.maker.run();
        match (&folded, &found) {
            (Ok(folded), Ok(found)) => {
                let pairs = bits(folded).into_iter().zip(bits(found));
                for ((_, x), (_, y)) in pairs {
                    assert!(x.iter().zip(&y).all(|(&x, &y)| close(x, y)));
                }
            }
            (folded, found) => assert_eq!(folded, found),
        }
        found
    }
}

#[test]
fn matrix_products_of_all_sizes() {
    for ty in [F32, F64] {
        for m in [1, 3, 4, 7, 8, 9, 17, 65] {
            for n in [2, 4, 8, 24, 33, 64] {
                for k in [4, 9, 17, 64, 257] {
                    let mut s = Subject::new(ty, &[m, n, k]);
                    let (a, b) = (s.input(&[0, 2]), s.input(&[2, 1]));
                    s.run(&[Left, Right], a, b, (m + n + k) % 2 == 0).unwrap();
                }
            }
        }
    }
}

#[test]
fn empty_products() {
    for (m, n, k) in [(0, 9, 9), (9, 0, 9), (9, 9, 0), (0, 0, 0)] {
        let mut s = Subject::new(F64, &[m, n, k]);
        let (a, b) = (s.input(&[0, 2]), s.input(&[2, 1]));
        s.run(&[Left, Right], a, b, true).unwrap();
    }
}

/// Every order of the coordinates, in the results and in both inputs.
#[test]
fn orders_of_coordinates() {
    let roles = [Batch, Left, Right];
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    for batch in [0, 1, 3] {
        for order in orders {
            for turned in 0..4 {
                let sizes = [batch, 21, 34];
                let place = |role: usize| order.iter().position(|&o| o == role).unwrap();
                let sizes: Vec<_> = order.iter().map(|&o| sizes[o]).chain([19]).collect();
                let mut s = Subject::new(F64, &sizes);
                let mut factor = |own: usize, turn: bool| match turn {
                    false => s.input(&[place(0), place(own), 3]),
                    true => s.input(&[3, place(own), place(0)]),
                };
                let (a, b) = (factor(1, turned & 1 == 1), factor(2, turned & 2 == 2));
                s.run(&order.map(|o| roles[o]), a, b, turned == 0).unwrap();
            }
        }
    }
}

#[test]
fn several_coordinates_of_each_role() {
    let sizes = [2, 3, 7, 2, 9, 3, 4, 5];
    let roles = [Batch, Left, Right, Batch, Left, Right];
    let mut s = Subject::new(F64, &sizes);
    let a = s.input(&[0, 1, 3, 4, 6, 7]);
    let b = s.input(&[7, 5, 2, 3, 0, 6]);
    s.run(&roles, a, b, true).unwrap();
}

/// The three products of a Gaussian mixture's gradient.
#[test]
fn factors_that_are_computed() {
    for (n, k, d) in [(70, 3, 10), (300, 2, 33)] {
        let mut s = Subject::new(F64, &[n, k, d, d]);
        let (q, x, mean) = (s.input(&[1, 2, 3]), s.input(&[0, 3]), s.input(&[1, 3]));
        let centred = s.prim(Prim::Sub, x, mean);
        s.run(&[Right, Batch, Left], q, centred, true).unwrap();

        let mut s = Subject::new(F64, &[n, k, d, d]);
        let (r, y, q) = (s.input(&[0, 1]), s.input(&[0, 1, 3]), s.input(&[1, 3, 2]));
        let weighted = s.prim(Prim::Mul, r, y);
        s.run(&[Left, Batch, Right], weighted, q, true).unwrap();

        let mut s = Subject::new(F64, &[k, d, d, n]);
        let (r, y) = (s.input(&[3, 0]), s.input(&[3, 0, 1]));
        let (x, mean) = (s.input(&[3, 2]), s.input(&[0, 2]));
        let (weighted, centred) = (s.prim(Prim::Mul, r, y), s.prim(Prim::Sub, x, mean));
        s.run(&[Batch, Left, Right], weighted, centred, false)
            .unwrap();
    }
}

/// Weights that underflow gradually, times numbers of a moderate size.
#[test]
fn subnormal_factors_are_as_good_as_zeros() {
    let mut s = Subject::new(F64, &[40, 30, 50]);
    let (weight, x) = (s.input(&[0, 2]), s.input(&[0, 2]));
    let tiny = s.code.constant(1e-308);
    let weight = s.prim(Prim::Mul, weight, tiny);
    let (weighted, y) = (s.prim(Prim::Mul, weight, x), s.input(&[1, 2]));
    let found = s.run(&[Left, Right], weighted, y, false).unwrap();
    let Column::F64(found) = found[0].column() else {
        panic!("the result is of another type")
    };
    assert!(found.iter().all(|x| x.abs() < 1e-300));
}

#[test]
fn long_inner_spaces_are_cut_into_parts() {
    for init in [false, true] {
        let mut s = Subject::new(F64, &[11, 13, 20_000]);
        let (a, b) = (s.input(&[2, 0]), s.input(&[1, 2]));
        s.run(&[Left, Right], a, b, init).unwrap();
    }
}

/// A triangular matrix, packed row by row: the index is quadratic in the row, and guarded.
#[test]
fn guarded_loads() {
    let d = 40;
    let mut s = Subject::new(F64, &[d, 50, d]);
    let packed = s
        .maker
        .input(&[d * (d + 1) / 2], numbers(d * (d + 1) / 2, F64));
    let (i, j) = (s.at[0], s.at[2]);
    let guard = s.prim(Prim::Le, j, i);
    let (one, two) = (s.code.constant(1), s.code.constant(2));
    let next = s.prim(Prim::Add, i, one);
    let area = s.prim(Prim::Mul, i, next);
    let before = s.prim(Prim::Quot, area, two);
    let at = s.prim(Prim::Add, before, j);
    let site = s.maker.site("triangle");
    let triangle = s.code.guarded(packed, F64, &[at], Some(guard), Some(site));
    let b = s.input(&[1, 2]);
    s.run(&[Left, Right], triangle, b, true).unwrap();
}

#[test]
fn a_load_out_of_range_is_reported_where_a_fold_does() {
    for shift in [[1, 0], [0, 1], [1, 1], [0, 0]] {
        let mut s = Subject::new(F64, &[2, 20, 30, 17]);
        let factor = |s: &mut Subject, own: usize, shift: i32, name| {
            let (batch, own, inner) = (s.sizes[0], s.sizes[own], s.sizes[3]);
            let size = batch * own * inner;
            let array = s.maker.input(&[batch, own, inner], numbers(size, F64));
            let site = s.maker.site(name);
            let index = [s.at[0], s.at[if own == 20 { 1 } else { 2 }], s.at[3]];
            let by = s.code.constant(shift * 5);
            let last = s.prim(Prim::Add, index[2], by);
            let index = [index[0], index[1], last];
            s.code.guarded(array, F64, &index, None, Some(site))
        };
        let b = factor(&mut s, 2, shift[1], "right");
        let a = factor(&mut s, 1, shift[0], "left");
        let outcome = s.run(&[Batch, Left, Right], a, b, true);
        assert_eq!(outcome.is_ok(), shift == [0, 0]);
    }
}

#[test]
fn results_in_a_view() {
    let mut s = Subject::new(F64, &[20, 30, 17]);
    let (a, b) = (s.input(&[0, 2]), s.input(&[1, 2]));
    let value = s.prim(Prim::Mul, a, b);
    let two = s.maker.known(2i32);
    let space = s.extents[..2].to_vec();
    let whole = s.maker.own(F64, &[space[0], space[1], two]);
    for offset in [0, 1] {
        let layout = Layout::View {
            of: whole,
            offset: offset.into(),
            stride: 2,
        };
        let array = s.maker.array(F64, &space, layout);
        let kind = KernelKind::Contract {
            semiring: Semiring::PlusTimes,
            inner: vec![s.extents[2]],
            body: s.code.0.clone(),
            roles: vec![Left, Right],
            left: a,
            right: b,
            init: None,
            structure: Structure::default(),
            output: Output { value, array },
        };
        s.maker.kernel(&space, kind);
    }
    s.maker.schedule.results.push(whole);
    s.maker.run().unwrap();
}

#[test]
fn symbols_and_coordinates_as_numbers() {
    let mut s = Subject::new(F64, &[20, 30, 17]);
    let scale = s.maker.known(0.5f64);
    let scale = s.code.symbol(scale, F64);
    let convert = |s: &mut Subject, axis: usize| s.code.prim(Prim::Convert(F64), &[s.at[axis]]);
    let (i, k) = (convert(&mut s, 0), convert(&mut s, 2));
    let difference = s.prim(Prim::Sub, i, k);
    let a = s.prim(Prim::Mul, difference, scale);
    let b = s.input(&[1, 2]);
    assert_eq!(s.code.0.type_of(s.at[0]), I32);
    s.run(&[Left, Right], a, b, true).unwrap();
}

impl Subject {
    /// A value where the given bounds hold, and zero elsewhere.
    fn within(&mut self, bounds: &[Bound], value: ValueId) -> ValueId {
        let zero = self.code.constant(match self.ty {
            F32 => cotangent_core::constant::Const::F32(0.0),
            _other => cotangent_core::constant::Const::F64(0.0),
        });
        bounds.iter().fold(value, |value, bound| {
            let [above, below] = bound.axes().map(|axis| self.at[axis as usize]);
            let difference = self.code.prim(Prim::Sub, &[above, below]);
            let least = self.code.constant(bound.least as i32);
            let holds = self.code.prim(Prim::Ge, &[difference, least]);
            self.code.prim(Prim::Select, &[holds, value, zero])
        })
    }
}

/// Where a factor is zero nothing is multiplied, and nothing changes.
#[test]
fn triangles_and_bands() {
    let band = [Bound::new(0, 2, -3), Bound::new(2, 0, -5)];
    let lefts = [
        &[Bound::new(0, 2, 0)][..],
        &[Bound::new(2, 0, 1)],
        &band,
        &[],
    ];
    let rights = [&[][..], &[Bound::new(1, 2, 2)], &[Bound::new(2, 1, 0)]];
    for ty in [F32, F64] {
        for (m, n, k) in [(64, 64, 64), (9, 33, 17), (70, 5, 300), (5, 70, 9)] {
            for (left, right) in lefts
                .iter()
                .flat_map(|l| rights.iter().map(move |r| (l, r)))
            {
                let mut s = Subject::new(ty, &[m, n, k]);
                let (a, b) = (s.input(&[0, 2]), s.input(&[2, 1]));
                let (a, b) = (s.within(left, a), s.within(right, b));
                s.structure.left = left.to_vec();
                s.structure.right = right.to_vec();
                s.run(&[Left, Right], a, b, m % 2 == 0).unwrap();
            }
        }
    }
}

/// Zero times infinity is no zero.
#[test]
fn nothing_is_left_out_against_infinities() {
    for strange in [f64::INFINITY, f64::NAN] {
        let mut s = Subject::new(F64, &[40, 30, 50]);
        let a = s.input(&[0, 2]);
        let mut elements = vec![1.5; 50 * 30];
        elements[47 * 30 + 4] = strange;
        let b = s.maker.input(&[50, 30], elements);
        let b = s.code.load(b, F64, &[s.at[2], s.at[1]]);
        let bounds = [Bound::new(0, 2, 0)];
        let a = s.within(&bounds, a);
        s.structure.left = bounds.to_vec();
        let result = s.run(&[Left, Right], a, b, true).unwrap();
        let Column::F64(found) = result[0].column() else {
            panic!("the result is of another type");
        };
        // Even the first row, of which all but one factor are zero.
        assert!(found[4].is_nan() && found[3].is_finite());
    }
}

/// What is in memory in the order of a batch goes by once, and what all of it has is kept.
#[test]
fn factors_that_a_batch_shares() {
    for (sizes, init) in [([3, 9, 40, 17], true), ([30, 40, 40, 40], false)] {
        let mut s = Subject::new(F64, &sizes);
        let (a, x, mean) = (s.input(&[0, 1, 3]), s.input(&[2, 3]), s.input(&[0, 3]));
        let centred = s.prim(Prim::Sub, x, mean);
        s.run(&[Batch, Left, Right], a, centred, init).unwrap();
        let mut s = Subject::new(F64, &sizes);
        let (a, b) = (s.input(&[0, 1, 3]), s.input(&[2, 3]));
        s.run(&[Batch, Left, Right], a, b, init).unwrap();
    }
}
