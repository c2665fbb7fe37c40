//! Gradients of products of matrices whose extents differ: what is cut off has the gradient zero, whatever is there.

use cotangent::prelude::*;
use cotangent::{Cpu, Program, compile};
use cotangent_core::host::HostArray;
use cotangent_tests::engines::compare;

type Matrix = Acc<Ix2, f64>;
type Pair = (Matrix, Matrix);
type HostMatrix = Array<Ix2, f64>;

/// \[n, k] · \[k, m]; of different inner extents, the lesser counts.
fn product(x: Matrix, y: Matrix) -> Matrix {
    let (ix![n, _], ix![_, m]) = (x.shape(), y.shape());
    let columns = y.transpose().replicate(ix![n, All, All]);
    x.replicate(ix![All, m, All])
        .zip_with(columns, |x, y| x * y)
        .sum()
}

/// The gradient of Σ wᵢⱼ·(x·y)ᵢⱼ.
fn gradient() -> Program<(Matrix, Matrix, Matrix), Pair> {
    compile(|x: Matrix, y: Matrix, w: Matrix| {
        gradient_a(
            |(x, y): Pair| product(x, y).zip_with(w, |z, w| z * w).sum_all(),
            (x, y),
        )
    })
    .unwrap()
}

/// Elements in rows.
#[derive(Clone)]
struct Rows {
    rows: usize,
    columns: usize,
    elements: Vec<f64>,
}

impl Rows {
    fn new(rows: usize, columns: usize, at: impl Fn(usize, usize) -> f64) -> Self {
        let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        let elements = places.map(|(i, j)| at(i, j)).collect();
        Self {
            rows,
            columns,
            elements,
        }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.elements[i * self.columns + j]
    }

    fn array(&self) -> HostMatrix {
        Array::from_vec([self.rows, self.columns], self.elements.clone()).unwrap()
    }
}

fn numbers(rows: usize, columns: usize) -> Rows {
    Rows::new(rows, columns, |i, j| {
        ((i * 37 + j * 11) % 23) as f64 * 0.25 - 2.0
    })
}

/// The gradient, as loops compute it.
fn expected(x: &Rows, y: &Rows, w: &Rows) -> [Rows; 2] {
    let inner = x.columns.min(y.rows);
    let weight = |i: usize, j: usize| match i < w.rows && j < w.columns {
        true => w.at(i, j),
        false => 0.0,
    };
    let of_x = Rows::new(x.rows, x.columns, |i, k| match k < inner {
        true => (0..y.columns).map(|j| y.at(k, j) * weight(i, j)).sum(),
        false => 0.0,
    });
    let of_y = Rows::new(y.rows, y.columns, |k, j| match k < inner {
        true => (0..x.rows).map(|i| x.at(i, k) * weight(i, j)).sum(),
        false => 0.0,
    });
    [of_x, of_y]
}

fn columns(of: (HostMatrix, HostMatrix)) -> Vec<HostArray> {
    let mut columns = vec![];
    <Pair as Arrays>::from_host(of, &mut columns);
    columns
}

/// Requires the gradient of loops, of the interpreter if `interpreted`, and of the CPU.
#[track_caller]
fn check(x: &Rows, y: &Rows, w: &Rows, interpreted: bool) {
    let program = gradient();
    let inputs = (x.array(), y.array(), w.array());
    let [of_x, of_y] = expected(x, y, w);
    let expected = columns((of_x.array(), of_y.array()));
    let mut found = vec![program.run(&Cpu::default(), inputs.clone()).unwrap()];
    found.extend(interpreted.then(|| program.interpret(inputs).unwrap()));
    for found in found {
        if let Some(problem) = compare(&expected, &columns(found), 1.0) {
            panic!("{problem}");
        }
    }
}

#[test]
fn extents_that_differ() {
    let shapes = [
        ((5, 7), (7, 6), (5, 6)),
        ((5, 9), (7, 6), (5, 6)),
        ((5, 7), (9, 6), (4, 7)),
        ((5, 7), (9, 6), (6, 2)),
    ];
    for ((n, k), (l, m), (rows, columns)) in shapes {
        let (x, y, w) = (numbers(n, k), numbers(l, m), numbers(rows, columns));
        check(&x, &y, &w, true);
    }
}

#[test]
fn large_products_that_are_run_by_tiles() {
    for (k, l) in [(40, 40), (40, 29), (29, 40)] {
        check(&numbers(37, k), &numbers(l, 33), &numbers(37, 33), false);
    }
}

#[test]
fn empty_extents() {
    for (n, k, l, m) in [(0, 4, 4, 3), (3, 0, 4, 3), (3, 4, 0, 3), (3, 4, 4, 0)] {
        check(&numbers(n, k), &numbers(l, m), &numbers(n, m), true);
    }
    check(&numbers(3, 4), &numbers(4, 3), &numbers(0, 3), true);
}

/// The gradient by what is cut off is zero, and what is there appears nowhere.
#[test]
fn what_is_cut_off_may_be_anything() {
    for value in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        let mut x = numbers(37, 40);
        x.elements
            .iter_mut()
            .skip(30)
            .step_by(40)
            .for_each(|last| *last = value);
        check(&x, &numbers(29, 33), &numbers(37, 33), false);
        let mut y = numbers(40, 33);
        y.elements[30 * 33..].fill(value);
        check(&numbers(37, 29), &y, &numbers(37, 33), false);
    }
}

/// Infinities in the common part do not meet the zeros that results are padded with.
#[test]
fn what_is_padded_stays_zero() {
    let mut w = numbers(37, 33);
    w.elements.fill(f64::INFINITY);
    let positive = |rows, columns| Rows::new(rows, columns, |i, j| 1.0 + (i + 2 * j) as f64);
    check(&positive(37, 40), &positive(29, 33), &w, false);
    check(&positive(37, 29), &positive(40, 33), &w, false);
}

/// Rows that are equal need one sum, which is that of those alone that are not cut off.
#[test]
fn equal_rows_of_which_some_are_cut_off() {
    type Vector = Acc<Ix1, f64>;
    let sums = compile(|x: Vector, m: Vector, n: Vector| {
        let (m, n) = (m.size(), n.size());
        let rows = generate(ix![n, x.size()], move |ix![i, k]| {
            cond(i.lt(m), x.at(ix![k]), 0.0)
        });
        rows.sum()
    })
    .unwrap();
    let tables = compile(|x: Matrix, m: Vector, n: Vector| {
        let (m, n) = (m.size(), n.size());
        let ix![h, w] = x.shape();
        let rows = generate(ix![n, h, w], move |ix![i, j, k]| {
            cond(i.lt(m), x.at(ix![j, k]), 0.0)
        });
        rows.sum()
    })
    .unwrap();
    let zeros = |n: usize| Array::vector(vec![0.0; n]).unwrap();
    let x = Rows::new(3, 5, |i, j| (2 * i + j) as f64);
    for (m, n) in [(2, 4), (0, 3), (5, 3), (3, 0), (1, 1), (70, 200)] {
        let rows = (zeros(m), zeros(n));
        let input = (
            Array::vector(x.elements.clone()).unwrap(),
            rows.0.clone(),
            rows.1.clone(),
        );
        let total: f64 = x.elements.iter().sum();
        let expected: Vec<f64> = (0..n).map(|i| if i < m { total } else { 0.0 }).collect();
        assert_eq!(sums.interpret(input.clone()).unwrap().to_vec(), expected);
        assert_eq!(sums.run(&Cpu::default(), input).unwrap().to_vec(), expected);
        let input = (x.array(), rows.0, rows.1);
        let expected = tables.interpret(input.clone()).unwrap().to_vec();
        assert_eq!(
            tables.run(&Cpu::default(), input).unwrap().to_vec(),
            expected
        );
    }
}
