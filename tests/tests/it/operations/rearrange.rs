//! The same elements elsewhere.

use super::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, Error, compile};
use cotangent_core::backend::RunError;
use cotangent_tests::differences::all_agree;

type Vector = Acc<Ix1, f64>;
type Ints = Acc<Ix1, i32>;
type Grid = Acc<Ix2, i32>;

fn grid() -> Array<Ix2, i32> {
    matrix([[1, 2, 3], [4, 5, 6]])
}

#[test]
fn reshape() {
    gives(
        |m: Grid| m.reshape(ix![3, 2]),
        grid(),
        matrix([[1, 2], [3, 4], [5, 6]]),
    );
    gives(|m: Grid| m.reshape(ix![]), matrix([[7]]), Array::scalar(7));
    gives(
        |m: Grid| m.reshape(ix![0]),
        matrix::<_, 0, 3>([]),
        vector([]),
    );
}

#[test]
fn flatten() {
    gives(|m: Grid| m.flatten(), grid(), vector([1, 2, 3, 4, 5, 6]));
    gives(
        |x: Acc<Ix0, i32>| x.flatten(),
        Array::scalar(7),
        vector([7]),
    );
}

#[test]
fn replicate() {
    let f = |v: Ints| (v.replicate(ix![3, All]), v.replicate(ix![All, 3]));
    let (rows, columns) = (matrix([[1, 2]; 3]), matrix([[1; 3], [2; 3]]));
    gives(f, vector([1, 2]), (rows, columns.clone()));
    gives(
        |v: Ints| v.replicate(Snoc(any(), 3)),
        vector([1, 2]),
        columns,
    );
    gives(
        |x: Acc<Ix0, f64>| x.replicate(ix![2]),
        Array::scalar(0.5),
        vector([0.5; 2]),
    );
    gives(
        |v: Ints| v.replicate(ix![0, All]),
        vector([1, 2]),
        matrix::<_, 0, 2>([]),
    );
}

#[test]
fn slice() {
    let f = |m: Grid| {
        (
            m.slice(ix![1, All]),
            m.slice(ix![All, 2]),
            m.slice(ix![0, 1]),
        )
    };
    gives(
        f,
        grid(),
        (vector([4, 5, 6]), vector([3, 6]), Array::scalar(2)),
    );
    gives(|m: Grid| m.slice(Snoc(any(), 0)), grid(), vector([1, 4]));
}

#[test]
fn backpermute() {
    let f = |m: Grid| m.backpermute(ix![4], |ix![i]| ix![i % 2, m.inner() - 1 - i / 2]);
    gives(f, grid(), vector([3, 6, 2, 5]));
}

/// One kernel without, two with: that of the array, and that of its reader. An argument is in memory already.
#[test]
fn compute() {
    let f = |v: Vector| v.map(|x| x + 1.0).compute().map(|x| x * x);
    gives(f, vector([1.0, -3.0]), vector([4.0, 4.0]));
    gives(f, vector([]), vector([]));
    let pairs = |m: Acc<Ix2, (i32, bool)>| {
        m.map(|(n, b)| (n + 1, !b))
            .compute()
            .map(|(n, b)| cond(b, n, 0))
    };
    gives(pairs, matrix([[(1, false), (2, true)]]), matrix([[2, 0]]));
    let kernels = |kernels: usize, f: fn(Vector) -> Vector| {
        let explanation = compile(f).unwrap().explain_for(&[&[100]]).unwrap();
        assert_eq!(explanation.kernels.len(), kernels, "{explanation}");
        explanation.to_string()
    };
    kernels(1, |v| v.map(|x| x + 1.0).map(|x| x * x));
    let reason = kernels(2, |v| v.map(|x| x + 1.0).compute().map(|x| x * x));
    assert!(reason.contains("`compute` asks for it"), "{reason}");
    kernels(1, |v| v.compute().map(|x| x * x));
    kernels(2, |v| v.map(|x| x + 1.0).compute().compute().map(|x| x * x));
    kernels(2, |v| {
        let stored = v.map(|x| x + 1.0).compute();
        stored
            .reshape(ix![2, v.inner() / 2])
            .map(|x| x * x)
            .flatten()
    });
    // A derivative keeps it, and a loop over rows.
    kernels(2, |v| {
        gradient_a(
            |v: Vector| v.map(|x| x.sin()).compute().map(|x| x * x).sum(),
            v,
        )
    });
    all_agree(
        |v: Vector| v.map(|x| x.sin()).compute().map(|x| x * x),
        vector([0.5, 2.0]),
    );
    let rows = |m: Acc<Ix2, f64>| vmap(|v: Vector| v.map(|x| x + 1.0).compute().map(|x| x * x), m);
    gives(
        rows,
        matrix([[1.0, -3.0], [0.0, 1.0]]),
        matrix([[4.0, 4.0], [1.0, 4.0]]),
    );
}

#[test]
fn permute() {
    let f = |keys: Ints, x: Vector| {
        let target = |ix![i]: Ix1| (keys.at(ix![i]).ge(0), ix![keys.at(ix![i])]);
        let defaults = fill(ix![3], 100.0);
        (
            x.permute(Combine::Add, defaults, target),
            x.permute(Combine::Overwrite, defaults, target),
        )
    };
    let input = (vector([2, 0, -1, 2]), vector([1.0, 2.0, 3.0, 4.0]));
    gives(
        f,
        input,
        (vector([102.0, 100.0, 105.0]), vector([2.0, 100.0, 4.0])),
    );
}

#[test]
fn scatter() {
    let f = |to: Ints, x: Acc<Ix1, (f64, i32)>| x.scatter(Combine::Add, fill(ix![3], (0.5, 7)), to);
    let input = (vector([2, 0, 2]), vector([(1.0, 1), (2.0, 2), (3.0, 3)]));
    gives(f, input, vector([(2.5, 9), (0.5, 7), (4.5, 11)]));
}

#[test]
fn reverse() {
    gives(
        |m: Grid| m.reverse(),
        grid(),
        matrix([[3, 2, 1], [6, 5, 4]]),
    );
    gives(|v: Ints| v.reverse(), vector([]), vector([]));
}

#[test]
fn transpose() {
    gives(
        |m: Grid| m.transpose(),
        grid(),
        matrix([[1, 4], [2, 5], [3, 6]]),
    );
}

#[test]
fn unpack() {
    let f = |v: Acc<Ix1, [(i32, bool); 2]>| v.unpack();
    let input = vector([[(1, true), (2, false)], [(3, false), (4, true)]]);
    gives(
        f,
        input,
        matrix([[(1, true), (2, false)], [(3, false), (4, true)]]),
    );
}

#[test]
fn roll() {
    gives(
        |v: Ints| v.roll(ix![1]),
        vector([1, 2, 3]),
        vector([3, 1, 2]),
    );
    gives(
        |m: Grid| (m.roll(ix![All, -1]), m.roll(ix![1, 5]), m.roll(ix![All, 3])),
        grid(),
        (
            matrix([[2, 3, 1], [5, 6, 4]]),
            matrix([[5, 6, 4], [2, 3, 1]]),
            grid(),
        ),
    );
    // By any amount, of an array that is computed where it is read, or of nothing.
    let f = |v: Ints, by: Acc<Ix0, i32>| v.map(|x| 10 * x).roll(ix![by.the()]).reverse();
    for (by, expected) in [
        (i32::MIN, [20, 10, 30]),
        (i32::MAX, [20, 10, 30]),
        (0, [30, 20, 10]),
    ] {
        gives(f, (vector([1, 2, 3]), Array::scalar(by)), vector(expected));
    }
    gives(f, (vector([]), Array::scalar(7)), vector([]));
}

/// An adjoint goes back to where its element came from.
#[test]
fn roll_differentiated() {
    let f = |v: Vector, by: Acc<Ix0, i32>| {
        let weighted = |v: Vector| {
            let weights = generate(v.shape(), |ix![i]| i.to_f64());
            v.roll(ix![by.the()]).zip_with(weights, |x, w| x * w).sum()
        };
        gradient_a(weighted, v)
    };
    // Modulo 3, the least number is 1.
    for (by, expected) in [
        (1, [1.0, 2.0, 0.0]),
        (i32::MIN, [1.0, 2.0, 0.0]),
        (-1, [2.0, 0.0, 1.0]),
    ] {
        let input = (vector([0.5, 0.25, 1.5]), Array::scalar(by));
        gives(f, input, vector(expected));
    }
}

#[test]
fn append() {
    let f = |x: Ints, y: Ints| x.append(y);
    gives(f, (vector([1, 2]), vector([3])), vector([1, 2, 3]));
    gives(f, (vector([]), vector([3])), vector([3]));
    gives(f, (vector([]), vector([])), vector([]));
    let rows = |x: Grid, y: Grid| (x.append(y), y.append(x).append(y));
    gives(
        rows,
        (matrix([[1, 2], [4, 5]]), matrix([[7, 8]])),
        (
            matrix([[1, 2], [4, 5], [7, 8]]),
            matrix([[7, 8], [1, 2], [4, 5], [7, 8]]),
        ),
    );
    let none = Array::<Ix2, i32>::from_vec([0, 2], vec![]).unwrap();
    let more = matrix([[7, 8]]);
    gives(|x: Grid, y: Grid| x.append(y), (none, more.clone()), more);
}

/// Rows of other lengths are no rows to add, whether there are any or not.
#[test]
fn append_of_other_rows() {
    let strict = |x: Grid, y: Grid| x.append(y);
    let none = || Array::<Ix2, i32>::from_vec([0, 3], vec![]).unwrap();
    let pair = || matrix([[7, 8]]);
    for (inputs, shapes) in [
        ((grid(), pair()), ([1, 3], [1, 2])),
        ((pair(), none()), ([0, 2], [0, 3])),
    ] {
        let compiled = compile(strict).unwrap();
        let error = compiled.run(&Cpu::default(), inputs).unwrap_err();
        let Error::Run(RunError::ShapeMismatch {
            expected, found, ..
        }) = &error
        else {
            panic!("{error}");
        };
        assert_eq!((&expected[..], &found[..]), (&shapes.0[..], &shapes.1[..]));
    }
}

/// Parts of several columns, interleaved ones, parts under conditions, and the same array twice.
#[test]
fn append_of_what_is_computed() {
    let f = |v: Acc<Ix1, (i32, bool)>, back: Acc<Ix0, bool>| {
        let doubled = v.map(|(n, flag)| (2 * n, !flag));
        let rows = v.map(|(n, _)| [n, -n, n + 10]).unpack().flatten();
        let chosen = acond(
            back.the(),
            rows.append(v.map(|(n, _)| n)).reverse(),
            v.map(|(n, _)| n + 100).append(rows),
        );
        (v.append(doubled), doubled.append(doubled), chosen)
    };
    let input = vector([(1, true), (2, false)]);
    let both = vector([(1, true), (2, false), (2, false), (4, true)]);
    let twice = vector([(2, false), (4, true), (2, false), (4, true)]);
    let chosen = [
        (true, [2, 1, 12, -2, 2, 11, -1, 1]),
        (false, [101, 102, 1, -1, 11, 2, -2, 12]),
    ];
    for (back, chosen) in chosen {
        let expected = (both.clone(), twice.clone(), vector(chosen));
        gives(f, (input.clone(), Array::scalar(back)), expected);
    }
}

/// An adjoint goes to the part that the element is of; what is cut has none.
#[test]
fn append_differentiated() {
    type Reals = Acc<Ix2, f64>;
    let f = |x: Reals, y: Reals| {
        let weighted = |(x, y): (Reals, Reals)| {
            let first = x.slice(ix![All, ..2]);
            let all = first.append(y).append(first);
            let ix![rows, columns] = all.shape();
            let weights = generate(ix![rows, columns], |ix![i, j]| (10 * i + j).to_f64());
            all.zip_with(weights, |a, w| a * w).flatten().sum()
        };
        gradient_a(weighted, (x, y))
    };
    let (x, y) = (matrix([[1.0, 2.0, 3.0]]), matrix([[4.0, 5.0], [6.0, 7.0]]));
    let dx = matrix([[30.0, 32.0, 0.0]]);
    let dy = matrix([[10.0, 11.0], [20.0, 21.0]]);
    gives(f, (x, y), (dx, dy));
}
