//! The same programs in ordinary Rust. Those with derivatives by many inputs are generic over numbers and run on dual numbers;
//! of the others the derivative is written down.

use std::cell::Cell;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number and its derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual {
    /// The number.
    pub value: f64,
    /// The derivative.
    pub derivative: f64,
}

impl Dual {
    /// A constant.
    pub fn of(value: f64) -> Self {
        Self {
            value,
            derivative: 0.0,
        }
    }

    /// What is differentiated by.
    pub fn variable(value: f64) -> Self {
        Self {
            value,
            derivative: 1.0,
        }
    }

    fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        Self {
            value,
            derivative: self.derivative / (2.0 * value),
        }
    }
}

impl Add for Dual {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            derivative: self.derivative + other.derivative,
        }
    }
}

impl Sub for Dual {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Dual {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            value: -self.value,
            derivative: -self.derivative,
        }
    }
}

impl Mul for Dual {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            derivative: self.derivative * other.value + self.value * other.derivative,
        }
    }
}

impl Div for Dual {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Self {
            value,
            derivative: (self.derivative - value * other.derivative) / other.value,
        }
    }
}

/// The gradient of a function of several numbers.
pub fn gradient(f: impl Fn(&[Dual]) -> Dual, x: &[f64]) -> Vec<f64> {
    let by = |i: usize| {
        let mut point: Vec<Dual> = x.iter().copied().map(Dual::of).collect();
        point[i] = Dual::variable(x[i]);
        f(&point).derivative
    };
    (0..x.len()).map(by).collect()
}

/// `llsq`.
pub fn least_squares(x: &[Dual], n: usize) -> Dual {
    let mut sum = Dual::of(0.0);
    for i in 0..n {
        let t = -1.0 + i as f64 * 2.0 / (n as f64 - 1.0);
        let sign = if t == 0.0 { 0.0 } else { t.signum() };
        let mut power = 1.0;
        let mut rest = Dual::of(sign);
        for &coefficient in x {
            rest = rest - coefficient * Dual::of(power);
            power *= t;
        }
        sum = sum + rest * rest;
    }
    sum / Dual::of(2.0)
}

/// `det`, of a matrix in rows.
pub fn determinant(a: &[Dual], columns: &[usize], row: usize) -> Dual {
    let size = (a.len() as f64).sqrt() as usize;
    if columns.is_empty() {
        return Dual::of(1.0);
    }
    let mut sum = Dual::of(0.0);
    for (j, &column) in columns.iter().enumerate() {
        let others: Vec<usize> = columns.iter().copied().filter(|&c| c != column).collect();
        let term = a[row * size + column] * determinant(a, &others, row + 1);
        sum = if j % 2 == 0 { sum + term } else { sum - term };
    }
    sum
}

/// `ode`: the last element.
pub fn runge_kutta(x: &[Dual], steps: usize) -> Dual {
    let slope = |y: &[Dual]| -> Vec<Dual> {
        let all = x.iter().enumerate();
        all.map(|(i, &x)| if i == 0 { x } else { x * y[i - 1] })
            .collect()
    };
    let along = |y: &[Dual], k: &[Dual], h: f64| -> Vec<Dual> {
        y.iter()
            .zip(k)
            .map(|(&y, &k)| y + Dual::of(h) * k)
            .collect()
    };
    let h = 2.0 / steps as f64;
    let mut y = vec![Dual::of(0.0); x.len()];
    for _ in 0..steps {
        let k1 = slope(&y);
        let k2 = slope(&along(&y, &k1, h / 2.0));
        let k3 = slope(&along(&y, &k2, h / 2.0));
        let k4 = slope(&along(&y, &k3, h));
        let two = Dual::of(2.0);
        let k: Vec<Dual> = (0..x.len())
            .map(|i| k1[i] + two * k2[i] + two * k3[i] + k4[i])
            .collect();
        y = along(&y, &k, h / 6.0);
    }
    y[x.len() - 1]
}

/// Descent as `solver.fut` of GradBench has it: `f` gives value and gradient. The point, and the number of trips.
pub fn least(f: impl Fn([f64; 2]) -> (f64, [f64; 2]), start: [f64; 2]) -> ([f64; 2], usize) {
    let length = |v: [f64; 2]| (v[0] * v[0] + v[1] * v[1]).sqrt();
    let (mut p, (mut value, mut slope)) = (start, f(start));
    let (mut eta, mut i, mut trips) = (1e-5, 0, 0);
    loop {
        trips += 1;
        if length(slope) <= 1e-5 {
            return (p, trips);
        }
        if i == 10 {
            (eta, i) = (2.0 * eta, 0);
            continue;
        }
        let step = [eta * slope[0], eta * slope[1]];
        if length(step) <= 1e-5 {
            return (p, trips);
        }
        let next = [p[0] - step[0], p[1] - step[1]];
        let (next_value, next_slope) = f(next);
        if next_value < value {
            (p, value, slope, i) = (next, next_value, next_slope, i + 1);
        } else {
            (eta, i) = (eta / 2.0, 0);
        }
    }
}

/// What `saddle` finds, and what it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saddle {
    /// Both points.
    pub points: [[f64; 2]; 2],
    /// The trips of the outer descent.
    pub outer: usize,
    /// The trips of one inner descent.
    pub inner: usize,
    /// The trips of all inner descents for values of the outer function.
    pub all_inner: usize,
}

/// `saddle`.
pub fn saddle(start: [f64; 2]) -> Saddle {
    let square = |p: [f64; 2]| p[0] * p[0] + p[1] * p[1];
    let greatest = |p: [f64; 2]| {
        least(
            |q| (-(square(p) - square(q)), [2.0 * q[0], 2.0 * q[1]]),
            start,
        )
    };
    // What is greatest does not depend on p, so that the derivative through the descent is that of |p|².
    let all_inner = Cell::new(0);
    let worst = |p: [f64; 2]| {
        let (q, trips) = greatest(p);
        all_inner.set(all_inner.get() + trips);
        (square(p) - square(q), [2.0 * p[0], 2.0 * p[1]])
    };
    let (p, outer) = least(worst, start);
    let (q, inner) = greatest(p);
    Saddle {
        points: [p, q],
        outer,
        inner,
        all_inner: all_inner.get(),
    }
}

/// The simulation of `particle`: how far it misses the target.
fn missed_by(w: Dual) -> Dual {
    let of = Dual::of;
    let charges = [(of(10.0), of(10.0) - w), (of(10.0), of(0.0))];
    let (mut p, mut v) = ((of(0.0), of(8.0)), (of(0.75), of(0.0)));
    let h = of(0.1);
    loop {
        let mut slope = (of(0.0), of(0.0));
        for charge in charges {
            let d = (p.0 - charge.0, p.1 - charge.1);
            let r = (d.0 * d.0 + d.1 * d.1).sqrt();
            let cube = r * r * r;
            slope = (slope.0 - d.0 / cube, slope.1 - d.1 / cube);
        }
        let next = (p.0 + h * v.0, p.1 + h * v.1);
        if next.1.value <= 0.0 {
            let x = p.0 - p.1 / v.1 * v.0;
            return x * x;
        }
        (p, v) = (next, (v.0 - h * slope.0, v.1 - h * slope.1));
    }
}

/// `particle`: w, and the number of trips.
pub fn particle(w: f64) -> (f64, usize) {
    let f = |p: [f64; 2]| {
        let missed = missed_by(Dual::variable(p[0]));
        (missed.value, [missed.derivative, 0.0])
    };
    let (p, trips) = least(f, [w, 0.0]);
    (p[0], trips)
}
