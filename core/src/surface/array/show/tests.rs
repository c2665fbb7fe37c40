//! Texts as numpy has them.

use crate::rounding::f16;
use crate::surface::Dims;
use crate::surface::prelude::*;

/// The text of an array of numbers in row-major order.
#[track_caller]
fn shows<T: Elt, const N: usize, Sh: Shape>(shape: [usize; N], values: Vec<T>, expected: &str)
where
    [usize; N]: Dims<Sh>,
{
    let array = Array::<Sh, T>::from_vec(shape, values).unwrap();
    assert_eq!(array.to_string(), expected);
}

#[test]
fn floats_have_the_digits_they_need() {
    let third = 1e3 / 3.0;
    shows::<_, 1, Ix1>(
        [3],
        vec![1.5, 2.25, third],
        "[  1.5          2.25       333.33333333]",
    );
    shows::<_, 1, Ix1>(
        [4],
        vec![0.1, 0.25, 10.0, -100.0],
        "[   0.1     0.25   10.   -100.  ]",
    );
    shows::<_, 1, Ix1>([2], vec![12345.678, 12.5], "[12345.678    12.5  ]");
    shows::<_, 1, Ix1>([2], vec![99_999_999.0, 1e5], "[99999999.   100000.]");
    shows::<_, 1, Ix1>([2], vec![0.0, 0.0], "[0. 0.]");
}

#[test]
fn floats_that_are_far_apart_have_exponents() {
    let spread = vec![1e-10, 1.0, -2.5, 0.0];
    shows::<_, 1, Ix1>([4], spread, "[ 1.0e-10  1.0e+00 -2.5e+00  0.0e+00]");
    shows::<_, 1, Ix1>([1], vec![123_456_789.123_456_79], "[1.23456789e+08]");
    let singles = vec![0.1f32, 1.0 / 3.0, 2e5];
    shows::<_, 1, Ix1>([3], singles, "[1.0000000e-01 3.3333334e-01 2.0000000e+05]");
    let halves = [0.1, 1.0 / 3.0, 1000.0].map(f16::from_f64).to_vec();
    shows::<_, 1, Ix1>([3], halves, "[9.998e-02 3.333e-01 1.000e+03]");
    shows::<_, 1, Ix1>([2], vec![1e-300, 1e300], "[1.e-300 1.e+300]");
}

#[test]
fn floats_that_are_not_finite() {
    shows::<_, 1, Ix1>([3], vec![f64::NAN, f64::INFINITY, -1.0], "[nan inf -1.]");
    shows::<_, 1, Ix1>([2], vec![f64::NEG_INFINITY, 1e9], "[  -inf 1.e+09]");
}

#[test]
fn rows_and_blocks() {
    shows::<_, 2, Ix2>(
        [2, 3],
        vec![1, -20, 300, 4, 5, 6],
        "[[  1 -20 300]\n [  4   5   6]]",
    );
    let cube = "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]";
    shows::<_, 3, Ix3>([2, 2, 2], (0..8i64).collect(), cube);
    let four = "[[[[1.]\n   [2.]]]\n\n\n [[[3.]\n   [4.]]]]";
    shows::<_, 4, Ix4>([2, 1, 2, 1], vec![1.0, 2.0, 3.0, 4.0], four);
    shows::<_, 1, Ix1>([2], vec![true, false], "[ true false]");
    shows::<i32, 2, Ix2>([0, 3], vec![], "[]");
    shows::<i32, 2, Ix2>([2, 0], vec![], "[]");
}

#[test]
fn elements_alone_and_of_several_scalars() {
    assert_eq!(Array::scalar(2.5).to_string(), "2.5");
    assert_eq!(Array::scalar((-3, true)).to_string(), "(-3, true)");
    let points = Array::vector(vec![(1, 0.5), (20, -1.25)]).unwrap();
    assert_eq!(points.to_string(), "[( 1,  0.5 ) (20, -1.25)]");
}

#[test]
fn long_rows_are_wrapped() {
    let text = "\
[[0.   1.   2.   0.25 1.25 2.25 0.5  1.5  2.5  0.75 1.75 0.   1.   2.
  0.25 1.25 2.25 0.5  1.5  2.5  0.75 1.75 0.   1.   2.   0.25 1.25 2.25
  0.5  1.5  2.5  0.75 1.75 0.   1.   2.   0.25 1.25 2.25 0.5 ]
 [1.5  2.5  0.75 1.75 0.   1.   2.   0.25 1.25 2.25 0.5  1.5  2.5  0.75
  1.75 0.   1.   2.   0.25 1.25 2.25 0.5  1.5  2.5  0.75 1.75 0.   1.
  2.   0.25 1.25 2.25 0.5  1.5  2.5  0.75 1.75 0.   1.   2.  ]]";
    let values = (0..80).map(|i| f64::from(i * 37 % 11) / 4.0).collect();
    shows::<_, 2, Ix2>([2, 40], values, text);
}

#[test]
fn large_arrays_are_printed_in_part() {
    let text = "\
[[   0    1    2 ...   37   38   39]
 [  40   41   42 ...   77   78   79]
 [  80   81   82 ...  117  118  119]
 ...
 [1480 1481 1482 ... 1517 1518 1519]
 [1520 1521 1522 ... 1557 1558 1559]
 [1560 1561 1562 ... 1597 1598 1599]]";
    shows::<_, 2, Ix2>([40, 40], (0..1600).collect(), text);
    let text = "\
[[0.00000000e+00 1.42857143e-01 2.85714286e-01 ... 2.13571429e+02
  2.13714286e+02 2.13857143e+02]
 [2.14000000e+02 2.14142857e+02 2.14285714e+02 ... 4.27571429e+02
  4.27714286e+02 4.27857143e+02]]";
    let values = (0..2996).map(|i| f64::from(i) / 7.0).collect();
    shows::<_, 2, Ix2>([2, 1498], values, text);
    // A dimension that is short is printed whole.
    let words = Array::<Ix2, i32>::from_fn([2, 501], |[i, j]| (i * 501 + j) as i32).unwrap();
    let text = "[[   0    1    2 ...  498  499  500]\n [ 501  502  503 ...  999 1000 1001]]";
    assert_eq!(words.to_string(), text);
}
