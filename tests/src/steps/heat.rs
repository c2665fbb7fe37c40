//! The heat equation by implicit steps: each solves a linear system by conjugate gradients, a loop within a loop.
//!
//! A step from u finds the plate v with v + r·Lv = u, where L is the Laplacian with five points and points at the border are their
//! own neighbours there. The iteration starts at u. Where the square of the residual is no more than [`Heat::enough`] times that
//! of u, the trips that are left change nothing.

use cotangent::prelude::*;

type Plate<T> = Acc<Ix2, T>;
type Number<T> = Acc<Z, T>;
/// The solution, its residual, the direction, and the square of the residual.
type State<T> = (Plate<T>, Plate<T>, Plate<T>, Number<T>);

/// How the steps are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heat {
    /// The steps over time.
    pub steps: i32,
    /// The trips of each iteration, at most.
    pub trips: i32,
    /// When an iteration has nothing left to do.
    pub enough: f64,
    /// Whether it ends then, by a test; or makes trips that change nothing.
    pub ends: bool,
}

fn dot<T: Float>(x: Plate<T>, y: Plate<T>) -> Number<T> {
    x.zip_with(y, |x, y| x * y).sum_all()
}

fn laplacian<T: Float>(m: Plate<T>) -> Plate<T> {
    let ix![rows, columns] = m.shape();
    generate(ix![rows, columns], |ix![i, j]| {
        let (up, down) = ((i - 1).max(0), (i + 1).min(rows - 1));
        let (left, right) = ((j - 1).max(0), (j + 1).min(columns - 1));
        let beside = m.at(ix![i, left]) + m.at(ix![i, right]);
        4.0 * m.at(ix![i, j]) - (m.at(ix![up, j]) + m.at(ix![down, j]) + beside)
    })
}

impl Heat {
    /// The sum of the squares of the temperatures in the end, by the plate and the rate r.
    pub fn energy<T: Float>(self, (plate, rate): (Plate<T>, Number<T>)) -> Number<T> {
        let last = aiterate(self.steps, |_, plate| self.step(plate, rate), plate);
        dot(last, last)
    }

    fn step<T: Float>(self, plate: Plate<T>, rate: Number<T>) -> Plate<T> {
        let times = |x: Plate<T>| x.zip_with(laplacian(x), |x, l| x + rate.the() * l);
        let rest = laplacian(plate).map(|l| -rate.the() * l);
        let enough = constant(T::from_f64(self.enough)) * dot(plate, plate).the();
        let start = (plate, rest, rest, dot(rest, rest));
        let next = |_, state| conjugate(times, state, enough);
        let goes_on = |(_, _, _, square): State<T>| square.the().gt(enough);
        match self.ends {
            true => aiterate_while(self.trips, goes_on, next, start).0,
            false => aiterate(self.trips, next, start).0,
        }
    }
}

/// A step of conjugate gradients; none where the residual is small enough.
fn conjugate<T: Float>(
    times: impl Fn(Plate<T>) -> Plate<T>,
    (x, rest, along, square): State<T>,
    enough: Exp<T>,
) -> State<T> {
    let image = times(along);
    let is_more = square.the().gt(enough);
    let quotient = |a: Exp<T>, b: Exp<T>| cond(is_more, a / b, 0.0);
    let length = quotient(square.the(), dot(along, image).the());
    let x = x.zip_with(along, |x, along| x + length * along);
    let rest = rest.zip_with(image, |rest, image| rest - length * image);
    let next = dot(rest, rest);
    let turn = quotient(next.the(), square.the());
    let along = rest.zip_with(along, |rest, along| rest + turn * along);
    (x, rest, along, next)
}

/// The same in plain Rust.
pub mod plain {
    use super::Heat;

    /// A plate, row by row, and the rate.
    #[derive(Clone, Debug)]
    pub struct Input {
        /// How many points a row has.
        pub columns: usize,
        /// The plate.
        pub plate: Vec<f64>,
        /// The rate.
        pub rate: f64,
    }

    /// What a trip is given, but for the solution, and what it finds.
    struct Trip {
        along: Vec<f64>,
        image: Vec<f64>,
        rest: Vec<f64>,
        square: f64,
        length: f64,
        turn: f64,
    }

    fn dot(x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).map(|(x, y)| x * y).sum()
    }

    /// y += a·x.
    fn add(y: &mut [f64], a: f64, x: &[f64]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
    }

    /// a·y + x.
    fn scaled(a: f64, y: &[f64], x: &[f64]) -> Vec<f64> {
        y.iter().zip(x).map(|(y, x)| a * y + x).collect()
    }

    impl Input {
        fn laplacian(&self, m: &[f64]) -> Vec<f64> {
            let columns = self.columns;
            let rows = m.len().checked_div(columns).unwrap_or(0);
            let row = |i: usize| &m[i * columns..][..columns];
            let mut out = Vec::with_capacity(m.len());
            for i in 0..rows {
                let (up, here, down) =
                    (row(i.saturating_sub(1)), row(i), row((i + 1).min(rows - 1)));
                let at = |j: usize, left: usize, right: usize| {
                    4.0 * here[j] - (up[j] + down[j] + (here[left] + here[right]))
                };
                let last = columns - 1;
                out.push(at(0, 0, last.min(1)));
                out.extend((1..last).map(|j| at(j, j - 1, j + 1)));
                out.extend((last > 0).then(|| at(last, last.saturating_sub(1), last)));
            }
            out
        }

        fn times(&self, x: &[f64]) -> Vec<f64> {
            scaled(self.rate, &self.laplacian(x), x)
        }
    }

    impl Heat {
        /// One step, and, if asked for, its trips.
        fn plain_step(self, input: &Input, plate: &[f64], keeps: bool) -> (Vec<f64>, Vec<Trip>) {
            let enough = self.enough * dot(plate, plate);
            let (mut x, mut trips) = (plate.to_vec(), vec![]);
            let mut rest = input.laplacian(plate);
            rest.iter_mut().for_each(|rest| *rest *= -input.rate);
            let (mut along, mut square) = (rest.clone(), dot(&rest, &rest));
            for _ in 0..self.trips {
                if square <= enough {
                    break;
                }
                let image = input.times(&along);
                let length = square / dot(&along, &image);
                add(&mut x, length, &along);
                add(&mut rest, -length, &image);
                let next = dot(&rest, &rest);
                let turn = next / square;
                let turned = scaled(turn, &along, &rest);
                if keeps {
                    trips.push(Trip {
                        along,
                        image,
                        rest: rest.clone(),
                        square,
                        length,
                        turn,
                    });
                }
                (along, square) = (turned, next);
            }
            (x, trips)
        }

        /// The sum of the squares in the end.
        pub fn plain_energy(self, input: &Input) -> f64 {
            let mut plate = input.plate.clone();
            for _ in 0..self.steps {
                plate = self.plain_step(input, &plate, false).0;
            }
            dot(&plate, &plate)
        }

        /// That, and its derivatives by the plate and by the rate. The plates of all steps are kept, and the trips of one.
        pub fn plain_gradient(self, input: &Input) -> (f64, Vec<f64>, f64) {
            let mut plates = vec![input.plate.clone()];
            for step in 0..self.steps as usize {
                plates.push(self.plain_step(input, &plates[step], false).0);
            }
            let last = plates.pop().unwrap_or_default();
            let value = dot(&last, &last);
            let (mut by_plate, mut by_rate) = (last, 0.0);
            by_plate.iter_mut().for_each(|x| *x *= 2.0);
            for plate in plates.iter().rev() {
                let trips = self.plain_step(input, plate, true).1;
                by_rate += back(input, plate, &trips, &mut by_plate);
            }
            (value, by_plate, by_rate)
        }
    }

    /// From the adjoint of what a step gives to that of the plate which it was given; and the derivative by the rate.
    fn back(input: &Input, plate: &[f64], trips: &[Trip], by_x: &mut [f64]) -> f64 {
        let zero = || vec![0.0; plate.len()];
        let (mut by_rest, mut by_along, mut by_square, mut by_rate) = (zero(), zero(), 0.0, 0.0);
        for trip in trips.iter().rev() {
            let Trip {
                square,
                length,
                turn,
                ..
            } = *trip;
            add(&mut by_rest, 1.0, &by_along);
            let by_turn = dot(&by_along, &trip.along);
            by_along.iter_mut().for_each(|x| *x *= turn);
            by_square += by_turn / square;
            add(&mut by_rest, 2.0 * by_square, &trip.rest);
            let by_length = dot(by_x, &trip.along) - dot(&by_rest, &trip.image);
            add(&mut by_along, length, by_x);
            // The length is the square over the product of direction and image.
            let by_product = -by_length * length * length / square;
            by_square = by_length * length / square - by_turn * turn / square;
            let mut by_image = zero();
            add(&mut by_image, -length, &by_rest);
            add(&mut by_image, by_product, &trip.along);
            add(&mut by_along, by_product, &trip.image);
            add(&mut by_along, 1.0, &input.times(&by_image));
            by_rate += dot(&by_image, &input.laplacian(&trip.along));
        }
        // The first residual is both residual and direction.
        add(&mut by_rest, 1.0, &by_along);
        let mut first = input.laplacian(plate);
        by_rate -= dot(&by_rest, &first) - 2.0 * by_square * input.rate * dot(&first, &first);
        first.iter_mut().for_each(|l| *l *= -input.rate);
        add(&mut by_rest, 2.0 * by_square, &first);
        add(by_x, -input.rate, &input.laplacian(&by_rest));
        by_rate
    }
}
