//! Operators and elementary functions on each element of arrays, and the shapes that they ask for.

use super::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, Error, check_grad, compile, f16};
use cotangent_core::backend::RunError;

type Vector = Acc<Ix1, f64>;
type Ints = Acc<Ix1, i32>;
type Grid = Acc<Ix2, i32>;

#[test]
fn between_arrays() {
    let f = |x: Ints, y: Ints| (x + y, x - y, x * y, x / y, x % y);
    let input = (vector([7, -7]), vector([2, 3]));
    let expected = (
        vector([9, -4]),
        vector([5, -10]),
        vector([14, -21]),
        vector([3, -2]),
        vector([1, -1]),
    );
    gives(f, input, expected);
    let f = |x: Grid, y: Grid| (x & y, x | y, x ^ y, x << y, (!x) >> y, -x);
    let one = |n: i32| matrix([[n]]);
    let expected = (one(2), one(7), one(5), one(48), one(-1), one(-6));
    gives(f, (one(6), one(3)), expected);
}

#[test]
fn with_scalars_on_either_side() {
    let f = |x: Vector| (2.0 * x, x * 2, 1 - x, x - 1.0, 6.0 / x);
    let expected = (
        vector([2.0, 4.0]),
        vector([2.0, 4.0]),
        vector([0.0, -1.0]),
        vector([0.0, 1.0]),
        vector([6.0, 3.0]),
    );
    gives(f, vector([1.0, 2.0]), expected);
    // Arrays without dimensions, expressions, and literals of narrow types.
    let f = |m: Grid, n: Acc<Ix0, i32>| (m - n, n - m, m * m.inner(), n - n, 10 % n);
    let m = matrix([[1, 2]]);
    let expected = (
        matrix([[-2, -1]]),
        matrix([[2, 1]]),
        matrix([[2, 4]]),
        Array::scalar(0),
        Array::scalar(1),
    );
    gives(f, (m, Array::scalar(3)), expected);
    let f = |x: Acc<Ix1, f32>, y: Acc<Ix1, f16>| (x * 0.5f32 + 0.5, 2.0 * y);
    let (half, one) = (f16::from_f32(0.5), f16::from_f32(1.0));
    gives(
        f,
        (vector([1.0f32]), vector([half])),
        (vector([1.0f32]), vector([one])),
    );
}

#[test]
fn in_place() {
    let f = |mut x: Vector, y: Vector| {
        x += y;
        x *= 2.0;
        x -= y.sum();
        x /= 4;
        x
    };
    gives(
        f,
        (vector([1.0, 2.0]), vector([1.0, 2.0])),
        vector([0.25, 1.25]),
    );
    let f = |mut n: Ints| {
        n %= 4;
        n
    };
    gives(f, vector([7, 9]), vector([3, 1]));
}

#[test]
fn elementary_functions() {
    let f = |x: Vector| {
        let powers = (x.sqrt(), x.sqr(), x.powi(3), x.powf(0.5), x.recip());
        let rounded = (x.floor(), (-x).ceil(), x.round(), x.trunc(), x.to::<i32>());
        (powers, rounded)
    };
    let of = |x: f64| vector([x]);
    let powers = (of(2.0), of(16.0), of(64.0), of(2.0), of(0.25));
    let rounded = (of(4.0), of(-4.0), of(4.0), of(4.0), vector([4]));
    gives(f, of(4.0), (powers, rounded));
    let zeros = |x: Vector| {
        let angles = x.sin() + x.tan() + x.asin() + x.atan() + x.acos() - x.acos();
        let others = x.sinh() + x.tanh() + x.asinh() + x.atanh() + x.exp_m1() + x.ln_1p();
        let ones = x.cos() * x.cosh() * x.exp();
        angles + others + ones.ln() + ones.acosh() + x.atan2(1.0)
    };
    gives(zeros, vector([0.0, 0.0]), vector([0.0, 0.0]));
}

#[test]
fn conversions() {
    let f = |x: Vector| {
        let rounded = (
            x.floor_to::<i32>(),
            x.ceil_to::<i64>(),
            x.round_to::<u32>(),
            x.trunc_to::<i32>(),
        );
        (
            rounded,
            (x.to_f32(), x.to_i32(), x.to_i64(), x.to_u32()),
            (x - 1.5).log(2.0),
        )
    };
    let rounded = (vector([2]), vector([3i64]), vector([3u32]), vector([2]));
    let others = (
        vector([2.5f32]),
        vector([2]),
        vector([2i64]),
        vector([2u32]),
    );
    gives(f, vector([2.5]), (rounded, others, vector([0.0])));
    let back = |n: Ints| (n.to_f64() / 2, n.to_f16());
    gives(
        back,
        vector([3]),
        (vector([1.5]), vector([f16::from_f32(3.0)])),
    );
}

#[test]
fn order_and_comparisons() {
    let f = |x: Vector, y: Vector| (x.max(y), x.min(0.0), x.clamp(-1.0, y), x.abs(), x.signum());
    let input = (vector([-2.0, 3.0]), vector([1.0, 2.0]));
    let expected = (
        vector([1.0, 3.0]),
        vector([-2.0, 0.0]),
        vector([-1.0, 2.0]),
        vector([2.0, 3.0]),
        vector([-1.0, 1.0]),
    );
    gives(f, input, expected);
    let f = |x: Ints, y: Ints| (x.lt(y), x.le(2), x.gt(y), x.ge(2), x.eq_(y) | x.ne_(2));
    let expected = (
        vector([true, false]),
        vector([true, true]),
        vector([false, false]),
        vector([false, true]),
        vector([true, true]),
    );
    gives(f, (vector([1, 2]), vector([2, 2])), expected);
    let f = |x: Vector, n: Ints| (x.is_nan(), x.is_infinite(), n.div_floor(2), n.mod_floor(2));
    let input = (vector([f64::NAN, f64::INFINITY]), vector([-3, 3]));
    let expected = (
        vector([true, false]),
        vector([false, true]),
        vector([-2, 1]),
        vector([1, 1]),
    );
    gives(f, input, expected);
}

#[test]
fn broadcast() {
    let f = |m: Grid, v: Ints, s: Acc<Ix0, i32>| {
        (
            m + v.broadcast(m.shape()),
            s.broadcast(ix![2]),
            v.broadcast(ix![2]),
        )
    };
    let input = (matrix([[1, 2], [3, 4]]), vector([10, 20]), Array::scalar(7));
    let expected = (
        matrix([[11, 22], [13, 24]]),
        vector([7, 7]),
        vector([10, 20]),
    );
    gives(f, input, expected);
    let empty = |m: Grid, v: Ints| m + v.broadcast(m.shape());
    gives(
        empty,
        (matrix::<i32, 0, 2>([]), vector([1, 2])),
        matrix::<i32, 0, 2>([]),
    );
    gives(
        empty,
        (matrix::<i32, 2, 0>([[], []]), vector([])),
        matrix::<i32, 2, 0>([[], []]),
    );
}

type Cube = Acc<Ix3, i32>;

fn cube(shape: [usize; 3], values: &[i32]) -> Array<Ix3, i32> {
    Array::from_vec(shape, values.to_vec()).unwrap()
}

#[test]
fn rows_of_a_matrix() {
    let f = |m: Grid, v: Ints| {
        let v = v.rows();
        (m + v, m - v, m * v, m / v, m % v)
    };
    let (m, v) = (|| matrix([[7, 9], [30, 40]]), || vector([2, 4]));
    let expected = (
        matrix([[9, 13], [32, 44]]),
        matrix([[5, 5], [28, 36]]),
        matrix([[14, 36], [60, 160]]),
        matrix([[3, 2], [15, 10]]),
        matrix([[1, 1], [0, 0]]),
    );
    gives(f, (m(), v()), expected);
    let f = |m: Grid, v: Ints| {
        let v = v.rows();
        (v + m, v - m, v * m, v / m, v % m)
    };
    let expected = (
        matrix([[9, 13], [32, 44]]),
        matrix([[-5, -5], [-28, -36]]),
        matrix([[14, 36], [60, 160]]),
        matrix([[0, 0], [0, 0]]),
        matrix([[2, 4], [2, 4]]),
    );
    gives(f, (m(), v()), expected);
    let f = |m: Grid, v: Ints| (m.max(v.rows()), m.lt(v.rows()));
    let flags = Array::<Ix2, _>::from_vec([2, 2], vec![true, false, false, false]).unwrap();
    gives(
        f,
        (matrix([[1, 9], [30, 40]]), v()),
        (matrix([[2, 9], [30, 40]]), flags),
    );
}

#[test]
fn rows_of_three_dimensions() {
    let f = |c: Cube, m: Grid, v: Ints| (c - m.rows(), m.rows() - c, c * v.rows(), v.rows() - c);
    let c = |values: [i32; 4]| cube([2, 1, 2], &values);
    gives(
        f,
        (c([1, 2, 3, 40]), matrix([[5, 7]]), vector([10, 20])),
        (
            c([-4, -5, -2, 33]),
            c([4, 5, 2, -33]),
            c([10, 40, 30, 800]),
            c([9, 18, 7, -20]),
        ),
    );
}

#[test]
fn rows_of_empty_arrays() {
    let f = |m: Grid, v: Ints| (m - v.rows(), v.rows() - m);
    for (shape, v) in [([0, 2], vec![1, 2]), ([2, 0], vec![])] {
        let empty = || Array::<Ix2, _>::from_vec(shape, vec![]).unwrap();
        gives(f, (empty(), Array::vector(v).unwrap()), (empty(), empty()));
    }
}

#[test]
fn rows_of_complex_numbers() {
    let f = |m: Matrix<Complex>, v: Acc<Ix1, Complex>| (m * v.rows(), v.rows() - m);
    let m = |re: f64, im: f64| matrix([[Complex::new(re, im)]]);
    gives(
        f,
        (m(1.0, 2.0), vector([Complex::new(0.0, 1.0)])),
        (m(-2.0, 1.0), m(-1.0, -1.0)),
    );
}

#[test]
fn rows_of_other_extents() {
    let (right, left) = (
        |m: Grid, v: Ints| m + v.rows(),
        |m: Grid, v: Ints| v.rows() + m,
    );
    let input = || (matrix([[1], [2]]), vector([1, 2]));
    let stretched = || (matrix([[1, 2], [3, 4]]), vector([1]));
    for program in [compile(right).unwrap(), compile(left).unwrap()] {
        for input in [input(), stretched()] {
            let text = program.run(&Cpu::default(), input).unwrap_err().to_string();
            let says = |what| text.contains(what);
            assert!(says("[1]") && says("[2]") && says("operators.rs"), "{text}");
        }
    }
}

#[test]
fn derivatives_by_rows() {
    let f = |(m, v): (Acc<Ix2, f64>, Vector)| {
        let (v, squares) = (v.rows(), v.sqr().rows());
        (m * v - v / m + squares * m).sum_all()
    };
    let point = (matrix([[1.0, 2.0], [3.0, -1.0]]), vector([0.5, 2.0]));
    let check = check_grad(f, point).unwrap();
    assert!(check.agrees(), "{check}");
}

#[test]
fn zip_with_strict() {
    let f = |x: Vector, y: Ints| x.zip_with_strict(y, |x, n| x * n.to_f64());
    gives(f, (vector([0.5, 1.5]), vector([2, 3])), vector([1.0, 4.5]));
}

#[test]
fn expect_shape() {
    let f = |x: Vector| x.expect_shape(ix![2]);
    gives(f, vector([0.5, 1.5]), vector([0.5, 1.5]));
}

/// Derivatives in both modes, of which shapes are none.
#[test]
fn differentiated() {
    let loss = |x: Vector, y: Vector| ((x - y) * (x - y) / 2.0).sum() + (x * y).sum();
    let f = move |x: Vector, y: Vector| {
        let gradient = gradient_a(move |x| loss(x, y), x);
        let twice = gradient_a(move |x| (gradient_a(move |x| loss(x, y), x) * x).sum(), x);
        let (_, along) = jvp_a(move |x| loss(x, y), x, y);
        (gradient, twice, along)
    };
    // x − y + y, twice: 2x; along y: Σ x·y.
    let input = (vector([1.0, 2.0]), vector([3.0, 5.0]));
    let expected = (vector([1.0, 2.0]), vector([2.0, 4.0]), Array::scalar(13.0));
    gives(f, input, expected);
    let f = |x: Vector, s: Acc<Ix0, f64>| {
        gradient_a(|(x, s): (Vector, Acc<Ix0, f64>)| (s * x).sum(), (x, s))
    };
    gives(
        f,
        (vector([1.0, 2.0]), Array::scalar(3.0)),
        (vector([3.0, 3.0]), Array::scalar(3.0)),
    );
}

/// An error tells both shapes and the line, and nothing is left of the test where shapes are known to be equal.
#[test]
fn shapes_that_differ() {
    let sum = compile(|x: Vector, y: Vector| x + y).unwrap();
    let line = line!() - 1;
    let text = sum.to_string();
    assert!(text.contains("expect_shape"), "{text}");
    let inputs = (vector([1.0, 2.0]), vector([1.0, 2.0, 3.0]));
    let error = sum.run(&Cpu::default(), inputs).unwrap_err();
    let Error::Run(RunError::ShapeMismatch {
        site,
        expected,
        found,
    }) = &error
    else {
        panic!("{error}");
    };
    assert_eq!((&expected[..], &found[..]), (&[2][..], &[3][..]));
    assert!(
        site.to_string().contains(&format!("operators.rs:{line}:")),
        "{site}"
    );
    // One program for equal shapes has no test, and serves the error as well.
    let square = compile(|x: Vector| x * x + x.sqrt()).unwrap();
    let explained = square.explain().unwrap().to_string();
    assert!(!explained.contains("expect_shape"), "{explained}");
}

/// Where only the size of the result is asked for, there is an error all the same; where a branch is not taken, there is none.
#[test]
fn shapes_that_differ_where_nobody_looks() {
    let inputs = || (vector([1.0, 2.0]), vector([1.0, 2.0, 3.0]));
    let size = compile(|x: Vector, y: Vector| unit((x + y).size())).unwrap();
    let sum = |(x, y): (Vector, Vector)| x + y;
    let branch =
        compile(move |p: (Vector, Vector), c: Acc<Ix0, bool>| acond(c.the(), sum(p), p.0 * 2.0))
            .unwrap();
    let loops = compile(move |p: (Vector, Vector), n: Acc<Ix0, i32>| {
        aiterate(n.the(), move |_, x: Vector| x + sum(p).sum(), p.0)
    })
    .unwrap();
    for cpu in [true, false] {
        let fails = match cpu {
            true => size.run(&Cpu::default(), inputs()).is_err(),
            false => size.interpret(inputs()).is_err(),
        };
        assert!(fails, "of a size");
        let taken = |c: bool| match cpu {
            true => branch.run(&Cpu::default(), (inputs(), Array::scalar(c))),
            false => branch.interpret((inputs(), Array::scalar(c))),
        };
        assert!(taken(true).is_err(), "of a branch that is taken");
        assert_eq!(taken(false).unwrap().to_vec(), [2.0, 4.0]);
        let trips = |n: i32| match cpu {
            true => loops.run(&Cpu::default(), (inputs(), Array::scalar(n))),
            false => loops.interpret((inputs(), Array::scalar(n))),
        };
        assert!(trips(2).is_err(), "of a trip");
        assert_eq!(trips(0).unwrap().to_vec(), [1.0, 2.0]);
    }
}
