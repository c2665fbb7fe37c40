//! GradBench's `ode` in plain Rust: the last element after steps of Runge's and Kutta's method, and its gradient.

/// The equation, and the length of a step.
struct Steps<'a> {
    x: &'a [f64],
    length: f64,
}

/// The last element.
pub fn last(x: &[f64], steps: usize) -> f64 {
    let (of, mut y) = (Steps::new(x, steps), vec![0.0; x.len()]);
    for _ in 0..steps {
        y = of.step(&y);
    }
    y[x.len() - 1]
}

/// The last element and its gradient. States are kept; what is within a step is computed again.
pub fn gradient(x: &[f64], steps: usize) -> (f64, Vec<f64>) {
    let of = Steps::new(x, steps);
    let mut states = vec![vec![0.0; x.len()]];
    for step in 0..steps {
        states.push(of.step(&states[step]));
    }
    let (mut by_x, mut by_y) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    by_y[x.len() - 1] = 1.0;
    for y in states[..steps].iter().rev() {
        of.back(y, &mut by_y, &mut by_x);
    }
    (states[steps][x.len() - 1], by_x)
}

impl<'a> Steps<'a> {
    fn new(x: &'a [f64], steps: usize) -> Self {
        let length = 2.0 / steps as f64;
        Self { x, length }
    }

    /// y + h·y′(z).
    fn along(&self, y: &[f64], h: f64, z: &[f64]) -> Vec<f64> {
        let mut out = y.to_vec();
        out[0] += h * self.x[0];
        for i in 1..y.len() {
            out[i] += h * self.x[i] * z[i - 1];
        }
        out
    }

    /// Where the slope is taken after the first time.
    fn within(&self, y: &[f64]) -> [Vec<f64>; 3] {
        let second = self.along(y, self.length / 2.0, y);
        let third = self.along(y, self.length / 2.0, &second);
        let fourth = self.along(y, self.length, &third);
        [second, third, fourth]
    }

    fn step(&self, y: &[f64]) -> Vec<f64> {
        let [second, third, fourth] = self.within(y);
        let mut out = y.to_vec();
        out[0] += self.length * self.x[0];
        for (i, out) in out.iter_mut().enumerate().skip(1) {
            let before = i - 1;
            let middle = second[before] + third[before];
            let sum = y[before] + 2.0 * middle + fourth[before];
            *out += self.length / 6.0 * self.x[i] * sum;
        }
        out
    }

    /// From the adjoint of what a step gives to that of `y`, which it was given.
    fn back(&self, y: &[f64], by_y: &mut [f64], by_x: &mut [f64]) {
        let [second, third, fourth] = self.within(y);
        let h = self.length;
        let after = by_y.to_vec();
        let mut from_next = vec![0.0; y.len()];
        for (at, of_sum, of_next) in [
            (&fourth[..], h / 6.0, 0.0),
            (&third, h / 3.0, h),
            (&second, h / 3.0, h / 2.0),
            (y, h / 6.0, h / 2.0),
        ] {
            let of_slope = |i: usize| of_sum * after[i] + of_next * from_next[i];
            let slope: Vec<f64> = (0..y.len()).map(of_slope).collect();
            from_next.fill(0.0);
            by_x[0] += slope[0];
            for i in 1..y.len() {
                by_x[i] += slope[i] * at[i - 1];
                from_next[i - 1] = slope[i] * self.x[i];
            }
            by_y.iter_mut().zip(&from_next).for_each(|(y, z)| *y += z);
        }
    }
}
