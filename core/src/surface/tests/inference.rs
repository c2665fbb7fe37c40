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
