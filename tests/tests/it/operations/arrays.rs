//! Arrays: made, measured, read, mapped over, paired and taken apart; chosen and differentiated. Tests of free
//! functions are named `free_..`, not to hide them.

use super::{gives, matrix, vector};
use cotangent::prelude::*;

type Vector = Acc<Ix1, f64>;
type Ints = Acc<Ix1, i32>;
type Grid = Acc<Ix2, i32>;

#[test]
fn shape() {
    let f = |m: Grid| {
        let ix![rows, columns] = m.shape();
        unit((rows, columns))
    };
    gives(f, matrix([[1, 2, 3], [4, 5, 6]]), Array::scalar((2, 3)));
    gives(f, matrix::<_, 0, 3>([]), Array::scalar((0, 3)));
}

#[test]
fn size() {
    gives(
        |m: Grid| unit(m.size()),
        matrix([[1, 2, 3], [4, 5, 6]]),
        Array::scalar(6),
    );
    gives(
        |x: Acc<Ix0, i32>| unit(x.size()),
        Array::scalar(7),
        Array::scalar(1),
    );
}

#[test]
fn inner() {
    gives(
        |m: Grid| unit(m.inner()),
        matrix([[1, 2, 3], [4, 5, 6]]),
        Array::scalar(3),
    );
}

#[test]
fn nrows() {
    gives(
        |m: Grid, v: Ints| unit((m.nrows(), v.nrows())),
        (matrix([[1, 2, 3], [4, 5, 6]]), vector([1, 2, 3, 4])),
        Array::scalar((2, 4)),
    );
}

#[test]
fn at() {
    let f = |m: Grid| unit((m.at(ix![1, 0]), m.at(ix![0, m.inner() - 1])));
    gives(f, matrix([[1, 2, 3], [4, 5, 6]]), Array::scalar((4, 3)));
}

#[test]
fn the() {
    let f = |x: Acc<Ix0, (f64, bool)>| {
        let (x, flag) = x.the();
        fill(ix![2], (flag, x + 1.0))
    };
    gives(f, Array::scalar((0.5, true)), vector([(true, 1.5); 2]));
}

#[test]
fn map() {
    gives(
        |v: Vector| v.map(|x| x * 2.0),
        vector([1.0, -0.5]),
        vector([2.0, -1.0]),
    );
    gives(|v: Vector| v.map(|x| x * 2.0), vector([]), vector([]));
    gives(
        |x: Acc<Ix0, i32>| x.map(|x| (x, x.gt(1))),
        Array::scalar(2),
        Array::scalar((2, true)),
    );
}

#[test]
fn zip_with() {
    let f = |v: Vector, w: Ints| v.zip_with(w, |x, n| x - n.to_f64());
    gives(
        f,
        (vector([1.0, 2.0, 3.0]), vector([5, 7])),
        vector([-4.0, -5.0]),
    );
    let f = |a: Grid, b: Grid| a.zip_with(b, |x, y| x * y);
    gives(
        f,
        (matrix([[1, 2], [3, 4], [5, 6]]), matrix([[10, 20, 30]])),
        matrix([[10, 40]]),
    );
}

#[test]
fn zip_with3() {
    let f = |a: Ints, b: Ints, c: Ints| a.zip_with3(b, c, |a, b, c| 100 * a + 10 * b + c);
    gives(
        f,
        (vector([1, 4]), vector([2, 5]), vector([3, 6, 9])),
        vector([123, 456]),
    );
}

/// Tests of zips: the others are the first one's elements and 1, 2, … more, and the last of them is shorter.
macro_rules! zips {
    ($($zip:ident $zip_with:ident $unzip:ident($($x:ident)+) $last:tt;)*) => {$(
        let others = |a: Ints| {
            let mut more = 0;
            $(more += 1; let $x = a.map(|x| x + more);)+
            ($($x),+)
        };
        let digits = move |a: Ints| {
            let ($($x),+) = others(a);
            a.$zip_with($($x.take(2)),+, |a, $($x),+| {
                let mut sum = a;
                $(sum = 3 * sum + $x;)+
                sum
            })
        };
        let of_one = |a: i32| {
            let (mut sum, mut more) = (a, a);
            $(let _ = stringify!($x); more += 1; sum = 3 * sum + more;)+
            sum
        };
        gives(digits, vector([1, 5, 2]), vector([of_one(1), of_one(5)]));
        let parts = move |a: Ints| {
            let ($($x),+) = others(a);
            let all = a.take(2).$zip($($x),+).$unzip();
            (all.0, all.$last)
        };
        gives(parts, vector([1, 5, 2]), (vector([1, 5]), vector([1 + $last, 5 + $last])));
    )*};
}

#[test]
fn zips_of_many() {
    zips! {
        zip4 zip_with4 unzip4(b c d) 3;
        zip5 zip_with5 unzip5(b c d e) 4;
        zip6 zip_with6 unzip6(b c d e f) 5;
        zip7 zip_with7 unzip7(b c d e f g) 6;
        zip8 zip_with8 unzip8(b c d e f g h) 7;
        zip9 zip_with9 unzip9(b c d e f g h i) 8;
    }
}

#[test]
fn zip_with4() {
    let f = |a: Ints, b: Ints| a.zip_with4(b, a, b, |a, b, c, d| 1000 * a + 100 * b + 10 * c + d);
    gives(f, (vector([1]), vector([2, 3])), vector([1212]));
}

#[test]
fn zip() {
    let f = |a: Ints, b: Vector| a.zip(b);
    gives(
        f,
        (vector([1, 2]), vector([0.5, 1.5, 2.5])),
        vector([(1, 0.5), (2, 1.5)]),
    );
}

#[test]
fn zip3() {
    let f = |a: Ints, b: Vector| a.zip3(b, a.map(|n| n.gt(1)));
    gives(
        f,
        (vector([1, 2]), vector([0.5, 1.5])),
        vector([(1, 0.5, false), (2, 1.5, true)]),
    );
}

#[test]
fn enumerate() {
    gives(
        |v: Vector| v.enumerate(),
        vector([0.5, 1.5]),
        vector([(0, 0.5), (1, 1.5)]),
    );
}

#[test]
fn unzip() {
    let f = |v: Acc<Ix1, (i32, (f64, bool))>| v.unzip();
    gives(
        f,
        vector([(1, (0.5, true))]),
        (vector([1]), vector([(0.5, true)])),
    );
}

#[test]
fn unzip3() {
    let f = |v: Acc<Ix1, (i32, [f64; 2], bool)>| v.unzip3();
    gives(
        f,
        vector([(1, [0.5, 1.5], true)]),
        (vector([1]), vector([[0.5, 1.5]]), vector([true])),
    );
}

#[test]
fn free_use_() {
    let table = vector([(10, 0.5), (20, 1.5)]);
    let f = |v: Ints| v.map(|i| use_(&table).at(ix![i]));
    gives(
        f,
        vector([1, 0, 1]),
        vector([(20, 1.5), (10, 0.5), (20, 1.5)]),
    );
}

#[test]
fn free_unit() {
    gives(|| unit((1, 2.5)), (), Array::scalar((1, 2.5)));
}

#[test]
fn free_generate() {
    let f = |n: Acc<Ix0, i32>| generate(ix![n.the(), 2], |ix![i, j]| 10 * i + j);
    gives(f, Array::scalar(3), matrix([[0, 1], [10, 11], [20, 21]]));
    gives(f, Array::scalar(0), matrix::<_, 0, 2>([]));
}

#[test]
fn free_fill() {
    gives(
        || fill(ix![2, 1], (true, 0.5)),
        (),
        matrix([[(true, 0.5)]; 2]),
    );
}

#[test]
fn free_acond() {
    let f = |v: Vector, n: Ints| acond(v.inner().gt(1), (v, n), (v.map(|x| -x), n.map(|n| n + 1)));
    gives(
        f,
        (vector([1.0, 2.0]), vector([7])),
        (vector([1.0, 2.0]), vector([7])),
    );
    gives(
        f,
        (vector([1.0]), vector([7])),
        (vector([-1.0]), vector([8])),
    );
}

#[test]
fn free_gradient_a() {
    let f = |v: Vector, w: Vector| gradient_a(|(v, w)| weighted(v, w), (v, w));
    gives(
        f,
        (vector([1.0, 2.0]), vector([3.0, 5.0])),
        (vector([6.0, 20.0]), vector([1.0, 4.0])),
    );
}

#[test]
fn free_value_and_gradient_a() {
    let f = |v: Vector, w: Vector| value_and_gradient_a(|v| weighted(v, w), v);
    gives(
        f,
        (vector([1.0, 2.0]), vector([3.0, 5.0])),
        (Array::scalar(23.0), vector([6.0, 20.0])),
    );
}

#[test]
fn free_jvp_a() {
    let f = |(v, w): (Vector, Vector)| weighted(v, w);
    let f = move |v: Vector, w: Vector, dv: Vector, dw: Vector| jvp_a(f, (v, w), (dv, dw));
    let point = (vector([1.0, 2.0]), vector([3.0, 5.0]));
    let input = (point.0, point.1, vector([1.0, 0.5]), vector([1.0, 1.0]));
    gives(f, input, (Array::scalar(23.0), Array::scalar(21.0)));
}

#[test]
fn free_vjp_a() {
    let squares = |v: Vector| v.map(|x| x * x);
    let f = move |v: Vector, dy: Vector| vjp_a(squares, v, dy);
    let input = (vector([1.0, 2.0]), vector([3.0, 5.0]));
    gives(f, input, vector([6.0, 20.0]));
}

#[test]
fn free_value_and_vjp_a() {
    let squares = |v: Vector| v.map(|x| x * x);
    let f = move |v: Vector, dy: Vector| value_and_vjp_a(squares, v, dy);
    let input = (vector([1.0, 2.0]), vector([3.0, 5.0]));
    gives(f, input, (vector([1.0, 4.0]), vector([6.0, 20.0])));
}

#[test]
fn free_hvp_a() {
    let f = |v: Vector, w: Vector, d: Vector| hvp_a(|v| weighted(v, w), v, d);
    let input = (vector([1.0, 2.0]), vector([3.0, 5.0]), vector([1.0, 0.5]));
    gives(f, input, vector([6.0, 5.0]));
}

fn weighted(v: Vector, w: Vector) -> Acc<Ix0, f64> {
    v.zip_with(w, |x, y| x * x * y).sum()
}
