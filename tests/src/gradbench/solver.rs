//! `saddle` and `particle`: gradient descent on functions that are themselves found by descent, or by a simulation with a
//! gradient in each step. All of it is scalar code: loops in gradients in loops.

use cotangent::prelude::*;

/// Which mode takes the gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A derivative along each coordinate.
    Forward,
    /// One gradient.
    Reverse,
}

/// A point of the plane.
pub type Point = (Exp<f64>, Exp<f64>);

/// When descent ends.
const NEAR: f64 = 1e-5;

impl Mode {
    fn gradient(self, f: impl Fn(Point) -> Exp<f64> + Copy, p: Point) -> Point {
        match self {
            Self::Reverse => gradient_e(f, p),
            Self::Forward => (jvp_e(f, p, (1.0, 0.0)).1, jvp_e(f, p, (0.0, 1.0)).1),
        }
    }
}

fn length((x, y): Point) -> Exp<f64> {
    (x * x + y * y).sqrt()
}

/// Where `f` is least, by descent with a step that grows and shrinks, and the number of trips made.
fn least(mode: Mode, f: impl Fn(Point) -> Exp<f64> + Copy, start: Point) -> (Point, Exp<i32>) {
    type State = ((f64, f64), f64, (f64, f64), f64, i32, bool, i32);
    let gradient = |p| mode.gradient(f, p);
    let step = |_: Exp<i32>, (p, value, slope, eta, i, _, trips): E<State>| {
        let (zero, go_on, trips) = (constant(0), constant(true), trips + 1);
        let stop = (p, value, slope, eta, i, constant(false), trips);
        let stay = |eta| (p, value, slope, eta, zero, go_on, trips);
        let way = (eta * slope.0, eta * slope.1);
        let next = (p.0 - way.0, p.1 - way.1);
        let next_value = f(next);
        let moved = (next, next_value, gradient(next), eta, i + 1, go_on, trips);
        let descend = cond::<State>(next_value.lt(value), moved, stay(eta / 2.0));
        let unless_near = cond::<State>(length(way).le(NEAR), stop, descend);
        let unless_tenth = cond::<State>(i.eq_(10), stay(2.0 * eta), unless_near);
        cond::<State>(length(slope).le(NEAR), stop, unless_tenth)
    };
    let (eta, none) = (constant(NEAR), constant(0));
    let first = (
        start,
        f(start),
        gradient(start),
        eta,
        none,
        constant(true),
        none,
    );
    let last = while_(|s: E<State>| s.5, step, first);
    (last.0, last.6)
}

/// `saddle`: the point p₁ of least greatest value of |p₁|² − |p₂|², the p₂ of greatest value for it, and how many trips the
/// outer descent makes, and one of the inner ones.
pub fn saddle(modes: (Mode, Mode), start: Point) -> ((Point, Point), (Exp<i32>, Exp<i32>)) {
    let (outer, inner) = modes;
    let value = |p: Point, q: Point| (p.0 * p.0 + p.1 * p.1) - (q.0 * q.0 + q.1 * q.1);
    let greatest = |mode: Mode, p: Point| least(mode, move |q| -value(p, q), start);
    let worst = |p: Point| value(p, greatest(inner, p).0);
    let (p, outer_trips) = least(outer, worst, start);
    let (q, inner_trips) = greatest(outer, p);
    ((p, q), (outer_trips, inner_trips))
}

/// How far from the target a particle hits the ground that flies between two charges, one of which stands at height 10 − w.
fn missed_by(mode: Mode, w: Exp<f64>) -> Exp<f64> {
    type State = ((f64, f64), (f64, f64), bool);
    let distance = |p: Point, height: Exp<f64>| length((p.0 - 10.0, p.1 - height));
    let potential = |p: Point| 1.0 / distance(p, 10.0 - w) + 1.0 / distance(p, constant(0.0));
    let step = |_: Exp<i32>, (p, v, _): E<State>| {
        let slope = mode.gradient(potential, p);
        let next = (p.0 + 0.1 * v.0, p.1 + 0.1 * v.1);
        let faster = (v.0 - 0.1 * slope.0, v.1 - 0.1 * slope.1);
        let on = (next, faster, constant(true));
        cond::<State>(next.1.gt(0.0), on, (p, v, constant(false)))
    };
    let number = constant::<f64>;
    let start = (number(0.0), number(8.0));
    let speed = (number(0.75), number(0.0));
    let (p, v, _) = while_(|s: E<State>| s.2, step, (start, speed, constant(true)));
    let x = p.0 - p.1 / v.1 * v.0;
    x * x
}

/// `particle`: the w for which the particle hits the target, from `w`, and the number of trips of the descent.
pub fn particle(modes: (Mode, Mode), w: Exp<f64>) -> (Exp<f64>, Exp<i32>) {
    let (outer, inner) = modes;
    // The descent is one in the plane, along which the second coordinate stays.
    let (p, trips) = least(
        outer,
        |p| missed_by(inner, p.0) + 0.0 * p.1,
        (w, constant(0.0)),
    );
    (p.0, trips)
}
