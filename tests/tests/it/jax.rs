//! Values, gradients and Hessians against JAX's: `tests/tests/jax/derivatives.py` made the file that is read here, of functions with
//! the names of those below. Nothing of JAX is needed to compare.

use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use serde_json::Value;

type V = Acc<Ix1, f64>;
type N = Acc<Z, f64>;
type X = Exp<f64>;

const EXPECTED: &str = include_str!("../jax/derivatives.json");

/// Relative to the greatest number that is compared.
const TOLERANCE: f64 = 1e-12;

fn weights() -> V {
    generate(ix![6], |ix![i]| i.to_f64().cos())
}

fn counted() -> Acc<Ix2, f64> {
    generate(ix![2, 2], |ix![i, j]| (2 * i + j + 1).to_f64())
}

fn places<const M: usize>(places: [i32; M]) -> Acc<Ix1, i32> {
    use_(&Array::vector(places.to_vec()).unwrap())
}

fn cubes(v: V) -> N {
    v.powi(3).sum()
}

fn log_sum_exp(v: V) -> N {
    let m = v.maximum();
    (v - m).exp().sum().ln() + m
}

fn softmax(v: V) -> N {
    let e = (v - v.maximum()).exp();
    (e / e.sum() * weights()).sum()
}

fn product(v: V) -> N {
    v.product()
}

fn running_products(v: V) -> N {
    (v.cumprod() * weights()).sum()
}

fn running_maxima(v: V) -> N {
    (v.scanl1(|a, b| a.max(b)) * v).sum()
}

fn after((a, b): (X, X), (c, d): (X, X)) -> (X, X) {
    (a * c, a * d + b)
}

fn affine_maps(v: V) -> N {
    let (a, b) = v.zip(v.sin()).scanl1(after).unzip();
    (a * weights() + b).sum()
}

fn affine_maps_from_the_right(v: V) -> N {
    let (a, b) = v.zip(v.sin()).scanr1(after).unzip();
    (a * weights() + b).sum()
}

fn matrix_products(v: V) -> N {
    type M = [[X; 2]; 2];
    let times =
        |a: M, b: M| a.map(|row| [0, 1].map(|j: usize| row[0] * b[0][j] + row[1] * b[1][j]));
    let all = v.map(|x| [[x, constant(1.0)], [constant(-0.5), x * x]]);
    all.fold1(times)
        .map(|[[a, b], [c, d]]| a + 2.0 * b + 3.0 * c + 4.0 * d)
}

fn scattered_sums(v: V) -> N {
    cubes(v.scatter(Combine::Add, fill(ix![3], 1.0), places([0, 2, 1, 0, 2, 2])))
}

fn scattered_products(v: V) -> N {
    let to = places([4, 2, 5]);
    let times = |a: X, b: X| a * b;
    let products = v
        .take(3)
        .sin()
        .permute_with(times, v, |i: Ix1| (true, ix![to.at(i)]));
    (products * products).sum()
}

fn scattered_elements(v: V) -> N {
    let sines = v.take(3).sin();
    sines
        .scatter(Combine::Overwrite, v * v, places([3, 1, 0]))
        .product()
}

fn gathered(v: V) -> N {
    (v.gather(places([5, 0, 0, 3, 2, 5])) * v * weights()).sum()
}

fn in_order(v: V) -> N {
    (v.sort() * weights() * v).sum()
}

fn greatest(v: V) -> N {
    cubes(v.top_k(3).0)
}

fn loop_of_arrays(v: V) -> N {
    let step = |_: Exp<i32>, x: V| x.sin() * 1.1 + 0.1 * x.roll(ix![1]) * v;
    (aiterate(5, step, v) * weights()).sum()
}

fn loop_with_updates(v: V) -> N {
    let step = |i: Exp<i32>, x: V| {
        let (here, next) = (x.at(ix![i]), x.at(ix![i + 1]));
        x.set(ix![i + 1], next + here * here.sin())
    };
    let last = aiterate(5, step, v);
    (last * last).sum()
}

fn nested_loops(v: V) -> N {
    let step = |i: Exp<i32>, x: V| {
        let add =
            move |k: Exp<i32>, x: V| x.add_at(ix![k], 0.3 * x.at(ix![i]).cos() * x.at(ix![k]));
        aiterate(3, add, x)
    };
    let last = aiterate(5, step, v);
    (last * last).sum()
}

fn recurrent(v: V) -> N {
    let step = |_: Exp<i32>, (h, c): (N, N), x: N| {
        let h = (0.5 * h + x).tanh();
        let c = c * x.sigmoid() + h;
        ((h, c), h * c)
    };
    let ((h, c), outputs) = ascan(v, step, (unit(0.1), unit(0.2)));
    h * c + (outputs * weights()).sum()
}

fn loop_with_a_test(v: V) -> N {
    let a = (v * v).sum() + 1.0;
    let far = |x: N| (x * x - a).the().abs().gt(1e-14);
    awhile(far, |_, x: N| (x + a / x) / 2.0, a).powi(3)
}

fn loops_of_elements(v: V) -> N {
    let root = |x: X| {
        let a = x * x + 1.0;
        let far = |y: X| (y * y * y - a).abs().gt(1e-14);
        while_(far, |_, y: X| y - (y - a / (y * y)) / 3.0, a)
    };
    (v.map(root) * weights()).sum()
}

fn branches(v: V) -> N {
    let signs = v.map(|x| cond(x.gt(0.0), x * x, x.sin()));
    acond(v.sum().the().gt(1.0), (signs * v).sum(), v.sum())
}

fn stencil(v: V) -> N {
    let second = v.roll(ix![1]) - 2.0 * v + v.roll(ix![-1]);
    (second * second * v).sum()
}

fn segments(v: V) -> N {
    cubes(v.fold_segments(0.0, |a, b| a + b, places([2, 0, 3, 1])))
}

fn contraction(v: V) -> N {
    let (a, b) = (v.reshape(ix![2, 3]), v.sin().reshape(ix![3, 2]));
    einsum("ij,jk,ik->", (a, b, counted()))
}

fn square(v: V) -> Acc<Ix2, f64> {
    v.take(4).reshape(ix![2, 2]) + 2.0 * eye::<f64>(2)
}

fn solution(v: V) -> N {
    cubes(square(v).solve(v.drop(4)))
}

fn inverse(v: V) -> N {
    (square(v).inverse() * counted()).sum_all()
}

fn cholesky(v: V) -> N {
    let b = v.reshape(ix![2, 3]);
    let a = b.matmul(b.transpose()) + eye::<f64>(2);
    (a.cholesky() * counted()).sum_all()
}

fn determinants(v: V) -> N {
    let (sign, log) = square(v).slogdet();
    square(v).det() * v.at(ix![4]) + sign * log * v.at(ix![5])
}

fn orthogonal(v: V) -> N {
    let (q, r) = v.reshape(ix![3, 2]).qr();
    (q * weights().reshape(ix![3, 2])).sum_all() + (r * counted()).sum_all()
}

fn triangles(v: V) -> N {
    let (_, l, u) = square(v).lu();
    (l * counted()).sum_all() + (u * u * counted()).sum_all()
}

fn special_functions(v: V) -> N {
    (v.erf() * weights() + (v + 3.0).lgamma() * (v + 4.0).digamma()).sum()
}

fn elementary_functions(v: V) -> N {
    let w = v.roll(ix![1]);
    let powers = (v.abs() + 1.0).powf(w);
    (v.atan2(w) + v.exp_m1() * (v * v).ln_1p() + w.tanh() * powers + v.hypot(w)).sum()
}

fn complex_functions(v: V) -> N {
    let z = v.take(3).zip_with(v.drop(3), |re, im| ComplexE { re, im });
    let w = z.map(|z| z.exp() * z.conj() + z.sqrt() / (z + 2.0));
    (w.re() * w.im()).sum() + z.map(|z| z.abs() * z.arg()).sum()
}

fn rule_for_tangents(v: V) -> N {
    let rule = |x: V, _: V, dx: V| 3.0 * x * dx;
    (custom_jvp(|x: V| x.round(), rule, 2.0 * v) * v).sum()
}

fn rule_for_cotangents(v: V) -> N {
    let bent = custom_vjp(|x: V| (x * x, x), |x: V, dy: V| dy * x.sin(), v);
    (bent * v * weights()).sum()
}

fn constants(v: V) -> N {
    (stop_gradient(v) * v * v).sum()
}

fn derivatives_within(v: V) -> N {
    let f = |u: V| (u.sin() * v * u.roll(ix![1])).sum();
    let gradient = gradient_a(f, v);
    (gradient * gradient).sum() + hessian(f, v).matvec(weights()).dot(v)
}

fn derivatives_of_elements(v: V) -> N {
    let y = v.at(ix![0]);
    let by_x = v.map(|x| gradient_e(|x: X| x.exp() * y * y, x));
    (by_x * weights()).sum()
}

/// Calls a macro with the name of each function.
macro_rules! of_all {
    ($tests:ident) => {
        $tests! {
            log_sum_exp softmax product running_products running_maxima affine_maps affine_maps_from_the_right matrix_products
            scattered_sums scattered_products scattered_elements gathered in_order greatest loop_of_arrays loop_with_updates
            nested_loops recurrent loop_with_a_test loops_of_elements branches stencil segments contraction solution inverse cholesky
            determinants orthogonal triangles special_functions elementary_functions complex_functions rule_for_tangents
            rule_for_cotangents constants derivatives_within derivatives_of_elements
        }
    };
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        value => vec![value.as_f64().unwrap()],
    }
}

#[track_caller]
fn near(what: &str, found: &[f64], expected: &Value) {
    let expected = numbers(expected);
    assert_eq!(found.len(), expected.len(), "{what}");
    let size = expected.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
    for (found, expected) in found.iter().zip(&expected) {
        let error = (found - expected).abs();
        assert!(
            error <= TOLERANCE * size,
            "{what}: {found} instead of {expected}"
        );
    }
}

/// The value, the gradient, and the Hessian as forward over reverse and as reverse over reverse mode, in the interpreter and on the CPU.
#[track_caller]
fn is_as_in_jax(name: &str, f: fn(V) -> N) {
    let file: Value = serde_json::from_str(EXPECTED).unwrap();
    let expected = &file["results"][name];
    let program = compile(move |v: V| {
        let (value, gradient) = value_and_gradient_a(f, v);
        let again = jacobian_reverse(move |v: V| gradient_a(f, v), v);
        (value, gradient, hessian(f, v), again)
    });
    let program = program.unwrap();
    let point = || Array::vector(numbers(&file["point"])).unwrap();
    let runs = [
        program.interpret(point()).unwrap(),
        program.run(&Cpu::default(), point()).unwrap(),
    ];
    for (value, gradient, hessian, again) in runs {
        near("value", &[value.item()], &expected["value"]);
        near("gradient", &gradient.to_vec(), &expected["gradient"]);
        near("Hessian", &hessian.to_vec(), &expected["hessian"]);
        near("Hessian in reverse", &again.to_vec(), &expected["hessian"]);
    }
}

macro_rules! tests {
    ($($name:ident)*) => {
        mod functions {
            $(
                #[test]
                fn $name() {
                    super::is_as_in_jax(stringify!($name), super::$name);
                }
            )*
        }
    };
}

of_all!(tests);

macro_rules! names {
    ($($name:ident)*) => { [$(stringify!($name)),*] };
}

/// No function of the file is forgotten.
#[test]
fn all_functions_are_compared() {
    let file: Value = serde_json::from_str(EXPECTED).unwrap();
    let known = of_all!(names);
    let expected = file["results"].as_object().unwrap();
    assert_eq!(expected.len(), known.len());
    for name in expected.keys() {
        assert!(known.contains(&name.as_str()), "{name}");
    }
}
