//! Forward mode as fast as reverse mode: gradients of functions with one result, taken along all unit vectors, normalise to
//! what matrix calculus says they are. The identities are those of paper 004, "Efficient Differentiable Programming in a
//! Functional Array-Processing Language", sections 5.1 and 6.

use super::{Matrix, Number, Vector, agree, host, program, some};
use crate::differentiate;
use cotangent_core::host::HostArray;
use cotangent_core::prim::Prim;
use cotangent_core::print::Printer;
use cotangent_core::simplify::simplify;
use cotangent_core::surface::AccFn;
use cotangent_core::surface::prelude::*;
use cotangent_core::term::{AccLet, AccOp, ArrId, ExpOp, Labelled, Program};
use std::collections::HashSet;

type Pairs = Acc<Ix1, (f64, f64)>;

pub(super) fn derived<M, F: AccFn<M>>(f: F) -> Program<Labelled> {
    let simple = simplify(program(f)).0;
    simplify(differentiate(simple).unwrap()).0
}

/// The derived program of `f`, which has no loop and no fold, and gives what the interpreter does for inputs of all these shapes.
#[track_caller]
fn normal<M, F: AccFn<M> + Copy>(f: F, shapes: &[&[&[usize]]]) -> Program<Labelled> {
    for shapes in shapes {
        let inputs = shapes
            .iter()
            .zip(1..)
            .map(|(shape, seed)| some(shape, seed));
        agree(&program(f), &inputs.collect::<Vec<_>>());
    }
    let derived = derived(f);
    let sequential = |op: &AccOp<Labelled>| matches!(op, AccOp::Loop { .. } | AccOp::Fold { .. });
    let left = needed(&derived)
        .into_iter()
        .filter(|l| sequential(&l.op))
        .count();
    assert_eq!(left, 0, "{derived}");
    derived
}

/// The operations of a program that its results need: the others say which shapes would be too large.
fn needed(program: &Program<Labelled>) -> Vec<&AccLet<Labelled>> {
    let mut read: HashSet<ArrId> = program.body.results.iter().copied().collect();
    let mut needed = vec![];
    for let_ in program.body.lets.iter().rev() {
        if let_.binds.iter().any(|bind| read.contains(&bind.name)) {
            read.extend(let_.op.reads());
            needed.push(let_);
        }
    }
    needed
}

/// The text of the last operation, which makes the result.
fn last(program: &Program<Labelled>) -> String {
    let mut program = program.clone();
    let count = program.body.lets.len();
    program.body.lets.drain(..count - 1);
    let text = Printer::default().program(&program).to_string();
    let lines = text.lines().skip(1).map(str::trim);
    let lines: Vec<_> = lines
        .take_while(|line| !line.starts_with("return (a"))
        .collect();
    lines.join("\n")
}

pub(super) fn dot(v: Vector, w: Vector) -> Number {
    v.zip_with(w, |a, b| a * b).sum()
}

pub(super) fn product(a: Matrix, b: Matrix) -> Matrix {
    let (rows, columns) = (a.shape().0.1, b.inner());
    let a = a.replicate(ix![All, columns, All]);
    let b = b.transpose().replicate(ix![rows, All, All]);
    a.zip_with(b, |x, y| x * y).sum()
}

pub(super) fn trace_of(m: Matrix) -> Number {
    let diagonal = m.inner().min(m.shape().0.1);
    generate(ix![diagonal], |ix![i]| m.at(ix![i, i])).sum()
}

#[test]
fn inner_products() {
    let f = |pairs: Pairs| {
        let (v, w) = pairs.unzip();
        jacobian_forward(|v| dot(v, w), v)
    };
    for n in [0, 1, 4] {
        agree(&program(f), &[some(&[n], 1), some(&[n], 2)]);
    }
    // d(v·w)/dv = w.
    let text = derived(f).to_string();
    let expected = "program (a0: f64[_], a1: f64[_]) {\n  alike params #0, #1\n  return (a1)\n}";
    assert_eq!(text.trim(), expected);
    // Of different lengths: what is beyond w has no part in it.
    let f = |v: Vector, w: Vector| jacobian_forward(|v| dot(v, w), v);
    let derived = normal(
        f,
        &[
            &[&[3], &[3]],
            &[&[4], &[2]],
            &[&[2], &[4]],
            &[&[0], &[2]],
            &[&[2], &[0]],
        ],
    );
    assert_eq!(derived.body.lets.len(), 1, "{derived}");
    // d(v·v)/dv = v + v.
    let square = |v: Vector| jacobian_forward(|v: Vector| dot(v, v), v);
    let derived = normal(square, &[&[&[3]], &[&[1]], &[&[0]]]);
    assert!(
        last(&derived).ends_with("let x2: f64 = add (x1, x1)\nreturn (x2)\n}"),
        "{derived}"
    );
}

const MATRICES: &[&[&[usize]]] = &[
    &[&[3, 3]],
    &[&[2, 4]],
    &[&[4, 2]],
    &[&[1, 1]],
    &[&[0, 3]],
    &[&[3, 0]],
];

#[test]
fn traces() {
    // d tr(M)/dM = I.
    let derived = normal(|m: Matrix| jacobian_forward(trace_of, m), MATRICES);
    let expected = "\
f: fn (x0: i32, x1: i32) {
let x2: bool = eq (x0, x1)
let x3: f64 = 1.0
let x4: f64 = 0.0
let x5: f64 = select (x2, x3, x4)
return (x5)
}";
    assert!(last(&derived).ends_with(expected), "{}", last(&derived));
}

const PAIRS_OF_MATRICES: &[&[&[usize]]] = &[
    &[&[3, 2], &[2, 3]],
    &[&[2, 4], &[4, 2]],
    &[&[3, 2], &[4, 3]],
    &[&[3, 4], &[2, 3]],
    &[&[1, 1], &[1, 1]],
    &[&[0, 2], &[2, 0]],
    &[&[2, 0], &[0, 2]],
];

#[test]
fn traces_of_products() {
    // d tr(M·A)/dM = Aᵀ, as far as A goes.
    let f = |m: Matrix, a: Matrix| jacobian_forward(|m| trace_of(product(m, a)), m);
    let derived = normal(f, PAIRS_OF_MATRICES);
    let text = last(&derived);
    assert!(text.contains("index $1 (x0, x1)"), "{text}");
    // Where M is seen to have the shape of Aᵀ, nothing but that is left.
    let f = |a: Matrix| {
        let m = a.transpose().map(|x| x + 1.0);
        jacobian_forward(|m| trace_of(product(m, a)), m)
    };
    let derived = normal(f, &[&[&[3, 2]], &[&[1, 1]], &[&[0, 2]], &[&[2, 0]]]);
    let text = last(&derived);
    assert!(
        !text.contains("cond") && text.starts_with("let a"),
        "{derived}"
    );
}

#[test]
fn bilinear_forms() {
    let form = |u: Vector, m: Matrix, v: Vector| {
        let rows = m.shape().0.1;
        let mv = m.zip_with(v.replicate(ix![rows, All]), |x, y| x * y).sum();
        dot(u, mv)
    };
    // d(u·M·vᵀ)/dM is the outer product of u and v.
    let f = move |u: Vector, m: Matrix, v: Vector| jacobian_forward(|m| form(u, m, v), m);
    let shapes: &[&[&[usize]]] = &[
        &[&[2], &[2, 3], &[3]],
        &[&[3], &[2, 3], &[2]],
        &[&[1], &[2, 3], &[4]],
        &[&[0], &[0, 2], &[2]],
    ];
    let outer = normal(f, shapes);
    assert_eq!(last(&outer).matches("mul").count(), 1, "{outer}");
    // Of their own shapes there is no condition left.
    let f = move |m: Matrix| {
        let (u, v) = (m.sum(), m.transpose().sum());
        jacobian_forward(|m| form(u, m, v), m)
    };
    let of_own = derived(f);
    let text = last(&of_own);
    assert!(
        !text.contains("cond") && text.matches("mul").count() == 1,
        "{text}"
    );
}

#[test]
fn identities() {
    // (Mᵀ)ᵀ = M.
    let twice = derived(|m: Matrix| m.transpose().transpose());
    assert!(twice.body.lets.is_empty(), "{twice}");
    // v·I = v, where I is a direction.
    let f = |v: Vector, m: Matrix| {
        let n = v.size();
        let identity = generate(ix![n, n], |ix![i, j]| cond::<f64>(i.eq_(j), 1.0, 0.0));
        let times = |m: Matrix| {
            m.transpose()
                .zip_with(v.replicate(ix![n, All]), |x, y| x * y)
                .sum()
        };
        jvp_a(times, m.backpermute(ix![n, n], |i| i), identity).1
    };
    for n in [0, 1, 3] {
        agree(&program(f), &[some(&[n], 1), some(&[n, n], 2)]);
    }
    let derived = derived(f);
    assert_eq!(derived.body.results, [derived.params[0].name], "{derived}");
}

/// What selects is what decides: an infinity that is multiplied by the zeros of a unit vector takes no part.
#[test]
fn zeros_pass_nothing_on() {
    let f = |v: Vector, w: Vector| jacobian_forward(|v| dot(v, w), v);
    let inputs = [some(&[3], 1), host(&[3], &[f64::INFINITY, 1.0, f64::NAN])];
    let found = cotangent_core::interp::run(&derived(f), &inputs).unwrap();
    let found = super::floats(&found[0]);
    assert_eq!(found[..2], [f64::INFINITY, 1.0]);
    assert!(found[2].is_nan());
    // What the user multiplies by zero is NaN.
    let own = |w: Vector| {
        let one = |ix![i, j]: Ix2| cond::<f64>(i.eq_(j), 1.0, 0.0) * w.at(ix![j]);
        generate(ix![3, 3], one).sum()
    };
    let found = cotangent_core::interp::run(&derived(own), &inputs[1..]).unwrap();
    assert!(super::floats(&found[0]).iter().all(|x| x.is_nan()));
}

/// The rows and columns of a matrix, all of them positive.
fn positive(shape: &[usize], seed: u32) -> HostArray {
    let elements: Vec<f64> = super::floats(&some(shape, seed))
        .iter()
        .map(|x| x + 1.5)
        .collect();
    host(shape, &elements)
}

/// The negative logarithm of the likelihood of A = u·vᵀ where lifetimes are exponential: paper 004, section 6, figure 10.
fn factorization(a: Matrix, u: Vector, v: Vector) -> Number {
    let guess = |ix![i, j]: Ix2| u.at(ix![i]) * v.at(ix![j]);
    let guesses = generate(ix![u.size(), v.size()], guess);
    a.zip_with(guesses, |a, g| g.ln() + a / g).sum().sum()
}

#[test]
fn factorizations_of_matrices() {
    let forward = |a: Matrix, u: Vector, v: Vector| jacobian_forward(|v| factorization(a, u, v), v);
    let reverse = |a: Matrix, u: Vector, v: Vector| gradient_a(|v| factorization(a, u, v), v);
    for [m, n] in [[3, 4], [1, 1], [2, 0], [0, 2]] {
        let inputs = [positive(&[m, n], 1), positive(&[m], 2), positive(&[n], 3)];
        let expected = agree(&program(reverse), &inputs);
        let found = agree(&program(forward), &inputs);
        assert!(super::close(&found[0], &expected[0], super::EXACT));
    }
    let derived = derived(forward);
    // The sum over the columns of A is gone, that over its rows is what the gradient is: no array has three dimensions.
    let lets = || derived.body.all_lets();
    assert!(
        !lets().any(|l| matches!(l.op, AccOp::Loop { .. })),
        "{derived}"
    );
    let folds = lets()
        .filter(|l| matches!(l.op, AccOp::Fold { .. }))
        .count();
    assert_eq!(folds, 1, "{derived}");
}

type Triple = [Exp<f64>; 3];

fn inner([a, b, c]: Triple, [x, y, z]: Triple) -> Exp<f64> {
    a * x + b * y + c * z
}

fn cross([a, b, c]: Triple, [x, y, z]: Triple) -> Triple {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}

fn rodrigues(rotation: Triple, x: Triple) -> Triple {
    let angle = inner(rotation, rotation).sqrt();
    let axis = rotation.map(|r| r / angle);
    let (turned, along) = (cross(axis, x), inner(axis, x) * (1.0 - angle.cos()));
    [0, 1, 2].map(|k| x[k] * angle.cos() + turned[k] * angle.sin() + axis[k] * along)
}

/// Where a camera of eleven parameters sees points: `project` of bundle adjustment, paper 004, section 6, figure 12.
fn project(camera: Vector, points: Matrix) -> Matrix {
    let three = |first: i32| [0, 1, 2].map(|k| camera.at(ix![first + k]));
    let number = |k: i32| camera.at(ix![k]);
    generate(ix![points.shape().0.1, 2], |ix![i, side]| {
        let (centre, point) = (three(3), [0, 1, 2].map(|k| points.at(ix![i, k])));
        let [x, y, z] = rodrigues(three(0), [0, 1, 2].map(|k| point[k] - centre[k]));
        let (x, y) = (x / z, y / z);
        let square = x * x + y * y;
        let distortion = 1.0 + number(9) * square + number(10) * square * square;
        let on_side = cond(side.eq_(0), x, y) * distortion * number(6);
        on_side + cond(side.eq_(0), number(7), number(8))
    })
}

#[test]
fn jacobians_of_projections() {
    let both = |camera: Vector, points: Matrix| {
        (
            jacobian_forward(|c| project(c, points), camera),
            jacobian_reverse(|c| project(c, points), camera),
        )
    };
    let camera = [0.3, -0.2, 0.5, 0.1, 0.4, -4.0, 1.7, 0.2, -0.3, 0.05, 0.01];
    for n in [0, 1, 3] {
        let inputs = [host(&[11], &camera), some(&[n, 3], 4)];
        let found = agree(&program(both), &inputs);
        assert_eq!(found[0].shape(), [n, 2, 11]);
        assert!(super::close(&found[0], &found[1], super::EXACT));
    }
    // Against differences, of results that are weighted.
    let weighted = |camera: Vector| {
        let points = generate(ix![3, 3], |ix![i, k]| (i * 2 - k).to_f64() * 0.3);
        let seen = project(camera, points);
        let weight = |ix![i, k]: Ix2| seen.at(ix![i, k]) * (i * 2 + k + 1).to_f64();
        generate(seen.shape(), weight).sum_all()
    };
    super::smooth(weighted, &[host(&[11], &camera)]);
    // All columns are made at once.
    let forward = |camera: Vector, points: Matrix| jacobian_forward(|c| project(c, points), camera);
    let derived = derived(forward);
    let is_loop = |op: &AccOp<Labelled>| matches!(op, AccOp::Loop { .. });
    assert!(
        !derived.body.all_lets().any(|l| is_loop(&l.op)),
        "{derived}"
    );
}

/// A forward Jacobian computes what depends on the point alone once, code that may fail and maps of many results included.
#[test]
fn jacobians_compute_values_once() {
    let waves = |x: Vector| {
        let five = generate(ix![3], |ix![i]| {
            let x = x.at(ix![i]);
            std::array::from_fn::<_, 5, _>(|k| (x * (k as f64 + 1.0)).sin())
        });
        let product = |waves: [Exp<f64>; 5]| waves.into_iter().reduce(|a, b| a * b).unwrap();
        let seven = generate(ix![7], |ix![i]| x.at(ix![i / 3]));
        five.map(product).append(seven)
    };
    let derived = derived(|x: Vector| jacobian_forward(waves, x));
    let is_sine = |op: &ExpOp<Labelled>| matches!(op, ExpOp::Prim(Prim::Sin, _));
    let has_sines = |let_: &&AccLet<Labelled>| {
        let mut funs = let_.op.funs().into_iter();
        funs.any(|f| f.body.all_lets().any(|l| is_sine(&l.op)))
    };
    let all: Vec<_> = derived.body.all_lets().filter(has_sines).collect();
    let outside = derived.body.lets.iter().filter(has_sines).count();
    // Of the points, not of all directions.
    assert_eq!(
        (all.len(), outside, all[0].binds[0].ty.rank),
        (1, 1, 1),
        "{derived}"
    );
}
