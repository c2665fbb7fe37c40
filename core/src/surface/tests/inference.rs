//! Programs that must type-check as they stand: the feel of the language.

use crate::surface::prelude::*;
use cotangent_derive::Elt;

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;
type Scalar = Acc<Ix0, f64>;

fn dot(x: Vector, y: Vector) -> Scalar {
    x.zip_with(y, |a, b| a * b).sum()
}

fn logsumexp<Sh: Shape, T: Float>(a: Acc<Snoc<Sh>, T>) -> Acc<Sh, T> {
    let m = a.maximum();
    let e = a.zip_with(m.replicate(Snoc(any(), a.inner())), |x, m| (x - m).exp());
    e.sum().zip_with(m, |s, m| s.ln() + m)
}

#[derive(Clone, Copy, Debug, PartialEq, Elt)]
#[elt(crate = crate)]
struct Camera {
    r: [f64; 3],
    c: [f64; 3],
    f: f64,
    x0: [f64; 2],
    k: [f64; 2],
}

fn project(CameraE { r, c, f, x0, k }: CameraE, x: [Exp<f64>; 3]) -> [Exp<f64>; 2] {
    let d: [Exp<f64>; 3] = std::array::from_fn(|i| x[i] - c[i]);
    let theta = r.iter().map(|r| r.sqr()).sum::<Exp<f64>>().sqrt();
    let p = [d[0] / d[2] * theta.cos(), d[1] / d[2]];
    let s = p[0].sqr() + p[1].sqr();
    let l = 1.0 + k[0] * s + k[1] * s * s;
    [0, 1].map(|i| f * p[i] * l + x0[i])
}

type Observation = (i32, i32, [f64; 2]);

fn residuals(
    cams: Acc<Ix1, Camera>,
    pts: Acc<Ix1, [f64; 3]>,
    obs: Acc<Ix1, Observation>,
) -> Acc<Ix1, [f64; 2]> {
    obs.map(|(c, p, [u, v])| {
        let [pu, pv] = project(cams.at(ix![c]), pts.at(ix![p]));
        [pu - u, pv - v]
    })
}

fn loss(a: Vector, m: Matrix) -> Scalar {
    let ix![rows, _] = m.shape();
    let a = a.replicate(ix![rows, All]);
    m.zip_with(a, |x, y| x * y).sum_all()
}

#[test]
fn the_sketch() {
    trace(dot).unwrap();
    trace(logsumexp::<Ix1, f32>).unwrap();
    trace(residuals).unwrap();
    trace(|m: Matrix| {
        let ix![r, c] = m.shape();
        m.backpermute(ix![c, r], |ix![i, j]| ix![j, i])
    })
    .unwrap();
    trace(|a: Vector, m: Matrix| gradient_a(|(a, m)| loss(a, m), (a, m))).unwrap();
}

#[test]
fn literals_on_both_sides() {
    fn generic<T: Float>(x: Exp<T>) -> Exp<T> {
        let y = 2.0 * x + 1.0 - 0.5 / x;
        (1 + 2 * y).max(0.0).powf(0.5) * cond(x.lt(0), x, 1.0) + cond::<T>(x.gt(1.0), 1.0, 0.0)
    }
    trace(|v: Acc<Ix1, f32>| v.map(generic)).unwrap();
    trace(|v: Acc<Ix1, f32>| v.map(|x| (2.0 * x).sqrt() + (1.0 - x) * 0.1)).unwrap();
    trace(|v: Vector| v.map(|x| (2 * x - 1).sqrt() / 3)).unwrap();
    trace(|v: Acc<Ix1, i64>| v.map(|n| ((2 * n + 1) % 7 / n).to_f64().sin())).unwrap();
}

#[test]
fn helpers_may_be_generic_over_mirrors_and_shapes() {
    fn twice<X: IntoExp, R: IntoExp>(x: X, f: impl Fn(E<X::Elt>) -> R) -> (E<R::Elt>, E<R::Elt>) {
        let x = x.into_exp();
        (f(x).into_exp(), f(x).into_exp())
    }
    fn centred<Sh: Shape, T: Float>(a: Acc<Snoc<Sh>, T>) -> Acc<Snoc<Sh>, T> {
        let n = a.inner().to::<T>();
        let mean = a.sum().map(|s| s / n);
        a.zip_with(mean.replicate(Snoc(any(), a.inner())), |x, m| x - m)
    }
    fn pairs<T: Elt>(a: Acc<Ix1, T>) -> Acc<Ix2, (T, T)> {
        let n = a.inner();
        a.replicate(ix![All, n]).zip(a.replicate(ix![n, All]))
    }
    fn last<T: Elt>(a: Acc<Ix1, T>, default: impl Lift<T>) -> Acc<Ix0, T> {
        a.fold(default, |_, x| x)
    }
    trace(|v: Vector| v.map(|x| twice((x, 1.0), |(x, y)| x + y))).unwrap();
    trace(|m: Acc<Ix3, f32>| centred(m)).unwrap();
    trace(|v: Acc<Ix1, (f64, [i32; 2])>| (pairs(v), last(v, (0.0, [1, 2])))).unwrap();
}

#[test]
fn closures_take_apart_nested_elements() {
    type Row = ([f64; 3], (i32, bool), [[f32; 2]; 2]);
    let traced = trace(|rows: Acc<Ix1, Row>| {
        rows.map(|([x, y, z], (n, flag), [[a, _], [_, d]])| {
            let norm = (x * x + y * y + z * z).sqrt();
            let trace = cond(flag.and(n.gt(0)), a + d, 0.0);
            (norm, [trace.to_f64(), n.to_f64()], flag.not())
        })
    });
    assert_eq!(traced.unwrap().lambda.results.len(), 4);
}

/// The objective of a mixture of Gaussians, as users write it.
#[test]
fn a_mixture_of_gaussians() {
    fn log_likelihood(alphas: Vector, means: Matrix, icf: Matrix, points: Matrix) -> Scalar {
        let ix![k, d] = means.shape();
        let n = points.shape().0.1;
        let log_diagonal_sum = icf.slice(ix![All, 0]);
        let squared_norms = generate(ix![n, k, d], |ix![i, j, c]| {
            let centred = points.at(ix![i, c]) - means.at(ix![j, c]);
            (icf.at(ix![j, c]).exp() * centred).sqr()
        });
        let distances = squared_norms.sum();
        let weights = alphas.zip_with(log_diagonal_sum, |a, q| a + q);
        let betas = distances.zip_with(weights.replicate(ix![n, All]), |s, w| w - 0.5 * s);
        let total = logsumexp(betas).sum();
        let normaliser = logsumexp(alphas);
        total.zip_with(normaliser, |t, l| {
            t - n.to_f64() * l - 0.5 * (n * d).to_f64() * (2.0 * pi::<f64>()).ln()
        })
    }
    let traced = trace(|a: Vector, m: Matrix, icf: Matrix, x: Matrix| {
        gradient_a(|(a, m, icf)| log_likelihood(a, m, icf, x), (a, m, icf))
    });
    assert_eq!(traced.unwrap().lambda.results.len(), 3);
}

#[test]
fn operators_and_conversions() {
    let traced = trace(|v: Acc<Ix1, (i32, i64, bool, f32)>| {
        v.map(|(i, j, b, x)| {
            let mut k = (i << 3) | (i & 0xff) ^ !i;
            k += 1;
            k %= 5;
            k -= i.div_floor(3) * 2 + i.mod_floor(3);
            let either = (b | i.ge(2)) & !b ^ j.ne_(j.max(3));
            let mut y = x.floor() / 2 - x.atan2(1.0) * x.log(10.0);
            y /= 3.0;
            y *= x.hypotenuse(x);
            (
                k,
                either.or(x.is_nan()),
                y,
                x.round_to::<i64>() + j,
                b.to_i32(),
            )
        })
    });
    assert_eq!(traced.unwrap().lambda.results.len(), 5);
}

/// Users extend handles by traits of their own.
trait Hypotenuse {
    fn hypotenuse(self, other: Self) -> Self;
}

impl<T: Float> Hypotenuse for Exp<T> {
    fn hypotenuse(self, other: Self) -> Self {
        (self.sqr() + other.sqr()).sqrt()
    }
}

#[test]
fn programs_take_any_number_of_arguments() {
    trace(|| fill(ix![], 1.0)).unwrap();
    trace(|(a, b): (Vector, Vector)| (a, (b, a))).unwrap();
    type S = Scalar;
    let many = |a: S, b: S, c: S, d: S, e: S, f: S, g: S, h: S| {
        let all = a.zip3(b, c).zip3(d.zip(e), f.zip3(g, h));
        let (abc, de, _) = all.unzip3();
        let ((a, b, c), (d, e)) = (abc.unzip3(), de.unzip());
        (a.zip_with4(b, c, d, |a, b, c, d| a + b + c + d), e)
    };
    assert_eq!(trace(many).unwrap().lambda.params.len(), 8);
    fn named(v: Vector, n: Acc<Ix0, i32>) -> (Vector, Acc<Ix1, i32>) {
        (v.slice(ix![All]), fill(ix![n.the() + 1], n.the()))
    }
    trace(named).unwrap();
}
