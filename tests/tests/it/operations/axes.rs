//! Dimensions as wholes, and arrays made of positions.

use super::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, Error, compile};

type Ints = Acc<Ix1, i32>;
type Grid = Acc<Ix2, i32>;
type Cube = Acc<Ix3, i32>;

fn grid() -> Array<Ix2, i32> {
    matrix([[1, 2, 3], [4, 5, 6]])
}

fn cube(shape: [usize; 3], values: impl Into<Vec<i32>>) -> Array<Ix3, i32> {
    Array::from_vec(shape, values.into()).unwrap()
}

#[test]
fn move_axis() {
    let numbers: Vec<i32> = (0..24).collect();
    let at = |i: usize, j: usize, k: usize| (i * 12 + j * 4 + k) as i32;
    let of = |f: fn(usize, usize, usize) -> [usize; 3], [n, m, l]: [usize; 3]| {
        let mut all = vec![];
        for (i, j, k) in
            (0..n).flat_map(|i| (0..m).flat_map(move |j| (0..l).map(move |k| (i, j, k))))
        {
            let [i, j, k] = f(i, j, k);
            all.push(at(i, j, k));
        }
        cube([n, m, l], all)
    };
    let x = cube([2, 3, 4], numbers);
    gives(
        |x: Cube| x.move_axis(0, 2),
        x.clone(),
        of(|j, k, i| [i, j, k], [3, 4, 2]),
    );
    gives(
        |x: Cube| x.move_axis(2, 0),
        x.clone(),
        of(|k, i, j| [i, j, k], [4, 2, 3]),
    );
    gives(
        |x: Cube| x.move_axis(1, 2),
        x.clone(),
        of(|i, k, j| [i, j, k], [2, 4, 3]),
    );
    gives(|x: Cube| x.move_axis(1, 1), x.clone(), x);
    gives(|m: Grid| m.move_axis(0, 1).sum(), grid(), vector([5, 7, 9]));
    let Err(error) = compile(|m: Grid| m.move_axis(0, 2)) else {
        panic!("there are two dimensions");
    };
    let text = error.to_string();
    assert!(text.contains("no dimension 2: the array has 2"), "{text}");
}

#[test]
fn tile() {
    let twice = matrix([[1, 2, 3, 1, 2, 3], [4, 5, 6, 4, 5, 6]]);
    gives(|m: Grid| m.tile(ix![1, 2]), grid(), twice);
    gives(|v: Ints| v.tile(ix![3]), vector([7]), vector([7; 3]));
    gives(|v: Ints| v.tile(ix![0]), vector([7]), vector([]));
    gives(|v: Ints| v.tile(ix![2]), vector([]), vector([]));
}

#[test]
fn pad() {
    let around = |m: Grid| m.pad(ix![1, 0], ix![0, 2], 9);
    let wider = matrix([[9, 9, 9, 9, 9], [1, 2, 3, 9, 9], [4, 5, 6, 9, 9]]);
    gives(around, grid(), wider);
    gives(
        |m: Grid| m.pad(ix![0, -1], ix![-1, 1], 0),
        grid(),
        matrix([[2, 3, 0]]),
    );
    gives(
        |v: Ints| v.pad(ix![1], ix![1], 5),
        vector([]),
        vector([5, 5]),
    );
}

#[test]
fn concat() {
    let three = |a: Grid, b: Grid| cotangent::prelude::concat(&[a, b, a]);
    let one = matrix([[7, 8, 9]]);
    let all = matrix([[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 2, 3], [4, 5, 6]]);
    gives(three, (grid(), one), all);
    gives(
        |a: Ints| cotangent::prelude::concat(&[a]),
        vector([1, 2]),
        vector([1, 2]),
    );
    let program = compile(three).unwrap();
    let error = program
        .run(&Cpu::default(), (grid(), matrix([[1]])))
        .unwrap_err();
    assert!(error.to_string().contains("[1, 1]"), "{error}");
    let none = compile(|| cotangent::prelude::concat::<Ix1, i32>(&[]));
    assert!(matches!(none, Err(Error::Surface(_))));
}

#[test]
fn stack() {
    let both = |a: Ints, b: Ints| cotangent::prelude::stack(&[a, b]);
    let input = (vector([1, 2]), vector([3, 4]));
    gives(both, input, matrix([[1, 2], [3, 4]]));
    let scalars = |a: Acc<Ix0, i32>| cotangent::prelude::stack(&[a, a]);
    gives(scalars, Array::scalar(7), vector([7, 7]));
    let program = compile(both).unwrap();
    let error = program.run(&Cpu::default(), (vector([1, 2]), vector([3])));
    assert!(error.unwrap_err().to_string().contains("[1, 1]"));
}

#[test]
fn slice() {
    gives(|m: Grid| m.slice(ix![1.., ..2]), grid(), matrix([[4, 5]]));
    gives(
        |m: Grid| m.slice(ix![.., 1..3]),
        grid(),
        matrix([[2, 3], [5, 6]]),
    );
    gives(|m: Grid| m.slice(ix![All, 1..1]), grid(), matrix([[], []]));
    gives(|m: Grid| m.slice(ix![0, 1..]), grid(), vector([2, 3]));
    gives(
        |m: Grid| m.slice(Snoc(any(), ..1)),
        grid(),
        matrix([[1], [4]]),
    );
    let from = |v: Ints, n: Acc<Ix0, i32>| v.slice(ix![n.the()..n.the() + 2]);
    gives(from, (vector([1, 2, 3]), Array::scalar(1)), vector([2, 3]));
    let rows = 1..2;
    gives(move |m: Grid| m.slice(ix![rows, 2]), grid(), vector([6]));
    let program = compile(|v: Ints| v.slice(ix![1..4])).unwrap();
    let error = program.run(&Cpu::default(), vector([1, 2, 3])).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("axes.rs") && text.contains("[3] is out of range"),
        "{text}"
    );
    let (from, to) = (2, 1);
    let program = compile(|v: Ints| v.slice(ix![from..to])).unwrap();
    assert!(program.run(&Cpu::default(), vector([1, 2, 3])).is_err());
}

#[test]
fn iota() {
    gives(
        |n: Acc<Ix0, i32>| cotangent::prelude::iota(n.the()),
        Array::scalar(3),
        vector([0, 1, 2]),
    );
    gives(|| cotangent::prelude::iota(0), (), vector([]));
}

#[test]
fn enum_from_n() {
    gives(|| cotangent::prelude::enum_from_n(ix![2, 3], 1), (), grid());
    gives(
        || cotangent::prelude::enum_from_n(ix![], 2.5_f32),
        (),
        Array::scalar(2.5_f32),
    );
}

#[test]
fn enum_from_step_n() {
    gives(
        || cotangent::prelude::enum_from_step_n(ix![2, 2], 1.0, -0.5),
        (),
        matrix([[1.0, 0.5], [0.0, -0.5]]),
    );
    gives(
        || cotangent::prelude::enum_from_step_n(ix![3], 5_u32, 2),
        (),
        vector([5_u32, 7, 9]),
    );
}

#[test]
fn eye() {
    gives(
        || cotangent::prelude::eye::<i64>(2),
        (),
        matrix([[1_i64, 0], [0, 1]]),
    );
    gives(
        || cotangent::prelude::eye::<f64>(0),
        (),
        matrix::<_, 0, 0>([]),
    );
}
