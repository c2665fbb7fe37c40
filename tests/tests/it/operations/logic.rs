//! Comparisons, logic, bits, conditionals, constants and derivatives of scalar functions.

use super::{gives, scalars, vector};
use cotangent::prelude::*;

const NAN: f64 = f64::NAN;

scalars! {
    eq_((x, y): (f64, f64)) { x.eq_(y) } [(1.0, 1.0), (0.0, -0.0), (NAN, NAN)] => [true, true, false];
    ne_((x, y): (f64, f64)) { x.ne_(y) } [(1.0, 1.0), (1.0, 2.0), (NAN, NAN)] => [false, true, true];
    lt((x, y): (i32, i32)) { x.lt(y) } [(1, 2), (2, 2), (3, 2)] => [true, false, false];
    le((x, y): (i32, i32)) { x.le(y) } [(1, 2), (2, 2), (3, 2)] => [true, true, false];
    gt((x, y): (i64, i64)) { x.gt(y) } [(1, 2), (2, 2), (3, 2)] => [false, false, true];
    ge((x, y): (f32, f32)) { x.ge(y) } [(1.0, 2.0), (2.0, 2.0), (f32::NAN, 2.0)] => [false, true, false];
    and((x, y): (bool, bool)) { (x.and(y), x & y) }
        [(true, true), (true, false), (false, true)] => [(true, true), (false, false), (false, false)];
    or((x, y): (bool, bool)) { (x.or(y), x | y) }
        [(true, false), (false, true), (false, false)] => [(true, true), (true, true), (false, false)];
    not(x: bool) { (x.not(), !x) } [true, false] => [(false, false), (true, true)];
    xor((x, y): (bool, bool)) { x ^ y } [(true, true), (true, false)] => [false, true];
    bits((x, y): (i32, i32)) { [x & y, x | y, x ^ y, !x] } [(12, 10)] => [[8, 14, 6, -13]];
    shifts((x, n): (i32, i32)) { [x << n, x >> n] }
        [(5, 2), (-5, 1), (5, 32)] => [[20, 1], [-10, -3], [5, 5]];
    unsigned_bits((x, n): (u32, u32)) { [x & n, x | n, x ^ n, !x, x << n, x >> n] }
        [(u32::MAX, 31), (5, 33)] => [[31, u32::MAX, u32::MAX - 31, 0, 1 << 31, 1], [1, 37, 36, u32::MAX - 5, 10, 2]];
    cond(x: f64) { cond::<(f64, i32)>(x.gt(0.0), (x, 1), (-x, 2)) } [3.0, -4.0] => [(3.0, 1), (4.0, 2)];
    constant(x: f64) { (x, constant((1.5, [2, 3]))) } [7.0] => [(7.0, (1.5, [2, 3]))];
    gradient_e(x: f64) { gradient_e(|(x, y)| x * x * y, (x, 3.0 * x)) } [2.0] => [(24.0, 4.0)];
    value_and_gradient_e(x: f64) { value_and_gradient_e(|x: Exp<f64>| x.powi(3), x) } [2.0] => [(8.0, 12.0)];
    jvp_e(x: f64) { jvp_e(|x: Exp<f64>| x.powi(3), x, 2.0) } [2.0] => [(8.0, 24.0)];
    vjp_e(x: f64) { vjp_e(|x: Exp<f64>| (x.powi(3), 5.0 * x), x, (2.0, 1.0)) } [2.0] => [29.0];
    value_and_vjp_e(x: f64) { value_and_vjp_e(|x: Exp<f64>| x.powi(3), x, 2.0) } [2.0] => [(8.0, 24.0)];
    hvp_e(x: f64) { hvp_e(|x: Exp<f64>| x.powi(3), x, 2.0) } [2.0] => [24.0];
    gradient_of_integers(x: (f64, i32)) { gradient_e(|(x, n): (Exp<f64>, Exp<i32>)| x * n.to_f64(), x) }
        [(2.0, 5)] => [(5.0, 0)];
}

/// The other branch is an index out of range.
#[test]
fn branches_that_are_not_taken_are_not_evaluated() {
    let f = |v: Acc<Ix1, f64>| {
        let next = |ix![i]: Ix1| {
            let is_inside = (i + 1).lt(v.inner());
            let next = v.at(ix![i + 1]);
            (
                cond(is_inside, next, -1.0),
                is_inside.and(next.gt(1.0)),
                is_inside.not().or(next.gt(1.0)),
            )
        };
        generate(v.shape(), next)
    };
    gives(
        f,
        vector([1.0, 2.0]),
        vector([(2.0, true, true), (-1.0, false, true)]),
    );
}
