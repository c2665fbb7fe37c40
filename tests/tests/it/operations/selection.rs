//! Elements by a condition, by position, by key and by segment.

use super::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};

type Ints = Acc<Ix1, i32>;
type Vector = Acc<Ix1, f64>;
type Flags = Acc<Ix1, bool>;

fn input() -> Array<Ix1, f64> {
    vector([1.0, -2.0, 3.0, -4.0])
}

#[test]
fn filter() {
    gives(
        |v: Vector| v.filter(|x| x.gt(0.0)),
        input(),
        vector([1.0, 3.0]),
    );
    gives(|v: Vector| v.filter(|x| x.gt(9.0)), input(), vector([]));
    gives(|v: Vector| v.filter(|x| x.gt(0.0)), vector([]), vector([]));
    let pairs = |v: Acc<Ix1, (i32, f64)>| v.filter(|(n, _)| (n % 2).eq_(0));
    gives(pairs, vector([(1, 0.5), (2, 1.5)]), vector([(2, 1.5)]));
}

#[test]
fn partition() {
    let signs = |v: Vector| v.partition(|x| x.gt(0.0));
    gives(signs, input(), (vector([1.0, 3.0]), vector([-2.0, -4.0])));
    gives(signs, vector([]), (vector([]), vector([])));
}

#[test]
fn compact() {
    let flags = vector([false, true, true, false]);
    let f = |v: Vector, flags: Flags| v.compact(flags);
    gives(f, (input(), flags), vector([-2.0, 3.0]));
    let shorter = compile(f)
        .unwrap()
        .run(&Cpu::default(), (input(), vector([true])));
    assert!(shorter.unwrap_err().to_string().contains("[1]"));
}

#[test]
fn gather() {
    let f = |v: Vector, at: Acc<Ix2, i32>| v.gather(at);
    gives(
        f,
        (input(), matrix([[3, 0], [0, 1]])),
        matrix([[-4.0, 1.0], [1.0, -2.0]]),
    );
    let outside = compile(f)
        .unwrap()
        .run(&Cpu::default(), (input(), matrix([[4]])));
    assert!(outside.is_err());
}

#[test]
fn expand() {
    let f = |v: Ints| v.expand(|n| n, |n, k| 10 * n + k);
    gives(
        f,
        vector([0, 2, 0, 0, 3, -1, 1, 0]),
        vector([20, 21, 30, 31, 32, 10]),
    );
    gives(f, vector([]), vector([]));
    gives(f, vector([0, 0]), vector([]));
    // Pairs of different elements.
    let pairs = |v: Ints| {
        v.enumerate().expand(
            move |(i, _)| v.size() - 1 - i,
            move |(i, x), k| (x, v.at(ix![i + 1 + k])),
        )
    };
    gives(pairs, vector([5, 6, 7]), vector([(5, 6), (5, 7), (6, 7)]));
}

#[test]
fn positions() {
    gives(
        |v: Flags| v.positions(),
        vector([true, false, true]),
        vector([0, 2]),
    );
    gives(|v: Flags| v.positions(), vector([false]), vector([]));
    gives(|v: Flags| v.positions(), vector([]), vector([]));
}

#[test]
fn select() {
    let greater = |x: Vector, y: Vector| x.gt(y).select(x, y);
    let inputs = (vector([1.0, 5.0]), vector([3.0, 2.0]));
    gives(greater, inputs, vector([3.0, 5.0]));
    let f = |flags: Flags, x: Vector, y: Vector| flags.select(x, y);
    let shorter = (vector([true, true]), vector([3.0, 2.0]), vector([1.0]));
    assert!(compile(f).unwrap().run(&Cpu::default(), shorter).is_err());
}

#[test]
fn histogram() {
    gives(
        |v: Ints| v.histogram(3),
        vector([2, 0, 2, 7, -1, 3]),
        vector([1, 0, 2]),
    );
    gives(
        |m: Acc<Ix2, i32>| m.histogram(2),
        matrix([[1, 1], [0, 1]]),
        vector([1, 3]),
    );
    gives(|v: Ints| v.histogram(2), vector([]), vector([0, 0]));
    gives(|v: Ints| v.histogram(0), vector([0]), vector([]));
}

#[test]
fn fold_segments() {
    let sums = |v: Vector, lengths: Ints| v.fold_segments(0.5, |a, b| a + b, lengths);
    let lengths = vector([0, 2, 0, 1, 1, 0]);
    let found = vector([0.5, -0.5, 0.5, 3.5, -3.5, 0.5]);
    gives(sums, (input(), lengths), found);
    gives(sums, (vector([]), vector([0, 0])), vector([0.5, 0.5]));
    gives(sums, (input(), vector([])), vector([]));
    // The operator has its operands in order.
    let last = |v: Ints, lengths: Ints| v.fold_segments(0, |_, b| b, lengths);
    gives(last, (vector([1, 2, 3]), vector([2, 1])), vector([2, 3]));
    let longer = compile(sums)
        .unwrap()
        .run(&Cpu::default(), (input(), vector([5])));
    assert!(longer.is_err());
}

#[test]
fn scanl1_segments() {
    let sums = |v: Vector, lengths: Ints| v.scanl1_segments(|a, b| a + b, lengths);
    gives(
        sums,
        (input(), vector([0, 2, 0, 2])),
        vector([1.0, -1.0, 3.0, -1.0]),
    );
    gives(sums, (input(), vector([])), vector([1.0, -1.0, 2.0, -2.0]));
    gives(sums, (vector([]), vector([0])), vector([]));
    // More than there are.
    gives(
        sums,
        (input(), vector([3, 9, 2])),
        vector([1.0, -1.0, 2.0, -4.0]),
    );
}

#[test]
fn search_sorted() {
    let f = |edges: Acc<Ix1, i32>, values: Acc<Ix2, i32>| edges.search_sorted(values);
    let edges = || vector([1, 3, 3, 7]);
    let values = || matrix([[0, 1, 2], [3, 7, 8]]);
    gives(f, (edges(), values()), matrix([[0, 0, 1], [1, 3, 4]]));
    gives(f, (vector([]), values()), matrix([[0; 3]; 2]));
    gives(f, (edges(), matrix([[], []])), matrix([[], []]));
    // Of any number of elements, against the definition.
    let program = compile(f).unwrap();
    for n in 0..40 {
        let sorted: Vec<i32> = (0..n).map(|i| i * i / 5).collect();
        let values: Vec<i32> = (-1..n * n / 5 + 2).collect();
        let expected: Vec<i32> = values
            .iter()
            .map(|value| sorted.iter().filter(|x| *x < value).count() as i32)
            .collect();
        let row = Array::<Ix2, _>::from_vec([1, values.len()], values).unwrap();
        let inputs = (Array::vector(sorted).unwrap(), row);
        let found = program.run(&Cpu::default(), inputs).unwrap();
        assert_eq!(found.to_vec(), expected, "{n}");
    }
}

#[test]
fn segments_of_negative_length_are_empty() {
    let sums = |v: Ints, lengths: Ints| v.fold_segments(0, |a, b| a + b, lengths);
    let scans = |v: Ints, lengths: Ints| v.scanl1_segments(|a, b| a + b, lengths);
    let inputs = || (vector([1, 2, 3, 4]), vector([-3, 2, -1, 2, -5]));
    gives(sums, inputs(), vector([0, 3, 0, 7, 0]));
    gives(scans, inputs(), vector([1, 3, 3, 7]));
}
